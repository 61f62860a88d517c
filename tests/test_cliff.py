"""The cliff: why the error falls to 0 at the rank, in words, on canvases and in figures alike."""

import pytest

from explorer.charts.export import export
from explorer.charts.palette import LIGHT
from explorer.pages.design.view import cliff_of
from explorer.pages.rates.chart import rates_chart
from explorer.pages.rates.view import drawn, falls, lines, points, rates_view
from explorer.pages.rates.view_drawing import rates_drawing
from explorer.pages.train.view import width_beside
from explorer.spec import CouplingSpec
from explorer.theory.design import Design
from explorer.views.series import TRUNCATION
from explorer.views.sweeps import shipped
from explorer.views.text import cliff, held


@pytest.mark.parametrize("rank", [2, 3, 6, 16, 40])
def test_a_designed_rank_says_what_the_width_before_it_leaves(rank):
    said = cliff_of(Design(CouplingSpec(rank=rank, alpha=1.0)))
    assert said.startswith(f"Width {rank - 1} holds {rank - 1} of {rank} σ; what is left is σ")
    assert said.endswith(f". At {rank} nothing is left but training error.")


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (
            CouplingSpec(rank=6, alpha=2.0),
            "Width 5 holds 5 of 6 σ; what is left is σ₆ = 0.028. "
            "At 6 nothing is left but training error.",
        ),
        (CouplingSpec(rank=1), "Width 1 holds the only σ: nothing is left but training error."),
        (CouplingSpec(), ""),
        (CouplingSpec(formula="exp(-abs(u-v))"), ""),
        (CouplingSpec(formula="u"), ""),
        (
            CouplingSpec(spectrum="list", sigma=(0.1, 0.0, 3.0)),
            "Width 1 holds 1 of 2 σ; what is left is σ₂ = 0.10. "
            "At 2 nothing is left but training error.",
        ),
    ],
    ids=str,
)
def test_it_is_of_the_centred_spectrum_and_silent_where_there_is_no_end(spec, said):
    assert cliff_of(Design(spec)) == said


def test_a_rank_found_by_the_pod_speaks_too():
    """−8 (u − v)² has three terms, of which softmax sees two."""
    said = cliff_of(Design(CouplingSpec(formula="-8*(u - v)**2")))
    assert said.startswith("Width 1 holds 1 of 2 σ; what is left is σ₂ = ")


def test_every_width_has_its_own_sentence():
    sigma = [1, 0.5, 0.25, 0.125]
    said = [held(sigma, 4, m) for m in (1, 2, 3, 4, 7)]
    assert "what is left is σ₂ = 0.50 to σ₄ = 0.13" in said[0]
    assert "σ₃ = 0.25 to σ₄" in said[1] and "left is σ₄ = 0.13." in said[2]
    assert said[3] == "Width 4 holds all 4 σ: nothing is left but training error."
    assert said[4].startswith("Width 7 holds all 4 σ")
    assert held(sigma, None, 3) == held(sigma, 0, 3) == cliff(sigma, None) == ""


@pytest.fixture(scope="module")
def figure_1():
    found = shipped("fig1")
    return found, rates_view(found, "mse", "median")


def test_the_drawing_of_a_sweep_has_the_sentence_of_each_width(figure_1):
    found, view = figure_1
    for panel in rates_drawing(found, view)["panels"]:
        for series in panel["series"]:
            assert len(series["why"]) == len(found.sweep.m_h)
            assert all(series["why"]) == (series["rank"] is not None)


def test_truncation_is_exactly_0_in_the_table_from_the_rank_on(figure_1):
    found, view = figure_1
    table = drawn(view.groups, "mse")
    floors = table[table["line"] == TRUNCATION]
    for rank in (2, 6):
        of_rank = floors[floors["rank"] == f"r = {rank}"]
        assert (of_rank[of_rank["m_h"] >= rank]["error"] == 0).all()
        assert (of_rank[of_rank["m_h"] < rank]["error"] > 0).all()
        assert of_rank["m_h"].max() == max(found.sweep.m_h)
    assert (floors[floors["rank"] == "r = ∞"]["error"] > 0).all()


def test_the_figure_has_a_lane_for_0_with_its_reason_and_the_falls(figure_1):
    _, view = figure_1
    table = falls(view.groups)
    assert {*table["rank"]} == {"r = 2", "r = 6"} and (table["above"] > 10 * table["below"]).all()
    chart = rates_chart(points(view.groups), lines(view.groups), "nMSE", LIGHT, table)
    svg = export(chart, "svg", title="T").decode()
    for words in ("0 from mₕ = r on", "a log axis has no 0", *table["words"], ">0<", ">5<", ">6<"):
        assert words in svg, words
    endless = [group for group in view.groups if group["rank"] is None]
    plain = rates_chart(points(endless), lines(endless), "nMSE", LIGHT, falls(endless))
    assert "in its own lane" not in export(plain, "svg", title="T").decode()


@pytest.mark.parametrize(
    ("rank", "m_h", "known", "width"),
    [
        (6, 5, {5}, 6),
        (6, 6, {6}, 5),
        (6, 2, {2}, 6),
        (6, 6, {5, 6}, 7),
        (1, 1, {1}, 2),
        (None, 8, {8}, 16),
        (None, 32, {32}, 16),
        (6, 6, {5, 6, 7}, None),
    ],
)
def test_the_width_to_compare_with_is_on_the_other_side_of_the_cliff(rank, m_h, known, width):
    assert width_beside(Design(CouplingSpec(rank=rank, m_h=m_h)), known) == width
