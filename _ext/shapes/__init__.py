"""The book in other shapes: notebooks and their Markdown, decks of slides, one PDF, one zip."""
