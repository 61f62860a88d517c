"""What must hold of a store after a kill and a start: nothing is damaged, nothing is left over."""

from explorer.hosting import upkeep
from explorer.hosting.space import spaces
from explorer.hosting.turns import Turns
from explorer.runs import jobs, maintenance
from explorer.runs.execute import execute
from explorer.runs.home import RUN_ID
from explorer.runs.store import Store


def whole(folder):
    """The store, after what a server does when it starts."""
    store = Store(folder)
    maintenance.tidy(store)
    assert_whole(store)
    assert not [*folder.glob("sweeps/*/*.lock")]
    return store


def started(folder):
    """The queue of visitors, after what a public server does when it starts; it is that of the
    spaces."""
    commons = Store(folder)
    maintenance.recover(commons)
    turns = Turns(commons)
    turns.recover()
    for space in spaces(commons):  # as their visitors come
        space.recover()
    waiting = set()
    assert_whole(commons)
    for store in spaces(commons):
        assert_whole(store)
        waiting |= {(store.home.name, run) for run in store.waiting()}
        waiting |= {(store.home.name, job) for job in jobs.waiting(store)}
    assert {(one.owner, one.item) for one in turns.waiting()} == waiting
    assert turns.counts()["running"] == 0, "nobody is at work yet"
    return turns


def assert_whole(store):
    assert maintenance.check(store) == []
    assert upkeep.left_over(store) == []
    assert not [*store.home.rglob(".partial*")]
    known = {row.run for row in store.list()}
    assert {path.name for path in (store.home / "runs").iterdir()} <= known
    locks = {path.stem for path in (store.home / "locks").iterdir()}
    assert {name for name in locks if RUN_ID.fullmatch(name)} <= known


def record(store, run):
    """All numbers and pictures of a run."""
    found = store.read(run)
    frames = [found.frame(step) for step in found.snapshot_steps.tolist()]
    return found.row.metrics, found.steps.tolist(), found.losses.tolist(), frames


def trained(store, spec):
    with store.start(spec, "cpu") as lease:
        return execute(store, lease.row)
