"""What is done with a store, what it is done to, and what must hold after a kill or a fault."""

import sqlite3
from contextlib import closing
from unittest import mock

import numpy as np
from whole import record, trained, whole

from explorer.hosting import upkeep
from explorer.runs import archive, database, files, sweep_rows, sweeps
from explorer.runs import execute as execution
from explorer.runs.store import Store
from explorer.spec import CouplingSpec, spec_id
from explorer.targets import parse_sweep
from explorer.ui.site import folder as site_folder

SPEC = CouplingSpec(rank=2, m_h=2, tau=4, n=8, d_v=8, m_ff=16, batch=8, steps=7)
SMALL = {"tau": 4, "n": 8, "d_v": 8, "m_ff": 16, "batch": 8, "steps": 4, "fine_tune": 3}
SWEEP = parse_sweep(SMALL | {"m_h": [1, 2], "rank": [2], "seed": [0, 1], "method": "top_down"})


class Training:
    """A run with a checkpoint at every step goes on to the same numbers."""

    def prepare(self, folder):
        self.reference = record(store := Store(folder / "reference"), trained(store, SPEC).run)
        Store(folder / "home").create(SPEC)

    def act(self, folder):
        store = Store(folder / "home")
        with store.claim("cpu") as lease:
            execution.execute(store, lease.row)

    def check(self, folder):
        store = whole(folder / "home")
        (row,) = store.list()
        if row.status != "finished":
            with store.take(row.run, "cpu") as lease:
                execution.execute(store, lease.row)
        assert record(store, row.run) == self.reference


class Sweep:
    """So does a sweep, its rows alike but for the time they took."""

    def prepare(self, folder):
        self.reference = self.rows(sweeps.run(Store(folder / "reference"), SWEEP))

    def rows(self, found):
        return [{key: row[key] for key in row if key != "seconds"} for row in found]

    def act(self, folder):
        sweeps.run(Store(folder / "home"), SWEEP)

    def check(self, folder):
        store = Store(folder / "home")
        kept = self.rows(sweep_rows.read(store, spec_id(SWEEP)).values())
        assert all(row in self.reference for row in kept)
        assert self.rows(sweeps.run(store, SWEEP)) == self.reference
        assert not [*(store.home / "sweeps").rglob("*.safetensors")]
        whole(store.home)


class Import:
    """An imported run is there whole or not at all, and comes when it is asked for again."""

    def prepare(self, folder):
        store = Store(folder / "reference")
        run = trained(store, SPEC).run
        self.reference, self.data = record(store, run), archive.export(store, run)
        Store(folder / "home")

    def act(self, folder):
        archive.import_(Store(folder / "home"), self.data)

    def check(self, folder):
        store = whole(folder / "home")
        for run in [*(row.run for row in store.list()), archive.import_(store, self.data)]:
            assert record(store, run)[1:] == self.reference[1:]
            assert store.get(run).checkpoint == f"checkpoint-{SPEC.steps}.safetensors"


class Delete:
    """A deleted run is there, or gone with all its files; the other one is untouched."""

    def prepare(self, folder):
        store = Store(folder / "home")
        self.run, self.other = trained(store, SPEC).run, trained(store, SPEC).run
        self.reference = record(store, self.other)

    def act(self, folder):
        Store(folder / "home").delete(self.run)

    def check(self, folder):
        store = whole(folder / "home")
        if store.get(self.run):
            store.delete(self.run)
        assert record(store, self.other) == self.reference
        assert not [path for path in store.home.rglob("*") if self.run in path.name]


class Export:
    """The older file or the new one, never half of one."""

    def prepare(self, folder):
        store = Store(folder / "home")
        self.data = archive.export(store, trained(store, SPEC).run)
        (folder / "run.zip").write_bytes(b"older")

    def act(self, folder):
        files.write_durably(folder / "run.zip", self.data)

    def check(self, folder):
        assert (folder / "run.zip").read_bytes() in (b"older", self.data)
        self.act(folder)
        assert (folder / "run.zip").read_bytes() == self.data


class Grid:
    """An uploaded grid is there whole or not at all."""

    values = np.arange(6.0).reshape(2, 3)

    def prepare(self, folder):
        Store(folder / "home")

    def act(self, folder):
        Store(folder / "home").put_grid(self.values)

    def check(self, folder):
        store = whole(folder / "home")
        np.testing.assert_array_equal(store.grid(store.put_grid(self.values)), self.values)


class Creation:
    """A store is made, or brought up to date from version 1, once."""

    def __init__(self, version):
        self.version = version

    def prepare(self, folder):
        (folder / "home").mkdir()
        if self.version:
            with closing(sqlite3.connect(folder / "home" / "store.sqlite3")) as db:
                db.execute("PRAGMA journal_mode = WAL")
                db.executescript(f"BEGIN;{database.SCHEMA}PRAGMA user_version = 1;COMMIT;")
                db.execute("INSERT INTO ids VALUES (?, 7)", (spec_id(SPEC),))
                db.commit()

    def act(self, folder):
        Store(folder / "home").create(SPEC)

    def check(self, folder):
        store = whole(folder / "home")
        first = 8 if self.version else 1
        numbers = [row.n for row in store.list()] + [int(store.create(SPEC).split("-")[1])]
        assert numbers in ([first], [first, first + 1])


class Backup:
    """A copy is there whole or not at all; so is one that is asked for again."""

    def prepare(self, folder):
        store = Store(folder / "home")
        self.run = trained(store, SPEC).run
        self.reference = record(store, self.run)

    def act(self, folder):
        upkeep.backup(Store(folder / "home"), folder / "copies" / "copy")

    def check(self, folder):
        if not (folder / "copies" / "copy").exists():
            self.act(folder)
        assert record(whole(folder / "copies" / "copy"), self.run) == self.reference
        upkeep.backup(Store(folder / "home"), folder / "copies" / "another")
        assert sorted(path.name for path in (folder / "copies").iterdir()) == ["another", "copy"]
        assert record(whole(folder / "home"), self.run) == self.reference


class Compact:
    """A store that is written anew is the same store."""

    def prepare(self, folder):
        store = Store(folder / "home")
        runs = [trained(store, SPEC).run for _ in range(3)]
        self.run = runs[0]
        self.reference = record(store, self.run)
        for run in runs[1:]:
            store.delete(run)

    def act(self, folder):
        upkeep.compact(Store(folder / "home"))

    def check(self, folder):
        assert record(whole(folder / "home"), self.run) == self.reference


class Site:
    """The older static edition or the new one, and nothing beside it once one is written again."""

    def prepare(self, folder):
        self.write(folder, b"older")

    def write(self, folder, content):
        files = [("index.html", content), ("a.js", content)]
        with mock.patch.object(site_folder, "_files", lambda *_: iter(files)):
            site_folder.write(folder / "out" / "site", [], None)

    def act(self, folder):
        self.write(folder, b"new")

    def check(self, folder):
        site = folder / "out" / "site"
        if site.exists():
            assert len({(site / name).read_bytes() for name in ("index.html", "a.js")}) == 1
        site_folder._restore(site)
        assert (site / "index.html").read_bytes() in (b"older", b"new")
        self.act(folder)
        assert (site / "a.js").read_bytes() == b"new"
        assert [path.name for path in (folder / "out").iterdir()] == ["site"]


ACTS = {
    "backup": Backup,
    "compact": Compact,
    "site": Site,
    "training": Training,
    "sweep": Sweep,
    "import": Import,
    "delete": Delete,
    "export": Export,
    "grid": Grid,
    "creation": lambda: Creation(0),
    "migration": lambda: Creation(1),
}
