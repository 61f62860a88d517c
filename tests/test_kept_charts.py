"""Charts that a page draws are kept by all that they are drawn of (`chrome.chart`)."""

from functools import partial

import altair as alt
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest
from streamlit_pages import opened, ran

from explorer.charts import DARK
from explorer.ui import chrome

pytestmark = pytest.mark.usefixtures("one_thread")
TABLE = pd.DataFrame({"x": [1, 2], "y": [3.0, 4.0]})


@pytest.fixture
def checked(monkeypatch):
    """How often Altair has checked a whole chart, from nothing kept on."""
    chrome._drawn.clear()
    done, layer = [], alt.LayerChart.to_dict

    def counted(self, *args, **kwargs):
        done.append(self)
        return layer(self, *args, **kwargs)

    monkeypatch.setattr(alt.LayerChart, "to_dict", counted)
    return done


def specifications(at):
    return [each.proto.spec for each in at.get("vega_lite_chart")]


@pytest.mark.parametrize("page", ["memory", "real"])
def test_a_rerun_sends_the_same_charts_without_checking_them(page, checked):
    at = opened(page)
    first = specifications(at)
    assert checked and first
    checked.clear()
    assert specifications(ran(at)) == first and not checked


def drawn(table, times, palette):
    points = alt.Chart(table.assign(y=times * table["y"])).mark_point(color=palette.accent)
    return alt.layer(points.encode(x="x:Q", y="y:Q"))


def test_another_table_value_or_palette_is_another_chart(checked, monkeypatch):
    def page():
        import streamlit as st

        from explorer.ui import chrome

        build, key = st.session_state["figure"]
        chrome._drawn(build, chrome.palette(), key)

    def of(build):
        at = AppTest.from_function(page)
        at.session_state["figure"] = build, "figure"
        (chart,) = ran(at).get("vega_lite_chart")
        return chart.proto.spec, chart.proto.datasets[0].data.data

    one = of(partial(drawn, TABLE, 1))
    assert of(partial(drawn, TABLE.copy(), 1)) == one and len(checked) == 1
    assert of(partial(drawn, TABLE, 2))[1] != one[1]
    assert of(partial(drawn, TABLE.assign(y=[3.0, 5.0]), 1))[1] != one[1]
    monkeypatch.setattr(chrome, "palette", lambda: DARK)
    assert of(partial(drawn, TABLE, 1))[0] != one[0] and len(checked) == 4


def test_a_function_that_encloses_what_it_draws_is_refused():
    with pytest.raises(Exception, match="pickle"):
        chrome._drawn(lambda palette: drawn(TABLE, 1, palette), DARK, "enclosed")
