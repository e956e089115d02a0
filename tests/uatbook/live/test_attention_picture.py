"""The live picture of attention: first frame and read-out against plain loops, what chapters say of it, refusals."""

import functools
import itertools
import math
import re
from fractions import Fraction

import numpy as np
import pytest

from uatbook import live
from uatlib import masks
from uatlib.cheng2025 import kernel
from uatlib.kernels import CONSTANT, DOT, RBF
from uatlib.layers import Attention, FeedForward, Head
from uatlib.model import Transformer

from .drawn import elements, plain

HEAD = Head(w_q=[[-1, -2]], w_k=[[-1, 2]], w_v=[[1, 0]], w_o=[[0], [Fraction(1, 2)]])
KINDS = {
    "hardmax": {"normalization": "hardmax"},
    "softmax": {},
    "RBF": {"kernel": RBF(1)},
    "constant": {"kernel": CONSTANT},
}
ROLES = {"w_K": ["w_k"], "w_Q": ["w_q"]}
PAIRS = {"three": ("124", "134"), "four": ("1256", "1346"), "five": ("12568", "13468")}
WINDOW = (-2.5, 8.5, -3, 5)


def network(**options) -> Transformer:
    return Transformer([Attention([options.pop("head", HEAD)], **options)])


def example(pair) -> dict:
    return {row: {t: (int(t), 0) for t in row} for row in pair}


@functools.cache
def picture(*names, mask="none") -> live.Attention:
    lines = {"none": None, "causal": masks.causal(4), "padding": masks.padding(3, 4)} if mask == "any" else None
    pairs = {key: PAIRS[key] for key in names}
    examples = {key: example(pair) for key, pair in pairs.items()}
    networks = {key: network(**kind) for key, kind in KINDS.items()}
    return live.Attention(networks, examples, ROLES, masks=lines, scale=(1, 4), window=WINDOW)


def text(shown, **values) -> str:
    """The read-out."""
    return plain(shown.frame(**values).text)


def hearing(line: str) -> tuple[dict[str, float], float, list[float], set[str]]:
    """Of a line of the read-out: weights by token, what is heard in all, the output, the hidden tokens."""
    line = line.replace("\N{MINUS SIGN}", "-")
    listener, whom, value, place = re.search(
        r"(?:^|: )(\S+?)(?:, a filler,)? hears (.*), in all (\S+), and goes to \((.*?)\)", line
    ).groups()
    found = {t: float(w.strip("<> ")) for t, w in re.findall(r"(\S+) \(([<>]? ?[\d.]+)\)", whom)} or {whom[5:]: 1.0}
    found = {listener if token == "itself" else token: weight for token, weight in found.items()}
    hidden = re.search("; hidden: (.*)", line)
    return found, float(value), [float(x) for x in place.split(", ")], set(hidden[1].split(", ") if hidden else ())


def line_of(row: str, said: str) -> str:
    (line,) = (line for line in said.split("\n") if line.startswith(f"{row}: "))
    return line


def attend(tokens, w_k, w_q, kind, scale, heard) -> tuple[list[list[float]], list[list[float]]]:
    """Weights (a row for each query) and outputs of one head that writes half of the first entry, in plain loops."""
    rows, outputs = [], []
    for k, asking in enumerate(tokens):
        q, scores = sum(a * b for a, b in zip(w_q, asking, strict=True)), {}
        for j in heard[k]:
            s = sum(a * b for a, b in zip(w_k, tokens[j], strict=True))
            scores[j] = {"hardmax": s * q, "softmax": scale * s * q, "RBF": -scale * (s - q) ** 2, "constant": 0}[kind]
        top = max(scores.values())
        powers = {j: float(t == top) if kind == "hardmax" else math.exp(t - top) for j, t in scores.items()}
        row = [powers.get(j, 0) / sum(powers.values()) for j in range(len(tokens))]
        rows.append(row)
        lift = sum(w * tokens[j][0] for j, w in enumerate(row)) / 2
        outputs.append([asking[0], asking[1] + lift])
    return rows, outputs


# ----------------------------------------------------------------------------------------------------- what is computed


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mask", ["none", "causal", "padding"])
@pytest.mark.parametrize("seed", range(4))
def test_the_read_out_is_what_plain_loops_say(kind, mask, seed):
    heard = {"none": [range(4)] * 4, "causal": [range(k + 1) for k in range(4)], "padding": [range(3)] * 4}
    shown = picture("four", mask="any")
    rng = np.random.default_rng(seed)
    values = {"network": kind, "mask": mask, "listener": ("first", "second", "third", "fourth")[seed % 4]}
    values["scale"] = round(rng.uniform(0, 2), 2)
    places = {t: (float(x), float(y)) for t, x, y in zip("125634", *rng.uniform(-2, 4, (2, 6)).round(1), strict=True)}
    for k, place in enumerate(places.values(), 1):
        values[f"x{k}"], values[f"y{k}"] = place
    keys, queries = rng.uniform(-1, 1, (2, 2)).round(1).tolist()
    values |= dict(zip(("u1", "v1", "u2", "v2"), (*keys, *queries), strict=True))
    said, at, found = text(shown, **values), seed % 4, []
    for row in PAIRS["four"]:
        weights, outputs = attend([places[t] for t in row], keys, queries, kind, values["scale"], heard[mask])
        line, filler = line_of(row, said), ", a filler," if mask == "padding" and at == 3 else ""
        assert line.startswith(f"{row}: {row[at]}{filler} hears ")
        told, value, place, hidden = hearing(line)
        visible = {row[j]: weights[at][j] for j in heard[mask][at] if kind != "hardmax" or weights[at][j]}
        assert told == pytest.approx(visible, abs=1.1e-3)
        assert min(told.values()) > 0
        assert hidden == set(row) - {row[j] for j in heard[mask][at]}
        assert [value, *place] == pytest.approx([2 * (outputs[at][1] - places[row[at]][1]), *outputs[at]], abs=5.1e-5)
        found.append({t: outputs[j] for j, t in enumerate(row) if j in heard[mask][j]})
    gaps = {t: 2 * abs(found[0][t][1] - found[1][t][1]) for t in "16" if t in found[0]}
    told = dict(re.findall(r"(\d) \((?:what it hears differs )?by ([\d.e-]+)\)", said.split("\n")[0]))
    assert set(told) == {t for t, gap in gaps.items() if gap > 2e-9}
    assert {t: float(gap) for t, gap in told.items()} == pytest.approx({t: gaps[t] for t in told}, abs=5.1e-5)


HEADS = list(itertools.product((-2, 0, 1), (-1, 0), (-1, 0, 2), (0, 1)))


@pytest.mark.parametrize(("name", "wins"), [("three", True), ("four", False), ("five", False)])
def test_hardmax_tells_only_the_first_pair_apart_and_only_where_all_scores_tie(name, wins):
    shown = picture(name)
    for a, b, c, d in HEADS:
        said = text(shown, u1=a, v1=b, u2=c, v2=d)
        assert ("; the same in both" not in said) == (wins and a * c == 0), (a, b, c, d)
        assert ("tie: hardmax takes the mean" in said) == (a * c == 0)


def test_two_keys_that_tie_share_the_weight():
    said = text(picture("four"), u1=0, v1=1, u2=1, v2=0, y2=1, y3=1)  # 2 and 5 off the line
    assert line_of("1256", said) == (
        "1256: 1 hears 2 (0.500), 5 (0.500), in all 3.5, and goes to (1, 1.75); 2 and 5 tie: hardmax takes the mean"
    )
    assert line_of("1346", said).endswith("1, 3, 4 and 6 tie: hardmax takes the mean")


@functools.cache
def rank_one_picture(tokens) -> live.Attention:
    """A head of rank one whose vectors are other weights in its two networks."""
    show, ask, write = [[1, 0.5]], [[-0.5, 1]], [[-0.7], [-0.7]]
    heads = {"formula": Head(ask, show, show, write), "sentence": Head(show, ask, show, write)}
    roles = {"v_1": {"formula": ["w_k", "w_v"], "sentence": ["w_q", "w_v"]}, "W_O": ["w_o"]}
    roles["v_2"] = {"formula": ["w_q"], "sentence": ["w_k"]}
    return live.Attention(
        {key: network(head=head) for key, head in heads.items()},
        {"x": {"y": dict(zip("abc", tokens, strict=True))}}, roles, window=(-4, 4, -4, 4),
    )  # fmt: skip


def rank_one(name: str, tokens=((2, 1), (-1.5, 1), (-2, -1.5)), **values) -> str:
    return text(rank_one_picture(tokens), network=name, **values)


def test_a_vector_may_be_other_weights_in_another_network():
    told, value, *_ = hearing(rank_one("formula").split("\n")[1])
    assert told == dict.fromkeys("abc", 0.333)
    assert value == pytest.approx((2.5 - 1 - 2.75) / 3, abs=5.1e-5)
    told, *_ = hearing(rank_one("sentence").split("\n")[1])
    powers = {token: math.exp(2.5 * key) for token, key in zip("abc", (0, 1.75, -0.5), strict=True)}  # keys of v_2
    assert told == pytest.approx({t: p / sum(powers.values()) for t, p in powers.items()}, abs=1.1e-3)
    # On one line the two are one.
    along = {"u3": 2, "v3": 1}
    assert rank_one("formula", **along) == rank_one("sentence", **along) != rank_one("formula")


def test_a_right_angle_to_what_it_shows_moves_nobody_else():
    moved = ((2, 1), (-1.5, 1), (-2.5, -0.5))  # the third by (-1/2, 1)
    for k in ("first", "second"):
        assert rank_one("formula", listener=k).split("\n")[1] == rank_one("formula", moved, listener=k).split("\n")[1]
        assert rank_one("sentence", listener=k).split("\n")[1] != rank_one("sentence", moved, listener=k).split("\n")[1]
    heard = [
        re.findall(r"[abc] (\S+?)(?:,|$)", rank_one("formula", at).split("\n")[0])
        for at in (((2, 1), (-1.5, 1), (-2, -1.5)), moved)
    ]
    assert [one == other for one, other in zip(*heard, strict=True)] == [True, True, False]
    assert rank_one("formula", listener="third") != rank_one("formula", moved, listener="third")


def test_equal_tokens_and_tokens_that_end_at_one_place_are_named():
    equal = rank_one("formula", ((1, 1), (2, -1), (1, 1))).split("\n")[0]
    assert equal.endswith("; a and c are equal tokens")
    # Each hears itself alone, and goes to where its first entry is 0.
    alone = network(head=Head([[8, 0]], [[1, 0]], [[1, 0]], [[-1], [0]]))
    far = {"x": {"y": {"a": (2, 1), "b": (-2, 1), "c": (2, 3)}}}
    said = text(live.Attention({"softmax": alone}, far, {"W_O": ["w_o"]}, window=(-4, 4, -4, 4)), y3=4)
    assert said.split("\n")[0].endswith("; a and b end at one place")


def test_a_product_of_two_entries_tells_what_hardmax_hears():
    shown = picture("three")
    for a, c, end in ((-1, -1, "largest"), (2, -1, "smallest"), (0, 1, "mean")):
        words = [f"({x})".replace("-", "\N{MINUS SIGN}") if x < 0 else f"{x}" for x in (a, c)]
        value = f"{a * c}".replace("-", "\N{MINUS SIGN}")
        said = text(shown, u1=a, u2=c)
        assert (
            said.split("\n")[1] == f"\N{GREEK SMALL LETTER BETA} = {words[0]} · {words[1]} = {value}: 1 hears the {end}"
        )
        heard, *_ = hearing(line_of("124", said))
        assert heard == {"largest": {"4": 1}, "smallest": {"1": 1}, "mean": dict.fromkeys("124", 0.333)}[end]
    soft = text(shown, network="softmax", scale=0.5, u1=0.3, u2=-2).split("\n")[1]
    assert soft.endswith(" = 0.5 · 0.3 · (\N{MINUS SIGN}2) = \N{MINUS SIGN}0.3")
    assert "one is off it" in text(shown, y2=1).split("\n")[1]
    assert "· " not in text(shown, network="RBF")


def test_what_is_the_same_for_certain_is_told_from_what_floats_cannot_tell():
    shown = picture("five", "four")
    assert text(shown, example="four").startswith("no shared token is told apart; the same in both: 1 and 6\n")
    assert "the same as far as floats tell: 8" in text(shown, network="softmax", scale=1)
    assert re.search(r"6 \(by [1-9]e-\d\)", text(shown, network="softmax", scale=1))
    mean = text(shown, example="four", u1=0)  # other tokens, with one mean
    assert "; the same in both: 1 and 6" in mean


def test_names_that_no_longer_hold_are_told():
    shown = picture("four")
    assert "names stay" not in text(shown)
    assert text(shown, x4=8.5, y4=-3).endswith("\nnames stay: 6 is now at (8.5, \N{MINUS SIGN}3)")
    assert "names stay" not in rank_one("formula", x1=3)  # letters claim nothing


def test_who_sees_the_same_hears_the_same_and_others_notice():
    """The picture of the chapter on masks; the sign and the size of the scale do not matter, but for collisions."""
    lines = {"causal": masks.causal(4), "none": np.ones((4, 4), bool), "padding": masks.padding(3, 4)}
    lines["nearest two"] = masks.causal(4) & ~np.triu(np.ones((4, 4), bool), 2)
    pairs = {"last": ("2143", "2145"), "first": ("2143", "5143"), "order": ("2143", "1243")}
    head = Head(w_q=[[1, 0]], w_k=[[1, -2]], w_v=[[1, 0]], w_o=[[0], [0.5]])
    shown = live.Attention(
        {"softmax": network(head=head)}, {key: example(pair) for key, pair in pairs.items()}, {"w_K": ["w_k"]},
        masks=lines, scale=(0.2, 1), window=(-2.5, 6.5, -3, 4),
    )  # fmt: skip
    filled = {name: {"3"} if name == "padding" else set() for name in lines}
    for (name, mask), (key, pair) in itertools.product(lines.items(), pairs.items()):
        seen = [{row[k]: {row[i] for i in range(4) if mask[i, k]} for k in range(4)} for row in pair]
        notice = {t for t in seen[0] if t in seen[1] and seen[0][t] != seen[1][t]}
        for scale, side in ((0, 1), (0.2, 1), (0.2, -1), (0.05, 1)):
            verdict = text(shown, example=key, mask=name, scale=scale, u1=side).split("\n")[0]
            told = set(re.findall(r"(\d) \((?:what it hears differs )?by", verdict))
            assert told == notice - filled[name], (name, key, scale, side)
            assert "floats" not in verdict


# -------------------------------------------------------------------------------------------------------------- kernels

PLAIN = Head(w_q=np.eye(2), w_k=np.eye(2), w_v=[[1, 0]], w_o=[[0], [Fraction(1, 2)]])
LOGS = {
    "exp": lambda x, y: x @ y,
    "cosh": lambda x, y: math.log(math.cosh(x @ y)),
    "polynomial": lambda x, y: math.log((1 + x @ y) ** 2 + 3),
    "RBF": lambda x, y: -(math.dist(x, y) ** 2) / 4,
}
OPPOSITE = {"a": {"p": (1, 0.5), "q": (-1, -0.5), "r": (0.5, 1), "s": (-0.5, -1)}}
OPPOSITE["b"] = {**{t: OPPOSITE["a"][t] for t in "pq"}, "t": (1.5, -1), "u": (-1.5, 1)}


@functools.cache
def kernel_picture() -> live.Attention:
    polynomial = kernel("polynomial", power=2, offset=3)
    given = {"exp": DOT, "polynomial": polynomial, "cosh": kernel("cosh"), "RBF": RBF(Fraction(1, 4))}
    networks = {name: network(head=PLAIN, kernel=one) for name, one in given.items()}
    return live.Attention(networks, {"x": OPPOSITE}, {}, scale=(1, 3), window=(-3, 3, -3, 3))


@pytest.mark.parametrize("name", LOGS)
def test_a_reader_chooses_among_kernels(name):
    shown = kernel_picture()
    assert shown.controls["network"].label == "kernel"
    said = text(shown, network=name, scale=2 if name in ("exp", "RBF") else 3, listener="third")
    for row, tokens in OPPOSITE.items():
        places = {t: np.array(at, float) for t, at in tokens.items()}
        listener = list(places)[2]
        logs = {t: (2 if name in ("exp", "RBF") else 1) * LOGS[name](places[listener], y) for t, y in places.items()}
        total = sum(math.exp(log) for log in logs.values())
        told, *_ = hearing(line_of(row, said))
        assert told == pytest.approx({t: math.exp(log) / total for t, log in logs.items()}, abs=1.1e-3)


def test_a_factor_is_there_where_it_is_one_of_scores():
    shown = kernel_picture()
    assert "scale" not in shown.away
    for name in ("polynomial", "cosh"):
        assert text(shown, network=name, scale=3) == text(shown, network=name, scale=0.5)
    assert text(shown, scale=3) != text(shown, scale=0.5)
    alone = {"cosh": network(head=PLAIN, kernel=kernel("cosh"))}
    assert live.Attention(alone, {"x": OPPOSITE}, {}, scale=(1, 3), window=(-3, 3, -3, 3)).away == ["scale"]


def test_a_kernel_that_is_even_hears_the_same_of_opposite_tokens():
    assert text(kernel_picture(), network="cosh").startswith(
        "no shared token is told apart; the same as far as floats tell: p and q"
    )
    for name in ("exp", "RBF", "polynomial"):
        assert text(kernel_picture(), network=name).startswith("told apart: p (")


# ------------------------------------------------------------------------------------------------------ what is drawn


def cells_of(shown, row: str, **values) -> list[tuple[str, str | None]]:
    """What is written in each cell of the table of a context, row by row, and how dark the cell is."""
    texts = list(elements(shown, "text", **values))
    (title,) = (text for text in texts if text["said"].endswith(f": {row}"))
    corner, count = (float(title["x"]), float(title["y"])), len(row)
    beside = [text for text in texts if float(text["x"]) > corner[0] and text.get("text-anchor") == "middle"]
    below = sorted(beside, key=lambda text: (float(text["y"]), float(text["x"])))
    rows = [text for text in below if float(text["y"]) > corner[1] + 40][: count**2]
    boxes = [box for box in elements(shown, "rect", **values) if "fill-opacity" in box]

    def dark(text):
        u, v = float(text["x"]), float(text["y"])
        inside = (b for b in boxes if 0 < u - float(b["x"]) < float(b["width"]) and 0 < v - float(b["y"]) < 28)
        return next((box["fill-opacity"] for box in inside), None)

    return [(text["said"].replace("\N{MINUS SIGN}", "-"), dark(text)) for text in rows]


def test_the_tables_show_weights_and_scores_and_blank_what_is_hidden():
    shown = picture("four", mask="any")
    for mask, heard in (("none", [range(4)] * 4), ("causal", [range(k + 1) for k in range(4)])):
        values = {"network": "softmax", "scale": 0.1, "mask": mask, "panel": "weights"}
        for row in PAIRS["four"]:
            weights, _ = attend([(int(t), 0) for t in row], (-1, 2), (-1, -2), "softmax", 0.1, heard)
            cells = cells_of(shown, row, **values)
            assert [said for said, _ in cells] == [
                f"{weights[k][j]:.2f}" if j in heard[k] else "–" for j in range(4) for k in range(4)
            ]
            for (said, dark), (j, k) in zip(cells, itertools.product(range(4), repeat=2), strict=True):
                assert (dark is None) == (said == "–")
                assert dark is None or float(dark) == pytest.approx(0.55 * weights[k][j], abs=6e-3)
    scores = [s * q for s in (1, 2, 5, 6) for q in (1, 2, 5, 6)]
    assert [float(said) for said, _ in cells_of(shown, "1256", panel="scores")] == scores


def lenses(shown, **values) -> dict[str, tuple[str, float, str]]:
    """Of each close-up, by its token: what stands above it, how far ring and disc are apart in bars, a bar's length."""
    texts = [text | {"at": (float(text["x"]), float(text["y"]))} for text in elements(shown, "text", **values)]
    circles = [circle for circle in elements(shown, "circle", **values) if float(circle["r"]) in (9, 5.5)]
    bars = [re.match(r"M([\d.]+) ([\d.]+)v4h([\d.]+)v-4", path["d"]) for path in elements(shown, "path", **values)]
    found = {}
    for box in elements(shown, "rect", **values):
        if box.get("rx") != "3" or box["stroke"] != "#808080":
            continue
        a, b, side = (float(box[name]) for name in ("x", "y", "width"))
        inside = [c for c in circles if a < float(c["cx"]) < a + side and b < float(c["cy"]) < b + side]
        ring, disc = sorted(inside, key=lambda c: -float(c["r"]))
        far = math.dist(*((float(c["cx"]), float(c["cy"])) for c in (ring, disc)))
        (bar,) = (
            float(bar[3]) for bar in bars if bar and a < float(bar[1]) < a + side and b < float(bar[2]) < b + side
        )
        (title,) = (text["said"] for text in texts if abs(text["at"][0] - a) < 1 and abs(text["at"][1] - b + 5) < 1)
        inside = [text for text in texts if a < text["at"][0] < a + side and b + side / 2 < text["at"][1] < b + side]
        ((length,),) = ([text["said"]] for text in inside)
        token, _, what = title.partition(": ")
        found[token] = what, far / bar, float(plain(length))
    return found


@pytest.mark.parametrize("scale", [0.02, 0.2, 1, 2])
def test_a_close_up_has_a_scale_of_its_own(scale):
    """However small a difference is, ring and disc come apart, and the bar says how far."""
    shown, found = picture("four"), []
    for row in PAIRS["four"]:
        _, outputs = attend([(int(t), 0) for t in row], (-1, 2), (-1, -2), "softmax", scale, [range(4)] * 4)
        found.append({t: outputs[j] for j, t in enumerate(row)})
    near = lenses(shown, network="softmax", scale=scale)
    assert set(near) == {"1", "6"}
    for token, (what, bars, length) in near.items():
        gap = math.dist(found[0][token], found[1][token])
        assert gap > 1e-9
        assert bars * length == pytest.approx(gap, rel=0.03)
        assert re.fullmatch(r"enlarged × [125]0*(,000)?", what) or not what
    assert {what for what, *_ in lenses(shown).values()} == {"the same"}


def test_a_head_that_asks_for_nothing_is_said_to_hear_the_mean():
    """Where a weight of softmax is 0, no theorem says that the two are the same: it is the weight."""
    for at in ({"u1": 0}, {"u2": 0}, {"scale": 0}):
        shown = picture("four", "three")
        values = {"network": "softmax", **at}
        assert text(shown, **values).startswith(
            "no shared token is told apart; no score differs, so only the mean is heard: 1 and 6\n"
        )
        said = [one["said"] for one in elements(shown, "text", **values)]
        assert "1 and 6: no score differs, so only the mean is heard" in said
        assert {what for what, *_ in lenses(shown, **values).values()} == {"the same mean"}
        assert text(shown, example="three", **values).startswith("told apart: 1 ")  # other means
        assert "the same in both: 1 and 6" in text(shown, **{**values, "network": "hardmax"})


def test_a_little_weight_is_not_written_as_none():
    shown = picture("four")
    assert cells_of(shown, "1256", network="softmax", scale=1, panel="weights")[3][0] == "<.01"  # 6 hears 1 with e^-30
    assert "6 hears 1 (< 0.001), 2 (< 0.001), " in text(shown, network="softmax", scale=1, listener="fourth")


def test_the_listener_is_one_of_the_tokens():
    first = live.Attention(
        {"a": network()}, {"x": {"y": {"a": (0, 0), "b": (1, 0)}}}, ROLES, listener="second", window=WINDOW
    )
    assert first.start["listener"] == "second"
    assert first.frame().text.split("\n")[2].startswith("b hears ")
    shown = picture("three", "five")
    assert shown.describe({**shown.start, "listener": "fifth"}) == shown.describe({**shown.start, "listener": "third"})


# ----------------------------------------------------------------------------------------------------- what is refused

WIDE = Head(np.eye(3), np.eye(3), np.eye(3), np.eye(3))
TWO = {"a": (0, 0), "b": (1, 0)}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"networks": {}}, "networks: expected one or more by name, got {}"),
        ({"networks": {"a": network(head=WIDE)}}, r"networks\['a'\]: expected one layer of attention with d = 2"),
        ({"networks": {"a": network(mask=masks.causal(2))}}, "got a mask or no skip"),
        ({"networks": {"a": Transformer([FeedForward([[1, 0]], [0], [[1], [0]], [0, 0])])}}, "got layers feed-forward"),
        ({"networks": {"a": Transformer([Attention([HEAD, HEAD])])}}, "got layers attention, 2 heads"),
        ({"networks": {"a": network(head=Head([[1, 0]], [[1, 0]], [[1, 0]], [[1], [0]], b_q=[1]))}}, "without biases"),
        (
            {"examples": {"x": {"y": {"a": (0, 0)}}}},
            "expected one or two contexts of two to five tokens.* got 1 tokens",
        ),
        ({"examples": {"x": {"y": TWO, "z": {**TWO, "c": (2, 0)}}}}, "equally many, got 2, 3 tokens"),
        ({"examples": {"x": {"y": TWO, "z": {"a": (0, 0), "b": (2, 0)}}}}, "the same in both contexts"),
        ({"examples": {"x": {"y": {"a": (0, 9), "b": (1, 0)}}}}, r"\['a'\]: expected two numbers.* got \(0, 9\)"),
        ({"examples": {"x": {"y": {"a": (0.25, 0), "b": (1, 0)}}}}, "with one decimal"),
        ({"vectors": {"w": ["w_e"]}}, r"vectors\['w'\]: expected names of weights of two numbers.* got \['w_e'\]"),
        ({"vectors": {"w": ["w_k", "w_q"]}}, "the same in all networks"),
        ({"vectors": {"w": []}}, r"vectors\['w'\]: .* got \[\]"),
        ({"examples": {"x": {"y": {"a": "ab", "b": (1, 0)}}}}, "got 'ab'"),
        ({"masks": {"m": np.zeros((2, 2), bool)}}, r"masks\['m'\]: mask"),
        ({"masks": {"m": masks.causal(3)}}, r"masks\['m'\]: expected a mask for 2 tokens, got 3"),
        ({"listener": "third"}, 'listener: expected "first" or "second", got .third'),
        ({"scale": 2}, "scale: expected None, or the first and the largest factor, from 0 to 100, got 2"),
        ({"scale": (2, 1)}, r"got \(2, 1\)"),
        ({"scale": (0, 0)}, r"got \(0, 0\)"),
        ({"window": (1, 0, 0, 1)}, "window: expected x from, x to, y from, y to"),
        ({"window": "wide"}, "window: .* got 'wide'"),
    ],
)
def test_bad_arguments_are_named(changes, message):
    arguments = {"networks": {"a": network()}, "examples": {"x": {"y": TWO}}, "vectors": ROLES, "window": WINDOW}
    arguments |= changes
    with pytest.raises(ValueError, match=message):
        live.Attention(arguments.pop("networks"), arguments.pop("examples"), arguments.pop("vectors"), **arguments)


def test_a_token_that_is_a_filler_in_one_context_is_not_compared():
    padded = {"padding": masks.padding(3, 4)}
    pair = {"x": example(("1254", "4125"))}
    shown = live.Attention({"softmax": network()}, pair, ROLES, masks=padded, window=WINDOW)
    compared = re.sub(r"\([^)]*\)|e-\d", "", text(shown).split("\n")[0])
    assert set(re.findall(r"\d", compared)) == {"1", "2"}
