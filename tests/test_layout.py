"""What a checkpoint holds by arithmetic is what training writes, and the largest one travels."""

import tomllib
from pathlib import Path

import pytest
from stores import each_tensor_counts

from explorer.runs import layout, zips
from explorer.spec import amended
from explorer.targets import parse
from explorer.training import train

SMALL = {"m_ff": 6, "n": 5, "d_v": 4, "batch": 2, "steps": 1}
KINDS = {
    "soap": {"target": "coupling", "tau": 4, **SMALL},
    "adam": {"target": "coupling", "tau": 4, "optimizer": "adam", "depth": 1, **SMALL},
    "positions": {"target": "coupling", "tau": 4, "positions": 2, **SMALL},
    "nearest": {"target": "nearest", **SMALL},
    "cog": {"target": "cog", "optimizer": "adam", **SMALL},
    "qsa": {"target": "qsa", "m_h": 1, **SMALL},
    "linear": {"target": "linear", "tau": 6, "conv": 3, **SMALL},
    "encoder": {"target": "number_words", "m_h": 2, **SMALL},
    "rnn": {"target": "linear", "tau": 6, "model": "rnn", "hidden": 7, "steps": 1},
}
LARGEST = {"m_ff": 1024, "depth": 6, "n": 256, "d_v": 256, "m_h": 64}


@pytest.fixture(scope="module", params=KINDS)
def trained(request):
    spec = parse(KINDS[request.param])
    return spec, next(iter(train(spec))).state()


def test_the_arithmetic_is_what_training_writes(trained):
    spec, state = trained
    found = {k: (str(v.dtype)[6:], tuple(v.shape)) for k, v in state.items() if k[:3] != "gen"}
    assert found == layout.full(spec)
    assert layout.problem(spec, state) is None
    assert sum(v.nbytes for v in state.values()) <= layout.largest(spec)


def test_every_tensor_counts(trained):
    """Whichever is missing, of another shape or of another type is named."""
    each_tensor_counts(*trained)


def test_parameters_alone_are_a_checkpoint_too(trained):
    spec, state = trained
    kept = {k: v for k, v in state.items() if k == "step" or k.startswith("weights.")}
    assert layout.problem(spec, kept) is None


@pytest.mark.parametrize("kind", ["soap", "positions", "nearest", "cog", "qsa", "linear"])
def test_the_largest_network_fits_into_an_archive(kind):
    spec = amended(parse(KINDS[kind]), optimizer="soap", **LARGEST)
    largest = layout.largest(spec)
    assert 250 * zips.MB < largest < zips.LIMITS["checkpoint.safetensors"]
    assert largest + 32 * zips.MB < zips.MAX_ARCHIVE <= zips.MAX_INFLATED


def test_the_server_takes_what_export_gives():
    file = Path(__file__).parents[1] / ".streamlit" / "config.toml"
    config = tomllib.loads(file.read_text("utf-8"))
    assert config["server"]["maxUploadSize"] * zips.MB == zips.MAX_ARCHIVE
