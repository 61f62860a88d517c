"""What trains: one run, a sweep, a figure of the paper; and what measures training."""

import sys
from datetime import date
from pathlib import Path
from typing import Annotated, Any

import typer

from explorer.cli import heavy
from explorer.cli.common import (
    INTERRUPTED,
    AsJson,
    Device,
    device_of,
    grid_of,
    need_benches,
    say,
    spec_from,
    sweep_from,
    torch_device,
)
from explorer.runs.files import write_durably
from explorer.runs.record import RunRow
from explorer.runs.store import Store
from explorer.runs.work import Lease
from explorer.spec import AnySpec, AnySweep, amended, coupling_spec
from explorer.targets import checked_target
from explorer.theory.sweep import Norm
from explorer.ui.topics import view_of
from explorer.views.sweeps import Finished, as_text

Executor = Annotated[str, typer.Option(help="local or dask:ADDRESS.")]
Engine = Annotated[
    str | None, typer.Option(help="torch, or the kernel in C, on the CPU: native or wasm.")
]
Workers = Annotated[int | None, typer.Option(min=1, max=256, help="Local processes.")]


def train(
    spec: Annotated[
        str,
        typer.Argument(help="A specification: a file, '-' for stdin, JSON itself, or a preset."),
    ],
    steps: Annotated[int | None, typer.Option(help="Steps in all.")] = None,
    device: Device = "auto",
    seed: Annotated[int | None, typer.Option(help="Start and data.")] = None,
    engine: Engine = None,
    as_json: AsJson = False,
) -> None:
    """Train one run and keep it in the store. Ctrl-C stops it with what is there."""
    changes = {"steps": steps, "seed": seed}
    plain = amended(spec_from(spec), **{k: v for k, v in changes.items() if v is not None})
    wanted, store = with_engine(plain, engine), Store()
    target = checked_target(wanted, store.grid)  # refused before a run is made of it
    if wanted.by_kernel:
        heavy.training.models_of([wanted], [target], "cpu")  # as is an engine that is not here
    if caution := view_of(wanted).caution(wanted, store.grid):
        print(caution, file=sys.stderr)
    place = device_of(wanted, device)
    with store.start(wanted, place) as lease:
        row = train_on(store, lease, place)
    end(row, as_json)


def with_engine(spec: AnySpec, engine: str | None) -> AnySpec:
    """A specification with another engine; raises SpecError where the kernel knows no such
    target."""
    if engine is None or (engine == "torch" and not spec.by_kernel):
        return spec
    return amended(coupling_spec(spec), engine=engine)


def sweep(
    spec: Annotated[str, typer.Argument(help="As for train, with lists; or fig1, fig1-quick.")],
    executor: Executor = "local",
    workers: Workers = None,
    device: Device = "auto",
    norm: Annotated[Norm, typer.Option(help="What slopes and floors are in.")] = "mse",
    optimum: Annotated[bool, typer.Option(help="The rank-optimal error too; minutes.")] = False,
    to: Annotated[
        Path | None, typer.Option("--save", help="Write the rows as assets/ holds them.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Train every model of a sweep. One that was interrupted goes on where it stopped."""
    wanted, store = sweep_from(spec), Store()
    place = device_of(wanted, device) if executor == "local" else device
    answer = heavy.reproduce.swept(store, wanted, executor, workers, place, norm)
    if optimum:
        answer["optimum"] = heavy.reproduce.rank_optimal(store, wanted)
    if to:
        save(wanted, answer, to)
    say(answer, as_json, heavy.reproduce.SUMMARIES[wanted.topic].lines(answer["groups"]))
    if answer["status"] == "stopped":
        raise typer.Exit(INTERRUPTED)


def save(wanted: AnySweep, answer: dict[str, Any], path: Path) -> None:
    """A sweep with what was computed beside it, as assets/ holds it."""
    devices = sorted({row["device"] for row in answer["rows"]})
    made = " · ".join([date.today().isoformat(), *devices])
    finished = Finished(wanted, tuple(answer["rows"]), tuple(answer.get("optimum", ())), made=made)
    finished = heavy.reproduce.SUMMARIES[wanted.topic].shipped(finished, grid_of(wanted))
    write_durably(path, as_text(finished).encode())


def reproduce_(
    name: Annotated[str, typer.Argument(help="A figure or table, such as fig1; or all.")],
    out: Annotated[Path, typer.Option(help="The folder for CSV, SVG and summary.json.")],
    quick: Annotated[bool, typer.Option(help="Less precise, in a few minutes.")] = False,
    executor: Executor = "local",
    workers: Workers = None,
    device: Device = "auto",
    order: Annotated[str, typer.Option(help="Of table1: a name, or random:SEED.")] = "roll",
    as_json: AsJson = False,
) -> None:
    """A figure or table anew: its data, its picture, and measured beside printed numbers.

    After Ctrl-C the same command goes on with what is missing. Exits 1 where a check does not hold.
    """
    place = torch_device(device) if executor == "local" else device
    request = heavy.reproduce.Request(Store(), out, quick, executor, workers, place, order)
    answer = heavy.reproduce.reproduce(name, request)
    figures = answer["figures"].values()
    say(answer, as_json, [line for figure in figures for line in figure["text"]])
    missed, checks = heavy.reproduce.failed(figures)
    if missed:
        print(f"{missed} of {checks} checks do not hold", file=sys.stderr)
        raise typer.Exit(1)


def bench_(
    names: Annotated[list[str] | None, typer.Argument(help="Which; default: all but soak.")] = None,
    minutes: Annotated[float, typer.Option(min=0.5, help="How long soak lasts.")] = 30.0,
    as_json: AsJson = False,
) -> None:
    """Measure ratios and costs, side by side in one run; each is printed as it comes."""
    need_benches()
    table = heavy.bench.run(names or [], minutes=minutes)
    if as_json:
        return say({"rows": list(table)}, as_json, [])
    for row in table:
        print(
            f"{row['bench']:10} {row['what']:62} {row['value']:>10} {row['unit']:9} {row['goal']}",
            flush=True,
        )


def train_on(store: Store, lease: Lease, device: str) -> RunRow:
    """Train under a progress bar with ETA where stderr is a terminal."""
    rich, execute = heavy.progress, heavy.execute.execute
    console = heavy.console.Console(stderr=True)
    if not console.is_terminal:
        return execute(store, lease.row, device=device)
    columns = rich.TextColumn("{task.description}"), rich.BarColumn(), rich.MofNCompleteColumn()
    with rich.Progress(*columns, rich.TimeRemainingColumn(), console=console) as bar:
        task = bar.add_task(lease.row.run, total=lease.row.steps)

        def show(progress: Any) -> None:
            text = f"{lease.row.run}  loss {progress.loss:.2e}"
            bar.update(task, completed=progress.step, description=text)

        return execute(store, lease.row, device=device, on_progress=show)


def end(row: RunRow, as_json: bool) -> None:
    """Print where a run has come to; exit 0 only when it finished, 130 when it was stopped."""
    metrics = dict(row.metrics or {})
    names = dict.fromkeys(("mse", "nmse", "mae", "r2", "weights_sha256", *metrics))
    answer = {"run": row.run, "status": row.status, "step": row.step, "steps": row.steps}
    answer |= {name: metrics.get(name) for name in names}
    answer |= {"device": row.device, "seconds": row.seconds, "message": row.message}
    lines = [f"{name}: {value}" for name, value in answer.items() if value not in (None, "")]
    say(answer, as_json, lines)
    if row.message:
        print(row.message, file=sys.stderr)
    raise typer.Exit({"finished": 0, "stopped": INTERRUPTED}.get(row.status, 1))
