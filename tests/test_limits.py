"""Limits of a public server: what is beyond one is refused in a sentence; a bad run dies alone."""

import os
import shutil
import signal
import sys
import time
from contextlib import suppress
from threading import Thread

import numpy as np
import pytest
from waiting import SECONDS, wait_until

from explorer.hosting import page_health, space, turns
from explorer.hosting.settings import Limits
from explorer.hosting.space import Space, owners, welcome
from explorer.hosting.turns import Turns
from explorer.pages.talk import decks
from explorer.pretrained.seen import Input
from explorer.runs import archive, bounds, jobs, looks
from explorer.runs.database import StoreError
from explorer.runs.execute import execute
from explorer.runs.pool import Pool
from explorer.runs.quota import LimitError
from explorer.runs.store import Store
from explorer.spec import CouplingSpec, SweepSpec, amended, full_json
from explorer.ui import registry

SPEC = CouplingSpec(rank=2, m_h=2, tau=4, n=8, d_v=8, m_ff=16, batch=8, steps=200)
LONG = amended(SPEC, steps=20_000)
OWNER = "1" * 32
linux = pytest.mark.skipif(sys.platform != "linux", reason="bounds of Linux")


@pytest.fixture
def commons(tmp_path):
    space._counted.cache_clear()
    return Store(tmp_path)


def visitor(commons, owner=OWNER, **less):
    return welcome(commons, owner, Limits(**less))


REFUSED = {
    "steps": ({"steps": 100}, "200 steps: this server trains at most 100"),
    "width": ({"width": 8}, "m_ff = 16: this server trains at most 8"),
    "seconds": (
        {"seconds": 1},
        "would take about 30 s, less than 1 MB: the limit for a run or sweep is 1 s",
    ),
    "day": ({"day_seconds": 20}, "20 s of your 20 s a day are left"),
    "room": ({"megabytes": 1}, "you use"),
    "all room": ({"all_megabytes": 1}, "storage limit is reached"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_beyond_a_limit_is_refused_with_what_it_is(commons, case):
    less, words = REFUSED[case]
    own = visitor(commons, **less)
    if case in ("room", "all room"):
        (own.home / "large").write_bytes(bytes(1_100_000))
    with pytest.raises(LimitError) as refused:
        own.create(LONG if case in ("seconds", "day") else SPEC)
    assert words in str(refused.value) and own.list() == []


def test_what_waits_is_counted_for_each_and_for_all(commons):
    one, other = visitor(commons, waiting=2), visitor(commons, "2" * 32, all_waiting=2)
    for _ in range(2):
        one.create(SPEC)
        one.sync()
    with pytest.raises(LimitError, match="2 of your runs and sweeps are queued"):
        one.create(SPEC)
    other.create(SPEC)  # the first of a visitor, however many wait
    other.sync()
    with pytest.raises(LimitError, match=r"full \(3 runs and sweeps\)"):
        other.create(SPEC)
    with pytest.raises(LimitError, match="2 of your runs and sweeps are queued"):
        one.request(one.list()[0].run, "resume")


def test_a_sweep_is_asked_for_its_models_its_steps_and_its_time(commons):
    sweep = SweepSpec(m_h=(1, 2, 3), steps=1000)
    for less, words in (
        ({"models": 2}, "3 models: this server trains at most 2"),
        ({"steps": 500}, "1,000 steps"),
        ({"seconds": 2}, "the limit for a run or sweep"),
    ):
        with pytest.raises(LimitError, match=words):
            jobs.ask(visitor(commons, **less), "sweep", "x", full_json(sweep))
    assert jobs.ask(visitor(commons), "sweep", "x", full_json(sweep)) == "sweep-x"


def test_models_are_fetched_by_whoever_runs_the_server(commons):
    for kind in ("fetch", "import"):
        with pytest.raises(LimitError, match=f"models {kind}"):
            jobs.ask(visitor(commons), kind, "x", "x")
    assert visitor(commons).models == commons.models


def test_what_is_brought_from_elsewhere_has_the_same_limits(commons, monkeypatch):
    own = visitor(commons)
    with own.start(SPEC, "cpu") as lease:
        execute(own, lease.row)
    data = archive.export(own, lease.row.run)
    with pytest.raises(LimitError, match="steps"):
        archive.import_(visitor(commons, "2" * 32, steps=100), data)
    with monkeypatch.context() as patch, pytest.raises(LimitError, match="steps"):
        patch.setattr(archive, "read_run_file", lambda _: pytest.fail("it was unpacked first"))
        archive.import_(visitor(commons, "2" * 32, steps=100), data)
    small = visitor(commons, "3" * 32, megabytes=1)
    (small.home / "large").write_bytes(bytes(990_000))
    with pytest.raises(LimitError, match="delete some"):
        small.put_grid(np.ones((512, 512)))
    with pytest.raises(LimitError, match="delete some"):
        archive.import_(small, data)


def test_pictures_looks_and_the_talk_are_counted_when_they_are_written(commons, monkeypatch):
    own = visitor(commons, megabytes=1)
    monkeypatch.setattr(registry, "store", lambda: own)
    talk = decks.load()
    decks.keep(talk)
    (own.home / "large").write_bytes(bytes(1_000_000 - own.quota.used()))
    longer = talk.model_copy(update={"title": talk.title + " and more"})
    calls = [
        lambda: looks.put_picture(own, b"0" * 100),
        lambda: looks.keep(own, Input("vit", picture="0"), b"0" * 100),
        lambda: decks.keep(longer),
    ]
    for call in calls:
        with pytest.raises(LimitError, match="delete some"):
            call()
    shorter = talk.model_copy(update={"scenes": talk.scenes[:2]})
    decks.keep(shorter)
    assert decks.load() == shorter and not (own.home / "looks").exists()


def test_the_seconds_of_a_day_are_spent_by_turns(commons):
    own = visitor(commons, day_seconds=100)
    queue = Turns(commons)
    own.sync()
    queue.charge(OWNER, 30.0)
    queue.charge(OWNER, 40.0)
    assert queue.spent(OWNER) == 70.0 and own.quota.remaining().seconds == 30.0
    with pytest.raises(LimitError, match=r"100 s|2 min"):
        own.create(amended(SPEC, steps=20_000, batch=64))
    yesterday = "UPDATE visitors SET day = day - 1"
    with queue.writing() as db:
        db.execute(yesterday)
    assert queue.spent(OWNER) == 0.0
    queue.charge(OWNER, 5.0)
    assert queue.spent(OWNER) == 5.0


# What nobody has visited


def aged(own, days):
    own.visit()
    then = time.time() - 86400 * days
    os.utime(own.home / space.SEEN, (then, then))


def test_a_space_is_removed_when_nobody_has_come_for_so_long(commons):
    queue = Turns(commons, Limits(idle_days=30))
    old, recent, busy = (visitor(commons, digit * 32) for digit in "123")
    for own, days in ((old, 31), (recent, 29), (busy, 31)):
        own.put_grid(np.eye(4))
        own.sync()
        aged(own, days)
    busy.create(SPEC)
    busy.sync()
    assert queue.remove_idle() == [old.owner]
    assert [own.home.exists() for own in (old, recent, busy)] == [False, True, True]
    assert visitor(commons).list() == [], "who comes again begins anew"


def test_nobody_makes_a_space_but_a_visitor_who_comes(commons):
    """One that has gone stays gone, whoever still knows its name, and holds up no worker."""
    queue = Turns(commons)
    old, other = visitor(commons), visitor(commons, "2" * 32)
    for own in (old, other):
        own.create(SPEC)
        own.sync()
    shutil.rmtree(old.home)
    assert queue.take().owner == other.owner and [one.owner for one in queue.waiting()] == []
    queue.recheck()
    calls = [lambda: Space(commons, OWNER), old.list, lambda: old.create(SPEC), old.quota.used]
    for call in calls:
        with suppress(StoreError):
            call()
    assert page_health.counts_of_all(commons, 0) and owners(commons) == [other.owner]
    assert visitor(commons).list() == [] and len(owners(commons)) == 2


def test_who_comes_while_a_space_is_removed_has_it_whole_or_anew(commons, monkeypatch):
    """Whichever is first: what they begin is there, and nothing of the old one is beside it."""
    queue = Turns(commons, Limits(idle_days=30))
    old = visitor(commons)
    old.put_grid(np.eye(4))
    aged(old, 31)
    begun = []
    comes = Thread(target=lambda: begun.append(visitor(commons).create(SPEC)))
    looks = Space.visited

    def looking(self):
        found = looks(self)
        if not comes.ident:
            comes.start()
            comes.join(0.3)
        return found

    monkeypatch.setattr(Space, "visited", looking)
    assert queue.remove_idle() == [OWNER] and not list(commons.home.glob("visitors/gone-*"))
    comes.join()
    assert [row.run for row in visitor(commons).list()] == begun
    assert not list((old.home / "grids").iterdir())
    assert queue.remove_idle() == []


def test_what_a_server_that_was_killed_has_begun_to_remove_goes_later(commons, monkeypatch):
    own, queue = visitor(commons), Turns(commons)
    aged(own, 31)
    with monkeypatch.context() as killed:
        killed.setattr(turns.shutil, "rmtree", lambda *_, **__: None)
        queue.remove_idle()
    assert owners(commons) == [] and len(list(commons.home.glob("visitors/gone-*"))) == 1
    assert queue.remove_idle() == [] and not list(commons.home.glob("visitors/gone-*"))


def test_a_space_in_which_nothing_is_kept_goes_after_a_day(commons):
    queue = Turns(commons)
    empty, trained, dropped, new = (visitor(commons, digit * 32) for digit in "1234")
    trained.create(SPEC)
    dropped.put_grid(np.eye(4))
    for own, days in ((empty, 1.1), (trained, 1.1), (dropped, 1.1), (new, 0.9)):
        aged(own, days)
    assert queue.remove_idle() == [empty.owner]


def test_there_are_so_many_spaces_and_no_more(commons):
    few = Limits(spaces=2)
    known = [welcome(commons, digit * 32, few) for digit in "12"]
    with pytest.raises(StoreError, match=r"full \(2 visitors\)"):
        welcome(commons, "3" * 32, few)
    assert welcome(commons, known[0].owner, few).list() == [] and len(owners(commons)) == 2


# What the system bounds


@pytest.fixture
def pool(commons):
    made = Pool(commons, Turns(commons, Limits(memory_megabytes=500, seconds=1)))
    made.start()
    yield made
    made.close()


@linux
def test_what_takes_too_much_memory_or_time_ends_alone_and_says_why(commons, pool):
    large, endless, other = (visitor(commons, digit * 32) for digit in "123")
    huge = amended(SPEC, batch=4096, tau=64, m_ff=512, n=256, d_v=256, depth=4, steps=50)
    runs = [large.create(huge), endless.create(amended(SPEC, steps=20_000, batch=256))]
    for own in (large, endless):
        own.sync()
    pool.wake()
    wait_until(lambda: large.get(runs[0]).status == "failed")
    assert large.get(runs[0]).message == bounds.OUT_OF_MEMORY
    wait_until(lambda: endless.get(runs[1]).message, 4 * SECONDS)  # of a shared processor
    row = endless.get(runs[1])
    assert row.status == "interrupted" and "used up the processor time" in row.message
    good = other.create(SPEC)
    other.sync()
    pool.wake()
    wait_until(lambda: other.get(good).status == "finished")


def test_why_a_process_has_ended_is_said():
    assert "code -9" in bounds.why(-9)
    if sys.platform != "win32":
        assert "processor time" in bounds.why(-signal.SIGXCPU)
    assert bounds.is_out_of_memory(MemoryError()) and not bounds.is_out_of_memory(ValueError())
