"""The error of a trained head told apart by part: what it leaves where ρ, or F and f, are exact."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from explorer.runs.record import RunRow
from explorer.slow import pd
from explorer.spec import CouplingSpec, coupling_spec, spec_id
from explorer.views.settings import spelt
from explorer.views.sweeps import ASSETS
from explorer.views.text import number

TRAINED = ASSETS / "train-parts.csv"
ERRORS = ("nmse", "nmse_rho", "nmse_networks")
IN_PLACE = dict(
    zip(ERRORS, ("all learned", "exact ρ in place", "exact F and f in place"), strict=True)
)
"""Of one head, as it is trained and with exact parts exchanged for its own. f̂ and F̂ go together:
a map between them and its inverse change nothing."""
ALONE = ("rho", "inner", "outer")
HOW = ("trained, exchanged", "trained anew")
FAR = 10.0
"""Times the error of a head, from which on exact parts do not fit its others."""
SAME = 0.01
"""nMSE of a head at most that has nearly the same H as its target."""
OTHER = (
    ": it has found another (F, f, ρ) of nearly the same H, so that its parts cannot be exchanged "
    "one by one"
)


def errors_of(row: RunRow) -> dict[str, Any]:
    """The nMSE of a finished run, and of its head with exact parts in place."""
    return {name: row.outcome.get(name) for name in ERRORS}


def lines_of(table: pd.DataFrame) -> pd.DataFrame:
    """what, how (of HOW), nmse (> 0, a median), seeds: a line for each of IN_PLACE, and for each
    part that heads were given. `table` has given, seed and ERRORS, a row for each head."""
    plain = table[table["given"] == "none"]
    lines = [(words, HOW[0], plain[name]) for name, words in IN_PLACE.items()]
    own = {part: table.loc[table["given"] == part, "nmse"] for part in ALONE}
    lines += [(f"{spelt(part)} given", HOW[1], errors) for part, errors in own.items()]
    rows = [
        {"what": what, "how": how, "nmse": errors.median(), "seeds": int(errors.count())}
        for what, how, errors in lines
        if errors.notna().any()
    ]
    return pd.DataFrame(rows, columns=["what", "how", "nmse", "seeds"])


def is_apart(row: RunRow) -> bool:
    """Whether a run has such errors: it is finished, was given nothing, and F or f is chosen."""
    return {*ERRORS} <= row.outcome.keys()


def apart_view(row: RunRow, others: Iterable[RunRow]) -> pd.DataFrame:
    """The lines of a run that `is_apart`, and of shipped heads and `others` that learn the same but
    for their seed and what they are given."""
    heads = [*_shipped(), *map(_row, others), mine := _row(row)]
    own = [each for each in heads if _same(each, mine)]
    return lines_of(pd.DataFrame({spec_id(each["spec"]): each for each in own}.values()))


def _row(row: RunRow) -> dict[str, Any]:
    spec = coupling_spec(row.spec)
    return {"given": spec.frozen, "seed": spec.seed, "spec": spec} | errors_of(row)


def _same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two finished ones differ at most in what is given, and in the seed."""
    plain = {"frozen": "none", "seed": 0}
    first, second = (each["spec"].model_copy(update=plain) for each in (one, other))
    return first == second and bool(one["nmse"])


@lru_cache(maxsize=1)
def _shipped() -> list[dict[str, Any]]:
    """Rows of the shipped table, with their specifications."""
    rows = pd.read_csv(TRAINED).to_dict("records")
    return [
        {str(name): value for name, value in row.items()}
        | {"spec": CouplingSpec.model_validate_json(row["spec"])}
        for row in rows
    ]


def apart_said(lines: pd.DataFrame) -> str:
    """What the bars show."""
    at = dict(zip(lines["what"], lines["nmse"], strict=True))
    whole, *swapped = (at[words] for words in IN_PLACE.values())
    rho, networks = map(number, swapped)
    fits = OTHER if whole < SAME and max(swapped) > FAR * whole else ""
    sentence = (
        f"With the exact ρ in place a trained head leaves nMSE {rho}, with the exact F and f "
        f"{networks}, beside {number(whole)}{fits}."
    )
    anew = lines[lines["how"] == HOW[1]]
    if anew.empty:
        return (
            f"{sentence} Train anew with a part given (below *More*) to see what learning it costs."
        )
    each = ", ".join(f"{number(line.nmse)} with {line.what}" for line in anew.itertuples())
    least, most = int(lines["seeds"].min()), int(lines["seeds"].max())
    count = least if least == most else f"{least} to {most}"
    seeds = "one seed" if most == 1 else f"medians of {count} seeds"
    return f"{sentence} Trained anew: {each} ({seeds})."
