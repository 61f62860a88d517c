"""Page 4: a head that learned an attention task, what it answers to a board, what that shows."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from explorer.pages.attention import view_board as boards
from explorer.pages.attention.view_board import EditorState
from explorer.pages.attention.view_head import Head
from explorer.runs.record import Record, RunRow
from explorer.spec import TaskSpec, task_spec
from explorer.targets import KINDS, TASKS, evaluation_inputs, task_of
from explorer.targets.fixed import EVALUATION, KEPT_EVALUATION
from explorer.views.pictures import learned_exactly
from explorer.views.text import number, share_text

SHUFFLED = 256  # sequences whose values are exchanged
CUT = 64  # sequences that a head answers when it is cut
JUMP = 0.6  # of the rows: from this agreement on the right tokens are looked at


def task_in_numbers(spec: TaskSpec) -> dict[str, Any]:
    """What the browser needs to know of a task to make tokens, ideal attention and answers."""
    return {"target": spec.target, **task_of(spec).numbers()}


def network(spec: TaskSpec) -> dict[str, Any]:
    """What the browser needs to know of a head beside its parameters."""
    return spec.model_dump(include={"depth", "activation", "activation_out"})


def stream_drawing(spec: TaskSpec) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Header of the "drawing" message of a run of a task: what it is drawn over."""
    return learned_exactly(spec, expected_rank=task_of(spec).sufficient_width), {}


def parameters(head: Head) -> dict[str, np.ndarray]:
    """The arrays a browser computes with: the parameters, and W_Q, W_K turned so that their first
    k rows hold the k leading singular values."""
    turned = head.cut(head.spec.m_h).weights
    named = {f"weights.{name}": values for name, values in head.weights.items()}
    return named | {"query_cut": turned["W_Q"], "key_cut": turned["W_K"]}


def drawing(
    spec: TaskSpec,
    head: Head | None,
    state: Mapping[str, Any],
    stream: Mapping[str, Any],
    refused: str = "",
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Header and arrays of the component.

    `state` is as `to_json` gives it. The arrays hold the `parameters` of the head, and what it
    answers in Python: predicted (τ, d_out) and attention (τ, τ). `refused` says why the last
    report was not taken.
    """
    header = {
        "stream": dict(stream),
        "task": task_in_numbers(spec),
        "sentence": TASKS[spec.target].page.sentence,
        "net": network(spec),
        "example": boards.example(spec).board.model_dump(exclude_none=True),
        "board": dict(state),
        "refused": refused,
    }
    if head is None:
        return header, {}
    pictures = boards.answered(spec, head, boards.state_of(spec, state))
    answer = {name: pictures[name] for name in ("predicted", "attention")}
    return header, parameters(head) | answer


def to_json(state: EditorState) -> dict[str, Any]:
    """A state as the browser takes it."""
    values: dict[str, Any] = {
        "board": state.board.model_dump(exclude_none=True),
        "settings": state.settings.model_dump(),
        "row": state.row,
    }
    if state.held is not None:
        values["held"] = state.held.model_dump(exclude_none=True)
    return values


class Exchange(NamedTuple):
    """What a head answers that keeps its weights and is given the values of other sequences."""

    follows: float
    """R² of its answers against what the ideal weights make of the new values; 1 for a head that
    looks right. Where tokens only ask, the lesser of theirs and of that of the others."""
    carried: float | None
    """Where tokens only ask: the correlation of a point's own answer with the weight it gives to
    them, who have no value. A head that looks right gives them none."""


@lru_cache(maxsize=16)
def exchange(head: Head) -> Exchange:
    """The shuffling experiment on fixed sequences."""
    task = task_of(head.spec)
    uniform = evaluation_inputs(SHUFFLED, task.n_uniform)
    other = np.roll(uniform, 1, axis=0)
    same = task.n_structure
    other[:, :same] = uniform[:, :same]
    x, x_new = task.inputs(uniform), task.inputs(other)
    attention, has_value = head.attend(x), task.has_value(x) == 1
    predicted, right = head.answer(attention, x_new), task.aggregate(task.attention(x), x_new)
    kinds = [rows for rows in (has_value, ~has_value) if rows.any()]
    follows = min(
        float(1 - np.mean((predicted[rows] - right[rows]) ** 2) / np.var(right[rows]))
        for rows in kinds
    )
    if has_value.all():
        return Exchange(follows, None)
    given = (attention * ~has_value[:, None, :]).sum(axis=-1)[has_value]
    return Exchange(follows, float(np.corrcoef(given, task.answer(x)[has_value][:, 0])[0, 1]))


@lru_cache(maxsize=16)
def cuts(head: Head) -> tuple[float, ...]:
    """nMSE on fixed sequences of the head cut to its k leading singular values, k = 1 … m, without
    training; the last one is of the whole head."""
    task = task_of(head.spec)
    x = task.inputs(evaluation_inputs(CUT, task.n_uniform))
    y = task.answer(x)
    most = min(head.spec.m_h, head.spec.n)
    answers = [head.cut(k).respond(x)[0] for k in range(1, most + 1)]
    return tuple(float(np.mean((answer - y) ** 2) / np.var(y)) for answer in answers)


class Plateau(NamedTuple):
    """Where a run looked at the wrong tokens: its last kept step before the jump, and after."""

    until: int
    mse: float
    agreement: float
    after: int


def plateau(record: Record) -> Plateau | None:
    """The plateau before the agreement jumps; None where it is right from the start or never."""
    agreement = record.measured(record.snapshot_steps)["agreement"]
    right = np.flatnonzero(agreement >= JUMP)
    if not right.size or right[0] == 0:
        return None
    after, steps = int(right[0]), record.snapshot_steps
    before = after - 1
    known = float(record.mse[before]), float(agreement[before])
    return Plateau(int(steps[before]), *known, int(steps[after]))


MEASURED = {"nmse", "r2", "agreement", "attention_error", "value_error"}


def verdict(row: RunRow) -> str:
    """What the head has come to, in a sentence of one number."""
    if not set(row.outcome) >= MEASURED:
        return f"This head is {row.status} at step {row.step} of {row.steps}."
    return f"For {right(row)['right']} % of the tokens this head looks most where it should."


def run_verdict(row: RunRow) -> str:
    """One sentence on where a run of a task stands, with what is measured of it."""
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


def right(row: RunRow) -> dict[str, str]:
    """Of how many tokens in a hundred that is so, where it is known."""
    share = row.outcome.get("agreement")
    return {} if share is None else {"right": f"{100 * share:.1f}"}


def facts(row: RunRow) -> dict[str, str]:
    """The width beside the one that is enough, and what else is measured of a trained head."""
    task, metrics = task_of(task_spec(row.spec)), row.outcome
    m_h = task_spec(row.spec).m_h
    sign = "≥" if m_h >= task.sufficient_width else "<"
    width = {"m_h": f"{m_h} {sign} {task.sufficient_width}, {task.width_words}"}
    if not set(metrics) >= MEASURED:
        return width
    asking = metrics.get("agreement_asking")
    return {
        **width,
        "steps": f"{row.steps}, one seed",
        "R²": f"{metrics['r2']:.4f}",
        "right rows": share_text(metrics["agreement"], EVALUATION),
        **({} if asking is None else {"of prediction tokens": share_text(asking, EVALUATION)}),
        "mean error of a weight": number(metrics["attention_error"]),
        "F̂∘W_V∘f̂ less F∘f, mean square": number(metrics["value_error"]),
    }


FOLLOWS = 0.95
"""R² of a shuffling from which on a head looks where it should."""
FIT_ALONE = "A good fit alone does not prove that a head looks where the task says."


def _looks(swap: Exchange) -> str:
    return (
        "it looks where it should"
        if swap.follows > FOLLOWS
        else "**its weights are not those of the task**"
    )


def exchanged_line(head: Head) -> str:
    """What the shuffling experiment says of a head."""
    swap = exchange(head)
    return (
        f"{FIT_ALONE} Given the {TASKS[head.spec.target].page.value_word} of other sequences, this "
        f"one follows the ideal weights with R² = {swap.follows:.3f}: {_looks(swap)}."
    )


def exchanged(head: Head) -> str:
    """The shuffling experiment on a head, in words."""
    swap = exchange(head)
    whose = TASKS[head.spec.target].page.value_word
    carried = ""
    if swap.carried is not None and abs(swap.carried) > 0.5:
        carried = (
            " The weight that a point gives to prediction tokens, which have no point, follows its "
            f"own |x_t| with correlation {swap.carried:.2f}".replace("-", "−")
            + ": the weights themselves carry the answer."
        )
    return (
        f"Shuffling, on {SHUFFLED} fixed sequences: the head keeps its weights and is given the "
        f"{whose} of other sequences. Its answers follow what the ideal weights make of the new "
        f"ones with R² = {swap.follows:.3f} (1 where it looks right): {_looks(swap)}.{carried}"
    )


def cut(head: Head) -> str:
    """To which rank this head may be cut, beside the one that is enough for a solution."""
    errors, enough = cuts(head), task_of(head.spec).sufficient_width
    most, is_solved = len(errors), exchange(head).follows > FOLLOWS
    at = next(k for k in range(1, most + 1) if max(errors[k - 1 :]) <= 3 * errors[-1])
    below = f"at k = {at - 1} it is {number(errors[at - 2])}" if at > 1 else "no more is used"
    return (
        f"Cut to the k leading singular values of e^λ W_QᵀW_K, this head (nMSE "
        f"{number(errors[-1])} on {CUT} fixed sequences) stays within 3 times its error from "
        f"k = {at} of {most} on; {below}. For a solution rank {enough} is enough"
        + (f": training has found one of rank {at}." if is_solved and at < enough else ".")
    )


def plateau_words(record: Record) -> str:
    """The plateau of a shipped run before it looks at the right tokens; "" where it has none."""
    flat, metrics = plateau(record), record.row.metrics or {}
    seen = TASKS[record.spec.target].page.plateau
    if not flat or not seen:
        return ""
    return (
        f"The shipped head without single tokens (one seed, {record.row.steps} steps) first "
        f"answers without looking: up to step {flat.until} its MSE stays at {number(flat.mse)} and "
        f"{share_text(flat.agreement, KEPT_EVALUATION)} of the rows look at {seen}; by step "
        f"{flat.after} it has jumped to the right ones, and ends at "
        f"{share_text(metrics['agreement'], EVALUATION)}."
    )


def knees(
    groups: Sequence[Mapping[str, Any]], needed: Mapping[str, tuple[int, str]]
) -> tuple[str, str]:
    """Where the errors and agreements of a width sweep stop getting better, beside the width that
    theory says is enough, a line of Markdown for each group; and in short, with which groups have
    the same.

    `needed` has the name of each group and its width with its formula.
    """
    lines = [
        f"- **{name}**: {_knee(group)}; {_beside(group, *enough)}"
        for (name, enough), group in zip(needed.items(), groups, strict=True)
    ]
    return "\n".join(lines), _same(dict(zip(needed, groups, strict=True)))


def _knee(group: Mapping[str, Any]) -> str:
    seeds, at = group["seeds"], group["knee"]
    if at is None:
        error = f"the error of the best of {seeds} seeds has no knee yet"
    else:
        place = group["m_h"].index(at)
        there = group["there"][place:]
        share = "all" if set(there) == {seeds} else ", ".join(map(str, there)) + f" of {seeds}"
        error = (
            f"the error of the best of {seeds} seeds falls up to m_h = {at} (nMSE "
            f"{number(group['best'][place])}; {share} seeds are as low from there on)"
        )
    rows = group["agreement_knee"]
    agrees = f"up to m_h = {rows}" if rows else "and has no knee yet"
    return f"{error}; their median agreement rises {agrees}"


def _beside(group: Mapping[str, Any], enough: int, formula: str) -> str:
    """The width that theory asks for, and what is measured there."""
    if enough not in group["m_h"]:
        return f"theory: {formula}"
    best = group["best"][group["m_h"].index(enough)]
    at = group["knee"]
    if at == enough == group["agreement_knee"]:
        return f"theory says the same: {formula}"
    where = "reached" if at is not None and at <= enough else "not yet as low"
    return f"theory: {formula}, {where} there (best nMSE {number(best)})"


def _same(groups: Mapping[str, Mapping[str, Any]]) -> str:
    """The knees in a row, and which neighbours share both."""
    pairs = {name: (group["knee"], group["agreement_knee"]) for name, group in groups.items()}
    of_errors, of_rows = (
        ", ".join("none" if at is None else str(at) for at in column)
        for column in zip(*pairs.values(), strict=True)
    )
    runs = [list(names) for _, names in groupby(pairs, key=pairs.get)]
    shared = [f"{', '.join(run[:-1])} and {run[-1]} have the same" for run in runs if len(run) > 1]
    more = f"; {'; '.join(shared)}" if shared else ""
    return f"Knees of the error: {of_errors}; of the agreement: {of_rows}{more}."
