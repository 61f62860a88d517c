"""Rates: the error against the width, for all targets of a sweep."""
