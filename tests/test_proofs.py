"""The machine-checked proofs compile, have no gaps, and lean on the axioms that their table names."""

import importlib.util
import re
import shutil
import threading
from pathlib import Path

import pytest

from uatbook import machine_checked, statements

NO_ROCQ = "no Rocq here"
PROOFS = Path(__file__).resolve().parents[1] / "proofs"
spec = importlib.util.spec_from_file_location("check", PROOFS / "check.py")
check = importlib.util.module_from_spec(spec)
spec.loader.exec_module(check)
TABLE = machine_checked.theorems()


def text(file: str) -> str:
    return (PROOFS / file).read_text(encoding="utf-8")


@pytest.mark.parametrize("file", check.sources())
def test_a_file_has_no_gap_says_what_it_proves_and_can_be_read_at_one_sitting(file):
    assert check.gaps(text(file)) == []
    assert text(file).startswith("(** * ")
    lines = text(file).splitlines()
    assert (len(lines) <= 250, max(map(len, lines)) <= 120) == (True, True)


@pytest.mark.parametrize(
    "words",
    [
        "Admitted.",
        "admit.",
        "Axiom a : False.",
        "Local Parameters (a b : nat).",
        "#[local] Axiom a : 1 = 2.",
        "give_up",
    ],
)
def test_a_gap_is_seen_but_not_the_word_in_a_comment_or_a_name(words):
    assert check.gaps(f"Lemma a : True. (* no {words} *)\n{words}") != []
    assert check.gaps(f"Lemma a : True. {words}") != []
    assert check.gaps(f"Section Parameters. Lemma a : True. (* no {words} *)") == []


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row.statement} {row.name}")
def test_a_row_names_a_statement_of_the_book_and_a_theorem(row):
    assert row.statement in {one.id for one in statements.all()}
    assert row.state in machine_checked.STATES
    # A result that holds is not refuted because a step of its printed proof is, and what has no erratum is not at all.
    concerns = statements.get(row.statement).concerns
    assert ("refuted" in row.state) <= (concerns is not None)
    assert (row.state == "step refuted") >= ("refuted" in row.state and concerns == "proof")
    assert row.axioms in machine_checked.AXIOMS
    assert re.search(rf"^(Theorem|Lemma|Corollary) {row.name}\b", text(row.file), re.MULTILINE)


def test_two_that_compile_wait_for_each_other(tmp_path, monkeypatch):
    monkeypatch.setattr(check, "BUILT", tmp_path)
    order = []

    def second():
        with check.alone():
            order.append("second")

    with check.alone():
        other = threading.Thread(target=second)
        other.start()
        other.join(0.2)
        order.append("first")
    other.join()
    assert order == ["first", "second"]


@pytest.fixture
def rocq():
    if shutil.which("coqc") is None:
        pytest.skip(NO_ROCQ)


def test_all_compile_lean_on_the_axioms_of_their_rows_and_pass_the_separate_checker(rocq):
    check.compile_all(2)
    assert check.assumptions(TABLE) == check.AXIOMS
    check.checked()


def test_a_proof_that_fails_and_an_axiom_are_told(rocq, tmp_path, monkeypatch):
    place = tmp_path / "proofs" / "wrong.v"
    place.parent.mkdir()
    monkeypatch.setattr(check, "HERE", place.parent)
    monkeypatch.setattr(check, "BUILT", tmp_path / "built")
    place.write_text("Lemma wrong : 1 = 2. Proof. reflexivity. Qed.\n")
    with pytest.raises(ValueError, match=r"wrong\.v does not compile"):
        check.compile_all(1)
    place.write_text("Axiom a : 1 = 2.\nLemma wrong : 1 = 2. Proof. exact a. Qed.\n")
    check.compile_all(1)
    row = TABLE[0]._replace(file="wrong.v", name="wrong", axioms="none")
    assert check.assumptions([row]) == {"none": {"a"}}
