"""A valid call of each public name of the library, by package.

A name is public where its package's or module's `__all__` has it; a module without `__all__` is the library's own.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import torch
from matplotlib import pyplot as plt

from explorables import Control, Explorer, explore
from uatbook import live, statements
from uatbook.cheng2025.mixing_terms import attention_weights, bias_attention, cyclic_convolution, linformer, skyformer
from uatbook.kajitsuka2024.label_networks import memorise, positional_encoding
from uatbook.liu2025.covers import cover, cover_error
from uatbook.liu2025.max_affine import MaxAffine, indicator_attention
from uatbook.sources import SOURCES
from uatlib import cheng2025, groups, kajitsuka2024, liu2025, masks, metrics, mixers, targets, torch_model, yun2020
from uatlib.arithmetic import BALL, EXACT, FLOAT32, FLOAT64, INT64, Ball, distances
from uatlib.certificate import Certificate, Check, Claim, Construction, Term
from uatlib.comparison import Row, compare
from uatlib.contexts import find_violation
from uatlib.grids import Grid, quantize, step_function
from uatlib.kernels import DOT, RBF
from uatlib.layers import Attention, FeedForward, Head, LinearSum, ThreePiece
from uatlib.model import Transformer
from uatlib.patterns import Pattern

from .fuzzing import Example, example

PARTS: dict[str, str] = {
    "uatlib.cheng2025.pairs": "FAMILIES",
    "uatlib.cheng2025.random_attention": "attention_layers",
    "uatlib.comparison": "CONSTRUCTIONS",
    "uatlib.grids": "repeated_share",
    "uatlib.kajitsuka2024.boltzmann_operator": "second_derivative",
    "uatlib.kajitsuka2024.directions": "direction_ratio",
    "uatlib.kajitsuka2024.relu_steps": "ReluSum token_layer",
    "uatlib.kajitsuka2024.boltzmann_spacing": "least_spacing spacing_constant",
    "uatlib.liu2025.self_attention_layers": "apart self_network self_weights",
    "uatlib.sizes": "MAX_LAYERS",
    "uatlib.yun2020.shift_layers": "selective_shift_layer",
    "uatlib.yun2020.cost": "flattened_counts largest_id parameter_counts",
    "uatlib.yun2020.ids": "categories column_vector id_interval",
    "uatlib.yun2020.quantizer_layers": "clip_layer",
    "uatlib.yun2020.relus": "bands with_relus",
    "uatlib.yun2020.softmax_layers": "with_softmax_layers",
    "uatlib.yun2020.softmax_and_relu": "largest_gap largest_in_bands softmax_drift",
    "uatlib.yun2020.positional_layers": "encodings positional_quantizer positional_shift",
    "uatlib.yun2020.value_lookup": "ValueMap",
    "uatlib.yun2020.output_layers": "largest_entry return_layer safe_range token_layer value_table",
}
"""No doors, by module: what chapters take to show of what a step of a proof is made. The fewer the better."""

HALF = Fraction(1, 2)
EYE = [[1, 0], [0, 1]]
TOKENS = [[0, 1, 2], [1, HALF, 0]]
RING = [[3, 0, 1], [0, 1, 2], [1, 2, 3], [2, 3, 0]]
DIRECTED = [[0, 1], [1, 2], [2, 3], [3, 0]]


@cache
def head() -> Head:
    return Head([[1]], [[1]], [[1]], [[1]], b_q=[HALF])


@cache
def hardmax() -> Attention:
    return Attention([head()], "hardmax", b_o=[1])


@cache
def feed_forward() -> FeedForward:
    return FeedForward([[1], [2]], [0, -1], [[1, HALF]], [3])


@cache
def three_piece() -> FeedForward:
    return FeedForward([[1]], [0], [[1]], activation=ThreePiece((0, 1), (0, -1, 0), (1, 0, 2)))


@cache
def model() -> Transformer:
    return Transformer([hardmax(), feed_forward()], n=2)


@cache
def cross() -> Transformer:
    return Transformer([Attention([head()], cross=True)])


@cache
def grid() -> Grid:
    return Grid(2, 2, 1)


@cache
def network() -> Construction:
    return yun2020.build(targets.mean_product(2), inverse_delta=2)


@cache
def one_layer() -> Construction:
    return kajitsuka2024.build(targets.mean_product(2), inverse_delta=2, duplicates="keep")


@cache
def rank_one() -> Transformer:
    return kajitsuka2024.rank_one_attention([1, 2, 3], 2)


@cache
def cells_of_three() -> Any:
    return MaxAffine([[0, 1, -1]], [0, HALF, 0])


@cache
def pair() -> targets.Target:
    return targets.Target(lambda Z, source: Z * source, 1, 1, lipschitz=2, n_source=1, d_source=1)


@cache
def smooth() -> Construction:
    return liu2025.build(targets.mean_product(2), inverse_delta=2)


@cache
def memory() -> Any:
    return memorise([[[1, 2]], [[2, 3]]], [[[1, 0]], [[0, 1]]])


@cache
def by_theorem_1() -> Construction:
    return cheng2025.build(targets.mean_product(2), inverse_delta=2)


@cache
def in_the_plane() -> Transformer:
    return Transformer([Attention([Head(EYE, EYE, EYE, EYE)])])


@cache
def shifting() -> Transformer:
    parts = [part(inverse_delta=2, n=2, d=1) for part in (yun2020.quantizer, yun2020.selective_shift)]
    return Transformer([layer for part in parts for layer in part.layers], n=2)


def of_sites(sites: Any, weights: Any, precision: Any, values: Any) -> Transformer:
    return indicator_attention(MaxAffine.of_sites(sites, weights), len(weights), precision, values=values)


def smoother(f: Any, N: int) -> Construction:
    return liu2025.build(f, inverse_delta=N, form="smoother")


def drawn(height: Any) -> Any:
    return plt.figure(figsize=(1, 1))


@cache
def explorer() -> Explorer:
    return Explorer(drawn, {"height": Control([1, 2])})


def explored(**options: Any) -> Explorer:
    return explore(**options)(drawn)


def average(X: Any, theta: Any) -> Any:
    return theta[0] * X.mean(dim=1, keepdim=True).expand(X.shape)


def claim() -> Claim:
    return Claim([Term("step", "cells", "Lemma 4", 0.5)], 2.0, (0, 1), 2, 1, 1, 1, 2, 9)


def identity(X: Any) -> Any:
    return X


def zero(X: Any) -> Any:
    return 0 * X


X = [[0, HALF]]
BATCH = np.array([[[0.0, 0.5]], [[0.25, 1.0]]])

EXAMPLES: dict[str, dict[str, Callable[[], Example]]] = {
    "uatlib.arithmetic": {
        "Ball": lambda: example(Ball, HALF, Fraction(1, 4)),
        "Ball.contains": lambda: example(Ball(1, 1).contains, HALF),
        "BALL.with_bits": lambda: example(BALL.with_bits, 64),
        "FLOAT64.on": lambda: example(FLOAT64.on, "cpu"),
        "INT64.in_units_of": lambda: example(INT64.in_units_of, HALF),
        "distances": lambda: example(distances, np.array([Ball(1)]), np.array([HALF])),
    },
    "uatlib.layers": {
        "Attention": lambda: example(Attention, [head()], "hardmax", [1], [[True, True], [False, True]]),
        "Attention, options": lambda: example(Attention, [head()], kernel=RBF(1), skip=False, cross=True),
        "Attention, pattern": lambda: example(Attention, [head()], mask=Pattern([[0], [0, 1]])),
        "Attention.with_mask": lambda: example(hardmax().with_mask, masks.causal(2)),
        "Attention.with_softmax": lambda: example(hardmax().with_softmax, 2),
        "Attention.with_weights": lambda: example(hardmax().with_weights, hardmax().weights()),
        "FeedForward": lambda: example(FeedForward, [[1], [2]], [0, -1], [[1, HALF]], [3]),
        "FeedForward, options": lambda: example(FeedForward, [[1]], [0], [[1], [2]], skip=False),
        "FeedForward.with_weights": lambda: example(feed_forward().with_weights, feed_forward().weights()),
        "LinearSum": lambda: example(LinearSum, [([[1]], [[1, 0], [0, 1]])], [[0, HALF]]),
        "Head": lambda: example(Head, [[1]], [[1]], [[1]], [[1]], [0], [0], [0]),
        "Head, projections": lambda: example(Head, [[1]], [[1]], [[1]], [[1]], w_e=[[1], [0]], w_f=[[1], [1]]),
        "ThreePiece": lambda: example(ThreePiece, (0, 1), (0, -1, 0), (1, 0, 2)),
    },
    "uatlib.kernels": {
        "RBF": lambda: example(RBF, HALF),
    },
    "uatlib.patterns": {
        "Pattern": lambda: example(Pattern, [{0, 1}, [1], range(3)]),
        "Pattern, keys": lambda: example(Pattern, [[0, 4], [1]], 5),
        "Pattern.mask": lambda: example(Pattern([[0], [0, 1]]).mask),
    },
    "uatlib.mixers": {
        "BiasAttention": lambda: example(mixers.BiasAttention, HALF, [[1, 0], [0, 2]], [0, 1], "relu", Pattern([[0]])),
        "CyclicConvolution": lambda: example(mixers.CyclicConvolution, [1, HALF]),
        "BilinearProjection": lambda: example(mixers.BilinearProjection, [[1]], [[0, 1], [1, 0]]),
        "SeparableConvolution": lambda: example(mixers.SeparableConvolution, [[1]], [[0, 1, 1]]),
    },
    "uatlib.model": {
        "Transformer": lambda: example(Transformer, [hardmax(), feed_forward()], 2),
        "Transformer, encoder": lambda: example(Transformer, cross().layers, encoder=[LinearSum([(None, [[1]])])]),
        "Transformer.attentions": lambda: example(model().attentions),
        "Transformer.feed_forwards": lambda: example(model().feed_forwards),
        "Transformer.__call__": lambda: example(model().__call__, X, EXACT),
        "Transformer.__call__, source": lambda: example(cross().__call__, X, FLOAT64, source=[[1, 2, 3]]),
        "Transformer.trace": lambda: example(model().trace, X, BALL),
        "Transformer.lower": lambda: example(model().lower, FLOAT32),
        "Transformer.parameter_count": lambda: example(model().parameter_count, True),
        "Transformer.save": lambda: example(model().save, "model.json"),
        "Transformer.load": lambda: example(Transformer.load, saved()),
    },
    "uatlib.masks": {
        "additive": lambda: example(masks.additive, masks.causal(2)),
        "causal": lambda: example(masks.causal, 3),
        "combine": lambda: example(masks.combine, masks.causal(2), masks.padding(1, 2)),
        "from_additive": lambda: example(masks.from_additive, masks.additive(masks.causal(2))),
        "padding": lambda: example(masks.padding, [1, 2], 3, "left"),
    },
    "uatlib.torch_model": {
        "MultiheadAttentionLayer": lambda: example(torch_model.MultiheadAttentionLayer, Attention([head()])),
        "MultiheadAttentionLayer.forward": lambda: example(
            torch_model.MultiheadAttentionLayer(Attention([head()])).forward, torch.ones(1, 1, 2)
        ),
        "to_module, forward": lambda: example(torch_model.to_module(model()).forward, torch.ones(1, 2).double()),
        "from_module": lambda: example(torch_model.from_module, torch_model.to_module(model())),
        "from_multihead_attention": lambda: example(
            torch_model.from_multihead_attention, torch.nn.MultiheadAttention(2, 1, bias=False), masks.causal(2)
        ),
        "to_module": lambda: example(torch_model.to_module, model()),
    },
    "uatlib.targets": {
        "Target": lambda: example(targets.Target, identity, 2, 1, lipschitz=1, bound=1),
        "Target.__call__": lambda: example(targets.mean_product(2).__call__, BATCH),
        "Target.check": lambda: example(targets.mean_product(2).check, 20, 1),
        "Target.modulus": lambda: example(targets.mean_product(2).modulus, HALF),
        "bump": lambda: example(targets.bump, 2, 1),
        "cyclic_difference": lambda: example(targets.cyclic_difference, 2, 1),
        "mean_product": lambda: example(targets.mean_product, 2, 1),
        "running_mean": lambda: example(targets.running_mean, 2, 1),
    },
    "uatlib.metrics": {
        "equivariance_error": lambda: example(metrics.equivariance_error, identity, BATCH, [(1, 0)]),
        "lp_distance": lambda: example(
            metrics.lp_distance, identity, zero, n=2, d=1, cells=2, order=1, lipschitz=1, samples=10
        ),
        "lp_distance, enclosed": lambda: example(
            metrics.lp_distance, identity, zero, n=2, d=1, cells=2, method="enclosed", lipschitz=1
        ),
        "lp_distance, Monte Carlo": lambda: example(
            metrics.lp_distance, identity, zero, n=2, d=1, method="monte carlo", samples=10
        ),
        "sup_distance": lambda: example(metrics.sup_distance, identity, zero, BATCH),
    },
    "uatlib.comparison": {
        "Row": lambda: example(Row, "mine", 2, 1),
        "compare": lambda: example(compare, targets.mean_product(2), 2, samples=10, literal=1),
    },
    "uatlib.grids": {
        "Grid": lambda: example(Grid, 2, 2, 1),
        "Grid.size": lambda: example(grid().size, extended=True),
        "Grid.sequences": lambda: example(grid().sequences, 0, 3, extended=True),
        "Grid.chunks": lambda: example(grid().chunks, 3),
        "quantize": lambda: example(quantize, X, inverse_delta=2),
        "step_function": lambda: example(step_function, targets.mean_product(2), inverse_delta=2),
        "step_function, call": lambda: example(step_function(targets.bump(2), inverse_delta=2).__call__, X),
    },
    "uatlib.groups": {
        "elements": lambda: example(groups.elements, "dihedral", 4),
        "orbits": lambda: example(groups.orbits, [(1, 0, 2)], 3),
    },
    "uatlib.contexts": {
        "find_violation": lambda: example(find_violation, [[[0, 1]], [[1, 1]]], [[0, 1], [2, 2]]),
    },
    "uatlib.certificate": {
        "Certificate": lambda: example(Certificate, [Check("one", 1, "<=", 2)], "title", {"n": 2}),
        "Check": lambda: example(Check, "one", HALF, "<=", 2, None, "exhaustive", 3),
        "Check.worst": lambda: example(Check.worst, "one", [HALF, 1], "<=", 2, ["a", "b"]),
        "Check.worst, function": lambda: example(Check.worst, "one", np.eye(2), "<=", 2, lambda i, k: k),
        "Check.none": lambda: example(Check.none, "one", [], None, "exhaustive", 3),
        "Check.none, function": lambda: example(Check.none, "one", np.eye(2) > 0, lambda i, k: k),
        "Check.none, cases": lambda: example(Check.none, "one", [1, 2], lambda case: case),
        "Claim": lambda: example(Claim, [Term("step", "cells", "Lemma 4", 0.5)], 2.0, (0, 1), 2, 1, 1, 1, 2, 9),
        "Claim.__getitem__": lambda: example(claim().__getitem__, "step"),
        "Construction.__call__": lambda: example(network().__call__, X, EXACT),
        "Term": lambda: example(Term, "step", "cells", "Lemma 4", 0.5),
    },
    "uatbook.statements": {
        "all": lambda: example(statements.all),
        "get": lambda: example(statements.get, "yun2020:lem-7"),
        "Statement.verify": lambda: example(verify_lemma_7, inverse_delta=2, n=2, d=1),
        "Statement.perturb": lambda: example(perturb_lemma_7, seed=1),
    },
    "uatlib.yun2020": {
        **{
            name: lambda name=name: example(getattr(yun2020, name), inverse_delta=2, n=2, d=1)
            for name in ("quantizer", "selective_shift", "bits_needed", "layer_counts", "softmax_scale")
        },
        "build": lambda: example(yun2020.build, targets.mean_product(2), inverse_delta=2),
        "build, error": lambda: example(yun2020.build, targets.mean_product(2), error=1.5),
        "build, relu": lambda: example(
            yun2020.build, targets.mean_product(2), inverse_delta=2, stage="relu", width=Fraction(1, 100)
        ),
        "certify": lambda: example(yun2020.certify, network(), literal=1, samples=2),
        "coarsest_grid": lambda: example(yun2020.coarsest_grid, targets.mean_product(2), 0.5),
        "context_ids": lambda: example(yun2020.context_ids, [[0, 1]], inverse_delta=2),
        "four_relus": lambda: example(yun2020.four_relus, three_piece().activation, Fraction(1, 100)),
        "terms": lambda: example(yun2020.terms, targets.mean_product(2), 2, 2),
        "value_layers": lambda: example(yun2020.value_layers, identity, inverse_delta=2, n=2, d=1),
    },
    "uatlib.kajitsuka2024": {
        "Memory.__call__": lambda: example(memory().__call__, [[1, 2]], FLOAT64),
        "Memory.errors": lambda: example(memory().errors, FLOAT64),
        "boltz": lambda: example(kajitsuka2024.boltz, [1.0, 2.0], [True, True]),
        "build": lambda: example(kajitsuka2024.build, targets.mean_product(2), inverse_delta=2, duplicates="keep"),
        "build, error": lambda: example(kajitsuka2024.build, targets.mean_product(2), error=3.0),
        "bump": lambda: example(kajitsuka2024.bump, 1, 2),
        "certified_margin": lambda: example(kajitsuka2024.certified_margin, [1, 2, 3], 2, HALF),
        "certify, layer": lambda: example(certify_layer, rank_one(), [1, 2, 3], 2),
        "certify, memory": lambda: example(certify_memory, memory()),
        "certify, network": lambda: example(certify_network, one_layer(), literal=5, samples=2),
        "collisions": lambda: example(kajitsuka2024.collisions, rank_one(), [1, 2, 3], 2, FLOAT64),
        "contexts": lambda: example(kajitsuka2024.contexts, 4, 2),
        "direction": lambda: example(kajitsuka2024.direction, [[0, 1, 2], [1, 0, 2]], draws=3),
        "gradient": lambda: example(kajitsuka2024.gradient, [1.0, 2.0]),
        "margins": lambda: example(kajitsuka2024.margins, [1, 2, 3], 2, [1.0, 2.0]),
        "monotone_threshold": lambda: example(kajitsuka2024.monotone_threshold, 3, True),
        "penalty": lambda: example(kajitsuka2024.penalty, HALF),
        "practical_scale": lambda: example(kajitsuka2024.practical_scale, [1, 2, 3], 2, grid=11),
        "quantizer": lambda: example(kajitsuka2024.quantizer, 2, Fraction(1, 100)),
        "rank_one_attention": lambda: example(kajitsuka2024.rank_one_attention, [1, 2, 3], 2),
        "separation": lambda: example(kajitsuka2024.separation, [1, 2, 3], 2),
        "visible_ids": lambda: example(kajitsuka2024.visible_ids, rank_one(), [1, 2, 3], 2),
    },
    "uatbook.kajitsuka2024.label_networks": {
        "memorise": lambda: example(memorise, [[[1, 2]], [[2, 3]]], [[[1, 0]], [[0, 1]]]),
        "positional_encoding": lambda: example(positional_encoding, 1, 2, 1),
    },
    "uatlib.liu2025": {
        "build": lambda: example(liu2025.build, targets.mean_product(2), error=2.0, form="smoother"),
        "build, grid": lambda: example(liu2025.build, targets.mean_product(2), inverse_delta=2, p=2, bound="chain"),
        "build, cover": lambda: example(
            liu2025.build, targets.mean_product(2), error=0.5, kind="cover", centers=[[0.5, 0.5], [HALF, 1]]
        ),
        "build, cross": lambda: example(liu2025.build, pair(), error=1.5, kind="cross"),
        "build, modulus": lambda: example(
            liu2025.build, targets.mean_product(2), error=2, bound="modulus", modulus=0.25
        ),
        "certify": lambda: example(liu2025.certify, smooth(), literal=2, samples=2, seed=1),
        "cross_attention": lambda: example(liu2025.cross_attention, np.full((2, 2, 1, 1), 0.5), [[0], [1]], 1, 1, 3, 1),
        "grid_centers": lambda: example(liu2025.grid_centers, 3, 1.0, 2),
        "parameters_for": lambda: example(
            liu2025.parameters_for, eps=0.1, lipschitz=2, half_width=1, dim=2, bound="chain", sup=HALF
        ),
        "parameters_for, cover": lambda: example(liu2025.parameters_for, eps=0.1, lipschitz=2, bound="cover", balls=5),
        "precision": lambda: example(liu2025.precision, 3, HALF, 0.01, exact=True),
        "self_attention": lambda: example(liu2025.self_attention, np.full((2, 1, 1), 0.5), [[0], [1]], 1, 1, 3, 1),
        "smoother": lambda: example(liu2025.smoother, BATCH, [[0, 0], [1, 1]], np.ones((2, 1, 2)), 3.0),
    },
    "uatbook.liu2025.covers": {
        "cover": lambda: example(cover, [[[0.0]], [[1.0]], [[3.0]]], 1),
        "cover_error": lambda: example(cover_error, 0.1, 50, 60.0),
    },
    "uatbook.liu2025.max_affine": {
        "MaxAffine": lambda: example(MaxAffine, [[0, 1, -1]], [0, HALF, 0]),
        "MaxAffine.of_breakpoints": lambda: example(MaxAffine.of_breakpoints, [-1, HALF, 2]),
        "MaxAffine.of_cells": lambda: example(MaxAffine.of_cells, [[0, 1, 3]], [0, 1, 1]),
        "MaxAffine.of_sites": lambda: example(MaxAffine.of_sites, [[0, 1], [1, 0]], [0, HALF]),
        "MaxAffine.components": lambda: example(cells_of_three().components, X),
        "MaxAffine.__call__": lambda: example(cells_of_three().__call__, X),
        "MaxAffine.partition": lambda: example(cells_of_three().partition, X),
        "MaxAffine.indicator": lambda: example(cells_of_three().indicator, X),
        "MaxAffine.margin": lambda: example(cells_of_three().margin, X),
        "indicator_attention": lambda: example(indicator_attention, cells_of_three(), 2, 3, values=[[1, 2, 3]]),
    },
    "uatlib.cheng2025": {
        "automorphism_generators": lambda: example(cheng2025.automorphism_generators, RING),
        "automorphism_group": lambda: example(cheng2025.automorphism_group, RING),
        "build": lambda: example(cheng2025.build, targets.mean_product(2), inverse_delta=3),
        "build, error": lambda: example(cheng2025.build, targets.mean_product(2), error=1.5, kernel=RBF(1), ramp=None),
        "build, patterns": lambda: example(
            cheng2025.build, targets.cyclic_difference(4), inverse_delta=2, patterns=[DIRECTED] * 4, duplicates="keep"
        ),
        "certify": lambda: example(cheng2025.certify, by_theorem_1(), literal=2, samples=100),
        "check_mixer": lambda: example(
            cheng2025.check_mixer, average, parameters=1, n=2, d=1, group="symmetric", layers=1, seed=0
        ),
        "connectivity_depth": lambda: example(cheng2025.connectivity_depth, [RING, RING]),
        "distinguishes": lambda: example(cheng2025.distinguishes, DOT, [[[0, 1], [0, 1]]], d=1, group="symmetric"),
        "kernel": lambda: example(cheng2025.kernel, "rbf", gamma=2),
        "kernel, performer": lambda: example(cheng2025.kernel, "performer", omega=[[1, 0], [0, 1]]),
        "kernel, poly_times": lambda: example(cheng2025.kernel, "poly_times", polynomial=[1, 2], base=DOT),
        "local_fooling_pairs": lambda: example(cheng2025.local_fooling_pairs, [RING, RING], "dihedral"),
        "pattern": lambda: example(cheng2025.pattern, "longformer", 6, window=1, global_tokens=1),
        "pattern, random": lambda: example(cheng2025.pattern, "random", 6, probability=HALF, seed=1),
        "satisfies_limit_condition": lambda: example(
            cheng2025.satisfies_limit_condition, DOT, d=2, pairs=5, draws=5, seed=0
        ),
    },
    "uatbook.cheng2025.mixing_terms": {
        "attention_weights": lambda: example(attention_weights, TOKENS, EYE, EYE, RBF(1), [[0, 1], [1], [0, 2]]),
        "bias_attention": lambda: example(bias_attention, TOKENS, 1, EYE, [0, HALF], "tanh", [[0, 1], [1], [0, 2]]),
        "cyclic_convolution": lambda: example(cyclic_convolution, TOKENS, [1, HALF]),
        "linformer": lambda: example(linformer, TOKENS, EYE, EYE, EYE, [[1], [0], [HALF]], [[1], [0], [0]]),
        "skyformer": lambda: example(skyformer, TOKENS, EYE, EYE, EYE),
    },
    "explorables": {
        "Control": lambda: example(Control, [1, 2, 3], "label", 2, [2.5], True, "{:.1f}"),
        "Explorer": lambda: example(Explorer, drawn, {"height": Control([1, 2])}, title="a", alt="b"),
        "Explorer.frame": lambda: example(explorer().frame, height=1),
        "Explorer.positions": lambda: example(explorer().positions, {"height": 2}),
        "explore": lambda: example(explored, title="a", alt="b", display=False, combinations=4, height=[1, 2]),
    },
    "uatbook": {
        "live.Attention": lambda: example(
            live.Attention, {"a": in_the_plane()}, {"x": {"y": {"a": (0, 1), "b": (1, 0)}}}, {}, window=(-2, 2, -2, 2)
        ),
        "live.Boltzmann": lambda: example(live.Boltzmann, [0, -1], {"falls": {2: (3, 2)}}, {2: 1}, start=2),
        "live.Calls": lambda: example(live.Calls, 5, 3, "1"),
        "live.Cells": lambda: example(
            live.Cells, of_sites, [[-1, 1, 0], [1, 1, -1]], {"a": [[1, 2, 3]]}, precision=3.2, start=3
        ),
        "live.Curves": lambda: example(
            live.Curves,
            [[1, 2, 4], [1, 3, 4]],
            [1, 2],
            {(kind, N): "none" for kind in ("softmax", "mean", "hardmax") for N in (1, 2)},
            start=2,
        ),
        "live.Hats": lambda: example(live.Hats, {"a": {"b": (1, 0.5), "c": (1.02, 0.25)}}, 48, 0.05),
        "live.Jumps": lambda: example(live.Jumps, "0 1 3", (10, 4)),
        "live.Mixer": lambda: example(live.Mixer, "exp(s)", 5),
        "live.Pair": lambda: example(live.Pair, (-1, 0, 2), (3, -4, 6), (-2, 5)),
        "live.Film": lambda: example(
            live.Film, {(2, 2): shifting()}, {(2, 2): (16, 32)}, {(2, 2): 100}, start=(2, 2), tokens=[0, HALF]
        ),
        "live.Bill": lambda: example(live.Bill, {"a": smoother}, (2, 3), start=3),
        "live.Square": lambda: example(live.Square, {"a": smoother}, (2, 3), start=3),
        "live.XRay": lambda: example(live.XRay, "liu2025", "cut", mixer="smoother"),
    },
}

for key in SOURCES:
    if f"uatlib.{key}" not in EXAMPLES:
        tests = (path.stem for path in (Path(__file__).parent / key).glob("test_*.py"))
        modules = [import_module(f".{key}.{name}", __package__) for name in tests]
        EXAMPLES[f"uatlib.{key}"] = {k: v for module in modules for k, v in getattr(module, "CALLS", {}).items()}
"""A source whose calls are not in this table has `CALLS` in its own tests."""


def certify_layer(built: Any, vocabulary: Any, n: Any, slack: Any = 0) -> Certificate:
    return kajitsuka2024.certify(built, vocabulary, n, slack=slack)


def certify_memory(built: Any, system: Any = FLOAT64) -> Certificate:
    return kajitsuka2024.certify(built, system=system)


def certify_network(built: Any, literal: Any, samples: Any, seed: Any = 0) -> Certificate:
    return kajitsuka2024.certify(built, literal=literal, samples=samples, seed=seed)


def saved() -> str:
    """A file of a model."""
    model().save("saved.json")
    return "saved.json"


def verify_lemma_7(inverse_delta: Any, n: Any, d: Any, variant: Any = "repaired") -> Certificate:
    return statements.get("yun2020:lem-7").verify(inverse_delta=inverse_delta, n=n, d=d, variant=variant)


def perturb_lemma_7(seed: Any) -> Certificate:
    return statements.get("yun2020:lem-7").perturb(seed=seed)
