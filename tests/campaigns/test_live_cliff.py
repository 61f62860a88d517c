"""The cliff at m_h = r, as a lecturer trains it: with the head start of the pages nearly every seed
falls; without it many are caught."""

import pytest

from explorer.spec import CouplingSpec, amended
from explorer.targets import target_of
from explorer.targets.coupling.presets import HEAD_START
from explorer.training import Ensemble

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("one_thread")]

SEEDS = range(20)
CLIFF = 1e-5  # nMSE; what m_h = r − 1 leaves is 100 times more and above


def falls(rank, alpha, head_start):
    """How many of the seeds reach the cliff within the steps of the page."""
    spec = CouplingSpec(alpha=alpha, rank=rank, m_h=rank, head_start=head_start)
    members = [amended(spec, seed=seed) for seed in SEEDS]
    ensemble = Ensemble(members, [target_of(member) for member in members])
    for _ in ensemble.run():
        pass
    return sum(row["nmse"] <= CLIFF for row in ensemble.evaluate_all())


@pytest.mark.parametrize("alpha", [1.0, 2.0])
@pytest.mark.parametrize("rank", [2, 3, 4, 6, 8])
def test_nineteen_of_twenty_seeds_fall(rank, alpha):
    assert falls(rank, alpha, HEAD_START) >= 19


def test_without_the_head_start_many_are_caught():
    """The control: 10 of 20 fell."""
    assert falls(6, 1.0, 0) < 17
