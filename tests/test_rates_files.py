"""Files of a sweep hold what its canvas shows, in each norm and statistic."""

import pytest

from explorer.charts import LIGHT
from explorer.pages.rates import take_home, view
from explorer.pages.rates.view_drawing import rates_drawing
from explorer.pages.rates.view_text import alpha_name, rank_name
from explorer.views import sweeps


@pytest.mark.parametrize("norm", ["mse", "mae"])
@pytest.mark.parametrize("statistic", ["median", "best"])
@pytest.mark.parametrize("all_lines", [False, True])
def test_the_table_of_a_sweep_is_what_is_drawn(norm, statistic, all_lines):
    found = sweeps.shipped("fig1")
    shown = view.rates_view(found, norm, statistic, all_lines)
    table = view.drawn(shown.groups, norm, shown.all_lines)
    beside = {"exact tail of ρ", "rank-optimal kernel"}
    assert beside & set(table["line"]) == (beside if all_lines else set())
    lines = {
        "trained": "line",
        "truncation": "floor",
        "exact tail of ρ": "tail",
        "rank-optimal kernel": "optimum",
    }
    for panel in rates_drawing(found, shown)["panels"]:
        for series in panel["series"]:
            of = table[
                (table["alpha"] == alpha_name(series["cell"]["alpha"]))
                & (table["rank"] == rank_name(series["rank"]))
            ]
            for name, key in lines.items():
                part = of[of["line"] == name].dropna(subset="error")
                drawn = [(m, e) for m, e in part[["m_h", "error"]].itertuples(index=False) if e > 0]
                assert drawn == [tuple(pair) for pair in series[key]], (name, series["name"])
            seeds = {(p["m_h"], p["error"]) for p in series["points"]}
            ends = of[of["line"] == "trained"]
            assert all(
                {(m, low), (m, high)} <= seeds
                for m, low, high in ends[["m_h", "best", "worst"]].itertuples(index=False)
            )


@pytest.mark.parametrize(
    ("norm", "units"), [("mse", ("Var(y)", "Σ σ_k²")), ("mae", ("y", "√(Σ σ_k²)"))]
)
def test_every_error_of_a_sweep_has_its_unit(norm, units):
    shown = view.rates_view(sweeps.shipped("fig1"), norm, "median")
    table = view.drawn(shown.groups, norm, all_lines=True)
    tail = table["line"] == "exact tail of ρ"
    assert set(table["unit"][~tail]) == {units[0]} and set(table["unit"][tail]) == {units[1]}


def test_the_equation_of_the_figure_is_told():
    assert "Eq. 17" in take_home.EXPLAINED and "Theorem 4.1" in take_home.EXPLAINED


@pytest.mark.parametrize(
    ("all_lines", "names"),
    [
        (False, ["truncation", "theory"]),
        (True, ["truncation", "rank-optimal kernel", "exact tail of ρ", "theory"]),
    ],
)
def test_the_figure_has_and_names_the_lines_of_the_page(all_lines, names):
    found = sweeps.shipped("fig1")
    figure, about = take_home._figures(found, view.rates_view(found, "mse", "median", all_lines))[
        "rates"
    ]
    chart = figure(LIGHT).to_dict()
    legends = [
        layer["encoding"]["strokeDash"]["scale"]["domain"]
        for panel in chart["hconcat"]
        for layer in panel["layer"]
        if "strokeDash" in layer["encoding"]
    ]
    assert legends == [names, names]
    assert set(about.table["line"]) == {"trained", *names}
    assert (r"\sum_{k>m}" in about.explain) == all_lines and "^{-(2\\alpha-1)}$" in about.explain
