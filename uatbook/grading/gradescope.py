"""Within Gradescope's container: `python -m uatbook.grading.gradescope SET SUBMISSION METADATA RESULTS`.

SET is the file of the autograder's zip, SUBMISSION the folder of one student, METADATA what Gradescope says of them,
RESULTS what it reads: a test a line of each rubric, with its points and, where it fails, what the student is told. The
container holds one submission. Where it makes no sandbox for it, as most do not, code of a submission can reach the
judges and what is written of it: a test of no points, which students do not see, says so to their teacher.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from uatlib.internal import writing

from ..exercises import RUNS, Feedback
from . import grades, sandbox, sets, submissions

UNCONFINED = (
    "This container makes no sandbox ({}). So code of this submission could read the judges, and change its results, "
    "this line, too: look into what surprises you, or grade it with `python -m uatlib grade` where there is a sandbox."
)


def results(asked: sets.ExerciseSet, one: grades.Graded, lacking: str) -> dict[str, Any]:
    """Gradescope's results: `tests` with name, score, max_score, output and visibility; and why there is no sandbox."""
    tests: list[dict[str, Any]] = []
    for found in asked.exercises:
        said, most = one.said[found.label], float(asked.points[found.label])
        told = said if isinstance(said, str) else "\n".join(said.sentences)
        lines = said.certificate.checks if isinstance(said, Feedback) else ()
        held = {line.name: line.holds for line in lines if line.name != RUNS}
        for name in found.rubric:
            share = most / found.points
            tests.append(
                {
                    "name": f"{found.label}: {name}",
                    "score": share * held.get(name, False),
                    "max_score": share,
                    "output": "" if held.get(name) else told,
                    "visibility": "visible",
                }
            )
    if lacking:
        said = UNCONFINED.format(lacking)
        tests.append({"name": "no sandbox", "score": 0, "max_score": 0, "output": said, "visibility": "hidden"})
    return {"tests": tests, "output": "\n".join(one.problems), "visibility": "visible"}


def main(arguments: Sequence[str]) -> None:
    """Grade one submission; the student's numbers come of their e-mail address."""
    given, folder, metadata, out = map(Path, arguments)
    content = json.loads(given.read_text(encoding="utf-8"))
    asked = sets.parsed(content["set"])
    users = json.loads(metadata.read_text(encoding="utf-8")).get("users") or [{}]
    student, made = str(users[0].get("email", "")), submissions.within(folder)
    for one in made:
        one.student = student
    lacking = sandbox.refusal(hidden := [folder, out.parent])
    runs = grades.Runs(confined=not lacking, hidden=hidden)
    out.parent.mkdir(parents=True, exist_ok=True)
    graded = grades.grade({student: made}, asked, content["course"], runs)[0]
    writing.write(out, json.dumps(results(asked, graded, lacking), indent=1))


if __name__ == "__main__":
    main(sys.argv[1:])
