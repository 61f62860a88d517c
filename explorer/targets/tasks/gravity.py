"""Centres of gravity of segments (App. B.1, Eq. 57 to 62; Figure 5)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field, model_validator

from explorer.arrays import Array, constant, namespace
from explorer.spec import amended
from explorer.spec.fields import AS_LIST, HeadWidth, Seed, Steps, ValueWidth, listed
from explorer.spec.tasks import Sharpness, TaskSpec, TaskSweep
from explorer.targets.fixed import example_points
from explorer.targets.kind import TaskKind, nothing_more
from explorer.targets.task import (
    PROPOSITION,
    TAU,
    Control,
    D,
    Mark,
    Number,
    Numbers,
    Shipped,
    Task,
    TaskError,
    TaskInput,
    TaskPage,
    checked,
    finite,
    floor_index,
    one_hot,
    task_words,
)

SEGMENT = 3  # tokens of the shortest segment: its prediction token and two points
LIGHTEST = 0.1
"""Masses come from U[0.1, 1]."""
Length = Annotated[int, Field(ge=3, le=24)]
Segments = Annotated[int, Field(ge=1, le=6)]


class GravitySpec(TaskSpec, frozen=True):
    """Prediction tokens ask for |x̄| of their segment, points for their own |x_t| (Eq. 57 to 62)."""

    interdependent_fields: ClassVar[frozenset[str]] = frozenset({"tau", "segments"})
    d_out: ClassVar[int] = 1

    target: Literal["cog"] = Field(default="cog", description="kind of target")
    tau: Length = Field(default=10, description="τ, sequence length, prediction tokens included")
    segments: Segments = Field(default=3, description="segments of a sequence at most")
    curriculum: float = Field(
        default=0.3, ge=0, le=1, description="share of the steps in which the points' domain grows"
    )
    emphasis: float = Field(
        default=3.0, gt=0, le=100, description="weight of prediction rows in the loss"
    )
    sharpness: Sharpness = 4.0
    m_h: HeadWidth = 16
    d_v: ValueWidth = 4
    steps: Steps = 2000

    @model_validator(mode="after")
    def _segments_fit(self) -> GravitySpec:
        most, tau = np.max(self.segments), np.min(self.tau)  # of a sweep they are lists
        if SEGMENT * most > tau:
            raise ValueError(
                f"segments = {most}: a prediction token and two points each need "
                f"tau of at least {SEGMENT * most}, got {tau}"
            )
        return self

    @property
    def d_in(self) -> int:
        """Features of a token: x, m, whether it asks, one-hot position and segment."""
        return self.d + 2 + self.tau + self.segments


class GravitySweep(GravitySpec, TaskSweep, frozen=True):
    """Many trainings: the product of the lists of τ, the segments, seed and m_h."""

    member: ClassVar[type[TaskSpec]] = GravitySpec
    swept: ClassVar[tuple[str, ...]] = ("tau", "segments", "seed", "m_h")

    tau: Annotated[tuple[Length, ...], *AS_LIST] = listed(10)
    segments: Annotated[tuple[Segments, ...], *AS_LIST] = listed(3)
    seed: Annotated[tuple[Seed, ...], *AS_LIST] = listed(0)
    m_h: Annotated[tuple[HeadWidth, ...], *AS_LIST] = listed(16)


class GravityInput(TaskInput):
    """Points, their masses, and how many points each segment has."""

    masses: Numbers | None = None
    lengths: Numbers | None = None


@dataclass(frozen=True)
class GravityTarget(Task):
    """y_t = |x̄| of its segment at a prediction token, |x_t| at a point; F∘f(x, m) = |x|.

    A segment is a prediction token and at least two points x with masses m. A token is
    (x, m, 1 if it predicts, one-hot position, one-hot segment); a prediction token has x = m = 0.
    """

    tau: int
    d: int
    segments: int

    Input = GravityInput
    n_structure = 2
    width_words = "which is enough for every position and segment (τ − 1 + segments)"
    injectivity = PROPOSITION + (
        "Here F∘f = |·| is not: it takes a circle of points to one number; and a prediction token "
        "asks for the mean of several, not for one. A good fit proves nothing about where the head "
        "looks."
    )

    @property
    def features(self) -> int:
        """Numbers of a token."""
        return self.d + 2 + self.tau + self.segments

    @property
    def positions(self) -> slice:
        """Where a token stands, one-hot."""
        return slice(self.d + 2, self.d + 2 + self.tau)

    @property
    def n_uniform(self) -> int:
        return 2 + (self.d + 1) * self.tau

    @cached_property
    def layouts(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Every way to cut τ tokens into segments, ordered by their number.

        Segment of each token (layout, τ); for each number of segments, from 1: how many layouts,
        and the first of them.
        """
        cuts = [list(_cuts(self.tau, count)) for count in range(1, self.segments + 1)]
        counts = np.array([len(rows) for rows in cuts])
        table = np.array([row for rows in cuts for row in rows])
        return table, counts, np.concatenate([[0], np.cumsum(counts)[:-1]])

    def inputs(self, uniform: Array, progress: float = 1.0) -> Array:
        """Tokens (…, τ, features): number of segments uniform, then their lengths.

        x ~ U[low, 1]^d, where low falls from 0 to −1 as `progress` goes from 0 to 1: the norm of
        positive points is nearly linear, and learned first.
        """
        xp = namespace(uniform)
        table, counts, first = (constant(part, uniform) for part in self.layouts)
        number = xp.astype(floor_index(uniform[..., 0], self.segments), xp.int64)
        row = first[number] + floor_index(uniform[..., 1], counts[number])
        segment = table[xp.astype(row, xp.int64)]  # (…, τ)
        rest = xp.reshape(uniform[..., 2:], (*uniform.shape[:-1], self.tau, self.d + 1))
        points = 1 - (1 + progress) * rest[..., : self.d]
        masses = LIGHTEST + (1 - LIGHTEST) * rest[..., self.d]
        return self._assembled(points, masses, segment)

    def _assembled(self, points: Array, masses: Array, segment: Array) -> Array:
        xp = namespace(points)
        before = xp.concat([xp.zeros_like(segment[..., :1]) - 1, segment[..., :-1]], axis=-1)
        predicts = xp.astype(segment != before, points.dtype)[..., None]
        position = constant(np.eye(self.tau), points) + xp.zeros_like(predicts)
        mine = [(1 - predicts) * points, (1 - predicts) * masses[..., None], predicts]
        return xp.concat([*mine, position, one_hot(segment, self.segments, points)], axis=-1)

    def tokens(self, points: object, masses: object, lengths: Sequence[int]) -> np.ndarray:
        """A reader's points (τ − segments, d) with their masses, cut into segments, as tokens.

        `lengths` counts the points of each segment. Raises TaskError.
        """
        lengths = list(lengths)
        if not 1 <= len(lengths) <= self.segments or min(lengths) < SEGMENT - 1:
            raise TaskError(
                f"lengths {lengths}: 1 to {self.segments} segments of at least {SEGMENT - 1} points"
            )
        if sum(lengths) + len(lengths) != self.tau:
            raise TaskError(
                f"lengths {lengths}: {self.tau} tokens are {self.tau - len(lengths)} points in "
                f"{len(lengths)} segments, got {sum(lengths)}"
            )
        points = finite("points", points, (sum(lengths), self.d))
        masses = finite("masses", masses, (sum(lengths),))
        if not (masses > 0).all():
            s = int(np.argmin(masses > 0))
            raise TaskError(f"mass {s} = {masses[s]:g}: must be above 0")
        segment = np.repeat(np.arange(len(lengths)), np.array(lengths) + 1).astype(float)
        place = np.ones(self.tau, bool)
        place[np.cumsum([0, *(np.array(lengths[:-1]) + 1)])] = False
        all_points, all_masses = np.zeros((self.tau, self.d)), np.zeros(self.tau)
        all_points[place], all_masses[place] = points, masses
        return self._assembled(all_points, all_masses, segment)

    def predicts(self, x: Array) -> Array:
        """1 at prediction tokens, 0 at points, (…, τ)."""
        return checked(x, self.tau, self.features)[..., self.d + 1]

    def attention(self, x: Array) -> Array:
        """Masses over their sum in the segment of a prediction token; a point sees itself."""
        xp = namespace(x)
        asks = self.predicts(x)[..., None]
        segment = x[..., self.d + 2 + self.tau :]
        masses = (segment @ xp.matrix_transpose(segment)) * x[..., None, :, self.d]
        own = constant(np.eye(self.tau), x)
        total = xp.sum(masses, axis=-1, keepdims=True)
        return asks * masses / xp.where(total > 0, total, xp.ones_like(total)) + (1 - asks) * own

    def aggregate(self, attention: Array, x: Array) -> Array:
        """|Σ_s A_ts x_s|, (…, τ, 1)."""
        return _norm(attention @ self.value_inputs(x))

    def values(self, x: Array) -> Array:
        """|x| of each token, (…, τ, 1)."""
        return _norm(self.value_inputs(x))

    def value_inputs(self, x: Array) -> Array:
        """x of each token, (…, τ, d); 0 at prediction tokens."""
        return checked(x, self.tau, self.features)[..., : self.d]

    def has_value(self, x: Array) -> Array:
        """0 at prediction tokens: they only ask."""
        return 1 - self.predicts(x)

    def example(self) -> np.ndarray:
        """A fixed instance; at τ = 10 segments of 3 and 5 points as in Figure 5.

        Its prediction tokens are x(0) and x(4); the paper prints x(5).
        """
        lengths = _halves(self.tau) if self.segments > 1 and self.tau >= 2 * SEGMENT else None
        lengths = lengths or [self.tau - 1]
        drawn = example_points(sum(lengths), self.d + 1)
        return self.tokens(2 * drawn[:, :-1] - 1, LIGHTEST + 0.9 * drawn[:, -1], lengths)

    def tokens_of(self, given: GravityInput) -> np.ndarray:
        return self.tokens(given.points, given.masses, _whole(given.lengths or []))

    def input_of(self, x: np.ndarray) -> GravityInput:
        points = x[self.has_value(x) == 1]
        lengths = points[:, self.d + 2 + self.tau :].sum(axis=0)
        return GravityInput(
            points=points[:, : self.d].tolist(),
            masses=points[:, self.d].tolist(),
            lengths=lengths[lengths > 0].tolist(),
        )

    def query_points(self, x: np.ndarray) -> np.ndarray:
        return x[:, : self.d]

    def marks(self, x: np.ndarray) -> list[Mark]:
        """The points of each segment, with their masses."""
        segment = x[:, self.d + 2 + self.tau :].argmax(axis=1)
        return [
            Mark(t, f"segment {segment[t]}", f"x({t})", x[t, : self.d], {"mass": x[t, self.d]})
            for t in np.flatnonzero(self.has_value(x) == 1).tolist()
        ]

    def over_plane(self, x1: np.ndarray, x2: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """Of mass ½ at place 1 in the first segment, in d = 2 dimensions."""
        if self.d != 2:
            return None
        rest = np.concatenate([[0.5, 0], np.eye(self.tau)[1], np.eye(self.segments)[0]])
        tokens = np.column_stack([x1, x2, np.broadcast_to(rest, (len(x1), len(rest)))])
        return tokens, np.hypot(x1, x2)

    @property
    def sufficient_width(self) -> int:
        """Each of the τ − 1 positions at which a point may stand sees itself, each of the segments
        its own masses: τ − 1 + segments. It is no lower bound: one hot weight, for one, can be had
        from keys on a circle at m_h = 2."""
        return self.tau - 1 + self.segments

    @property
    def least_width(self) -> tuple[int, str]:
        return self.sufficient_width, "τ − 1 + segments"

    @property
    def rank_note(self) -> str:
        return (
            "A prediction token asks for masses of its own segment, a point for itself: "
            f"τ − 1 + segments = {self.sufficient_width} directions are enough; fewer may do."
        )

    @property
    def example_note(self) -> str:
        if self.tau != 10 or self.segments == 1:
            return ""
        return (
            "The example has segments of 3 and 5 points, as Figure 5; its prediction tokens are "
            "x(0) and x(4), where the paper prints x(5)."
        )


def _whole(lengths: list[Number]) -> list[int]:
    whole = [int(x) for x in lengths if x is not None and math.isfinite(x) and x == int(x)]
    if not lengths or len(whole) < len(lengths):
        raise TaskError(f"lengths {lengths}: whole numbers are needed, points of each segment")
    return whole


def _halves(tau: int) -> list[int]:
    """The points of two segments, the second one longer by 1 or 2."""
    first = max(SEGMENT - 1, (tau - 3) // 2)
    return [first, tau - 2 - first]


def _cuts(tau: int, count: int) -> list[list[int]]:
    """Segment of each of τ tokens, for every way to make `count` segments of 3 tokens or more."""
    spare = tau - SEGMENT * count
    rows = []
    for bars in combinations(range(spare + count - 1), count - 1):  # stars and bars
        edges = [-1, *bars, spare + count - 1]
        lengths = [SEGMENT + b - a - 1 for a, b in pairwise(edges)]
        rows.append(np.repeat(np.arange(count), lengths).tolist())
    return rows


def _norm(points: Array) -> Array:
    xp = namespace(points)
    return xp.sqrt(xp.sum(points * points, axis=-1, keepdims=True))


ADAM = {"optimizer": "adam", "lr": 3e-3, "steps": 4000}

KIND = TaskKind(
    Spec=GravitySpec,
    Sweep=GravitySweep,
    build=lambda spec, _: GravityTarget(spec.tau, spec.d, spec.segments),
    check=nothing_more,
    words=lambda spec: task_words(
        spec, "centre of gravity", f"up to {spec.segments} segment{'s' * (spec.segments > 1)}"
    ),
    presets={
        "cog": ("centres of gravity of up to three segments (Fig. 5)", GravitySpec()),
        "cog-plain": (
            "centres of gravity without aux: the same but for sequences of one token",
            GravitySpec(aux=False),
        ),
        "cog-adam": ("centres of gravity by Adam in place of SOAP", amended(GravitySpec(), **ADAM)),
        "cog-adam-plain": (
            "the same without aux: at seed 0 right answers, by weights that are not the task's",
            amended(GravitySpec(aux=False), **ADAM),
        ),
    },
    sweeps={},
    page=TaskPage(
        target=GravityTarget,
        figure=5,
        label="centre of gravity",
        sentence="Each segment's ◇ must find the centre of gravity of its points; every point "
        "looks at itself.",
        equation=r"$y(t)=\left|\sum_s \tfrac{m_s}{\sum m}x_s\right|$ at a prediction token, "
        r"$|x_t|$ at a point (Eq. 62), $F\circ f=|\cdot|$",
        ends=(-1.0, 1.0),
        lanes={"": 0.5},
        answers_are_points=False,
        drawn_in_plane=False,
        value_word="points",
        widths=(1, 32),
        controls={
            "tau": TAU,
            "d": D,
            "segments": Control(
                "segments at most", "Each has a prediction token and at least two points."
            ),
        },
        shipped={
            "cog": Shipped("cog", 18, {"steps": 5000}),
            "cog-plain": Shipped("cog-plain", 18, {"steps": 5000}),
            "cog-adam": Shipped("cog-adam", 18),
            "cog-adam-plain": Shipped("cog-adam-plain", 18),
        },
        without_aux={"cog": "cog-plain", "cog-adam": "cog-adam-plain"},
        plateau="",
        width_sweeps={},
    ),
)
