"""The chrome of every page: question, badge, verdict, facts, what to take home."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import FunctionType
from typing import Any

import streamlit as st

from explorer.charts import DARK, LIGHT, Palette
from explorer.charts.axes import SIZES
from explorer.spec import AnySpec, AnySweep, spec_id
from explorer.ui import about, address, exports, here, mathematics, registry, share, shown, tour
from explorer.ui.components import registered
from explorer.ui.pages import PAGES
from explorer.ui.words import escape_markdown
from explorer.views.anew import Anew
from explorer.views.glossary import dotted, typeset

_PAGE = registered("page", isolate_styles=False)
SCROLL_REQUEST = "brought into view"
KEPT_CHARTS = 128
"""Charts that are kept drawn, of all readers; each is some 20 kB."""
BY_CONTENT: dict[str | type, Callable[[Any], Any]] = {
    partial: pickle.dumps,
    FunctionType: pickle.dumps,
}
"""How `build` of a chart is known again: by the name of its function and all that it is given. What
has no name, as a lambda, is refused, for what it encloses would not be seen."""


def palette() -> Palette:
    """Colours of the reader's theme."""
    return DARK if st.context.theme.type == "dark" else LIGHT


def question(
    badge: str | None = None,
    *,
    picture: bool = True,
    move: str | None = None,
    action: Callable[[], None] | None = None,
) -> None:
    """The page's question in its own line; below it what it means, the first `move`, and the page's
    filled button, which `action` draws. In a menu, what goes from here to elsewhere; where the page
    has a `picture`, that as a file. The `badge` says where that comes from, at its `verdict`."""
    shown.note(badge=badge or "", figures=None)
    with st.container(gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center", key="question"):
            st.subheader(address.page().question, anchor=False, width="stretch")
            with st.container(horizontal=True, width="content", gap="xsmall"):
                asked = about.button()
                share.menu(picture)
        _below_question(move, action)
        if not tour.number():
            tour.entry()
        _everywhere()
    if asked:
        about.dialog(asked)


def _below_question(move: str | None, action: Callable[[], None] | None) -> None:
    """The line, or the tour's card or doors, and the `action` beside it."""
    at = tour.number()
    with st.container(horizontal=not at, vertical_alignment="center", key="line"):
        if at:
            tour.card(at)
        elif st.session_state.get(tour.LANDED):
            tour.landing()
        else:
            page = address.page()  # what to do first is by its state, else what it opens with
            line = dotted(page.line) if move is None else f"{dotted(page.plain_line)} **{move}**"
            shown.note(line=line)
            st.markdown(line, width="stretch")
        if action:
            with st.container(horizontal=True, width="content", key="transport"):
                action()


def chart(
    build: exports.Build,
    key: str,
    about: exports.About,
    heading: str = "",
    moved: Callable[[], None] | None = None,
) -> None:
    """An Altair figure across its column, its export menu beside the `heading` (Markdown).

    It is built in the reader's colours, in a file in light ones; a stable key keeps it from
    flickering. `build` is a function of a module, or a partial of one: see `BY_CONTENT`. `moved` is
    called once the reader lets go of what is moved in it, which the session has at the key.
    """
    exports.menu(build, key, about, heading)
    if moved is None:
        _drawn(build, palette(), key)
    else:
        st.altair_chart(_sized(build, palette()), width="stretch", key=key, on_select=moved)


@st.cache_data(max_entries=KEPT_CHARTS, show_spinner=False, hash_funcs=BY_CONTENT)
def _drawn(build: exports.Build, palette: Palette, key: str) -> None:
    """Altair checks a chart for some 40 ms: one that has been drawn is sent again as it was."""
    st.altair_chart(_sized(build, palette), width="stretch", key=key)


def _sized(build: exports.Build, palette: Palette) -> Any:
    return build(palette).configure(**SIZES)


def formulas(parts: Iterable[str]) -> None:
    """Formulas beside each other, as many in a line as there is room for."""
    with st.container(
        horizontal=True,
        horizontal_alignment="center",
        vertical_alignment="center",
        gap="large",
        key="formulas",
    ):
        for part in parts:
            st.latex(part, width="content")


def steps(parts: Iterable[str]) -> None:
    """Formulas one after the other in a line of text, which breaks between them."""
    with st.container(key="steps"):
        st.markdown(" &emsp; ".join(f"${part}$" for part in parts), text_alignment="center")


def verdict(text: str, lines: int = 0, **numbers: str) -> None:
    """What the numbers say: the first paragraph in a place for at least so many `lines`, so that
    nothing moves below it where it becomes shorter, the others in the fold (`ui.mathematics`).
    Above it, where they come from. On the tour its card says what is seen, with the `numbers`."""
    shown.note(verdict=text)
    first, _, _ = text.partition(shown.PARAGRAPH)
    if tour.number():
        tour.see(first, numbers)
        return
    if badge := shown.shown().badge:
        st.markdown(f":gray-badge[{escape_markdown(badge)}]")
    with st.container(key=f"room-for-{lines}"):
        st.info(dotted(first), icon=":material/straighten:")


def text(sentences: str) -> None:
    """A paragraph whose words explain themselves."""
    st.markdown(dotted(sentences))


def note(sentences: str) -> None:
    """The same, small and grey."""
    st.caption(dotted(sentences))


def in_short(line: str, more: str) -> None:
    """What there is to say in a line, and all of it for who asks."""
    text(line)
    with st.expander("more"):
        text(more)


def facts(table: Mapping[str, str]) -> None:
    """Numbers in one quiet line."""
    st.caption(
        "  ·  ".join(f"{dotted(name)}: **{typeset(value)}**" for name, value in table.items())
    )


def take_home(
    spec: AnySpec | AnySweep,
    anew: Anew,
    figures: Callable[[], Mapping[str, Any]] | None = None,
    key: str = "",
) -> None:
    """The specification to download, how the same is computed anew, and, where they are not in the
    menu of a run, the `figures` in one of their own."""
    with st.container(horizontal=True, vertical_alignment="center"):
        exports.spec_button(spec, spec_id(spec))
        if figures:
            shown.note(figures=figures)
            figures_menu(figures, key)
        command_line(anew)


def figures_menu(figures: Callable[[], Mapping[str, Any]], key: str) -> None:
    """The menu of a page's figures, which are made once it is open."""
    place = st.popover(
        "Figures", icon=":material/download:", key=f"{key} figures", on_change="rerun"
    )
    if place.open:
        with place:
            exports.figure_rows(figures(), key)


def command_line(anew: Anew) -> None:
    """A command to copy, and the same as Python, folded: the script that draws a block of code,
    1.5 MB, comes when it is looked at and not before the pictures of the page."""
    with st.popover("Command", icon=":material/terminal:", help="computes the same without a page"):
        st.code(anew.command, language=None, wrap_lines=True)  # highlighted, an option is too pale
        if anew.python:
            st.caption("Copy as Python")
            st.code(anew.python, language=None, wrap_lines=True)


def _everywhere() -> None:
    """Shortcuts work after a slider, print is clean; a theme is remembered for all pages, and so is
    whether the mathematics is open and where they train."""
    cookies = (
        (*mathematics.COOKIE.values(), mathematics.is_open()),
        (*here.COOKIE.values(), here.is_chosen() != registry.is_public()),
    )
    brought = st.session_state.get(SCROLL_REQUEST)
    _PAGE(key="page", data={"pages": tuple(PAGES), "brought": brought, "cookies": cookies})


def bring(key: str) -> None:
    """The part of the page with this key comes into view, once it is drawn anew."""
    number = (st.session_state.get(SCROLL_REQUEST) or {}).get("number", 0)
    st.session_state[SCROLL_REQUEST] = {"key": key.replace(" ", "-"), "number": number + 1}
