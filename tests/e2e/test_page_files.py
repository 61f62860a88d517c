"""A page's picture as a file: drawn like the page, taken hold of like the page, with no network."""

import re

import pytest
from driving import downloaded, still, until

from explorer.pages.talk import deck
from explorer.pages.talk.address import page_and_params
from explorer.pages.talk.scenes import read_talk
from explorer.ui import page_file

PAGES = ("", "train", "rates", "attention", "order", "real", "memory")
LABELS = """root => [...root.querySelectorAll("canvas:not([hidden])")].map((canvas) => [
  canvas.dataset.panel,
  canvas.getAttribute("aria-valuetext") ?? canvas.getAttribute("aria-label"),
])"""


@pytest.fixture
def offline(context):
    """A tab that hears no network, and what it complained of or asked for."""
    page = context.new_page()
    heard = []
    page.on("pageerror", lambda error: heard.append(str(error)))
    page.on("console", lambda message: heard.append(message.text))
    page.on("request", lambda request: heard.append(request.url))
    yield page, heard
    page.close()


def drawn(page):
    """What its canvases say, once all have been drawn."""
    labels = page.locator("main [data-picture] > div").evaluate(
        f"host => ({LABELS})(host.shadowRoot)"
    )
    return labels and all(text and "nothing yet" not in text for _, text in labels) and labels


def of_page(tab):
    """The same of the page in the explorer."""
    canvas = tab.page.locator("canvas[data-panel]").first
    return canvas.evaluate(f"canvas => ({LABELS})(canvas.getRootNode())")


def is_dragged_and_restored(page, before):
    spectrum, note = page.locator("canvas[data-panel=spectrum]"), page.locator("[data-changed]")
    assert not note.is_visible()
    spectrum.focus()
    page.keyboard.press("ArrowDown")
    note.wait_for()
    assert "the words around" in note.inner_text().lower()
    until(lambda: drawn(page) != before and "…" not in dict(drawn(page))["floor"])
    changed = drawn(page)
    assert dict(changed)["floor"] != dict(before)["floor"], (
        "the floor is that of the changed design"
    )
    page.get_by_role("button", name="light / dark").click()
    still(page)
    assert note.is_visible() and drawn(page) == changed, "another theme is no other design"
    page.get_by_role("button", name="As it was").click()
    until(lambda: drawn(page) == before)
    note.wait_for(state="hidden")


def is_replayed(page, last):
    page.locator("[data-scrub]").focus()
    page.keyboard.press("Home")
    until(lambda: drawn(page) != last)
    assert re.search(r"step 1$", page.locator("[data-text=scrub]").text_content())
    page.keyboard.press("End")
    until(lambda: drawn(page) == last)


def a_head_is_picked_and_k_moved(page, before):
    page.locator("canvas[data-panel=heads]").press("ArrowDown")
    page.locator("canvas[data-panel=cut]").press("ArrowLeft")
    until(lambda: "k = 12" in dict(drawn(page))["spectrum"])
    labels = dict(drawn(page))
    assert labels["heads"].startswith("Layer 1, head 1") and "12 terms" in labels["cut"]
    page.locator("[data-changed]").wait_for()
    the_opened_head_is_there(page)


def the_opened_head_is_there(page):
    """The picture below the first: it is pointed at, cut, and restored with the other."""
    head = page.locator("[data-more=head]")
    assert "Layer 18, head 6." in head.locator("p").first.inner_text()
    slider = head.get_by_role("slider")
    before = slider.input_value()
    slider.press("Home")
    assert "keep k = 1 of 26 terms" in head.locator(".keep").inner_text()
    head.locator(".tokens span", has_text="keeper").nth(1).hover()
    until(lambda: "keeper looks at climbed most" in head.locator("p.read").inner_text())
    until(
        lambda: "26 by 26" in head.get_by_role("img", name="Coupling").get_attribute("aria-label")
    )
    page.get_by_role("button", name="As it was").click()
    assert head.get_by_role("slider").input_value() == before


AT_WORK = {
    "": is_dragged_and_restored,
    "train": is_replayed,
    "memory": is_replayed,
    "real": a_head_is_picked_and_k_moved,
}


@pytest.mark.parametrize("path", PAGES)
def test_a_file_draws_what_its_page_draws(reader, offline, tmp_path, path):
    tab = reader.open(path)
    file = tmp_path / "picture.html"
    downloaded(tab.page, tab.button("Picture")).save_as(file)
    page, heard = offline
    page.bring_to_front()
    page.goto(file.as_uri())
    page.wait_for_selector("main [data-picture] > div")
    until(lambda: drawn(page) == of_page(tab))
    if work := AT_WORK.get(path):
        work(page, drawn(page))
    asked = [what for what in heard if not what.startswith("blob:null/")]
    assert asked == [file.as_uri()], "it asks for nothing but itself, and complains of nothing"


TALK = """{"version": 1, "title": "Mine", "scenes": [
  {"title": "First", "address": "design", "steps": [{"words": "One."}]}]}"""
FILES = {
    "picture": lambda: page_file.html(page_file.drawn(*page_and_params("train"))),
    "talk": lambda: deck.build(read_talk(TALK)),
}


@pytest.mark.parametrize("kind", FILES)
def test_a_file_that_was_cut_short_says_so(context, tmp_path, kind):
    """Wherever behind its first lines: in its style, its markup, its parts, its last script."""
    whole, file, page = FILES[kind](), tmp_path / "mine.html", context.new_page()
    note = page.get_by_role("alert").filter(has_text="This file is not whole")
    marks, last = (b"<style>", b"<main", b"data-part"), whole.rindex(b"data-end")
    behind = [whole.index(mark) + 9 for mark in marks]
    for end in (*behind, len(whole) // 2, last - 20, last):
        file.write_bytes(whole[:end])
        page.goto(file.as_uri())
        assert note.is_visible() and "Download it again" in note.inner_text(), end
    file.write_bytes(whole)
    page.goto(file.as_uri())
    page.wait_for_selector("canvas[data-panel]")
    assert not note.count()
    page.close()
