"""Stores damaged at random: whatever is asked of one, it answers, or says in a line what is wrong.

All seeds in the lane of the campaigns, a few of them always.
"""

import contextlib
import io
import json
import random
import shutil
import sqlite3
import sys
from contextlib import closing

import pytest

from explorer.cli import main
from explorer.runs import archive, jobs, maintenance, sweep_rows
from explorer.runs.archive import ArchiveError
from explorer.runs.database import StoreError
from explorer.runs.execute import execute
from explorer.runs.store import Store
from explorer.spec import CouplingSpec, SpecError, amended
from explorer.targets import parse_sweep

pytestmark = pytest.mark.usefixtures("one_thread")

SPEC = CouplingSpec(rank=2, m_h=2, tau=4, n=8, d_v=8, m_ff=16, batch=8, steps=7)
SWEEP = parse_sweep({"tau": 4, "m_h": [1, 2], "steps": 4})
SAID = (StoreError, SpecError, ArchiveError)
"""What the pages and the command line show as a sentence."""
FEW, ALL = 12, 400
TABLES = ("work", "history", "snapshots", "sweeps", "sweep_rows")
ODD = ("", "x", "{", "[]", "null", "-1", -1, 2**40, 1.5, b"\xff\xfe", b"", None, "é" * 300, "../x")


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """A store with a finished run, a queued one, a sweep and a job; its log folded back."""
    store = Store(tmp_path_factory.mktemp("good"))
    with store.start(SPEC, "cpu") as lease:
        execute(store, lease.row)
    store.create(amended(SPEC, seed=1))
    sweep_rows.insert(
        store, sweep_rows.register(store, SWEEP), [{"spec_id": "a" * 12, "nmse": 0.5}]
    )
    jobs.report_progress(store, jobs.ask(store, "optimum", "a", "{}"), 1, 2, [{"m_h": 1}])
    return store


# Damage, by a random generator


def some_bytes(path, dice):
    data = bytearray(path.read_bytes())
    for _ in range(dice.choice((1, 5, 50))):
        data[dice.randrange(len(data))] = dice.randrange(256)
    path.write_bytes(data)


def a_page(path, dice):
    data = bytearray(path.read_bytes())
    at = dice.randrange(len(data) // 4096) * 4096
    data[at : at + 4096] = dice.choice((bytes(4096), dice.randbytes(4096)))
    path.write_bytes(data)


def the_header(path, dice):
    data = bytearray(path.read_bytes())
    data[dice.randrange(100)] = dice.randrange(256)
    path.write_bytes(data)


def cut(path, dice):
    data = path.read_bytes()
    path.write_bytes(data[: dice.choice((0, 1, 100, 4096, dice.randrange(len(data))))])


def a_tail(path, dice):
    path.write_bytes(path.read_bytes() + dice.randbytes(dice.choice((1, 4096, 10_000))))


def a_value(path, dice):
    """Text, numbers or bytes where others belong."""
    with closing(sqlite3.connect(path)) as db, db:
        table = dice.choice((*TABLES, "ids"))
        columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
        with contextlib.suppress(sqlite3.IntegrityError):
            db.execute(f"UPDATE {table} SET {dice.choice(columns)} = ?", (dice.choice(ODD),))


def a_column(path, dice):
    """A table or column that has gone."""
    with closing(sqlite3.connect(path)) as db, db:
        table = dice.choice((*TABLES, "live"))
        columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
        with contextlib.suppress(sqlite3.OperationalError):  # of an index or a key
            db.execute(f"ALTER TABLE {table} DROP COLUMN {dice.choice(columns)}")
            return
        db.execute(f"DROP TABLE {table}")


DAMAGE = (some_bytes, a_page, the_header, cut, a_tail, a_value, a_value, a_column)


def asked(folder, run):
    """Everything that a page or a command asks; yields what to call."""
    store = Store(folder)
    yield from (store.list, store.waiting, lambda: store.get(run), lambda: store.live(run))
    yield lambda: [
        read.snapshot(int(step)) for read in [store.read(run)] for step in read.snapshot_steps
    ]
    yield lambda: (store.read(run).latest(), store.read(run).measured([1]))
    yield lambda: [row.spec for row in store.list()]
    yield lambda: archive.read(archive.export(store, run))
    yield lambda: [jobs.get(store, job) for job in ("optimum-a", *jobs.waiting(store))]
    yield lambda: [sweep_rows.read(store, name) for name, _, _ in sweep_rows.all_sweeps(store)]
    yield lambda: maintenance.check(store)
    yield lambda: maintenance.recover(store)
    yield lambda: (lease := store.claim("cpu")) and lease.release()
    yield lambda: store.request(run, "stop")
    yield lambda: store.create(SPEC)
    yield lambda: store.delete(run)


def command(folder, *words, monkeypatch):
    """Exit code, stdout and stderr of the command line in this process."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    monkeypatch.setenv("EXPLORER_HOME", str(folder))
    monkeypatch.setattr(sys, "argv", ["explorer", "runs", *words, "--json"])
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
        except SystemExit as left:
            said = (stream.buffer.getvalue().decode() for stream in (out, err))
            return left.code or 0, *said


@pytest.mark.parametrize(
    "seed",
    [*range(FEW), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(FEW, ALL))],
)
def test_a_damaged_store_answers_or_says_what_is_wrong(good, tmp_path, monkeypatch, seed):
    dice = random.Random(seed)
    run = next(row.run for row in good.list() if row.status == "finished")
    folder = tmp_path / "home"
    shutil.copytree(good.home, folder)
    damage = DAMAGE[seed % len(DAMAGE)]
    damage(folder / "store.sqlite3", dice)
    for words in (("list",), ("show", run), ("check",)):
        code, out, err = command(folder, *words, monkeypatch=monkeypatch)
        answer = json.loads(out)
        assert code in (0, 1, 2) and (code < 2) == ("error" not in answer), (words, out, err)
        assert "Traceback" not in err
    calls = asked(folder, run)
    while True:
        try:
            next(calls)()
        except StopIteration:
            break
        except SAID as error:
            assert str(error) and "\n" not in str(error).strip()
    calls.close()
