"""The proof of Theorem 4.1 under the hand (components/theorem): what its steps become while a σ_k
is dragged, φ_k and ψ_k standing still."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from explorer.pages.design.view_losses import IN_PLACE, KINDS, TRAINED, LossesView
from explorer.theory.bound import Form
from explorer.theory.complexity import BETA, IDENTITY, Complexity
from explorer.theory.design import Design
from explorer.theory.floor import QUERIES, centres, sequences
from explorer.theory.losses import keeps_all, network_error

TOKENS = 512
"""Of the sequences that are gone through at each move of the hand: a twentieth of those behind the
numbers at rest, which are multiplied by what these change."""

Arrays = Mapping[str, np.ndarray]


def proof_drawing(design: Design, view: LossesView, form: Form) -> tuple[dict[str, Any], Arrays]:
    """What the browser makes every step of, and the arrays of its sequences; `view` is what the
    page shows of the same at rest, with the coupling's term read in this form."""
    spec, modes = design.spec, design.decomposition()
    found, steps = view.measures, view.steps
    count = len(found.barron.phi) if found.barron else modes.rank or len(modes.sigma)
    proof = {
        "tau": spec.tau,
        "m": spec.m_h,
        "alpha": found.exponent.alpha,
        "c_0": found.c_0,
        "form": form,
        "sigma": modes.sigma[:count].tolist(),
        "beyond": 0.0 if keeps_all(design) else float(modes.tail_energy()[count]),
        "networks": _networks(design, found),
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


def _networks(design: Design, found: Complexity) -> dict[str, Any] | None:
    """What networks add, by the terms: theory/losses.py has the formulas."""
    if found.barron is None:
        return None
    spec = design.spec
    share = spec.m_ff / spec.m_h
    phi, psi, of_parts = found.barron
    return {
        "phi": network_error(phi, share).tolist(),
        "psi": network_error(psi, share).tolist(),
        "sup_phi": np.asarray(found.suprema[0])[: len(phi)].tolist(),
        "sup_psi": np.asarray(found.suprema[1])[: len(psi)].tolist(),
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
