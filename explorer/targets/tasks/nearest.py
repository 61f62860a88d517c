"""Nearest point of a set (App. B.1, Eq. 54; Figure 4).

It is solved by ρ(u, v) = −|u − v|² on [0, 1]^d. With a = u − ½, b = v − ½ and q(a) = |a|² − d/12,

    ρ = 2 a·b − q(a) − q(b) − d/6,   ⟨a_i²⟩ = 1/12,   ⟨q²⟩ = d/180,

and 1, a_i, q are orthogonal: d singular values are 1/6, and the matrix of 1 and q,
[[−d/6, −s], [−s, 0]] with s² = d/180, has two more. Without the v-mean, which softmax cannot see,
only −s·1⊗q is left of it: d + 1 in all.
"""

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from explorer.arrays import Array, namespace
from explorer.spec.fields import AS_LIST, HeadWidth, Seed, Steps, ValueWidth, listed
from explorer.spec.tasks import Dimension, Length, TaskSpec, TaskSweep
from explorer.targets.fixed import example_points
from explorer.targets.kind import TaskKind, nothing_more
from explorer.targets.task import (
    TAU,
    D,
    Mark,
    Shipped,
    TaskError,
    TaskInput,
    TaskPage,
    VectorTask,
    WidthSweep,
    checked,
    finite,
    one_hot,
    projection_note,
    task_words,
)


class NearestSpec(TaskSpec, frozen=True):
    """Each token (u_t, v_t) asks for the v_s that is nearest to its u_t (Eq. 54)."""

    target: Literal["nearest"] = Field(default="nearest", description="kind of target")
    tau: Length = Field(default=6, description="τ, sequence length")
    m_h: HeadWidth = 4
    d_v: ValueWidth = 2
    steps: Steps = 1500

    @property
    def d_in(self) -> int:
        """Features of a token: u and v."""
        return 2 * self.d

    @property
    def d_out(self) -> int:
        return self.d


class NearestSweep(NearestSpec, TaskSweep, frozen=True):
    """Many trainings: the product of the lists of τ, d, seed and m_h."""

    member: ClassVar[type[TaskSpec]] = NearestSpec
    swept: ClassVar[tuple[str, ...]] = ("tau", "d", "seed", "m_h")

    tau: Annotated[tuple[Length, ...], *AS_LIST] = listed(6)
    d: Annotated[tuple[Dimension, ...], *AS_LIST] = listed(2)
    seed: Annotated[tuple[Seed, ...], *AS_LIST] = listed(0)
    m_h: Annotated[tuple[HeadWidth, ...], *AS_LIST] = listed(4)


@dataclass(frozen=True)
class NearestTarget(VectorTask):
    """y_t = v_s with s = argmin_s |u_t − v_s|: hard-max of ρ = −|u_t − v_s|², F∘f(u, v) = v.

    A token is (u, v), 2d numbers from U[0, 1]. There are no positions: H is equivariant.
    """

    tau: int
    d: int

    Input = TaskInput
    positions = None
    example_note = "The coupling is −|u − v|; Eq. 55's text prints |u − v|."
    injectivity = projection_note("(u, v)")

    @property
    def n_uniform(self) -> int:
        return 2 * self.d * self.tau

    def inputs(self, uniform: Array, progress: float = 1.0) -> Array:
        """Tokens (…, τ, 2d): the uniform numbers themselves."""
        return namespace(uniform).reshape(uniform, (*uniform.shape[:-1], self.tau, 2 * self.d))

    def tokens(self, u: object, v: object) -> np.ndarray:
        """A reader's points u and v, (τ, d) each, as tokens; raises TaskError.

        Points v that coincide have no nearest one among them.
        """
        u, v = (finite(name, points, (self.tau, self.d)) for name, points in (("u", u), ("v", v)))
        for s in range(self.tau):
            for other in range(s):
                if np.array_equal(v[s], v[other]):
                    raise TaskError(f"v({other}) and v({s}) coincide: neither is the nearest")
        return np.concatenate([u, v], axis=-1)

    def attention(self, x: Array) -> Array:
        """1 at the nearest v_s of each u_t, the first of equals; (…, τ, τ)."""
        xp, x = namespace(x), checked(x, self.tau, 2 * self.d)
        difference = x[..., :, None, : self.d] - x[..., None, :, self.d :]  # u_t − v_s
        return one_hot(xp.argmin(xp.sum(difference * difference, axis=-1), axis=-1), self.tau, x)

    def values(self, x: Array) -> Array:
        """v of each token, (…, τ, d)."""
        return checked(x, self.tau, 2 * self.d)[..., self.d :]

    def example(self) -> np.ndarray:
        """A fixed instance (τ, 2d)."""
        return example_points(self.tau, 2 * self.d)

    def tokens_of(self, given: TaskInput) -> np.ndarray:
        """The points are u, then v."""
        if len(given.points) != 2 * self.tau:
            raise TaskError(f"points: {2 * self.tau} are needed, got {len(given.points)}")
        return self.tokens(given.points[: self.tau], given.points[self.tau :])

    def input_of(self, x: np.ndarray) -> TaskInput:
        return TaskInput(points=[*self.query_points(x).tolist(), *self.value_inputs(x).tolist()])

    def marks(self, x: np.ndarray) -> list[Mark]:
        """u and v of each token."""
        sides = {"u": self.query_points(x), "v": self.value_inputs(x)}
        return [
            Mark(t, kind, f"{kind}({t})", point)
            for kind, points in sides.items()
            for t, point in enumerate(points)
        ]

    @property
    def sufficient_width(self) -> int:
        """d + 1, the centred rank of −|u − v|²."""
        return self.d + 1

    @property
    def least_width(self) -> tuple[int, str]:
        return self.sufficient_width, "d + 1"

    @property
    def width_words(self) -> str:
        return f"the rank of −|u − v|² in {self.d} dimension{'s' * (self.d > 1)} without its v-mean"

    @property
    def rank_note(self) -> str:
        raw, centred = (squared_distance_spectrum(self.d, flag) for flag in (False, True))
        values = ", ".join(f"{value:.3g}" for value in centred)
        return (
            f"−|u − v|² on $[0,1]^{self.d}$ has rank {len(raw)}; softmax cannot see what depends "
            f"on u alone, and without it rank {len(centred)} is left (σ = {values}): so "
            f"m_h = {len(centred)} is enough, in any sharpness."
        )


def squared_distance_spectrum(d: int, centred: bool = False) -> np.ndarray:
    """σ_k of −|u − v|² for u, v ~ U[0, 1]^d, descending; (d + 2,), or (d + 1,) centred."""
    shared = [1 / 6] * d
    if centred:
        return np.array(sorted([*shared, math.sqrt(d / 180)], reverse=True))
    middle, reach = d / 12, math.sqrt(d**2 / 144 + d / 180)
    return np.array(sorted([*shared, reach + middle, reach - middle], reverse=True))


KIND = TaskKind(
    Spec=NearestSpec,
    Sweep=NearestSweep,
    build=lambda spec, _: NearestTarget(spec.tau, spec.d),
    check=nothing_more,
    words=lambda spec: task_words(spec, "nearest point"),
    presets={
        "nearest": ("the nearest point of a set (Fig. 4)", NearestSpec()),
        "nearest-plain": (
            "the nearest point without aux: the same but for sequences of one token",
            NearestSpec(aux=False),
        ),
    },
    sweeps={
        "nearest-width": (
            "the nearest point in d = 1, 2, 3 dimensions: −|u − v|² has centred rank d + 1",
            NearestSweep(
                d=(1, 2, 3), d_v=3, m_h=(1, 2, 3, 4, 5, 6), seed=(0, 1), batch=64, steps=2000
            ),
        )
    },
    page=TaskPage(
        target=NearestTarget,
        figure=4,
        label="nearest point",
        sentence="Each ○ must find its nearest ■.",
        equation=r"$y(t)=\arg\min_{v\in V}|u(t)-v|$ (Eq. 54), $\rho=-|u-v|$ "
        r"(Eq. 55 prints $|u-v|$), $F\circ f(u,v)=v$",
        ends=(0.0, 1.0),
        lanes={"u": 0.68, "": 0.32},
        answers_are_points=True,
        drawn_in_plane=True,
        value_word="vectors",
        widths=(1, 12),
        controls={"tau": TAU, "d": D},
        shipped={name: Shipped(name, 20, {"steps": 6000}) for name in ("nearest", "nearest-plain")},
        without_aux={"nearest": "nearest-plain"},
        plateau="the nearest point (it learns E[y | u], by what its own token carries)",
        width_sweeps={
            "nearest": WidthSweep("nearest point in d = 1, 2, 3 dimensions", "nearest-width")
        },
    ),
)
