"""The kernel in C beside torch's engine and a loop of modules, on one core, in turn."""

from __future__ import annotations

from functools import partial
from statistics import median

import torch

from explorer.bench.ensembles import (
    MODELS,
    PAPER,
    Figures,
    ensemble_of,
    flops,
    one_core,
    sgemm_peak,
    textbook_step,
)
from explorer.bench.numerics import in_turn
from explorer.coupling import coupling_of
from explorer.engine import EngineError, Home, Model, native, wasm
from explorer.spec import CouplingSpec, amended
from explorer.training.ensemble import Ensemble

GOALS = {("adam", 32): "≥ 1.9", ("adam", 8): "≥ 1.9", ("soap", 32): "≥ 1.8", ("soap", 8): "≥ 2.2"}
LOOP = {32: "≥ 2.6", 8: "≥ 4.5"}
ALONE = {"adam": "≥ .9", "soap": "≥ .8"}


def engine() -> Figures:
    """Steps of the paper's size with fresh sequences; 16 models by torch in one batch, by the
    kernel in turn; WebAssembly against torch's single model."""
    torch.set_num_threads(1)
    with one_core():
        peak = sgemm_peak()
        for optimizer, batch in GOALS:
            spec = amended(PAPER, optimizer=optimizer, batch=batch)
            yield from _natively(spec, peak)
            yield from _alone(spec)


def _natively(spec: CouplingSpec, peak: float) -> Figures:
    what = f"{spec.optimizer}, batch {spec.batch}, {MODELS} models: the machine's code against "
    goal = GOALS[spec.optimizer, spec.batch]
    many = ensemble_of(spec, MODELS)
    try:
        ours = [_model(spec, many, model, native()) for model in range(MODELS)]
    except EngineError as error:
        yield what + "torch", str(error), "", goal
        return
    x, y = many.batch()
    loop, stacked, turns = in_turn(
        textbook_step(spec, x[0], y[0]),
        many.advance,
        lambda: [model.advance() for model in ours],
        steps=max(2, 80 // spec.batch),
    )
    step = median(turns) / MODELS
    yield what + "torch", f"{median(stacked) / median(turns):.2f}", "×", goal
    if spec.optimizer == "adam":
        yield what + "an nn.Module loop", f"{median(loop) / step:.2f}", "×", LOOP[spec.batch]
        share = 100 * flops(spec) / step / peak
        yield f"  of the measured sgemm peak, {peak / 1e9:.0f} GFLOP/s", f"{share:.0f}", "%", "≥ 90"
    yield "  steps a second, each model", f"{1 / step:.0f}", "steps/s", ""


def _alone(spec: CouplingSpec) -> Figures:
    """Plain SIMD, as wasmtime compiles it."""
    what = f"{spec.optimizer}, batch {spec.batch}, one model: WebAssembly against torch"
    one = ensemble_of(spec, 1)
    try:
        ours = _model(spec, one, 0, wasm())
    except EngineError as error:
        yield what, str(error), "", ALONE[spec.optimizer]
        return
    torch_, wasm_ = in_turn(one.advance, partial(ours.advance, 1), steps=640 // spec.batch)
    yield what, f"{median(torch_) / median(wasm_):.2f}", "×", ALONE[spec.optimizer]


def _model(spec: CouplingSpec, many: Ensemble, model: int, home: Home) -> Model:
    """One of the models of an ensemble, as it begins."""
    start = {name: weight[0].numpy() for name, weight in many.member(model).items()}
    return Model(many.members[model], coupling_of(spec), home, start)
