"""`python -m explorer site`: the shipped pictures as a folder for any web host."""

from pathlib import Path
from typing import Annotated

import typer

from explorer.cli import heavy
from explorer.cli.common import AsJson, counted, say
from explorer.cli.talk import read
from explorer.spec import SpecError


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
    said = {"out": str(out), "files": files, "bytes": size}
    say(said, as_json, [f"{out}: {len(files)} files, {size / 1e6:.1f} MB; index.html is the first"])
