"""Each call to the system fails once, and each write ends short once, under a store at work, as
SQLite tests itself.

Who acts is told, or has what was asked for. The store opens afterwards, whole, and doing it again
gives what an undisturbed process gives. All n in the lane of the campaigns, a few of them always.
"""

import os
import random
import shutil

import pytest
from acts import ACTS as KILLED
from faults import Broken, Faults, Short
from kills import SAID, in_a_child

from explorer.runs.database import StoreError
from explorer.runs.store import Store

pytestmark = [
    pytest.mark.usefixtures("one_thread"),
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
]

ACTS = ("training", "import", "delete", "export", "grid", "creation", "migration")
KINDS = {"full": Faults, "broken": Broken, "short": Short}
FEW = 4


def is_said(folder):
    """Whether a run that was not trained says why."""
    rows = Store(folder / "home").list()
    return any(row.status == "failed" and row.message for row in rows)


def is_done(name, act, folder):
    """Whether what was asked for is there, of an act that told nothing."""
    store = Store(folder / "home") if name != "export" else None
    return {
        "training": lambda: store.list()[0].status == "finished" or is_said(folder),
        "import": lambda: len(store.list()) == 1,
        "delete": lambda: store.get(act.run) is None,
        "export": lambda: (folder / "run.zip").read_bytes() == act.data,
        "grid": lambda: len([*(folder / "home" / "grids").glob("*.npy")]) == 1,
        "creation": lambda: [row.n for row in store.list()] == [1],
        "migration": lambda: [row.n for row in store.list()] == [8],
    }[name]()


def failed_at(tmp_path, name, kind, wanted):
    """Let a child act on a copy while each of the wanted calls fails; how many calls there were,
    and how often it was told."""
    act, told = KILLED[name](), 0
    original = tmp_path / "original"
    original.mkdir()
    act.prepare(original)
    shutil.copytree(original, tmp_path / "counted")
    code, count = in_a_child(act.act, tmp_path / "counted", None, KINDS[kind])
    assert code == 0 and count > 0
    for at in wanted(count):
        folder = tmp_path / f"failed-{at}"
        shutil.copytree(original, folder)
        code, _ = in_a_child(act.act, folder, at, KINDS[kind], StoreError)
        assert code in (0, SAID), f"call {at} of {count}"
        told += code == SAID
        assert code == SAID or is_done(name, act, folder), f"call {at} of {count}"
        act.check(folder)
        shutil.rmtree(folder)
    return count, told


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ACTS)
def test_a_few_faults(tmp_path, name, kind):
    seed = random.Random(name + kind)
    failed_at(tmp_path, name, kind, lambda count: seed.sample(range(1, count + 1), min(FEW, count)))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ACTS)
def test_every_fault(tmp_path, name, kind):
    count, told = failed_at(tmp_path, name, kind, lambda count: range(1, count + 1))
    print(f"{name}, {kind}: told {told} times of {count}")
    assert kind != "short" or told == 0, "a write that ends short is written on"
