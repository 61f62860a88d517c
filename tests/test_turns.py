"""The fair queue: its order over random arrivals, its copy of what waits, real workers."""

import sqlite3
from collections import Counter
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st
from waiting import wait_until

from explorer.hosting import turns
from explorer.hosting.queue import Waiting, in_order
from explorer.hosting.settings import Limits
from explorer.hosting.space import Space, visitors, welcome
from explorer.hosting.turns import TimeSlot, Turns
from explorer.runs import jobs
from explorer.runs.database import StoreError
from explorer.runs.execute import execute
from explorer.runs.pool import Pool
from explorer.runs.store import Store
from explorer.spec import CouplingSpec, amended

SPEC = CouplingSpec(rank=2, m_h=2, tau=4, n=8, d_v=8, m_ff=16, batch=8, steps=200)
LONG = amended(SPEC, steps=1_000_000)
WIDE = Limits(steps=10**6, seconds=10**6, day_seconds=10**6)
OWNERS = [f"{i:032x}" for i in range(9)]


# The order


class Queue:
    """A simulated store: owners with lines of work, served by `in_order` alone."""

    def __init__(self):
        self.lines, self.running = {}, Counter()
        self.joined, self.served, self.number = Counter(), Counter(), 0

    def arrive(self, owner, item):
        if not self.lines.get(owner) and not self.running[owner]:
            self.number += 1
            self.joined[owner] = self.number
        self.lines.setdefault(owner, []).append(item)

    def waiting(self):
        return in_order(
            Waiting(o, item, i, self.running[o], self.joined[o], self.served[o], True)
            for o, line in self.lines.items()
            for i, item in enumerate(line)
        )

    def take(self):
        first = self.waiting()[0]
        assert self.lines[first.owner].pop(0) == first.item
        self.number += 1
        self.served[first.owner] = self.number
        self.running[first.owner] += 1
        return first


EVENTS = st.lists(
    st.one_of(
        st.tuples(st.just("press"), st.integers(0, 4)),
        st.just(("take", 0)),
        st.just(("end", 0)),
        st.just(("give way", 0)),
    ),
    max_size=60,
)


@given(EVENTS)
def test_nobody_has_a_second_begun_before_everybody_has_a_first(events):
    queue, at_work, waits = Queue(), [], {}
    for count, (kind, owner) in enumerate(events):
        if kind == "press":
            queue.arrive(owner, count)
        elif kind == "take" and queue.waiting():
            without = {one.owner for one in queue.waiting() if not queue.running[one.owner]}
            taken = queue.take()
            assert taken.owner in without or not without
            at_work.append(taken)
            waits = {o: waits.get(o, 0) + 1 for o in without - {taken.owner}}
            assert all(turns_waited <= 4 for turns_waited in waits.values()), "five take turns"
        elif kind in ("end", "give way") and at_work:
            done = at_work.pop(0)
            queue.running[done.owner] -= 1
            if kind == "give way":
                queue.lines[done.owner].insert(0, done.item)


@given(EVENTS)
def test_an_owner_s_own_work_is_in_the_order_of_its_presses(events):
    queue = Queue()
    for count, (kind, owner) in enumerate(events):
        if kind == "press":
            queue.arrive(owner, count)
    for owner in queue.lines:
        mine = [one.item for one in queue.waiting() if one.owner == owner]
        assert mine == sorted(mine)
    rounds = [one.ahead for one in queue.waiting()]
    assert rounds == sorted(rounds)


def test_forty_presses_of_one_stand_behind_one_press_of_another():
    queue = Queue()
    for press in range(40):
        queue.arrive("many", press)
    queue.arrive("one", 40)
    assert [one.item for one in queue.waiting()][:3] == [0, 40, 1]


# The copy of what waits


@pytest.fixture
def commons(tmp_path):
    return Store(tmp_path)


def presses(commons, owner, *specs):
    space = welcome(commons, owner, WIDE)
    runs = [space.create(spec) for spec in specs]
    space.sync()
    return space, runs


def test_the_queue_follows_what_is_done_to_a_space(commons):
    queue = Turns(commons)
    one, (a, b) = presses(commons, OWNERS[1], SPEC, SPEC)
    other, (c,) = presses(commons, OWNERS[2], SPEC)
    places = [own.queue_place(run)[0] for own, run in ((one, a), (one, b), (other, c))]
    assert places == [1, 3, 2]
    assert (a, one.queue_place("0" * 12 + "-1")) == (c, None), "the same id in two spaces"
    assert queue.take().owner == OWNERS[1] and queue.take().owner == OWNERS[2]
    one.delete(b)
    one.sync()
    assert [item.item for item in queue.waiting()] == [a], "claimed by nobody: it waits again"


def test_what_a_dead_worker_had_waits_for_a_hand_and_blocks_nobody(commons):
    space, (run,) = presses(commons, OWNERS[1], SPEC)
    queue = Turns(commons)
    lease = queue.take().claim("cpu")
    space.sync()
    assert queue.counts() == {"queued": 0, "running": 1}
    lease.release()  # as the system does
    queue.recheck()
    assert queue.counts() == {"queued": 0, "running": 0}
    assert space.get(run).status == "interrupted"


def test_a_server_that_starts_finds_what_waited(commons):
    space, _ = presses(commons, OWNERS[3], SPEC)
    jobs.ask(space, "optimum", "x", "{}")  # of which the queue was not told
    Turns(commons).recover()
    assert [one.owner for one in Turns(commons).waiting()] == [OWNERS[3]] * 2


def test_a_damaged_space_keeps_no_other_from_its_recovery(commons):
    for owner in OWNERS[1:4]:
        presses(commons, owner, SPEC)
    (visitors(commons) / OWNERS[2] / "store.sqlite3").write_bytes(b"no database" * 1000)
    queue = Turns(commons)
    with pytest.raises(StoreError, match=OWNERS[2]):
        queue.recover()
    assert {one.owner for one in queue.waiting()} == {OWNERS[1], OWNERS[3]}


def test_a_damaged_space_keeps_no_other_from_going_nor_its_work_at_work(commons, monkeypatch):
    for owner in OWNERS[1:4]:
        presses(commons, owner, SPEC)
    queue = Turns(commons, WIDE)
    (visitors(commons) / OWNERS[1] / "store.sqlite3").write_bytes(b"no database" * 1000)
    with pytest.raises(StoreError):
        queue.take()
    assert queue.counts() == {"queued": 3, "running": 0}, "it waits again"
    for owner in OWNERS[1:4]:
        queue._forget(owner)
    monkeypatch.setattr(turns, "seen", lambda *_: 0.0)
    monkeypatch.setattr(Space, "visited", lambda _: 0.0)
    assert queue.remove_idle() == [OWNERS[2], OWNERS[3]]


def test_a_damaged_space_can_be_removed(commons):
    presses(commons, OWNERS[1], SPEC)
    (visitors(commons) / OWNERS[1] / "store.sqlite3").write_bytes(b"no database" * 1000)
    queue = Turns(commons)
    queue.remove(OWNERS[1])
    assert not [*visitors(commons).glob("*/")] and queue.counts() == {"queued": 0, "running": 0}


def test_a_queue_of_which_only_the_file_was_made_is_made(commons):
    path = visitors(commons) / "turns.sqlite3"
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode = WAL")
    assert path.stat().st_size and Turns(commons).waiting() == []


def test_who_gives_way_keeps_the_place_among_the_own_and_goes_behind_the_others(commons):
    one, (a, b) = presses(commons, OWNERS[1], LONG, SPEC)
    other, (c,) = presses(commons, OWNERS[2], SPEC)
    queue = Turns(commons)
    with queue.time_slot(queue.take()), one.claim("cpu") as lease:
        row = execute(one, lease.row, give_way=lambda: True)
    assert (row.status, row.run) == ("queued", a) and row.step > 0
    order = [(item.owner, item.item) for item in queue.waiting()]
    assert order == [(other.owner, c), (one.owner, a), (one.owner, b)]


@pytest.mark.parametrize(("command", "status"), [("pause", "paused"), ("stop", "stopped")])
def test_a_command_that_comes_as_it_gives_way_is_obeyed(commons, command, status):
    space, (run,) = presses(commons, OWNERS[1], LONG)

    def give_way():
        space.request(run, command)
        return True

    with space.claim("cpu") as lease:
        assert execute(space, lease.row, give_way=give_way).status == status


def test_a_turn_is_over_when_another_visitor_has_nothing(commons, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(turns.time, "monotonic", lambda: now[0])
    presses(commons, OWNERS[1], LONG, SPEC)
    queue = Turns(commons)
    slot = TimeSlot(queue, queue.take())

    def over(at):
        now[0] = at
        return slot.over()

    assert not over(100.0), "nobody else waits"
    other, _ = presses(commons, OWNERS[2], SPEC)
    assert over(101.0)
    slot.began = 101.0
    assert not over(101.4) and over(101.9), "a first step is waited for by half a second"
    with other.claim("cpu") as lease:
        execute(other, lease.row, give_way=lambda: True)
    other.sync()
    slot.began = 103.0
    assert not over(112.5) and over(113.1), "who has had some waits longer"


# Real workers


@pytest.fixture
def pool(commons):
    made = Pool(commons, Turns(commons))
    made.start()
    yield made
    made.close()


def test_eight_visitors_press_at_once_and_all_have_steps_long_before_one_is_done(commons, pool):
    wait_until(lambda: [worker for worker in pool.workers() if worker.state == "idle"])
    pressed = [presses(commons, owner, LONG) for owner in OWNERS[:8]]
    pool.wake()
    wait_until(lambda: all(space.get(run).step > 0 for space, (run,) in pressed))
    rows = [space.get(run) for space, (run,) in pressed]
    assert {row.status for row in rows} <= {"queued", "running"}
    for space, (run,) in pressed:
        space.request(run, "stop")
        space.sync()
    wait_until(lambda: Turns(commons).counts() == {"queued": 0, "running": 0})


def test_a_run_that_gave_way_ends_with_the_same_bits(commons):
    undisturbed, _ = presses(commons, OWNERS[1], SPEC)
    with undisturbed.claim("cpu") as lease:
        wanted = execute(undisturbed, lease.row)
    space, _ = presses(commons, OWNERS[2], SPEC)
    rows = []
    while not rows or rows[-1].status == "queued":
        with space.claim("cpu") as lease:
            rows.append(execute(space, lease.row, give_way=lambda: True))
    assert len(rows) > 2 and rows[-1].metrics == wanted.metrics
    assert space.read(wanted.run).losses.tolist() == undisturbed.read(wanted.run).losses.tolist()
