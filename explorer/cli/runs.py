"""The runs of the store, `runs list` and its kin, and `store`: all of it, while it is used."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from explorer.cli.common import AsJson, Device, device_of, say
from explorer.cli.training import end, train_on
from explorer.hosting import upkeep
from explorer.hosting.space import damaged
from explorer.runs import archive, maintenance
from explorer.runs.files import write_durably
from explorer.runs.home import RUN_ID
from explorer.runs.record import RunRow
from explorer.runs.store import RunError, Store


def _run_id(text: str) -> str:
    """An argument that can name a run; the store is asked for nothing else, whatever its bytes."""
    if not RUN_ID.fullmatch(text):
        raise RunError(_unknown(text))
    return text


RunId = Annotated[str, typer.Argument(help="A run, as `runs list` shows it.", callback=_run_id)]


def list_(
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="The newest so many.")] = 50,
    as_json: AsJson = False,
) -> None:
    """List runs, the newest first."""
    runs = Store().list(limit + 1)
    rows = [_summary(row) for row in runs[:limit]]
    lines = [
        f"{row['run']:18} {row['status']:12} {row['step']:>7} / {row['steps']:<7}"
        f" {'' if row['nmse'] is None else format(row['nmse'], '.2e'):9} {row['name']}"
        f"{' (claimed by its zip, not recomputed)' if row['claimed'] else ''}"
        for row in rows
    ]
    if len(runs) > limit:
        lines.append(f"the newest {limit}; --limit {2 * limit} shows more")
    answer = {"runs": rows, "more": len(runs) > limit}
    say(answer, as_json, lines or ["no runs yet: python -m explorer train quick"])


def show(run: RunId, as_json: AsJson = False) -> None:
    """Show one run: where it stands, its specification, its numbers."""
    row = _row(Store(), run)
    answer = _summary(row) | {
        "message": row.message,
        "revived": row.revived,
        "device": row.device,
        "versions": dict(row.versions),
        "seconds": row.seconds,
        "metrics": row.metrics and dict(row.metrics),
        "spec": row.spec.model_dump(mode="json"),
    }
    say(answer, as_json, [json.dumps(answer, indent=2, ensure_ascii=False)])


def resume(run: RunId, device: Device = "auto", as_json: AsJson = False) -> None:
    """Go on with a run from its last checkpoint, bit for bit on the CPU."""
    store = Store()
    row = _row(store, run)
    if row.status == "finished":
        end(row, as_json)
    place = device_of(row.spec, device)
    with store.take(run, place) as lease:
        row = train_on(store, lease, place)
    end(row, as_json)


def export(
    run: RunId,
    out: Annotated[Path, typer.Option(help="The zip to write.")],
    checkpoint: Annotated[bool, typer.Option(help="Without it: to look at, not to resume.")] = True,
    weights_only: Annotated[
        bool, typer.Option("--weights-only", help="Of the checkpoint the parameters alone.")
    ] = False,
    pictures: Annotated[int | None, typer.Option(min=2, help="At most so many of them.")] = None,
    as_json: AsJson = False,
) -> None:
    """Write a run as a zip: specification, history, pictures, checkpoint."""
    data = archive.export(Store(), run, checkpoint, weights_only=weights_only, pictures=pictures)
    write_durably(out, data)
    say({"run": run, "file": str(out), "bytes": len(data)}, as_json, [f"{run} → {out}"])


def import_(
    file: Annotated[Path, typer.Argument(help="A zip that `runs export` wrote.")],
    as_json: AsJson = False,
) -> None:
    """Take a run from a zip into the store, under a new id."""
    run = archive.import_(Store(), file)
    say({"run": run}, as_json, [f"{file} → {run}"])


def delete(run: RunId, as_json: AsJson = False) -> None:
    """Delete a run and its files; refused while it runs."""
    Store().delete(run)
    say({"run": run, "deleted": True}, as_json, [f"{run} deleted"])


def check(as_json: AsJson = False) -> None:
    """Look whether the store is whole, and remove what a crash has left half-written."""
    store = Store()
    problems = maintenance.check(store)
    removed = [] if store.read_only else maintenance.tidy(store)
    lines = [*problems, *(f"removed: {name}" for name in removed)]
    say({"problems": problems, "removed": removed}, as_json, lines or ["all is whole"])
    raise typer.Exit(1 if problems else 0)


def _row(store: Store, run: str) -> RunRow:
    row = store.get(run)
    if row is None:
        raise RunError(_unknown(run))
    return row


def _unknown(run: str) -> str:
    return f"there is no run {run[:60]!r} in this store; `runs list` names them"


def _summary(row: RunRow) -> dict[str, Any]:
    return {
        "run": row.run,
        "status": row.status,
        "step": row.step,
        "steps": row.steps,
        "name": row.name,
        "created": row.created,
        "spec_id": row.spec_id,
        "nmse": (row.metrics or {}).get("nmse"),
        "claimed": row.claimed,
    }


def check_store(as_json: AsJson = False) -> None:
    """Say whether the store is whole, what a crash has left in it, and its size; changes nothing.

    Exits 1 where something is damaged.
    """
    store = Store()
    all_ = upkeep.stores(store)
    problems = [f"visitors/{owner}: {why}" for owner, why in damaged(store).items()]
    problems += [line for each in all_ for line in maintenance.check(each)]
    left = [str(path.relative_to(store.home)) for each in all_ for path in upkeep.left_over(each)]
    sizes = _sizes(all_)
    lines = [*problems, *(f"left over: {name}" for name in left)] or ["all is whole"]
    if left:
        lines.append("`store compact` removes what is left over")
    say({"problems": problems, "left_over": left, **sizes}, as_json, [*lines, _size(sizes)])
    raise typer.Exit(1 if problems else 0)


def compact_store(as_json: AsJson = False) -> None:
    """Remove what a crash has left, and give the room back that nothing uses.

    Servers and workers go on meanwhile; who writes waits until it is done.
    """
    all_ = upkeep.stores(Store())
    before = _sizes(all_)
    removed = [name for each in all_ for name in upkeep.compact(each)]
    after = _sizes(all_)
    lines = [*(f"removed: {name}" for name in removed), f"before: {_size(before)}"]
    answer = {"removed": removed, "before": before, "after": after}
    say(answer, as_json, [*lines, f"after: {_size(after)}"])


def backup(
    out: Annotated[Path, typer.Option(help="A new folder.")], as_json: AsJson = False
) -> None:
    """Copy the store as it is at one moment, while it is used; the copy opens as a store.

    With it go checkpoints, uploaded samples and pictures, and your talk; fetched models do not.
    """
    made = upkeep.backup(Store(), out)
    lines = [f"no checkpoint is there of {run}" for run in made.missing]
    lines += [f"visitors/{owner} is copied as it is: {why}" for owner, why in made.damaged.items()]
    answer = {"out": str(out), **asdict(made)}
    lines.append(f"{out}: {made.files} files beside the database; EXPLORER_HOME={out} opens it")
    say(answer, as_json, lines)


def _sizes(stores: list[Store]) -> dict[str, int]:
    """Of all together."""
    store_sizes = [upkeep.sizes(each) for each in stores]
    return {name: sum(sizes[name] for sizes in store_sizes) for name in store_sizes[0]}


def _size(sizes: dict[str, int]) -> str:
    database, log, unused = (sizes[name] / 1e6 for name in ("bytes", "log", "unused"))
    return f"{database:.1f} MB, of which {unused:.1f} are unused; log {log:.1f} MB"
