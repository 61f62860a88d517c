"""What a page shows is computed anew by what its *Command* menu copies: the Python is run."""

from itertools import pairwise
from pathlib import Path
from unittest.mock import ANY

import numpy as np
import pytest
from streamlit_pages import opened

from explorer.reproduce import Request
from explorer.runs.execute import execute
from explorer.runs.store import Store
from explorer.spec import amended, compact, link_text, spec_id
from explorer.targets import PRESETS, parse, parse_sweep
from explorer.theory.design import Design
from explorer.views import anew

pytestmark = pytest.mark.usefixtures("one_thread")

TINY = {"steps": 3, "n": 8, "d_v": 4, "m_ff": 8, "batch": 4, "warmup": 1}
SPECS = {
    "train": parse(TINY | {"m_h": 2, "rank": 3}),
    "formula": parse(TINY | {"m_h": 2, "formula": "exp(-4*abs(u-v))"}),
    "task": amended(PRESETS["nearest"][1], **TINY),
    "order": amended(PRESETS["order-quick"][1], **TINY),
    "memory kernel": amended(PRESETS["memory-kernel"][1], steps=3, tau=50),
}


def ran(python):
    """The names that the lines leave behind."""
    names = {}
    exec(compile(python, "copied", "exec"), names)
    return names


def copied(at):
    """The command lines and the Python of a page, in pairs."""
    codes = [each.value for each in at.code]
    found = [anew.Anew(*pair) for pair in pairwise(codes)]
    return [each for each in found if each.python.startswith("from ")]


@pytest.mark.parametrize("name", SPECS)
def test_a_run_copied_as_python_is_the_run_of_the_command(name):
    """Bit for bit: the same parameters as those that the store's executor trains."""
    spec = SPECS[name]
    found = ran(anew.of_run(spec).python)
    assert found["spec"] == spec and anew.of_run(spec).command.endswith(f"{spec_id(spec)}.json")
    store = Store()
    with store.start(spec, "cpu") as lease:
        row = execute(store, lease.row)
    assert found["snapshot"].weights_sha256() == row.outcome["weights_sha256"]


@pytest.mark.parametrize("centred", [True, False])
def test_a_coupling_copied_as_python_has_the_spectrum_of_the_page(centred):
    spec = parse({"alpha": 1.5, "rank": 4, "left_basis": "legendre"})
    found = ran(anew.of_coupling(spec, centred).python)
    expected = Design(spec).decomposition(centred).sigma
    np.testing.assert_array_equal(found["pod"].sigma, expected)
    assert ("--centred" in anew.of_coupling(spec, centred).command) == centred


def test_samples_come_from_the_store():
    store = Store()
    sha = store.put_grid(np.add.outer(np.arange(8.0), np.arange(8.0) ** 2) / 64)
    spec = parse(TINY | {"grid": sha, "m_h": 2})
    found = ran(anew.of_coupling(spec, True).python)
    np.testing.assert_array_equal(
        found["pod"].sigma, Design(spec, store.grid).decomposition().sigma
    )
    assert ran(anew.of_run(spec).python)["snapshot"].step == 3


@pytest.mark.parametrize("norm", ["mse", "mae"])
def test_a_sweep_copied_as_python_trains_its_models(norm):
    sweep = parse_sweep(TINY | {"m_h": [1, 2], "rank": [3]})
    found = ran(anew.of_sweep(sweep, norm).python)
    assert [row["spec_id"] for row in found["rows"]] == [spec_id(m) for m in sweep.members()]


def test_a_figure_copied_as_python_is_reproduced(monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr("explorer.reproduce.reproduce", lambda *given, **more: asked.append(given))
    ran(anew.of_figure("table1-language", "table1").python)
    assert asked == [("table1-language", Request(ANY, Path("table1")))]
    assert isinstance(asked[0][1].store, Store)


OPENED = {
    "design": (
        {"spec": compact(PRESETS["design"][1])},
        anew.of_coupling(PRESETS["design"][1], True),
    ),
    "train": ({"spec": link_text(SPECS["train"])}, anew.of_run(SPECS["train"])),
}


@pytest.mark.parametrize("page", OPENED)
def test_a_page_has_both_beside_each_other(page):
    address, expected = OPENED[page]
    assert expected in copied(opened(page, **address))


@pytest.mark.parametrize("page", ["rates", "attention", "order", "memory", "real"])
def test_what_other_pages_copy_is_python(page):
    found = copied(opened(page))
    assert found
    for each in found:
        compile(each.python, page, "exec")
        assert each.command.startswith("python -m explorer ")
