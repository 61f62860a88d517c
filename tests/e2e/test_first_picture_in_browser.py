"""The first picture as the document draws it, before any session."""

import json

import pytest
from arriving import DRAWN, GONE, arrive, silence, wait

TEXT = "() => __explorerFirst.picture().texts.maps.boxes.map(({ text }) => text).join(' ')"


@pytest.fixture
def page(context):
    """A tab of its own, which nobody has after it."""
    page = context.new_page()
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    yield page
    page.close()


def test_it_is_of_the_design_in_the_link_and_in_the_colours_of_the_reader(page, server):
    silence(page)
    page.emulate_media(color_scheme="dark")
    arrive(page, server, "design", spec=json.dumps({"formula": "u*v", "m_h": 1}))
    wait(page, DRAWN)
    dark = page.evaluate("() => document.getElementById('first').dataset.theme")
    assert dark == "dark" and "ρ_m" in page.evaluate(TEXT)


def test_where_something_is_wrong_nothing_is_drawn_and_the_page_says_it(page, server):
    arrive(page, server, "design", spec="{")
    page.get_by_test_id("stAlert").first.wait_for()
    wait(page, GONE)
    assert page.evaluate("() => __explorerFirst.picture()") is None


def test_in_a_page_that_is_embedded_it_is_not_there(page, server):
    silence(page)
    arrive(page, server, "design", embed="true")
    wait(page, GONE)
