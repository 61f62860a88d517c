"""Sweeps trained from the top down: the widest models, cut."""

import math
from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from explorer.spec import CouplingSpec, amended
from explorer.targets import CouplingTarget
from explorer.training.ensemble import Ensemble, under
from explorer.training.truncation import truncated

FINE_TUNE = 300  # steps after a truncation
GENTLER, WARMUP = 0.3, 20  # share of the learning rate, and steps up to it, for those steps


class TopDown:
    """A sweep over m_h in two trainings: the widest models, then their truncations fine-tuned.

    A widest model is shared by the members that differ from each other in m_h alone. Neither
    training knows of the other's optimiser; the stream of sequences goes on. A head start of the
    members is left out: they are cut from wider heads anyway.
    """

    def __init__(
        self,
        members: Sequence[CouplingSpec],
        targets: Sequence[CouplingTarget],
        device: str = "cpu",
        fine_tune: int = FINE_TUNE,
    ):
        self.members = tuple(amended(member, head_start=0) for member in members)
        self.targets, self.fine_tune = tuple(targets), fine_tune
        widest = max(member.m_h for member in members)
        wide = [amended(member, m_h=widest) for member in self.members]
        parents = list(dict.fromkeys(wide))
        self.parent_of = [parents.index(member) for member in wide]
        parent_targets = [self.targets[self.parent_of.index(i)] for i in range(len(parents))]
        self.wide = Ensemble(parents, parent_targets, device)
        self.narrow: Ensemble[CouplingSpec] | None = None

    @property
    def steps(self) -> int:
        """Of both trainings."""
        return self.wide.spec.steps + self.fine_tune

    def run(self) -> Iterator[Tensor]:
        """The losses of each step, (model,); NaN for the narrow while the wide models train."""
        widest = torch.tensor([m.m_h for m in self.members]) == self.wide.spec.m_h
        for losses in self.wide.run():
            yield torch.where(widest.to(losses.device), losses[self.parent_of], math.nan)
        if self.narrow is None:
            self.narrow = self._cut()
        yield from self.narrow.run()

    @property
    def step(self) -> int:
        """Of both trainings."""
        return self.wide.step + (self.narrow.step if self.narrow else 0)

    def state(self) -> dict[str, Tensor]:
        """The states of both trainings, as far as they have begun."""
        parts = {"wide": self.wide} | ({"narrow": self.narrow} if self.narrow else {})
        return {"step": torch.tensor(self.step)} | {
            f"{part}.{name}": value
            for part, models in parts.items()
            for name, value in models.state().items()
        }

    def load(self, state: dict[str, Tensor]) -> None:
        """Take up a state; raises ValueError as `Ensemble.load`."""
        self.wide.load(under("wide.", state))
        if narrow := under("narrow.", state):
            self.narrow = self._cut()
            self.narrow.load(narrow)

    @torch.no_grad()
    def _cut(self) -> Ensemble[CouplingSpec]:
        """The members, each started from its truncated parent."""
        changes = {"steps": self.fine_tune, "lr": GENTLER * self.wide.spec.lr, "warmup": WARMUP}
        short = [amended(member, **changes) for member in self.members]
        narrow = Ensemble(short, self.targets, str(self.wide.device))
        inherited = {name: w[self.parent_of] for name, w in self.wide.weights.items()}
        k = [member.m_h for member in self.members]
        w_q, w_k = truncated(self.wide.spec, inherited, k)
        for name, weight in (inherited | {"W_Q": w_q, "W_K": w_k}).items():
            narrow.weights[name].copy_(weight)
        for generator, parent in zip(narrow.generators, self.wide.generators, strict=True):
            generator.set_state(parent.get_state())
        return narrow

    @property
    def final(self) -> Ensemble[CouplingSpec]:
        """The members as they are when `run` is over; raises ValueError before."""
        if self.narrow is None:
            raise ValueError("top-down: the narrow models are not trained yet")
        return self.narrow
