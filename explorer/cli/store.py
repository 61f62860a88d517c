"""`python -m explorer store`: the store of a server, looked after while it runs."""

from pathlib import Path
from typing import Annotated

import typer

from explorer.cli.common import AsJson, say
from explorer.hosting import upkeep
from explorer.runs import maintenance
from explorer.runs.store import Store


def check(as_json: AsJson = False) -> None:
    """Say whether the store is whole, what a crash has left in it, and its size; changes nothing.

    Exits 1 where something is damaged.
    """
    store = Store()
    all_ = upkeep.stores(store)
    problems = [line for each in all_ for line in maintenance.check(each)]
    left = [str(path.relative_to(store.home)) for each in all_ for path in upkeep.left_over(each)]
    sizes = _sizes(all_)
    lines = [*problems, *(f"left over: {name}" for name in left)] or ["all is whole"]
    if left:
        lines.append("`store compact` removes what is left over")
    say({"problems": problems, "left_over": left, **sizes}, as_json, [*lines, _size(sizes)])
    raise typer.Exit(1 if problems else 0)


def compact(as_json: AsJson = False) -> None:
    """Remove what a crash has left, and give the room back that nothing uses.

    Servers and workers go on meanwhile; who writes waits until it is done.
    """
    all_ = upkeep.stores(Store())
    before = _sizes(all_)
    removed = [name for each in all_ for name in upkeep.compact(each)]
    after = _sizes(all_)
    lines = [*(f"removed: {name}" for name in removed), f"before: {_size(before)}"]
    said = {"removed": removed, "before": before, "after": after}
    say(said, as_json, [*lines, f"after: {_size(after)}"])


def backup(
    out: Annotated[Path, typer.Option(help="A new folder.")], as_json: AsJson = False
) -> None:
    """Copy the store as it is at one moment, while it is used; the copy opens as a store.

    With it go checkpoints, uploaded samples and pictures, and your talk; fetched models do not.
    """
    made = upkeep.backup(Store(), out)
    lines = [f"no checkpoint is there of {run}" for run in made.missing]
    said = {"out": str(out), "runs": made.runs, "files": made.files, "missing": made.missing}
    lines.append(f"{out}: {made.files} files beside the database; EXPLORER_HOME={out} opens it")
    say(said, as_json, lines)


def _sizes(stores: list[Store]) -> dict[str, int]:
    """Of all together."""
    found = [upkeep.sizes(each) for each in stores]
    return {name: sum(sizes[name] for sizes in found) for name in found[0]}


def _size(sizes: dict[str, int]) -> str:
    database, log, unused = (sizes[name] / 1e6 for name in ("bytes", "log", "unused"))
    return f"{database:.1f} MB, of which {unused:.1f} are unused; log {log:.1f} MB"
