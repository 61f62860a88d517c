"""The Order page through AppTest: it opens finished, takes alterations, trains, and survives."""

import json

import numpy as np
import pandas as pd
import pytest
from test_attention_page import texts, turned
from test_pages import app, button, opened, ran, run_in, says

from explorer.runs.execute import execute
from explorer.runs.frames import unpack
from explorer.runs.store import Store
from explorer.spec import (
    PRESETS,
    CouplingSpec,
    LinearSpec,
    SpecError,
    amended,
    compact,
    full_json,
    spec_id,
)
from explorer.targets import linear_target
from explorer.theory.linear import linear_floors
from explorer.ui import live, transport
from explorer.views import mixing, order_shipped
from explorer.views import order as view

pytestmark = pytest.mark.usefixtures("one_thread")

SMALL = {"tau": 6, "n": 8, "d_v": 3, "m_h": 2, "m_ff": 12, "batch": 6, "steps": 20, "warmup": 5}
SPEC = "spec of order"
SHIPPED = ("transformer-block", "rnn-block", "transformer", "rnn")
COUPLING = "asset-order-coupling"
FILTERED = ("asset-order-filter", "asset-order-filter-conv")
ALTERED_COUPLING = PRESETS["prop62"][1]


def spec_of(at):
    return at.session_state[SPEC]


def trained(spec):
    store = Store()
    with store.start(spec, "cpu") as lease:
        return execute(store, lease.row)


# What is shipped


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_runs_land_where_they_should(name):
    """An RNN on its closed-form optimum within 2 % (or 1e-6), a Transformer at 1e-4 or less."""
    row = live.open_feed(f"asset-order-{name}").record.row
    model, _, order = name.partition("-")
    assert (row.spec.model, row.spec.permutation or "") == (model, order)
    assert row.status == "finished"
    if model == "transformer":
        assert row.metrics["mse"] <= 1e-4
        return
    optimum = linear_floors(linear_target(row.spec).matrix).time_invariant
    assert row.metrics["population_mse"] <= max(1.02 * optimum, 1e-6)
    assert row.metrics["population_mse"] >= optimum * (1 - 1e-6)


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
    assert len(found.points) == len(table[table["row"].isin(["original", *order_shipped.SIGNS])
                                          & (table["model"] != "RNN")])  # fmt: skip


def test_content_queries_lose_by_another_order():
    plain, turned_ = (
        [of.nmse for of in order_shipped.trained(amended(ALTERED_COUPLING, permutation=order))]
        for order in (None, "reverse")
    )
    assert len(plain) == len(turned_) == 3
    assert min(turned_) > 100 * max(plain)
    text = order_shipped.content()
    assert "Eq. 90" in text and "H(x∘p) = H(x)∘p" in text
    (verdict,) = view.propositions(
        ALTERED_COUPLING, order_shipped.trained(ALTERED_COUPLING), min(plain)
    )
    assert (verdict.name, verdict.label) == ("6.2", "disagrees")


# The page


def test_the_page_opens_on_the_block_exchange():
    at = opened("order")
    assert at.subheader[0].value == view.QUESTION and not at.warning
    assert spec_of(at) == PRESETS["order"][1] and "spec" not in at.query_params
    assert "leaves an MSE of 0.053, any causal model 0.030, a constant 0.099" in says(at)
    assert "the trained Transformer is at" in says(at) and "the trained RNN is at" in says(at)
    for name, label in (("6.1", "observed"), ("6.2", "observed"), ("6.3", "predicted")):
        assert any(f"Prop. {name}" in text and label in text for text in texts(at).split("\n"))
    assert "(√11 ± √3)/4" in texts(at) and "from 2 to 3" in texts(at)


@pytest.mark.parametrize("spec", [
    LinearSpec(model="rnn"), LinearSpec(kernel="random", permutation="roll"),
    LinearSpec(kernel="power", filter="signed", filter_mode="ahead", conv=5),
    LinearSpec(kernel="taps", taps=(1.0, 0.5), tau=64, permutation=tuple(range(63, -1, -1))),
    LinearSpec(kernel="formula", formula="exp(-s/3)*cos(s)", filter=(0.5, 0.5)), ALTERED_COUPLING,
], ids=lambda spec: spec_id(spec))  # fmt: skip
def test_any_target_of_the_page_opens_by_its_link(spec):
    at = app("order", spec=compact(spec))
    for label in ("More", "RNN error against hidden units (App. D.1)",
                  "Complexity measures C₁, C₂, C_RNN (Eq. 76 to 78)"):  # fmt: skip
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
    assert at.warning and spec_of(at).formula == "cos(s) * exp(-s / 4)"
    at.selectbox(key="order kernel").set_value("taps")
    at = ran(at)
    at.text_input(key="order taps").set_value("1, zwei")
    at = ran(at)
    assert "numbers are needed" in at.warning[0].value
    assert spec_of(at).taps == (1.0, 0.5, 0.25) and spec_of(at).formula is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"target":"linear","permutation":[0,0,1]}', "each of 0 to 31 once"),
        ('{"target":"linear","tau":4,"filter":[1,1,1,1,1]}', "at most tau = 4"),
        ('{"target":"linear","filter":[0,0]}', "at least one tap must differ from 0"),
        ('{"target":"linear","filter":[1e9]}', "filter"),
        ('{"target":"linear","kernel":"formula","formula":"1/(s-3)"}', "s = 3"),
        ('{"target":"linear","tau":65}', "tau"),
        (compact(PRESETS["train"][1]), "belongs to the Train page"),
        (compact(PRESETS["qsa"][1]), "belongs to the Attention page"),
    ],
)  # fmt: skip
def test_a_broken_link_says_why_and_opens(text, words):
    at = opened("order", spec=text)
    assert words in at.warning[0].value and isinstance(spec_of(at), LinearSpec)


# What the component reports


def test_reports_become_fields_of_the_specification():
    order = list(range(31, -1, -1))
    own = {"order": "own", "filter": "own"}
    found = view.changes({"order": order, "taps": [0.5], "mode": "centred", "names": own})
    assert found == {"permutation": order, "filter": [0.5], "filter_mode": "centred"}
    named = {"order": "roll", "filter": "signed"}
    found = view.changes({"order": order, "taps": [0.5], "mode": "causal", "names": named})
    assert (found["permutation"], found["filter"]) == ("roll", "signed")
    found = view.changes({"order": None, "taps": None, "mode": "causal", "names": named})
    assert (found["permutation"], found["filter"]) == (None, None)
    assert view.changes({"names": 3})["permutation"] is None


def test_what_is_let_go_is_taken_once_and_is_in_the_link():
    at = opened("order")
    own = {"order": "own", "filter": "none"}
    said = {"rev": 3, "order": [*range(1, 32), 0], "taps": None, "mode": "causal", "names": own}
    at.session_state["order picture"] = {"alteration": said}
    assert spec_of(ran(at)).permutation == (*range(1, 32), 0)
    assert json.loads("".join(at.query_params["spec"]))["permutation"][-1] == 0
    at.selectbox(key="order kernel").set_value("power")
    assert spec_of(ran(at)).kernel == "power" and not at.warning
    at.session_state["order picture"] = {"alteration": said | {"rev": 4, "order": [0, 0]}}
    assert "each of 0 to 31 once" in ran(at).warning[0].value
    assert spec_of(at).permutation == (*range(1, 32), 0), "the last good one stays"


def test_a_kernel_moved_by_hand_becomes_taps_and_comes_back():
    spec = LinearSpec(kernel="formula", formula="exp(-s)")
    rho = view.scene(spec, {}, [], False)["rho"]
    assert rho["kernel"] == "formula" and "tau" not in rho
    report = {"order": None, "taps": None, "mode": "causal", "names": {}}
    moved = {"kernel": "taps", "taps": [1.0, 0.5], "formula": None}
    by_hand = amended(spec, **view.changes({**report, "rho": moved}))
    assert by_hand.taps == (1.0, 0.5) and by_hand.formula is None
    assert amended(by_hand, **view.changes({**report, "rho": rho})) == spec  # undone
    assert view.scene(CouplingSpec(), {}, [], False)["rho"] is None
    assert amended(spec, **view.changes({**report, "rho": "x"})) == spec
    for nonsense in ({"kernel": "taps", "taps": "x"}, {"taps": [1e99]}, {"rate": []}):
        with pytest.raises(SpecError):
            amended(spec, **view.changes({**report, "rho": nonsense}))
    assert "steps" not in view.changes({"rho": {"steps": 9}})


def test_the_scene_names_what_is_named():
    spec = LinearSpec(permutation="block", filter=(0.5, 0.5), filter_mode="centred")
    header = view.scene(spec, {"push": "/x"}, [], False, 7)
    assert header["names"] == {"order": "block", "filter": "own"}
    assert header["order"] == linear_target(spec).alteration.order and header["taps"] == (0.5, 0.5)
    assert header["rev"] == 7 and set(header["presets"]["filters"]) >= {"delay", "signed"}
    json.dumps(header, allow_nan=False)


def test_only_runs_of_just_this_target_are_compared():
    spec = LinearSpec(**SMALL, model="rnn", hidden=4)
    rows = [trained(spec), trained(amended(spec, permutation="reverse"))]
    by_hand = amended(spec, permutation=[5, 4, 3, 2, 1, 0])
    found = view.comparable(by_hand, rows, rows[1].run)
    assert [(each.model, each.source) for each in found] == [("rnn", "this run")]
    assert found[0].mse == rows[1].metrics["population_mse"]
    assert view.comparable(amended(spec, permutation=[5, 4, 3, 2, 0, 1]), rows) == []
    assert {t.source for t in view.comparable(LinearSpec(), [])} == {"printed"}
    assert view.comparable(LinearSpec(filter="delay"), []) == []


def test_units_are_bounded_from_below_and_the_law_is_far_above():
    errors, law = view.states(LinearSpec(kernel="power"))
    wide = errors.pivot_table("mse", "units", "what").dropna()
    assert (wide["best kernel found"] >= wide["no kernel is below"]).all()
    table = law.pivot_table("error", "units", "what").dropna()
    rate, best = table["d·C_RNN/m"], table["best kernel"]
    assert (best < rate).all(), "the best kernel obeys the bound"
    slope = np.polyfit(np.log(table.index), np.log(rate), 1)[0]
    assert slope == pytest.approx(-1)
    trained = law[law["what"] == "trained RNN"].set_index("units")["error"]
    both = pd.concat([trained, rate], axis=1, keys=["mae", "rate"]).dropna()
    assert len(both) >= 5 and (both["mae"] < both["rate"]).all(), "trained RNNs obey it, too"
    _, law = view.states(LinearSpec(kernel="power", permutation="block"))
    assert "trained RNN" not in set(law["what"])  # no kernel is left that could be bounded


# A convolution in front


def test_a_shipped_filter_is_learned_with_and_without_a_convolution():
    at = opened("order")
    at.button(key="show convolution").click()
    plain, conv = (live.open_feed(name).record for name in FILTERED)
    assert spec_of(ran(at)) == conv.spec == amended(plain.spec, conv=5)
    assert plain.row.metrics["nmse"] > 100 * conv.row.metrics["nmse"]
    assert "with a learned convolution in front it is at" in says(at)
    assert f"train {spec_id(conv.spec)}.json" in texts_of_code(at)


def test_what_stands_beside_a_run_differs_by_the_convolution_alone():
    rows = {name: live.open_feed(name).record.row for name in (*FILTERED, "asset-order-rnn")}
    plain, conv = FILTERED
    assert view.counterpart(rows[plain], rows) == conv
    assert view.counterpart(rows[conv], rows) == plain
    assert view.counterpart(rows[conv], {conv: rows[conv]}) is None
    assert view.counterpart(rows["asset-order-rnn"], rows) is None
    found = view.beside(live.open_feed(conv).record)
    assert found["label"] == "with a convolution of 5" and len(found["taps"]) == 5
    assert found["evals"][-1] == [3000, rows[conv].metrics["nmse"]]
    assert view.beside(live.open_feed(plain).record)["taps"] is None
    json.dumps(found, allow_nan=False)


# Runs


@pytest.mark.parametrize("spec", [
    LinearSpec(**SMALL, permutation="reverse", filter=(0.5, 0.5), conv=2),
    LinearSpec(**SMALL, model="rnn", hidden=3), amended(ALTERED_COUPLING, **SMALL, positions=2),
], ids=["transformer", "rnn", "coupling"])  # fmt: skip
def test_a_run_of_the_store_is_shown(spec):
    row = trained(spec)
    at = opened("order", run=row.run)
    assert spec_of(at) == spec and not at.warning and row.spec_id in texts_of_code(at)
    feed = live.open_feed(row.run)
    header, _ = unpack(feed.scene())
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
    assert "Rank 2 → 3" in texts(ran(at))
    at.slider(key="mixing c").set_value(1.0)
    assert "Rank 2 → 2" in texts(ran(at))
    at.slider(key="mixing c").set_value(0.9)
    assert "Rank 2 → 3" in texts(ran(at))
    at.segmented_control(key="mixing of").set_value("mine")
    assert "Not mixed" not in texts(ran(at))
    at.session_state["spec"] = CouplingSpec(left_basis="legendre")
    assert "Not mixed: mixing needs ρ beyond [0, 1]" in texts(ran(at))


def test_the_deconvolution_of_the_facts():
    """Imperfect deconvolution x₂ − .9 x₁ of the example mixed by (1, 1): 1.010, .986, .087."""
    found = mixing.spectrum(None, 1.0, 1.0, 0.9, 1.0)
    np.testing.assert_allclose(found.sigma(), [1.010, 0.986, 0.087], atol=2e-3)
    tails = mixing.tails_table(mixing.spectrum(None, 0, 1, 0, 1), found)
    raw = tails[(tails["when"] == "after") & (tails["gauge"] == "raw")].set_index("m")["tail"]
    np.testing.assert_allclose(raw, np.cumsum(found.sigma()[::-1] ** 2)[::-1])
    before = tails[(tails["when"] == "before") & (tails["gauge"] == "raw")].set_index("m")["tail"]
    np.testing.assert_allclose(before, [2.0, 1.0])  # 1 + 2 sin sin: σ = 1, 1


@pytest.mark.parametrize(("factors", "name"), [
    ((1, 1, 0), "ρ(u, u + v)"), ((0, 1, 0), "ρ(u, v)"), ((-1, 0.5, 0), "ρ(u, −u + 0.5·v)"),
    ((1, -1, 0.9), "ρ(u, u − v) seen through v − 0.9·u"), ((0, 0, 0), "ρ(u, 0)"),
    ((2, 1, -1), "ρ(u, 2·u + v) seen through v + u"),
])  # fmt: skip
def test_a_mixture_is_named_as_one_writes_it(factors, name):
    assert mixing.name_of(*factors) == name


def test_every_shipped_run_has_its_place_on_the_page():
    linear = [f"asset-order-{name}" for name in SHIPPED]
    assert list(transport.ASSETS["order"]) == [*linear, COUPLING, *FILTERED]
    assert live.open_feed(COUPLING).record.spec == ALTERED_COUPLING
    for name, spec in {"rnn": LinearSpec(model="rnn"), "transformer": LinearSpec()}.items():
        at = opened("order", spec=compact(spec))
        assert f"train {spec_id(spec)}.json" in texts_of_code(at), name
    assert full_json(PRESETS["order"][1])


def test_the_runs_page_opens_a_run_on_its_own_page():
    pages = {
        "Order": LinearSpec(**SMALL), "Attention": amended(PRESETS["qsa"][1], steps=5),
        "Train": amended(PRESETS["quick"][1], steps=5),
    }  # fmt: skip
    for page, spec in pages.items():
        at = opened("runs", runs=Store().create(spec))
        links = [element.proto.label for element in at.get("page_link")]
        assert f"Open on {page}" in links
