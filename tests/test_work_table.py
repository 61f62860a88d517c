"""The table of work: runs and jobs in one queue, moved by commands, workers and deaths alike."""

import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from explorer.runs import database, jobs, maintenance
from explorer.runs.database import SCHEMA_VERSION
from explorer.runs.record import ACTIVE, RESUMABLE, TRAIN
from explorer.runs.store import Store
from explorer.runs.transitions import RunError
from explorer.spec import CouplingSpec

SPEC = CouplingSpec(steps=20)
JOBS = ("optimum-a", "optimum-b", "cut-a")


class Model:
    """A piece of work as its page describes it: which commands it obeys, when, and how it rests."""

    def __init__(self, kind, number):
        self.kind, self.number = kind, number
        self.status, self.command, self.revived = "queued", None, False

    def obeys(self, command, number):
        """What a command does; False where it makes no sense now."""
        if self.status == "running":
            if command == "resume" and self.command != "pause":
                return False
            self.command = command
        elif command == "resume" and self.status in RESUMABLE:
            self.status, self.number, self.revived = "queued", number, False
        elif command == "pause" and self.status == "queued":
            self.status = "paused"
        elif command == "stop" and self.status in ("queued", "paused", "interrupted"):
            self.status = "stopped"
        else:
            return False
        return True

    def rests(self, status, number):
        """Its owner lets go of it."""
        wish, self.command = self.command, None
        if status == "queued" and wish in ("pause", "stop"):
            status = {"pause": "paused", "stop": "stopped"}[wish]
        elif status == "paused" and wish == "stop":
            status = "stopped"
        elif status == "paused" and wish == "resume":
            status, self.number, self.revived = "queued", number, False
        self.status = status


class WorkMachine(RuleBasedStateMachine):
    """One store, and what it should say; leases are those of workers at work."""

    def __init__(self):
        super().__init__()
        self.folder = TemporaryDirectory()
        self.store, self.numbers = Store(Path(self.folder.name)), 0
        self.models, self.leases = {}, {}

    def number(self):
        self.numbers += 1
        return self.numbers

    @rule()
    def create(self):
        if len(self.models) < 4:
            self.models[self.store.create(SPEC)] = Model(TRAIN, self.number())

    @rule(name=st.sampled_from(JOBS))
    def ask(self, name):
        kind, _, identity = name.partition("-")
        assert jobs.ask(self.store, kind, identity, "{}") == name
        if name not in self.models:
            self.models[name] = Model(kind, self.number())
        elif self.models[name].status in RESUMABLE:
            self.models[name].obeys("resume", self.number())

    @rule(lane=st.sampled_from(["training", "short", None]))
    def claim(self, lane):
        kinds = jobs.kinds_of(lane)
        lease = self.store.claim("cpu", kinds)
        expected = next((name for name in self.queued() if self.models[name].kind in kinds), None)
        assert (lease and lease.row.run) == expected
        if lease:
            self.leases[expected] = lease
            self.models[expected].status, self.models[expected].command = "running", None

    @precondition(lambda self: self.leases)
    @rule(data=st.data())
    def die(self, data):
        self._die(data.draw(st.sampled_from(sorted(self.leases))))

    def _die(self, name):
        self.leases.pop(name).release()
        self.models[name].status, self.models[name].command = "interrupted", None

    @precondition(lambda self: self.leases)
    @rule(data=st.data(), status=st.sampled_from(["finished", "failed", "queued", "paused"]))
    def let_go(self, data, status):
        name = data.draw(st.sampled_from(sorted(self.leases)))
        if self.models[name].kind == TRAIN:
            self.store.save(name, status=status)
        else:
            jobs.end(self.store, name, status)
        self.leases.pop(name).release()
        self.models[name].rests(status, self.number())

    @precondition(lambda self: self.models)
    @rule(data=st.data(), command=st.sampled_from(["pause", "resume", "stop"]))
    def command(self, data, command):
        name = data.draw(st.sampled_from(sorted(self.models)))
        if self.models[name].obeys(command, self.number()):
            self.store.request(name, command)
        else:
            with pytest.raises(RunError):
                self.store.request(name, command)

    @rule(all_die=st.booleans())
    def restart(self, all_die):
        """A server begins: after a cut of the power, or while workers of another are at work."""
        for name in sorted(self.leases) if all_die else ():
            self._die(name)
        maintenance.recover(self.store)
        for model in self.models.values():
            if model.status == "interrupted" and not model.revived:
                model.status, model.revived = "queued", True

    @rule(name=st.sampled_from(JOBS))
    def forget(self, name):
        jobs.forget(self.store, name)
        if name in self.models and self.models[name].status not in ACTIVE:
            del self.models[name]

    def queued(self):
        waits = [name for name, model in self.models.items() if model.status == "queued"]
        return sorted(waits, key=self._place)

    def _place(self, name):
        return self.models[name].kind != TRAIN, self.models[name].number

    @invariant()
    def everything_is_where_it_should_be(self):
        for name, model in self.models.items():
            row = self.store.work(name)
            assert row.status == model.status
            assert name not in self.leases or row.command == model.command
            assert (row.status == "running") == (name in self.leases)
            assert (row.revived is not None) == model.revived
        assert self.store.waiting(jobs.ALL) == self.queued()
        assert all(self.store.work(name) is None for name in JOBS if name not in self.models)

    def teardown(self):
        for lease in self.leases.values():
            lease.release()
        self.folder.cleanup()


WorkMachine.TestCase.settings = settings(max_examples=25, stateful_step_count=30, deadline=None)
TestWork = WorkMachine.TestCase


# One at a time


def test_a_job_that_gives_way_obeys_a_stop_that_came_meanwhile(tmp_path):
    """It was told to stop between its last look and its rest."""
    store = Store(tmp_path)
    name = jobs.ask(store, "optimum", "a", "{}")
    with jobs.claim(store):
        jobs.stop(store, name)
        jobs.end(store, name, "queued")
    assert jobs.get(store, name).status == "stopped"


def test_a_damaged_job_does_not_keep_the_others_waiting(tmp_path):
    store = Store(tmp_path)
    first, second = (jobs.ask(store, "optimum", name, "{}") for name in "ab")
    with closing(sqlite3.connect(store.path)) as db, db:
        db.execute("UPDATE work SET metrics = '{' WHERE run = ?", (first,))
    with jobs.claim(store) as lease:
        assert lease.row.job == second


# A store of the version before, which had two tables (written by that version's code)


def test_runs_and_jobs_of_two_tables_become_one(tmp_path):
    with closing(sqlite3.connect(tmp_path / "store.sqlite3")) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.executescript(Path(__file__).with_name("store_version_4.sql").read_text("utf-8"))
        runs = {run for (run,) in db.execute("SELECT run FROM runs")}
    store = Store(tmp_path)
    newest, died, paused, finished = (row.run for row in store.list())
    assert {row.run for row in store.list()} == runs
    assert [store.get(run).status for run in (finished, paused, died, newest)] == [
        "finished",
        "paused",
        "interrupted",
        "queued",
    ]
    record = store.read(finished)
    assert record.losses.tolist() == [0.5, 0.25] and record.frame(60) == b"picture"
    assert (record.row.metrics, record.row.seconds, record.row.name) == (
        {"nmse": 0.25},
        2.5,
        "run 0",
    )
    assert store.get(paused).checkpoint == "checkpoint-20.safetensors"
    assert store.live(died) == (1, b"live")
    work = {name: jobs.get(store, name) for name in ("optimum-a", "sweep-b", "look-e")}
    assert work["optimum-a"].result == [{"m_h": 1, "nmse": 0.5}]
    assert (work["sweep-b"].done, work["sweep-b"].total) == (3, 8)
    assert work["sweep-b"].subject == '{"of": "b"}'
    assert work["look-e"].status == "stopped"
    assert store.waiting() == [newest] and jobs.waiting(store) == ["surgery-c", "cut-d"]
    maintenance.recover(store)
    assert store.waiting() == [died, newest], "what died goes on first"
    assert jobs.waiting(store) == ["sweep-b", "surgery-c", "cut-d"]
    assert jobs.get(store, "optimum-f").status == "interrupted", "of a command line"
    assert store.create(SPEC) == store.waiting()[-1]
    with closing(sqlite3.connect(store.path)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
        assert not db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'jobs'").fetchall()


def test_a_migration_that_is_cut_short_has_changed_nothing(tmp_path, monkeypatch):
    path = tmp_path / "store.sqlite3"
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.executescript(Path(__file__).with_name("store_version_4.sql").read_text("utf-8"))
        before = list(db.iterdump())
    half = database.WORK.partition("DROP TABLE")[0] + "SELECT * FROM no_such_table;"
    with monkeypatch.context() as patch:
        patch.setitem(database.MIGRATIONS, 4, half)
        with pytest.raises(database.StoreError):
            Store(tmp_path)
    with closing(sqlite3.connect(path)) as db:
        assert list(db.iterdump()) == before
    assert len(Store(tmp_path).list()) == 4
