"""The attention tasks in words."""

from __future__ import annotations

from explorer.runs.record import RunRow
from explorer.spec import TaskSpec
from explorer.targets import TASKS, task_of
from explorer.views.text import number


def words(spec: TaskSpec) -> str:
    """The task of a specification in a few words."""
    title, more = TASKS[spec.target].page.title, task_of(spec).size_words
    parts = [title, f"τ = {spec.tau}", f"d = {spec.d}", more, "" if spec.aux else "without aux"]
    return ", ".join(part for part in parts if part)


def verdict(row: RunRow) -> str:
    """One sentence on where a run of a task stands."""
    metrics = row.metrics or {}
    if not {"nmse", "agreement", "attention_error"} <= set(metrics):
        return f"This head for {words(row.spec)} is {row.status} at step {row.step} of {row.steps}."
    return (
        f"After {row.steps} steps this head (one seed) is at nMSE {number(metrics['nmse'])}; the "
        f"largest weight of a row is where an ideal one is in {100 * metrics['agreement']:.1f} % "
        f"of them, and a weight errs by {number(metrics['attention_error'])} on average."
    )
