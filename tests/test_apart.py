"""The error of a trained head told apart by part, on Train and as it is reproduced."""

from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from explorer.charts import LIGHT
from explorer.pages.train import view_apart as view
from explorer.pages.train.chart import apart_chart
from explorer.reproduce import parts
from explorer.reproduce.request import Request, trained
from explorer.runs.store import Store
from explorer.spec import CouplingSpec, amended, spec_id
from explorer.views.text import number

pytestmark = pytest.mark.usefixtures("one_thread")

SMALL = CouplingSpec(
    rank=2, m_h=3, m_ff=8, n=6, d_v=4, tau=6, batch=7, steps=20, outer="tanh 3", inner="power 2"
)


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """All learned, by two seeds, ρ given, and another target."""
    request = Request(Store(tmp_path_factory.mktemp("home")), tmp_path_factory.mktemp("out"))
    changes = ({}, {"seed": 1}, {"frozen": "rho"}, {"outer": "tanh 2"})
    return [trained(request, amended(SMALL, **change)).row for change in changes]


def lines_of(row, others) -> Any:
    return view.apart_view(row, others)


def test_medians_are_over_the_seeds_of_the_same_head(rows):
    lines = lines_of(rows[0], rows)
    at = lines.set_index("what")
    mean = sum(row.outcome["nmse"] for row in rows[:2]) / 2
    assert at.loc["all learned", "nmse"] == pytest.approx(mean)
    assert at.loc["ρ given", "nmse"] == rows[2].outcome["nmse"]
    assert at["seeds"].tolist() == [2, 2, 2, 1] and list(at["how"].unique()) == [*view.HOW]
    assert not view.is_apart(rows[2]), "nothing of it is exchanged"
    assert len(lines_of(rows[3], rows)) == 3


def test_what_is_said_are_the_bars(rows):
    lines = lines_of(rows[0], rows)
    said = view.apart_said(lines)
    assert all(number(error) in said for error in lines["nmse"]) and "1 to 2 seeds" in said
    alone = lines_of(rows[3], ())
    assert "Train anew" in view.apart_said(alone)
    far = lines.assign(nmse=[1e-6, *lines["nmse"][1:]])
    assert view.OTHER in view.apart_said(far)
    near = lines.assign(nmse=1e-3)
    assert view.OTHER not in view.apart_said(near)


def test_the_bars_begin_below_the_least(rows):
    lines = lines_of(rows[0], rows)
    drawn = apart_chart(lines, LIGHT).to_dict()
    low, high = drawn["layer"][0]["encoding"]["x"]["scale"]["domain"]
    assert low < lines["nmse"].min() <= lines["nmse"].max() < high


def test_the_shipped_table_is_of_the_cases_and_of_five_seeds():
    table = pd.read_csv(view.TRAINED)
    cells = table.groupby(["case", "given"])["seed"].nunique()
    assert {*cells.index} == {(case, given) for case in parts.CASES for given in parts.GIVEN}
    assert (cells == 5).all()
    for row in table.itertuples():
        spec = amended(parts.CASES[row.case], frozen=row.given, seed=row.seed)
        assert row.spec_id == spec_id(spec)


def test_a_shipped_case_is_shown_beside_a_run_of_it():
    spec = parts.CASES["wide enough"]
    metrics = {"nmse": 1e-5, "nmse_rho": 0.3, "nmse_networks": 0.4}
    own = SimpleNamespace(spec=spec, outcome=metrics)
    assert lines_of(own, ())["seeds"].tolist() == [5] * 6
