"""A sweep that is killed goes on from the checkpoints of its units, to the same rows."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from explorer.runs import checkpoints, maintenance, resumable, sweep_rows, sweeps
from explorer.runs.store import Store
from explorer.spec import amended, full_json, spec_id
from explorer.targets import parse_sweep

pytestmark = pytest.mark.usefixtures("one_thread")

ROOT = Path(__file__).resolve().parent.parent
SMALL = {"tau": 4, "n": 8, "d_v": 8, "m_ff": 16, "batch": 8, "warmup": 5, "steps": 24}
COUPLING = parse_sweep(SMALL | {"m_h": [1, 3], "rank": [2], "seed": [0, 1]})
SWEEPS = {
    "soap": COUPLING,
    "adam": amended(COUPLING, optimizer="adam"),
    "top down": amended(COUPLING, method="top_down", fine_tune=12),
    "nearest": parse_sweep(
        {"target": "nearest", "tau": 4, "n": 8, "m_ff": 16, "batch": 8, "steps": 24, "m_h": [1, 2]}
    ),
    "rnn": parse_sweep(
        {"target": "linear", "model": "rnn", "tau": 4, "steps": 24, "hidden": [2, 4]}
    ),
}


class Cut(Exception):
    """What ends a process here."""


def without_time(rows):
    return [{name: value for name, value in row.items() if name != "seconds"} for row in rows]


def cut_at(step_of_life):
    """An on_step that ends the process at so many steps after its start."""
    steps = []

    def heard(*_):
        steps.append(1)
        if len(steps) == step_of_life:
            raise Cut

    return heard


@pytest.fixture
def checkpoints_at_every_step(monkeypatch):
    monkeypatch.setattr(resumable, "CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr(resumable, "CHECKPOINT_SHARE", float("inf"))


def files_of(store):
    return sorted(path for path in (store.home / "sweeps").rglob("*"))


@pytest.mark.usefixtures("checkpoints_at_every_step")
@pytest.mark.parametrize("sweep", SWEEPS.values(), ids=SWEEPS)
@pytest.mark.parametrize("life", [3, 11])
def test_cut_again_and_again_a_sweep_ends_with_the_same_rows(tmp_path, sweep, life):
    """At every third step, and between others: a life is one step ahead of its checkpoint."""
    whole = sweeps.run(Store(tmp_path / "whole"), sweep)
    store, lives = Store(tmp_path / "cut"), 0
    while lives < 200:
        try:
            rows = sweeps.run(store, sweep, on_step=cut_at(life))
            break
        except Cut:
            lives += 1
    total = sum((36 if unit.method == "top_down" else 24) for unit in sweeps.units(sweep))
    assert total // life <= lives <= total // (life - 1) + 1, "each life got further"
    assert without_time(rows) == without_time(whole) and files_of(store) == []


def test_without_a_checkpoint_the_same_cuts_never_end(tmp_path):
    """What the test above would see if nothing were kept: the negative control."""
    store = Store(tmp_path)
    for _ in range(8):
        with pytest.raises(Cut):
            sweeps.run(store, COUPLING, on_step=cut_at(11))
    assert sweep_rows.read(store, spec_id(COUPLING)) == {}


@pytest.mark.usefixtures("checkpoints_at_every_step")
def test_the_time_at_work_adds_up(tmp_path):
    folder, text = tmp_path / "unit", sweeps.units(COUPLING)[0].text()
    with pytest.raises(Cut):
        sweeps.train_unit(text, on_step=cut_at(20), folder=folder)
    state, carry = checkpoints.newest(folder)
    assert int(state["step"]) == 19
    rows = sweeps.train_unit(text, folder=folder)
    assert sum(row["seconds"] for row in rows) > float(carry["seconds"]) > 0


@pytest.mark.usefixtures("checkpoints_at_every_step")
@pytest.mark.parametrize("damage", ["the last file", "both files", "another version"])
def test_what_cannot_be_taken_up_costs_time_and_nothing_else(tmp_path, damage):
    folder, text = tmp_path / "unit", sweeps.units(COUPLING)[0].text()
    whole = sweeps.train_unit(text)
    with pytest.raises(Cut):
        sweeps.train_unit(text, on_step=cut_at(10), folder=folder)
    first, last = sorted(folder.iterdir())
    if damage == "another version":
        state, carry = checkpoints.read(last)
        checkpoints.write(folder, {"step": state["step"]}, carry)
    else:
        last.write_bytes(b"")
        if damage == "both files":
            first.write_bytes(b"x" * 100)
    heard = []
    rows = sweeps.train_unit(text, on_step=lambda unit, step, *_: heard.append(step), folder=folder)
    assert heard[0] == (9 if damage == "the last file" else 1)
    assert without_time(rows) == without_time(whole)


@pytest.mark.usefixtures("checkpoints_at_every_step")
def test_who_trains_a_unit_that_another_has_in_hand_writes_nothing_there(tmp_path):
    store, text = Store(tmp_path), sweeps.units(COUPLING)[0].text()
    folder = sweep_rows.unit_folder(store, spec_id(COUPLING), text, "cpu")
    lock = sweep_rows.hold_unit(folder)
    rows = sweeps.run(store, COUPLING)
    assert len(rows) == 4 and not folder.exists()
    assert maintenance.tidy(store) == [], "the other one is still at work"
    lock.release()
    assert maintenance.tidy(store) == [spec_id(COUPLING)] and files_of(store) == []


@pytest.mark.usefixtures("checkpoints_at_every_step")
def test_what_a_sweep_goes_on_from_is_no_left_over(tmp_path):
    store = Store(tmp_path)
    with pytest.raises(Cut):
        sweeps.run(store, COUPLING, on_step=cut_at(10))
    before = files_of(store)
    assert before and maintenance.tidy(store) == [] and files_of(store) == before
    for name in ("0123456789ab", "odd"):
        (store.home / "sweeps" / name / "unit").mkdir(parents=True)
    assert maintenance.tidy(store) == ["0123456789ab", "odd"] and files_of(store) == before


SWEEP_AND_DIE = """
import os, sys
from explorer.runs import resumable, sweeps
from explorer.runs.store import Store
from explorer.targets import parse_sweep
resumable.CHECKPOINT_SECONDS, resumable.CHECKPOINT_SHARE = 0.0, float("inf")
steps = []
def die(*_):
    steps.append(1)
    if len(steps) == 7:
        os._exit(9)
sweeps.run(Store(sys.argv[1]), parse_sweep(sys.argv[2]), on_step=die)
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", SWEEPS)
def test_killed_for_good_in_its_first_unit_it_still_ends(tmp_path, name):
    sweep = amended(SWEEPS[name], seed=[0])
    whole, kills = sweeps.run(Store(tmp_path / "whole"), sweep), 0
    while (
        subprocess.run(
            [sys.executable, "-c", SWEEP_AND_DIE, str(tmp_path / "cut"), full_json(sweep)],
            cwd=ROOT,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        ).returncode
        == 9
    ):
        kills += 1
    assert kills >= 3
    assert without_time(sweeps.run(Store(tmp_path / "cut"), sweep)) == without_time(whole)
