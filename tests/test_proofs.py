"""The machine-checked proofs compile, have no gaps, and lean on the axioms that their table names."""

import importlib.util
import re
import shutil
from pathlib import Path

import pytest

from uatbook import machine_checked, statements

PROOFS = Path(__file__).resolve().parents[1] / "proofs"
NO_ROCQ = "no Rocq here"
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
    assert max(map(len, text(file).splitlines())) <= 120


@pytest.mark.parametrize("words", ["Admitted.", "admit.", "Axiom a : False.", "Parameters (a b : nat).", "give_up"])
def test_a_gap_is_seen_but_not_the_word_in_a_comment(words):
    assert check.gaps(f"Lemma a : True. (* no {words} *)\n{words}") != []
    assert check.gaps(f"Lemma a : True. (* no {words} *)") == []


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row.statement} {row.name}")
def test_a_row_names_a_statement_of_the_book_and_a_theorem(row):
    assert row.statement in {one.id for one in statements.all()}
    assert row.state in machine_checked.STATES
    assert row.axioms in machine_checked.AXIOMS
    assert re.search(rf"^(Theorem|Lemma|Corollary) {row.name}\b", text(row.file), re.MULTILINE)


@pytest.fixture(scope="module")
def compiled():
    if shutil.which("coqc") is None:
        pytest.skip(NO_ROCQ)
    check.compile_all(2)


def test_each_theorem_leans_on_the_axioms_of_its_row(compiled):
    found = dict(zip((row.name for row in TABLE), check.assumptions(TABLE), strict=True))
    assert found == {row.name: check.AXIOMS[row.axioms] for row in TABLE}


def test_the_separate_checker_accepts_all(compiled):
    check.checked()


def test_a_proof_that_fails_a_gap_and_an_axiom_are_told(compiled, tmp_path, monkeypatch):
    monkeypatch.setattr(check, "HERE", tmp_path)
    monkeypatch.setattr(check, "BUILT", tmp_path / "built")
    (tmp_path / "wrong.v").write_text("Lemma wrong : 1 = 2. Proof. reflexivity. Qed.\n")
    with pytest.raises(ValueError, match=r"wrong\.v does not compile"):
        check.compile_all(1)
    (tmp_path / "wrong.v").write_text("Axiom a : 1 = 2.\nLemma wrong : 1 = 2. Proof. exact a. Qed.\n")
    check.compile_all(1)
    row = TABLE[0]._replace(file="wrong.v", name="wrong")
    assert check.assumptions([row]) == [{"a"}]
