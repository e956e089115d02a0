"""Why a line is one that calls no lemma of ours: it counts, rewrites, goes by cases, or names things."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from html import escape

NAMES = re.compile(r"[A-Za-z_][\w']*")
ENTRIES = re.compile(r"\b(?:matrix|col|row|ffun)P\b")
COUNTS = re.compile(r"\b(?:lra|nra|lia|nia|ring|field)\b")
UNFOLDS = re.compile(r"rewrite(?:[^;.=]|\.\w)*?(?<![/\w])/([a-z]\w+[\da-z])\b")
ARITHMETIC = re.compile(
    r"-?\(?(?:add|sub|mul|opp|div|inv|norm|exp|ln_|sqr|natr|ler?|ltr?|ger?|gtr?|leq|ltn|subn|signr|scal|eq|pmul|prod|"
    r"min|max|double|half|oner|zero|dist|real|telescope|opprB|psumr|unitr|intr|muln|addn|ring|pnatr|divff|gt_eqF|lt0r|"
    r"paddr|posnum|splitr|mid|nneg)\w*"
)
RULES = re.compile(r"\brewrite\b([^;]*?)(?=;|=>|$)", re.DOTALL)
CLAIM = re.compile(r"[-+* ]*have\b(?!.*:=)", re.DOTALL)
CASES = re.compile(r"have \[[^\[\]]*\|.*:=")
COMMAND = re.compile(
    r"(?:^|[;\[|]|\bby\b|\bfirst\b|\blast\b)\s*[-+*]*\s*(?:do\s+\S+\s+)?"
    r"(rewrite|exact|apply|split|exists|pose|set|case|elim|have|suff|wlog|move|left|right|congr|under)\b"
)
SAYS = {
    "split": "Each part for itself.", "exists": "The one named here will do.", "pose": "A name for what comes often.",
    "set": "A name for what comes often.", "case": "Case by case.", "elim": "By induction.",
    "move": "What is given gets a name.", "left": "The first of the two holds.", "right": "The second holds.",
    "congr": "What is the same on both sides goes.", "under": "Rewriting, under a sum or a quantifier.",
    "suff": "This is enough; what it leaves comes next.", "wlog": "Without loss of generality.",
    "exact": "It is what is known.", "apply": "By a rule of the library.",
}  # fmt: skip


def plain(sentence: str, facts: Set[str], more: bool) -> str:
    """The reason in English; `more`: whether the line has left more to show, as a claim does."""
    used = [name for name in dict.fromkeys(NAMES.findall(sentence)) if name in facts and name not in SAYS]
    proof = re.split(r"\bby\b", sentence)[-1]
    commands = COMMAND.findall(proof) or COMMAND.findall(sentence) or [""]
    command = "rewrite" if commands[0] in ("move", "apply") and "rewrite" in commands else commands[0]
    if more and CLAIM.match(sentence):
        return "First a claim, shown for itself."
    if used:
        return f"{'Rewriting with' if command == 'rewrite' else 'From'} {listed(used)}."
    if COUNTS.search(proof):
        return "Arithmetic."
    if ENTRIES.search(proof):
        return "Entry by entry."
    if command == "rewrite":
        if defined := UNFOLDS.search(proof):
            return f"By the definition of {listed(defined.groups())}."
        rules = re.split(r"[\s,!?/{}()\[\]]+", " ".join(RULES.findall(proof)))
        names = [name for name in rules if NAMES.match(name)]
        arithmetic = all(ARITHMETIC.match(name) for name in names if len(name) > 2)
        return "Arithmetic." if arithmetic else "Rewriting, by rules of the library."
    if command == "have":
        return "Case by case." if CASES.search(sentence) else "From the library."
    return SAYS.get(command, "At once, from what is known.")


def listed(names: Iterable[str]) -> str:
    """A, B and C, of which three at most are named."""
    shown = [f"<code>{escape(name, quote=False)}</code>" for name in names]
    if len(shown) > 3:
        return f"{', '.join(shown[:3])} and more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)
