"""The link to a page, and the entries it leaves in the browser's history."""

import json

import pytest
from streamlit_pages import opened

from explorer.ui.shortened import LONGEST, MARK

WINDOW = """
class Window {
  // A window with a history that can be counted.
  constructor(address) {
    this.location = new URL(address);
    this.entries = [this.location.href];
    this.handlers = {};
    const go = (to) => (this.location.href = new URL(to, this.location.href).href);
    this.history = {
      pushState: (state, title, to) => this.entries.push(go(to)),
      replaceState: (state, title, to) => this.entries.splice(-1, 1, go(to)),
    };
  }
  addEventListener(name, handler) { this.handlers[name] = handler; }
  paths() { return this.entries.map((entry) => entry.slice("http://a".length)); }
}
function visit(address, ...steps) {
  const window = new Window("http://a" + address);
  c.joinPageTurns(window);
  c.joinPageTurns(window); // another page mounts the control again
  for (const to of steps) {
    if (to === "click") window.handlers.pointerdown();
    else window.history.pushState({}, "", to);
  }
  return window.paths();
}
"""


@pytest.fixture
def evaluate(javascript):
    """Evaluates a JavaScript expression beside the functions of the link, `c`."""
    return lambda expression: javascript("link", f"return {expression}")


@pytest.mark.parametrize(
    ("address", "spec", "unread", "whole"),
    [
        ("/train", "{}", None, "/train?spec=%7B%7D"),
        ("/train?run=a-1", "{}", None, "/train?run=a-1&spec=%7B%7D"),
        ("/train?spec=1&at=3", "2", None, "/train?spec=1&at=3"),
        ("/train?spec=broken", "2", "broken", "/train?spec=2"),
        ("/runs", None, None, "/runs"),
        ("/?spec=", "2", "", "/?spec=2"),
    ],
)
def test_a_link_holds_the_specification(evaluate, address, spec, unread, whole):
    data = json.dumps({"spec": spec, "unread": unread, "longest": LONGEST, "mark": "mark"})
    assert evaluate(f"c.completeLink('http://a{address}', {data})") == f"http://a{whole}"


def test_a_link_that_would_be_too_long_has_the_mark_of_the_specification(evaluate):
    def completed(size):
        data = {"spec": "x" * size, "unread": None, "longest": LONGEST, "mark": f"{MARK}1"}
        return evaluate(f"c.completeLink('http://a/train', {json.dumps(data)})")

    room = LONGEST - len("/train?spec=")
    assert completed(room) == f"http://a/train?spec={'x' * room}"
    assert completed(room + 1) == f"http://a/train?spec={MARK}1"


def test_what_stayed_in_the_session_is_said_of_a_link(evaluate):
    link = f"http://a/order?spec={MARK}1&run=a-1&view={MARK}2"
    prefix = json.dumps({"prefix": MARK})
    assert evaluate(f"c.leftOut('{link}', {prefix})") == ["spec", "view"]
    assert evaluate(f"c.leftOut('http://a/order?run=a-1', {prefix})") == []


@pytest.mark.parametrize(
    ("address", "steps", "entries"),
    [
        # a page turn in two writes is one entry
        ("/?spec=1", ["/train", "/train?spec=1"], ["/?spec=1", "/train?spec=1"]),
        ("/", ["/train?run=a-1", "/train?run=a-1&at=3"], ["/", "/train?run=a-1&at=3"]),
        (
            "/?spec=1",
            ["/?design=1", "/attention?design=1", "click", "/attention?spec=1", "/?spec=1"],
            ["/?spec=1", "/attention?design=1", "/?spec=1"],
        ),
        # a change on a page is one of its own, also the first after a turn that carried nothing
        ("/runs", ["/runs?a=1", "/runs?a=2"], ["/runs", "/runs?a=1", "/runs?a=2"]),
        ("/", ["/train", "click", "/train?spec=2"], ["/", "/train", "/train?spec=2"]),
        ("/", ["/runs", "/runs?a=1", "/runs?a=2"], ["/", "/runs?a=1", "/runs?a=2"]),
    ],
)
def test_a_step_of_the_reader_is_one_entry(javascript, address, steps, entries):
    visit = f"visit({json.dumps(address)}, ...{json.dumps(steps)})"
    assert javascript("page", f"{WINDOW} return {visit}") == entries


def test_no_run_of_the_page_says_whether_the_share_menu_is_open():
    """A run that was begun before the click says "closed" after it, and the menu would close."""
    at = opened("design")
    menus = [each.proto.popover for each in at.get("popover")]
    (menu,) = [each for each in menus if each.label == "Share"]
    assert not menu.id
