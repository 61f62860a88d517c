"""Parts of a page that are drawn anew by themselves."""

from streamlit.testing.v1 import AppTest
from streamlit_pages import ROOT


def page():
    import streamlit as st

    from explorer.runs.database import Busy
    from explorer.ui.part import part

    def draw(name):
        if st.session_state.is_busy:
            raise Busy("the store <b>is busy</b>")
        st.write(f"{name} is drawn")

    st.session_state.setdefault("is_busy", False)
    part(draw)("it")
    st.write("and what is below")


def texts(at):
    return [each.value for each in at.markdown]


def test_a_store_that_cannot_be_used_is_said_in_its_part_and_tried_again():
    at = AppTest.from_function(page).run()
    at.session_state["is_busy"] = True
    at.run()
    assert not at.exception
    assert at.error[0].value.endswith("The store \\<b\\>is busy\\</b\\>")
    assert texts(at) == ["and what is below"]
    at.session_state["is_busy"] = False
    at.button[0].click().run()
    assert not at.exception and not at.error
    assert texts(at) == ["it is drawn", "and what is below"]


def test_no_page_has_a_fragment_that_says_nothing():
    files = [*ROOT.glob("explorer/**/*.py")]
    assert [file.stem for file in files if "st.fragment" in file.read_text()] == ["part"]
