"""Every page from a cold address, with each parameter that it reads: valid, unknown, half-right.

A page says what it cannot read of what it shows, and goes on with defaults; a run or a selection
of a run that another page shows is carried along in silence. A wrong step of the tour opens the
nearest one. Which parameters a page reads is found by watching it read.
"""

import json

import pytest
from streamlit_pages import app, sentences, turned

from explorer.pages.attention import view_board as boards
from explorer.pages.attention.view import to_json
from explorer.spec import link_text
from explorer.targets import PRESETS
from explorer.ui import address, tour
from explorer.ui.pages import PAGES
from explorer.views import sweeps
from explorer.views.glossary import undotted

pytestmark = pytest.mark.usefixtures("one_thread")


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


JSON = ("spec", "design", "sweep", "view", "real")
"""The parameters that hold an object."""
LISTS = ("pin", "runs", "status")
LONG = 30_000
NEVER_WRONG = ("filter", "tour")
"""Any words are a filter; of the tour the nearest step is opened."""


def changed(text, **fields):
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


def complaints(at):
    """What a page says is wrong: its warnings, and the captions about a parameter."""
    marks = ("passed over", "is not in this store")
    captions = (e.value for e in at.caption if any(mark in e.value for mark in marks))
    return undotted("\n".join([*(e.value for e in at.warning), *captions])).replace("\\", "")


def line_about(page, name, text):
    """What a page must say of a wrong text of a parameter; "" where it is about other pages."""
    shown = text[:40].replace("\\", "")
    if page.topic == "attention" and name == "view":
        return "The board in the link is not taken"
    if name in ("spec", *JSON):
        called = "specification" if name == "spec" else name
        return f"{called}: not JSON" if not text.startswith("{") else "no_such_field: unknown field"
    of_a_run = {
        "run": f"The run `{shown}` is not in this store",
        "pin": f"The pinned run `{text.split(',')[-1][:40]}` is not in this store",
        "at": f"`at = {shown}`: allowed is a whole number",
        "t": f"`t = {shown}`: allowed is a whole number",
    }
    if name in of_a_run:
        return of_a_run[name] if page.shipped else ""
    return f"{name} = {text.split(',')[-1]}: allowed is" if name == "status" else f"{name}: "


def keeps(linked, value, good):
    """Whether a linked value still has the fields that its text said rightly."""
    held = json.loads(linked.dump(value) or "{}")
    return held == json.loads(good) | ({"version": 1} if "version" in held else {})


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_valid_parameters_are_obeyed(page, read):
    """All at once, but for the tour: its own settings stand in their place."""
    names = params_of(page, read)
    given = {name: valid(page, name) for name in names if name != "tour"}
    at = cold(page, **given)
    assert not at.warning, [each.value for each in at.warning]
    for name, (linked, value) in read[1].items():
        said = json.dumps(value) if isinstance(value, dict) else linked.dump(value) or ""
        wanted = given.get(name) or ""
        assert said == wanted or json.loads(said or "{}") == json.loads(wanted or "{}"), name


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_each_valid_parameter_alone_is_taken(page, read):
    for name in params_of(page, read):
        assert complaints(cold(page, **{name: valid(page, name)})) == "", name


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_each_unknown_parameter_alone_has_its_word(page, read):
    for name in params_of(page, read):
        said = complaints(cold(page, **{name: "moon"}))
        line = "" if name in NEVER_WRONG else line_about(page, name, "moon")
        assert line in said and bool(line) == bool(said), (name, line, said)


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_each_half_right_parameter_alone_has_its_word_and_keeps_the_rest(page, read):
    """An object with one bad field, or a list with one bad entry. A sweep and a board are one
    thing: what stands in their place is said."""
    for name in params_of(page, read):
        if name not in (*JSON, *LISTS):
            continue
        good = valid(page, name)
        half = changed(good, no_such_field=1) if name in JSON else f"{good},moon".lstrip(",")
        said = complaints(cold(page, **{name: half}))
        line = line_about(page, name, half)
        assert line in said and bool(line) == bool(said), (name, line, said)
        if name == "sweep":
            assert "sweep: Figure 1 in its place" in said
        elif name == "view" and page.topic == "attention":
            assert "The example of this task stands in its place" in said
        elif name in JSON and name in read[1]:
            assert keeps(*read[1][name], good), (name, good)
        elif name == "status":
            assert read[1][name][1] == ["finished"]


def test_a_half_right_design_is_said_on_its_own_page_with_the_rest():
    at = cold(PAGES["order"], design='{"m_h":3,"no_such_field":1,"rank":5}')
    assert "design: no_such_field: unknown field" in complaints(at)
    at = turned(at, "design")
    spec = at.session_state["spec"]
    assert (spec.m_h, spec.rank) == (3, 5) and "no_such_field" in complaints(at)


def test_a_design_of_another_kind_is_said():
    said = complaints(cold(PAGES["memory"], design='{"target":"linear"}'))
    assert 'design: target = "linear": a linear target, without a coupling' in said


STEPS = {"moon": 1, "-1": 1, "0": 1, "2": 2, "99": len(tour.stops()), "9" * 400: 1}


@pytest.mark.parametrize("page", ("design", "talk"))
def test_a_wrong_step_of_the_tour_opens_the_nearest_and_says_nothing_wrong(page):
    for text, step in STEPS.items():
        at = cold(PAGES[page], tour=text)
        assert f"**{step} of {len(tour.stops())} ·" in sentences(at), text
        assert complaints(at) == ""


WRONG = {
    "truncated": lambda text: text[:-1] if text.startswith("{") else text + "…",
    "another type": lambda text: "[1, 2]",
    "very long": lambda text: "x" * LONG,
    "negative": lambda text: "-1",
    "NaN": lambda text: "NaN",
    "a lone surrogate": lambda text: '{"\\ud800":"\\ud800"}',
    "a field with a space": lambda text: changed(text, **{"no such field": 1}),
    "a field of another type": lambda text: changed(text, m_h={"a": []}, k=[], layer="x"),
    "a negative field": lambda text: changed(text, m_h=-3, k=-3, a=-3, layer=-3),
}
IN_AN_OBJECT = ("a field with a space", "a field of another type", "a negative field")


@pytest.mark.parametrize("case", WRONG)
@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_wrong_parameters_are_said_and_the_page_stands(page, case, read):
    """All at once: each has its word, and what the page says stands below."""
    names = [name for name in params_of(page, read) if name != "tour"]
    wrong = {name: WRONG[case](valid(page, name)) for name in names}
    if case in IN_AN_OBJECT:
        wrong = {name: text for name, text in wrong.items() if name in JSON}
    at = cold(page, **wrong)
    said = complaints(at)
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
            line = "design: " if name == "design" else line_about(page, name, text)
            assert line.replace("\\", "") in said, (name, line, said)
    assert at.info or at.warning
