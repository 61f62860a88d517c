"""Runs of a store for tests: small specifications, trained, or as training would leave them."""

import json

import numpy as np

from explorer.runs import frames, job_runner, jobs, layout
from explorer.runs.execute import execute
from explorer.runs.store import Store
from explorer.spec import CouplingSpec, amended, spec_id
from explorer.targets import PRESETS

TINY = CouplingSpec(rank=2, m_h=2, tau=4, n=8, d_v=8, m_ff=16, batch=8, warmup=10, steps=60)
"""A coupling that a test can train."""
SMALL = {"tau": 6, "n": 8, "d_v": 3, "m_h": 2, "m_ff": 12, "batch": 6, "steps": 20, "warmup": 5}
"""Fields of a linear target, or of an altered coupling, that a test can train."""
ALTERED_COUPLING = PRESETS["prop62"][1]


def trained(spec, store=None, **options):
    """Train a new run of a specification in this process, until it ends or rests; its row then."""
    store = store or Store()
    with store.start(spec, "cpu") as lease:
        return execute(store, lease.row, **options)


def worked(store=None):
    """The next job of a store, done as by a worker of this process; its row then."""
    store = store or Store()
    job, lock = jobs.claim(store)
    job_runner.run_job(store, job, "cpu")
    lock.release()
    return jobs.get(store, job.job)


def meanwhile(monkeypatch, module, name):
    """A worker does its next job right after the first call of a function."""
    function = getattr(module, name)

    def called(*args):
        result = function(*args)
        monkeypatch.setattr(module, name, function)
        worked()
        return result

    monkeypatch.setattr(module, name, called)


def picture(spec, step, nmse):
    look = {
        "rho_hat": np.full((48, 48), 0.5),
        "sigma_hat": np.arange(spec.m_h, 0, -1.0),
        "angles": np.array([30.0, -1.0]),
        "attention": np.full((spec.tau, spec.tau), 1 / spec.tau),
        "tokens": np.zeros(spec.tau),
    }
    return frames.pack({"step": step, "nmse": nmse, "mse": nmse, "mae": nmse}, look)


def filled(store, status="finished", name="", nmse=0.01, **changes):
    """A run of the store as training would leave it, without training."""
    spec = amended(TINY, **changes)
    step = spec.steps if status == "finished" else 30
    with store.start(spec, "cpu", name=name) as lease:
        run = lease.row.run
        curve = [(at, 1 / at) for at in range(1, step + 1)]
        kept = [(at, err, err, err, picture(spec, at, err)) for at, err in ((1, 1.0), (step, nmse))]
        errors = {"nmse": nmse, "mse": nmse, "mae": nmse, "r2": 1 - nmse}
        metrics = json.dumps(errors | {"weights_sha256": "ab" * 32})
        ended = {"metrics": metrics} if status == "finished" else {}
        store.save(run, curve, kept, step=step, status=status, **ended)
    return run


def rows_of(sweep, law):
    """Made-up rows: `law` of a member is its nMSE at seed 0; further seeds do worse."""
    return tuple(
        {
            "alpha": m.alpha,
            "rank": m.rank,
            "m_ff": m.m_ff,
            "seed": m.seed,
            "m_h": m.m_h,
            "nmse": law(m) * (1 + m.seed),
            "mae": law(m) ** 0.5 * (1 + m.seed),
            "device": "cpu",
            "sigma": [1 / k for k in range(1, m.m_h + 1)],
            "spec_id": spec_id(m),
            "surgery": {"nmse": [0.2] * (m.m_h - 1), "mae": [0.3] * (m.m_h - 1)}
            if m.m_h == max(sweep.m_h) > 1
            else None,
        }
        for m in sweep.members()
    )


def each_tensor_counts(spec, state):
    """Whichever of a checkpoint is missing, of another shape or of another type is named."""
    for name, value in state.items():
        for wrong in (None, value[None], value.double()):
            broken = {key: held for key, held in state.items() if key != name}
            broken |= {} if wrong is None else {name: wrong}
            problem = layout.problem(spec, broken)
            assert problem and (name in problem or name == "loss"), name
