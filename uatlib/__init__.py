"""Universal-approximation theorems for transformers as code: build the network of a proof, run it, check it."""

__version__ = "0.1.0"
