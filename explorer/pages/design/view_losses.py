"""Where Theorem 4.1 loses, for one design: a row for each step of the proof, and what they say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from explorer.families import TERMS
from explorer.pages.design.view import trained_runs
from explorer.runs.record import RunRow
from explorer.slow import pd
from explorer.spec import CouplingSpec, coupling_spec
from explorer.theory.bound import Form
from explorer.theory.complexity import Complexity
from explorer.theory.design import Design
from explorer.theory.floor import SAMPLES
from explorer.theory.losses import DECAY, SQUARED, Kind, Step, losses
from explorer.views.text import number, plural

KINDS: dict[Kind, str] = {
    "proved": "holds, both sides computed",
    "slip": "a slip (mended)",
    "exists": "networks that exist, not measured",
}
TRAINED, IN_PLACE = "trained", "truncation in place of training"
LEGEND = (*KINDS.values(), TRAINED)
COLUMNS = ["step", "equation", "given_away", "before", "after", "factor", "kind", "sides", "mended"]


class TrainedError(NamedTuple):
    """The best run of a design that has its m_h and its m_FF."""

    error: float
    """Σ_t |H_t − Ĥ_t|: τ times its mean absolute error."""
    run: str
    seed: int


@dataclass(frozen=True, eq=False)
class LossesView:
    """What the Design page shows of the proof of Theorem 4.1 at the m_h of a specification."""

    table: pd.DataFrame
    """COLUMNS; a row for each step that starts or ends above 0, in the order of the proof."""
    sentences: tuple[str, ...]
    steps: tuple[Step, ...]
    """All of them, and the measures by which they are found."""
    measures: Complexity
    trained: TrainedError | None
    trivial: float
    """τ/2: what the constant answer ½ cannot exceed in the norm of the theorem."""


def losses_view(
    design: Design,
    complexity: Complexity,
    form: Form = "printed",
    trained: TrainedError | None = None,
) -> LossesView | None:
    """The steps from truncation, and from the trained run where there is one, up to the bound;
    without C₂ they end at the coupling's term. None where there is no rate, of a ρ that softmax
    cannot see, where the C₁ of the terms that are computed is less than the others ask for, and
    where F or f is not the identity, of which theory/losses.py is."""
    if design.spec.has_parts or not complexity.exponent.alpha > 0.5:
        return None
    spec = design.spec
    shown = replace(complexity, barron=None) if spec.depth < 2 else complexity  # m_FF means nothing
    steps = losses(design, shown, form)
    if not complexity.c_1 or not steps[-1].after or not _is_bounded(steps):
        return None
    rows = [_row(step) for step in steps if step.after]
    if trained and (left := steps[0].before):
        sides = f"run {trained.run}, seed {trained.seed}, against the first m_h terms"
        beside = trained.error, left, left / trained.error
        rows.insert(0, ["", IN_PLACE, *beside, TRAINED, sides, ""])
    table = pd.DataFrame(rows, columns=COLUMNS[1:])
    table.insert(0, "step", range(1, len(table) + 1))
    mended = losses(design, replace(complexity, barron=None), "absolute")[-1].after
    sentences = _sentences(design, steps, mended, trained)
    return LossesView(table, sentences, steps, shown, trained, spec.tau / 2)


def _is_bounded(steps: Sequence[Step]) -> bool:
    return all(step.factor >= 1 for step in steps if step.inequality is DECAY)


def best_trained(spec: CouplingSpec, rows: Iterable[RunRow]) -> TrainedError | None:
    """Of the finished runs on a design the one of its m_h and m_FF with the least error; None where
    there is none. What a zip claims does not count."""
    measured = [row for row in rows if not row.claimed and "mae" in (row.metrics or {})]
    known = {run.run for run in trained_runs(spec, measured)}
    specs = [(row, coupling_spec(row.spec)) for row in measured if row.run in known]
    errors = [
        TrainedError(spec.tau * (row.metrics or {})["mae"], row.run, its.seed)
        for row, its in specs
        if (its.m_h, its.m_ff) == (spec.m_h, spec.m_ff)
    ]
    return min(errors, default=None)


def _row(step: Step) -> list:
    equation, gives, sides, kind, mended = step.inequality
    return [
        f"({equation})",
        gives,
        step.before,
        step.after,
        step.factor,
        KINDS[kind],
        sides,
        mended,
    ]


def _sentences(
    design: Design, steps: Sequence[Step], mended: float, trained: TrainedError | None
) -> tuple[str, ...]:
    """`mended` is the coupling's term with the root kept."""
    spec = design.spec
    of_networks = [step for step in steps if step.inequality.kind == "exists"]
    first = of_networks[0].before if of_networks else steps[-1].after
    error, bound = steps[0].before, steps[-1].after
    sentences = (
        _in_all(spec, error, bound, whole=bool(of_networks)),
        _of_coupling(design, steps, first),
        _of_slip(steps, first, mended),
        _of_networks(of_networks, bound / first),
        _of_trained(spec, trained, error),
    )
    return tuple(filter(None, sentences))


def _in_all(spec: CouplingSpec, error: float, bound: float, whole: bool) -> str:
    what = "The bound" if whole else "The coupling's term of the bound"
    factor = f": {_times(bound / error)} in all" if error else ""
    return (
        f"{what} on $\\sum_t|H_t-\\hat H_t|$ is {number(bound, 3)}, while truncation to "
        f"{plural(spec.m_h, 'term')} errs by {number(error)}, and always answering ½ by at most "
        f"τ/2 = {spec.tau / 2:g}{factor}. It tells how errors scale, not how large they are."
    )


def _of_coupling(design: Design, steps: Sequence[Step], first: float) -> str:
    if not (error := steps[0].before):
        (begins,) = (step for step in steps if step.after and not step.before)
        return (
            f"This width keeps every term{_of_endless(design)}, so that nothing is lost before "
            f"{_named(begins)}: it puts {number(begins.after, 3)} in place of 0."
        )
    proved = [step for step in steps if step.inequality.kind == "proved"]
    largest = sorted(proved, key=lambda step: -step.factor)[:2]
    return (
        f"The coupling's part gives away {_times(first / error)}, both sides of each step being "
        f"computed on {SAMPLES} sequences or by the POD; most by "
        f"{' and '.join(f'{_named(step)}, {_times(step.factor)}' for step in largest)}."
    )


def _of_endless(design: Design) -> str:
    """Which of the terms of a spectrum without end a width can keep."""
    if not design.endless:
        return ""
    computed = f" of the {TERMS} that are computed"
    return computed if design.keeps_all(design.spec.m_h) else " above the tolerance"


def _of_slip(steps: Sequence[Step], first: float, mended: float) -> str:
    made = [step for step in steps if step.inequality is SQUARED and step.after]
    if not made:
        return ""
    return (
        f"{_named(made[0])} is no inequality: {_times(made[0].factor)} here. With the root kept "
        f"the coupling's term is {number(mended, 3)} in place of {number(first, 3)}."
    )


def _of_networks(steps: Sequence[Step], factor: float) -> str:
    if not steps:
        return ""
    largest = max(steps, key=lambda step: step.factor)
    return (
        f"The networks bring {_times(factor)}: Barron's theorem says that there are some as near "
        "as these bars count them, nobody has measured how near trained ones are; most by "
        f"{_named(largest)}, {_times(largest.factor)}."
    )


def _of_trained(spec: CouplingSpec, trained: TrainedError | None, error: float) -> str:
    if trained is None:
        return ""
    beside = f", where truncation leaves {number(error)}" if error else ""
    return (
        f"The best run trained at m_h = {spec.m_h}, m_FF = {spec.m_ff} errs by "
        f"{number(trained.error)} (run {trained.run}, seed {trained.seed}){beside}: "
        "the left side of Eq. 17, an infimum over all such models, is at most that."
    )


def _named(step: Step) -> str:
    return f"“{step.inequality.gives}” ({step.inequality.equation})"


def _times(factor: float) -> str:
    return f"×{number(factor)}"
