"""Words by which a class trains on a server for the public, and its visitors."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated
from urllib.parse import urlencode

import segno
import typer

from explorer.cli.common import AsJson, say
from explorer.hosting.space import OWNER, bytes_in, owners, seen, visitors
from explorer.hosting.turns import Turns
from explorer.hosting.visitors import WORD, WordError, Words
from explorer.runs.costs import size
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
    answer = {"name": name, "word": word, "places": places, "expires": expires, "link": address}
    say(answer, as_json, lines)


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


def list_words(as_json: AsJson = False) -> None:
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
    none = ["no words: visitors look on and train in their browsers"]
    say({"words": rows}, as_json, lines or none)


def revoke(name: Name, as_json: AsJson = False) -> None:
    """End a word now: its visitors keep what they have, and begin nothing more on the server."""
    words().revoke(name)
    say({"revoked": name}, as_json, [f"revoked: {name}"])


Visitor = Annotated[
    str, typer.Argument(help="The name of the space, or how it begins, as `list` and the log say.")
]


def list_visitors(as_json: AsJson = False) -> None:
    """Who has a space or a place of a word, or is blocked."""
    commons = Store()
    turns = Turns(commons)
    placed, blocked = turns.words.taken(), turns.words.blocked()
    rows = [
        {
            "visitor": owner,
            "word": placed.get(owner, ""),
            "bytes": bytes_in(visitors(commons) / owner),
            "seen": _day(seen(commons, owner)),
            "blocked": owner in blocked,
        }
        for owner in _all(turns)
    ]
    say(
        {"visitors": rows},
        as_json,
        [_visitor_line(row) for row in rows] or ["no visitors with a space"],
    )


def block(visitor: Visitor, as_json: AsJson = False) -> None:
    """Shut a visitor out: what they train stops, and open pages answer no more."""
    turns = Turns(Store())
    turns.block(owner := _named(turns, visitor))
    say({"blocked": owner}, as_json, [f"blocked: {owner}"])


def unblock(visitor: Visitor, as_json: AsJson = False) -> None:
    """Let a visitor in again."""
    turns = Turns(Store())
    turns.words.block(owner := _named(turns, visitor), False)
    say({"unblocked": owner}, as_json, [f"unblocked: {owner}"])


def remove(visitor: Visitor, as_json: AsJson = False) -> None:
    """Remove a visitor's space with all that is in it; the place of a word is free again."""
    turns = Turns(Store())
    turns.remove(owner := _named(turns, visitor))
    say({"removed": owner}, as_json, [f"removed: {owner}"])


def _all(turns: Turns) -> list[str]:
    return sorted({*owners(turns.commons), *turns.words.taken(), *turns.words.blocked()})


def _named(turns: Turns, visitor: str) -> str:
    """The one visitor whose name begins so; of whom nothing is kept the whole name, as the log has
    it."""
    matches = [owner for owner in _all(turns) if visitor and owner.startswith(visitor)]
    if len(matches) == 1 or OWNER.fullmatch(visitor):
        return matches[0] if matches else visitor
    raise WordError(
        f"{visitor[:40]!r} names {len(matches) or 'no'} visitors: `visitors list` has them"
    )


def _day(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M}" if seconds else ""


def _visitor_line(row: dict) -> str:
    word = row["word"] or "no word"
    blocked = ", blocked" if row["blocked"] else ""
    return f"{row['visitor']}: {word}, {size(row['bytes'])}, seen {row['seen'] or 'never'}{blocked}"
