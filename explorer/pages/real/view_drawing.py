"""A model's couplings as the component `real` draws them: the map of its heads, the spectrum of
those that are picked, and what the whole model answers with k terms."""

from __future__ import annotations

from typing import Any

import numpy as np

from explorer.pages.real.view import ANSWERS, GAUGES, LEAST, RealView, deviation, ranks
from explorer.pages.real.view_look import Look
from explorer.pages.real.view_words import words_of
from explorer.pretrained.kept import STEPS, Spectra, encoded
from explorer.slow import pd

Drawing = tuple[dict[str, Any], dict[str, np.ndarray]]


def real_drawing(found: RealView) -> Drawing:
    """Header and arrays of the component.

    The rows of all arrays are "all heads" and then the heads, layer by layer: of each gauge, `raw`
    and `centred`, the lowest, the median and the highest σ_k / σ_1 of the inputs (rows, 3, k), and
    `weights` (rows, k), as bytes of `kept.encoded`, four in the place of a float; `raw_rank`,
    `raw_spread` and so on (rows). `cuts` of each gauge are [k, low, middle, high].
    """
    look, of = found.look, found.spectra
    header = {
        "model": look.model,
        "title": look.of.title,
        "layers": look.of.layers,
        "heads": look.of.heads,
        "width": look.of.width,
        "inputs": found.inputs,
        "steps": STEPS,
        "look": {"centred": look.centred, "one": look.one, "k": found.k, "words": look.words},
        "answer": _answer(look),
        "own": float(found.curve["own"].iloc[0]),
        "cuts": {gauge: _cuts(found.curve, gauge) for gauge in GAUGES},
        "words": words_of(look.of),
    }
    return header, _arrays(of)


def _answer(look: Look) -> str:
    """What is measured against k: it is not known of what the reader has brought."""
    other = f", not on your {look.of.reads}" if look.own_input else ""
    return f"{ANSWERS[look.of.says]}{other}"


def _arrays(of: Spectra) -> dict[str, np.ndarray]:
    heads = of.weights_rank.size
    weights = of.weights.reshape(heads, -1)
    arrays = {"weights": _as_bytes(np.concatenate([np.median(weights, 0)[None], weights]))}
    arrays["weights_rank"] = _with_mean(of.weights_rank.ravel())
    for gauge, sigma in zip(GAUGES, (of.raw, of.centred), strict=True):
        each = sigma.reshape(len(sigma), heads, -1)  # (input, head, k)
        whole = each.reshape(-1, 1, each.shape[-1])
        spread = [np.quantile(values, (0, 0.5, 1), axis=0) for values in (whole, each)]
        arrays[gauge] = _as_bytes(np.concatenate(spread, axis=1).swapaxes(0, 1))
        rank = ranks(of, gauge).reshape(len(sigma), heads)
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
    of = curve[(curve["gauge"] == gauge) & (curve["k"] > 0)].sort_values("k")
    values = of[["low", "middle", "high"]].clip(lower=LEAST)
    return np.column_stack([of["k"], values]).round(7).tolist()
