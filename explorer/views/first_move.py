"""What to do first in the picture of a page, by the state of what it shows: one short line. What a
button does, that says itself."""

from collections.abc import Sequence

from explorer.runs.record import ACTIVE, RESUMABLE

WATCH = "Watch it learn."
CHANGE = "Change its width."


def at_run(status: str | None, at_rest: str | None = None) -> str | None:
    """Of a page that shows a run, of None where nothing is trained; `at_rest` where it has ended,
    None for what the page opens with."""
    return WATCH if status in ACTIVE else at_rest


def of_training(status: str | None, shipped: bool) -> str | None:
    """Of the page that trains a coupling: what is trained already, it need not train again."""
    return at_run(status, None if shipped or status in RESUMABLE else CHANGE)


def of_sweep(trained: int, at_work: bool) -> str | None:
    """There is nothing to predict where everything is still to be trained."""
    return "Watch the points come." if at_work and not trained else None


def of_runs(runs: Sequence[object], chosen: Sequence[object]) -> str | None:
    """Two runs can be compared where there are two; a first one is to be trained."""
    if not runs:
        return None
    if len(runs) == 1 and not chosen:
        return "Tick it."
    return "Compare them below." if len(chosen) > 1 else "Tick two runs."
