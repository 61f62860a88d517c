"""Where runs on linear targets and altered couplings (Section 6) stand, in words."""

from __future__ import annotations

from explorer.pages.order.view_trained import hidden_units
from explorer.runs.record import RunRow
from explorer.spec import alterable_spec, is_linear
from explorer.targets import linear_target
from explorer.theory.linear import linear_floors
from explorer.views.text import floor_text, number

UNTRAINED = "Nobody has trained this target here: training will show what a Transformer learns."


def verdict(row: RunRow) -> str:
    """One sentence on where a run stands, beside the floors of its target."""
    spec, metrics = row.spec, row.metrics or {}
    units = hidden_units(alterable_spec(spec))
    what = f"RNN of {units} units" if units else "Transformer"
    if "nmse" not in metrics:
        return f"This {what} is {row.status} at step {row.step} of {row.steps}."
    reached = (
        f"After {row.steps} steps this {what} (one seed) is at MSE {number(metrics['mse'])}, "
        f"1 − R² {number(metrics['nmse'])}"
    )
    if not is_linear(spec):
        return f"{reached}."
    floors = linear_floors(linear_target(spec).matrix)
    causal, invariant = map(floor_text, (floors.causal, floors.time_invariant))
    return (
        f"{reached}; the best time-invariant RNN leaves {invariant}, any causal model {causal}, "
        f"a constant {number(floors.constant)}."
    )
