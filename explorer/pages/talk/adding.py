"""The control that takes what a page shows into the reader's talk."""

from __future__ import annotations

import streamlit as st
from pydantic import ValidationError

from explorer.pages.talk import kept
from explorer.pages.talk.scenes import Scene, Step, Talk
from explorer.runs.database import StoreError
from explorer.spec import SpecError
from explorer.ui import address, shown
from explorer.ui.callbacks import uninterrupted
from explorer.ui.pages import Page
from explorer.ui.words import said

SAID = "said of the talk"


def button() -> None:
    """Adds the view as the last scene, and so each other picture of it; their words are edited on
    the Talk page."""
    for picture in (None, *shown.shown().more):
        what = f"the opened {picture}" if picture else "this view"
        st.button(
            f"Add {what} to the talk",
            key=f"add {picture} to talk" if picture else "add to talk",
            icon=":material/add_to_queue:",
            on_click=_add,
            args=(picture,),
            help=f"Take {what} as the last scene of your talk, which the Talk page shows.",
        )
    for text, icon in st.session_state.get(SAID, ()):
        st.toast(text, icon=f":material/{icon}:")
    st.session_state.pop(SAID, None)


@uninterrupted
def _add(picture: str | None) -> None:
    """Nothing looks into the session once the scene is kept: none is added twice."""
    link, page = shown.shown().address, address.page()
    messages = st.session_state.setdefault(SAID, [])
    messages.append(_added(page, link, picture))


def _added(page: Page, link: str, picture: str | None) -> tuple[str, str]:
    """What is said of it, and the icon."""
    try:
        scene = Scene(
            title=page.question,
            address=link.lstrip("/"),
            picture=picture,
            steps=(Step(words=page.plain_line or page.title),),
        )
        talk = kept.load()
        kept.keep(Talk(title=talk.title, scenes=(*talk.scenes, scene), link=talk.link))
    except ValidationError:
        return "A talk has at most 40 scenes, and an address at most 8000 characters.", "warning"
    except (SpecError, StoreError) as error:
        return f"It was not added: {said(error)}", "warning"
    return f"Scene {len(talk.scenes) + 1} of your talk.", "add_to_queue"
