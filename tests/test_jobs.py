"""Jobs: what a page asks of a worker beside runs, how it is done, stopped and gone on with."""

from dataclasses import replace

import numpy as np
import pytest
from stores import worked

from explorer.pretrained import fetch
from explorer.pretrained.seen import Input
from explorer.runs import frames, job_runner, jobs, sweep_rows, worker
from explorer.runs.execute import execute
from explorer.runs.store import Store
from explorer.spec import CouplingSpec, full_json, spec_id
from explorer.targets import parse_sweep, target_of
from explorer.theory.floor import truncation_floor
from explorer.theory.sweep import designs

TINY = {"tau": 4, "n": 8, "d_v": 8, "m_ff": 16, "batch": 8, "warmup": 5, "steps": 20}
SWEEP = parse_sweep(TINY | {"m_h": [1, 2], "rank": [2, None], "seed": [0, 1]})


def asked(store, kind="sweep", sweep=SWEEP):
    return jobs.ask(store, kind, spec_id(sweep), full_json(sweep))


def test_a_job_asked_for_twice_is_one_job():
    store = Store()
    assert asked(store) == asked(store) == f"sweep-{spec_id(SWEEP)}"
    assert jobs.waiting(store) == [asked(store)]
    assert jobs.get(store, "sweep-unknown") is None


def test_a_sweep_is_trained_and_its_rows_are_kept():
    store = Store()
    asked(store)
    job = worked(store)
    assert (job.status, job.done, job.total) == ("finished", 8, 8)
    assert len(sweep_rows.read(store, spec_id(SWEEP))) == 8
    asked(store)
    assert jobs.waiting(store) == []  # it is there


def test_a_stopped_sweep_goes_on_where_it_stopped(monkeypatch):
    store, heard = Store(), []
    monkeypatch.setattr(job_runner, "POLL_SECONDS", 0.0)
    stepped = job_runner.JobContext.on_step

    def counted(owner, unit, step, steps, losses):
        heard.append(step)
        if len(heard) == 30:
            jobs.stop(store, owner.job.job)
        stepped(owner, unit, step, steps, losses)

    monkeypatch.setattr(job_runner.JobContext, "on_step", counted)
    asked(store)
    job = worked(store)
    assert (job.status, job.done, len(heard)) == ("stopped", 2, 30)
    assert job.message == "2 models stopped at step 10 of 20; training goes on from there"
    asked(store)
    job = worked(store)
    assert (job.status, job.done, job.began_with) == ("finished", 8, 2)
    assert heard == [*range(1, 21)] * 4, "each step of the four units once"


def test_a_sweep_whose_process_leaves_waits_and_goes_on_at_the_next_start(monkeypatch):
    store = Store()
    monkeypatch.setattr(job_runner, "POLL_SECONDS", 0.0)
    asked(store)
    job, lock = jobs.claim(store)
    polls = iter(range(1000))
    job_runner.run_job(store, job, "cpu", leaves=lambda: next(polls) > 30)
    lock.release()
    left = jobs.get(store, job.job)
    assert (left.status, left.message) == ("queued", "") and 0 < left.done < 8
    assert worked(store).status == "finished"


def test_a_queued_job_can_be_stopped():
    store = Store()
    jobs.stop(store, asked(store))
    assert jobs.get(store, asked(store)).status == "queued"  # asked again
    jobs.stop(store, f"sweep-{spec_id(SWEEP)}")
    assert jobs.waiting(store) == [] and jobs.claim(store) is None


def test_who_dies_leaves_an_interrupted_job_that_can_be_asked_for_again():
    store = Store()
    asked(store)
    job, lock = jobs.claim(store)
    assert jobs.get(store, job.job).status == "running"
    assert jobs.claim(store) is None
    lock.release()  # as the kernel does for a process that is gone
    assert jobs.get(store, job.job).status == "interrupted"
    assert asked(store) in jobs.waiting(store)


def test_a_job_that_fails_says_why():
    store = Store()
    jobs.ask(store, "surgery", "0123456789ab-1", "0123456789ab-1/checkpoint-1.safetensors")
    job = worked(store)
    assert job.status == "failed" and "no trained network" in job.message


def test_losses_are_shown_while_a_sweep_trains(monkeypatch):
    store, seen = Store(), []
    monkeypatch.setattr(job_runner, "FRAME_SECONDS", 0.0)
    publish = Store.publish
    monkeypatch.setattr(Store, "publish", lambda *said: (seen.append(said[1:]), publish(*said))[0])
    name = asked(store)
    worked(store)
    assert {run for run, _ in seen} == {name} and len(seen) == 4 * 20
    header, arrays = frames.unpack(seen[0][1])
    assert (header["step"], header["steps"]) == (1, 20)
    assert [m["m_h"] for m in header["members"]] == [1, 2]
    assert np.all(arrays["loss"] > 0)
    assert store.live(name) is None  # over


def test_a_waiting_run_goes_before_a_job_and_does_not_disturb_it(monkeypatch):
    store = Store()
    run = store.create(CouplingSpec(**TINY))
    asked(store)
    assert worker.work_once(store, "cpu")
    assert store.get(run).status == "finished" and jobs.waiting(store)
    monkeypatch.setattr(job_runner, "POLL_SECONDS", 0.0)
    late, stepped = [], job_runner.JobContext.on_step

    def meanwhile(owner, unit, step, steps, losses):
        if step == 7 and not late:
            late.append(store.create(CouplingSpec(**TINY, seed=5)))
        stepped(owner, unit, step, steps, losses)
        if step == 8 and len(late) == 1:
            late.append(store.get(late[0]).status)

    slot = store.slot("cpu", 1)  # that of the job, on a machine with one
    monkeypatch.setattr(job_runner.devices, "capacity", lambda kind: 1)
    monkeypatch.setattr(job_runner.JobContext, "on_step", meanwhile)
    assert worked(store).status == "finished" and late[1] == "finished"
    slot[1].release()


def test_short_jobs_are_left_to_their_own_worker():
    store = Store()
    long = asked(store)
    short = jobs.ask(store, "look", "a", Input("smollm2", "ab").json())
    assert jobs.waiting(store) == [long, short]
    assert jobs.waiting(store, lane="short") == [short]
    assert jobs.waiting(store, lane="training") == [long]
    slot = store.slot("cpu", 1)  # something is trained on all that there is
    assert worker.answer_once(store, "cpu") and not worker.answer_once(store, "cpu")
    assert "models fetch" in jobs.get(store, short).message
    slot[1].release()
    assert jobs.get(store, long).status == "queued"
    assert worker.work_once(store, "cpu") and jobs.get(store, long).status == "finished"
    jobs.ask(store, "look", "a", Input("smollm2", "ab").json())
    assert not worker.work_once(store, "cpu") and jobs.waiting(store) == [short]


def test_models_come_beside_what_is_trained(monkeypatch):
    """A model that comes waits for no training, nor a look at another for it, and no queued run is
    trained by who brings it."""
    store = Store()
    slot = store.slot("cpu", 1)  # something is trained on all that there is
    monkeypatch.setattr(job_runner.devices, "capacity", lambda kind: 1)
    monkeypatch.setattr(job_runner, "POLL_SECONDS", 0.0)
    run = store.create(CouplingSpec(**TINY))
    brought = jobs.ask(store, "fetch", "vit-0.1.1", "vit")
    assert jobs.waiting(store, "bring") == [brought] and not jobs.waiting(store, "short")

    def does(folder, model, on_progress):
        for done in (1, 2, 3):
            on_progress(done, 3)
        return folder

    monkeypatch.setattr(fetch, "fetch", does)
    assert not worker.answer_once(store, "cpu", "short")
    assert worker.answer_once(store, "cpu", "bring")
    assert jobs.get(store, brought).status == "finished"
    assert store.get(run).status == "queued"
    slot[1].release()


def test_every_kind_of_job_has_a_worker():
    assert {jobs.lane_of(kind) for kind in job_runner.RUNNERS} == {"training", *jobs.BESIDE}
    assert not {kind for kinds in jobs.BESIDE.values() for kind in kinds} - set(job_runner.RUNNERS)


def test_an_optimum_is_no_worse_than_the_truncation_and_goes_on_from_its_parts():
    store = Store()
    name = asked(store, "optimum")
    job, lock = jobs.claim(store)
    first = {"alpha": 1.0, "rank": 2, "m_h": 1, "nmse": 0.125, "mae": 0.5}
    jobs.report_progress(store, name, 1, 3, [first])
    jobs.end(store, name, "stopped")
    lock.release()
    asked(store, "optimum")
    job = worked(store)
    assert job.status == "finished" and job.result[0] == first
    found = {(cell["rank"], cell["m_h"]): cell["nmse"] for cell in job.result}
    assert sorted(found, key=str) == sorted([(2, 1), (None, 1), (None, 2)], key=str)
    target = target_of(designs(SWEEP)[1.0, None])
    floor = truncation_floor(target, [1, 2], samples=4096).nmse
    assert found[None, 1] < floor[0] and found[None, 2] < found[None, 1]


def test_surgery_of_a_run_ends_with_its_own_errors():
    store = Store()
    store.create(CouplingSpec(**TINY, m_h=3, rank=2))
    with store.claim("cpu") as lease:
        row = execute(store, lease.row)
    jobs.ask(store, *jobs.surgery_of(row))
    job = worked(store)
    assert job.status == "finished" and job.result["k"] == [1, 2, 3]
    assert job.result["nmse"][-1] == pytest.approx(row.metrics["nmse"], rel=1e-3)


def test_surgery_follows_a_run_that_goes_on():
    """What was cut of a paused run is not what is cut of it later, and a late worker says so."""
    store = Store()
    run = store.create(CouplingSpec(**TINY | {"steps": 200}, m_h=3, rank=2))
    store.request(run, "pause")
    store.request(run, "step")
    with store.claim("cpu") as lease:
        early = execute(store, lease.row)
    first = jobs.ask(store, *jobs.surgery_of(early))
    cut = worked(store).result["nmse"][-1]
    jobs.ask(store, *jobs.surgery_of(replace(early, checkpoint="checkpoint-0.safetensors")))
    late = worked(store)
    assert late.status == "failed" and "has gone on to step" in late.message
    with store.take(run, "cpu") as lease:
        whole = execute(store, lease.row)
    assert (early.status, early.step, whole.step) == ("paused", 1, 200)
    second = jobs.ask(store, *jobs.surgery_of(whole))
    assert second != first and jobs.waiting(store) == [second]
    uncut = worked(store).result["nmse"][-1]
    assert uncut == pytest.approx(whole.metrics["nmse"], rel=1e-3)
    assert uncut != pytest.approx(cut, rel=1e-3)
