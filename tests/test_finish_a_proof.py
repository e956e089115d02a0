"""The page "Finish a proof": its lines are those of the proofs, Rocq agrees with its answers, and holes are judged."""

import importlib.util
import json
import re
import shutil
import sys
from pathlib import Path

import pytest

from uatbook.exercises import get
from uatbook.exercises.exercise import EXERCISES

NO_ROCQ = "no Rocq here"
PROOFS = Path(__file__).resolve().parents[1] / "proofs"
sys.path.insert(0, str(PROOFS))
spec = importlib.util.spec_from_file_location("finish", PROOFS / "finish.py")
finish = importlib.util.module_from_spec(spec)
spec.loader.exec_module(finish)
sys.path.remove(str(PROOFS))
check, lines = finish.check, finish.lines
RECORD = json.loads(lines.RECORD.read_text(encoding="utf-8"))
LINES = {one["label"]: one for one in lines.asked("line")}
HOLES = finish.holes()


@pytest.mark.parametrize("label", LINES)
def test_what_the_page_shows_is_what_the_files_say(label):
    """If not: python proofs/lines.py records it anew, and asks Rocq."""
    assert RECORD[label].items() >= lines.taken(LINES[label]).items()


def test_words_of_the_printed_lemma_that_are_too_weak_are_those_that_the_repaired_one_lacks():
    def bare(option):
        return option.removeprefix("``").removesuffix("``").strip()

    options = [*map(bare, get("ex-finish-two-orders").hands_in[0].options)]
    printed = lines.line((PROOFS / "kajitsuka2024/lemma_1_as_printed.v").read_text(encoding="utf-8"))
    repaired = lines.line(lines.parts("kajitsuka2024/lemma_1.v", "lemma_1_repaired")[1])
    assert all(option in printed for option in options)
    right = bare(get("ex-finish-two-orders").reference())
    assert [option for option in options if option not in repaired] == [right]


def test_each_right_answer_is_told_why():
    labels = [label for label in EXERCISES if label.startswith("ex-finish")]
    assert len(labels) == 10
    assert [label for label in labels if not get(label).why] == []


def test_a_file_with_a_hole_is_the_book_s_up_to_the_theorem_without_its_proof():
    for name, one in HOLES.items():
        text, (before, statement, proof) = finish.written(one), lines.parts(one["file"], name)
        assert before + statement in text
        assert lines.sentences(proof)[-1].said not in text.partition(statement)[2]
        assert max(map(len, text.splitlines())) <= 120


def test_an_exercise_is_no_proof_of_the_book(tmp_path, monkeypatch):
    monkeypatch.setattr(check, "HERE", tmp_path)
    for name in ("exercises/shiftE.v", "liu2025/tails.v"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).touch()
    assert check.sources() == ["liu2025/tails.v"]


@pytest.fixture(scope="module")
def rocq():
    if shutil.which("coqc") is None:
        pytest.skip(NO_ROCQ)
    check.compile_all(2, [one["file"] for one in [*LINES.values(), *HOLES.values()]])


def test_rocq_takes_what_is_right_and_refuses_what_is_wrong(rocq):
    assert lines.record() == RECORD


def test_a_wrong_line_that_closes_the_goal_and_a_right_one_that_does_not_are_told(rocq):
    one = LINES["ex-finish-landing"]
    for other in ({"wrong": [["nia", "nia "]]}, {"at": "by move=> c_here", "wrong": [["by", "by "]]}):
        with pytest.raises(ValueError, match=r"has indeed|not fail|succeeded"):
            lines.asked_of_rocq(one | other)
    with pytest.raises(ValueError, match="ex-finish-far"):
        lines.asked_of_rocq(LINES["ex-finish-far"] | {"clears": ["sj_behind"]})
    with pytest.raises(ValueError, match="not without"):
        lines.asked_of_rocq(LINES["ex-finish-saw"] | {"without": "h_gt0"})


def test_the_excluded_middle_is_a_theorem_that_leans_on_the_three_axioms(rocq):
    said = asked_assumptions("From mathcomp.classical Require boolp.", "boolp.EM")
    assert check.leant_on(said) == check.AXIOMS["classical"]
    named = {f"``{name}``" for name in check.AXIOMS["classical"]}
    assert {*get("ex-finish-middle").hands_in[0].options} - named == {get("ex-finish-middle").reference()}


def asked_assumptions(required, name):
    (check.BUILT / "asked_axioms.v").write_text(f"{required}\nPrint Assumptions {name}.\n", encoding="utf-8")
    return check.coq("coqc", "-q", "-w", "none", "asked_axioms.v").stdout


def solved(name, proof=None):
    """Its file with a proof in the hole: the book's own, if none is given."""
    proof = lines.parts(HOLES[name]["file"], name)[2] + "Qed." if proof is None else proof
    head, _, tail = finish.written(HOLES[name]).rpartition("Proof.")
    return f"{head}Proof. {proof}{tail.partition('Admitted.')[2]}"


def judged(name, text, folder):
    (folder / f"{name}.v").write_text(text, encoding="utf-8")
    finish.judge(folder / f"{name}.v")


@pytest.mark.parametrize("name", HOLES)
def test_the_book_s_proof_fills_the_hole_and_the_hole_alone_is_refused(rocq, tmp_path, name):
    judged(name, solved(name), tmp_path)
    with pytest.raises(ValueError, match=rf"not proved yet. Left to prove:\n +{name}\.{name} "):
        judged(name, finish.written(HOLES[name]), tmp_path)


NEG = "Lemma heard_neg z q : q < 0 -> heard z q = smallest z.\nProof."
SHIFT = "Lemma softmax_shift s c j : softmax (fun i => s i + c) j = softmax s j."
CHEATS = {
    "too early": ("", "move=> q_lt0. Qed.", r"incomplete proof(?s:.*)q_lt0 : q < 0"),
    "given up": ("", "Abort.", "expected a theorem heard_neg, got none"),
    "an axiom": ("Axiom cheat : forall P : Prop, P.\n", "exact: cheat. Qed.", r"Left to prove:\n  heard_neg.cheat :"),
    "a parameter of a module": (
        "Module Type S. Parameter x : forall P : Prop, P. End S.\nDeclare Module M : S.\n",
        "exact: M.x. Qed.",
        r"Left to prove:\n .*M\.x :",
    ),
    "no guard": (
        "Unset Guard Checking.\nFixpoint bad (n : nat) (P : Prop) {struct n} : P := bad n P.\nSet Guard Checking.\n",
        "exact: (bad 0%N). Qed.",
        "bad is assumed to be guarded",
    ),
    "no positivity": (
        "Unset Positivity Checking.\nInductive D := N of (D -> False).\nSet Positivity Checking.\n"
        "Definition no (x : D) : False := let: N f := x in f x.\n",
        "by case: (no (N no)). Qed.",
        "D is assumed to be positive",
    ),
    "the book's": ("From UAT Require yun2020.sweep.\n", "exact: sweep.heard_neg. Qed.", "Cannot find a physical path"),
}


@pytest.mark.parametrize("cheat", CHEATS)
def test_a_gap_an_axiom_and_an_unchecked_step_are_refused(rocq, tmp_path, cheat):
    above, proof, says = CHEATS[cheat]
    text = solved("heard_neg", proof).replace("Section Layers.", f"{above}Section Layers.")
    with pytest.raises(ValueError, match=says):
        judged("heard_neg", text, tmp_path)


TRICKS = {
    "another statement": solved("heard_neg").replace("heard z q = smallest z", "heard z q = heard z q"),
    "another meaning of a name": solved("heard_neg", "by []. Qed.").replace(
        NEG.partition("\n")[0],
        "Let heard (z : J -> int) (q : int) : int := smallest z.\n" + NEG.partition("\n")[0],
    ),
    "another meaning of a sign": solved("heard_neg", "by case. Qed.").replace(
        NEG.partition("\n")[0], 'Local Notation "x < y" := (x = y :> int /\\ False).\n' + NEG.partition("\n")[0]
    ),
    "an argument more": solved("heard_neg", "by []. Qed.").replace(
        NEG.partition("\n")[0], "Lemma heard_neg z q (cheat : False) : q < 0 -> heard z q = smallest z."
    ),
}


@pytest.mark.parametrize("trick", TRICKS)
def test_a_changed_statement_is_refused(rocq, tmp_path, trick):
    text = TRICKS[trick]
    assert re.sub(r"\s", "", text) != re.sub(r"\s", "", solved("heard_neg"))
    with pytest.raises(ValueError, match=r"expected the theorem as|does not compile"):
        judged("heard_neg", text, tmp_path)


def test_an_axiom_that_bears_the_name_of_one_that_is_allowed_is_refused(rocq, tmp_path):
    above = "Module boolp. Axiom propositional_extensionality : forall P : Prop, P. End boolp.\n"
    text = solved("softmax_shift", "exact: boolp.propositional_extensionality. Qed.")
    with pytest.raises(ValueError, match=r"Left to prove:\n .*propositional_extensionality : forall P : Prop, P"):
        judged("softmax_shift", text.replace("Section Softmax.", f"{above}Section Softmax."), tmp_path)


def test_a_file_of_another_name_is_told_which_there_are(tmp_path):
    with pytest.raises(ValueError, match="one of heard_neg, softmax_shift, shiftE"):
        finish.judge(tmp_path / "mine.v")
