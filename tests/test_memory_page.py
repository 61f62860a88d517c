"""The Memory page: four kinds of memory under the hand, what is known beside them, links."""

import io
import json
import zipfile
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from streamlit_pages import button, drawing_in, opened, ran, run_in, says, sentences

from explorer.charts import LIGHT
from explorer.pages.memory import figures as memory_figures
from explorer.pages.memory import known as memory_known
from explorer.pages.memory import view
from explorer.pages.memory import view_kernels as kernels
from explorer.pages.memory import view_tables as tables
from explorer.pages.memory.view_kinds import VIEWS, view_of
from explorer.runs import sweep_rows
from explorer.runs.store import Store
from explorer.spec import EssentialMemorySpec, amended, compact, spec_id
from explorer.targets import PRESETS, parse_sweep
from explorer.targets.memory.falling import READ, Kernel, rho
from explorer.theory.best_heads import best_heads
from explorer.ui.exports import everything
from explorer.ui.live import open_stream
from explorer.ui.selection import Remembering, parse
from explorer.views.text import number

pytestmark = pytest.mark.usefixtures("one_thread")
JUMPS = PRESETS["memory-jumps"][1]


def spec_in(at):
    return json.loads("".join(at.query_params["spec"]))


def widget(at, key):
    kinds = ("slider", "select_slider", "selectbox", "number_input", "text_input", "toggle")
    return next(each for kind in kinds for each in at.get(kind) if each.key == key)


def moved(at, _):
    """The page after a widget of it was moved."""
    return ran(at)


def test_it_opens_with_two_depths_beside_each_other():
    at = opened("memory")
    assert "2 layers" in says(at) and "1 layer of the same recipe left" in says(at)
    stream = drawing_in(at)[0]["stream"]
    assert stream["run"] == "asset-memory-jumps"
    assert [pin["push"] for pin in stream["pins"]] == ["api/runs/asset-memory-jumps-1/live"]
    assert [pin["label"] for pin in stream["pins"]] == ["L = 1"]
    assert "K-adaptive" in sentences(at) and not at.warning


@pytest.mark.parametrize("kind", VIEWS)
def test_each_kind_opens_by_its_preset_and_says_its_class(kind):
    at = opened("memory")
    moved(at, widget(at, "memory kind").set_value(kind))
    spec = PRESETS[VIEWS[kind].preset][1]
    row = open_stream(drawing_in(at)[0]["stream"]["run"]).row
    assert row.spec == spec, "a run of each is shipped"
    assert VIEWS[kind].kind.title.lower() in sentences(at).lower()
    assert "nMSE" in says(at)


FAR = [
    amended(PRESETS["memory-fixed"][1], tau=128, lags=(1, 60, 120), layers=6),
    amended(JUMPS, tau=128, jumps=3, vocabulary=32, heads=64, layers=6),
    amended(JUMPS, tau=64, jumps=8, vocabulary=4, encoding="t5", dot_product=False),
    amended(PRESETS["memory-induction"][1], vocabulary=32, tau=128, values="normal"),
    EssentialMemorySpec(fall="exponential", time=3.0, tau=128, encoding="log"),
    amended(PRESETS["memory-kernel"][1], exponent=1.5, heads=64),
]


@pytest.mark.parametrize("spec", FAR, ids=lambda spec: f"{spec.target}-{spec.tau}-{spec.heads}")
def test_far_ends_are_drawn_without_a_run_of_their_own(spec):
    at = opened("memory", spec=compact(spec))
    assert not at.warning and not at.error
    assert " · your settings: **" in sentences(at)


BAD = {
    "spec": ['{"target":"adaptive_memory","jumps":99}', "{", '{"target":"moon"}'],
    "view": [
        '{"count":99}',
        "[]",
        '{"fall":"up"}',
        '{"exponent":1e999}',
        '{"exponent":1e300}',
        '{"exponent":-1}',
        '{"time":NaN}',
        '{"time":0}',
        '{"share":true}',
        '{"fall":"formula","formula":"1/0"}',
        '{"fall":"formula","formula":"0 * s"}',
        '{"fall":"formula","formula":"\\ud800"}',
        '{"\\udfff":1}',
        '{"a b":1,"count":3}',
        '{"' + "a" * 99 + '":1}',
        '{"fall":"formula","formula":"s" + "s"}',
        '{"fall":"formula","formula":7}',
        '{"formula":"s' + " + s" * 400 + '"}',
    ],
}


@pytest.mark.parametrize(("param", "text"), [(p, t) for p, ts in BAD.items() for t in ts])
def test_a_bad_link_says_so_and_draws_the_rest(param, text):
    at = opened("memory", **{param: text})
    assert at.warning and drawing_in(at)[0]["stream"]["run"].startswith("asset-memory")


def test_a_specification_of_another_page_waits_there():
    at = opened("memory", spec=compact(PRESETS["train"][1]))
    assert not at.warning and "2 layers" in says(at)


def test_lags_are_counted_and_typed():
    at = opened("memory", spec=compact(PRESETS["memory-fixed"][1]))
    moved(at, widget(at, "memory count").set_value(4))
    assert spec_in(at)["lags"] == [3, 7, 11, 15]
    moved(at, widget(at, "memory lags").set_value("2, 9 100"))
    assert spec_in(at)["lags"] == [2, 9, 100] and spec_in(at)["tau"] == 108
    moved(at, widget(at, "memory lags").set_value("2, moon"))
    assert at.warning and spec_in(at)["lags"] == [2, 9, 100]


def test_a_kernel_is_learned_by_heads_alone_or_by_a_transformer():
    at = opened("memory", spec=compact(PRESETS["memory-kernel"][1]))
    choice = next(each for each in at.get("segmented_control") if each.key == "memory model")
    moved(at, choice.set_value("transformer"))
    assert "model" not in spec_in(at) and "tau" not in spec_in(at)
    choice = next(each for each in at.get("segmented_control") if each.key == "memory model")
    moved(at, choice.set_value("heads"))
    assert spec_in(at)["tau"] == 1000 and spec_in(at)["model"] == "heads"


def test_a_pair_is_trained_and_stands_in_the_address():
    at = opened("memory", spec=compact(amended(JUMPS, steps=300)))
    moved(at, button(at, "Train 1 and 2 layers").click())
    run, pin = run_in(at), "".join(at.query_params["pin"])
    store = Store()
    assert store.get(run).spec == amended(JUMPS, steps=300)
    assert store.get(pin).spec == amended(JUMPS, steps=300, layers=1)
    stream = drawing_in(at)[0]["stream"]
    assert stream["run"] == run and stream["pins"][0]["label"] == "L = 1"
    assert "trained after the run beside it" in says(at)


# What is known


def test_the_kernel_of_a_run_has_its_best_heads():
    spec = amended(PRESETS["memory-kernel"][1], exponent=1.2, encoding="log", heads=2, tau=100)
    assert kernels.best_of_spec(spec).error < 1e-12, "one log head is exact"
    assert kernels.best_of_spec(amended(spec, tau=2, heads=8)).error < 1e-12
    paper = kernels.best_of_spec(amended(PRESETS["memory-kernel"][1], heads=3, encoding="lin"))
    assert paper.error == best_heads(rho(Kernel("power")), 3, "lin").error
    table = kernels.curves(Kernel("power", exponent=1.2), 2)
    assert list(dict.fromkeys(table["of"])) == ["ρ", "2 log heads", "2 lin heads"]


def view_in(at):
    return json.loads("".join(at.query_params["view"]))


def chosen(at, key):
    return next(each for each in at.get("segmented_control") if each.key == key)


def test_any_kernel_has_its_best_heads_and_stands_in_the_address():
    at = opened("memory")
    moved(at, chosen(at, "picture fall").set_value("mixture"))
    moved(at, widget(at, "picture share").set_value(0.25))
    moved(at, widget(at, "picture time").set_value(50.0))
    moved(at, widget(at, "picture count").set_value(3))
    assert view_in(at) == {"fall": "mixture", "share": 0.25, "time": 50.0, "count": 3}
    kernel = Kernel("mixture", 0.5, 50.0, 0.25)
    left = {of: best_heads(rho(kernel), 3, of).error for of in kernels.ENCODINGS}
    assert f"the best 3 log heads leave {number(left['log'])}" in sentences(at)
    assert f"the best 3 lin heads {number(left['lin'])}" in sentences(at)
    again = opened("memory", view="".join(at.query_params["view"]))
    assert sentences(again) == sentences(at)
    moved(at, chosen(at, "picture fall").set_value("power"))
    assert "Trained by Adam" in sentences(at), "trained beforehand"
    moved(at, widget(at, "picture exponent").set_value(2.0))
    said = sentences(at)
    assert "Trained by Adam" not in said and "many local minima" in said


ENDS = [
    {"exponent": 0.0, "count": 1},
    {"exponent": 8.0, "count": 8},
    {"fall": "exponential", "time": 0.1, "count": 1},
    {"fall": "exponential", "time": 1000.0, "count": 8},
    {"fall": "mixture", "share": 0.0, "exponent": 0.55, "time": 33.3},
    {"fall": "mixture", "share": 1.0},
    {"fall": "formula", "formula": "1"},
    {"fall": "formula", "formula": "exp(s / 100)"},
    {"fall": "formula", "formula": "1e-300 * s"},
    {"fall": "formula", "formula": "where(s == 1000, 1, 0)", "count": 1},
]


@pytest.mark.parametrize("view", ENDS, ids=json.dumps)
def test_a_kernel_at_the_ends_of_its_link_is_drawn_and_stays(view):
    at = opened("memory", view=json.dumps(view))
    assert not at.warning and not at.error
    for name in READ[view.get("fall", "power")]:
        key = "memory formula" if name == "formula" else f"picture {name}"
        assert widget(at, key).value == view.get(name, getattr(Kernel(), name))
    said = sentences(at)
    assert "the best log head leaves" in said or view.get("count") != 1
    assert sentences(ran(at)) == said and view_in(at) == view


def test_the_figures_of_the_page_are_those_of_the_kernel():
    """What "PDF, CSV" brings; a formula as long as one may be has a title that fits a line."""
    long = "s" + " + s" * 240
    for chosen in ({"fall": "mixture", "count": 3}, {"fall": "formula", "formula": long}):
        text = json.dumps(chosen)
        figures = memory_figures.known(JUMPS, parse(text, Remembering)[0])
        kernel = Remembering(**chosen).kernel
        (_, errors), (_, curves) = figures["encodings"], figures["best"]
        pd.testing.assert_frame_equal(
            errors.table.drop(columns="what"), kernels.errors(kernel), check_like=True
        )
        assert kernel.words in curves.title and len(curves.title) < 100
        names = archived(everything({"encodings": figures["encodings"]}))
        assert names == [f"memory-encodings-{chosen['fall']}.{kind}" for kind in ("pdf", "csv")]


def archived(data):
    with zipfile.ZipFile(io.BytesIO(data)) as files:
        return files.namelist()


def test_a_formula_is_a_kernel_or_is_refused_in_its_place():
    at = opened("memory", view=json.dumps({"fall": "formula"}))
    assert "the best 2 log heads leave" in sentences(at)
    moved(at, widget(at, "memory formula").set_value("1/(1 + s/50)^2"))
    assert view_in(at) == {"fall": "formula", "formula": "1/(1 + s/50)**2"}
    before = sentences(at)
    for wrong, why in {
        "1/(s - 7)": "at s = 7",
        "s +": "at the end",
        "0*s": "0 for every s",
        "__import__": "unknown name",
        "exp(s)": "at most",
    }.items():
        moved(at, widget(at, "memory formula").set_value(wrong))
        assert why in sentences(at) and view_in(at)["formula"] == "1/(1 + s/50)**2"
    moved(at, widget(at, "memory formula").set_value("1/(1 + s/50)**2"))
    assert sentences(at) == before


def test_the_number_of_heads_moves_kernel_and_sentence():
    at = opened("memory")
    assert "2 lin heads 0.028" in sentences(at)
    moved(at, widget(at, "picture count").set_value(6))
    assert "6 lin heads 1.2·10⁻⁶" in sentences(at)
    assert json.loads("".join(at.query_params["view"])) == {"count": 6}


def test_the_floor_of_heads_by_distance_is_known_for_them_alone():
    by_distance = {"values": "normal", "encoding": "t5", "dot_product": False, "layer_norm": False}
    spec = amended(JUMPS, jumps=1, layers=1, heads=3, **by_distance)
    assert view_of(spec).least(spec) == (0.25, "1 − H/V")
    for changed in ({"layers": 2}, {"dot_product": True}, {"layer_norm": True}, {"jumps": 2}):
        assert view_of(spec).least(amended(spec, **changed)) == (None, "")


def trained(specs, nmse):
    return [tables.TrainedHead(spec, "0", nmse(spec)) for spec in specs]


def test_own_runs_count_from_five_seeds_of_one_recipe_on():
    rows = trained([amended(JUMPS, seed=seed) for seed in range(5)], lambda spec: 0.01)
    other = trained([amended(JUMPS, seed=seed, lr=0.01) for seed in range(9)], lambda spec: 1.0)
    deeper = trained([amended(JUMPS, seed=seed, layers=3) for seed in range(2)], lambda spec: 0.5)
    found = tables.own(JUMPS, [*rows, *other, *deeper], "layers")
    assert sorted(found.table["seed"]) == [0, 1, 2, 3, 4] and not found.note
    few = tables.own(JUMPS, [*rows[:3], *rows[:3]], "layers")
    assert few.table.empty and few.note == "3 of 5 seeds"


def swept(errors, **changes):
    """The store with a sweep over depth and seeds, its rows made up; None of what diverged."""
    sweep = parse_sweep(JUMPS.model_dump() | {"layers": [1, 2], "seed": [*range(5)]} | changes)
    store = Store()
    rows = [
        {"spec_id": spec_id(member), "nmse": errors(member), "status": "finished"}
        for member in sweep.members()
    ]
    sweep_rows.insert(store, sweep_rows.register(store, sweep), rows)


def test_rows_of_own_sweeps_count_by_equal_recipe():
    swept(lambda spec: 0.4 if spec.layers == 1 else 1e-3)
    swept(lambda spec: 0.9, steps=777)
    swept(lambda spec: None, heads=[2], layers=[3])
    found = opened("memory", spec=compact(JUMPS))
    _, about = memory_figures.depth(tables.own(JUMPS, memory_known._trained(JUMPS), "layers").table)
    assert sorted(about.table["layers"]) == [1] * 5 + [2] * 5
    assert sorted(set(about.table["nmse"])) == pytest.approx([1e-3, 0.4])
    assert tables.OWN in charts_of(found)
    assert tables.OWN not in charts_of(opened("memory", spec=compact(amended(JUMPS, lr=0.01))))


def charts_of(at):
    return "".join(each.proto.spec for each in at.get("vega_lite_chart"))


def test_a_pair_at_work_is_compared_at_the_last_step_of_both():
    def record(status, step, spec, steps, errors):
        row = SimpleNamespace(status=status, step=step, spec=spec, outcome={})
        kept = {"snapshot_steps": np.array(steps), "nmse": np.array(errors)}
        return SimpleNamespace(row=row, **kept)

    shallow = amended(JUMPS, layers=1)
    done = record("finished", 1500, shallow, [1, 100, 300, 1500], [1.0, 0.9, 0.8, 0.7])
    work = record("running", 420, JUMPS, [1, 100, 300], [1.0, 0.5, 0.25])
    said = view.so_far(work, [done])
    assert said == " After 300 steps this run left 0.25, 1 layer of the same recipe 0.80."
    other = record("finished", 1500, amended(shallow, lr=0.01), [1, 300], [1.0, 0.1])
    assert view.so_far(work, [other]) == ""
    assert view.so_far(done, [record("finished", 1500, JUMPS, [1500], [0.1])]) == ""
    assert view.so_far(work, [record("queued", 0, shallow, [], [])]) == ""


def test_figures_of_a_run_are_drawn_and_have_their_data():
    for name in ("jumps", "kernel"):
        record = open_stream(f"asset-memory-{name}").record
        for build, about in memory_figures.of_run(record, None, {}).values():
            assert len(about.table) and build(LIGHT).to_dict()


@pytest.fixture
def deep(monkeypatch, tmp_path):
    """A depth table of made-up errors, in the columns of `reproduce`: at one learning rate some
    seeds get stuck, at the other they err ten times less."""
    lines = ["sweep,of,layers,heads,seed,nmse,mse,best,spec_id,spec"]
    errors = {"two fixed lags": (1e-4, 4e-5), "2 jumps": (0.43, 4e-4), "induction": (0.3, 2e-4)}
    for of, (one, two) in errors.items():
        for seed in range(5):
            for layers, error in ((1, one), (2, two)):
                value = error * (1 + 0.01 * seed)
                lines.append(f'd,{of},{layers},4,{seed},{10 * value},{value},,0,"{{""lr"":0.01}}"')
                lines.append(f"d,{of},{layers},4,{seed},{value},{value},,0,{{}}")
    for heads, error in ((4, 0.3), (8, 0.003)):
        lines += [
            f"{tables.WIDE},2 jumps,1,{heads},{seed},{error * (1 + seed)},{error},,0,{{}}"
            for seed in range(5)
        ]
    (tmp_path / "memory-depth.csv").write_text("\n".join(lines), "utf-8")
    for name in ("heads", "encodings"):
        file = tables.ASSETS / f"memory-{name}.csv"
        (tmp_path / file.name).write_text(file.read_text("utf-8"), "utf-8")
    kept = (tables.shipped, tables.heads, tables.encodings, tables.depth, tables.beside)
    for each in kept:
        each.cache_clear()
    monkeypatch.setattr(tables, "ASSETS", tmp_path)
    yield
    for each in kept:
        each.cache_clear()


def test_the_depth_table_is_drawn_and_said(deep):
    said = sentences(opened("memory"))
    assert "2 jumps, 1 layer 0.43 to 0.45, 2 layers 4.0·10⁻⁴ to 4.2·10⁻⁴" in said
    assert "induction, 1 layer 0.30 to 0.31" in said and "5 seeds" in said
    assert "on distances alone: 4 heads 0.30 to 1.5, 8 heads 0.0030 to 0.015." in said
    found = tables.depth()
    assert len(found) == 30 and set(found["lr"]) == {0.004}
    assert set(found[found["of"] == "two fixed lags"]["jumps"]) == {0}
    for build, _ in (memory_figures.jumps(found), memory_figures.depth(found)):
        assert build(LIGHT).to_dict()


def test_without_a_depth_table_the_page_says_what_makes_it(monkeypatch, tmp_path):
    monkeypatch.setattr(tables, "depth", lambda: None)
    assert "is a table that the command below makes" in sentences(opened("memory"))


@pytest.mark.parametrize(
    "kernel",
    [
        Kernel("exponential", time=300.0),
        Kernel("mixture", share=0.0),
        Kernel("formula"),
        Kernel("formula", formula="where(s == 1, 1, 0)"),
        Kernel("formula", formula="-s"),
    ],
)
def test_figures_of_any_kernel_are_drawn_and_have_their_data(kernel):
    for count in (1, 8):
        for build, about in (
            memory_figures.encodings(kernel, count),
            memory_figures.kernel(kernel, count),
        ):
            assert len(about.table) and build(LIGHT).to_dict() and kernel.words in about.title


def test_heads_that_coincide_are_said_to_be_a_limit():
    """log(s)/s is the derivative of s^−p by p: what two log heads come to, and never are."""
    said = kernels.sentence(Kernel("formula", formula="log(s) / s"), 2)
    assert f"the best 2 log heads leave 0 to rounding{kernels.LIMIT}" in said
    assert kernels.LIMIT not in kernels.sentence(Kernel("power"), 2)


def test_the_papers_own_exponential_tells_the_encodings_hardly_apart():
    left = best_heads(rho(Kernel("exponential", time=0.2)), 1, "log").error
    assert left < 1e-6 < best_heads(rho(Kernel("exponential")), 1, "log").error
    assert number(left) in kernels.papers_own()
    at = opened("memory", view=json.dumps({"fall": "exponential"}))
    assert "which tells the encodings hardly apart" in sentences(at)


def test_the_caption_of_an_error_says_what_is_dashed():
    """A memory has no truncation, and Theorem 4.1 of the other paper says nothing of it."""
    explained = {}
    for name in ("jumps", "kernel"):
        record = open_stream(f"asset-memory-{name}").record
        explained[name] = memory_figures.of_run(record)["error"][1].explain
    for said in explained.values():
        assert "truncation" not in said and "Theorem" not in said
    assert "Dashed: best of 6 heads" in explained["kernel"] and "Dashed" not in explained["jumps"]


@pytest.mark.parametrize(
    ("layer", "beside", "share"), [(1, 1, 0.9), (2, 0, 0.9)], ids=["near the stops", "at the stops"]
)
def test_layers_of_the_shipped_pair_look_as_talk_and_tour_say(layer, beside, share):
    """The last layer looks most at one of both stops of the way, the first one near them."""
    record = open_stream("asset-memory-jumps").record
    _, picture = record.snapshot(int(record.snapshot_steps[-1]))
    weights = np.asarray(picture["attention"]).max(axis=1)  # (layers, τ, τ)
    x = np.asarray(picture["tokens"])[:, :-1].argmax(axis=1) + 1
    once = np.maximum(np.arange(len(x)) - x, 0)
    stops = np.stack([once, once[once]])
    away = np.abs(weights.argmax(axis=-1)[:, None] - stops).min(axis=1)[:, JUMPS.first :]
    assert (away[layer - 1] <= beside).mean() >= share
    assert (away[0] == 0).mean() < 0.9, "the control: the first layer is not at them"


def test_outcomes_of_a_recipe_stand_beside_those_of_the_run_shown():
    """The shipped run is the luckiest of its recipe: how far others come is said with it."""
    others = tables.beside(JUMPS)
    assert len(others) == 5 and len(tables.beside(amended(JUMPS, seed=9))) == 5
    assert tables.beside(amended(JUMPS, lr=0.1)) == ()
    said = tables.trainings(JUMPS, 1e-9)
    assert said == f"6 trainings: 1.0·10⁻⁹ to {number(max(others))}"
    assert said in "".join(
        view._seeds(SimpleNamespace(spec=JUMPS, step=1500, steps=1500, outcome={"nmse": 1e-9}))
    )


@pytest.mark.parametrize("kappa", ["softmax", "scaled", "plain"])
def test_settings_apart_are_named_whatever_they_are(kappa):
    """An old link of heads alone, beside the shipped run that is written in another way."""
    spec = amended(PRESETS["memory-kernel"][1], kappa=kappa, lr=0.01)
    said = sentences(opened("memory", spec=compact(spec)))
    assert " · your settings: **" in said
    assert (f"κ {kappa}" in said) == (kappa != "scaled")
