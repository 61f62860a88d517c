"""Heads of Eq. 5 that learn a relationship which is typed, several widths and seeds: what they are
off by. Each is a fit of its own, so what is done stays."""

import numpy as np

from explorer.theory import one_head
from explorer.theory.relation import Relation, probes


def fits() -> list[tuple[int, int]]:
    """Width and seed of each, in their order."""
    return [(width, seed) for width in one_head.WIDTHS for seed in range(one_head.SEEDS)]


def fitted(relation: Relation, width: int, seed: int) -> dict[str, float]:
    """One of them: width, how many numbers it has, and its largest and root mean square error at
    the probes. Raises FormulaError where H is not finite."""
    weights = one_head.fit(relation.answers, relation.tau, width, seed)
    x = probes(relation.tau).T
    left = one_head.forward(weights[None], x, width)[0] - relation.answers(x)
    return {
        "width": width,
        "numbers": len(weights),
        "largest": float(np.abs(left).max()),
        "mean": float(np.sqrt((left**2).mean())),
    }
