"""qSA, the average of selected vectors (App. B.1, Eq. 63 to 66; Figure 6)."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from explorer.arrays import Array, constant, namespace
from explorer.spec.fields import AS_LIST, HeadWidth, Seed, Steps, ValueWidth, listed
from explorer.spec.tasks import Dimension, Length, TaskSpec, TaskSweep
from explorer.targets.fixed import EXAMPLE_SEED, example_points
from explorer.targets.kind import TaskKind, nothing_more
from explorer.targets.task import (
    MOST_POINTS,
    TAU,
    Control,
    D,
    Mark,
    Number,
    Shipped,
    TaskError,
    TaskInput,
    TaskPage,
    VectorTask,
    WidthSweep,
    checked,
    finite,
    floor_index,
    one_hot,
    projection_note,
    task_words,
)

EQ_65 = ((0, 0, 1), (0, 1, 2), (2, 2, 2))
"""The indices of Eq. 65, which counts from 1, counted from 0."""
EQ_66 = ((4, 5, 5), (4, 4, 4), (1, 1, 7), (5, 5, 5), (0, 3, 7), (0, 6, 7), (2, 2, 2), (2, 3, 4))
"""The indices of Eq. 66 and Figure 6."""
Indices = Annotated[int, Field(ge=1, le=8)]
Row = Annotated[list[Number], Field(max_length=16)]


class SelectionSpec(TaskSpec, frozen=True):
    """qSA: each token (v_t, s_t) asks for the mean of v over its k indices s_t (Eq. 63)."""

    target: Literal["qsa"] = Field(default="qsa", description="kind of target")
    tau: Length = Field(default=8, description="τ, sequence length")
    d: Dimension = Field(default=2, description="d, dimension of the vectors")
    k: Indices = Field(default=3, description="k, indices of a token")
    m_h: HeadWidth = 8
    d_v: ValueWidth = 2
    steps: Steps = 500

    @property
    def d_in(self) -> int:
        """Features of a token: v, how often it asks for each position, one-hot position."""
        return self.d + 2 * self.tau

    @property
    def d_out(self) -> int:
        return self.d


class SelectionSweep(SelectionSpec, TaskSweep, frozen=True):
    """Many trainings: the product of the lists of τ, k, seed and m_h."""

    member: ClassVar[type[TaskSpec]] = SelectionSpec
    swept: ClassVar[tuple[str, ...]] = ("tau", "k", "seed", "m_h")

    tau: Annotated[tuple[Length, ...], *AS_LIST] = listed(8)
    k: Annotated[tuple[Indices, ...], *AS_LIST] = listed(3)
    seed: Annotated[tuple[Seed, ...], *AS_LIST] = listed(0)
    m_h: Annotated[tuple[HeadWidth, ...], *AS_LIST] = listed(8)


class SelectionInput(TaskInput):
    """Vectors, and the indices that each token asks for."""

    indices: Annotated[list[Row], Field(max_length=MOST_POINTS)] | None = None


@dataclass(frozen=True)
class SelectionTarget(VectorTask):
    """y_t = (1/k) Σ_{s ∈ s(t)} v_s, F∘f(v, s) = v: weights in {0, 1/k, …, 1}.

    A token is (v ~ U[0, 1]^d, how often it asks for each position, one-hot position); its k
    indices are drawn independently.
    """

    tau: int
    d: int
    k: int

    Input = SelectionInput
    width_words = "which is enough to tell τ positions apart (τ − 1)"
    injectivity = projection_note("(v, s)")

    @property
    def features(self) -> int:
        """Numbers of a token."""
        return self.d + 2 * self.tau

    @property
    def positions(self) -> slice:
        """Where a token stands, one-hot."""
        return slice(self.d + self.tau, self.features)

    @property
    def n_uniform(self) -> int:
        return (self.d + self.k) * self.tau

    def inputs(self, uniform: Array, progress: float = 1.0) -> Array:
        """Tokens (…, τ, features)."""
        xp = namespace(uniform)
        rows = xp.reshape(uniform, (*uniform.shape[:-1], self.tau, self.d + self.k))
        return self._assembled(rows[..., : self.d], floor_index(rows[..., self.d :], self.tau))

    def _assembled(self, vectors: Array, indices: Array) -> Array:
        xp = namespace(vectors)
        counts = xp.sum(one_hot(indices, self.tau, vectors), axis=-2)  # (…, τ, τ)
        position = constant(np.eye(self.tau), vectors) + xp.zeros_like(counts)
        return xp.concat([vectors, counts, position], axis=-1)

    def tokens(self, vectors: object, indices: object) -> np.ndarray:
        """A reader's vectors (τ, d) and indices (τ, k) as tokens; raises TaskError."""
        vectors = finite("v", vectors, (self.tau, self.d))
        indices = finite("s", indices, (self.tau, self.k))
        bad = (indices != np.floor(indices)) | (indices < 0) | (indices >= self.tau)
        if bad.any():
            t, j = np.argwhere(bad)[0]
            raise TaskError(
                f"s({t}) holds {indices[t, j]:g}: indices are whole from 0 to {self.tau - 1}"
            )
        return self._assembled(vectors, indices)

    def attention(self, x: Array) -> Array:
        """How often t asks for s, over k; (…, τ, τ)."""
        return checked(x, self.tau, self.features)[..., self.d : self.d + self.tau] / self.k

    def values(self, x: Array) -> Array:
        """v of each token, (…, τ, d)."""
        return checked(x, self.tau, self.features)[..., : self.d]

    def example(self) -> np.ndarray:
        """An instance (τ, features); the indices are those of Eq. 66 or 65 where τ and k are."""
        printed = {(8, 3): EQ_66, (3, 3): EQ_65}.get((self.tau, self.k))
        drawn = np.random.default_rng(EXAMPLE_SEED).integers(0, self.tau, (self.tau, self.k))
        return self.tokens(example_points(self.tau, self.d), drawn if printed is None else printed)

    def tokens_of(self, given: SelectionInput) -> np.ndarray:
        if not all(len(row) == self.k for row in given.indices or [()]):
            raise TaskError(f"s: {self.k} indices each are needed")
        return self.tokens(given.points, given.indices)

    def input_of(self, x: np.ndarray) -> SelectionInput:
        return SelectionInput(
            points=x[:, : self.d].tolist(), indices=[[*row] for row in self._indices(x)]
        )

    def _indices(self, x: np.ndarray) -> list[list[int]]:
        """The indices that each token asks for, ascending."""
        counts = x[:, self.d : self.d + self.tau].round().astype(int)
        return [np.repeat(np.arange(self.tau), row).tolist() for row in counts]

    def marks(self, x: np.ndarray) -> list[Mark]:
        """v of each token, with the indices it asks for."""
        indices = [" ".join(map(str, row)) for row in self._indices(x)]
        return [
            Mark(t, "v", f"v({t})", point, {"indices": indices[t]})
            for t, point in enumerate(self.value_inputs(x))
        ]

    @property
    def sufficient_width(self) -> int:
        """ρ(x_t, x_s) is a function of how often t asks for s, so a row is any vector of τ numbers
        up to a constant: τ − 1."""
        return self.tau - 1

    @property
    def least_width(self) -> tuple[int, str]:
        return neighbourly_width(self.tau, self.k), "min(2k, τ − 1)"

    @property
    def rank_note(self) -> str:
        return (
            "Any vector of τ logits may be asked for, up to a constant: rank "
            f"τ − 1 = {self.tau - 1} is always enough. In the limit e^λ → ∞ so is min(2k, τ − 1) = "
            f"{neighbourly_width(self.tau, self.k)} (keys on the moment curve), which grows with k "
            "and not with τ, as Sanford et al. prove (arXiv 2306.02896). What trained heads need "
            "is measured below."
        )

    @property
    def example_note(self) -> str:
        equation = {(8, 3): "Eq. 66, Figure 6", (3, 3): "Eq. 65"}.get((self.tau, self.k))
        printed = (
            f"The example's indices are those of {equation}, counted from 0. " if equation else ""
        )
        weights = ", ".join("0" if not i else f"{i}/{self.k}" for i in range(self.k)) + ", 1"
        return (
            printed + f"Its weights lie in {{{weights}}} (the paper prints ρ ∈ {{0, 1/2, 2/3, 1}})."
        )


def neighbourly_width(tau: int, k: int) -> int:
    """The least m_h whose attention can be any weights on any k of τ keys, as e^λ grows.

    A row tends to weights on k of the keys W_K f̂(x_s), points in m_h dimensions, if a linear
    function is largest just there: each k of the points must span a face of their hull. Points of
    the moment curve (s, s², …, s^2k) do; in fewer than 2k dimensions only corners of a simplex do,
    τ ≤ m_h + 1 (Gale). So it is min(2k, τ − 1): it grows with k and not with τ, which is what
    Sanford et al. (arXiv 2306.02896) prove of qSA. The margin by which such a function is largest
    shrinks as τ grows, though, and a trained head needs the greater λ for it.
    """
    return min(2 * k, tau - 1)


KIND = TaskKind(
    Spec=SelectionSpec,
    Sweep=SelectionSweep,
    build=lambda spec, _: SelectionTarget(spec.tau, spec.d, spec.k),
    check=nothing_more,
    words=lambda spec: task_words(spec, "q-sparse averaging", f"k = {spec.k}"),
    presets={"qsa": ("qSA, the average of selected vectors (Fig. 6)", SelectionSpec())},
    sweeps={
        "qsa-width": (
            "qSA of k = 1, 2, 3 indices among τ = 8 positions, against m_h",
            SelectionSweep(
                k=(1, 2, 3), m_h=(1, 2, 3, 4, 5, 6, 7, 8), seed=(0, 1, 2, 3), batch=64, steps=2000
            ),
        ),
        "qsa-width-tau": (
            "qSA of k = 1 index among τ = 4 to 32 positions, against m_h",
            SelectionSweep(
                tau=(4, 8, 16, 32),
                k=(1,),
                m_h=(1, 2, 3, 4),
                seed=(0, 1, 2, 3),
                batch=64,
                steps=1000,
            ),
        ),
    },
    page=TaskPage(
        target=SelectionTarget,
        figure=6,
        label="q-sparse averaging (qSA)",
        sentence="q-sparse averaging (qSA): each ■ must average the few ■ that its indices name.",
        equation=r"$y(t)=\tfrac1k\sum_{s\in\mathbf s(t)}v_s$ (Eq. 63), $F\circ f(v,s)=v$",
        ends=(0.0, 1.0),
        lanes={"": 0.5},
        answers_are_points=True,
        drawn_in_plane=False,
        value_word="vectors",
        widths=(1, 16),
        controls={"tau": TAU, "d": D, "k": Control("k, indices of a token")},
        shipped={"qsa": Shipped("qsa", 20, {"steps": 2500})},
        without_aux={},
        plateau="",
        width_sweeps={
            "qsa-k": WidthSweep("q-sparse averaging of k = 1, 2, 3 indices, τ = 8", "qsa-width"),
            "qsa-tau": WidthSweep(
                "q-sparse averaging of k = 1 index, τ = 4, 8, 16, 32", "qsa-width-tau"
            ),
        },
    ),
)
