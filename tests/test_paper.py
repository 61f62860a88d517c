"""The papers line by line: each check finds its verdict, and can find another; links open."""

import json
import subprocess
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from explorer.paper import ITEMS, SECTIONS, Found
from explorer.paper.examples import outcome
from explorer.paper.item import Item
from explorer.reproduce import NAMES
from explorer.targets import parse
from explorer.targets.shipped import RUNS
from explorer.targets.tasks.selection import EQ_65
from explorer.theory.mixing import EXACT, PRINTED
from explorer.theory.representation import represent
from explorer.ui.pages import FIRST, PAGES
from explorer.ui.selection import parse as selected
from explorer.ui.words import escape_markdown
from explorer.views.sweeps import ASSETS

ROOT = Path(__file__).parent.parent
CHECKED = [item for item in ITEMS if item.check]


@pytest.mark.parametrize("item", CHECKED, ids=lambda item: item.where)
def test_a_check_finds_the_verdict(item):
    found = item.check()
    assert found.verdict == item.verdict, f"{found.claim}: {found.computed}"


def represent_less(h, tau, digits):
    """By a digit less, which is exact on a coarser grid only."""
    return represent(h, tau, digits - 1)


def found_of(where):
    (check,) = [item.check for item in ITEMS if item.where == where]
    assert check
    return check().verdict


@pytest.mark.parametrize(
    ("where", "module", "name", "value", "verdict"),
    [
        ("Eq. 18", "rates", "draw", lambda *_: np.zeros(30), "holds"),
        ("Figure 1 (a)", "figures", "FEW", 0.01, "differs"),
        ("Figure 1", "figures", "SEEN", 1e4, "differs"),
        ("Table 2, RNN", "order", "TWICE", 0.0, "differs"),
        ("Eq. 101", "recurrent", "PRINTED", EXACT, "holds"),
        ("Eq. 101", "recurrent", "EXACT", PRINTED, "differs"),
        ("Figure 6", "examples", "outcome", lambda _: outcome("cog-adam"), "differs"),
        ("Eq. 66", "examples", "EQ_66", EQ_65, "differs"),
        ("Theorem 4.4", "memory", "sufficient_layers", lambda jumps: 1, "differs"),
        ("Theorem A.3, Eq. 26–30", "proofs", "_kink", np.multiply, "holds"),
        ("Theorem A.3, Eq. 26–30", "proofs", "represent", represent_less, "differs"),
        ("Theorem A.1, Eq. 22", "proofs", "represent", represent_less, "differs"),
    ],
)
def test_a_check_finds_otherwise_of_something_else(
    monkeypatch, where, module, name, value, verdict
):
    monkeypatch.setattr(f"explorer.paper.{module}.{name}", value)
    assert found_of(where) == verdict


def test_a_slip_is_one_only_where_it_holds_once_mended():
    assert Found("", "", True).verdict == "holds"
    assert Found("", "", False, True).verdict == "slip"
    assert Found("", "", False).verdict == "differs"


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.where)
def test_a_line_is_short_and_says_where_it_stands(item):
    assert item.where and 0 < len(item.says.split()) <= 25
    assert item.says.endswith((".", "?"))
    assert (item.check is None) == (item.verdict == "not to be had")
    assert not item.slow or item.slow in NAMES


def test_a_place_stands_once():
    assert len({item.where for item in ITEMS}) == len(ITEMS)
    assert sum(len(section.items) for section in SECTIONS) == len(ITEMS)


@pytest.mark.parametrize("link", sorted({item.link for item in ITEMS}))
def test_a_link_opens(link):
    """Its page is one, its specification is read, its run is shipped."""
    parts = urlsplit(link)
    page = PAGES[parts.path.strip("/") or FIRST]
    given = {name: values[0] for name, values in parse_qs(parts.query).items()}
    assert not given.keys() - {"spec", "run", "view", *page.params}
    if "view" in given:
        assert not selected(given["view"])[1]
    if "spec" in given:
        assert parse(given["spec"]).topic == page.topic
    if "run" in given:
        name = given["run"].removeprefix("asset-")
        assert name in RUNS and (ASSETS / f"{name}.zip").exists()
    assert "real" not in given or json.loads(given["real"])


def test_the_command_prints_the_table(explorer):
    found = explorer("paper", "--json").json
    assert [row["where"] for row in found["items"]] == [item.where for item in ITEMS]
    assert "holds" not in found["items"][0]


def test_the_command_checks_a_line(explorer):
    found = explorer("paper", "Eq. 10", "--check")
    assert found.code == 0 and "1 of 1 checks find their verdict" in found.out
    assert explorer("paper", "Eq. 999").code == 2


def test_the_command_fails_where_a_check_finds_otherwise(explorer, monkeypatch):
    wrong = Item("Eq. 10", "It holds.", "slip", "/", lambda: Found("a", "b", True))
    monkeypatch.setattr("explorer.paper.SECTIONS", (SECTIONS[0].__class__("One", [wrong]),))
    found = explorer("paper", "--check")
    assert found.code == 1 and "FINDS holds" in found.out


def unfolded():
    """What the fold of About shows, opened."""
    from explorer.paper import SECTIONS
    from explorer.ui import about

    about._lines(SECTIONS)


def test_about_shows_the_lines_and_picks_those_of_a_verdict():
    at = AppTest.from_function(unfolded).run()
    assert not at.exception
    text = "\n".join(each.value for each in at.markdown)
    for item in ITEMS:
        assert f"{escape_markdown(item.where)} · **{item.verdict}**" in text
        assert f"](.{item.link})" in text
    slips = [item for item in ITEMS if item.verdict == "slip"]
    at.session_state["verdict of lines"] = "slip"
    text = "\n".join(each.value for each in at.run().markdown)
    assert text.count("· **slip** ·") == len(slips) > 10 and "· **holds** ·" not in text


def test_a_page_opens_without_the_papers():
    code = "import sys, explorer.ui.chrome; print('explorer.paper' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.strip() == "False", done.stderr
