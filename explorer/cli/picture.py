"""`python -m explorer export-page`: the picture of a page as one HTML file."""

from pathlib import Path
from typing import Annotated

import typer

from explorer.cli import heavy
from explorer.cli.common import AsJson, say
from explorer.runs.files import write_durably
from explorer.spec import SpecError


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
    said = {"out": str(out), "page": name, "bytes": len(content), "verdict": page.verdict}
    say(said, as_json, [f"{out}: {len(content) / 1e6:.2f} MB"])
