"""Page 8: the runs of a store as a list, and several of them side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np

from explorer.pages.design.view import claimed, final_nmse
from explorer.runs.record import ACTIVE, STATUSES, Record, RunRow
from explorer.slow import pd
from explorer.spec import AnySpec, SpecError
from explorer.targets import KINDS
from explorer.views.pictures import FRESH, curve_table
from explorer.views.settings import differing_fields, value_text, words_of
from explorer.views.text import number, plural, written

SHOWN = 200
COMPARED = 6  # as many as there are colours that are told apart
LABEL = 20  # characters of a run's name in a picture
DIFFERENCE = 24  # characters of what it differs in
UNREADABLE = "written by another version"


@dataclass(frozen=True, eq=False)
class Listing:
    """What the list shows, the newest run first."""

    runs: tuple[str, ...]
    """The ids, row by row."""
    table: pd.DataFrame
    """name, run, status, step, steps, nmse, m_h, design, seed, device, created."""
    note: str
    """How many runs there are and how many of them are not shown."""


def listing(rows: Sequence[RunRow], text: str = "", statuses: Iterable[str] = ()) -> Listing:
    """The runs that hold every word of `text` and have one of `statuses` (none = all)."""
    wanted = set(statuses) or set(STATUSES)
    matches = [row for row in rows if row.status in wanted and _holds(row, text)]
    shown = matches[:SHOWN]
    table = pd.DataFrame([_line(row) for row in shown])
    return Listing(tuple(row.run for row in shown), table, _note(rows, matches, shown))


def _note(rows: Sequence, matches: Sequence, shown: Sequence) -> str:
    parts = (
        [f"{len(matches)} of {len(rows)} runs"]
        if len(matches) < len(rows)
        else [plural(len(rows), "run")]
    )
    if hidden := len(matches) - len(shown):
        parts.append(f"the newest {len(shown)} are shown, {hidden} more by a narrower filter")
    return "; ".join(parts)


def readable(row: RunRow) -> AnySpec | None:
    """The specification of a run; None where another version wrote it."""
    try:
        return row.spec
    except SpecError:
        return None


def _line(row: RunRow) -> dict[str, Any]:
    spec = readable(row)
    return {
        "name": row.name or None,
        "run": row.run,
        "status": row.status + claimed(row),
        "step": row.step,
        "steps": row.steps,
        "nmse": final_nmse(row),
        "m_h": spec and spec.m_h,
        "design": design_words(spec),
        "seed": spec and spec.seed,
        "device": row.device,
        "created": datetime.fromtimestamp(row.created),
    }


def design_words(spec: AnySpec | None) -> str:
    """The coupling or task of a specification in a few words."""
    return UNREADABLE if spec is None else KINDS[spec.target].words(spec)


def _holds(row: RunRow, text: str) -> bool:
    spec = readable(row)
    known = [row.run, row.name, row.status + claimed(row), row.device, design_words(spec)]
    if spec is not None:
        known += [f"m_h={spec.m_h}", f"seed={spec.seed}", f"tau={spec.tau}", spec.optimizer]
    everything = " ".join(known).casefold()
    return all(word in everything for word in text.casefold().split())


def labels(rows: Sequence[RunRow]) -> list[str]:
    """What a picture calls each run: its name where only one has it, else that in which it differs
    from the others, as "m_h = 8", else its id; and whether its errors are what its zip claims."""
    names, differ = [row.name.strip() for row in rows], _differences_in_words(rows)
    return [
        (_cut(name) if _unique(name, names) else words if _unique(words, differ) else row.run)
        + claimed(row)
        for name, words, row in zip(names, differ, rows, strict=True)
    ]


def _unique(word: str, words: Sequence[str]) -> bool:
    return bool(word) and words.count(word) == 1


def _differences_in_words(rows: Sequence[RunRow]) -> list[str]:
    """In what each specification differs from the others; "" where that is nothing, or long, and
    among more than are compared."""
    if len(rows) > COMPARED:
        return [""] * len(rows)
    specs = [readable(row) for row in rows]
    fields = differing_fields([spec for spec in specs if spec is not None])
    texts = [words_of(spec, fields) if spec and fields else "" for spec in specs]
    return [words if len(words) <= DIFFERENCE else "" for words in texts]


def _cut(name: str) -> str:
    return name if len(name) <= LABEL else f"{name[: LABEL - 1]}…"


def differences(rows: Sequence[RunRow]) -> pd.DataFrame:
    """The fields in which the specifications differ: field, and a column of texts for each run.

    "–" stands for what says nothing about a run, such as α where ρ is a formula, and for a run of
    another version.
    """
    specs = [readable(row) for row in rows]
    fields = differing_fields([spec for spec in specs if spec is not None])
    columns = {
        label: [value_text(spec, name) if spec else "–" for name in fields]
        for label, spec in zip(labels(rows), specs, strict=True)
    }
    return pd.DataFrame({"field": fields, **columns})


def outcomes(rows: Sequence[RunRow], floors: Sequence[float | None]) -> pd.DataFrame:
    """Where each run has come to: run, nMSE, floor at its m_h, steps taken, as texts."""
    return pd.DataFrame(
        {
            "run": [written(label) for label in labels(rows)],
            "nMSE": [_or_dash(final_nmse(row)) for row in rows],
            "truncation": [_or_dash(floor) for floor in floors],
            "steps": [_stand(row) for row in rows],
        }
    )


def _stand(row: RunRow) -> str:
    done = row.status == "finished"
    return f"{row.steps}" if done else f"{row.step} of {row.steps}, {row.status}"


def _or_dash(value: float | None) -> str:
    return "–" if value is None else number(value, 3)


def compared_curves(records: Sequence[Record]) -> pd.DataFrame:
    """run, step, error of the nMSE on fresh sequences, for each run."""
    parts = [
        _fresh(record).assign(run=label)[["run", "step", "error"]]
        for record, label in zip(records, labels([r.row for r in records]), strict=True)
    ]
    filled = [part for part in parts if len(part)]
    nothing = {"run": pd.Series(dtype=str), "step": [], "error": []}
    return pd.concat(filled, ignore_index=True) if filled else pd.DataFrame(nothing)


def ratio_table(first: Record, second: Record) -> pd.DataFrame:
    """step, ratio: the nMSE of the first run over that of the second, at the steps of both.

    Where only one of them was looked at, the other is interpolated in log error against log step;
    beyond the last step of the shorter run nothing is said.
    """
    steps, logs = zip(*(_log_curve(record) for record in (first, second)), strict=True)
    table = pd.DataFrame({"step": [], "ratio": []})
    if not all(map(len, steps)):
        return table
    low, high = max(s[0] for s in steps), min(s[-1] for s in steps)
    common = np.union1d(*steps)
    common = common[(common >= low) & (common <= high)]
    one, other = (np.interp(np.log(common), np.log(s), y) for s, y in zip(steps, logs, strict=True))
    return pd.DataFrame({"step": common, "ratio": np.exp(one - other)}) if len(common) else table


def ratios_table(first: Record, others: Sequence[Record], names: Sequence[str]) -> pd.DataFrame:
    """step, ratio, over: `ratio_table` over each of the others, which `names` call."""
    parts = [
        ratio_table(first, other).assign(over=name)
        for other, name in zip(others, names, strict=True)
    ]
    return pd.concat(parts, ignore_index=True)


def _log_curve(record: Record) -> tuple[np.ndarray, np.ndarray]:
    """Rising steps and the logarithms of the nMSE there."""
    curve = _fresh(record)
    return curve["step"].to_numpy(float), np.log(curve["error"].to_numpy(float))


def _fresh(record: Record) -> pd.DataFrame:
    table = curve_table(record)
    return table[table["curve"] == FRESH]


def floor_table(rows: Sequence[RunRow], floors: Sequence[float | None]) -> pd.DataFrame:
    """run and error of every floor above 0; a floor of 0 has no place on a log axis."""
    pairs = zip(labels(rows), floors, strict=True)
    levels = [{"run": label, "error": floor} for label, floor in pairs if floor]
    return pd.DataFrame(levels, columns=["run", "error"])


def end_labels(curves: pd.DataFrame, floors: pd.DataFrame, gap: float = 0.075) -> pd.DataFrame:
    """run, step, error, at: the last point of each curve.

    Its label stands at the right end of the axis at the height `at`, at least `gap` of the
    picture's height from the next, in the order in which the curves end.
    """
    if curves.empty:
        return pd.DataFrame(columns=["run", "step", "error", "at"])
    ends = curves.sort_values("step").groupby("run", sort=False).last().reset_index()
    names = list(dict.fromkeys(curves["run"]))
    ends = ends.set_index("run").loc[names].reset_index()
    ends["step"] = curves["step"].max()
    heights = np.log10(pd.concat([curves["error"], floors["error"]]).astype(float))
    least = gap * max(float(heights.max() - heights.min()), 1.0)
    ends["at"] = 10 ** _apart(np.log10(ends["error"].to_numpy(float)), least)
    return ends[["run", "step", "error", "at"]]


def _apart(heights: np.ndarray, least: float) -> np.ndarray:
    """Heights moved up and down, in their order, until neighbours are `least` apart."""
    order = np.argsort(heights, kind="stable")
    rising = heights[order] - least * np.arange(len(heights))
    # The best rising sequence: pool neighbours that are out of order into their mean.
    pools: list[list[float]] = []
    for height in rising.tolist():
        pools.append([height, 1])
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            mean, count = pools.pop()
            pools[-1][0] = (pools[-1][0] * pools[-1][1] + mean * count) / (pools[-1][1] + count)
            pools[-1][1] += count
    placed = np.concatenate([np.full(int(count), mean) for mean, count in pools])
    moved = np.empty_like(heights)
    moved[order] = placed + least * np.arange(len(heights))
    return moved


def signature(rows: Sequence[RunRow], step: int | None = None) -> str:
    """The small print of a figure: specifications and seeds of the runs it shows.

    A single run says which one it is, and the step of what is shown (its last one by default).
    """
    ids = list(dict.fromkeys(row.spec_id for row in rows))
    seeds = list(dict.fromkeys(spec.seed for row in rows if (spec := readable(row))))
    parts = [_counted("spec", ids), _counted("seed", seeds)]
    if len(rows) == 1:
        at = rows[0].step if step is None else step
        parts += [f"run {rows[0].run}", f"step {at} of {rows[0].steps}"]
    return " · ".join(part for part in parts if part)


def _counted(word: str, values: Sequence) -> str:
    plural = "s" if len(values) > 1 else ""
    return f"{word}{plural} {', '.join(map(str, values))}" if values else ""


def verdict(rows: Sequence[RunRow]) -> str:
    """One sentence on several runs: their seeds, or which ends lowest and in what they differ."""
    ended = {row.run: nmse for row in rows if (nmse := final_nmse(row)) is not None}
    if len(ended) < 2:
        yet = " yet" * any(row.status in ACTIVE for row in rows)
        count = "One" if ended else "None"
        return f"{count} of these {len(rows)} runs has finished: nothing to compare{yet}."
    finished = [row for row in rows if row.run in ended]
    fields = differences(finished)["field"].tolist()
    values = sorted(ended.values())
    span = f"from {number(values[0])} to {number(values[-1])}"
    if fields == ["seed"]:
        seeds = len({row.spec.seed for row in finished})
        runs = f"{seeds} seeds" if seeds == len(ended) else f"{len(ended)} runs of {seeds} seeds,"
        return (
            f"{runs} of one design and recipe: nMSE {span}, "
            f"median {number(float(np.median(values)))}."
        )
    if not fields:
        return f"{len(ended)} runs of one specification: nMSE {span}."
    first, second = sorted(finished, key=lambda row: ended[row.run])[:2]
    names = dict(zip([row.run for row in rows], labels(rows), strict=True))
    lowest, beside = ended[first.run], names[second.run]
    ahead = f"{number(ended[second.run] / lowest) if lowest else '∞'} × below {beside}"
    if number(lowest) == number(ended[second.run]):
        ahead = f"as {beside} does"
    return (
        f"{names[first.run]} ends lowest, at nMSE {number(lowest)}, {ahead}; "
        f"the {len(ended)} finished runs differ in {_listed(fields)}, and each is one seed."
    )


def beside(row: RunRow, pinned: RunRow) -> str:
    """The run shown beside the pinned one: their errors, and in what they differ."""
    name = labels([pinned])[0]
    ended = final_nmse(row), final_nmse(pinned)
    if ended[1] is None:
        return f"The pinned run {name} is {pinned.status} at step {pinned.step} of {pinned.steps}."
    text = f"The pinned run {name} ended at nMSE {number(ended[1])}"
    if ended[0] is not None and number(ended[0]) == number(ended[1]):
        text += ", as the one shown"
    elif ended[0] and ended[1]:
        times, side = ended[1] / ended[0], "above" if ended[1] > ended[0] else "below"
        text += f", {number(max(times, 1 / times))} × {side} the one shown"
    table = differences([pinned, row])
    changed = [f"{name} {a} → {b}" for name, a, b in table.itertuples(index=False)]
    return f"{text}. From pinned to shown: {_listed(changed) if changed else 'the same settings'}."


def summary(rows: Sequence[RunRow]) -> str:
    """One sentence on a whole store: how many runs have finished, and the lowest error of one."""
    ended = {row.run: nmse for row in rows if (nmse := final_nmse(row)) is not None}
    if not ended:
        return f"None of {plural(len(rows), 'run')} has finished yet."
    names = dict(zip([row.run for row in rows], labels(rows), strict=True))
    best = min(ended, key=lambda run: ended[run])
    subject = "The only run has" if len(rows) == 1 else f"{len(ended)} of {len(rows)} runs have"
    return f"{subject} finished; the lowest nMSE is {number(ended[best])}, of {names[best]}."


def _listed(words: Sequence[str], most: int = 4) -> str:
    if len(words) > most:
        words = [*words[: most - 1], f"{len(words) - most + 1} more settings"]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
