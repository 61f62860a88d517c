"""The command line, `python -m explorer`: the same specifications and runs as the pages.

Every command takes --json: one JSON object alone on stdout, messages on stderr. It exits 0 only on
success, and bad input gets one readable line.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from explorer.coupling import POD, FormulaError, GridError, Samples, coupling_of, load_grid, pod
from explorer.runs import archive
from explorer.runs.archive import ArchiveError
from explorer.runs.database import StoreError
from explorer.runs.devices import DeviceError
from explorer.runs.record import RunRow
from explorer.runs.store import Lease, RunError, Store
from explorer.runs.sweeps import SweepError
from explorer.spec import (
    PRESETS,
    SWEEPS,
    Spec,
    SpecError,
    SweepSpec,
    amended,
    full_json,
    parse,
    parse_sweep,
    schema,
)
from explorer.targets import target_of
from explorer.theory.floor import truncation_floor
from explorer.theory.rates import complexity_1, decay_exponent
from explorer.theory.sweep import Norm
from explorer.views.rates import group_lines

app = typer.Typer(
    help="Which sequence relationships can one attention head approximate, and how fast?",
    no_args_is_help=True, pretty_exceptions_enable=False, add_completion=False,
)  # fmt: skip
runs = typer.Typer(help="The runs of this store.", no_args_is_help=True)
app.add_typer(runs, name="runs")

BAD_INPUT = (
    SpecError, FormulaError, GridError, StoreError, ArchiveError, DeviceError, SweepError, OSError,
)  # fmt: skip
INTERRUPTED = 130
MAX_WIDTH = 1024

AsJson = Annotated[bool, typer.Option("--json", help="One JSON object alone on stdout.")]
SpecFile = Annotated[
    str, typer.Argument(help="A specification: a file, '-' for stdin, JSON itself, or a preset.")
]
RunId = Annotated[str, typer.Argument(help="A run, as `runs list` shows it.")]


def main() -> None:
    """Run a command; what is wrong with its input is said in one line, with exit code 2."""
    try:
        app(prog_name="python -m explorer")
    except BAD_INPUT as error:
        message = str(error)
        if isinstance(error, OSError) and error.filename:
            message = f"{error.filename}: {error.strerror}"
        if "--json" in sys.argv:
            print(json.dumps({"error": message}, ensure_ascii=False))
        print(f"error: {message}", file=sys.stderr)
        sys.exit(2)


@app.command("spec")
def spec_(
    preset: Annotated[str | None, typer.Argument(help="See --list; default: train.")] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="KEY=VALUE; VALUE is JSON, or else text.")
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="Names the presets.")] = False,
    show_schema: Annotated[bool, typer.Option("--schema", help="Prints the JSON schema.")] = False,
    as_json: AsJson = False,
) -> None:
    """Print a ready specification."""
    if list_:
        named = {name: text for name, (text, _) in (PRESETS | SWEEPS).items()}
        _say({"presets": named}, as_json, [f"{name:10} {text}" for name, text in named.items()])
    elif show_schema:
        print(json.dumps(schema(), indent=None if as_json else 2, ensure_ascii=False))
    else:
        changed = amended(_preset(preset or "train"), **dict(map(_assignment, set_ or [])))
        print(json.dumps(changed.model_dump(mode="json")) if as_json else full_json(changed))


@app.command("pod")
def pod_(
    formula: Annotated[str | None, typer.Option(help="ρ as a formula in u and v.")] = None,
    grid: Annotated[Path | None, typer.Option(help="ρ as samples, .npy or .csv.")] = None,
    design: Annotated[str | None, typer.Option(help="A specification; see `spec`.")] = None,
    centred: Annotated[bool, typer.Option(help="Remove the v-mean, unseen by softmax.")] = False,
    k: Annotated[int | None, typer.Option(min=1, max=64, help="Singular values to list.")] = None,
    tolerance: Annotated[float | None, typer.Option(min=0, help="Absolute, for the rank.")] = None,
    as_json: AsJson = False,
) -> None:
    """POD of a coupling on [0, 1]²: singular values, rank, tail, decay (Eq. 10 to 12)."""
    if sum(given is not None for given in (formula, grid, design)) != 1:
        raise SpecError("pod: give exactly one of --formula, --grid and --design")
    if tolerance == math.inf:
        raise SpecError("--tolerance inf: must be finite")
    spec = None
    if grid is not None:
        coupling = Samples(load_grid(grid.read_bytes(), grid.name))
    else:
        spec = parse({"formula": formula}) if design is None else _spec(design)
        coupling = coupling_of(spec, _store_grid(spec))
    answer = _pod_answer(pod(coupling, centred=centred, tolerance=tolerance), spec, k)
    lines = [
        f"k = {i}: σ = {value:.12g}" for i, value in enumerate(answer["singular_values"], start=1)
    ]
    rank = "∞ (64 or more)" if answer["rank"] is None else answer["rank"]
    lines.append(f"rank {rank} above {answer['tolerance']:.2g}; σ reached to {answer['error']:.1e}")
    if answer["alpha"] is not None:
        lines.append(f"α = {answer['alpha']:.4g}, fitted over k = {answer['alpha_range']}")
    _say(answer, as_json, lines)


@app.command("floor")
def floor_(
    design: Annotated[str, typer.Option(help="A specification; see `spec`.")],
    m: Annotated[str, typer.Option(help="Widths: 1..16 or 1,2,4.")] = "1..16",
    samples: Annotated[int, typer.Option(min=2, max=1_000_000, help="Sequences.")] = 4096,
    seed: Annotated[int, typer.Option(min=0, help="Of the sequences.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Truncation floor: the error of keeping m terms of ρ, an upper bound, without training."""
    spec = _spec(design)
    found = truncation_floor(target_of(spec, _store_grid(spec)), _widths(m), samples, seed)
    names = ("m", "mse", "mse_se", "mae", "mae_se", "nmse")
    answer = {name: getattr(found, name).tolist() for name in names}
    answer |= {"variance": found.variance, "samples": samples, "seed": seed}
    rows = zip(*(answer[name] for name in names), strict=True)
    lines = [f"{'m':>4}  {'MSE':>9} ± s.e.     {'MAE':>9} ± s.e.     {'nMSE':>9}"]
    lines += [
        f"{m:4d}  {mse:9.3e} ± {mse_se:.0e}   {mae:9.3e} ± {mae_se:.0e}   {nmse:9.3e}"
        for m, mse, mse_se, mae, mae_se, nmse in rows
    ]
    _say(answer, as_json, lines)


@app.command("train")
def train_(
    spec: SpecFile,
    steps: Annotated[int | None, typer.Option(help="Steps in all.")] = None,
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    seed: Annotated[int | None, typer.Option(help="Start and data.")] = None,
    as_json: AsJson = False,
) -> None:
    """Train one run and keep it in the store. Ctrl-C stops it with what is there."""
    changes = {"steps": steps, "seed": seed}
    wanted = amended(_spec(spec), **{k: v for k, v in changes.items() if v is not None})
    store = Store()
    target_of(wanted, store.grid)  # refused before a run is made of it
    place = _device(device)
    with store.start(wanted, place) as lease:
        row = _execute(store, lease, place)
    _end(row, as_json)


@app.command("sweep")
def sweep_(
    spec: Annotated[str, typer.Argument(help="As for train, with lists; or fig1, fig1-quick.")],
    executor: Annotated[str, typer.Option(help="local or dask:ADDRESS.")] = "local",
    workers: Annotated[int | None, typer.Option(min=1, max=256, help="Local processes.")] = None,
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    norm: Annotated[Norm, typer.Option(help="What slopes and floors are in.")] = "mse",
    as_json: AsJson = False,
) -> None:
    """Train every model of a sweep. One that was interrupted goes on where it stopped."""
    from explorer.reproduce import swept

    wanted = _sweep_spec(spec)
    place = _device(device) if executor == "local" else device
    answer = swept(Store(), wanted, executor, workers, place, norm)
    _say(answer, as_json, group_lines(answer["groups"]))
    if answer["status"] == "stopped":
        raise typer.Exit(INTERRUPTED)


@app.command("reproduce")
def reproduce_(
    name: Annotated[str, typer.Argument(help="fig1, or all.")],
    out: Annotated[Path, typer.Option(help="The folder for CSV, SVG and summary.json.")],
    quick: Annotated[bool, typer.Option(help="Blunter, in a few minutes.")] = False,
    executor: Annotated[str, typer.Option(help="local or dask:ADDRESS.")] = "local",
    workers: Annotated[int | None, typer.Option(min=1, max=256, help="Local processes.")] = None,
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    as_json: AsJson = False,
) -> None:
    """A figure of the paper anew: its data, its picture, and measured beside printed numbers.

    After Ctrl-C the same command goes on with what is missing.
    """
    from explorer.reproduce import reproduce

    place = _device(device) if executor == "local" else device
    answer = reproduce(name, Store(), out, quick, executor, workers, place)
    _say(answer, as_json, [line for found in answer["figures"].values() for line in found["text"]])


@runs.command("list")
def runs_list(
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="The newest so many.")] = 50,
    as_json: AsJson = False,
) -> None:
    """List runs, the newest first."""
    rows = [_summary(row) for row in Store().list(limit)]
    lines = [
        f"{row['run']:18} {row['status']:12} {row['step']:>7} / {row['steps']:<7}"
        f" {'' if row['nmse'] is None else format(row['nmse'], '.2e'):9} {row['name']}"
        for row in rows
    ]
    _say({"runs": rows}, as_json, lines or ["no runs yet: python -m explorer train quick"])


@runs.command("show")
def runs_show(run: RunId, as_json: AsJson = False) -> None:
    """Show one run: where it stands, its specification, its numbers."""
    row = _row(Store(), run)
    answer = _summary(row) | {
        "message": row.message, "device": row.device, "versions": dict(row.versions),
        "seconds": row.seconds, "metrics": row.metrics and dict(row.metrics),
        "spec": row.spec.model_dump(mode="json"),
    }  # fmt: skip
    _say(answer, as_json, [json.dumps(answer, indent=2, ensure_ascii=False)])


@runs.command("resume")
def runs_resume(
    run: RunId,
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    as_json: AsJson = False,
) -> None:
    """Go on with a run from its last checkpoint, bit for bit on the CPU."""
    store = Store()
    row = _row(store, run)
    if row.status == "finished":
        _end(row, as_json)
    place = _device(device)
    with store.take(run, place) as lease:
        row = _execute(store, lease, place)
    _end(row, as_json)


@runs.command("export")
def runs_export(
    run: RunId,
    out: Annotated[Path, typer.Option(help="The zip to write.")],
    checkpoint: Annotated[bool, typer.Option(help="Without it: to look at, not to resume.")] = True,
    as_json: AsJson = False,
) -> None:
    """Write a run as a zip: specification, history, pictures, checkpoint."""
    data = archive.export(Store(), run, checkpoint)
    out.write_bytes(data)
    _say({"run": run, "file": str(out), "bytes": len(data)}, as_json, [f"{run} → {out}"])


@runs.command("import")
def runs_import(
    file: Annotated[Path, typer.Argument(help="A zip that `runs export` wrote.")],
    as_json: AsJson = False,
) -> None:
    """Take a run from a zip into the store, under a new id."""
    run = archive.import_(Store(), file)
    _say({"run": run}, as_json, [f"{file} → {run}"])


@runs.command("delete")
def runs_delete(run: RunId, as_json: AsJson = False) -> None:
    """Delete a run and its files; refused while it runs."""
    Store().delete(run)
    _say({"run": run, "deleted": True}, as_json, [f"{run} deleted"])


@app.command("bench")
def bench_(
    names: Annotated[list[str] | None, typer.Argument(help="Which; default: all.")] = None,
    as_json: AsJson = False,
) -> None:
    """Measure ratios and costs, side by side in one run."""
    from explorer import bench

    table = bench.run(names or [])
    lines = [
        f"{row['bench']:10} {row['what']:62} {row['value']:>10} {row['unit']:9} {row['goal']}"
        for row in table
    ]
    _say({"rows": table}, as_json, lines)


def _say(answer: dict[str, Any], as_json: bool, lines: list[str]) -> None:
    print(json.dumps(answer, ensure_ascii=False) if as_json else "\n".join(lines))


def _preset(name: str) -> Spec:
    known = PRESETS | SWEEPS
    if name not in known:
        raise SpecError(f"preset {name!r}: known are {', '.join(known)}")
    return known[name][1]


def _assignment(text: str) -> tuple[str, Any]:
    """KEY=VALUE, where VALUE is JSON or else plain text."""
    key, equals, value = text.partition("=")
    if not equals:
        raise SpecError(f"--set {text!r}: must be KEY=VALUE, such as m_h=4")
    try:
        return key.strip(), json.loads(value)
    except (ValueError, RecursionError):  # no JSON, or a number of thousands of digits
        return key.strip(), value


def _spec(source: str) -> Spec:
    """A specification from JSON itself, stdin, a preset's name or a file."""
    if source in PRESETS and not Path(source).exists():
        return PRESETS[source][1]
    return parse(_json(source))


def _sweep_spec(source: str) -> SweepSpec:
    """A sweep, likewise."""
    if source in SWEEPS and not Path(source).exists():
        return SWEEPS[source][1]
    return parse_sweep(_json(source))


def _json(source: str) -> str:
    """JSON itself, or what stdin or a file holds."""
    if source.lstrip().startswith("{"):
        return source
    try:
        return sys.stdin.read() if source == "-" else Path(source).read_text("utf-8")
    except UnicodeDecodeError:
        raise SpecError(f"{source}: not a text file; a specification is JSON") from None


def _store_grid(spec: Spec):
    """How the samples of a specification are fetched; the store is opened only for those."""
    return Store().grid if spec.grid else None


def _pod_answer(found: POD, spec: Spec | None, k: int | None) -> dict[str, Any]:
    """The JSON of `pod`: C₁ is taken at the fitted α, or at the designed one for a finite rank."""
    above = int((found.sigma > found.tolerance).sum())
    sigma = found.sigma[: k if k is not None else above]
    decay = decay_exponent(found)
    designed = spec.alpha if spec and spec.spectrum == "power" and not spec.formula else 1.0
    at = decay.alpha if decay else designed
    return {
        "singular_values": sigma.tolist(),
        "rank": found.rank,
        "tolerance": found.tolerance,
        "tail_energy": found.tail_energy()[: len(sigma) + 1].tolist(),
        "c1": complexity_1(found.sigma[:above], at),
        "c1_alpha": at,
        "alpha": decay.alpha if decay else None,
        "alpha_ci": list(decay.alpha_ci) if decay else None,
        "alpha_range": list(decay.fit_range) if decay else None,
        "error": found.error,
        "centred": found.centred,
        "nodes": [len(found.u), len(found.v)],
    }


def _widths(text: str) -> list[int]:
    """1..16 or 1,2,4."""
    try:
        if ".." in text:
            low, high = (int(end) for end in text.split(".."))
            widths = list(range(low, min(high, MAX_WIDTH + 1) + 1))
        else:
            widths = [int(word) for word in text.split(",")]
    except ValueError:
        widths = []
    if not widths or not all(0 <= width <= MAX_WIDTH for width in widths):
        raise SpecError(f"--m {text!r}: must be 1..16 or 1,2,4, from 0 to {MAX_WIDTH}")
    return widths


def _device(wish: str) -> str:
    """The device's name for torch: the first of the kind."""
    from explorer.runs import devices

    return devices.name(devices.kind_of(wish), 0)


def _row(store: Store, run: str) -> RunRow:
    row = store.get(run)
    if row is None:
        raise RunError(f"there is no run {run[:60]!r} in this store; `runs list` names them")
    return row


def _summary(row: RunRow) -> dict[str, Any]:
    return {
        "run": row.run, "status": row.status, "step": row.step, "steps": row.steps,
        "name": row.name, "created": row.created, "spec_id": row.spec_id,
        "nmse": (row.metrics or {}).get("nmse"),
    }  # fmt: skip


def _execute(store: Store, lease: Lease, device: str) -> RunRow:
    """Train under a progress bar with ETA where stderr is a terminal."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    from explorer.runs.execute import execute

    console = Console(stderr=True)
    if not console.is_terminal:
        return execute(store, lease.row, device=device)
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    with Progress(*columns, TimeRemainingColumn(), console=console) as bar:
        task = bar.add_task(lease.row.run, total=lease.row.steps)

        def show(progress: Any) -> None:
            text = f"{lease.row.run}  loss {progress.loss:.2e}"
            bar.update(task, completed=progress.step, description=text)

        return execute(store, lease.row, device=device, on_progress=show)


def _end(row: RunRow, as_json: bool) -> None:
    """Print where a run has come to; exit 0 only when it finished, 130 when it was stopped."""
    metrics = dict(row.metrics or {})
    names = ("mse", "nmse", "mae", "r2", "weights_sha256")
    answer = {"run": row.run, "status": row.status, "step": row.step, "steps": row.steps}
    answer |= {name: metrics.get(name) for name in names}
    answer |= {"device": row.device, "seconds": row.seconds, "message": row.message}
    lines = [f"{name}: {value}" for name, value in answer.items() if value not in (None, "")]
    _say(answer, as_json, lines)
    if row.message:
        print(row.message, file=sys.stderr)
    raise typer.Exit({"finished": 0, "stopped": INTERRUPTED}.get(row.status, 1))
