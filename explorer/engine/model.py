"""One model that the kernel trains: its parameters by name, its steps, its state."""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from explorer.coupling import Coupling, Quadrature
from explorer.engine.home import Home
from explorer.engine.settings import EngineError, settings_of
from explorer.models.named import shapes
from explorer.spec import CouplingSpec

NODES = 256
"""Points a side of what `Model.grid` shows, at most."""
MOST_NODES, SUBSPACES = 512, 16
"""Nodes a side of `Model.pod`, and subspaces that it compares, at most."""
FRESH, TRAINED_ON = range(2)
"""Sequences that the kernel evaluates on: fixed ones, or those of the training set."""


class Units(NamedTuple):
    """Answers y are learned as (y − centre) / scale, whose variance is `variance`."""

    centre: float
    scale: float
    variance: float = 1.0


class Model:
    """A Transformer of Eq. 5 that learns a coupling. Arrays are float32, and those of `weights` and
    `gradient` views of the kernel's memory, by name in the shapes of `models.named` at its step:
    a head start is cut by the first step after it."""

    def __init__(
        self,
        spec: CouplingSpec,
        coupling: Coupling,
        home: Home,
        start: Mapping[str, np.ndarray] | None = None,
        units: Units | None = None,
    ):
        """`start` has the parameters to begin with in place of the seed's; `units` are used in
        place of those by the fixed sequences. Raises EngineError, see `settings_of`."""
        settings, numbers = settings_of(spec, coupling)
        self.spec, self.home = spec, home
        self._at = home.begin(settings)
        self._floats("numbers_of", len(numbers))[:] = numbers
        home.call("start", self._at)
        for name, value in (start or {}).items():
            self.weights[name][...] = value
        if units:
            self._floats("units_of", 3)[:] = units

    @property
    def weights(self) -> dict[str, np.ndarray]:
        """The parameters."""
        return self._named("state_of")

    @property
    def gradient(self) -> dict[str, np.ndarray]:
        """That of the last step."""
        return self._named("gradient_of")

    @property
    def step(self) -> int:
        """Steps done."""
        return self.home.call("step_of", self._at)

    @property
    def units(self) -> Units:
        """In which answers are learned."""
        return Units(*map(float, self._floats("units_of", 3)))

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
        return self._batch(0).copy(), self._batch(1).copy()

    def advance(self, steps: int = 1) -> float:
        """So many steps on fresh sequences by the schedule; the error before the last."""
        return self.home.call("advance", self._at, steps)

    def predict(self, x: np.ndarray) -> np.ndarray:
        """ŷ as it is learned, of x (batch, τ)."""
        self._batch(0)[...] = x
        self.home.call("predict", self._at)
        return self._batch(2).copy()

    def evaluate(self, count: int) -> tuple[float, float, float]:
        """Mean square and mean size of ŷ − y on the first fixed sequences, and Var(y) there."""
        mse, mae, variance = map(float, self._floats("evaluate", 3, FRESH, count))
        return mse, mae, variance

    def training_error(self, count: int) -> float:
        """Mean square of ŷ − y on the first sequences of the training set."""
        return float(self._floats("evaluate", 3, TRAINED_ON, count)[0])

    def grid(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        """ρ̂(u_i, v_j), (rows, columns), of at most NODES points a side."""
        points = self._floats("points_of", 2 * NODES)
        points[: len(u)], points[NODES : NODES + len(v)] = u, v
        looked = self._floats("grid", len(u) * len(v), len(u), len(v))
        return looked.reshape(len(u), len(v)).copy()

    def pod(
        self, at: Quadrature, designed: tuple[np.ndarray, np.ndarray] | int
    ) -> tuple[np.ndarray, np.ndarray]:
        """σ̂_k of the centred ρ̂ (its v-mean removed), (m_h,), and cosines (K,): entry k−1 of the
        largest principal angle between span(φ̂_1 … φ̂_k) and span(φ_1 … φ_k), or the same of ψ,
        whose angle is larger. `designed` are functions φ (K, N_u) and ψ (K, N_v) at the nodes, or
        how many of the bases of the coupling; no more than SUBSPACES and m_h of them are compared.

        Raises EngineError for more than MOST_NODES nodes a side.
        """
        rows, columns = len(at.u), len(at.v)
        if max(rows, columns) > MOST_NODES:
            raise EngineError(f"the kernel takes a POD at {MOST_NODES} nodes a side at most")
        m_h = self.spec.at(self.step).m_h
        known = designed if isinstance(designed, int) else len(designed[0])
        count = min(known, m_h, SUBSPACES)
        roots = np.sqrt(at.wu), np.sqrt(at.wv)
        quadrature = self._floats("quadrature_of", 4 * MOST_NODES).reshape(4, -1)
        for row, values in zip(quadrature, (at.u, at.v, *roots), strict=True):
            row[: len(values)] = values
        if isinstance(designed, int):
            self.home.call("design", self._at, rows, columns, count)
        else:
            held = self._floats("designed_of", 2 * SUBSPACES * MOST_NODES)
            sides = held.reshape(2, SUBSPACES, MOST_NODES)
            for side, root, values in zip(sides, roots, designed, strict=True):
                side[:count, : len(root)] = root * values[:count]
        packed = self._floats("pod", m_h + count, rows, columns, count).copy()
        return packed[:m_h], packed[m_h:]

    def attention(self, x: np.ndarray) -> np.ndarray:
        """The weights (τ, τ) of one sequence (τ,)."""
        return self._of_sequence("attention", x)

    def coupling(self, x: np.ndarray) -> np.ndarray:
        """ρ(x_t, x_s) of the target (τ, τ) for one sequence (τ,)."""
        return self._of_sequence("coupling", x)

    @property
    def state(self) -> np.ndarray:
        """Parameters, moments, and SOAP's factors and bases, in the kernel's order: with `step`
        all that `take` needs to go on bit for bit in the same home."""
        return self._floats("state_of", self.home.call("state_size", self._at)).copy()

    def take(self, state: np.ndarray, step: int) -> None:
        """Go on from a state, so many steps being done."""
        self.home.call("set_step", self._at, step)
        self._floats("state_of", len(state))[:] = state

    def _give(self, x: np.ndarray, y: np.ndarray) -> None:
        self._batch(0)[...], self._batch(1)[...] = x, y

    def _batch(self, which: int) -> np.ndarray:
        pointer = self.home.call("batch_of", self._at, which)
        count = self.spec.batch * self.spec.tau
        return self.home.floats(pointer, count).reshape(self.spec.batch, self.spec.tau)

    def _of_sequence(self, function: str, x: np.ndarray) -> np.ndarray:
        self._batch(0)[0], tau = x, self.spec.tau
        return self._floats(function, tau * tau).reshape(tau, tau).copy()

    def _floats(self, function: str, count: int, *values: int) -> np.ndarray:
        return self.home.floats(self.home.call(function, self._at, *values), count)

    def _named(self, function: str) -> dict[str, np.ndarray]:
        """Views of a flat buffer, in which a matrix stands transposed and its rows are padded."""
        flat = self._floats(function, self.home.call("size_of", self._at))
        held = shapes(self.spec.at(self.step))
        return {name: self._view(flat, name, shape) for name, shape in held.items()}

    def _view(self, flat: np.ndarray, name: str, shape: tuple[int, ...]) -> np.ndarray:
        which = layer_of(self.spec, name)
        weight, bias, wide = (self.home.call("layer_of", self._at, which, i) for i in range(3))
        if len(shape) == 1:
            return flat[bias : bias + math.prod(shape)]
        out, into = shape
        return flat[weight : weight + into * wide].reshape(into, wide)[:, :out].T


def layer_of(spec: CouplingSpec, name: str) -> int:
    """The number of a parameter's layer in kernel.c, which has f̂, W_V, F̂, W_Q, W_K."""
    which, _, rest = name.partition(".")
    depth = spec.depth
    first = {"f": 0, "W_V": depth, "F": depth + 1, "W_Q": 2 * depth + 1, "W_K": 2 * depth + 2}
    return first[which] + int(rest.partition(".")[0] or 0)
