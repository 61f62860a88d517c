"""Zips that are whole but wrong: refused at the door, or harmless in every page and command.

Each is a good zip of some kind of target with one to three things in it changed, its hashes made
right again: nothing but the content can give it away.
"""

import json
import random
import struct
from pathlib import Path

import numpy as np
import pytest
from commands import on_streams
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors
from streamlit_pages import opened

from explorer.runs import archive, frames, zips
from explorer.runs.archive import ArchiveError
from explorer.runs.store import Store
from explorer.targets import parse

ASSETS = Path(__file__).resolve().parents[1] / "assets"
KINDS = (
    "train",
    "design",
    "attention-nearest",
    "attention-cog",
    "attention-qsa",
    "order-rnn",
    "order-transformer-block",
    "order-filter-conv",
    "order-coupling",
)
PAGE = {"coupling": "train", "attention": "attention", "order": "order"}
VALUES = (
    None,
    True,
    -5,
    -5.0,
    0,
    0.0,
    1,
    7,
    0.5,
    1e308,
    -1e308,
    1e-320,
    2**40,
    "",
    "<b>",
    "x" * 600,
    "u.__class__ +",
    "v*sqrt(0.99 - u)",
    "![x](http://x.example)",
    "../../x",
    [],
    [0.5],
    {},
    "nan",
    "=1+1",
    "\x00",
    "\ud800",
)


def kind_of(dice):
    """The members of a good zip."""
    members = zips.unpack(ASSETS / f"{dice.choice(KINDS)}.zip")
    del members["manifest.json"]
    return members


def in_json(name, key=None):
    """Another value for a field of a member, or of what it holds under `key`."""

    def change(members, dice):
        values = json.loads(members[name])
        inside = values if key is None else values.get(key)
        if not isinstance(inside, dict) or not inside:  # or what was put there before
            return
        field = dice.choice([*inside, "more"])
        if dice.random() < 0.2:
            inside.pop(field, None)
        else:
            inside[field] = dice.choice(VALUES)
        members[name] = json.dumps(values).encode()

    return change


def frame_of(members, dice):
    name = dice.choice([name for name in members if name.startswith("snapshots/")])
    return name, *frames.unpack(members[name])


def in_header(members, dice):
    name, header, arrays = frame_of(members, dice)
    header[dice.choice([*header, "more"])] = dice.choice(VALUES)
    members[name] = packed(header, arrays)


def packed(header, arrays):
    """As `frames.pack`, which would refuse some of these."""
    try:
        return frames.pack(header, arrays)
    except (frames.FrameError, UnicodeError):
        text = json.dumps({**header, "arrays": []}).encode()
        text += b" " * (-len(text) % 4)
        return struct.pack("<I", len(text)) + text


def other(values, dice):
    """An array with other numbers, another shape or another type."""
    made = np.array(values)
    extremes = [0, 1, 100, -1.0, -1e30, 1e30, 3e38, 1e-38] if made.dtype.kind == "f" else [0, 1, 9]
    return dice.choice(
        [
            lambda: made.reshape(-1)[: dice.randint(0, made.size)],
            lambda: np.full_like(made, dice.choice(extremes)),
            lambda: np.full_like(made, dice.choice(extremes)),
            lambda: made.astype(np.float64),
            lambda: made[None],
            lambda: made.T.copy(),
        ]
    )()


def in_arrays(members, dice):
    name, header, arrays = frame_of(members, dice)
    which = dice.choice([*arrays])
    if dice.random() < 0.15:
        arrays["renamed"] = arrays.pop(which)
    else:
        arrays[which] = other(arrays[which], dice)
    members[name] = packed(header, arrays)


def in_tensors(members, dice):
    if "checkpoint.safetensors" not in members:
        return
    tensors = load_tensors(members["checkpoint.safetensors"])
    which = dice.choice([*tensors])
    if dice.random() < 0.15:
        tensors["renamed"] = tensors.pop(which)
    else:
        tensors[which] = other(tensors[which], dice)
    members["checkpoint.safetensors"] = save_tensors(tensors)


def in_history(members, dice):
    lines = members["history.csv"].decode().splitlines()
    place = dice.randrange(len(lines))
    lines[place] = dice.choice(["", "1,1", "x,y", "3,-1", "3,1e400", "9,nan", "1,0", "=1,2"])
    members["history.csv"] = "\n".join(lines).encode()


CHANGES = (
    in_json("run.json"),
    in_json("run.json", "metrics"),
    in_json("run.json", "versions"),
    in_json("spec.json"),
    in_header,
    in_arrays,
    in_tensors,
    in_history,
)


def poisoned(seed):
    """A zip, always the same one of a seed."""
    dice = random.Random(seed)
    members = kind_of(dice)
    for change in dice.choices(CHANGES, k=dice.randint(1, 3)):
        change(members, dice)
    return zips.pack(members)


def assert_harmless(seed, monkeypatch):
    """Refused, or every page and command that meets it works; True where it was taken."""
    store = Store()
    try:
        run = archive.import_(store, poisoned(seed))
    except ArchiveError as error:
        assert "Traceback" not in str(error) and len(str(error)) < 700
        return False
    row = store.get(run)
    for page, query in (
        (PAGE[row.spec.topic], {"run": run}),
        ("runs", {"runs": run}),
        ("design", {}),
    ):
        at = opened(page, **query)
        assert not at.exception, (seed, page, at.exception[0].value)
    for words in (["list"], ["list", "--json"], ["show", run], ["export", run, "--out", "f.zip"]):
        code, _, err = on_streams(["runs", *words], monkeypatch)
        assert code == 0 and "Traceback" not in err, (seed, words, err)
    assert archive.read(Path("f.zip")).row.run.startswith(row.spec_id)
    store.delete(run)
    return True


@pytest.fixture
def place(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    return monkeypatch


@pytest.mark.parametrize("name", KINDS)
def test_the_good_ones_are_taken(name, place):
    store = Store()
    run = archive.import_(store, ASSETS / f"{name}.zip")
    assert store.get(run).claimed
    archive.import_(store, archive.export(store, run))


def test_some_poisoned_zips(place):
    taken = [assert_harmless(seed, place) for seed in range(12)]
    assert any(taken) and not all(taken)


@pytest.mark.slow
@pytest.mark.parametrize("lane", range(20))
def test_very_many_poisoned_zips(place, lane):
    for seed in range(1000 + 50 * lane, 1000 + 50 * (lane + 1)):
        assert_harmless(seed, place)


def test_a_field_of_every_specification_is_read_strictly():
    """No value of another type slips into a specification by its JSON."""
    for name in KINDS:
        values = json.loads(zips.unpack(ASSETS / f"{name}.zip")["spec.json"])
        read = parse(json.dumps(values)).model_dump(mode="json")
        assert values.items() <= read.items(), "fields that are younger have their defaults"
