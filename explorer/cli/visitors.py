"""`python -m explorer visitors`: who is on a server for the public, and who no longer."""

from datetime import UTC, datetime
from typing import Annotated

import typer

from explorer.cli.common import AsJson, say
from explorer.hosting.space import OWNER, bytes_in, owners, seen, visitors
from explorer.hosting.turns import Turns
from explorer.hosting.visitors import WordError
from explorer.runs.costs import size
from explorer.runs.store import Store

Visitor = Annotated[
    str, typer.Argument(help="The name of the space, or how it begins, as `list` and the log say.")
]


def list_(as_json: AsJson = False) -> None:
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
    say({"visitors": rows}, as_json, [_line(row) for row in rows] or ["no visitors with a space"])


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
    known = {*owners(turns.commons), *turns.words.taken(), *turns.words.blocked()}
    return sorted(known)


def _named(turns: Turns, visitor: str) -> str:
    """The one visitor whose name begins so; of whom nothing is kept the whole name, as the log has
    it."""
    found = [owner for owner in _all(turns) if visitor and owner.startswith(visitor)]
    if len(found) == 1 or OWNER.fullmatch(visitor):
        return found[0] if found else visitor
    raise WordError(
        f"{visitor[:40]!r} names {len(found) or 'no'} visitors: `visitors list` has them"
    )


def _day(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M}" if seconds else ""


def _line(row: dict) -> str:
    word = row["word"] or "no word"
    blocked = ", blocked" if row["blocked"] else ""
    return f"{row['visitor']}: {word}, {size(row['bytes'])}, seen {row['seen'] or 'never'}{blocked}"
