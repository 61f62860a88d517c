"""`python -m explorer bench`: costs and ratios, measured side by side in one run.

Machines are shared and noisy, so what is compared runs in turn (A B A B …) and medians are quoted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from explorer.bench import backend, ensembles, numerics, page, real, stage
from explorer.spec import SpecError


class Row(NamedTuple):
    """One measured figure; goal is empty where none was set."""

    bench: str
    what: str
    value: str
    unit: str
    goal: str


BENCHES: dict[str, Callable[[], Iterator[tuple[str, str, str, str]]]] = {
    "step": numerics.step,
    "ensemble": ensembles.ensemble,
    "scaling": ensembles.scaling,
    "figure": ensembles.figure,
    "pod": numerics.pod_cost,
    "start": backend.start,
    "page": page.page,
    "stage": stage.stage,
    "real": real.real,
    "reruns": backend.reruns,
    "memory": backend.memory,
}


def run(names: list[str]) -> Iterator[dict[str, str]]:
    """Measure the named benches, or all, each row as it is asked for; raises SpecError for an
    unknown name."""
    unknown = set(names) - set(BENCHES)
    if unknown:
        raise SpecError(f"bench {', '.join(sorted(unknown))}: known are {', '.join(BENCHES)}")
    return (
        Row(name, *figures)._asdict() for name in names or BENCHES for figures in BENCHES[name]()
    )
