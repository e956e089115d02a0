"""Who a class is, and whose submission is whose: by names of files, by a class list, by what a notebook says itself."""

from __future__ import annotations

import codecs
import csv
import hashlib
import io
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from uatlib import checks
from uatlib.checks import refused

from .sets import ExerciseSet
from .submissions import Submission

UNFIT = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f\ud800-\udfff]')
"""Signs that some system has in no name of a file."""
DEVICE = re.compile(r"(con|prn|aux|nul|(com|lpt)[0-9¹²³])\s*(\.|$)", re.I)
"""Names that Windows has for devices, whatever follows the point."""
LONGEST = 100
LONGEST_BYTES = 200
"""Of a name of a file, so that an ending fits behind it on every system."""
JOINERS = "\u200c\u200d"
"""Signs that nobody sees, and with which names in Persian, Hindi and others are written."""
FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
LMS = re.compile(r"(.+?)(?:_LATE)?_([0-9]+)(_[0-9]+(_.*)?|_assignsubmission_.*)?", re.S)
"""Canvas and Moodle put the account's name before their numbers, of which the first is the account's; what follows
these, its owner has chosen."""
SPELLED = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})
"""How some accounts write these letters; others leave their marks out."""
BARE = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"})
"""Letters that Unicode takes for no others with marks."""
NO_STUDENTS = ("points possible", "student, test")
"""Rows of Canvas."""

FULL = """
fullname studentname displayname vollstandigername nomcomplet nombrecompleto nomecompleto student name nom nombre nome
"""
FIRST = """
firstname givenname givennames forename forenames vorname vornamen prenom prenoms nombre nombres nome voornaam fornavn
fornamn imie имя
"""
LAST = """
lastname surname familyname nachname familienname zuname nomdefamille apellido apellidos cognome sobrenome achternaam
efternavn etternavn efternamn nazwisko фамилия name nom
"""
IDS = """
id idnumber studentid studentnumber sisuserid sisloginid orgdefinedid userid username login loginid email emailaddress
mail nr no matrikelnummer matrikelnr matrnr kennung identifier dni nip numero
"""
"""Heads of columns, as letters alone; where a list has several for a name, the first of these counts."""


@dataclass(frozen=True)
class ClassList:
    """The names of a class, and by name what else its list has in columns of these heads, and the ids among that."""

    heads: Sequence[str]
    rows: Mapping[str, Sequence[str]]
    ids: Mapping[str, Sequence[str]] = field(default_factory=dict)


def read(path: str | Path) -> ClassList:
    """A class from a file: a name a line; or a table, of kind .csv or .tsv, or with tabs in its first line.

    A table has a row of heads. Names stand in the columns of first and last names, or in that of names, or else in the
    first. Cells end at commas, semicolons or tabs. A student who is in two rows with the same id has one. Namesakes who
    all have ids get the first of theirs behind the name.

    ValueError if it cannot be read or holds none, or a name is too long, or has signs that nobody sees, or two students
    have one name, or names that are one as names of files.
    """
    file = checks.path("students", path)
    try:
        data = file.read_bytes() if file.is_file() else None
        coding = "utf-16" if data and data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"
        text = data.decode(coding) if data is not None else ""
    except (OSError, UnicodeError) as error:
        raise refused("students", "a text file in UTF-8 with a name a line", f"{path} ({error})") from None
    if data is None:
        raise refused("students", "a text file in UTF-8 with a name a line", f"{path} (no file)")
    if file.suffix.lower() in (".csv", ".tsv") or "\t" in text.strip().partition("\n")[0]:
        heads, named = _table(text)
    else:
        heads, named = ["student"], [(number, line, [], []) for number, line in enumerate(text.splitlines(), 1)]
    rows: dict[str, Sequence[str]] = {}
    ids: dict[str, Sequence[str]] = {}
    places: dict[str, int] = {}
    files: dict[str, str] = {}
    namesakes: dict[str, set[tuple[str, ...]]] = {}
    for _, written, _, own in named:
        namesakes.setdefault(_clean(written), set()).add(tuple(own))
    for number, written, row, own in named:
        name = _clean(written)
        if len(namesakes[name]) > 1 and all(namesakes[name]):
            name = f"{name} {_clean(own[0])}"
        if not name or name.casefold() in NO_STUDENTS:
            continue
        where = f"line {number}, {name}"
        if len(name) > LONGEST:
            raise refused("students", f"names of up to {LONGEST} signs", where)
        if not _visible(name):
            raise refused("students", "names without signs that nobody sees", where)
        if name in rows:
            if own and own == ids[name]:
                continue
            raise refused(
                "students", f"namesakes with an id behind the name, as one stands in line {places[name]}, too", where
            )
        if (other := files.setdefault(file_name(name).casefold(), name)) != name:
            raise refused(
                "students", f"names that differ as names of files, in more than case and signs, from {other}", where
            )
        rows[name], ids[name], places[name] = row, own, number
    if not rows:
        raise refused("students", "a name a line", f"none in {path}")
    return ClassList(heads, rows, ids)


def _table(text: str) -> tuple[list[str], Sequence[tuple[int, str, Sequence[str], list[str]]]]:
    """The heads, with that of names first; and of each row its line, its name, what else it has, and its ids."""
    said = re.match(r"\s*\"?sep=(.)\"?\r?\n", text)
    body, skipped = (text[said.end() :], said[0].count("\n")) if said else (text, 0)
    # A comma within names stands in fewer rows, or in fewer heads, than what ends the cells.
    tables, errors = [], []
    for mark in said[1] if said else ",;\t":
        try:
            tables.append(_cells(body, mark, skipped))
        except ValueError as error:
            errors.append(error)
    if not tables:
        raise errors[0]
    (_, heads), *rows = max(tables, key=_fit)
    plain = [_plain(head) for head in heads]
    first, last = _column(plain, FIRST), _column(plain, LAST)
    full = _column(plain, FULL)
    ids = [place for place, head in enumerate(plain) if head in IDS.split()]
    named = []
    for number, cells in rows:
        if any(cell.strip() for cell in cells[len(heads) :]):
            raise refused(
                "students", f"a cell for each of the {len(heads)} heads; or names with a comma in quotes",
                f"line {number}, {len(cells)} cells",
            )  # fmt: skip
        row = [*cells, *[""] * len(heads)][: len(heads)]
        own = [row[place].strip() for place in ids if row[place].strip()]
        name = f"{row[first]} {row[last]}" if first is not None and last is not None else row[full or 0]
        named.append((number, name, row, own))
    if (first is None or last is None) and not full:
        return heads, [(number, name, row[1:], own) for number, name, row, own in named]
    return ["student", *heads], named


def _fit(table: Sequence[tuple[int, Sequence[str]]]) -> tuple[int, int]:
    """How much speaks for it that cells end where this table has them: heads, and rows with as many cells."""
    heads = len(table[0][1])
    return heads, [len(row) for _, row in table].count(heads)


def _cells(text: str, mark: str, skipped: int) -> list[tuple[int, list[str]]]:
    """The rows that are not empty, each with the line at which it begins; at least one."""
    rows, reader, number = [], csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True), skipped + 1
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                rows.append((number, row))
            number = skipped + reader.line_num + 1
    except csv.Error as error:
        raise refused(
            "students", "a table, with quotes around cells that hold some", f"line {number} ({error})"
        ) from None
    return rows or [(1, [""])]


def _column(heads: Sequence[str], names: str) -> int | None:
    """The column of the first of these names that heads a column."""
    return next((heads.index(name) for name in names.split() if name in heads), None)


def file_name(student: str) -> str:
    """A name that a file may have on every system; a long one ends with a hash of the rest."""
    name = UNFIT.sub("_", _clean(student)).strip(". ") or "_"
    if DEVICE.match(name):
        name = f"_{name}"
    short = name[:LONGEST].encode()[:LONGEST_BYTES].decode(errors="ignore")
    return name if short == name else f"{short.strip('. ')}-{_hash(student)}"


def file_names(students: Iterable[str]) -> dict[str, str]:
    """For each student a name of a file that is nobody else's, on systems that take A for a, too."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for student in students:
        name = file_name(student)
        if name.casefold() in taken:
            name = f"{name}-{_hash(student)}"
        taken.add(name.casefold())
        found[student] = name
    return found


def _hash(student: str) -> str:
    return hashlib.sha256(student.encode(errors="surrogatepass")).hexdigest()[:16]


def shown(name: str) -> str:
    """What a terminal is given of a text that others wrote: no sign that moves, colours or hides anything."""
    kept = (sign for sign in name if unicodedata.category(sign) != "Cf")
    return "".join(sign if sign.isprintable() else " " if sign.isspace() else "�" for sign in kept)


def safe(cell: str) -> str:
    """A cell of a table that no spreadsheet takes for a formula."""
    cell = "".join(sign if sign.isprintable() or sign in JOINERS else " " for sign in cell)
    return f"'{cell}" if cell.lstrip(f" {JOINERS}").startswith(FORMULA) else cell


def course_word(seed: str) -> str:
    """The word from which a course draws its numbers. ValueError if it is empty or holds a colon."""
    word = seed.strip()
    if not word or ":" in word or not word.isprintable():
        raise refused("seed", "a word for the course, without a colon", seed)
    return word


def attributed(
    found: Iterable[Submission], asked: ExerciseSet, course: str, known: ClassList | None
) -> tuple[dict[str, list[Submission]], list[str]]:
    """By student the submissions, students of the list without any included; and what the teacher should know.

    The seed that a notebook has counts first, where it is of this course and of a student of the list; then the name of
    the file or folder, where it is that of a student or holds it; then that name, whoever that is. Where both speak,
    and of two, the line begins with CONFLICT and stands above the others; and where the name is all a student's, or one
    that a system wrote, the file counts for neither. ValueError if no notebook is of this course.
    """
    every = [*found]
    words = {seed.partition(":")[0] for one in every for seed in one.seeds}
    if asked.variants != "book" and words and course not in words:
        raise refused("seed", " or ".join(sorted(words)) + ", as the notebooks say", course)
    whose: dict[str, list[Submission]] = {name: [] for name in known.rows} if known else {}
    names = _Names(known) if known else None
    told: list[str] = []
    for one in every:
        name, note = _student(one, course, names)
        if not one.graded and name not in whose:  # as a list of names that lies there
            told += one.problems
            continue
        told += [note] * bool(note)
        _strange(one, asked, course, name)
        one.student = name
        whose.setdefault(name, []).append(one)
    told += [
        f"{name}: {len(files)} files; of each exercise the better answer counts"
        for name, files in whose.items()
        if len(files) > 1
    ]
    return whose, sorted(told, key=lambda line: not line.startswith("CONFLICT "))


class _Names:
    """The names of a class, as names of files have them."""

    def __init__(self, known: ClassList) -> None:
        self.every = {*known.rows}
        self._files = {file_name(name).casefold(): name for name in self.every}
        self._numbers = {name: {own.split()[-1] for own in ids} for name, ids in known.ids.items()}
        self._orders: dict[str, set[str]] = {}
        for name in self.every:
            for bare in {name, *(name.removesuffix(f" {_clean(own)}") for own in known.ids.get(name, ()))}:
                for order in _orders(bare):
                    self._orders.setdefault(order, set()).add(name)

    def of(self, entry: str) -> tuple[set[str], bool]:
        """Whose name an entry is or holds, several where that is not clear; and whether it is just the name."""
        whole = file_name(entry).casefold()
        if whole in self._files:
            return {self._files[whole]}, True
        made = LMS.fullmatch(entry)
        start = made[1] if made else entry
        if fit := self._orders.get(_plain(start)):
            # Of several with such a name, the one whom the list has with the account's number.
            return {name for name in fit if made and made[2] in self._numbers.get(name, ())} or fit, False
        start = file_name(start).casefold()
        held = [file for file in self._files if _holds(start, file)]
        longest = max(held, key=len, default="")
        return {self._files[file] for file in held if file == longest or file not in longest}, False


def _student(one: Submission, course: str, names: _Names | None) -> tuple[str, str]:
    """Whose it is, and what should be said of how that was found."""
    entry = _clean(one.entry)
    says = {_clean(seed.partition(":")[2]) for seed in one.seeds if seed.startswith(f"{course}:")}
    own = next(iter(says)) if len(says) == 1 else ""
    if names is None:
        differs = own and file_name(own) != file_name(entry)
        return (own, f"{one.entry}: taken as {own}, as its seed says") if differs else (own or entry, "")
    named, exact = names.of(entry)
    whose = " or ".join(sorted(named))
    if own in names.every:
        if named and own not in named:
            note = f"CONFLICT {one.entry}: named after {whose}, with the seed of {own}; "
            if not exact and not LMS.fullmatch(entry):  # a name that its owner made up
                one.problems.append(f"Its file is named after {whose}.")
                return own, f"{note}taken as {own}"
            # Somebody may have handed in what raises another's grade.
            one.cells, one.answers, one.seeds = {}, {}, set()
            one.problems.append(f"{one.entry} counts for nobody, as its seed is {own}'s: ask your teacher.")
            note += f"it counts for neither. If it is {own}'s, move it into a folder of that name"
            return (whose if len(named) == 1 else entry), f"{note}; if it is {whose}'s, write that into its seed"
        return own, "" if named else f"{one.entry}: taken as {own}, as its seed says"
    if len(named) == 1:
        return whose, "" if exact else f"{one.entry}: taken as {whose}, whose name it holds"
    if named:
        return entry, f"CONFLICT {one.entry}: it may be {whose}'s; name it after one of them"
    return entry, f"{one.entry}: nobody of the class list"


def _orders(name: str) -> Iterator[str]:
    """A name run together, from each of its words: Anna Berg is berganna in Canvas, García López, Ana has three.

    An ö is an o, or an oe.
    """
    words = unicodedata.normalize("NFC", name.casefold()).replace(",", " ").split()
    for place in range(len(words)):
        order = "".join([*words[place:], *words[:place]])
        yield from filter(None, (_plain(order), _plain(order.translate(SPELLED))))


def _holds(text: str, name: str) -> bool:
    """Whether a name stands in a text, and no letter at its ends."""
    places = (found.start() for found in re.finditer(f"(?={re.escape(name)})", text))
    return any(not _inner(text[:place][-1:]) and not _inner(text[place + len(name) :][:1]) for place in places)


def _inner(sign: str) -> bool:
    """Whether a word goes on with it: letters and digits, and vowels that scripts of India write as marks."""
    return sign != "" and (sign.isalnum() or sign in JOINERS or unicodedata.category(sign).startswith("M"))


def _strange(one: Submission, asked: ExerciseSet, course: str, name: str) -> None:
    """Say in a submission what its numbers have to do with others than this student's."""
    if asked.variants != "book" and any(_clean(seed) != _clean(asked.seed(course, name)) for seed in one.seeds):
        other = ", ".join(sorted(one.seeds))
        one.problems.append(f"Its seed is {other}, so that answers may be to numbers of somebody else.")
    if asked.variants != "book" and one.answers:
        varied = {found.label for found in asked.exercises if any(len(values) > 1 for values in found.varies.values())}
        if dropped := varied & {*one.answers}:
            one.answers = {label: value for label, value in one.answers.items() if label not in dropped}
            one.problems.append(
                f"{one.entry} answers the book's numbers, and this set has others: {len(dropped)} left out."
            )


def _clean(name: str) -> str:
    """A name with plain spaces between its words, and no marks of direction or the like."""
    kept = (
        sign for sign in unicodedata.normalize("NFC", name) if sign in JOINERS or unicodedata.category(sign) != "Cf"
    )
    return " ".join("".join(kept).split()).strip(f" {JOINERS}")


def _visible(name: str) -> bool:
    return all(sign.isprintable() or sign in JOINERS for sign in name)


def _plain(name: str) -> str:
    """Letters and digits alone, without case and accents; vowels that are marks stay, as they are letters, too."""
    signs = unicodedata.normalize("NFKD", name.casefold()).translate(BARE)
    return "".join(sign for sign in signs if _inner(sign) and sign not in JOINERS and unicodedata.combining(sign) < 200)
