"""Arrays and metadata of a GGUF file (version 3), of the block types that SmolLM2 comes in.

The library of that name is written for llama.cpp's tools and brings a network client; what is
needed of the format is a header, a table of tensors and two ways to pack 32 numbers:

    Q4_1   x = d q + m, q of 4 bits: 2 bytes d, 2 bytes m, 16 bytes q (low halves first)
    Q8_0   x = d q, q of 8 bits with sign: 2 bytes d, 32 bytes q
"""

import math
import struct
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from explorer.pretrained.catalogue import ModelError

SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q"}
SCALARS[12] = "d"
STRING, ARRAY = 8, 9
ALIGNMENT = 32  # of tensors, where the file names no other
BLOCK = 32  # numbers that share d and m


class Packing(NamedTuple):
    """How many bytes hold so many numbers, and how they are taken apart."""

    numbers: int
    bytes: int
    unpack: Callable[[np.ndarray], np.ndarray]
    """(blocks, bytes) of uint8 → (blocks, numbers) of float32."""


def _q4_1(blocks: np.ndarray) -> np.ndarray:
    d, m = (blocks[:, at : at + 2].copy().view("<f2").astype(np.float32) for at in (0, 2))
    packed = blocks[:, 4:]
    return d * np.concatenate([packed & 15, packed >> 4], axis=1) + m


def _q8_0(blocks: np.ndarray) -> np.ndarray:
    d = blocks[:, :2].copy().view("<f2").astype(np.float32)
    return d * blocks[:, 2:].view(np.int8)


def _f32(blocks: np.ndarray) -> np.ndarray:
    return blocks.copy().view("<f4")


PACKINGS = {0: Packing(1, 4, _f32), 3: Packing(BLOCK, 20, _q4_1), 8: Packing(BLOCK, 34, _q8_0)}


class _Cursor:
    """A place in the bytes; raises ModelError beyond their end."""

    def __init__(self, data: bytes):
        self.data, self.at = memoryview(data), 0

    def take(self, count: int) -> memoryview:
        if not 0 <= count <= len(self.data) - self.at:
            raise ModelError("the GGUF file ends too soon")
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self, kind: str) -> Any:
        return struct.unpack(f"<{kind}", self.take(struct.calcsize(f"<{kind}")))[0]

    def text(self) -> str:
        return str(self.take(self.number("Q")), "utf-8")

    def value(self, kind: int) -> Any:
        if kind == STRING:
            return self.text()
        if kind == ARRAY:
            element, count = self.number("I"), self.number("Q")
            if element in SCALARS:
                size = struct.calcsize(f"<{SCALARS[element]}")
                return list(struct.unpack(f"<{count}{SCALARS[element]}", self.take(count * size)))
            return [self.value(element) for _ in range(count)]
        if kind not in SCALARS:
            raise ModelError(f"the GGUF file has a value of an unknown type {kind}")
        return self.number(SCALARS[kind])


def read(data: bytes) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Arrays by name, float32, rows before columns, and the metadata.

    Raises ModelError for what is no such file, is cut short or packs numbers in another way.
    """
    cursor = _Cursor(data)
    if bytes(cursor.take(4)) != b"GGUF" or cursor.number("I") != 3:
        raise ModelError("this is no GGUF file of version 3")
    tensors, entries = cursor.number("Q"), cursor.number("Q")
    metadata = {cursor.text(): cursor.value(cursor.number("I")) for _ in range(entries)}
    table = []
    for _ in range(tensors):
        name, dimensions = cursor.text(), cursor.number("I")
        shape = tuple(cursor.number("Q") for _ in range(dimensions))[::-1]
        table.append((name, shape, cursor.number("I"), cursor.number("Q")))
    alignment = metadata.get("general.alignment", ALIGNMENT)
    start = cursor.at + -cursor.at % alignment
    arrays = {}
    for name, shape, kind, offset in table:
        cursor.at = start + offset
        arrays[name] = _array(cursor, name, shape, kind)
    return arrays, metadata


def _array(cursor: _Cursor, name: str, shape: tuple[int, ...], kind: int) -> np.ndarray:
    if kind not in PACKINGS:
        raise ModelError(f"the GGUF file packs {name} in an unknown way, type {kind}")
    packing = PACKINGS[kind]
    blocks = math.prod(shape) // packing.numbers
    packed = np.frombuffer(cursor.take(blocks * packing.bytes), np.uint8)
    return packing.unpack(packed.reshape(blocks, packing.bytes)).reshape(shape)
