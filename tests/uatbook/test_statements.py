"""Every registered statement holds as repaired, fails as printed where it has an erratum, and fails when damaged."""

import functools
import itertools
import re
from pathlib import Path

import certificates
import numpy as np
import pytest
import torch
from rounds import FULL

from uatbook import headings, machine_checked, overview, registry, statements
from uatbook.fingerprints import Fingerprints
from uatbook.registry import PRINTED, Statement
from uatlib.certificate import Certificate, Check

ALL = statements.all()
WITH_ERRATUM = [s for s in ALL if s.erratum]


def parameters(id, case):
    """Those of a case by its number; 0 are the defaults."""
    return ({}, *statements.get(id).cases)[case]


@functools.cache
def verified(id, case=0, variant="repaired"):
    """Each is run once."""
    return statements.get(id).verify(variant=variant, **parameters(id, case))


@functools.cache
def built(id, case):
    """What all damages of a case start from."""
    return statements.get(id).build(**parameters(id, case))


@functools.cache
def damaged(id, case, damage):
    """The certificate; None where the damage has no place at these parameters."""
    statement = statements.get(id)
    parts = statement.damages[damage](built(id, case), np.random.default_rng(case))
    return None if parts is None else statement.certify(parts)


CASES = [(s.id, k) for s in ALL for k in range(1 + len(s.cases)) if FULL or k == 0 or s.id not in certificates.TRAINS]
"""Of what trains all but the first are for the full round."""
DAMAGES = [(s.id, name) for s in ALL for name in s.damages]


def cases(id):
    """The numbers of its cases."""
    return [k for own, k in CASES if own == id]


def test_where_torch_makes_tensors_is_no_matter_to_a_statement():
    """As after `torch.set_default_device`, which here says a device without numbers."""
    with torch.device("meta"):
        assert statements.get("yun2020:lem-8").verify().holds
        assert not statements.get("yun2020:lem-8").perturb().holds
        assert torch.get_default_device() == torch.device("meta")


def test_every_statement_is_complete():
    assert len(ALL) > 36
    for s in ALL:
        assert statements.get(s.id) is s
        assert s.title
        assert s.source
        assert s.chapter


@pytest.mark.parametrize("s", ALL, ids=lambda s: s.id)
def test_what_bears_a_number_is_shown_by_it_as_the_source_has_it(s):
    kinds = headings.KINDS
    said = re.match(rf"(?:{'|'.join(kinds.values())}) (?:[A-Z]\.)?\d+(?:\.\d+)*", s.source)
    numbered = re.fullmatch(rf"[^:]*:(?:{'|'.join(kinds)})-\w+(?:-\d+)*", s.id)
    name = said[0] if numbered else ""
    assert headings.statement_name(s.id) == name
    certificate = headings.StatementCertificate([Check("one", 1, "==", 1)], f"{s.id}, {s.title}")
    line, _, _ = certificate._repr_html_().partition("</summary>")
    assert name in line


def test_a_statement_names_a_chapter_of_the_book():
    chapters = {path.stem for path in (Path(__file__).resolve().parents[2] / "chapters").glob("*.md")}
    assert {s.chapter for s in ALL} <= chapters


@pytest.mark.parametrize(("id", "case"), CASES)
def test_it_holds(id, case):
    certificate = verified(id, case)
    assert certificate.holds, str(certificate)
    assert id in str(certificate)
    assert all(check.cases > 0 or id == "yun2020:lem-8" for check in certificate.checks)


@pytest.mark.parametrize(("id", "variant"), [(s.id, v) for s in ALL for v in certificates.runs(s)])
def test_its_numbers_are_those_of_the_record(id, variant):
    """What differs is to be looked at."""
    certificate = verified(id, 0, variant)
    record = certificates.recorded().get(certificate.title, "not recorded yet")
    assert certificates.text(certificate) == record, "python benchmarks/certificates.py writes the record anew"


def test_the_record_holds_nothing_else():
    titles = [part.partition("\n")[0] for part in certificates.RECORD.read_text(encoding="utf-8").split("\n\n")]
    assert len(titles) == sum(len([*certificates.runs(s)]) for s in ALL)
    assert len({*titles}) == len(titles)


@pytest.mark.parametrize(("id", "damage"), DAMAGES)
def test_damage_is_seen(id, damage):
    """In the case whose turn it is, or the next in which it has a place; in a full round in all.

    The turns begin with case 1, as all damages are tried in case 0 below.
    """
    turn = [*statements.get(id).damages].index(damage) + 1
    order = [cases(id)[(turn + k) % len(cases(id))] for k in range(len(cases(id)))]
    found = (certificate for k in order if (certificate := damaged(id, k, damage)) is not None)
    seen = list(found) if FULL else list(itertools.islice(found, 1))
    assert seen, "it has a place in no case"
    for certificate in seen:
        assert certificate.outcome == "fails", str(certificate)
        assert any(check.witness is not None for check in certificate.failures)


SAME = [
    ("yun2020:lem-10", "shifts of 1 in place of D"),
    *((f"kajitsuka2024:{id}", "hardmax") for id in ("lem-1", "lem-6", "lem-7", "app-c")),
]
"""Where a certificate looks alike: the first shift lifts the least token to the largest, so all ends as without one;
hardmax, and an operator without the smallest entry, fail for the same pair first, which differs in that entry."""


@pytest.mark.parametrize("id", sorted({id for id, _ in DAMAGES}))
def test_damages_differ(id):
    """Each fails in its own way, in some case, at least in its witness or in what is measured."""
    names = [name for own, name in DAMAGES if own == id and (id, name) not in SAME]
    found = dict.fromkeys(names, ())
    for k in cases(id):
        found = {name: (*found[name], str(getattr(damaged(id, k, name), "checks", None))) for name in names}
        if len(set(found.values())) == len(names):
            return
    raise AssertionError(f"{id}: {found}")


@pytest.mark.parametrize("id", sorted({id for id, _ in DAMAGES}))
def test_a_damage_leaves_what_was_built_as_it_was(id):
    parts, prints = built(id, 1), Fingerprints()
    before = prints.of_value(parts)
    for damage in statements.get(id).damages.values():
        damage(parts, np.random.default_rng(1))
        assert prints.of_value(parts) == before


@pytest.mark.parametrize("id", sorted({id for id, _ in DAMAGES}))
def test_its_construction_has_a_place(id):
    file, line = statements.get(id).place.split(":")
    text = (Path(__file__).resolve().parents[2] / file).read_text(encoding="utf-8").splitlines()
    name = statements.get(id).construction.__name__
    assert any(re.search(rf"(def|class) {name}\b", row) for row in text[int(line) - 1 : int(line) + 9])
    assert statements.get(id).place in repr(statements.get(id))


NOT_REPAIRED = [pytest.param(s, v, id=f"{s.id}-{v}") for s in WITH_ERRATUM for v in s.variants if v != "repaired"]


@pytest.mark.parametrize(("statement", "variant"), NOT_REPAIRED)
def test_with_any_change_of_the_repair_left_out_it_fails_with_a_witness(statement, variant):
    """The text at the defaults; a part of a repair there, or in some case."""
    numbers = [0] if variant == "printed" else cases(statement.id)
    failing = (made for k in numbers if (made := verified(statement.id, k, variant)).failures)
    first = next(failing, None)
    assert first is not None
    assert any(check.witness is not None for check in first.failures)


@pytest.mark.parametrize(("statement", "variant"), NOT_REPAIRED)
def test_what_fails_is_named_and_never_a_result_that_holds(statement, variant):
    """The heading of such a run says what was tested; the title, which states the result, is not in it.

    What we take a sentence to say was not printed.
    """
    said = PRINTED[statement.concerns]
    printed = "" if said.startswith("our ") else " as printed"
    what = said + (printed if variant == "printed" else f" with {variant} repaired")
    certificate = verified(statement.id, 0, variant)
    heading, line = str(certificate).splitlines()[0], certificate._repr_html_().partition("</summary>")[0]
    assert said in line
    assert "alone repaired" in line if variant != "printed" else printed in line
    assert f"{statement.id}, {what}" in heading
    assert statement.title not in heading


KINDS = {"kajitsuka2024:thm-1": 3, "kajitsuka2024:thm-2": 3, "kajitsuka2024:cor-1": 2, "kajitsuka2024:cor-2": 4}
KINDS |= {"kajitsuka2024:prop-1": 3, "kajitsuka2024:least-spacing": 4, "kajitsuka2024:exp-5": 2}
KINDS |= {"yun2020:thm-2": 3, "yun2020:thm-3": 4}
"""How many ways of failing tell the kinds of damage apart."""


@pytest.mark.parametrize("id", KINDS)
def test_the_kinds_of_damage_fail_in_different_ways(id):
    made = [damaged(id, 0, name) for name in statements.get(id).damages]
    assert len({tuple(check.name for check in certificate.failures) for certificate in made}) >= KINDS[id]


def test_unknown_statement_names_the_known_ones():
    with pytest.raises(KeyError, match="yun2020:lem-8"):
        statements.get("yun2020:lem-99")


# ------------------------------------------------------------------------------------------------------- the registry


def double(*, x=1):
    """A construction: 2 x."""
    return 2 * x


def certify_double(pair):
    """That the second is twice the first."""
    x, y = pair
    return Certificate([Check("2 x", y, "==", 2 * x, witness=f"x = {x}")], parameters={"x": x})


PARTS = {
    "build": lambda *, x=1: (x, double(x=x)),
    "certify": certify_double,
    "source": "by hand",
    "chapter": "ground",
    "construction": double,
    "cases": [{"x": 3}],
    "damages": {
        "one more": lambda pair, rng: (pair[0], pair[1] + 1),
        "half": lambda pair, rng: (pair[0], pair[1] // 2) if pair[1] else None,
    },
}
ERRATUM = {
    "erratum": "e",
    "concerns": "proof",
    "build": lambda *, x=1, variant="repaired": (x, 2 * x + (variant != "repaired")),
}


def statement(**changes):
    """The statement that double(x) is 2 x, or another."""
    return Statement("test:double", "doubles", **{**PARTS, **changes})


def test_a_statement_is_built_and_certified():
    one = statement()
    assert one.verify(x=5).holds
    assert str(one.verify(x=5)).startswith("test:double, doubles (x = 5): holds")
    assert one.parameters() == {"x": 1}
    assert repr(one).startswith("test:double (by hand): doubles. Built in tests/uatbook/test_statements.py:")


def test_without_erratum_the_text_is_the_result():
    one = statement()
    assert one.variants == ("repaired", "printed")
    assert (
        str(one.verify(variant="printed", x=5))
        == "test:double, doubles (x = 5): holds\n  holds  2 x: 10 == 10  [counted]"
    )


def test_with_an_erratum_the_variant_is_built_and_named():
    one = statement(**ERRATUM, alone=("sign",))
    assert one.verify().holds
    for variant, words in (("printed", "as printed"), ("sign alone", "with sign alone repaired")):
        heading = str(one.verify(variant=variant)).splitlines()[0]
        assert heading == f"test:double, a line of the proof {words} (x = 1): FAILS"
    with pytest.raises(ValueError, match=r'^variant: expected "repaired", "printed" or "sign alone", got \'best\''):
        one.verify(variant="best")


def test_another_run_of_the_text_gets_the_parameters_that_it_has():
    def text(*, x=1):
        return certify_double((x, 0))

    one = statement(printed=text, erratum="e", concerns="proof")
    assert one.verify(x=4).holds
    assert str(one.verify(x=4, variant="printed")).startswith(
        "test:double, a line of the proof as printed (x = 4): FAILS"
    )
    with pytest.raises(ValueError, match="expected parameters out of x, got y"):
        one.verify(variant="printed", y=4)
    assert not statement(printed=lambda: text(), erratum="e", concerns="proof").verify(x=4, variant="printed").holds


def test_seeds_take_the_damages_in_turn_and_a_name_takes_one():
    one = statement()
    assert [one.perturb(seed=seed).parameters["damage"] for seed in range(4)] == ["one more", "half"] * 2
    assert one.perturb("half", x=3)["2 x"].measured == 3
    assert str(one.perturb("half")).startswith("test:double, doubles, damaged (x = 1, damage = half): FAILS")
    # Where one has no place the next is taken.
    assert one.perturb(seed=1, x=0).parameters["damage"] == "one more"
    with pytest.raises(ValueError, match=r"expected parameters at which 'half' damages something, got \{'x': 0\}"):
        one.perturb("half", x=0)
    with pytest.raises(ValueError, match=r"^damage: expected .*one more.*half.*, got 'third'"):
        one.perturb("third")


@pytest.mark.parametrize("seed", [-1, "x", 0.5, True, 2**63, 10**30])
def test_bad_seeds_are_refused(seed):
    with pytest.raises(ValueError, match="seed: expected an int from 0"):
        statement().perturb(seed=seed)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"cases": []}, "expected cases and damages, got 0 and 2"),
        ({"damages": {}}, "expected cases and damages, got 1 and 0"),
        ({"cases": [{"y": 1}]}, "expected cases of its parameters, got y"),
        ({"erratum": "e"}, "`variant` or `printed` just where there is an erratum, got e"),
        ({"build": ERRATUM["build"]}, "`variant` or `printed` just where there is an erratum, got None"),
        ({"printed": double}, "`variant` or `printed` just where there is an erratum, got None"),
        ({**ERRATUM, "concerns": None}, r"what its erratum concerns, out of statement, .*, got None"),
        ({"concerns": "proof"}, "concerns, None, for there is no erratum, got 'proof'"),
        ({"alone": ("M",)}, "no changes of a repair where there is no erratum"),
    ],
)
def test_an_incomplete_statement_is_refused(changes, words):
    with pytest.raises(ValueError, match=f"statement test:double: .*{words}"):
        statement(**changes)


def test_registering_twice_is_refused():
    about = {name: value for name, value in PARTS.items() if name != "build"}
    with pytest.raises(ValueError, match="yun2020:lem-8 is registered twice"):
        registry.register("yun2020:lem-8", "t", **about)(PARTS["build"])
    with pytest.raises(ValueError, match="cases and damages"):
        registry.register("x:y", "t", **{**about, "cases": ()})(PARTS["build"])
    assert "x:y" not in [s.id for s in statements.all()]


def test_pages_of_one_build_verify_a_statement_once(tmp_path, monkeypatch):
    few = [statements.get(f"yun2020:{name}") for name in ("lem-4", "lem-7")]
    monkeypatch.setattr(statements, "all", lambda: few)
    alone = overview.errata("yun2020").html
    monkeypatch.setenv(overview.CACHE, str(tmp_path))
    page = overview.index("yun2020").html
    rows = [one.name for each in few for one in machine_checked.of(each.id)]
    assert [*re.findall(r"Machine-checked: .*?<code>(\w+)</code>", page)] == rows != []
    verify = Statement.verify

    def only_as_printed(self, **given):
        assert given, self.id
        return verify(self, **given)

    monkeypatch.setattr(Statement, "verify", only_as_printed)
    assert overview.errata("yun2020").html == alone
