"""Class lists as systems write them, and whose submission is whose as systems, students and attackers name it."""

from __future__ import annotations

import csv
import io
import re
from fractions import Fraction
from pathlib import Path

import pytest

from uatbook.grading import grades, release, sets, students
from uatbook.grading.submissions import Submission

LISTS: dict[str, tuple[str, str | bytes, list[str]]] = {
    "a name a line": ("txt", "Ann\n\nMüller, Bob\n", ["Ann", "Müller, Bob"]),
    "Windows, with a mark": ("txt", "\ufeffAnn\r\nBob\r\n", ["Ann", "Bob"]),
    "commas": ("csv", 'Name,Mail\n"Müller, Anna",a@x\nBob,b@x\n', ["Müller, Anna", "Bob"]),
    "Excel in German": ("csv", "\ufeffName;Nr\r\nMüller, Anna;1001\r\nBob;1002\r\n", ["Müller, Anna", "Bob"]),
    "a comma in a head": ("csv", "Name, Titel;Nr\nMüller, Anna;1\nBob;2\nEva;3\n", ["Müller, Anna", "Bob", "Eva"]),
    "quotes and semicolons": ("csv", '"Name";"Nr"\n"Müller, Anna";"1"\n"Lee; Bob";"2"\n', ["Müller, Anna", "Lee; Bob"]),
    "Excel says how": ("csv", "sep=;\r\nName;Nr\r\nAnn;1\r\n", ["Ann"]),
    "one column with commas": ("csv", "Name\nMüller, Anna\nLee, Bob\n", ["Müller, Anna", "Lee, Bob"]),
    "tabs": ("csv", "Name\tNr\nMüller, Anna\t1\n", ["Müller, Anna"]),
    "Excel's Unicode text": ("txt", "Name\tNr\r\nМария\t1\r\n名\t2\r\n".encode("utf-16"), ["Мария", "名"]),
    "UTF-16 of the other order": ("csv", b"\xfe\xff" + "Name;Nr\nZoë;1\n".encode("utf-16-be"), ["Zoë"]),
    "a line within a cell": ("csv", 'Name,Note\n"Wei\nWang","likes\n\nlines"\nAnn,\n', ["Wei Wang", "Ann"]),
    "empty cells at the end": ("csv", "Name,Nr\nAnn,1,,\n,,\nBob\n", ["Ann", "Bob"]),
    "Canvas": (
        "csv",
        "Student,ID,SIS User ID,SIS Login ID,Section,Quiz (77)\n,,,,,Manual Posting\n    Points Possible,,,,,10\n"
        '"Berg, Anna",1,9001,ab1,A,3\n"Wang, Wei",2,9002,ww2,"A and B",\n"Student, Test",3,,f00,A,\n',
        ["Berg, Anna", "Wang, Wei"],
    ),
    "two sections": ("csv", "Student,ID,Section\nWei Wang,7,A\nAnn,8,A\nWei Wang,7,B\n", ["Wei Wang", "Ann"]),
    "Moodle's participants": (
        "csv",
        '"First name","Last name","Email address"\nWei,Wang,w@x\nWei,Li,l@x\n',
        ["Wei Wang", "Wei Li"],
    ),
    "Moodle's worksheet": ("csv", "Identifier,Full name,Grade\nParticipant 5521,Wei Wang,\n", ["Wei Wang"]),
    "German": ("csv", "Nachname;Vorname;Matrikelnummer\nMüller;Anna;007\n", ["Anna Müller"]),
    "German, shorter": ("csv", "Name;Vorname;Nr\nMüller;Anna;007\n", ["Anna Müller"]),
    "French": ("csv", "Numéro;Nom;Prénom\n12;Curie;Ève\n", ["Ève Curie"]),
    "Spanish": ("csv", 'Nombre,"Apellido(s)",DNI\nAna,García López,1\n', ["Ana García López"]),
    "Italian": ("csv", "Cognome;Nome\nRossi;Ada\n", ["Ada Rossi"]),
    "namesakes of two ids": ("csv", "Name,ID\nWei,7\nAnn,1\nWei,8\nWei,7\n", ["Wei 7", "Ann", "Wei 8"]),
    "tsv": ("tsv", "Surname\tGiven names\nHopper\tGrace\n", ["Grace Hopper"]),
    "joined letters": ("txt", "علی\u200cرضا\nक्\u200dष\n", ["علی\u200cرضا", "क्\u200dष"]),
    "other spaces": ("txt", "Anna\u00a0Lee\n Bob  Ray\u3000\n", ["Anna Lee", "Bob Ray"]),
    "marks of direction": ("txt", "\u202bדנה\u202c\n\u2067Eve\u2069\u200e\n\u200bZoe\u00ad\n", ["דנה", "Eve", "Zoe"]),
    "two ways to write é": ("txt", "Jose\u0301\n", ["José"]),
    "formulas": ("csv", "Name,Nr\n=cmd|'/C calc'!A0,1\n+1,2\n1/2,3\n", ["=cmd|'/C calc'!A0", "+1", "1/2"]),
}  # fmt: skip

NONE: dict[str, tuple[str, str | bytes, str]] = {
    "empty": ("txt", "", "expected a name a line, got 'none in"),
    "heads alone": ("csv", "Name,Nr\n", "expected a name a line, got 'none in"),
    "Latin-1": ("txt", "Müller".encode("latin-1"), "expected a text file in UTF-8 with a name a line"),
    "half of UTF-16": ("txt", b"\xff\xfea", "expected a text file in UTF-8 with a name a line"),
    "long": ("txt", f"Ann\n{'x' * 101}\n", "expected names of up to 100 signs, got 'line 2, xxx"),
    "a bell": ("txt", "Ann\x07\n", "expected names without signs that nobody sees, got 'line 1, Ann"),
    "namesakes": ("txt", "Ann\nBob\nAnn\n", "namesakes with an id behind the name, as one stands in line 1, too"),
    "namesakes of whom one has no id": ("csv", "Name,ID\nWei,7\nWei,\n", "namesakes with an id behind the name"),
    "one after a cell of lines": ("csv", 'Name,Note\nAnn,"a\nb"\nBob,\nAnn,\n', "got 'line 5, Ann'"),
    "one as files": ("txt", "a/b\na_b\n", "names that differ as names of files"),
    "one on a Mac": ("txt", "Ann\nann\n", "names that differ as names of files, in more than case and signs, from Ann"),
    "a name in two cells": ("csv", "Name,Nr\nMüller, Anna,1\n", "a cell for each of the 2 heads"),
    "a quote that never ends": ("csv", 'Name,Nr\n"Ann,1\nBob,2\n', "a table, with quotes around cells"),
}


def read(folder: Path, kind: str, content: str | bytes) -> students.ClassList:
    """A class list of a file with this content."""
    file = folder / f"class.{kind}"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return students.read(file)


@pytest.mark.parametrize("name", LISTS)
def test_class_lists(name: str, tmp_path: Path) -> None:
    kind, content, names = LISTS[name]
    found = read(tmp_path, kind, content)
    assert [*found.rows] == names
    assert {len(row) for row in found.rows.values()} == {len(found.heads) - 1}


def test_what_else_a_list_has_is_kept(tmp_path: Path) -> None:
    """The columns from which a name is made stay, so that the system that wrote them finds them again."""
    assert read(tmp_path, *LISTS["Excel in German"][:2]) == students.ClassList(
        ["Name", "Nr"],
        {"Müller, Anna": ["1001"], "Bob": ["1002"]},
        {"Müller, Anna": ["1001"], "Bob": ["1002"]},
    )
    assert read(tmp_path, *LISTS["German"][:2]) == students.ClassList(
        ["student", "Nachname", "Vorname", "Matrikelnummer"],
        {"Anna Müller": ["Müller", "Anna", "007"]},
        {"Anna Müller": ["007"]},
    )


@pytest.mark.parametrize("name", NONE)
def test_class_lists_that_are_none(name: str, tmp_path: Path) -> None:
    kind, content, says = NONE[name]
    with pytest.raises(ValueError, match=f"students: .*{re.escape(says)}"):
        read(tmp_path, kind, content)


@pytest.mark.parametrize("path", ["nothing.txt", "/dev/zero", "."])
def test_what_is_no_file(path: str) -> None:
    with pytest.raises(ValueError, match="students: expected a text file"):
        students.read(path)


CLASS = ["Berg, Anna", "Ben Cohen", "Zoë O'Brien", "Ann", "Ann Lee", "Ann B/C", "Mallory Smith", "Wei Wang", "Wang Wei",
         "Ana García López", "राम", "علی\u200cرضا", "CON", "José", "Łukasz Świątek", "Weiß, Jürgen",
         "Søren Ærø"]  # fmt: skip

ENTRIES: dict[tuple[str, str], tuple[str, str]] = {
    # The name of the file, and of whom its seed speaks: whose it is, and what is said of that.
    ("Berg, Anna", ""): ("Berg, Anna", ""),
    ("berganna_123_456_quirks", ""): ("Berg, Anna", "whose name it holds"),
    ("cohenben_LATE_1_2_x", ""): ("Ben Cohen", "whose name it holds"),
    ("obrienzoe_88123_447_Zoe OBrien", ""): ("Zoë O'Brien", "whose name it holds"),
    ("garcialopezana_5_6_tarea-1", ""): ("Ana García López", "whose name it holds"),
    ("swiateklukasz_5_6_x", ""): ("Łukasz Świątek", "whose name it holds"),
    ("weissjurgen_5_6_x", ""): ("Weiß, Jürgen", "whose name it holds"),
    ("weissjuergen_5_6_x", ""): ("Weiß, Jürgen", "whose name it holds"),
    ("aerosoren_5_6_x", ""): ("Søren Ærø", "whose name it holds"),
    ("Soeren Aeroe_5_assignsubmission_file_", ""): ("Søren Ærø", "whose name it holds"),
    ("Zoë O'Brien_448812_assignsubmission_file_", ""): ("Zoë O'Brien", "whose name it holds"),
    ("Jose\u0301", ""): ("José", ""),
    ("ANN LEE", ""): ("Ann Lee", ""),
    ("Lee_Ann_42", ""): ("Ann Lee", "whose name it holds"),
    ("x Ann B_C (1)", ""): ("Ann B/C", "whose name it holds"),
    ("hw 1 Ann", ""): ("Ann", "whose name it holds"),
    ("_CON", ""): ("CON", ""),
    ("علی\u200cرضا", ""): ("علی\u200cرضا", ""),
    ("homework", "Ann Lee"): ("Ann Lee", "as its seed says"),
    ("homework", "علی\u200cرضا"): ("علی\u200cرضا", "as its seed says"),
    ("Ann Lee", "Ann Lee"): ("Ann Lee", ""),
    ("homework", ""): ("homework", "nobody of the class list"),
    ("homework", "Eve"): ("homework", "nobody of the class list"),
    ("Annabel Leeds", ""): ("Annabel Leeds", "nobody of the class list"),
    ("रामा", ""): ("रामा", "nobody of the class list"),
    ("___", ""): ("___", "nobody of the class list"),
    # One whom the list has in two orders; two in one name; and who writes another's name where Canvas leaves room.
    ("wangwei_1_2_x", ""): ("wangwei_1_2_x", "CONFLICT"),
    ("wangwei_1_2_x", "Wei Wang"): ("Wei Wang", ""),
    ("Ann Lee and Ben Cohen", ""): ("Ann Lee and Ben Cohen", "CONFLICT"),
    ("mallorysmith_12_34_Ann Lee", "Mallory Smith"): ("Mallory Smith", ""),
    ("mallorysmith_12_34_Ann Lee", ""): ("Mallory Smith", "whose name it holds"),
    ("mallorysmith_LATE_12_34_annlee_12_34_x", ""): ("Mallory Smith", "whose name it holds"),
    ("eve_12_34_Ann Lee", ""): ("eve_12_34_Ann Lee", "nobody of the class list"),
    ("mallorysmith_12_34_x", "Ann Lee"): ("Mallory Smith", "CONFLICT"),
    ("wangwei_1_2_x", "José"): ("wangwei_1_2_x", "CONFLICT"),
    ("Ann", "José"): ("Ann", "CONFLICT"),
    ("x\nCONFLICT Ann", "José"): ("José", "CONFLICT"),
}


def asked(folder: Path) -> sets.ExerciseSet:
    """A set in which each has numbers of their own."""
    (folder / "set.toml").write_text('title = "A week"\nexercises = ["ex-start-break"]\n')
    return sets.read(folder / "set.toml")


def handed(entry: str, seed: str = "") -> Submission:
    """A notebook of this name, with a student's seed."""
    return Submission(entry, entry, seeds={f"course:{seed}"} if seed else set(), cells={1: "x = 1"})


@pytest.mark.parametrize(("entry", "seed"), ENTRIES)
def test_whose_a_name_is(entry: str, seed: str, tmp_path: Path) -> None:
    owner, says = ENTRIES[entry, seed]
    known = read(tmp_path, "txt", "\n".join(CLASS))
    whose, told = students.attributed([handed(entry, seed)], asked(tmp_path), "course", known)
    assert [name for name, files in whose.items() if files] == [owner]
    assert len(told) == bool(says)
    assert all(says in line for line in told)


SYSTEMS = {
    "Canvas": lambda name: f"{students._plain(name)}_12_345_x",
    "Canvas, late": lambda name: f"{students._plain(name)}_LATE_12_345_x",
    "Moodle": lambda name: f"{name}_12_assignsubmission_file_",
    "Moodle, a file": lambda name: f"{name}_12_assignsubmission_file_x",
    "the teacher": students.file_name,
}


@pytest.mark.parametrize("system", SYSTEMS)
def test_nobody_raises_the_grade_of_another(system: str, tmp_path: Path) -> None:
    """Where a system says who hands it in, the seed of another gives neither anything; one's own counts."""
    known = read(tmp_path, "txt", "\n".join(CLASS))
    names = students._Names(known)
    pairs = 0
    for name in CLASS:
        entry = SYSTEMS[system](name)
        for seed in CLASS:
            whose, told = students.attributed([handed(entry, seed)], asked(tmp_path), "course", known)
            counts = [owner for owner, files in whose.items() for file in files if file.cells]
            mine = seed in names.of(entry)[0]
            assert counts == [seed] * mine, (entry, seed)
            assert any(line.startswith("CONFLICT ") for line in told) == (not mine), (entry, seed)
            pairs += not mine
    assert pairs >= len(CLASS) * (len(CLASS) - 2)


def test_namesakes_are_told_apart_by_the_numbers_of_a_list(tmp_path: Path) -> None:
    """Of an account, as Canvas and Moodle write it behind the name; where there is none that the list has, nobody's."""
    known = read(tmp_path, "csv", "Student,ID\nWei Wang,7\nWang Wei,8\nWei Wang,9\nAnn,10\nMüller,11\nMuller,12\n")
    found = {"wangwei_7_1_x": "Wei Wang 7", "wangwei_LATE_9_1_x": "Wei Wang 9", "weiwang_8_1_x": "Wang Wei",
             "Wei Wang_9_assignsubmission_file_": "Wei Wang 9", "Wei Wang 7": "Wei Wang 7", "muller_12_1_x": "Muller",
             "mueller_11_1_x": "Müller", "wangwei_10_1_x": "", "wangwei_1_7_x": "", "Wei Wang": "", "muller_9_1_x": "",
             "ann_7_1_x": "Ann"}  # fmt: skip
    whose, _ = students.attributed([handed(entry) for entry in found], asked(tmp_path), "course", known)
    assert {file.entry: name * (name in known.rows) for name, files in whose.items() for file in files} == found
    # On one's own seed, too, it is the account that counts.
    whose, told = students.attributed([handed("wangwei_7_1_x", "Wang Wei")], asked(tmp_path), "course", known)
    assert [line.split()[0] for line in told] == ["CONFLICT"]
    assert not any(file.cells for files in whose.values() for file in files)


def test_conflicts_stand_above_and_lists_change_nothing_else(tmp_path: Path) -> None:
    known = read(tmp_path, "txt", "\n".join(CLASS))
    given = [handed("berganna_1_2_x"), handed("Ann", "José"), handed("eve")]
    whose, told = students.attributed(given, asked(tmp_path), "course", known)
    assert [line.partition(" ")[0] for line in told] == ["CONFLICT", "berganna_1_2_x:", "eve:"]
    (problem,) = whose["Ann"][0].problems
    assert problem == "Ann counts for nobody, as its seed is José's: ask your teacher."
    alone, _ = students.attributed([handed("Ann", "José"), handed("eve")], asked(tmp_path), "course", None)
    assert [*alone] == ["José", "eve"]


FILES = {
    "Zoë O'Brien": "Zoë O'Brien",
    "Ann B/C": "Ann B_C",
    "../../x": "_.._x",
    "A\0B": "A_B",
    "\ud800": "_",
    "...": "_",
    "con": "_con",
    "NUL.tar": "_NUL.tar",
    "Com1": "_Com1",
    "Conrad": "Conrad",
}


@pytest.mark.parametrize("name", FILES)
def test_names_of_files(name: str) -> None:
    assert students.file_name(name) == FILES[name]


def test_no_two_students_share_a_page(tmp_path: Path) -> None:
    names = ["Ann", "ann", "ANN", "a/b", "a_b", *(f"{sign * 300}{k}" for sign in "x名𝕏" for k in range(2)), *FILES]
    files = students.file_names(names)
    assert len({file.casefold() for file in files.values()}) == len(names)
    for file in files.values():
        (tmp_path / f"{file}.html").write_text("")
    assert files["Ann"] == "Ann"


def test_no_cell_is_a_formula_and_none_too_long(tmp_path: Path) -> None:
    names = ["=cmd|'/C calc'!A0", "+1", "@SUM", "\u200c=1", "＝1", "\t=1", "Ann\r\n=1", "علی\u200cرضا"]
    rows = [*csv.reader(io.StringIO(release.answers(asked(tmp_path), "course", names)))][1:]
    assert [row[0] for row in rows] == [
        "'=cmd|'/C calc'!A0", "'+1", "'@SUM", "'\u200c=1", "'＝1", "' =1", "Ann  =1", "علی\u200cرضا",
    ]  # fmt: skip
    problems = [f"Code cell {k}: {'x' * 400}" for k in range(4000)]
    one = grades.Graded("Ann", "", {"ex-start-break": ""}, problems, {"ex-start-break": Fraction(0)}, {})
    (row,) = csv.DictReader(io.StringIO(grades.table([one], asked(tmp_path))))
    assert len(row["comments"]) < 32_767
    assert row["comments"].startswith("Code cell 0: xxx")
    assert row["comments"].endswith(" | and 3,960 more")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Bob\x1b]0;pwned\x07\x1b[2J", "Bob�]0;pwned��[2J"),
        ("a\nb\r\x85c", "a b  c"),
        ("\u202ecod\u200b", "cod"),
        ("\ud800é名", "�é名"),
    ],
)
def test_nothing_commands_a_terminal(text: str, shown: str) -> None:
    assert students.shown(text) == shown
