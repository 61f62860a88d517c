"""What depends on the step alone: the learning rate, and which steps are kept."""

import math

from explorer.spec import AnySpec

HISTORY_PER_DECADE = 100
SNAPSHOTS_PER_DECADE = 8
AFTER_CUT = 20  # steps of warm-up after a head start


def learning_rate(spec: AnySpec, step: int) -> float:
    """Rate of step 1 … steps: linear warm-up, then constant or a cosine to 0.

    A warm-up longer than a third of the run is shortened to that. The fresh optimiser after a head
    start warms up for some steps, too.
    """
    since = step - spec.started_until
    return _rate(spec, step) * (min(1.0, since / AFTER_CUT) if 0 < since < step else 1.0)


def _rate(spec: AnySpec, step: int) -> float:
    before, steps = spec.phase(step)
    step, warmup = step - before, min(spec.warmup, steps // 3)
    if step <= warmup:
        return spec.lr * step / warmup
    if spec.schedule == "constant":
        return spec.lr
    return spec.lr * 0.5 * (1 + math.cos(math.pi * (step - warmup) / (steps - warmup + 1)))


def is_log_spaced(step: int, per_decade: int) -> bool:
    """Whether a step is one of about `per_decade` a decade: the first to pass 10^(j/per_decade)."""
    return _index(step, per_decade) > _index(step - 1, per_decade)


def keeps_history(step: int, steps: int) -> bool:
    """Whether the loss of this step is kept; the last step always is."""
    return step == steps or is_log_spaced(step, HISTORY_PER_DECADE)


def keeps_snapshot(step: int, steps: int) -> bool:
    """Whether a picture of this step is kept; the last step always is."""
    return step == steps or is_log_spaced(step, SNAPSHOTS_PER_DECADE)


def _index(step: int, per_decade: int) -> int:
    # The small shift keeps exact powers (log10(1000) = 2.9999999999999996) on their own side.
    return math.floor(per_decade * math.log10(step) + 1e-9) if step > 0 else -1
