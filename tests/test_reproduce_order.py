"""Tables 2 and 3 and App. D.3 anew: files, measured beside printed values, what may be said."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student

from explorer import reproduce
from explorer.reproduce import order
from explorer.runs.store import Store
from explorer.spec import LinearSweep, spec_id
from explorer.targets import parse
from explorer.theory.filters import sign_evidence

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture
def short(monkeypatch):
    """Quick runs of a few steps: what they reach is not looked at."""
    monkeypatch.setattr(order, "QUICK", {"steps": 2, "seed": (0,), "m_ff": 16, "hidden": 8})


def test_d3_is_exact_and_beside_the_printed_values(tmp_path):
    answer = reproduce.reproduce("d3", reproduce.Request(Store(), tmp_path, quick=True))["figures"][
        "d3"
    ]
    assert all(check["holds"] and check["measured"] <= 1e-12 for check in answer["checks"])
    assert [line["printed"] for line in answer["printed"]] == [1.265, 0.5, 0.4]
    assert answer["rank"] == {"before": 2, "after": 3, "centred_before": 1, "centred_after": 2}
    assert answer["c_1"]["after"] < answer["c_1"]["before"]
    table = pd.read_csv(tmp_path / "d3.csv")
    last = table[(table["mixing"] == 1) & (table["gauge"] == "raw")]["sigma"]
    np.testing.assert_allclose(sorted(last), sorted([1.2621689, 0.5, 0.3961435]), atol=1e-7)
    assert (tmp_path / "d3.svg").read_text("utf-8").startswith("<svg")
    assert json.loads((tmp_path / "summary.json").read_text())["figures"]["d3"] == answer


def test_table_2_has_every_alteration_of_both_models(tmp_path, short):
    answer = reproduce.reproduce("table2", reproduce.Request(Store(), tmp_path, quick=True))[
        "figures"
    ]["table2"]
    rows = {(line["model"], line["row"]): line for line in answer["table"]}
    assert len(rows) == 16 and rows["Transformer", "reverse"]["models"] == 1
    assert rows["RNN", "block exchange"]["printed"] == 3.57e-2
    assert rows["RNN", "block exchange"]["time_invariant_floor"] == pytest.approx(0.0526, abs=5e-5)
    assert rows["RNN", "roll"]["time_invariant_floor"] == pytest.approx(0.0301, abs=5e-5)
    assert rows["Transformer", "signed filters"]["models"] == 2
    printed = {(line["model"], line["row"], line["printed"]) for line in answer["printed"]}
    assert ("Transformer", "original", 2.18e-5) in printed and len(printed) == 6
    assert not all(check["holds"] for check in answer["checks"])  # two steps teach nothing
    assert answer["signs"]["sentence"] in answer["text"] and not answer["signs"]["earned"]
    table = pd.read_csv(tmp_path / "table2.csv")
    assert len(table) == 5 + 4 + 5 + 4 + 4 and {"mse", "nmse", "causal_floor"} <= set(table)
    assert "signed filters" in (tmp_path / "table2.svg").read_text("utf-8")
    again = reproduce.reproduce("table2", reproduce.Request(Store(), tmp_path, quick=True))[
        "figures"
    ]["table2"]
    assert again == answer  # from the store, and nothing trained twice


def test_table_3_explains_the_printed_failure(tmp_path, short):
    answer = reproduce.reproduce("table3", reproduce.Request(Store(), tmp_path, quick=True))[
        "figures"
    ]["table3"]
    rows = {(line["model"], line["row"]): line for line in answer["table"]}
    rnn = rows["RNN", "original"]
    assert rnn["printed"] == 5.58 and 3 < rnn["constant_floor"] < 9
    assert rnn["time_invariant_floor"] < 1e-20
    assert any("failure" in note for note in answer["notes"])


def test_prop_62_where_the_query_is_content(tmp_path, short):
    answer = reproduce.reproduce("prop62", reproduce.Request(Store(), tmp_path, quick=True))[
        "figures"
    ]["prop62"]
    apart, held = answer["checks"]
    assert not apart["holds"] and held["holds"]  # two steps teach nothing; the identity is exact
    assert answer["apart"] > 0.1
    table = pd.read_csv(tmp_path / "prop62.csv")
    assert list(table["order"]) == ["in order", "in reverse"]
    specs = [parse(text) for text in table["spec"]]
    assert [spec.permutation for spec in specs] == [None, "reverse"]
    assert [spec_id(spec) for spec in specs] == list(table["spec_id"])
    assert "in reverse" in (tmp_path / "prop62.svg").read_text("utf-8")


def test_a_full_table_has_four_filters_of_each_sign_and_three_seeds(monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr(order, "_measured", lambda request, rows: asked.extend(rows) or 1 / 0)
    with pytest.raises(ZeroDivisionError):
        order.table_2(reproduce.Request(Store(), tmp_path))
    sweeps = {(row.model, row.name): row.sweep for row in asked}
    for name in ("positive filters", "signed filters"):
        sweep = sweeps["Transformer", name]
        assert len(sweep.filter_seed) >= 4 and len(sweep.seed) >= 3
        conv = sweeps["Transformer with convolution", name]
        assert conv.conv == (5,) and conv.filter_seed == sweep.filter_seed
    orders = ("block exchange", "roll", "reverse", "random order")
    assert all(len(sweeps["Transformer", name].seed) >= 3 for name in orders)
    assert sweeps["RNN", "roll"].model == "rnn"
    assert all(isinstance(sweep, LinearSweep) for sweep in sweeps.values())


def test_an_rnn_is_held_to_its_optimum_in_units_of_its_target():
    """33e-6 on a random kernel, Var(y) = 6.6, is 1 − R² = 5e-6; on e^-s it would be 3e-4."""
    row = order.Row("original", "RNN", LinearSweep(model="rnn"))

    def holds(mse, floor, variance):
        values = {"population_mse": mse, "time_invariant_floor": floor, "constant_floor": variance}
        (check,) = order._checks(row, pd.DataFrame([values]), True)
        return check["holds"]

    assert holds(3.3e-5, 0.0, 6.57) and not holds(3.3e-5, 0.0, 0.0988)
    assert not holds(1.2e-4, 0.0, 6.57)
    assert holds(0.30, 0.29, 6.57) and not holds(0.50, 0.29, 6.57)


def test_a_sentence_on_signs_is_earned_by_an_exact_test():
    low, high = (
        {k: [x, 2 * x, 3 * x] for k, x in enumerate(xs)}
        for xs in ((1.0, 2.0, 3.0, 4.0), (5.0, 6.0, 7.0, 8.0))
    )
    found = sign_evidence(low, high, [2.0])
    assert found.p_value == pytest.approx(1 / 70) and found.earned  # of (8 choose 4) orders one
    assert found.ratio == pytest.approx((5 * 6 * 7 * 8 / 24) ** 0.25)
    assert re.search("harder.*p = 0.014", found.sentence)
    least, most = found.interval
    # by hand: means of log differ by log(ratio), s² / 4 of either side, Welch's degrees of freedom
    sides = [np.log(2 * np.array(xs)) for xs in ((1, 2, 3, 4), (5, 6, 7, 8))]
    parts = [side.var(ddof=1) / 4 for side in sides]
    free = sum(parts) ** 2 / sum(part**2 / 3 for part in parts)
    half = student.ppf(0.975, free) * np.sqrt(sum(parts))
    assert np.log([least, most]) == pytest.approx(np.log(found.ratio) + np.array([-half, half]))
    assert f"1 − R² is {least:.2g} to {most:.2g} × as large (95 % interval" in found.sentence
    assert "geometric means, 3, over 4 positive and 4 signed filters" in found.sentence
    turned = sign_evidence(high, low, [2.0])
    assert turned.p_value == 1 and "not told apart" in turned.sentence
    mixed = sign_evidence({0: [1.0], 1: [3.0]}, {0: [2.0], 1: [4.0]}, [1.0])
    assert not mixed.earned and mixed.filters == (2, 2)
    with pytest.raises(ValueError, match="two filters"):
        sign_evidence({0: [1.0]}, {0: [1.0], 1: [2.0]}, [1.0])
