"""What a reader takes home in the browser is what the canvas has just drawn and read out."""

import csv
import io
import json
import math
import re

import numpy as np
import pytest
from driving import NETWORK, downloaded, until
from playwright.sync_api import expect

SPOKEN = str.maketrans("−⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "--0123456789")
DESIGNS = {
    "a list out of order": (
        {"spectrum": "list", "sigma": [0.1, 1, 0.3], "m_h": 1},
        {"k": 3, "u": 0.05, "v": 0.4, "map": "residual", "tolerance": 0.2},
    ),
    "Haar, as wide as it goes": (
        {"left_basis": "haar", "right_basis": "haar", "rank": 8, "m_h": 32},
        {"k": 7, "u": 0.71, "map": "term", "error": 0.003},
    ),
    "a formula, not centred": (
        {"formula": "-8*(u - v)**2", "m_h": 2, "tau": 8},
        {"k": 3, "u": 0.9, "v": 0.1, "centred": False},
    ),
}


def number(text):
    """A number as the canvas writes it, and half of its last digit."""
    mantissa, _, power = text.translate(SPOKEN).partition("·10")
    digits = len(mantissa.partition(".")[2])
    return float(f"{mantissa}e{power or 0}"), 0.51 * 10.0 ** (int(power or 0) - digits)


def agree(text, value):
    shown, half = number(text)
    assert float(value) == pytest.approx(shown, abs=half), (text, value)


def said(tab, panel, name="aria-label"):
    return tab.page.locator(f"canvas[data-panel={panel}]").get_attribute(name)


def tables(tab, button, count):
    """The rows of every CSV of a menu, in its order."""
    button.click()
    links = tab.page.get_by_role("button", name="CSV", exact=True)
    expect(links).to_have_count(count)
    found = []
    for i in range(count):
        table = downloaded(tab.page, links.nth(i)).path().read_text("utf-8")
        found.append(list(csv.DictReader(io.StringIO(table))))
    return found


def pinned(sentence):
    return sentence if "pinned" in sentence else None


def nearest(rows, column, at):
    return min(rows, key=lambda row: abs(float(row[column]) - at))


@pytest.mark.parametrize("name", DESIGNS)
def test_the_files_of_a_design_hold_what_its_canvas_reads_out(reader, name):
    spec, view = DESIGNS[name]
    tab = reader.open(spec=spec, view=view)
    tab.draw("Design")
    tab.settle()
    k, u, v = view["k"], view["u"], view.get("v", 0.8)
    menu = tab.page.get_by_role("button", name="Figures")
    spectrum, floor, functions, row, maps = tables(tab, menu, 5)
    spectrum.sort(key=lambda row: int(row["term"]))

    sigma, part, tail = re.fullmatch(
        rf"σ {k} of \d+ is (\S+), ([a-z ]+); m \d+ leaves (\S+) of the squares.*",
        said(tab, "spectrum", "aria-valuetext"),
    ).groups()
    agree(sigma, spectrum[k - 1]["sigma"])
    assert spectrum[k - 1]["part"] == part
    drawn = tab.page.evaluate("__explorerDesign.places().sigma")
    assert [float(each["sigma"]) for each in spectrum] == pytest.approx(drawn, rel=1e-6)
    left = sum(float(each["sigma"]) ** 2 for each in spectrum if each["part"] == "left out")
    assert "tolerance" in view or left == pytest.approx(number(tail)[0], rel=0.06, abs=1e-9)

    left, error, width = re.match(
        r"m \d+ leaves nMSE (\S+?); nMSE (\S+) needs m (\d+)", said(tab, "floor", "aria-valuetext")
    ).groups()
    agree(left, floor[min(spec["m_h"], 32)]["nmse [Var(y)]"])
    assert float(floor[int(width)]["nmse [Var(y)]"]) <= view.get("error", 0.01)
    assert float(floor[int(width) - 1]["nmse [Var(y)]"]) > view.get("error", 0.01)
    agree(error, view.get("error", 0.01))

    phi, psi = re.search(
        r"φ at u \S+ is (\S+), ψ at v \S+ is (\S+)", said(tab, "functions")
    ).groups()
    for value, side, at in ((phi, f"φ_{k}(u)", u), (psi, f"ψ_{k}(v)", v)):
        agree(value, nearest([r for r in functions if r["function"] == side], "x", at)["value"])

    whole, kept = re.search(
        r"attention is (\S+) times uniform, by m terms (\S+)", said(tab, "row")
    ).groups()
    for value, side in ((whole, "ρ"), (kept, "ρ_m")):
        agree(value, nearest([r for r in row if r["coupling"] == side], "v", v)["weight"])

    rho, second = re.search(
        r": ρ = (\S+), [^=]+ = (\S+);", said(tab, "maps", "aria-valuetext")
    ).groups()
    sides = list(dict.fromkeys(r["coupling"] for r in maps))
    for value, side in ((rho, sides[0]), (second, sides[1])):
        cells = [r for r in maps if r["coupling"] == side]
        at = nearest(cells, "u", u)["u"]
        agree(value, nearest([r for r in cells if r["u"] == at], "v", v)["rho"])


def test_the_files_of_a_run_are_of_the_query_and_beside_the_pinned_run(reader):
    tab = reader.open("train", run="asset-train", pin="asset-design", t=3)
    tab.wait_frame("h.status === 'finished'")
    difference = until(lambda: pinned(said(tab, "difference")))
    found = tables(tab, tab.page.get_by_text("Run (zip) and figures"), 9)
    error, _, _, attention, _, _, ratio, _, learned = found
    gap = max(
        abs(float(a["weight"]) - float(b["weight"]))
        for a, b in zip(attention[:16], attention[16:], strict=True)
    )
    agree(re.search(r"Attention of token 3 .*difference ([^;]+);", said(tab, "attention"))[1], gap)
    step, last = re.search(
        r"at step (\d+), .*; divided by that of .+ (\S+)$", said(tab, "error")
    ).groups()
    agree(last, ratio[-1]["ratio"])
    assert float(ratio[-1]["step"]) == float(step)
    cells = [float(r["rho"]) for r in learned if r["coupling"] == "difference"]
    agree(difference.rpartition(" ")[2], (sum(x * x for x in cells) / len(cells)) ** 0.5)
    assert json.dumps(error[0]).count("Var(y)") == 1
    tab.page.get_by_text("Ratio of the errors", exact=True).wait_for()


ENDS = ((0, "before"), (-1, "after"))


def test_theorem_4_1_goes_home_with_its_form(reader):
    tab = reader.open(spec={"alpha": 2})
    tab.page.get_by_text("Theorem 4.1: what it says").click()
    tab.page.locator("canvas[data-panel=terms]").wait_for()
    menus = tab.page.get_by_role("button", name=re.compile("Figure$"))
    expect(menus).to_have_count(2)
    (rows,) = tables(tab, menus.first, 1)
    here = next(row for row in rows if row["series"] == "here")
    assert (float(here["m_h"]), here["form"]) == (8, "as printed (Eq. 17)")
    words = tab.page.get_by_text("here, this model:").inner_text()
    bound = re.search(r"bound (\S+)", words)
    agree(bound[1], here["bound [y, summed over t]"])
    tab.page.keyboard.press("Escape")
    (steps,) = tables(tab, menus.last, 1)
    before, after = (float(steps[i][f"{end} [y, summed over t]"]) for i, end in ENDS)
    assert math.prod(float(row["factor"]) for row in steps) == pytest.approx(after / before)
    agree(bound[1], str(after))


BRIEF = NETWORK | {"steps": 40}


def refused(tab, name):
    """What the page says after a press of a button whose file cannot be made, once Streamlit's own
    message, which says nothing of the reason, has gone again."""
    own = tab.page.get_by_text("Failed to generate file for download")
    tab.page.get_by_role("button", name=name).first.click()
    own.wait_for()
    expect(own).to_have_count(0)
    assert not tab.page.get_by_test_id("stException").all_inner_texts()
    box = tab.page.get_by_test_id("stAlertContentError").filter(has_text="could not be made")
    box.wait_for()
    return box.inner_text()


def test_a_run_that_was_deleted_elsewhere_leaves_the_page(server, reader):
    run = server.train(BRIEF | {"seed": 11})["run"]
    tab = reader.open("runs", runs=run)
    tab.page.get_by_role("button", name="Take home").wait_for()
    server.store.delete(run)
    expect(tab.warning).to_contain_text(f"Not in this store: {run}")
    expect(tab.page.get_by_role("button", name="Take home")).to_have_count(0)


def test_a_zip_whose_samples_have_gone_is_made_once_they_are_back(server, reader):
    values = np.add.outer(np.arange(6.0), np.arange(6.0) ** 2) / 30
    sha = server.store.put_grid(values)
    run = server.train(BRIEF | {"rank": None, "grid": sha})["run"]
    tab = reader.open("runs", runs=run)
    tab.page.get_by_role("button", name="Take home").click()
    tab.page.get_by_role("button", name="SVG").first.wait_for()
    (server.home / "grids" / f"{sha}.npy").unlink()
    said = refused(tab, "Run (zip)")
    assert f"{run}.zip could not be made." in said and "upload its file here" in said
    server.store.put_grid(values)
    with tab.page.expect_download() as download:
        tab.page.get_by_role("button", name="Run (zip)").click()
    assert download.value.suggested_filename == f"{run}.zip"
    expect(tab.page.get_by_test_id("stAlertContentError")).to_have_count(0)
