"""What a kill, a full disk, Ctrl-C or a pause may not change: the numbers and the curves.

The reference is always the same run undisturbed in one go.
"""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from waiting import wait_until

from explorer.runs import archive, checkpoints, frames
from explorer.runs import execute as execution
from explorer.runs.execute import execute
from explorer.runs.journal import Pace
from explorer.runs.store import Store
from explorer.spec import CouplingSpec, amended
from explorer.training import train
from explorer.training.schedule import keeps_history, keeps_snapshot

pytestmark = pytest.mark.usefixtures("one_thread")

ROOT = Path(__file__).resolve().parent.parent
SPEC = CouplingSpec(rank=2, m_h=2, tau=4, n=8, d_v=8, m_ff=16, batch=8, steps=200)
SHORT = amended(SPEC, steps=57)
BETWEEN_ROWS = {step for step in range(1, 57) if not keeps_history(step, 57)}
EXPLODES = CouplingSpec(
    activation="relu",
    activation_out="relu",
    init="torch",
    optimizer="adam",
    lr=1000.0,
    tau=4,
    warmup=100,
    schedule="constant",
    m_ff=16,
    batch=8,
    steps=300,
)


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path)


@pytest.fixture
def checkpoints_at_every_step(monkeypatch):
    monkeypatch.setattr(execution, "CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr(execution, "CHECKPOINT_SHARE", float("inf"))


@pytest.fixture
def checkpoints_where_it_pauses(monkeypatch):
    """Alone: on a busy machine two seconds are not many steps."""
    monkeypatch.setattr(execution, "CHECKPOINT_SECONDS", float("inf"))


def trained(store, spec, **options):
    with store.start(spec, "cpu") as lease:
        return execute(store, lease.row, **options)


def resumed(store, run, **options):
    with store.take(run, "cpu") as lease:
        return execute(store, lease.row, **options)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """Records of SPEC and SHORT, trained in one go."""
    store = Store(tmp_path_factory.mktemp("undisturbed"))
    return {spec.steps: store.read(trained(store, spec).run) for spec in (SPEC, SHORT)}


def assert_same(record, reference):
    assert record.row.status == "finished" and record.row.step == record.row.steps
    assert record.row.metrics == reference.row.metrics
    np.testing.assert_array_equal(record.steps, reference.steps)
    np.testing.assert_array_equal(record.losses, reference.losses)
    np.testing.assert_array_equal(record.snapshot_steps, reference.snapshot_steps)
    np.testing.assert_array_equal(record.nmse, reference.nmse)
    for step in record.snapshot_steps.tolist():
        assert record.frame(step) == reference.frame(step)


def files_of(store, run):
    return sorted(path.name for path in store.folder(run).glob("*"))


def named(*steps):
    """The files of checkpoints at these steps."""
    return sorted(f"checkpoint-{step}.safetensors" for step in steps)


def process(code, folder, **options):
    """A process that executes in the store on the folder, with a checkpoint at every step."""
    begin = (
        "import os, signal, sys\n"
        "from explorer.runs import execute as execution, checkpoints\n"
        "from explorer.runs.store import Store\n"
        "from explorer.targets import parse\n"
        "execution.CHECKPOINT_SECONDS, execution.CHECKPOINT_SHARE = 0.0, float('inf')\n"
        f"store = Store({str(folder)!r})\n"
    )
    return subprocess.Popen(
        [sys.executable, "-c", begin + code], cwd=ROOT, stdout=subprocess.PIPE, text=True, **options
    )


def work(run):
    return f"lease = store.take({run!r}, 'cpu')\nrow = execution.execute(store, lease.row)\n"


# The loop


def test_an_undisturbed_run_is_what_train_yields(undisturbed):
    """A second implementation of the journal: all losses first, means and pictures after."""
    record, losses, kept = undisturbed[SHORT.steps], [], {}
    for snapshot in train(SHORT):
        losses.append(float(snapshot.loss))
        if keeps_snapshot(snapshot.step, snapshot.steps):
            last = snapshot.step == snapshot.steps
            errors = snapshot.evaluate() if last else snapshot.evaluate(512)
            kept[snapshot.step] = (errors["nmse"], snapshot.diagnostics())
    steps = [step for step in range(1, 58) if keeps_history(step, 57)]
    assert len(steps) < 57, "some rows are means of several steps"
    means = [np.mean(losses[a:b]) for a, b in zip([0, *steps], steps, strict=False)]
    assert record.steps.tolist() == steps
    np.testing.assert_allclose(record.losses, means, rtol=1e-12)
    assert record.snapshot_steps.tolist() == list(kept)
    assert record.nmse.tolist() == [nmse for nmse, _ in kept.values()]
    for step, (_, look) in kept.items():
        header, arrays = record.snapshot(step)
        assert header["step"] == step
        assert all(np.array_equal(arrays[name], look[name]) for name in look)
    assert record.row.metrics == snapshot.evaluate() | {"weights_sha256": snapshot.weights_sha256()}


def test_progress_and_row_tell_the_same(store):
    seen = []
    row = trained(store, SPEC, on_progress=seen.append)
    assert seen[0].step == 1 and seen[0].rate is None and seen[-1].steps == SPEC.steps
    assert all(a.step < b.step for a, b in pairwise(seen))
    assert row.seconds > 0 and row.ended >= row.started and row.versions["torch"]
    assert files_of(store, row.run) == [row.checkpoint] == ["checkpoint-200.safetensors"]


@pytest.fixture
def paced(monkeypatch):
    """A function: what a pace says of 1000 steps after looks at (second, step)."""

    def left(looks):
        pace = Pace()
        for second, step in looks:
            monkeypatch.setattr("explorer.runs.journal.time.perf_counter", lambda t=second: t)
            pace.update(step)
        return pace.left(1000)

    return left


def test_the_pace_of_even_steps_is_exact(paced):
    assert paced([(100.0, 10)]) == {"rate": None, "eta": None}
    even = paced([(100 + 0.5 * i, 10 * i) for i in range(1, 5)])
    assert even == {"rate": pytest.approx(20), "eta": pytest.approx(48)}


def test_a_first_burst_or_stall_weighs_no_more_than_it_took(paced):
    """20 steps in 60 ms, or 1 in 200 ms, then 100 steps a second."""
    slow = [(100.06 + 0.1 * i, 20 + 10 * i) for i in range(1, 5)]
    burst = paced([(100.0, 0), (100.06, 20), *slow])["rate"]
    assert 100 < burst < 60 / 0.46, "at most the mean since the start"
    stall = paced([(100.0, 0), (100.2, 1), *((t + 0.14, s - 19) for t, s in slow)])["rate"]
    assert 41 / 0.6 < stall < 100


def test_the_pace_is_that_of_the_last_second(paced):
    looks = [(100 + 0.1 * i, 100 * i) for i in range(50)]  # 1000 a second, then 10
    slow = [(104.9 + 0.1 * i, 4900 + i) for i in range(1, 60)]
    assert paced([*looks, *slow])["rate"] == pytest.approx(10, rel=0.5)


def test_who_looks_late_at_a_run_hears_its_pace_at_once(store, monkeypatch):
    """Of a run on the command line nobody may have asked before."""

    def watched_late(self, snapshot):
        self.watched = time.time() if snapshot.step >= 150 else 0.0

    monkeypatch.setattr(execution.Execution, "_requested_status", watched_late)
    monkeypatch.setattr(execution, "FRAME_SECONDS", 0.0)
    monkeypatch.setattr("explorer.runs.journal.PACE_LEAST", 0.0)
    told = []
    monkeypatch.setattr(store, "publish", lambda _, frame: told.append(frames.unpack(frame)[0]))
    trained(store, SPEC)
    assert told[0]["step"] == 150 and told[0]["rate"] > 0 and told[0]["eta"] > 0


@pytest.mark.usefixtures("checkpoints_at_every_step")
def test_checkpoints_change_nothing(store, undisturbed):
    assert_same(store.read(trained(store, SHORT).run), undisturbed[SHORT.steps])


def test_being_watched_changes_nothing(store, undisturbed):
    run = store.create(SPEC)
    store.watch(run)
    with store.claim("cpu") as lease:
        execute(store, lease.row, on_progress=lambda _: store.watch(run))
    assert_same(store.read(run), undisturbed[SPEC.steps])
    seq, frame = store.live(run)
    header, arrays = frames.unpack(frame)
    assert seq > 1 and (header["kind"], header["step"]) == ("frame", 200)
    np.testing.assert_array_equal(arrays["loss_step"], store.read(run).steps[-200:])
    assert arrays["eval_step"][-1] == 200 and arrays["rho_hat"].shape == (48, 48)


@pytest.mark.usefixtures("checkpoints_where_it_pauses")
@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
@given(pauses=st.sets(st.integers(1, 56), min_size=1, max_size=4))
@example(pauses=BETWEEN_ROWS)
def test_pauses_anywhere_change_nothing(tmp_path_factory, undisturbed, pauses):
    store = Store(tmp_path_factory.mktemp("pauses"))
    run, before = store.create(SHORT), ()
    for pause in sorted(pauses):
        store.save(run, pause_at=pause)
        row = resumed(store, run)
        assert (row.status, row.step, row.pause_at) == ("paused", pause, None)
        assert files_of(store, run) == named(*before, pause)
        before = (pause,)
    assert resumed(store, run).status == "finished"
    assert_same(store.read(run), undisturbed[SHORT.steps])


def test_a_pause_asked_for_at_the_last_step_is_the_end(store):
    run = store.create(amended(SPEC, steps=2))
    store.save(run, pause_at=2)
    assert resumed(store, run).status == "finished"


def test_a_run_travels_in_the_middle_and_goes_on_elsewhere(store, tmp_path, undisturbed):
    run = store.create(SHORT)
    store.save(run, pause_at=17)
    resumed(store, run)
    there = Store(tmp_path / "there")
    moved = archive.import_(there, archive.export(store, run))
    resumed(there, moved)
    assert_same(there.read(moved), undisturbed[SHORT.steps])


# Kills


def test_killed_in_the_middle_and_resumed_it_is_bit_identical(store, undisturbed):
    run = store.create(SPEC)
    with process(work(run), store.home) as worker:
        wait_until(lambda: store.get(run).step > 20)
        worker.kill()
    row = store.get(run)
    assert row.status == "interrupted" and 20 < row.step < SPEC.steps
    assert resumed(store, run).status == "finished"
    assert_same(store.read(run), undisturbed[SPEC.steps])
    assert files_of(store, run) == ["checkpoint-200.safetensors"]


class Killed(BaseException):
    """Nothing in the loop catches it."""


def killed_when(monkeypatch, owner, name, at_step_20):
    """Let a function of the loop be the last one that is called, at step 20."""
    original = getattr(owner, name)

    def cut(*args, **columns):
        if at_step_20(*args, **columns):
            raise Killed
        return original(*args, **columns)

    monkeypatch.setattr(owner, name, cut)


SEAMS = {  # the step of the pair that stays, and the call that never happens
    "before the file": (19, checkpoints, "write", lambda _, state, __: int(state["step"]) == 20),
    "between file and transaction": (
        19,
        Store,
        "save",
        lambda *_, **columns: columns.get("step") == 20,
    ),
    "between transaction and tidying": (
        20,
        checkpoints,
        "tidy",
        lambda _, keep, **__: keep == "checkpoint-20.safetensors",
    ),
}


@pytest.mark.usefixtures("checkpoints_at_every_step")
@pytest.mark.parametrize(("step", "owner", "name", "at"), SEAMS.values(), ids=SEAMS.keys())
def test_killed_at_every_seam_of_a_checkpoint(
    store, undisturbed, monkeypatch, step, owner, name, at
):
    run = store.create(SHORT)
    with monkeypatch.context() as patch, pytest.raises(Killed):
        killed_when(patch, owner, name, at)
        resumed(store, run)
    goes_on_as_if_undisturbed(store, run, step, undisturbed[SHORT.steps])


KILLED_IN_THE_FILE = """
def cut(source, target, replace=os.replace):
    if 'checkpoint-20.' in str(target):
        os._exit(9)
    replace(source, target)
os.replace = cut
"""


def test_killed_while_the_file_is_written(store, undisturbed):
    """A real end of the process: no clean-up of the temporary file."""
    run = store.create(SHORT)
    with process(KILLED_IN_THE_FILE + work(run), store.home) as worker:
        assert worker.wait(60) == 9
    assert len(files_of(store, run)) == 3
    goes_on_as_if_undisturbed(store, run, 19, undisturbed[SHORT.steps])


def goes_on_as_if_undisturbed(store, run, step, reference):
    """Row and file are the pair of one step, and the run goes on from it."""
    row = store.get(run)
    assert (row.status, row.step) == ("interrupted", step)
    assert row.checkpoint == f"checkpoint-{step}.safetensors" in files_of(store, run)
    assert store.read(run).steps[-1] <= step
    left = []
    resumed(store, run, on_progress=lambda _: left.append(files_of(store, run)))
    assert left[0] == named(step - 1, step), "the rest is gone from the start"
    assert_same(store.read(run), reference)
    assert files_of(store, run) == ["checkpoint-57.safetensors"]


@pytest.mark.usefixtures("checkpoints_at_every_step")
@pytest.mark.parametrize("lost", ["the last file", "the last commits"])
def test_a_power_cut_costs_a_checkpoint_and_not_the_run(store, undisturbed, monkeypatch, lost):
    """The disk has lost the last file, or SQLite the transactions that it had not flushed."""
    run = store.create(SHORT)
    kept, save = {}, Store.save

    def remember(own, run, *rows, **columns):
        kept[columns.get("step")] = {path: path.read_bytes() for path in log_of(store)}
        if columns.get("step") == 30:
            raise Killed
        return save(own, run, *rows, **columns)

    with store.idle_connection(), monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(Store, "save", remember)
        resumed(store, run)
    if lost == "the last file":
        (store.folder(run) / "checkpoint-29.safetensors").write_bytes(b"")
    else:
        for path, data in kept[29].items():  # as before the commit that named it
            path.write_bytes(data)
    assert store.get(run).step == (29 if lost == "the last file" else 28)
    left = []
    resumed(store, run, on_progress=lambda progress: left.append(progress.step))
    assert left[0] == 29, "from the checkpoint of step 28"
    assert_same(store.read(run), undisturbed[SHORT.steps])


def log_of(store):
    return sorted(store.home.glob("store.sqlite3*"))


def test_a_checkpoint_goes_only_when_the_row_of_the_next_one_is_on_the_disk(store, monkeypatch):
    """Every commit is followed by a flush of the log before a file is removed."""
    calls = []
    for owner, name in ((Store, "save"), (Store, "flush"), (Path, "unlink")):
        original = getattr(owner, name)

        def heard(own, *rest, name=name, original=original, **more):
            if name != "unlink" or checkpoints.NAME.fullmatch(own.name):
                calls.append(name)
            return original(own, *rest, **more)

        monkeypatch.setattr(owner, name, heard)
    monkeypatch.setattr(execution, "CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr(execution, "CHECKPOINT_SHARE", float("inf"))
    trained(store, amended(SPEC, steps=8))
    assert " ".join(calls) == " ".join(
        ["save flush"] * 2 + ["save flush unlink"] * 5 + ["save flush unlink unlink"]
    ), "the last two stay, and of a finished run the last"


def test_without_a_checkpoint_it_starts_anew(store, undisturbed):
    run = store.create(SHORT)
    with store.claim("cpu"):
        store.save(run, [(1, 9.0), (2, 9.0)], [(2, 9.0, 9.0, 9.0, b"")], step=2)
    assert store.get(run).status == "interrupted"
    resumed(store, run)
    assert_same(store.read(run), undisturbed[SHORT.steps])


def test_a_run_interrupted_after_its_last_step_only_finishes(store, undisturbed):
    row = trained(store, SHORT)
    store.save(row.run, status="interrupted", metrics=None)
    resumed(store, row.run)
    assert_same(store.read(row.run), undisturbed[SHORT.steps])


# What goes wrong


@pytest.mark.usefixtures("checkpoints_at_every_step")
def test_a_diverged_run_keeps_its_last_good_checkpoint(store):
    row = trained(store, EXPLODES)
    assert row.status == "diverged" and "lower lr (now 1000)" in row.message
    name = f"checkpoint-{row.step - 1}.safetensors"
    assert row.step > 2 and row.checkpoint == name
    assert files_of(store, row.run) == named(row.step - 2, row.step - 1)
    state, _ = checkpoints.read(store.folder(row.run) / name)
    assert checkpoints.is_finite(state) and int(state["step"]) == row.step - 1
    record = store.read(row.run)
    assert np.isfinite(record.losses).all() and record.steps[-1] <= row.step
    assert row.metrics is None


def test_a_state_that_is_not_finite_is_never_written(store, monkeypatch):
    """The loss is still finite at the step whose update breaks the weights."""
    monkeypatch.setattr(execution, "CHECKPOINT_SECONDS", 0.0)
    state_of = execution.Snapshot.state

    def broken(snapshot):
        state = state_of(snapshot)
        if snapshot.step == 5:
            state["weights.W_Q"][0, 0, 0] = float("inf")
        return state

    monkeypatch.setattr(execution, "CHECKPOINT_SHARE", float("inf"))
    monkeypatch.setattr(execution.Snapshot, "state", broken)
    row = trained(store, SHORT)
    assert (row.status, row.step, row.checkpoint) == ("diverged", 5, "checkpoint-4.safetensors")


def test_an_unexpected_error_is_a_line_in_the_row_and_a_traceback_in_the_log(store, monkeypatch):
    def fail(*_, **__):
        raise ZeroDivisionError("by design\nand more")

    monkeypatch.setattr(execution, "target_of", fail)
    row = trained(store, SHORT)
    assert (row.status, row.message) == ("failed", "ZeroDivisionError: by design")
    assert "Traceback" in store.log_path(row.run).read_text()
    monkeypatch.undo()
    row = resumed(store, row.run)
    assert (row.status, row.message) == ("finished", "")


def test_a_missing_grid_is_a_readable_failure(store):
    row = trained(store, amended(SHORT, grid="a" * 64, rank=None))
    assert row.status == "failed" and "upload" in row.message and "Error" not in row.message


def test_a_damaged_checkpoint_is_a_readable_failure(store):
    run = store.create(SHORT)
    store.save(run, pause_at=3)
    path = store.folder(run) / resumed(store, run).checkpoint
    good = path.read_bytes()
    for data, says in ((b"x" * 100, "damaged"), (None, "missing")):
        path.unlink() if data is None else path.write_bytes(data)
        row = resumed(store, run)
        assert row.status == "failed" and says in row.message and path.name in row.message
        assert str(store.home) not in row.message, "which is nobody's to know"
    path.write_bytes(good)
    assert resumed(store, run).status == "finished"


def test_a_log_older_than_its_checkpoints_goes_on_from_the_newest_whole_one(store, undisturbed):
    """As when the database is brought back from an earlier copy, or its log was cut: the checkpoint
    that the row names has gone, later ones are there, the last of them damaged."""
    run = store.create(SHORT)

    def to(step):
        store.save(run, pause_at=step)
        return store.folder(run) / resumed(store, run).checkpoint

    to(3)
    with closing(sqlite3.connect(":memory:")) as earlier:
        with closing(sqlite3.connect(store.path)) as now:
            now.backup(earlier)
        to(10), to(20)
        whole = to(30).read_bytes()
        damaged = to(40)
        damaged.write_bytes(damaged.read_bytes()[:-1])
        with closing(sqlite3.connect(store.path)) as now:
            earlier.backup(now)
    (store.folder(run) / checkpoints.file_name(30)).write_bytes(whole)
    assert store.get(run).checkpoint == checkpoints.file_name(3)
    assert (
        checkpoints.last(store.folder(run), checkpoints.file_name(3))[0]
        == "checkpoint-30.safetensors"
    )
    store.save(run, pause_at=None)
    row = resumed(store, run)
    assert (row.status, row.metrics) == ("finished", undisturbed[SHORT.steps].row.metrics)


def test_a_checkpoint_of_another_shape_is_a_readable_failure(store):
    run = store.create(SHORT)
    other = next(iter(train(amended(SHORT, m_h=5)))).state()
    checkpoints.write(store.folder(run), other, {})
    store.save(run, checkpoint="checkpoint-1.safetensors")
    row = resumed(store, run)
    assert row.status == "failed" and "W_" in row.message and "must be" in row.message


FULL_DISK = """
import resource
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
def full(folder, state, carry, write=checkpoints.write):
    if int(state['step']) == 20:
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, resource.RLIM_INFINITY))
    try:
        return write(folder, state, carry)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
checkpoints.write = full
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs RLIMIT_FSIZE")
def test_a_full_disk_fails_the_run_and_leaves_the_last_checkpoint(store, undisturbed):
    run = store.create(SHORT)
    with process(FULL_DISK + work(run) + "print(row.status)", store.home) as worker:
        assert worker.communicate(timeout=60)[0].strip() == "failed"
    row = store.get(run)
    assert "full" in row.message and "free some space" in row.message
    assert row.checkpoint == "checkpoint-19.safetensors"
    assert files_of(store, run) == named(18, 19)
    resumed(store, run)
    assert_same(store.read(run), undisturbed[SHORT.steps])


# Ctrl-C


@pytest.mark.skipif(os.name == "nt", reason="needs os.kill with SIGINT")
@pytest.mark.parametrize(("times", "step"), [(1, 2), (2, 0)])
def test_ctrl_c_stops_with_a_checkpoint_and_twice_without(store, undisturbed, times, step):
    def press(_):
        for _ in range(times):
            os.kill(os.getpid(), signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    assert before is signal.default_int_handler
    row = trained(store, SHORT, on_progress=press)
    assert (row.status, row.step) == ("stopped", step)
    assert signal.getsignal(signal.SIGINT) is before
    resumed(store, row.run)
    assert_same(store.read(row.run), undisturbed[SHORT.steps])


def test_checkpoints_come_in_time_and_take_little_of_it(store, monkeypatch):
    """By a clock of our own: 0.5 s a step, 1 s a checkpoint. The first comes after 2 s; later ones
    after 20 s, so that training keeps 95 % of the time."""
    now, written = [0.0], []
    add = execution.Journal.add

    def slow_step(journal, snapshot):
        now[0] += 0.5
        add(journal, snapshot)

    def slow_write(folder, state, carry):
        now[0] += 1.0
        written.append(int(state["step"]))
        return checkpoints.file_name(written[-1])

    monkeypatch.setattr(execution.time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(execution.Journal, "add", slow_step)
    monkeypatch.setattr(execution.checkpoints, "write", slow_write)
    row = trained(store, amended(SPEC, steps=100))
    assert written == [5, 46, 87, 100]
    assert row.seconds == 100 * 0.5 + 4 * 1.0
