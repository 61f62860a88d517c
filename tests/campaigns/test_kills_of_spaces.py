"""Kills at every seam of what visitors of a public server do, and of what it does with them.

After each kill a server starts: nothing is damaged or left over, the queue is that of the spaces,
and everybody is served to the end, with the numbers of an undisturbed server.
"""

import os
import random
from unittest import mock

import numpy as np
import pytest
from kills import a_few, killed_at
from own_models import BERT, saved
from pretrained import fetched_tiny_smollm2
from whole import record, started, trained

from explorer.hosting.queue import DAY
from explorer.hosting.settings import Limits
from explorer.hosting.space import Space, welcome
from explorer.hosting.turns import Turns
from explorer.hosting.visitors import kept_secret
from explorer.pages.talk import decks
from explorer.pages.talk.scenes import dump_talk
from explorer.pretrained import seen
from explorer.pretrained.own import own
from explorer.runs import archive, bounds, brought, jobs, looks, sweep_rows
from explorer.runs.pool import Pool
from explorer.runs.store import Store
from explorer.runs.worker import answer_once, work_once
from explorer.spec import CouplingSpec, amended, full_json, spec_id
from explorer.targets import parse_sweep
from explorer.ui import registry

pytestmark = [
    pytest.mark.usefixtures("one_thread"),
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
]

ME, OTHER = "a" * 32, "b" * 32
SPEC = CouplingSpec(rank=2, m_h=2, tau=4, n=8, d_v=8, m_ff=16, batch=8, steps=5)
SMALL = {"tau": 4, "n": 8, "d_v": 8, "m_ff": 16, "batch": 8, "steps": 3, "fine_tune": 2}
SWEEP = parse_sweep(SMALL | {"m_h": [1, 2], "rank": [2], "seed": [0], "method": "top_down"})
FEW, MOST = 3, 120


def at_home(folder):
    return Store(folder / "home")


def space_of(folder, owner=ME):
    return Space(at_home(folder), owner, make=True)


def told(space):
    """As a page does after it has changed something."""
    space.sync()


def serve_all(turns):
    """What workers do until nobody waits."""
    with mock.patch.object(bounds, "bound_time"):
        while work_once(turns.commons, "cpu", turns):
            pass
    assert turns.waiting() == []


class Visited:
    """A server with two visitors: the other has a run, and another one that waits."""

    def prepare(self, folder):
        other = space_of(folder, OTHER)
        self.theirs = trained(other, amended(SPEC, seed=7)).run
        self.reference = record(other, self.theirs)
        other.create(amended(SPEC, seed=8))
        told(other)
        self.begin(folder)

    def begin(self, folder):
        """What there is before the act."""

    def check(self, folder):
        turns = started(folder / "home")
        self.found(folder)
        serve_all(turns)
        other = space_of(folder, OTHER)
        assert record(other, self.theirs) == self.reference
        assert [row.status for row in other.list()] == ["finished"] * 2

    def found(self, folder):
        """What a visitor finds who comes then."""


class FirstRun(Visited):
    """A space is made, and has a run: all of that, or as much as there was time for."""

    def act(self, folder):
        space = welcome(at_home(folder), ME, Limits())
        space.create(SPEC)
        told(space)

    def found(self, folder):
        assert {row.spec for row in space_of(folder).list()} <= {SPEC}
        self.act(folder)


class Queue(Visited):
    """The copy of who waits is made with the first who does."""

    def prepare(self, folder):
        at_home(folder)

    def act(self, folder):
        space_of(folder).sync()

    def check(self, folder):
        space = space_of(folder)
        started(folder / "home")
        space.create(SPEC)
        told(space)
        serve_all(started(folder / "home"))
        assert space.list()[0].status == "finished"


class Turned(Visited):
    """A worker takes turns: what was at work goes on to the same bits."""

    def begin(self, folder):
        reference = Store(folder / "reference")
        space = space_of(folder)
        self.runs = {space.create(amended(SPEC, seed=seed)): seed for seed in range(2)}
        self.expected = {
            seed: record(reference, trained(reference, amended(SPEC, seed=seed)).run)
            for seed in range(2)
        }
        told(space)

    def act(self, folder):
        serve_all(Turns(at_home(folder)))

    def check(self, folder):
        super().check(folder)
        space = space_of(folder)
        for run, seed in self.runs.items():
            assert record(space, run) == self.expected[seed]


class Swept(Visited):
    """A sweep is asked for, and trained."""

    def begin(self, folder):
        space_of(folder)

    def act(self, folder):
        self.ask(folder)
        serve_all(Turns(at_home(folder)))

    def ask(self, folder):
        space = space_of(folder)
        jobs.ask(space, "sweep", spec_id(SWEEP), full_json(SWEEP))
        told(space)

    def found(self, folder):
        self.ask(folder)

    def check(self, folder):
        super().check(folder)
        space = space_of(folder)
        assert jobs.get(space, f"sweep-{spec_id(SWEEP)}").status == "finished"
        rows = sweep_rows.read(space, spec_id(SWEEP))
        assert set(rows) == {spec_id(member) for member in SWEEP.members()}
        assert not (space.home / "sweeps").exists() or not [*(space.home / "sweeps").iterdir()]


class Idle(Visited):
    """A space that nobody visits is there whole, or gone whole; nobody else notices."""

    def begin(self, folder):
        space = space_of(folder)
        self.mine = trained(space, SPEC).run
        space.put_grid(np.eye(3), "eye.npy")
        space.visit()
        told(space)
        space_of(folder, OTHER).visit()
        os.utime(space.home / "seen", (0, 0))

    def act(self, folder):
        Turns(at_home(folder)).remove_idle()

    def found(self, folder):
        if (there := at_home(folder).home / "visitors" / ME).exists():
            space = space_of(folder)
            assert [row.run for row in space.list()] == [self.mine]
            assert (there / "grids").exists() and space.visited() < DAY
        self.act(folder)
        assert not there.exists()
        assert sorted(path.name for path in there.parent.glob("*/")) == [OTHER]


class Changed(Visited):
    """A run is named and deleted, one is brought, a grid comes with its name."""

    values = np.arange(6.0).reshape(2, 3)

    def begin(self, folder):
        space = space_of(folder)
        self.run, self.named = (trained(space, SPEC).run for _ in range(2))
        self.data = archive.export(space, self.named)

    def act(self, folder):
        space = space_of(folder)
        space.rename(self.named, "mine")
        archive.import_(space, self.data)
        space.put_grid(self.values, "six.csv")
        if space.get(self.run):
            space.delete(self.run)
        told(space)

    def found(self, folder):
        space = space_of(folder)
        assert {row.name for row in space.list() if row.run == self.named} <= {"", "mine"}
        self.act(folder)
        assert not [path for path in space.home.rglob("*") if self.run in path.name]
        assert {row.spec for row in space.list()} == {SPEC}
        (sha,) = {path.stem for path in (space.home / "grids").glob("*.npy")}
        assert space.grid_name(sha) == "six.csv"
        np.testing.assert_array_equal(space.grid(sha), self.values)


class Asked(Visited):
    """A run is paused, goes on, is stopped, and one more is asked for."""

    def begin(self, folder):
        space = space_of(folder)
        self.run = space.create(SPEC)
        told(space)

    def act(self, folder):
        space = space_of(folder)
        for command in ("pause", "resume", "stop", "resume"):
            space.request(self.run, command)
            told(space)

    def check(self, folder):
        super().check(folder)
        row = space_of(folder).get(self.run)
        assert row.status in ("finished", "paused", "stopped")


class Talk(Visited):
    """The talk before or the new one; the one put away lies beside it."""

    def begin(self, folder):
        self.shipped = decks.load(decks.OURS)
        self.talks = [self.shipped.model_copy(update={"title": title}) for title in ("a", "b")]
        self.keep(folder, self.talks[0])

    def keep(self, folder, talk):
        with mock.patch.object(registry, "store", lambda: space_of(folder)):
            decks.keep(talk)

    def act(self, folder):
        self.keep(folder, self.talks[1])
        with mock.patch.object(registry, "store", lambda: space_of(folder)):
            decks.forget()

    def found(self, folder):
        home, (a, b) = space_of(folder).home, map(dump_talk, self.talks)
        lies = [home / name for name in ("talk.json", "talk-before.json")]
        assert [path.read_text() if path.exists() else "" for path in lies] in (
            [a, ""],
            [b, ""],
            ["", b],
        )
        self.act(folder)
        assert lies[1].read_text() == b and not lies[0].exists()


class Look(Visited):
    """What a real model does with a text is there whole, or is looked up when the server starts."""

    def begin(self, folder):
        fetched_tiny_smollm2(at_home(folder).models)
        self.asked = seen.Input("smollm2", text="ab cd")

    def act(self, folder):
        self.ask(folder)
        serve_all(Turns(at_home(folder)))

    def ask(self, folder):
        space = space_of(folder)
        looks.put_picture(space, b"no picture")
        jobs.ask(space, "look", self.asked.id, self.asked.json())
        told(space)

    def found(self, folder):
        if (file := looks.file_of(space_of(folder).home, self.asked)).exists():
            seen.read(file)
        self.ask(folder)

    def check(self, folder):
        super().check(folder)
        home = space_of(folder).home
        assert seen.read(looks.file_of(home, self.asked)).model == "smollm2"
        assert len([*(home / "looks").iterdir()]) == 2


def bring_all(store):
    while answer_once(store, "cpu", "bring"):
        pass


class Brought:
    """A model of one's own is given on a page and brought by a worker, on a server for one."""

    def prepare(self, folder):
        saved(folder / "given", BERT)
        at_home(folder)

    def act(self, folder):
        store = at_home(folder)
        with store.writing(brought.OWN):
            asked = brought.put(store.models, "mine", map(Given, (folder / "given").iterdir()))
            jobs.ask(store, "import", asked.folder, asked.json())
        bring_all(store)

    def check(self, folder):
        store = started(folder / "home").commons
        bring_all(store)
        if not own(store.models):  # it was not asked for before the kill
            self.act(folder)
        started(folder / "home")
        assert [model.title for model in own(store.models)] == ["mine"]
        assert len([*(store.models / "own").glob("[!.]*")]) == 1
        assert not [*(store.models / "own").glob(".given-*")]


class Given:
    def __init__(self, file):
        self.name, self.data = file.name, file.read_bytes()

    def getvalue(self):
        return self.data


class Secret(Visited):
    """The secret is made once, and never half."""

    def act(self, folder):
        kept_secret(at_home(folder))

    def found(self, folder):
        file = at_home(folder).home / "visitors" / "secret"
        said = file.read_text() if file.exists() else None
        secret = kept_secret(at_home(folder))
        assert len(secret) == 64 and said in (None, secret)


class Log(Visited):
    """The log of the workers is put away when it is long."""

    def begin(self, folder):
        (at_home(folder).home / "logs" / "workers.log").write_bytes(b"x" * 1_000_001)

    def act(self, folder):
        Pool(at_home(folder))._log().touch()

    def found(self, folder):
        logs = at_home(folder).home / "logs"
        sizes = {path.name: path.stat().st_size for path in logs.glob("workers*")}
        assert 1_000_001 in sizes.values() and len(sizes) <= 2


ACTS = {
    "first run": FirstRun,
    "queue": Queue,
    "turns": Turned,
    "sweep": Swept,
    "idle": Idle,
    "changes": Changed,
    "commands": Asked,
    "talk": Talk,
    "look": Look,
    "own model": Brought,
    "secret": Secret,
    "log": Log,
}


@pytest.mark.parametrize("name", ACTS)
def test_a_few_kills(tmp_path, name):
    killed_at(tmp_path, ACTS[name](), a_few(name, FEW))


@pytest.mark.slow
@pytest.mark.parametrize("name", ACTS)
def test_many_kills(tmp_path, name):
    """At every seam or, where there are more, at so many of them, evenly spaced."""
    seed = random.Random(name)

    def spaced(count):
        step = -(-count // MOST)
        return range(1 + seed.randrange(step), count + 1, step)

    count, killed = killed_at(tmp_path, ACTS[name](), spaced)
    print(f"{name}: {killed} kills at {count} seams")
    assert killed > min(count, MOST) / 4
