"""Submissions to points: their code runs in sandboxes, and what comes back is judged here."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from uatlib.internal.progress import progress

from ..exercises import Exercise, Feedback
from ..timed import within
from . import sandbox
from .kept import Kept, key
from .sets import ExerciseSet
from .students import ClassList, safe
from .submissions import Submission

JUDGING = 60
"""Seconds of the processor for what is handed in for an exercise."""
LONGEST = 100_000
"""Signs of a text within what is handed in: longer numbers take minutes to read, which nothing can interrupt."""
MOST_SHOWN = 300
"""Signs of an answer that is shown again."""
MOST_COMMENTS = 40
"""Lines of comments in the table, of MOST_SHOWN signs: Excel's cell takes 32,767. The page of feedback has them all."""
NOTHING = {"problem": "no answer was handed in"}


@dataclass(frozen=True)
class Graded:
    """A student's feedback by label, or why there is none; what was wrong with files or cells; and the answers."""

    student: str
    seed: str
    said: Mapping[str, Feedback | str]
    problems: Sequence[str]
    points: Mapping[str, Fraction]
    handed: Mapping[str, Any]

    @property
    def total(self) -> Fraction:
        """All points."""
        return sum(self.points.values(), Fraction(0))


@dataclass(frozen=True)
class Runs:
    """How submissions run: `jobs` side by side; `seconds` a cell or an answer, `most` all of one; in a sandbox or bare.

    What came of them is kept in `kept`, by their content; sandboxes do not see the folders `hidden`.
    """

    jobs: int = 1
    seconds: float = 5
    most: float = 300
    confined: bool = True
    kept: Kept | None = None
    hidden: Sequence[Path] = ()


def grade(
    whose: Mapping[str, Sequence[Submission]], asked: ExerciseSet, course: str, runs: Runs | None = None
) -> list[Graded]:
    """What each student is told, in their order, of several submissions of the better answer to each exercise.

    Where a process of a submission was ended, as the machine may have been busy, or out of memory, the submission runs
    once more when the others are done, alone, and that counts.
    """
    submissions = [one for several in whose.values() for one in several]
    runs = runs or Runs()
    jobs = [_job(one, asked, course, runs) for one in submissions]
    with ThreadPoolExecutor(runs.jobs) as pool:
        work = pool.map(lambda pair: _found(pair[0], pair[1], runs, again=False), zip(submissions, jobs, strict=True))
        found = [*progress(work, "grading", len(submissions))]
    ended = [place for place, one in enumerate(found) if one["ended"]]
    for place in progress(ended, "once more, alone", len(ended)):
        found[place] = _found(submissions[place], jobs[place], runs, again=True)
    graded = [
        _graded(one, asked, course, *_handed(one, asked, course, each))
        for one, each in zip(submissions, found, strict=True)
    ]
    return [_best([one for one in graded if one.student == name], name, asked, course) for name in whose]


def _job(submission: Submission, asked: ExerciseSet, course: str, runs: Runs) -> sandbox.Job:
    seed = asked.seed(course, submission.student)
    wanted = [_wanted(one, seed) for one in _run_here(submission, asked)]
    return sandbox.Job(submission.cells, wanted, runs.seconds, runs.most)


def _run_here(submission: Submission, asked: ExerciseSet) -> list[Exercise]:
    """The exercises that the cells of a submission answer, and no page."""
    return [one for one in asked.exercises if one.label not in submission.answers]


def _found(submission: Submission, job: sandbox.Job, runs: Runs, *, again: bool) -> sandbox.Found:
    """What came of a submission, now or in an earlier run."""
    if not job.cells or not job.wanted:
        return {"cells": {}, "answers": {}, "ended": False}
    name = key([asdict(job), runs.confined, again])
    found = runs.kept.get(name) if runs.kept else None
    if found is None:
        if runs.kept:
            runs.kept.begin(name, submission.entry or submission.student)
        try:
            found = sandbox.run(job, confined=runs.confined, hidden=runs.hidden)
        except sandbox.Unstarted:
            if again:
                raise
            return {"cells": {}, "answers": {}, "ended": True}
        if runs.kept:
            runs.kept.done(name, found)
    return dict(found)


def _best(several: Sequence[Graded], student: str, asked: ExerciseSet, course: str) -> Graded:
    """Of several submissions of a student the better answer to each exercise."""
    if not several:
        several = [_graded(Submission(student, problems=["Nothing was handed in."]), asked, course, {}, [])]
    best = {one.label: _better(several, one.label) for one in asked.exercises}
    return Graded(
        student,
        several[0].seed,
        {label: made.said[label] for label, made in best.items()},
        [problem for made in several for problem in made.problems],
        {label: made.points[label] for label, made in best.items()},
        {label: made.handed[label] for label, made in best.items()},
    )


def _better(several: Sequence[Graded], label: str) -> Graded:
    return max(several, key=lambda made: made.points[label])


def _handed(
    submission: Submission, asked: ExerciseSet, course: str, found: sandbox.Found
) -> tuple[dict[str, Any], list[str]]:
    """By label what was handed in, as plain data; and what was wrong with the cells."""
    handed: dict[str, Any] = {label: {"handed": value} for label, value in _exported(submission, asked)}
    for place, one in enumerate(_run_here(submission, asked)):
        handed[one.label] = found["answers"].get(str(place), NOTHING)
    cells = sorted((int(k), str(problem)[:400]) for k, problem in found["cells"].items())
    return handed, [f"{submission.unit} {k}: {problem}" for k, problem in cells]


def _graded(
    submission: Submission, asked: ExerciseSet, course: str, handed: Mapping[str, Any], problems: Sequence[str]
) -> Graded:
    seed = asked.seed(course, submission.student)
    said = {one.label: _said(one, handed.get(one.label, NOTHING), seed) for one in asked.exercises}
    points = {}
    for one in asked.exercises:
        found = said[one.label]
        share = Fraction(found.points, one.points) if isinstance(found, Feedback) else Fraction(0)
        points[one.label] = share * asked.points[one.label]
    answers = {
        one.label: handed.get(one.label, NOTHING).get("handed") if one.is_data else None for one in asked.exercises
    }
    return Graded(submission.student, seed, said, [*submission.problems, *problems], points, answers)


def _exported(submission: Submission, asked: ExerciseSet) -> Iterator[tuple[str, Any]]:
    """The answers that a page exported, an entry a field."""
    for one in asked.exercises:
        if one.label in submission.answers:
            value = submission.answers[one.label]
            several = isinstance(value, list) and len(value) == len(one.hands_in) > 1
            yield one.label, value if several else [value]


def _wanted(one: Exercise, seed: str) -> dict[str, Any]:
    """What a sandbox must know of an exercise: the name of the answer, what it is, and on what to call it."""
    fields = [{"kind": part.kind, "name": part.name, "tensors": part.tensors} for part in one.hands_in]
    return {"name": one.name, "fields": fields, "calls": one.calls(seed)}


def _said(one: Exercise, found: Any, seed: str) -> Feedback | str:
    """The feedback, or why there is none; whatever a submission has written."""
    if not isinstance(found, dict) or not isinstance(found.get("handed"), list):
        return str(found.get("problem", "no answer"))[:400] if isinstance(found, dict) else "no answer"
    handed = found["handed"]
    if _longest(handed) > LONGEST:
        return f"The answer holds a number or a text of more than {LONGEST:,} signs."
    functions = [value for part, value in zip(one.hands_in, handed, strict=False) if part.kind == "function"]
    calls = len(one.calls(seed))
    if len(handed) != len(one.hands_in) or not all(_outcomes(value, calls) for value in functions):
        return "The answer has another shape than is asked for."
    try:
        with within(JUDGING, "The answer is too large to be judged.", of_processor=True):
            return one.judged(one.parse(handed), seed)
    except Exception as error:  # one answer, whatever it is, ends nobody else's grading
        return str(error)[:400] or type(error).__name__


def _longest(value: Any) -> int:
    """The signs of the longest text in plain data; that of a network is one of numbers with quotes around them."""
    if isinstance(value, str):
        return max(map(len, value.split('"')), default=0)
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return max(map(_longest, parts), default=len(str(value)) if isinstance(value, int) else 0)


def _outcomes(value: Any, calls: int) -> bool:
    return isinstance(value, list) and len(value) == calls and all(isinstance(entry, dict) for entry in value)


def table(graded: Sequence[Graded], asked: ExerciseSet, known: ClassList | None = None) -> str:
    """CSV: student, what else a class list has, points of each exercise, total, and comments."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    labels = [one.label for one in asked.exercises]
    heads = known.heads if known else ["student"]
    rows.writerow([*heads, *labels, "total", "comments"])
    for one in graded:
        beside = known.rows.get(one.student, [""] * (len(heads) - 1)) if known else []
        points = [f"{float(one.points[label]):g}" for label in labels]
        said = safe(" | ".join(_first(comments(one))))
        rows.writerow([*map(safe, [one.student, *beside]), *points, f"{float(one.total):g}", said])
    return text.getvalue()


def comments(one: Graded) -> list[str]:
    """A line for each exercise that is not right, and for what was wrong with the file."""
    lines = [f"{label}: {_short(said)}" for label, said in one.said.items() if _short(said)]
    return [*lines, *one.problems]


def _first(lines: Sequence[str]) -> list[str]:
    """As many as a cell takes, and how many more there are."""
    more = len(lines) - MOST_COMMENTS
    return [*map(_cut, lines[:MOST_COMMENTS]), *[f"and {more:,} more"] * (more > 0)]


def _cut(text: str) -> str:
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]} ..."


def handed_text(one: Graded, label: str) -> str:
    """What was handed in, where it is data."""
    values = one.handed[label]
    if not isinstance(values, list):
        return ""
    text = ", ".join(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for value in values)
    return _cut(text)


def _short(said: Feedback | str) -> str:
    if isinstance(said, str):
        return said
    return "" if said.verdict == "right" else " ".join(said.sentences)
