"""What an exercise that judges itself is, the registry, and what a judged answer is told."""

from __future__ import annotations

import contextlib
import inspect
import itertools
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from string import Formatter
from typing import Any

from uatlib.certificate import Certificate, Check
from uatlib.internal.number_text import witness_text

from ..answers import ROUNDED, Field, equal, rounded, spelled
from ..handed import handed_in, plain
from .feedback_html import feedback_html
from .lazy import lazy_answers

Parameters = Mapping[str, Any]
Wrong = tuple[Any, str]
"""A plausible wrong answer, or a function of the parameters to it; and what it is told: a line of the rubric, or a
sentence of its own."""
HEADS = {"right": "Right.", "nearly": "Nearly.", "not yet": "Not yet."}
RUNS = "runs"
"""The check, before all others, that a function or network that is handed in gives an answer of its kind, always."""
RAN = "{name}({arguments}) gives no answer that counts: {problem}"

EXERCISES: dict[str, Exercise] = {}
_idle: dict[tuple[str, ...], int] = {}


@dataclass(frozen=True, eq=False, repr=False)
class Exercise:
    """An exercise that judges answers to it.

    Attributes
    ----------
    label : its label in the book, "ex-..."
    about : ids of the statements that it asks about
    asks : the question, with {parameters} in braces
    hands_in : what is handed in, a field or several
    varies : by parameter, its values; the first ones are the book's
    rubric : by the name of a check, what is said when it fails, with the {names} of its witness and the parameters in
        braces; one point a check
    judge : from the parsed answer and the parameters to the checks
    reference : from the parameters to a right answer
    wrong : by name, plausible wrong answers, each with what it is told
    hint : what is said after three tries; where fields are compared, only while two or more of them are wrong
    hints : by name of a line, what is said in place of it while this line fails
    why : what is said of a right answer
    entry : lines of the rubric that are only the way in: points, but nothing that one could call nearly right
    compares : whether the judge compares with the one right answer, field by field
    page : what the judge's twin in judges.js needs besides the parameters and the right answer
    inputs : from the parameters to the lists of arguments on which a function that is handed in is called
    """

    label: str
    asks: str
    hands_in: Sequence[Field]
    rubric: Mapping[str, str]
    judge: Callable[..., Iterable[Check]]
    reference: Callable[..., Any]
    wrong: Mapping[str, Wrong]
    hint: str
    hints: Mapping[str, str] = field(default_factory=dict)
    why: str = ""
    varies: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    inputs: Callable[..., Sequence[Sequence[Any]]] | None = None
    compares: bool = False
    entry: Sequence[str] = ()
    page: Mapping[str, Any] = field(default_factory=dict)
    about: Sequence[str] = ()

    @property
    def name(self) -> str:
        """The name under which a notebook hands it in: that of the function, or the label's, as "start_diagonal"."""
        first = self.hands_in[0]
        if len(self.hands_in) == 1 and first.kind in ("function", "network"):
            return first.name
        return self.label.removeprefix("ex-").replace("-", "_")

    @property
    def blank(self) -> str:
        """What stands in a notebook where the answer goes."""
        first = self.hands_in[0]
        if len(self.hands_in) == 1 and first.kind == "function":
            return f"def {self.name}({first.arguments}):\n    ..."
        return f"{self.name} = ..."

    def variants(self) -> list[Exercise]:
        """This exercise for each choice of its parameters alone, the book's first."""
        chosen = itertools.product(*([(name, [value]) for value in values] for name, values in self.varies.items()))
        return [replace(self, varies=dict(some)) for some in chosen]

    def published(self) -> Fraction:
        """How many points the book's own answer is worth, on average, to somebody with other numbers."""
        book, *others = self.variants()
        answer, found = book.at(self.reference), 0
        for one in others or [book]:
            with contextlib.suppress(ValueError):  # nothing of its kind
                found += one.judged(one.collect(answer)).points
        return Fraction(found, len(others) or 1)

    @property
    def is_data(self) -> bool:
        """Whether it is answered without a program: by numbers, choices, lists, tables, patterns."""
        return not self._runs

    @property
    def points(self) -> int:
        """One a line of the rubric."""
        return len(self.rubric)

    def idle(self, seed: str = "") -> int:
        """How many lines hold of an answer without a thought, at most: what is told counts from there."""
        key = (self.label, *map(str, self.variant(seed).values()))
        if key not in _idle and self.is_data:
            right = self.collect(self.at(self.reference, seed), seed)
            _idle[key] = max(self._holding(answer, seed) for answer in lazy_answers(self.hands_in, right))
        return _idle.get(key, 0)

    def _holding(self, answer: Sequence[Any], seed: str) -> int:
        values = self.parse(answer)
        lines = list(self.judge(*values, **self.variant(seed)))
        return sum(check.holds for check in lines)

    def variant(self, seed: str = "") -> dict[str, Any]:
        """The parameters for a seed, "course:student", others than the book's if there are any; for none the book's."""
        book = {name: values[0] for name, values in self.varies.items()}
        if not seed or all(len(values) == 1 for values in self.varies.values()):
            return book
        rng = random.Random(f"{self.label}:{seed}".encode("utf-8", "surrogatepass"))  # a file's name holds any bytes
        while (chosen := {name: rng.choice(values) for name, values in self.varies.items()}) == book:
            pass  # their solution is published
        return chosen

    def question(self, seed: str = "") -> str:
        """What is asked of whoever has this seed."""
        return self.asks.format(**self.variant(seed))

    def calls(self, seed: str = "") -> list[list[Any]]:
        """The inputs of a function that is handed in, as plain data."""
        return [plain(call) for call in self.inputs(**self.variant(seed))] if self.inputs else []

    def collect(self, answer: Any, seed: str = "") -> list[Any]:
        """What there is to be judged: a value a field, parsed; of a function its outcomes on the inputs.

        ValueError if the answer is not what is asked for.
        """
        return self.parse(handed_in(self.hands_in, answer, self.calls(seed)))

    def parse(self, handed: Sequence[Any]) -> list[Any]:
        """The same from what `handed_in` made of the answer, perhaps in another process."""
        fields = zip(self.hands_in, handed, strict=True)
        return [value if part.kind == "function" else part.parse(value) for part, value in fields]

    def judged(self, values: Sequence[Any], seed: str = "") -> Feedback:
        """What is said of collected values. ValueError where they are nothing of their kind."""
        p, calls = self.variant(seed), self.calls(seed)
        values, problems = self._results(values, calls)
        pairs = zip(self.hands_in, values, strict=True)
        given = [list(zip(calls, value, strict=True)) if part.kind == "function" else value for part, value in pairs]
        broken = False
        try:
            lines = list(self.judge(*given, **p))
        except Exception as error:
            if not self._runs:
                raise
            broken = True
            problems.append({"name": self.name, "arguments": "...", "problem": str(error)})
            lines = [Check.none(name, [{}]) for name in self.rubric]
        found = [*([Check.none(RUNS, problems, cases=len(calls) or 1)] if self._runs else []), *lines]
        certificate = Certificate(found, self.question(seed), {})
        if [check.name for check in lines] != [*self.rubric]:
            raise ValueError(f"{self.label}: expected the checks {', '.join(self.rubric)}, got {certificate}")
        if certificate.holds:
            return Feedback(self, certificate, [self.why.format(**p)] if self.why else [], idle=self.idle(seed))
        own = self._recognised(values, seed)
        failing = found[:1] if broken else [check for check in found if not check.holds]
        said = [own] if own else [self._sentence(check, p) for check in failing]
        sentences = [sentence for sentence in said if sentence]
        sentences = sentences or [f"What does not hold yet: {', '.join(check.name for check in failing)}."]
        return Feedback(self, certificate, sentences, idle=self.idle(seed))

    def hinted(self, failing: Sequence[str], seed: str = "") -> str:
        """What is said after three tries to whoever has these lines wrong: nothing that is about another field."""
        own = [self.hints[name] for name in failing if name in self.hints]
        outside = bool(failing) and failing[0] in self.entry[:1]  # it is not yet an answer to what is asked
        one = self.compares and self.points > 1 and len(failing) == 1
        general = [] if one or outside else [self.hint]
        return " ".join(own or general).format(**self.variant(seed))

    def unread(self, why: str) -> Feedback:
        """What is said where there is no answer to be judged."""
        lines = [Check.none(name, [{}]) for name in self.rubric]
        return Feedback(self, Certificate(lines, self.asks, {}), [why])

    def _results(self, values: Sequence[Any], calls: Sequence[Any]) -> tuple[list[Any], list[dict[str, Any]]]:
        """The values, with a function's outcomes parsed, None where one is nothing of the kind; and these problems."""
        found, problems = [], []
        for part, value in zip(self.hands_in, values, strict=True):
            if part.kind == "function":
                value, wrong = _parsed_outcomes(part, calls, value)
                problems += wrong
            found.append(value)
        return found, problems

    @property
    def _runs(self) -> bool:
        """Whether what is handed in can fail when it runs."""
        return any(part.kind in ("function", "network") for part in self.hands_in)

    def _sentence(self, check: Check, p: Parameters) -> str:
        """What is said of a line that fails, behind the name of its field if there are several.

        Nothing where its witness lacks what the sentence names.
        """
        found = check.witness if isinstance(check.witness, Mapping) else {}
        witness = {name: value for name, value in found.items() if value is not None}
        shown = {name: witness_text(spelled(value)) for name, value in witness.items()}
        template = RAN if check.name == RUNS else ROUNDED if witness.get("rounded") else self.rubric[check.name]
        names = {name.partition("[")[0] for _, name, _, _ in Formatter().parse(template) if name}
        if not names <= {*p, *shown}:
            return ""
        of = [f"{part.label}: " for part in self.hands_in if part.name == check.name and len(self.hands_in) > 1]
        return "".join(of) + template.format(**{**p, **shown})

    def _recognised(self, values: Sequence[Any], seed: str) -> str:
        """The sentence of its own of the wrong answer that this is, or none."""
        for answer, says in self.wrong.values():
            if says not in self.rubric:
                others, _ = self._results(self.collect(self.at(answer, seed), seed), self.calls(seed))
                if all(equal(part, a, b) for part, a, b in zip(self.hands_in, values, others, strict=True)):
                    return says.format(**self.variant(seed))
        return ""

    def at(self, answer: Any, seed: str = "") -> Any:
        """A wrong answer for these parameters, where it is a function of them."""
        takes = callable(answer) and set(inspect.signature(answer).parameters) == set(self.varies)
        return answer(**self.variant(seed)) if takes else answer


@dataclass(frozen=True, eq=False)
class Feedback:
    """What an answer is told: the certificate, a check a line of the rubric, and a sentence for each that fails.

    Or why it is right, where the exercise says so.
    """

    exercise: Exercise
    certificate: Certificate
    sentences: Sequence[str]
    hint: str = ""
    idle: int = 0

    @property
    def points(self) -> int:
        """One for each line of the rubric that holds."""
        return sum(check.holds for check in self.certificate.checks if check.name != RUNS)

    @property
    def score(self) -> str:
        """In words, how much more holds than of an answer without a thought; nothing where that is all or nothing."""
        most = self.exercise.points - self.idle
        return f" {max(0, self.points - self.idle)} of {most} points." if most > 1 and self.verdict != "right" else ""

    @property
    def verdict(self) -> str:
        """One of "right"; "nearly", if more than half of the rubric holds, the way in left out; or "not yet"."""
        if self.certificate.holds:
            return "right"
        counted = [c.holds for c in self.certificate.checks if c.name not in (RUNS, *self.exercise.entry)]
        return "nearly" if 2 * sum(counted) > len(counted) else "not yet"

    def require(self, line: str) -> None:
        """AssertionError with what is said, unless this line of the rubric holds: for graders that run tests."""
        holds = {check.name: check.holds for check in self.certificate.checks}
        if not holds[line]:
            raise AssertionError("\n".join(self.sentences) or line)

    def __str__(self) -> str:
        lines = [f"{HEADS[self.verdict]}{self.score}", *self.sentences]
        return "\n".join([*lines, f"Hint: {self.hint}"] if self.hint else lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rubric = [(check.name, check.holds) for check in self.certificate.checks]
        return feedback_html(self.verdict, str(self).split("\n"), rubric)


def exercise(
    label: str, *, hands_in: Field | Sequence[Field], **parts: Any
) -> Callable[[Callable[..., Any]], Exercise]:
    """Register an exercise.

    With `reference` the function below is the judge: of the parsed answer, a value a field, and the parameters, to the
    checks, each named as a line of the rubric. Without it, it is the right answer for the parameters: the judge then
    compares field by field, and the rubric has a line a field.
    """
    fields = (hands_in,) if isinstance(hands_in, Field) else tuple(hands_in)

    def decorate(function: Callable[..., Any]) -> Exercise:
        if "reference" not in parts:
            parts["reference"] = function
            parts["judge"] = _comparison(fields, function)
            parts["compares"] = True
        found = Exercise(label=label, hands_in=fields, **{"judge": function, **parts})
        if label in EXERCISES:
            raise ValueError(f"{label}: expected one exercise of this label, got a second.")
        EXERCISES[label] = found
        return found

    return decorate


def _comparison(fields: Sequence[Field], right: Callable[..., Any]) -> Callable[..., Iterable[Check]]:
    """The judge that compares field by field with the right answer."""

    def judge(*values: Any, **p: Any) -> Iterable[Check]:
        expected = [right(**p)] if len(fields) == 1 else right(**p)
        for part, value, target in zip(fields, values, expected, strict=True):
            expected_here = part.parse(target)
            told = {"given": value} | ({"rounded": True} if rounded(part, value, expected_here) else {})
            yield Check.none(part.name, [] if equal(part, value, expected_here) else [told])

    return judge


def _parsed_outcomes(
    made: Field, calls: Sequence[Sequence[Any]], outcomes: Sequence[Mapping[str, Any]]
) -> tuple[list[Any], list[dict[str, Any]]]:
    """What a function gave for each call, parsed, None where that is nothing of the kind; and the problems."""
    results, problems = [], []
    for call, found in zip(calls, outcomes, strict=True):
        problem = found.get("problem", "")
        value = None
        if not problem and made.returns is not None:
            try:
                value = made.returns.parse(found.get("value"))
            except (ValueError, RecursionError) as error:
                problem = str(error)
        results.append(value)
        if problem:
            arguments = ", ".join(witness_text(argument) for argument in call)
            problems.append({"name": made.name, "arguments": arguments, "problem": problem})
    return results, problems
