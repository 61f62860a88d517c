"""Real attention with a model here, a small one: a worker answers for each k that is kept."""

import json

import pytest
from driving import downloaded, still, until
from pretrained import fetched_tiny_smollm2

from explorer.pages.real import order
from explorer.pages.real.answers import SAID
from explorer.ui import controls
from explorer.views.text import plural

TEXT = "abba cad, a cab"
FOLDS = controls.PAPER, order.TITLE
"""Around the tokens in an order of the reader's own."""
PHONE = {"width": 390, "height": 844}
REST = 600  # milliseconds: longer than a press is long


@pytest.fixture(autouse=True, scope="module")
def model(server):
    fetched_tiny_smollm2(server.home / "models")


def unfolded(tab):
    """Shows the tokens: they stand below the head, whose answer moves them as it comes."""
    tab.page.locator(".st-key-opened-head").wait_for()
    tab.settle()
    still(tab.page)
    tab.unfold(*FOLDS)


def test_each_k_is_answered_also_when_keys_are_quick(reader, server):
    own = {"text": "abba cad, a cab; what else?", "layer": 1, "head": 2, "k": 6, "cut": "layer"}
    tab = reader.open("real", real=json.dumps(own))
    says, line = tab.page.locator(".st-key-head-says"), tab.page.get_by_text(SAID)
    line.click()
    until(lambda: "With k = 6 terms of its layer the perplexity" in says.inner_text())
    slider = tab.page.get_by_role("slider", name="k, the terms")
    for key, k in (("Home", 1), ("End", 27), ("Home", 1), *(("ArrowRight", k) for k in (2, 3, 4))):
        slider.press(key)
        terms = plural(k, "term")
        until(lambda terms=terms: f"With k = {terms} of its layer" in says.inner_text())
    for _ in range(8):  # the newest wish alone
        slider.press("ArrowRight")
    until(lambda: "With k = 12 terms of its layer" in says.inner_text())
    tab.page.get_by_role("radio", name="this head").click()
    until(lambda: "With k = 12 terms of this head alone" in says.inner_text())
    tab.page.go_back()
    until(lambda: "With k = 12 terms of its layer" in says.inner_text())
    tab.page.reload()
    line.click()
    until(lambda: "With k = 12 terms of its layer" in says.inner_text())


def test_the_way_to_one_head_shows_what_it_is_above_the_field_for_a_text(reader):
    tab = reader.open("real", window={"width": 1280, "height": 800})
    tab.draw("Real")
    tab.button("Look into one head").click()
    tab.page.get_by_text("A text of your own").wait_for()
    still(tab.page)
    assert tab.page.get_by_text("One head opened").bounding_box()["y"] > 60, "below the names"


def test_an_order_is_chosen_typed_and_found_again(reader, server):
    """A text in an order by its name and as a list; what the browser still says of the list before
    is not taken for typing."""
    seeded = {"order": "random", "order_seed": 4}
    tab = reader.open("real", real=json.dumps({"text": TEXT, "layer": 1, "head": 2} | seeded))
    page = tab.page
    positions = page.get_by_role("textbox", name="positions: at place t")
    said = page.get_by_text("The text of 15 tokens has a perplexity")
    unfolded(tab)
    until(lambda: "4." in said.inner_text() and positions.input_value().count(" ") == 14)
    for name in ("block", "roll", "block", "reverse"):  # the last is no other's answer
        page.get_by_role("radio", name=name).click()
    until(lambda: said.inner_text().startswith("Order: reverse."))
    listed = [*range(14, -1, -1)]
    until(lambda: positions.input_value() == " ".join(map(str, listed)))
    positions.fill("3 3 1")
    positions.press("Control+Enter")
    page.get_by_text("Each position from 0 to 2 is needed once").wait_for()
    listed[:2] = listed[1::-1]
    positions.fill(", ".join(map(str, listed)))
    positions.press("Control+Enter")
    until(lambda: said.inner_text().startswith("Order: your order."))
    seen = tab.places("Reorder", "r.settled && r.called.name === null")
    assert seen["order"] == listed
    page.reload()
    unfolded(tab)
    until(lambda: said.inner_text().startswith("Order: your order."))
    until(lambda: positions.input_value() == " ".join(map(str, listed)))


def order_in(tab):
    return json.loads(tab.parameter("real"))["order"]


def middle(tab, place):
    """Of a token in the window."""
    tab.page.locator(".reorder").scroll_into_view_if_needed()
    box = tab.page.locator(".reorder .tokens").bounding_box()
    rect = tab.places("Reorder", "true")["rects"][place]
    x, y = rect["left"] + rect["right"], rect["top"] + rect["bottom"]
    return box["x"] + x / 2, box["y"] + y / 2


def carried(start, end, count=15):
    order = list(range(count))
    order.insert(end, order.pop(start))
    return order


def test_tokens_are_dragged_undone_linked_and_taken_home(reader, server, tmp_path):
    """With the mouse, by keys and with a finger; the model answers to each."""
    look = {"text": TEXT, "layer": 1, "head": 2, "order": "original"}
    tab = reader.open("real", real=json.dumps(look))
    page = tab.page
    unfolded(tab)
    tokens, said = page.locator(".reorder .tokens"), page.locator(".reorder p.read")
    until(lambda: "In head 1.2 it looks at" in said.inner_text())
    tab.settle()  # what is told above the tokens later moves them from under the hand
    still(page)
    page.mouse.move(*middle(tab, 2))
    page.mouse.down()
    page.mouse.move(*middle(tab, 7), steps=4)
    assert order_in(tab) == "original", "nobody is asked while it is held"
    page.mouse.move(*middle(tab, 11), steps=4)
    page.mouse.up()
    until(lambda: order_in(tab) == carried(2, 11))
    page.get_by_text("Order: your order. The text of 15 tokens").wait_for()
    until(lambda: "Place 12: “b”, it was in place 3. In head 1.2" in said.inner_text())
    assert "".join(tokens.locator("span").all_inner_texts()) == "aba␣cad,␣a␣bcab"

    page.locator(".reorder").get_by_role("button", name="Undo").click()
    page.get_by_text("Order: as it is. The text").wait_for()
    assert order_in(tab) == "original"
    tokens.press("Control+y")
    until(lambda: order_in(tab) == carried(2, 11))
    page.get_by_role("radio", name="reverse").click()
    until(lambda: tab.places("Reorder", "true")["called"]["name"] == "reverse")
    tab.settle()
    tokens.press("Control+z")
    until(lambda: order_in(tab) == carried(2, 11))
    for key in ("Home", "Shift+ArrowRight", "Shift+End"):
        tokens.press(key)
    once = carried(2, 11)
    until(lambda: order_in(tab) == [*once[1:], once[0]])
    page.get_by_text("Order: your order. The text of 15 tokens").wait_for()

    file = tmp_path / "picture.html"
    downloaded(page, tab.button("Picture")).save_as(file)
    page.reload()
    unfolded(tab)
    assert tab.places("Reorder", "r.order.length === 15")["order"] == [*once[1:], once[0]]
    offline = reader.context.new_page()
    offline.goto(file.as_uri())
    home = offline.locator("[data-more=reorder]")
    home.locator(".tokens").press("Shift+ArrowRight")
    assert not home.get_by_role("button", name="Undo").is_disabled()
    offline.close()


def test_a_finger_scrolls_over_the_tokens_and_carries_one_after_a_rest(reader, server):
    look = {"text": TEXT * 5, "order": "original", "layer": 1, "head": 1}
    tab = reader.open("real", real=json.dumps(look), window=PHONE)
    page = tab.page
    unfolded(tab)
    page.get_by_text("The text of 75 tokens has a perplexity").wait_for()
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setTouchEmulationEnabled", {"enabled": True})

    def touch(kind, *at):
        points = [dict(zip("xy", at, strict=True))] if at else []
        session.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": points})

    def swipe(start, end, rest=0):
        touch("Start", *start)
        page.wait_for_timeout(rest)
        for part in range(1, 9):
            touch("Move", *(a + (b - a) * part / 8 for a, b in zip(start, end, strict=True)))
        touch("End")
        still(page)

    page.locator(".reorder .tokens").evaluate("part => part.scrollIntoView({ block: 'end' })")
    still(page)
    top = "document.querySelector('[data-testid=stMain]').scrollTop"
    x, y = middle(tab, 40)
    still(page)
    before = page.evaluate(top)
    swipe((x, y), (x, y + 100))
    assert before - page.evaluate(top) > 60 and order_in(tab) == "original"
    still(page)
    places = middle(tab, 30), middle(tab, 12)
    still(page)
    before = page.evaluate(top)
    swipe(*places, rest=REST)
    until(lambda: order_in(tab) == carried(30, 12, 75))
    assert page.evaluate(top) == before
    session.send("Emulation.setTouchEmulationEnabled", {"enabled": False})
    session.detach()


def test_number_words_are_reordered_without_any_model_fetched(reader):
    """What is shipped answers, in numbers and for one of them; an order of another length is
    refused, and from there it goes on."""
    look = {"reordered": "words", "order": [1, 0, 2]}
    tab = reader.open("real", real=json.dumps(look))
    page = tab.page
    unfolded(tab)
    page.get_by_text("There are 8 tokens: each position from 0 to 7 is needed once").wait_for()
    assert not page.get_by_role("button", name="Try again").count()
    tokens = page.locator(".reorder .tokens")
    tokens.press("Shift+ArrowRight")
    page.get_by_text("Of 2000 numbers that it has not learned, 0.9985 are right").wait_for()
    page.get_by_text("“fünf tausend fünf hundert neun und dreißig” in this order").wait_for()
    assert order_in(tab) == [1, 0, *range(2, 8)]
    page.get_by_role("radio", name="pictures, mini ViT").click()
    page.get_by_text("fetch MNIST at the end of this page").wait_for()
    assert "order" not in json.loads(tab.parameter("real")) or order_in(tab) == "original"
