"""Which heads of real models tolerate which k: the shipped losses, their map and their budget."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from explorer.charts import DARK
from explorer.charts.export import export
from explorer.pages.real import chart as charts
from explorer.pages.real import view_budget as view
from explorer.pretrained import spectra_file
from explorer.pretrained.catalogue import MODELS
from explorer.ui.controls import PAPER
from explorer.ui.pages import PAGES


def made(alone, uniform, chosen, tables):
    """Two inputs whose own loss is 2."""
    return spectra_file.Tolerance(
        np.array([1, 4]),
        np.array([0.01]),
        np.array([2.0, 2.0]),
        *(np.array(each, float) for each in (alone, uniform, chosen, tables)),
    )


OF = made(
    [[[[2.2, 2.0], [2.0, 2.0]]], [[[2.4, 2.0], [2.0, 2.0]]]],
    [[3.0, 2.2], [3.0, 2.2]],
    [[2.1], [2.1]],
    [[[4, 1]]],
)


def test_what_a_head_adds_is_a_share_of_the_loss_with_an_interval():
    table = view.head_table("smollm2", OF, 1)
    first = table.iloc[0]
    assert first["added"] == pytest.approx(0.15)
    half = 12.706 * 0.05  # t of one degree of freedom, and the standard error of 0.1 and 0.2
    assert (first["low"], first["high"]) == pytest.approx((0.15 - half, 0.15 + half), abs=1e-3)
    assert table.iloc[1]["added"] == 0
    assert "1 with k = 1, 2 with k = 4 of its 2 heads lose at most 1.0 %" in view.sentence(
        "smollm2", OF
    )


def test_a_budget_pays_where_it_loses_less_than_one_k():
    assert "So it pays" in view.budget_sentence("smollm2", OF)
    dear = made(OF.alone, OF.uniform, [[3.9], [3.9]], OF.tables)
    assert "does not pay" in view.budget_sentence("smollm2", dear)


def test_losses_come_back_and_what_is_none_is_refused():
    back = spectra_file.unpack_tolerance(spectra_file.pack_tolerance({"vit": OF}))["vit"]
    np.testing.assert_array_equal(back.alone, OF.alone)
    for data in (b"", b"PK\3\4"):
        with pytest.raises(ValueError, match="no losses"):
            spectra_file.unpack_tolerance(data)


@pytest.mark.parametrize("name", view.shipped())
def test_shipped_losses_are_of_the_models_of_the_catalogue(name):
    """With more terms the heads together lose less, and one head alone less than all of them."""
    of, model = view.shipped()[name], MODELS[name]
    assert of.alone.shape[1:3] == of.tables.shape[1:] == (model.layers, model.heads)
    assert (np.diff(of.uniform.mean(0)) < 0).all()
    assert (of.alone.mean(0)[..., 0].max() < of.uniform.mean(0)[0]).all()
    for chart in (
        charts.loss_map(view.head_table(name, of, 4), "added", DARK),
        charts.budget_chart(view.budget_table(name, of), "added", DARK),
    ):
        assert b"NaN" not in export(chart, "svg", title="t", footer="f")


def test_the_page_shows_them_when_unfolded():
    at = AppTest.from_file("../explorer/ui/shell.py", default_timeout=60)
    at.session_state[f"unfolded {PAPER}"] = True
    at.session_state["unfolded Which heads tolerate which k"] = True
    at.switch_page(str(PAGES["real"].file)).run()
    assert not at.exception
    assert any("of its 270 heads" in each.value for each in at.markdown)
