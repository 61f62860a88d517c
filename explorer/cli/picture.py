"""`python -m explorer export-page`: the picture of a page as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated
from urllib.parse import parse_qsl, urlsplit

import typer

from explorer.cli.common import AsJson, say
from explorer.runs.files import write_durably
from explorer.spec import SpecError
from explorer.ui.pages import FIRST, PAGES


def export_page(
    address: Annotated[str, typer.Argument(help="A link to a page, or its path: rates?sweep=…")],
    out: Annotated[Path, typer.Option(help="The file, .html.")],
    as_json: AsJson = False,
) -> None:
    """Save the picture of a page as one HTML file that needs no server.

    It draws, drags and replays as on the page, without a network; runs that the page shows go with
    it, nothing else of the store does.
    """
    from explorer.ui import page_file
    from explorer.ui.live import StreamError

    name, params = page_and_params(address)
    try:
        page = page_file.drawn(name, params)
        content = page_file.html(page)
    except (page_file.NothingToShow, StreamError) as error:
        raise SpecError(f"{error}") from error
    write_durably(out, content)
    said = {"out": str(out), "page": name, "bytes": len(content), "verdict": page.verdict}
    say(said, as_json, [f"{out}: {len(content) / 1e6:.2f} MB"])


def page_and_params(address: str) -> tuple[str, dict[str, str]]:
    """The page and the parameters of a link or of its part from the path on; raises SpecError."""
    try:
        parts = urlsplit(address if "//" in address else f"//host/{address.lstrip('/')}")
    except ValueError:
        raise SpecError(f"{address[:40]!r} is no address of a page") from None
    name = parts.path.strip("/").rpartition("/")[2] or FIRST
    if name not in PAGES:
        raise SpecError(f"there is no page {name[:40]!r}; the pages are {', '.join(PAGES)}")
    return name, dict(parse_qsl(parts.query, keep_blank_values=True))
