"""Pictures: figures in the colours of the page, explorers and their gallery, words that move them."""
