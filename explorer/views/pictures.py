"""Tidy tables of pictures: of one run its curves, and what was kept of it beside the truth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from explorer.runs.record import Record
from explorer.slow import pd
from explorer.spec import AnySpec


def stacked(column: str, sides: Mapping[str, Mapping[str, Any]]) -> pd.DataFrame:
    """Tables below each other, the name of each in a `column` at the end; of none an empty one."""
    parts = [pd.DataFrame(side).assign(**{column: name}) for name, side in sides.items()]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def by_k(sigma: np.ndarray) -> dict[str, np.ndarray]:
    """Columns k, from 1, and sigma of singular values (K,)."""
    return {"k": np.arange(1, len(sigma) + 1), "sigma": np.asarray(sigma, float)}


def entries(values: np.ndarray, *names: str) -> dict[str, np.ndarray]:
    """Columns of an array (a, b, …): its indices by their names, and last what stands there."""
    *axes, value = names
    places = (place.ravel() for place in np.indices(values.shape))
    return dict(zip(axes, places, strict=True)) | {value: np.asarray(values, float).ravel()}


FRESH, ON_OWN = "nMSE on fresh sequences", "nMSE on its own sequences"
PINNED = "pinned σ̂_k"

Drawing = tuple[Mapping[str, Any], Mapping[str, np.ndarray]]
"""What `views.train.drawing` returns: the truth a run is drawn over."""


def learned_exactly(spec: AnySpec, **more: Any) -> dict[str, Any]:
    """Header of the "drawing" message of a run that may leave no error."""
    named = {name: getattr(spec, name) for name in ("tau", "m_h", "steps", "seed")}
    return {"label": spec.target, **named, "floor": 0.0, "floor_label": "", **more}


def curve_table(record: Record) -> pd.DataFrame:
    """step, error (> 0, in units of Var(y)), curve ('training loss', or at the pictures the nMSE on
    fresh sequences, and of a training set that on its own).

    What is not positive has no place on a log axis; 0 is only reached by rounding.
    """
    loss = pd.DataFrame({"step": record.steps, "error": record.losses, "curve": "training loss"})
    fresh = pd.DataFrame({"step": record.snapshot_steps, "error": record.nmse, "curve": FRESH})
    own = pd.DataFrame({"step": record.snapshot_steps, "curve": ON_OWN})
    if "train_nmse" in record.spec.extra_metrics:
        own["error"] = record.measured(record.snapshot_steps)["train_nmse"]
    parts = [part for part in (loss, fresh, own) if len(part) and "error" in part]
    table = pd.concat(parts or [loss], ignore_index=True)
    return table[np.isfinite(table["error"]) & (table["error"] > 0)].reset_index(drop=True)


def spectrum_table(
    record: Record,
    drawing: Drawing,
    step: int | None = None,
    pins: Mapping[str, Record] | None = None,
) -> pd.DataFrame:
    """k, sigma (≥ 0), spectrum ('designed σ_k', 'learned σ̂_k' at the picture of `step`, and of each
    pinned run its last one, 'pinned σ̂_k', with what it is called where there are several). Beyond a
    rank the designed ones are 0 as far as there are learned ones."""
    snapshots = {"learned σ̂_k": picture(record, step)} | {
        PINNED if len(pins or {}) == 1 else f"{PINNED}, {name}": picture(pin)
        for name, pin in (pins or {}).items()
    }
    learned = {name: snapshot["sigma_hat"] for name, snapshot in snapshots.items() if snapshot}
    designed = drawing[1]["sigma"]
    if drawing[0]["rank"] is not None:
        beyond = max(map(len, learned.values()), default=0) - len(designed)
        designed = np.pad(designed, (0, max(0, beyond)))
    sides = {"designed σ_k": designed} | learned
    return stacked("spectrum", {name: by_k(sigma) for name, sigma in sides.items()})


def spectra_table(pairs: Iterable[tuple[Record, Drawing]]) -> pd.DataFrame:
    """`spectrum_table` of several runs: what common axes have to hold."""
    parts = [spectrum_table(record, drawing) for record, drawing in pairs]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame({"k": [], "sigma": []})


def spectrum_gap_table(first: Record, second: Record, step: int | None = None) -> pd.DataFrame:
    """k, gap: σ̂_k of the first run, at the picture of `step`, less that of the second at its last;
    beyond its m_h a run has σ̂_k = 0."""
    snapshots = picture(first, step), picture(second)
    sides = [np.asarray(snapshot["sigma_hat"], float) for snapshot in snapshots if snapshot]
    if len(sides) < 2:
        return pd.DataFrame({"k": [], "gap": []})
    longest = max(map(len, sides))
    one, other = (np.pad(side, (0, longest - len(side))) for side in sides)
    return pd.DataFrame({"k": np.arange(1, longest + 1), "gap": one - other})


def learned_table(
    first: Record, second: Record, names: Sequence[str], step: int | None = None
) -> pd.DataFrame:
    """u, v, rho, coupling: ρ̂ of two runs, called `names`, the first at the picture of `step`, and
    as 'difference' the first less the second."""
    snapshots = picture(first, step), picture(second)
    maps = [snapshot["rho_hat"].astype(float) for snapshot in snapshots if snapshot]
    if len(maps) < 2 or maps[0].shape != maps[1].shape:
        return pd.DataFrame({"u": [], "v": [], "rho": [], "coupling": []})
    parts = zip([*maps, maps[0] - maps[1]], [*names, "difference"], strict=True)
    return pd.concat([as_cells(rho, name) for rho, name in parts], ignore_index=True)


def token(drawing: Drawing, t: int | None = None) -> tuple[int, float]:
    """The query that is shown, by default that of the example, at most the last: t and x_t."""
    header, arrays = drawing
    query = min(header["example_t"] if t is None else t, header["tau"] - 1)
    return query, float(arrays["tokens"][query])


def attention_table(
    record: Record, drawing: Drawing, step: int | None = None, t: int | None = None
) -> pd.DataFrame:
    """s, x, weight, row ('ideal' or 'learned') of the query t on the example tokens x_s."""
    t, tokens = token(drawing, t)[0], np.asarray(drawing[1]["tokens"], float)
    sides = {"ideal": drawing[1]["ideal"]}
    if snapshot := picture(record, step):
        sides["learned"] = snapshot["attention"]
    query = {name: matrix[t].astype(float) for name, matrix in sides.items()}
    places = {"s": np.arange(len(tokens)), "x": tokens}
    return stacked("row", {name: places | {"weight": row} for name, row in query.items()})


def coupling_table(record: Record, drawing: Drawing, step: int | None = None) -> pd.DataFrame:
    """u, v, rho, coupling ('designed ρ', 'learned ρ̂', both centred, 'ρ̂ − ρ'), at cell centres."""
    designed = drawing[1]["rho"]
    sides = {"designed ρ": designed}
    if snapshot := picture(record, step):
        sides["learned ρ̂"] = snapshot["rho_hat"]
        if snapshot["rho_hat"].shape == designed.shape:
            sides["ρ̂ − ρ"] = snapshot["rho_hat"] - designed
    return pd.concat([as_cells(rho, name) for name, rho in sides.items()], ignore_index=True)


def angles_table(record: Record, step: int | None = None) -> pd.DataFrame:
    """k, angle, tied: the largest principal angle, in degrees, between the leading k learned and
    designed functions; none where σ_k and σ_(k+1) are tied, so that no subspace ends there."""
    snapshot = picture(record, step)
    angles = np.asarray(snapshot["angles"] if snapshot else [], float)
    tied = angles < 0
    angle = np.where(tied, np.nan, angles)
    return pd.DataFrame({"k": np.arange(1, len(angles) + 1), "angle": angle, "tied": tied})


def as_cells(rho: np.ndarray, name: str) -> pd.DataFrame:
    """u, v, rho, coupling of a matrix (a, b) at cell centres, rows u."""
    u, v = ((np.arange(count) + 0.5) / count for count in rho.shape)
    uu, vv = np.meshgrid(u, v, indexing="ij")
    columns = {"u": uu.ravel(), "v": vv.ravel(), "rho": rho.ravel().astype(float)}
    return pd.DataFrame({**columns, "coupling": name})


def picture_step(record: Record, step: int | None = None) -> int | None:
    """The step of the picture that is shown where `step` is asked for: itself if a picture was kept
    of it, else the last; None before the first."""
    steps = record.snapshot_steps
    return step if step in steps else int(steps[-1]) if steps.size else None


def picture(record: Record, step: int | None = None) -> Mapping[str, np.ndarray] | None:
    """The arrays of `Snapshot.diagnostics` at `picture_step`."""
    at = picture_step(record, step)
    return None if at is None else record.snapshot(at)[1]
