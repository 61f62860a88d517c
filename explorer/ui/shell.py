"""The UI script that every session runs: navigation, then the page."""

from pathlib import Path

import streamlit as st

from explorer.runs.database import StoreError
from explorer.ui import attach, registry
from explorer.ui.words import said

FOLDER = Path(__file__).resolve().parents[2] / "pages"
PAGES = (
    ("design", "Design ρ", "Choose a coupling and read its spectrum and the width it needs."),
    ("train", "Train", "Watch one attention head learn the coupling, against its floor."),
    ("rates", "Rates", "See how fast the error falls as the head gets wider, beside its floors."),
    ("attention", "Attention", "Drag points and indices, and see where a trained head looks."),
    ("order", "Order", "Reorder and filter the inputs, and watch RNN and Transformer errors move."),
    ("runs", "Runs", "Compare, rename, take home and delete what has been trained here."),
)


def navigation():
    """The pages at the top; paths are absolute, or a cold deep link would miss the navigation."""
    pages = [
        st.Page(
            FOLDER / f"{name}.py", title=title, url_path=name, help=text, default=name == "design"
        )
        for name, title, text in PAGES
    ]
    return st.navigation(pages, position="top")


def show(page) -> None:
    """Run the page; a store that cannot be used is said in its own words."""
    attach.restore(page.title)
    try:
        page.run()
    except StoreError as problem:
        st.error(f"The runs of this machine cannot be shown: {said(problem)}")
    finally:
        attach.remember()
        registry.page_shown()


if __name__ == "__main__":  # Streamlit runs this file; who imports it gets its names alone
    st.set_page_config(page_title="Attention explorer", layout="wide")
    show(navigation())
