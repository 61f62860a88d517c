"""The kernel in C beside torch's engine and a loop of modules, on one core, in turn."""

import base64
import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from statistics import median

import torch

from explorer.bench.ensembles import MODELS, PAPER, ensemble_of, flops, one_core, sgemm_peak
from explorer.bench.numerics import in_turn, ratio, textbook_step
from explorer.bench.serving import Figures
from explorer.coupling import coupling_of
from explorer.engine import EngineError, Home, Model, Units, native, settings_of, wasm
from explorer.engine.home import WASM
from explorer.spec import CouplingSpec, amended
from explorer.training.ensemble import Ensemble
from explorer.ui.components import HERE

GOALS = {("adam", 32): "≥ 1.9", ("adam", 8): "≥ 1.9", ("soap", 32): "≥ 1.8", ("soap", 8): "≥ 2.2"}
LOOP = {32: "≥ 2.6", 8: "≥ 4.5"}
ALONE = {"adam": "≥ .9", "soap": "≥ .8"}
STEPS = 10
"""At a time: SOAP turns its bases once in so many."""
COMPARED = 50
IN_NODE = """
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
const [script, file] = process.argv.slice(1);
const { Kernel } = await import(`data:text/javascript;base64,${readFileSync(script, "base64")}`);
let kernel;
for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line);
  if (kernel) kernel.call("advance", asked);
  else {
    const settings = new Uint8Array(Buffer.from(asked.settings, "base64"));
    const module = new WebAssembly.Module(readFileSync(file));
    kernel = new Kernel(module, settings, new Float32Array(asked.numbers));
  }
  console.log(kernel.call("step_of"));
}
"""
"""The first line begins a model, each other asks for steps."""


def engine() -> Figures:
    """Steps of the paper's size with fresh sequences; 16 models by torch in one batch, by the
    kernel in turn; WebAssembly against torch's single model; and whether their losses agree."""
    with one_core():
        peak = sgemm_peak()
        for optimizer, batch in GOALS:
            spec = amended(PAPER, optimizer=optimizer, batch=batch)
            yield from _natively(spec, peak)
            yield from _alone(spec)
        for home in (native, wasm):
            yield from _apart(home)


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
        _repeated(textbook_step(spec, lambda: (x, y))),
        _repeated(many.advance),
        lambda: [model.advance(STEPS) for model in ours],
        steps=1,
    )
    step = median(turns) / MODELS / STEPS
    yield what + "torch", f"{ratio(stacked, turns):.2f}", "×", goal
    if spec.optimizer == "adam":
        by_loop = MODELS * ratio(loop, turns)
        yield what + "an nn.Module loop", f"{by_loop:.2f}", "×", LOOP[spec.batch]
        share = 100 * flops(spec) / step / peak
        yield f"  of the measured sgemm peak, {peak / 1e9:.0f} GFLOP/s", f"{share:.0f}", "%", "≥ 90"
    yield "  steps a second, each model", f"{1 / step:.0f}", "steps/s", ""


def _alone(spec: CouplingSpec) -> Figures:
    """Plain SIMD, as V8 and wasmtime compile it."""
    what = f"{spec.optimizer}, batch {spec.batch}, one model: WebAssembly against torch, "
    one, goal = ensemble_of(spec, 1), ALONE[spec.optimizer]
    torch_step = _repeated(one.advance)
    if shutil.which("node") is None:
        yield what + "in V8", "no node", "", goal
    else:
        with _in_node(spec) as advance:
            torch_, v8 = in_turn(torch_step, partial(advance, STEPS), steps=1)
        yield what + "in V8", f"{ratio(torch_, v8):.2f}", "×", goal
        yield "  steps a second", f"{STEPS / median(v8):.0f}", "steps/s", ""
    try:
        ours = _model(spec, one, 0, wasm())
    except EngineError as error:
        yield what + "in wasmtime", str(error), "", ""
        return
    torch_, wasm_ = in_turn(torch_step, partial(ours.advance, STEPS), steps=1)
    yield what + "in wasmtime", f"{ratio(torch_, wasm_):.2f}", "×", ""


def _apart(home: Callable[[], Home]) -> Figures:
    """The largest relative difference of a loss from torch's, Adam, from one start."""
    spec = amended(PAPER, batch=8)
    what = f"adam, batch 8, {COMPARED} steps: losses of {home.__name__} beside torch, apart by"
    one = ensemble_of(spec, 1)
    units = Units(*one.recipe.plan.calibrations[0])
    try:
        ours = _model(spec, one, 0, home(), units)
    except EngineError as error:
        yield what, str(error), "", "≤ 1e-5"
        return
    apart = 0.0
    for _ in range(COMPARED):
        x, y = (torch.tensor(side)[None] for side in ours.fresh())
        loss = float(one.learn(x, y)[0]) * units.variance
        apart = max(apart, abs(ours.advance() / loss - 1))
    yield what, f"{apart:.1e}", "", "≤ 1e-5"


def _repeated(step: Callable[[], object]) -> Callable[[], object]:
    return lambda: [step() for _ in range(STEPS)]


@contextmanager
def _in_node(spec: CouplingSpec) -> Iterator[Callable[[int], None]]:
    """What advances a model of the kernel in a process of Node, whose engine is Chromium's."""
    settings, numbers = settings_of(spec, coupling_of(spec))
    words = ["node", "--input-type=module", "-e", IN_NODE, str(HERE / "here" / "kernel.js")]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
    with subprocess.Popen([*words, str(WASM)], **pipes) as node:
        stdin, stdout = node.stdin, node.stdout
        assert stdin and stdout

        def ask(what: object) -> None:
            print(json.dumps(what), file=stdin)
            if not stdout.readline():
                raise EngineError("node ended")

        encoded = base64.b64encode(bytes(settings)).decode()
        ask({"settings": encoded, "numbers": numbers.tolist()})
        yield ask
        stdin.close()


def _model(
    spec: CouplingSpec, many: Ensemble, model: int, home: Home, units: Units | None = None
) -> Model:
    """One of the models of an ensemble, as it begins."""
    start = {name: weight[0].numpy() for name, weight in many.member(model).items()}
    return Model(many.members[model], coupling_of(spec), home, start, units)
