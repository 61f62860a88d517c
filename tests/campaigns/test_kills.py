"""Kills at every seam: before and after each call that changes the disk.

A child of this process does one thing with a store and ends on the spot at the n-th flush, rename,
removal, new folder or commit. What is left must be whole, and doing it again must give what an
undisturbed process gives. All n in the lane of the campaigns, a few of them always.
"""

import os

import pytest
from acts import ACTS
from kills import a_few, killed_at

pytestmark = [
    pytest.mark.usefixtures("one_thread"),
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
]

FEW = 4


@pytest.mark.parametrize("name", ACTS)
def test_a_few_kills(tmp_path, name):
    killed_at(tmp_path, ACTS[name](), a_few(name, FEW))


@pytest.mark.slow
@pytest.mark.parametrize("name", ACTS)
def test_every_kill(tmp_path, name):
    count, killed = killed_at(tmp_path, ACTS[name](), lambda count: range(1, count + 1))
    print(f"{name}: {killed} kills at {count} seams")
    assert killed > count / 2
