"""What stands beside the figure of a sweep as tables, made of what the component draws."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from explorer.slow import pd
from explorer.views.series import AT_K, CUT, DESIGNED, LEARNED_SIGMA, TRUNCATION


def spectra(drawing: Mapping[str, Any]) -> pd.DataFrame:
    """target, spectrum, m_h, seed, k, sigma: of each target the designed singular values, and those
    that each of its models has learned. Of designed ones m_h and seed are missing."""
    rows = []
    for target, series in _series(drawing):
        of = {"target": target, "spectrum": DESIGNED, "m_h": None, "seed": None}
        rows += [of | {"k": k, "sigma": value} for k, value in enumerate(series["sigma"], 1)]
        for point in series["points"]:
            of = {"target": target, "spectrum": LEARNED_SIGMA} | _which(point)
            rows += [of | {"k": k, "sigma": s} for k, s in enumerate(point["sigma"] or [], 1)]
    return pd.DataFrame(rows, columns=["target", "spectrum", "m_h", "seed", "k", "sigma"])


def cuts(drawing: Mapping[str, Any]) -> pd.DataFrame:
    """target, line, m_h, seed, k, error (> 0): each widest model cut to rank k, the models trained
    at m_h = k, and what truncation leaves. Of the latter m_h and seed are missing."""
    rows = []
    for target, series in _series(drawing):
        for point in series["points"]:
            whole = [*point["surgery"], point["error"]] if point["surgery"] else []
            of = {"target": target, "line": CUT} | _which(point)
            rows += [of | {"k": k, "error": error} for k, error in enumerate(whole, 1)]
            of = {"target": target, "line": AT_K} | _which(point)
            rows.append(of | {"k": point["m_h"], "error": point["error"]})
        of = {"target": target, "line": TRUNCATION, "m_h": None, "seed": None}
        rows += [of | {"k": m, "error": error} for m, error in series["floor"]]
    table = pd.DataFrame(rows, columns=["target", "line", "m_h", "seed", "k", "error"])
    return table[table["error"] > 0]


def _series(drawing: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The targets with a model, by panel and name."""
    for panel in drawing["panels"]:
        for series in panel["series"]:
            if series["points"]:
                name = series["name"].replace("{", "").replace("}", "")
                yield f"{panel['title']}, {name}", series


def _which(point: Mapping[str, Any]) -> dict[str, int]:
    return {"m_h": point["m_h"], "seed": point["seed"]}
