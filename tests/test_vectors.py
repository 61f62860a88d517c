"""What the tests beside the browser's modules compare with is what Python computes today."""

import json

import pytest
from write_vectors import FOLDER, VECTORS, dumped


def leaves(value, path=()):
    """Every number and text in it, by the way there."""
    if not isinstance(value, (dict, list)):
        return {path: value}
    parts = value.items() if isinstance(value, dict) else enumerate(value)
    return {at: leaf for key, each in parts for at, leaf in leaves(each, (*path, key)).items()}


@pytest.mark.parametrize("name", VECTORS)
def test_the_vectors_are_fresh(name):
    """If not: PYTHONPATH=. python tests/write_vectors.py. The last digits are the machine's own."""
    written = leaves(json.loads((FOLDER / f"{name}.json").read_text("utf-8")))
    assert written == pytest.approx(leaves(json.loads(dumped(name))), rel=1e-9, abs=1e-12)


def test_there_are_vectors_of_these_names_alone():
    assert {file.stem for file in FOLDER.iterdir()} == {*VECTORS}
