"""Real attention: shipped spectra and cuts, their page, and a model fetched by a worker."""

import json
import math
from urllib.parse import quote

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import save_file
from stores import worked
from streamlit.testing.v1 import AppTest
from streamlit_pages import report

from explorer.charts import DARK, LIGHT
from explorer.charts.export import export
from explorer.pages.real import chart as charts
from explorer.pages.real import view
from explorer.pages.real.view_drawing import real_drawing
from explorer.pages.real.view_look import Look
from explorer.pages.talk.scenes import Scene, Step, Talk, problems_of
from explorer.pretrained import fetch, spectra_file
from explorer.pretrained.catalogue import MODELS, ModelError
from explorer.runs import job_runner, jobs
from explorer.runs.frames import header_of, pack
from explorer.runs.store import Store
from explorer.ui.pages import PAGES
from explorer.ui.shown import SHOWN


def opened(**look):
    at = AppTest.from_file("../explorer/ui/shell.py", default_timeout=60)
    if look:
        at.query_params["real"] = json.dumps(look)
    at.switch_page(str(PAGES["real"].file)).run()
    assert not at.exception
    return at


def verdict(at):
    return at.info[0].value


def choice(at, label):
    """In the sidebar."""
    return next(each for each in at.sidebar.selectbox if each.label == label)


# What is shipped


@given(st.floats(0, 1))
def test_a_kept_singular_value_is_within_its_step(sigma):
    back = float(spectra_file.decoded(spectra_file.encoded(np.array([sigma])))[0])
    if sigma > 10**-5.1:
        assert abs(math.log10(back / sigma)) <= 0.5 / spectra_file.STEPS + 1e-9
    else:
        assert back <= 10 ** (-5.1 + 0.5 / spectra_file.STEPS)


def test_spectra_come_back_and_what_is_none_is_refused():
    drawn = np.random.default_rng(0)
    values = [np.sort(drawn.random(shape))[..., ::-1] for shape in [(2, 3, 4, 5)] * 2 + [(3, 4, 5)]]
    ranks = [drawn.integers(1, 6, shape) for shape in [(2, 3, 4)] * 2 + [(3, 4)]]
    back = spectra_file.unpack(spectra_file.pack({"vit": spectra_file.Spectra(*values, *ranks)}))[
        "vit"
    ]
    np.testing.assert_array_equal(back.raw_rank, ranks[0])
    np.testing.assert_allclose(back.raw, np.maximum(values[0], 10**-5.1), rtol=0.024)
    for data in (b"", b"PK\x03\x04", spectra_file.pack({})[:-4]):
        with pytest.raises(ValueError, match="no spectra"):
            spectra_file.unpack(data)


@pytest.mark.parametrize("name", MODELS)
def test_shipped_numbers_are_of_the_models_of_the_catalogue(name):
    model, of = MODELS[name], view.shipped()[name]
    assert of.raw.shape[1:] == of.centred.shape[1:] == (model.layers, model.heads, model.width)
    assert of.weights.shape == (model.layers, model.heads, model.width)
    for ranks in (of.raw_rank, of.centred_rank, of.weights_rank):
        assert ranks.min() >= 1 and ranks.max() <= model.width
    curve = view.cut_curve(view.shipped_cuts())
    of_model = curve[(curve["model"] == name) & (curve["k"] == model.width)]
    assert list(of_model["gauge"]) == ["raw", "centred"]
    np.testing.assert_allclose(of_model["middle"], of_model["own"], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", MODELS)
def test_shipped_ranks_are_those_of_the_shipped_spectra(name):
    """Counted anew from σ_k in steps of a fiftieth of a decade: within a term or two."""
    of = view.shipped()[name]
    for sigma, ranks in ((of.raw, of.raw_rank), (of.centred, of.centred_rank)):
        energy = sigma**2
        counted = (energy.cumsum(-1) < 0.99 * energy.sum(-1, keepdims=True)).sum(-1) + 1
        assert np.abs(counted - ranks).max() <= 3
        assert np.abs(counted - ranks).mean() <= 0.3


def test_weights_are_nearly_full_rank_and_couplings_are_not():
    table = view.rank_table({"smollm2": view.shipped()["smollm2"]})
    later = table[table["layer"] > 0]
    assert later["weights"].mean() > 40 and later["raw"].mean() < 20
    assert (later.groupby("layer")["weights"].mean() > later.groupby("layer")["raw"].mean()).all()


def test_enough_terms_are_the_first_from_which_all_is_near():
    curve = view.cut_curve(view.shipped_cuts())
    assert view.enough(curve, "smollm2", "raw") == 16
    own = curve[curve["model"] == "smollm2"].assign(middle=[40.0, 30, 40, 30, *[30.0] * 16], own=30)
    assert view.enough(own.assign(gauge="raw").head(10), "smollm2", "raw") == 4


# Figures


@pytest.mark.parametrize("look", [Look(), Look(model="minilm", centred=True, layer=2, head=12)])
def test_figures_are_drawn(look):
    found = view.real_view(look)
    panels = {
        "a": charts.rank_chart(found.layers, DARK),
        "b": charts.cut_chart(found.curve, "error", DARK),
        "c": charts.spectrum_chart(found.spectrum, DARK),
    }
    svg = export(charts.beside(panels), "svg", title="t", footer="f")
    assert b"NaN" not in svg and svg.count(DARK.accent.encode()) >= 3


def test_a_picked_head_has_a_frame():
    found = view.real_view(Look(layer=3, head=2))
    plain = charts.head_map(found.heads, None, 64, LIGHT).to_dict()
    framed = charts.head_map(found.heads, (2, 1), 64, LIGHT).to_dict()
    assert len(plain["layer"]) == 1 and framed["layer"][1]["mark"]["stroke"] == LIGHT.accent
    rows = framed["datasets"][framed["layer"][1]["data"]["name"]]
    assert [(row["layer"], row["head"]) for row in rows] == [(3, 2)]


# The page


def test_the_page_opens_on_shipped_numbers_without_a_model():
    at = opened()
    assert not any(fetch.is_here(Store().models, model) for model in MODELS.values())
    assert "SmolLM2-135M-Instruct (4-bit): 17 of 64 terms hold 99 % of a" in verdict(at)
    told = at.session_state[SHOWN].verdict
    assert "With 16 terms the perplexity of 6 kinds of text rises by 0 to 9 %" in told
    assert any("4 bits (Q4_1), kept as float16" in each.value for each in at.sidebar.caption)


def test_every_choice_stands_in_the_address_and_comes_from_it():
    at = opened()
    choice(at, "model").set_value("vit").run()
    at.toggle(key="real centred").set_value(True).run()
    choice(at, "layer").set_value(3).run()
    choice(at, "head").set_value(2).run()
    look = {"model": "vit", "centred": True, "layer": 3, "head": 2}
    assert json.loads("".join(at.query_params["real"])) == look
    assert verdict(at).startswith("Head 2 of layer 3 holds")
    assert verdict(opened(**look)) == verdict(at)
    choice(at, "head").set_value(0).run()
    assert "DINOv2 ViT-S/14: 7.4 of 64" in verdict(at)


def test_a_head_that_another_model_lacks_is_none_of_it():
    at = opened(model="smollm2", layer=25, head=3)
    assert verdict(at).startswith("Head 3 of layer 25")
    choice(at, "model").set_value("minilm").run()
    assert verdict(at).startswith("MiniLM-L6:") and not at.exception


@pytest.mark.parametrize(
    "text",
    [
        '{"model":"nosuch","layer":"x"}',
        '{"model":"gpt-5"}',
        '{"layer":0}',
        '{"layer":"x"}',
        '{"a":1}',
        "[",
        '{"head":99}',
    ],
)
def test_a_bad_address_is_said_and_the_rest_is_shown(text):
    at = AppTest.from_file("../explorer/ui/shell.py", default_timeout=60)
    at.query_params["real"] = text
    at.switch_page(str(PAGES["real"].file)).run()
    assert not at.exception and "real" in at.warning[0].value
    assert "SmolLM2-135M" in verdict(at)


@pytest.mark.parametrize("name", MODELS)
def test_the_picture_holds_what_is_shipped(name, javascript):
    """The bytes that the browser reads as numbers, beside σ_k as they are kept."""
    of, model = view.shipped()[name], MODELS[name]
    found = view.real_view(Look(model=name, layer=2, head=3, k=5))
    header, arrays = real_drawing(found)
    assert header["look"] == {"centred": False, "one": (1, 2), "k": 5, "words": False}
    data = pack(header, arrays)
    row = 1 + model.heads + 2
    read = javascript(
        "real",
        f"const {{header, arrays}} = c.unpack(Uint8Array.from({list(data)}).buffer);"
        " const all = new c.Couplings(header, arrays);"
        " return [false, true].map((centred) => [null, [1, 2]].map((one) =>"
        " ({...all.ranks(centred, one), ...all.spectrum({centred, one}), row: all.row(one)})))",
    )
    for gauge, (whole, one) in zip(view.GAUGES, read, strict=True):
        sigma = of.raw if gauge == "raw" else of.centred
        assert whole["row"] == 0 and one["row"] == row
        step = 10 ** (0.51 / spectra_file.STEPS) - 1
        np.testing.assert_allclose(one["middle"], np.median(sigma[:, 1, 2], 0), rtol=step)
        np.testing.assert_allclose(whole["high"], sigma.max((0, 1, 2)), rtol=step)
        np.testing.assert_allclose(one["low"], sigma[:, 1, 2].min(0), rtol=step)
        ranks = view.ranks(of, gauge)
        assert one["rank"] == pytest.approx(ranks[:, 1, 2].mean(), rel=1e-6)
        assert whole["rank"] == pytest.approx(ranks.mean(), rel=1e-6)
    np.testing.assert_allclose(one["weights"], of.weights[1, 2], rtol=step)


def test_what_is_chosen_in_the_picture_is_what_the_page_shows():
    at = opened()
    at.session_state["real picture"] = report(3, {"centred": True, "one": [2, 1], "k": 8})
    at.run()
    look = {"centred": True, "layer": 3, "head": 2, "k": 8}
    assert json.loads("".join(at.query_params["real"])) == look
    assert verdict(at).startswith("Head 2 of layer 3")
    header = header_of(at.session_state[SHOWN].data)
    assert header["look"] == {"centred": True, "one": [2, 1], "k": 8, "words": False}


def test_figures_go_home_and_a_scene_names_what_it_cannot_show():
    figures = opened(model="vit").session_state[SHOWN].figures()
    opened_head = ["head maps", "head terms", "answers"]
    assert list(figures) == ["heads", "spectrum", "cut", "layers", *opened_head]
    assert all(about.name.startswith("vit-") for _, about in figures.values())
    assert not scenes_problems('{"model":"vit","layer":3,"head":2,"k":8}')
    assert "model" in scenes_problems('{"model":"gpt-5"}')[0]


def scenes_problems(look):
    step = Step(words="w", panels=("cut",))
    scene = Scene(title="t", address="real", steps=(step.model_copy(),), what_if="k")
    changed = scene.model_copy(update={"address": "real?real=" + quote(look)})
    return problems_of(Talk(title="t", scenes=(changed,)))


# A model fetched by a worker


def unfolded():
    at = AppTest.from_file("../explorer/ui/shell.py", default_timeout=60)
    at.session_state["real models"] = True
    at.switch_page(str(PAGES["real"].file)).run()
    assert not at.exception
    return at


def work(monkeypatch, does):
    """A worker takes the queued job; fetching is replaced."""
    monkeypatch.setattr(fetch, "fetch", does)
    return worked()


def test_a_press_fetches_a_model_in_a_worker(monkeypatch):
    at = unfolded()
    at.button(key="fetch minilm").click().run()
    assert any(each.value == "waiting for a free worker" for each in at.caption)
    seen = []

    def does(folder, model, on_progress):
        seen.append((folder, model.name))
        on_progress(40 * 10**6, 80 * 10**6)
        here = folder / model.folder
        here.mkdir(parents=True)
        (here / "model.json").write_text("{}")
        save_file({"w": np.zeros(3, np.float32)}, here / "weights.safetensors")
        return here

    done = work(monkeypatch, does)
    assert (done.status, done.done, done.total) == ("finished", 40, 80)
    assert seen == [(Store().home / "models", "minilm")]
    at = unfolded()
    assert any("here" in each.value for each in at.markdown)
    assert "fetch minilm" not in {button.key for button in at.button}
    fetch.remove(Store().home / "models", MODELS["minilm"])
    at = unfolded()
    at.button(key="fetch minilm").click().run()
    assert jobs.require(Store(), done.job).status == "queued", "what had been done has gone"


def test_what_fails_is_said_and_can_be_asked_for_again(monkeypatch):
    def does(*_):
        raise ModelError("no network: plug it in")

    at = unfolded()
    at.button(key="fetch vit").click().run()
    assert work(monkeypatch, does).status == "failed"
    at = unfolded()
    assert "plug it in" in at.error[0].value and "Error" not in at.error[0].value
    at.button(key="fetch vit").click().run()
    assert not at.error and any("waiting" in each.value for each in at.caption)


def test_a_fetch_at_work_stops_on_request(monkeypatch):
    at = unfolded()
    at.button(key="fetch vit").click().run()

    def does(folder, model, on_progress):
        jobs.stop(Store(), f"fetch-{model.folder}")
        for done in range(100):
            on_progress(done, 100)
            monkeypatch.setattr(job_runner, "POLL_SECONDS", 0)
        pytest.fail("it went on")

    assert work(monkeypatch, does).status == "stopped"


def test_a_job_at_work_is_not_forgotten():
    store = Store()
    name = jobs.ask(store, "fetch", "vit-0.1.1", "vit")
    jobs.forget(store, name)
    assert jobs.require(store, name).status == "queued"
    jobs.stop(store, name)
    jobs.forget(store, name)
    assert jobs.get(store, name) is None
