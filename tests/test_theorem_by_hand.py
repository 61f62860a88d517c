"""The two errors in the bound of Theorem 4.1 as they are turned by hand: those of the theorem."""

import re

import numpy as np
import pytest
from streamlit_pages import opened, sentences

from explorer.pages.design.view_terms import LIMITS, least_said, terms_drawing
from explorer.pages.design.view_theory import FORMS, bound_of
from explorer.spec import CouplingSpec, compact
from explorer.theory.design import WIDTHS, Design
from explorer.ui.selection import Selection, parse

SPECS = (
    CouplingSpec(),
    CouplingSpec(alpha=2.0, m_h=64, m_ff=4, tau=64),
    CouplingSpec(rank=6, m_h=1, m_ff=1024, tau=2),
    CouplingSpec(spectrum="exponential", left_basis="fourier", right_basis="legendre", rank=8),
    CouplingSpec(spectrum="list", sigma=(0.5, 0.0, 2.0, 0.1), m_h=3),
)


def bound_at(spec, form="printed"):
    bound, missing = bound_of(Design(spec), form)
    assert bound is not None, missing
    return bound


M_H = np.arange(1, WIDTHS + 1)
TURNED = """
const sum = c.sumOf(terms, ff);
return { sum, least: c.leastOf(sum), back: c.ffThrough(terms, 7, c.networksTerm(terms, ff)[6]) };
"""


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("spec", SPECS, ids=compact)
def test_the_sum_that_is_turned_is_the_bound(javascript, spec, form):
    bound = bound_at(spec, form)
    for ff in (None, LIMITS[0], 4.37, LIMITS[1]):
        drawing = terms_drawing(spec, bound, ff)
        found = javascript("theorem", TURNED, terms=drawing, ff=drawing["ff"])
        expected = bound(M_H, 10 ** drawing["ff"])
        assert np.allclose(found["sum"], expected, rtol=1e-5)
        assert expected[found["least"] - 1] == pytest.approx(expected.min(), rel=1e-5)
        assert found["back"] == pytest.approx(drawing["ff"], abs=1e-9)
        at = re.search(r"m_h = (\d+)", least_said(spec, bound, drawing["ff"]))[1]
        assert expected[int(at) - 1] == expected.min()


def test_wider_networks_ask_for_no_narrower_head():
    """Σ_k of both errors at once: the second falls at every m_h, most where it is large."""
    for spec in SPECS:
        bound = bound_at(spec)
        least = [int(np.argmin(bound(M_H, 10**ff))) for ff in np.arange(1, 12.1, 0.5)]
        assert least == sorted(least), spec


def test_a_link_that_names_m_ff_opens_where_it_is_drawn():
    bound = bound_at(CouplingSpec())
    text = sentences(opened("design", view='{"ff":7.0}'))
    assert "the bound is least at" in text
    assert least_said(CouplingSpec(), bound, 7.0).split(": ")[1] in text
    assert "the bound is least at" not in sentences(opened("design"))


@pytest.mark.parametrize("ff", ["0.5", "13", '"wide"', "true"])
def test_an_m_ff_that_cannot_be_drawn_is_refused(ff):
    _, problems = parse(f'{{"ff":{ff}}}', Selection)
    assert problems and "ff" in problems[0]
