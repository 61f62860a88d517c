"""When training ends: "we train enough epochs to ensure that the loss does not decrease" (App. C).

The batch losses of a model are averaged over windows of whole passes through its training set. A
window is an improvement if its mean is less than (1 − GAIN) times that of the last improvement. The
model rests with the last step of PATIENCE windows in a row without one: within them the training
error has not fallen by GAIN. Its parameters then stay as they are; what is trained beside it goes
on.
"""

import torch
from torch import Tensor

from explorer.spec import AnySpec
from explorer.spec.couplings import GAIN, PATIENCE, WINDOW

LARGEST = torch.finfo(torch.float32).max  # before the first window, as a state must be finite


def window_of(spec: AnySpec) -> int:
    """Steps of a window: whole passes through the training set, of whole batches."""
    one = -(-spec.own_set // spec.batch) if spec.own_set else 1
    return one * -(-WINDOW // one)


class Rest:
    """Which models rest, (model,); that of a specification that trains all its steps never does."""

    def __init__(self, spec: AnySpec, models: int, device: torch.device):
        self.asked = spec.rests
        self.window, self.until = window_of(spec), spec.started_until
        self.total = torch.zeros(models, device=device)
        """Of the losses of the open window."""
        self.least = torch.full_like(self.total, LARGEST)
        """Mean loss of the last improvement."""
        self.poor = torch.zeros_like(self.total, dtype=torch.int64)
        """Windows since then."""
        self.since = torch.zeros_like(self.poor)
        """The step from which on a model rests; 0 before."""
        self.resting, self.all = False, False

    def add(self, step: int, losses: Tensor) -> None:
        """Note the losses of a step, (model,), which a head start leaves out."""
        if not self.asked or step <= self.until:
            return
        self.total += losses
        if (step - self.until) % self.window == 0:
            self._close(step)

    def _close(self, step: int) -> None:
        mean = self.total / self.window
        better = mean < (1 - GAIN) * self.least
        self.least = torch.where(better, mean, self.least)
        self.poor = torch.where(better, 0, self.poor + 1)
        now = (self.since == 0) & (self.poor >= PATIENCE)
        self.since = torch.where(now, step, self.since)
        self.total = torch.zeros_like(self.total)
        self._look()

    def _look(self) -> None:
        rests = self.since > 0
        self.resting, self.all = bool(rests.any()), bool(rests.all())

    def held(self, weights: dict[str, Tensor]) -> dict[str, Tensor]:
        """Copies of the parameters (model, …) of those that rest."""
        if not self.resting:
            return {}
        return {name: weight[self.since > 0].clone() for name, weight in weights.items()}

    def restore(self, weights: dict[str, Tensor], held: dict[str, Tensor]) -> None:
        """Undo what a step has done to them."""
        for name, weight in held.items():
            weights[name][self.since > 0] = weight

    def metrics(self, model: int) -> dict[str, float]:
        """For the metrics of a model: since when it rests, 0 where its last step came first."""
        return {"rested": float(self.since[model])} if self.asked else {}

    def state(self) -> dict[str, Tensor]:
        """Nothing where it is not asked."""
        names = ("total", "least", "poor", "since") if self.asked else ()
        return {f"rest.{name}": getattr(self, name) for name in names}

    def load(self, state: dict[str, Tensor]) -> None:
        """Take up what `state` gave."""
        for name, value in self.state().items():
            setattr(self, name.removeprefix("rest."), state[name].to(value.device, copy=True))
        self._look()
