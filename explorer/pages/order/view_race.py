"""The race of architectures for the kernel of the Order page: floors, curves, verdicts."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from explorer.coupling import GridLoader
from explorer.pages.order.view_architectures import compared_once, kernel_shown
from explorer.pages.order.view_kinds import VIEWS
from explorer.slow import pd
from explorer.spec import AlterableSpec, CouplingSpec, LinearSpec
from explorer.spec.fields import of_each
from explorer.spec.racing import By
from explorer.theory.architectures.coupled import Coupled, coupled, sequences_of
from explorer.theory.architectures.race import (
    ENTRANTS,
    SEEDS,
    SHARE,
    Known,
    Race,
    Verdict,
    known_of,
    verdict,
)
from explorer.theory.design import Design
from explorer.views.text import floor_text, number, plural

Rows = Sequence[Mapping[str, Any]]
SMALLEST = 1e-8
"""Errors below are drawn here."""
SIZES = (10, 20, 40, 80, 160)
TRAINED, FLOOR = "trained", "no model is below"
READING = (
    "Linear architectures are trained on ‖ρ̂ − ρ‖²/‖ρ‖² itself, which is exact, by Adam from "
    "several seeds; a line is their median, the shade lowest to highest, which holds the median of "
    f"all seeds at {100 * (1 - 2.0 ** (1 - SEEDS)):.0f} %. Dashed: no model of that size is below. "
    f"The others see sequences, 1/{SHARE} of the steps, and have no known floor: dashes and dots. "
    "A head of Eq. 5 sees what a token is and not where. Each rotary head learns the one angle by "
    "which a lag turns it; RoPE's own begins at a radian, many turns in a long window. A "
    "verdict compares what floors and searches predict with the median."
)


def race_of(spec: LinearSpec, size: int, by: By, sequences: bool = False) -> Race:
    """What is raced for the kernel shown."""
    return Race(tuple(kernel_shown(spec).tolist()), size, by, sequences=sequences)


def coupled_race_of(spec: CouplingSpec, load_grid: GridLoader | None, size: int, by: By) -> Race:
    """The same architectures for the last answer of a coupling, not altered; those that see
    sequences are always there."""
    kernel, target = _best_map(Design(spec, load_grid).bare)
    return Race(kernel, size, by, coupled=target)


@lru_cache(maxsize=16)
def _best_map(design: Design) -> tuple[tuple[float, ...], Coupled]:
    kernel, target = coupled(design)
    return tuple(kernel.tolist()), target


RACES: Mapping[str, Callable[[Any, GridLoader | None, int, By, bool], Race]] = of_each(
    "races of alterable targets",
    VIEWS,
    {
        "linear": lambda spec, load_grid, *how: race_of(spec, *how),
        "coupling": lambda spec, load_grid, size, by, sequences: coupled_race_of(
            spec, load_grid, size, by
        ),
    },
)


def race_for(
    spec: AlterableSpec, load_grid: GridLoader | None, size: int, by: By, sequences: bool
) -> Race:
    """What is raced for a target of either kind; `load_grid` fetches the samples of a coupling.
    Raises ValueError as `Race` and `coupled` do."""
    return RACES[spec.target](spec, load_grid, size, by, sequences)


def beyond(race: Race) -> str:
    """What is known of a target that is not linear; empty of a kernel."""
    if race.coupled is None:
        return ""
    left, within, tau = race.coupled.left, race.coupled.within, len(race.kernel)
    return (
        f"The answer after the last of {tau} tokens, by a coupling. No affine map of "
        f"the sequence leaves less than {number(left, 3)} of its variance (± {number(within)} at "
        f"95 %, least squares on {sequences_of(tau):,} sequences): the floor of every linear "
        "architecture, whatever its size. Of the others no exact floor is known: the gated CNN, "
        "GRU and LSTM bend what they sum, and the head of Eq. 5 weighs tokens by what they are."
    )


def of_sizes(race: Race) -> list[Race]:
    """The same at each of SIZES, and at its own; at equal width, of which parameters go with the
    square, at its own alone."""
    sizes = {*SIZES, race.size} if race.by == "parameters" else {race.size}
    return [replace(race, size=size) for size in sorted(sizes)]


@lru_cache(maxsize=32)
def known(race: Race) -> dict[str, Known]:
    """What is known of each entrant; a race at work is drawn every second."""
    return known_of(race, compared_once(race.kernel))


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


def over_sizes(raced: Sequence[tuple[Race, Rows]]) -> pd.DataFrame:
    """architecture, what (of the race, or its floor), parameters, size, error (the median), low,
    high: an entrant that several races have at one width counts once."""
    lines = {}
    for race, rows in raced:
        for name, row in done(race, rows).items():
            one, floor = ENTRANTS[name], known(race)[name].bound
            width = one.width_of(race)
            low, middle, high = np.clip(_median(row["errors"][-1]), SMALLEST, 10.0)
            line = {
                "architecture": one.title,
                "parameters": one.parameters(width, len(race.kernel)),
                "size": one.sized(width),
            }
            trained = {"what": TRAINED, "error": middle, "low": low, "high": high}
            lines[name, width, TRAINED] = line | trained
            if floor is not None and floor > SMALLEST:
                below = {"what": FLOOR, "error": floor, "low": floor, "high": floor}
                lines[name, width, FLOOR] = line | below
    columns = ["architecture", "what", "parameters", "size", "error", "low", "high"]
    return pd.DataFrame(list(lines.values()), columns=columns).sort_values("parameters")


def steps_of(rows: Rows) -> list[int]:
    """The steps at which kernels are kept, of all that race."""
    return sorted({int(step) for row in rows for step in row["kernels"]})


def kernels(race: Race, rows: Rows, at: int | None) -> pd.DataFrame:
    """architecture, s, rho_hat, rho: ρ̂ of the first seed of each at the last kept step up to `at`;
    None = the last. What diverged has no line."""
    rho = np.array(race.kernel)
    lines = []
    for row in rows:
        by_step = {int(step): values for step, values in row["kernels"].items()}
        steps = [step for step in by_step if at is None or step <= at]
        if not steps:
            continue
        made = np.array(by_step[max(steps)], dtype=float) * np.linalg.norm(rho)
        lines += [
            {"architecture": ENTRANTS[row["name"]].title, "s": s, "rho_hat": one, "rho": own}
            for s, (one, own) in enumerate(zip(made, rho, strict=True))
        ]
    return pd.DataFrame(lines, columns=["architecture", "s", "rho_hat", "rho"]).dropna()


def floors(race: Race) -> pd.DataFrame:
    """architecture, error of the floors that are drawn."""
    lines = [
        {"architecture": ENTRANTS[name].title, "error": each.bound}
        for name, each in known(race).items()
        if each.bound is not None and each.bound > SMALLEST
    ]
    return pd.DataFrame(lines, columns=["architecture", "error"])


def verdicts(race: Race, rows: Rows, error: float) -> dict[str, Verdict]:
    """What the race says of each entrant, by name."""
    ended = {name: row["errors"][-1] for name, row in done(race, rows).items()}
    return {
        name: verdict(ENTRANTS[name], each, ended.get(name, ()), error)
        for name, each in known(race).items()
    }


def results(race: Race, rows: Rows, error: float) -> pd.DataFrame:
    """architecture, size, parameters, floor, found, race (median, lowest to highest), verdict and
    its reason."""
    ended, lines = done(race, rows), []
    for name, told in verdicts(race, rows, error).items():
        one, (bound, least), raced = ENTRANTS[name], known(race)[name], ""
        width = one.width_of(race)
        if name in ended:
            low, middle, high = map(number, _median(ended[name]["errors"][-1]))
            raced = f"{middle} ({low} to {high})"
        line = {
            "architecture": one.title,
            "size": one.sized(width),
            "parameters": one.parameters(width, len(race.kernel)),
            "floor": "none known" if bound is None else floor_text(bound),
            "found": "" if least is None else floor_text(least),
            "race": raced,
            "verdict": told.label,
            "reason": told.reason,
        }
        lines.append(line)
    return pd.DataFrame(lines)


def sized(race: Race) -> str:
    """At which size, and which entrants are larger at their least."""
    if race.by == "width":
        return f"At width {race.size}"
    tau = len(race.kernel)
    counts = {one.title: one.parameters(one.width_of(race), tau) for one in race.entrants}
    larger = [f"{title} {count}" for title, count in counts.items() if count > race.size]
    least = f" ({', '.join(larger)} at least)" * bool(larger)
    return f"At {plural(race.size, 'parameter')}{least}"


def sentence(race: Race, rows: Rows, error: float) -> str:
    """Who gets there, and how often floors and searches were right."""
    ended, told = done(race, rows), verdicts(race, rows, error)
    share, size = f"{100 * error:g} %", sized(race)
    if not ended:
        can = [ENTRANTS[n].title for n, one in told.items() if one.reason == "it gets there"]
        return f"{size}, predicted to reach {share}: {', '.join(can) or 'none'}."
    there = [
        ENTRANTS[name].title
        for name, row in ended.items()
        if _median(row["errors"][-1])[1] <= error
    ]
    labels = [told[name].label for name in ended]
    counts = [f"{labels.count(label)} {label}" for label in dict.fromkeys(labels)]
    who = ", ".join(there) or "none"
    return f"{size}, {share} is reached by {who}. Verdicts: {', '.join(counts)}."


def answer(race: Race, rows: Rows, error: float) -> dict[str, Any]:
    """All of it as JSON."""
    told = verdicts(race, rows, error)
    entrants = {
        one.name: {
            "width": (width := one.width_of(race)),
            "parameters": one.parameters(width, len(race.kernel)),
            **known(race)[one.name]._asdict(),
            **told[one.name]._asdict(),
        }
        for one in race.entrants
    }
    for name, row in done(race, rows).items():
        entrants[name] |= {"steps": row["steps"], "errors": row["errors"]}
    return {
        "race": race.id,
        "beyond": beyond(race),
        "error": error,
        "entrants": entrants,
        "sentence": sentence(race, rows, error),
    }
