"""The run that a page shows, and the buttons that steer it: of a coupling on the Train page, of an
attention task on the Attention page."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import streamlit as st

from explorer.hosting.visitors import NEEDED
from explorer.runs.database import StoreError
from explorer.runs.record import RESUMABLE, Record, RunRow
from explorer.runs.store import RunError
from explorer.spec import AnySpec, amended
from explorer.ui import (
    address,
    chrome,
    exchange,
    exports,
    here,
    live,
    owner,
    page_visit,
    registry,
    samples,
    shown,
    shown_run,
    specs,
    topics,
)
from explorer.ui.callbacks import uninterrupted
from explorer.ui.owner import Owner
from explorer.ui.shown_run import is_shipped
from explorer.ui.words import as_sentence
from explorer.views import anew, first_move

BUTTONS = {
    "pause": ("Pause", ":material/pause:", ("running", "queued"), "P"),
    "resume": ("Resume", ":material/play_arrow:", RESUMABLE, "P"),
    "step": ("One step", ":material/skip_next:", RESUMABLE, None),
    "stop": ("Stop", ":material/stop:", ("running", "queued", "paused", "interrupted"), None),
}
"""Label, icon, the statuses that allow it and shortcut of each command."""
OBEYED = {
    "pause": ("paused",),
    "resume": ("queued", "running"),
    "step": ("queued", "running"),
    "stop": ("stopped",),
}
"""The statuses after each command."""
STEERED = ("pause", "resume", "stop")
"""Those that stand beside Train while they are possible; the others are in the menu."""
REST, PROBLEM = "transport, the rest", "transport problem"
Action = Callable[[], None]
"""Draws buttons."""


class Start(NamedTuple):
    """The button that trains the settings."""

    label: str = "Train"
    on_click: Action | None = None
    """None is to train them on the server."""


def opening(
    *params: str, drawn: Callable[[str, RunRow], Mapping[str, Any]] = lambda *_: {}
) -> tuple[Owner, str, RunRow]:
    """The question with the chip of the run shown and its buttons, and what is wrong with
    specification and other `params`; whose the numbers are, and the run. `drawn` are further
    arguments of `buttons`, of the run shown.

    Call it in the fragment that draws the run, so that all of it follows the run, and let that draw
    the row it returns: another reading of the store may find the run at another turn. Where there
    is nothing to show, the page ends with what can be trained.
    """
    try:
        nearest = owner.nearest()
    except shown_run.NothingToShow:
        head(owner.UNTRAINED, *params, action=partial(buttons, None, None))
        st.stop()
    assert nearest.run and nearest.row, "there is a nearest one"
    steer = partial(buttons, nearest.run, nearest.row, **drawn(nearest.run, nearest.row))
    head(nearest.chip, *params, move=first_move.at_run(nearest.row.status), action=steer)
    return nearest, nearest.run, nearest.row


def head(badge: str, *params: str, move: str | None = None, action: Action | None = None) -> None:
    """The question with a badge, the first move and the buttons that `action` draws, and what is
    wrong with these, with specification, other `params` and the runs that the address names."""
    chrome.question(badge, move=move, action=action)
    show_problem()
    page_visit.note(specs.current())
    specs.show_problems(specs.SPEC, *params)
    with st.container():  # always there, so that a message moves nothing
        shown_run.explain()


def stream(
    picture: str,
    run: str | None,
    row: RunRow | None,
    *,
    pins: Mapping[str, tuple[RunRow, str]] | None = None,
    t: int | None = None,
) -> dict[str, Any]:
    """What `picture` needs to follow the run shown, and the kept step and token to look at; of
    what is not trained there is no run. `pins` are the runs to compare with, as they are drawn,
    and what each is called."""
    return {
        "push": push_of(run),
        "run": run,
        "turn": row and registry.live_state(row),
        "pins": [
            {"push": push_of(pin), "label": label, "turn": registry.live_state(beside)}
            for pin, (beside, label) in (pins or {}).items()
        ],
        "selection": {
            "step": shown_run.step_of(run) if row or here.is_asked() else None,
            "t": t,
            "answers": exchange.answers(picture, "selection"),
        },
    }


def push_of(run: str | None) -> str | None:
    """The path of the WebSocket of a run."""
    return run and f"api/runs/{run}/live"


def hear(picture: str, run: str | None) -> None:
    """Take which step and token of this run the reader has selected in `picture`; call it before
    what asks for them."""
    exchange.take(picture, partial(_save_selection, run), "selection")


def _save_selection(run: str | None, report: Mapping[str, Any]) -> None:
    if report.get("run") == run and "turn" not in report:  # a turn redraws the page, no more
        seen = {"at": report.get("step"), "t": report.get("t")}
        address.set_params(**{name: None if x is None else str(x) for name, x in seen.items()})


def buildable(row: RunRow) -> bool:
    """Whether what a run learns can be drawn here; else it is said, with what to do about it."""
    try:
        specs.build(row.spec)
    except specs.REFUSED as error:
        st.warning(f"What this run learns cannot be drawn here: {as_sentence(error)}")
        if isinstance(error, StoreError) and row.spec.grid:
            samples.ask(row.spec.grid)
        return False
    return True


def remarks(row: RunRow) -> None:
    """What the end of a run has to say, and where it comes from."""
    if row.revived is not None:
        st.caption(
            f"This run went on by itself from step {row.revived}, after the process that trained "
            "it had died. It does so once; on a CPU its numbers are those of an undisturbed run."
        )
    if row.claimed:
        st.caption(
            "Imported: its errors are claimed by its zip, not recomputed. *Same start* trains it "
            "here and measures them."
        )
    if message := row.message or registry.held_up(row):
        st.error(as_sentence(message), icon=":material/warning:")


def take_home(
    run: str, row: RunRow, step: int | None, figures: Callable[..., Any] | None = None
) -> None:
    """The specification and its command line; in a menu the run and its figures at the step, those
    that `figures` makes of its record and the step."""
    chrome.take_home(row.spec, anew.of_run(row.spec))
    if record := record_of(run):
        at = step if step in record.snapshot_steps else None  # else the picture shows no past step
        made = partial(figures or topics.figures_of, record, at)
        shown.note(figures=made)
        exports.run_menu(
            record,
            made,
            stored=not is_shipped(run),
            inline=True,
            label="Run (zip) and figures" + (f" at step {at}" if at else ""),
        )


def record_of(run: str) -> Record | None:
    """A run with its curves, of the store or a shipped one; None when it has just been deleted."""
    return live.open_stream(run).record if is_shipped(run) else registry.record_of(run)


def buttons(
    run: str | None,
    row: RunRow | None,
    *,
    train: Start | None = None,
    more: Action = lambda: None,
    rest: Action = lambda: None,
    filled: bool = True,
) -> None:
    """Start the settings, and steer the run shown where it is not yet over; in a menu the rest. At
    the right end, the first and the menu stay where they are, whatever else comes and goes.

    `train` is the first, which is `filled` where it is what to do first; `more` draws what else a
    page can start, `rest` what it has in the menu.
    """
    with st.container(horizontal=True, width="content", gap="small"):
        more()
        for command in STEERED:
            if run and _possible(command, run, row):
                _order_button(command, run, filled=command != "stop")
        _train_button(train or Start(), filled and not is_steered(run, row))
        with st.popover("⋯", key=REST, on_change="rerun", help="Other ways to train, to compare"):
            rest()
            if run and _possible("step", run, row):
                _order_button("step", run)
            _again(row)


def _train_button(train: Start, filled: bool) -> None:
    st.button(
        train.label,
        icon=":material/play_circle:",
        key="do train",
        type="primary" if filled else "secondary",
        on_click=train.on_click or start_current,
        shortcut="T",
        help="Train these settings as a new run.",
    )


def is_steered(run: str | None, row: RunRow | None) -> bool:
    """Whether to pause or resume the run shown is what to do first."""
    return _possible("pause", run, row) or _possible("resume", run, row)


def _possible(command: str, run: str | None, row: RunRow | None) -> bool:
    return row is not None and row.status in BUTTONS[command][2] and not is_shipped(run)


def _order_button(command: str, run: str, filled: bool = False) -> None:
    """A button that tells the run at work, or at rest, what to do."""
    label, icon, _, shortcut = BUTTONS[command]
    st.button(
        label,
        icon=icon,
        key=f"do {command}",
        type="primary" if filled else "secondary",
        shortcut=shortcut,
        on_click=_order,
        args=(run, command),
        width="content" if command in STEERED else "stretch",
    )


def _again(row: RunRow | None) -> None:
    """The run shown once more, and with another seed; of the settings where there is none."""
    st.button(
        "Same start",
        icon=":material/replay:",
        disabled=row is None,
        on_click=start,
        args=(row and row.spec,),
        width="stretch",
        help="Train the run shown once more from its own start and data: on the CPU of one "
        "machine bit for bit the same numbers.",
    )
    st.button(
        "New seed",
        icon=":material/casino:",
        on_click=_new_seed,
        args=(row.spec if row else specs.current(),),
        width="stretch",
        help="Train it from another start and other data: the next seed.",
    )


def pin_button(run: str) -> None:
    """Keep the run shown to compare, or let it go."""
    held = run in shown_run.pins()
    st.button(
        "Unpin" if held else "Pin",
        icon=":material/keep:",
        key="pin",
        on_click=pin,
        args=([each for each in shown_run.pins() if each != run] if held else _with(run),),
        width="stretch",
        help="Keep the run shown as a ghost to compare the next ones with.",
    )


def _with(run: str) -> list[str]:
    """The pins with one more, the oldest let go where they are too many."""
    others = [each for each in shown_run.pins() if each != run]
    return [*others, run][-shown_run.PINS :]


def start_current() -> None:
    """Train the settings of the press, which may have come with it, after the last drawing."""
    start(specs.current())


def start(spec: AnySpec, changes: Mapping[str, Any] | None = None) -> None:
    """Train a specification as a new run, which is then shown; with `changes` it becomes that of
    the controls too."""
    if (run := created(spec)) is not None:
        _show_started(run, changes)


def start_pair(
    partner: AnySpec, spec: AnySpec, changes: Mapping[str, Any], beside: Callable[[str], None]
) -> None:
    """Train two: `spec` is shown, and `beside` takes the other, which is queued first. Nothing here
    looks into the session, which may end a callback, before both are there."""
    if (other := created(partner)) is not None and (run := created(spec)) is not None:
        _show_started(run, changes, partial(beside, other))


def start_beside(run: str, spec: AnySpec, changes: Mapping[str, Any]) -> None:
    """Train a specification as `start` does, and compare with the run shown until now."""
    if (new := created(spec)) is not None:
        _show_started(new, changes, lambda: pin(_with(run)))


@uninterrupted
def _show_started(
    run: str, changes: Mapping[str, Any] | None, beside: Action = lambda: None
) -> None:
    """In place of the run shown, and what `beside` does, in one step of the history."""
    st.session_state[REST] = False  # the menu has done its work
    with address.one_step():
        if changes:
            specs.change(changes, run=run, at=None)
        else:
            address.set_params(run=run, at=None)
        beside()
    st.session_state["started"] = True


def created(spec: AnySpec) -> str | None:
    """A new run that a worker takes; None where it cannot be, and `show_problem` says why."""
    try:
        specs.build(spec)  # a run that no worker can begin is not made
        run = (store := registry.store()).create(spec)
    except specs.REFUSED as error:
        st.session_state[PROBLEM] = f"cannot train this: {error}"
        return None
    registry.wake(store)
    return run


def show_problem() -> None:
    """What the last press of a button met, once; the field for a word where it takes one."""
    problem = st.session_state.pop(PROBLEM, None)
    if problem:
        st.error(as_sentence(problem), icon=":material/warning:")
    if (problem and NEEDED in problem) or here.was_refused("problem"):
        here.ask_for_a_word("problem")


@uninterrupted
def pin(runs: Sequence[str]) -> None:
    """Compare with these runs from now on."""
    address.set_params(pin=",".join(runs) or None)


def _new_seed(spec: AnySpec) -> None:
    changed = amended(spec, seed=(spec.seed + 1) % 2**31)
    start(changed, changed.model_dump(mode="json"))


def _order(run: str, command: str) -> None:
    """Tell a run what to do; a second press for what it does already is no problem."""
    store = registry.store()
    try:
        try:
            store.request(run, command)
        except RunError:
            row = store.get(run)
            if row is None or row.status not in OBEYED[command]:
                raise
    except StoreError as error:
        st.session_state[PROBLEM] = str(error)
    registry.wake()
