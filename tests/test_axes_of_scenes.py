"""What the pictures of a scene have in common: axes that hold all steps, the first as a ghost."""

import numpy as np
import pytest

from explorer.pages.design.view_drawing import design_drawing
from explorer.pages.talk.axes import held
from explorer.runs.frames import pack, unpack
from explorer.spec import CouplingSpec
from explorer.theory.design import Design
from explorer.views.selection import Selection

SPECS = (
    {"m_h": 1},
    {"m_h": 8},
    {"alpha": 1.5, "m_h": 8},
    {"rank": 6, "m_h": 6},
    {"spectrum": "list", "sigma": (0.1, 0.0, 3.0)},
    {"left_basis": "haar", "right_basis": "haar", "tau": 64, "m_h": 32},
)


def frame(fields):
    return pack(*design_drawing(Design(CouplingSpec(**fields)), Selection()))


@pytest.mark.parametrize("order", [(0, 1, 2, 3, 4, 5), (5, 3, 1), (4, 4), (2, 0)])
def test_each_step_knows_what_all_of_them_show(order):
    frames = [frame(SPECS[at]) for at in order]
    found = [unpack(each) for each in held("design", frames)]
    (extents,) = {str(header["extents"]) for header, _ in found}
    first = found[0][0]["extents"]
    for (header, arrays), before in zip(found, map(unpack, frames), strict=True):
        assert header == before[0] | {"extents": first} and str(header["extents"]) == extents
        for name, values in (("sigma", header["sigma"]), ("floor", arrays["floor"][:2, 1:])):
            shown = np.ravel(values)[np.ravel(values) > 0]
            assert shown.min() >= first[name][0] and shown.max() <= first[name][1]
        assert all(np.array_equal(arrays[name], before[1][name]) for name in before[1])
    assert ("exact" in first) == any(header["exact"] for header, _ in found)


def test_another_design_has_the_first_as_its_ghost_and_the_same_has_none():
    found = [unpack(each) for each in held("design", [frame(each) for each in SPECS])]
    ghosts = [arrays.get("ghost") for _, arrays in found]
    assert ghosts[0] is None and ghosts[1] is None  # m alone has changed
    assert all(np.array_equal(ghost, found[0][1]["floor"]) for ghost in ghosts[2:5])


def test_a_scene_of_one_step_or_of_another_page_is_as_it_was():
    assert held("design", [frame({})]) == [frame({})]
    other = [pack({"a": 1}, {}), pack({"a": 2}, {})]
    assert held("real", other) == other
