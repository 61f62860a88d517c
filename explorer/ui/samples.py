"""Uploaded samples of ρ that a link or a run names and this store has not: asked for in place."""

import streamlit as st

from explorer.coupling import GridError
from explorer.runs.database import StoreError
from explorer.runs.files import grid_sha256
from explorer.spec import AnySpec
from explorer.ui import chrome, page_visit, registry, specs
from explorer.ui.words import as_code, as_sentence


def require(spec: AnySpec) -> None:
    """Call after the controls: where the samples of a specification are not in this store, the page
    asks for their file under its question and ends there. Nothing else is drawn or trained under
    an address that names them."""
    try:
        specs.build(spec)
    except StoreError as error:
        if not spec.grid:
            raise
        chrome.question()
        specs.show_problems(specs.SPEC)
        st.warning(
            f"This coupling cannot be drawn yet: {as_sentence(error)}. Or choose another coupling "
            "at the left.",
            icon=":material/search:",
        )
        ask(spec.grid)
        st.stop()


def ask(sha: str) -> None:
    """Take the samples that are missing, and no others."""
    file = page_visit.uploader(
        "the samples that are missing",
        type=["npy", "csv"],
        max_upload_size=20,
        key=f"grid {sha}",
        help=f"The file that was uploaded when the coupling was designed: sha256 {sha[:12]}…",
    )
    if file is None:
        return
    try:
        values = page_visit.grid(file.getvalue(), file.name)
        if grid_sha256(values) != sha:
            raise GridError("these are other samples than those that are missing")
        registry.store().put_grid(values, file.name)
    except (GridError, StoreError) as error:
        st.error(f"{as_code(file.name)}: {as_sentence(error)}", icon=":material/warning:")
        return
    st.rerun()
