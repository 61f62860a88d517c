"""An attention task that the explorer does not have, written as a contributor would: the file lies
in explorer/targets/tasks/ of a copy, where test_kinds.py looks at all that becomes of it. It takes
nothing from another task."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from explorer.arrays import namespace
from explorer.spec.fields import AS_LIST, HeadWidth, Seed, Steps, ValueWidth, listed
from explorer.spec.tasks import Dimension, Length, TaskSpec, TaskSweep
from explorer.targets.fixed import example_points
from explorer.targets.kind import TaskKind, nothing_more
from explorer.targets.task import (
    TAU,
    D,
    Mark,
    Numbers,
    Shipped,
    Task,
    TaskError,
    TaskInput,
    TaskPage,
    WidthSweep,
    checked,
    finite,
    one_hot,
    projection_note,
    task_words,
)


class LargestSpec(TaskSpec, frozen=True):
    """Each token (k_t, v_t) asks for the v_s of the largest key k_s."""

    target: Literal["made-up"] = Field(default="made-up", description="kind of target")
    tau: Length = Field(default=4, description="τ, sequence length")
    d: Dimension = 2
    m_h: HeadWidth = 2
    d_v: ValueWidth = 2
    steps: Steps = 500

    @property
    def d_in(self) -> int:
        return self.d + 1

    @property
    def d_out(self) -> int:
        return self.d


class LargestSweep(LargestSpec, TaskSweep, frozen=True):
    """Many trainings: the product of the lists of seed and m_h."""

    member: ClassVar[type[TaskSpec]] = LargestSpec
    swept: ClassVar[tuple[str, ...]] = ("seed", "m_h")

    seed: Annotated[tuple[Seed, ...], *AS_LIST] = listed(0)
    m_h: Annotated[tuple[HeadWidth, ...], *AS_LIST] = listed(2)


class LargestInput(TaskInput):
    """Vectors, and their keys."""

    keys: Numbers | None = None


@dataclass(frozen=True)
class LargestTarget(Task):
    """y_t = v_s with s = argmax_s k_s: hard-max of ρ = k_s. A token is (k, v) ~ U[0, 1]^(1 + d)."""

    tau: int
    d: int

    Input = LargestInput
    n_structure = 0
    positions = None
    sufficient_width = 1
    least_width = (1, "1")
    width_words = "the rank of k_s without its v-mean"
    rank_note = "A made-up task asks for the largest key."
    example_note = ""
    injectivity = projection_note("(k, v)")

    @property
    def n_uniform(self):
        return (1 + self.d) * self.tau

    def inputs(self, uniform, progress=1.0):
        return namespace(uniform).reshape(uniform, (*uniform.shape[:-1], self.tau, 1 + self.d))

    def example(self):
        return example_points(self.tau, 1 + self.d)

    def tokens_of(self, given):
        keys = finite("k", given.keys, (self.tau,))
        if len(set(keys)) < self.tau:
            raise TaskError("k: two keys are the same")
        return np.column_stack([keys, finite("v", given.points, (self.tau, self.d))])

    def input_of(self, x):
        return LargestInput(points=x[:, 1:].tolist(), keys=x[:, 0].tolist())

    def attention(self, x):
        keys = checked(x, self.tau, 1 + self.d)[..., 0]
        row = one_hot(keys.argmax(-1), self.tau, x)[..., None, :]
        return row + namespace(x).zeros_like(keys)[..., :, None]

    def aggregate(self, attention, x):
        return attention @ self.values(x)

    def values(self, x):
        return x[..., 1:]

    value_inputs = values

    def has_value(self, x):
        return namespace(x).ones_like(x[..., 0])

    def query_points(self, x):
        return x[:, 1:]

    def marks(self, x):
        return [Mark(t, "v", f"v({t})", point) for t, point in enumerate(x[:, 1:])]

    def over_plane(self, x1, x2):
        return None


KIND = TaskKind(
    Spec=LargestSpec,
    Sweep=LargestSweep,
    build=lambda spec, _: LargestTarget(spec.tau, spec.d),
    check=nothing_more,
    words=lambda spec: task_words(spec, "largest key"),
    presets={
        "made-up": ("a made-up task", LargestSpec()),
        "made-up-bare": ("the same without aux", LargestSpec(aux=False)),
    },
    sweeps={"made-up-width": ("its width", LargestSweep(m_h=(1, 2)))},
    page=TaskPage(
        target=LargestTarget,
        figure=None,
        label="made-up",
        sentence="Each ■ must find the one with the largest key.",
        equation="$y(t)=v_s$ with the largest $k_s$, $F\\circ f(k,v)=v$",
        ends=(0.0, 1.0),
        lanes={"": 0.5},
        answers_are_points=True,
        drawn_in_plane=True,
        value_word="vectors",
        widths=(1, 8),
        controls={"tau": TAU, "d": D},
        shipped={"made-up": Shipped("made-up", 5, {"steps": 8, "m_ff": 8, "n": 8})},
        without_aux={"made-up": "made-up-bare"},
        plateau="",
        width_sweeps={"made-up": WidthSweep("largest key", "made-up-width")},
    ),
)
