"""Attention: the tasks of App. B.1, learned, dragged, compared with the truth."""
