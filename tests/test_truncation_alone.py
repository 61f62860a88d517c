"""A file computes the truncation floor of a design changed in it: as Python does."""

import numpy as np
import pytest

from explorer.coupling import singular_values
from explorer.families import BASES
from explorer.pages.design.view_drawing import design_drawing, generator
from explorer.spec import CouplingSpec, compact
from explorer.theory.design import Design
from explorer.views.selection import Selection

FLOOR = """
const exact = c.exactOf(design);
const found = c.truncation({ ...design, order: c.orderOf(design.sigma), exact }, generator);
return { exact, shape: found.shape, values: [...found.values] };
"""
LISTED = {"spectrum": "list", "sigma": (0.5, 0.0, 2.0, 0.1), "m_h": 2}
DESIGNS = [
    *(CouplingSpec(left_basis=a, right_basis=b, rank=6) for a, b in zip(BASES, BASES, strict=True)),
    CouplingSpec(alpha=0.7, left_basis="fourier", right_basis="legendre", rank=16),
    CouplingSpec(spectrum="exponential", decay=0.4, left_basis="haar", right_basis="sine", tau=8),
    CouplingSpec(rank=1, c=3.0, left_basis="legendre", right_basis="haar"),
    CouplingSpec(**LISTED),
    CouplingSpec(),
]


def test_the_cells_are_those_of_numpy(javascript):
    body = "return [...c.drawnCells(generator, 500)]"
    found = javascript("design", body, generator=generator(3))
    assert found == (np.random.default_rng(3).random(500) * 2048).astype(int).tolist()


@pytest.mark.parametrize("spec", DESIGNS, ids=lambda spec: compact(spec))
def test_the_floor_is_that_of_python(javascript, spec):
    header, arrays = design_drawing(Design(spec), Selection())
    design = {name: header[name] for name in ("family", "rank", "tau")} | {
        "sigma": singular_values(spec).tolist(),
        "left": spec.left_basis,
        "right": spec.right_basis,
    }
    found = javascript("design", FLOOR, design=design, generator=generator(0))
    assert found["exact"] == header["exact"]
    values = np.reshape(found["values"], found["shape"])
    np.testing.assert_allclose(values, arrays["floor"], rtol=1e-5, atol=1e-9)
