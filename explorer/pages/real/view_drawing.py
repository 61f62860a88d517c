"""A model's couplings as the component `real` draws them: the map of its heads, the spectrum of
those that are picked, and what the whole model answers with k terms."""

from __future__ import annotations

from typing import Any

import numpy as np

from explorer.pages.real.view import ANSWERS, GAUGES, LEAST, RealView, deviation, ranks
from explorer.pages.real.view_look import Look
from explorer.pages.real.view_words import words_of
from explorer.pretrained.spectra_file import STEPS, Spectra, encoded
from explorer.slow import pd

Drawing = tuple[dict[str, Any], dict[str, np.ndarray]]


def real_drawing(view: RealView) -> Drawing:
    """Header and arrays of the component.

    The rows of all arrays are "all heads" and then the heads, layer by layer: of each gauge, `raw`
    and `centred`, the lowest, the median and the highest σ_k / σ_1 of the inputs (rows, 3, k), and
    `weights` (rows, k), as bytes of `kept.encoded`, four in the place of a float; `raw_rank`,
    `raw_spread` and so on (rows). `cuts` of each gauge are [k, low, middle, high].
    """
    choice, spectra = view.choice, view.spectra
    header = {
        "model": choice.model,
        "title": choice.pretrained.title,
        "layers": choice.pretrained.layers,
        "heads": choice.pretrained.heads,
        "width": choice.pretrained.width,
        "inputs": view.inputs,
        "steps": STEPS,
        "look": {"centred": choice.centred, "one": choice.one, "k": view.k, "words": choice.words},
        "answer": _answer(choice),
        "own": float(view.curve["own"].iloc[0]),
        "cuts": {gauge: _cuts(view.curve, gauge) for gauge in GAUGES},
        "words": words_of(choice.pretrained),
    }
    return header, _arrays(spectra)


def _answer(choice: Look) -> str:
    """What is measured against k: it is not known of what the reader has brought."""
    other = f", not on your {choice.pretrained.reads}" if choice.own_input else ""
    return f"{ANSWERS[choice.pretrained.says]}{other}"


def _arrays(spectra: Spectra) -> dict[str, np.ndarray]:
    heads = spectra.weights_rank.size
    weights = spectra.weights.reshape(heads, -1)
    arrays = {"weights": _as_bytes(np.concatenate([np.median(weights, 0)[None], weights]))}
    arrays["weights_rank"] = _with_mean(spectra.weights_rank.ravel())
    for gauge, sigma in zip(GAUGES, (spectra.raw, spectra.centred), strict=True):
        each = sigma.reshape(len(sigma), heads, -1)  # (input, head, k)
        whole = each.reshape(-1, 1, each.shape[-1])
        spread = [np.quantile(values, (0, 0.5, 1), axis=0) for values in (whole, each)]
        arrays[gauge] = _as_bytes(np.concatenate(spread, axis=1).swapaxes(0, 1))
        rank = ranks(spectra, gauge).reshape(len(sigma), heads)
        arrays[f"{gauge}_rank"] = _with_mean(rank.mean(0))
        arrays[f"{gauge}_spread"] = np.r_[rank.mean(0).std(ddof=1), deviation(rank)]
    return arrays


def _with_mean(values: np.ndarray) -> np.ndarray:
    return np.r_[values.mean(), values]


def _as_bytes(sigma: np.ndarray) -> np.ndarray:
    """Relative singular values as bytes that look like floats: a frame holds no others."""
    return np.frombuffer(encoded(sigma).tobytes(), "<f4")


def _cuts(curve: pd.DataFrame, gauge: str) -> list[list[float]]:
    """What is drawn on log axes: k = 0 has no place there, and rounding is drawn at LEAST."""
    rows = curve[(curve["gauge"] == gauge) & (curve["k"] > 0)].sort_values("k")
    values = rows[["low", "middle", "high"]].clip(lower=LEAST)
    return np.column_stack([rows["k"], values]).round(7).tolist()
