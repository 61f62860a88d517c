"""The attention tasks, one file each: whatever module lies here is one, by the name KIND.

nearest     the nearest point of a set, by hard-max of −|u − v|²
gravity     centres of gravity of segments
selection   qSA, the average of selected vectors
"""

import math
from importlib import import_module
from pkgutil import iter_modules

from explorer.targets.kind import TaskKind


def kinds() -> list[TaskKind]:
    """Every task, in the order of the paper's figures, and behind them those in none."""
    tasks = [import_module(f"{__name__}.{module.name}").KIND for module in iter_modules(__path__)]
    return sorted(tasks, key=lambda kind: (kind.page.figure or math.inf, kind.name))
