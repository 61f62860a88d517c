"""The design component: its drawing, the edits it reports, and the arithmetic of its script."""

import json
import re
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest
from streamlit_pages import report

from explorer.coupling import Truncated, coupling_of, pod, singular_values
from explorer.pages.design.view import cells
from explorer.pages.design.view_drawing import FINE, LIMITS, design_drawing, spec_changes
from explorer.runs.frames import pack, unpack
from explorer.spec import CouplingSpec, SpecError, amended
from explorer.theory.design import Design
from explorer.theory.rates import power_fit
from explorer.ui.components import source
from explorer.views.selection import Selection


@pytest.fixture(scope="module")
def evaluate(javascript):
    """A function that runs the body of a JavaScript function beside the design's own."""
    return partial(javascript, "design")


# The drawing


@pytest.mark.parametrize(
    "spec",
    [
        CouplingSpec(rank=6),
        CouplingSpec(alpha=0.5, c=3.0),
        CouplingSpec(spectrum="exponential", decay=0.3, left_basis="legendre", right_basis="haar"),
        CouplingSpec(spectrum="list", sigma=(0.5, 0.0, 2.0), left_basis="fourier"),
    ],
)
def test_the_terms_of_a_design_add_up_to_it(spec):
    header, arrays = design_drawing(Design(spec), Selection())
    fine = cells(arrays["phi"].shape[1])
    functions = (arrays[name][: len(header["sigma"])] for name in ("phi", "psi"))
    rho = np.einsum("k,ku,kv->uv", header["sigma"], *functions)
    np.testing.assert_allclose(rho, coupling_of(spec).matrix(fine, fine), atol=1e-4)
    assert header["editable"] and header["family"] == spec.spectrum and "rho" not in arrays
    assert header["sigma"] == singular_values(spec).tolist(), "to the last digit"


def test_the_middle_of_each_step_of_a_function_is_a_cell_of_the_heatmap():
    _, arrays = design_drawing(Design(CouplingSpec(rank=2)), Selection())
    coarse = cells(arrays["phi"].shape[1] // FINE)
    expected = np.sqrt(2) * np.sin(2 * np.pi * coarse)
    np.testing.assert_allclose(arrays["phi"][0, FINE // 2 :: FINE], expected, atol=1e-6)


@pytest.mark.parametrize("centred", [False, True])
def test_a_given_coupling_comes_by_its_pod(centred):
    spec = CouplingSpec(formula="-8*(u - v)**2")
    header, arrays = design_drawing(Design(spec), Selection(centred=centred))
    assert not header["editable"] and header["family"] == "given"
    assert len(header["sigma"]) == (2 if centred else 3)
    x = cells(96)
    whole = -8 * (x[:, None] - x) ** 2
    mean = -8 * (x**2 - x + 1 / 3)
    np.testing.assert_allclose(arrays["rho"], whole - mean[:, None] * centred, atol=1e-5)
    if centred:
        assert "mean" not in arrays
    else:
        np.testing.assert_allclose(arrays["mean"], mean, atol=1e-5)
    found = pod(coupling_of(spec), centred=centred)
    middle = slice(FINE // 2, None, FINE)
    terms = np.einsum(
        "k,ku,kv->uv", header["sigma"], *(arrays[n][:, middle] for n in ("phi", "psi"))
    )
    np.testing.assert_allclose(terms, Truncated(found, 3).matrix(x, x), atol=1e-5)


def test_what_softmax_cannot_see_leaves_no_terms_and_no_rounding():
    header, arrays = design_drawing(Design(CouplingSpec(formula="u")), Selection())
    assert header["sigma"] == [] and arrays["phi"].shape == (0, 288)
    assert not arrays["rho"].any()
    json.dumps(header, allow_nan=False)


def test_the_axes_rest_until_another_subject_comes():
    def subject(spec, **shown):
        return design_drawing(Design(spec), Selection(**shown))[0]["subject"]

    assert subject(CouplingSpec()) == subject(CouplingSpec(alpha=2.0, rank=4), centred=False)
    assert subject(CouplingSpec()) != subject(CouplingSpec(left_basis="haar"))
    formula = CouplingSpec(formula="u*v")
    assert subject(formula) != subject(formula, centred=False)


# Edits


def test_dots_become_a_free_list_without_a_rank():
    spec = CouplingSpec(alpha=2.0, rank=3)
    edit = {"spectrum": "list", "sigma": [1, 0.5, 0], "rank": None}
    changed = amended(spec, **spec_changes(edit))
    assert (changed.spectrum, changed.sigma, changed.rank) == ("list", (1.0, 0.5, 0.0), None)
    assert changed.alpha == 2.0


@pytest.mark.parametrize(
    ("edit", "changes"),
    [
        ({"alpha": 1}, {"alpha": 1}),
        ({"decay": 0.3, "m": 4}, {"decay": 0.3, "m_h": 4}),
        ({"m": 4}, {"m_h": 4}),
        ({"tau": 4, "formula": None}, {"tau": 4, "formula": None}),
        ({"v": 3, "seed": 4}, {}),
    ],
)
def test_other_edits_change_what_they_name_and_nothing_else(edit, changes):
    assert spec_changes(edit) == changes


def test_a_step_back_returns_to_the_law():
    back = {"spectrum": "power", "sigma": None, "alpha": 2, "decay": 0.5, "c": 1, "rank": 6, "m": 8}
    listed = CouplingSpec(spectrum="list", sigma=(1.0, 1.0))
    assert amended(listed, **spec_changes(back)) == CouplingSpec(alpha=2.0, rank=6)


@pytest.mark.parametrize("sigma", [[0, 0], [-1, 1], [1e3], [1.0] * 65, ["a"], []])
def test_what_is_no_spectrum_is_refused_by_the_specification(sigma):
    with pytest.raises(SpecError, match="sigma"):
        amended(CouplingSpec(), **spec_changes({"spectrum": "list", "sigma": sigma}))


def test_the_reach_of_the_drawing_is_within_the_specification():
    for name in ("alpha", "decay"):
        for value in LIMITS[name]:
            amended(CouplingSpec(), **{name: value})
    for m in LIMITS["m"]:
        amended(CouplingSpec(), m_h=m)
    amended(CouplingSpec(spectrum="list", sigma=(1.0,)), sigma=[LIMITS["sigma"]])


# The markup and the script


def test_panels_are_named_for_screen_readers_and_texts_are_never_markup():
    parts = source("design")
    canvases = re.findall(r"<canvas[^>]*>", parts["html"])
    assert len(canvases) == 5
    for canvas in canvases:
        assert "aria-label=" in canvas and re.search(r'role="(img|slider)"', canvas)
        assert ('role="slider"' in canvas) == ("tabindex" in canvas)
    unnamed = {"train", "pause", "resume", "step", "stop"}  # their text is their name
    for button in re.findall(r"<button[^>]*>", parts["html"]):
        named = "aria-label=" in button
        assert named or re.search(r'data-act="(\w+)"', button)[1] in unnamed
    assert "innerHTML" not in parts["js"] and ":focus-visible" in parts["css"]
    assert not re.search(r"font-size:\s*0\.[0-6]", parts["css"])


def test_every_panel_of_the_markup_is_drawn(evaluate):
    drawn = evaluate("return Object.keys(c.DRAW)")
    assert drawn == re.findall(r'data-panel="(\w+)"', source("design")["html"])


# The arithmetic of the script


def test_the_script_reads_the_drawing(evaluate):
    header, arrays = design_drawing(Design(CouplingSpec(rank=2)), Selection())
    data = list(pack(header, arrays))
    body = (
        "const { arrays } = c.unpack(Uint8Array.from(data).buffer);"
        "const rows = c.rowsOf(arrays.phi, 3); return [rows.length, [...rows[1]]]"
    )
    count, row = evaluate(body, data=data)
    expected = unpack(bytes(data))[1]["phi"][1, 1::3]
    assert count == 64, "the rank of a law may be raised by hand"
    np.testing.assert_allclose(row, expected)


def test_the_largest_terms_are_kept_and_the_others_are_the_tail(evaluate):
    sigma, m = [0.5, 2.0, 0.5, 0.0, 1.0], 3
    body = "const kept = c.keptOf(sigma, m); return [kept, c.leftOut(sigma, kept, 0.25)]"
    kept, left = evaluate(body, sigma=sigma, m=m)
    assert kept == [True, True, False, False, True]
    assert left["tail"] == pytest.approx(0.25 + 0.25)
    assert left["share"] == pytest.approx(0.5 / (0.25 + np.sum(np.square(sigma))))


@pytest.mark.parametrize("m", [0, 1, 5, 64])
def test_the_tail_is_that_of_the_pod(evaluate, m):
    found = pod(coupling_of(CouplingSpec()))
    body = "return c.leftOut(sigma, c.keptOf(sigma, m), 0).tail"
    tail = evaluate(body, sigma=singular_values(CouplingSpec()).tolist(), m=m)
    assert tail == pytest.approx(found.tail_energy()[m], abs=1e-12)


def test_sums_by_rank_one_changes_are_those_from_scratch(evaluate):
    rng = np.random.default_rng(0)
    phi, psi = rng.normal(size=(2, 8, 12))
    stages = [rng.normal(size=8) for _ in range(2)]
    for k in (3, 3, 5, 0):  # single dots, then one that is taken away
        stages.append(stages[-1].copy())
        stages[-1][k] = 0.0 if k == 0 else rng.normal()
    body = (
        "const mixed = c.mixture(phi, psi, 12);"
        "return stages.map((weights) => [...c.mix(mixed, weights).values])"
    )
    sums = evaluate(
        body, phi=phi.tolist(), psi=psi.tolist(), stages=[stage.tolist() for stage in stages]
    )
    for stage, values in zip(stages, sums, strict=True):
        expected = np.einsum("k,ku,kv->uv", stage, phi, psi)
        np.testing.assert_allclose(np.reshape(values, (12, 12)), expected, atol=1e-12)


def test_a_row_and_its_softmax(evaluate):
    rng = np.random.default_rng(1)
    phi, psi = rng.normal(size=(2, 3, 50))
    weights = [2.0, 0.0, 0.5]
    body = (
        "const row = c.rowAt(phi, psi, weights, 7); return [[...row], [...c.relativeSoftmax(row)]]"
    )
    row, density = evaluate(body, phi=phi.tolist(), psi=psi.tolist(), weights=weights)
    expected = (weights * phi[:, 7]) @ psi
    np.testing.assert_allclose(row, expected, atol=1e-12)
    softmax = np.exp(expected) / np.exp(expected).sum()
    np.testing.assert_allclose(density, 50 * softmax, rtol=1e-12)


def test_the_scale_of_softmax_is_logarithmic_only_where_it_must(evaluate):
    body = "return [c.softmaxRange([[1, 2]]), c.softmaxRange([[1, 40], [1, 1]])]"
    (_, plain), ((low, high), log) = evaluate(body)
    assert not plain and log and low < 1 and high > 40


@pytest.mark.parametrize(
    ("law", "value"),
    [({"family": "power", "c": 2.0}, 1.37), ({"family": "exponential", "c": 0.5}, 0.61)],
)
def test_a_law_through_a_point_of_itself_is_itself(evaluate, law, value):
    name = {"power": "alpha", "exponential": "decay"}[law["family"]]
    body = (
        "const at = c.lineOf({ ...law, [name]: value }, 0).at;"
        "return [1.7, 9, 40].map((k) => c.lawThrough(law, k, at(k), limits)[name])"
    )
    found = evaluate(body, law=law, name=name, value=value, limits=LIMITS)
    assert found == pytest.approx([value] * 3)


@pytest.mark.parametrize("sigma", [1e-30, 1e30])
def test_a_law_stays_within_its_limits(evaluate, sigma):
    body = (
        "return [c.lawThrough({ family: 'power', c: 1 }, 5, sigma, limits).alpha,"
        " c.lawThrough({ family: 'exponential', c: 1 }, 5, sigma, limits).decay]"
    )
    alpha, decay = evaluate(body, sigma=sigma, limits=LIMITS)
    assert alpha == LIMITS["alpha"][sigma < 1] and decay == LIMITS["decay"][sigma > 1]


def test_the_fitted_line_is_the_fit_of_the_theory(evaluate):
    rng = np.random.default_rng(2)
    sigma = np.arange(1, 33.0) ** -1.4 * np.exp(0.1 * rng.normal(size=32))
    fit = power_fit(np.arange(4, 33), sigma[3:])
    body = "const fit = c.fitLaw(sigma, 1e-10); return [fit.kind, fit.value, fit.at(5)]"
    kind, alpha, at = evaluate(body, sigma=sigma.tolist())
    assert kind == "power" and alpha == pytest.approx(-fit.slope)
    assert at == pytest.approx(float(fit.at(np.array(5.0))))


def test_a_geometric_list_is_fitted_by_a_ratio_and_zeros_by_nothing(evaluate):
    geometric = [3 * 0.4**k for k in range(12)]
    body = (
        "const fit = c.fitLaw(sigma, 1e-10, 2); return [fit.kind, fit.value, fit.at(3), "
        "c.fitLaw([1, 0, 0, 2], 1e-10)]"
    )
    kind, decay, at, none = evaluate(body, sigma=geometric)
    assert (kind, none) == ("exponential", None)
    assert decay == pytest.approx(0.4) and at == pytest.approx(3 * 0.4**2)


def test_the_rates_are_those_of_the_theory(evaluate):
    laws = [
        {"family": "power", "c": 1, "alpha": 1.5},
        {"family": "power", "c": 1, "alpha": 0.5},
        {"family": "exponential", "c": 1, "decay": 0.5},
    ]
    texts = evaluate("return laws.map((law) => c.rateTexts(c.lineOf(law, 0)))", laws=laws)
    assert texts[0] == {"slope": "−α = −1.50", "mse": "predicted slope −2.00"}
    assert texts[1]["mse"] == "no predicted slope for α ≤ ½"
    assert texts[2] == {"slope": "σ_{k+1}/σ_k = 0.50", "mse": "squared error × 0.25 per term"}
    code = "return c.rateTexts({...c.lineOf(law, 0), apart: false})"
    assert evaluate(code, law=laws[0])["mse"] == "no predicted slope where ψ = φ"


def test_the_axis_holds_every_value_and_rests_while_they_fit(evaluate):
    sigma = singular_values(CouplingSpec()).tolist()
    body = (
        "const range = c.rangeOfSigma(sigma, 1e-10), moved = sigma.map((s) => 1.2 * s);"
        "return [range, c.rangeOfSigma(moved, 1e-10, range), "
        "c.rangeOfSigma([...sigma, 1e-6], 1e-10, range)]"
    )
    first, rested, deeper = evaluate(body, sigma=sigma)
    assert first["low"] < sigma[-1] / 4 and first["high"] > 1.6
    assert rested == first and deeper["low"] < 1e-6


def test_an_undone_edit_comes_back_until_another_is_made(evaluate):
    body = (
        "const steps = new c.History(); [1, 2, 2, 3].forEach((m) => steps.note({ m }));"
        "const back = [steps.go(-1).m, steps.go(-1).m, steps.go(-1)], forth = steps.go(1).m;"
        "steps.note({ m: 9 }); return [back, forth, steps.can(1), steps.go(-1).m]"
    )
    assert evaluate(body) == [[2, 1, None], 2, False, 2]


PLAN = (
    "const theme = { size: 13 }, sigma = c.sigmaOf(design, 16);"
    "const full = { ...design, sigma }, line = c.lineOf(full, 1e-10);"
    "const plan = c.spectrumPlan(theme, 700, 400, full, c.rangeOfSigma(sigma, 1e-10), line);"
    "const at = (px, py) => c.hit(plan, full, line, 1e-10, px, py);"
)
DESIGN = {"family": "power", "alpha": 1, "decay": 0.5, "c": 1, "rank": 16, "m": 4}


def test_the_pointer_takes_what_lies_under_it(evaluate):
    body = PLAN + (
        "return [at(plan.x(3), plan.y(1 / 3)), at(plan.x(2), plan.y(0.1)), "
        "at(plan.mx, plan.box.y - 10), at(plan.handle.x, plan.handle.y), "
        "at(plan.x(1.6), plan.y(1 / 1.6)), at(plan.x(2.5), plan.box.y + 4)]"
    )
    dot, stem, boundary, handle, line, nothing = evaluate(body, design=DESIGN)
    assert (dot, stem) == ({"what": "dot", "k": 3}, {"what": "dot", "k": 2})
    assert boundary == {"what": "m"} and handle["what"] == "slope" and line["what"] == "slope"
    assert nothing is None


@pytest.mark.parametrize("alpha", [0, 1, 4])
def test_the_handle_of_the_law_is_always_within_reach(evaluate, alpha):
    body = PLAN + "return [plan.box, plan.handle, plan.y(line.at(plan.handle.k))]"
    box, handle, y = evaluate(body, design=DESIGN | {"alpha": alpha})
    assert box["x"] < handle["x"] <= box["x"] + box["w"]
    assert box["y"] <= handle["y"] <= box["y"] + box["h"]
    assert handle["y"] == pytest.approx(y, abs=1)


def test_a_stroke_paints_every_dot_it_passes(evaluate):
    body = PLAN + (
        "const from = { px: plan.x(8), py: plan.y(0.5) }, to = { px: plan.x(3), py: plan.y(0.5) };"
        "return c.painted(plan, from, to).map(([i, s]) => [i + 1, s])"
    )
    strokes = evaluate(body, design=DESIGN)
    assert [k for k, _ in strokes] == [3, 4, 5, 6, 7, 8]
    assert [s for _, s in strokes] == pytest.approx([0.5] * 6)


def test_sorted_terms_have_their_own_functions_and_the_coupling_is_the_same(evaluate):
    """The order is of the drawing alone: σ₂ lifted over σ₁ moves to the first place."""
    body = PLAN + (
        "Object.assign(full, { sigma: lifted, order: c.orderOf(lifted) });"
        "const shown = c.spectrumPlan(theme, 700, 400, full, c.rangeOfSigma(lifted, 1e-10), null);"
        "const taken = c.hit(shown, full, null, 1e-10, shown.at(1), shown.y(3));"
        "return [full.order, shown.at(1) === shown.x(1), shown.at(0) === shown.x(2), taken.k,"
        "  [...c.mix(c.mixture(phi, phi, 8), lifted).values]]"
    )
    lifted = [1, 3] + [1 / k for k in range(3, 17)]
    phi = np.random.default_rng(3).normal(size=(16, 8))
    order, *places, rho = evaluate(body, design=DESIGN, lifted=lifted, phi=phi.tolist())
    assert order == [1, 0, *range(2, 16)] and places == [True, True, 2]
    by_place = np.einsum("k,ku,kv->uv", np.array(lifted)[order], phi[order], phi[order])
    np.testing.assert_allclose(np.reshape(rho, (8, 8)), by_place, atol=1e-13)


@settings(max_examples=8, deadline=None)
@given(width=st.integers(320, 1200), height=st.integers(280, 900))
def test_the_heatmaps_are_squares_inside_their_canvas(evaluate, width, height):
    body = "return c.mapsPlan({ size: 13 }, width, height).squares"
    a, b = evaluate(body, width=width, height=height)
    assert a["side"] == b["side"] > 0
    for square in (a, b):
        assert square["x"] >= 0 and square["x"] + square["side"] <= width
        assert square["y"] >= 0 and square["y"] + square["side"] <= height
    assert b["x"] >= a["x"] + a["side"] or b["y"] >= a["y"] + a["side"]


def test_keys_do_what_the_mouse_does(evaluate):
    body = """
      const calls = [], note = (name) => (value) => calls.push([name, value]);
      const view = { design, k: 2, limits, editable: true, tolerance: 1e-4, range: { low: 1e-3 },
        line: { kind: "power", value: 1 }, choose: note("k"), setM: note("m"),
        setTolerance: note("t"), setSigma: note("s"), setParameter: note("p") };
      const press = (key, more = {}) => {
        const act = c.keyAct({ key, ...more }, view);
        return typeof act === "function" ? act() : act;
      };
      for (const key of keys) press(key);
      const commands = ["z", "y", "ArrowUp"].map((key) => press(key, { ctrlKey: true }) ?? null);
      view.editable = false;
      return [calls, ...commands, press("ArrowUp") ?? null, press("+") ?? null, press("a") ?? null];
    """
    keys = [
        "ArrowLeft",
        "ArrowRight",
        "Home",
        "End",
        "[",
        "]",
        ">",
        "ArrowUp",
        "Delete",
    ]
    design = DESIGN | {"sigma": [1, 0.5, 0.25], "order": [0, 1, 2]}
    calls, *nothing = evaluate(body, design=design, keys=[*keys, "+", "-"], limits=LIMITS)
    assert calls[:6] == [["k", 1], ["k", 3], ["k", 1], ["k", 3], ["m", 3], ["m", 5]]
    assert calls[6][1] == pytest.approx(10**-3.5)
    assert [call[1][0] for call in calls[7:9]] == [[1, pytest.approx(0.525)], [1, 0]]
    assert calls[9:] == [["p", {"alpha": 1.05}], ["p", {"alpha": 0.95}]]
    assert nothing == [None] * 6, "undo and redo are the page's, whatever has the focus"


def test_subscripts_of_several_letters(evaluate):
    found = evaluate("return c.runs('Σ_{k>m} σ_k² = 1')")
    assert [(run["part"], run["sub"]) for run in found] == [
        ("Σ", False),
        ("k>m", True),
        (" σ", False),
        ("k", True),
        ("² = 1", False),
    ]


# In a page


def design_page():
    import streamlit as st

    from explorer.pages.design.view_drawing import design_drawing
    from explorer.spec import CouplingSpec
    from explorer.theory.design import Design
    from explorer.ui import exchange
    from explorer.ui.components import design
    from explorer.views.selection import Selection

    def taken(report):
        st.session_state.said.append(report)
        if st.session_state.get("cut short"):
            st.stop()

    st.session_state.setdefault("said", [])
    drawing = design_drawing(Design(CouplingSpec()), Selection())
    exchange.take("design", taken)
    design(*drawing)


def answered(page):
    """The reports that the page took, and the number that its drawing answers."""
    assert not page.run().exception
    drawings = [node.proto.bytes for node in page.get("bidi_component")]
    return list(page.session_state["said"]), [
        unpack(drawing)[0]["answers"]["rev"] for drawing in drawings if drawing
    ]


def test_a_report_is_taken_once_and_answered_by_its_number():
    page = AppTest.from_function(design_page, default_timeout=60)
    assert answered(page) == ([], [0])
    page.session_state["design"] = report(3, {"edit": {"alpha": 2}, "k": 4})
    assert answered(page) == answered(page) == ([{"edit": {"alpha": 2}, "k": 4}], [3])
    page.session_state["design"] = report(5, {"k": 1})
    assert answered(page) == ([{"edit": {"alpha": 2}, "k": 4}, {"k": 1}], [5])


def test_a_report_whose_run_was_cut_short_is_taken_by_the_next():
    page = AppTest.from_function(design_page, default_timeout=60)
    page.session_state["design"] = report(1, {"k": 4})
    page.session_state["cut short"] = True
    assert answered(page) == ([{"k": 4}], [])
    page.session_state["cut short"] = False
    assert answered(page) == ([{"k": 4}] * 2, [1])


# The floor


FLOOR_CODE = "const floor = {shape: [4, 33], values: Float32Array.from(values)};"


def floor_values(spec):
    return design_drawing(Design(spec), Selection())[1]["floor"]


def test_the_floor_of_a_drawing_is_that_of_the_page():
    known = Design(CouplingSpec(rank=3)).floor
    values = floor_values(CouplingSpec(rank=3))
    np.testing.assert_allclose(values[0, :3], known.nmse[:3], rtol=1e-6)
    np.testing.assert_allclose(values[1, :3], known.mae[:3], rtol=1e-6)
    assert (values[:, 3:] == 0).all(), "exactly 0 from the rank on"
    assert (values[2:, :3] > 0).all()
    header, _ = design_drawing(Design(CouplingSpec(rank=3)), Selection(error=0.5))
    assert (header["exact"], header["error"], header["trained"]) == (3, 0.5, ())


@pytest.mark.parametrize(
    "spec", [CouplingSpec(), CouplingSpec(rank=3), CouplingSpec(formula="u")], ids=str
)
@pytest.mark.parametrize("norm", ["mse", "mae"])
def test_the_script_names_the_same_width_for_an_error_as_python(evaluate, spec, norm):
    values = floor_values(spec).ravel().tolist()
    errors = [1.0, 0.1, 0.03, 1e-3, 1e-9]
    widths = evaluate(
        f"{FLOOR_CODE} return errors.map((e) => c.widthFor(floor, e, norm))",
        values=values,
        errors=errors,
        norm=norm,
    )
    assert widths == [list(Design(spec).width_for(error, norm)) for error in errors]


def test_a_width_beyond_those_computed_is_an_inequality(evaluate):
    widths = [[3, 3, 3], [None, None, None], [31, 30, None], [None, 32, None]]
    said = evaluate("return widths.map((width) => c.widthIs(width, 33))", widths=widths)
    assert said == ["m = 3", "m > 32", "m = 31 (95%: 30–> 32)", "m > 32 (95%: 32–> 32)"]


def test_a_zero_of_the_floor_has_no_place_on_its_log_axis(evaluate):
    values = floor_values(CouplingSpec(rank=3)).ravel().tolist()
    points = evaluate(
        f"{FLOOR_CODE} return [0, 1].map((n) => c.floorPoints(floor, n))", values=values
    )
    assert [[m for m, *_ in side] for side in points] == [[1, 2], [1, 2]]
    assert all(error > 0 and half > 0 for side in points for _, error, half in side)


def test_on_the_floor_one_takes_hold_of_the_error_then_of_m_then_of_a_width(evaluate):
    code = (
        f"{FLOOR_CODE} const x = c.scale(0.86, 83, 50, 450, true), "
        "y = c.scale(1e-4, 1, 250, 30, true), box = {x: 50, y: 30, w: 400, h: 220}; "
        "const plan = {box, foot: box, x, y, mx: x(8.5), low: 1e-4, high: 1}; "
        "const view = {error: 0.01, floor}; "
        "const hit = (px, py) => c.hitFloor(plan, view, px, py); "
        "return [hit(450, y(0.01)), hit(200, y(0.01) + 3), hit(x(8.5), 60), hit(x(2) + 3, 60), "
        "hit(x(2), 400), hit(20, 100), hit(x(60), 60)]"
        ".map((found) => found && [found.what, found.m ?? null])"
    )
    found = evaluate(code, values=[0.0] * 132)
    assert found == [
        ["error", None],
        ["error", None],
        ["m", None],
        ["width", 2],
        None,
        None,
        None,
    ]
