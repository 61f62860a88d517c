"""What a reader may move on the Attention page, and what a head answers to it.

A board holds the points, masses, lengths and indices that make the tokens of a task; the settings
say at which temperature, rank and order of the tokens the head looks at them. Both come from a
browser or an address: they are data, and checked.
"""

from __future__ import annotations

import json
import math
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from explorer.spec import GravitySpec, NearestSpec, SelectionSpec, TaskSpec
from explorer.targets import Task, TaskError, task_of
from explorer.views.head import Head

MOST = 64  # points; 2τ of the nearest-point task
LONGEST = 4000  # characters of a link that are read
Number = float | None
Index = Annotated[int, Field(ge=0, lt=32)]


class Board(BaseModel):
    """The numbers behind the tokens: of "nearest" points u, then v; of "cog" points, their masses,
    and how many points each segment has; of "qsa" vectors, and the indices each token asks for."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    points: Annotated[list[Annotated[list[Number], Field(max_length=4)]], Field(max_length=MOST)]
    masses: Annotated[list[Number], Field(max_length=MOST)] | None = None
    lengths: Annotated[list[Number], Field(max_length=MOST)] | None = None
    indices: (
        Annotated[list[Annotated[list[Number], Field(max_length=16)]], Field(max_length=MOST)]
        | None
    ) = None


class Settings(BaseModel):
    """How the head looks at a board.

    `temperature` divides the logits, 0 is the hard-max; `k` singular values of e^λ W_QᵀW_K are
    kept, None is all of them; token `order[t]` stands at place t; its position features move with
    it, stay with the place, or are off.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    temperature: float = Field(1.0, ge=0, le=1000)
    k: int | None = Field(None, ge=1, le=256)
    order: list[Index] | None = None
    positions: Literal["move", "stay", "off"] = "move"

    @model_validator(mode="after")
    def _is_an_order(self) -> Settings:
        if self.order is not None and sorted(self.order) != list(range(len(self.order))):
            raise ValueError(f"order must be a permutation of 0 … {len(self.order) - 1}")
        return self


class State(BaseModel):
    """All that a link keeps of a board; `row` is the query whose weights are shown."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    board: Board
    settings: Settings = Settings()
    row: int | None = Field(None, ge=0, lt=32)


def state_of(spec: TaskSpec, values: Any) -> State:
    """What a browser or an address says, which must fit the task.

    Raises TaskError, whose message names the field and what is allowed.
    """
    try:
        state = State.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])[:60]
        said = first["msg"].removeprefix("Value error, ")
        raise TaskError(f"{where}: {said}" if where else said) from None
    tokens(spec, state.board)
    order = state.settings.order
    if order is not None and len(order) != spec.tau:
        raise TaskError(f"order: a permutation of {spec.tau} tokens is needed, got {len(order)}")
    if state.row is not None and state.row >= spec.tau:
        raise TaskError(f"row = {state.row}: rows are counted from 0 to {spec.tau - 1}")
    return state


def of_link(spec: TaskSpec, text: str) -> State:
    """What a link says of a board; raises TaskError as `state_of`, and for what is no JSON."""
    if len(text) > LONGEST:
        raise TaskError(f"{len(text)} characters, at most {LONGEST} are read")
    try:
        values = json.loads(text)
    except ValueError as error:
        raise TaskError(f"it is no JSON ({error})") from None
    except RecursionError:
        raise TaskError("its brackets are nested too deeply") from None
    return state_of(spec, values)


def tokens(spec: TaskSpec, board: Board) -> np.ndarray:
    """The tokens (τ, d_in) of a board; raises TaskError where the task has no answer to them."""
    task, points = task_of(spec), board.points
    if not all(len(point) == spec.d for point in points):
        raise TaskError(f"points: {spec.d} coordinates each are needed")
    match spec:
        case NearestSpec():
            if len(points) != 2 * spec.tau:
                raise TaskError(f"points: {2 * spec.tau} are needed, got {len(points)}")
            return task.tokens(points[: spec.tau], points[spec.tau :])
        case GravitySpec():
            return task.tokens(points, board.masses, _lengths(board))
        case SelectionSpec():
            if not all(len(own) == spec.k for own in board.indices or [()]):
                raise TaskError(f"s: {spec.k} indices each are needed")
            return task.tokens(points, board.indices)
    raise TypeError(f"{type(spec).__name__} is no task")


def _lengths(board: Board) -> list[int]:
    lengths = board.lengths or []
    if not lengths or not all(x is not None and math.isfinite(x) and x == int(x) for x in lengths):
        raise TaskError(f"lengths {lengths}: whole numbers are needed, points of each segment")
    return [int(length) for length in lengths]


def board_of(spec: TaskSpec, x: np.ndarray) -> Board:
    """The board whose tokens are x (τ, d_in): the other way of `tokens`."""
    task, d = task_of(spec), spec.d
    rows = np.round(np.asarray(x, float), 4)
    match spec:
        case NearestSpec():
            return Board(points=[*rows[:, :d].tolist(), *rows[:, d:].tolist()])
        case GravitySpec():
            own = rows[task.counted(x) == 1]
            lengths = own[:, d + 2 + spec.tau :].sum(axis=0)
            return Board(
                points=own[:, :d].tolist(),
                masses=own[:, d].tolist(),
                lengths=lengths[lengths > 0].tolist(),
            )
        case SelectionSpec():
            counts = rows[:, d : d + spec.tau].astype(int)
            indices = [np.repeat(np.arange(spec.tau), row).tolist() for row in counts]
            return Board(points=rows[:, :d].tolist(), indices=indices)
    raise TypeError(f"{type(spec).__name__} is no task")


def example(spec: TaskSpec) -> State:
    """The instance of the paper, or the fixed one of a task of another size."""
    return State(board=board_of(spec, task_of(spec).example()))


def arranged(task: Task, x: np.ndarray, settings: Settings) -> np.ndarray:
    """The tokens (τ, d_in) as the head gets them: in their order, with the position features that
    the settings ask for (paper 4.1: without them Ĥ(x∘p) = Ĥ(x)∘p for every order p)."""
    order = range(len(x)) if settings.order is None else settings.order
    found = x[list(order)].copy()
    if task.positions is not None and settings.positions != "move":
        stay = x[:, task.positions] if settings.positions == "stay" else 0.0
        found[:, task.positions] = stay
    return found


def respond(head: Head, x: np.ndarray, settings: Settings) -> tuple[np.ndarray, np.ndarray]:
    """ŷ (τ, d_out) and Â (τ, τ) under the names of the tokens: what stands at t answers for
    order[t]."""
    head = head if settings.k is None or settings.k >= head.spec.m_h else head.cut(settings.k)
    task = task_of(head.spec)
    predicted, attention = head.respond(arranged(task, x, settings), settings.temperature)
    if settings.order is not None:
        back = np.argsort(settings.order)
        predicted, attention = predicted[back], attention[back][:, back]
    return predicted, attention


def answered(spec: TaskSpec, head: Head | None, state: State) -> dict[str, np.ndarray]:
    """tokens (τ, d_in), ideal (τ, τ) and answer (τ, d_out) of a board; and what a head makes of it,
    attention and predicted."""
    task, x = task_of(spec), tokens(spec, state.board)
    found = {"tokens": x, "ideal": task.attention(x), "answer": task.answer(x)}
    if head is None:
        return found
    predicted, attention = respond(head, x, state.settings)
    return found | {"predicted": predicted, "attention": attention}
