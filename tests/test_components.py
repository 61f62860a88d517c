"""The canvas components: registration, and the parts of their scripts that are not drawing."""

import json
import re
from typing import get_args, get_type_hints

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from explorer.charts.axes import LABEL, TITLE
from explorer.pages.attention.view_board import InferenceOptions
from explorer.runs.frames import pack, unpack
from explorer.spec.alterations import FilterMode
from explorer.targets.alterations import FILTERS, ORDERS
from explorer.ui.components import HERE, source
from explorer.ui.selection import Selection

COMPONENTS = (
    "attention",
    "design",
    "head",
    "live",
    "memory",
    "order",
    "rates",
    "real",
    "reorder",
    "slices",
    "theorem",
)


@pytest.fixture(scope="module")
def evaluate(javascript):
    """A function that evaluates a JavaScript expression beside a component's own functions."""
    return lambda expression, component="live": javascript(component, f"return {expression}")


def js_bytes(data):
    """A packed frame as a JavaScript ArrayBuffer."""
    return f"Uint8Array.from({list(data)}).buffer"


@pytest.mark.parametrize("name", COMPONENTS)
def test_a_component_is_named_for_screen_readers_and_never_writes_markup(name):
    parts = source(name)
    canvases = re.findall(r"<canvas[^>]*>", parts["html"])
    assert canvases
    for canvas in canvases:
        assert "aria-label=" in canvas and re.search(r'role="(img|slider)"', canvas)
        assert ('role="slider"' in canvas) == ("tabindex" in canvas)
    assert "innerHTML" not in parts["js"]
    assert ":focus-visible" in parts["css"]


@pytest.mark.parametrize("name", COMPONENTS)
def test_a_rule_of_the_buttons_stands_once(name):
    """Those of all pages in tools.css, which comes where there are buttons."""
    css = " ".join(source(name)["css"].split())
    has_tools = 'class="tools"' in source(name)["html"]
    assert css.count("button[aria-pressed") == 2 * has_tools
    assert css.count(":disabled { opacity: 0.4") == has_tools
    assert css.count("canvas:focus-visible") == 1


CHOICES = {
    ("order", "data-order"): ("original", *ORDERS, "own"),
    ("order", "data-filter"): ("none", *FILTERS, "own"),
    ("order", "data-mode"): get_args(FilterMode),
    ("attention", "data-positions"): get_args(get_type_hints(InferenceOptions)["positions"]),
    ("design", "switch"): get_args(get_type_hints(Selection)["map"]),
}


@pytest.mark.parametrize(("component", "holder"), CHOICES)
def test_what_can_be_chosen_in_the_markup_is_what_python_takes(component, holder):
    html = source(component)["html"]
    inside = html[html.index(holder) :]
    end = re.search("</select>|</fieldset>", inside).start()
    offered = re.findall(r'value="(\w+)"', inside[:end])
    of_files = ["learned"] if component == "design" else []  # where no Python answers
    assert offered == [*CHOICES[component, holder], *of_files]


def test_the_live_panels_of_markup_and_script_are_the_same(evaluate):
    drawn = evaluate("Object.keys(c.DRAW)")
    assert sorted(re.findall(r'data-panel="(\w+)"', source("live")["html"])) == sorted(drawn)


def test_javascript_reads_what_python_packs(evaluate):
    arrays = {"rho_hat": np.linspace(-1, 1, 6).reshape(2, 3), "step": np.arange(3), "none": []}
    data = pack({"kind": "frame", "label": "ρ̂ ≠ ρ", "step": 7}, arrays)
    expression = (
        "(({header, arrays}) => ({header, arrays: Object.fromEntries(Object.entries(arrays)"
        f".map(([k, a]) => [k, [a.shape, [...a.values]]]))}}))(c.unpack({js_bytes(data)}))"
    )
    read = evaluate(expression)
    header, expected = unpack(data)
    assert {k: v for k, v in read["header"].items() if k != "arrays"} == header
    for name, (shape, values) in read["arrays"].items():
        assert tuple(shape) == expected[name].shape
        np.testing.assert_array_equal(np.float32(values), expected[name].ravel())


def played(*messages):
    """An expression: the run after these messages, as {loss, evals, frame, drawing}."""
    taken = "".join(f"c.take(run, c.unpack({js_bytes(m)}));" for m in messages)
    return (
        f"(() => {{ const run = c.emptyRun(); {taken} "
        "return {loss: c.sorted(run.loss), evals: c.sorted(run.evals), status: run.frame?.status, "
        "sigma: [...(run.frame?.sigma_hat?.values ?? [])], texts: c.statusTexts(run, '')}; })()"
    )


HISTORY = pack(
    {"kind": "history"},
    {"loss_step": [1, 2, 3], "loss": [1, 0.5, 0.25], "eval_step": [1, 3], "eval_nmse": [1, 0.25]},
)


def test_frames_extend_the_history_and_keep_the_last_picture(evaluate):
    picture = pack(
        {"kind": "frame", "step": 4, "nmse": 0.5, "status": "of its own"},
        {"loss_step": [4, 5], "loss": [0.125, 9], "sigma_hat": [2, 1]},
    )
    rows = {"loss_step": [3], "loss": [0.25]}
    first = pack({"kind": "frame", "step": 4, "steps": 9, "status": "running"}, rows, picture)
    second = pack({"kind": "frame", "step": 4, "steps": 9, "status": "paused"}, {})
    run = evaluate(played(HISTORY, first, second))
    assert run["loss"] == [[1, 1], [2, 0.5], [3, 0.25], [4, 0.125]]
    assert run["evals"] == [[1, 1], [3, 0.25]]
    assert (run["status"], run["sigma"]) == ("paused", [2, 1])
    assert run["texts"]["step"] == "step 4 of 9" and run["texts"]["nmse"] == "nMSE 0.25"


def test_a_run_resumed_further_back_forgets_what_it_takes_again(evaluate):
    back = pack({"kind": "frame", "step": 2, "steps": 9, "status": "running"}, {})
    run = evaluate(played(HISTORY, back))
    assert run["loss"] == [[1, 1], [2, 0.5]]
    assert run["evals"] == [[1, 1]]


def test_zero_has_no_place_on_a_log_axis(evaluate):
    exact = pack({"kind": "history"}, {"loss_step": [1, 2], "loss": [0, 0.5]})
    assert evaluate(played(exact))["loss"] == [[2, 0.5]]


def test_the_status_line_says_what_matters_now(evaluate):
    queued = {"kind": "frame", "step": 0, "steps": 9, "status": "queued", "position": 2}
    texts = evaluate(played(pack(queued, {})))["texts"]
    assert texts["status"].endswith("queued, 2 in the queue")
    running = {"kind": "frame", "step": 3, "steps": 9, "status": "running"}
    measured = {"kind": "frame", "step": 3, "rate": 211.6, "eta": 5}
    texts = evaluate(played(pack(running, {}, pack(measured, {}))))["texts"]
    assert (texts["rate"], texts["eta"]) == ("212 steps/s", "5.0 s left")
    diverged = {**running, "status": "diverged", "message": "lower lr"}
    texts = evaluate(played(pack(running, {}, pack(measured, {})), pack(diverged, {})))
    assert texts["texts"]["note"] == "lower lr" and texts["texts"]["rate"] == ""


def test_a_few_far_values_are_clipped_and_said_so(evaluate):
    even = evaluate("c.colourRange(Float32Array.from({length: 101}, (_, i) => i / 50 - 1))")
    assert even == {"limit": 1, "clipped": False}
    ridge = "Float32Array.from({length: 1000}, (_, i) => i < 10 ? -50 : (i % 100) / 100)"
    clipped = evaluate(f"c.colourRange({ridge})")
    assert clipped["clipped"] and 0.9 < clipped["limit"] <= 1
    assert evaluate("c.colourRange(new Float32Array(9))") == {"limit": 1, "clipped": False}


def test_the_spectrum_axis_ignores_values_under_the_tolerance(evaluate):
    domain = evaluate("c.spectrumDomain(Float32Array.from([1, 0.5, 1e-12, 0]), 2)")
    assert domain["count"] == 12 and domain["low"] == pytest.approx(0.01)
    assert domain["high"] == pytest.approx(2)
    spare = evaluate("c.spectrumDomain(Float32Array.from([1, 0.5]), 4)")
    assert spare["low"] == pytest.approx(1e-4)


def test_the_error_axis_holds_the_pinned_run_too(evaluate):
    run = "{drawing: {floor: 0}}"
    assert evaluate(f"c.errorDomain({run}, [[1, 1]], [[5, 0.02]])") == {"low": 0.01, "high": 2}
    lower = evaluate(f"c.errorDomain({run}, [[1, 1]], [[5, 0.02]], [[9, 3e-6]])")
    assert lower == {"low": 1e-6, "high": 2}


def test_a_place_in_the_heatmap_is_row_u_column_v(evaluate):
    matrix = "{shape: [2, 3], values: [0, 1, 2, 3, 4, 5]}"
    places = f"[[0, 0], [0.49, 0.99], [0.5, 0], [1, 1]].map(([u, v]) => c.pick({matrix}, u, v))"
    assert evaluate(places, "design") == [0, 2, 3, 5]


def live_page():
    import streamlit as st

    from explorer.ui.components import live

    live({"push": "api/runs/0123456789ab-1/live", "run": "0123456789ab-1", "turn": "running"})
    st.text("mounted")


def test_the_components_mount():
    page = AppTest.from_function(live_page).run()
    assert not page.exception and page.text[0].value == "mounted"


@pytest.mark.parametrize(("opened", "base"), [("/", "/"), ("/train", "/"), ("/a/b/train", "/a/b/")])
def test_a_theme_is_remembered_for_every_page(opened, base, evaluate):
    stored = {f"stActiveTheme-{opened}-v2": '"Dark"', "other": "1"}
    where = {"opened": opened, "pages": ["train", "rates"]}
    copies = evaluate(f"c.themeCopies({json.dumps(stored)}, {json.dumps(where)})", "page")
    wanted = {f"stActiveTheme-{base}{page}-v2" for page in ("", "train", "rates")}
    assert dict(copies) == dict.fromkeys(wanted, '"Dark"')
    assert evaluate("c.spoken('$m_h$, width; $C_\\\\mathrm{RNN}$')", "page") == "m_h, width; C_RNN"
    assert evaluate(f"c.themeCopies({{ other: '1' }}, {json.dumps(where)})", "page") == []


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ('attachment; filename="train-figures.zip"', "train-figures.zip"),
        ("attachment; filename=run.zip; size=3", "run.zip"),
        ("attachment; filename*=UTF-8''%CF%81%2012.csv", "ρ 12.csv"),
        ("inline", ""),
        (None, ""),
    ],
)
def test_a_file_that_is_fetched_has_the_name_that_the_server_gives_it(said, name, evaluate):
    assert evaluate(f"c.fileName({json.dumps(said)})", "page") == name


SCALE = {"0.875rem", "1rem", "1.2rem"}
"""Sizes of type on a page: what is beside pictures, text, and a heading or the handle of m."""
APART = ("stage", "page", "first")
"""The stage writes as large as the screen is; the page's sheet has formulas and paper, and like
that of its document the question."""


def test_there_is_one_scale_of_type():
    sheets = [css for css in HERE.glob("*/*.css") if css.parent.name not in APART]
    used = {
        size: css.name
        for css in sheets
        for size in re.findall(r"font-size: ([^;]+);", css.read_text("utf-8"))
    }
    assert {*used} <= SCALE, used
    assert LABEL == TITLE == 13, "core/theme.js: 0.8125 of 16 pixels"


NAMELESS = re.compile(r":has\((?:[^()]|\([^()]*\))*\)[^{}]*[\s>+~](?:\*|:(?!is\(\.))[^{}]*{")
"""Below an element that has another: a part of a selector without a class, such as `:last-child`.
Where it may be, a browser cannot know, and computes all styles anew at every element that comes or
goes: four fifths of the work of a Tab on Order."""


def test_what_a_rule_finds_below_an_element_that_has_another_has_a_name():
    for sheet in HERE.glob("*/*.css"):
        assert not NAMELESS.findall(sheet.read_text("utf-8")), sheet.name
    assert NAMELESS.search(".a:has(.b) > :last-child {}")
    assert NAMELESS.search(".a:not(:has(.b)) :is(.c > :last-child, .d) {}")
    assert not NAMELESS.search(".a:has(.b) :is(.c, .d) > .e {}")
