"""The pictures of a design as tables, for files: made of the very drawing that the canvas draws.

A drawing is header and arrays of pages/design/view_drawing.py. What is worked out of it here (which
terms are kept, the row at u, the second map) the canvas works out by the same rules in
ui/components/design; tests/test_same_as_the_screen.py holds the two together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from explorer.families import SPECTRA, Spectrum
from explorer.families.spectra import Law
from explorer.pages.design.view import TrainedWidth, cells
from explorer.pages.design.view_drawing import Drawing
from explorer.slow import pd, stats
from explorer.views.pictures import as_cells, stacked
from explorer.views.series import THEORY, TRUNCATION


def by_size(sigma: np.ndarray) -> np.ndarray:
    """The terms from the largest σ_k (K,) down, the earlier ones first where they tie, (K,)."""
    return np.argsort(-sigma, kind="stable")


def among_first(sigma: np.ndarray, m: int) -> np.ndarray:
    """Whether each σ_k (K,) is one of the first m by size, (K,) bool."""
    chosen = np.zeros(len(sigma), bool)
    chosen[by_size(sigma)[:m]] = True
    return chosen


def first_terms(drawing: Drawing) -> str:
    """What the m terms that are kept are called: the first ones, or the largest of a list."""
    m, sigma = drawing[0]["m"], drawing[1]["sigma"]
    count = min(m, len(sigma))
    if (np.diff(sigma) <= 0).all():
        return f"first {count} terms" if count != 1 else "first term"
    return f"{count} largest terms" if count != 1 else "largest term"


FIT_FROM = 4  # the leading σ_k rarely follow the law of the others


class DecayLine(NamedTuple):
    """`values` at each k (K,), and its exponent where it is a power of k; `words` are empty for a
    fit to so few σ_k that its slope says nothing."""

    values: np.ndarray
    alpha: float | None
    words: str


def decay_line(drawing: Drawing) -> DecayLine | None:
    """The law of the design, or else a fit by size to the σ_k above the tolerance: a power law,
    unless another law leaves less than half its squares; None for fewer than three σ_k."""
    header, sigma = drawing[0], np.asarray(drawing[1]["sigma"], float)
    sigma = sigma[by_size(sigma)]
    k = np.arange(1, len(sigma) + 1)
    designed = SPECTRA.get(header["family"])
    if designed and designed.law:
        fields = {name: float(header[name]) for name in designed.fields}
        values = designed.sigma(k, **fields)
        return _line(designed, designed.law, values, fields[designed.law.parameter], "=")
    some = sigma > header["tolerance"]
    later = some & (k >= FIT_FROM)
    used, about = (later if later.sum() > 3 else some), "≈" * bool(later.sum() > 7)
    if used.sum() < 3:
        return None
    fits = [
        _fit(each, law, k, sigma, used, about) for each in SPECTRA.values() if (law := each.law)
    ]
    power, straightest = fits[0], min(fits, key=lambda fit: fit[0])
    return (straightest if straightest[0] < 0.5 * power[0] else power)[1]


def _fit(
    spectrum: Spectrum, law: Law, k: np.ndarray, sigma: np.ndarray, used: np.ndarray, about: str
) -> tuple[float, DecayLine]:
    """The law of a spectrum fitted to the σ_k that are used: what squares it leaves, its line."""
    x = law.x(k)
    fit = stats.linregress(x[used], np.log(sigma[used]))
    values = np.exp(fit.intercept + fit.slope * x)
    rest = float(np.sum(np.log(values[used] / sigma[used]) ** 2))
    return rest, _line(spectrum, law, values, law.value(fit.slope), about)


def _line(spectrum: Spectrum, law: Law, values: np.ndarray, value: float, about: str) -> DecayLine:
    """The line of a law at a value of its parameter."""
    words = law.words(value, about) if about else ""
    return DecayLine(values, value if spectrum.tail == "power" else None, words)


def spectrum(drawing: Drawing) -> pd.DataFrame:
    """k, sigma (≥ 0), part ('kept', 'left out' or 'below the tolerance'), tolerance (absolute),
    law (the decay line at k; none where there is none), term: by size, as the canvas has them; the
    design's own number of the k-th is its `term`."""
    header, arrays = drawing
    sigma, tolerance = np.asarray(arrays["sigma"], float), header["tolerance"]
    order, k = by_size(sigma), np.arange(1, len(sigma) + 1)
    sigma = sigma[order]
    part = np.where(k <= header["m"], "kept", "left out").astype(object)
    part[sigma <= tolerance] = "below the tolerance"
    line = decay_line(drawing)
    return pd.DataFrame(
        {
            "k": k,
            "sigma": sigma,
            "part": part,
            "tolerance": tolerance,
            "law": line.values if line else np.nan,
            "term": order + 1,
        }
    )


def shown_term(drawing: Drawing) -> int:
    """The term k that is shown: the chosen one, or the last there is; 0 where there is none."""
    return min(max(drawing[0]["k"], 1), len(drawing[1]["sigma"]))


def functions(drawing: Drawing) -> pd.DataFrame:
    """x, value, function: φ_k(u) and ψ_k(v) of the chosen k, in the order of the spectrum."""
    k, (_, arrays) = shown_term(drawing), drawing
    if k == 0:
        return pd.DataFrame({"x": [], "value": [], "function": []})
    sides = {f"φ_{k}(u)": arrays["phi"][k - 1], f"ψ_{k}(v)": arrays["psi"][k - 1]}
    x = cells(arrays["phi"].shape[1])
    return stacked("function", {name: {"x": x, "value": side} for name, side in sides.items()})


def row(drawing: Drawing) -> pd.DataFrame:
    """u, v, rho, weight, coupling ('ρ', 'ρ_m'): the row of each at the cell of the chosen u.

    `weight` is softmax over v as a density, 1 where attention is uniform. ρ that is not given by
    its terms has as many places v as its heatmap has columns.
    """
    header, arrays = drawing
    sigma = arrays["sigma"]
    phi, psi = (arrays[name][: len(sigma)] for name in ("phi", "psi"))
    at, fine = _cell(header["u"], phi.shape[1]), phi.shape[1]
    terms = sigma * phi[:, at]
    rows = {"ρ_m": ((at + 0.5) / fine, (terms * among_first(sigma, header["m"])) @ psi)}
    if "rho" in arrays:
        i = _cell(header["u"], len(arrays["rho"]))
        rows["ρ"] = (i + 0.5) / len(arrays["rho"]), arrays["rho"][i].astype(float)
    else:
        rows["ρ"] = (at + 0.5) / fine, terms @ psi
    columns = {
        name: {"u": u, "v": cells(len(rho)), "rho": rho, "weight": _relative(rho)}
        for name, (u, rho) in sorted(rows.items())
    }
    return stacked("coupling", columns)


def _cell(u: float, count: int) -> int:
    return min(count - 1, int(u * count))


def _relative(logits: np.ndarray) -> np.ndarray:
    """softmax of a row of ρ over v as a density: 1 where attention is uniform."""
    weights = np.exp(logits - logits.max())
    return weights / weights.mean()


def maps(drawing: Drawing) -> pd.DataFrame:
    """u, v, rho, coupling: ρ, and beside it what the reader chose: its kept terms, what they leave,
    or the term k.

    At the centres of 96 × 96 cells; the term k, of up to 64 oscillations, of 288 × 288.
    """
    name = "ρ(u, v), centred" if drawing[0]["centred"] else "ρ(u, v)"
    sides = {name: whole(drawing)} | dict([_second(drawing)])
    return pd.concat([as_cells(rho, name) for name, rho in sides.items()], ignore_index=True)


def whole(drawing: Drawing) -> np.ndarray:
    """ρ at the centres of the cells of its heatmap, (96, 96), rows u."""
    _, arrays = drawing
    return arrays["rho"] if "rho" in arrays else _sum(drawing, np.ones(len(arrays["sigma"])))


def _second(drawing: Drawing) -> tuple[str, np.ndarray]:
    header, arrays = drawing
    k, chosen = shown_term(drawing), among_first(arrays["sigma"], header["m"])
    if header["map"] == "term" and k:
        term = np.outer(arrays["phi"][k - 1], arrays["psi"][k - 1])
        return f"term {k}: σ_{k} φ_{k} ψ_{k}", arrays["sigma"][k - 1] * term
    if header["map"] == "residual":
        return f"residual of the {first_terms(drawing)}", whole(drawing) - _sum(drawing, chosen)
    return first_terms(drawing), _sum(drawing, chosen)


def _sum(drawing: Drawing, chosen: np.ndarray) -> np.ndarray:
    """Σ σ_k φ_k ψ_k over the chosen k at the centres of the cells, (96, 96)."""
    header, arrays = drawing
    middle = slice((header["coarse"] - 1) // 2, None, header["coarse"])
    terms = len(arrays["sigma"])
    phi, psi = (arrays[name][:terms, middle] for name in ("phi", "psi"))
    return (phi.T * (arrays["sigma"] * chosen)) @ psi


def rate(drawing: Drawing) -> tuple[np.ndarray, str] | None:
    """m^−(2α−1) of the law through the floor at m = 4, at m = 1 … 32 (32,), and its exponent in
    words; None where the law gives no rate, as with ψ = φ, where it ends, or fewer than six errors
    are above 0."""
    line, nmse = decay_line(drawing), np.asarray(drawing[1]["floor"][0], float)
    some = 1 + np.flatnonzero(nmse[1:] > 0)
    if line is None or line.alpha is None or line.alpha <= 0.5 or len(some) < 6:
        return None
    if drawing[0]["exact"] is not None:
        return None
    if (
        drawing[0]["editable"]
        and drawing[0]["rest"]["left_basis"] == drawing[0]["rest"]["right_basis"]
    ):
        return None
    m, power = np.arange(1, len(nmse)), 1 - 2 * line.alpha
    return nmse[some[3]] * (m / some[3]) ** power, f"predicted slope {power:.2f}".replace("-", "−")


def floor(drawing: Drawing) -> pd.DataFrame:
    """series, m, then nmse and mae with the ends of their 95% intervals, run, seed.

    `series` is 'truncation' at m = 0 … 32, exactly 0 from the rank on; 'theory', the rate of
    the law; or 'trained' for each run that learned the design, at m = m_h: the nMSE of one seed.
    """
    header, arrays = drawing
    nmse, mae, *halves = np.asarray(arrays["floor"], float)
    columns = {"series": TRUNCATION, "m": np.arange(len(nmse))}
    for name, error, half in zip(("nmse", "mae"), (nmse, mae), halves, strict=True):
        ends = {f"{name}_low": np.maximum(error - half, error / 10), f"{name}_high": error + half}
        columns |= {name: error} | ends
    runs = pd.DataFrame(header["trained"], columns=TrainedWidth._fields).rename(
        columns={"m_h": "m"}
    )
    parts = [pd.DataFrame(columns)]
    if line := rate(drawing):
        parts.append(pd.DataFrame({"m": np.arange(1, len(nmse)), "nmse": line[0]}))
        parts[-1]["series"] = THEORY
    parts += [runs.assign(series="trained")] if len(runs) else []
    return pd.concat(parts, ignore_index=True).reindex(columns=[*columns, "run", "seed"])
