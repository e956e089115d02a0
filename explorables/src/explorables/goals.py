"""Goals of pictures: what a reader is to reach by moving them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .checks import mapping, refused

__all__ = ["Asked", "Goal", "as_goals"]


Reached = Callable[[str, Mapping[str, Any]], object]
Asked = tuple[str, Reached] | tuple[str, Reached, str]
"""What an explorer asks for: a sentence, a function that judges, and perhaps what is gained once it is reached."""


@dataclass(frozen=True)
class Goal:
    """What the reader is to reach by moving a picture, in a sentence; not so at the start.

    `exercise` is the label of an exercise of the page that asks for the same; the goal links to it. An explorer knows
    from the read-out and the values by name whether a goal is `reached`; a live picture's script knows it by itself,
    and adds a sentence on what is there. Once the reader's hand has reached it, both say what is `gained`.
    """

    asks: str
    exercise: str = ""
    reached: Reached | None = None
    gained: str = ""

    def spec(self, name: str) -> dict[str, str]:
        """What the view needs to know, as JSON."""
        said = {"name": name, "asks": self.asks, "exercise": self.exercise}
        return said | ({"gained": self.gained} if self.gained else {})


def as_goals(goals: object, *, judged: bool) -> dict[str, Goal]:
    """Goals by name, given as `Asked` or else as sentences or goals; or ValueError."""
    found = {}
    for name, given in ({} if goals is None else mapping("goals", goals)).items():
        match given:
            case (str(asks), reached, *gained) if judged and asks and callable(reached) and _sentence(gained):
                found[str(name)] = Goal(asks, "", reached, *gained)
            case str(asks) | Goal(asks=str(asks)) if not judged and asks:
                found[str(name)] = given if isinstance(given, Goal) else Goal(asks)
            case _:
                expected = "a sentence and a function of read-out and values" if judged else "a sentence or a Goal"
                raise refused(f"goals[{name!r}]", expected, given)
    return found


def _sentence(rest: list[object]) -> bool:
    return not rest or (len(rest) == 1 and isinstance(rest[0], str))
