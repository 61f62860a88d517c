"""One head's attention as a file or as text: weights, logits, or queries and keys.

.csv and .npy hold one matrix, queries × keys; .npz and .safetensors hold it as `logits` or
`weights`, or `q` and `k`, tokens × width each. −∞ among logits is a mask. Nothing is unpickled.
"""

import io
import math
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load

from explorer.coupling.grid import (
    LARGEST,
    MAX_BYTES,
    MAX_VALUE,
    SMALLEST,
    GridError,
    cells,
    read_grid,
    table,
)

Kind = Literal["weights", "logits"]
WRITTEN = re.compile(r"[+-]?\d*(?:\.(?P<decimals>\d*))?(?:e(?P<power>[+-]?\d{1,3}))?")
SUFFIXES = ("csv", "npy", "npz", "safetensors")


@dataclass(frozen=True, eq=False)
class Attention:
    """A matrix of one head, (queries, keys) float64: what softmax gets, or what it gives."""

    kind: Kind
    values: np.ndarray
    step: np.ndarray | None = None
    """Within what each entry is known, where it is written in digits: half a unit of the last."""


def parse_attention(data: bytes, filename: str, kind: Kind) -> Attention:
    """The attention in a file; `kind` is of a file that does not say it. Raises GridError."""
    if len(data) > MAX_BYTES:
        raise GridError("the file has more than the 20 MB that are allowed")
    suffix = filename.lower().rpartition(".")[2]
    if suffix not in SUFFIXES:
        raise GridError(f"{filename[-60:]!r}: allowed are .{', .'.join(SUFFIXES)} files")
    if suffix == "csv":
        written = cells(data)
        return replace(checked(kind, table(written, "matrix")), step=digits(written))
    if suffix == "npy":
        return checked(kind, read_grid(data, suffix, "matrix"))
    return _of_arrays(_npz(data) if suffix == "npz" else _safetensors(data))


def digits(written: Sequence[Sequence[str]]) -> np.ndarray:
    """Half a unit of the last digit of each number of a table: (queries, keys).

    Zeros at the end may be left out, so that the most decimals of the table are those of all that
    have no exponent. Whole numbers alone are exact.
    """
    powers = np.array([[_last_digit(cell) for cell in row] for row in written], float)
    floating = np.array([["e" in cell.lower() for cell in row] for row in written])
    most = powers[~floating].min(initial=0.0)
    if most == 0 and not floating.any():
        return np.zeros(powers.shape)
    return 0.5 * 10.0 ** np.where(floating, powers, most)


def _last_digit(cell: str) -> int:
    """The power of ten of the last digit of a number."""
    match = WRITTEN.fullmatch(cell.strip().lower())
    return int(match["power"] or 0) - len(match["decimals"] or "") if match else 0


def checked(kind: Kind, values: np.ndarray) -> Attention:
    """Raises GridError for another rank, size or type, for NaN, +∞ and a query that sees no key."""
    values = np.asarray(values)
    if values.dtype.kind not in "fiu":
        raise GridError(f"the matrix holds {values.dtype}; real numbers are allowed")
    if values.ndim != 2:
        shape = " × ".join(map(str, values.shape)) or "of a single number"
        raise GridError(f"the array has shape {shape}; one head is a matrix, queries × keys")
    _check_size(*values.shape)
    values = values.astype(np.float64)
    masked = (values == -np.inf) & (kind == "logits")
    bad = np.argwhere(~(masked | (np.abs(values) <= MAX_VALUE)))
    if len(bad):
        t, s = bad[0]
        allowed = "; a mask is −inf" if kind == "logits" else ""
        raise GridError(f"row {t + 1}, column {s + 1} is {values[t, s]:g}: no number{allowed}")
    if (blind := masked.all(1)).any():
        raise GridError(f"row {int(blind.argmax()) + 1} is −inf alone: its query sees no key")
    return Attention(kind, values)


def _check_size(queries: int, keys: int) -> None:
    """Raises GridError for a matrix that is too small or too large, before it takes memory."""
    if not all(SMALLEST <= size <= LARGEST for size in (queries, keys)):
        raise GridError(
            f"the matrix has {queries} × {keys} entries; allowed are {SMALLEST} to {LARGEST} rows "
            "and columns"
        )


def _of_arrays(arrays: Mapping[str, np.ndarray]) -> Attention:
    named = {name.lower(): values for name, values in arrays.items()}
    for kind in ("logits", "weights"):
        if kind in named:
            return checked(kind, named[kind])
    if not {"q", "k"} <= named.keys():
        there = ", ".join(sorted(arrays))[:120] or "nothing"
        raise GridError(f"the file holds {there}; logits, weights, or q and k are read")
    q, k = named["q"], named["k"]
    if q.ndim != 2 or k.ndim != 2 or q.shape[1] != k.shape[1]:
        shapes = " and ".join(str(array.shape) for array in (q, k))
        raise GridError(f"q and k are {shapes}: tokens × width of one head, of one width")
    _check_size(len(q), len(k))
    if not 1 <= q.shape[1] <= LARGEST:
        raise GridError(f"q and k have width {q.shape[1]}; allowed is 1 to {LARGEST}")
    for name, values in (("q", q), ("k", k)):
        if values.dtype.kind not in "fiu":
            raise GridError(f"{name} holds {values.dtype}; real numbers are allowed")
    if not all(np.isfinite(array).all() for array in (q, k)):
        raise GridError("q or k holds NaN or ∞; only logits have a mask")
    return checked("logits", q.astype(float) @ k.astype(float).T / math.sqrt(q.shape[1]))


def _npz(data: bytes) -> dict[str, np.ndarray]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(info.file_size for info in archive.infolist()) > MAX_BYTES:
                raise GridError("unpacked, the .npz file has more than the 20 MB that are allowed")
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except GridError:
        raise
    except Exception as error:  # a broken archive makes numpy raise errors of many kinds
        raise GridError("this is not an .npz file of plain numbers") from error


def _safetensors(data: bytes) -> dict[str, np.ndarray]:
    try:
        return load(data)
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        reason = f"{error}"[:100]
        raise GridError(f"this is not a .safetensors file of plain numbers ({reason})") from error
