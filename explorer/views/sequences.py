"""Runs on linear targets and altered couplings (Section 6) in words."""

from __future__ import annotations

from explorer.families import KERNELS
from explorer.runs.record import RunRow
from explorer.spec import CouplingSpec, LinearSpec
from explorer.targets import linear_target
from explorer.theory.linear import linear_floors
from explorer.views.text import floor_text, number

MODES = {"causal": "", "ahead": " ahead", "centred": " centred", "circular": " circular"}


def words(spec: LinearSpec) -> str:
    """The target of a specification in a few words."""
    family = KERNELS[spec.kernel]
    kernel = family.words(**family.read(spec))
    more = f"conv {spec.conv}" if spec.conv else ""
    model = f"RNN of {spec.hidden}" if spec.model == "rnn" else "Transformer"
    parts = [
        kernel,
        f"τ = {spec.tau}",
        *altered_words(spec),
        model,
        more,
    ]
    return ", ".join(part for part in parts if part)


def altered_words(spec: LinearSpec | CouplingSpec) -> list[str]:
    """Its alterations: order, filter, positions."""
    order = spec.permutation if isinstance(spec.permutation, str) else "own order"
    taps = f"{len(spec.filter)} taps" if isinstance(spec.filter, tuple) else spec.filter
    found = [order] if spec.permutation is not None else []
    if spec.filter is not None:
        found.append(f"filter {taps}{MODES[spec.filter_mode]}")
    if isinstance(spec, CouplingSpec) and spec.positions:
        found.append(f"{spec.positions} positions")
    return found


def verdict(row: RunRow) -> str:
    """One sentence on where a run stands, beside the floors of its target."""
    spec, metrics = row.spec, row.metrics or {}
    what = f"RNN of {spec.hidden} units" if getattr(spec, "model", "") == "rnn" else "Transformer"
    if "nmse" not in metrics:
        return f"This {what} is {row.status} at step {row.step} of {row.steps}."
    reached = (
        f"After {row.steps} steps this {what} (one seed) is at MSE {number(metrics['mse'])}, "
        f"1 − R² {number(metrics['nmse'])}"
    )
    if not isinstance(spec, LinearSpec):
        return f"{reached}."
    floors = linear_floors(linear_target(spec).matrix)
    causal, invariant = map(floor_text, (floors.causal, floors.time_invariant))
    return (
        f"{reached}; the best time-invariant RNN leaves {invariant}, any causal model {causal}, "
        f"a constant {number(floors.constant)}."
    )
