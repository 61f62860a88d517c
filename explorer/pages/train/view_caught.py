"""Whether a run is caught in a local minimum: wide enough for its coupling, and without some of its
terms for good."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.pages.design.view import cells
from explorer.runs.record import Record
from explorer.spec import CouplingSpec, coupling_spec
from explorer.spec.fields import WIDEST
from explorer.targets import PICTURE
from explorer.targets.presets import HEAD_START
from explorer.theory.design import Design
from explorer.views.text import number

LEARNED = 0.5  # share of σ_k from which ρ̂ holds a term: learned ones are within a few per cent of 1
REACHED = 1e-5  # nMSE at which nothing is missed: uncaught runs of the default recipe are below
PLATEAU = 0.5  # share of the error two pictures earlier, above which it no longer falls
TERMS = 16  # of a coupling that are looked for at most: more do not show on a picture's cells
SHARE = "At m_h = r some starts are; a head start makes them fewer, another seed is another try."


@dataclass(frozen=True)
class Caught:
    """What a caught run lacks, and what helps."""

    text: str
    remedies: dict[str, dict[str, Any]]
    """Fields to change and train again, by the label of the button."""


def caught(record: Record, design: Design) -> Caught | None:
    """What to say of a run that is caught; None of another, or as long as it cannot be known.

    Known it is in the second half of the steps, of a head as wide as the centred rank: some term
    σ_k φ_k ψ_k is not in the learned ρ̂, and the error is far above what is usual and falls no more.
    """
    spec, rank, steps = coupling_spec(record.spec), design.exact_rank, record.snapshot_steps
    if rank is None or not 0 < rank <= min(spec.m_h, TERMS) or len(steps) < 3:
        return None
    late = 2 * steps[-1] >= spec.steps and steps[-3] > spec.started_until
    falls = steps[-1] < spec.steps and record.nmse[-1] < PLATEAU * record.nmse[-3]
    if not late or falls or record.nmse[-1] < REACHED:
        return None
    missing = unlearned(record.snapshot(int(steps[-1]))[1]["rho_hat"], design, rank)
    if not missing:
        return None
    return Caught(_text(missing, rank, float(record.nmse[-1])), _remedies(spec))


def unlearned(rho_hat: np.ndarray, design: Design, rank: int) -> list[int]:
    """The k ≤ rank whose term is not in ρ̂ (48, 48) at cell centres: ⟨φ_k, ρ̂ ψ_k⟩ < σ_k / 2."""
    modes, x = design.decomposition(), cells(PICTURE)
    left, right = modes.left(x)[:, :rank], modes.right(x)[:, :rank]
    held = np.einsum("ik,ij,jk->k", left, rho_hat, right) / PICTURE**2
    return [int(k) + 1 for k in np.flatnonzero(held < LEARNED * modes.sigma[:rank])]


def _text(missing: Sequence[int], rank: int, nmse: float) -> str:
    lack = ", ".join(map(str, missing))
    what = f"term {lack} is" if len(missing) == 1 else f"terms {lack} are"
    return (
        f"Caught in a local minimum: {what} not learned ({len(missing)} of {rank}), and the error "
        f"rests at nMSE {number(nmse)}, though the width is enough. {SHARE}"
    )


def _remedies(spec: CouplingSpec) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {"New seed": {"seed": (spec.seed + 1) % 2**31}}
    if spec.head_start < HEAD_START:
        found = {"Head start": {"head_start": HEAD_START}} | found
    if spec.m_h < WIDEST:
        found[f"m_h = {spec.m_h + 1}"] = {"m_h": spec.m_h + 1}
    return found
