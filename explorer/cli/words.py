"""`python -m explorer words`: the words by which a class trains on a server for the public."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated
from urllib.parse import urlencode

import segno
import typer

from explorer.cli.common import AsJson, say
from explorer.hosting.space import visitors
from explorer.hosting.visitors import WORD, WordError, Words
from explorer.runs.store import Store

Name = Annotated[str, typer.Argument(help="What you call the class, as analysis-2026.")]


def words() -> Words:
    """Those of this store."""
    return Words(visitors(Store()))


def add(
    name: Name,
    places: Annotated[int, typer.Option(min=1, max=10_000, help="Visitors whom it lets in.")],
    expires: Annotated[str, typer.Option(help="The last day, as 2026-12-31 (UTC).")],
    link: Annotated[str, typer.Option(help="The address of the server, for a link.")] = "",
    qr: Annotated[Path | None, typer.Option(help="An SVG file with the link, to project.")] = None,
    as_json: AsJson = False,
) -> None:
    """Make a word; it is told now alone, as the store has its hash.

    Who opens the link takes a place; so does who types the word under "Have a word?" in the menu of
    a page. A server that runs knows it at once.
    """
    if qr and not link:
        raise WordError("a QR code holds a link: give the address of the server as --link")
    word = words().add(name, places, _end(expires))
    address = f"{link.rstrip('/')}/?{urlencode({WORD: word})}" if link else ""
    if qr:
        segno.make(address, error="m", micro=False).save(
            str(qr), kind="svg", scale=8, light="white"
        )
    lines = [word, *([address] if address else []), f"{places} places until {expires}"]
    said = {"name": name, "word": word, "places": places, "expires": expires, "link": address}
    say(said, as_json, lines)


def _end(day: str) -> float:
    """Of the last day of a word, in epoch seconds."""
    try:
        last = datetime.strptime(day, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        raise WordError(f"{day[:20]!r} is no day, such as 2026-12-31") from None
    end = last + timedelta(days=1)
    if end <= datetime.now(UTC):
        raise WordError(f"{day} is over: give the last day on which it lets somebody in")
    return end.timestamp()


def list_(as_json: AsJson = False) -> None:
    """The words by name, with places taken and the last day."""
    rows = [
        {
            "name": each.name,
            "taken": each.taken,
            "places": each.places,
            "expires": f"{datetime.fromtimestamp(each.expires - 1, UTC):%Y-%m-%d}",
        }
        for each in words().list()
    ]
    lines = [
        "{name}: {taken} of {places} places taken, until {expires}".format(**row) for row in rows
    ]
    say(
        {"words": rows},
        as_json,
        lines or ["no words: visitors look on and train in their browsers"],
    )


def revoke(name: Name, as_json: AsJson = False) -> None:
    """End a word now: its visitors keep what they have, and begin nothing more on the server."""
    words().revoke(name)
    say({"revoked": name}, as_json, [f"revoked: {name}"])
