"""What an attention task of App. B.1 is.

    y_t = F( Σ_s A_ts f(x_s) ),   F∘f(x_s) = H(x_s alone)

A task turns uniform random numbers into tokens x (…, τ, d_in), and knows their ideal attention A,
their exact answers y (…, τ, d_out) and F∘f. It is made of arrays of numpy or torch alike. One file
in tasks/ holds all that is known of a task: its specification, its numbers and its words.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from explorer.arrays import Array, constant, namespace
from explorer.spec import TaskSpec

MOST_POINTS = 64  # that a reader may move; 2τ of the nearest-point task


class TaskError(ValueError):
    """Tokens that the task gives no answer to; the message says which, and what is allowed."""


Number = float | None
Point = Annotated[list[Number], Field(max_length=4)]
Numbers = Annotated[list[Number], Field(max_length=MOST_POINTS)]


class TaskInput(BaseModel):
    """The numbers behind the tokens, that a reader may move: they come from a browser or an
    address, and are checked."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    points: Annotated[list[Point], Field(max_length=MOST_POINTS)]


class Mark(NamedTuple):
    """A point of the plane of a task: what it is of which token, and where it stands."""

    token: int
    kind: str
    label: str
    at: np.ndarray
    more: Mapping[str, Any] = {}
    """Of what else its table has a column."""


class Task(ABC):
    """A task on sequences of tokens; a frozen dataclass of the numbers that make it."""

    Input: ClassVar[type[TaskInput]]
    """What a reader may move of it."""
    tau: int
    d: int
    n_uniform: int
    """Random numbers that make one sequence."""
    n_structure: int
    """How many of them, the first ones, say which tokens belong together."""
    positions: slice | None
    """The features of a token that say where it stands, if any."""
    sufficient_width: int
    """The centred rank of a coupling that solves it: the m_h from which it is within reach."""
    least_width: tuple[int, str]
    """The width from which it can be right in any sharpness, and the formula of it."""
    width_words: str
    """What the sufficient width is."""
    rank_note: str
    """Raw and centred rank of the coupling that solves it, in sentences."""
    example_note: str
    """Where its example comes from, and what the paper prints of it; "" for nothing."""
    injectivity: str
    """Whether Prop. B.1(2, 3), which needs an injective F∘f, speaks of it."""

    @abstractmethod
    def inputs(self, uniform: Array, progress: float = 1.0) -> Array:
        """Tokens (…, τ, d_in) from uniform random numbers in [0, 1) (…, n_uniform).

        A `progress` of training below 1 asks for easier ones, where the task has some.
        """

    @abstractmethod
    def example(self) -> np.ndarray:
        """One instance (τ, d_in) to draw: the paper's where it gives one."""

    @abstractmethod
    def tokens_of(self, given: Any) -> np.ndarray:
        """The tokens (τ, d_in) of an `Input`; raises TaskError where the task has no answer."""

    @abstractmethod
    def input_of(self, x: np.ndarray) -> TaskInput:
        """The `Input` whose tokens are x (τ, d_in): the other way of `tokens_of`."""

    @abstractmethod
    def attention(self, x: Array) -> Array:
        """The ideal A (…, τ, τ), rows t, columns s; its rows sum to 1."""

    @abstractmethod
    def aggregate(self, attention: Array, x: Array) -> Array:
        """F(Σ_s A_ts f(x_s)) (…, τ, d_out) by given weights A (…, τ, τ)."""

    def answer(self, x: Array) -> Array:
        """H(x) (…, τ, d_out)."""
        return self.aggregate(self.attention(x), x)

    @abstractmethod
    def values(self, x: Array) -> Array:
        """F∘f of each token (…, τ, d_out): its answer in a sequence of its own."""

    @abstractmethod
    def value_inputs(self, x: Array) -> Array:
        """What F∘f looks at in each token, where its key is drawn; (…, τ, d)."""

    @abstractmethod
    def has_value(self, x: Array) -> Array:
        """1 where a token has a value, 0 where it is a question only, (…, τ)."""

    @abstractmethod
    def query_points(self, x: np.ndarray) -> np.ndarray:
        """Where the query of each token stands, (τ, d)."""

    @abstractmethod
    def marks(self, x: np.ndarray) -> list[Mark]:
        """The points of the plane of tokens x (τ, d_in)."""

    @abstractmethod
    def over_plane(self, x1: np.ndarray, x2: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """Tokens (k, d_in) at points of the plane and their values (k,); None for a task whose
        values are no numbers on a plane."""

    def numbers(self) -> dict[str, int]:
        """What makes it, by name."""
        return asdict(self)  # type: ignore[call-overload]


class VectorTask(Task):
    """A task whose answers are means of vectors v, of which every token has one: F∘f gives it."""

    n_structure = 0

    def aggregate(self, attention: Array, x: Array) -> Array:
        return attention @ self.values(x)

    def value_inputs(self, x: Array) -> Array:
        return self.values(x)

    def has_value(self, x: Array) -> Array:
        return namespace(x).ones_like(x[..., 0])

    def query_points(self, x: np.ndarray) -> np.ndarray:
        return x[:, : self.d]

    def over_plane(self, x1: np.ndarray, x2: np.ndarray) -> None:
        return None


class WidthSweep(NamedTuple):
    """A finished sweep over m_h, assets/attention-width-NAME.json: what it shows, and the ready
    sweep of the command line that makes it."""

    title: str
    preset: str


class Shipped(NamedTuple):
    """A trained run in assets/ (targets/shipped.py)."""

    preset: str
    """What it is of."""
    pictures: int | None = None
    """How many it keeps; None for all."""
    changes: Mapping[str, Any] = {}
    """What differs from the preset."""
    learned: bool = True
    """Whether its parameters come with it."""
    label: str = ""
    """What a page calls it that offers it."""
    by_address: bool = False
    """Whether it is shown only where an address names it."""


class Control(NamedTuple):
    """A number of the specification that makes the task; its range is that of the field."""

    label: str
    help: str | None = None


TAU = Control("τ, tokens", "Prediction tokens are counted, too.")
D = Control("d, dimension of the points")


@dataclass(frozen=True, kw_only=True)
class TaskPage:
    """What the Attention page says of a task, and asks for."""

    target: type[Task]
    figure: int | None
    """Of the paper, in whose order the tasks stand; None, behind them, of a task in no figure."""
    label: str
    """Its name where it is chosen."""
    sentence: str
    """The task in plain words, with the marks of the pictures."""
    equation: str
    """In TeX: y(t), and F∘f."""
    ends: tuple[float, float]
    """Between which coordinates points lie."""
    lanes: Mapping[str, float]
    """Where d = 1: the height at which a kind of mark is drawn; "" of all others."""
    answers_are_points: bool
    """Whether an answer is a point of the plane, and not a number."""
    drawn_in_plane: bool
    """Whether its figure shows who looks at whom in the plane, and not between two rows."""
    value_word: str
    """What its tokens have as values, in the plural."""
    widths: tuple[int, int]
    """m_h from and to which it is of interest."""
    controls: Mapping[str, Control]
    """The fields that make it."""
    shipped: Mapping[str, Shipped]
    """Heads in assets/attention-NAME.zip; the first one opens."""
    without_aux: Mapping[str, str]
    """Presets with `aux`, and those that differ in nothing but that they lack it; the last two are
    shipped as well, to be looked into."""
    plateau: str
    """At what that head looks in the end, after a plateau; "" where it has none."""
    width_sweeps: Mapping[str, WidthSweep]


def task_words(spec: TaskSpec, title: str, *numbers: str) -> str:
    """What a specification learns, in a few words; `numbers` are those besides τ and d."""
    without = [] if spec.aux else ["without aux"]
    return ", ".join([title, f"τ = {spec.tau}", f"d = {spec.d}", *numbers, *without])


PROPOSITION = (
    "Prop. B.1: if two heads of the form of Eq. 8 agree on all inputs, F∘f is the same (1); with "
    "the hard-max (2), or with the softmax of couplings without bound (3), so is the token that "
    "gets the largest weight, *if it is the only one and F∘f is injective*. "
)


def projection_note(token: str) -> str:
    """`Task.injectivity` of a task with F∘f(token) = v."""
    return PROPOSITION + (
        f"Here F∘f{token} = v is a projection of the token, not the identity, and not injective. "
        "The proof needs less, though: that no two tokens of one sequence have the same value, "
        "and random v have not. So heads that agree on all inputs look at the same token in the "
        "limit of the hard-max; a trained one, whose logits are bounded and whose fit is not "
        "exact, is measured."
    )


def checked(x: Array, tau: int, features: int) -> Array:
    """Tokens of the right shape; raises ValueError for others."""
    if tuple(x.shape[-2:]) != (tau, features):
        raise ValueError(f"tokens have shape (…, {tau}, {features}), got {tuple(x.shape)}")
    return x


def one_hot(index: Array, count: int, like: Array) -> Array:
    """(…) whole numbers from 0 → (…, count), in the precision of `like`."""
    xp = namespace(like)
    return xp.astype(index[..., None] == constant(np.arange(count), like), like.dtype)


def floor_index(uniform: Array, count: int | Array) -> Array:
    """⌊u·count⌋ of u in [0, 1), at most count − 1 in any precision; as floating-point numbers."""
    xp = namespace(uniform)
    return xp.clip(xp.floor(uniform * count), None, count - 1)


def finite(name: str, values: object, shape: tuple[int | None, ...]) -> np.ndarray:
    """Numbers of a reader as float64 of the given shape (None = any length); raises TaskError."""
    try:
        array = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise TaskError(f"{name}: numbers are needed") from None
    fits = array.ndim == len(shape) and all(
        want in (None, have) for want, have in zip(shape, array.shape, strict=True)
    )
    if not fits:
        words = " × ".join("any" if want is None else str(want) for want in shape)
        raise TaskError(f"{name}: {words} numbers are needed, got {list(array.shape)}")
    if not np.isfinite(array).all():
        raise TaskError(f"{name}: must be finite")
    return array
