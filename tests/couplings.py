"""One list of couplings that tests are parametrised over."""

import numpy as np
import pytest

from explorer.coupling import Designed, Formula, Samples
from explorer.families import BASES

POWER = tuple((np.arange(1, 65) ** -1.0).tolist())
D3 = "1 + 2*sin(2*pi*u)*sin(2*pi*(u+v))"  # the example of App. D.3

DESIGNED = [
    pytest.param(Designed(POWER, left, right), id=f"{left}-{right}")
    for left in BASES
    for right in BASES
]
SMOOTH = [D3, "-(u-v)**2", "exp(-8*(u+v-1)**2)", "tanh(3*u - v) + u", "0.5"]
KINKED = ["minimum(u, v)", "exp(-abs(u-v))", "heaviside(u-v)", "where(u < v, u, 1)"]
GRIDS = [np.random.default_rng(n).normal(size=(n, m)) for n, m in ((2, 2), (5, 9), (32, 17))]

COUPLINGS = [
    *DESIGNED[::6],
    pytest.param(Designed((0.3, 1.0, 0.0, 0.2), "haar", "legendre"), id="unsorted"),
    *(pytest.param(Formula(text), id=text) for text in SMOOTH + KINKED),
    *(pytest.param(Samples(values), id="samples{}x{}".format(*values.shape)) for values in GRIDS),
]
