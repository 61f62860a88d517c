"""Samples: what files are read, what is refused, and bilinear interpolation."""

import io
import pickle
import tracemalloc

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import RegularGridInterpolator

from explorer.coupling.couplings import Factored, Samples
from explorer.coupling.grid import GridError, bilinear, hat, parse_grid
from explorer.pages.design.controls import file_of

GRID = np.random.default_rng(0).normal(size=(5, 7))
HIT = GRID[1, 2]  # the value that is spoilt


def npy(array, **options):
    file = io.BytesIO()
    np.save(file, array, **options)
    return file.getvalue()


def npy_header(text):
    """A .npy file with any header text."""
    header = text.encode().ljust(118) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header


@pytest.mark.parametrize(
    "array",
    [
        GRID,
        np.asfortranarray(GRID),
        GRID.astype(">f4"),
        GRID[::2, ::-1],
        np.arange(6).reshape(2, 3),
        GRID.astype(np.longdouble),
        np.eye(512, dtype=np.uint8),
    ],
)
def test_npy_round_trip(array):
    loaded = parse_grid(npy(array), "Samples.NPY")
    assert loaded.dtype == np.float64 and np.array_equal(loaded, array.astype(np.float64))


@pytest.mark.parametrize(
    "text",
    [
        "1,2.5\n-3e-1,4\n",
        "1;2,5\r\n-0,3;4",
        "1 2.5\n-.3\t4",
        "# u rows\n\n 1, 2.5\n-.3 ,4\n\n",
        "\ufeff1,2.5\n-0.3,4",
    ],
)
def test_csv(text):
    assert parse_grid(text.encode(), "a.csv").tolist() == [[1, 2.5], [-0.3, 4]]


class Bomb:
    def __reduce__(self):
        return (pytest.fail, ("the file was executed",))


REFUSED = {
    "pickled objects": (npy(np.array([[Bomb(), 1], [2, 3]], dtype=object)), "a.npy", "objects"),
    "a pickle": (pickle.dumps(Bomb()), "a.npy", "not a .npy"),
    "structured": (npy(np.zeros((3, 3), dtype=[("a", "f8")])), "a.npy", "real numbers"),
    "complex": (npy(GRID * 1j), "a.npy", "real numbers"),
    "boolean": (npy(GRID > 0), "a.npy", "real numbers"),
    "text": (npy(GRID.astype(str)), "a.npy", "real numbers"),
    "dates": (npy(np.zeros((3, 3), "M8[s]")), "a.npy", "real numbers"),
    "one axis": (npy(np.ones(9)), "a.npy", "2 to 512 rows"),
    "no axis": (npy(np.ones(())), "a.npy", "2 to 512 rows"),
    "three axes": (npy(np.ones((3, 3, 3))), "a.npy", "2 to 512 rows"),
    "one row": (npy(np.ones((1, 9))), "a.npy", "1 × 9"),
    "too many rows": (npy(np.ones((513, 2))), "a.npy", "513 × 2"),
    "nan": (npy(np.where(GRID == HIT, np.nan, GRID)), "a.npy", "row 2, column 3"),
    "inf": (npy(np.where(GRID == HIT, -np.inf, GRID)), "a.npy", "row 2, column 3"),
    "too large": (npy(GRID * 1e7), "a.npy", "up to 1e\\+06"),
    "cut off": (npy(GRID)[:-1], "a.npy", "header says 280"),
    "more behind": (npy(GRID) + b"x", "a.npy", "header says 280"),
    "huge by its header": (
        npy_header("{'descr': '<f8', 'fortran_order': False, 'shape': (10**9, 10**9)}"),
        "a.npy",
        "not a .npy",
    ),
    "huge number by its header": (
        npy_header("{'descr': '<f8', 'fortran_order': False, 'shape': (999999999, 999999999)}"),
        "a.npy",
        "2 to 512",
    ),
    "negative": (
        npy_header("{'descr': '<f8', 'fortran_order': False, 'shape': (-4, -4)}"),
        "a.npy",
        "2 to",
    ),
    "code in the header": (npy_header("__import__('os')"), "a.npy", "not a .npy"),
    "nested header": (npy_header("(" * 110), "a.npy", "not a .npy"),
    "empty npy": (b"", "a.npy", "not a .npy"),
    "a zip": (b"PK\x03\x04" + bytes(100), "a.npy", "not a .npy"),
    "version 3": (b"\x93NUMPY\x03\x00" + npy(GRID)[8:], "a.npy", "not a .npy"),
    "other files": (b"1,2\n3,4", "a.xlsx", "allowed are .npy and .csv"),
    "no suffix": (b"1,2\n3,4", "csv.", "allowed are .npy and .csv"),
    "20 MB": (bytes(20_000_001), "a.csv", "20 MB"),
    "empty csv": (b"", "a.csv", "2 to 512"),
    "a header line": (b"a,b\n1,2\n3,4", "a.csv", "row 1, column 1: 'a' is not a number"),
    "ragged": (b"1,2\n3,4\n5", "a.csv", "row 3 has 1 values, row 1 has 2"),
    "a digit apart": (b"1,2\n3,1_0", "a.csv", "row 2, column 2: '1_0' is not a number"),
    "missing": (b"1,2\n3,", "a.csv", "row 2, column 2: ''"),
    "csv nan": (b"1,2\n3,nan", "a.csv", "row 2, column 2"),
    "latin": ("1,2\n3,4 #é".encode("latin-1"), "a.csv", "UTF-8"),
    "many lines": (b"1\n" * 10_000, "a.csv", "10000 rows"),
    "wide": (b",".join([b"1"] * 513) + b"\n" + b",".join([b"1"] * 513), "a.csv", "2 × 513"),
}


@pytest.mark.parametrize(("data", "name", "why"), REFUSED.values(), ids=REFUSED)
def test_refused(data, name, why):
    with pytest.raises(GridError, match=why):
        parse_grid(data, name)


@pytest.mark.parametrize(
    ("row", "why"),
    [("10\n", "more than 262145 rows"), ("10,", "numbers; at most"), ("1 ", "numbers; at most")],
)
def test_of_a_long_text_no_cell_takes_memory_before_all_are_counted(row, why):
    """6.6 million rows of one cell took 1.6 GB."""
    data = (row * (19_900_000 // len(row))).encode()
    tracemalloc.start()
    try:
        with pytest.raises(GridError, match=why):
            parse_grid(data, "a.csv")
        assert tracemalloc.get_traced_memory()[1] < 5 * len(data)
    finally:
        tracemalloc.stop()


@given(st.binary(max_size=200), st.sampled_from(["a.npy", "a.csv"]))
def test_any_bytes_are_read_or_refused(data, name):
    for attempt in (data, b"\x93NUMPY\x01\x00" + data):
        try:
            grid = parse_grid(attempt, name)
        except GridError:
            continue
        assert grid.ndim == 2 and np.isfinite(grid).all()


def test_bilinear_against_scipy():
    """Second implementation, between the outermost centres; constant beyond them."""
    centres = [(np.arange(size) + 0.5) / size for size in GRID.shape]
    u, v = np.linspace(0, 1, 31), np.linspace(0, 1, 29)
    held = (np.clip(x, c[0], c[-1]) for x, c in zip((u, v), centres, strict=True))
    points = np.stack(np.meshgrid(*held, indexing="ij"), axis=-1)
    expected = RegularGridInterpolator(centres, GRID)(points)
    assert np.allclose(bilinear(GRID, u, v), expected, rtol=0, atol=1e-14)


def test_samples_come_back_at_cell_centres():
    u, v = ((np.arange(size) + 0.5) / size for size in GRID.shape)
    assert np.allclose(Samples(GRID).matrix(u, v), GRID, rtol=0, atol=1e-14)


def test_factors_and_the_four_samples_around_a_point_agree():
    u, v = np.linspace(0, 1, 31), np.linspace(0, 1, 29)
    by_factors = Factored.matrix(Samples(GRID), u, v)
    assert np.allclose(by_factors, Samples(GRID).matrix(u, v), rtol=0, atol=1e-14)


@given(st.integers(2, 40), st.floats(0, 1))
def test_hats_are_a_partition_of_unity(cells, x):
    weights = hat(np.array([x]), cells)[0]
    assert weights.min() >= 0 and weights.sum() == pytest.approx(1, abs=1e-13)
    assert (weights > 0).sum() <= 2


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_torch_equals_numpy_and_batches(dtype):
    x = np.random.default_rng(1).random((2, 3, 4))
    expected = np.stack([[bilinear(GRID, row, row) for row in block] for block in x])
    found = Samples(GRID).matrix(*[torch.as_tensor(x, dtype=dtype)] * 2)
    assert found.dtype == dtype and found.shape == (2, 3, 4, 4)
    tolerance = 1e-13 if dtype == torch.float64 else 1e-5
    assert np.allclose(found.numpy(), expected, rtol=0, atol=tolerance)


def test_samples_check_their_values():
    with pytest.raises(GridError, match="2 to 512"):
        Samples(np.ones((1, 4)))
    with pytest.raises(GridError, match="real numbers"):
        Samples(np.full((4, 4), "u"))


def test_a_dropped_file_is_read_and_what_is_none_is_passed_over():
    assert file_of({"name": "a" * 300 + ".csv", "data": "MSwy"}) == (b"1,2", "a" * 251 + ".csv")
    assert file_of({"name": "\ud800.csv", "data": "MSwy"}) == (b"1,2", "?.csv")
    for said in (
        None,
        "MSwy",
        [],
        {"data": "MSwy"},
        {"name": "a", "data": "?"},
        {"name": "a", "data": 3},
    ):
        assert file_of(said) is None
