"""The table of pages: a page costs a line of it, and a title is only read by people."""

import re
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from explorer.runs.store import Store
from explorer.spec import amended, compact
from explorer.targets import PRESETS
from explorer.ui import pages
from explorer.ui.pages import EXPLORER, PAGES, Page

pytestmark = pytest.mark.usefixtures("one_thread")

SCRIPT = """
from explorer.ui import chrome, specs

spec = specs.begin()
chrome.question("computed")
specs.show_problems(specs.SPEC)
chrome.verdict(f"A head of width {spec.m_h} looks at the moon.")
"""


def opened(name, **address):
    at = AppTest.from_file("../explorer/ui/shell.py", default_timeout=60)
    for param, value in address.items():
        at.query_params[param] = value
    return shown(at, name)


def turned(at, name):
    """Another page by its link: Streamlit clears the address."""
    at.query_params.clear()
    return shown(at, name)


def shown(at, name):
    at.switch_page(str(PAGES[name].file)).run()
    assert not at.exception
    return at


def address(at):
    return {name: "".join(at.query_params[name]) for name in at.query_params}


@pytest.fixture
def moon(tmp_path, monkeypatch):
    """A made-up page: its line of the table, its script in the folder of pages."""

    def add(**fields):
        seen = "Does the head see the moon?", "It is far away. **Look up.**"
        line = Page("moon", "Moon", "See the far side.", *seen, **fields)
        monkeypatch.setitem(PAGES, "moon", line)

    for page in PAGES.values():
        (tmp_path / page.file.name).write_text(page.file.read_text("utf-8"), "utf-8")
    (tmp_path / "moon.py").write_text(SCRIPT, "utf-8")
    monkeypatch.setattr(pages, "resource", lambda name: tmp_path)
    return add


def test_a_line_of_the_table_and_a_script_make_a_page(moon):
    moon(preset="quick")
    at = opened("moon")
    assert at.subheader[0].value == "Does the head see the moon?" and not at.warning
    assert at.info[0].value == f"A head of width {PRESETS['quick'][1].m_h} looks at the moon."
    assert turned(at, "train").session_state["spec"] == PRESETS["quick"][1]


def test_a_new_page_shares_what_its_kind_of_target_has(moon):
    moon(topic="attention", preset="cog")
    spec = amended(PRESETS["nearest"][1], m_h=5)
    at = turned(opened("attention", spec=compact(spec)), "moon")
    assert "A head of width 5" in at.info[0].value and address(at)["spec"] == compact(spec)
    at = opened("moon", spec=compact(PRESETS["train"][1]))
    assert not at.warning, "it waits for the pages that it belongs to"
    assert f"A head of width {PRESETS['cog'][1].m_h}" in at.info[0].value


@pytest.mark.parametrize("name", PAGES)
def test_the_tab_of_a_page_is_called_after_it(name, monkeypatch):
    called = []
    monkeypatch.setattr("streamlit.set_page_config", lambda **config: called.append(config))
    opened(name)
    assert [config["page_title"] for config in called] == [f"{PAGES[name].title} · {EXPLORER}"]
    assert len({page.tab for page in PAGES.values()}) == len(PAGES)


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_a_page_begins_with_a_question_and_at_most_two_plain_sentences(page):
    words = page.line.replace("**", "").split()
    assert page.question.endswith("?") and len(words) <= 25
    assert len(re.findall(r"[.?](?: |$)", page.plain_line)) <= 2
    rest = page.line.removeprefix(page.plain_line)
    assert re.fullmatch(r"( \*\*[A-Z][^*]+\.\*\*)?", rest), "a first move ends the line, bold"


def test_a_page_without_a_script_is_named(moon, monkeypatch):
    monkeypatch.setitem(PAGES, "mars", Page("mars", "Mars", "", "Is there water?", ""))
    at = AppTest.from_file("../explorer/ui/shell.py", default_timeout=60).run()
    assert "mars.py" in at.exception[0].message


def walk(run):
    """What a session holds and what addresses say on a walk over every page, and the links to open
    a run."""
    at, said = opened("order", view='{"a":0.5}', run="asset-order-rnn"), []
    for name in PAGES:
        turned(at, name)
        said.append((name, sorted(at.session_state.keys()), address(at)))
    links = [each.proto for each in opened("runs", runs=run).get("page_link")]
    links = [link for link in links if link.label.startswith("Open")]
    return said, [(link.page_script_hash, link.query_string) for link in links], links


def test_another_title_changes_no_key_of_a_session_no_address_and_no_link(monkeypatch):
    run = Store().create(amended(PRESETS["qsa"][1], steps=5))
    said, targets, _ = walk(run)
    assert any("spec of order" in keys for _, keys, _ in said) and any(at for *_, at in said)
    for name, page in PAGES.items():
        monkeypatch.setitem(PAGES, name, replace(page, title=f"The {page.title} room"))
    again, same, links = walk(run)
    assert [link.label for link in links] == ["Open on The Attention room"]
    assert again == said and same == targets
