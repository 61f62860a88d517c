"""The Order page in the browser: tokens and taps dragged, floors at once, a run landing on them."""

import json

import pytest
from driving import RESTLESS, SECONDS, stands_at, until
from playwright.sync_api import expect

from explorer.pages.order.paper import MIXING
from explorer.spec import LinearSpec, compact
from explorer.targets import PRESETS, linear_target, parse
from explorer.theory.linear import complexity_of, linear_floors
from explorer.ui import controls

FLOORS = ("causal", "time_invariant", "constant")


def opened(reader, spec):
    tab = reader.open("order", spec)
    seen(tab, "r.floors && r.tokens")
    return tab


def seen(tab, condition):
    """Wait for what is drawn: `r` are its places."""
    tab.page.wait_for_function(
        "() => { const c = window.__explorerOrder; if (!c?.draws) return false;"
        f" const r = c.places(); return {condition} }}",
        timeout=1000 * SECONDS,
        polling=50,
    )
    return tab.page.evaluate("window.__explorerOrder.places()")


def canvas(tab, panel):
    return tab.page.locator(f".order canvas[data-panel={panel}]")


def spot(tab, panel, x, y):
    box = canvas(tab, panel).bounding_box()
    return box["x"] + x, box["y"] + y


def drag(tab, panel, start, end):
    stands_at(canvas(tab, panel))
    tab.page.mouse.move(*spot(tab, panel, *start))
    tab.page.mouse.down()
    tab.page.mouse.move(*spot(tab, panel, *end), steps=8)
    tab.page.mouse.up()


def as_python_has_them(tab, places):
    """The floors in the browser are those of the specification in the address."""
    spec = parse({"target": "linear", **tab.spec})
    floors = linear_floors(linear_target(spec).matrix)
    for name in FLOORS:
        assert places["floors"][name] == pytest.approx(getattr(floors, name), rel=1e-9, abs=1e-12)
    return spec


@pytest.fixture
def tab(turned):
    tab = turned("order", {"target": "linear"})
    seen(tab, "r.floors && r.tokens && r.settled")
    return tab


def test_a_dragged_token_moves_the_floors_and_becomes_the_order(tab):
    before = seen(tab, "r.floors.causal === 0")
    row, high = before["tokens"], before["tokens"]["bottom"] - 12
    place = lambda t: [row["left"] + (t + 0.5) * row["cell"], high]  # noqa: E731
    drag(tab, "tokens", place(0), place(5))
    after = seen(tab, f"r.rev > {before['rev']} && r.settled")
    assert after["order"][:6] == [1, 2, 3, 4, 5, 0] and after["names"]["order"] == "own"
    assert after["floors"]["causal"] > 1e-4
    until(lambda: "permutation" in tab.spec)
    spec = as_python_has_them(tab, after)
    assert list(spec.permutation) == after["order"]
    expect(tab.verdict).to_contain_text("the best linear RNN leaves")
    tab.page.go_back()
    seen(tab, "r.order.every((p, t) => p === t)")


def test_of_the_order_before_nothing_speaks_aloud_and_the_picture_stays(reader):
    """While a token is held chip and verdict are dimmed; then they are of the order there."""
    tab = reader.open("order")
    before = seen(tab, "r.tokens && r.settled && r.comparable.length")
    run = tab.page.get_by_text("The run shown (")
    expect(run).to_be_visible()
    row, high = before["tokens"], before["tokens"]["bottom"] - 12
    top = canvas(tab, "tokens").bounding_box()["y"]
    tab.page.mouse.move(*spot(tab, "tokens", row["left"] + 2.5 * row["cell"], high))
    tab.page.mouse.down()
    tab.page.mouse.move(*spot(tab, "tokens", row["left"] + 9.5 * row["cell"], high), steps=8)
    seen(tab, "!r.settled")
    room = tab.page.locator("[class*=st-key-room-for-]")
    dimmed = "(part) => getComputedStyle(part).opacity"
    until(lambda: float(room.evaluate(dimmed)) < 0.5)
    tab.page.mouse.up()
    seen(tab, f"r.rev > {before['rev']} && r.settled")
    until(lambda: float(room.evaluate(dimmed)) == 1)
    expect(tab.page.get_by_text("Shown in grey: block exchange")).to_be_visible()
    expect(tab.page.get_by_text("not trained yet").first).to_be_visible()
    expect(run).to_have_count(0)
    assert canvas(tab, "tokens").bounding_box()["y"] == top


def test_taps_are_dragged_and_typed_by_keys_and_undone(tab):
    places = seen(tab, "r.filter")["filter"]
    drag(tab, "filter", [places["x"][2], places["zero"]], [places["x"][2], places["zero"] - 40])
    after = seen(tab, "r.taps && r.settled")
    assert len(after["taps"]) == 3 and after["taps"][0] == 1 and after["taps"][2] > 0
    until(lambda: "filter" in tab.spec)
    as_python_has_them(tab, after)
    canvas(tab, "filter").focus()
    for key in ("ArrowLeft", "ArrowDown", "ArrowDown"):
        tab.page.keyboard.press(key)
    keyed = seen(tab, "r.taps[1] < 0 && r.settled")
    assert keyed["taps"][1] == pytest.approx(-0.1)
    tab.page.get_by_label("Convention of the filter").select_option("ahead")
    ahead = seen(tab, "r.mode === 'ahead' && r.settled")
    assert ahead["floors"]["causal"] > 1e-4
    tab.page.get_by_text("reads inputs that are still to come").wait_for()
    as_python_has_them(tab, ahead)
    tab.button("Undo").click()
    seen(tab, "r.mode === 'causal'")
    tab.button("Undo").click()
    tab.button("Undo").click()
    back = f"r.taps.length === 3 && r.taps[1] === 0 && r.taps[2] === {after['taps'][2]}"
    seen(tab, f"{back} && r.settled")


def stem(places, panel, s, value):
    """Where a stem of a panel ends at a value."""
    of = places[panel]
    return [of["x"][s], of["zero"] + (of["one"] - of["zero"]) * value]


def test_the_kernel_is_dragged_and_comes_back(tab):
    before = seen(tab, "r.kernels && r.complexity.after.c_rnn === 1")
    drag(tab, "kernels", stem(before, "kernels", 5, 0.0), stem(before, "kernels", 5, 0.7))
    after = seen(tab, f"r.rev > {before['rev']} && r.settled")
    assert after["kernel"][5] == pytest.approx(0.7, abs=0.01)
    until(lambda: tab.spec.get("kernel") == "taps")
    spec = as_python_has_them(tab, after)
    assert spec.taps[:6] == pytest.approx(after["kernel"][:6])
    assert after["complexity"]["after"]["windowed"] == pytest.approx(
        complexity_of(spec)["after"]["windowed"]
    )
    canvas(tab, "kernels").focus()
    tab.page.keyboard.press("ArrowRight")
    tab.page.keyboard.press("ArrowUp")
    seen(tab, "r.kernel[6] > 0.05 && r.settled")
    tab.button("Undo").click()
    tab.button("Undo").click()
    seen(tab, "r.kernel[5] < 0.01 && r.settled")
    until(lambda: "kernel" not in tab.spec)


def test_drags_in_quick_succession_are_all_kept(tab):
    """The answer to the first report comes when the second is already made."""
    before = seen(tab, "r.kernels && r.floors.causal === 0")["undo"]
    canvas(tab, "kernels").scroll_into_view_if_needed()
    top = canvas(tab, "kernels").bounding_box()["y"]
    for s, value in ((3, 0.6), (5, 0.8), (9, 0.4)):
        places = seen(tab, "r.kernels")
        drag(tab, "kernels", stem(places, "kernels", s, 0.0), stem(places, "kernels", s, value))
    seen(tab, "r.settled && r.answered === r.rev && r.kernel[3] > 0.5 && r.kernel[9] > 0.3")
    until(lambda: len(tab.spec.get("taps", [])) > 9 and tab.spec["taps"][9] > 0.3)
    after = seen(tab, f"r.undo === {before + 3}")
    as_python_has_them(tab, after)
    assert after["kernel"][5] > 0.7
    moved = canvas(tab, "kernels").bounding_box()["y"] - top
    assert abs(moved) < 1, "it moves under the hand"


def test_a_finger_drags_tokens_taps_and_the_kernel(tab):
    """Touch as the browser has it: the page does not scroll away under the finger."""
    session = tab.page.context.new_cdp_session(tab.page)

    def swipe(panel, start, end):
        stands_at(canvas(tab, panel))
        (x, y), (to_x, to_y) = spot(tab, panel, *start), spot(tab, panel, *end)
        points = [(x + (to_x - x) * i / 8, y + (to_y - y) * i / 8) for i in range(9)]
        for kind, at in [("touchStart", points[0]), *(("touchMove", p) for p in points[1:])]:
            finger = {"x": at[0], "y": at[1]}
            session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [finger]})
        session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    places = seen(tab, "r.kernels && r.filter")
    row, high = places["tokens"], places["tokens"]["bottom"] - 12
    place = lambda t: [row["left"] + (t + 0.5) * row["cell"], high]  # noqa: E731
    swipe("tokens", place(0), place(3))
    seen(tab, "r.order[3] === 0 && r.settled")
    swipe("filter", stem(places, "filter", 0, 1.0), stem(places, "filter", 0, -0.5))
    places = seen(tab, "r.taps?.[0] < -0.4 && r.settled")
    end = stem(places, "kernels", 4, places["kernel"][4])
    swipe("kernels", end, stem(places, "kernels", 4, 0.5))
    after = seen(tab, "r.kernel[4] > 0.4 && r.settled")
    until(lambda: tab.spec.get("kernel") == "taps")
    as_python_has_them(tab, after)


def test_a_swipe_beside_the_taps_edits_nothing(reader):
    """On a phone, from the line of zeros at three places of the width (no tap is drawn there)."""
    tab = opened(reader, {"target": "linear"})
    page = tab.page
    page.set_viewport_size({"width": 390, "height": 844})
    places = seen(tab, "r.filter")
    session = page.context.new_cdp_session(page)
    before = tab.url
    for share in (0.3, 0.52, 0.8):
        box = stands_at(canvas(tab, "filter"))
        place = seen(tab, "r.filter")["filter"]["zero"]
        x, y = box["x"] + share * box["width"], box["y"] + place
        page.evaluate(RESTLESS, True)
        for kind, up in [("touchStart", 0), *(("touchMove", up) for up in range(15, 121, 15))]:
            finger = {"x": x, "y": y - up}
            session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [finger]})
        session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        now = seen(tab, "r.filter")
        assert (now["taps"], now["rev"], tab.url) == (None, places["rev"], before)


def test_the_keys_move_a_token(reader):
    tab = opened(reader, {"target": "linear"})  # the first token is the one that keys move
    canvas(tab, "tokens").focus()
    tab.page.keyboard.press("ArrowRight")
    tab.page.keyboard.press("Shift+ArrowRight")
    after = seen(tab, "r.chosen === 2 && r.settled")
    assert after["order"][:4] == [0, 2, 1, 3]
    tab.page.keyboard.press("Control+z")
    seen(tab, "r.order[1] === 1")


def test_named_orders_and_filters_keep_their_names(tab):
    tab.page.locator("[data-order]").select_option("block")
    seen(tab, "r.names.order === 'block' && r.settled && r.comparable.length > 2")
    until(lambda: tab.spec.get("permutation") == "block")
    tab.page.get_by_label("Filter", exact=True).first.select_option("average")
    after = seen(tab, "r.taps?.length === 5 && r.settled")
    until(lambda: tab.spec.get("filter") == "average")
    as_python_has_them(tab, after)


def test_learned_taps_stand_beside_the_filter_and_come_into_view(tab):
    tab.unfold(controls.PAPER)
    tab.page.get_by_role("button", name="A signed filter, with and without").click()
    places = seen(tab, "r.taps?.length === 5 && r.learnedTaps && r.beside && r.settled")
    assert places["beside"] == "without convolution" and len(places["learnedTaps"]) == 5
    tab.page.get_by_text("In numbers").click()
    tab.page.get_by_text("filter against θ |cos| = 0.9").wait_for()
    expect(canvas(tab, "errors")).to_be_in_viewport()
    assert tab.spec["conv"] == 5
    tab.page.locator(".order [data-scrub]").focus()
    tab.page.keyboard.press("ArrowLeft")  # an earlier kept picture has other taps
    earlier = seen(tab, "c.shown === 1779 && r.learnedTaps")
    assert earlier["learnedTaps"] != places["learnedTaps"]


def test_how_a_coupling_is_mixed_outlives_a_reload(tab):
    tab.unfold(controls.PAPER, MIXING)
    thumb = tab.page.get_by_role("slider", name="c, of a filter in front")
    thumb.focus()
    for _ in range(3):
        tab.page.keyboard.press("ArrowRight")
    until(lambda: json.loads(tab.parameter("view") or "{}").get("c") == pytest.approx(0.15))
    tab.page.reload()
    expect(tab.page.get_by_role("slider", name="c, of a filter in front")).to_have_value("0.15")


def test_a_recurrent_network_lands_on_its_floor_live(reader):
    spec = {
        "target": "linear",
        "model": "rnn",
        "hidden": 32,
        "tau": 12,
        "steps": 1500,
        "permutation": "reverse",
    }
    tab = opened(reader, spec)
    floor = linear_floors(linear_target(LinearSpec(**spec)).matrix).time_invariant
    tab.button("Train").click()
    until(lambda: tab.run)
    expect(tab.status).to_contain_text("finished")
    places = seen(tab, "r.learned && r.comparable.some((t) => t.source === 'this run')")
    mse = next(t["mse"] for t in places["comparable"] if t["source"] == "this run")
    assert mse == pytest.approx(floor, rel=0.05)
    tab.page.get_by_text("The run shown (1500 steps, one seed): ").wait_for()
    observed = tab.page.get_by_text("The RNN (32 units, 1500 steps, seed 0) is at")
    expect(observed).to_contain_text("observed")  # the propositions follow without a reload
    assert json.loads(tab.parameter("spec"))["hidden"] == 32


def test_a_searched_order_is_kept_and_both_models_move_on_it(reader):
    """A search, undo, a click on what it found; then Train both: status and picture on the
    first screen, a moving mark for each model, both land on the order shown."""
    small = {"n": 8, "d_v": 8, "m_ff": 16, "m_h": 4, "batch": 8, "tau": 10, "positions": 3}
    tab = opened(reader, {"target": "linear", "permutation": "reverse", "steps": 400, **small})
    tab.page.locator("[data-act=hunt]").click()
    places = seen(tab, "!r.hunting && r.tried.length === 2 && r.settled")
    found, reverse = places["tried"]
    assert found["best"] and found["floor"] > reverse["floor"] and reverse["name"] == "reverse"
    assert places["order"] == found["order"]
    assert places["floors"]["time_invariant"] == pytest.approx(found["floor"], rel=1e-9)
    tab.page.locator("[data-act=undo]").click()
    assert seen(tab, "r.settled && r.order[0] === 9")["order"] == reverse["order"]
    chip = tab.page.locator("[data-list=tried] button").first
    chip.click()
    seen(tab, f"r.settled && r.order.join() === '{','.join(map(str, found['order']))}'")
    expect(chip).to_have_attribute("aria-pressed", "true")
    tab.button("Train both").click()
    seen(tab, "r.ways.transformer && r.ways.transformer[0] > 0")
    status, screen = tab.status.bounding_box(), tab.page.viewport_size["height"]
    assert canvas(tab, "tokens").bounding_box()["y"] < status["y"] + status["height"] < screen
    there = "r.comparable.some((t) => t.model === 'rnn') || r.ways.rnn"
    places = seen(tab, f"r.comparable.some((t) => t.source === 'this run') && ({there})")
    as_python_has_them(tab, places)
    assert tab.spec.get("model", "transformer") == "transformer"


def test_a_coupling_is_not_offered_what_it_refuses(reader):
    """Neither in the list nor in the strip beside it; a linear target is offered all."""
    tab = reader.open("order", compact(PRESETS["prop62"][1]))
    seen(tab, "r.tokens")

    def offered(name, is_so):
        option = tab.page.locator(f".order [data-filter] option[value={name}]")
        button = tab.page.locator(f".order [data-strip=filter] button[value={name}]")
        (expect(option).to_be_enabled if is_so else expect(option).to_be_disabled)()
        assert button.evaluate("button => button.hidden") != is_so

    for name in ("difference", "signed", "delay", "positive"):
        offered(name, name in ("delay", "positive"))
    tab.page.get_by_role("button", name="Back to linear targets").click()
    for name in ("difference", "signed", "delay", "positive"):
        offered(name, is_so=True)


def test_the_line_of_an_error_is_dragged_and_says_what_it_needs(reader):
    """Where it is let go of stands in the address and in the sentence, and the next one begins."""
    tab = reader.open("order", compact(LinearSpec(kernel="power", tau=128)), view={"race_size": 40})
    chart = tab.page.get_by_test_id("stVegaLiteChart").first
    chart.scroll_into_view_if_needed()
    expect(chart.locator("canvas, svg.marks").first).to_be_visible(timeout=1000 * SECONDS)
    before = 0.01
    for way in (1, -1):
        pulled(tab, chart, 40 * way)
        share = until(lambda last=before: moved_from(tab, last))
        assert share < before if way > 0 else share > before
        words = f"to {100 * share:g} % of"
        expect(tab.page.get_by_text(words).first).to_be_visible(timeout=1000 * SECONDS)
        before = share


def moved_from(tab, last):
    share = json.loads(tab.parameter("view") or "{}").get("remembered", 0.01)
    return share if share != last else None


def pulled(tab, chart, by):
    """From the middle of the plot, whose axis is at its left."""
    box = chart.bounding_box()
    x, y = box["x"] + 0.7 * box["width"], box["y"] + box["height"] - 190
    tab.page.mouse.move(x, y)
    tab.page.mouse.down()
    tab.page.mouse.move(x, y + by, steps=12)
    tab.page.mouse.up()
