"""Theorem 4.1 on the page: numbers, sentences, what is not available, and the chart."""

import json
import math
import struct

import altair as alt
import numpy as np
import pytest
import vl_convert
from theory_designs import SPECS, boxes, font_sizes, load

from explorer.charts import DARK, LIGHT
from explorer.charts.axes import SIZES
from explorer.charts.export import export
from explorer.pages.design.chart_theory import NAME, bound_chart
from explorer.pages.design.theory import figure
from explorer.pages.design.view_theory import (
    FORMS,
    HELP,
    LIMIT,
    dominance,
    many,
    theory_view,
)
from explorer.pages.design.view_theory_latex import tex
from explorer.spec import CouplingSpec
from explorer.theory.bound import Bound, BoundAt, ModelDims, optimum, parameters
from explorer.theory.design import Design

AVAILABLE = ("default", "fast", "finite", "legendre")


def view(name, **options):
    return theory_view(Design(SPECS[name], load if name == "samples" else None), **options)


def chart(found, palette=LIGHT):
    return bound_chart(found.table, found.along, found.points, found.trivial, palette)


def test_the_default_design():
    found = view("default")
    second = (2 + 2 * math.sqrt(2) * math.pi * 72) * 8**1.5 / 128**0.5
    assert found.facts == {"C₀": "2.83", "α": "1 (designed)", "C₁": "1.00", "C₂(8)": "642"}
    assert found.here.bound == pytest.approx(256 * 2 * math.sqrt(2) * (1 / 8 + second))
    assert (found.optimum.m_h, found.optimum.m_ff) == (1, 128)
    assert found.budget == found.here.parameters == 43_297 and found.trivial.most == 8
    assert found.missing == ()


def test_the_table_is_the_bound():
    found = view("default")
    assert list(found.table) == ["m_h", "m_ff", "line", "bound", "first", "second"]
    row = found.table[(found.table["m_h"] == 3) & (found.table["m_ff"] == 1e4)].iloc[0]
    second = (2 + 2 * math.sqrt(2) * math.pi * 12) * 3**1.5 / 100
    assert row["bound"] == pytest.approx(256 * 2 * math.sqrt(2) * (1 / 3 + second))
    assert row["line"] == "m_FF = 10⁴"
    limit = found.table[found.table["line"] == LIMIT]
    assert np.array_equal(limit["bound"], limit["first"]) and not limit["second"].any()
    assert np.allclose(found.table["bound"], found.table["first"] + found.table["second"])


@pytest.mark.parametrize("budget", [5_000, 43_297, 10**9, 10**14])
def test_the_optimum_is_the_lowest_point_along_the_budget(budget):
    found = view("default", budget=budget)
    assert found.optimum.bound == pytest.approx(found.along["bound"].min())
    assert (found.along["parameters"] <= budget).all()
    count = parameters(ModelDims(32, 32, 3).widened(5), 5, int(found.along["m_ff"][4]))
    assert found.along["parameters"][4] == count
    assert found.points["name"].tolist() == ["here", "optimum"]


def test_a_larger_budget_moves_the_optimum():
    assert view("default", budget=10**14).optimum.m_h > view("default").optimum.m_h


def test_the_next_width_is_where_the_sentence_says():
    """m_h = 2 comes from 10^10.5 parameters on, not from 10^10."""
    text = view("default").sentences[1]
    assert "smallest at m_h = 1, m_FF = 128" in text and "would choose m_h = 2" in text
    assert "3·10¹⁰" in text and f"With {many(43_297)} parameters" in text
    bound = Bound(16, 2 * math.sqrt(2), 1.0, 1.0, view_c_2())
    found = [optimum(bound, ModelDims(32, 32, 3), int(10**power)).m_h for power in (10, 10.5)]
    assert found == [1, 2]


def view_c_2():
    k = np.arange(65)
    return 2 + 2 * math.sqrt(2) * math.pi * k * (k + 1)


@pytest.mark.parametrize("name", SPECS)
def test_every_design_has_a_view(name):
    found = view(name)
    assert bool(len(found.table)) == (name in AVAILABLE) == (found.here is not None)
    assert bool(found.missing) != (name in AVAILABLE)
    assert any(fact.startswith("C₀") for fact in found.facts) and found.facts["C₁"]
    assert {"C_0", "C_1"} <= set(found.latex) and ("bound" in found.latex) == (name in AVAILABLE)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("haar", "jump"),
        ("slow", "≤ ½ gives no rate"),
        ("formula", "known as numbers only"),
        ("invisible", "known as numbers only"),
        ("samples", "known as numbers only"),
        ("one layer", "no hidden layer"),
    ],
)
def test_what_is_not_available_says_why(name, why):
    found = view(name)
    assert any(why in reason for reason in found.missing)
    assert found.optimum is None and found.sentences == ()


def test_a_formula_still_has_its_coupling_measured():
    facts = view("formula").facts
    assert facts["α"].endswith("(fitted)") and "k ≥ 4" in facts["fitted α"]
    assert float(facts["C₁ at fitted α"]) > 0 and facts["C₂(8)"] == "not available"
    assert "any α" in view("invisible").facts["α"]


def test_a_given_alpha():
    found = view("default", alpha=0.75)
    assert found.facts["α"] == "0.75 (given)" and "1.000" in found.facts["fitted α"]
    assert found.here.first == pytest.approx(256 * 2 * math.sqrt(2) * 8**-0.5)
    assert "Empty the field" in view("slow", alpha=0.5).missing[0]


@pytest.mark.parametrize(("alpha", "bounded"), [(0.05, False), (0.5, False), (0.51, True)])
def test_a_given_alpha_up_to_one_half_leaves_no_bound_and_that_is_said(alpha, bounded):
    """Also where the coupling's sum ends: C₁^(α) is there, a bound that falls with m_h is not."""
    found = view("finite", alpha=alpha)
    assert found.facts["α"] == f"{alpha:g} (given)" and found.facts["C₁"] == "1.00"
    assert (found.here is not None) == bool(found.marked()) == bounded
    said = [
        reason
        for reason in found.missing
        if f"α = {alpha:g} ≤ ½ gives no rate: the bound" in reason
    ]
    assert len(said) == (not bounded) and "need not converge" not in "".join(found.missing)


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_the_first_term(form):
    expected = {"printed": 8**-3, "squared": 8**-3 / 3, "absolute": 8**-1.5 / math.sqrt(3)}[form]
    found = theory_view(Design(CouplingSpec(alpha=2.0)), form=form)
    assert found.here.first == pytest.approx(256 * 2 * math.sqrt(2) * expected)
    assert any("Eq. 17 prints" in sentence for sentence in found.sentences)


def test_a_budget_too_small_or_too_large():
    small = view("default", budget=100)
    assert small.optimum is None and "smallest model has" in small.missing[0]
    assert small.along.empty and len(small.table) and len(small.sentences) == 3
    assert view("default", budget=10**30).budget == 10**18


def point(first, second):
    return BoundAt(4, 128, first + second, first, second, 1000)


def test_dominance_in_words():
    bound = view("default").bound
    assert "feed-forward term dominates (1000 times" in dominance(bound, point(1.0, 1000.0))
    assert "coupling's term dominates (50 times" in dominance(bound, point(50.0, 1.0))
    assert "of one size" in dominance(bound, point(1.0, 1.5))
    assert "∞ times" in dominance(bound, point(0.0, 1.0))


@pytest.mark.parametrize("m_h", [1, 2, 3, 8, 64])
@pytest.mark.parametrize("fields", [{}, {"c": 20, "alpha": 0.51}, {"c": 10}, {"rank": 3}], ids=str)
def test_what_is_said_to_lower_the_bound_lowers_it(fields, m_h):
    for m_ff in (1, 128, 1024):
        seen = theory_view(Design(CouplingSpec(**fields, m_h=m_h, m_ff=m_ff)))
        lowers = seen.sentences[0].split(", and ")[1]
        at = {m: float(seen.bound(m, m_ff)) for m in (m_h - 1, m_h, m_h + 1) if m}
        best = min(at, key=at.get)
        assert ("larger m_h" in lowers) == (best > m_h)
        assert ("smaller m_h" in lowers) == (best < m_h)
        assert "larger m_FF" in lowers or "or m_FF" in lowers


@pytest.mark.parametrize(
    ("fields", "alpha", "ends"),
    [
        ({}, None, ["C₀", "C₁"]),
        ({}, 0.9, ["C₀", "C₁"]),
        ({}, 3.0, ["C₀", "C₁ of 64 terms (∞ of all)"]),
        ({"rank": 8}, 3.0, ["C₀", "C₁"]),
        ({"left_basis": "legendre"}, None, ["C₀ of 64 terms (∞ of all)", "C₁"]),
        ({"right_basis": "haar", "rank": 8}, None, ["C₀", "C₁"]),
    ],
    ids=str,
)
def test_a_measure_that_is_infinite_of_all_terms_is_said_of_those_that_are_computed(
    fields, alpha, ends
):
    seen = theory_view(Design(CouplingSpec(**fields)), alpha=alpha)
    assert [name for name in seen.facts if name[:2] in ("C₀", "C₁")][:2] == ends
    marks = [r"\sup_{k\le64}" in seen.latex["C_0"], r"\max_{k\le64}" in seen.latex["C_1"]]
    assert marks == ["of all" in name for name in ends]


def test_the_bound_may_grow_but_not_the_error():
    assert any("pertains to the bound only" in sentence for sentence in view("fast").sentences)


@pytest.mark.parametrize("name", SPECS)
def test_a_complexity_of_one_representation_is_a_bound(name):
    """Eqs. 12, 14 and 15 are infima over all (F, f, ρ) that give H; the number is of one."""
    found = view(name)
    named = [found.latex[key] for key in ("C_0", "C_1", "C_2") if key in found.latex]
    assert len(named) >= 2 and all(r"\le" in formula for formula in named)
    letters, _, number = found.latex["C_1"].rpartition("=")
    assert r"\le" in letters and "=" not in letters and number


@pytest.mark.parametrize("name", SPECS)
@pytest.mark.parametrize("form", FORMS)
def test_latex_is_balanced_and_holds_the_numbers(name, form):
    found = view(name, form=form)
    for formula in found.latex.values():
        assert formula.count("{") == formula.count("}")
        assert formula.count(r"\Bigl(") == formula.count(r"\Bigr)")
    if "bound" in found.latex:
        assert found.latex["value"].endswith(f"={tex(found.here.bound)}")
        assert rf"{SPECS[name].tau}^2\cdot" in found.latex["numbers"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (2.8284, "2.83"),
        (641.8, "642"),
        (14793.7, "14800"),
        (1.0, "1"),
        (0.01, "0.01"),
        (929480.0, r"9.29\cdot10^{5}"),
        (3e-7, r"3\cdot10^{-7}"),
        (math.inf, r"\infty"),
    ],
)
def test_numbers_in_latex(value, text):
    assert tex(value) == text


def test_many():
    assert many(128) == "128" and many(43_297) == "43\u202f297" and many(2_236_050) == "2.24·10⁶"


def test_help_names_its_source():
    assert "Barron" in HELP and "1993" in HELP and "Eq. 14" in HELP


@pytest.mark.parametrize("palette", [LIGHT, DARK])
@pytest.mark.parametrize("name", AVAILABLE)
def test_the_chart(name, palette):
    found = view(name)
    spec = chart(found, palette).to_dict()
    assert min(font_sizes([spec, SIZES])) >= 12
    drawn = json.dumps(spec, ensure_ascii=False)
    limit = LIMIT.removeprefix(NAME)
    for text in ("optimum", "here", limit, "mꜰꜰ", "mₕ, attention width"):
        assert f'"{text}"' in drawn
    assert "always answering ½" in drawn
    assert palette.second in drawn and palette.grey in drawn


def test_every_drawn_value_is_inside_the_axes():
    """Also the curve of a budget below the lowest line, and m_h at its greatest."""
    budget = parameters(ModelDims(32, 32, 3).widened(32), 32, 5)
    found = theory_view(Design(CouplingSpec(m_h=64, m_ff=2)), budget=budget)
    lines = chart(found).to_dict()["layer"][2]["encoding"]
    low, high = lines["y"]["scale"]["domain"]
    drawn = (
        found.table["bound"],
        found.along["bound"],
        found.points["bound"],
        [found.trivial.most],
    )
    values = np.concatenate(drawn)
    assert found.along["bound"].max() > found.table["bound"].max()
    assert low <= values.min() and values.max() <= high
    left, right = lines["x"]["scale"]["domain"]
    assert left < 1 and right > 64


@pytest.mark.parametrize("width", [230, 450, 680])
@pytest.mark.parametrize("budget", [None, 10**3, 10**12, 10**18])
def test_no_word_of_the_chart_leaves_it_however_narrow(width, budget):
    """The axes of a page of 390, 1024 and 1280 pixels; 70 pixels are those of the axis at the
    left."""
    drawn = chart(view("default", budget=budget)).properties(width=width)
    found = boxes(vl_convert.vegalite_to_svg(drawn.to_dict()))
    assert {"here", "mꜰꜰ", "= 10⁴"} <= {text for text, *_ in found}
    for text, left, right in found:
        assert left >= -5 and right <= width + 90, (text, left, right)


@pytest.mark.parametrize("form", FORMS)
def test_the_figure_goes_home_with_budget_form_and_optimum(form):
    spec = SPECS["fast"]
    found = theory_view(Design(spec), budget=10**6, form=form)
    build, _, about = figure(spec, found)
    table = about.table
    assert set(table["form"]) == {FORMS[form]} and set(table["budget"]) == {10**6}
    for name, at in (("here", found.here), ("optimum", found.optimum)):
        row = table[table["series"] == name].iloc[0]
        assert (row["m_h"], row["m_ff"], row["bound"]) == (at.m_h, at.m_ff, at.bound)
    drawn = json.dumps(build(LIGHT).to_dict(), ensure_ascii=False)
    fixed = table[table["series"] == "m_FF fixed"]["bound"]
    along = table[table["series"] == "along the budget"]["bound"]
    assert fixed.tolist() == found.table["bound"].tolist() and len(along) == len(found.along)
    assert all(str(value) in drawn for value in [*fixed, *along])
    assert FORMS[form] in about.footer and "computed, not trained" in about.footer
    assert "optimum, the least with 1.00·10⁶ parameters" in about.footer
    assert "Eq. 17" in about.explain
    assert export(build(LIGHT), "svg", title=about.title, footer=about.footer).startswith(b"<svg")


@pytest.mark.parametrize("name", ["default", "haar"])
def test_the_chart_is_rendered(name):
    """As PNG, in its true size; without a bound there are only axes and the rule."""
    drawn: alt.LayerChart = chart(view(name)).properties(width=640)
    png = vl_convert.vegalite_to_png(drawn.to_dict())
    width, height = struct.unpack(">II", png[16:24])
    assert png.startswith(b"\x89PNG") and width > 640 and height > 380
