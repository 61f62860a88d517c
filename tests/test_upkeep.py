"""The store looked after while it is used: damage is found, room comes back, a copy is a store."""

import json
import os
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from stores import TINY, filled, trained

from explorer.hosting import upkeep
from explorer.hosting.settings import Limits
from explorer.hosting.space import Space, visitors, welcome
from explorer.hosting.visitors import kept_secret
from explorer.runs import maintenance
from explorer.runs.database import StoreError
from explorer.runs.execute import execute
from explorer.runs.store import Store
from explorer.spec import amended

LONG = amended(TINY, steps=500_000)


@pytest.fixture
def store():
    return Store()


@contextmanager
def at_work(store, monkeypatch):
    """A run that is trained in another thread, with a checkpoint in every tenth of a second."""
    monkeypatch.setattr("explorer.runs.execute.CHECKPOINT_SECONDS", 0.1)
    run = store.create(LONG)
    thread = threading.Thread(target=_train, args=(store, run), daemon=True)
    thread.start()
    try:
        _wait(lambda: store.get(run).checkpoint)
        yield run
    finally:
        store.request(run, "stop")
        thread.join(60)
    assert store.get(run).status == "stopped"


def _train(store, run):
    with store.take(run, "cpu") as lease:
        execute(store, lease.row)


def _wait(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_copy_made_while_a_run_trains_is_a_store_that_goes_on(store, tmp_path, monkeypatch):
    done = trained(TINY, store).run
    with at_work(store, monkeypatch) as run:
        for index in range(3):
            made = upkeep.backup(store, tmp_path / f"copy-{index}")
            assert made.runs == 2 and made.missing == []
    for index in range(3):
        copy = Store(tmp_path / f"copy-{index}")
        assert maintenance.check(copy) == [] and upkeep.left_over(copy) == []
        assert copy.get(done).metrics == store.get(done).metrics
        row = copy.get(run)
        assert row.status == "interrupted" and 0 < row.step <= store.get(run).step
        monkeypatch.setattr("explorer.runs.execute.CONTROL_SECONDS", 0.0)
        with copy.take(run, "cpu") as lease:
            copy.request(run, "pause")
            assert execute(copy, lease.row).step > row.step


def test_a_copy_has_uploads_and_the_talk_but_no_locks(store, tmp_path):
    sha = store.put_grid([[1.0, 2.0], [3.0, 4.0]], "mine.csv")
    (store.home / "talk.json").write_text("{}")
    (store.home / "models" / "big").mkdir(parents=True)
    (store.home / "models" / "big" / "weights").write_text("x")
    filled(store)
    upkeep.backup(store, tmp_path / "copy")
    copy = Store(tmp_path / "copy")
    assert copy.grid(sha).tolist() == [[1.0, 2.0], [3.0, 4.0]] and copy.grid_name(sha) == "mine.csv"
    assert (copy.home / "talk.json").read_text() == "{}" and not (copy.home / "models").exists()
    assert [*(copy.home / "locks").iterdir()] == []


def test_the_spaces_of_visitors_are_looked_after_too(answer, store, tmp_path):
    space = welcome(store, "ab" * 16, Limits())
    run = trained(TINY, space).run
    (space.home / "runs" / ("0" * 12 + "-1")).mkdir()
    assert answer("store", "check")["left_over"] == [f"visitors/{space.owner}/runs/{'0' * 12}-1"]
    assert answer("store", "compact")["removed"] == ["0" * 12 + "-1"]
    kept_secret(store)
    assert answer("store", "backup", "--out", tmp_path / "copy")["runs"] == 1
    secret = visitors(Store(tmp_path / "copy")) / "secret"
    assert secret.read_text() == kept_secret(store)
    assert secret.stat().st_mode & 0o777 == 0o600
    copy = Space(Store(tmp_path / "copy"), space.owner)
    assert copy.get(run).metrics and maintenance.check(copy) == []


def test_a_damaged_space_keeps_no_other_from_its_copy(explorer, answer, store, tmp_path):
    whole, broken = (welcome(store, each * 16, Limits()) for each in ("ab", "cd"))
    run = trained(TINY, whole).run
    broken.path.write_bytes(b"no database" * 1000)
    done = explorer("store", "check")
    assert done.code == 1 and f"visitors/{broken.owner}: " in done.out and run not in done.out
    made = answer("store", "backup", "--out", tmp_path / "copy")
    assert made["runs"] == 1 and [*made["damaged"]] == [broken.owner]
    copied = visitors(Store(tmp_path / "copy")) / broken.owner / "store.sqlite3"
    assert copied.read_bytes() == broken.path.read_bytes()
    assert Space(Store(tmp_path / "copy"), whole.owner).get(run).metrics


def test_a_copy_goes_into_a_new_folder_and_is_whole_or_not_there(store, tmp_path, monkeypatch):
    trained(TINY, store)
    (tmp_path / "here").mkdir()
    with pytest.raises(StoreError, match="is there already"):
        upkeep.backup(store, tmp_path / "here")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(upkeep.files, "write_durably", full)
    with pytest.raises(StoreError, match="full"):
        upkeep.backup(store, tmp_path / "copy")
    assert not (tmp_path / "copy").exists() and not [*tmp_path.glob(".partial-*")]


def test_a_run_deleted_while_it_is_copied_is_not_in_the_copy(store, tmp_path, monkeypatch):
    gone, kept = trained(TINY, store).run, trained(amended(TINY, seed=1), store).run
    copied, deleted = upkeep._copy_checkpoint, []

    def deleting(of, run, *rest):
        if not deleted:
            store.delete(gone)
            deleted.append(gone)
        return copied(of, run, *rest)

    monkeypatch.setattr(upkeep, "_copy_checkpoint", deleting)
    made = upkeep.backup(store, tmp_path / "copy")
    copy = Store(tmp_path / "copy")
    assert made.missing == [] and copy.get(gone) is None and copy.get(kept)
    assert maintenance.check(copy) == []


def test_room_comes_back_while_a_run_trains(store, monkeypatch):
    for run in [filled(store, steps=3000) for _ in range(20)]:
        store.delete(run)
    before = upkeep.sizes(store)
    with at_work(store, monkeypatch) as run:
        upkeep.compact(store)
        step = store.get(run).step
        _wait(lambda: store.get(run).step > step)
    after = upkeep.sizes(store)
    assert before["unused"] > 500_000 and after["unused"] < before["unused"] / 10
    assert after["bytes"] < before["bytes"] / 2
    assert maintenance.check(store) == []


DAMAGE = {
    "a checkpoint cut short": "is missing or damaged",
    "a checkpoint gone": "is missing or damaged",
    "a row of nonsense": "damaged in the store",
    "uploaded samples": "grid",
    "pages of the database": "store.sqlite3",
}


def plant(store, run, damage):
    file = store.folder(run) / store.get(run).checkpoint
    if damage == "a checkpoint cut short":
        file.write_bytes(file.read_bytes()[:-100])
    elif damage == "a checkpoint gone":
        file.unlink()
    elif damage == "a row of nonsense":
        with sqlite3.connect(store.path) as db:
            db.execute("UPDATE work SET metrics = '[' WHERE run = ?", (run,))
    elif damage == "uploaded samples":
        sha = store.put_grid([[1.0, 2.0], [3.0, 4.0]])
        path = store.home / "grids" / f"{sha}.npy"
        path.write_bytes(path.read_bytes()[:-8] + b"damaged!")
    else:
        with sqlite3.connect(store.path) as db:
            page, root = (
                db.execute(query).fetchone()[0]
                for query in (
                    "PRAGMA page_size",
                    "SELECT rootpage FROM sqlite_schema WHERE name = 'history'",
                )
            )
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with store.path.open("r+b") as database:
            database.seek((root - 1) * page)
            database.write(b"\xff" * page)


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_is_found_and_said(explorer, store, damage):
    run = trained(TINY, store).run
    assert explorer("store", "check", "--json").json["problems"] == []
    plant(store, run, damage)
    found = explorer("store", "check", "--json")
    assert found.code in (1, 2)
    said = " ".join(found.json.get("problems", [])) + found.err
    assert DAMAGE[damage] in said


def test_what_is_left_over_is_named_and_what_is_in_hand_is_not(explorer, answer, store):
    run = filled(store)
    orphan, busy = "0" * 12 + "-1", "1" * 12 + "-1"
    for name in (orphan, busy):
        (store.home / "runs" / name).mkdir()
        (store.home / "runs" / name / "checkpoint-3.safetensors").write_text("x")
    store.folder(run).mkdir(exist_ok=True)
    half = store.folder(run) / ".partial-1"
    half.write_text("x")
    lock = store.hold(busy)
    before = sorted(store.home.rglob("*"))
    said = answer("store", "check")["left_over"]
    assert {*said} == {f"runs/{orphan}", f"runs/{run}/.partial-1"}
    assert sorted(store.home.rglob("*")) == before, "a check changes nothing"
    assert {*answer("store", "compact")["removed"]} == {orphan, ".partial-1"}
    assert answer("store", "check")["left_over"] == [] and (store.home / "runs" / busy).exists()
    lock.release()


def test_the_commands_beside_a_worker_in_another_process(answer, store, tmp_path):
    run = store.create(LONG)
    words = [sys.executable, "-m", "explorer", "runs", "resume", run, "--json"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as worker:
        try:
            _wait(lambda: store.get(run).checkpoint)
            assert answer("store", "check")["problems"] == []
            assert answer("store", "compact")["after"]["unused"] >= 0
            assert answer("store", "backup", "--out", tmp_path / "copy")["runs"] == 1
            assert worker.poll() is None
        finally:
            worker.terminate()
            ended = json.loads(worker.communicate(timeout=60)[0])
    assert ended["status"] == "stopped" and Store(tmp_path / "copy").get(run).checkpoint


def test_a_copy_s_secret_is_its_user_s_from_the_first_byte(tmp_path, monkeypatch):
    """Whatever the umask: the file is made so, not changed later."""
    store, open_, modes = Store(tmp_path / "store"), os.open, []
    kept_secret(store)

    def opened(name, flags, mode=0o777, **options):
        if Path(name).parent.name == "visitors":
            modes.append(mode & 0o077)
        return open_(name, flags, mode, **options)

    monkeypatch.setattr(os, "open", opened)
    upkeep.backup(store, tmp_path / "copy")
    copied = tmp_path / "copy" / "visitors" / "secret"
    assert copied.read_bytes() == (store.home / "visitors" / "secret").read_bytes()
    assert modes.count(0) == 1 and copied.stat().st_mode & 0o077 == 0
