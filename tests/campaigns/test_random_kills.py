"""A public server with four visitors, killed again and again: it, a worker, or all at once,
at random instants and at random calls that change the disk, while it starts, too.

After each start nothing is damaged or left over, and all is there that a visitor was told of. At
last every run has the weights of an undisturbed one, and nobody has anything of another's.
"""

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlencode

import pytest
from customers import Browser, Customer
from letting_in import word_of
from waiting import wait_until
from whole import assert_whole
from worker_processes import workers_of

from explorer.bench.serving import free_port
from explorer.bench.visitors import Lost
from explorer.hosting import upkeep
from explorer.hosting.space import Space
from explorer.hosting.visitors import COOKIE, Recognition, kept_secret
from explorer.pages.talk.scenes import read_talk
from explorer.runs import jobs, maintenance, sweep_rows, sweeps
from explorer.runs.execute import execute
from explorer.runs.store import Store
from explorer.spec import CouplingSpec, amended, compact, spec_id
from explorer.targets import parse_sweep

pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("one_thread"),
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux' /proc"),
]

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
SEEDS, KILLS = 5, 20
VISITORS, SPECS = 4, 3
SPEC = CouplingSpec(rank=2, m_h=2, tau=4, n=8, d_v=8, m_ff=16, batch=8, steps=100)
SMALL = {"tau": 4, "n": 8, "d_v": 8, "m_ff": 16, "batch": 8, "steps": 60}
SWEEP = parse_sweep(SMALL | {"m_h": [1, 2], "rank": [2], "seed": [0, 1]})
AT_REST = ("finished", "stopped", "interrupted")
MOST_RUNS = 4
PATIENCE = 300  # seconds


class Owner:
    """A visitor, over all lives of the server: what is asked for, and what was answered."""

    def __init__(self, number, dice):
        self.number, self.dice, self.browser = number, dice, Browser()
        self.specs = [amended(SPEC, seed=SPECS * number + i) for i in range(SPECS)]
        self.there, self.gone, self.names = set(), set(), {}
        self.steps, self.scenes, self.swept, self.zips, self.done = {}, 0, False, [], Counter()

    def space(self, commons):
        cookies = {COOKIE: self.browser.cookies[COOKIE]}
        owner = Recognition(kept_secret(commons)).owner({}, cookies)
        return Space(commons, owner, make=True)

    async def live(self, address, commons):
        """Do one thing after the other, until the server has gone."""
        while True:
            found = await asyncio.to_thread(self.space(commons).list)
            acts = [self.trains, self.sweeps, self.adds_a_scene, self.names_one, self.deletes]
            act = self.dice.choice([*acts, self.takes_home, self.brings, self.resumes])
            if await act(address, commons, found):
                self.done[act.__name__] += 1

    async def page(self, address, page, **query):
        return await Customer.enter(self.browser, address, page, urlencode(query))

    async def trains(self, address, commons, found):
        if len(found) < MOST_RUNS:
            spec = self.dice.choice(self.specs)
            here = await self.page(address, "train", spec=compact(spec))
            await here.press("Train at")
            return await self._new(commons, found)

    async def _new(self, commons, found):
        now = await asyncio.to_thread(self.space(commons).list)
        new = {row.run for row in now} - {row.run for row in found}
        assert len(new) == 1, "what was answered is there, once"
        self.there |= new
        return True

    async def sweeps(self, address, commons, found):
        here = await self.page(address, "rates", sweep=compact(SWEEP))
        if "train sweep" in here.widgets:
            await here.press("train sweep")
            self.swept = True
            return True

    async def adds_a_scene(self, address, commons, found):
        if self.scenes < 10:
            here = await self.page(address, "talk")
            await here.press("Duplicate 0")
            self.scenes += 1
            return True

    async def names_one(self, address, commons, found):
        if found:
            run, name = self.dice.choice(found).run, f"name {self.dice.randrange(1000)}"
            here = await self.page(address, "runs", runs=run)
            self.names.pop(run, None)
            await here.type(f"name {run}", name)
            self.names[run] = name
            return True

    async def deletes(self, address, commons, found):
        if rest := [row.run for row in found if row.status in AT_REST]:
            run = self.dice.choice(rest)
            here = await self.page(address, "runs", runs=run)
            await here.press("Delete…")
            self.there.discard(run), self.names.pop(run, None), self.steps.pop(run, None)
            await here.press("delete now")
            self.gone.add(run)
            return True

    async def takes_home(self, address, commons, found):
        ended = [row.run for row in found if row.status == "finished"]
        if ended and len(found) > 1:  # several have their zips side by side
            here = await self.page(address, "runs", runs=",".join(row.run for row in found))
            file = here.widget(f"zip of {ended[0]}").deferred_file_id
            self.zips.append(await here.take(file))
            return True

    async def brings(self, address, commons, found):
        if self.zips and len(found) < MOST_RUNS:
            here = await self.page(address, "runs")
            await here.upload("runs zip 0", "run.zip", self.dice.choice(self.zips))
            return await self._new(commons, found)

    async def resumes(self, address, commons, found):
        """What has died twice waits for a hand."""
        if left := [row.run for row in found if row.status == "interrupted"]:
            here = await self.page(address, "runs", runs=",".join(left))
            await here.press("runs resume")
            return True

    def check(self, commons):
        """All that was answered holds, and nothing is another's; no step is lost that was kept."""
        space = self.space(commons)
        rows = {row.run: row for row in space.list()}
        assert self.there <= rows.keys() and not self.gone & rows.keys()
        assert {run: rows[run].name for run in self.names} == self.names
        for run, row in rows.items():
            assert row.spec in self.specs
            assert row.status in ("queued", "running", *AT_REST), (row.status, row.message)
            assert row.step >= self.steps.get(run, 0)
            self.steps[run] = row.step
        if (talk := space.home / "talk.json").exists():
            scenes = len(read_talk(talk.read_text()).scenes) - SHIPPED_SCENES
            assert self.scenes <= scenes
            self.scenes = scenes
        else:
            assert not self.scenes
        if self.swept:
            assert jobs.get(space, f"sweep-{spec_id(SWEEP)}")


SHIPPED_SCENES = len(read_talk((ROOT / "assets" / "talk.json").read_text("utf-8")).scenes)


class Server:
    """One life of `serve --public`; a process of it may have the order to end at its n-th call that
    changes the disk."""

    def __init__(self, folder, orders, log):
        self.address, self.folder = f"http://127.0.0.1:{(port := free_port())}", folder
        words = ["-m", "explorer", "serve", "--public", "--port", str(port), "--home", str(folder)]
        words += ["--trusted-proxy", "127.0.0.1"]
        paths = os.pathsep.join(map(str, (HERE / "killed", HERE.parent, ROOT)))
        self.process = subprocess.Popen(
            [sys.executable, *words],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": paths, "EXPLORER_TEST_ORDERS": str(orders)},
            stdout=log,
            stderr=log,
        )

    def is_alive(self):
        return self.process.poll() is None

    def wait_for(self, condition):
        """What `condition` says; None where the server has ended before."""
        return wait_until(lambda: condition() or not self.is_alive(), PATIENCE) and (
            self.is_alive() or None
        )

    def is_healthy(self):
        with suppress(Lost):
            return Browser().ask(f"{self.address}/_stcore/health") == b"ok"

    def workers(self):
        return workers_of(self.folder)

    def kill(self, *pids):
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def bury(self):
        self.process.wait()
        wait_until(lambda: not self.workers(), 20)


class World:
    """A store, its four visitors, and one server after another."""

    def __init__(self, folder, seed):
        self.home, self.orders = folder / "home", folder / "orders"
        self.orders.mkdir()
        self.log = (folder / "log").open("wb")
        self.dice, self.killed, self.checks = random.Random(seed), Counter(), 0
        self.owners = [Owner(i, random.Random(f"{seed} {i}")) for i in range(VISITORS)]
        word = word_of(Store(self.home))
        for owner in self.owners:
            owner.browser.word = word

    def life(self):
        """From a start to a kill of the whole server, and perhaps of workers before it."""
        if order := self.dice.choice((None, "server", "worker")):
            (self.orders / order).write_text(str(round(2 ** self.dice.uniform(2, 12))))
        server = Server(self.home, self.orders, self.log)
        if self.dice.random() < 0.2:  # as it starts
            time.sleep(self.dice.uniform(0.2, 6))
        elif server.wait_for(server.is_healthy):
            asyncio.run(self._visited(server))
        self._end(server)

    def _end(self, server):
        if server.is_alive():
            everybody = self.dice.random() < 0.4
            self.killed["all at once" if everybody else "server"] += 1
            server.kill(server.process.pid, *(server.workers() if everybody else ()))
        server.bury()
        for role in ("server", "worker"):
            if (done := self.orders / f"{role}-done").exists():
                self.killed[f"{role} at a call"] += 1
                done.unlink()
            (self.orders / role).unlink(missing_ok=True)

    async def _visited(self, server):
        with suppress(Lost):  # the first pages let the workers begin
            await asyncio.gather(*(one.page(server.address, "") for one in self.owners))
        if not server.wait_for(server.workers):
            return
        self.check(server)
        living = [
            asyncio.create_task(one.live(server.address, Store(self.home))) for one in self.owners
        ]
        end = time.monotonic() + self.dice.uniform(2, 14)
        dies = time.monotonic() + self.dice.uniform(2, 12)  # a worker
        while time.monotonic() < end and server.is_alive() and not any(t.done() for t in living):
            if time.monotonic() > dies and (workers := server.workers()):
                server.kill(self.dice.choice(workers))
                self.killed["worker"] += 1
                dies = time.monotonic() + self.dice.uniform(3, 12)
            await asyncio.sleep(0.05)
        self._end(server)
        for result in await asyncio.gather(*living, return_exceptions=True):
            if not isinstance(result, Lost):
                raise result

    def check(self, server):
        """While the server runs that has just recovered."""
        commons = Store(self.home)
        for store in upkeep.stores(commons):
            wait_until(lambda store=store: self._is_whole(store), 10)
        for one in self.owners:
            if COOKIE in one.browser.cookies:
                one.check(commons)
        self.checks += 1

    def _is_whole(self, store):
        """What is at work may be on its way from one state to the next."""
        try:
            assert_whole(store)
        except AssertionError:
            return False
        return True

    def finish(self):
        """A server that is left in peace; who was interrupted resumes. Its rows and sweeps then."""
        server = Server(self.home, self.orders, self.log)
        try:
            assert server.wait_for(server.is_healthy)
            asyncio.run(self._all_end(server))
            self.check(server)
        finally:
            server.process.send_signal(signal.SIGTERM)
            server.bury()

    async def _all_end(self, server):
        commons, deadline = Store(self.home), time.monotonic() + PATIENCE
        for one in self.owners:
            await one.page(server.address, "")
        while waiting := [one for one in self.owners if self._unfinished(one.space(commons))]:
            assert time.monotonic() < deadline, "everybody is served"
            for one in waiting:
                await one.resumes(server.address, commons, one.space(commons).list())
                await one.sweeps(server.address, commons, [])
            await asyncio.sleep(1)

    def _unfinished(self, space):
        swept = jobs.get(space, f"sweep-{spec_id(SWEEP)}")
        rows = [row.status for row in space.list()] + ([swept.status] if swept else [])
        return set(rows) - {"finished"}


def undisturbed(folder):
    """Hashes of the weights of every specification, and the rows of the sweep."""
    store, hashes = Store(folder), {}
    for number in range(VISITORS * SPECS):
        with store.start(amended(SPEC, seed=number), "cpu") as lease:
            hashes[number] = execute(store, lease.row).metrics["weights_sha256"]
    return hashes, timeless(sweeps.run(store, SWEEP))


def timeless(rows):
    return sorted(
        ({key: row[key] for key in row if key != "seconds"} for row in rows),
        key=lambda row: row["spec_id"],
    )


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    return undisturbed(tmp_path_factory.mktemp("undisturbed"))


@pytest.mark.parametrize("seed", range(SEEDS))
def test_nothing_is_lost_and_nobody_blocked(tmp_path, expected, seed):
    world = World(tmp_path, seed)
    while world.killed.total() < KILLS:
        world.life()
    world.finish()
    done = sum((one.done for one in world.owners), Counter())
    print(f"seed {seed}: {dict(world.killed)}; {world.checks} checks; {dict(done)}")
    hashes, rows = expected
    commons = Store(world.home)
    for one in world.owners:
        space = one.space(commons)
        for row in space.list():
            assert row.status == "finished"
            assert row.metrics["weights_sha256"] == hashes[row.spec.seed]
        if one.swept:
            assert timeless(sweep_rows.read(space, spec_id(SWEEP)).values()) == rows
    assert len([*(world.home / "visitors").glob("*/")]) == VISITORS
    for store in upkeep.stores(commons):
        assert_whole(store)
        assert maintenance.tidy(store) == []
    assert not [*world.home.rglob(".partial*")]
