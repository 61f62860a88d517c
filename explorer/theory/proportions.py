"""How well a share is known that was measured on draws which are independent of each other."""

from explorer.slow import special

LEFT_OUT = 0.05


def interval(share: float, draws: int) -> tuple[float, float]:
    """The 95 % interval of Clopper and Pearson for a share, the mean over so many draws.

    It holds the truth in at least 95 % of cases, whatever that is. A draw may be right in part, as
    a sequence of which some rows are: no draws in [0, 1] vary more than those that are wholly right
    or wrong, so the rows of a sequence may be as alike as they like.
    """
    right = draws * min(max(share, 0.0), 1.0)
    low = _quantile(LEFT_OUT / 2, right, draws - right + 1) if right > 0 else 0.0
    high = _quantile(1 - LEFT_OUT / 2, right + 1, draws - right) if right < draws else 1.0
    return low, high


def _quantile(of: float, a: float, b: float) -> float:
    """Of the beta distribution."""
    return float(special.betaincinv(a, b, of))
