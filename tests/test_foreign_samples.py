"""A link to samples that this store has not: their file is asked for, and nothing else is drawn."""

import io

import numpy as np
import pytest
from streamlit_pages import shell, turn

from explorer.runs.files import grid_sha256
from explorer.runs.store import Store
from explorer.spec import CouplingSpec, SweepSpec, compact

OUTER = np.outer([1.0, 3.0], [2.0, 2.0, 5.0])
SHA = grid_sha256(OUTER)
SPEC = CouplingSpec(grid=SHA, m_h=4, steps=60)
LINKS = {
    "design": {"spec": compact(SPEC)},
    "train": {"spec": compact(SPEC)},
    "order": {"spec": compact(SPEC.model_copy(update={"permutation": "reverse", "positions": 2}))},
    "rates": {"sweep": compact(SweepSpec(grid=SHA, m_h=[1, 2]))},
}


def npy(values):
    file = io.BytesIO()
    np.save(file, values)
    return file.getvalue()


def opened(page):
    return turn(shell(**LINKS[page]), page).run()


def field(at):
    (one,) = [each for each in at.get("file_uploader") if "missing" in each.label]
    return one


@pytest.mark.parametrize("page", LINKS)
def test_the_file_is_asked_for_and_the_page_goes_on_with_it(page):
    at = opened(page)
    assert not at.exception
    assert any("cannot be drawn yet" in box.value for box in at.warning)
    assert not at.info and not any(each.label.startswith("Train") for each in at.button)
    for name, value in LINKS[page].items():
        assert "".join(at.query_params[name]) == value, "the address stays as it came"
    field(at).upload("other.npy", npy(OUTER + 1))
    assert "hese are other samples" in at.run().error[0].value
    assert not list((Store().home / "grids").glob("*.npy"))
    field(at).upload("good.npy", npy(OUTER))
    at.run()
    assert not at.exception and not at.error
    assert not any("cannot be drawn yet" in box.value for box in at.warning)
    assert at.info and "".join(at.query_params[next(iter(LINKS[page]))])
    if page != "rates":
        assert at.session_state["spec" if page != "order" else "spec of order"].grid == SHA


def test_another_coupling_is_the_way_out():
    at = opened("design")
    at.segmented_control(key="way").set_value("formula")
    at.run()
    assert at.info and at.session_state["spec"].grid is None and not at.warning


def test_samples_beside_a_formula_are_asked_for_and_the_two_are_said_to_be_too_many():
    at = shell(spec=f'{{"formula":"u","grid":"{SHA}"}}')
    texts = [box.value for box in at.run().warning]
    assert "give ρ by one of them, not both" in texts[0] and "cannot be drawn yet" in texts[1]
    assert field(at)
