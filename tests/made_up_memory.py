"""A memory that the explorer does not have, written as a contributor would; it takes nothing from
those there are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from explorer.arrays import constant
from explorer.pages.memory.view_kinds import Law, Least
from explorer.spec import MemorySpec, MemorySweep
from explorer.targets import Memory, MemoryKind
from explorer.targets.kind import nothing_more
from explorer.theory.theorems import STATEMENTS, Memories


class EchoSpec(MemorySpec, frozen=True):
    """y_t = b_{t−1}."""

    target: Literal["echo"] = Field(default="echo", description="kind of target")

    @property
    def first(self):
        return 1


class EchoSweep(EchoSpec, MemorySweep, frozen=True):
    """Many trainings."""

    member: ClassVar[type[EchoSpec]] = EchoSpec
    swept: ClassVar[tuple[str, ...]] = ()


@dataclass(frozen=True)
class Echo(Memory):
    """y_t = b_{t−1}."""

    def attention(self, x):
        return constant(np.eye(self.tau, k=-1), x)


KIND = {
    "Spec": EchoSpec,
    "Sweep": EchoSweep,
    "build": lambda spec, _: Echo(spec.tau, spec.values),
    "check": nothing_more,
    "words": lambda spec: f"an echo, τ = {spec.tau}",
    "presets": {},
    "sweeps": {},
    "title": "echo",
    "definition": "y_t = b_{t-1}",
}
LAW = {
    "memories": lambda spec: Memories("fixed"),
    "theorem": lambda spec, encoding: STATEMENTS["3.1"],
    "axis": "T",
    "here": lambda spec: 1,
    "rate": lambda spec, heads, at, n, encoding: at / heads**n,
    "tex": lambda encoding: "T/H^n",
    "layers": lambda spec: "One layer hears an echo.",
    "further": lambda spec, n, encoding: (f"Of order {n}.",),
}
VIEW = {
    "kind": MemoryKind(**KIND),
    "name": "an echo",
    "preset": "memory-echo",
    "says": "the answer is what was before",
    "tex": lambda spec: "y_t=b_{t-1}",
    "drawn": lambda spec: {"lags": [1]},
    "least": lambda spec: Least(0.0, "an echo"),
    "known": lambda spec: "An echo is heard.",
    "law": Law(**LAW),
}
