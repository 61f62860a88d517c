"""The chrome of every page: question, badge, verdict, facts, what to take home."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import streamlit as st

from explorer.charts import DARK, LIGHT, Palette
from explorer.ui import address, link

if TYPE_CHECKING:  # a page without Altair figures opens without waiting for it
    import altair as alt

    from explorer.ui import exports


def palette() -> Palette:
    """Colours of the reader's theme."""
    return DARK if st.context.theme.type == "dark" else LIGHT


def question(badge: str | None = None) -> None:
    """The page's question, and beside it what the pictures come from and the link to them."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader(address.page().question, anchor=False, width="stretch")
        with st.container(width="content", gap=None):
            if badge:
                st.badge(badge, color="gray")
            link.copy_link()


def chart(
    figure: alt.TopLevelMixin | exports.Build,
    key: str,
    about: exports.About | None = None,
    heading: str = "",
) -> None:
    """An Altair figure across its column; a stable key keeps it from flickering.

    With `about` it has its export menu beside the `heading` (Markdown); `figure` is then a function
    of the palette, since a file is always light.
    """
    if about is None:
        st.altair_chart(figure, width="stretch", key=key)
        return
    from explorer.ui import exports

    exports.menu(figure, key, about, heading)
    st.altair_chart(figure(palette()), width="stretch", key=key)


def formulas(parts: Iterable[str]) -> None:
    """Formulas beside each other, as many in a line as there is room for."""
    with st.container(
        horizontal=True, horizontal_alignment="center", vertical_alignment="center", gap="large"
    ):
        for part in parts:
            st.latex(part, width="content")


def verdict(text: str, lines: int = 0) -> None:
    """The sentence the numbers say, in a place for at least so many `lines`: where it becomes
    shorter, nothing moves below it."""
    with st.container(horizontal=True, gap=None, wrap=False):
        st.info(text, icon=":material/straighten:", width="stretch")
        if lines:
            with st.container(width=1):
                st.space(34 + 26 * lines)


def facts(table: Mapping[str, str]) -> None:
    """Numbers in one quiet line."""
    st.caption("  ·  ".join(f"{name}: **{value}**" for name, value in table.items()))


def take_home(spec_id: str, json: str, command: str) -> None:
    """The specification to download, and the command that computes the same."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.download_button(
            "Specification (JSON)", json, f"{spec_id}.json", "application/json", on_click="ignore"
        )
        st.code(command, language=None, wrap_lines=True)  # highlighted, an option is too pale
