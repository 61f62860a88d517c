"""One model that the kernel trains: its parameters by name, its steps, its state."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from explorer.coupling import Coupling
from explorer.engine.home import Home
from explorer.engine.settings import settings_of
from explorer.models.named import shapes
from explorer.spec import CouplingSpec

MATRICES = ("f", "F", "W_Q", "W_K", "W_V")
"""In the order in which kernel.c's `layer_of` numbers them."""


class Model:
    """A Transformer of Eq. 5 that learns a coupling. Arrays are float32, and those of `weights` and
    `gradient` views of the kernel's memory, by name in the shapes of `models.named`."""

    def __init__(
        self,
        spec: CouplingSpec,
        coupling: Coupling,
        home: Home,
        start: Mapping[str, np.ndarray],
        units: tuple[float, float] = (0.0, 1.0),
    ):
        """`start` has the parameters to begin with; `units` are the centre and scale in which
        answers are learned. Raises EngineError, see `settings_of`."""
        settings, numbers = settings_of(spec, coupling, *units)
        self.spec, self.home = spec, home
        self._at = home.begin(settings)
        self._floats("numbers_of", len(numbers))[:] = numbers
        size = home.call("size_of", self._at)
        self.weights = self._named(self._floats("state_of", size))
        self.gradient = self._named(self._floats("gradient_of", size))
        for name, value in start.items():
            self.weights[name][...] = value

    def differentiate(self, x: np.ndarray, y: np.ndarray) -> float:
        """The mean squared error on x in [0, 1] and y as it is learned, (batch, τ); fills
        `gradient`."""
        self._give(x, y)
        return self.home.call("differentiate", self._at)

    def learn(self, x: np.ndarray, y: np.ndarray, rate: float) -> float:
        """One optimiser step at a learning rate; returns the error before it."""
        self._give(x, y)
        return self.home.call("learn", self._at, rate)

    def fresh(self) -> tuple[np.ndarray, np.ndarray]:
        """The sequences of the next step and their answers as they are learned, (batch, τ)."""
        self.home.call("fresh", self._at)
        return self._batch(0).copy(), self._batch(2).copy()

    def advance(self, steps: int = 1) -> float:
        """So many steps on fresh sequences by the schedule; the error before the last."""
        return self.home.call("advance", self._at, steps)

    def predict(self, x: np.ndarray) -> np.ndarray:
        """ŷ as it is learned, of x (batch, τ)."""
        self._batch(0)[...] = x
        self.home.call("predict", self._at)
        return self._batch(2).copy()

    @property
    def state(self) -> np.ndarray:
        """Parameters, moments, and SOAP's factors and bases, in the kernel's order: with the step
        all that `take` needs to go on bit for bit in the same home."""
        return self._floats("state_of", self.home.call("state_size", self._at)).copy()

    def take(self, state: np.ndarray, step: int) -> None:
        """Go on from a state, so many steps being done."""
        self._floats("state_of", len(state))[:] = state
        self.home.call("set_step", self._at, step)

    def _give(self, x: np.ndarray, y: np.ndarray) -> None:
        self._batch(0)[...], self._batch(2)[...] = x, y

    def _batch(self, which: int) -> np.ndarray:
        pointer = self.home.call("batch_of", self._at, which)
        count = self.spec.batch * self.spec.tau
        return self.home.floats(pointer, count).reshape(self.spec.batch, self.spec.tau)

    def _floats(self, function: str, count: int) -> np.ndarray:
        return self.home.floats(self.home.call(function, self._at), count)

    def _named(self, flat: np.ndarray) -> dict[str, np.ndarray]:
        """Views of a flat buffer, in which a matrix stands transposed and its rows are padded."""
        return {name: self._view(flat, name, shape) for name, shape in shapes(self.spec).items()}

    def _view(self, flat: np.ndarray, name: str, shape: tuple[int, ...]) -> np.ndarray:
        which, _, rest = name.partition(".")
        layer = int(rest.partition(".")[0] or 0)
        weight, bias, wide = (
            self.home.call("layer_of", self._at, MATRICES.index(which), layer, what)
            for what in range(3)
        )
        if len(shape) == 1:
            return flat[bias : bias + math.prod(shape)]
        out, into = shape
        return flat[weight : weight + into * wide].reshape(into, wide)[:, :out].T
