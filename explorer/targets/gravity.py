"""Centres of gravity of segments (App. B.1, Eq. 57 to 62; Figure 5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise

import numpy as np

from explorer.arrays import Array, constant, namespace
from explorer.spec.tasks import SEGMENT
from explorer.targets.fixed import example_points
from explorer.targets.tasks import TaskError, checked, finite, floor_index, one_hot

LIGHTEST = 0.1
"""Masses come from U[0.1, 1]."""


@dataclass(frozen=True)
class GravityTarget:
    """y_t = |x̄| of its segment at a prediction token, |x_t| at a point; F∘f(x, m) = |x|.

    A segment is a prediction token and at least two points x with masses m. A token is
    (x, m, 1 if it predicts, one-hot position, one-hot segment); a prediction token has x = m = 0.
    """

    tau: int
    d: int
    segments: int

    @property
    def features(self) -> int:
        """Numbers of a token."""
        return self.d + 2 + self.tau + self.segments

    @property
    def positions(self) -> slice:
        """Where a token stands, one-hot."""
        return slice(self.d + 2, self.d + 2 + self.tau)

    @property
    def uniforms(self) -> int:
        return 2 + (self.d + 1) * self.tau

    @cached_property
    def layouts(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Every way to cut τ tokens into segments, ordered by their number.

        Segment of each token (layout, τ); for each number of segments, from 1: how many layouts,
        and the first of them.
        """
        found = [list(_cuts(self.tau, count)) for count in range(1, self.segments + 1)]
        counts = np.array([len(rows) for rows in found])
        table = np.array([row for rows in found for row in rows])
        return table, counts, np.concatenate([[0], np.cumsum(counts)[:-1]])

    def inputs(self, uniform: Array, share: float = 1.0) -> Array:
        """Tokens (…, τ, features): number of segments uniform, then their lengths.

        x ~ U[low, 1]^d, where low falls from 0 to −1 as `share` goes from 0 to 1: the norm of
        positive points is nearly linear, and learned first.
        """
        xp = namespace(uniform)
        table, counts, first = (constant(part, uniform) for part in self.layouts)
        number = xp.astype(floor_index(uniform[..., 0], self.segments), xp.int64)
        row = first[number] + floor_index(uniform[..., 1], counts[number])
        segment = table[xp.astype(row, xp.int64)]  # (…, τ)
        rest = xp.reshape(uniform[..., 2:], (*uniform.shape[:-1], self.tau, self.d + 1))
        points = 1 - (1 + share) * rest[..., : self.d]
        masses = LIGHTEST + (1 - LIGHTEST) * rest[..., self.d]
        return self._assembled(points, masses, segment)

    def _assembled(self, points: Array, masses: Array, segment: Array) -> Array:
        xp = namespace(points)
        before = xp.concat([xp.zeros_like(segment[..., :1]) - 1, segment[..., :-1]], axis=-1)
        predicts = xp.astype(segment != before, points.dtype)[..., None]
        position = constant(np.eye(self.tau), points) + xp.zeros_like(predicts)
        mine = [(1 - predicts) * points, (1 - predicts) * masses[..., None], predicts]
        return xp.concat([*mine, position, one_hot(segment, self.segments, points)], axis=-1)

    def tokens(self, points: object, masses: object, lengths: Sequence[int]) -> np.ndarray:
        """A reader's points (τ − segments, d) with their masses, cut into segments, as tokens.

        `lengths` counts the points of each segment. Raises TaskError.
        """
        lengths = list(lengths)
        if not 1 <= len(lengths) <= self.segments or min(lengths) < SEGMENT - 1:
            raise TaskError(
                f"lengths {lengths}: 1 to {self.segments} segments of at least {SEGMENT - 1} points"
            )
        if sum(lengths) + len(lengths) != self.tau:
            raise TaskError(
                f"lengths {lengths}: {self.tau} tokens are {self.tau - len(lengths)} points in "
                f"{len(lengths)} segments, got {sum(lengths)}"
            )
        points = finite("points", points, (sum(lengths), self.d))
        masses = finite("masses", masses, (sum(lengths),))
        if not (masses > 0).all():
            s = int(np.argmin(masses > 0))
            raise TaskError(f"mass {s} = {masses[s]:g}: must be above 0")
        segment = np.repeat(np.arange(len(lengths)), np.array(lengths) + 1).astype(float)
        place = np.ones(self.tau, bool)
        place[np.cumsum([0, *(np.array(lengths[:-1]) + 1)])] = False
        all_points, all_masses = np.zeros((self.tau, self.d)), np.zeros(self.tau)
        all_points[place], all_masses[place] = points, masses
        return self._assembled(all_points, all_masses, segment)

    def predicts(self, x: Array) -> Array:
        """1 at prediction tokens, 0 at points, (…, τ)."""
        return checked(x, self.tau, self.features)[..., self.d + 1]

    def attention(self, x: Array) -> Array:
        """Masses over their sum in the segment of a prediction token; a point sees itself."""
        xp = namespace(x)
        asks = self.predicts(x)[..., None]
        segment = x[..., self.d + 2 + self.tau :]
        masses = (segment @ xp.matrix_transpose(segment)) * x[..., None, :, self.d]
        own = constant(np.eye(self.tau), x)
        total = xp.sum(masses, axis=-1, keepdims=True)
        return asks * masses / xp.where(total > 0, total, xp.ones_like(total)) + (1 - asks) * own

    def answer(self, x: Array) -> Array:
        """|x̄| and |x_t|, (…, τ, 1)."""
        return self.combined(self.attention(x), x)

    def combined(self, attention: Array, x: Array) -> Array:
        """|Σ_s A_ts x_s|, (…, τ, 1)."""
        return _norm(attention @ self.points(x))

    def values(self, x: Array) -> Array:
        """|x| of each token, (…, τ, 1)."""
        return _norm(self.points(x))

    def points(self, x: Array) -> Array:
        """x of each token, (…, τ, d); 0 at prediction tokens."""
        return checked(x, self.tau, self.features)[..., : self.d]

    def counted(self, x: Array) -> Array:
        """0 at prediction tokens: they only ask."""
        return 1 - self.predicts(x)

    def example(self) -> np.ndarray:
        """A fixed instance; at τ = 10 segments of 3 and 5 points as in Figure 5.

        Its prediction tokens are x(0) and x(4); the paper prints x(5).
        """
        lengths = _halves(self.tau) if self.segments > 1 and self.tau >= 2 * SEGMENT else None
        lengths = lengths or [self.tau - 1]
        drawn = example_points(sum(lengths), self.d + 1)
        return self.tokens(2 * drawn[:, :-1] - 1, LIGHTEST + 0.9 * drawn[:, -1], lengths)


def _halves(tau: int) -> list[int]:
    """The points of two segments, the second one longer by 1 or 2."""
    first = max(SEGMENT - 1, (tau - 3) // 2)
    return [first, tau - 2 - first]


def _cuts(tau: int, count: int) -> list[list[int]]:
    """Segment of each of τ tokens, for every way to make `count` segments of 3 tokens or more."""
    spare = tau - SEGMENT * count
    rows = []
    for bars in combinations(range(spare + count - 1), count - 1):  # stars and bars
        edges = [-1, *bars, spare + count - 1]
        lengths = [SEGMENT + b - a - 1 for a, b in pairwise(edges)]
        rows.append(np.repeat(np.arange(count), lengths).tolist())
    return rows


def _norm(points: Array) -> Array:
    xp = namespace(points)
    return xp.sqrt(xp.sum(points * points, axis=-1, keepdims=True))
