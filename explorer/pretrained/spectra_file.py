"""Spectra of a model as a small file: what the pages show without the model.

Singular values are kept relative to the first of their matrix, as whole steps of a fiftieth of a
decade, which is 2.3 % at most and 5.1 decades in a byte; energy ranks as they were counted before.
"""

import io
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

STEPS = 50  # of a decade
LEAST = 255  # the code of what is smaller still
Kept = TypeVar("Kept")


@dataclass(frozen=True)
class Spectra:
    """σ_k / σ_1 and 99 % ranks of a model's couplings over inputs, and of its weights."""

    raw: np.ndarray
    """(input, layer, head, k)."""
    centred: np.ndarray
    weights: np.ndarray
    """(layer, head, k), of W_Qᵀ W_K."""
    raw_rank: np.ndarray
    """(input, layer, head)."""
    centred_rank: np.ndarray
    weights_rank: np.ndarray
    """(layer, head)."""


def of_one_input(sigma: Mapping[str, np.ndarray], weights: Spectra) -> Spectra:
    """The spectra of a model on one input, of its σ_k by gauge, (layer, head, k); those of its
    `weights` are known. Terms that fewer tokens than the width leave out are 0."""
    width = weights.weights.shape[-1]
    fields = {}
    for gauge in ("raw", "centred"):
        values = np.asarray(sigma[gauge], float)[None, ..., :width]
        missing = [(0, 0)] * 3 + [(0, width - values.shape[-1])]
        fields[gauge] = np.pad(values / np.maximum(values[..., :1], np.finfo(float).tiny), missing)
        energy = fields[gauge] ** 2
        held = energy.cumsum(-1) < 0.99 * energy.sum(-1, keepdims=True)
        fields[f"{gauge}_rank"] = held.sum(-1) + (energy.sum(-1) > 0)
    return replace(weights, **fields)


@dataclass(frozen=True)
class Tolerance:
    """Losses of a model whose heads are cut, input by input (see tolerance.py)."""

    terms: np.ndarray
    """The k that were tried."""
    shares: np.ndarray
    """How much of the loss a head alone may add where each has its own k."""
    own: np.ndarray
    """Of the whole model: (input)."""
    alone: np.ndarray
    """One head cut: (input, layer, head, k)."""
    uniform: np.ndarray
    """All heads cut to one k: (input, k)."""
    chosen: np.ndarray
    """Each head cut to its own k: (input, share)."""
    tables: np.ndarray
    """Those k: (share, layer, head)."""


def pack_tolerance(models: Mapping[str, Tolerance]) -> bytes:
    """All models as one .npz."""
    return _packed(models, lambda name, values: values)


def unpack_tolerance(data: bytes) -> dict[str, Tolerance]:
    """Raises ValueError for what is no such file."""
    return _unpacked(data, "losses of models with heads cut", Tolerance)


def encoded(sigma: np.ndarray) -> np.ndarray:
    """Relative singular values as bytes: −50 log₁₀, rounded."""
    with np.errstate(divide="ignore"):
        steps = -STEPS * np.log10(sigma)
    return np.clip(np.rint(np.nan_to_num(steps, nan=0, posinf=LEAST)), 0, LEAST).astype(np.uint8)


def decoded(codes: np.ndarray) -> np.ndarray:
    """Back again; what was too small to tell is 10^−5.1."""
    return 10 ** (-codes.astype(float) / STEPS)


def pack(models: Mapping[str, Spectra]) -> bytes:
    """All models as one .npz."""
    return _packed(
        models,
        lambda name, values: values.astype(np.uint8) if name.endswith("rank") else encoded(values),
    )


def unpack(data: bytes) -> dict[str, Spectra]:
    """Raises ValueError for what is no such file."""
    return _unpacked(data, "spectra of models", _spectra)


def _spectra(**arrays: np.ndarray) -> Spectra:
    fields = {
        name: values.astype(int) if name.endswith("rank") else decoded(values)
        for name, values in arrays.items()
    }
    return Spectra(**fields)


def _packed(models: Mapping[str, Any], written: Callable[[str, np.ndarray], np.ndarray]) -> bytes:
    """An .npz with an array "model/name" of each field."""
    arrays = {
        f"{model}/{name}": written(name, values)
        for model, record in models.items()
        for name, values in vars(record).items()
    }
    file = io.BytesIO()
    np.savez_compressed(file, allow_pickle=False, **arrays)
    return file.getvalue()


def _unpacked(data: bytes, what: str, read: Callable[..., Kept]) -> dict[str, Kept]:
    by_model: dict[str, dict[str, np.ndarray]] = {}
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            for key in arrays.files:
                model, _, name = key.partition("/")
                by_model.setdefault(model, {})[name] = arrays[key]
        return {model: read(**fields) for model, fields in by_model.items()}
    except (OSError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(f"no {what}: {error}") from None
