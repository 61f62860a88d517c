"""Where Theorem 4.1 loses, on the page: rows, sentences, chart, and the file."""

import json
import math

import numpy as np
import pytest
import vl_convert
from streamlit_pages import opened
from theory_designs import SPECS, boxes, font_sizes, load

from explorer.charts import DARK, LIGHT
from explorer.charts.axes import SIZES
from explorer.charts.export import csv, export
from explorer.pages.design.chart_theory import losses_chart
from explorer.pages.design.theory import figure_of_losses
from explorer.pages.design.view_losses import (
    KINDS,
    TRAINED,
    TrainedError,
    best_trained,
    losses_view,
)
from explorer.pages.design.view_theory import FORMS, OF_THIS, measures, theory_view
from explorer.spec import CouplingSpec
from explorer.theory.bound import Bound
from explorer.theory.design import Design
from explorer.ui.live import open_stream
from explorer.views.text import number

RUN = TrainedError(0.05, "0123456789ab-1", 3)
SEEN = tuple(name for name in SPECS if name not in ("slow", "invisible"))


def design_of(name):
    return Design(SPECS[name], load if name == "samples" else None)


def view(name, form="printed", trained=None):
    design = design_of(name)
    return losses_view(design, measures(design.bare), form, trained)


def chart(found, palette=LIGHT):
    return losses_chart(found.table, found.trivial, palette)


def test_no_rate_no_figure_nor_of_what_softmax_cannot_see():
    assert view("slow") is None and view("invisible") is None


@pytest.mark.parametrize("name", SEEN)
@pytest.mark.parametrize("form", FORMS)
def test_every_design_has_its_steps(name, form):
    """They end at the bound the page says, or where that is not known at the coupling's term."""
    found = view(name, form)
    design = design_of(name)
    whole = theory_view(design, form=form).here
    table, its, spec = found.table, measures(design.bare), design.spec
    bound = Bound(spec.tau, its.c_0, its.c_1, its.exponent.alpha, np.zeros(1), form=form)
    end = whole.bound if whole else float(bound.first(spec.m_h))
    assert table["after"].iloc[-1] == pytest.approx(end)
    assert table["step"].tolist() == list(range(1, len(table) + 1))
    assert (table["after"] > 0).all() and (table["before"] >= 0).all()
    assert bool(whole) == (table["kind"] == KINDS["exists"]).any()
    assert "The bound" in found.sentences[0] if whole else "coupling's term" in found.sentences[0]


@pytest.mark.parametrize("fields", [{"c": 1e-11}, {"spectrum": "list", "sigma": (1e-11,)}], ids=str)
def test_a_coupling_without_a_term_above_the_tolerance_has_no_steps(fields):
    design = Design(CouplingSpec(**fields))
    assert losses_view(design, measures(design.bare)) is None


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"m_h": 64}, "keeps every term of the 64 that are computed, so that nothing is lost"),
        ({"spectrum": "exponential", "m_h": 40}, "every term above the tolerance, so that"),
        ({"rank": 3, "m_h": 4}, "This width keeps every term, so that nothing is lost"),
        ({"rank": 2, "m_h": 1}, "truncation to 1 term errs"),
    ],
    ids=str,
)
def test_what_a_width_keeps_is_said_of_what_is_computed(fields, says):
    design = Design(CouplingSpec(**fields))
    found = losses_view(design, measures(design.bare))
    assert any(says in sentence for sentence in found.sentences)


def test_no_bound_is_drawn_that_the_terms_beyond_break():
    design = Design(CouplingSpec(formula="sign(u-v)", m_h=64))
    assert losses_view(design, measures(design.bare, 2.0)) is None
    assert losses_view(design, measures(design.bare, 0.9)) is not None


def test_the_sentences_of_the_default():
    found = view("default", trained=RUN)
    in_all, coupling, slip, networks, trained = found.sentences
    table = found.table.set_index("equation")
    error, bound = table["before"]["(40)"], table["after"].iloc[-1]
    assert f"is {number(bound, 3)}, while truncation to 8 terms errs by {number(error)}" in in_all
    assert "τ/2 = 8" in in_all and f"×{number(bound / error)} in all" in in_all
    assert f"“softmax is at most 1-Lipschitz” (42), ×{number(table['factor']['(42)'])}" in coupling
    assert f"×{number(table['factor']['(47 → 50)'])} here" in slip
    root = 256 * 2 * math.sqrt(2) / math.sqrt(8)
    assert f"{number(root, 3)} in place of {number(root / math.sqrt(8), 3)}" in slip
    assert "nobody has measured" in networks and "run 0123456789ab-1, seed 3" in trained


def test_factors_multiply_to_the_bound_over_the_error_of_the_run():
    table = view("default", trained=RUN).table
    assert table["kind"].iloc[0] == TRAINED and table["before"].iloc[0] == RUN.error
    assert math.prod(table["factor"]) == pytest.approx(table["after"].iloc[-1] / RUN.error)


def test_a_width_that_keeps_all_says_where_the_loss_begins():
    found = view("finite", trained=RUN)
    assert found.table["before"].iloc[0] == 0 and TRAINED not in set(found.table["kind"])
    assert "keeps every term" in found.sentences[1] and "errs by 0," in found.sentences[0]
    drawn = json.dumps(chart(found).to_dict(), ensure_ascii=False)
    assert '"from 0"' in drawn


def test_with_the_root_kept_nothing_slips_there():
    assert "47 → 50" not in "".join(view("default", "absolute").sentences)
    assert "(47 → 50)" not in set(view("default", "absolute").table["equation"])


def test_the_run_of_these_widths():
    """A shipped run, by its own metrics; not of another m_h or m_FF, nor of another target."""
    row, linear = (open_stream(f"asset-{name}").record.row for name in ("train", "order-rnn"))
    found = best_trained(row.spec, [linear, row])
    assert found.error == row.spec.tau * row.metrics["mae"] and found.seed == row.spec.seed
    assert best_trained(row.spec, [linear]) is None
    for other in ({"m_h": row.spec.m_h + 1}, {"m_ff": row.spec.m_ff + 1}):
        assert best_trained(row.spec.model_copy(update=other), [row]) is None


@pytest.mark.parametrize("palette", [LIGHT, DARK])
@pytest.mark.parametrize("name", SEEN)
def test_the_chart(name, palette):
    found = view(name)
    spec = chart(found, palette).to_dict()
    assert min(font_sizes([spec, SIZES])) >= 12
    low, high = spec["layer"][2]["encoding"]["x"]["scale"]["domain"]
    positive = [value for value in found.table["before"] if value]
    assert low < min([*positive, found.trivial]) and found.table["after"].max() < high
    assert palette.ink in json.dumps(spec)


@pytest.mark.parametrize("width", [300, 450, 680])
@pytest.mark.parametrize("name", ["default", "finite", "formula", "haar"])
def test_no_word_of_the_chart_leaves_it(width, name):
    drawn = chart(view(name, trained=RUN)).properties(width=width)
    found = boxes(vl_convert.vegalite_to_svg(drawn.to_dict()))
    assert any(text.startswith("(52)") for text, *_ in found)
    for text, left, right in found:
        assert left >= -12 and right <= width + 25, (text, left, right)


@pytest.mark.parametrize("form", FORMS)
def test_the_figure_goes_home(form):
    found = view("fast", form)
    build, _, about = figure_of_losses(SPECS["fast"], found, form)
    assert FORMS[form] in about.footer and "computed, not trained" in about.footer
    rows = csv(about.table, about.units).decode()
    assert all(gives in rows for gives in found.table["given_away"])
    for kind in ("svg", "pdf"):
        assert export(build(LIGHT), kind, title=about.title, footer=about.footer)


def test_the_page_draws_it_and_says_of_which_representation():
    """A change of σ_k changes it, as the bound above it."""
    said = []
    for spec in ({"alpha": 1.0}, {"alpha": 2.0}):
        page = opened("design", spec=json.dumps({"version": 1, **spec}))
        page.session_state["theory"] = True
        page.run()
        assert not page.exception
        texts = [text.value for text in (*page.markdown, *page.caption)]
        assert any(OF_THIS[-40:] in text for text in texts)
        said.append(next(text for text in texts if "part gives away" in text))
    assert said[0] != said[1]
    found = losses_view(Design(CouplingSpec(alpha=2.0)), measures(Design(CouplingSpec(alpha=2.0))))
    assert found.sentences[1].split("×")[1].split(",")[0] in said[1]
