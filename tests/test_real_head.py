"""One head of a real model opened: the shipped example, the reader's own text by a worker, and the
whole model's answers with k terms."""

import json

import numpy as np
import pytest
from pretrained import tiny_smollm2
from stores import worked
from streamlit.testing.v1 import AppTest
from streamlit_pages import report

from explorer.charts import DARK
from explorer.charts.export import export
from explorer.pages.real import answers as real_answers
from explorer.pages.real import chart as charts
from explorer.pages.real import view_head as view
from explorer.pages.real.view_look import Look
from explorer.pretrained import probe, seen
from explorer.pretrained.catalogue import MODELS
from explorer.pretrained.probe import Opened
from explorer.pretrained.tokens import BYTE_NAMES, ByteLevel
from explorer.runs import jobs
from explorer.runs.store import Store
from explorer.ui.pages import PAGES


def opened(said=None, unfolded=False, **looked):
    at = AppTest.from_file("../explorer/ui/shell.py", default_timeout=60)
    if looked:
        at.query_params["real"] = json.dumps(looked)
    at.session_state[f"unfolded {real_answers.SAID}"] = True
    if said:
        at.session_state["opened head"] = report(1, said)
    if unfolded:
        at.session_state["head own"] = True
    at.switch_page(str(PAGES["real"].file)).run()
    assert not at.exception
    return at


def texts(at):
    return " ".join(each.value for each in [*at.markdown, *at.caption, *at.error])


# What is shipped


@pytest.mark.parametrize("name", MODELS)
def test_shipped_heads_are_of_the_models_of_the_catalogue(name):
    model, of = MODELS[name], view.shipped_head(name)
    tokens = len(of.tokens)
    for gauge, change in (("raw", lambda of: of), ("centred", seen.centre)):
        sigma = of.sigma[gauge]
        assert sigma.shape == (model.layers, model.heads, min(tokens, model.width))
        for layer, head in ((0, 1), (model.layers - 1, model.heads - 1)):
            found = np.linalg.svd(change(of.logits(layer, head)), compute_uv=False)
            wanted = sigma[layer, head]
            np.testing.assert_allclose(found[: len(wanted)], wanted, atol=2e-3 * wanted[0])
    for cuts in of.cuts.values():
        own = [result["measure"][0] for result in cuts.values()]
        assert max(own) == min(own) == pytest.approx(of.measure, abs=1e-6)
        assert cuts[24]["measure"][1] < cuts[1]["measure"][1]


def test_the_head_that_opens_looks_back_at_what_came_after_the_same_word():
    found = view.head_view(Look(), view.shipped_head("smollm2"))
    weights = view.attention(found.logits, causal=True)
    assert [found.names[i].strip() for i in (2, 12)] == ["climbed", "keeper"]
    assert weights[12, 2] > 0.7
    np.testing.assert_allclose(weights.sum(1), 1)
    assert not np.triu(weights, 1).any()


# Views


@pytest.mark.parametrize("look", [Look(), Look(model="vit", centred=True, layer=2, head=3)])
def test_a_drawing_holds_the_coupling_and_its_terms(look):
    found = view.head_view(look, view.shipped_head(look.model))
    header, arrays = view.head_drawing(found, 3)
    assert (header["k"], header["causal"]) == (3, look.model == "smollm2")
    assert header["patches"] == (8 if look.model == "vit" else 0)
    whole = arrays["phi"] * arrays["sigma"] @ arrays["psi"].T
    np.testing.assert_allclose(whole, arrays["logits"], atol=1e-2)  # as int16, beyond the width
    means = arrays["logits"].mean(1)
    assert (np.abs(means).max() < 1e-9) == look.centred
    table = view.map_table(found, 3)
    tokens = len(found.names)
    np.testing.assert_allclose(table["kept"].to_numpy().reshape(tokens, tokens).sum(1), 1)
    assert len(view.terms_table(found)) == 8 * tokens


def test_the_mask_is_told_by_two_measured_numbers():
    """A constant coupling has one term; under a mask it is the triangle that costs."""
    sentence = view.mask_sentence(np.ones((26, 26)))
    triangle = np.linalg.svd(np.tril(np.ones((26, 26))), compute_uv=False)
    energy = np.cumsum(triangle**2) / np.sum(triangle**2)
    needed = int((energy < 0.99).sum()) + 1
    assert "and 99 % of the whole matrix is in 1 term;" in sentence
    assert sentence.count(f"take {needed}.") == 1 and f"takes {needed}." in sentence


@pytest.mark.parametrize(
    ("model", "measure", "wanted"),
    [
        ("smollm2", [30.0, 31.0], "31.0 instead of 30.0, as good as whole; the same token"),
        ("smollm2", [30.0, 90.0], "worse"),
        ("minilm", [0.0, 0.001], "as good as whole"),
        ("vit", [0.0, 0.2], "not what it was"),
    ],
)
def test_answers_are_said_by_their_numbers(model, measure, wanted):
    result = {"rows": [["a", 0.5, 0.6], ["b", 0.4, 0.1]], "measure": measure}
    assert wanted in view.answer_sentence(Look(model=model), 4, result)
    swapped = {"rows": [["a", 0.5, 0.1], ["b", 0.4, 0.6]], "measure": [30.0, 31.0]}
    assert "another token" in view.answer_sentence(Look(), 4, swapped)


def test_what_is_cut_is_what_is_chosen():
    look = Look(layer=3, head=2, k=5)
    for cut, wanted in (("all", (None, None)), ("layer", (2, None)), ("head", (2, 1))):
        cutting = view.cutting_of(look.model_copy(update={"cut": cut}), 5)
        assert (cutting.layer, cutting.head, cutting.k) == (*wanted, 5)


def test_figures_are_drawn():
    found = view.head_view(Look(), view.shipped_head("smollm2"))
    result = {"rows": [["a", 0.5, 0.6], ["\n", 0.4, 0.1]], "measure": [30.0, 31.0]}
    for chart in (
        charts.maps_chart(view.map_table(found, 2), DARK),
        charts.terms_chart(view.terms_table(found), DARK),
        charts.answers_chart(view.answer_table(result), "probability", DARK),
    ):
        assert b"NaN" not in export(chart, "svg", title="t", footer="f")


# The page without a model


def test_the_page_opens_on_the_example_and_its_answers():
    at = opened()
    assert "Layer 18, head 6" in texts(at) and "Shown: the example text." in texts(at)
    assert "With k = 16 terms of all heads the perplexity" in texts(at)
    assert "fetch the model" in texts(at) and not jobs.waiting(Store())


def test_a_kept_k_goes_into_the_address_and_the_answer():
    at = opened({"k": 3})
    assert json.loads("".join(at.query_params["real"])) == {"k": 3}
    assert "With k = 2 terms of all heads" in texts(at), "the greatest that was tried"
    at.segmented_control(key="head cut").set_value("head").run()
    assert "needs the model" in texts(at)
    for said in ({"k": 0}, {"k": "x"}, {"b": 1}):
        assert "real" not in opened(said).query_params


@pytest.mark.parametrize("text", ['{"k":0}', '{"cut":"tail"}', '{"picture":"../x"}', '{"text":""}'])
def test_a_bad_choice_is_said(text):
    at = AppTest.from_file("../explorer/ui/shell.py", default_timeout=60)
    at.query_params["real"] = text
    at.switch_page(str(PAGES["real"].file)).run()
    assert not at.exception and at.warning


# With a model


@pytest.fixture
def model_here(monkeypatch):
    folder = Store().home / "models" / MODELS["smollm2"].folder
    folder.mkdir(parents=True)
    (folder / "model.json").write_text("{}")
    of = Opened("smollm2", "token", tiny_smollm2(vocabulary=256), {}, ByteLevel(BYTE_NAMES, []))
    monkeypatch.setattr(probe, "open_model", lambda *_: of)
    probe._whole.cache_clear()
    yield
    probe._whole.cache_clear()


def test_an_own_text_is_looked_at_and_cut_by_a_worker(model_here):
    own = {"layer": 1, "head": 2, "text": "abba cad, a cab"}
    at = opened(**own)
    assert "Shown: your text." in texts(at) and "Waiting for a free worker" in texts(at)
    assert worked().kind == "look"
    at.run()
    assert "Layer 1, head 2." in texts(at) and "On 15 tokens 99 %" in texts(at)
    done = worked()
    assert (done.kind, done.status) == ("cut", "finished")
    at.run()
    assert "With k = 15 terms of all heads the perplexity" in texts(at)
    at.button(key="head example").click().run()
    assert "Shown: the example text." in texts(at)


def test_a_choice_that_has_gone_with_its_head_changes_nothing(monkeypatch):
    """The browser tells None of a control that is drawn no more."""
    changed = []
    monkeypatch.setattr(real_answers, "change", lambda **changes: changed.append(changes))
    for cut in (None, "layer"):
        monkeypatch.setattr(real_answers.st, "session_state", {"head cut": cut})
        real_answers._cut_chosen()
    assert changed == [{"cut": "layer"}]


def test_only_the_newest_wish_is_worked_on(model_here):
    at = opened(unfolded=True, text="abba", layer=1, head=1)
    first = jobs.waiting(Store())
    at.text_area(key="head text").set_value("cab a").run()
    second = jobs.waiting(Store())
    assert len(first) == len(second) == 1 and first != second
    assert json.loads("".join(at.query_params["real"]))["text"] == "cab a"


def test_a_wish_that_was_let_go_is_worked_on_once_it_is_the_newest_again(model_here):
    at, store = opened(unfolded=True, text="abba", layer=1, head=1), Store()
    job, lock = jobs.claim(store)
    at.text_area(key="head text").set_value("cab a").run()
    at.text_area(key="head text").set_value("abba").run()
    assert jobs.stopped(store, job.job), "its worker is told before it is wished for again"
    jobs.end(store, job.job, "stopped")
    lock.release()
    at.run()
    assert jobs.waiting(store) == [job.job] and not at.error


def test_what_fails_is_said_and_can_be_tried_again(model_here):
    at = opened(text="a", layer=1, head=1)
    assert worked().status == "failed"
    at.run()
    assert "single token" in at.error[0].value and not jobs.waiting(Store())
    at.button(key="again look").click().run()
    assert len(jobs.waiting(Store())) == 1 and not at.error
