"""Why a line is one that calls no lemma of ours: it counts, rewrites, goes by cases, or names things."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from html import escape

from _ext.text.rocq import term_html

NAMES = re.compile(r"[A-Za-z_][\w']*")
ENTRIES = re.compile(r"\b(?:matrix|col|row|ffun)P\b")
COUNTS = re.compile(r"\b(?:lra|nra|lia|nia|ring|field)\b")
COUNTED = {
    "lra": "it follows by adding up what is known.",
    "lia": "it follows by adding up what is known of whole numbers.",
    "nra": "it follows by multiplying and adding what is known.",
    "nia": "it follows by multiplying and adding what is known of whole numbers.",
    "ring": "multiplied out, both sides are the same.",
    "field": "over one denominator, both sides are the same.",
}
POSITIVE = re.compile(r"\w*_gt0\w*|ltr0n|lt0n|ltr01|ltr0Sn|pnatr_eq0|oner_eq0|invr_gt0")
NOT_NEGATIVE = re.compile(rf"{POSITIVE.pattern}|\w*_ge0\w*|ler0n|ler01|ltW|nnegrE|ger0_norm|\w*_lt0\w*|\w*rl[te]0")
COMPARES = re.compile(r"(?!\w*_norm\b)(?:l[te]|g[te]|leq|ltn)\w*")
"""By their names: rules on what is positive, on what is not negative, and on which of two numbers is larger."""
SIDE = r"((?:[\w']+(?:\./2)?|\([^()]*\))(?:%\w)?)"
SIDES = re.compile(rf"\b(lt[nr]P|le[qr]P|eqVneq|posnP) {SIDE}(?: {SIDE})?")
WAYS = {"eqVneq": "{0} = {1} or not", "posnP": "{0} is 0 or positive"}
UNFOLDS = re.compile(r"rewrite(?:[^;.=]|\.\w)*?(?<![/\w])/([a-z]\w+[\da-z])\b")
ARITHMETIC = re.compile(
    r"-?\(?(?:add|sub|mul|opp|div|inv|norm|exp|ln_|sqr|natr|ler?|ltr?|ger?|gtr?|leq|ltn|subn|signr|scal|eq|pmul|prod|"
    r"min|max|double|half|oner|zero|dist|real|telescope|opprB|psumr|unitr|intr|muln|addn|ring|pnatr|divff|gt_eqF|lt0r|"
    r"paddr|posnum|splitr|mid|nneg)\w*"
)
BESIDE = re.compile(r"\?(?:\((?:[^()]|\([^()]*\))*\)|[\w'.]+)")
"""What a rewriting asks for besides, mostly that a sign is known."""
RULES = re.compile(r"\brewrite\b([^;]*?)(?=;|=>|$)", re.DOTALL)
CLAIM = re.compile(r"[-+* ]*have\b(?!.*:=)", re.DOTALL)
CASES = re.compile(r"have \[[^\[\]]*\|.*:=")
COMMAND = re.compile(
    r"(?:^|[;\[|]|\bby\b|\bfirst\b|\blast\b)\s*[-+*]*\s*(?:do\s+\S+\s+)?"
    r"(rewrite|exact|apply|split|exists|pose|set|case|elim|have|suff|wlog|move|left|right|congr|under)\b"
)
SAYS = {
    "split": "Each part for itself.", "exists": "The one named here will do.", "pose": "A name for what comes often.",
    "set": "A name for what comes often.", "elim": "By induction.",
    "move": "What is given gets a name.", "left": "The first of the two holds.", "right": "The second holds.",
    "congr": "What is the same on both sides goes.", "under": "Rewriting, under a sum or a quantifier.",
    "suff": "This is enough; what it leaves comes next.", "wlog": "Without loss of generality.",
    "exact": "It is what is known.", "apply": "By a rule of the library.",
}  # fmt: skip


def plain(sentence: str, facts: Set[str], more: bool) -> str:
    """The reason in English; `more`: whether the line has left more to show, as a claim does."""
    told = [name for name in dict.fromkeys(NAMES.findall(sentence)) if name in facts and name not in SAYS]
    proof = re.split(r"\bby\b", sentence)[-1]
    commands = COMMAND.findall(proof) or COMMAND.findall(sentence) or [""]
    command = "rewrite" if commands[0] in ("move", "apply") and "rewrite" in commands else commands[0]
    if more and CLAIM.match(sentence):
        return "First a claim, shown for itself."
    beside = command == "rewrite" and bool(told) and not {*told} & {*NAMES.findall(BESIDE.sub("", sentence))}
    used, proof = ([], BESIDE.sub("", proof)) if beside else (told, proof)
    if used:
        return f"{'Rewriting with' if command == 'rewrite' else 'From'} {listed(used)}."
    if found := COUNTS.search(proof):
        return f"Arithmetic: {COUNTED[found[0]]}"
    if ENTRIES.search(proof):
        return "Entry by entry."
    if command == "rewrite":
        if defined := UNFOLDS.search(proof):
            return f"By the definition of {listed(defined.groups())}."
        rules = re.split(r"[\s,!?/{}()\[\]]+", " ".join(RULES.findall(proof)))
        names = [name.rstrip(".") for name in rules if NAMES.match(name) and len(name) > 2]
        return counted(names) if all(map(ARITHMETIC.match, names)) else "Rewriting, by rules of the library."
    if command == "case" or (command == "have" and CASES.search(sentence)):
        return cases(sentence)
    if command == "have":
        return "From the library."
    return SAYS.get(command, "At once, from what is known.")


def counted(names: list[str]) -> str:
    """What the rules of arithmetic say that a line rewrites with."""
    if "ltxx" in names:
        return "Arithmetic: no number is smaller than itself."
    if names and all(map(POSITIVE.fullmatch, names)):
        return "Arithmetic: what is made of positive numbers by +, · and / is positive."
    if names and all(map(NOT_NEGATIVE.fullmatch, names)):
        return "Arithmetic: the signs of the parts tell that of the whole."
    larger = "which side is larger is read off their parts." if any(map(COMPARES.match, names)) else ""
    return f"Arithmetic: {larger or 'worked out, both sides are the same.'}"


def cases(sentence: str) -> str:
    """Which cases a line tells apart; a pattern without a bar tells none apart."""
    if found := SIDES.search(sentence):
        asked, *sides = found.groups()
        one, other = (term_html(side or "") for side in (reversed(sides) if asked[:2] == "le" else sides))
        way = WAYS.get(asked, "{0} &lt; {1} or {1} ≤ {0}").format(one, other)
        return f"Either {way}: each case for itself."
    if "ifP" in sentence:
        return "Either the condition of the <code>if</code> holds or not: each case for itself."
    if "orP" in sentence:
        return "One of several things holds: each case for itself."
    if sentence.count("|") > 2:
        return "Only a few numbers come into question: each is tried."
    return "It is empty, or it has a first part: each for itself." if "|" in sentence else "Its parts get names."


def listed(names: Iterable[str]) -> str:
    """A, B and C, of which three at most are named."""
    shown = [f"<code>{escape(name, quote=False)}</code>" for name in names]
    if len(shown) > 3:
        return f"{', '.join(shown[:3])} and more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)
