"""σ_k from the matrix at random tokens (Braun, 2005)."""

import numpy as np
import pytest
from streamlit_pages import opened, sentences

from explorer.pages.real.view_head import head_view, shipped_head
from explorer.pages.real.view_look import Look
from explorer.spec import CouplingSpec
from explorer.theory import sampled
from explorer.theory.design import Design
from explorer.theory.rates import power_fit
from explorer.views import sampled as view

SPECS = (
    CouplingSpec(),
    CouplingSpec(rank=6, alpha=2.0),
    CouplingSpec(formula="-abs(u-v)"),
    CouplingSpec(left_basis="haar", right_basis="haar", rank=4),
    CouplingSpec(spectrum="list", sigma=(0.1, 2.0, 0.0, 0.5)),
)


def exact_of(spec, centred=True):
    return Design(spec).decomposition(centred).sigma[: view.SHOWN]


def test_one_product_has_the_norms_of_its_functions_at_the_tokens():
    """σ̂₁ = |φ(x)| |ψ(x) − mean| σ₁ / τ, and nothing else."""
    spec = CouplingSpec(rank=1, c=3.0)
    coupling = Design(spec).coupling
    found = sampled.of_coupling(coupling, 2, draws=3, seed=5)
    rng = np.random.default_rng(5)
    for at, tau in enumerate(sampled.COUNTS):
        x = rng.random((3, tau))
        phi, psi = np.sqrt(2) * np.sin(2 * np.pi * x), np.sqrt(2) * np.sin(2 * np.pi * (x + 0.5))
        psi = psi - psi.mean(-1, keepdims=True)
        norms = np.linalg.norm(phi, axis=-1) * np.linalg.norm(psi, axis=-1)
        assert np.allclose(found.sigma[at, :, 0], 3.0 * norms / tau, rtol=1e-12)
        assert np.abs(found.sigma[at, :, 1]).max() < 1e-12


@pytest.mark.parametrize("centred", [True, False])
@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_they_walk_to_those_of_the_coupling_at_the_rate_of_a_mean(spec, centred):
    exact = exact_of(spec, centred)
    found = sampled.of_coupling(Design(spec).coupling, len(exact), centred=centred, draws=48)
    off = found.errors(exact)
    assert off[-1] < 0.08 and off[-1] < off[0] / 3
    late = power_fit(found.tau[2:], off[2:]).slope
    assert late == pytest.approx(-0.5, abs=0.15)


def test_without_the_division_or_with_the_other_centring_they_do_not():
    """The negative control: σ_k of another ρ, and a matrix that grows with τ."""
    spec = CouplingSpec(formula="u + 3*v", m_h=1)
    exact, found = (
        exact_of(spec, True),
        sampled.of_coupling(Design(spec).coupling, 2, centred=False),
    )
    assert found.errors(exact[:2])[-1] > 0.5
    grown = found._replace(sigma=found.sigma * np.array(found.tau)[:, None, None])
    assert power_fit(found.tau, np.median(grown.sigma[:, :, 0], axis=1)).slope > 0.9


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_the_band_holds_the_draws_that_it_says(spec):
    exact = exact_of(spec)
    found = sampled.of_coupling(Design(spec).coupling, len(exact), draws=200)
    rows = view.table(found, exact).set_index(["tau", "k"])
    for at, tau in enumerate(found.tau):
        for k in range(1, len(exact) + 1):
            row, drawn = rows.loc[tau, k], found.sigma[at, :, k - 1]
            within = ((drawn >= row["low"]) & (drawn <= row["high"])).mean()
            assert within == pytest.approx(view.SHARE, abs=0.02) or drawn.std() < 1e-12
            assert row["exact"] == exact[k - 1]


@pytest.mark.parametrize("model", ["smollm2", "minilm", "vit"])
def test_a_head_on_all_its_tokens_is_what_fewer_walk_to(model):
    head = head_view(Look(model=model), shipped_head(model))
    found = sampled.of_tokens(head.logits, view.SHOWN)
    whole = np.linalg.svd(head.logits - head.logits.mean(-1, keepdims=True), compute_uv=False)[
        : view.SHOWN
    ] / len(head.logits)
    assert found.tau[-1] == len(head.logits) and np.allclose(found.sigma[-1], whole, rtol=1e-9)
    off = found.errors(whole)
    assert (np.diff(off) < 0).all() and off[-1] < 1e-9
    assert f"{found.tau[-1]} tokens" in view.of_head_said(found, whole)


def test_the_page_says_what_it_draws_and_of_no_coupling_nothing():
    at = opened("design")
    at.session_state["sampled"] = True
    at.run()
    found = sampled.of_coupling(Design(CouplingSpec()).coupling, view.SHOWN)
    said = view.of_coupling_said(found, exact_of(CouplingSpec()))
    assert said.partition(": ")[2].partition(" The error")[0] in sentences(at)
    nothing = opened("design", spec='{"spectrum":"list","sigma":[0.0]}')
    assert not nothing.exception
