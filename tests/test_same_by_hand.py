"""Other representations of one H as they are moved by hand: what is drawn is what Eq. 17 makes of
them, the buttons find what theory finds, and a link names them."""

import json
from dataclasses import replace

import numpy as np
import pytest
from streamlit_pages import opened, sentences

from explorer.pages.design.view_same import (
    APART,
    BOUND,
    FAMILIES,
    M_H,
    families,
    same_drawing,
    same_said,
    same_view,
)
from explorer.pages.design.view_terms import terms_drawing
from explorer.pages.design.view_theory import bound_of, measures
from explorer.spec import CouplingSpec, compact
from explorer.theory import representations
from explorer.theory.design import Design
from explorer.theory.infima import together
from explorer.ui.selection import Selection, parse

SPECS = (
    CouplingSpec(),
    CouplingSpec(inner="tanh 4", outer="power 2", m_h=4),
    CouplingSpec(alpha=2.0, rank=6, left_basis="fourier", right_basis="legendre", m_h=3),
    CouplingSpec(inner="identity; power 2", outer="x2 - x1**2", m_h=2),
)
FORMULA = CouplingSpec(formula="-8*(u - v)**2 + u")
FF = 6.0
DRAWN = """
const curves = c.curvesOf(terms, ff);
const least = Object.fromEntries(
  curves.map(({ name, values }) => [name, c.leastAlong(values, terms.same.own)]),
);
return { least, sums: terms.same.positions.map((_, at) => c.sumOf(c.termsAt(terms, at), ff)) };
"""


def drawn(spec, name, along=None, ff=FF):
    design = Design(spec)
    bound, _ = bound_of(design)
    view = same_view(design, name, measures(design.bare), bound, ff, along)
    assert view
    return view, same_drawing(view)


@pytest.mark.parametrize("name", ["gauge", "scale", "shift"])
@pytest.mark.parametrize("spec", SPECS, ids=compact)
def test_what_the_hand_moves_is_the_bound_of_each_representation(javascript, spec, name):
    view, same = drawn(spec, name)
    terms = terms_drawing(spec, view.bound, FF, same)
    found = javascript("theorem", DRAWN, terms=terms, ff=FF)
    for at in (0, same["own"], len(same["positions"]) - 1):
        of = view.family.measures(same["positions"][at])
        bound = replace(view.bound, c_0=of.c_0, c_1=of.c_1, c_2=of.c_2)
        assert np.allclose(found["sums"][at], bound(M_H, 10**FF), rtol=1e-5)
    own = bound_of(Design(spec))[0](M_H, 10**FF)
    assert np.allclose(found["sums"][same["own"]], own, rtol=1e-4)
    for measure, best in view.least.items():
        at = found["least"]["bound" if measure == BOUND else measure]
        of = view.family.at(same["positions"][at])
        value = found["sums"][at][view.m - 1] if measure == BOUND else view.curves[measure](of)
        assert value == pytest.approx(best.value, rel=1e-5)


@pytest.mark.parametrize(
    ("spec", "name"),
    [(spec, name) for spec in (*SPECS, FORMULA) for name in families(spec)],
)
def test_each_family_says_that_h_stays(spec, name):
    view, same = drawn(spec, name)
    assert max(same["off"]) < 1e-12 and same["positions"] == sorted(same["positions"])
    assert same["positions"][same["own"]] == view.family.own == view.position
    assert view.family.letter in " ".join(same_said(Design(spec), view, FF))
    assert not set(view.curves) & set(view.standing)


def test_what_moves_along_each_family():
    both = CouplingSpec(inner="identity; power 2", outer="x1*x2")
    moves = {name: [*drawn(CouplingSpec(), name)[0].curves] for name in families(CouplingSpec())}
    moves["rotation"] = [*drawn(both, "rotation")[0].curves]
    assert moves == {
        "gauge": ["C₁", "‖ρ − ρ_{8}‖", "C₂(8)"],
        "scale": ["C₂(8)", "C_{FF}(F)", "C_{FF}(f)"],
        "shift": ["C₀"],
        "rotation": ["C₂(8)", "C_{FF}(f)"],
        "monotone": ["C₁", "‖ρ − ρ_{8}‖"],
    }


def test_families_of_the_page_are_those_of_the_theory():
    assert [*FAMILIES] == [*representations.FAMILIES]


def test_without_a_bound_the_measures_are_drawn_alone():
    view, same = drawn(FORMULA, "gauge")
    assert view.bound is None and same["first"] == same["second"] == []
    terms = terms_drawing(FORMULA, None, None, same)
    assert terms["first"] == [] and terms["same"]["marks"][1]["text"] == "ρ as written"
    invisible = Design(CouplingSpec(formula="u"))
    assert same_view(invisible, "gauge", measures(invisible.bare)) is None


def test_three_infima_are_below_what_one_representation_has():
    """Where the coupling counts no gauge has both: C₁ asks for γ = 0, C₂ for γ above σ_m."""
    spec = CouplingSpec()
    design = Design(spec)
    bound, _ = bound_of(design)
    found = measures(design.bare)
    for m_ff in (10.0, 1e10, 1e30):
        of = together(design, found, bound, 8, m_ff)
        assert of.apart <= of.at_once * (1 + 1e-9)
        gauge = representations.family_of("gauge", design.bare, found)
        for position in gauge.positions(21):
            at = gauge.measures(position)
            c_0 = max(at.c_0 / 2, 1.0)  # f − ½ in place of f
            one = replace(bound, c_0=c_0, c_1=at.c_1, c_2=at.c_2)(8, m_ff)
            assert one >= of.at_once * (1 - 1e-6)
    parted = together(design, found, bound, 8, 1e9)
    assert parted.at_once > APART * parted.apart


def test_a_link_names_a_representation():
    view = json.dumps({"same": "shift", "along": 0.5, "ff": FF})
    text = sentences(opened("design", view=view))
    assert "At b = 0.500: C₀ = 1.41" in text
    assert "At γ = 0.400" in sentences(opened("design", view='{"along":0.4}'))
    assert "At γ" not in sentences(opened("design"))


@pytest.mark.parametrize("field", ['"same":"reflection"', '"along":1e9', '"along":"far"'])
def test_what_is_no_representation_is_refused(field):
    _, problems = parse(f"{{{field}}}", Selection)
    assert problems
