"""The store: ids, transitions, claims between processes, and a clear word for every failure."""

import errno
import itertools
import os
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from explorer.coupling.grid import GridError
from explorer.runs import database, files, jobs, locks, maintenance, rows, sweep_rows
from explorer.runs.database import SCHEMA_VERSION, StoreError
from explorer.runs.home import home
from explorer.runs.record import RESUMABLE, STATUSES
from explorer.runs.store import MAX_NAME, Store
from explorer.runs.transitions import COMMANDS, RunError
from explorer.spec import CouplingSpec, SweepSpec, spec_id

ROOT = Path(__file__).resolve().parent.parent
SPEC = CouplingSpec(rank=2, m_h=2, steps=100)


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path)


def python(code, folder, **options):
    """A process that runs `code` with a `store` on the folder."""
    begin = f"from explorer.runs.store import Store\nstore = Store({str(folder)!r})\n"
    return subprocess.Popen(
        [sys.executable, "-c", begin + code], cwd=ROOT, stdout=subprocess.PIPE, text=True, **options
    )


def as_status(store, status, **columns):
    """A run with this status, by the same statements the store uses."""
    run = store.create(SPEC, "paused")
    with database.transaction(store.path, write=True) as db:
        names = {"status": status, "queued": 1.0, **columns}
        marks = ", ".join(f"{name} = ?" for name in names)
        db.execute(f"UPDATE work SET {marks} WHERE run = ?", [*names.values(), run])
    return run


def test_home_is_the_environment_or_the_platform(monkeypatch, tmp_path):
    monkeypatch.setenv("EXPLORER_HOME", str(tmp_path / "here"))
    assert home() == tmp_path / "here" and Store().home == tmp_path / "here"
    monkeypatch.setenv("EXPLORER_HOME", "")
    assert home().name == "attention-explorer" and home().is_absolute()


# Runs


def test_ids_count_per_specification_and_are_not_given_twice(store):
    other = CouplingSpec(seed=1)
    runs = [store.create(SPEC), store.create(SPEC), store.create(other)]
    assert runs == [f"{spec_id(SPEC)}-1", f"{spec_id(SPEC)}-2", f"{spec_id(other)}-1"]
    store.delete(runs[1])
    assert store.create(SPEC) == f"{spec_id(SPEC)}-3"


def test_a_new_run_is_what_was_asked_for(store):
    row = store.get(store.create(SPEC, name="x" * 200))
    assert (row.spec, row.steps, row.step, row.status) == (SPEC, 100, 0, "queued")
    assert row.name == "x" * MAX_NAME
    assert (row.metrics, row.checkpoint, row.versions) == (None, None, {})
    assert store.get(store.create(SPEC, "paused")).status == "paused"
    with pytest.raises(RunError, match="queued or paused"):
        store.create(SPEC, "finished")


def test_the_list_is_newest_first_and_bounded(store):
    runs = [store.create(CouplingSpec(seed=seed)) for seed in range(5)]
    assert [row.run for row in store.list()] == runs[::-1]
    assert [row.run for row in store.list(limit=2)] == runs[:2:-1]


def test_an_unknown_run_is_none_or_a_clear_error(store):
    assert store.get("0123456789ab-1") is None
    assert store.live("0123456789ab-1") is None
    assert store.queue_place("0123456789ab-1") is None
    for call in (store.read, store.delete, lambda run: store.request(run, "stop")):
        with pytest.raises(RunError, match="no run"):
            call("0123456789ab-1")


@pytest.mark.parametrize("run", ["../x", "/etc", "", "0123456789ab-0", "0123456789ab-1/..", "x\0"])
def test_what_is_no_run_id_is_never_a_path(store, run):
    with pytest.raises(RunError, match="not the id"):
        store.folder(run)
    with pytest.raises(RunError):
        store.delete(run)
    assert store.get(run) is None


def test_rename(store):
    run = store.create(SPEC)
    store.rename(run, "a talk")
    assert store.get(run).name == "a talk"


def test_the_queue_is_first_in_first_out_and_resuming_joins_its_end(store):
    first, second = store.create(SPEC), store.create(SPEC)
    assert [store.queue_place(run) for run in (first, second)] == [(1, None), (2, None)]
    store.request(first, "pause")
    assert [store.queue_place(run) for run in (first, second)] == [None, (1, None)]
    store.request(first, "resume")
    assert [store.queue_place(run) for run in (first, second)] == [(2, None), (1, None)]


# Commands

GOES_TO = {  # (command, status) → status, or the command that a running run then reads
    ("pause", "queued"): "paused",
    ("pause", "running"): "pause",
    ("stop", "queued"): "stopped",
    ("stop", "running"): "stop",
    ("stop", "paused"): "stopped",
    ("stop", "interrupted"): "stopped",
    **{("resume", status): "queued" for status in RESUMABLE},
    **{("step", status): "queued" for status in RESUMABLE},
}


@pytest.mark.parametrize(("command", "status"), itertools.product(COMMANDS, STATUSES))
def test_every_command_in_every_status(store, command, status):
    run = as_status(store, status, step=7, message="lower lr")
    lock = locks.hold(store.lock_path(run)) if status == "running" else None
    wanted = GOES_TO.get((command, status))
    if wanted is None:
        with pytest.raises(RunError, match=f"cannot {command} {run}"):
            store.request(run, command)
        assert store.get(run).status == status
    else:
        store.request(run, command)
        row = store.get(run)
        assert wanted == (row.command if status == "running" else row.status)
        assert row.pause_at == (8 if command == "step" else None)
        assert row.message == ("" if wanted == "queued" else "lower lr")
    if lock:
        lock.release()


def test_an_unknown_command_is_refused(store):
    with pytest.raises(RunError, match="cannot explode"):
        store.request(store.create(SPEC), "explode")


@pytest.mark.parametrize(
    ("commands", "rests_as"),
    [("pause", "paused"), ("pause stop", "stopped"), ("pause resume", "queued"), ("", "paused")],
)
def test_a_command_that_comes_while_the_run_is_about_to_pause_is_obeyed(store, commands, rests_as):
    with store.start(SPEC, "cpu") as lease:
        for command in commands.split():
            store.request(lease.row.run, command)
        row = store.save(lease.row.run, status="paused", step=3)
    assert (row.status, row.command, row.step) == (rests_as, None, 3)
    assert (store.queue_place(row.run) == (1, None)) == (rests_as == "queued")


# Claims


def test_claiming_takes_the_oldest_and_holds_it(store):
    first, second = store.create(SPEC), store.create(SPEC)
    with store.claim("cpu") as lease:
        assert lease.row.run == first and lease.row.status == "running"
        assert lease.row.device == "cpu" and lease.row.started
        assert store.get(first).status == "running"
        with store.claim("cpu") as other:
            assert other.row.run == second
        assert store.claim("cpu") is None


def test_a_given_run_is_taken_even_when_it_rests(store):
    run = store.create(SPEC, "paused")
    assert store.claim("cpu") is None
    with store.take(run, "cpu") as lease:
        assert lease.row.status == "running"
        with pytest.raises(RunError, match="running"):
            store.take(run, "cpu")
    with pytest.raises(RunError, match="finished"):
        store.take(as_status(store, "finished"), "cpu")
    with pytest.raises(RunError, match="no run"):
        store.take("0123456789ab-1", "cpu")


def test_a_run_whose_lock_is_held_is_passed_over(store):
    first, second = store.create(SPEC), store.create(SPEC)
    lock = locks.hold(store.lock_path(first))
    with store.claim("cpu") as lease:
        assert lease.row.run == second
    lock.release()
    assert store.get(first).status == "queued"


CLAIM_ALL = """
while lease := store.claim("cpu"):
    print(lease.row.run)
    store.save(lease.row.run, status="finished")
    lease.release()
"""


def test_processes_that_claim_at_once_never_share_a_run(store):
    runs = {store.create(SPEC) for _ in range(40)}
    processes = [python(CLAIM_ALL, store.home) for _ in range(2)]
    claimed = [process.communicate(timeout=60)[0].split() for process in processes]
    assert sorted(claimed[0] + claimed[1]) == sorted(runs)


def test_a_run_whose_owner_died_is_interrupted_for_good(store):
    run = store.create(SPEC)
    owner = python(
        "lease = store.claim('cpu'); print(1, flush=True); input()",
        store.home,
        stdin=subprocess.PIPE,
    )
    owner.stdout.readline()
    assert store.get(run).status == "running"
    with pytest.raises(RunError, match="running"):
        store.delete(run)
    store.request(run, "pause")
    owner.kill()
    owner.wait()
    row = store.get(run)
    assert (row.status, row.command) == ("interrupted", None)
    assert [r.status for r in Store(store.home).list()] == ["interrupted"]
    with closing(sqlite3.connect(store.path)) as db:
        assert db.execute("SELECT status FROM work").fetchone() == ("interrupted",)
    owner.stdin.close(), owner.stdout.close()


def test_slots_are_counted_across_stores(store):
    index, lock = store.slot("cpu", 2)
    other, second = Store(store.home).slot("cpu", 2)
    assert {index, other} == {0, 1}
    assert store.slot("cpu", 2) is None
    lock.release()
    assert store.slot("cpu", 2)[0] == index
    second.release()


# What a run leaves


def test_rows_come_back_in_order_and_rewinding_drops_the_later_ones(store):
    with store.start(SPEC, "cpu") as lease:
        run = lease.row.run
        pictures = [(step, 0.5 / step, 0.1, 0.2, b"frame%d" % step) for step in (1, 5, 3)]
        store.save(run, [(2, 0.25), (1, 1 / 3)], pictures, step=5, checkpoint="c")
        store.save(run, [(2, 0.125)], metrics='{"mse": 0.5}')
        record = store.read(run)
        assert record.steps.tolist() == [1, 2] and record.losses.tolist() == [1 / 3, 0.125]
        assert record.snapshot_steps.tolist() == [1, 3, 5]
        assert record.nmse.tolist() == [0.5, 0.5 / 3, 0.1]
        assert record.frame(3) == b"frame3"
        assert store.latest_snapshot(run) == (5, b"frame5")
        assert record.row.metrics == {"mse": 0.5} and record.row.checkpoint == "c"
        with pytest.raises(KeyError):
            record.frame(2)
        store.rewind(run, 1)
        record = store.read(run)
        assert record.snapshot_steps.tolist() == [1] == record.steps.tolist()
        assert store.get(run).step == 1


def test_an_empty_record_has_empty_arrays(store):
    record = store.read(store.create(SPEC))
    for values in (record.steps, record.losses, record.snapshot_steps, record.nmse):
        assert values.shape == (0,)
    assert record.latest() is None


def test_live_frames_are_numbered_and_only_the_newest_stays(store):
    run = store.create(SPEC)
    assert store.live(run) is None
    store.publish(run, b"1")
    assert store.live(run) == (1, b"1")
    store.publish(run, b"2")
    assert store.live(run) == (2, b"2")


def test_watching_is_seen_by_the_owner(store):
    with store.start(SPEC, "cpu") as lease:
        assert store.control(lease.row.run).watched == 0
        before = time.time()
        store.watch(lease.row.run)
        assert before <= store.control(lease.row.run).watched <= time.time()


def test_deleting_takes_rows_and_files(store):
    run = store.create(SPEC)
    with store.claim("cpu"):
        store.save(run, [(1, 1.0)], [(1, 1.0, 1.0, 1.0, b"f")], status="stopped")
        store.publish(run, b"f")
    files.write_durably(store.folder(run) / "checkpoint-1.safetensors", b"x")
    record = store.read(run)
    store.delete(run)
    assert store.get(run) is None and not store.folder(run).exists()
    with pytest.raises(RunError, match="there is no run"):
        record.frame(1)
    with closing(sqlite3.connect(store.path)) as db:
        for table in ("history", "snapshots", "live"):
            assert db.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
    assert not any(run in path.name for path in store.home.rglob("*"))


# What a newer version changes while this one is at work


def test_columns_of_a_newer_version_end_no_process_that_is_at_work(store):
    run = store.create(SPEC)
    lease, job = store.claim("cpu"), jobs.ask(store, "optimum", "a", "{}")
    with database.transaction(store.path, write=True) as db:
        db.execute("ALTER TABLE work ADD COLUMN later TEXT NOT NULL DEFAULT 'new'")
        for table in ("ids", "live", "sweeps", "sweep_rows"):
            db.execute(f"ALTER TABLE {table} ADD COLUMN later TEXT")
    with lease:
        store.publish(run, b"f")
        row = store.save(run, [(1, 0.5)], step=1, status="stopped")
    assert (row.step, row.status) == (1, "stopped") and store.live(run) == (1, b"f")
    assert jobs.get(store, job).status == "queued" and store.create(SPEC) != run
    sweep = sweep_rows.register(store, SweepSpec(m_h=(1,), seed=(0,)))
    sweep_rows.insert(store, sweep, [{"spec_id": "a" * 12, "nmse": 0.5}])
    assert set(sweep_rows.read(store, sweep)) == {"a" * 12}


# Grids


def test_a_grid_comes_back_by_its_hash(store):
    values = np.random.default_rng(0).normal(size=(5, 3))
    sha = store.put_grid(values)
    assert store.put_grid(np.asfortranarray(values)) == sha
    np.testing.assert_array_equal(store.grid(sha), values)
    assert store.put_grid(values.reshape(3, 5)) != sha, "the shape belongs to the hash"


@pytest.mark.parametrize("sha", ["../store.sqlite3", "", "a" * 63, "A" * 64, "a" * 64 + "\n"])
def test_what_is_no_hash_is_never_a_path(store, sha):
    with pytest.raises(StoreError, match="sha256"):
        store.grid(sha)


def test_missing_changed_and_impossible_grids(store):
    with pytest.raises(StoreError, match="upload"):
        store.grid("a" * 64)
    sha = store.put_grid(np.ones((2, 2)))
    path = store.home / "grids" / f"{sha}.npy"
    path.write_bytes(files.npy_bytes(np.zeros((2, 2))))
    with pytest.raises(StoreError, match="changed"):
        store.grid(sha)
    path.write_bytes(b"\x93NUMPY rubbish")
    with pytest.raises(StoreError, match="damaged"):
        store.grid(sha)
    with pytest.raises(GridError):
        store.put_grid(np.full((2, 2), np.nan))


# Failures


def snapshot_of(folder):
    return {path.name: path.read_bytes() for path in folder.glob("store.sqlite3*")}


def test_a_newer_store_is_refused_and_left_alone(tmp_path):
    Store(tmp_path)
    with closing(sqlite3.connect(tmp_path / "store.sqlite3")) as db:
        db.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 6}")
    before = snapshot_of(tmp_path)
    with pytest.raises(StoreError, match=f"version {SCHEMA_VERSION + 6}.*reads {SCHEMA_VERSION}"):
        Store(tmp_path)
    assert snapshot_of(tmp_path) == before


@pytest.mark.parametrize("content", [b"text that is long enough for a header" * 40, b"\0" * 5000])
def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path, content):
    path = tmp_path / "store.sqlite3"
    path.write_bytes(content)
    with pytest.raises(StoreError, match=str(path)):
        Store(tmp_path)
    assert path.read_bytes() == content


def test_a_damaged_database_is_refused(store):
    for _ in range(50):
        store.create(SPEC)
    data = bytearray(store.path.read_bytes())
    for page in range(4096, len(data), 4096):
        data[page : page + 4096] = os.urandom(4096)
    store.path.write_bytes(data)
    with pytest.raises(StoreError, match="damaged"):
        Store(store.home).list()
    assert store.path.read_bytes() == data


def test_a_database_of_another_program_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "store.sqlite3"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE notes (text)")
    before = path.read_bytes()
    with pytest.raises(StoreError, match="other tables"):
        Store(tmp_path)
    assert path.read_bytes() == before


def test_a_locked_store_says_so(store, monkeypatch):
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.05)
    with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="locked"):
            store.create(SPEC)
        assert store.list() == [], "reading goes on"
    assert store.create(SPEC)


def test_a_file_system_without_a_write_ahead_log_is_refused(tmp_path, monkeypatch):
    """SQLite's dotfile locks, as used on some network file systems, know no shared memory."""
    connect = sqlite3.connect

    def on_a_network(name, **options):
        return connect(f"{name}&vfs=unix-dotfile", **options)

    monkeypatch.setattr(database.sqlite3, "connect", on_a_network)
    with pytest.raises(StoreError, match=r"Network.*EXPLORER_HOME"):
        Store(tmp_path)


def test_a_full_disk_says_so_and_keeps_what_there_is(store, monkeypatch):
    run = store.create(SPEC)
    connect = database.connect

    def on_a_full_disk(path, mode="rw"):
        db = connect(path, mode)
        db.execute(f"PRAGMA max_page_count = {db.execute('PRAGMA page_count').fetchone()[0]}")
        return db

    monkeypatch.setattr(database, "connect", on_a_full_disk)
    with pytest.raises(StoreError, match=r"full.*free some space"):
        store.publish(run, b"x" * 100_000)
    assert store.get(run).status == "queued" and store.live(run) is None
    monkeypatch.setattr(database, "connect", connect)
    store.publish(run, b"x" * 100_000)


def test_a_run_is_deleted_from_a_full_disk_too(store, monkeypatch):
    """Its files make the room that the row needs to go."""
    run = as_status(store, "finished")
    files.write_durably(store.folder(run) / "checkpoint-3.safetensors", b"x")
    remove = rows.remove

    def full(db, of):
        if store.folder(of).exists():
            raise StoreError("the disk is full")
        remove(db, of)

    monkeypatch.setattr(rows, "remove", full)
    store.delete(run)
    assert store.get(run) is None and maintenance.tidy(store) == []


def test_an_interruption_is_seen_on_a_disk_that_takes_no_more(store, monkeypatch):
    run = as_status(store, "running")

    def refuse(path, write=False):
        if write:
            raise StoreError("the disk is full")
        return transaction(path)

    transaction = database.transaction
    monkeypatch.setattr("explorer.runs.work.transaction", refuse)
    assert store.get(run).status == "interrupted"


def test_a_folder_that_cannot_be_made_says_so(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="file"):
        Store(tmp_path / "file" / "home")


def test_a_file_system_without_kernel_locks_says_so(store, monkeypatch):
    """An existence lock in their place would outlive a killed owner."""

    def missing(*_):
        raise OSError(errno.ENOSYS, "Function not implemented")

    run = store.create(SPEC)
    monkeypatch.setattr("fcntl.flock", missing)
    with pytest.raises(StoreError, match="Function not implemented"):
        store.claim("cpu")
    monkeypatch.undo()
    assert store.get(run).status == "queued"


def test_a_store_that_was_removed_says_so_and_is_not_made_anew(store):
    store.path.unlink()
    with pytest.raises(StoreError, match="cannot be opened"):
        store.list()
    assert not store.path.exists()


OPEN_AND_CREATE = """
from explorer.spec import CouplingSpec
print(store.create(CouplingSpec()))
"""


def test_processes_that_open_a_new_store_at_once_agree(tmp_path):
    processes = [python(OPEN_AND_CREATE, tmp_path) for _ in range(4)]
    runs = [process.communicate(timeout=60)[0].strip() for process in processes]
    identity = spec_id(CouplingSpec())
    assert sorted(runs) == [f"{identity}-{n}" for n in (1, 2, 3, 4)]


# Locks and files


def test_a_lock_is_for_one_holder_also_within_a_process(tmp_path):
    path = tmp_path / "x.lock"
    lock = locks.hold(path)
    assert locks.hold(path) is None
    lock.release()
    assert locks.hold(path)


def test_a_failed_write_leaves_the_file_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "checkpoint"
    files.write_durably(path, b"good")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(StoreError, match="full"):
        files.write_durably(path, b"worse")
    assert path.read_bytes() == b"good"
    assert [p.name for p in tmp_path.iterdir()] == ["checkpoint"]


def test_neither_the_server_side_nor_the_command_line_waits_for_what_few_commands_need():
    code = (
        "import sys, explorer.runs.store, explorer.runs.pool, explorer.runs.frames\n"
        "import explorer.runs.archive, explorer.runs.record, explorer.runs.devices, explorer.cli\n"
        "names = ('torch', 'streamlit', 'scipy', 'pandas', 'altair')\n"
        "print([name for name in names if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.stdout.strip() == "[]", done.stderr
