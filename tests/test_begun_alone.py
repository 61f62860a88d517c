"""A file trains a design that was changed in it: it begins with what Python begins with."""

import base64

import numpy as np
import pytest

from explorer.coupling import singular_values
from explorer.spec import CouplingSpec, amended, compact
from explorer.theory.design import Design
from explorer.ui import here

BEGUN = """
const plain = ({ shape, values }) => ({ shape, values: [...values] });
const packed = Object.fromEntries(
  Object.entries(arrays).map(([name, { shape, values }]) => [
    name,
    { shape, values: Float64Array.from(values) },
  ]),
);
const settings = Uint8Array.from(atob(offer.settings), (each) => each.charCodeAt(0));
const begin = { wasm: null, script: "", local: { ...offer, settings }, arrays: packed };
const order = c.orderOf(changed.sigma);
const { local, arrays: own } = c.begunWith(begin, offer, { ...changed, order }, given);
return {
  local: { ...local, settings: [...local.settings] },
  arrays: Object.fromEntries(Object.entries(own).map(([name, one]) => [name, plain(one)])),
};
"""
LISTED = {"spectrum": "list", "rank": None}
CHANGED = [
    ({}, {}),
    ({}, {"m_h": 7}),
    ({"head_start": 4, "steps": 400}, {"m_h": 2}),
    ({"rank": 6}, {**LISTED, "sigma": (1.0, 0.9, 0.895, 0.2, 0.0, 0.1), "m_h": 5}),
    ({"left_basis": "haar", "right_basis": "fourier"}, {**LISTED, "sigma": (0.3, 0.2, 0.7)}),
    ({"left_basis": "fourier", "rank": 3}, {"alpha": 0.7}),
    ({**LISTED, "sigma": (0.1, 1.0)}, {**LISTED, "sigma": (1.0, 0.1)}),
    ({"formula": "exp(-abs(u-v))", "m_h": 3}, {"m_h": 6}),
]


def as_json(arrays):
    return {
        name: {"shape": [*np.shape(values)], "values": np.ravel(values).tolist()}
        for name, values in arrays.items()
    }


@pytest.mark.parametrize("fields, change", CHANGED, ids=str)
def test_a_changed_design_begins_as_in_python(javascript, fields, change):
    before = CouplingSpec(**{"rank": 4, **fields})
    after = amended(before, **change)
    offer, arrays = here.watched(Design(before))
    wanted, expected = here.watched(Design(after))
    by_bases = before.formula is None
    given = {
        "tolerance": Design(after).decomposition().tolerance,
        "left": before.left_basis,
        "right": before.right_basis,
    }
    sigma = singular_values(after).tolist() if by_bases else [1.0]
    found = javascript(
        "design",
        BEGUN,
        offer=offer,
        arrays=as_json(arrays),
        changed={"sigma": sigma, "m": after.m_h},
        given=given if by_bases else None,
    )
    local = found["local"]
    assert local["settings"] == [*base64.b64decode(wanted["settings"])], compact(after)
    assert all(local[name] == wanted[name] for name in ("m_h", "wide", "started_until", "tied"))
    assert set(found["arrays"]) == set(expected)
    for name, values in expected.items():
        given_to = np.reshape(found["arrays"][name]["values"], found["arrays"][name]["shape"])
        exact = 1e-6 if name not in ("left", "right") else 1e-3  # Python's have 12 bits
        signs = np.sign(np.sum(given_to * values, -1, keepdims=True)) if exact > 1e-6 else 1
        np.testing.assert_allclose(signs * given_to, values, rtol=exact, atol=exact)
