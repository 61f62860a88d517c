"""A text in any order: the language model by a worker, what is asked of it, and the page."""

import base64
import json
import re
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from late_browser import LateBrowser
from pretrained import REAL, tiny_smollm2
from streamlit.testing.v1 import AppTest

from explorer.charts import LIGHT
from explorer.charts.export import export
from explorer.folder import resource
from explorer.pages.real import view_order as view
from explorer.pages.real import view_table1 as table1
from explorer.pages.real.chart import orders_chart
from explorer.pages.real.view_look import Look
from explorer.pretrained import example, orders, probe
from explorer.pretrained.attention import observe
from explorer.pretrained.catalogue import MODELS, ModelError
from explorer.pretrained.fetch import is_here
from explorer.pretrained.measure import perplexity
from explorer.pretrained.probe import Opened
from explorer.pretrained.seen import Input, Reordering
from explorer.pretrained.tokens import BYTE_NAMES, ByteLevel
from explorer.runs import archive, job_runner, jobs, reordered
from explorer.runs.resumable import Stopped
from explorer.runs.store import Store
from explorer.spec import spec_id
from explorer.targets.alterations import ORDERS, named_order
from explorer.ui.controls import PAPER
from explorer.ui.pages import PAGES

TEXT = "abba cad, a cab"
N = len(TEXT)


@pytest.fixture
def of(monkeypatch):
    made = Opened("smollm2", "token", tiny_smollm2(vocabulary=256), {}, ByteLevel(BYTE_NAMES, []))
    monkeypatch.setattr(probe, "open_model", lambda *_: made)
    orders._whole.cache_clear()
    yield made
    orders._whole.cache_clear()


def asked(order, seed=0, text=TEXT):
    return Reordering(Input("smollm2", text), order, seed)


DRAWN = tuple(np.random.default_rng(5).permutation(N).tolist())


# The numbers


@pytest.mark.parametrize("order", [*ORDERS, DRAWN, tuple(range(N))])
def test_an_order_changes_what_is_said_and_positions_moved_along_change_it_back(of, order):
    found = orders.reordered(REAL, asked(order))
    what = probe.shown(of, Input("smollm2", TEXT))
    p = list(found["order"])
    assert sorted(p) == list(range(N)) and found["tokens"] == what.tokens
    seen = what.inputs[:, p]
    own, permuted = (float(perplexity(of.model(x), x)[0]) for x in (what.inputs, seen))
    assert found["original"] == pytest.approx(own, rel=1e-4)
    assert found["permuted"] == pytest.approx(permuted, rel=1e-4)
    assert found["moved"] == pytest.approx(found["original"], rel=1e-12) and found["gap"] < 1e-12
    assert (found["permuted"] != pytest.approx(own, rel=1e-3)) == (p != list(range(N)))


def test_a_named_order_is_that_of_the_order_page(of):
    for name, seed in (("block", 0), ("random", 0), ("random", 7)):
        assert orders.reordered(REAL, asked(name, seed))["order"] == named_order(name, N, seed)


@pytest.mark.parametrize(
    ("order", "why"),
    [((1, 0), "2 are there; missing: 2"), (tuple(range(20)), "20 are there; too large: 15")],
)
def test_an_order_of_another_text_is_refused_and_its_tokens_are_told(of, order, why):
    found = orders.reordered(REAL, asked(order))
    assert set(found) == {"tokens", "refused"} and found["tokens"] == tuple(TEXT)
    words = f"there are {N} tokens.*0 to {N - 1} is needed once.*{why}"
    assert re.search(words, found["refused"])
    with pytest.raises(ModelError, match=words):
        asked(order).permutation(N)


def test_a_long_text_is_read_up_to_its_last_token(of):
    """And the order is of what is read."""
    text = "ab" * 100
    assert len(orders.reordered(REAL, asked("reverse", text=text))["order"]) == 96
    assert "there are 96 tokens" in orders.reordered(REAL, asked(DRAWN, text=text))["refused"]


def weights(found):
    half = np.frombuffer(base64.b64decode(found["weights"]), np.float16)
    return half.reshape(N, N).astype(float)


@pytest.mark.parametrize(("layer", "head"), [(0, 0), (1, 3)])
def test_the_attention_told_is_that_of_the_head_on_the_tokens_as_they_are_seen(of, layer, head):
    whole, permuted = (
        observe(of.model, probe.shown(of, Input("smollm2", TEXT)).inputs[:, [*p]])
        for p in (range(N), DRAWN)
    )
    found = orders.reordered(REAL, Reordering(Input("smollm2", TEXT), DRAWN, 0, layer, head))
    now = permuted.attention[layer, 0, head].numpy()
    np.testing.assert_allclose(weights(found), now, atol=6e-4)
    before = whole.attention[layer, 0, head].numpy()[np.ix_(DRAWN, DRAWN)]
    assert found["elsewhere"] == pytest.approx(np.abs(now - before).sum(1).mean() / 2, rel=1e-3)
    plain = Reordering(Input("smollm2", TEXT), "original", 0, layer, head)
    assert orders.reordered(REAL, plain)["elsewhere"] == 0


# The small models


@pytest.mark.parametrize("name", reordered.SHIPPED)
def test_the_shipped_models_are_those_of_the_table(name):
    """Their specification and what they have right in its order, as the CSV has them."""
    whose = next(whose for whose, model in view.MODELS.items() if model == name)
    table = table1.shipped()
    own = table[(table["data"] == view.DATA[whose]) & (table["seed"] == view.SEED)]
    spec, _ = reordered.learned(name)
    at = own.set_index("row")["accuracy"]
    assert spec_id(spec) in set(own["spec_id"])
    metrics = archive.read(resource("assets") / reordered.SHIPPED[name]).row.metrics
    assert metrics["accuracy"] == at[table1.SAME]
    assert metrics["accuracy_original"] == at[table1.ORIGINAL]


def test_number_words_in_an_order():
    """As the table has it, exactly neutral where positions move along, and the order as it is."""
    of = Input("number-words")
    roll, plain, mine = (
        reordered.reordered(Reordering(of, p)) for p in ("roll", "original", (1, 0, *range(2, 8)))
    )
    assert roll["permuted"] == 0 and roll["original"] == plain["permuted"] == 0.9985
    assert 0 < mine["permuted"] < 0.9 and mine["moved"] == mine["original"]
    assert max(each["gap"] for each in (roll, mine)) < 1e-12 and plain["gap"] == 0
    assert plain["says"][0] == plain["says"][1] == mine["says"][0] != mine["says"][1]
    assert plain["tokens"][:2] == ["five", "thousand"] and plain["tokens"][-1] == ""
    none = reordered.reordered(Reordering(of, (1, 0)))
    assert "there are 8 tokens" in none["refused"] and none["tokens"] == plain["tokens"]


def test_an_order_that_nobody_waits_for_ends_between_two_layers(of):
    polls = []

    def poll():
        polls.append(1)
        if len(polls) == 3:
            raise Stopped

    with pytest.raises(Stopped):
        orders.reordered(REAL, asked("roll"), poll)
    assert len(polls) == 3


@pytest.mark.slow
@pytest.mark.parametrize("order", ["block", tuple(np.random.default_rng(3).permutation(26))])
def test_the_real_model_is_neutral_to_positions_moved_along(order):
    if not is_here(REAL, MODELS["smollm2"]):
        pytest.skip("`python -m explorer models fetch smollm2` brings it")
    order = order if isinstance(order, str) else tuple(map(int, order))
    found = orders.reordered(REAL, asked(order, text=example.TEXT))
    assert found["permuted"] > 1.2 * found["original"]
    assert found["moved"] == pytest.approx(found["original"], rel=1e-6) and found["gap"] < 1e-6


# What is asked


def test_what_is_asked_comes_back_and_has_an_id_of_its_own():
    each = [asked("roll"), asked("random"), asked("random", 1), asked((1, 0)), asked((0, 1))]
    assert [Reordering.parse(of.json()) for of in each] == each
    assert len({of.id for of in each}) == len(each)


def test_a_seed_is_that_of_a_random_order_alone():
    one, other = (view.reordering_of(Look(order="roll", order_seed=seed)) for seed in (0, 3))
    assert (
        one == other
        and (one.layer, one.head) == (17, 5)
        and one.shown == Input("smollm2", example.TEXT)
    )
    assert view.reordering_of(Look(order="random", order_seed=3, text=TEXT)).seed == 3
    assert view.reordering_of(Look(model="vit")).shown.model == "smollm2"


@pytest.mark.parametrize("text", ["2 0 1", "2, 0, 1", " 2;0 ;1\n"])
def test_a_list_of_positions_is_read(text):
    assert view.parse_order(text) == (2, 0, 1)


BAD = {
    "": "at least two",
    "0": "at least two",
    "0 0 1": "repeated: 0",
    "1 2 3": "missing: 0; too large: 3",
    "0 1 x": "not 'x'",
    "0 -1": "not '-1'",
    "0 1.5": "not '1.5'",
}


@pytest.mark.parametrize("text", BAD)
def test_what_is_no_order_is_refused(text):
    with pytest.raises(ValueError, match=BAD[text]):
        view.parse_order(text)


def test_words_and_table_have_the_numbers():
    result = {"tokens": ["a", " b"], "order": (1, 0), "gap": 4e-15}
    result |= {"original": 36.51, "permuted": 1453.4, "moved": 36.51, "elsewhere": 0.125}
    sentence = view.order_sentence(asked("random", 3), result)
    for words in (
        "random, seed 3",
        "of 36.51 as",
        "of 1453 in",
        "4.0·10⁻¹⁵ of the largest",
        "12.5 %",
    ):
        assert words in sentence
    assert view.order_named(asked((1, 0))) == "your order"
    assert view.order_named(asked("original")) == "as it is"
    table = view.order_table(asked((1, 0)), result)
    assert table["middle"].tolist() == [36.51, 1453.4, 36.51]
    assert b"NaN" not in export(
        orders_chart(pd.DataFrame(table), LIGHT), "svg", title="", footer=""
    )


# The page


def opened(**looked):
    at = AppTest.from_file("../explorer/ui/shell.py", default_timeout=60)
    at.query_params["real"] = json.dumps(looked)
    at.session_state[f"unfolded {PAPER}"] = True
    at.session_state["unfolded The tokens in an order of your own"] = True
    at.switch_page(str(PAGES["real"].file)).run()
    assert not at.exception
    return at


def words(at):
    return " ".join(each.value for each in [*at.markdown, *at.caption, *at.text, *at.error])


def positions(at):
    return next(each for each in at.text_area if each.label.startswith("positions"))


def named(at):
    return next(each for each in at.segmented_control if each.label == "order")


def work():
    """All that waits, to its end."""
    while jobs.waiting(Store()):
        job, lock = jobs.claim(Store())
        job_runner.run_job(Store(), job, "cpu")
        lock.release()


@pytest.fixture
def here(of):
    folder = Store().home / "models" / MODELS["smollm2"].folder
    folder.mkdir(parents=True)
    (folder / "model.json").write_text("{}")


def test_without_the_model_the_page_says_what_to_fetch():
    at = opened(order=[1, 0])
    assert "answers for any order of any text: fetch it" in words(at)
    assert not jobs.waiting(Store())


def test_orders_are_chosen_typed_and_linked(here):
    at = opened(text=TEXT, layer=1, head=1)
    work()
    at.run()
    work()
    at.run()
    assert f"Order: roll. The text of {N} tokens" in words(at)
    listed = positions(at)
    assert listed.value == " ".join(map(str, named_order("roll", N)))
    listed.set_value(" ".join(map(str, DRAWN))).run()
    assert json.loads("".join(at.query_params["real"]))["order"] == list(DRAWN)
    work()
    at.run()
    assert "Order: your order." in words(at)
    named(at).set_value("random").run()
    at.number_input(key="text order seed").set_value(7).run()
    work()
    at.run()
    assert "7. The text of" in words(at)
    assert not jobs.waiting(Store())


def test_a_bad_list_is_said_beside_it_and_the_last_order_stays(here):
    at = opened(text=TEXT, layer=1, head=1)
    assert positions(at).disabled, "until the tokens are known"
    work()
    at.run()
    positions(at).set_value("0 0 1").run()
    assert "repeated" in at.error[0].value
    assert "order" not in json.loads("".join(at.query_params["real"]))
    assert positions(at).value == "0 0 1", "it stays, to be mended"
    positions(at).set_value("1 0").run()
    work()
    at.run()
    assert any(f"here are {N} tokens" in each.value for each in at.error)
    assert not any(button.label == "Try again" for button in at.button), "it would not help"
    assert positions(at).value == " ".join(map(str, range(N))), "from there it goes on"
    assert not jobs.waiting(Store()), "nobody is asked for what cannot be"


# What the browser says late


LISTED = [*range(1, N), 0]
ACTS = {
    "reverse": lambda at: named(at).set_value("reverse"),
    "block": lambda at: named(at).set_value("block"),
    "a list": lambda at: positions(at).set_value(" ".join(map(str, LISTED))),
}
TAKEN = {"reverse": "reverse", "block": "block", "a list": LISTED}


def order_of(at):
    return json.loads("".join(at.query_params["real"])).get("order", "roll")


@pytest.mark.parametrize("beats", [False, True])
@pytest.mark.parametrize("acts", permutations(ACTS), ids=", ".join)
@pytest.mark.usefixtures("here")
def test_each_order_is_taken_once_and_the_last_one_stays(acts, beats, monkeypatch):
    """One that is chosen by its name, and one that is typed, before an answer to any is here."""
    at = opened(text=TEXT, layer=1, head=1)
    work()
    at.run()
    browser = LateBrowser(at, monkeypatch)
    for act in acts:
        ACTS[act](at)
        browser.says()
        assert order_of(at) == TAKEN[act]
        if beats:
            browser.wakes_a_part()
            assert order_of(at) == TAKEN[act]
    browser.gets_the_answer()
    work()
    at.run()
    last = TAKEN[acts[-1]]
    assert order_of(at) == last and not at.error
    assert named(at).value == (None if last is LISTED else last)
    listed = LISTED if last is LISTED else named_order(last, N)
    assert positions(at).value == " ".join(map(str, listed))


@pytest.mark.usefixtures("here")
def test_what_is_wrong_is_said_of_the_list_that_was_typed_alone(monkeypatch):
    at = opened(text=TEXT, layer=1, head=1)
    work()
    at.run()
    positions(at).set_value("3 3 1").run()
    assert "Each position from 0 to 2 is needed once" in at.error[0].value
    browser = LateBrowser(at, monkeypatch)
    for name in ("reverse", "roll"):  # and back to the order whose list it was
        named(at).set_value(name)
        browser.says()
    browser.gets_the_answer()
    work()
    at.run()
    assert not at.error and positions(at).value.startswith("4 5 6")


@pytest.mark.parametrize("order", [[0, 0], [5, 1], [0], "sideways", [0, 200], 3, list(range(97))])
def test_a_bad_order_in_a_link_is_said(order):
    at = AppTest.from_file("../explorer/ui/shell.py", default_timeout=60)
    at.query_params["real"] = json.dumps({"order": order, "layer": 2})
    at.switch_page(str(PAGES["real"].file)).run()
    assert not at.exception and "order" in at.warning[0].value


def test_short_jobs_have_an_order_among_them():
    jobs.ask(Store(), "order", "x", asked("roll").json())
    assert jobs.waiting(Store(), lane="short") == ["order-x"]
    assert not jobs.waiting(Store(), lane="training")
