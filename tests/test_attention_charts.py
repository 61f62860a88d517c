"""Charts of the attention tasks: domains, legends, honest scales, and an SVG of each."""

import json
from functools import cache

import numpy as np
import pandas as pd
import pytest

from explorer.charts import DARK, LIGHT
from explorer.charts.export import export
from explorer.pages.attention import chart as attention
from explorer.pages.attention import chart_learning as task_widths
from explorer.pages.attention.chart_learning import progress_chart
from explorer.pages.attention.view_tables import ERRORS
from explorer.views.series import CENTRED, DIFFERENCE, IDEAL, LEARNED, RAW

TAU = 4


@cache
def tables():
    """Made-up ones, with every column that a chart reads."""
    t, s = (index.ravel() for index in np.indices((TAU, TAU)))
    ideal = np.eye(TAU).ravel()
    learned = 0.9 * ideal + 0.1 / TAU
    sides = {LEARNED: learned, IDEAL: ideal, DIFFERENCE: learned - ideal}
    x1, x2 = (side.ravel() for side in np.meshgrid([-0.75, -0.25, 0.25, 0.75], [-0.6, 0, 0.6]))
    steps = np.array([1, 10, 100])
    return {
        "matrices": pd.concat(
            [
                pd.DataFrame({"t": t, "s": s, "weight": side, "matrix": name})
                for name, side in sides.items()
            ]
        ),
        "board": pd.DataFrame(
            [
                {"token": 0, "kind": "u", "label": "u(0)", "x1": 0.2, "x2": 0.3},
                {"token": 0, "kind": "v", "label": "v(0)", "x1": 0.4, "x2": 0.1},
                {"token": 0, "kind": "y", "label": "y(0)", "x1": 0.4, "x2": 0.1},
                {
                    "token": 0,
                    "kind": LEARNED,
                    "label": "0 → 0",
                    "x1": 0.2,
                    "x2": 0.3,
                    "s": 0,
                    "end1": 0.4,
                    "end2": 0.1,
                    "weight": 0.5,
                },
            ]
        ),
        "values": pd.DataFrame(
            {
                "designed": [0.0, 0.5, 1.0, 0.2],
                "learned": [0.1, 0.5, 1.2, 0.2],
                "coordinate": ["coordinate 1", "coordinate 2"] * 2,
            }
        ),
        "plane": pd.concat(
            [
                pd.DataFrame({"x1": x1, "x2": x2, "value": np.hypot(x1, x2), "map": name})
                for name in ("F∘f", "F̂∘W_V∘f̂")
            ]
        ),
        "spectrum": pd.DataFrame(
            {
                "k": [1, 2, 3, 1, 2],
                "sigma": [20, 10, 0.1, 5, 2],
                "spectrum": [RAW] * 3 + [CENTRED] * 2,
            }
        ),
        "progress": pd.concat(
            [
                pd.DataFrame({"step": steps, "value": 1 / steps, "metric": name})
                for name in [*ERRORS.values(), "agreement"]
            ]
        ),
        "widths": pd.DataFrame(
            {
                "group": ["d = 1"] * 3 + ["d = 2"] * 3,
                "m_h": [1, 2, 3] * 2,
                "seeds": 2,
                "best": [0.1, 1e-3, 1e-3, 0.5, 0.2, 1e-2],
                "median": [0.15, 1e-3, 1e-3, 0.5, 0.2, 1e-2],
                "worst": [0.2, 2e-3, 1e-3, 0.6, 0.3, 2e-2],
                "agreement": [0.4, 0.99, 0.99, 0.3, 0.6, 0.98],
            }
        ),
        "knees": pd.DataFrame(
            {
                "group": ["d = 1", "d = 2"],
                "m_h": [2, 3],
                "words": ["d + 1 = 2", "d + 1 = 3"],
            }
        ),
    }


@cache
def charts(palette=LIGHT):
    have = tables()
    seen = have["matrices"][have["matrices"]["weight"] > 0.05]
    matrices = attention.matrices_chart(have["matrices"], palette)
    values = attention.values_chart(have["values"], palette)
    graph = attention.graph_chart(seen, TAU, palette)
    return {
        "matrices": matrices,
        "graph": graph,
        "board": attention.board_chart(have["board"], (0.0, 1.0), palette),
        "values": values,
        "plane": attention.plane_chart(have["plane"], palette),
        "spectrum": attention.spectrum_chart(have["spectrum"], 2, "rank 2", palette),
        "progress": progress_chart(have["progress"], palette),
        "error": task_widths.width_chart(have["widths"], have["knees"], "nMSE", palette),
        "agreement": task_widths.width_chart(have["widths"], have["knees"], "agreement", palette),
        "figure": attention.figure_chart(matrices, graph, values),
    }


WORDS = {
    "matrices": [LEARNED, IDEAL, DIFFERENCE, "query t", "key s", "weight", "difference"],
    "graph": [LEARNED, IDEAL, "x(0)", "y(3)"],
    "board": ["u", "v", "y", LEARNED, "first coordinate", "second coordinate"],
    "values": ["F∘f(x)", "F̂(W_V f̂(x))", "coordinate 1", "coordinate 2"],
    "plane": ["F∘f", "F̂∘W_V∘f̂", "|x|", "second coordinate"],
    "spectrum": [RAW, CENTRED, "rank 2", "k", "singular value"],
    "progress": [*ERRORS.values(), "agreement", "training step"],
    "error": ["d = 1", "d = 2", "d + 1 = 2", "d + 1 = 3", "MSE / Var(y): best seed, median, worst"],
    "agreement": ["d = 1", "d + 1 = 3", "agreement, median of the seeds"],
    "figure": [LEARNED, "x(0)", "F∘f(x)"],
}


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("name", WORDS)
def test_a_figure_says_what_it_shows_without_a_network(name, palette):
    json.dumps(charts(palette)[name].to_dict(), allow_nan=False)
    picture = export(charts(palette)[name], "svg", title="A title", footer="one seed").decode()
    assert picture.startswith("<svg") and "NaN" not in picture
    for word in ["A title", "one seed", *WORDS[name]]:
        assert f">{word}<" in picture, word


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_weights_are_on_one_scale_and_differences_on_one_around_0(palette):
    learned, ideal, gap = charts(palette)["matrices"].to_dict()["hconcat"]
    for panel in (learned, ideal):
        scale = panel["encoding"]["color"]["scale"]
        ends = [palette.paper, palette.accent]
        assert scale == {"domain": [0, 1], "range": ends, "interpolate": "rgb"}
    scale = gap["encoding"]["color"]["scale"]
    assert scale["domain"] == pytest.approx([-0.075, 0.075])
    assert scale["range"] == list(palette.diverging)
    assert charts()["matrices"].to_dict()["resolve"]["scale"]["color"] == "independent"
    assert learned["encoding"]["x"]["field"] == "s" and learned["encoding"]["y"]["field"] == "t"


def test_a_perfect_head_has_a_difference_without_a_colour():
    table = tables()["matrices"].copy()
    table.loc[table["matrix"] == DIFFERENCE, "weight"] = 0.0
    gap = attention.matrices_chart(table).to_dict()["hconcat"][2]
    assert gap["encoding"]["color"]["scale"]["domain"] == [-0.001, 0.001]


def test_designed_and_learned_values_have_the_same_axis_with_all_of_them():
    line, dots = charts()["values"].to_dict()["layer"]
    x, y = (dots["encoding"][axis]["scale"]["domain"] for axis in "xy")
    assert x == y and x[0] < 0 and x[1] > 1.2, "the largest of either"
    assert line["encoding"]["x"]["scale"]["domain"] == x
    assert dots["encoding"]["shape"]["scale"]["range"] == ["circle", "square"], "not colour alone"


def test_a_single_coordinate_needs_no_legend():
    table = tables()["values"].assign(coordinate="coordinate 1")
    dots = attention.values_chart(table, LIGHT).to_dict()["layer"][1]
    assert "scale" not in dots["encoding"]["color"]


def test_the_plane_is_covered_and_its_ends_are_those_of_the_cells():
    spec = charts()["plane"].to_dict()["spec"]
    assert spec["encoding"]["x"]["scale"]["domain"] == [-1, 1]
    assert spec["encoding"]["color"]["scale"]["domain"][0] == 0
    assert spec["encoding"]["color"]["scale"]["clamp"], "a value below 0 has the colour of 0"


def test_the_rank_is_marked_between_two_singular_values():
    spectrum = charts()["spectrum"].to_dict()
    rule, words = spectrum["layer"][:2]
    assert rule["mark"]["type"] == "rule" and words["encoding"]["text"] == {"value": "rank 2"}
    assert spectrum["datasets"][rule["data"]["name"]] == [{"at": 2.5}]
    alone = tables()["spectrum"].query("spectrum == @RAW")
    dots = attention.spectrum_chart(alone, 3, "rank 3", LIGHT).to_dict()["layer"][2]
    assert dots["encoding"]["fill"]["scale"]["domain"] == [RAW]


def test_what_is_cut_off_is_faint_and_the_knife_stands_before_it():
    table = tables()["spectrum"].query("spectrum == @RAW").assign(kept=[True, True, False])
    layers = attention.spectrum_chart(table, 2, "rank 2", LIGHT).to_dict()
    opacity = layers["layer"][2]["encoding"]["opacity"]
    assert opacity == {"condition": {"test": "datum.kept", "value": 1}, "value": 0.3}
    knife, words = layers["layer"][3:]
    assert layers["datasets"][knife["data"]["name"]] == [{"at": 2.5}]
    assert words["encoding"]["text"] == {"value": "cut to k = 2"}
    whole = attention.spectrum_chart(table.assign(kept=True), 2, "rank 2", LIGHT).to_dict()
    assert len(whole["layer"]) == 3


def test_the_locked_row_is_framed_and_the_lines_of_the_others_are_faint():
    table = tables()["matrices"].assign(lit=lambda of: of["t"] == 1)
    for panel in attention.matrices_chart(table).to_dict()["hconcat"]:
        assert panel["layer"][1]["transform"] == [{"filter": "datum.lit"}]
    lines = attention.graph_chart(table.query("weight > 0"), TAU, LIGHT).to_dict()["hconcat"][0]
    opacity = lines["layer"][0]["encoding"]["strokeOpacity"]
    assert opacity["condition"]["test"] == "datum.lit" and opacity["value"] < 0.1


def test_the_step_that_is_looked_back_at_is_marked():
    panels = progress_chart(tables()["progress"], LIGHT, 10).to_dict()["vconcat"]
    assert all(panel["layer"][-1]["mark"]["type"] == "rule" for panel in panels)


def test_agreement_is_read_from_0_to_1_and_errors_on_a_log_axis():
    above, below = charts()["progress"].to_dict()["vconcat"]
    assert above["layer"][0]["encoding"]["y"]["scale"]["type"] == "log"
    assert below["layer"][0]["encoding"]["y"]["scale"]["domain"] == [0, 1]
    steps = [part["layer"][0]["encoding"]["x"]["scale"]["domain"] for part in (above, below)]
    assert steps[0] == steps[1], "the steps stand over each other"


@pytest.mark.parametrize(("measure", "log"), [("error", True), ("agreement", False)])
def test_widths_and_knees_share_an_axis(measure, log):
    layers = charts()[measure].to_dict()["layer"]
    marks = [layer["mark"]["type"] for layer in layers]
    assert marks == ["rule", "text"] * 2 + ["rule", "tick"] * log + ["line", "point"]
    assert (layers[-1]["encoding"]["y"]["scale"].get("type") == "log") == log
    domains = {tuple(layer["encoding"]["x"]["scale"]["domain"]) for layer in layers}
    assert domains == {(0.6, 3.4)}
    names = layers[-1]["encoding"]["color"]["scale"]["domain"]
    assert names == ["d = 1", "d = 2"] == layers[0]["encoding"]["color"]["scale"]["domain"]


def test_a_width_that_several_groups_need_is_marked_once_and_in_no_colour_of_theirs():
    knees = tables()["knees"].assign(m_h=[2, 2], words="2 for both")
    layers = task_widths.width_chart(tables()["widths"], knees, "nMSE", LIGHT).to_dict()["layer"]
    marks = [layer["mark"]["type"] for layer in layers]
    assert marks == ["rule", "text", "rule", "tick", "line", "point"]
    assert [layer["encoding"]["color"] for layer in layers[:2]] == [{"value": LIGHT.grey}] * 2


def test_the_words_of_neighbouring_widths_do_not_overlap():
    first, second = (charts()["error"].to_dict()["layer"][i]["mark"]["dy"] for i in (1, 3))
    assert second - first > 12
    first, second = (charts()["agreement"].to_dict()["layer"][i]["mark"]["dy"] for i in (1, 3))
    assert first - second > 12, "upwards from the bottom"
