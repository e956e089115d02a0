"""What the page "Finish a proof" shows of the proofs here, and what Rocq says of each answer to its exercises.

    python proofs/lines.py      # writes uatbook/data/finish-a-proof.json anew; needs Rocq, and compiled proofs

What is asked stands in exercises.toml. A record has what is taken from the file (statement, proof so far, sentences)
and what Rocq says (the goal, and which orders go through). Nothing is recorded unless Rocq refuses each answer that is
wrong, and takes each that is right. `taken` needs no Rocq, and a test compares it with the record.
"""

from __future__ import annotations

import itertools
import json
import re
import tomllib
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import check

ASKED = check.HERE / "exercises.toml"
RECORD = check.TABLE.parent / "data" / "finish-a-proof.json"
STATEMENT = r"^(?:Theorem|Lemma|Corollary) {}\b.*?\.$(?=\s+Proof\b)"
BULLET = re.compile(r"[-+*]+\s+")


def asked(kind: str) -> list[dict[str, Any]]:
    """The exercises: "line" or "hole"."""
    return tomllib.loads(ASKED.read_text(encoding="utf-8"))[kind]


def parts(file: str, theorem: str) -> tuple[str, str, str]:
    """Of a file what stands before a theorem, the statement, and what stands between Proof. and Qed."""
    text = (check.HERE / file).read_text(encoding="utf-8")
    found = re.search(STATEMENT.format(theorem), text, re.MULTILINE | re.DOTALL)
    if not found:
        raise ValueError(f"{file}: expected a theorem {theorem} with Proof, got none.")
    proof = text[found.end() :].lstrip().removeprefix("Proof.").split("Qed.", 1)[0]
    return text[: found.start()], found[0], proof


def vernacular(file: str, begins: str) -> str:
    """The sentence of a file that begins so, a definition or a statement."""
    text = check.COMMENT.sub("", (check.HERE / file).read_text(encoding="utf-8"))
    found = re.findall(rf"^{re.escape(begins)}\b.*?\.(?=\s)", text, re.MULTILINE | re.DOTALL)
    if len(found) != 1:
        raise ValueError(f"{file}: expected one sentence that begins with {begins}, got {len(found)}")
    return found[0]


def closed(text: str) -> str:
    """The same, with the sections closed that are open at its end."""
    here: list[str] = []
    for begins, name in re.findall(r"^(Section|End) (\w+)\.", check.COMMENT.sub("", text), re.MULTILINE):
        here = [*here, name] if begins == "Section" else here[:-1]
    return text + "".join(f"\nEnd {name}." for name in reversed(here)) + "\n"


class Sentence(NamedTuple):
    """Where it begins, and what it says, in one line, without its bullet and comments."""

    start: int
    said: str


def sentences(proof: str) -> list[Sentence]:
    """Of a proof."""
    found, at = [], 0
    for gap, text in check.sentences(proof):
        bare = BULLET.sub("", text, count=1) if BULLET.match(text) else text
        at += len(gap) + len(text)
        found.append(Sentence(at - len(bare), line(check.COMMENT.sub("", bare))))
    return found


def line(text: str) -> str:
    """The same in one line."""
    return " ".join(text.split())


def place(found: list[Sentence], begins: str) -> int:
    """Which sentence begins so; one alone."""
    places = [k for k, one in enumerate(found) if one.said.startswith(begins)]
    if len(places) != 1:
        raise ValueError(f"expected one sentence that begins with {begins}, got {len(places)}")
    return places[0]


def steps(one: dict[str, Any], found: list[Sentence]) -> list[str]:
    """The steps to be put in order, each up to the next; what ends a `have` stands in the same step."""
    places = [place(found, begins) for begins in one["steps"]] + [len(found)]
    said = [[each.said for each in found[a:b]] for a, b in itertools.pairwise(places)]
    return ["; first ".join(each.removesuffix(".") for each in group) for group in said]


def taken(one: dict[str, Any]) -> dict[str, Any]:
    """What the file has of an exercise: `options` has what is right first, of steps all in the order of the file."""
    _, statement, proof = parts(one["file"], one["theorem"])
    made: dict[str, Any] = {"file": one["file"], "theorem": one["theorem"], "statement": statement}
    made["shows"] = [vernacular(one["file"], begins) for begins in one.get("shows", ())]
    if "at" not in one:
        return made
    found = sentences(proof)
    here = place(found, one["at"])
    made["before"] = "Proof." + proof[: found[here].start].rstrip()
    asked_line = found[here].said
    if "steps" in one:
        return made | {"options": steps(one, found)}
    if "wrong" in one:
        wrong = [line(asked_line.replace(old, new)).replace(" .", ".") for old, new in one["wrong"]]
        return made | {"options": [asked_line, *wrong]}
    if "used" in one:
        return made | {"line": asked_line, "options": [one["used"], *one["clears"]]}
    others = [found[place(found, begins)].said for begins in one["others"]]
    return made | {"options": [asked_line, *others]}


def questions(one: dict[str, Any]) -> dict[str, str]:
    """By name, files that must compile; those whose name begins with "not" must not."""
    before, statement, proof = parts(one["file"], one["theorem"])
    text = f"{before}{statement}\nProof."
    whole = f"{text}{proof}Qed.\n"
    if "settles" in one:
        return {"settled": closed(whole + "\n".join(one["settles"]))}
    if "at" not in one:
        return {}
    found, known = sentences(proof), taken(one)
    here = place(found, one["at"])
    head = text + proof[: found[here].start]
    bare = [option.removesuffix(".") for option in known["options"]]
    if "without" in one:
        cut = {}
        for begins in [one["at"], *one["others"]]:
            at = found[place(found, begins)].start
            name = "not without" if begins == one["at"] else f"without, from {begins}"
            cut[name] = closed(f"{text}{proof[:at]} clear {one['without']}. {proof[at:]}Qed.\n")
        return cut | {"goal": closed(f"{head}\nShow.\n{proof[found[here].start :]}Qed.\n")}
    if "steps" in one:
        tried = [
            f"tryif (assert_succeeds (solve [{'; '.join(f'({bare[k]})' for k in order)}])) "
            f'then idtac "order {" ".join(str(k) for k in order)}" else idtac.'
            for order in itertools.permutations(range(len(bare)))
        ]
    elif "wrong" in one:
        tried = [f"Fail solve [{wrong}]." for wrong in bare[1:]]
    else:
        sentence = known["line"].removesuffix(".")
        tried = [f"Fail solve [clear {one['used']}; {sentence}]."]
        tried += [f"assert_succeeds (solve [clear {name}; {sentence}])." for name in one["clears"]]
    rest = proof[found[here].start :]
    return {"goal": closed("\n".join([head, "Show.", *tried, rest, "Qed.\n"]))}


def asked_of_rocq(one: dict[str, Any], number: int = 0) -> dict[str, Any]:
    """The record of an exercise. ValueError where Rocq does not take what is said to be right, or takes a wrong one."""
    known = taken(one)
    for k, (name, text) in enumerate(questions(one).items()):
        file = check.BUILT / f"asked_{number}_{k}.v"
        file.write_text(text, encoding="utf-8")
        done = check.coq("coqc", "-q", "-w", "none", file.name, limit=check.LIMIT)
        if bool(done.returncode) != name.startswith("not "):
            raise ValueError(f"{one['label']}, {name}: Rocq says\n{done.stdout[-2000:]}{done.stderr}")
        if name == "goal":
            goal = done.stdout[done.stdout.index("goal") :].split("\n", 2)[2]
            above, _, below = goal.partition("============================\n")
            known["goal"] = line(re.split(r"\n(?=\S)|\n\s*\n", below, maxsplit=1)[0])
            shown = [line(each) for each in re.split(r"\n  (?=\S)", f"\n{above.rstrip()}")[1:]]
            known["hypotheses"] = [each for each in shown if each.partition(" :")[0] not in one.get("hides", ())]
        if "steps" in one:
            known["orders"] = [[*map(int, order.split())] for order in re.findall("order ([0-9 ]+)", done.stdout)]
    return known


def record() -> dict[str, Any]:
    """All of them, by label."""
    lines = asked("line")
    with ThreadPoolExecutor(2) as pool:
        found = pool.map(asked_of_rocq, lines, range(len(lines)))
        return {one["label"]: known for one, known in zip(lines, found, strict=True)}


def main() -> None:
    """Ask, and write the record."""
    RECORD.write_text(json.dumps(record(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
