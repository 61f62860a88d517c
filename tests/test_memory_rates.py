"""What the theorems say of each target, as the Memory page draws it."""

import pytest

from explorer.charts import LIGHT
from explorer.pages.memory.chart import rates_chart
from explorer.pages.memory.view import rates
from explorer.spec import EssentialMemorySpec, FixedMemorySpec, amended
from explorer.targets import PRESETS
from explorer.theory.memory import attention_rate, jump_rate

JUMPS = PRESETS["memory-jumps"][1]
FIXED = FixedMemorySpec(lags=(4, 8), heads=2)


def cell(found, heads, at):
    table = found.attention
    return table[(table["heads"] == heads) & (table[found.axis] == at)]["rate"].iloc[0]


@pytest.mark.parametrize("encoding", ["log", "lin"])
@pytest.mark.parametrize("n", [1, 4])
def test_fixed_lags_have_theorem_31_at_their_own_place(n, encoding):
    found = rates(FIXED, n, encoding)
    assert found.statement.name == "Theorem 3.1" and found.here == (2, 8)
    assert cell(found, 2, 8) == pytest.approx(attention_rate([4, 8], 2, n, encoding))
    assert cell(found, 2, 8) / cell(found, 4, 8) == pytest.approx(2**n)


def test_jumps_have_theorem_44_and_layers():
    found = rates(JUMPS, 1, "log")
    assert found.statement.name == "Theorem 4.4" and found.here == (4, 8)
    assert cell(found, 4, 8) == pytest.approx(jump_rate([4, 8], 2, 4, 1, "log"))
    assert "3 layers are enough for 2 jumps; this model has 2." in found.sentences


def test_kernels_have_theorem_51_and_induction_none():
    found = rates(EssentialMemorySpec(fall="exponential"), 2, "lin")
    assert found.axis == "M" and cell(found, 4, 2) == pytest.approx(2**3 / 4**2)
    assert rates(PRESETS["memory-induction"][1], 1, "log") is None


FAR = [
    amended(JUMPS, jumps=8, vocabulary=15, tau=128),
    amended(FIXED, tau=128, lags=tuple(range(0, 128, 8))),
    amended(FIXED, lags=(0,)),
]


@pytest.mark.parametrize("spec", FAR, ids=["jumps", "many lags", "no lag"])
def test_far_ends_are_positive_and_drawn(spec):
    found = rates(spec, 4, "lin")
    for table, axis in ((found.attention, found.axis), (found.whole, "m")):
        assert (table["rate"] > 0).all()
        assert rates_chart(table, axis, found.here, LIGHT).to_dict()
