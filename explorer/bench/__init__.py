"""`python -m explorer bench`: costs and ratios, measured side by side in one run.

Machines are shared and noisy, so what is compared runs in turn (A B A B …) and medians are quoted.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch

from explorer.bench import (
    backend,
    engine,
    ensembles,
    gpu,
    load,
    numerics,
    page,
    real,
    siege,
    soak,
    stage,
    tab,
)
from explorer.bench.serving import Figures, Lacking
from explorer.spec import SpecError


class Row(NamedTuple):
    """One measured figure; goal is empty where none was set."""

    bench: str
    what: str
    value: str
    unit: str
    goal: str


BENCHES: dict[str, Callable[..., Figures]] = {
    "step": numerics.step,
    "ensemble": ensembles.ensemble,
    "engine": engine.engine,
    "scaling": ensembles.scaling,
    "figure": ensembles.figure,
    "pod": numerics.pod_cost,
    "start": backend.start,
    "page": page.page,
    "stage": stage.stage,
    "tab": tab.tab,
    "real": real.real,
    "reruns": backend.reruns,
    "memory": backend.memory,
    "load": load.load,
    "fairness": siege.fairness,
    "siege": siege.siege,
    "soak": soak.soak,
    "gpu": gpu.gpu,
}

LONG = ("siege", "soak")
"""Those that are measured only where they are named."""
TIMED = ("soak",)


def run(names: list[str], **options: float) -> Iterator[dict[str, str]]:
    """Measure the named benches, or all but the long ones, each row as it is asked for; `options`
    are those of a timed one. What torch does here has one thread, as in a worker. Raises SpecError
    for an unknown name."""
    unknown = set(names) - set(BENCHES)
    if unknown:
        raise SpecError(f"bench {', '.join(sorted(unknown))}: known are {', '.join(BENCHES)}")
    torch.set_num_threads(1)
    wanted = names or [name for name in BENCHES if name not in LONG]
    return (
        Row(name, *figures)._asdict()
        for name in wanted
        for figures in _measured(BENCHES[name], options if name in TIMED else {})
    )


def _measured(bench: Callable[..., Figures], options: dict[str, float]) -> Figures:
    """Its figures, as far as what it needs is here."""
    try:
        yield from bench(**options)
    except Lacking as error:
        yield str(error), "–", "", ""
