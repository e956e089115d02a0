"""The machine-checked proofs compile, have no gaps, and lean on the axioms that their table names."""

import importlib.util
import json
import os
import re
import shutil
import sys
import threading
from pathlib import Path

import pytest

from uatbook import machine_checked, statements
from uatbook.sources import SOURCES

NO_ROCQ = "no Rocq here"
PROOFS = Path(__file__).resolve().parents[1] / "proofs"
for name in ("check", "record"):  # the second imports the first
    spec = importlib.util.spec_from_file_location(name, PROOFS / f"{name}.py")
    sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])
check, record = sys.modules["check"], sys.modules["record"]
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


@pytest.mark.parametrize("file", record.files())
def test_what_is_recorded_is_of_the_file_as_it_is(file):
    """`python proofs/record.py` records what has changed."""
    assert record.is_recorded(file)


def test_a_record_of_another_text_is_seen(tmp_path, monkeypatch):
    monkeypatch.setattr(check, "HERE", tmp_path)
    (tmp_path / "a.v").write_text("Lemma a : True. Proof. by []. Qed.\n")
    assert not record.is_recorded("a.v")
    (tmp_path / "a.json").write_text(json.dumps({"sha256": check.digest("a.v")}))
    assert record.is_recorded("a.v")
    (tmp_path / "a.v").write_text("Lemma a : True. Proof. by  []. Qed.\n")
    assert not record.is_recorded("a.v")


@pytest.mark.parametrize(
    ("file", "name", "hidden"),
    [
        ("yun2020/lemma_9.v", "lemma_9", "N_gt1 : (1 < N)%N"),
        ("yun2020/one_dimension.v", "one_dimension", "n_gt1 : (1 < n)%N"),
        ("yun2020/sec_h_bproj.v", "bilinear_contextual", "N, d, n : nat"),
        ("liu2025/coarse_grids.v", "coarse_grids_fail", "P_gt0 : (0 < P)%N"),
    ],
)
def test_what_a_theorem_hangs_on_through_a_definition_alone_is_given_too(file, name, hidden):
    (given,) = [one["given"] for one in json.loads(text(file.replace(".v", ".json")))["proofs"] if one["name"] == name]
    assert hidden in given


def test_a_title_in_a_file_says_nothing_of_the_lemma_below_it():
    assert record.comments("(** ** Ids *)") == []
    assert record.comments("(** ** Ids *)\n(** They are [u X]. *)") == ["They are [u X]."]


def test_sentences_end_at_full_stops_and_nowhere_else():
    told = '(* One. Two. *) rewrite a.1 (n.+1). by f; [exact: g.. | h]. (** (* in *) *)\n- Notation "a. b" := c. Qed.'
    assert list(check.sentences(told)) == [
        ("(* One. Two. *) ", "rewrite a.1 (n.+1)."),
        (" ", "by f; [exact: g.. | h]."),
        (" (** (* in *) *)\n", '- Notation "a. b" := c.'),
        (" ", "Qed."),
    ]


def test_what_rocq_says_is_read_as_what_is_known_and_what_is_to_be_shown():
    said = (
        "2 goals\n  \n  n, m : nat\n  k := n + m : nat\n  n_m : n\n        <= m\n"
        "  ============================\n  n = m\n\ngoal 2 is:\n m = n\n"
    )
    known = {"n": " : nat", "m": " : nat", "k": " := n + m : nat", "n_m": " : n <= m"}
    assert record.goal(said) == record.Goal(known, "n = m", 2)
    assert record.goal("No more goals.") is None
    assert record.grouped(known) == ["n, m : nat", "k := n + m : nat", "n_m : n <= m"]


@pytest.fixture
def rocq():
    if shutil.which("coqc") is None:
        pytest.skip(NO_ROCQ)


def test_all_compile_lean_on_the_axioms_of_their_rows_and_pass_the_separate_checker(rocq):
    check.compile_all(2)
    assert check.assumptions(TABLE) == check.AXIOMS
    check.checked()


SAMPLE = {min((f for f in record.files() if f.startswith(key)), key=lambda f: len(text(f))) for key in SOURCES}
"""The shortest file of each source: four of them take ten seconds, all of them three to seven minutes."""


@pytest.mark.parametrize(
    "file", [pytest.param(file, marks=() if file in SAMPLE else pytest.mark.full) for file in record.files()]
)
def test_what_is_recorded_is_what_rocq_says(rocq, file):
    check.compile_all(2)
    assert json.loads(record.record_of(file).read_text(encoding="utf-8")) == record.recorded(file)


def test_a_proof_that_fails_and_an_axiom_are_told(rocq, tmp_path, monkeypatch):
    place = tmp_path / "proofs" / "wrong.v"
    place.parent.mkdir()
    monkeypatch.setattr(check, "HERE", place.parent)
    monkeypatch.setattr(check, "BUILT", tmp_path / "built")
    monkeypatch.setattr(check, "CACHE", None)
    place.write_text("Lemma wrong : 1 = 2. Proof. reflexivity. Qed.\n")
    with pytest.raises(ValueError, match=r"wrong\.v does not compile"):
        check.compile_all(1)
    place.write_text("Axiom a : 1 = 2.\nLemma wrong : 1 = 2. Proof. exact a. Qed.\n")
    check.compile_all(1)
    row = TABLE[0]._replace(file="wrong.v", name="wrong", axioms="none")
    assert check.assumptions([row]) == {"none": {"a"}}


@pytest.fixture
def two(rocq, tmp_path, monkeypatch):
    """Two small files, the second of which needs the first, and a way to compile them in a new clone."""
    here = tmp_path / "proofs"
    here.mkdir()
    (here / "a.v").write_text("Lemma a : 1 = 1. Proof. reflexivity. Qed.\n")
    (here / "b.v").write_text("From UAT Require Import a.\nLemma b : 1 = 1. Proof. exact a. Qed.\n")
    monkeypatch.setattr(check, "HERE", here)
    monkeypatch.setattr(check, "CACHE", tmp_path / "kept")

    def compile_in(clone):
        monkeypatch.setattr(check, "BUILT", tmp_path / clone)
        seconds = check.compile_all(1)
        check.checked()
        return {file for file, took in seconds.items() if took > 0}

    return compile_in


def test_what_was_compiled_is_taken_in_another_clone_until_it_or_what_it_needs_changes(two):
    assert two("one") == {"a.v", "b.v"}
    assert two("two") == set()
    assert (check.BUILT / "b.glob").exists()
    (check.HERE / "b.v").write_text("From UAT Require Import a.\nLemma c : 1 = 1. Proof. exact a. Qed.\n")
    assert two("two") == {"b.v"}
    (check.HERE / "a.v").write_text("Lemma a : 1 = 1. Proof. exact (eq_sym eq_refl). Qed.\n")
    assert two("three") == {"a.v", "b.v"}


@pytest.mark.parametrize(
    "damage",
    [
        lambda kept: [path.write_bytes(path.read_bytes()[:-1]) for path in kept],
        lambda kept: [path.write_bytes(b"") for path in kept],
        lambda kept: [
            path.write_bytes(other) for path, other in zip(kept, [p.read_bytes() for p in kept[::-1]], strict=True)
        ],
        lambda kept: kept[0].parent.chmod(0o777),
    ],
    ids=["cut off", "empty", "another file's", "of anybody"],
)
def test_what_is_damaged_or_of_somebody_else_is_compiled_again(two, damage):
    two("one")
    damage(sorted(check.CACHE.iterdir()))
    assert two("two") == {"a.v", "b.v"}


def test_without_a_place_to_keep_things_or_when_told_not_to_all_is_compiled(two, tmp_path, monkeypatch):
    (tmp_path / "kept").write_text("no folder")
    assert two("one") == {"a.v", "b.v"}
    monkeypatch.setattr(check, "CACHE", None)
    assert two("two") == {"a.v", "b.v"}


def test_what_nobody_asked_for_in_a_month_goes(two):
    two("one")
    old = check.CACHE / "old"
    old.touch()
    os.utime(old, (0, 0))
    two("two")
    assert (old.exists(), len([*check.CACHE.iterdir()])) == (False, 2)
