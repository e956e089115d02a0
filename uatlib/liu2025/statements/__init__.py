"""The statements of liu2025, registered by import."""

from . import experiments as experiments
