"""The text of a page: formulas, terms, notes in the margin, sections that cells put out, the library's reference."""
