"""Runs that the kernel in C trains: the same bits however they are cut, moved and taken up again,
and one sentence where they cannot be trained."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load, save
from stores import each_tensor_counts
from waiting import wait_until

from explorer.coupling import coupling_of
from explorer.engine import EngineError, Model
from explorer.models.named import weights_sha256
from explorer.runs import archive, execute, layout, resumable, sweeps
from explorer.runs.checkpoints import file_name
from explorer.runs.store import Store
from explorer.spec import CouplingSpec, SpecError, SweepSpec, amended, compact, spec_id
from explorer.targets import PRESETS, parse, target_of
from explorer.training import Ensemble, models_of, train
from explorer.training.kernels import HOMES, Kernels, code_of
from explorer.views.settings import differing_fields, words_of

pytestmark = pytest.mark.usefixtures("one_thread")

ROOT = Path(__file__).resolve().parent.parent
ENGINES = ("native", "wasm")
SPEC = CouplingSpec(rank=2, m_h=2, tau=4, n=9, d_v=8, m_ff=17, batch=8, steps=60)


@pytest.fixture(scope="module", params=ENGINES)
def engine(request, tmp_path_factory):
    """An engine that is to be had, its library in a folder of the tests."""
    folder = tmp_path_factory.mktemp("library")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("explorer.engine.home.home", lambda: folder)
        try:
            HOMES[request.param]()
        except EngineError as error:
            pytest.skip(str(error))
        yield request.param


by_wasm = pytest.mark.parametrize("engine", ["wasm"], indirect=True)


def begun(store, spec, at):
    """A run that rests at a step."""
    run = store.create(spec)
    store.save(run, pause_at=at)
    assert resumed(store, run).status == "paused"
    return run


def resumed(store, run):
    with store.take(run, "cpu") as lease:
        return execute.execute(store, lease.row)


def trained(spec, store=None):
    store = store or Store()
    with store.start(spec, "cpu") as lease:
        return execute.execute(store, lease.row)


def sha_of(row):
    assert row.status == "finished", row.message
    return row.metrics["weights_sha256"]


# What a specification says


def test_no_id_of_before_knows_of_engines():
    """See test_old_links.py for those of everything that is shipped."""
    known = {"quick": "9eaf09d7d725", "design": "516752ecb4ac", "paper": "d08413bc67a3"}
    for name, identity in known.items():
        spec = PRESETS[name][1]
        assert spec.engine == "torch" and spec_id(amended(spec, engine="torch")) == identity
    assert compact(CouplingSpec(engine="wasm")) == '{"engine":"wasm","version":1}'
    assert len({spec_id(CouplingSpec(engine=engine)) for engine in ("torch", *ENGINES)}) == 3
    assert parse({}).by_kernel is parse({"target": "nearest"}).by_kernel is False


def test_a_table_tells_engines_apart():
    specs = [CouplingSpec(engine=engine) for engine in ("torch", *ENGINES)]
    assert differing_fields(specs) == ["engine"]
    assert [words_of(spec, ["engine"]) for spec in specs] == [
        "engine PyTorch",
        "engine native code",
        "engine WebAssembly",
    ]


@pytest.mark.parametrize(
    ("fields", "where"),
    [
        ({"permutation": "reverse", "positions": 2}, "permutation"),
        ({"filter": "average"}, "filter"),
        ({"m_h": [1, 2], "method": "top_down"}, "top_down"),
    ],
)
def test_what_torch_alone_trains_is_said(fields, where):
    kind = SweepSpec if "method" in fields else CouplingSpec
    alone = kind(**fields)
    assert kind is SweepSpec or "engine" in alone.idle_fields()
    with pytest.raises(SpecError, match=f'engine = "wasm": allowed is "torch" where .*{where}'):
        amended(alone, engine="wasm")


# Training


@pytest.mark.parametrize("optimizer", ["soap", "adam"])
def test_a_run_has_the_bits_of_the_kernel_alone(engine, optimizer):
    """Through store, journal and pictures no number changes; what is measured is torch's."""
    spec = amended(SPEC, engine=engine, optimizer=optimizer)
    store = Store()
    row = trained(spec, store)
    model = Model(spec, coupling_of(spec), HOMES[engine]())
    losses = [model.advance() for _ in range(spec.steps)]
    assert sha_of(row) == weights_sha256(model.weights)
    assert row.device == "cpu" and row.versions["engine"] == code_of(engine)
    mse, mae, variance = model.evaluate(4096)
    errors = [row.metrics[name] for name in ("mse", "mae", "nmse")]
    assert errors == pytest.approx([mse, mae, mse / variance], rel=1e-4)
    record = store.read(row.run)
    assert record.losses[:5].tolist() == pytest.approx(losses[:5], rel=1e-6)
    assert record.snapshot(spec.steps)[1]["rho_hat"].shape == (48, 48)


def test_losses_are_in_units_of_the_variance(engine):
    """Raw answers have another variance than 1; torch's first loss on the same batch is this."""
    spec = amended(SPEC, engine=engine, answers="raw")
    model = Model(spec, coupling_of(spec), HOMES[engine]())
    x, y = (torch.from_numpy(side)[None] for side in model.fresh())
    torch_ = Ensemble([spec], [target_of(spec)])
    for name, weight in model.weights.items():
        torch_.weights[name].copy_(torch.from_numpy(weight.copy())[None])
    assert float(next(train(spec)).loss) == pytest.approx(float(torch_.learn(x, y)), rel=1e-4)


def test_a_snapshot_stays_what_it_was(engine):
    first, *_ = held = list(train(amended(SPEC, engine=engine, steps=3)))
    assert [snapshot.step for snapshot in held] == [1, 2, 3]
    assert len({snapshot.weights_sha256() for snapshot in held}) == 3
    again = next(train(amended(SPEC, engine=engine, steps=3)))
    assert first.weights_sha256() == again.weights_sha256()
    assert np.array_equal(first.diagnostics()["rho_hat"], again.diagnostics()["rho_hat"])


def test_what_diverges_says_so(engine):
    changes = {"activation": "relu", "activation_out": "relu", "init": "torch", "lr": 1000.0}
    spec = amended(SPEC, engine=engine, warmup=0, schedule="constant", **changes)
    row = trained(spec)
    assert row.status == "diverged" and "lower lr" in row.message and row.step > 0


# Checkpoints


@pytest.mark.parametrize("optimizer", ["soap", "adam"])
@pytest.mark.parametrize("widths", [{}, {"m_ff": 16, "depth": 1, "m_h": 1, "d_v": 33, "n": 1}])
def test_a_checkpoint_is_what_arithmetic_says(engine, optimizer, widths):
    spec = amended(SPEC, engine=engine, optimizer=optimizer, **widths)
    state = next(iter(train(spec))).state()
    found = {name: (str(v.dtype)[6:], tuple(v.shape)) for name, v in state.items()}
    assert found in layout.ways(spec) and layout.problem(spec, state) is None
    assert len(save(state)) <= layout.largest(spec)
    each_tensor_counts(spec, state)
    assert layout.problem(amended(spec, engine="torch"), state)
    alone = {name: v for name, v in state.items() if name == "step" or name.startswith("weights.")}
    assert layout.problem(spec, alone) is None


@pytest.mark.parametrize("optimizer", ["soap", "adam"])
def test_pauses_change_nothing(engine, optimizer):
    """Between rows of the history, at a refresh of SOAP's bases, at the last step but one."""
    spec, store = amended(SPEC, engine=engine, optimizer=optimizer), Store()
    run = begun(store, spec, 1)
    for step in (17, 40, 59):
        store.save(run, pause_at=step)
        assert resumed(store, run).step == step
    again, whole = resumed(store, run), trained(spec, store)
    assert sha_of(again) == sha_of(whole)
    a, b = store.read(run), store.read(whole.run)
    assert np.array_equal(a.losses, b.losses) and np.array_equal(a.nmse, b.nmse)
    assert [a.frame(step) for step in (1, 60)] == [b.frame(step) for step in (1, 60)]


WORKER = """
import sys
from explorer.runs import execute
from explorer.runs.store import Store
execute.CHECKPOINT_SECONDS, execute.CHECKPOINT_SHARE = 0.0, float("inf")
store = Store()
with store.take(sys.argv[1], "cpu") as lease:
    execute.execute(store, lease.row)
"""


def test_killed_and_resumed_it_has_the_same_bits(engine):
    spec, store = amended(SPEC, engine=engine, steps=400), Store()
    run = store.create(spec)
    with subprocess.Popen([sys.executable, "-c", WORKER, run], cwd=ROOT) as worker:
        wait_until(lambda: store.get(run).step > 20)
        worker.kill()
    row = store.get(run)
    assert row.status == "interrupted" and 20 < row.step < 400
    assert sha_of(resumed(store, run)) == sha_of(trained(spec, store))


def test_a_run_travels_as_a_zip_and_goes_on(engine, tmp_path):
    spec, store, there = amended(SPEC, engine=engine), Store(), Store(tmp_path / "there")
    run = begun(store, spec, 23)
    moved = archive.import_(there, archive.export(store, run))
    assert sha_of(resumed(there, moved)) == sha_of(resumed(store, run))
    finished = archive.export(store, run, weights_only=True)
    looked_at = archive.import_(there, finished)
    assert (
        there.get(looked_at).metrics["weights_sha256"] == store.get(run).metrics["weights_sha256"]
    )


def rewritten(store, run, **changes):
    """The checkpoint of a run with some tensors replaced."""
    path = store.folder(run) / store.get(run).checkpoint
    path.write_bytes(save({**load(path.read_bytes()), **changes}))


@pytest.mark.parametrize("engine", ["native"], indirect=True)
def test_the_state_of_another_processor_is_refused(engine):
    """What AVX-512 pads to 16 floats, other code pads to 8: neither can go on with the other's."""
    spec, store = amended(SPEC, engine=engine), Store()
    run = begun(store, spec, 3)
    sizes = {way["engine.state"][1][0] for way in layout.ways(spec)}
    (size,) = sizes - {len(load((store.folder(run) / file_name(3)).read_bytes())["engine.state"])}
    rewritten(store, run, **{"engine.state": torch.zeros(size)})
    row = resumed(store, run)
    assert row.status == "failed" and f"has {size} numbers" in row.message
    assert "train its specification anew" in row.message and '"wasm"' in row.message


@by_wasm
def test_a_state_that_is_not_of_its_weights_is_refused(engine):
    store = Store()
    run = begun(store, amended(SPEC, engine=engine), 3)
    held = load((store.folder(run) / file_name(3)).read_bytes())
    rewritten(store, run, **{"engine.state": held["engine.state"].flip(0)})
    row = resumed(store, run)
    assert row.status == "failed" and "is not that of its engine.state" in row.message


@by_wasm
def test_parameters_alone_do_not_go_on(engine):
    store = Store()
    run = begun(store, amended(SPEC, engine=engine), 3)
    path = store.folder(run) / file_name(3)
    path.write_bytes(archive.parameters(path.read_bytes()))
    row = resumed(store, run)
    assert row.status == "failed" and "it holds the parameters alone" in row.message


# Several models


LISTS = {"alpha": [1.0, 2.0], "m_h": [1, 3], "seed": [0, 1]}


def test_models_in_turn_step_as_if_alone(engine):
    members = SweepSpec(**SPEC.model_dump(exclude={*LISTS, "engine"}), **LISTS, engine=engine)
    specs = [*members.members(), amended(SPEC, m_ff=6, engine=engine)]
    together = models_of(specs, [target_of(spec) for spec in specs], "cuda:0")
    assert isinstance(together, Kernels)
    for _ in range(12):
        losses = together.advance()
    for model, spec in enumerate(specs):
        alone = models_of([spec], [target_of(spec)], "cpu")
        for _ in range(12):
            loss = alone.advance()
        assert float(loss) == float(losses[model])
        for name, weight in alone.weights.items():
            padded = together.weights[name][model]
            assert torch.equal(padded[tuple(map(slice, weight.shape[1:]))], weight[0])
            assert padded.count_nonzero() == weight.count_nonzero()


def test_a_sweep_that_is_cut_ends_with_the_same_rows(engine, tmp_path, monkeypatch):
    monkeypatch.setattr(resumable, "CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr(resumable, "CHECKPOINT_SHARE", float("inf"))
    plain = SPEC.model_dump(exclude={*LISTS, "engine"})
    sweep = SweepSpec(**plain, **LISTS | {"alpha": [1.0]}, engine=engine)

    def cut(_, step, *__):
        if step == 40:
            raise KeyboardInterrupt

    store = Store(tmp_path / "cut")
    assert sweeps.run(store, sweep, on_step=cut) == []
    rows = sweeps.run(store, sweep)
    for row, other in zip(rows, sweeps.run(Store(tmp_path / "whole"), sweep), strict=True):
        assert {**row, "seconds": 0} == {**other, "seconds": 0}
    assert {row["device"] for row in rows} == {"cpu"} and all(row["sigma"] for row in rows)
    assert [row["spec_id"] for row in rows] == [spec_id(member) for member in sweep.members()]


# What is said


def no_compiler():
    raise EngineError("no C compiler is here: install one, or pip install ziglang")


@pytest.fixture
def without_compiler(monkeypatch):
    monkeypatch.setitem(HOMES, "native", no_compiler)


@pytest.mark.usefixtures("without_compiler")
def test_a_worker_writes_into_the_row_what_would_do():
    row = trained(amended(SPEC, engine="native"))
    assert row.status == "failed" and row.step == 0
    assert row.message == (
        'engine = "native": no C compiler is here: install one, or pip install ziglang; '
        "or train it with --engine torch"
    )


@pytest.mark.usefixtures("without_compiler")
def test_the_command_refuses_before_there_is_a_run(explorer):
    done = explorer("train", compact(SPEC), "--engine", "native")
    assert done.code == 2 and done.out == "" and Store().list() == []
    assert "no C compiler is here" in done.err and "train it with --engine torch" in done.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (('{"target":"nearest"}', "--engine", "wasm"), "an attention task"),
        (('{"positions":2}', "--engine", "wasm"), 'allowed is "torch"'),
        (("quick", "--engine", "fortran"), '"torch" | "native" | "wasm"'),
    ],
)
def test_the_command_says_what_the_kernel_trains(explorer, words, said):
    done = explorer("train", *words)
    assert done.code == 2 and said in done.err and Store().list() == []


@by_wasm
def test_the_command_trains_by_an_engine_and_resumes_by_it(engine, explorer):
    done = explorer("train", compact(SPEC), "--engine", engine, "--json").json
    shown = explorer("runs", "show", done["run"], "--json").json
    assert shown["spec"]["engine"] == engine and shown["versions"]["engine"] == code_of(engine)
    store, spec = Store(), amended(SPEC, engine=engine)
    run = begun(store, spec, 9)
    again = explorer("runs", "resume", run, "--json").json
    assert again["weights_sha256"] == sha_of(store.get(done["run"]))
    back = explorer("train", compact(spec), "--engine", "torch")
    assert back.code == 0 and store.list()[0].spec == SPEC


@by_wasm
def test_a_device_that_the_kernel_does_not_use_is_named(engine, explorer, monkeypatch):
    monkeypatch.setattr("explorer.runs.devices.best", lambda: "cuda")
    done = explorer("train", compact(amended(SPEC, engine=engine)), "--json")
    assert done.json["device"] == "cpu"
    assert "the kernel trains on the CPU: cuda:0 is not used\n" in done.err
