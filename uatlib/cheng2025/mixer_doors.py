"""Can a mixer of tokens, whatever its parameters, tell any two sequences apart? A numerical search. Ours.

What is asked is parsed in `mixer_parsing`; `mixer_search` tries pairs of sequences on a `mixer_network`, and judges.
"""

from __future__ import annotations

from ..kernels import Kernel
from ..layers import Layer
from ..model import Transformer
from .mixer_parsing import Mixer, asked_of_kernel, asked_of_mixer
from .mixer_search import Search, Verdict


def check_mixer(
    g: Mixer | Layer | Transformer,
    *,
    parameters: int | None = None,
    n: int,
    d: int,
    group: object,
    layers: int = 1,
    seed: int = 0,
    zero_tokens: bool = False,
) -> Verdict:
    """Whether layers X + g(X, theta) can distinguish the tokens of any two sequences of different orbits.

    By Theorem 2, for g analytic in (X, theta) (assumed), that is all there is to ask: if two sequences can always be
    told apart, then all tokens of any finite set can by the same parameters. The search tries families of pairs that
    fool known mixers, at parameters of several sizes, and climbs before it says "no". So "no" is strong evidence: the
    pair is there to be checked; "yes" means that no such pair was found. Where g is not finite it is not seen; too
    little of it gives "unsure", with a hint.

    Parameters
    ----------
    g : takes X of shape (d, n) and theta of shape (parameters,), tensors in float32 or float64, and gives the mixing
        term of shape (d, n), without X itself. Where vmap and gradients go through g they are used, else not. Casts of
        PyTorch within g, as of a softmax to float32, are to the floats of X instead, so that the question is of the
        formula; what g rounds otherwise is looked for, and too much of it makes the answer "unsure". Or a `Layer` or
        `Transformer`, whose weights are then theta, X added as they do; rational ones are seen again in EXACT.
    parameters : how many numbers theta has; None for layers
    group : under which g is equivariant: a name as in `Target`, or permutations. Of one that is too small "no" says so,
        since tokens in another order are then to be told apart
    layers : how many, each with parameters of its own
    zero_tokens : whether tokens may be 0, which fool softmax and others (such pairs are left out unless this is set)

    Raises
    ------
    ValueError
        A g that fails, gives another shape, is nowhere finite, is drawn at random or is not equivariant (with the
        input); sizes that are off. A UserWarning where g(X, 0) = X: a g that already holds the skip.

    Source: cheng2025, Definition 3 and Theorem 2; the families of pairs: ours.
    """
    asked = asked_of_mixer(g, parameters, n, d, group=group, layers=layers, seed=seed, zero_tokens=zero_tokens)
    return Search(asked).run()


def distinguishes(kernel: Kernel, patterns: object, *, d: int, group: object = None, seed: int = 0) -> Verdict:
    """`check_mixer` for attention with a kernel, (12), one pattern a layer, d x d weights W_Q, W_K and W_V.

    Parameters
    ----------
    patterns : one a layer, each a list of n sets, as `pattern` gives
    group : None: the common automorphisms of the patterns

    Raises
    ------
    ValueError
        As `check_mixer`.
    """
    return Search(asked_of_kernel(kernel, patterns, d, group=group, seed=seed)).run()
