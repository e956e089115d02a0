"""Pictures: what `explorables.sphinx`, which shows and moves them, is told of this book."""
