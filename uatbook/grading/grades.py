"""Submissions to points: their code runs in sandboxes, and what comes back is judged here."""

from __future__ import annotations

import csv
import io
import json
import os
import secrets
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from queue import SimpleQueue
from typing import Any

from uatlib.progress import progress

from ..exercises import Exercise, Feedback
from ..timed import within
from . import sandbox
from .sets import ExerciseSet
from .students import ClassList
from .submissions import Submission

JUDGING = 60
"""Seconds of the processor for what is handed in for an exercise."""
MEMORY = 2 * 2**30
"""Bytes that a submission may take beyond what the library does."""
MOST_SHOWN = 300
"""Signs of an answer that is shown again."""
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


def grade(
    whose: Mapping[str, Sequence[Submission]], asked: ExerciseSet, course: str, *, jobs: int = 1, seconds: float = 5
) -> list[Graded]:
    """What each student is told, in their order, of several submissions of the better answer to each exercise.

    `jobs` sandboxes work side by side; `seconds` are a cell's or an answer's.
    """
    submissions = [one for several in whose.values() for one in several]
    free: SimpleQueue[Sandbox] = SimpleQueue()
    for _ in range(jobs):
        free.put(Sandbox())

    def handed(submission: Submission) -> tuple[dict[str, Any], Sequence[str]]:
        box = free.get()
        try:
            return _handed(
                submission, asked, course, lambda job: box.run({**job, "seconds": seconds, "memory": MEMORY})
            )
        finally:
            free.put(box)

    try:
        with ThreadPoolExecutor(jobs) as pool:
            done = progress(pool.map(handed, submissions), "grading", len(submissions))
            graded = [_graded(one, asked, course, *found) for one, found in zip(submissions, done, strict=True)]
    finally:
        while not free.empty():
            free.get().close()
    return [_best([one for one in graded if one.student == name], name, asked, course) for name in whose]


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
    submission: Submission, asked: ExerciseSet, course: str, run: Callable[[dict[str, Any]], dict[str, Any]]
) -> tuple[dict[str, Any], list[str]]:
    """By label what was handed in, as plain data; and what was wrong with the cells."""
    seed = asked.seed(course, submission.student)
    run_here = [one for one in asked.exercises if one.label not in submission.answers]
    result: dict[str, Any] = {"cells": {}, "answers": {}}
    if submission.cells and run_here:
        result = run({"cells": submission.cells, "wanted": [_wanted(one, seed) for one in run_here]})
    handed: dict[str, Any] = {label: {"handed": value} for label, value in _exported(submission, asked)}
    for place, one in enumerate(run_here):
        handed[one.label] = result["answers"].get(str(place), NOTHING)
    cells = sorted((int(k), str(problem)[:400]) for k, problem in result["cells"].items())
    return handed, [f"Code cell {k + 1}: {problem}" for k, problem in cells]


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
    functions = [value for part, value in zip(one.hands_in, handed, strict=False) if part.kind == "function"]
    calls = len(one.calls(seed))
    if len(handed) != len(one.hands_in) or not all(_outcomes(value, calls) for value in functions):
        return "The answer has another shape than is asked for."
    try:
        with within(JUDGING, "The answer is too large to be judged.", of_processor=True):
            return one.judged(one.parse(handed), seed)
    except Exception as error:  # one answer, whatever it is, ends nobody else's grading
        return str(error)[:400] or type(error).__name__


def _outcomes(value: Any, calls: int) -> bool:
    return isinstance(value, list) and len(value) == calls and all(isinstance(entry, dict) for entry in value)


class Sandbox:
    """A process of `sandbox.py`, started again where a submission has ended it."""

    def __init__(self) -> None:
        self._process = self._started()

    @staticmethod
    def _started() -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "uatbook.grading.sandbox"]
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, job: Mapping[str, Any]) -> dict[str, Any]:
        """What the sandbox says of a submission."""
        for _ in range(2):  # the code of another submission may have ended it
            try:
                return self._once(job)
            except (OSError, ValueError, RecursionError):
                self.close()
                self._process = self._started()
        problem = {"problem": "the code of this submission ended the process that runs submissions"}
        return {"cells": {}, "answers": {str(place): problem for place in range(len(job["wanted"]))}}

    def _once(self, job: Mapping[str, Any]) -> dict[str, Any]:
        """ValueError if the process ends, or another than it answers."""
        done = threading.Event()
        threading.Thread(target=self._watch, args=(done, sandbox.longest(job) + 60), daemon=True).start()
        try:
            self._say(job)
            if self._told() != "done":
                raise ValueError("expected the end of a submission")
            # It learns this word when the code has ended: no line that the code wrote in its name holds it.
            word = secrets.token_hex(16)
            self._say(word)
            said = self._told()
        finally:
            done.set()
        if not isinstance(said, dict) or said.get("word") != word:
            raise ValueError("expected the answer of the process that runs submissions")
        found: dict[str, Any] = said["found"]
        return found

    def _watch(self, done: threading.Event, seconds: float) -> None:
        """End the process where it takes too long, or somebody has stopped it."""
        process, end = self._process, time.monotonic() + seconds
        while not done.wait(0.5):
            with suppress(ChildProcessError):
                _, status = os.waitpid(process.pid, os.WUNTRACED | os.WNOHANG)
                if os.WIFSTOPPED(status) or time.monotonic() > end:
                    process.kill()

    def _say(self, what: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(what) + "\n")
        self._process.stdin.flush()

    def _told(self) -> Any:
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()


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
        said = _safe(" | ".join(comments(one)))
        rows.writerow([*map(_safe, [one.student, *beside]), *points, f"{float(one.total):g}", said])
    return text.getvalue()


def comments(one: Graded) -> list[str]:
    """A line for each exercise that is not right, and for what was wrong with the file."""
    lines = [f"{label}: {_short(said)}" for label, said in one.said.items() if _short(said)]
    return [*lines, *one.problems]


def handed_text(one: Graded, label: str) -> str:
    """What was handed in, where it is data."""
    values = one.handed[label]
    if not isinstance(values, list):
        return ""
    text = ", ".join(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False) for value in values)
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]} ..."


def _short(said: Feedback | str) -> str:
    return said if isinstance(said, str) else " ".join(said.sentences)


def _safe(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    cell = "".join(sign if sign.isprintable() else " " for sign in cell)
    return f"'{cell}" if cell.lstrip()[:1] in tuple("=+-@＝＋－＠") else cell
