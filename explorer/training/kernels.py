"""Models of Eq. 5 that the kernel in C trains (`engine`), in place of an `Ensemble`.

Each is stepped on its own. What is measured of them is torch's recipe for couplings, in the units
in which the kernel has learned.
"""

import math
import platform
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256

import numpy as np
import torch
from torch import Tensor

from explorer.engine import EngineError, Home, Model, wasm
from explorer.engine.home import WASM, Native, library
from explorer.spec import CouplingSpec
from explorer.targets import CouplingTarget
from explorer.training.ensemble import distinct, stacked, widest_spec
from explorer.training.recipe import Calibration, Plan
from explorer.training.recipes.couplings import Couplings
from explorer.training.rest import Rest
from explorer.training.trained import Trained, check_whole

HOMES: dict[str, Callable[[], Home]] = {"native": lambda: Native(library()), "wasm": wasm}
"""A home of its own for each training, which goes with it."""
CPU = torch.device("cpu")


class Kernels(Trained[CouplingSpec]):
    """Models that may differ in their coupling, m_h, m_FF and seed."""

    def __init__(self, members: Sequence[CouplingSpec], targets: Sequence[CouplingTarget]):
        """One target for each member. Raises EngineError, which says what would train them."""
        self.members, self.device = tuple(members), CPU
        self.step, self.losses = 0, torch.full((len(members),), math.nan)
        self.spec, pairs = widest_spec(members), zip(members, targets, strict=True)
        with _said_of(self.spec.engine):
            home = HOMES[self.spec.engine]()
            self.models = [Model(spec, target.coupling, home) for spec, target in pairs]
        every, target_of = distinct(targets)
        own = [Calibration(*model.units) for model in self.models]
        units = [own[target_of.index(i)] for i in range(len(every))]
        self.variances = [each.variance for each in own]
        self.rest = Rest(self.spec, len(members), CPU)
        seed_of = distinct([member.seed for member in members])[1]
        self.recipe = Couplings(
            Plan(self.spec, self.members, every, units, target_of, seed_of, CPU)
        )

    def advance(self) -> Tensor:
        self.step += 1
        losses = self.losses.tolist()  # of those that rest the last
        for i, model in enumerate(self.models):
            if not self.rest.since[i]:
                losses[i] = model.advance() / self.variances[i]
        self.losses = torch.tensor(losses)
        self._note(self.losses)
        return self.losses

    @property
    def weights(self) -> dict[str, Tensor]:
        spec = widest_spec([member.at(self.step) for member in self.members])
        copies = [
            {name: torch.from_numpy(array.copy()) for name, array in model.weights.items()}
            for model in self.models
        ]
        return stacked(spec, copies)[1]

    def state(self) -> dict[str, Tensor]:
        named = {"step": torch.tensor(self.step), "loss": self.losses.clone()}
        named |= {f"weights.{name}": weight.clone() for name, weight in self.weights.items()}
        states = np.concatenate([model.state for model in self.models])
        return named | {"engine.state": torch.from_numpy(states)} | self.rest.state()

    def load(self, state: dict[str, Tensor]) -> None:
        """See `Trained`; raises EngineError for a state of another processor's code."""
        check_whole(state)
        sizes, held = [len(model.state) for model in self.models], state["engine.state"].numpy()
        if held.shape != (sum(sizes),):
            raise EngineError(
                f"checkpoint: its engine.state has {held.size} numbers, the kernel's code here "
                f"{sum(sizes)}: go on with it on the kind of processor on which it was trained, or "
                'train its specification anew; engine = "wasm" goes on everywhere'
            )
        self.step, self.losses = int(state["step"]), state["loss"].clone()
        self.rest.load(state)
        for model, part in zip(self.models, np.split(held, np.cumsum(sizes)[:-1]), strict=True):
            model.take(part, self.step)
        for name, weight in self.weights.items():
            if not torch.equal(weight, state[f"weights.{name}"]):
                raise EngineError(f"checkpoint: {name} is not that of its engine.state")


def code_of(engine: str) -> str:
    """Whose bits a run has: an engine and the hash of its code; of the machine's own that of
    source, compiler and processor. Raises EngineError."""
    with _said_of(engine):
        if engine == "native":
            return f"native ({platform.machine()}, {library().stem})"
        return f"{engine} ({sha256(WASM.read_bytes()).hexdigest()[:16]})"


@contextmanager
def _said_of(engine: str) -> Iterator[None]:
    """Says of an EngineError which engine it is about, and what would do."""
    try:
        yield
    except EngineError as error:
        raise EngineError(
            f'engine = "{engine}": {error}; or train it with --engine torch'
        ) from None
