"""The Design page under the hands: what is dragged is in the link, the picture and the text."""

import json
import math
import re

import pytest
from driving import downloaded, stands_at, still, until
from playwright.sync_api import TimeoutError as PageTimeout
from playwright.sync_api import expect

from explorer.pages.design.view_gallery import GALLERY


def appears(part):
    """Whether it is to be seen within a moment."""
    try:
        part.wait_for(timeout=2000)
    except PageTimeout:
        return False
    return True


SENT = "window.__explorerDesign.sent.length"


class Picture:
    """The canvases of the design, by the places where their parts can be taken hold of."""

    def __init__(self, tab):
        self.tab, self.page = tab, tab.page
        tab.draw("Design")

    def canvas(self, panel):
        return self.page.locator(f"canvas[data-panel={panel}]")

    @property
    def places(self):
        return self.page.evaluate("window.__explorerDesign.places()")

    def drag(self, panel, start, by, *, shift=False):
        box, mouse = stands_at(self.canvas(panel)), self.page.mouse
        x, y = box["x"] + start[0], box["y"] + start[1]
        if shift:
            self.page.keyboard.down("Shift")
        mouse.move(x, y)
        mouse.down()
        mouse.move(x + by[0], y + by[1], steps=8)
        mouse.up()
        if shift:
            self.page.keyboard.up("Shift")

    def spec_becomes(self, condition):
        spec = until(lambda: spec if condition(spec := self.tab.spec) else None)
        self.tab.settle()
        return spec

    def looked(self, name):
        return json.loads(self.tab.parameter("view") or "{}").get(name)


@pytest.fixture
def picture(turned):
    return Picture(turned("", {"rank": 6, "m_h": 2}))


def test_a_dot_dragged_is_one_singular_value_and_undo_brings_the_law_back(picture):
    x, y = picture.places["dots"][2]
    picture.drag("spectrum", (x, y), (0, 40))
    spec = picture.spec_becomes(lambda spec: spec.get("spectrum") == "list")
    assert len(spec["sigma"]) == 6 and spec["sigma"][2] < 0.3
    kept = [1, 0.5, 0.25, 0.2, 1 / 6]
    assert [*spec["sigma"][:2], *spec["sigma"][3:]] == pytest.approx(kept, rel=1e-3)
    expect(picture.tab.verdict).to_contain_text("Centred rank 6: 2 of its terms leave nMSE")
    until(lambda: picture.looked("k") == 3)  # the dot that was taken is the one shown
    picture.page.get_by_role("button", name="Undo").click()
    picture.spec_becomes(lambda spec: spec.get("rank") == 6 and "spectrum" not in spec)
    picture.page.get_by_role("button", name="Redo").click()
    again = picture.spec_becomes(lambda spec: spec.get("spectrum") == "list")
    assert again["sigma"] == spec["sigma"]


def test_a_dot_lifted_over_another_takes_its_place_when_it_is_let_go(picture):
    x, y = picture.places["dots"][2]
    picture.drag("spectrum", (x, y), (0, picture.places["dots"][0][1] - y - 12))
    spec = picture.spec_becomes(lambda spec: spec.get("spectrum") == "list")
    assert spec["sigma"][2] > spec["sigma"][0] == 1, "the third of its list, as before"
    dots = picture.places["dots"]
    assert dots[2][0] < dots[0][0] < dots[1][0] < dots[3][0]
    assert picture.page.evaluate("window.__explorerDesign.places().m[0]") > dots[0][0]


def test_the_handle_below_two_large_maps_moves_m_in_both_pictures(picture):
    page = picture.page
    page.set_viewport_size({"width": 1280, "height": 800})
    still(page)
    assert min(square["side"] for square in picture.places["squares"]) >= 320
    handle = page.get_by_role("slider", name="Width m of the head")
    second = page.locator(".switch span").first

    def shows(m):
        expect(handle).to_have_attribute("aria-valuetext", re.compile(f"m = {m}, nMSE"))
        expect(second).to_have_text(f"head of width {m}")
        expect(picture.canvas("spectrum")).to_have_attribute(
            "aria-valuetext", re.compile(f"; m {m} leaves")
        )

    shows(2)
    thumb, box = page.locator(".width output").bounding_box(), handle.bounding_box()
    assert box["height"] >= 44 <= thumb["height"]
    page.mouse.move(thumb["x"] + thumb["width"] / 2, thumb["y"] + thumb["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 2, thumb["y"] + 4, steps=4)
    shows(12)
    assert picture.tab.spec["m_h"] == 2, "it is still held"
    page.mouse.up()
    picture.spec_becomes(lambda spec: spec.get("m_h") == 12)
    for key, m in (("Home", 1), ("ArrowRight", 2), ("ArrowUp", 3), ("End", 12)):
        handle.press(key)
        shows(m)
    handle.press("Home")
    picture.spec_becomes(lambda spec: spec.get("m_h") == 1)


def test_the_decay_line_is_grabbed_by_its_slope(picture):
    handle = picture.places["handle"]
    picture.drag("spectrum", (handle["x"], handle["y"]), (0, 30))
    spec = picture.spec_becomes(lambda spec: spec.get("alpha", 1) > 1)
    assert 1 < spec["alpha"] < 2.5 and spec["rank"] == 6 and "spectrum" not in spec
    expect(picture.tab.slider("α, decay exponent")).to_have_value(f"{spec['alpha']:g}")
    sigma = picture.places["sigma"]
    assert sigma == pytest.approx([k ** -spec["alpha"] for k in range(1, 7)], rel=1e-5)


def test_a_stroke_paints_across_the_dots(picture):
    (x, _), (end, _) = picture.places["dots"][1], picture.places["dots"][4]
    y = picture.places["dots"][1][1] + 50
    picture.drag("spectrum", (x - 2, y), (end - x + 4, 0), shift=True)
    spec = picture.spec_becomes(lambda spec: spec.get("spectrum") == "list")
    assert len(set(spec["sigma"][1:5])) == 1, "one height from the second to the fifth"
    assert spec["sigma"][0] == 1 and spec["sigma"][5] == pytest.approx(1 / 6, rel=1e-3)


def test_the_address_stays_short_after_a_drag_and_opens_the_same_elsewhere(open_reader):
    """64 σ_k, of which one was dragged: a cold tab has the same picture."""
    picture = Picture(open_reader().open())
    picture.drag("spectrum", picture.places["dots"][2], (0, 40))
    spec = picture.spec_becomes(lambda spec: len(spec.get("sigma", ())) == 64)
    address = picture.tab.url.removeprefix(picture.tab.server.address)
    assert len(address) <= 400, address
    other = Picture(open_reader().open("", json.loads(picture.tab.parameter("spec"))))
    assert other.tab.spec == spec
    assert other.tab.warning.count() == 0
    assert other.places["sigma"] == picture.places["sigma"]


def test_the_boundary_and_the_wanted_error_are_dragged(picture):
    to, _ = picture.places["dots"][4]
    x, y = picture.places["m"]
    picture.drag("spectrum", (x, y), (to - x + 4, 0))
    picture.spec_becomes(lambda spec: spec.get("m_h") == 5)
    expect(picture.tab.slider("Width m of the head")).to_have_value("5")
    x, y = picture.places["wanted"]
    picture.drag("floor", (x, y), (0, -40))
    error = until(lambda: picture.looked("error"))
    assert 0.01 < error < 0.5
    picture.page.get_by_text("for truncation ≤").wait_for()
    expect(picture.canvas("floor")).to_have_attribute("aria-valuetext", re.compile("needs m"))


def test_keys_do_what_the_mouse_does(picture):
    spectrum = picture.canvas("spectrum")
    for key in ("Home", "ArrowRight"):
        spectrum.press(key)
    until(lambda: picture.looked("k") == 2)
    spectrum.press("ArrowUp")
    spec = picture.spec_becomes(lambda spec: spec.get("spectrum") == "list")
    assert spec["sigma"][1] == pytest.approx(0.525, rel=1e-3)
    spectrum.press("Control+z")
    picture.spec_becomes(lambda spec: "spectrum" not in spec)
    spectrum.press("]")
    picture.spec_becomes(lambda spec: spec.get("m_h") == 3)
    spectrum.press("+")
    picture.spec_becomes(lambda spec: spec.get("alpha") == 1.05)
    spectrum.press("<")
    until(lambda: picture.looked("tolerance"))
    picture.canvas("floor").press("ArrowUp")
    assert until(lambda: picture.looked("error")) == pytest.approx(0.013, rel=0.05)
    picture.canvas("maps").press("ArrowDown")
    assert until(lambda: picture.looked("u")) == pytest.approx(0.31)


def test_keys_in_quick_succession_are_all_kept(picture):
    """Each change comes while the one before is being answered, with the address before it."""
    picture.canvas("spectrum").focus()
    for key in ("ArrowRight", "ArrowUp", "]", "<"):
        picture.page.keyboard.press(key)
    spec = picture.spec_becomes(lambda spec: spec.get("m_h") == 3 and "sigma" in spec)
    assert spec["sigma"][1] == pytest.approx(0.525, rel=1e-3)
    until(lambda: picture.looked("k") == 2 and picture.looked("tolerance"))
    assert picture.places["sigma"][1] == pytest.approx(0.525, rel=1e-3)


def test_a_formula_is_shown_and_cannot_be_bent(turned):
    picture = Picture(turned("", {"formula": "-8*(u-v)**2", "m_h": 1}))
    before, sent = picture.places, picture.page.evaluate(SENT)
    x, y = before["dots"][0]
    picture.drag("spectrum", (x, y), (0, 40))
    assert picture.tab.spec == {"formula": "-8*(u-v)**2", "m_h": 1}
    assert picture.places["sigma"] == before["sigma"]
    assert picture.page.evaluate(SENT) == sent
    expect(picture.page.get_by_text("Exact values of")).to_have_count(0)


def test_values_typed_one_after_the_other_are_all_kept(picture):
    """None waits for the answer to the one before, as under quick hands; opened again, the table
    begins with what it gave."""
    page = picture.page
    section = page.get_by_text("Exact values of")
    grid = page.get_by_test_id("stDataFrame").locator("canvas").first
    field = page.locator("#portal input")

    def is_closed():
        return section.locator("xpath=ancestor::details").get_attribute("open") is None

    def opened():
        """A click into the first value and Enter, until the table is ready for them; where it was
        not under the hand, Enter is the section's, which closes."""
        if is_closed():
            section.click()
        grid.wait_for()
        box = stands_at(grid)
        page.mouse.click(box["x"] + 0.7 * box["width"], box["y"] + 36 + 17)
        page.keyboard.press("Enter")
        return appears(field)

    until(opened)
    typed = [2.5, 1.25, 0.123456789012]
    for row, value in enumerate(typed):
        if row:  # the field before has gone on to the next row
            page.keyboard.press("Enter")
        expect(field).to_have_value(f"{1 / (row + 1):.12g}")
        field.fill(str(value))
        field.press("Enter")
        expect(field).to_have_count(0)
    wanted = [*typed, *(float(f"{1 / k:.12g}") for k in range(4, 7))]
    spec = picture.spec_becomes(
        lambda spec: len(spec.get("sigma") or ()) == 6 and spec["sigma"][2] < 0.2
    )
    assert spec["spectrum"] == "list" and spec["sigma"] == wanted
    assert picture.places["sigma"] == pytest.approx(wanted, rel=1e-6)

    section.click()
    until(is_closed)
    expect(page.get_by_test_id("stDataFrame")).to_have_count(0)
    until(opened)
    expect(field).to_have_value("2.5")
    page.keyboard.press("Escape")


def test_the_tolerance_is_taken_by_its_grip_and_counts_the_rank(picture):
    """Below the axis at first, it is held at its foot; lifted over σ_4 = ¼ three are above."""
    rank = picture.page.get_by_text("rank: 6")
    rank.wait_for()
    _, foot = grip = picture.places["tolerance"]
    (_, third), (_, fourth) = picture.places["dots"][2:4]
    picture.drag("spectrum", grip, (0, (third + fourth) / 2 - foot))
    tolerance = until(lambda: picture.looked("tolerance"))
    assert 1 / 4 < tolerance < 1 / 3
    picture.tab.settle()
    picture.page.get_by_text("rank: 3 above").wait_for()
    assert picture.places["tolerance"][1] == pytest.approx((third + fourth) / 2, abs=3)


def test_the_alpha_that_is_given_to_theorem_4_1_is_in_its_bound_and_its_link(picture):
    page = picture.page
    page.get_by_text("Theorem 4.1: what it says").click()
    words = page.get_by_text("here, this model:")
    words.wait_for()
    before = words.text_content()
    field = page.get_by_role("spinbutton", name="α of")
    field.fill("0.75")
    field.press("Enter")
    assert until(lambda: picture.looked("alpha")) == 0.75
    expect(words).not_to_have_text(before)
    field.fill("")
    field.press("Enter")
    until(lambda: picture.looked("alpha") is None)
    expect(words).to_have_text(before)


def test_the_networks_error_of_theorem_4_1_is_dragged_and_its_link_opens_there(reader):
    tab = reader.open("", {"rank": 6, "m_h": 2})
    page = tab.page
    page.get_by_text("Theorem 4.1: what it says").click()
    box = stands_at(page.locator("canvas[data-panel=terms]"))
    before = tab.places("Theorem", "r.curve.length")
    x, y = before["curve"][7]
    page.mouse.move(box["x"] + x, box["y"] + y)
    page.mouse.down()
    page.mouse.move(box["x"] + x, box["y"] + y + 90, steps=4)
    held = tab.places("Theorem", f"r.ff > {before['ff']}")
    assert held["curve"][7][1] == pytest.approx(y + 90, abs=1.5) and held["answered"] == 0
    page.mouse.up()
    ff = until(lambda: json.loads(tab.parameter("view") or "{}").get("ff"))
    least = tab.places("Theorem", f"r.ff === {ff} && r.answered === 1")["least"]
    assert least > before["least"]

    again = page.context.new_page()
    again.goto(page.url)
    said = again.get_by_text("the bound is least at")
    said.wait_for()
    assert f"= {least}" in said.inner_text().replace("\n", " ")
    again.close()


def raised(before, after):
    """By how many pixels each measure is higher than it was."""
    return [a[1] - b[1] for a, b in zip(before["held"], after["held"], strict=True)]


def test_another_representation_is_dragged_and_h_stays(reader):
    """The handle of the second canvas: C's move and H does not, its link and Undo know it."""
    tab = reader.open("", {"rank": 6, "m_h": 2})
    page = tab.page
    page.get_by_text("Theorem 4.1: what it says").click()
    box = stands_at(page.locator("canvas[data-panel=same]"))
    before = tab.places("Theorem", "r.held.length")
    x, y = before["held"][0]
    page.mouse.move(box["x"] + x, box["y"] + y)
    page.mouse.down()
    page.mouse.move(box["x"] + x + 60, box["y"] + y, steps=4)
    held = tab.places("Theorem", f"r.along > {before['along']}")
    assert held["held"][0][0] == pytest.approx(x + 60, abs=12) and held["answered"] == 0
    page.mouse.up()
    along = until(lambda: json.loads(tab.parameter("view") or "{}").get("along"))
    after = tab.places("Theorem", f"r.along === {held['along']} && r.answered === 1")
    assert after["along"] == along > 0 and max(raised(before, after)) > 2
    off = page.locator("[data-text=off]").inner_text()
    assert re.fullmatch(r"H moves by [\d.]+·10⁻¹[³⁴⁵⁶⁷⁸⁹]\.", off)
    again = page.context.new_page()
    again.goto(page.url)
    again.get_by_text(f"At γ = {along:.3g}").wait_for()
    again.close()
    page.get_by_role("button", name="Undo").click()
    assert tab.places("Theorem", f"r.along === {before['along']}")["held"] == before["held"]


def test_slices_of_tokens_with_two_numbers_follow_the_hand(reader):
    """Before the slider is let go: m and where the others are held; then link, words and Back."""
    view = {"several": "u1*v1 + 3*u2**2*v2", "several_m": 1, "axis_u": 1, "axis_v": 1}
    tab = reader.open("", {"rank": 6, "m_h": 2}, view=json.dumps(view))
    page = tab.page
    stands_at(page.locator("canvas[data-panel=kept]"))
    before = tab.places("Slices", "r.maps")
    slider = page.get_by_role("slider", name="What the other numbers")
    x, y, wide = (slider.bounding_box()[each] for each in ("x", "y", "width"))
    page.mouse.move(x + wide / 2, y + 8)
    page.mouse.down()
    page.mouse.move(x + 2, y + 8, steps=3)
    held = tab.places("Slices", "r.held === 0")
    assert held["answered"] == before["answered"] and held["maps"] != before["maps"]
    page.mouse.up()
    tab.places("Slices", "r.held === 0 && r.answered === 1")
    until(lambda: json.loads(tab.parameter("view"))["held"] == 0)
    page.get_by_text("1 term leaves").wait_for()
    page.get_by_role("slider", name="Terms kept").press("ArrowRight")
    page.get_by_text(re.compile("^A head of width 2 has room for all of it[.]")).wait_for()
    after = tab.places("Slices", "r.m === 2 && r.answered === 2")
    whole, kept = (each["values"] for each in after["maps"])
    assert kept == pytest.approx(whole, abs=1e-5)
    page.go_back()
    tab.places("Slices", "r.m === 1 && r.held === 0")


def test_where_the_bound_is_lost_follows_a_sigma(reader):
    picture = Picture(reader.open("", {"rank": 6, "m_h": 2}))
    page = picture.page
    page.get_by_text("Theorem 4.1: what it says").click()
    words = page.get_by_text("part gives away")
    words.wait_for()
    before = words.text_content()
    picture.drag("spectrum", picture.places["dots"][4], (0, -40))
    expect(words).not_to_have_text(before)


def test_a_sigma_is_dragged_in_the_proof_and_is_the_designs_again(reader):
    """The fifth of six passes all others: both ends of the proof move, and its factors still lead
    from one to the other. The design stays, whose σ_k are back by a press."""
    tab = reader.open("", {"rank": 6, "m_h": 2})
    page = tab.page
    page.get_by_text("Theorem 4.1: what it says").click()
    box, address = stands_at(page.locator("canvas[data-panel=sigmas]")), page.url
    rest = tab.places("Theorem", "r.proof.dots.length")["proof"]
    x, y = rest["dots"][4]
    page.mouse.move(box["x"] + x, box["y"] + y)
    page.mouse.down()
    page.mouse.move(box["x"] + x, box["y"] + y - 40, steps=4)
    there = f"Math.abs(r.proof.dots[4][1] - {y - 40}) < 1.5"
    moved = tab.places("Theorem", there)["proof"]
    page.mouse.up()
    assert moved["sigma"][4] > rest["sigma"][0]
    assert moved["rows"][0]["before"] != rest["rows"][0]["before"]
    assert moved["rows"][-1]["after"] > rest["rows"][-1]["after"]
    factors = [row["after"] / row["before"] for row in moved["rows"]]
    whole = moved["rows"][-1]["after"] / moved["rows"][0]["before"]
    assert math.prod(factors) == pytest.approx(whole)
    page.get_by_role("button", name="As designed").click()
    assert tab.places("Theorem", f"r.proof.sigma[4] === {rest['sigma'][4]}")["proof"] == rest
    page.get_by_label("How large that singular value is").press("ArrowLeft")
    tab.places("Theorem", f"r.proof.sigma[4] < {rest['sigma'][4]}")
    assert page.url == address


def test_every_figure_goes_home(picture):
    picture.page.get_by_role("button", name="Figures").click()
    saved = {}
    for kind in ("SVG", "PNG", "PDF", "CSV"):
        buttons = picture.page.get_by_role("button", name=kind, exact=True)
        expect(buttons).to_have_count(5)
        figure = downloaded(picture.page, buttons.first)
        saved[kind] = figure.path().read_bytes()
        assert figure.suggested_filename.endswith(f"-spectrum.{kind.lower()}")
    assert b"<svg" in saved["SVG"][:200] and b"computed, not trained" in saved["SVG"]
    assert saved["PNG"][:4] == b"\x89PNG" and saved["PDF"][:4] == b"%PDF"
    assert saved["CSV"].startswith(b"k,sigma")


def test_a_picture_of_the_gallery_opens_its_coupling(turned):
    """cos 2π(u − v) has σ = ½, ½ in closed form."""
    picture = Picture(turned("", {"rank": 6}))
    page = picture.page
    page.get_by_role("button", name="as pictures").click()
    cards = page.locator("a[data-key]")
    expect(cards).to_have_count(len(GALLERY))
    expect(page.locator("a[aria-current=true]")).to_have_attribute("data-key", "fig1a-6")
    drawn = "(all) => all.map((c) => new Set(c.getContext('2d')"
    drawn += ".getImageData(0, 0, c.width, c.height).data).size)"
    until(lambda: min(page.locator("a[data-key] canvas").evaluate_all(drawn)) > 8)
    page.locator("a[data-key=periodic]").press("Enter")
    expect(picture.tab.verdict).to_contain_text("Centred rank 2")
    expect(cards).to_have_count(0)
    assert picture.tab.spec["formula"] == "cos(2*pi*(u - v))"
    shown = picture.tab.places("Design", "r.sigma.length === 2")
    assert shown["sigma"] == pytest.approx([0.5, 0.5])


def test_the_sliders_of_the_sidebar_preview_while_they_are_moved(picture):
    """α and r move the picture under the hand; the specification follows once they are let go."""
    page, probe = picture.page, "window.__explorerDesign.places().sigma"

    def held(field, by):
        """Take hold of a slider and move it; its value, as it says it."""
        slider = page.locator(f".st-key-field-{field}")
        knob = stands_at(slider.locator("input").locator("xpath=../.."))
        thumb = knob["x"] + knob["width"] / 2, knob["y"] + knob["height"] / 2
        page.mouse.move(*thumb)
        page.mouse.down()
        page.mouse.move(thumb[0] + by, thumb[1], steps=4)
        still(page)
        return slider.locator("input").get_attribute("aria-valuetext")

    def shown(condition):
        page.wait_for_function(f"() => {{ const s = {probe}; return {condition}; }}")

    alpha = float(held("alpha", 40))
    assert alpha > 1.2
    shown(f"Math.abs(s[1] - 2 ** -{alpha}) < 1e-6")
    assert "alpha" not in picture.tab.spec, "it is still held"
    page.mouse.up()
    until(lambda: picture.tab.spec.get("alpha") == alpha)
    rank = int(held("rank", 60))
    assert rank > 6
    shown(f"s.length === {rank}")
    page.mouse.up()
    until(lambda: picture.tab.spec.get("rank") == rank)
    shown(f"s.length === {rank}")
