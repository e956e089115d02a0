"""Section 6 and appendix D.1: images and their files, many networks at once, kinks, and the two records."""

import gzip
import itertools
import json
import math
import struct
from fractions import Fraction

import liu_experiments as recorder
import numpy as np
import pytest
import torch

from uatbook.liu2025.experiment import norms, steps
from uatbook.liu2025.experiment.images import ARMS, MAX_BYTES, Images, digits, labelled, noised, read_idx
from uatbook.liu2025.experiment.steps import GRID, TARGETS, Heads, Steps, at_steps, kinks, learn, without_kinks
from uatbook.liu2025.max_affine import MaxAffine

REPORTED = {
    "reported": "choosing",
    "longer": "choosing",
    "fresh": "fresh, choosing",
    "fresh, longer": "fresh, choosing",
}
"""Kinds of runs, and those that picked their rates."""
NORMS, KINKS = norms.recorded(norms.PATH), norms.recorded(steps.PATH)

# ------------------------------------------------------------------------------------------------------------ IDX files

CODES = {"B": 8, "b": 9, "h": 11, "i": 12, "f": 13, "d": 14}


def idx(code, shape, values):
    """A file as the format says, byte by byte."""
    head = bytes([0, 0, CODES[code], len(shape)]) + b"".join(struct.pack(">i", size) for size in shape)
    return head + b"".join(struct.pack(">" + code, value) for value in values)


@pytest.fixture
def write(tmp_path):
    def written(content, name="a.idx", packed=False):
        path = tmp_path / name
        path.write_bytes(gzip.compress(content) if packed else content)
        return path

    return written


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    ("code", "values"),
    [
        ("B", [0, 255, 7]),
        ("b", [-128, 127, 0]),
        ("h", [-300, 258, 1]),
        ("i", [-70000, 1, 2]),
        ("f", [0.5, -1, 3]),
        ("d", [0.1, -2, 1e300]),
    ],
)
def test_idx_files_of_every_type(write, code, values, packed):
    for shape in ((3,), (1, 3), (3, 1, 1)):
        found = read_idx(write(idx(code, shape, values), packed=packed))
        assert found.shape == shape
        assert found.ravel().tolist() == values
        assert found.dtype.isnative


def test_axes_of_a_file_are_in_the_order_of_c(write):
    found = read_idx(write(idx("B", (2, 3), [10, 11, 12, 20, 21, 22])))
    assert found.tolist() == [[10, 11, 12], [20, 21, 22]]
    assert read_idx(write(idx("B", (0, 28, 28), []))).shape == (0, 28, 28)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "begins with two bytes 0"),
        (b"\x00\x00\x08", "begins with two bytes 0"),
        (b"PK\x03\x04" + bytes(40), "begins with two bytes 0"),
        (bytes([0, 0, 10, 1, 0, 0, 0, 1, 5]), "a type out of 8, 9, 11, 12, 13, 14 .* got 10"),
        (bytes([0, 0, 8, 0, 5]), "1 to 8 axes"),
        (bytes([0, 0, 8, 9]) + bytes(36), "1 to 8 axes"),
        (bytes([0, 0, 8, 3, 0, 0, 0, 1, 0]), "3 sizes of 4 bytes, got 5 bytes"),
        (idx("B", (3,), [1, 2]), "3 numbers, as its head says, got 1 bytes less"),
        (idx("i", (2, 2), [1, 2, 3]), "4 numbers, as its head says, got 4 bytes less"),
        (idx("B", (2,), [1, 2, 3]), "2 numbers, as its head says, got more"),
        (idx("B", (-1, 4), []), "sizes of at least 0"),
        (idx("d", (MAX_BYTES // 8 + 1,), []), "at most 1,073,741,824 bytes"),
        (idx("B", (2**31 - 1,) * 8, []), "at most 1,073,741,824 bytes"),
    ],
)
def test_what_is_no_idx_file_is_refused(write, content, words):
    for packed in (False, True):
        with pytest.raises(ValueError, match=words):
            read_idx(write(content, packed=packed))


def test_broken_and_missing_files_are_refused(write, tmp_path):
    whole = gzip.compress(idx("B", (500,), list(range(250)) * 2))
    wrong = bytearray(whole)
    wrong[-6] ^= 1  # of the checksum
    for content in (whole[:-20], whole[:40], bytes(wrong), b"\x1f\x8b" + bytes(20)):
        with pytest.raises(ValueError, match="file: expected a file that can be read"):
            read_idx(write(content))
    for place in (tmp_path / "none", tmp_path):
        with pytest.raises(ValueError, match="file: expected a file that can be read"):
            read_idx(place)
    with pytest.raises(ValueError, match="file: expected the path"):
        read_idx(3)


def test_two_files_are_images_with_labels(write):
    pixels = write(idx("B", (2, 3, 2), [0, 51, 102, 153, 204, 255, *[255] * 6]), "images", packed=True)
    found = labelled(pixels, write(idx("B", (2,), [4, 0]), "labels"))
    assert found.X.shape == (2, 2, 3)  # the tokens are the three rows of two numbers
    assert found.X[0].T.tolist() == [[0, 0.2], [0.4, 0.6], [0.8, 1]]
    assert (found.labels.tolist(), found.classes) == ([4, 0], 5)
    for other, words in (
        (idx("B", (3,), [1, 2, 3]), "2 bytes, a label for each image"),
        (idx("i", (2,), [1, 2]), "2 bytes, a label for each image"),
    ):
        with pytest.raises(ValueError, match=words):
            labelled(pixels, write(other, "labels"))
    with pytest.raises(ValueError, match="images: expected bytes of shape"):
        labelled(write(idx("B", (2,), [1, 2]), "flat"), write(idx("B", (2,), [1, 2]), "labels"))


def test_digits_are_images_whose_rows_are_tokens():
    images = digits()
    assert (images.X.shape, images.labels.shape, images.classes) == ((1797, 8, 8), (1797,), 10)
    assert (images.X.min(), images.X.max()) == (0, 1)
    # Pixels at the left margin, the first entries of the tokens, are dark; the top row, the first token, is not.
    assert images.X[:, 0].mean() < 0.01 < images.X[:, :, 0].mean()
    # As scikit-learn 1.9.1 has them: 178 zeros, the grey of all, and of the first.
    assert np.bincount(images.labels).tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]
    assert (16 * images.X).sum() == 561_718
    assert (16 * images.X[0]).T[:2].tolist() == [[0, 0, 5, 13, 9, 1, 0, 0], [0, 0, 13, 15, 10, 15, 5, 0]]


# --------------------------------------------------------------------------------------------------------------- noise


def fake(count=400, d=3, n=2, classes=4):
    rng = np.random.default_rng(7)
    labels = rng.integers(0, classes, count)
    return Images(rng.random((count, d, n)) * (1 + labels[:, None, None]) / classes, labels, classes)


def test_arms_differ_in_what_they_say():
    images, level = fake(), 0.72
    Z, same, larger, wrong = (noised(images, arm, level, 3) for arm in ARMS)
    noise = (Z.X - images.X) / level
    assert abs(noise.mean()) < 0.1
    assert abs(noise.std() - 1) < 0.05
    for arm, like in ((same, images), (larger, Z)):
        assert arm.X.std() == pytest.approx(like.X.std(), rel=1e-12)
        assert arm.X.mean() == pytest.approx(images.X.mean(), rel=1e-12)
    # Nothing but moved and scaled.
    for one, other in ((same.X, Z.X), (larger.X, images.X)):
        assert np.corrcoef(one.ravel(), other.ravel())[0, 1] == pytest.approx(1)
    assert np.array_equal(wrong.X, images.X)
    assert (wrong.labels != images.labels).mean() == pytest.approx(level * 3 / 4, abs=0.07)
    for arm in ARMS:
        clean = noised(images, arm, 0, 3)
        assert np.allclose(clean.X, images.X, atol=1e-15)
        assert np.array_equal(clean.labels, images.labels)
        one, again, other = (noised(images, arm, level, k) for k in (3, 3, 4))
        assert np.array_equal(one.X, again.X)
        assert np.array_equal(one.labels, again.labels)
        assert arm == "no noise, larger" or not (
            np.array_equal(one.X, other.X) and np.array_equal(one.labels, other.labels)
        )


# ------------------------------------------------------------------------------------------------------------ networks


def by_loops(w, Z):
    """Class scores of one image, and its attention scores, number by number."""
    d, n = Z.shape
    product = lambda W, z: [sum(W[i][j] * z[j] for j in range(d)) for i in range(d)]  # noqa: E731
    q, k, v = ([product(w[name], Z[:, t]) for t in range(n)] for name in ("w_q", "w_k", "w_v"))
    scores = [[sum(a * b for a, b in zip(k[s], q[t], strict=True)) for t in range(n)] for s in range(n)]
    heard = [[0.0] * n for _ in range(d)]
    for t in range(n):
        total = sum(math.exp(scores[s][t]) for s in range(n))
        for i, s in itertools.product(range(d), range(n)):
            heard[i][t] += v[s][i] * math.exp(scores[s][t]) / total
    flat = [heard[i][t] for i in range(d) for t in range(n)]
    units = [
        max(0.0, sum(a * b for a, b in zip(row, flat, strict=True)) + c[0])
        for row, c in zip(w["w_1"], w["b_1"], strict=True)
    ]
    return [
        sum(a * b for a, b in zip(row, units, strict=True)) + c[0] for row, c in zip(w["w_2"], w["b_2"], strict=True)
    ], scores


def test_networks_are_what_their_formula_says():
    first = norms.initial([4, 5], 3, 2, 4)
    weights = {name: torch.stack([w, 2 * w]).double() for name, w in first.items()}
    Z = np.random.default_rng(0).normal(size=(2, 5, 3, 2))
    out, scores = norms.answers(weights, torch.tensor(Z).transpose(1, 2))
    assert out.shape == (2, 2, 4, 5)
    for task, run, image in itertools.product(range(2), range(2), range(5)):
        own = {name: w[task, run].tolist() for name, w in weights.items()}
        wanted, wanted_scores = by_loops(own, Z[task, image])
        assert np.allclose(out[task, run, :, image], wanted, atol=1e-12)
        assert np.allclose(scores[2 * task + run, image], wanted_scores, atol=1e-12)


def test_networks_do_not_know_of_each_other():
    images, options = fake(), {"rate": 0.01, "steps": 5}
    tasks = [("noise", 0.3), ("wrong labels", 0.5)]
    together = norms.train(images, tasks, weight_seeds=[8, 9], data_seed=1, **options)
    alone = norms.train(images, tasks[1:], weight_seeds=[9], data_seed=1, **options)
    for name in ("w_k", "w_q", "spread", "accuracy", "loss"):
        assert getattr(together, name)[1, 1] == pytest.approx(getattr(alone, name)[0, 0], rel=1e-4)
    for name in ("w_k", "w_q"):
        found, kept = getattr(together, name), together.weights[name].double().numpy()
        assert np.allclose(found, np.sqrt((kept**2).sum((2, 3))), rtol=1e-6)
    # Weights begin alike whatever the data.
    starts = [norms.train(images, tasks, weight_seeds=[8], data_seed=k, rate=1e-9, steps=1).w_k for k in (1, 2)]
    assert np.allclose(*starts, rtol=1e-6)


def test_fresh_noise_is_another_for_each_batch(monkeypatch):
    images, options, drawn = fake(), {"rate": 0.01, "steps": 6, "weight_seeds": [3], "data_seed": 2}, []
    fixed, again = (norms.train(images, [("noise", 0.0)], fresh=fresh, **options) for fresh in (False, True))
    assert np.array_equal(fixed.w_k, again.w_k)
    given = norms.noised
    monkeypatch.setattr(norms, "noised", lambda *order: drawn.append(order[1:]) or given(*order))
    fixed, again = (norms.train(images, [("wrong labels", 1)], fresh=fresh, **options) for fresh in (False, True))
    assert not np.array_equal(fixed.w_k, again.w_k)
    assert drawn[:2] == [("wrong labels", 1, 2)] * 2  # what measures is the same
    assert len({seed for *_, seed in drawn[2:]} | {2}) == 7


def test_training_lowers_the_loss_and_spread_is_that_of_scores():
    images = fake()
    before, after = (norms.train(images, [("noise", 0.0)], rate=0.02, weight_seeds=[1], steps=k) for k in (1, 200))
    assert after.loss < 0.8 * before.loss
    order = np.random.default_rng([0, 2]).permutation(400)[250:]
    own = {name: w[0, 0].double().tolist() for name, w in after.weights.items()}
    found = [by_loops(own, images.X[k]) for k in order]
    assert after.spread.item() == pytest.approx(np.mean([np.std(scores, axis=0) for _, scores in found]), rel=1e-4)
    right = np.mean([np.argmax(out) == images.labels[k] for (out, _), k in zip(found, order, strict=True)])
    assert after.accuracy.item() == pytest.approx(right)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"rate": 0}, "rate: expected"),
        ({"rate": 2}, "rate: expected"),
        ({"weight_seeds": []}, "weight_seeds: expected a task and a seed"),
        ({"tasks": []}, "weight_seeds: expected a task and a seed"),
        ({"weight_seeds": [-1]}, "weight_seeds: expected an int"),
        ({"data_seed": 0.5}, "data_seed: expected"),
        ({"steps": 0}, "steps: expected"),
        ({"images": np.ones((3, 2, 2))}, "images: expected an Images"),
        ({"tasks": [("noises", 0.1)]}, "arm: expected"),
        ({"tasks": [("wrong labels", 1.1)]}, "level: expected"),
        ({"tasks": [("noise", -0.1)]}, "level: expected"),
    ],
)
def test_what_cannot_be_trained_is_refused(changes, words):
    given = {"images": fake(), "tasks": [("noise", 0.1)], "rate": 0.01, "weight_seeds": [0], **changes}
    with pytest.raises(ValueError, match=words):
        norms.train(given.pop("images"), given.pop("tasks"), **given)


# --------------------------------------------------------------------------------------------------------------- kinks


def test_kinks_are_where_the_slope_of_the_maximum_changes():
    rng = np.random.default_rng(0)
    for _ in range(25):
        N = int(rng.integers(1, 6))
        own = MaxAffine(rng.integers(-3, 4, (1, N)), rng.integers(-3, 4, N))
        found = kinks(own)
        # Slopes and heights are small ints: kinks are fractions with denominators up to 6, so 1/60 apart or more.
        inside = [Fraction(k, 200) + Fraction(1, 977) for k in range(-199, 199)]
        slopes = [max((y, a) for a, y in zip(own.A[0], own.A[0] * x + own.b, strict=True))[1] for x in inside]
        changes = [(a, b) for a, b, s, t in zip(inside, inside[1:], slopes, slopes[1:], strict=False) if s != t]
        interior = [x for x in found if inside[0] < x < inside[-1]]
        assert len(interior) == len(changes)
        assert all(a <= x <= b for x, (a, b) in zip(interior, changes, strict=True))


def test_kinks_by_hand():
    assert kinks(MaxAffine([[0, 2, 4]], [0, -1, -3])) == [Fraction(1, 2), 1]
    assert kinks(MaxAffine([[0, 2, 4]], [0, -1, -3]), 0, Fraction(3, 4)) == [Fraction(1, 2)]
    # Parallel and covered components turn nothing; three that meet turn once.
    assert kinks(MaxAffine([[1, 1, 0]], [0, 1, -5])) == []
    assert kinks(MaxAffine([[-1, 0, 1]], [0, 0, 0])) == [0]
    for call, words in (
        (lambda: kinks(MaxAffine([[1], [2]], [0])), "one of d = 1"),
        (lambda: kinks(MaxAffine([[1]], [0]), 1, 0), "high: expected"),
        (lambda: kinks([[1]]), "max_affine: expected"),
    ):
        with pytest.raises(ValueError, match=words):
            call()


def test_heads_learn_as_autograd_would():
    target, seeds = TARGETS["zigzag"], [3, 4]
    found = learn(target, components=3, seeds=seeds, checkpoints=[0, 7], rate=0.05)
    y = torch.tensor([float(target(x)) for x in GRID])
    for run, k in enumerate(seeds):
        weights = torch.tensor(np.random.default_rng(k).normal(size=(3, 3)), requires_grad=True)
        assert np.allclose(np.stack([w[run] for w in found[0]]), weights.detach())
        optimizer = torch.optim.Adam([weights], lr=0.05)
        for _ in range(7):
            A, b, V = weights
            values = V @ (A[:, None] * torch.tensor(GRID) + b[:, None]).softmax(0)
            optimizer.zero_grad()
            ((values - y) ** 2).mean().backward()
            optimizer.step()
        assert np.allclose(np.stack([w[run] for w in found[7]]), weights.detach(), atol=1e-9)
        assert found[7].error(target)[run] < found[0].error(target)[run]


def test_steps_and_their_heads():
    target = TARGETS["staircase"]
    assert target([-1, -0.5, -0.001, 0, 0.75]).tolist() == [0, 1 / 3, 1 / 3, 2 / 3, 1]
    sharp = at_steps(target, 300)
    assert kinks(sharp.max_affine(0)) == [Fraction(-1, 2), 0, Fraction(1, 2)]
    assert sharp.distances(target).tolist() == [[0, 0, 0]]
    assert sharp(np.array([-0.75, -0.25, 0.25, 0.75])) == pytest.approx(np.array([[0, 1 / 3, 2 / 3, 1]]), abs=1e-9)
    smooth = without_kinks(target)
    assert kinks(smooth.max_affine(0)) == []
    assert np.isinf(smooth.distances(target)).all()
    # And its error is that of its shares by V, computed apart.
    powers = np.exp(np.multiply.outer(smooth.A[0], GRID - 1.05))
    assert smooth.error(target)[0] == pytest.approx(
        np.mean((smooth.V[0] @ (powers / powers.sum(0)) - target(GRID)) ** 2)
    )
    fitted = np.polyval(np.polyfit(GRID, target(GRID), 1), GRID)
    assert steps.line_error(target) == pytest.approx(np.mean((fitted - target(GRID)) ** 2))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"target": "staircase"}, "target: expected"),
        ({"components": 0}, "components: expected"),
        ({"seeds": []}, "a seed and a checkpoint"),
        ({"checkpoints": []}, "a seed and a checkpoint"),
        ({"checkpoints": [-1]}, "checkpoints: expected"),
        ({"rate": math.nan}, "rate: expected"),
    ],
)
def test_what_cannot_be_learned_is_refused(changes, words):
    given = {"target": Steps((0,), (0, 1)), "components": 2, "seeds": [0], "checkpoints": [1], **changes}
    with pytest.raises(ValueError, match=words):
        learn(given.pop("target"), **given)


# --------------------------------------------------------------------------------------------------------- the records


@pytest.mark.parametrize(("what", "record"), [("norms", NORMS), ("kinks", KINKS)])
def test_records_are_of_this_program_and_whole(what, record):
    head = recorder.header(what, recorder.PATHS[what])
    assert record["settings"] == head["settings"]
    assert (record["command"], record["fields"]) == (head["command"], head["fields"])
    assert {"date", "machine", "versions"} < set(record)
    keys = [(tuple(run[k] for k in recorder.KEYS[what]), run.get("level"), run["steps"]) for run in record["runs"]]
    assert len(set(keys)) == len(keys)
    asked = [key for stage in recorder.RUNS[what][0](record["runs"]) for key in stage]
    assert {key for key, _, _ in keys} == {*asked}
    assert len({*asked}) == len(asked)


def test_a_record_goes_on_where_it_was_stopped(tmp_path, monkeypatch):
    """Killed after its first stage it asks for the second alone, and the file is the same."""
    rates, shape = [0.1, 0.3], ["one step", 2]
    small = {"rates": rates, "shapes": [shape], "checkpoints": {"choosing": [3], "reported": [0, 3]}}
    monkeypatch.setattr(recorder, "SETTINGS", {"kinks": recorder.KINKS | small})
    monkeypatch.setattr(recorder, "KINKS", recorder.KINKS | small)
    path, asked = tmp_path / "kinks.json", []
    keys, run = recorder.RUNS["kinks"]
    monkeypatch.setitem(recorder.RUNS, "kinks", (keys, lambda key: asked.append(key) or run(key)))
    recorder.main(["kinks", "--record", str(path)])
    whole = path.read_bytes()
    assert asked[:2] == [("choosing", *shape, rate) for rate in rates]
    assert len(asked) == 3
    found = norms.recorded(path)
    path.write_text(json.dumps({**found, "runs": found["runs"][:2]}), encoding="utf-8")
    recorder.main(["kinks", "--record", str(path)])
    assert asked[3:] == asked[2:3]
    assert path.read_bytes() == whole
    with pytest.raises(SystemExit, match="expected norms or kinks"):
        recorder.main(["noise"])


def test_the_norms_are_those_of_all_levels_at_rates_that_others_chose():
    settings = NORMS["settings"]
    assert settings["levels"]["reported"] == pytest.approx(np.arange(25) * 0.03)
    for seeds, (kind, chooses) in itertools.product(("weight_seeds", "data_seeds"), REPORTED.items()):
        assert not set(settings[seeds][chooses]) & set(settings[seeds][kind])
    assert set(norms.chosen_rates(NORMS)) == set(ARMS)
    assert set(norms.chosen_rates(NORMS, "fresh, choosing")) == set(settings["fresh"])
    for field in ("w_k", "w_q", "spread", "accuracy"):
        for runs in norms.curves(NORMS, field).values():
            assert runs.shape == (25, 20)
    another = min(settings["rates"])
    for rate in (None, another):
        for arm, runs in norms.curves(NORMS, "accuracy", rate=rate, seeds="choosing").items():
            meant = rate or norms.chosen_rates(NORMS)[arm]
            kept = [run for run in NORMS["runs"] if (run["arm"], run["rate"], run["seeds"]) == (arm, meant, "choosing")]
            wanted = sorted((run["level"], value) for run in kept for value in run["accuracy"])
            levels = sorted({level for level, _ in wanted})
            assert sorted((level, u) for level, row in zip(levels, runs, strict=True) for u in row) == wanted != []
    for seeds in set(REPORTED.values()):
        for arm, rate in norms.chosen_rates(NORMS, seeds).items():
            assert min(settings["rates"]) < rate < max(settings["rates"]), arm  # no edge
            means = {r: np.mean(norms.curves(NORMS, "accuracy", rate=r, seeds=seeds)[arm]) for r in settings["rates"]}
            assert means[rate] == max(means.values())
    for kind, chooses in REPORTED.items():
        for arm, rate in norms.chosen_rates(NORMS, chooses).items():
            assert {arm} <= set(norms.curves(NORMS, "w_k", rate=rate, seeds=kind))


def test_a_part_of_the_norms_repeats():
    """One of the networks. Another machine adds in another order: after 600 steps of floats that is some 1e-4."""
    arm, level, data_seed = "noise, same scale", 0.36, 1
    rate = norms.chosen_rates(NORMS)[arm]
    here = (arm, level, rate, "reported", data_seed)
    names = ("arm", "level", "rate", "seeds", "data_seed")
    (line,) = (run for run in NORMS["runs"] if tuple(run[name] for name in names) == here)
    again = norms.train(digits(), [(arm, level)], rate=rate, weight_seeds=[0], data_seed=data_seed)
    for name in ("w_k", "w_q", "spread"):
        assert getattr(again, name).item() == pytest.approx(line[name][0], rel=0.02), name


@pytest.mark.parametrize(("name", "components"), KINKS["settings"]["shapes"])
def test_a_part_of_the_kinks_repeats(name, components):
    """Three seeds. With eight components an error of 1e-12 at the start is one of 1e-3 after a thousand steps, so these
    are compared after 250 alone."""
    rate = steps.chosen_rate(KINKS, name, components)
    said = steps.heads(KINKS, name, components)
    tolerances = {0: 1e-8, 250: 1e-6} | ({1000: 1e-4} if components < 8 else {})
    again = learn(TARGETS[name], components=components, seeds=range(3), checkpoints=tolerances, rate=rate)
    for step, tolerance in tolerances.items():
        for one, other in zip(again[step], said[step], strict=True):
            assert np.allclose(one, other[:3], rtol=tolerance, atol=tolerance)


def test_errors_of_the_record_are_those_of_its_weights():
    for run in KINKS["runs"]:
        if run["seeds"] == "reported":
            own = Heads(*(np.array(run[name]) for name in Heads._fields))
            assert own.error(TARGETS[run["target"]]) == pytest.approx(np.array(run["loss"]), rel=1e-3, abs=1e-9)


def test_a_record_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(ValueError, match="expected the record of a run"):
        norms.recorded(tmp_path / "none.json")
