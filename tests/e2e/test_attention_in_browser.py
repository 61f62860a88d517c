"""The Attention page in the browser: drag, type, lock, cut, shuffle; Python confirms; live runs."""

import json

import numpy as np
import pandas as pd
import pytest
from driving import downloaded, until
from playwright.sync_api import expect

AGREES = 1e-5
TINY = {"n": 8, "d_v": 3, "m_ff": 12, "batch": 6, "warmup": 5, "m_h": 3}


def opened(show, spec):
    """The page, by `turned` or by a reader's `open`."""
    tab = show("attention", spec)
    seen(tab, "r.predicted && r.agrees !== null")
    return tab


def seen(tab, condition):
    """Wait for what is drawn: `r` are its places."""
    return tab.places("Attention", condition)


def canvas(tab, panel):
    return tab.page.locator(f".attention canvas[data-panel={panel}]")


def spot(tab, panel, x, y):
    box = canvas(tab, panel).bounding_box()
    return box["x"] + x, box["y"] + y


def drag(tab, panel, start, end, steps=10):
    tab.page.mouse.move(*spot(tab, panel, *start))
    tab.page.mouse.down()
    tab.page.mouse.move(*spot(tab, panel, *end), steps=steps)
    tab.page.mouse.up()


@pytest.fixture
def tab(turned):
    return opened(turned, {"target": "nearest"})


@pytest.mark.parametrize("target", ["nearest", "cog", "qsa"])
def test_a_dragged_point_is_answered_here_confirmed_by_python_and_undone_by_back(turned, target):
    tab = opened(turned, {"target": target})
    before = seen(tab, "true")
    drag(tab, "plane", before["spots"][1], [150, 160])
    after = seen(tab, f"r.rev > {before['rev']} && r.agrees !== null")
    assert after["board"]["points"][1] != before["board"]["points"][1]
    assert np.abs(np.subtract(after["predicted"], before["predicted"])).max() > 1e-4
    assert after["agrees"] <= AGREES
    until(lambda: tab.parameter("view"))
    assert json.loads(tab.parameter("view"))["board"] == after["board"]
    expect(tab.page.locator("[data-text=python]")).to_contain_text("Python computes the same")
    tab.page.go_back()
    board = json.dumps(before["board"], separators=(",", ":"))
    seen(tab, f"JSON.stringify(r.board) === {json.dumps(board)}")


def test_rows_are_lit_and_locked_and_stay_in_the_link(tab):
    places = seen(tab, "r.matrix")["matrix"]
    x, y = places["x"] + 1.5 * places["cell"], places["y"] + 2.5 * places["cell"]
    tab.page.mouse.move(*spot(tab, "matrix", x, y))
    assert seen(tab, "r.focus")["focus"] == {"t": 2, "s": 1}
    expect(tab.page.locator("[data-text=row]")).to_contain_text("row t = 2: ŷ = (")
    tab.page.mouse.click(*spot(tab, "matrix", x, y))
    tab.page.mouse.move(5, 5)
    assert seen(tab, "r.locked === 2")["focus"] == {"t": 2, "s": None}
    until(lambda: json.loads(tab.parameter("view") or "{}").get("row") == 2)
    tab.page.reload()
    tab.settle()
    seen(tab, "r.locked === 2 && r.agrees !== null")
    graph = seen(tab, "r.graph")["graph"]
    tab.page.mouse.move(*spot(tab, "graph", graph["x"][1], graph["y"][3]))
    assert seen(tab, "r.focus.s === 3")["focus"] == {"t": None, "s": 3}


def test_the_keys_move_choose_lock_and_undo(reader):
    tab = opened(reader.open, {"target": "nearest"})  # the first point is the one that keys move
    canvas(tab, "plane").focus()
    before = seen(tab, "true")
    tab.page.keyboard.press("ArrowRight")
    after = seen(tab, f"r.rev > {before['rev']} && r.agrees !== null")
    moved = after["board"]["points"][0][0] - before["board"]["points"][0][0]
    assert moved == pytest.approx(0.01, abs=1e-3) and after["agrees"] <= AGREES
    tab.page.keyboard.press("]")
    seen(tab, "r.chosen === 1")
    tab.page.keyboard.press("Control+z")
    seen(tab, f"r.board.points[0][0] === {before['board']['points'][0][0]}")
    tab.page.keyboard.press("Control+Shift+z")
    seen(tab, f"r.board.points[0][0] === {after['board']['points'][0][0]}")
    canvas(tab, "matrix").focus()
    tab.page.keyboard.press("ArrowDown")
    tab.page.keyboard.press("Enter")
    seen(tab, "r.locked === 1")
    canvas(tab, "singular").focus()
    tab.page.keyboard.press("ArrowLeft")
    cut = seen(tab, "r.settings.k === 3 && r.agrees !== null")
    assert cut["agrees"] <= AGREES


def test_temperature_rank_and_order_are_confirmed_too(turned):
    tab = opened(turned, {"target": "qsa"})
    tab.page.get_by_text("Numbers, order, positions").click()
    warmth = tab.page.get_by_role("slider", name="Temperature of the softmax")
    warmth.focus()
    warmth.press("End")
    hard = seen(tab, "r.settings.temperature === 0 && r.agrees !== null")
    assert hard["agrees"] <= AGREES
    assert sorted({weight for row in hard["attention"] for weight in row}) == [0, 1]
    expect(tab.page.locator("[data-text=temperature]")).to_have_text("T → 0")
    tab.button("Example").click()
    seen(tab, "r.settings.temperature === 1")
    places = seen(tab, "r.knife")["knife"]
    drag(tab, "singular", [places["x"] + places["w"] - 2, 120], [places["x"] + 40, 120])
    cut = seen(tab, "r.settings.k < 4 && r.agrees !== null")
    assert cut["agrees"] <= AGREES
    tab.button("Example").click()
    tab.page.get_by_role("button", name="Shuffle").click()
    shuffled = seen(tab, "r.settings.order && r.agrees !== null")
    gaps = shuffled["equivariance"]
    assert gaps["move"] < 1e-12 and gaps["off"] < 1e-12 and gaps["stay"] > 1e-2
    assert shuffled["agrees"] <= AGREES
    order = shuffled["settings"]["order"]
    assert np.argsort(shuffled["graph"]["y"]).tolist() == order, "as the head reads them"
    tab.page.get_by_label("Position encoding").select_option("stay")
    stay = seen(tab, "r.settings.positions === 'stay' && r.agrees !== null")
    assert stay["agrees"] <= AGREES
    assert np.abs(np.subtract(stay["predicted"], shuffled["predicted"])).max() > 1e-2


def test_weights_are_kept_and_other_points_answered_by_them(reader):
    tab = opened(reader.open, {"target": "nearest"})
    before = seen(tab, "r.agrees !== null")
    tab.page.get_by_text("Numbers, order, positions").click()
    keep = tab.page.get_by_role("button", name="Keep the weights")
    keep.click()
    seen(tab, "r.held !== null && r.agrees !== null")
    expect(keep).to_have_attribute("aria-pressed", "true")
    tab.page.get_by_role("button", name="New sequence").click()
    at = json.dumps(before["board"])
    other = seen(tab, f"JSON.stringify(r.board) !== {json.dumps(at)} && r.agrees !== null")
    assert other["agrees"] <= AGREES and other["held"] == before["board"]
    np.testing.assert_allclose(other["attention"], before["attention"], atol=1e-12)
    assert np.abs(np.subtract(other["predicted"], before["predicted"])).max() > 1e-2
    expect(tab.page.locator("[data-text=whole]")).to_contain_text("weights kept from before")
    until(lambda: "held" in json.loads(tab.parameter("view") or "{}"))
    tab.page.reload()
    tab.settle()
    again = seen(tab, "r.held !== null && r.agrees !== null")
    assert again["held"] == other["held"] and again["predicted"] == other["predicted"]
    keep = tab.page.get_by_role("button", name="Keep the weights")
    if not keep.is_visible():
        tab.page.get_by_text("Numbers, order, positions").click()
    keep.click()
    own = seen(tab, "r.held === null && r.agrees !== null")
    assert np.abs(np.subtract(own["attention"], before["attention"])).max() > 1e-2
    tab.page.get_by_role("button", name="Undo").click()
    seen(tab, "r.held !== null")


def test_indices_are_typed_and_nonsense_is_refused(turned):
    tab = opened(turned, {"target": "qsa"})
    field = tab.page.get_by_label("indices s")
    field.fill("7, 7, 7")
    field.press("Enter")
    seen(tab, "r.board.indices[0].join() === '7,7,7' && r.agrees !== null")
    field.fill("7, 7, 99")
    field.press("Enter")
    expect(tab.warning).to_contain_text("s(0) holds 99: indices are whole from 0 to 7")
    assert seen(tab, "r.refused")["board"]["indices"][0] == [7, 7, 7]
    field.fill("1, 2, 3")
    field.press("Enter")
    seen(tab, "r.board.indices[0].join() === '1,2,3' && r.agrees !== null")
    expect(tab.warning).to_have_count(0)


def test_masses_and_segments_are_typed(turned):
    tab = opened(turned, {"target": "cog"})
    mass = tab.page.get_by_label("mass m")
    mass.fill("0")
    mass.press("Enter")
    expect(tab.warning).to_contain_text("must be above 0")
    mass.fill("2.5")
    mass.press("Enter")
    heavy = seen(tab, "r.board.masses[0] === 2.5 && r.agrees !== null")
    assert heavy["agrees"] <= AGREES
    lengths = tab.page.get_by_label("points per segment")
    lengths.fill("4, 4")
    lengths.press("Enter")
    seen(tab, "r.board.lengths.join() === '4,4' && r.agrees !== null")
    expect(tab.warning).to_have_count(0)


def test_a_head_learns_live_while_its_points_are_dragged(reader, server):
    spec = {"target": "nearest", **TINY, "steps": 100000, "seed": 3}
    tab = opened(reader.open, spec)
    tab.button("Train").click()
    until(lambda: tab.run)
    expect(tab.status).to_contain_text("running")
    before = seen(tab, "r.predicted && r.agrees === null")
    drag(tab, "plane", before["spots"][1], [150, 160])
    seen(tab, f"r.rev > {before['rev']} && r.predicted")
    until(lambda: tab.page.evaluate("window.__explorerAttention.frames > 5"))
    tab.button("Stop").click()
    expect(tab.status).to_contain_text("stopped")
    seen(tab, f"r.agrees !== null && r.agrees <= {AGREES}")  # once both have the weights of the end
    tab.page.locator("[data-scrub]").press("Home")
    back = seen(tab, "r.back")
    assert len(back["attention"]) == 6
    expect(tab.page.locator("[data-text=whole]")).to_contain_text("kept at step 1: the example")


def test_a_finger_drags_a_point(tab):
    before = seen(tab, "true")
    x, y = spot(tab, "plane", *before["spots"][2])
    client = tab.page.context.new_cdp_session(tab.page)

    def touch(kind, *points):
        places = [{"x": x + dx, "y": y + dy} for dx, dy in points]
        client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

    touch("touchStart", (0, 0))
    for i in range(1, 6):
        touch("touchMove", (6 * i, -4 * i))
    touch("touchEnd")
    after = seen(tab, f"r.rev > {before['rev']} && r.agrees !== null")
    assert after["board"]["points"][2] != before["board"]["points"][2]
    assert after["agrees"] <= AGREES


def test_the_downloaded_table_is_what_the_canvas_shows(turned):
    tab = opened(turned, {"target": "qsa"})
    before = seen(tab, "true")
    drag(tab, "plane", before["spots"][1], [150, 160])
    seen(tab, f"r.rev > {before['rev']} && r.agrees !== null")
    warmth = tab.page.get_by_role("slider", name="Temperature of the softmax")
    warmth.focus()
    warmth.press("ArrowLeft")
    shown = seen(tab, "r.settings.temperature !== 1 && r.agrees !== null")
    tab.page.get_by_text("Run (zip) and figures").click()  # it scrolls the plane away
    tab.settle()

    def learned(number):
        button = tab.page.get_by_role("button", name="CSV", exact=True).nth(number)
        return pd.read_csv(downloaded(tab.page, button).path())

    table = learned(2)
    of = table[table["matrix"] == "learned Â"].pivot(index="t", columns="s", values="weight")
    np.testing.assert_allclose(of, shown["attention"], atol=AGREES)
    plane = learned(0)
    points = plane[plane["kind"] == "v"][["x1", "x2"]]
    np.testing.assert_allclose(points, shown["board"]["points"], atol=1e-9)
    np.testing.assert_allclose(
        plane[plane["kind"] == "ŷ"][["x1", "x2"]], shown["predicted"], atol=AGREES
    )
