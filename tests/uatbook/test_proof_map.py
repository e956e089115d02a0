"""The map of statements shows what table and record say, and no more."""

import hashlib
import importlib.util
import itertools
import json
import re
import shutil
import sys
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from uatbook import machine_checked, overview, proof_map, statements
from uatbook.machine_checked import SIGNS, SIZES
from uatbook.proof_map import Edge

ROOT = Path(__file__).resolve().parents[2]
EDGES, SERVES = proof_map.uses(proof_map.record())
EVERY = statements.all()


def told(id):
    """The states of a statement in the table; a part is not told where the whole is."""
    found = {row.state for row in machine_checked.of(id)}
    return found - ({"proved in part"} & found if "proved" in found else set()) - (
        {"refuted in part"} if "refuted as printed" in found else set()
    ) or {SIZES}


@pytest.fixture(scope="module")
def uses():
    sys.path.insert(0, str(ROOT / "proofs"))
    spec = importlib.util.spec_from_file_location("uses", ROOT / "proofs" / "uses.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def picture():
    return BeautifulSoup(proof_map.picture().html, "html.parser")


# ----------------------------------------------------------------------------------------------------------- the record


def test_the_record_is_of_these_files_and_of_this_table():
    """`python proofs/uses.py` writes it anew."""
    kept = json.loads(proof_map.RECORD.read_text(encoding="utf-8"))
    files = {path.relative_to(ROOT / "proofs").as_posix(): path for path in (ROOT / "proofs").rglob("*.v")}
    assert kept["sources"] == {file: hashlib.sha256(path.read_bytes()).hexdigest()[:16] for file, path in files.items()}
    assert set(kept["uses"]) == {one.rocq for one in machine_checked.theorems()}


def test_names_are_those_of_the_text_in_which_they_stand(uses):
    """By hand: a type and its part are one; what is asked below a proof is none of it, nor is what a file requires."""
    source = b"Require b.  Record r := R { p : t }.  Lemma l : p = q.  Proof. exact k. Qed.\nPrint Assumptions m.\n"
    place = {
        word: source.index(word)
        for word in (b"b.", b"r :=", b"R {", b"p :", b"t }", b"l :", b"p =", b"q.", b"k.", b"m.")
    }
    lines = [
        f"R{place[b'b.']}:0 UAT.b <> <> lib",
        f"rec {place[b'r :=']}:0 <> r",
        f"constr {place[b'R {']}:0 <> R",
        f"proj {place[b'p :']}:0 <> p",
        f"R{place[b't }']}:0 UAT.b <> t def",
        f"R{place[b't }']}:0 Coq.Init <> nat ind",
        f"prf {place[b'l :']}:0 <> l",
        f"R{place[b'p =']}:0 UAT.a <> p proj",
        f"R{place[b'q.']}:0 UAT.a <> S.q var",
        f"R{place[b'k.']}:0 UAT.c.d <> k thm",
        f"R{place[b'm.']}:0 UAT.b <> m thm",
    ]
    found, lemmas = uses.named("a", source, "\n".join(lines))
    assert lemmas == {"a.l"}
    assert found["a.l"] == {"a.p", "a.S.q", "c.d.k"}
    assert found["a.r"] == {"a.R", "a.p"}
    assert found["a.p"] == {"a.r", "b.t"}


def test_a_way_ends_at_a_theorem_of_the_table(uses):
    names = {"t": {"l", "u"}, "l": {"m", "t"}, "u": {"deep"}, "m": set()}
    assert uses.reached("t", names, {"t", "u"}) == {"l", "m", "u"}


def test_rocq_says_the_same(uses):
    """The record is made again; and of some theorems the kernel is asked for all proofs below, which takes seconds."""
    if shutil.which("coqc") is None:
        pytest.skip("no Rocq here")
    check = uses.check
    check.compile_all(2)
    assert uses.uses(check.theorems()) == proof_map.record()
    assert uses.words() == json.loads(uses.WORDS.read_text(encoding="utf-8"))["words"]
    names, lemmas = uses.graph()
    for theorem in ("liu2025.proposition_3_1.proposition_3_1", "cheng2025.corollary_4_depth.directed_depth"):
        module = theorem.rpartition(".")[0]
        (check.BUILT / "asked_uses.v").write_text(
            f"From UAT Require {module}.\nPrint Opaque Dependencies UAT.{theorem}.\n", encoding="utf-8"
        )
        printed = check.coq("coqc", "-q", "-w", "none", "asked_uses.v").stdout
        said = {"." + name for name in re.findall(r"^([\w.']+)(?= :|$)", printed, re.MULTILINE)}
        kernel = {name for name in lemmas if any(f".UAT.{name}".endswith(short) for short in said)}
        assert uses.reached(theorem, names, set()) & lemmas == kernel - {theorem}


def test_the_page_says_where_to_start_and_that_proof_is_told_in_english():
    text = (ROOT / "library" / "machine-checked.md").read_text(encoding="utf-8")
    (first,) = re.findall(r"\*\*Start here\*\*: \{ref\}`[^`]*<steps-liu2025-([\w-]+)>`", text)
    (row,) = (row for row in machine_checked.theorems() if row.anchor == f"steps-{first}")
    assert row.state == "proved"
    assert f"{{proof-guided}} {row.name}\n" in (ROOT / "library" / f"{row.place}.md").read_text(encoding="utf-8")


# ------------------------------------------------------------------------------------------------------------ the edges


def test_each_edge_is_one_of_the_record_and_each_of_the_record_is_an_edge():
    """In plain loops: two statements, a theorem of each."""
    theorems = machine_checked.theorems()
    owner = {one.rocq: one.statement for one in theorems}
    proof = {one.file: one.statement for one in theorems}
    wanted = {}
    for name, one in proof_map.record().items():
        for other in one["theorems"]:
            wanted.setdefault((owner[name], owner[other]), [True, 0])[0] = True
        for file, count in one["lemmas"].items():
            if file in proof:
                wanted.setdefault((owner[name], proof[file]), [False, 0])[1] += count
    assert {(a, b): [theorem, count] for a, b, theorem, count in EDGES} == {
        pair: said for pair, said in wanted.items() if pair[0] != pair[1]
    }


def test_what_leads_to_another_part_is_told_with_its_source_and_is_not_said_to_stand_alone():
    """The parts are pictures of their own: such a line is in the list alone."""
    part = {key: source for source in proof_map.SOURCES.values() for key in source.keys}
    of = {one.id: part[one.id.partition(":")[0]] for one in statements.all()}
    across = [e for e in EDGES if of[e.above] is not of[e.below]]
    assert across
    page = BeautifulSoup(proof_map.picture().html, "html.parser")
    for edge in across:
        name = proof_map._name(statements.get(edge.above))
        assert any(
            entry.a.get_text() == name and f"of {of[edge.below].authors}" in entry.get_text()
            for entry in page.select("li:has(> a)")
        )
    for drawing in page.select(".uat-map-source svg"):
        heading = None
        for node in drawing.select(".uat-map-words, a"):
            if node.name == "text":
                heading = node.get_text()
            elif heading == "On lemmas of their own alone":
                assert node.get("href") not in {proof_map._place(statements.get(e.above)) for e in across}


def test_what_is_drawn_leads_where_the_record_does_and_nothing_is_drawn_twice():
    for source in proof_map.SOURCES.values():
        own = [e for e in EDGES if e.above.partition(":")[0] in source.keys]
        shown = proof_map.drawn(own, SERVES).edges

        def ways(edges):
            found = {(e.above, e.below) for e in edges}
            while new := {(a, d) for (a, b), (c, d) in itertools.product(found, found) if b == c} - found:
                found |= new
            return found

        assert ways(shown) == ways(own)
        for edge in shown:
            rest = [other for other in shown if other is not edge]
            assert (edge.above, edge.below) not in ways(rest)


def test_a_circle_of_lemmas_is_left_out_and_what_one_proof_has_alone_is_no_common_ground():
    edges = [Edge("a", "b", True, 1), Edge("b", "a", False, 2), Edge("b", "c", False, 1), Edge("a", "c", True, 0)]
    serves = {"x/one.v": {"a", "b", "c"}, "x/two.v": {"c", "d"}}
    shown = proof_map.drawn(edges, serves)
    assert [(e.above, e.below) for e in shown.edges] == [("a", "b"), ("b", "c")]
    assert (shown.shared, shown.grounded) == (["x/two.v"], ["c", "d"])


# ---------------------------------------------------------------------------------------------------------- the picture


def test_each_statement_is_there_once_with_its_states_and_leads_to_its_proof_or_chapter(picture):
    nodes = picture.select("svg a")
    assert len(nodes) == len(EVERY)
    for source, svg in zip(proof_map.SOURCES.values(), picture.select("svg[role]"), strict=True):
        own = {proof_map._name(one): one for one in EVERY if one.id.partition(":")[0] in source.keys}
        assert sorted(own) == sorted(a.find("text").get_text() for a in svg.select("a"))
        for a in svg.select("a"):
            one = own[a.find("text").get_text()]
            rows = machine_checked.of(one.id)
            assert a["href"] == (rows[0].page if rows else f"../chapters/{one.chapter}.html")
            assert one.title in a.find("title").get_text()
            found = told(one.id)
            signs = [text.get_text().split()[0] for text in a.select(".uat-map-state")]
            assert sorted(signs) == sorted(SIGNS[state] for state in found - {SIZES})
            refuted = {"refuted as printed", "refuted in part"} & found
            look = "refuted" if refuted else "proved" if "proved" in found else "part" if rows else "sizes"
            assert a["class"] == [f"uat-map-{look}"]


def test_the_legend_counts_what_the_table_has(picture):
    legend = picture.select_one(".uat-map-legend").get_text(" ")
    for state, words in {**machine_checked.STATES, SIZES: SIZES}.items():
        count = sum(state in told(one.id) for one in EVERY)
        assert (f" {words}: {count} " in f"{legend} ") == (count > 0)
    assert legend.startswith(f"{len(EVERY)} statements ")


def test_a_state_that_changes_is_seen(monkeypatch):
    rows = [
        row._replace(state="refuted as printed") if row.name == "lemma_7" else row for row in machine_checked.theorems()
    ]
    monkeypatch.setattr(machine_checked, "theorems", lambda: tuple(rows))
    node = next(
        a
        for a in BeautifulSoup(proof_map.picture().html, "html.parser").select("svg a")
        if a.find("text").text == "Lemma 7"
    )
    assert (node["class"], node.find("polygon") is None) == (["uat-map-refuted"], False)


def test_nodes_do_not_lie_on_each_other_and_no_line_crosses_one(picture):
    """At points along each curve: outside all boxes, but where it begins and ends."""
    for svg in picture.select("svg[role]"):
        boxes = []
        for shape in svg.select("a > rect, a > polygon"):
            if shape.name == "rect":
                x, y, w, h = (float(shape[key]) for key in ("x", "y", "width", "height"))
            else:
                xs, ys = zip(*(map(float, pair.split(",")) for pair in shape["points"].split()), strict=True)
                x, y, w, h = min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)
            boxes.append((x, y, x + w, y + h))
        width, height = map(float, svg["viewbox"].split()[2:])
        assert all(0 <= a < c <= width and 0 <= b < d <= height for a, b, c, d in boxes)
        for (a, b, c, d), (e, f, g, h) in itertools.combinations(boxes, 2):
            assert c <= e or g <= a or d <= f or h <= b
        for path in svg.select("path"):
            for px, py in _points(path["d"]):
                assert not any(a + 0.5 < px < c - 0.5 and b + 0.5 < py < d - 0.5 for a, b, c, d in boxes)


def _points(curve):
    """Along a path of M, C and V."""
    x = y = 0.0
    for kind, numbers in re.findall(r"([MCV])([^MCV]*)", curve):
        to = [float(number) for number in numbers.split()]
        if kind == "M":
            x, y = to
            continue
        a, b, c, d, e, f = to if kind == "C" else (x, y, x, to[0], x, to[0])
        for t in (k / 12 for k in range(13)):
            u = 1 - t
            yield (
                u**3 * x + 3 * u * u * t * a + 3 * u * t * t * c + t**3 * e,
                u**3 * y + 3 * u * u * t * b + 3 * u * t * t * d + t**3 * f,
            )
        x, y = e, f


def test_the_list_has_every_edge_and_every_statement(picture):
    items = picture.select("details li")
    assert len(items) == len(EVERY)
    said = dict(zip([one.id for one in sorted(EVERY, key=_part)], items, strict=True))
    for edge in EDGES:
        words = "stands on" if edge.theorem else "uses lemmas from the proof of"
        parts = [part for part in said[edge.above].get_text().split("; ") if part.startswith(words)]
        name = proof_map._name(statements.get(edge.below))
        told = parts[0].removeprefix(words).strip().split(", ")
        assert any(one == name or one.startswith(f"{name} of ") for one in told)


def _part(one):
    """The parts as they stand: a text beside a paper with it."""
    return [one.id.partition(":")[0] in source.keys for source in proof_map.SOURCES.values()].index(True)


def test_the_table_of_the_page_has_all_theorems_and_leads_to_them():
    page = BeautifulSoup(overview.machine().html, "html.parser")
    assert [(a["href"], a.get_text()) for a in page.select("small a")] == [
        (row.page, row.name) for one in EVERY for row in machine_checked.of(one.id)
    ]
    heads = [summary.get_text() for summary in page.select("summary")]
    assert sum(int(re.search(r"(\d+) theorems", head)[1]) for head in heads) == len(machine_checked.theorems())
