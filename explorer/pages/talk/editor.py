"""The Talk page: scenes in their order, their words and notes, the talk as a file."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

import streamlit as st
from pydantic import ValidationError

from explorer.pages.talk import decks, playing
from explorer.pages.talk.scenes import (
    MAX_TEXT,
    Scene,
    Step,
    Talk,
    TalkError,
    dump_talk,
    parse_talk,
    place,
    problems_of,
)
from explorer.runs.database import StoreError
from explorer.runs.frames import pack
from explorer.spec import SpecError
from explorer.ui import exchange, page_visit
from explorer.ui.callbacks import uninterrupted
from explorer.ui.components import registered
from explorer.ui.words import as_code, escape_markdown, public

_SCENES, _STEPS = registered("scenes"), registered("steps")
REFUSED = "talk refused"
SAVES = "One file, which needs neither this explorer nor a network; the speaker's notes stay here."
ON_PAPER = "Drawn in a tab of its own, and saved as hand-out.html: print it from there as a PDF."
FIELDS = ("title", "notes", "seconds")
OF_A_PAGE = ("address", "what_if")
"""Of a scene, as its form has them; those of a scene that shows a page."""
WORDS = {"title": "a title", "text": "a text", "end": "an end"}
"""Scenes that show none, and what they are called."""
MOVED = "the scenes were changed meanwhile, here or in another tab: look again, then press"
UNSAVED = "; what was typed of this one is not kept"


def begin() -> None:
    """Call first in the page: takes what the reader has done with the steps of scenes."""
    with suppress(TalkError, StoreError):
        for index in range(len(decks.load().scenes)):
            exchange.take(f"steps {index}", partial(_take_steps, index))


def loaded() -> Talk | None:
    """The reader's talk; None, and why, where its file cannot be read."""
    try:
        return decks.load()
    except TalkError as error:
        _problems(error.problems)
        st.download_button("The file as it is", decks.text(), "talk.json", on_click="ignore")
        st.button("Begin with the shipped talk again", on_click=_forget)
    return None


def begun() -> None:
    """Let the stage be ready when it is opened; what hinders it, the stage itself says."""
    with suppress(SpecError, StoreError):
        decks.begin()


def summary(talk: Talk) -> str:
    """What there is, in a sentence."""
    steps = sum(len(scene.steps) for scene in talk.scenes)
    minutes = round(sum(scene.seconds for scene in talk.scenes) / 60)
    return f"{len(talk.scenes)} scenes with {steps} steps, planned for {minutes} minutes."


def way_to_stage() -> None:
    """The button that opens it."""
    st.link_button("Open the stage", "stage", icon=":material/slideshow:", type="primary")


def files(talk: Talk) -> None:
    """The talk as a file, both ways."""
    with st.container(horizontal=True, vertical_alignment="center", key="talk files"):
        st.download_button(
            "Export talk.json", dump_talk(talk), "talk.json", "application/json", on_click="ignore"
        )
        st.link_button("Save talk.html", "stage?file=1", help=SAVES)
        st.link_button("Hand-out", "stage?handout=1", help=ON_PAPER)
        with st.popover("New"):
            _new()
        with st.popover("Import"):
            file = page_visit.uploader("A talk.json", "json", key="talk file", max_upload_size=1)
            st.button(
                "Take it instead of this talk",
                on_click=_import,
                args=(file,),
                disabled=file is None,
            )
        st.button(
            "The shipped talk again",
            on_click=_forget,
            disabled=talk == decks.load(decks.OURS),
            help="The talk as it is now stays beside the store, as talk-before.json.",
        )


def _new() -> None:
    st.text_input("Title of the talk", key="new talk", placeholder="My talk", max_chars=120)
    st.button("Begin it", on_click=_begin, help="The talk as it is now stays beside the store.")


@uninterrupted
def _begin() -> None:
    title = st.session_state["new talk"].strip() or "My talk"
    first = Scene(title=title[:90], kind="title", steps=(Step(words="A question."),))
    with _refusing():
        decks.begin_anew(Talk(title=title, scenes=(first,)))


def named(talk: Talk) -> None:
    """The talk's title, and scenes of words that can be added at its end."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        key = f"title {talk.title}"
        st.text_input("Title of the talk", talk.title, key=key, on_change=_title, args=(key,))
        for kind, called in WORDS.items():
            st.button(f"Add {called}", on_click=_add, args=(kind,))


@uninterrupted
def _title(key: str) -> None:
    title = st.session_state[key].strip()
    _amend(lambda _: {"title": title})


@uninterrupted
def _add(kind: str) -> None:
    scene = {"title": WORDS[kind].capitalize(), "kind": kind, "steps": [{"words": "Words."}]}
    _amend(lambda talk: {"scenes": [*talk["scenes"], scene]})


def pictures(talk: Talk) -> None:
    """Each scene by its picture, which opens the stage at it."""
    entries = [
        {
            "id": scene.id,
            "title": f"{number} · {scene.title} · {_minutes(scene)}",
            "href": f"stage?scene={number}",
            "words": "" if scene.kind == "page" else scene.steps[0].words,
        }
        for number, scene in enumerate(talk.scenes, 1)
    ]
    known = {entry["id"]: decks.pictures().get(entry["id"]) for entry in entries}
    shipped = {name: image for name, image in known.items() if image}
    _SCENES(key="scenes", data=pack({"scenes": entries, "pictures": shipped}, {}))


def _minutes(scene: Scene) -> str:
    return f"{scene.seconds // 60}:{scene.seconds % 60:02d}"


def published(talk: Talk) -> None:
    """The talk as one file, and where that is for who listens: folded."""
    with st.expander("As one file, for the web or without a network"):
        st.markdown(
            "*Save talk.html*, or export the talk, then "
            "`python -m explorer talk build talk.json --out talk.html`"
        )
        _link(talk)


def _link(talk: Talk) -> None:
    key = f"link {talk.link}"
    st.text_input(
        "Where the file will be on the web",
        talk.link or "",
        key=key,
        on_change=_publish,
        args=(key,),
        placeholder="https://…/talk.html",
        help="The key C of the stage shows it, with a QR code of the scene. Without it the stage "
        "says that nobody else can open the deck.",
    )


def problems(talk: Talk) -> None:
    """What was refused in the last change, and what of the talk cannot be shown here."""
    with st.container():
        _problems((*st.session_state.get(REFUSED, ()), *problems_of(talk)))


def end() -> None:
    """Call last: what was refused was seen. A run of the page that was cut short does not come
    here, and the next one says it."""
    st.session_state.pop(REFUSED, None)


def scenes(talk: Talk) -> None:
    """Each scene with its fields, folded."""
    for index, scene in enumerate(talk.scenes):
        with st.expander(f"{index + 1} · {escape_markdown(scene.title)} · {_minutes(scene)}"):
            _order(talk, index)
            _steps(index, scene)
            _fields(index, scene)


def _order(talk: Talk, index: int) -> None:
    last = len(talk.scenes) - 1
    with st.container(horizontal=True):
        for label, order, disabled in (
            ("Up", _moved(last, index, index - 1), index == 0),
            ("Down", _moved(last, index, index + 1), index == last),
            ("Duplicate", [*range(index + 1), *range(index, last + 1)], False),
            ("Delete", [i for i in range(last + 1) if i != index], last == 0),
        ):
            st.button(
                label,
                key=f"{label} {index}",
                on_click=_reorder,
                args=(order, [*map(_subject, talk.scenes)]),
                disabled=disabled,
            )
        st.link_button("Show", f"stage?scene={index + 1}")


def _moved(last: int, index: int, to: int) -> list[int]:
    order = [i for i in range(last + 1) if i != index]
    order.insert(to, index)
    return order


def _steps(index: int, scene: Scene) -> None:
    """The steps of a scene, each by its picture, which the stage has drawn, and its words."""
    key = f"steps {index}"
    steps = [
        {"step": step.model_dump(mode="json"), "id": _shown(scene, number)}
        for number, step in enumerate(scene.spelled)
    ]
    header = {"subject": _subject(scene), "steps": steps, "answers": exchange.answers(key)}
    _STEPS(key=key, data=pack(header, {}), on_report_change=lambda: None)


def _subject(scene: Scene) -> str:
    return f"{scene.title} {scene.address}"


def _require_unmoved(drawn: Sequence[str], scenes: Sequence[dict], more: str = "") -> None:
    """Raises TalkError where the scenes that are kept are others than were drawn."""
    if [f"{scene['title']} {scene['address']}" for scene in scenes] != drawn:
        raise TalkError(MOVED + more)


def _shown(scene: Scene, step: int) -> str:
    try:
        return scene.shows(step)
    except SpecError:  # there is no such page, or none
        return ""


@uninterrupted
def _take_steps(index: int, told: Mapping[str, Any]) -> None:
    """Other steps for a scene, unless another scene is in its place meanwhile."""

    def change(talk: dict) -> dict:
        scenes = talk["scenes"]
        scene = Scene.model_validate(scenes[index], strict=False)
        if told["subject"] != _subject(scene):
            return {}
        steps = [Step.model_validate(step, strict=False) for step in told["steps"]]
        changed = scene.with_steps(steps).model_dump(mode="json")
        return {"scenes": [*scenes[:index], changed, *scenes[index + 1 :]]}

    _amend(change, sound=True)


def _fields(index: int, scene: Scene) -> None:
    """What a form sends back at once."""
    plays = [(step.live, step.grows, step.panels) for step in scene.spelled]
    own = scene.model_dump_json(exclude={"steps"})
    key = f"scene {index} {hash((own, *plays))}"
    with st.form(key, border=False):
        st.text_input("Title", scene.title, key=f"{key} title")
        st.text_area("Notes, for the speaker alone", scene.notes, key=f"{key} notes")
        st.number_input("Seconds", 5, 3600, scene.seconds, key=f"{key} seconds", width=140)
        if scene.kind == "page":
            _fields_of_page(scene, key)
        st.form_submit_button("Save", on_click=_save, args=(index, scene, key))


def _fields_of_page(scene: Scene, key: str) -> None:
    st.text_input("Address of the page", scene.address, key=f"{key} address")
    known = [*_what_ifs(scene)]
    st.selectbox(
        "What if?",
        known,
        known.index(scene.what_if) if scene.what_if else None,
        key=f"{key} what_if",
        placeholder="nothing is tried",
        width=240,
    )
    playing.fields(scene, key)


def _what_ifs(scene: Scene) -> Sequence[str]:
    try:
        known = [*scene.staged.what_ifs]
    except ValueError:  # the address leads to no page with a picture, which is said above
        known = []
    return [*known, *([scene.what_if] if scene.what_if and scene.what_if not in known else [])]


@uninterrupted
def _save(index: int, scene: Scene, key: str) -> None:
    """An address that leads nowhere may be mended on the stage's page; what is wrong with all that
    goes with one that does is refused, as in a file."""
    shows = scene.kind == "page"
    names = (*FIELDS, *(OF_A_PAGE if shows else ()))
    values = {name: st.session_state[f"{key} {name}"] for name in names}
    chosen = playing.chosen(key) if shows else None
    begin()  # what was typed of the steps

    def change(talk: dict) -> dict:
        scenes = talk["scenes"]
        if scenes[index : index + 1] and values.items() <= scenes[index].items() and not chosen:
            return {}  # the press before has kept it
        _require_unmoved([_subject(scene)], scenes[index : index + 1], UNSAVED)
        steps = scenes[index]["steps"]
        if chosen:
            steps = [playing.amended(step, i, chosen) for i, step in enumerate(steps)]
        own = {**values, "steps": steps, "ready": playing.ready_of(chosen) if chosen else None}
        changed = {**scenes[index], **own}
        return {"scenes": [*scenes[:index], changed, *scenes[index + 1 :]]}

    _amend(change, sound=values.get("address", "") == scene.address)


@uninterrupted
def _publish(key: str) -> None:
    link = st.session_state[key].strip() or None
    _amend(lambda _: {"link": link})


@uninterrupted
def _reorder(order: Sequence[int], drawn: Sequence[str]) -> None:
    begin()  # what was typed of the steps, before they have another place

    def change(talk: dict) -> dict:
        _require_unmoved(drawn, talk["scenes"])
        return {"scenes": [talk["scenes"][i] for i in order]}

    _amend(change)


def _amend(change: Callable[[dict], dict], *, sound: bool = False) -> None:
    """Keep the talk with other fields; what is wrong with it is said, and the talk stays. A `sound`
    change brings nothing that could not be shown. Nothing looks into the session once it is kept:
    no change is made twice."""
    with _refusing():
        talk = decks.load()
        values = talk.model_dump(mode="json")
        changed = Talk.model_validate({**values, **change(values)}, strict=False)
        new = set(problems_of(changed)) - set(problems_of(talk)) if sound else ()
        if new:
            raise TalkError(*sorted(new))
        decks.keep(changed)


@uninterrupted
def _import(file: Any) -> None:
    with _refusing():
        try:
            text = file.getvalue()[: 4 * MAX_TEXT].decode("utf-8")
        except UnicodeDecodeError:
            raise TalkError(f"{file.name}: not a text file; a talk is JSON") from None
        decks.keep(parse_talk(text))


@uninterrupted
def _forget() -> None:
    with _refusing():
        decks.forget()


@contextmanager
def _refusing() -> Iterator[None]:
    """Why a change was refused is said when the page is drawn next."""
    try:
        yield
    except ValidationError as error:
        problems = [f"{place(each['loc'])}{each['msg']}" for each in error.errors()]
        st.session_state[REFUSED] = problems
    except TalkError as error:
        st.session_state[REFUSED] = error.problems
    except StoreError as error:
        st.session_state[REFUSED] = [str(error)]


def _problems(problems: Sequence[str]) -> None:
    if problems:
        lines = "\n".join(f"- {as_code(public(problem))}" for problem in problems)
        st.warning(lines, icon=":material/warning:")
