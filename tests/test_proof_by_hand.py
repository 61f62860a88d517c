"""The proof of Theorem 4.1 under the hand: at rest the page's own numbers, moved those of a design
with such σ_k."""

import numpy as np
import pytest

from explorer.pages.design.view_losses import losses_view
from explorer.pages.design.view_terms import proof_drawing
from explorer.pages.design.view_theory import measures
from explorer.spec import CouplingSpec, compact
from explorer.theory.design import Design
from explorer.theory.losses import losses

SPECS = (
    CouplingSpec(),
    CouplingSpec(tau=64, alpha=2.0, m_h=4, m_ff=64),
    CouplingSpec(rank=6, m_h=3, tau=2),
    CouplingSpec(rank=6, m_h=8),
    CouplingSpec(left_basis="haar", right_basis="haar", rank=8, m_h=3),
    CouplingSpec(formula="exp(-3*abs(u - v))", m_h=4),
    CouplingSpec(spectrum="list", sigma=(0.5, 2.0, 0.1), m_h=1),
    CouplingSpec(depth=1, m_h=4),
)
MADE = """
const packed = ([name, { shape, values }]) => [name, { shape, values: Float32Array.from(values) }];
const of = Object.fromEntries(Object.entries(arrays).map(packed));
const own = c.meansOf(of, proof.sigma, proof.m);
const at = (sigma) => c.levelsAt(proof, of, sigma, own);
return { own, rest: at(proof.sigma), moved: at(sigma), exact: c.levelsOf(proof, sigma, means) };
"""


def drawn(spec, form="printed", alpha=None):
    design = Design(spec)
    found = measures(design.bare, alpha)
    view = losses_view(design, found, form)
    assert view is not None
    return proof_drawing(design, view, form)


def asked(javascript, proof, arrays, sigma, means):
    plain = {
        name: {"shape": each.shape, "values": each.ravel().tolist()}
        for name, each in arrays.items()
    }
    return javascript(
        "theorem", MADE, proof=proof, arrays=plain, sigma=list(sigma), means=list(means)
    )


def told(steps):
    return [steps[0].before, *(step.after for step in steps)]


@pytest.mark.parametrize("form", ["printed", "squared", "absolute"])
@pytest.mark.parametrize("spec", SPECS, ids=compact)
def test_at_rest_it_is_the_page(javascript, spec, form):
    proof, arrays = drawn(spec, form)
    found = asked(javascript, proof, arrays, proof["sigma"], proof["levels"][:5])
    np.testing.assert_allclose(found["rest"], proof["levels"], rtol=1e-9)
    assert len(proof["steps"]) == len(proof["levels"]) - 1
    np.testing.assert_allclose(found["own"], proof["levels"][:5], rtol=0.6, atol=1e-12)


@pytest.mark.parametrize("form", ["printed", "absolute"])
@pytest.mark.parametrize(
    "sigma", [(1.0, 0.9, 0.4, 0.2, 0.15, 0.1), (0.2, 0.5, 0.33, 0.25, 0.9, 0.1)]
)
def test_moved_it_is_the_design_with_these_values(javascript, sigma, form):
    """Also where one has passed another: the first terms are the largest. The means over sequences
    are given, as those of the other design; the browser's own are near them."""
    base = CouplingSpec(rank=6, alpha=1.0, m_h=3)
    proof, arrays = drawn(base, form, alpha=1.0)
    other = Design(base.model_copy(update={"spectrum": "list", "sigma": sigma, "rank": None}))
    expected = told(losses(other, measures(other.bare, 1.0), form))
    found = asked(javascript, proof, arrays, sigma, expected[:5])
    np.testing.assert_allclose(found["exact"], expected, rtol=1e-9)
    np.testing.assert_allclose(found["moved"][:5], expected[:5], rtol=0.15)
    np.testing.assert_allclose(found["moved"][5:], expected[5:], rtol=1e-9)


def test_what_is_not_smooth_has_no_networks():
    proof, _ = drawn(CouplingSpec(left_basis="haar", right_basis="haar", rank=8, m_h=3))
    assert proof["networks"] is None and len(proof["levels"]) == 10


def test_the_sequences_are_few_whatever_their_length():
    for tau in (2, 16, 64):
        _, arrays = drawn(CouplingSpec(tau=tau))
        assert arrays["keys"].shape[:2] == (min(512 // tau, 128), tau)
        assert sum(each.size for each in arrays.values()) < 60_000
