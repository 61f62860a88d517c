"""The UI script that every session runs: navigation, then the page."""

import streamlit as st

from explorer.pages.talk import adding
from explorer.runs.database import StoreError
from explorer.ui import address, awaited, callbacks, first, page_visit, registry, shown
from explorer.ui.pages import FIRST, PAGES
from explorer.ui.part import UNUSABLE
from explorer.ui.streamlit_private import is_seen
from explorer.ui.words import as_sentence


def navigation():
    """The pages at the top, on a phone the one before and the one after at the bottom: the name of
    the one to show, and its script."""
    scripts = {
        page.name: st.Page(
            page.file,
            title=page.title,
            url_path=page.name,
            help=page.help,
            default=page.name == FIRST,
        )
        for page in PAGES.values()
    }
    shown = st.navigation(list(scripts.values()), position="top")
    names = list(scripts)
    at = next(at for at, name in enumerate(names) if scripts[name] is shown)
    with st.container(key="path", horizontal=True):
        for name, way in ((names[at - 1], "‹ {}"), (names[(at + 1) % len(names)], "{} ›")):
            st.page_link(scripts[name], label=way.format(PAGES[name].title))
    return names[at], shown


def show(name: str, script) -> None:
    """Run the page; a store that cannot be used is said in its own words."""
    asked = st.query_params.to_dict()
    callbacks.note()
    address.open_page(name)
    shown.begin(name)
    try:
        with page_visit.slot():
            script.run()
            adding.offer()
        awaited.forget_refusal()
        if asked == st.query_params.to_dict():  # else it shows what the session remembers
            first.keep(shown.shown(), asked)
    except StoreError as problem:
        st.error(UNUSABLE.format(as_sentence(problem)))
    finally:
        address.close_page()
        if is_seen():
            registry.page_shown()


if __name__ == "__main__":  # Streamlit runs this file; who imports it gets its names alone
    turned_to, script = navigation()
    st.set_page_config(page_title=PAGES[turned_to].tab, layout="wide")
    show(turned_to, script)
