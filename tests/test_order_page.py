"""The Order page through AppTest: it opens finished, takes alterations, trains, and survives."""

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from urllib.parse import parse_qs

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as t_distribution
from stores import ALTERED_COUPLING, SMALL, trained
from streamlit_pages import app, button, opened, ran, report, run_in, says, sentences, turned

from explorer.pages.order import known as order_known
from explorer.pages.order import view, view_pieces
from explorer.pages.order import view_mixing as mixing
from explorer.pages.order import view_shipped as order_shipped
from explorer.pages.order import view_trained as known
from explorer.pages.order.view_kinds import view_of
from explorer.runs import sweep_rows, sweeps
from explorer.runs.frames import unpack
from explorer.runs.store import Store
from explorer.spec import (
    CouplingSpec,
    LinearSpec,
    LinearSweep,
    SpecError,
    amended,
    compact,
    full_json,
    spec_id,
)
from explorer.targets import FILTERS, PRESETS, SWEEPS, linear_target, target_of
from explorer.theory.design import Design
from explorer.theory.linear import complexity_of, linear_floors
from explorer.theory.mixing import EXAMPLE, mixable, mixed_spectrum
from explorer.theory.propositions import proposition_62
from explorer.ui import live
from explorer.ui.pages import PAGES
from explorer.views import series
from explorer.views.sweeps import Finished, of_text
from explorer.views.text import number

pytestmark = pytest.mark.usefixtures("one_thread")


SPEC = "spec of order"
SHIPPED = ("transformer-block", "rnn-block", "transformer", "rnn")
QUICK = ("asset-order-quick", "asset-order-quick-plain")
COUPLING = "asset-order-coupling"
FILTERED = ("asset-order-filter", "asset-order-filter-conv")


def spec_of(at):
    return at.session_state[SPEC]


# What is shipped


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_runs_land_where_they_should(name):
    """An RNN on its closed-form optimum within 2 % (or 1e-6), a Transformer at 1e-4 or less."""
    row = live.open_stream(f"asset-order-{name}").record.row
    model, _, order = name.partition("-")
    assert (row.spec.model, row.spec.permutation or "") == (model, order)
    assert row.status == "finished"
    if model == "transformer":
        assert row.metrics["mse"] <= 1e-4
        return
    optimum = linear_floors(linear_target(row.spec).matrix).time_invariant
    assert row.metrics["population_mse"] <= max(1.02 * optimum, 1e-6)
    assert row.metrics["population_mse"] >= optimum * (1 - 1e-6)


def test_a_third_of_the_steps_leaves_a_few_times_the_error():
    """In order and out of it, trained alike: a reader's other orders are compared with these."""
    quick = [live.open_stream(name).record.row for name in QUICK]
    long = [
        live.open_stream(f"asset-order-transformer{name}").record.row for name in ("-block", "")
    ]
    for short, of in zip(quick, long, strict=True):
        assert known.same_target(short.spec, of.spec) and short.spec.steps == 1000
        assert 1 < short.metrics["mse"] / of.metrics["mse"] < 10 and short.metrics["mse"] < 1e-4
    found = [known.comparable(row.spec, [row]) for row in quick]
    assert known.pairs(quick[0].spec, found[1], found[0])[0].steps == 1000


def test_the_shipped_rows_hold_filters_of_each_sign_and_the_sentence_is_theirs():
    table, found = pd.read_csv(order_shipped.TABLE), order_shipped.signs()
    alone = table[table["model"] == "Transformer"]
    for row in order_shipped.SIGNS:
        of = alone[alone["row"] == row]
        assert of["filter_seed"].nunique() >= 4 and of["seed"].nunique() >= 3
    rnn = table[table["model"] == "RNN"]
    floor = rnn["time_invariant_floor"]
    assert (rnn["population_mse"] <= np.maximum(1.02 * floor, 1e-6)).all()
    plain = alone[alone["row"].isin(["original", "block exchange"])]
    assert (plain["mse"] <= 1e-4).all()
    assert "positive and 4 signed filters" in found.sentence and "p = " in found.sentence
    assert len(found.points) == len(
        table[table["row"].isin(["original", *order_shipped.SIGNS]) & (table["model"] != "RNN")]
    )


def test_the_line_of_signed_filters_has_an_interval_and_no_bare_ratio():
    table, found = pd.read_csv(order_shipped.TABLE), order_shipped.signs()
    alone = table[table["model"] == "Transformer"]
    logs = [
        np.log(alone[alone["row"] == row].groupby("filter_seed")["nmse"].median())
        for row in order_shipped.SIGNS
    ]
    gap = logs[1].mean() - logs[0].mean()
    error = [of.var(ddof=1) / len(of) for of in logs]
    freedom = sum(error) ** 2 / sum(e**2 / (len(of) - 1) for e, of in zip(error, logs, strict=True))
    half = t_distribution.ppf(0.975, freedom) * np.sqrt(sum(error))  # Welch's, by its formula
    low, high = (f"{float(f'{np.exp(gap + end):.2g}'):,g}" for end in (-half, half))
    assert found.line.endswith(f": their 1 − R² is {low} to {high} × as large.")


def test_the_caption_of_the_tables_is_computed():
    said = order_shipped.printed_rnns()
    floors = {
        order: linear_floors(linear_target(LinearSpec(permutation=order)).matrix).time_invariant
        for order in ("block", "roll")
    }
    assert f"leaves a time-invariant RNN {number(floors['block'], 3)}" in said
    assert f"(a roll leaves {number(floors['roll'], 3)})" in said
    assert said.startswith("5.58 and 5.24 are near") and "0.0357 needs" in said  # as printed
    random = linear_target(LinearSpec(kernel="random"))
    of_y, mean = (random.matrix**2).sum(axis=1) / 12, random.matrix.sum(axis=1) / 2  # x ~ U[0, 1]
    variance = of_y.mean() + mean.var()
    assert f"of a constant, {number(variance, 3)} " in said and 5 < variance < 8


def test_a_filter_that_reads_ahead_says_what_a_causal_model_leaves():
    ahead = LinearSpec(filter="signed", filter_mode="ahead")
    floor = number(linear_floors(linear_target(ahead).matrix).causal)
    assert f"the best one leaves an MSE of {floor}; Table 2 prints 1.58·10⁻⁷" in view.convention(
        ahead
    )
    coupling = amended(ALTERED_COUPLING, filter="signed", filter_mode="ahead")
    assert view.convention(coupling) == view.AHEAD["ahead"]


@pytest.mark.parametrize("mode", ["causal", "ahead", "centred", "circular"])
@pytest.mark.parametrize("taps", ["delay", "average", [1.0], [0.0, 1.0], [0.0, 0.0, 1.0]], ids=str)
@pytest.mark.parametrize("order", [None, "block", tuple(range(32))], ids=str)
def test_what_is_said_of_a_filter_is_so_of_its_target(mode, taps, order):
    spec = amended(LinearSpec(), filter=taps, filter_mode=mode, permutation=order)
    alone = linear_floors(linear_target(amended(spec, permutation=None)).matrix)
    says = view.convention(spec)
    past = "reads the past" in says or "nothing that is to come" in says
    assert past == (alone.causal < 1e-12), says
    floors = linear_floors(linear_target(spec).matrix)
    assert ("an RNN keeps up" in says) == (past and floors.time_invariant < 1e-12), says
    measures = complexity_of(spec)
    assert np.isfinite(measures["after"]["c_rnn"]) == (floors.time_invariant < 1e-12)


def test_an_order_that_changes_nothing_is_none():
    spec = CouplingSpec(permutation=tuple(range(16)), positions=8)
    assert "that of the input" in proposition_62(spec).sentence


def test_content_queries_lose_by_another_order():
    sides = [
        order_shipped.trained(amended(ALTERED_COUPLING, permutation=order))
        for order in (None, "reverse")
    ]
    plain, turned_ = ([of.nmse for of in side] for side in sides)
    assert len(plain) == len(turned_) == 3
    assert min(turned_) > 100 * max(plain)
    text = order_shipped.content()
    assert "Eq. 90" in text and "H(x∘p) = H(x)∘p" in text
    (verdict,) = view.propositions(ALTERED_COUPLING, sides[1], sides[0])
    assert (verdict.name, verdict.label) == ("6.2", "disagrees")
    assert "Medians of the same 3 seeds (0, 1, 2), 3000 steps" in verdict.sentence


# The page


def test_the_page_opens_on_the_block_exchange():
    at = opened("order")
    assert at.subheader[0].value == PAGES["order"].question and not at.warning
    assert spec_of(at) == PRESETS["order-quick"][1] and "spec" not in at.query_params
    assert "settings at the left are not those" not in sentences(at), "the run shown is of them"
    assert "leaves an MSE of 0.053.\nAny causal model leaves 0.030, a constant 0.099." in says(at)
    alike, shown = says(at).split("Trained alike (3000 steps, one seed): ")[1].split(". ")
    assert alike.startswith("RNN 0.05") and "Transformer" in alike
    assert shown.startswith("The run shown (1000 steps, one seed): ")
    for name, label in (("6.1", "observed"), ("6.2", "observed"), ("6.3", "predicted")):
        assert any(f"Prop. {name}" in text and label in text for text in sentences(at).split("\n"))
    assert "(√11 ± √3)/4" in sentences(at) and "from 2 to 3" in sentences(at)


@pytest.mark.parametrize(
    "spec",
    [
        LinearSpec(model="rnn"),
        LinearSpec(kernel="random", permutation="roll"),
        LinearSpec(kernel="power", filter="signed", filter_mode="ahead", conv=5),
        LinearSpec(kernel="taps", taps=(1.0, 0.5), tau=64, permutation=tuple(range(63, -1, -1))),
        LinearSpec(kernel="formula", formula="exp(-s/3)*cos(s)", filter=(0.5, 0.5)),
        ALTERED_COUPLING,
    ],
    ids=lambda spec: spec_id(spec),
)
def test_any_target_of_the_page_opens_by_its_link(spec):
    at = app("order", spec=compact(spec))
    for label in (
        "More",
        "RNN error against hidden units (App. D.1)",
        "Complexity measures C₁, C₂, C_RNN (Eq. 76 to 78)",
    ):
        at.session_state[f"unfolded {label}"] = True
    ran(at)
    assert spec_of(at) == spec and not at.warning


def test_controls_change_kernel_model_and_convolution():
    at = opened("order")
    at.segmented_control(key="field model of order").set_value("rnn")
    assert spec_of(ran(at)).model == "rnn"
    at.segmented_control(key="field model of order").set_value("transformer")
    at = ran(at)
    at.slider(key="field conv of order").set_value(5)
    at.selectbox(key="order kernel").set_value("formula")
    at = ran(at)
    assert spec_of(at).conv == 5 and spec_of(at).kernel == "formula"
    at.text_input(key="order formula").set_value("exp(-s) + 1/0")
    at = ran(at)
    (refused,) = at.sidebar.warning  # below its field
    assert "at s = 0" in refused.value and spec_of(at).formula == "cos(s) * exp(-s / 4)"
    at.text_input(key="order formula").set_value("2 |s-3| e^(-s/2) max(1, t)")
    (refused,) = ran(at).sidebar.warning
    assert "^" in refused.value and "'t'" in refused.value
    at.text_input(key="order formula").set_value("2 |s-3| e^(-s/2) max(1, s)")
    at = ran(at)
    assert spec_of(at).formula == "2*abs(s - 3)*e**(-s/2)*maximum(1, s)"
    assert not at.warning and any(r"\left|s-3\right|" in each.value for each in at.sidebar.caption)
    at.selectbox(key="order kernel").set_value("taps")
    at = ran(at)
    at.text_input(key="order taps").set_value("1, zwei")
    at = ran(at)
    assert "numbers are needed" in at.warning[0].value
    assert spec_of(at).taps == (1.0, 0.5, 0.25) and spec_of(at).formula is None


def test_a_kernel_comes_from_a_file():
    """Lines, commas and spaces alike; τ has room for all; what is none changes nothing."""
    at = opened("order", spec=compact(LinearSpec(kernel="taps", taps=(1.0, 0.5))))
    for data, why in (
        (b"1 " * 10**5, "100,000 numbers, at most 128"),
        (b"PK\x03\x04" + bytes(10**5), "numbers are needed"),
        (b"1, nan", "taps"),
        (b"0, 0", "must differ from 0"),
        (b" ", "taps"),
    ):
        brought(at, data)
        assert why in at.warning[0].value and len(at.warning[0].value) < 400
        assert spec_of(at).taps == (1.0, 0.5) and spec_of(at).tau == 32
    brought(at, "\n".join(f"{0.9**s}, {-(0.8**s)}" for s in range(20)).encode())
    spec = spec_of(at)
    assert spec.tau == len(spec.taps) == 40 and spec.taps[3] == -0.8 and not at.warning
    brought(at, b"1\r\n.5\r\n")
    assert spec_of(at).taps == (1.0, 0.5) and spec_of(at).tau == 40


def brought(at, data):
    (field,) = [each for each in at.get("file_uploader") if each.label == "or a file of numbers"]
    field.set_value(("kernel.csv", data, "text/csv"))
    ran(at)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"target":"linear","permutation":[0,0,1]}', "each of 0 to 31 once"),
        ('{"target":"linear","tau":4,"filter":[1,1,1,1,1]}', "at most tau = 4"),
        ('{"target":"linear","filter":[0,0]}', "at least one tap must differ from 0"),
        ('{"target":"linear","filter":[1e9]}', "filter"),
        ('{"target":"linear","kernel":"formula","formula":"1/(s-3)"}', "s = 3"),
        ('{"target":"linear","tau":129}', "tau"),
    ],
)
def test_a_broken_link_says_why_and_opens(text, words):
    at = opened("order", spec=text)
    assert words in at.warning[0].value and isinstance(spec_of(at), LinearSpec)


# What the component reports


def test_reports_become_fields_of_the_specification():
    order = list(range(31, -1, -1))
    found = view.changes({"order": order, "taps": [0.5], "mode": "centred"})
    assert found == {"permutation": order, "filter": [0.5], "filter_mode": "centred"}
    found = view.changes({"order": "roll", "taps": "signed"})
    assert found == {"permutation": "roll", "filter": "signed"}
    assert view.changes({"order": None}) == {"permutation": None}
    assert view.changes({"names": 3}) == {}


def test_what_is_let_go_is_taken_once_and_is_in_the_link():
    at = opened("order")
    at.session_state["order picture"] = report(3, {"order": [*range(1, 32), 0]})
    assert spec_of(ran(at)).permutation == (*range(1, 32), 0)
    assert json.loads("".join(at.query_params["spec"]))["permutation"][-1] == 0
    at.selectbox(key="order kernel").set_value("power")
    assert spec_of(ran(at)).kernel == "power" and not at.warning
    at.session_state["order picture"] = report(4, {"order": [0, 0]})
    assert "each of 0 to 31 once" in ran(at).warning[0].value
    assert spec_of(at).permutation == (*range(1, 32), 0), "the last good one stays"


def tried_on(at):
    of = view_of(spec_of(at)).matrix(view.in_order(spec_of(at)))
    return view.listed(of, at.session_state["orders tried"].values())


def test_orders_tried_are_listed_by_their_floors_and_a_search_finds_a_harder_one():
    at = opened("order")
    at.session_state["order picture"] = report(1, {"order": "reverse"})
    assert [each["name"] for each in tried_on(ran(at))] == ["reverse", "block exchange"]
    at.session_state["order picture"] = report(2, {"hunt": True})
    found, *others = tried_on(ran(at))
    assert found["name"] == order_known.FOUND and found["best"] and spec_of(at).permutation
    assert spec_of(at).permutation == found["order"] and not any(each["best"] for each in others)
    hardest = linear_floors(linear_target(spec_of(at)).matrix).time_invariant
    assert found["floor"] == pytest.approx(hardest) and hardest > others[0]["floor"]
    at.slider(key="field tau of order").set_value(16)
    at = ran(at)
    assert all(len(each["order"]) == spec_of(at).tau for each in tried_on(at))


def test_an_order_is_listed_under_the_name_that_finds_it_again():
    spec = LinearSpec(tau=6, permutation="random", permutation_seed=3)
    each = view.tried(spec)
    assert (each.name, each.called) == ("random, seed 3", "own")
    by_hand = amended(spec, permutation=each.order, permutation_seed=0)
    assert view.tried(by_hand).order == each.order and known.same_target(spec, by_hand)
    assert view.tried(LinearSpec(tau=6)) == view.Tried("as it is", (0, 1, 2, 3, 4, 5), "original")


def test_both_models_are_trained_on_the_order_shown():
    at = opened("order", spec=compact(LinearSpec(**SMALL, permutation="reverse", conv=2)))
    button(at, "Train both").click()
    at = ran(at)
    rows = Store().list(9)
    of = {row.spec.model: row for row in rows}
    assert of["rnn"].spec.conv == 0 and of["transformer"].spec == spec_of(at)
    assert known.same_target(of["rnn"].spec, spec_of(at))
    assert run_in(at) == of["transformer"].run
    assert at.session_state["order partner"] == of["rnn"].run


def test_my_coupling_is_a_click_away_and_what_is_made_of_it_follows():
    """The one of the Design page; the way to it is there as long as another target is shown."""
    at = opened("order")
    at.session_state["spec"] = CouplingSpec(alpha=2.0, rank=3, tau=16)
    button(ran(at), "Alter my coupling").click()
    spec = spec_of(ran(at))
    assert (spec.alpha, spec.rank, spec.tau, spec.permutation) == (2.0, 3, 16, "reverse")
    assert not any(each.label == "Alter my coupling" for each in at.button)
    at.session_state["spec"] = CouplingSpec(rank=2)
    button(ran(at), "Alter my coupling").click()
    assert spec_of(ran(at)).rank == 2


def test_a_kernel_moved_by_hand_becomes_taps_and_comes_back():
    spec = LinearSpec(kernel="formula", formula="exp(-s)")
    rho = view.drawing(spec, {}, [], False)["rho"]
    assert rho["kernel"] == "formula" and "tau" not in rho
    report = {"order": None, "taps": None, "mode": "causal"}
    moved = {"kernel": "taps", "taps": [1.0, 0.5], "formula": None}
    by_hand = amended(spec, **view.changes({**report, "rho": moved}))
    assert by_hand.taps == (1.0, 0.5) and by_hand.formula is None
    assert amended(by_hand, **view.changes({**report, "rho": rho})) == spec  # undone
    assert view.drawing(CouplingSpec(), {}, [], False)["rho"] is None
    assert amended(spec, **view.changes({**report, "rho": "x"})) == spec
    for nonsense in ({"kernel": "taps", "taps": "x"}, {"taps": [1e99]}, {"rate": []}):
        with pytest.raises(SpecError):
            amended(spec, **view.changes({**report, "rho": nonsense}))
    assert "steps" not in view.changes({"rho": {"steps": 9}})


def test_the_drawing_names_what_is_named():
    spec = LinearSpec(permutation="block", filter=(0.5, 0.5), filter_mode="centred")
    header = view.drawing(spec, {"push": "/x"}, [], False)
    assert header["names"] == {"order": "block", "filter": "own"}
    assert header["order"] == linear_target(spec).alteration.order and header["taps"] == (0.5, 0.5)
    assert set(header["presets"]["filters"]) >= {"delay", "signed"}
    json.dumps(header, allow_nan=False)


@pytest.mark.parametrize("length", [1, 2, 5])
@pytest.mark.parametrize("seed", range(4))
def test_a_coupling_is_offered_the_filters_that_it_takes_and_no_other(seed, length):
    """A random signed one of a single tap may be positive: each is asked."""
    spec = amended(ALTERED_COUPLING, filter_seed=seed, filter_length=length)
    offered = view.drawing(spec, {}, [], False)["presets"]["filters"]
    taken = []
    for name in FILTERS:
        with suppress(SpecError):
            target_of(amended(spec, filter=name))
            taken.append(name)
    assert list(offered) == taken and "difference" not in taken
    assert {"delay", "average", "positive"} <= set(taken)
    linear = LinearSpec(filter_seed=seed, filter_length=length)
    assert list(view.drawing(linear, {}, [], False)["presets"]["filters"]) == list(FILTERS)


def test_only_runs_of_just_this_target_are_compared():
    spec = LinearSpec(**SMALL, model="rnn", hidden=4)
    rows = [trained(spec), trained(amended(spec, permutation="reverse"))]
    by_hand = amended(spec, permutation=[5, 4, 3, 2, 1, 0])
    found = known.comparable(by_hand, rows, rows[1].run)
    assert [(each.model, each.source) for each in found] == [("rnn", "this run")]
    assert found[0].mse == rows[1].metrics["population_mse"]
    assert known.comparable(amended(spec, permutation=[5, 4, 3, 2, 0, 1]), rows) == []
    assert {t.source for t in known.comparable(LinearSpec(), [])} == {"printed"}
    assert known.comparable(LinearSpec(filter="delay"), []) == []


def test_units_lie_between_their_bounds():
    errors, law = view.states(LinearSpec(kernel="power"))
    wide = errors.pivot_table("mse", "units", "what").dropna()
    assert (wide[series.BEST_KERNEL] >= wide[series.NO_KERNEL]).all()
    table = law.pivot_table("error", "units", "what").dropna()
    assert (table[series.BEST_KERNEL] >= table[series.NO_KERNEL]).all()
    assert (table[series.BEST_KERNEL] <= table[series.TAPS_KEPT]).all()
    slope = np.polyfit(np.log(table.index), np.log(table[series.SCALE]), 1)[0]
    assert slope == pytest.approx(-1)
    _, law = view.states(LinearSpec(kernel="power", permutation="block"))
    assert series.TRAINED_RNN not in set(law["what"])  # no kernel is left that could be bounded


@pytest.mark.parametrize(
    ("spec", "units"),
    [
        (LinearSpec(filter="signed", filter_length=16), {5, 6, 8}),
        (LinearSpec(tau=64, filter="signed", filter_length=64), {8, 10, 12, 16}),
    ],
    ids=["16 taps", "64 taps"],
)
def test_the_scale_of_app_d1_is_no_bound(spec, units):
    """Kernels found of so many states lie above d·C_RNN/m, and below what is called a bound."""
    _, law = view.states(spec)
    table = law.pivot_table("error", "units", "what")
    above = table[table[series.BEST_KERNEL] > table[series.SCALE]]
    assert set(above.index) == units
    assert (table[series.BEST_KERNEL].fillna(0) <= table[series.TAPS_KEPT] * (1 + 1e-12)).all()


def test_the_decay_length_of_a_formula_is_called_a_fit():
    """cos(s) e^{−s/4} falls with γ = 4; the line through log|ρ| says 4.07."""
    formula = LinearSpec(kernel="formula", formula="cos(s)*exp(-s/4)")
    first = view.measures(formula).iloc[0]
    assert "fitted on the window" in first["measure"] and first["before"] == "4.07"
    assert "fitted" not in "".join(view.measures(LinearSpec())["measure"])


# Trained alike


def test_only_what_was_trained_alike_is_compared():
    """300 steps against the shipped 3000 get no verdict; the same steps and seed do."""
    spec = amended(LinearSpec(**SMALL), permutation="random")
    of = lambda spec, nmse: known.Trained("transformer", nmse, nmse, "x", spec)  # noqa: E731
    long = [of(amended(view.in_order(spec), steps=3000, seed=seed), 1e-4) for seed in (0, 1, 2)]
    short = [of(amended(spec, steps=300), 1e-2)]
    found = view.propositions(spec, short, long)[1]
    assert found.label == "not yet comparable"
    assert "3 trained before and 1 after, none of them alike" in found.sentence
    other = of(amended(view.in_order(spec), steps=300, seed=1), 1e-3)
    assert known.pairs(spec, [other], short)[0] is None, "another seed"
    other = of(amended(view.in_order(spec), steps=300, lr=0.1), 1e-3)
    assert known.pairs(spec, [other], short)[0] is None, "another recipe"
    alike = of(amended(view.in_order(spec), steps=300, hidden=3), 1e-3)  # of no effect here
    assert known.pairs(spec, [*long, alike], short)[0].ratios == [pytest.approx(10)]
    assert known.pairs(spec, long, [])[0] is None and known.pairs(spec, long, [])[1] == ""


def test_a_sentence_compares_models_of_the_same_steps_and_seeds_alone():
    spec = LinearSpec(**SMALL)

    def of(seed, mse, source="run", model="transformer", **changes):
        trained = amended(spec, seed=seed, model=model, **changes)
        return known.Trained(model, mse, mse, source, trained)

    three = [of(0, 3e-3), of(1, 1e-3), of(2, 2e-3), of(2, 9.0)]
    assert known.alike(three) == known.Alike(20, (0, 1, 2), {"Transformer": 2e-3})
    assert known.alike(three[:1]).words == "Trained (20 steps, one seed): Transformer 0.0030."
    assert known.alike([known.Known("rnn", 1.0, 1.0, known.PRINTED)]) is None
    far = of(0, 0.5, model="rnn", steps=40)
    assert known.alike([*three, far]) is None, "other steps"
    assert known.alike([*three, of(7, 0.5, model="rnn")]) is None, "another seed"
    near = [*three, far, of(1, 0.5, model="rnn")]
    assert known.alike(near) == known.Alike(20, (1,), {"RNN": 0.5, "Transformer": 1e-3})
    assert "Trained alike (20 steps, one seed): RNN 0.50, Transformer 0.0010." in view.verdict(
        spec, near
    )
    shown = of(5, 7e-3, known.THIS, steps=9)
    told = view.verdict(spec, [*near, shown])
    assert told.endswith("0.0010. The run shown (9 steps, one seed): 0.0070.")
    assert view.verdict(spec, [shown]).count("0.0070") == 1, "once is enough"


def test_the_page_speaks_of_the_run_shown():
    """Its badge, its verdict and its picture are of one run; Prop. 6.2 is of medians."""
    at = opened("order")
    mse = live.open_stream("asset-order-quick").record.row.metrics["mse"]
    assert f"The run shown (1000 steps, one seed): {number(mse)}." in says(at)
    assert "Medians of the same 3 seeds (0, 1, 2), 3000 steps by the same settings" in sentences(at)


def test_sweeps_of_the_store_reach_the_page():
    sweep = LinearSweep(**SMALL, model="rnn", hidden=(1, 2), seed=(0, 1, 2), kernel="power")
    store = Store()
    sweeps.run(store, sweep, ThreadPoolExecutor(1))
    rows = tuple(sweep_rows.read(store, spec_id(sweep)).values())
    spec = amended(sweep.members()[0], hidden=7)
    found = known.of_sweeps(spec, [Finished(sweep, rows)])
    assert len(found) == 6 and {each.spec.seed for each in found} == {0, 1, 2}
    _, law = view.states(spec, found)
    assert sorted(law[law["what"] == series.TRAINED_RNN]["units"]) == [1, 1, 1, 2, 2, 2]
    assert known.of_sweeps(amended(spec, kernel="random"), [Finished(sweep, rows)]) == []
    at = opened("order", spec=compact(spec))
    best = min(found, key=lambda each: -each.spec.hidden)
    wide = [each.mse for each in found if each.spec.hidden == best.spec.hidden]
    said = f"(20 steps, median of 3 seeds): RNN {number(float(np.median(wide)))}."
    assert said in says(at)


@pytest.mark.parametrize("name", ["exponential", "power", "random"])
def test_shipped_units_have_three_seeds(name):
    file = next(file for file in view.UNITS_FILES if file.stem.endswith(name))
    found = of_text(file.read_text("utf-8"))
    assert found.sweep == SWEEPS[f"order-units-{name}"][1] and len(found.sweep.seed) >= 3
    assert len(found.rows) == len(found.sweep.members())
    rows = pd.DataFrame([row for row in found.rows if row["population_mse"] > 1e-16])
    errors, _ = view.states(amended(LinearSpec(model="rnn"), kernel=name))
    shown = errors[errors["what"] == series.TRAINED_RNN]  # what is not on the axis is rounding
    assert sorted(shown["mse"]) == sorted(rows["population_mse"]) and len(rows) >= 15


# A convolution in front


def test_a_shipped_filter_is_learned_with_and_without_a_convolution():
    at = opened("order")
    at.button(key="show convolution").click()
    plain, conv = (live.open_stream(name).record for name in FILTERED)
    assert spec_of(ran(at)) == conv.spec == amended(plain.spec, conv=5)
    assert plain.row.metrics["nmse"] > 100 * conv.row.metrics["nmse"]
    assert "Transformer with a learned convolution" in says(at)
    assert f"train {spec_id(conv.spec)}.json" in texts_of_code(at)


def test_what_stands_beside_a_run_differs_by_the_convolution_alone():
    rows = {name: live.open_stream(name).record.row for name in (*FILTERED, "asset-order-rnn")}
    plain, conv = FILTERED
    assert known.counterpart(rows[plain], rows) == conv
    assert known.counterpart(rows[conv], rows) == plain
    assert known.counterpart(rows[conv], {conv: rows[conv]}) is None
    assert known.counterpart(rows["asset-order-rnn"], rows) is None
    found = known.beside(live.open_stream(conv).record)
    assert found["label"] == "with a convolution of 5" and len(found["taps"]) == 5
    assert found["evals"][-1] == [3000, rows[conv].metrics["nmse"]]
    assert known.beside(live.open_stream(plain).record)["taps"] is None
    json.dumps(found, allow_nan=False)


# Runs


@pytest.mark.parametrize(
    "spec",
    [
        LinearSpec(**SMALL, permutation="reverse", filter=(0.5, 0.5), conv=2),
        LinearSpec(**SMALL, model="rnn", hidden=3),
        amended(ALTERED_COUPLING, **SMALL, positions=2),
    ],
    ids=["transformer", "rnn", "coupling"],
)
def test_a_run_of_the_store_is_shown(spec):
    row = trained(spec)
    at = opened("order", run=row.run)
    assert spec_of(at) == spec and not at.warning and row.spec_id in texts_of_code(at)
    feed = live.open_stream(row.run)
    header, _ = unpack(feed.drawing())
    assert header["steps"] == row.steps and header["model"] in ("rnn", "transformer")
    assert feed.history() and feed.frame()


def texts_of_code(at):
    return " ".join(each.value for each in at.code)


def test_train_starts_a_run_and_the_coupling_comes_back_to_linear_targets():
    at = opened("order", spec=compact(LinearSpec(**SMALL)))
    button(at, "Train").click()
    assert run_in(ran(at)) == f"{spec_id(LinearSpec(**SMALL))}-1"
    at.button(key="alter coupling").click()
    assert spec_of(ran(at)) == ALTERED_COUPLING and "run" not in at.query_params
    at.button(key="linear targets").click()
    assert spec_of(ran(at)) == PRESETS["table2"][1]


def test_a_run_of_another_kind_is_sent_to_its_page():
    store = Store()
    at = opened("order", run=store.create(PRESETS["quick"][1]))
    assert "belongs to the Train page" in at.info[0].value
    at = opened("attention", run=store.create(LinearSpec(**SMALL)))
    assert "belongs to the Order page" in at.info[0].value


def test_the_three_kinds_of_target_keep_their_addresses_apart():
    at = opened("order", spec=compact(LinearSpec(tau=9)))
    at = turned(at, "attention")
    assert at.session_state["spec of attention"] == PRESETS["nearest"][1]
    at = turned(at, "design")
    assert isinstance(at.session_state["spec"], CouplingSpec) and not at.warning
    at = turned(at, "order")
    assert spec_of(at).tau == 9


# Mixing (App. D.3)


def test_mixing_follows_its_sliders_and_refuses_what_ends_at_the_square():
    at = app("order")
    at.session_state["unfolded Mix a coupling by hand, and undo it"] = True
    assert "Rank 2 → 3" in sentences(ran(at))
    at.slider(key="picture c").set_value(1.0)
    assert "Rank 2 → 2" in sentences(ran(at))
    at.slider(key="picture c").set_value(0.9)
    assert "Rank 2 → 3" in sentences(ran(at))
    at.segmented_control(key="mixing of").set_value("mine")
    assert "Not mixed" not in sentences(ran(at))
    at.session_state["spec"] = CouplingSpec(left_basis="legendre")
    assert "Not mixed" not in sentences(ran(at)), "the coupling is the one that was chosen"
    at.segmented_control(key="mixing of").set_value("paper")
    ran(at)
    at.segmented_control(key="mixing of").set_value("mine")
    assert "Not mixed: mixing needs ρ beyond [0, 1]" in sentences(ran(at))


def test_the_best_filter_is_taken_by_a_press_and_a_head_trained_behind_it():
    at = app("order")
    at.session_state["unfolded Mix a coupling by hand, and undo it"] = True
    assert "least to learn for c = 1: Σ σₖ² over k > 1 is 0 there, 0.250 without" in sentences(
        ran(at)
    )
    button(at, "Take the best filter, c = 1").click()
    assert "Rank 2 → 2" in sentences(ran(at))
    assert not [b for b in at.button if "best filter" in b.label]
    (link,) = [e.proto for e in at.get("page_link") if "what is left" in e.proto.label]
    (spec,) = parse_qs(link.query_string)["spec"]
    assert json.loads(spec)["formula"] == EXAMPLE.text
    at.slider(key="picture filtered_for").set_value(2)
    assert "No filter v + c·u in front lowers Σ σₖ² over k > 2: 0 stays" in sentences(ran(at))


def test_how_a_coupling_is_mixed_is_in_the_link_and_outlives_a_page_turn():
    at = app("order")
    at.session_state["spec"] = CouplingSpec(alpha=2.0, rank=3)
    at.session_state["unfolded Mix a coupling by hand, and undo it"] = True
    ran(at)
    for name, value in (("a", 0.5), ("b", -1.0), ("c", 0.25), ("mixing_alpha", 1.5)):
        at.slider(key=f"picture {name}").set_value(value)
        ran(at)
    at.segmented_control(key="mixing of").set_value("mine")
    said = [text for text in sentences(ran(at)).split("\n") if text.startswith("Rank ")]
    view_ = json.loads("".join(at.query_params["view"]))
    assert (view_["a"], view_["b"], view_["c"], view_["mixing_alpha"]) == (0.5, -1.0, 0.25, 1.5)
    cold = opened("order", view=json.dumps(view_))
    assert [text for text in sentences(cold).split("\n") if text.startswith("Rank ")] == said
    at = turned(turned(at, "runs"), "order")
    assert [text for text in sentences(at).split("\n") if text.startswith("Rank ")] == said
    assert "Rank" in sentences(opened("order", view=json.dumps({"a": 0.5, "coupling": "{"})))
    opened("order", view='{"a": 1e9}')


def test_the_deconvolution_of_the_facts():
    """A filter x₂ + .9 x₁ in front of the example mixed by (1, 1): 1.010, .986, .087."""
    found = mixed_spectrum(mixable(None), 1.0, 1.0, 0.9, 1.0)
    np.testing.assert_allclose(found.sigma(), [1.010, 0.986, 0.087], atol=2e-3)
    tails = mixing.tails_table(mixed_spectrum(mixable(None), 0, 1, 0, 1), found)
    raw = tails[(tails["when"] == "after") & (tails["gauge"] == "raw")].set_index("m")["tail"]
    np.testing.assert_allclose(raw, np.cumsum(found.sigma()[::-1] ** 2)[::-1])
    before = tails[(tails["when"] == "before") & (tails["gauge"] == "raw")].set_index("m")["tail"]
    np.testing.assert_allclose(before, [2.0, 1.0])  # 1 + 2 sin sin: σ = 1, 1


@pytest.mark.parametrize(
    ("factors", "name"),
    [
        ((1, 1, 0), "ρ(u, u + v)"),
        ((0, 1, 0), "ρ(u, v)"),
        ((-1, 0.5, 0), "ρ(u, −u + 0.5·v)"),
        ((1, -1, 0.9), "ρ(u, u − v) behind v + 0.9·u"),
        ((0, 0, 0), "ρ(u, 0)"),
        ((2, 1, -1), "ρ(u, 2·u + v) behind v − u"),
    ],
)
def test_a_mixture_is_named_as_one_writes_it(factors, name):
    assert mixing.name_of(*factors) == name


def test_every_shipped_run_has_its_place_on_the_page():
    linear = [f"asset-order-{name}" for name in ("quick", "quick-plain", *SHIPPED)]
    assert list(PAGES["order"].shipped) == [*linear, COUPLING, *FILTERED]
    assert live.open_stream(COUPLING).record.spec == ALTERED_COUPLING
    for name, spec in {"rnn": LinearSpec(model="rnn"), "transformer": LinearSpec()}.items():
        at = opened("order", spec=compact(spec))
        assert f"train {spec_id(spec)}.json" in texts_of_code(at), name
    assert full_json(PRESETS["order"][1])


def test_the_runs_page_opens_a_run_on_its_own_page():
    pages = {
        "Order": LinearSpec(**SMALL),
        "Attention": amended(PRESETS["qsa"][1], steps=5),
        "Train": amended(PRESETS["quick"][1], steps=5),
    }
    for page, spec in pages.items():
        at = opened("runs", runs=Store().create(spec))
        links = [element.proto.label for element in at.get("page_link")]
        assert f"Open on {page}" in links


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (LinearSpec(tau=8), "Every token is in its place"),
        (LinearSpec(tau=8, permutation=(1, 0, *range(2, 8))), "The pieces move, no σ_k by more"),
        (LinearSpec(tau=64, permutation="roll"), "The pieces move, no σ_k by more"),
        (CouplingSpec(tau=8, formula="u*v", permutation="reverse", positions=2), "25 % of"),
    ],
)
def test_the_pieces_of_phi_follow_the_order(spec, said):
    """Of u·v, centred √3 u · …, (∫φ)² = 3/4 is known to every piece."""
    at = app("order", spec=compact(spec))
    at.session_state["mathematics open"] = True
    at.session_state["unfolded Pieces of φ_k on the intervals of tokens (Eqs. 7, 89, 90)"] = True
    assert said in sentences(ran(at))
    at.segmented_control(key="piece of").set_value(3)
    assert said in sentences(ran(at))


@pytest.mark.parametrize("k", [1, 3])
def test_a_piece_goes_along_with_its_token(k):
    order = (2, 0, 1, 3)
    spec = LinearSpec(tau=4, permutation=order)
    table = view_pieces.moved(Design(CouplingSpec()), spec, k).table
    before, after = (of for _, of in table.groupby("row", sort=False))
    for token in range(4):
        own, other = (of[of["token"] == token]["value"] for of in (before, after))
        np.testing.assert_allclose(own, other, atol=1e-6)
    assert list(dict.fromkeys(after["token"])) == list(order)
    assert not np.allclose(before["value"], after["value"])
