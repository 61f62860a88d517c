"""How much of its answer a token finds in itself: what a head knows of y_t without any width."""

from typing import NamedTuple

import numpy as np

from explorer.targets import CouplingTarget, evaluation_inputs

SAMPLES = 1024  # sequences


class Itself(NamedTuple):
    """Of a target of Eq. 8 with x uniform on [0, 1]."""

    attention: float
    """Mean of A_tt, the weight a token gives itself; 1/τ where it is like any other."""
    nmse: float
    """E (y_t − E[y_t | x_t])² / Var(y): what the best function of the token alone leaves, to which
    attention adds nothing."""


def by_itself(target: CouplingTarget, samples: int = SAMPLES) -> Itself:
    """Both on fixed sequences, to some per cent.

    The second by half the mean square of the differences of y between neighbours in the order of
    x_t (Rice, Annals of Statistics 12, 1984): no cells, so that E[y | x] may be steep.
    """
    x = evaluation_inputs(samples, target.tau)
    y = np.asarray(target.answer(x)).ravel()
    own = np.asarray(target.attention(x)).diagonal(axis1=-2, axis2=-1)
    left = np.diff(y[np.argsort(x, axis=None)])
    return Itself(float(own.mean()), float(np.mean(left**2) / (2 * y.var())))
