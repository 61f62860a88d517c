"""The slides of November 2024, in their order."""

import numpy as np
import pandas as pd

from explorer.paper import order, proofs, rates
from explorer.paper.item import Found, Section, at
from explorer.theory.mixing import EXAMPLE, mixed_spectrum
from explorer.theory.rates import power_fit
from explorer.theory.representation import Form, Superposition
from explorer.views.sweeps import ASSETS
from explorer.views.text import number

SECTION = Section("The slides")
TALK = at("talk")


SECTION.item("Slide 2", "Ĥ_t by one head; budgets n, m_h, m_FF.", TALK)(rates.model)


@SECTION.item(
    "Slide 3",
    "n = 2τd + 1 represents all of C(X, Y); the paper's proof takes τ(2τd + 1) + 1.",
    proofs.REPRESENTED,
    "slip",
)
def representation() -> Found:
    """What the construction uses at τ = 2, d = 1, which works."""
    tau, d = 2, 1
    used = Form((Superposition(tau),) * tau).f(np.zeros(1)).shape[-1]
    computed = f"{used} used, {2 * tau * d + 1} on the slide"
    works = proofs.representation().holds
    return Found("the proof needs no more", computed, used <= 2 * tau * d + 1, works)


@SECTION.item("Slide 4", "ρ̂ = Σ_{k≤m_h} φ̂_k ψ̂_k: of rank m_h at most.", at("train"))
def rank() -> Found:
    head, x = rates.head("cog"), rates.tokens("cog", 6).reshape(-1, 17)
    f = np.stack([rates.layers(head, "f", token) for token in x])
    sigma = np.linalg.svd(f @ head.weights["W_Q"].T @ head.weights["W_K"] @ f.T, compute_uv=False)
    m_h, beyond = head.spec.m_h, float(sigma[head.spec.m_h] / sigma[0])
    return Found(f"σ_{m_h + 1} of {len(x)} tokens, of σ_1", number(beyond), beyond < 1e-6)


@SECTION.item(
    "Slide 5",
    "σ_k ≤ C k^−β, networks at rate α: the paper has the letters the other way.",
    TALK,
    "slip",
)
def letters() -> Found:
    """Eq. 13's Barron exponent ½ in the slide's m_h^−(2β−1), beside the tail of σ_k = k^−2."""
    m, k = 2 ** np.arange(2, 7), np.arange(1, 10**5)
    tail = [float((k[n:] ** -4.0).sum()) for n in m]
    slope = power_fit(m, tail).slope
    alpha, beta = 2.0, 0.5
    as_printed, swapped = (abs(slope + 2 * exponent - 1) < 0.15 for exponent in (beta, alpha))
    return Found("slope of the tail is −(2β − 1), β = ½", number(slope), as_printed, swapped)


SECTION.item(
    "Slide 6",
    "A fixed permutation keeps the complexity: as Proposition 6.2.",
    order.CONTENTS,
    "slip",
)(order.proposition_62)
SECTION.missing("Slide 6, table", "As Table 1: its data and models are not here.", order.REAL)


@SECTION.item("Slide 7", "Mixing moves the complexity, up or down by the filter.", order.SIGNED)
def mixing() -> Found:
    """C₁ of the example of App. D.3 at α = 1 and 3, before and after."""
    moves = []
    for alpha in (1.0, 3.0):
        before, after = (mixed_spectrum(EXAMPLE, a, 1.0, alpha=alpha).c_1 for a in (0.0, 1.0))
        moves.append(after / before)
    shown = " and ".join(f"× {number(by)}" for by in moves)
    return Found("C₁ falls at α = 1, rises at 3", shown, moves[0] < 1 < moves[1])


@SECTION.item(
    "Slide 7, last",
    "A convolution on the inputs might help: with signed filters it does.",
    at("order", run="asset-order-filter-conv"),
)
def convolution() -> Found:
    rows = pd.read_csv(ASSETS / "order-table2.csv")
    medians = rows[rows["row"] == order.SIGNS[1]].groupby("model")["nmse"].median()
    plain, with_it = medians["Transformer"], medians["Transformer with convolution"]
    shown = f"{number(plain)} → {number(with_it)}"
    return Found("1 − R², signed filters", shown, with_it < plain / 10)
