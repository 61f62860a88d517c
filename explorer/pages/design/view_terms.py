"""Theorem 4.1 under the hand (components/theorem): the two errors in its bound, to be turned, and
what the steps of its proof become while a σ_k is dragged, φ_k and ψ_k standing still."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from explorer.pages.design.view_losses import IN_PLACE, KINDS, TRAINED, LossesView
from explorer.pages.design.view_same import M_H, short
from explorer.pages.design.view_theory import trivial_of
from explorer.spec import CouplingSpec, spec_id
from explorer.targets import parts_of
from explorer.theory.bound import Bound, Form
from explorer.theory.complexity import BETA, IDENTITY, Complexity
from explorer.theory.design import Design
from explorer.theory.floor import QUERIES, centres, sequences
from explorer.theory.losses import keeps_all, network_error
from explorer.views.text import number

LIMITS = (1.0, 12.0)
"""log₁₀ of the m_FF that can be turned to."""


def terms_drawing(
    spec: CouplingSpec,
    bound: Bound | None,
    ff: float | None,
    same: Mapping[str, Any] | None = None,
    proof: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The terms over m_h = 1 … 32, the second at m_FF = 1, from where m_FF^−β brings it elsewhere;
    none without a bound.

    Drawn at `ff`, the log₁₀ of m_FF; without it, at the specification's own. `same` is a drawing of
    view_same.py, of other representations, `proof` is `proof_drawing`.
    """
    own = own_ff(spec)
    trivial = trivial_of(spec.tau, parts_of(spec))
    letter = same["letter"] if same else ""
    read = f"{bound.form} {bound.alpha:g}" if bound else ""
    return {
        "subject": f"{spec_id(spec)} {read} {letter}",
        "m": spec.m_h,
        "ff": own if ff is None else ff,
        "own": own,
        "limits": LIMITS,
        "beta": BETA,
        "trivial": trivial.most,
        "answer": f"{trivial.text}: {trivial.answering}",
        "first": [*map(short, bound.first(M_H))] if bound else [],
        "second": [*map(short, bound.second(M_H, 1))] if bound else [],
        "same": same,
        "proof": proof,
    }


def own_ff(spec: CouplingSpec) -> float:
    """log₁₀ of the specification's own m_FF, as far as it can be turned to."""
    return float(np.clip(np.log10(spec.m_ff), *LIMITS))


def least_said(spec: CouplingSpec, bound: Bound, ff: float | None) -> str:
    """Where the sum is least at `ff`, log₁₀ of m_FF, and what it is there."""
    m_ff = spec.m_ff if ff is None else 10**ff
    sums = bound(M_H, m_ff)
    at = int(np.argmin(sums))
    left, right = bound.first(M_H[at]), bound.second(M_H[at], m_ff)
    return (
        f"At m_FF = {number(m_ff, 3)} the bound is least at **m_h = {M_H[at]}**: "
        f"{number(float(sums[at]), 3)}, of which {number(float(left), 2)} is the coupling's and "
        f"{number(float(right), 2)} the networks'."
    )


TOKENS = 512
"""Of the sequences that are gone through at each move of the hand: a twentieth of those behind the
numbers at rest, which are multiplied by what these change."""

Arrays = Mapping[str, np.ndarray]


def proof_drawing(design: Design, view: LossesView, form: Form) -> tuple[dict[str, Any], Arrays]:
    """What the browser makes every step of, and the arrays of its sequences; `view` is what the
    page shows of the same at rest, with the coupling's term read in this form."""
    spec, modes = design.spec, design.decomposition()
    complexity, steps = view.measures, view.steps
    count = len(complexity.barron.phi) if complexity.barron else modes.rank or len(modes.sigma)
    proof = {
        "tau": spec.tau,
        "m": spec.m_h,
        "alpha": complexity.exponent.alpha,
        "c_0": complexity.c_0,
        "form": form,
        "sigma": modes.sigma[:count].tolist(),
        "beyond": 0.0 if keeps_all(design) else float(modes.tail_energy()[count]),
        "networks": _networks(design, complexity),
        "levels": [steps[0].before, *(step.after for step in steps)],
        "steps": [
            {
                "words": f"({step.inequality.equation}) {step.inequality.gives}",
                "kind": step.inequality.kind,
                "mended": bool(step.inequality.mended),
            }
            for step in steps
        ],
        "kinds": {**KINDS, "trained": TRAINED},
        "trivial": view.trivial,
        "trained": {"words": IN_PLACE, "error": view.trained.error} if view.trained else None,
    }
    return proof, _samples(design, count)


def _networks(design: Design, complexity: Complexity) -> dict[str, Any] | None:
    """What networks add, by the terms: theory/losses.py has the formulas."""
    if complexity.barron is None:
        return None
    spec = design.spec
    share = spec.m_ff / spec.m_h
    phi, psi, of_parts = complexity.barron
    return {
        "phi": network_error(phi, share).tolist(),
        "psi": network_error(psi, share).tolist(),
        "sup_phi": np.asarray(complexity.suprema[0])[: len(phi)].tolist(),
        "sup_psi": np.asarray(complexity.suprema[1])[: len(psi)].tolist(),
        "barron": (np.asarray(phi) + psi).tolist(),
        "of_parts": of_parts,
        "of_f": float(network_error(IDENTITY, share)),
        "of_outer": float(network_error(IDENTITY, spec.m_ff)),
        "rate": share**-BETA,
    }


def _samples(design: Design, count: int) -> Arrays:
    """φ_k of the queries (n, queries, K), ψ_k of all tokens (n, τ, K), and these (n, τ)."""
    tau, modes = design.spec.tau, design.decomposition()
    x = centres(next(sequences(tau))[: max(TOKENS // tau, 1)])
    queries = x[:, : min(QUERIES // 2, tau)]
    return {
        "queries": modes.left(queries)[..., :count],
        "keys": modes.right(x)[..., :count],
        "tokens": x,
    }
