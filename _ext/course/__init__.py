"""The course: the path through the book and its facts, exercises and the forms that judge them, teaching, editions."""
