"""What is written as HTML, which needs no server: a page, the static edition, a talk."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from explorer.cli import heavy
from explorer.cli.common import AsJson, counted, say
from explorer.runs.files import write_durably
from explorer.spec import SpecError

if TYPE_CHECKING:
    from explorer.pages.talk.scenes import Talk


def export_page(
    address: Annotated[str, typer.Argument(help="A link to a page, or its path: rates?sweep=…")],
    out: Annotated[Path, typer.Option(help="The file, .html.")],
    as_json: AsJson = False,
) -> None:
    """Save the picture of a page as one HTML file that needs no server.

    It draws, drags and replays as on the page, without a network; runs that the page shows go with
    it, nothing else of the store does.
    """
    page_file = heavy.page_file
    name, params = heavy.address.page_and_params(address)
    try:
        page = page_file.drawn(name, params)
        content = page_file.html(page)
    except (page_file.NothingToShow, heavy.live.StreamError) as error:
        raise SpecError(f"{error}") from error
    write_durably(out, content)
    answer = {"out": str(out), "page": name, "bytes": len(content), "verdict": page.verdict}
    say(answer, as_json, [f"{out}: {len(content) / 1e6:.2f} MB"])


def site(
    out: Annotated[Path, typer.Option(help="The folder: a new one, or a site to be replaced.")],
    talk: Annotated[
        Path | None, typer.Option(help="A talk.json.", show_default="the shipped one")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write the static edition: every page's shipped pictures, the gallery and the talk.

    A folder for any web host, below any path: it needs no Python and asks for nothing outside. What
    is drawn there is dragged and replayed as on the pages; nothing of this machine's store goes
    with it.
    """
    try:
        files = heavy.folder.write(out, heavy.pictures.pictures(), read(talk), counted("pages"))
    except heavy.folder.SiteError as error:
        raise SpecError(f"{error}") from error
    size = sum((out / name).stat().st_size for name in files)
    answer = {"out": str(out), "files": files, "bytes": size}
    say(
        answer,
        as_json,
        [f"{out}: {len(files)} files, {size / 1e6:.1f} MB; index.html is the first"],
    )


STREAM = Path("-")


def build(
    file: Annotated[
        Path | None,
        typer.Argument(help="A talk.json; - for stdin.", show_default="the shipped one"),
    ] = None,
    out: Annotated[Path, typer.Option(help="The file, .html; - for stdout.")] = Path("talk.html"),
    notes: Annotated[bool, typer.Option(help="With the speaker's notes in it.")] = False,
    count: Annotated[
        bool, typer.Option(help="Write to stderr how many steps are drawn, a line for each.")
    ] = False,
    before: Annotated[
        list[Path] | None,
        typer.Option(help="A folder of decks; what is the same in one is not drawn again."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write a talk as one HTML file, which needs neither server nor network; without a file the one
    that is shipped."""
    talk = read(file)
    progress = _lines if count else counted("steps")
    known = heavy.before.Before(before, heavy.decks.state()) if before else None
    content = heavy.deck.build(talk, notes=notes, progress=progress, before=known)
    if out == STREAM:
        sys.stdout.buffer.write(content)
        return
    write_durably(out, content)
    steps = sum(len(scene.steps) for scene in talk.scenes)
    answer = {"out": str(out), "scenes": len(talk.scenes), "steps": steps, "bytes": len(content)}
    say(answer, as_json, [f"{out}: {len(talk.scenes)} scenes, {len(content) / 1e6:.2f} MB"])


def _lines(done: int, steps: int) -> None:
    print(f"{done} of {steps}", file=sys.stderr, flush=True)


def read(file: Path | None) -> Talk:
    """A talk.json, or the shipped one."""
    file = file or heavy.decks.SHIPPED
    try:
        return heavy.scenes.parse_talk(
            sys.stdin.read() if file == STREAM else file.read_text("utf-8")
        )
    except UnicodeDecodeError:
        raise SpecError(f"{file}: not a text file; a talk is JSON") from None
