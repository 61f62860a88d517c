"""Where runs of attention tasks stand, in words."""

from explorer.runs.record import RunRow
from explorer.targets import KINDS
from explorer.targets.fixed import EVALUATION
from explorer.views.text import number, share_text


def verdict(row: RunRow) -> str:
    """One sentence on where a run of a task stands."""
    metrics = row.metrics or {}
    if not {"nmse", "agreement", "attention_error"} <= set(metrics):
        words = KINDS[row.spec.target].words(row.spec)
        return f"This head for {words} is {row.status} at step {row.step} of {row.steps}."
    return (
        f"After {row.steps} steps this head (one seed) is at nMSE {number(metrics['nmse'])}; the "
        f"largest weight of a row is where an ideal one is in "
        f"{share_text(metrics['agreement'], EVALUATION)} of them, and a weight errs by "
        f"{number(metrics['attention_error'])} on average."
    )
