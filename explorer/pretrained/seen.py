"""What a model did with one input, as a file: its tokens and the couplings of all its heads.

    header          JSON: model, tokens, note, answers, measure
    raw, centred    σ_k of every coupling: (layer, head, k)
    logits-LAYER    the couplings of a layer, before softmax and mask: (head, query, key), float32;
                    or int16, in units of scale-LAYER (head)
    picture         what a model of pictures was shown: (side, side, 3), bytes

It is read without torch, one layer at a time.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
from pydantic import TypeAdapter

from explorer.pretrained.catalogue import ModelError
from explorer.pretrained.own import NAME
from explorer.spec.alterations import faults
from explorer.targets.alterations import named_order

MOST_TOKENS = 96
LONGEST_TEXT = 20_000  # characters
STEPS = 32_767  # of an int16
AS_WRITTEN = "original"
"""The order of an input as it is."""


@dataclass(frozen=True)
class Asked:
    """What a worker is asked of a model; what it has made of it goes by the same id."""

    @property
    def id(self) -> str:
        """Of the job and of the answer."""
        return hashlib.sha256(self.json().encode()).hexdigest()[:16]

    def json(self) -> str:
        """As a job holds it."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Back again."""
        return TypeAdapter(cls).validate_json(text)


@dataclass(frozen=True)
class Input(Asked):
    """What a model is shown: a text, or the picture whose bytes have this sha256."""

    model: str
    text: str = ""
    picture: str = ""


@dataclass(frozen=True)
class Cutting(Asked):
    """Heads of a model cut on an input: `layer` None is all layers, `head` None all of a layer."""

    shown: Input
    k: int
    centred: bool
    layer: int | None = None
    head: int | None = None


@dataclass(frozen=True)
class Reordering(Asked):
    """The tokens of an input in another order p, 0-based, or by its name; `seed` is that of a
    random one, and 0 for others. Of a language model's head, from 0 on, the attention is asked."""

    shown: Input
    order: str | tuple[int, ...]
    seed: int = 0
    layer: int = 0
    head: int = 0

    def permutation(self, count: int) -> tuple[int, ...]:
        """p of so many tokens; raises ModelError where it is of another number of them."""
        if self.order == AS_WRITTEN:
            return tuple(range(count))
        if isinstance(self.order, str):
            return named_order(self.order, count, self.seed)
        if wrong := faults(self.order, count):
            raise ModelError(
                f"there are {count} tokens: each position from 0 to {count - 1} is needed once, "
                f"and {len(self.order)} are there; {wrong}"
            )
        return self.order


@dataclass(frozen=True)
class Terms:
    """A coupling as Σ σ_k φ_k ψ_kᵀ: the columns of `phi` and `psi` are orthonormal over the query
    tokens and the key tokens. The largest entry of each ψ_k is positive."""

    sigma: np.ndarray
    phi: np.ndarray
    """(query, k)."""
    psi: np.ndarray
    """(key, k)."""


def terms(logits: np.ndarray, width: int) -> Terms:
    """The POD of a coupling (query, key) whose rank is at most `width`."""
    phi, sigma, psi = np.linalg.svd(logits.astype(float), full_matrices=False)
    psi = psi.T
    top = np.abs(psi).argmax(0)
    sign = np.where(psi[top, np.arange(len(sigma))] < 0, -1.0, 1.0)
    return Terms(sigma[:width], (phi * sign)[:, :width], (psi * sign)[:, :width])


def centre(logits: np.ndarray) -> np.ndarray:
    """A coupling without the means of its rows, which softmax cannot see."""
    return logits - logits.mean(-1, keepdims=True)


def energy_rank(sigma: np.ndarray, share: float = 0.99) -> int:
    """The least number of terms that hold so much of Σσ²."""
    energy = np.cumsum(np.asarray(sigma, float) ** 2)
    return int((energy < share * energy[-1]).sum()) + 1 if energy[-1] > 0 else 0


@dataclass(frozen=True)
class Seen:
    """What a file holds; couplings are read when they are asked for."""

    file: Path
    model: str
    tokens: tuple[str, ...]
    note: str
    """What of the input was not looked at, or not known; "" where that is nothing."""
    answers: tuple[tuple[str, float], ...]
    """What the model says, by name: the five likeliest next tokens, …"""
    measure: float
    """Perplexity of a text; 0 where the measure is a distance from the model's own answer."""
    cuts: Mapping[str, Mapping[int, dict[str, Any]]]
    """Of a shipped file: what is answered with all heads cut, by gauge and k (probe.answered)."""

    @cached_property
    def sigma(self) -> Mapping[str, np.ndarray]:
        """σ_k of all couplings by gauge, "raw" and "centred": (layer, head, k)."""
        with _opened(self.file) as arrays:
            return {gauge: arrays[gauge].astype(float) for gauge in ("raw", "centred")}

    @cached_property
    def picture(self) -> np.ndarray | None:
        """(side, side, 3), bytes."""
        with _opened(self.file) as arrays:
            return arrays["picture"] if "picture" in arrays.files else None

    def logits(self, layer: int, head: int) -> np.ndarray:
        """The coupling of a head, before softmax and mask: (query, key)."""
        with _opened(self.file) as arrays:
            values = arrays[f"logits-{layer}"][head].astype(float)
            if f"scale-{layer}" in arrays.files:
                values *= float(arrays[f"scale-{layer}"][head])
            return values


def read(file: Path) -> Seen:
    """Raises ModelError for what is no such file."""
    with _opened(file) as arrays:
        try:
            header = json.loads(arrays["header"].tobytes())
            answers = tuple((str(name), float(value)) for name, value in header["answers"])
            tokens = tuple(map(str, header["tokens"]))
            model, note, measure = (
                str(header["model"]),
                str(header["note"]),
                float(header["measure"]),
            )
            cuts = {
                gauge: {int(k): result for k, result in by_k.items()}
                for gauge, by_k in header.get("cuts", {}).items()
            }
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ModelError(f"{file.name} is damaged: {error}") from None
    if not NAME.fullmatch(model):
        raise ModelError(f"{file.name} is of {model[:40]!r}, which is no model")
    return Seen(file, model, tokens, note, answers, measure, cuts)


def packed(
    header: Mapping[str, Any],
    sigma: Mapping[str, np.ndarray],
    layers: Sequence[np.ndarray],
    picture: np.ndarray | None = None,
    *,
    small: bool = False,
) -> bytes:
    """A file of it; `small` for one that is shipped: couplings as int16 of their largest entry."""
    arrays = {"header": np.frombuffer(json.dumps(dict(header)).encode(), np.uint8)}
    arrays |= {gauge: values.astype(np.float32) for gauge, values in sigma.items()}
    if picture is not None:
        arrays["picture"] = picture
    for layer, logits in enumerate(layers):
        if small:
            scale = np.abs(logits).max((1, 2)) / STEPS
            arrays[f"scale-{layer}"] = scale.astype(np.float32)
            logits = np.rint(logits / scale[:, None, None]).astype(np.int16)
        arrays[f"logits-{layer}"] = logits
    file = io.BytesIO()
    save = np.savez_compressed if small else np.savez
    save(file, allow_pickle=False, **arrays)
    return file.getvalue()


def _opened(file: Path) -> np.lib.npyio.NpzFile:
    try:
        return np.load(file, allow_pickle=False)
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise ModelError(f"{file.name} cannot be read: {error}") from None
