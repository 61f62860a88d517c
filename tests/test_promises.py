"""What the store promises: nobody waits for another's disk, no clock orders the queue, a dead
server's runs go on once, left-overs go, older stores are read, damage is said in plain words."""

import json
import sqlite3
import threading
import time
from contextlib import closing, contextmanager

import numpy as np
import pytest

from explorer.cli import main
from explorer.runs import database, files, jobs, maintenance, rows, sweep_rows
from explorer.runs.database import SCHEMA_VERSION, Busy, StoreError
from explorer.runs.execute import execute
from explorer.runs.home import LOOSE
from explorer.runs.store import Store
from explorer.spec import CouplingSpec, amended, full_json, spec_id
from explorer.targets import SWEEPS

SPEC = CouplingSpec(rank=2, m_h=2, tau=4, n=8, d_v=8, m_ff=16, batch=8, steps=57)


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path)


@contextmanager
def locked(store):
    """Another program writes."""
    with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


def columns(store, run, **values):
    """Set columns as nothing in the program would."""
    with closing(sqlite3.connect(store.path)) as db, db:
        names = ", ".join(f"{name} = ?" for name in values)
        db.execute(f"UPDATE work SET {names} WHERE run = ?", [*values.values(), run])


# A busy store


def test_what_is_worth_nothing_later_is_left_out_while_others_write(store, monkeypatch):
    monkeypatch.setattr(database, "PASSING_SECONDS", 0.01)
    run = store.create(SPEC)
    with locked(store):
        store.publish(run, b"x")
        store.watch(run)
        assert store.control(run).watched == 0.0 and store.live(run) is None
    store.publish(run, b"x")
    assert store.live(run) == (1, b"x")


def test_what_would_be_lost_waits_and_the_rest_is_refused(store, monkeypatch):
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.02)
    run = store.create(SPEC)
    writer = threading.Thread(target=store.save, args=(run, [(1, 0.5)]), kwargs={"step": 1})
    with locked(store):
        writer.start()
        time.sleep(0.2)  # ten times as long as others wait
        assert writer.is_alive()
        with pytest.raises(Busy, match="locked"):
            store.rename(run, "x")
    writer.join(10)
    assert store.get(run).step == 1 and store.read(run).steps.tolist() == [1]
    monkeypatch.setattr(database, "KEEPING_SECONDS", 0.05)
    with locked(store), pytest.raises(Busy):
        store.save(run, step=2)


def test_a_busy_store_ends_no_training(store, monkeypatch, one_thread):
    """Another program writes most of the time, far longer than anybody waits."""
    from explorer.runs import execute as execution

    monkeypatch.setattr(database, "BUSY_SECONDS", 0.01)
    monkeypatch.setattr(database, "PASSING_SECONDS", 0.0)
    monkeypatch.setattr(execution, "CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr(execution, "CHECKPOINT_SHARE", float("inf"))
    monkeypatch.setattr(execution, "FRAME_SECONDS", 0.0)
    run, over = store.create(SPEC), threading.Event()
    store.watch(run)
    lease = store.claim("cpu")

    def write():
        while not over.is_set():
            with locked(store):
                time.sleep(0.05)
            time.sleep(0.02)

    other = threading.Thread(target=write)
    other.start()
    with lease:
        row = execute(store, lease.row)
    over.set()
    other.join()
    assert (row.status, row.step) == ("finished", 57)


def test_nobody_waits_for_the_disk_of_an_import(store, monkeypatch):
    """Runs are made, paused and deleted while its file is flushed."""
    others, fsync = [], files.os.fsync

    def slow(handle):
        if not others:
            others.append(store.create(SPEC))
            store.request(others[0], "pause")
            store.delete(others[0])
        fsync(handle)

    monkeypatch.setattr(files.os, "fsync", slow)
    state = {"status": "paused", "step": 3}
    run = store.add(SPEC, state, [(1, 0.5)], [], ("checkpoint-3.safetensors", b"x"))
    assert others and store.get(run).checkpoint == "checkpoint-3.safetensors"


def test_an_import_that_fails_leaves_no_file(store, monkeypatch):
    monkeypatch.setattr(rows, "insert", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        store.add(SPEC, {"status": "paused"}, [], [], ("checkpoint-3.safetensors", b"x"))
    assert list((store.home / "runs").iterdir()) == []


# The queue and the clock


def test_no_clock_orders_the_queue_or_the_list(store, monkeypatch):
    """A year ahead for one press, and a day back for the next."""
    runs = []
    for shift in (0, 365 * 86400, -86400):
        now = time.time() + shift
        with monkeypatch.context() as patch:
            patch.setattr("explorer.runs.rows.time.time", lambda now=now: now)
            runs.append(store.create(SPEC))
    assert store.waiting() == runs
    assert [row.run for row in store.list()] == runs[::-1]
    store.request(runs[0], "pause")
    store.request(runs[0], "resume")
    assert store.waiting() == [*runs[1:], runs[0]]


def test_jobs_keep_their_turn_too(store):
    first, second = (jobs.ask(store, "optimum", name, "{}") for name in "ab")
    assert jobs.waiting(store) == [first, second]
    jobs.stop(store, first)
    assert jobs.ask(store, "optimum", "a", "{}") == first
    assert jobs.waiting(store) == [second, first]


# Older stores

OLDER = {
    1: database.SCHEMA,
    2: database.SCHEMA + database.SWEEPS,
    3: database.SCHEMA + database.SWEEPS + database.JOBS,
}


@pytest.mark.parametrize("version", OLDER)
def test_every_older_store_is_brought_up_to_date(tmp_path, version):
    """Its queue of times goes on, and what it left interrupted still waits for a hand."""
    runs = [f"{spec_id(SPEC)}-{n}" for n in (1, 2, 3)]
    with closing(sqlite3.connect(tmp_path / "store.sqlite3")) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.executescript(f"BEGIN;{OLDER[version]}PRAGMA user_version = {version};COMMIT;")
        db.execute("INSERT INTO ids VALUES (?, 3)", (spec_id(SPEC),))
        for n, (run, status) in enumerate(
            zip(runs, ("queued", "interrupted", "queued"), strict=True)
        ):
            db.execute(
                "INSERT INTO runs (run, spec_id, n, spec, status, steps, created, queued) "
                "VALUES (?, ?, ?, ?, ?, 57, 1.7e9, ?)",
                (run, spec_id(SPEC), n + 1, full_json(SPEC), status, 1.7e9 - n),
            )
        if version == 3:
            db.execute(
                "INSERT INTO jobs (job, kind, subject, status, queued) "
                "VALUES ('optimum-a', 'optimum', '{}', 'interrupted', 1.7e9)"
            )
        db.commit()
    store = Store(tmp_path)
    new = store.create(SPEC)
    assert new == f"{spec_id(SPEC)}-4" and store.waiting() == [runs[2], runs[0], new]
    maintenance.recover(store)
    assert store.get(runs[1]).status == "interrupted" and jobs.waiting(store) == []
    with closing(sqlite3.connect(tmp_path / "store.sqlite3")) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
    Store(tmp_path)


# What a dead server left


def died(store, run, step=0):
    """The run of a worker that is gone: its lock is free, its row says running."""
    with store.claim("cpu") as lease:
        assert lease.row.run == run
        store.save(run, step=step)


def test_runs_of_a_dead_server_go_on_by_themselves_before_the_others_and_once(store):
    first, waiting = store.create(SPEC), store.create(SPEC)
    died(store, first, step=20)
    maintenance.recover(store)
    row = store.get(first)
    assert (row.status, row.revived, store.waiting()) == ("queued", 20, [first, waiting])
    died(store, first, step=30)
    maintenance.recover(store)
    assert store.get(first).status == "interrupted" and store.get(first).revived == 20
    store.request(first, "resume")  # a hand: it may be once more
    assert store.get(first).revived is None
    store.request(waiting, "stop")
    died(store, first, step=40)
    assert store.get(first).status == "interrupted", "seen by a page before a server starts"
    maintenance.recover(store)
    assert store.get(first).revived == 40


def test_a_run_of_a_command_line_waits_for_a_hand(store):
    """Its lock may have gone with a terminal that was closed on purpose."""
    with store.start(SPEC, "cpu") as lease:
        own = lease.row.run
    queued = store.create(SPEC)
    with store.take(queued, "cpu"):
        pass
    maintenance.recover(store)
    assert [store.get(run).status for run in (own, queued)] == ["interrupted"] * 2


def test_what_is_at_work_is_left_alone(store):
    run = store.create(SPEC)
    with store.claim("cpu"):
        maintenance.recover(store)
        assert store.get(run).status == "running" and store.get(run).revived is None


def test_two_servers_that_start_at_once_revive_a_run_once(store):
    runs = [store.create(amended(SPEC, seed=seed)) for seed in range(5)]
    for run in runs:
        died(store, run)
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(Store(store.home).revive())) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(run for runs in found for run in runs) == sorted(runs)


def test_jobs_of_a_dead_server_go_on_once_too(store):
    name = jobs.ask(store, "optimum", "a", "{}")
    for revived in (0, None):
        jobs.claim(store)[1].release()
        maintenance.recover(store)
        assert jobs.waiting(store) == ([name] if revived == 0 else [])
    jobs.ask(store, "optimum", "a", "{}")
    jobs.claim(store, name)[1].release()  # by a command line
    maintenance.recover(store)
    assert jobs.get(store, name).status == "interrupted"


# Left-overs


def lying_about(store):
    return sorted(
        str(path.relative_to(store.home))
        for path in store.home.rglob("*")
        if path.is_file() and not path.name.startswith("store.sqlite3")
    )


def test_left_overs_go_and_nothing_else(store):
    kept = store.create(SPEC)
    files.write_durably(store.folder(kept) / "checkpoint-3.safetensors", b"x")
    sha = store.put_grid(np.ones((2, 2)))
    store.hold(kept).release()
    store.log_path(kept).write_text("")
    (store.home / "logs" / "workers.log").write_text("")
    unit = store.home / "sweeps" / sweep_rows.register(store, SWEEPS["fig1"][1]) / "unit"
    sweep_rows.hold_unit(unit).release()
    loose = [store.home / folder for folder in LOOSE]
    for folder in LOOSE:
        with store.writing(folder):
            pass
    before = lying_about(store)
    gone = f"{spec_id(SPEC)}-77"
    for path in (
        unit / ".partial-4",
        *(folder / ".partial-5" for folder in loose),
        store.folder(kept) / ".partial-1",
        store.folder(gone) / ".partial-2",
        store.folder(gone) / "checkpoint-3.safetensors",
        store.lock_path(gone),
        store.lock_path(f"{spec_id(SPEC)}-78"),
        store.log_path(gone),
        store.home / "grids" / ".partial-3",
    ):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"x")
    removed = maintenance.tidy(store)
    assert lying_about(store) == before and not store.folder(gone).exists()
    parts = [".partial-1", ".partial-3", ".partial-4", *[".partial-5"] * len(LOOSE)]
    assert sorted(removed) == [*parts, gone, f"{spec_id(SPEC)}-78"]
    assert maintenance.tidy(store) == [] and store.grid(sha).shape == (2, 2)


def test_what_another_process_has_in_hand_is_no_left_over(store):
    """A checkpoint of a run at work, an import before its row, and a grid, all half-written."""
    run, coming = store.create(SPEC), f"{spec_id(SPEC)}-9"
    halves = [
        store.folder(run) / ".partial-1",
        store.folder(coming) / ".partial-2",
        store.home / "grids" / ".partial-3",
    ]
    for half in halves:
        half.parent.mkdir(exist_ok=True)
        half.write_bytes(b"x")
    mine, theirs = store.hold(run), store.hold(coming)
    with store.writing("grids"):
        assert maintenance.tidy(Store(store.home)) == []
    assert all(half.exists() for half in halves)
    mine.release(), theirs.release()
    assert len(maintenance.tidy(store)) == 3 and not any(half.exists() for half in halves)


# Damage


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("metrics", "{"),
        ("metrics", "[1]"),
        ("versions", "3"),
        ("step", "many"),
        ("status", "odd"),
        ("seconds", b"\0"),
        ("created", "x"),
    ],
)
def test_a_damaged_row_is_said_and_can_be_deleted(store, column, value):
    run = store.create(SPEC)
    columns(store, run, **{column: value})
    for call in (store.get, store.read, lambda _: store.list()):
        with pytest.raises(StoreError, match=f"{run} is damaged"):
            call(run)
    store.delete(run)
    assert store.list() == []


def test_a_damaged_run_that_waits_does_not_keep_the_others_from_their_turn(store):
    first, second = store.create(SPEC), store.create(SPEC)
    columns(store, first, versions="{")
    with store.claim("cpu") as lease:
        assert lease.row.run == second
    assert store.waiting() == []


def test_a_specification_that_cannot_be_read_fails_its_run(store):
    run = store.create(SPEC)
    columns(store, run, spec='{"target": "nothing"}')
    with store.claim("cpu") as lease:
        row = execute(store, lease.row)
    assert row.status == "failed" and "target" in row.message


def test_a_damaged_picture_job_or_row_of_a_sweep_is_said(store):
    from explorer.runs import sweep_rows

    run = store.create(SPEC)
    store.save(run, [], [(1, 1.0, 1.0, 1.0, b"no frame")], step=1)
    with pytest.raises(StoreError, match=r"picture of step 1 of .* is damaged"):
        store.read(run).snapshot(1)
    sweep_rows.insert(store, "s", [{"spec_id": "a"}])
    name = jobs.ask(store, "optimum", "a", "{}")
    with closing(sqlite3.connect(store.path)) as db, db:
        db.execute("UPDATE sweep_rows SET row = '{'")
        db.execute("UPDATE work SET metrics = '{' WHERE kind = 'optimum'")
    with pytest.raises(StoreError, match="a row of the sweep s is damaged"):
        sweep_rows.read(store, "s")
    with pytest.raises(StoreError, match=f"{name} is damaged"):
        jobs.get(store, name)


@pytest.mark.parametrize("column", ["watched", "metrics", "queued"])
def test_a_missing_column_is_one_line(store, column, monkeypatch, capsys):
    store.create(SPEC)
    with closing(sqlite3.connect(store.path)) as db, db:
        db.execute("DROP INDEX IF EXISTS runs_by_status")
        db.execute("DROP INDEX IF EXISTS runs_by_turn")
        db.execute(f"ALTER TABLE work DROP COLUMN {column}")
    monkeypatch.setenv("EXPLORER_HOME", str(store.home))
    monkeypatch.setattr("sys.argv", ["explorer", "runs", "list", "--json"])
    with pytest.raises(SystemExit) as left:
        main()
    out, err = capsys.readouterr()
    assert left.value.code == 2 and err.count("\n") == 1 and column in err
    assert list(json.loads(out)) == ["error"]


def test_a_version_below_zero_is_no_store_of_ours(store):
    with closing(sqlite3.connect(store.path)) as db:
        db.execute("PRAGMA user_version = -1")
    with pytest.raises(StoreError, match="not a store"):
        Store(store.home)


@pytest.mark.parametrize("lost", ["emptied", "removed"])
def test_a_store_lost_beside_its_runs_is_said_and_not_made_anew(store, lost):
    run = store.create(SPEC)
    files.write_durably(store.folder(run) / "checkpoint-3.safetensors", b"x")
    for path in store.home.glob("store.sqlite3*"):
        path.unlink()
    if lost == "emptied":
        store.path.write_bytes(b"")
    with pytest.raises(StoreError, match="runs/ beside it holds checkpoints"):
        Store(store.home)
    assert store.path.exists() == (lost == "emptied")
    (store.home / "runs").rename(store.home / "old")
    assert Store(store.home).list() == [], "as the message says"


def checked(store, monkeypatch, capsys):
    """Exit code and answer of `runs check`."""
    monkeypatch.setenv("EXPLORER_HOME", str(store.home))
    monkeypatch.setattr("sys.argv", ["explorer", "runs", "check", "--json"])
    with pytest.raises(SystemExit) as left:
        main()
    return left.value.code or 0, json.loads(capsys.readouterr().out)


def test_the_store_is_checked_and_tidied(store, monkeypatch, capsys, one_thread):
    from explorer.runs import sweep_rows

    with store.start(SPEC, "cpu") as lease:
        row = execute(store, lease.row)
    sha = store.put_grid(np.ones((2, 2)))
    (store.home / "grids" / ".partial-1").write_bytes(b"x")
    assert checked(store, monkeypatch, capsys) == (0, {"problems": [], "removed": [".partial-1"]})
    (store.home / "grids" / f"{sha}.npy").write_bytes(b"x")
    checkpoint = store.folder(row.run) / row.checkpoint
    checkpoint.write_bytes(checkpoint.read_bytes()[:-1])
    damaged = store.create(amended(SPEC, seed=1))
    columns(store, damaged, spec="{")
    sweep_rows.insert(store, "s", [{"spec_id": "a"}])
    code, answer = checked(store, monkeypatch, capsys)
    assert code == 1 and len(answer["problems"]) == 3
    for part in (sha, str(checkpoint), damaged):
        assert any(part in problem for problem in answer["problems"])
