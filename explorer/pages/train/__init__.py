"""Train: a run from its specification to its last step."""
