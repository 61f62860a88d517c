"""Every page from a cold address, with every parameter that it reads: valid, unknown, half-right.

Which parameters a page reads is found by watching it read.
"""

import json

import pytest
from streamlit_pages import app, sentences

from explorer.spec import link_text
from explorer.targets import PRESETS
from explorer.ui import address
from explorer.ui.pages import PAGES
from explorer.views import board as boards
from explorer.views import sweeps
from explorer.views.attention import to_json
from explorer.views.glossary import undotted

pytestmark = pytest.mark.usefixtures("one_thread")

SAID_ELSEWHERE = ("tour", "design")
"""A wrong step of the tour opens the nearest one; a design is about other pages, which say it."""


def valid(page, name):
    """What a parameter may say on a page: a new one fails here until it has its line."""
    known = {
        "spec": lambda: link_text(PRESETS[page.preset][1]),
        "design": lambda: '{"m_h":3,"rank":5}',
        "sweep": lambda: link_text(sweeps.shipped("fig1").sweep),
        "view": lambda: json.dumps(view_of(page)),
        "run": lambda: page.shipped[0] if page.shipped else "asset-train",
        "pin": lambda: page.shipped[-1] if page.shipped else "asset-design",
        "at": lambda: "1",
        "t": lambda: "0",
        "real": lambda: '{"head":1,"layer":1}',
        "runs": lambda: "",
        "filter": lambda: "rank",
        "status": lambda: "finished",
        "tour": lambda: "1",
    }
    return known[name]()


def view_of(page):
    """What is selected on a page; of a task, its example."""
    if page.topic == "attention":
        return to_json(boards.example(PRESETS[page.preset][1]))
    return {"coupling": {"k": 2}, "order": {"a": 0.25}, "memory": {"count": 3}}[page.topic]


LONG = 30_000
JSON = ("spec", "sweep", "view", "real")
"""The parameters that hold an object."""
WRONG = {
    "unknown": lambda text: "moon",
    "truncated": lambda text: text[:-1] if text.startswith("{") else text + "…",
    "another type": lambda text: "[1, 2]",
    "very long": lambda text: "x" * LONG,
    "negative": lambda text: "-1",
    "NaN": lambda text: "NaN",
    "a lone surrogate": lambda text: '{"\\ud800":"\\ud800"}',
    "a bad field": lambda text: changed(text, {"no such field": 1}),
    "a field of another type": lambda text: changed(
        text, {"m_h": {"a": []}, "k": [], "layer": "x"}
    ),
    "a negative field": lambda text: changed(text, {"m_h": -3, "k": -3, "a": -3, "layer": -3}),
}


def changed(text, fields):
    """Good JSON with bad fields beside the good ones."""
    values = json.loads(text) if text.startswith("{") else {}
    return json.dumps(values | fields)


@pytest.fixture
def read(monkeypatch):
    """What is read of the address: the names, and the values of those that are linked."""
    names, linked = set(), {}
    param, read_ = address.param, address.Linked.read

    def heard(name):
        names.add(name)
        return param(name)

    def kept(self):
        linked[self.param] = self, read_(self)
        return linked[self.param][1]

    monkeypatch.setattr(address, "param", heard)
    monkeypatch.setattr(address.Linked, "read", kept)
    return names, linked


FOUND = {}


def params_of(page, read):
    """The parameters that a page reads when it is opened without any, but for a run to look at."""
    names, linked = read
    if page.name not in FOUND:
        cold(page, **({"run": page.shipped[0]} if page.shipped else {}))
        FOUND[page.name] = sorted(names)
    names.clear()
    linked.clear()
    return FOUND[page.name]


def cold(page, **params):
    """The page after its first run: no exception, and its question is asked."""
    at = app(page.name, **params).run()
    assert not at.exception, [(each.message, params) for each in at.exception]
    assert at.subheader[0].value == page.question
    return at


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_valid_parameters_are_obeyed(page, read):
    names = params_of(page, read)
    given = {name: valid(page, name) for name in names if name not in SAID_ELSEWHERE}
    at = cold(page, **given)
    assert not at.warning, [each.value for each in at.warning]
    for name, (linked, value) in read[1].items():
        said = json.dumps(value) if isinstance(value, dict) else linked.dump(value) or ""
        wanted = given.get(name) or ""
        assert said == wanted or json.loads(said or "{}") == json.loads(wanted or "{}"), name


@pytest.mark.parametrize("case", WRONG)
@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_wrong_parameters_are_said_and_the_page_stands(page, case, read):
    """All at once: each has its word, and what the page says stands below.

    Rates is silent on a bad field of `spec`: two cases fail until its page reads it aloud.
    """
    names = [name for name in params_of(page, read) if name not in SAID_ELSEWHERE]
    wrong = {name: WRONG[case](valid(page, name)) for name in names}
    if case in ("a bad field", "a field of another type", "a negative field"):
        wrong = {name: text for name, text in wrong.items() if name in JSON}
    at = cold(page, **wrong)
    said = sentences(at).replace("\\", "")
    for name, text in wrong.items():
        if name == "filter" and len(text) < LONG:  # any words are
            continue
        if name in read[1]:
            linked, _ = read[1][name]
            lines = linked.parse(text)[1]
            assert lines, f"{name}: nothing is wrong with {text[:80]}"
            told = [undotted(line).replace("\\", "")[:60] in said for line in lines]
            assert all(told), (name, lines, said)
        else:
            assert name in said or text[:40] in said, (name, said)
    assert at.info or at.warning
