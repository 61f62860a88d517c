"""The control that takes what a page shows into the reader's talk."""

from __future__ import annotations

import streamlit as st
from pydantic import ValidationError

from explorer.runs.database import StoreError
from explorer.spec import SpecError
from explorer.ui import address, shown
from explorer.ui.talk import kept
from explorer.ui.talk.scenes import Scene, Step, Talk
from explorer.ui.words import said


def button() -> None:
    """Adds the view as the last scene; its words are edited on the Talk page."""
    if st.button(
        "Add this view to the talk",
        key="add to talk",
        icon=":material/add_to_queue:",
        help="Take this view as the last scene of your talk, which the Talk page shows.",
    ):
        _add(shown.shown().address)


def _add(link: str) -> None:
    page = address.page()
    try:
        scene = Scene(
            title=page.question,
            address=link.lstrip("/"),
            steps=(Step(words=page.line.rpartition(" **")[0] or page.title),),
        )
        talk = kept.load()
        kept.keep(Talk(title=talk.title, scenes=(*talk.scenes, scene), link=talk.link))
    except ValidationError:
        _tell("A talk has at most 40 scenes, and an address at most 8000 characters.", "warning")
    except (SpecError, StoreError) as error:
        _tell(f"It was not added: {said(error)}", "warning")
    else:
        _tell(f"Scene {len(talk.scenes) + 1} of your talk.", "add_to_queue")


def _tell(text: str, icon: str) -> None:
    st.toast(text, icon=f":material/{icon}:")
