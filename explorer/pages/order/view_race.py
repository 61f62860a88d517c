"""The race of architectures for the kernel of the Order page: floors, curves, verdicts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from explorer.pages.order.view_architectures import found, kernel_shown
from explorer.spec import LinearSpec
from explorer.theory.architectures.race import (
    ENTRANTS,
    SEEDS,
    SHARE,
    By,
    Entrant,
    Known,
    Race,
    Verdict,
    known_of,
    verdict,
)
from explorer.views.text import floor_text, number

Rows = Sequence[Mapping[str, Any]]
SMALLEST = 1e-8
"""Errors below are drawn here."""
SIZES = (10, 20, 40, 80, 160)
READING = (
    "Linear architectures are trained on ‖ρ̂ − ρ‖²/‖ρ‖² itself, which is exact, by Adam from "
    "several seeds; a line is their median, the shade lowest to highest, which holds the median of "
    f"all seeds at {100 * (1 - 2.0 ** (1 - SEEDS)):.0f} %. Dashed: no model of that size is below. "
    f"GRU and LSTM see sequences, 1/{SHARE} of the steps, and have no known floor. A verdict "
    "compares what floors and searches predict with the median."
)


def race_of(spec: LinearSpec, size: int, by: By, sequences: bool = False) -> Race:
    """What is raced for the kernel shown."""
    return Race(tuple(kernel_shown(spec).tolist()), size, by, sequences=sequences)


def done(race: Race, rows: Rows) -> dict[str, Mapping[str, Any]]:
    """The rows of entrants that have finished, by name."""
    return {
        row["name"]: row
        for row in rows
        if row["steps"] and row["steps"][-1] == ENTRANTS[row["name"]].steps_of(race)
    }


def _median(errors: Sequence[float | None]) -> tuple[float, float, float]:
    """Lowest, median, highest; what diverged is infinite."""
    ended = sorted(math.inf if one is None else one for one in errors)
    return ended[0], ended[len(ended) // 2], ended[-1]


def curves(rows: Rows) -> pd.DataFrame:
    """architecture, step, error (the median), low, high: a line for each lap after the start."""
    lines = []
    for row in rows:
        title = ENTRANTS[row["name"]].title
        for step, errors in zip(row["steps"], row["errors"], strict=True):
            low, middle, high = np.clip(_median(errors), SMALLEST, 10.0)
            line = {"architecture": title, "step": step, "error": middle, "low": low, "high": high}
            lines += [line] if step else []
    columns = ["architecture", "step", "error", "low", "high"]
    return pd.DataFrame(lines, columns=columns)


def floors(spec: LinearSpec, race: Race) -> pd.DataFrame:
    """architecture, error of the floors that are drawn."""
    known = known_of(race, found(spec))
    lines = [
        {"architecture": ENTRANTS[name].title, "error": each.bound}
        for name, each in known.items()
        if each.bound is not None and each.bound > SMALLEST
    ]
    return pd.DataFrame(lines, columns=["architecture", "error"])


def results(spec: LinearSpec, race: Race, rows: Rows, error: float) -> pd.DataFrame:
    """architecture, size, parameters, floor, found, race (median, lowest to highest), verdict and
    its reason."""
    known, ended = known_of(race, found(spec)), done(race, rows)
    return pd.DataFrame(
        [_result(race, one, known[one.name], ended.get(one.name), error) for one in race.entrants]
    )


def _result(
    race: Race, one: Entrant, known: Known, row: Mapping[str, Any] | None, error: float
) -> dict[str, Any]:
    width, errors = one.width_of(race), row["errors"][-1] if row else ()
    told = verdict(one, known, errors, error)
    raced = ""
    if errors:
        low, middle, high = map(number, _median(errors))
        raced = f"{middle} ({low} to {high})"
    return {
        "architecture": one.title,
        "size": one.sized(width),
        "parameters": one.parameters(width, len(race.kernel)),
        "floor": "none known" if known.bound is None else floor_text(known.bound),
        "found": "" if known.found is None else floor_text(known.found),
        "race": raced,
        "verdict": told.label,
        "reason": told.reason,
    }


def verdicts(spec: LinearSpec, race: Race, rows: Rows, error: float) -> dict[str, Verdict]:
    """What the race says of each entrant, by name."""
    known, ended = known_of(race, found(spec)), done(race, rows)
    return {
        one.name: verdict(
            one,
            known[one.name],
            ended[one.name]["errors"][-1] if one.name in ended else (),
            error,
        )
        for one in race.entrants
    }


def sentence(spec: LinearSpec, race: Race, rows: Rows, error: float) -> str:
    """Who gets there, and how often floors and searches were right."""
    ended = done(race, rows)
    share, size = f"{100 * error:g} %", f"{race.size} {race.by}"
    if not ended:
        told = verdicts(spec, race, rows, error)
        can = [ENTRANTS[n].title for n, one in told.items() if one.reason == "it gets there"]
        return f"At {size}, predicted to reach {share}: {', '.join(can) or 'none'}."
    there = [
        ENTRANTS[name].title
        for name, row in ended.items()
        if _median(row["errors"][-1])[1] <= error
    ]
    labels = [one.label for name, one in verdicts(spec, race, rows, error).items() if name in ended]
    counts = [f"{labels.count(label)} {label}" for label in dict.fromkeys(labels)]
    who = ", ".join(there) or "none"
    return f"At {size}, {share} is reached by {who}. Verdicts: {', '.join(counts)}."


def answer(spec: LinearSpec, race: Race, rows: Rows, error: float) -> dict[str, Any]:
    """All of it as JSON."""
    known = known_of(race, found(spec))
    told = verdicts(spec, race, rows, error)
    entrants = {
        one.name: {
            "width": one.width_of(race),
            "parameters": one.parameters(one.width_of(race), len(race.kernel)),
            **known[one.name]._asdict(),
            **told[one.name]._asdict(),
        }
        for one in race.entrants
    }
    for name, row in done(race, rows).items():
        entrants[name] |= {"steps": row["steps"], "errors": row["errors"]}
    return {
        "race": race.id,
        "error": error,
        "entrants": entrants,
        "sentence": sentence(spec, race, rows, error),
    }
