"""What papers say line by line, and texts by hand; and whether it holds."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from explorer.cli import heavy
from explorer.cli.common import AsJson, counted, need, say
from explorer.pretrained.catalogue import ModelError
from explorer.runs.store import Store
from explorer.spec import SpecError


def paper(
    where: Annotated[str | None, typer.Argument(help='One line, such as "Eq. 10".')] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Compute each that takes seconds; exits 1 if one fails.")
    ] = False,
    slow: Annotated[
        bool, typer.Option("--slow", help="Train the figures and tables, too: by `reproduce`.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Every equation, statement, figure and table of the papers, with a verdict."""
    rows: list[dict[str, Any]] = []
    show, lines = counted("lines"), _chosen(where)
    for done, (title, item) in enumerate(lines, 1):
        row = {"section": title, "where": item.where, "says": item.says, "verdict": item.verdict}
        row |= {"link": item.link, "commands": item.commands}
        if (check or slow) and item.check:
            row |= _checked(item)
        rows.append(row)
        show(done, len(lines))
    trained = _trained(dict.fromkeys(i.slow for _, i in lines if i.slow)) if slow else []
    fails = [row for row in [*rows, *trained] if row.get("holds") is False]
    say({"items": rows, "trained": trained, "holds": not fails}, as_json, _table(rows, trained))
    if fails:
        raise typer.Exit(1)


def _chosen(where: str | None) -> list[tuple[str, Any]]:
    """Lines with the titles of their sections; raises SpecError for a place that is none."""
    all_of = [(part.title, item) for part in heavy.paper.SECTIONS for item in part.items]
    chosen = [pair for pair in all_of if where in (None, pair[1].where)]
    if not chosen:
        known = ", ".join(item.where for _, item in all_of)
        raise SpecError(f"paper {where!r}: known are {known}")
    return chosen


def _checked(item: Any) -> dict[str, Any]:
    """What the check of a line finds, and whether that is its verdict."""
    finding = item.check()
    holds = finding.verdict == item.verdict
    return {
        "said": finding.claim,
        "found": finding.computed,
        "finds": finding.verdict,
        "holds": holds,
    }


def _trained(names: dict[str, None]) -> list[dict[str, Any]]:
    """What `reproduce` finds, each in its quick form."""
    rows = []
    for name in names:
        with TemporaryDirectory() as out:
            try:
                answer = heavy.reproduce.reproduce(
                    name, heavy.reproduce.Request(Store(), Path(out), quick=True)
                )
            except ModelError as error:
                rows.append({"name": name, "holds": None, "found": str(error)})
                continue
        failed, checks = heavy.reproduce.failed(answer["figures"].values())
        rows.append(
            {"name": name, "holds": not failed, "found": f"{checks - failed} of {checks} hold"}
        )
    return rows


def _table(rows: list[dict[str, Any]], trained: list[dict[str, Any]]) -> list[str]:
    """Lines for a terminal."""
    lines: list[str] = []
    for title in dict.fromkeys(row["section"] for row in rows):
        lines += ["", title]
        for row in (each for each in rows if each["section"] == title):
            lines += _lines(row)
    lines += [f"reproduce {row['name']} --quick: {row['found']}" for row in trained]
    checked = [row for row in rows if "holds" in row]
    if checked:
        held = sum(row["holds"] for row in checked)
        lines += ["", f"{held} of {len(checked)} checks find their verdict; {len(rows)} lines"]
    return lines[1:]


def _lines(row: dict[str, Any]) -> list[str]:
    lines = [f"  {row['where']:29}{row['verdict']:14}{row['says']}"]
    if "found" in row:
        mark = "" if row["holds"] else f"; FINDS {row['finds']}"
        lines.append(f"{'':45}{row['said']}: {row['found']}{mark}")
    return [*lines, f"{'':45}{'  '.join([row['link'], *row['commands']])}"]


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
    need("explorer.claims", "the claims")
    if not talk:
        return _of_all(check, as_json)
    known = [each._asdict() for each in heavy.claims.statements(heavy.claims.CLAIMS)]
    lines = [
        f"{row['scene']}.{row['step']} {row['says']}  [{'; '.join(row['rests'])}]" for row in known
    ]
    say({"statements": known}, as_json, lines)


def _of_all(check: bool, as_json: bool) -> None:
    rows: list[dict[str, Any]] = []
    show, known = counted("claims"), heavy.claims.CLAIMS
    for done, claim in enumerate(known, 1):
        row = {"place": claim.place, "says": claim.says, "rests": claim.rests}
        if check:
            row |= {"found": claim.rendered(), "holds": claim.stands()}
            show(done, len(known))
        rows.append(row)
    left = [unknown._asdict() for unknown in heavy.claims.unknown(known)] if check else []
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
