"""What to do first on a page, by the state of what it shows: one short line, which presses the
button that it names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from explorer.runs.record import ACTIVE, RESUMABLE

PRESS = "#press-"
"""Before the key of the part of the page whose button a move presses (ui/components/page)."""


@dataclass(frozen=True)
class Move:
    """The words, and what a press on them presses: a part of the page by its key, or a link."""

    words: str
    button: str = ""
    link: str = ""

    @property
    def markdown(self) -> str:
        """Bold, as a link where it is a button itself."""
        to = PRESS + self.button.replace(" ", "-") if self.button else self.link
        return f"[**{self.words}**]({to})" if to else f"**{self.words}**"


WATCH = Move("Watch it learn.")
TRAIN = Move("Press Train.", button="do train")
RESUME = Move("Press Resume.", button="do resume")
CHANGE = Move("Change its width.")
BOTH = Move("Train both depths.", button="train pair")
STAGE = Move("Open the stage.", link="stage")


def at_run(status: str | None, at_rest: Move | None) -> Move | None:
    """Of a page that shows a run, of None where nothing is trained; `at_rest` where it has ended,
    None for what the page opens with."""
    if status in ACTIVE:
        return WATCH
    return RESUME if status in RESUMABLE else at_rest


def of_training(status: str | None, shipped: bool) -> Move | None:
    """Of the page that trains a coupling: what is trained already, it need not train again."""
    return at_run(status, TRAIN if status is None or shipped else CHANGE)


def of_pair(status: str, pair: bool) -> Move | None:
    """Of the page that trains two depths, where the kind of memory has both."""
    return at_run(status, BOTH if pair else TRAIN)


def of_sweep(trained: int, at_work: bool) -> Move:
    """There is nothing to predict where everything is still to be trained."""
    if trained:
        return Move("Press Predict first.", button="predict")
    if at_work:
        return Move("Watch the points come.")
    return Move("Press Train this sweep.", button="train sweep")


def of_runs(found: Sequence[object], chosen: Sequence[object]) -> Move:
    """Two runs can be compared where there are two."""
    if not found:
        return Move("Train a first one.", link="train")
    if len(found) == 1 and not chosen:
        return Move("Tick it.")
    return Move("Compare them below." if len(chosen) > 1 else "Tick two runs.")
