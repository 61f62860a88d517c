"""What a reader may move on the Attention page, and what a head answers to it.

The task input holds the numbers behind the tokens; the options say at which temperature, rank and
order of the tokens the head looks at them. Both come from a browser or an address, where they are
called board and settings: they are data, and checked.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Generic, Literal, TypeVar

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from explorer.pages.attention.view_head import Head
from explorer.spec import TaskSpec
from explorer.targets import Task, TaskError, TaskInput, task_of

LONGEST = 4000  # characters of a link that are read
PLAIN = {"extra_forbidden": "unknown field", "model_type": "must be a JSON object"}
"""What is wrong, where pydantic speaks of its own types."""
Index = Annotated[int, Field(ge=0, lt=32)]
Input = TypeVar("Input", bound=TaskInput)


class InferenceOptions(BaseModel):
    """How the head looks at the tokens.

    `temperature` divides the logits, 0 is the hard-max; `k` singular values of e^λ W_QᵀW_K are
    kept, None is all of them; token `order[t]` stands at place t; its position features move with
    it, stay with the place, or are off.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    temperature: float = Field(default=1.0, ge=0, le=1000)
    k: int | None = Field(default=None, ge=1, le=256)
    order: list[Index] | None = None
    positions: Literal["move", "stay", "off"] = "move"

    @model_validator(mode="after")
    def _is_an_order(self) -> InferenceOptions:
        if self.order is not None and sorted(self.order) != list(range(len(self.order))):
            raise ValueError(f"order must be a permutation of 0 … {len(self.order) - 1}")
        return self


class EditorState(BaseModel, Generic[Input]):
    """All that a link keeps of what a reader moved; `row` is the query whose weights are shown.
    With `held` the head keeps the weights of that board, and sees what is on `board`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    board: Input
    settings: InferenceOptions = InferenceOptions()
    row: int | None = Field(default=None, ge=0, lt=32)
    held: Input | None = None


def state_of(spec: TaskSpec, values: Any) -> EditorState:
    """What a browser or an address says, which must fit the task.

    Raises TaskError, whose message names the field and what is allowed.
    """
    try:
        state = EditorState[task_of(spec).Input].model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])[:60]
        reason = PLAIN.get(first["type"], first["msg"].removeprefix("Value error, "))
        raise TaskError(f"{where}: {reason}" if where else reason) from None
    for given in (state.board, state.held):
        if given is not None:
            tokens(spec, given)
    order = state.settings.order
    if order is not None and len(order) != spec.tau:
        raise TaskError(f"order: a permutation of {spec.tau} tokens is needed, got {len(order)}")
    if state.row is not None and state.row >= spec.tau:
        raise TaskError(f"row = {state.row}: rows are counted from 0 to {spec.tau - 1}")
    return state


def of_link(spec: TaskSpec, text: str) -> EditorState:
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


def tokens(spec: TaskSpec, given: TaskInput) -> np.ndarray:
    """The tokens (τ, d_in) of an input; raises TaskError where the task has no answer to them."""
    if not all(len(point) == spec.d for point in given.points):
        raise TaskError(f"points: {spec.d} coordinates each are needed")
    return task_of(spec).tokens_of(given)


def input_of(spec: TaskSpec, x: np.ndarray) -> TaskInput:
    """The input whose tokens are x (τ, d_in), to four places: the other way of `tokens`."""
    return task_of(spec).input_of(np.round(np.asarray(x, float), 4))


def example(spec: TaskSpec) -> EditorState:
    """The instance of the paper, or the fixed one of a task of another size."""
    task = task_of(spec)
    return EditorState[task.Input](board=input_of(spec, task.example()))


def arranged(task: Task, x: np.ndarray, settings: InferenceOptions) -> np.ndarray:
    """The tokens (τ, d_in) as the head gets them: in their order, with the position features that
    the settings ask for (paper 4.1: without them Ĥ(x∘p) = Ĥ(x)∘p for every order p)."""
    order = range(len(x)) if settings.order is None else settings.order
    inputs = x[list(order)].copy()
    if task.positions is not None and settings.positions != "move":
        stay = x[:, task.positions] if settings.positions == "stay" else 0.0
        inputs[:, task.positions] = stay
    return inputs


def respond(
    head: Head, x: np.ndarray, settings: InferenceOptions, held: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """ŷ (τ, d_out) and Â (τ, τ) under the names of the tokens: what stands at t answers for
    order[t]. The weights are those of the tokens x, or of others that are `held`."""
    head = head if settings.k is None or settings.k >= head.spec.m_h else head.cut(settings.k)
    task = task_of(head.spec)
    seen, looked = (arranged(task, each, settings) for each in (x, x if held is None else held))
    attention = head.attend(looked, settings.temperature)
    predicted = head.answer(attention, seen)
    if settings.order is not None:
        back = np.argsort(settings.order)
        predicted, attention = predicted[back], attention[back][:, back]
    return predicted, attention


def answered(spec: TaskSpec, head: Head | None, state: EditorState) -> dict[str, np.ndarray]:
    """tokens (τ, d_in), ideal (τ, τ) and answer (τ, d_out) of a board; and what a head makes of it,
    attention and predicted."""
    task, x = task_of(spec), tokens(spec, state.board)
    held = x if state.held is None else tokens(spec, state.held)
    ideal = task.attention(held)
    pictures = {"tokens": x, "ideal": ideal, "answer": task.aggregate(ideal, x)}
    if head is None:
        return pictures
    predicted, attention = respond(head, x, state.settings, held)
    return pictures | {"predicted": predicted, "attention": attention}
