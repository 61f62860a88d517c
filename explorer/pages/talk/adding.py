"""The controls that take what a page shows into the reader's talk."""

import streamlit as st
from pydantic import ValidationError

from explorer.pages.talk import decks
from explorer.pages.talk.scenes import Talk, TalkError, problems_of
from explorer.pages.talk.stage import STAGED, Staged
from explorer.pages.talk.taking import WORDS, Taken, parts_of
from explorer.runs.database import StoreError
from explorer.spec import SpecError
from explorer.ui import address, shown
from explorer.ui.callbacks import uninterrupted
from explorer.ui.words import as_sentence
from explorer.views.glossary import typeset

SAID = "said of the talk"
PLACE = "place of what goes into the talk"
MOST = 3
"""Pictures that a step shows."""
TOO_MANY = (
    "A talk has at most 40 scenes, a scene 20 steps and a formula of 20 parts, an address 8000 "
    "characters."
)


def room() -> None:
    """Keep the place of the controls in the menu: what a view can have is known once the page is
    drawn, which calls `offer` then."""
    st.session_state[PLACE] = st.container()
    for text, icon in st.session_state.get(SAID, ()):
        st.toast(text, icon=f":material/{icon}:")
    st.session_state.pop(SAID, None)


def offer() -> None:
    """The controls: which pictures, parts of the page's formula and words go into the talk, as its
    last scene or as the next step of that; for each picture of the page that stands alone."""
    place = st.session_state.pop(PLACE, None)
    name = address.page().name
    if place is None or name not in STAGED:
        return
    with place:
        for picture in (None, *(more for more in shown.shown().more if more in STAGED[name].more)):
            _offer(picture, _count())


def _count() -> str:
    """Of the talk as it is, so that the field of words is empty again after each taking."""
    try:
        scenes = decks.load().scenes
    except (TalkError, StoreError):  # whoever adds to it is told
        return ""
    return f"{len(scenes)} {len(scenes[-1].steps)}"


def _offer(picture: str | None, count: str) -> None:
    """The controls of the page's first picture, or of another of it."""
    page = address.page().name
    key = f"talk {page} {picture or ''}"
    staged = _staged(page, picture)
    called = f"the opened {picture}" if picture else "this view"
    keys = {name: f"{key} {name} {count}" for name in ("panels", "formula", "words")}
    _buttons(picture, called, keys)
    with st.expander(f"What the stage shows of {called}"):
        _choices(staged, keys)


def _choices(staged: Staged, keys: dict[str, str]) -> None:
    st.pills(
        "On the stage",
        staged.panels,
        selection_mode="multi",
        default=staged.best,
        key=keys["panels"],
        help=f"The pictures of the step: at most {MOST}; the fewer, the larger.",
    )
    if parts := _parts():
        st.pills(
            "Lit in the formula",
            parts,
            selection_mode="multi",
            key=keys["formula"],
            format_func=lambda part: f"${part}$",
        )
    st.text_input("Words", key=keys["words"], max_chars=WORDS, placeholder="What is to be seen")


def _buttons(picture: str | None, called: str, keys: dict[str, str]) -> None:
    with st.container(horizontal=True):
        st.button(
            f"Add {called} to the talk",
            key=f"add {picture or ''} to talk",
            icon=":material/add_to_queue:",
            on_click=_take,
            args=(picture, keys, False),
            help=f"Take {called} as the last scene of your talk, which the Talk page shows.",
        )
        what = called if picture else "this"
        st.button(
            f"Take {what} as the next step",
            key=f"step {picture or ''} of talk",
            icon=":material/playlist_add:",
            on_click=_take,
            args=(picture, keys, True),
            help="A step more of the last scene of your own talk, where that is of this page; else "
            "the first of a new scene.",
        )


def _parts() -> tuple[str, ...]:
    """What can be lit: the formulas of the page, part by part."""
    parts = (part for latex in shown.shown().formulas for part in parts_of(latex))
    return tuple(dict.fromkeys(part for part in parts if len(part) <= 200))[:20]


@uninterrupted
def _take(picture: str | None, keys: dict[str, str], goes_on: bool) -> None:
    """Nothing looks into the session once the talk is kept: nothing is taken twice."""
    messages = st.session_state.setdefault(SAID, [])
    panels, formula, words = (st.session_state.get(keys[name]) for name in keys)
    page = address.page()
    view = Taken(
        title=page.question,
        address=shown.shown().address.lstrip("/"),
        words=(words or "").strip() or _words(goes_on),
        panels=tuple(panels or _staged(page.name, picture).best),
        formula=tuple(formula or ()),
        picture=picture,
    )
    messages.append(_taken(view, goes_on))


def _staged(page: str, picture: str | None) -> Staged:
    return STAGED[page].more[picture] if picture else STAGED[page]


def _words(goes_on: bool) -> str:
    """Of a view that was given none: for a step what the page's numbers say, for a scene what the
    page is about."""
    first, _, _ = shown.shown().verdict.partition(shown.PARAGRAPH)
    page = address.page()
    about = page.plain_line or page.title
    said_of_it = typeset(first)
    return said_of_it if goes_on and 0 < len(said_of_it) <= WORDS else about


def _taken(view: Taken, goes_on: bool) -> tuple[str, str]:
    """What is said of it, and the icon."""
    try:
        talk = decks.load()
        last = talk.scenes[-1]
        is_own = last not in decks.load(decks.OURS).scenes
        if goes_on and is_own and view.continues(last):
            scenes = (*talk.scenes[:-1], view.after(last))
        else:
            scenes = (*talk.scenes, view.scene())
        changed = Talk(title=talk.title, scenes=scenes, link=talk.link)
        before = problems_of(talk)
        if problems := [each for each in problems_of(changed) if each not in before]:
            return f"It was not added: {as_sentence(problems[0])}", "warning"
        decks.keep(changed)
    except ValidationError:
        return TOO_MANY, "warning"
    except (SpecError, StoreError) as error:
        return f"It was not added: {as_sentence(error)}", "warning"
    steps = len(scenes[-1].steps)
    step = f"Step {steps} of scene" if steps > 1 else "Scene"
    return f"{step} {len(scenes)} of your talk.", "add_to_queue"
