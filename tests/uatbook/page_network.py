"""network.js from Python: in node, one process for all questions, or in a page."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from explorables.live.node import Node
from uatbook.live import lowered, picture
from uatlib.model import Transformer

SCRIPT = Path(picture.__file__).with_name("network.js")
SERVER = Path(__file__).with_name("page_network.js")


class Refused(Exception):
    """The error that the page threw."""


class Network:
    """A network of network.js; `ask` sends a line of JSON and returns the answer."""

    count = 0

    def __init__(self, ask: Callable[[str], str], spec: dict[str, Any] | None = None) -> None:
        Network.count += 1
        self.ask, self.name = ask, str(Network.count)
        if spec is not None:
            self._send(spec=spec)

    def __call__(self, X: Any) -> np.ndarray:
        """The output for X of shape (batch, d, n)."""
        return _batch_first(self._call("run", X), len(X))

    def trace(self, X: Any) -> list[np.ndarray]:
        """What `Transformer.trace` gives, but for the shape (batch, d n) of each."""
        return [_batch_first(state, len(X)) for state in self._call("trace", X)]

    def attend(self, i: int, X: Any) -> list[dict[str, np.ndarray]]:
        """For each head of layer i scores, weights of shape (n, n, batch) and values of shape (v, n, batch)."""
        n = np.shape(X)[-1]
        heads = self._call("attend", X, i)
        return [{name: part.reshape(-1, n, len(X)) for name, part in head.items()} for head in heads]

    def replace(self, i: int, weights: dict[str, Any]) -> Network:
        """The network with these weights in layer i."""
        given = {name: array if isinstance(array, list) else _packed(array) for name, array in weights.items()}
        return self._other("replace", [i, given])

    def scaled(self, i: int, factor: float) -> Network:
        """The network with the scores of layer i times `factor`."""
        return self._other("scaled", [i, factor])

    def _other(self, call: str, args: list[Any]) -> Network:
        other = Network(self.ask)
        self._send(call=call, args=args, **{"as": other.name})
        return other

    def _call(self, call: str, X: Any, *before: Any) -> Any:
        X = np.asarray(X, dtype=np.float64)
        options = {"n": X.shape[-1], "batch": len(X)}
        return self._send(call=call, args=[*before, _batch_last(X), options])

    def _send(self, **question: Any) -> Any:
        answer = json.loads(self.ask(json.dumps({"name": self.name, **question})), object_hook=_numbers)
        if "error" in answer:
            raise Refused(answer["error"])
        return answer.get("value")


def _batch_last(X: np.ndarray) -> dict[str, str]:
    return _packed(np.moveaxis(X, 0, -1))


def _packed(array: Any) -> dict[str, str]:
    return {"numbers": base64.b64encode(np.asarray(array).astype("<f8").tobytes()).decode()}


def _batch_first(values: np.ndarray, batch: int) -> np.ndarray:
    return values.reshape(-1, batch).T


def _numbers(data: dict[str, Any]) -> Any:
    return np.frombuffer(base64.b64decode(data["numbers"]), dtype="<f8") if set(data) == {"numbers"} else data


Reader = Callable[[Transformer | dict[str, Any]], Network]


def reader(ask: Callable[[str], str]) -> Reader:
    """From a model, or a spec of one, to its network."""
    return lambda given: Network(ask, lowered(given) if isinstance(given, Transformer) else given)


@contextmanager
def node() -> Iterator[Reader]:
    """Networks in one process of node."""
    process = Node(SERVER, SCRIPT)
    yield reader(lambda line: json.dumps(process.ask(json.loads(line))))
    process.stop()
