"""The float32 arrays of an ONNX file, which is a message of protocol buffers.

Of the format's hundreds of messages three are needed: ModelProto.graph (field 7),
GraphProto.initializer (5), and of TensorProto dims (1), data_type (2), name (8), raw_data (9).
"""

from collections.abc import Iterator
from math import prod

import numpy as np

from explorer.pretrained.catalogue import ModelError

GRAPH, INITIALIZER = 7, 5
DIMS, DATA_TYPE, NAME, RAW_DATA = 1, 2, 8, 9
FLOAT = 1
FIXED = {1: 8, 5: 4}  # bytes of wire types that are not read


def read(data: bytes) -> dict[str, np.ndarray]:
    """Arrays by name; those of other types are left out. Raises ModelError for what is no ONNX
    file or is cut short."""
    arrays = {}
    for graph in _messages(memoryview(data), GRAPH):
        for tensor in _messages(graph, INITIALIZER):
            dims, fields = [], {}
            for field, value in _fields(tensor):
                dims += _dims(value) if field == DIMS else []
                fields[field] = value
            if fields.get(DATA_TYPE) != FLOAT or RAW_DATA not in fields:
                continue
            name = str(fields[NAME], "utf-8")
            if len(fields[RAW_DATA]) != 4 * prod(dims):
                raise ModelError(f"the ONNX file has another number of values in {name}")
            arrays[name] = np.frombuffer(fields[RAW_DATA], "<f4").reshape(dims)
    if not arrays:
        raise ModelError("this is no ONNX file with weights")
    return arrays


def _messages(data: memoryview, wanted: int) -> Iterator[memoryview]:
    for field, value in _fields(data):
        if field == wanted and isinstance(value, memoryview):
            yield value


def _dims(value: int | memoryview) -> list[int]:
    """One number, or a packed list of them."""
    if isinstance(value, int):
        return [value]
    dims, at = [], 0
    while at < len(value):
        dim, at = _varint(value, at)
        dims.append(dim)
    return dims


def _fields(data: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Field number and value of a message: a whole number, or bytes."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        field, wire = key >> 3, key & 7
        if wire == 0:
            value, at = _varint(data, at)
            yield field, value
            continue
        if wire == 2:
            size, at = _varint(data, at)
        elif wire in FIXED:
            size = FIXED[wire]
        else:
            raise ModelError("this is no ONNX file")
        if at + size > len(data):
            raise ModelError("the ONNX file ends too soon")
        yield field, data[at : at + size]
        at += size


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    """Seven bits a byte, the lowest first; and where it ends."""
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            raise ModelError("the ONNX file ends too soon")
        byte, at = data[at], at + 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
    raise ModelError("this is no ONNX file")
