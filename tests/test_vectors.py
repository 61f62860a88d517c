"""What the tests beside the browser's modules compare with is what Python computes today."""

import json
import math

import pytest
from write_vectors import FOLDER, VECTORS, dumped


def leaves(value, path=()):
    """Every number and text in it, by the way there."""
    if not isinstance(value, (dict, list)):
        return {path: value}
    parts = value.items() if isinstance(value, dict) else enumerate(value)
    return {at: leaf for key, each in parts for at, leaf in leaves(each, (*path, key)).items()}


def alike(one, other):
    """The last digits of a number are the machine's own."""
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
    return one == other


@pytest.mark.parametrize("name", VECTORS)
def test_the_vectors_are_fresh(name):
    """If not: PYTHONPATH=. python tests/write_vectors.py."""
    written = leaves(json.loads((FOLDER / f"{name}.json").read_text("utf-8")))
    now = leaves(json.loads(dumped(name)))
    assert written.keys() == now.keys()
    assert not [at for at, leaf in now.items() if not alike(leaf, written[at])]


def test_there_are_vectors_of_these_names_alone():
    assert {file.stem for file in FOLDER.iterdir()} == {*VECTORS}
