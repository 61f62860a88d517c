"""What sweeps over the width of heads say where examples alone tell the target: the fit
error = a·m^−b + c to errors of several seeds, as the paper has it in Figure 3.

For each b the least squares a and c are linear; b is searched on a grid. Its interval is of whole
seeds drawn again with replacement, as in `slopes`: where c takes most of the error, b is hardly
told, and the interval says so.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from explorer.slow import special
from explorer.spec import AnySweep
from explorer.theory.slopes import as_record, slope_over_seeds
from explorer.theory.tasks import grouped

ENERGY = 0.99  # of Σ σ_k² that `energy_rank` holds
GRID = np.geomspace(0.02, 8.0, 300)
"""Exponents b that are tried; a fit at an end of them is none."""
DRAWS = 400


def summary(sweep: AnySweep, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """`rows`, and `groups` of those alike in all but m_h and seed.

    A group has over m_h the mean over seeds of the cross-entropy on examples that were learned from
    (`training`) with its standard deviation (`noise`), and on others (`test`); the slope of the
    training error on log axes (see `slopes.as_record`), and `decay`, the fit a·m^−b + c with the
    interval of b. Of the spectra: `energy_rank`, the mean number of σ_k that hold 99 % of Σ σ_k²,
    and `apart`, see `spectra_apart`, beside `seeds_apart`. Rows that diverged are left out.
    """
    groups = [_group(shared, group) for shared, group in grouped(sweep, rows, "m_h")]
    own = groups[0] if len(groups) == 1 else {}
    return {
        "rows": list(rows),
        "groups": groups,
        "slope": own.get("slope"),
        "slope_ci": own.get("slope_ci"),
    }


def _group(shared: dict[str, Any], rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    widths = sorted({row["m_h"] for row in rows})
    seeds = [seed for seed in sorted({row["seed"] for row in rows}) if _whole(rows, seed, widths)]
    training, test = (
        _table(rows, widths, seeds, f"{prefix}cross_entropy") for prefix in ("training_", "")
    )
    decay = decay_over_seeds(widths, training) if len(seeds) else None
    apart, noise = spectra_apart(rows, widths, seeds)
    return {
        **shared,
        "m_h": widths,
        "seeds": len(seeds),
        "training": training.mean(axis=0).tolist(),
        "noise": training.std(axis=0, ddof=min(1, len(seeds) - 1)).tolist(),
        "test": test.mean(axis=0).tolist(),
        **as_record("", slope_over_seeds(widths, training, "median")),
        "decay": decay and decay._asdict() | {"told": decay.told},
        "energy_rank": [
            float(np.mean([energy_rank(row["sigma"]) for row in rows if row["m_h"] == m]))
            for m in widths
        ],
        "apart": apart,
        "seeds_apart": noise,
    }


def energy_rank(sigma: Sequence[float]) -> int:
    """How many of the largest σ_k hold 99 % of Σ σ_k²."""
    shares = np.cumsum(np.square(sigma)) / max(np.square(sigma).sum(), 1e-300)
    return int(np.searchsorted(shares, ENERGY * (1 - 1e-12)) + 1)


def spectra_apart(
    rows: Sequence[Mapping[str, Any]], widths: Sequence[int], seeds: Sequence[int]
) -> tuple[list[float], float | None]:
    """How far the mean spectrum at each width is from that at the widest, as a share of its norm;
    and how far one seed at the widest is from the mean of the others, their median (None below
    three). A width that is no farther than the seeds are has the spectrum of the widest."""
    longest = max(widths)
    spectra = {
        (row["m_h"], row["seed"]): np.pad(row["sigma"], (0, longest - len(row["sigma"])))
        for row in rows
        if len(row["sigma"]) <= longest
    }
    each = np.array([[spectra[m, seed] for seed in seeds] for m in widths])  # (M, S, k)
    means, widest = each.mean(axis=1), each[-1]
    norm = float(np.linalg.norm(means[-1]))
    apart = (np.linalg.norm(means - means[-1], axis=1) / norm).tolist()
    if len(seeds) < 3:
        return apart, None
    others = (widest.sum(axis=0) - widest) / (len(seeds) - 1)
    return apart, float(np.median(np.linalg.norm(widest - others, axis=1)) / norm)


def _whole(rows: Sequence[Mapping[str, Any]], seed: int, widths: Sequence[int]) -> bool:
    return {row["m_h"] for row in rows if row["seed"] == seed} == set(widths)


def _table(
    rows: Sequence[Mapping[str, Any]], widths: Sequence[int], seeds: Sequence[int], name: str
) -> np.ndarray:
    """Of each seed at each width, (seeds, widths)."""
    at = {(row["seed"], row["m_h"]): row[name] for row in rows}
    return np.array([[at[seed, m] for m in widths] for seed in seeds])


def group_lines(groups: Sequence[Mapping[str, Any]]) -> list[str]:
    """A line of text for each width of each group."""
    return [
        f"m_h = {m}: cross-entropy {training:.3f} ± {noise:.3f} on what was learned, {test:.3f} on "
        f"other examples; {rank:.1f} terms hold 99 %"
        for group in groups
        for m, training, noise, test, rank in zip(
            *(group[name] for name in ("m_h", "training", "noise", "test", "energy_rank")),
            strict=True,
        )
    ]


class Decay(NamedTuple):
    """a·m^−b + c, fitted to the means over seeds."""

    a: float
    b: float
    c: float
    b_ci: tuple[float, float] | None
    """95 %, from the seeds; None for fewer than three."""

    @property
    def told(self) -> bool:
        """Whether the seeds agree on a falling term and on its b, within the exponents tried and
        within a factor of 4."""
        if self.b_ci is None or self.a <= 0:
            return False
        low, high = self.b_ci
        return bool(GRID[0] < low and high < GRID[-1] and high <= 4 * low)

    def at(self, m: ArrayLike) -> np.ndarray:
        """The error at widths m."""
        return self.a * np.asarray(m, dtype=np.float64) ** -self.b + self.c


def decay_over_seeds(m: ArrayLike, errors: ArrayLike) -> Decay | None:
    """The fit to errors (seeds, widths) at widths m ≥ 1; None below 4 widths.

    Raises ValueError for another shape or what is not finite.
    """
    m, errors = np.asarray(m, dtype=np.float64), np.asarray(errors, dtype=np.float64)
    if errors.ndim != 2 or errors.shape[1:] != m.shape or not np.isfinite(errors).all():
        raise ValueError(f"errors must be finite, (seeds, {len(m)}), got {errors.shape}")
    if len(m) < 4:
        return None
    a, b, c = _fit(m, errors.mean(axis=0))
    return Decay(a, b, c, _interval(m, errors, b) if len(errors) > 2 else None)


def _fit(m: np.ndarray, y: np.ndarray) -> tuple[float, float, float]:
    powers = m ** -GRID[:, None]  # (grid, widths)
    centred = powers - powers.mean(axis=1, keepdims=True)
    a = centred @ y / (centred**2).sum(axis=1)
    c = y.mean() - a * powers.mean(axis=1)
    missed = ((a[:, None] * powers + c[:, None] - y) ** 2).sum(axis=1)
    best = int(missed.argmin())
    return float(a[best]), float(GRID[best]), float(c[best])


def _interval(m: np.ndarray, errors: np.ndarray, b: float) -> tuple[float, float]:
    """Of b, by the spread of log b and Student's t, and a step of the grid; where more than a few
    draws rise, and have no exponent, all that was tried."""
    count = len(errors)
    drawn = np.random.default_rng(0).integers(count, size=(DRAWS, count))
    fits = [_fit(m, errors[some].mean(axis=0)) for some in drawn]
    rising = sum(a <= 0 for a, _, _ in fits)
    if rising > 0.025 * DRAWS:
        return float(GRID[0]), float(GRID[-1])
    spread = np.std([np.log(tried) for a, tried, _ in fits if a > 0])
    t = float(special.stdtrit(count - 1, 0.975))
    factor = np.exp(t * spread * np.sqrt(count / (count - 1)) + np.log(GRID[1] / GRID[0]))
    return float(max(b / factor, GRID[0])), float(min(b * factor, GRID[-1]))
