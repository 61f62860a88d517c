"""Pure functions from a specification or a run to what a page shows: tables, numbers, sentences."""
