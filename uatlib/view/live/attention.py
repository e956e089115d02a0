"""One head of attention in the plane: who hears whom, and where the layer puts each token, under the reader's hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, Rectangle

from ...arithmetic import FLOAT64
from ...model import Transformer
from ..explorer.controls import Control
from ..figures.style import COLOURS, GREY, bare, note
from .controls import Handle, Slider
from .lowered import lowered
from .picture import LivePicture, number

__all__ = ["Attention"]

Place = tuple[float, float]
POSITIONS = ("first", "second", "third", "fourth", "fifth")
SAME = 1e-9
"""Outputs that are nearer than this count as the same: sums of floats that differ by rounding."""
MOST_SCALE = 100
TENTHS = "with one decimal, in the window"


class Attention(LivePicture):
    """Tokens in the plane, which the reader drags, and one head: X + W_O (W_V X) sigma[(W_K X)^T (W_Q X)].

    The reader drags tokens and weights and chooses what sigma is, the factor of the scores and the mask. With two
    contexts, tokens of one name are one token, and the picture tells whether the layer gives it the same in both.

    Parameters
    ----------
    networks : by name, models of one attention layer with one head without biases, softmax or hardmax, d = 2, no mask
    examples : by name, one or two contexts: by name, two to five tokens, all contexts of an example equally many: by
        name, their places, which tokens of one name share
    vectors : weights that are handles: by name as in "w_K", the names of the head's weights that are this vector (two
        numbers each), or a mapping of those by the name of the network
    masks : by name, None or a mask as `layers.Attention` takes it; more than one makes a menu
    scale : the factor of the scores shown first and the largest, up to 100; None: scores as they are
    window : x from, x to, y from, y to: what can be reached in the plane
    title, name : as in `LivePicture`

    Raises
    ------
    ValueError
        Networks of other layers, or that the page cannot run; contexts, vectors, masks that do not fit them; numbers
        outside of the window.
    """

    picture: ClassVar[str] = "attention"
    size = (0.7, 452, 470)

    def __init__(
        self,
        networks: Mapping[str, Transformer],
        examples: Mapping[str, Mapping[str, Mapping[str, Place]]],
        vectors: Mapping[str, Sequence[str] | Mapping[str, Sequence[str]]],
        *,
        masks: Mapping[str, Any] | None = None,
        scale: tuple[float, float] | None = None,
        window: Sequence[float],
        title: str = "Who hears whom",
        name: str = "",
    ) -> None:
        self.masks = {"none": None} if masks is None else dict(_named("masks", masks))
        self.networks = {key: _fits(f"networks[{key!r}]", model) for key, model in _named("networks", networks).items()}
        self.window = _window(window)
        self.examples = {
            key: _example(f"examples[{key!r}]", given, self.window)
            for key, given in _named("examples", examples).items()
        }
        self.vectors = {key: self._vector(key, given) for key, given in vectors.items()}
        most = max(len(context) for given in self.examples.values() for context in given.values())
        menus = (
            ("example", "contexts", self.examples), ("network", "attention", self.networks),
            ("mask", "mask", self.masks),
        )  # fmt: skip
        controls: dict[str, Any] = {key: Control(list(of), label=label) for key, label, of in menus if len(of) > 1}
        controls["listener"] = Control(POSITIONS[:most], label="listener")
        controls["scores"] = Control([False, True], label="scores")
        if scale is not None:
            first, largest = _scale(scale)
            controls["scale"] = Slider(0, largest, first, "factor λ")
        handles = []
        self.places: dict[tuple[str, str], str] = {}
        (left, right), (low, high) = self.window
        for key, given in self.examples.items():
            for token, (x, y) in {token: at for context in given.values() for token, at in context.items()}.items():
                k = len(self.places) + 1
                self.places[key, token] = f"{k}"
                controls |= {f"x{k}": Slider(left, right, x, "x", 1), f"y{k}": Slider(low, high, y, "y", 1)}
                handles.append(Handle(f"token {token}", f"x{k}", f"y{k}"))
        for k, (key, (_, (x, y))) in enumerate(self.vectors.items(), 1):
            controls |= {
                f"u{k}": Slider(left, right, x, "first entry", 1),
                f"v{k}": Slider(low, high, y, "second entry", 1),
            }
            handles.append(Handle(f"weights {key}", f"u{k}", f"v{k}"))
        super().__init__(controls, handles, self._data(), title=title, name=name)

    def _vector(self, key: str, given: Any) -> tuple[dict[str, list[str]], Place]:
        """For each network the weights that are this vector, and where it starts: that of the first network."""
        chosen = given if isinstance(given, Mapping) else dict.fromkeys(self.networks, given)
        names = {network: list(chosen.get(network, ())) for network in self.networks}
        found = {
            _place(self.networks[network].layers[0].weights().get(f"head0.{weight}"), self.window)
            for network, weights in names.items()
            for weight in weights
        }
        start = found.pop() if len(found) == 1 else None
        if start is None:
            raise ValueError(
                f"vectors[{key!r}]: expected names of weights of two numbers, {TENTHS}, the same in all networks, got "
                f"{str(given)[:60]}."
            )
        return names, start

    def _data(self) -> dict[str, Any]:
        """What the script needs: networks and masks as `lowered` gives them."""
        (one, *_), heard = self.networks.values(), {}
        for key, mask in self.masks.items():
            try:
                heard[key] = lowered(_with(one, mask=mask))["layers"][0]["heard"]
            except ValueError as error:
                raise ValueError(f"masks[{key!r}]: {error}") from None
            for contexts in self.examples.values():
                for context in contexts.values():
                    if heard[key] and len(heard[key]) != len(context):
                        raise ValueError(
                            f"masks[{key!r}]: expected a mask for {len(context)} tokens, got {len(heard[key])}."
                        )
        examples = {
            key: {context: [[token, int(self.places[key, token])] for token in row] for context, row in given.items()}
            for key, given in self.examples.items()
        }
        return {
            "networks": {key: lowered(model) for key, model in self.networks.items()},
            "heard": heard,
            "examples": examples,
            "vectors": {key: names for key, (names, _) in self.vectors.items()},
            "window": self.window,
            "positions": POSITIONS,
        }

    def describe(self, values: Mapping[str, Any]) -> tuple[str, str]:
        """The read-out at these values, and what the picture shows, for readers who do not see it."""
        run = _Run(self, values)
        lines = [run.heard(c) for c in range(len(run.contexts))]
        text = "\n".join([*lines, run.verdict()])
        at = ", ".join(f"{token} at {_point(place, 1)}" for token, place in run.tokens.items())
        arrows = ", ".join(f"{key} {_point(place, 1)}" for key, place in run.vectors.items())
        alt = (
            f"Tokens in the plane: {at}. Weights: {arrows or 'fixed'}. Arrows lead from each token to where the layer "
            f"puts it, and to the {run.position} token from those that it hears, the wider the more. {text}"
        )
        return text, alt.replace("\n", ". ") + "."

    def draw(self, values: Mapping[str, Any]) -> Figure:
        """The plane, and beside it the weights or scores, one table for each context."""
        run = _Run(self, values)
        (left, right), (low, high) = self.window
        figure = plt.figure(figsize=(7.2, min(6, max(3.4, 4.5 * (high - low) / (right - left) + 0.6))))
        count = len(run.contexts)
        grid = figure.add_gridspec(
            count, 2, width_ratios=(2.15, 1), left=0.05, right=0.985, bottom=0.06, top=0.88, wspace=0.12, hspace=0.5
        )
        _draw_plane(figure.add_subplot(grid[:, 0]), run, self.window)
        for c in range(count):
            _draw_table(figure.add_subplot(grid[c, 1]), run, c)
        return figure


class _Run:
    """What the layer makes of the contexts at some values."""

    def __init__(self, shown: Attention, values: Mapping[str, Any]) -> None:
        example = values.get("example", next(iter(shown.examples)))
        network = values.get("network", next(iter(shown.networks)))
        mask = values.get("mask", next(iter(shown.masks)))
        self.lists = shown.data["heard"][mask]
        self.position, self.wants_scores = values["listener"], values["scores"]
        self.tokens = {
            token: (values[f"x{k}"], values[f"y{k}"]) for (of, token), k in shown.places.items() if of == example
        }
        self.vectors = {key: (values[f"u{k}"], values[f"v{k}"]) for k, key in enumerate(shown.vectors, 1)}
        self.names, self.contexts = list(shown.examples[example]), [list(c) for c in shown.examples[example].values()]
        self.at = min(POSITIONS.index(self.position), len(self.contexts[0]) - 1)
        layer: Any = shown.networks[network].layers[0]
        self.hard = layer.normalization == "hardmax"
        # Hardmax does not ask for a factor, which would only round the scores.
        self.factor = 1 if self.hard else values.get("scale", 1)
        weights: dict[str, np.ndarray] = {}
        self.roles = {key: names[network] for key, (names, _) in shown.vectors.items()}
        for key, names in self.roles.items():
            for name in names:
                weights[name] = np.reshape(self.vectors[key], (2, 1) if name == "w_o" else (1, 2))
        head = replace(layer.heads[0], **weights)
        X = np.array([[self.tokens[token] for token in context] for context in self.contexts], float).swapaxes(1, 2)
        self.keys, self.queries, self.values = (_floats(w) @ X for w in (head.w_k, head.w_q, head.w_v))
        root = np.sqrt(self.factor)
        scaled = head if self.factor == 1 else replace(head, w_q=root * _floats(head.w_q), w_k=root * _floats(head.w_k))
        layer = replace(layer, heads=[scaled], mask=shown.masks[mask])
        self.outputs = Transformer([layer])(X, FLOAT64).numpy().swapaxes(1, 2)
        self.weights = _weights(layer, X)
        self.kernel = layer.kernel

    def projects(self, key: str) -> bool:
        """Whether this vector makes keys or queries."""
        return not {"w_k", "w_q"}.isdisjoint(self.roles[key])

    def scores(self, c: int) -> np.ndarray:
        """Of context c, times the factor; keys down, queries across."""
        if self.kernel.kind == "constant":
            return np.zeros_like(self.weights[c])
        native = (FLOAT64.array(part[c], "scores") for part in (self.keys, self.queries))
        found: np.ndarray = self.factor * self.kernel.scores(*native, FLOAT64).numpy()
        return found

    def heard(self, c: int) -> str:
        """Whom the listener hears in context c, and where it goes; ties of hardmax."""
        context, column = self.contexts[c], self.weights[c][:, self.at]
        parts = ", ".join(f"{token} ({number(w, 3)})" for token, w in zip(context, column, strict=True))
        if len(self.values[c]) == 1:
            parts += f": {number(float(self.values[c][0] @ column))},"
        text = f"{context[self.at]} hears {parts} and goes to {_point(self.outputs[c][self.at])}"
        tied = [token for token, w in zip(context, column, strict=True) if w > 0]
        if self.hard and len(tied) > 1:
            text += f"; {_listed(tied)} tie: hardmax takes the mean"
        return f"{self.names[c]}: {text}" if len(self.contexts) > 1 else text

    def apart(self) -> dict[str, float]:
        """For each token of both contexts the distance of what the layer makes of it."""
        if len(self.contexts) == 1:
            return {}
        one, two = self.contexts
        shared = [token for token in one if token in two]
        return {t: _distance(self.outputs[0][one.index(t)], self.outputs[1][two.index(t)]) for t in shared}

    def verdict(self) -> str:
        """Shared tokens that are told apart; in one context the two outputs that are nearest."""
        if len(self.contexts) == 1:
            pairs = combinations(zip(self.contexts[0], self.outputs[0], strict=True), 2)
            gap, one, two = min(((_distance(u, v), s, t) for (s, u), (t, v) in pairs), key=lambda found: found[0])
            return (
                f"least distance of two outputs: {number(gap)} ({one} and {two}{', a collision' if gap < SAME else ''})"
            )
        found = self.apart()
        different = [f"{token} (by {number(gap)})" for token, gap in found.items() if not gap < SAME]
        same = [token for token, gap in found.items() if gap < SAME]
        told = f"told apart: {', '.join(different)}" if different else "no shared token is told apart"
        return f"{told}; the same in both: {_listed(same)}" if same else told


def _weights(layer: Any, X: np.ndarray) -> np.ndarray:
    """The weights of the layer, keys down and queries across: found as what tokens hear of one-hot values."""
    count, n = len(X), X.shape[2]
    (head,) = layer.heads
    zeros = np.zeros((len(head.w_q), n))
    probe = replace(
        head, w_q=np.hstack([_floats(head.w_q), zeros]), w_k=np.hstack([_floats(head.w_k), zeros]),
        w_v=np.hstack([np.zeros((n, 2)), np.eye(n)]), w_o=np.eye(n),
    )  # fmt: skip
    told = np.concatenate([X, np.broadcast_to(np.eye(n), (count, n, n))], axis=1)
    found: np.ndarray = Transformer([replace(layer, heads=[probe], skip=False)])(told, FLOAT64).numpy()
    return found


def _with(model: Transformer, **changes: Any) -> Transformer:
    layer: Any = model.layers[0]
    return Transformer([replace(layer, **changes)])


def _floats(weight: Any) -> np.ndarray:
    return np.asarray(weight, float)


def _distance(one: np.ndarray, two: np.ndarray) -> float:
    return float(np.hypot(*(one - two)))


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:-1]) + f"{' and ' if names[1:] else ''}{names[-1]}"


def _point(place: Any, digits: int = 4) -> str:
    return f"({', '.join(number(float(entry), digits) for entry in place)})"


# ------------------------------------------------------------------------------------------------------------- the door


def _is_real(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and np.isfinite(float(value))


def _named(name: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping) or not value or not all(isinstance(key, str) for key in value):
        raise ValueError(f"{name}: expected one or more by name, got {str(value)[:60]}.")
    return value


def _window(window: Any) -> tuple[Place, Place]:
    row = list(window) if isinstance(window, (Sequence, np.ndarray)) else []
    if len(row) != 4 or not all(map(_is_real, row)) or not (row[0] < row[1] and row[2] < row[3]):
        raise ValueError(f"window: expected x from, x to, y from, y to, got {str(window)[:60]}.")
    left, right, low, high = map(float, row)
    return (left, right), (low, high)


def _scale(scale: Any) -> Place:
    row = list(scale) if isinstance(scale, Sequence) else []
    if len(row) != 2 or not all(map(_is_real, row)) or not 0 <= row[0] <= row[1] <= MOST_SCALE or not row[1]:
        raise ValueError(
            f"scale: expected None, or the first and the largest factor, from 0 to {MOST_SCALE}, got {str(scale)[:40]}."
        )
    return float(row[0]), float(row[1])


def _place(given: Any, window: tuple[Place, Place]) -> Place | None:
    """Two numbers that sliders of the window can hold; None if it is something else."""
    row = np.ravel(np.asarray(given, dtype=object)).tolist()
    if len(row) != 2 or not all(map(_is_real, row)):
        return None
    held = all(low <= t <= high and round(float(t), 1) == float(t) for t, (low, high) in zip(row, window, strict=True))
    return (float(row[0]), float(row[1])) if held else None


def _fits(what: str, model: Any) -> Transformer:
    """The model, if it is one layer that this picture can show; ValueError otherwise."""
    lowered(model)
    (layer, *others), got = model.layers, "other sizes"
    if others or layer.kind != "attention" or len(layer.heads) > 1:
        got = f"layers {', '.join(one.kind for one in model.layers)}, {len(getattr(layer, 'heads', ()))} heads"
    elif layer.mask is not None or layer.cross or not layer.skip or layer.normalization == "none":
        got = "a mask, a second sequence, no skip connection or no normalization"
    elif layer.heads[0].w_q.shape[1] == 2 and {"w_q", "w_k", "w_v", "w_o"} == {
        name.removeprefix("head0.") for name in layer.weights()
    }:
        return model
    raise ValueError(
        f"{what}: expected one layer of attention with d = 2 and one head without biases, softmax or hardmax, no mask, "
        f"got {got}."
    )


def _example(what: str, given: Any, window: tuple[Place, Place]) -> dict[str, dict[str, Place]]:
    """Contexts of one example, or ValueError."""
    contexts = {key: dict(_named(f"{what}[{key!r}]", row)) for key, row in _named(what, given).items()}
    sizes = {len(row) for row in contexts.values()}
    if len(contexts) > 2 or len(sizes) > 1 or not 2 <= min(sizes) <= len(POSITIONS):
        raise ValueError(
            f"{what}: expected one or two contexts of two to five tokens, equally many, got "
            f"{', '.join(str(len(row)) for row in contexts.values())} tokens."
        )
    known: dict[str, Any] = {}
    for key, row in contexts.items():
        for token, given_place in row.items():
            place = row[token] = _place(given_place, window)
            if place is None or known.setdefault(token, place) != place:
                raise ValueError(
                    f"{what}[{key!r}][{token!r}]: expected two numbers, {TENTHS}, the same in both contexts, got "
                    f"{str(given_place)[:40]}."
                )
    return contexts


# ------------------------------------------------------------------------------------------------------ the first frame

MARKS = (("s", COLOURS[0]), ("^", COLOURS[1]), ("o", "black"))
"""Tokens of the first context, of the second, of both."""
WEIGHT_COLOURS = (COLOURS[2], COLOURS[3], COLOURS[4])


def _draw_plane(ax: Axes, run: _Run, window: tuple[Place, Place]) -> None:
    ax.axhline(0, color=GREY, linewidth=0.8, zorder=0)
    ax.axvline(0, color=GREY, linewidth=0.8, zorder=0)
    for c, context in enumerate(run.contexts):
        listener = run.tokens[context[run.at]]
        for token, weight in zip(context, run.weights[c][:, run.at], strict=True):
            style: Any = {"color": COLOURS[c], "alpha": 0.2 + 0.5 * weight}
            if weight < 0.001:
                continue
            if token == context[run.at]:
                ax.plot(
                    *listener,
                    "o",
                    markersize=17 + 6 * c,
                    markerfacecolor="none",
                    markeredgewidth=1 + 4 * weight,
                    **style,
                )
                continue
            bow = f"arc3,rad={0.28 if c else -0.28}"
            ax.add_patch(
                FancyArrowPatch(
                    run.tokens[token], listener, connectionstyle=bow, arrowstyle="->", mutation_scale=11,
                    linewidth=1 + 4 * weight, shrinkA=8, shrinkB=10, zorder=1, **style,
                )
            )  # fmt: skip
        for token, (x, y) in zip(context, run.outputs[c], strict=True):
            width = 3.2 if c == 0 and len(run.contexts) > 1 else 1.6
            alone = len(run.contexts) == 1
            ends: Any = {
                "arrowstyle": "->" if alone else "-",
                "color": COLOURS[c],
                "linewidth": width,
                "alpha": 0.55 if c == 0 else 1,
            }
            ax.annotate("", (x, y), run.tokens[token], arrowprops={**ends, "shrinkA": 0, "shrinkB": 0})
            if alone:
                continue
            tip: Any = {"markerfacecolor": "none", "markersize": 11} if c == 0 else {"markersize": 5.5}
            ax.plot(x, y, "o", color=COLOURS[c], markeredgewidth=2, zorder=3, **tip)
    for token, (x, y) in run.tokens.items():
        kinds = [c for c, context in enumerate(run.contexts) if token in context]
        marker, colour = MARKS[2 if len(kinds) == len(run.contexts) else kinds[0]]
        ax.plot(x, y, marker, color=colour, markersize=8, zorder=4)
        note(ax, token, (x, y), (0, -18), ha="center")
    for k, (key, (x, y)) in enumerate(run.vectors.items()):
        colour, square = WEIGHT_COLOURS[k % 3], x * x + y * y
        if (
            len(run.contexts) == 1 and square and run.projects(key)
        ):  # what tokens show and ask: feet on the vector's line
            ax.axline((0, 0), (x, y), color=colour, alpha=0.6, linewidth=1, linestyle=(0, (5, 4)))
            for u, v in run.tokens.values():
                share = (u * x + v * y) / square
                ax.plot((u, share * x), (v, share * y), ":", color=colour, alpha=0.6, linewidth=1)
                ax.plot(share * x, share * y, "o", color=colour, markersize=4)
        ax.annotate("", (x, y), (0, 0), arrowprops={"arrowstyle": "->", "color": colour, "linewidth": 2.2})
        length = np.hypot(x, y) or 1
        note(ax, f"${key}$", (x, y), (12 * x / length, 12 * y / length), ha="center", va="center", color=colour)
    ax.set(xlim=window[0], ylim=window[1], aspect="equal", adjustable="box", anchor="NW")
    ax.tick_params(labelsize=9)
    if found := run.apart():
        different = [token for token, gap in found.items() if not gap < SAME]
        said = f"told apart: {_listed(different)}" if different else f"{_listed(list(found))}: the same in both"
        ax.set_title(said, fontsize=11, loc="left", fontweight="bold", color=COLOURS[4] if different else "black")


def _draw_table(ax: Axes, run: _Run, c: int) -> None:
    context, weights = run.contexts[c], run.weights[c]
    shown = run.scores(c) if run.wants_scores else weights
    n, largest = len(context), max(float(np.abs(shown).max()), 1e-300)
    for i in range(n):
        for k in range(n):
            cell: Any = {"facecolor": COLOURS[c], "alpha": 0.5 * abs(shown[i, k]) / largest, "linewidth": 0}
            ax.add_patch(Rectangle((k, i), 1, 1, **cell))
            hidden = run.lists is not None and i not in run.lists[k]
            said = "–" if hidden else _cell(shown[i, k], run.wants_scores)
            ax.text(k + 0.5, i + 0.5, said, ha="center", va="center", fontsize=9)
    ax.add_patch(Rectangle((run.at, 0), 1, n, fill=False, edgecolor="black", linewidth=1.6))
    ax.set(xlim=(0, n), ylim=(n, 0), xticks=np.arange(n) + 0.5, yticks=np.arange(n) + 0.5)
    ax.set(xticklabels=context, yticklabels=context)
    ax.set_box_aspect(0.7)
    ax.set_anchor("N")
    ax.xaxis.tick_top()
    bare(ax)
    what = "scores" if run.wants_scores else "weights"
    title = f"{what}: {run.names[c]}" if len(run.contexts) > 1 else what
    ax.set_title(title, fontsize=10, loc="left")


def _cell(value: float, score: bool) -> str:
    """A number of the table, in four letters or so."""
    return number(value, (0 if abs(value) >= 99.95 else 1) if score else 2)
