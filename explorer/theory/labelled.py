"""What sweeps over the width of heads say where examples alone tell the target (Figure 3)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from explorer.spec import AnySweep
from explorer.theory.decay import decay_over_seeds
from explorer.theory.slopes import as_record, slope_over_seeds
from explorer.theory.tasks import grouped

ENERGY = 0.99  # of Σ σ_k² that `energy_rank` holds


def summary(sweep: AnySweep, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """`rows`, and `groups` of those alike in all but m_h and seed.

    A group has over m_h the mean over seeds of the cross-entropy on examples that were learned from
    (`training`) with its standard deviation (`noise`), and on others (`test`); the slope of the
    training error on log axes (see `slopes.as_record`), and `decay`, the fit a·m^−b + c with the
    interval of b. Of the spectra: `energy_rank`, the mean number of σ_k that hold 99 % of Σ σ_k²,
    and `apart`, see `spectra_apart`, beside `seeds_apart`. Rows that diverged are left out.
    """
    groups = [_group(shared, of) for shared, of in grouped(sweep, rows, "m_h")]
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
    training, test = (_table(rows, widths, seeds, f"{of}cross_entropy") for of in ("training_", ""))
    found = decay_over_seeds(widths, training) if len(seeds) else None
    apart, noise = spectra_apart(rows, widths, seeds)
    return {
        **shared,
        "m_h": widths,
        "seeds": len(seeds),
        "training": training.mean(axis=0).tolist(),
        "noise": training.std(axis=0, ddof=min(1, len(seeds) - 1)).tolist(),
        "test": test.mean(axis=0).tolist(),
        **as_record("", slope_over_seeds(widths, training, "median")),
        "decay": found and found._asdict() | {"told": found.told},
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
