"""Where runs on linear targets and altered couplings (Section 6) stand, in words."""

from explorer.pages.order.view_kinds import view_of
from explorer.runs.record import RunRow
from explorer.spec import alterable_spec
from explorer.views.text import floor_text, number

UNTRAINED = "Nobody has trained this target here: training will show what a Transformer learns."


def verdict(row: RunRow) -> str:
    """A sentence on where a run stands; besides, the floors of its target."""
    spec, metrics = alterable_spec(row.spec), row.metrics or {}
    what = f"RNN of {spec.units} units" if spec.units else "Transformer"
    if "nmse" not in metrics:
        return f"This {what} is {row.status} at step {row.step} of {row.steps}."
    reached = (
        f"After {row.steps} steps this {what} (one seed) is at MSE {number(metrics['mse'])}, "
        f"1 − R² {number(metrics['nmse'])}"
    )
    floors = view_of(spec).floors(spec)
    if floors is None:
        return f"{reached}."
    causal, invariant = map(floor_text, (floors.causal, floors.time_invariant))
    return (
        f"{reached}.\n\nThe best time-invariant RNN leaves {invariant}, any causal model "
        f"{causal}, a constant {number(floors.constant)}."
    )
