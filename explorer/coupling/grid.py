"""Couplings given as samples: reading .npy and .csv, and bilinear interpolation between cells.

Entry (i, j) of an (N, M) grid is ρ at the cell centre u = (i+½)/N, v = (j+½)/M.
"""

import io
import math
import re
from collections.abc import Callable
from functools import partial

import numpy as np

from explorer.arrays import Array, constant, namespace

MAX_BYTES = 20_000_000
SMALLEST, LARGEST = 2, 512  # rows, and columns
CELLS = {2: 22, 3: 8}
"""Along each axis, at most, of tokens with d numbers: LARGEST points."""
MAX_VALUE = 1e6
MAX_ROWS = LARGEST**2 + 1  # of text: a table of u, v and ρ with its header
MAX_CELLS = 3 * MAX_ROWS
LINE = re.compile("[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")
"""What `str.splitlines` parts, one at a time."""
CELL = re.compile(r"\S+")


class GridError(ValueError):
    """A file that is refused as a grid; the message says what is allowed."""


def parse_grid(data: bytes, filename: str) -> np.ndarray:
    """The samples in a .npy or .csv file: (N, M) float64, rows u, columns v.

    2 to 512 rows and columns of finite real numbers, |ρ| ≤ 1e6. Nothing in the file is executed,
    and its size is checked before memory is taken. Raises GridError.
    """
    if len(data) > MAX_BYTES:
        raise GridError("the file has more than the 20 MB that are allowed")
    suffix = filename.lower().rpartition(".")[2]
    if suffix not in ("npy", "csv"):
        raise GridError(f"{filename[-60:]!r}: allowed are .npy and .csv files")
    return check_grid(_npy(data, "grid") if suffix == "npy" else samples(cells(data)))


def parse_cells(data: bytes, filename: str, d: int) -> np.ndarray:
    """The samples of tokens with d numbers, (k^d, k^d) float64, a row for each u, a column for each
    v, the last number fastest: such a matrix, as `parse_grid` reads it, or a .npy file of 2d axes,
    those of u first. Raises GridError."""
    suffix = filename.lower().rpartition(".")[2]
    if suffix == "npy" and len(data) <= MAX_BYTES and len(_npy_header(data)[0]) != 2:
        values = _npy(data, "grid", lambda shape, _: _check_cells(shape, d))
        points = len(values) ** d
        return check_grid(values.reshape(points, points))
    return cells_of(parse_grid(data, filename), d)


def cells_of(values: np.ndarray, d: int) -> np.ndarray:
    """A grid, if it has (k^d, k^d) values; raises GridError."""
    side = round(len(values) ** (1 / d))
    if values.shape != (side**d, side**d) or side < SMALLEST:
        raise GridError(
            f"the grid has {' × '.join(map(str, values.shape))} values; for tokens of {d} numbers "
            f"k^{d} × k^{d} are needed, k from {SMALLEST} to {CELLS[d]}: a row for each u, a "
            "column for each v, the last number fastest"
        )
    return values


def _check_cells(shape: tuple[int, ...], d: int) -> None:
    if len(shape) != 2 * d or len({*shape}) != 1 or not SMALLEST <= shape[0] <= CELLS[d]:
        raise GridError(
            f"the grid has shape {' × '.join(map(str, shape)) or 'of a single number'}; for tokens "
            f"of {d} numbers {2 * d} axes of the same 2 to {CELLS[d]} cells are allowed, or their "
            "matrix"
        )


def read_grid(data: bytes, suffix: str, what: str = "grid") -> np.ndarray:
    """The matrix of a .npy or .csv file, its values not looked at; `what` is what refusals call
    it. Raises GridError."""
    return _npy(data, what) if suffix == "npy" else table(cells(data), what)


def check_grid(values: np.ndarray) -> np.ndarray:
    """The values as float64, if they are an allowed grid; raises GridError."""
    values = np.asarray(values)
    if values.dtype.kind not in "fiu":
        raise GridError(f"the grid holds {values.dtype}; real numbers are allowed")
    _check_shape(values.shape)
    values = values.astype(np.float64)
    with np.errstate(invalid="ignore"):
        bad = np.argwhere(~(np.abs(values) <= MAX_VALUE))
    if len(bad):
        i, j = bad[0]
        raise GridError(
            f"row {i + 1}, column {j + 1} is {values[i, j]:g}; "
            f"finite values up to {MAX_VALUE:g} in size are allowed"
        )
    return values


def bilinear(values: Array, u: Array, v: Array) -> Array:
    """Between samples (N, M) at cell centres: u (…, a), v (…, b) → (…, a, b)."""
    i, p = _cell(u[..., :, None], values.shape[0])
    j, q = _cell(v[..., None, :], values.shape[1])
    lower = (1 - q) * values[i, j] + q * values[i, j + 1]
    upper = (1 - q) * values[i + 1, j] + q * values[i + 1, j + 1]
    return (1 - p) * lower + p * upper


def hat(x: Array, cells: int) -> Array:
    """The hat functions whose products `bilinear` adds up: (…,) → (…, cells); rows sum to 1."""
    xp = namespace(x)
    i, p = _cell(x[..., None], cells)
    distance = xp.abs(xp.astype(i, x.dtype) + p - constant(np.arange(cells), x))
    return xp.clip(1 - distance, 0, 1)


def _cell(x: Array, cells: int) -> tuple[Array, Array]:
    """Index of the centre at or below x, and the way to the next, 0 to 1; ends are held."""
    xp = namespace(x)
    place = xp.clip(x * cells - 0.5, 0, cells - 1)
    index = xp.clip(xp.floor(place), 0, cells - 2)
    return xp.astype(index, xp.int64), place - index


def _check_shape(shape: tuple[int, ...], what: str = "grid") -> None:
    if len(shape) != 2 or not all(SMALLEST <= size <= LARGEST for size in shape):
        raise GridError(
            f"the {what} has shape {' × '.join(map(str, shape)) or 'of a single number'}; "
            f"allowed are {SMALLEST} to {LARGEST} rows by {SMALLEST} to {LARGEST} columns"
        )


def _npy(
    data: bytes, what: str, check: Callable[[tuple[int, ...], str], None] = _check_shape
) -> np.ndarray:
    """An array of a .npy file, its header checked before its data are read."""
    shape, fortran, dtype, start = _npy_header(data)
    if dtype.hasobject or dtype.kind not in "fiu":
        raise GridError(f"the .npy file holds {dtype}; real numbers are allowed, objects never")
    check(shape, what)
    expected = math.prod(shape) * dtype.itemsize
    if len(data) - start != expected:
        raise GridError(
            f"the .npy file holds {len(data) - start} bytes of data, its header says {expected}"
        )
    flat = np.frombuffer(data, dtype=dtype, offset=start)
    return flat.reshape(shape, order="F" if fortran else "C")


def _npy_header(data: bytes) -> tuple[tuple[int, ...], bool, np.dtype, int]:
    """Shape, Fortran order, dtype and where the data begin."""
    file = io.BytesIO(data)
    try:
        version = np.lib.format.read_magic(file)
        if version == (1, 0):
            header = np.lib.format.read_array_header_1_0(file)
        elif version == (2, 0):
            header = np.lib.format.read_array_header_2_0(file)
        else:  # (3, 0) exists for structured arrays only
            raise ValueError(f"version {version}")
    except Exception as error:  # a broken header makes numpy raise errors of many kinds
        raise GridError("this is not a .npy file of plain numbers") from error
    return *header, file.tell()


def cells(data: bytes) -> list[list[str]]:
    """Rows of numbers as they are written, separated by commas, semicolons (then a comma may be
    decimal) or spaces; counted before each takes memory. Raises GridError."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise GridError("the .csv file is not UTF-8 text") from None
    lines = _lines(text)
    separator = next((each for each in ";," if any(each in line for line in lines)), None)
    if (count := sum(_count(line, separator) for line in lines)) > MAX_CELLS:
        raise GridError(f"the .csv file has {count} numbers; at most {MAX_CELLS} are read")
    if separator == ";":
        lines = [line.replace(",", ".") for line in lines]
    return [line.split(separator) for line in lines]


def _lines(text: str) -> list[str]:
    """Those that are not blank and no comment."""
    lines: list[str] = []
    for line in (match[0] for match in LINE.finditer(text)):
        if line.strip() and line.lstrip()[0] != "#":
            lines.append(line)
        if len(lines) > MAX_ROWS:
            raise GridError(f"the .csv file has more than {MAX_ROWS} rows")
    return lines


def _count(line: str, separator: str | None) -> int:
    """How many cells a line has; None separates by spaces."""
    return line.count(separator) + 1 if separator else sum(1 for _ in CELL.finditer(line))


def samples(rows: list[list[str]]) -> np.ndarray:
    """Samples as written: a matrix, or a table of u, v and ρ; raises GridError."""
    if len(rows[0] if rows else ()) == 3 and (len(rows) > LARGEST or _names(rows[0])):
        return _long_table(rows[_names(rows[0]) :])
    if len(rows) > LARGEST:
        raise GridError(
            f"the .csv file has {len(rows)} rows; at most {LARGEST} are allowed: a matrix, a row "
            "for each u, a column for each v"
        )
    return table(rows)


def _names(row: list[str]) -> bool:
    """Whether a row of three names columns."""
    return [cell.strip().strip('"').lower() for cell in row[:2]] in (["u", "v"], ["x", "y"])


def _long_table(rows: list[list[str]]) -> np.ndarray:
    """A table of u, v and ρ as samples at cell centres, linear between its own places; raises
    GridError where it has not one ρ for each u and v."""
    if len(rows) > LARGEST**2:
        raise GridError(f"the table has {len(rows)} rows; at most {LARGEST**2} are allowed")
    numbers = [[_number(cell, i, j) for j, cell in enumerate(row)] for i, row in enumerate(rows)]
    if any(len(row) != 3 for row in numbers):
        raise GridError("this looks like a table u, v, ρ, but a row has not three values")
    return _from_places(*np.array(numbers).T)


def _from_places(u: np.ndarray, v: np.ndarray, rho: np.ndarray) -> np.ndarray:
    """Samples at cell centres from ρ at places u, v that form a grid."""
    places = [np.unique(side) for side in (u, v)]
    shape = tuple(len(side) for side in places)
    if len(rho) != math.prod(shape) or np.unique([u, v], axis=1).shape[1] != len(rho):
        raise GridError(
            "this looks like a table u, v, ρ, which lacks some of its places: a ρ is needed for "
            f"each of {shape[0]} u with each of {shape[1]} v; or give a matrix, a row for each u, "
            "a column for each v"
        )
    _check_shape(shape)
    if not all(side[0] >= 0 and side[-1] <= 1 for side in places):
        raise GridError("this looks like a table u, v, ρ: u and v must lie between 0 and 1")
    values = rho[np.lexsort((v, u))].reshape(shape)
    for axis, side in enumerate(places):
        values = np.apply_along_axis(partial(_at_centres, side), axis, values)
    return values


def _at_centres(places: np.ndarray, line: np.ndarray) -> np.ndarray:
    """Values at ascending places at as many cell centres, constant beyond the outermost."""
    return np.interp((np.arange(len(places)) + 0.5) / len(places), places, line)


def table(rows: list[list[str]], what: str = "grid") -> np.ndarray:
    """Written numbers as a matrix; raises GridError."""
    if rows and rows[0]:
        _number(rows[0][0], 0, 0)  # words are not said to have a shape
    _check_shape((len(rows), len(rows[0]) if rows else 0), what)
    values = np.empty((len(rows), len(rows[0])))
    for i, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise GridError(f"row {i + 1} has {len(row)} values, row 1 has {len(rows[0])}")
        for j, cell in enumerate(row):
            values[i, j] = _number(cell, i, j)
    return values


def _number(cell: str, i: int, j: int) -> float:
    try:
        if "_" in cell:
            raise ValueError(cell)  # Python would read 1_0 as ten
        return float(cell)
    except ValueError:
        shown = cell.strip()[:30]
        raise GridError(f"row {i + 1}, column {j + 1}: {shown!r} is not a number") from None
