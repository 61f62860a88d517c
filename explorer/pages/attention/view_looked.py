"""What the pictures of the Attention page show, once: for the screen, for files, and in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from explorer.pages.attention import view_board as boards
from explorer.pages.attention import view_tables as tables
from explorer.pages.attention.view_board import InferenceOptions
from explorer.pages.attention.view_head import Head
from explorer.pages.attention.view_tables import FAINT, Pictures
from explorer.runs.record import Record
from explorer.slow import pd
from explorer.spec import TaskSpec, task_spec
from explorer.targets import TASKS, Task, TaskPage, evaluation_inputs, task_of
from explorer.views.series import IDEAL, LEARNED

SCATTER = 256  # tokens, as in `analysis.task_diagnostics`
ANSWER, PREDICTED = "y", "ŷ"
CENTRES = {IDEAL: "centre by A", LEARNED: "centre by Â"}


@dataclass(frozen=True, eq=False)
class Looked:
    """A board as a head answers it, or the example as a kept step had it.

    `pictures` holds tokens (τ, d_in), ideal (τ, τ), answer (τ, d_out), of a head also attention and
    predicted, and sigma_hat, values, alone (see `analysis.task_diagnostics`); all of them as they
    were at the kept `step` that is looked back at, if any. `head` is what answers the board.
    """

    spec: TaskSpec
    pictures: Pictures
    settings: InferenceOptions
    row: int | None
    step: int | None = None
    head: Head | None = None
    own: bool = False
    """Whether the board is not the example."""
    held: bool = False
    """Whether the weights are those of another board."""

    @property
    def task(self) -> Task:
        return task_of(self.spec)

    @property
    def page(self) -> TaskPage:
        return TASKS[self.spec.target].page

    @property
    def tokens(self) -> np.ndarray:
        """(τ, d_in), double precision."""
        return np.asarray(self.pictures["tokens"], float)


def looked(
    record: Record, head: Head | None, state: Mapping[str, Any], step: int | None = None
) -> Looked:
    """What is on the screen: the example at a kept step, as it was; at none, or at one that was not
    kept, the board of a state by `to_json`."""
    spec = task_spec(record.spec)
    editor = boards.state_of(spec, state)
    if step is not None and step in record.snapshot_steps:
        return at_step(record, step, editor.row)
    pictures = boards.answered(spec, head, editor)
    if head is not None:
        pictures |= value_pictures(head)
    elif (newest := record.latest()) is not None:
        pictures |= {name: newest[1][name] for name in ("sigma_hat", "values", "alone")}
    own = editor.board != boards.example(spec).board
    held = editor.held is not None
    return Looked(spec, pictures, editor.settings, editor.row, None, head, own, held)


def at_step(record: Record, step: int, row: int | None = None) -> Looked:
    """The example as a kept step had it; raises KeyError for another one."""
    return Looked(task_spec(record.spec), record.snapshot(step)[1], InferenceOptions(), row, step)


@lru_cache(maxsize=16)
def value_pictures(head: Head) -> Mapping[str, np.ndarray]:
    """Of a head what a kept picture has of it beside the example: sigma_hat, and at the same fixed
    tokens values F∘f(x) and alone F̂(W_V f̂(x))."""
    task = task_of(head.spec)
    drawn = task.inputs(evaluation_inputs(2 * SCATTER, task.n_uniform))
    some = task.has_value(drawn) == 1
    return {
        "sigma_hat": head.singular()[1],
        "values": task.values(drawn)[some][:SCATTER],
        "alone": head.value_map(drawn[some][:SCATTER]),
    }


def words(screen: Looked) -> str:
    """What a figure must say of the board and of how the head looks at it."""
    settings, m = screen.settings, min(screen.spec.m_h, screen.spec.n)
    warmth = "hard-max" if settings.temperature == 0 else f"T = {settings.temperature:g}"
    parts = [
        "the reader's board" if screen.own else "the example",
        warmth if settings.temperature != 1 else "",
        f"cut to k = {settings.k} of {m}" if settings.k is not None and settings.k < m else "",
        "weights kept of another board" if screen.held else "",
        f"shuffled p = ({' '.join(map(str, settings.order))})" if settings.order else "",
        {"move": "", "stay": "positions stay", "off": "no positions"}[settings.positions],
        f"row t = {screen.row}" if screen.row is not None else "",
    ]
    return ", ".join(part for part in parts if part)


def matrices(screen: Looked) -> pd.DataFrame:
    """`task_tables.matrices`, and with a row locked `lit`: whether a weight is of that row."""
    table = tables.matrices(screen.pictures)
    return table if screen.row is None else table.assign(lit=table["t"] == screen.row)


def values(screen: Looked) -> pd.DataFrame | None:
    """What has been learned of F∘f: over the plane where the head that answers has values there
    (`task_tables.plane`), else at random tokens (`task_tables.values`); None before any picture."""
    if screen.head is not None:
        plane = tables.plane(screen.spec, screen.head.weights)
        if plane is not None:
            return plane
    return tables.values(screen.pictures) if "values" in screen.pictures else None


def spectrum(screen: Looked) -> pd.DataFrame | None:
    """k, sigma (> 0) of e^λ W_QᵀW_K, and whether it is `kept` in what the head answers; None before
    any picture."""
    if "sigma_hat" not in screen.pictures:
        return None
    sigma = screen.pictures["sigma_hat"].astype(float)
    k = np.arange(1, len(sigma) + 1)
    uncut = k <= (screen.settings.k or len(sigma))
    table = pd.DataFrame({"k": k, "sigma": sigma, "spectrum": tables.RAW, "kept": uncut})
    return table[table["sigma"] > 0].reset_index(drop=True)


def plane(screen: Looked) -> pd.DataFrame:
    """What the plane holds, a row each: token, kind, label, x1 … xd, and of some more.

    kind is 'u' and 'v', 'v', or 'segment 0', … of points (of which mass, indices), 'y' and 'ŷ' of
    answers (of centres of gravity a `value` without coordinates), 'centre by A' and 'centre by Â'
    of prediction tokens, and 'ideal A' and 'learned Â' of weights of at least 0.02, from the query
    at x to the key s at end1 … endd. Where d = 1, lane and end_lane are the heights at which they
    are drawn. With a row locked, `lit` says what belongs to it.
    """
    table = pd.DataFrame([*_points(screen), *_answers(screen), *_links(screen)])
    if screen.spec.d == 1:
        starts = ["u" if kind in (LEARNED, IDEAL) else kind for kind in table["kind"]]
        lanes = [_lane(screen, kind) for kind in starts]
        table = table.assign(lane=lanes, end_lane=_lane(screen, "v"))
    return table if screen.row is None else table.assign(lit=table["token"] == screen.row)


def _lane(screen: Looked, kind: str) -> float:
    return screen.page.lanes.get(kind, screen.page.lanes[""])


def _at(point: np.ndarray, name: str = "x") -> dict[str, float]:
    return {f"{name}{i + 1}": float(value) for i, value in enumerate(point)}


def _has_value(screen: Looked) -> np.ndarray:
    """Which tokens have a point, (τ,)."""
    return screen.task.has_value(screen.tokens) == 1


def _points(screen: Looked) -> list[dict[str, Any]]:
    return [
        {"token": mark.token, "kind": mark.kind, "label": mark.label, **_at(mark.at), **mark.more}
        for mark in screen.task.marks(screen.tokens)
    ]


def _answers(screen: Looked) -> list[dict[str, Any]]:
    names = {ANSWER: "answer", PREDICTED: "predicted"}
    sides = {kind: screen.pictures[n] for kind, n in names.items() if n in screen.pictures}
    rows = [
        {
            "token": t,
            "kind": kind,
            "label": f"{kind}({t})",
            **(_at(y) if screen.page.answers_are_points else {"value": float(y[0])}),
        }
        for kind, side in sides.items()
        for t, y in enumerate(side)
    ]
    return rows + [
        {"token": t, "kind": CENTRES[name], "label": f"{CENTRES[name]}({t})", **_at(centre)}
        for name, centres in _centres(screen).items()
        for t, centre in centres.items()
    ]


def _weights(screen: Looked) -> dict[str, np.ndarray]:
    names = {IDEAL: "ideal", LEARNED: "attention"}
    return {side: screen.pictures[n] for side, n in names.items() if n in screen.pictures}


def _centres(screen: Looked) -> dict[str, dict[int, np.ndarray]]:
    """Of each side the mean of the points by a prediction token's weights, by token."""
    own = _has_value(screen)
    values = screen.task.value_inputs(screen.tokens) * own[:, None]
    return {
        name: {int(t): side[t] @ values for t in np.flatnonzero(~own)}
        for name, side in _weights(screen).items()
    }


def _links(screen: Looked) -> list[dict[str, Any]]:
    own, key = _has_value(screen), screen.task.value_inputs(screen.tokens)
    starts = dict(enumerate(screen.task.query_points(screen.tokens))) | _centres(screen)[IDEAL]
    return [
        {
            "token": t,
            "kind": name,
            "label": f"{t} → {s}",
            **_at(starts[t]),
            "s": s,
            **_at(key[s], "end"),
            "weight": float(side[t, s]),
        }
        for name, side in _weights(screen).items()
        for t, s in np.argwhere((side >= FAINT) & own).tolist()
    ]
