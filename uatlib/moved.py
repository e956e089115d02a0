"""Names that have a new place. Whoever imports an old one, or asks its module for it, is told where it is.

Kept for one version: empty the table once that is out. *What is new* prints it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType

MOVED = {
    "uatlib.building": "uatlib.internal.building",
    "uatlib.certificate_html": "uatlib.internal.certificate_html",
    "uatlib.cheng2025.attention_weights": "uatbook.cheng2025.mixing_terms.attention_weights",
    "uatlib.cheng2025.automorphisms.enough_layers": "uatbook.cheng2025.sparse.enough_layers",
    "uatlib.cheng2025.bias_attention": "uatbook.cheng2025.mixing_terms.bias_attention",
    "uatlib.cheng2025.connectivity.heard_of": "uatbook.cheng2025.hearing.heard_of",
    "uatlib.cheng2025.cyclic_convolution": "uatbook.cheng2025.mixing_terms.cyclic_convolution",
    "uatlib.cheng2025.distinguishing": "uatbook.cheng2025.distinguishing",
    "uatlib.cheng2025.encodings": "uatbook.cheng2025.encodings",
    "uatlib.cheng2025.growth": "uatbook.cheng2025.growth",
    "uatlib.cheng2025.kernels": "uatlib.cheng2025.named_kernels",
    "uatlib.cheng2025.linformer": "uatbook.cheng2025.mixing_terms.linformer",
    "uatlib.cheng2025.other_mixers": "uatbook.cheng2025.mixing_terms",
    "uatlib.cheng2025.pairs.EQUAL_POWERS": "uatbook.cheng2025.distinguishing.EQUAL_POWERS",
    "uatlib.cheng2025.residual_blocks": "uatbook.cheng2025.residual_blocks",
    "uatlib.cheng2025.sequence_interpolation": "uatbook.cheng2025.residual_blocks",
    "uatlib.cheng2025.skyformer": "uatbook.cheng2025.mixing_terms.skyformer",
    "uatlib.cheng2025.sparse": "uatlib.cheng2025.named_patterns",
    "uatlib.cheng2025.symmetry": "uatlib.cheng2025.automorphisms",
    "uatlib.cheng2025.two_samples": "uatbook.cheng2025.shared_weights",
    "uatlib.cheng2025.your_mixer": "uatlib.cheng2025.mixer_doors",
    "uatlib.explorer": "explorables",
    "uatlib.files": "uatlib.internal.files",
    "uatlib.fingerprints": "uatbook.fingerprints",
    "uatlib.formula_html": "uatlib.internal.formula_html",
    "uatlib.interpolation": "uatbook.interpolation",
    "uatlib.kajitsuka2024.boltzmann": "uatlib.kajitsuka2024.boltzmann_operator",
    "uatlib.kajitsuka2024.boltzmann_operator.concavity_threshold": "uatbook.kajitsuka2024.boltzmann.concavity_threshold",  # noqa: E501
    "uatlib.kajitsuka2024.boltzmann_spacing.collision": "uatbook.kajitsuka2024.spacing.collision",
    "uatlib.kajitsuka2024.boltzmann_spacing.log_spacing_bound": "uatbook.kajitsuka2024.spacing.log_spacing_bound",
    "uatlib.kajitsuka2024.directions.direction_odds": "uatbook.kajitsuka2024.one_layer.direction_odds",
    "uatlib.kajitsuka2024.gaps": "uatbook.kajitsuka2024.boltzmann_gaps",
    "uatlib.kajitsuka2024.hardmax_fails": "uatbook.kajitsuka2024.hardmax_fails",
    "uatlib.kajitsuka2024.labelled_sequences": "uatbook.kajitsuka2024.label_networks",
    "uatlib.kajitsuka2024.memorisation": "uatbook.kajitsuka2024.label_networks",
    "uatlib.kajitsuka2024.memorise": "uatbook.kajitsuka2024.label_networks.memorise",
    "uatlib.kajitsuka2024.one_layer": "uatlib.kajitsuka2024.rank_one_layer",
    "uatlib.kajitsuka2024.positional_encoding": "uatbook.kajitsuka2024.label_networks.positional_encoding",
    "uatlib.kajitsuka2024.spacing": "uatlib.kajitsuka2024.boltzmann_spacing",
    "uatlib.layer_runs": "uatlib.internal.layer_runs",
    "uatlib.layers.standard": "uatlib.internal.layer_runs",
    "uatlib.liu2025.MaxAffine": "uatbook.liu2025.max_affine.MaxAffine",
    "uatlib.liu2025.cover": "uatbook.liu2025.covers.cover",
    "uatlib.liu2025.cover_error": "uatbook.liu2025.covers.cover_error",
    "uatlib.liu2025.covers": "uatbook.liu2025.covers",
    "uatlib.liu2025.indicator": "uatbook.liu2025.max_affine",
    "uatlib.liu2025.indicator_attention": "uatbook.liu2025.max_affine.indicator_attention",
    "uatlib.liu2025.partitions": "uatbook.liu2025.max_affine",
    "uatlib.liu2025.rounding": "uatbook.liu2025.rounding",
    "uatlib.liu2025.separation": "uatbook.liu2025.separation",
    "uatlib.number_text": "uatlib.internal.number_text",
    "uatlib.progress": "uatlib.internal.progress",
    "uatlib.shapes": "uatlib.internal.shapes",
    "uatlib.sweeps": "uatbook.sweeps",
    "uatlib.writing": "uatlib.internal.writing",
    "uatlib.yun2020.cheaper_mixers": "uatbook.yun2020.token_mixers",
    "uatlib.yun2020.contextual_mapping": "uatlib.yun2020.shift_layers",
    "uatlib.yun2020.precision": "uatbook.yun2020.float_limits",
    "uatlib.yun2020.quantization": "uatlib.yun2020.quantizer_layers",
    "uatlib.yun2020.sizes": "uatlib.yun2020.cost",
    "uatlib.yun2020.softmax": "uatlib.yun2020.softmax_layers",
    "uatlib.yun2020.theorem_3": "uatlib.yun2020.positional_layers",
    "uatlib.yun2020.value_mapping": "uatlib.yun2020.output_layers",
}
"""Modules, and names of modules that stay: the old dotted name, and the new one."""
LEFT = {old.rpartition(".")[0] for old in MOVED} - {__package__}
"""The modules that something left."""


def require_unmoved(name: str) -> None:
    """ModuleNotFoundError, which is an ImportError, if the dotted name has a new place."""
    if name in MOVED:
        # Without `name=`: `from package import module` would take it for "no such submodule" and say no more.
        raise ModuleNotFoundError(f"{name} has moved: it is {MOVED[name]} now.")


def missing(module: str, name: str) -> None:
    """The `__getattr__` of a module that something left."""
    require_unmoved(f"{module}.{name}")
    raise AttributeError(f"module {module!r} has no attribute {name!r}")


class Loader(SourceFileLoader):
    """Loads a module that something left."""

    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        vars(module)["__getattr__"] = partial(missing, module.__name__)


class Finder:
    """What Python asks first where a module is; `uatlib/__init__.py` puts it in the list."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        require_unmoved(name)
        if name not in LEFT or not (spec := PathFinder.find_spec(name, path, target)) or not spec.origin:
            return None
        spec.loader = Loader(name, spec.origin)
        return spec
