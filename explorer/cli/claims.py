"""`python -m explorer claims`: what the texts say by hand, and whether it holds."""

from typing import Annotated, Any

import typer

from explorer.cli import heavy
from explorer.cli.common import AsJson, counted, say


def claims(
    check: Annotated[
        bool, typer.Option("--check", help="Compute each anew; exits 1 where one does not hold.")
    ] = False,
    talk: Annotated[
        bool, typer.Option("--talk", help="Every sentence of the shipped talk instead.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Numbers and theorems of the texts: where each stands and what it rests on."""
    if talk:
        _of_the_talk(as_json)
    else:
        _of_all(check, as_json)


def _of_all(check: bool, as_json: bool) -> None:
    rows: list[dict[str, Any]] = []
    show, known = counted("claims"), heavy.claims.CLAIMS
    for done, claim in enumerate(known, 1):
        row = {"place": claim.place, "says": claim.says, "rests": claim.rests}
        if check:
            row |= {"found": claim.rendered(), "holds": claim.stands()}
            show(done, len(known))
        rows.append(row)
    left = [found._asdict() for found in heavy.claims.unknown(known)] if check else []
    fails = [row for row in rows if row.get("holds") is False]
    answer: dict[str, Any] = {"claims": rows}
    lines = [f"{row['place']}: {row.get('found', row['says'])}  [{row['rests']}]" for row in rows]
    if check:
        answer |= {"unknown": left, "holds": not fails and not left}
        lines = [
            *(f"{row['place']} does not say: {row['found']}  [{row['rests']}]" for row in fails),
            *(f"{at['place']}: {at['word']!r} is in no claim: …{at['beside']}…" for at in left),
            f"{len(rows) - len(fails)} of {len(rows)} claims hold, {len(left)} are not known",
        ]
    say(answer, as_json, lines)
    if fails or left:
        raise typer.Exit(1)


def _of_the_talk(as_json: bool) -> None:
    known = [each._asdict() for each in heavy.claims.statements(heavy.claims.CLAIMS)]
    lines = [
        f"{row['scene']}.{row['step']} {row['says']}  [{'; '.join(row['rests'])}]" for row in known
    ]
    say({"statements": known}, as_json, lines)
