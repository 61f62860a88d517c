"""Fields of the Talk page for what a scene plays by itself: a training that is live, a picture that
grows, and those that a slider turns to."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import streamlit as st

from explorer.pages.talk.scenes import Ready, Scene, TalkError
from explorer.spec import SpecError


class Playing(NamedTuple):
    """What was chosen: steps, from 0, that train live; pictures that grow, as (step, name); and
    what stands in the fields of the slider."""

    live: list[int]
    grows: list[tuple[int, str]]
    ready: str
    letter: str
    words: str


def fields(scene: Scene, key: str) -> None:
    """The fields of a scene in its form."""
    _live(scene, key)
    _grows(scene, key)
    _ready(scene.ready, key)


def chosen(key: str) -> Playing:
    """What stands in the fields; where none of its steps could train, none does."""
    live = st.session_state.get(f"{key} live", [])
    others = ("grows", "ready", "letter", "turn")
    return Playing(live, *(st.session_state[f"{key} {name}"] for name in others))


def _live(scene: Scene, key: str) -> None:
    now = [index for index, step in enumerate(scene.steps) if step.live]
    try:
        trains = scene.staged.trains
    except SpecError:  # the address leads to no page with a picture, which is said on top
        trains = False
    if not (trains or now):
        return
    st.multiselect(
        "Trains live in steps",
        range(len(scene.steps)),
        now,
        key=f"{key} live",
        format_func=lambda index: f"step {index + 1}",
        placeholder="none: the kept pictures play",
        help="While such a step is shown its run is trained anew, in front of the audience. Its "
        "kept pictures play in the file, and where the worker or the server is gone.",
    )


def _grows(scene: Scene, key: str) -> None:
    now = [(index, step.grows) for index, step in enumerate(scene.steps) if step.grows]
    shown = [(i, panel) for i in range(len(scene.steps)) for panel in scene.panels(i)]
    st.multiselect(
        "Grows from left to right",
        [*shown, *(each for each in now if each not in shown)],
        now,
        key=f"{key} grows",
        format_func=lambda each: f"step {each[0] + 1}: {each[1]}",
        placeholder="no picture",
        help="A picture that is uncovered point by point when its step comes: one in a step.",
    )


def _ready(ready: Ready | None, key: str) -> None:
    st.text_area(
        "Prepared pictures, a line for each",
        _written(ready.choices) if ready else "",
        key=f"{key} ready",
        placeholder="5 = asset-cliff-5",
        help="A slider beside the pictures turns to these at once, in the place of a what-if. A "
        "line is a name, = and a run, such as `6 = asset-cliff-6`, or what changes in the scene's "
        'address, such as `2 = {"spec": {"m_h": 2}}`. Two lines at least; none, no slider.',
    )
    with st.container(horizontal=True):
        st.text_input(
            "Letter at the slider",
            ready.letter if ready else "m_h",
            key=f"{key} letter",
            width=140,
            help="In LaTeX, before the name of the line: $m_h$ = 5.",
        )
        st.text_input(
            "Words for the slider",
            ready.words if ready else "turn $m_h$",
            key=f"{key} turn",
            width=240,
            help="What the stage offers, after *What if?*",
        )


def _written(choices: Mapping[str, Mapping[str, Any]]) -> str:
    return "\n".join(
        f"{name} = {change['run'] if [*change] == ['run'] else json.dumps(change)}"
        for name, change in choices.items()
    )


def ready_of(playing: Playing) -> dict[str, Any] | None:
    """The slider as talk.json has it, None without lines; raises TalkError naming the line."""
    choices: dict[str, Any] = {}
    for number, line in enumerate(playing.ready.splitlines(), 1):
        name, equals, change = (part.strip() for part in line.partition("="))
        if not line.strip():
            continue
        where = f"ready, line {number}: "
        if not (name and equals and change):
            raise TalkError(f"{where}{line[:40]!r} is no name = run")
        if name in choices:
            raise TalkError(f"{where}there is a {name[:20]!r} above")
        choices[name] = _change(change, where)
    return (
        {"words": playing.words, "letter": playing.letter, "choices": choices} if choices else None
    )


def _change(text: str, where: str) -> dict[str, Any]:
    if not text.startswith("{"):
        return {"run": text}
    try:
        return json.loads(text)
    except ValueError as error:
        raise TalkError(f"{where}{error}") from None


def amended(step: dict[str, Any], index: int, playing: Playing) -> dict[str, Any]:
    """A step of talk.json with what was chosen for it; raises TalkError for two that grow."""
    grows = [name for at, name in playing.grows if at == index]
    if len(grows) > 1:
        raise TalkError(
            f"step {index + 1}, grows: one picture in a step, not {' and '.join(grows)}"
        )
    return {**step, "live": index in playing.live, "grows": grows[0] if grows else None}
