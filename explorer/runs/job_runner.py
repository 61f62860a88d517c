"""What a worker does for a job; a run that is queued meanwhile goes before it."""

import json
import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from explorer.coupling import FormulaError
from explorer.pretrained import bring, fetch, orders, probe
from explorer.pretrained.catalogue import ModelError
from explorer.pretrained.own import thing_named
from explorer.pretrained.seen import Cutting, Input, Reordering
from explorer.runs import brought, checkpoints, devices, jobs, looks, reordered, sweeps
from explorer.runs.database import StoreError
from explorer.runs.execute import execute
from explorer.runs.frames import pack
from explorer.runs.jobs import Job
from explorer.runs.quota import LimitError
from explorer.runs.resumable import Stopped
from explorer.runs.store import Store
from explorer.spec import coupling_spec
from explorer.targets import KINDS, coupling_sweep, parse_sweep, target_of
from explorer.theory.architectures.race import Race
from explorer.theory.design import Design
from explorer.theory.optimum import optimal_kernel
from explorer.theory.relation import Relation
from explorer.theory.sweep import designs
from explorer.training import Ensemble, heads, rank_surgery
from explorer.training.race import Training

POLL_SECONDS = 0.1  # between two looks at commands and at the queue of runs
FRAME_SECONDS = 0.25
MEGA = 10**6
RESUMABLE = ("sweep", "optimum", "race", "heads")
KERNEL_DIGITS = 4  # of what is drawn while it is raced
OPTIMUM_SAMPLES = 1024  # sequences behind a rank-optimal kernel


def run_job(
    store: Store,
    job: Job,
    device: str,
    give_way: Callable[[], bool] | None = None,
    leaves: Callable[[], bool] = lambda: False,
) -> None:
    """Do a job whose lock the caller holds; how it ended stands in its row.

    Where `give_way` says that others have waited long enough, one that can go on where it is waits
    again; without it a run that waits is trained in between. Once the process `leaves`, every one
    waits again.
    """
    context = JobContext(store, job, device, give_way, leaves)
    try:
        result = RUNNERS[job.kind](context)
    except Stopped:
        status, stand = ("queued", "") if context.gave_way else ("stopped", context.stand)
        jobs.end(store, job.job, status, stand)
    except (LimitError, ModelError, FormulaError) as error:  # says what to do
        jobs.end(store, job.job, "failed", str(error)[:500])
    except StoreError:
        raise
    except Exception as error:
        jobs.end(store, job.job, "failed", f"{type(error).__name__}: {error}"[:500])
    else:
        jobs.end(store, job.job, "finished", result=result)


class JobContext:
    """A job at work: the progress it reports, the commands and waiting runs it polls for."""

    def __init__(
        self,
        store: Store,
        job: Job,
        device: str,
        give_way: Callable[[], bool] | None = None,
        leaves: Callable[[], bool] = lambda: False,
    ):
        self.store, self.job, self.device = store, job, device
        self.give_way, self.leaves, self.gave_way = give_way, leaves, False
        self.polled = self.published = 0.0
        self.losses, self.steps = torch.zeros(()), 0  # summed since the last frame
        self.stand = ""
        """Where the unit at work is, in words."""

    def report_progress(self, done: int, total: int, result: Any = None) -> None:
        """Write the progress into the job's row, and poll."""
        self.stand = ""
        jobs.report_progress(self.store, self.job.job, done, total, result)
        self.poll()

    def poll(self) -> None:
        """Raise Stopped where a page asks for it; train a queued run that no other slot is free
        for."""
        if not self.poll_commands():
            return
        turn_is_over = self.give_way is not None and self.job.kind in RESUMABLE and self.give_way()
        if self.leaves() or turn_is_over:
            self.gave_way = True
            raise Stopped
        alone = self.give_way is None and jobs.lane_of(self.job.kind) == "training"
        if alone and self.store.waiting() and not self._another_slot_free():
            self._yield_to_queued_run()
        self.polled = time.perf_counter()

    def poll_commands(self) -> bool:
        """Raise Stopped where a page asks for it; False where it was looked up just before."""
        now = time.perf_counter()
        if now - self.polled < POLL_SECONDS:
            return False
        if jobs.stopped(self.store, self.job.job):
            raise Stopped
        self.polled = now
        return True

    def _another_slot_free(self) -> bool:
        kind = self.device.partition(":")[0]
        slot = self.store.slot(kind, devices.capacity(kind))
        if slot:
            slot[1].release()
        return slot is not None

    def _yield_to_queued_run(self) -> None:
        if lease := self.store.claim(self.device):
            with lease:
                execute(self.store, lease.row, device=self.device, give_way=self.leaves)

    def on_step(self, unit: sweeps.Unit, step: int, steps: int, losses: Tensor) -> None:
        """A step of a unit: the mean losses since the last frame are shown a few times a second."""
        self.losses, self.steps = self.losses + losses, self.steps + 1
        models = f"{len(unit.members)} model{'s' * (len(unit.members) > 1)}"
        self.stand = f"{models} stopped at step {step} of {steps}; training goes on from there"
        now = time.perf_counter()
        if now - self.published >= FRAME_SECONDS:
            self._publish(unit, step, steps)
            self.losses, self.steps, self.published = torch.zeros(()), 0, now
        self.poll()

    def _publish(self, unit: sweeps.Unit, step: int, steps: int) -> None:
        losses = (self.losses / self.steps).cpu().numpy()
        swept = set(KINDS[unit.members[0].target].Sweep.swept)
        members = [member.model_dump(include=swept) for member in unit.members]
        header = {"kind": "sweep", "step": step, "steps": steps, "members": members}
        self.store.publish(self.job.job, pack(header, {"loss": np.nan_to_num(losses, nan=-1.0)}))


def _sweep(context: JobContext) -> None:
    """Train what is missing of a sweep; its rows are the result."""
    sweep = parse_sweep(context.job.subject)
    sweeps.run(
        context.store,
        sweep,
        device=context.device,
        on_rows=context.report_progress,
        on_step=context.on_step,
    )


def _optimum(context: JobContext) -> list[dict[str, Any]]:
    """Errors of the rank-optimal kernel for each target of a sweep and each width below its rank:
    alpha, rank, m_h, nmse, mae."""
    sweep = coupling_sweep(context.job.subject)
    cells = [
        (member, m_h)
        for member in reversed(designs(sweep).values())
        for m_h in sweep.m_h
        if member.rank is None or m_h < member.rank
    ]
    errors: list[dict[str, Any]] = list(context.job.result or ())  # of a job that goes on
    for member, m_h in cells[len(errors) :]:
        context.report_progress(len(errors), len(cells), errors)
        target = Design(member, context.store.grid).target
        best = optimal_kernel(target, [m_h], samples=OPTIMUM_SAMPLES)
        errors.append(
            {
                "alpha": member.alpha,
                "rank": member.rank,
                "m_h": m_h,
                "nmse": float(best.nmse[0]),
                "mae": float(best.mae[0]),
            }
        )
    context.report_progress(len(cells), len(cells), errors)
    return errors


def _surgery(context: JobContext) -> dict[str, Any]:
    """The network of a checkpoint of a run, cut to each rank up to its m_h: k, nmse, mae."""
    run, _, checkpoint = context.job.subject.partition("/")
    row = context.store.get(run)
    if row is None or not row.checkpoint:
        raise ValueError("this run has no trained network in this store")
    if row.checkpoint != checkpoint:
        raise ValueError(f"this run has gone on to step {row.step}: cut it as it is now")
    spec = coupling_spec(row.spec)
    network = Ensemble([spec], [target_of(spec, context.store.grid)], context.device)
    network.load_weights(checkpoints.read(context.store.folder(run) / checkpoint)[0])
    ranks = list(range(1, spec.m_h + 1))
    cut: list[dict[str, float]] = []
    for k in ranks:
        context.report_progress(len(cut), len(ranks))
        cut += rank_surgery(network.recipe, network.member(0), 0, [k])
    return {"k": ranks} | {name: [errors[name] for errors in cut] for name in ("nmse", "mae")}


def _race(context: JobContext) -> list[dict[str, Any]]:
    """Each architecture trained on a kernel, one after the other: the steps at which its seeds
    were measured, their errors, None for one that diverged, and kernels by the step."""
    race = Race.parse(context.job.subject)
    before: list[dict[str, Any]] = context.job.result or []
    rows = before[:-1]  # the last was at work
    shown = 0.0
    for entrant in race.entrants[len(rows) :]:
        row: dict[str, Any] = {"name": entrant.name, "steps": [], "errors": [], "kernels": {}}
        rows.append(row)
        for lap in Training(race, entrant, context.store.grid).laps():
            row["steps"].append(lap.step)
            row["errors"].append(_finite(lap.errors))
            if lap.kernel is not None:
                row["kernels"][lap.step] = _finite(lap.kernel.round(KERNEL_DIGITS))
            context.poll()
            if time.perf_counter() - shown >= FRAME_SECONDS:
                context.report_progress(len(rows) - 1, len(race.entrants), rows)
                shown = time.perf_counter()
    return rows


def _finite(values: np.ndarray) -> list[float | None]:
    return [one if math.isfinite(one) else None for one in values.tolist()]


def _heads(context: JobContext) -> list[dict[str, float]]:
    """Heads of several widths and seeds fitted to a typed relationship: what each is off by."""
    relation, fits = Relation.parse(context.job.subject), heads.fits()
    rows: list[dict[str, float]] = list(context.job.result or ())  # of a job that goes on
    for width, seed in fits[len(rows) :]:
        context.report_progress(len(rows), len(fits), rows)
        rows.append(heads.fitted(relation, width, seed))
    context.report_progress(len(rows), len(fits), rows)
    return rows


def _fetch(context: JobContext) -> dict[str, Any]:
    """A model into the folder of models; done and total are megabytes."""

    def report(done: int, total: int) -> None:
        context.report_progress(done // MEGA, total // MEGA)

    folder = context.store.models
    return {"folder": str(fetch.fetch(folder, thing_named(folder, context.job.subject), report))}


def _import(context: JobContext) -> dict[str, Any]:
    """A model of the user's own, of files that were given, into the folder of models."""
    models, asked = context.store.models, brought.Asked.parse(context.job.subject)
    try:
        model = bring.bring(
            models, brought.folder_of(models, asked), asked.name, context.report_progress
        )
    finally:
        brought.take_away(models, asked)
    return {"model": model.name}


def _look(context: JobContext) -> None:
    """What a model does with an input, into the folder of looks."""
    store, asked = context.store, Input(**json.loads(context.job.subject))
    data = looks.picture(store.home, asked.picture)
    looks.keep(store, asked, probe.looked(store.models, asked, data))


def _cut(context: JobContext) -> dict[str, Any]:
    """What a model says with heads cut; the newest wish need not wait for one that is let go."""
    home, asked = context.store.home, Cutting.parse(context.job.subject)
    data = looks.picture(home, asked.shown.picture)
    return probe.answered(context.store.models, asked, data, context.poll_commands)


def _order(context: JobContext) -> dict[str, Any]:
    """What a model says of its tokens in another order."""
    asked = Reordering.parse(context.job.subject)
    if asked.shown.model in reordered.SHIPPED:
        return reordered.reordered(asked)
    return orders.reordered(context.store.models, asked, context.poll_commands)


RUNNERS: dict[str, Callable[[JobContext], Any]] = {
    "sweep": _sweep,
    "optimum": _optimum,
    "surgery": _surgery,
    "race": _race,
    "heads": _heads,
    "fetch": _fetch,
    "import": _import,
    "look": _look,
    "cut": _cut,
    "order": _order,
}
