"""One binary format for snapshots in the store and messages on the WebSocket.

    uint32 (little-endian)  length of the header in bytes
    header                  JSON in UTF-8, padded with spaces to a multiple of 4 from the start;
                            its key "arrays" lists [name, shape, offset in floats]
    data                    little-endian float32

JavaScript reads it without copying: `new Float32Array(buffer, start + 4 * offset, size)`.

A message may carry a picture behind its own data: a frame as somebody else has packed it, forwarded
unopened. Its length stands in the header of the message, as "picture_bytes".
"""

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

MAX_BYTES = 16 * 2**20
MAX_HEADER = 2**18
MAX_ARRAYS = 64
MAX_AXES = 4
FLOAT = np.dtype("<f4")


class FrameError(ValueError):
    """These bytes are not a frame, or a frame cannot hold this."""


def pack(
    header: Mapping[str, Any], arrays: Mapping[str, np.ndarray], picture: bytes = b""
) -> bytes:
    """One frame, with a packed picture behind it; arrays are written as float32 in C order.

    Raises FrameError when the header is not JSON (NaN included: JavaScript would refuse it).
    """
    table, parts, offset = [], [], 0
    for name, values in arrays.items():
        values = np.asarray(values, FLOAT)
        table.append([name, list(values.shape), offset])
        parts.append(values.tobytes())
        offset += values.size
    behind = {"picture_bytes": len(picture)} if picture else {}
    whole = {**header, **behind, "arrays": table}
    try:
        head = json.dumps(whole, allow_nan=False, separators=(",", ":")).encode()
    except (TypeError, ValueError) as error:
        raise FrameError(f"the header of a frame must be JSON: {error}") from error
    head += b" " * (-len(head) % 4)
    return b"".join([len(head).to_bytes(4, "little"), head, *parts, picture])


def unpack(data: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Header (with its key "arrays" taken out) and read-only float32 arrays that share `data`.

    Raises FrameError for anything that `pack` would not write; safe on hostile bytes.
    """
    header, start = _head(data)
    table = header.pop("arrays", None)
    if not isinstance(table, list) or len(table) > MAX_ARRAYS:
        raise FrameError(f'"arrays" must list at most {MAX_ARRAYS} arrays')
    return header, _arrays(table, np.frombuffer(data, FLOAT, offset=start))


def header_of(data: bytes) -> dict[str, Any]:
    """The header of a frame alone, its list of arrays included; raises FrameError."""
    return _head(data)[0]


def _head(data: bytes) -> tuple[dict[str, Any], int]:
    """The header of a frame, and where its data start."""
    if len(data) > MAX_BYTES:
        raise FrameError(f"a frame holds at most {MAX_BYTES} bytes, got {len(data)}")
    length = int.from_bytes(data[:4], "little")
    if len(data) < 4 or length > min(MAX_HEADER, len(data) - 4) or length % 4:
        raise FrameError(f"header length {length} does not fit in a frame of {len(data)} bytes")
    if (len(data) - 4 - length) % FLOAT.itemsize:
        raise FrameError("the data must be whole float32 numbers")
    return _decode(data[4 : 4 + length]), 4 + length


def _decode(text: bytes) -> dict:
    try:
        header = json.loads(
            text.decode("utf-8"), parse_constant=_finite, parse_float=_finite, parse_int=_whole
        )
    except FrameError:
        raise
    except (ValueError, RecursionError) as error:
        raise FrameError(f"the header of a frame must be JSON: {error}") from error
    if not isinstance(header, dict):
        raise FrameError("the header of a frame must be a JSON object")
    return header


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise FrameError(f"{text[:20]} is not a number that a frame may hold in its header")
    return number


def _whole(text: str) -> int:
    if len(text) > 16:  # beyond what JavaScript counts exactly
        raise FrameError(f"{text[:20]}… is too large for the header of a frame")
    return int(text)


def _arrays(table: list, floats: np.ndarray) -> dict[str, np.ndarray]:
    arrays = {}
    for entry in table:
        name, shape, offset = _entry(entry)
        size = math.prod(shape)
        if name in arrays or offset + size > floats.size:
            raise FrameError(f"array {name!r} is listed twice or reaches past the end of the frame")
        arrays[name] = floats[offset : offset + size].reshape(shape)
    return arrays


def _entry(entry: Any) -> tuple[str, tuple[int, ...], int]:
    match entry:
        case [str(name), list(shape), int(offset)] if len(shape) <= MAX_AXES:
            counts = [*shape, offset]
            if all(type(count) is int and 0 <= count <= MAX_BYTES for count in counts):
                return name, tuple(shape), offset
    raise FrameError(f"an array is listed as [name, shape, offset], got {str(entry)[:80]}")
