"""The binary format: round trip, a reader written anew from its description, hostile bytes."""

import json
import struct

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from explorer.runs.frames import FrameError, header_of, pack, unpack

ARRAYS = st.dictionaries(
    st.text(max_size=8),
    hnp.arrays(np.float32, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=5)),
    max_size=4,
)
NUMBERS = st.integers(-(10**14), 10**14) | st.floats(allow_nan=False, allow_infinity=False)
HEADERS = st.dictionaries(
    st.text(max_size=8).filter(lambda key: key != "arrays"),
    st.none() | NUMBERS | st.text(max_size=20),
    max_size=4,
)


@given(HEADERS, ARRAYS)
def test_round_trip(header, arrays):
    got_header, got = unpack(pack(header, arrays))
    assert got_header == header
    assert list(got) == list(arrays)
    for name, values in arrays.items():
        np.testing.assert_array_equal(got[name], values)
        assert got[name].dtype == np.float32


@given(HEADERS, ARRAYS)
def test_a_reader_written_from_the_description_agrees(header, arrays):
    data = pack(header, arrays)
    (length,) = struct.unpack_from("<I", data)
    start = 4 + length
    read = json.loads(data[4:start])
    assert start % 4 == 0 and (len(data) - start) % 4 == 0
    for name, shape, offset in read["arrays"]:
        count = int(np.prod(shape))
        floats = struct.unpack_from(f"<{count}f", data, start + 4 * offset)
        np.testing.assert_array_equal(np.float32(floats), arrays[name].ravel())


@given(HEADERS, ARRAYS, HEADERS, ARRAYS)
def test_a_picture_travels_behind_a_message_as_it_was_packed(header, arrays, other, pictures):
    picture = pack(other, pictures)
    data = pack(header, arrays, picture)
    got_header, got = unpack(data)
    assert got_header == header | {"picture_bytes": len(picture)} and list(got) == list(arrays)
    assert data[-len(picture) :] == picture and (len(data) - len(picture)) % 4 == 0


@given(HEADERS, ARRAYS)
def test_the_header_alone_is_that_of_the_frame(header, arrays):
    read = header_of(pack(header, arrays))
    assert [name for name, _, _ in read.pop("arrays")] == list(arrays) and read == header


def test_arrays_of_other_kinds_become_float32():
    _, arrays = unpack(pack({}, {"step": np.arange(3), "loss": np.array([0.1], ">f8")}))
    assert arrays["step"].tolist() == [0.0, 1.0, 2.0]
    assert arrays["loss"][0] == np.float32(0.1)


def test_arrays_are_read_only_views():
    _, arrays = unpack(pack({}, {"a": np.zeros(3)}))
    with pytest.raises(ValueError, match="read-only"):
        arrays["a"][0] = 1


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object()])
def test_a_header_that_is_not_json_is_refused(value):
    with pytest.raises(FrameError, match="JSON"):
        pack({"loss": value}, {})


def framed(text, floats=()):
    """A frame with this text as its header."""
    head = text.encode()
    head += b" " * (-len(head) % 4)
    return struct.pack("<I", len(head)) + head + np.array(floats, "<f4").tobytes()


HOSTILE = {
    "empty": b"",
    "length beyond the end": struct.pack("<I", 400) + b"{}  ",
    "length off the grid": struct.pack("<I", 3) + b"{} ",
    "not JSON": framed("{arrays}"),
    "not an object": framed("[]"),
    "deep": framed("[" * 100_000),
    "no arrays": framed("{}"),
    "NaN": framed('{"arrays": [], "loss": NaN}'),
    "overflow": framed('{"arrays": [], "loss": 1e999}'),
    "huge integer": framed('{"arrays": [], "loss": 1' + "0" * 400 + "}"),
    "too many arrays": framed(json.dumps({"arrays": [["a", [], 0]] * 65})),
    "past the end": framed('{"arrays": [["a", [2], 0]]}', [1.0]),
    "offset past the end": framed('{"arrays": [["a", [1], 1]]}', [1.0]),
    "negative shape": framed('{"arrays": [["a", [-1, -1], 0]]}', [1.0]),
    "negative offset": framed('{"arrays": [["a", [1], -1]]}', [1.0]),
    "size that overflows": framed('{"arrays": [["a", [65536, 65536, 65536, 65536], 0]]}', [1.0]),
    "size zero by overflow": framed('{"arrays": [["a", [9999999, 0, 9999999], 99]]}', [1.0]),
    "five axes": framed('{"arrays": [["a", [1, 1, 1, 1, 1], 0]]}', [1.0]),
    "boolean shape": framed('{"arrays": [["a", [true], 0]]}', [1.0]),
    "same name twice": framed('{"arrays": [["a", [1], 0], ["a", [1], 0]]}', [1.0]),
    "name is a number": framed('{"arrays": [[1, [1], 0]]}', [1.0]),
    "half a float": framed('{"arrays": []}') + b"\0\0",
    "too large": framed('{"arrays": []}', np.zeros(4_200_000)),
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_bytes_are_refused(data):
    with pytest.raises(FrameError):
        unpack(data)


@given(st.binary(max_size=200))
def test_any_bytes_give_a_frame_or_a_frame_error(data):
    try:
        header, arrays = unpack(data)
    except FrameError:
        return
    assert isinstance(header, dict) and isinstance(arrays, dict)


GOOD = pack({"step": 3}, {"a": np.arange(4), "b": np.zeros((2, 2))})


@given(st.integers(0, len(GOOD) - 1), st.integers(0, 255))
@example(0, 255)
@example(30, 53)  # a longer array overlaps the next one, and ends inside
def test_a_flipped_byte_never_reads_outside(position, byte):
    data = bytearray(GOOD)
    data[position] = byte
    try:
        _, arrays = unpack(bytes(data))
    except FrameError:
        return
    assert all(values.size <= 8 for values in arrays.values())
