"""What small Transformers learned from pictures and words: a run in a sentence, Figure 3."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from explorer.families.pictures import PICTURES
from explorer.runs.record import RunRow
from explorer.slow import pd
from explorer.spec import AnySweep, LabelledSpec, narrowed
from explorer.targets.fixed import EVALUATION
from explorer.theory.labelled import Decay, summary
from explorer.views.sweeps import ASSETS, Finished, of_text
from explorer.views.text import number, share_text

SHIPPED = ASSETS / "real-fig3.json"
PRINTED = "1/m_h^0.27 + 1.05"
"""The paper's fit to the training error of ViT-B/16 on CIFAR-10, its text to Figure 3."""
ALIKE = 1.5  # terms, within which two mean counts are the same
FINE = 100  # points along the fitted line


def verdict(row: RunRow) -> str:
    """One sentence on where a run stands."""
    spec, outcome = narrowed(row.spec, LabelledSpec), row.outcome
    if "accuracy" not in outcome:
        return f"This Transformer is {row.status} at step {row.step} of {row.steps}."
    order = "in its own order" if spec.permutation is None else "reordered"
    right = share_text(outcome["accuracy"], min(spec.unseen, EVALUATION))
    return (
        f"After {row.steps} steps (one seed, m_h = {spec.m_h}) {right} of what it has not seen "
        f"before, {order}, is right; cross-entropy {number(outcome['cross_entropy'])}, of what it "
        f"learned from {number(outcome['training_cross_entropy'])}."
    )


@dataclass(frozen=True, eq=False)
class Widths:
    """Figure 3 in tables and words."""

    spectra: pd.DataFrame
    """m_h, k, sigma: means over inputs and seeds, of the first head of the last layer; share, of
    the largest."""
    errors: pd.DataFrame
    """m_h, seed, training, test: cross-entropies in nats."""
    band: pd.DataFrame
    """m_h, mean, low, high of the training error: one standard deviation of the seeds."""
    fit: pd.DataFrame
    """m_h, error of a·m^−b + c; empty where it cannot be told."""
    group: Mapping[str, Any]
    """See `theory.labelled.summary`."""
    signature: str
    """Of what, with which seeds."""

    @property
    def sentences(self) -> tuple[str, str]:
        """On (b), the error, and on (a), the spectra."""
        return error_sentence(self.group), spectra_sentence(self.group)


@lru_cache(maxsize=1)
def shipped() -> Widths:
    """Figure 3 as it comes with the explorer."""
    return widths(of_text(SHIPPED.read_text("utf-8")))


def widths(finished: Finished[AnySweep]) -> Widths:
    """Figure 3 of a finished sweep over m_h."""
    rows = [row for row in finished.rows if row["status"] == "finished"]
    group = summary(finished.sweep, rows)["groups"][0]
    spectra = pd.concat([_spectrum(rows, m) for m in group["m_h"]], ignore_index=True)
    errors = pd.DataFrame(
        {
            "m_h": [row["m_h"] for row in rows],
            "seed": [row["seed"] for row in rows],
            "training": [row["training_cross_entropy"] for row in rows],
            "test": [row["cross_entropy"] for row in rows],
        }
    )
    mean, noise = np.array(group["training"]), np.array(group["noise"])
    band = pd.DataFrame(
        {"m_h": group["m_h"], "mean": mean, "low": mean - noise, "high": mean + noise}
    )
    return Widths(spectra, errors, band, _fit(group), group, _signature(finished, group))


def _spectrum(rows: list[Mapping[str, Any]], m_h: int) -> pd.DataFrame:
    sigma = np.mean([row["sigma"] for row in rows if row["m_h"] == m_h], axis=0)
    k = np.arange(1, len(sigma) + 1)
    return pd.DataFrame({"m_h": m_h, "k": k, "sigma": sigma, "share": sigma / sigma[0]})


def _fit(group: Mapping[str, Any]) -> pd.DataFrame:
    fit = group["decay"]
    if not fit or not fit["told"]:
        return pd.DataFrame({"m_h": [], "error": []})
    m = np.geomspace(min(group["m_h"]), max(group["m_h"]), FINE)
    decay = Decay(fit["a"], fit["b"], fit["c"], fit["b_ci"])
    return pd.DataFrame({"m_h": m, "error": decay.at(m)})


def _signature(finished: Finished[AnySweep], group: Mapping[str, Any]) -> str:
    sweep = finished.sweep
    what = PICTURES[data].title if (data := getattr(sweep, "data", None)) else "number words"
    return f"{what}, {group['seeds']} seeds, {sweep.steps} steps"


def error_sentence(group: Mapping[str, Any]) -> str:
    """What the training error does with the width, and whether a power law may be said."""
    narrow, wide = group["m_h"][0], group["m_h"][-1]
    ends = (
        f"the training error is {_with_noise(group, 0)} at m_h = {narrow} and "
        f"{_with_noise(group, -1)} at m_h = {wide} (mean ± deviation of {group['seeds']} seeds)"
    )
    decay = group["decay"]
    if decay and decay["told"]:
        low, high = map(number, decay["b_ci"])
        return (
            f"It falls like m_h^−b + c with b = {number(decay['b'])} (95 %: {low} to {high}) and "
            f"c = {number(decay['c'])}, beside {PRINTED} in the paper: {ends}."
        )
    return f"No power law: {ends}{_why_none(group)}."


def _with_noise(group: Mapping[str, Any], at: int) -> str:
    return f"{number(group['training'][at])} ± {number(group['noise'][at], 1)}"


def _why_none(group: Mapping[str, Any]) -> str:
    """What keeps the fit a·m^−b + c from being told."""
    decay, fallen = group["decay"], group["training"][0] - group["training"][-1]
    noise = float(np.hypot(group["noise"][0], group["noise"][-1]))
    if fallen < -noise:
        return ": the widest heads err more after so many steps"
    if fallen <= noise:
        return ", a difference within the noise, so there is no fall to fit"
    if not decay or decay["b_ci"] is None:
        return ", too few seeds to tell an exponent"
    low, high = map(number, decay["b_ci"])
    return f"; it falls, but a·m_h^−b + c fits with any b from {low} to {high}"


def spectra_sentence(group: Mapping[str, Any]) -> str:
    """How many terms hold the energy, and from which width on spectra are like the widest's."""
    ranks = dict(zip(group["m_h"], group["energy_rank"], strict=True))
    widest, settled = max(ranks), enough(group)
    held = (
        f"of the first head of the last layer {number(ranks[widest])} terms hold 99 % of Σσₖ² at "
        f"m_h = {widest}"
    )
    if settled < widest:
        held += f", and about as many from m_h = {settled} on"
    if group["seeds_apart"] is None:
        return f"Spectra: {held}; too few seeds to tell whether they have converged."
    m_h = converged(group)
    noise = number(group["seeds_apart"])
    if m_h is None:
        return f"The spectra have not converged: {held}; seeds are {noise} of its norm apart."
    return (
        f"From m_h = {m_h} on the spectra are no farther from that of m_h = {widest} than its "
        f"seeds are from each other ({noise} of its norm); {held}."
    )


def enough(group: Mapping[str, Any]) -> int:
    """The least width from which on as many terms hold 99 % as at the widest, within ALIKE."""
    *_, last = ranks = group["energy_rank"]
    return _settled(group["m_h"], [abs(rank - last) for rank in ranks], ALIKE) or group["m_h"][-1]


def converged(group: Mapping[str, Any]) -> int | None:
    """The least width from which on the spectra are as near to the widest's as its seeds are to
    each other; None where only the widest itself is, or nobody can tell."""
    if group["seeds_apart"] is None:
        return None
    return _settled(group["m_h"][:-1], group["apart"][:-1], group["seeds_apart"])


def _settled(widths: Sequence[int], apart: Sequence[float], most: float) -> int | None:
    """The least width from which on none is farther `apart`; None where the last is."""
    least = None
    for m, distance in reversed([*zip(widths, apart, strict=True)]):
        if distance > most:
            break
        least = m
    return least
