"""An attention task that the explorer does not have, written as a contributor would: the file lies
in explorer/targets/tasks/ of a copy, where test_kinds.py looks at all that becomes of it."""

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from explorer.spec.fields import AS_LIST, HeadWidth, Seed, listed
from explorer.spec.tasks import TaskSweep
from explorer.targets.task import one_hot
from explorer.targets.tasks import nearest


class FarthestSpec(nearest.NearestSpec):
    """Each token (u_t, v_t) asks for the v_s that is farthest from its u_t."""

    target: Literal["farthest"] = Field("farthest", description="kind of target")


class FarthestSweep(FarthestSpec, TaskSweep):
    """Many trainings: the product of the lists of seed and m_h."""

    member: ClassVar[type[FarthestSpec]] = FarthestSpec
    swept: ClassVar[tuple[str, ...]] = ("seed", "m_h")

    seed: Annotated[tuple[Seed, ...], *AS_LIST] = listed(0)
    m_h: Annotated[tuple[HeadWidth, ...], *AS_LIST] = listed(4)


@dataclass(frozen=True)
class FarthestTarget(nearest.NearestTarget):
    """y_t = v_s with s = argmax_s |u_t − v_s|: hard-max of ρ = |u_t − v_s|²."""

    def attention(self, x):
        """1 at the farthest v_s of each u_t; (…, τ, τ)."""
        return one_hot(self.squared_distances(x).argmax(-1), self.tau, x)

    @property
    def rank_note(self):
        return "A made-up task asks for the farthest."


KIND = replace(
    nearest.KIND,
    Spec=FarthestSpec,
    Sweep=FarthestSweep,
    build=lambda spec, _: FarthestTarget(spec.tau, spec.d),
    words=lambda spec: f"farthest point, τ = {spec.tau}",
    presets={"farthest": ("a made-up task", FarthestSpec())},
    sweeps={},
    page=replace(
        nearest.KIND.page,
        target=FarthestTarget,
        figure=7,
        label="farthest",
        sentence="Each ○ must find its farthest ■.",
        equation="$y(t)$ is the farthest",
        shipped=("farthest",),
        without_aux=None,
        plateau="",
        width_sweeps={},
    ),
)
