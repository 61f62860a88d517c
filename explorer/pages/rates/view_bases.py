"""ψ = φ beside the half shift: what the choice of the right-hand basis does to a measured rate;
and what a token says of its answer alone, with the trainings that came no further."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from explorer.families import SHIFTED_SINE, SINE
from explorer.pages.rates.view_text import Group, interval_text, slope_text
from explorer.spec import SpecError, SweepSpec, amended, design_of
from explorer.theory import sweep as theory
from explorer.theory.design import Design
from explorer.theory.itself import Itself, by_itself
from explorer.theory.slopes import Statistic
from explorer.theory.sweep import Norm
from explorer.views.sweeps import SHIPPED, Finished, designs_of, member_ids, shipped
from explorer.views.text import number

SAME, SHIFTED = SINE.name, SHIFTED_SINE.name
OTHER = {SAME: SHIFTED, SHIFTED: SAME}
NAMES = {SAME: "ψ = φ", SHIFTED: "the half shift"}

COHERENT = (
    r"**ψ = φ or the half shift.** With ψ = φ a token sees itself by "
    r"$\rho(u,u)=\sum_k\sigma_k(1-\cos4\pi ku)$, whose terms add up: for α = 1 without bound, and "
    r"what truncation leaves of them falls only like $m^{-(\alpha-1)}$. With "
    r"$\psi_k(v)=\phi_k(v+\tfrac12)=(-1)^k\sqrt2\sin2\pi kv$, the same sines up to sign, they "
    "alternate. The norm of L²(I×I) does not see a diagonal, the error of H does (the paper's "
    "Eq. 46 passes over it), so that ψ = φ has no law here. "
)


def bases_note(finished: Finished[SweepSpec], norm: Norm, statistic: Statistic) -> Iterable[str]:
    """A paragraph of Markdown where the sines of a sweep have a right-hand basis of these two."""
    sweep = finished.sweep
    sines = sweep.left_basis == SAME and sweep.right_basis in OTHER
    if not (sines and theory.is_power(sweep) and None in sweep.rank):
        return
    text = COHERENT + (_shares(sweep) if sweep.right_basis == SAME else "")
    if twin := _twin(sweep):
        both = {
            each.sweep.right_basis: _endless(each, norm, statistic) for each in (finished, twin)
        }
        text += compared(both[SAME], both[SHIFTED])
    yield text


def _shares(sweep: SweepSpec) -> str:
    """What a token finds in itself with either basis, at each α of the sweep without end."""
    parts = []
    for (alpha, rank), member in sorted(designs_of(sweep).items(), key=str):
        if rank is None:
            design = design_of(member)
            alone = {
                words: itself(Design(amended(design, right_basis=k))) for k, words in NAMES.items()
            }
            both = (f"{a.attention:.0%}, {number(a.nmse)} ({words})" for words, a in alone.items())
            parts.append(f"at α = {alpha:g} {' and '.join(both)}")
    return (
        "The weight a token gives itself, and the nMSE of the best function of that token alone, "
        "which takes no width at all: " + "; ".join(parts) + ". "
    )


@lru_cache(maxsize=16)
def _twin(sweep: SweepSpec) -> Finished[SweepSpec] | None:
    """The models of a shipped sweep that differ from those of a sweep without end in ψ alone."""
    try:
        other = amended(sweep, rank=[None], right_basis=OTHER[sweep.right_basis])
    except SpecError:
        return None
    ids = member_ids(other)
    for name in SHIPPED:
        rows = {row["spec_id"]: row for row in shipped(name).rows}
        if set(ids) <= set(rows):
            return Finished(other, tuple(rows[key] for key in ids))
    return None


def _endless(finished: Finished[SweepSpec], norm: Norm, statistic: Statistic) -> dict[float, Group]:
    """The groups of the targets without end by α."""
    rows = [row for row in finished.rows if row["rank"] is None]
    return {group["alpha"]: group for group in theory.groups(rows, norm, statistic)}


def compared(same: Mapping[float, Group], shifted: Mapping[float, Group]) -> str:
    """Whether slopes with ψ = φ and with the half shift, of equal recipe, can be told apart.

    Groups by α, each with slope and slope_ci. Two slopes are told apart where they differ by more
    than the root of the sum of squares of their half intervals.
    """
    parts = []
    for alpha in sorted(set(same) & set(shifted)):
        one, other = same[alpha], shifted[alpha]
        if one["slope"] is None or other["slope"] is None:
            continue
        parts.append(f"α = {alpha:g}: {_slope(one)} beside {_slope(other)}, {_verdict(one, other)}")
    if not parts:
        return ""
    statistic = next(iter(same.values()))["statistic"]
    return f"Fitted slopes at equal recipe, {statistic}, ψ = φ first: " + "; ".join(parts) + "."


def _slope(group: Group) -> str:
    return f"{slope_text(group)} {interval_text(group)}"


def _verdict(one: Group, other: Group) -> str:
    if not (one["slope_ci"] and other["slope_ci"]):
        return "of one seed, so that nothing can be said"
    apart = abs(one["slope"] - other["slope"])
    if apart <= math.hypot(_half(one["slope_ci"]), _half(other["slope_ci"])):
        return "not told apart"
    return "less steep with ψ = φ" if one["slope"] > other["slope"] else "steeper with ψ = φ"


def _half(interval: Sequence[float]) -> float:
    return (interval[1] - interval[0]) / 2


NEAR = 0.9  # of what the token alone leaves: an error above it is that of no attention


@lru_cache(maxsize=32)
def itself(design: Design) -> Itself:
    """`theory.itself.by_itself` of a design, remembered."""
    return by_itself(design.target)


def unattentive(rows: Sequence[Mapping[str, Any]], alone: float) -> str:
    """How many models of some rows came no further than `alone`, the nMSE of the best function of a
    token alone, by m_FF; empty where all did."""
    all_, stuck = (
        Counter(row["m_ff"] for row in rows if row["nmse"] and row["nmse"] >= least)
        for least in (0.0, NEAR * alone)
    )
    if not stuck:
        return ""
    where = ", ".join(f"{stuck[m_ff]} of {all_[m_ff]} at {m_ff}" for m_ff in sorted(stuck))
    return (
        f"The best function of a token alone, which needs no attention, leaves nMSE "
        f"{number(alone)}. Training learns that first, and {stuck.total()} of {all_.total()} "
        f"models came no further (to within 10 %); by $m_\\mathrm{{FF}}$: {where}. Their errors "
        "are of stuck starts and say nothing of the width."
    )
