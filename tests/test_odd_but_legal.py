"""Specifications and links at the ends of what is accepted, each of which ended on a traceback."""

import json
from itertools import pairwise

import numpy as np
import pytest
from streamlit_pages import app, ran

from explorer.charts import LIGHT
from explorer.charts.export import export
from explorer.pages.attention.chart import LEARNED, graph_chart
from explorer.pages.design.chart_theory import errors_chart, several_chart
from explorer.pages.design.view_representation import SUM
from explorer.slow import pd
from explorer.spec import CouplingSpec, SpecError
from explorer.targets import checked_target
from explorer.theory.design import Design
from explorer.ui import here

UNITS = "RNN error against hidden units (App. D.1)"
BY_FORMULA = json.dumps({"formula": "log(v+0.001)*u"})
OPENED = [
    ("order", {"spec": {"target": "linear", "tau": 16}}, "0 from one state on"),
    ("order", {"spec": {"target": "linear", "kernel": "taps", "taps": [1]}}, "0 from one state on"),
    ("order", {"view": {"coupling": BY_FORMULA}}, "Not mixed:"),
    ("order", {"view": {"coupling": json.dumps({"formula": "0*u*v"})}}, "no spectrum to draw"),
    ("order", {"view": {"remembered": 1e-280}}, ""),
    ("design", {"view": {"budget": 3}}, ""),
    ("design", {"view": {"alpha": 0.04}}, ""),
    ("rates", {"sweep": {"depth": 1, "m_ff": [1, 4], "m_h": [1, 2]}}, ""),
    ("train", {"spec": {"frozen": "inner"}, "run": "here"}, ""),
    ("train", {"spec": {"outer": "1+1e-5*x"}}, ""),
    ("train", {"spec": {"inner": "1e-200*x"}}, ""),
    ("rates", {"spec": {"outer": "1e-150*x"}}, ""),
]


@pytest.mark.parametrize(("page", "asked", "says"), OPENED, ids=range(len(OPENED)))
def test_a_page_opens(page, asked, says):
    text = {
        name: each if isinstance(each, str) else json.dumps(each) for name, each in asked.items()
    }
    at = app(page, **text)
    at.session_state[f"unfolded {UNITS}"] = True
    ran(at)
    shown = [each.value for each in [*at.markdown, *at.warning, *at.caption]]
    assert any(says in each for each in shown)


@pytest.mark.parametrize("outer", ["1+1e-5*x", "1e-8*x", "1e3+1e-2*x"])
def test_the_floor_of_an_f_of_small_differences_is_that_of_the_identity(outer):
    """A line is learned in units of its own: y is taken about the middle of what it can be."""
    plain, far = (Design(CouplingSpec(outer=each)).floor.nmse for each in ("identity", outer))
    np.testing.assert_allclose(far, plain, rtol=1e-4)
    assert all(a > b for a, b in pairwise(far[:20]))


@pytest.mark.parametrize(
    "fields", [{"outer": "1e-150*x"}, {"inner": "1e-200*x"}, {"outer": "1e5+x*1e-3"}], ids=str
)
def test_answers_without_a_usable_square_are_refused(fields):
    with pytest.raises(SpecError, match="nothing to learn"):
        checked_target(CouplingSpec(**fields))


def test_a_browser_is_not_asked_to_know_parts():
    assert "knows none" in here.refusal(CouplingSpec(frozen="inner"))
    assert not here.refusal(CouplingSpec())


def test_figures_of_design_are_files():
    errors = pd.DataFrame(
        {"numbers": [1, 2], "error": [0.1, 0.2], "measure": "largest", "series": [SUM] * 2}
    )
    several = pd.DataFrame({"k": [1, 2], "sigma": [1.0, 0.5], "part": ["kept", "left out"]})
    for chart in (errors_chart(errors, LIGHT), several_chart(several, LIGHT)):
        assert export(chart, "svg", title="it").startswith(b"<svg")


def test_lines_of_a_graph_are_on_one_layer():
    """An opacity of the whole mark gave each of 1,000 lines a layer: a picture took a minute."""
    table = pd.DataFrame({"s": [0, 1], "t": [1, 0], "weight": [0.5, 1.0], "matrix": LEARNED})
    drawn = json.dumps(graph_chart(table, 2, LIGHT).to_dict())
    assert '"strokeOpacity"' in drawn and '"opacity": {"field"' not in drawn
