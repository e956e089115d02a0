"""What is left when all pages are written: the search, what has to be mended, one style sheet and one script."""
