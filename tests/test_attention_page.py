"""The Attention page through AppTest: it opens finished, takes boards, trains, and survives."""

import json
import re
import shutil
from dataclasses import replace

import numpy as np
import pytest
from streamlit_pages import app, button, opened, ran, report, run_in, sentences, turned

from explorer.folder import resource
from explorer.pages.attention import view
from explorer.pages.attention import view_board as boards
from explorer.pages.attention import view_without_aux as pairs
from explorer.pages.attention.view_head import Head
from explorer.runs import weights
from explorer.runs.archive import import_
from explorer.runs.execute import execute
from explorer.runs.frames import unpack
from explorer.runs.store import Store
from explorer.spec import TaskSpec, amended, compact, spec_id
from explorer.targets import PRESETS, TASKS, evaluation_inputs, parse, task_of
from explorer.ui import live
from explorer.ui.pages import PAGES

pytestmark = pytest.mark.usefixtures("one_thread")

SMALL = {"n": 8, "d_v": 3, "m_ff": 12, "batch": 6, "steps": 20, "warmup": 5, "m_h": 3}
HEADS = {name: head for kind in TASKS.values() for name, head in kind.page.shipped.items()}
KEYS = {"spec": "spec of attention"}


def shipped(name):
    file = resource("assets") / f"attention-{name}.zip"
    record = live.open_stream(f"asset-attention-{name}").record
    return record, Head(record.spec, weights.of_archive(file))


def spec_of(at):
    return at.session_state[KEYS["spec"]]


def small(target="nearest", **changes):
    return amended(PRESETS[target][1], **(SMALL | changes))


# What is shipped


@pytest.mark.parametrize("name", HEADS)
def test_a_shipped_head_answers_as_its_run_says(name):
    """Errors of the parameters in the archive, computed by numpy, against the run's metrics."""
    record, head = shipped(name)
    task, metrics = task_of(head.spec), record.row.metrics
    x = task.inputs(evaluation_inputs(1024, task.n_uniform))
    predicted, attention = head.respond(x)
    mse = np.mean((predicted - task.answer(x)) ** 2)
    assert mse == pytest.approx(metrics["mse"], rel=0.5)
    missed = np.abs(attention - task.attention(x)).mean()
    assert missed == pytest.approx(metrics["attention_error"], rel=0.1)
    assert record.row.status == "finished" and record.spec.aux == PRESETS[HEADS[name].preset][1].aux


def test_shipped_heads_reach_the_reference():
    """The final columns of an independent implementation: MSE, A error, agreement, value error."""
    reference = {
        "nearest": (4.5e-4, 0.0086, 0.991, 1e-6),
        "cog": (1.3e-5, 0.0015, 0.988, 1.5e-6),
        "qsa": (1.1e-5, 0.0030, 1.0, 1.3e-5),
    }
    for name, (mse, missed, agreement, value) in reference.items():
        metrics = shipped(name)[0].row.metrics
        assert metrics["mse"] <= mse and metrics["attention_error"] <= missed
        assert metrics["agreement"] >= agreement and metrics["value_error"] <= value


def test_a_right_fit_with_wrong_weights_is_found_out_by_shuffling():
    right, wrong = (view.exchange(shipped(name)[1]) for name in ("cog", "cog-adam-plain"))
    assert right.follows > 0.998 and abs(right.carried) < 0.2
    assert wrong.follows < 0.6 and abs(wrong.carried) > 0.5
    assert shipped("cog-adam-plain")[0].row.metrics["r2"] > 0.98
    assert shipped("cog-adam-plain")[0].row.metrics["agreement"] < 0.8
    for name in ("nearest", "qsa", "nearest-plain", "cog-plain"):
        assert view.exchange(shipped(name)[1]).follows > 0.96, name
    assert 0.85 < view.exchange(shipped("cog-adam")[1]).follows < 0.95, "nearly, with aux"


def test_the_plateau_of_nearest_without_aux_is_that_of_its_own_value():
    """E[y | u] leaves an MSE of about .025; with aux there is no such plateau."""
    record = shipped("nearest-plain")[0]
    found = view.plateau(record)
    assert found.mse == pytest.approx(0.025, rel=0.3) and found.agreement < 0.5
    assert found.until > 300 and record.row.metrics["agreement"] > 0.97
    assert view.plateau(shipped("nearest")[0]).until < found.until / 3


def test_at_a_low_temperature_the_nearest_point_is_hit_exactly():
    """Prop. B.1(2): at the hard-max the answer is the value of one token, as far as F̂∘W_V∘f̂ is
    the identity; the flat softmax is the negative control."""
    _, head = shipped("nearest")
    x = boards.tokens(head.spec, boards.example(head.spec).board)
    task = task_of(head.spec)
    gaps = [np.abs(head.respond(x, t)[0] - task.answer(x)).max() for t in (10.0, 1.0, 0.0)]
    assert gaps[0] > 0.1 and gaps[2] < 5e-3 and gaps[2] <= gaps[1]


# The page


@pytest.mark.parametrize("target", TASKS)
def test_the_page_opens_on_a_finished_head(target):
    at = opened("attention", spec=compact(PRESETS[target][1]))
    assert at.subheader[0].value == PAGES["attention"].question
    assert "example, 20" in sentences(at) and "R²" in sentences(at)
    assert "Shuffling, on 256 fixed sequences" in sentences(at)
    assert spec_of(at) == PRESETS[target][1] and not at.warning
    assert at.session_state["view of attention"] == view.to_json(boards.example(spec_of(at)))


@pytest.mark.parametrize("name", ["nearest", "nearest-plain", "cog", "qsa"])
def test_the_verdict_has_one_number_and_the_others_have_their_names(name):
    """Of a head that looks elsewhere, too, however well it answers."""
    row = shipped(name)[0].row
    said = view.verdict(row)
    assert re.findall(r"[\d.]+", said.rstrip(".")) == [f"{100 * row.outcome['agreement']:.1f}"]
    assert len(said) < 80
    named = view.facts(row)
    assert named["R²"] == f"{row.outcome['r2']:.4f}" and named["steps"].startswith(f"{row.steps},")
    assert ("of prediction tokens" in named) == (name == "cog")
    waiting = replace(row, status="running", step=3, metrics=None)
    assert view.verdict(waiting) == f"This head is running at step 3 of {row.steps}."
    assert list(view.facts(waiting)) == ["m_h"] and view.facts(waiting)["m_h"] == named["m_h"]


def test_a_bare_address_opens_the_nearest_point():
    at = opened("attention")
    assert spec_of(at) == PRESETS["nearest"][1] and "spec" not in at.query_params
    assert "your settings: " not in sentences(at), "it was trained for longer, no more"
    assert "rank 3 is left (σ = 0.167, 0.167, 0.105): so m_h = 3 is enough" in sentences(at)


def test_the_task_is_chosen_and_every_control_changes_the_specification():
    at = opened("attention")
    for target in ("cog", "qsa"):
        at.segmented_control(key="task").set_value(target)
        assert spec_of(ran(at)) == PRESETS[target][1]
    at.number_input(key="field k of attention").set_value(2)
    at.slider(key="field m_h of attention").set_value(5)
    at.toggle(key="field aux of attention").set_value(False)
    spec = spec_of(ran(at))
    assert (spec.k, spec.m_h, spec.aux) == (2, 5, False)
    assert parse("".join(at.query_params["spec"])) == spec
    said = sentences(at)
    (line,) = (line for line in said.split("\n") if "your settings: " in line)
    assert "**m\\_h = 5" in line and line.endswith("k = 2**")


def test_what_does_not_fit_is_refused_and_the_page_goes_on():
    at = opened("attention", spec=compact(PRESETS["cog"][1]))
    at.number_input(key="field segments of attention").set_value(6)
    ran(at)
    assert "need tau of at least 18, got 10" in at.warning[0].value and spec_of(at).segments == 3
    at.number_input(key="field segments of attention").set_value(2)
    assert spec_of(ran(at)).segments == 2 and not at.warning


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"target":"qsa","tau":99}', "tau = 99"),
        ('{"target":"cog","segments":9}', "segments"),
        ('{"target":"nearest","k":3}', "k"),
        ("{", "JSON"),
        ('{"target":"moon"}', "moon"),
    ],
)
def test_a_broken_link_says_why_and_opens(text, words):
    at = opened("attention", spec=text)
    assert words in at.warning[0].value and isinstance(spec_of(at), TaskSpec)


def test_couplings_and_tasks_have_their_own_address():
    """What the Attention page holds is not carried to the pages of couplings, and comes back."""
    at = opened("train", spec=compact(amended(PRESETS["train"][1], m_h=5)))
    at = turned(at, "attention")
    assert spec_of(at) == PRESETS["nearest"][1] and not at.warning
    at.slider(key="field m_h of attention").set_value(7)
    ran(at)
    at = turned(at, "train")
    assert at.session_state["spec"].m_h == 5 and not at.warning
    at = turned(at, "attention")
    assert spec_of(at).m_h == 7


# Boards


def link_of(spec, **changes):
    values = view.to_json(boards.example(spec))
    values["board"] |= {k: changes.pop(k) for k in list(changes) if k in values["board"]}
    values["settings"] |= {k: changes.pop(k) for k in list(changes) if k in values["settings"]}
    return json.dumps(values | changes)


def test_a_board_comes_by_its_link():
    spec = PRESETS["qsa"][1]
    indices = [[7, 7, 7], *boards.example(spec).board.indices[1:]]
    link = link_of(spec, indices=indices, temperature=0.1, row=0)
    at = opened("attention", spec=compact(spec), view=link)
    held = at.session_state["view of attention"]
    assert held["board"]["indices"][0] == [7, 7, 7] and held["settings"]["temperature"] == 0.1
    assert held["row"] == 0 and "".join(at.query_params["view"]) == link


def test_what_is_let_go_on_the_board_is_taken_once_and_is_in_the_link():
    spec = PRESETS["qsa"][1]
    at = opened("attention", spec=compact(spec))
    moved = json.loads(link_of(spec, temperature=0.1, row=0))
    at.session_state["attention picture"] = report(4, moved)
    assert ran(at).session_state["view of attention"]["settings"]["temperature"] == 0.1
    assert json.loads("".join(at.query_params["view"]))["row"] == 0
    at.session_state["view of attention"]["row"] = 2
    assert ran(at).session_state["view of attention"]["row"] == 2, "not taken again"


BROKEN_BOARDS = {
    "{": "it is no JSON",
    "[]": "must be a JSON object",
    "3": "must be a JSON object",
    '{"board":{}}': "board.points: Field required",
    '{"board":{"points":[[NaN,0]]}}': "points: 2 coordinates|points: 12 are needed, got 1",
    '{"board":{"points":[[1e999,0]]}}': "points: 12 are needed, got 1",
    "[" * 3000: "nested too deeply",
    "1" * 5000: "5000 characters, at most 4000 are read",
    '{"k":1}': "board: Field required",
    '{"board":{"points":[]},"row":9}': "12 are needed, got 0",
    '{"![x](https://example.org)":1,"board":{"points":[]}}': "unknown field",
}


@pytest.mark.parametrize("text", BROKEN_BOARDS)
def test_a_broken_board_of_a_link_is_the_example_and_says_what_is_wrong(text):
    at = opened("attention", view=text)
    assert at.session_state["view of attention"] == view.to_json(
        boards.example(PRESETS["nearest"][1])
    )
    said = [w.value for w in at.warning if "The board in the link is not taken" in w.value]
    assert len(said) == 1 and "The example of this task stands in its place" in said[0]
    unescaped = said[0].replace("\\", "")
    assert any(words in unescaped for words in BROKEN_BOARDS[text].split("|")), said
    assert "![x](" not in said[0], "nothing of a link is Markdown"


def test_a_board_of_another_task_is_refused_until_something_is_moved():
    spec = PRESETS["qsa"][1]
    at = opened("attention", spec=compact(spec), view=link_of(PRESETS["nearest"][1]))
    assert "The board in the link is not taken" in at.warning[0].value
    moved = json.loads(link_of(spec, temperature=0.1))
    at.session_state["attention picture"] = report(1, moved)
    assert not ran(at).warning
    assert json.loads("".join(at.query_params["view"]))["settings"]["temperature"] == 0.1


def test_no_board_in_the_link_says_nothing():
    assert not opened("attention").warning and not opened("attention", view="").warning


def test_the_drawing_answers_a_board_as_the_head_does():
    _, head = shipped("cog")
    state = view.to_json(boards.example(head.spec))
    header, arrays = view.drawing(head.spec, head, state, {"push": "/x"})
    predicted, attention = head.respond(task_of(head.spec).example().round(4))
    np.testing.assert_allclose(arrays["attention"], attention, atol=1e-12)
    np.testing.assert_allclose(arrays["predicted"], predicted, atol=1e-12)
    assert header["refused"] == "" and header["task"]["segments"] == 3
    json.dumps(header, allow_nan=False)


# Runs


def test_a_head_whose_n_is_below_m_h_is_shown():
    """Its e^λ W_QᵀW_K has n singular values, fewer than W_Q has rows."""
    store = Store()
    with store.start(small("cog", n=4, m_h=16), "cpu") as lease:
        run = execute(store, lease.row).run
    head = Head(store.get(run).spec, weights.of_run(store, run))
    assert len(view.cuts(head)) == 4 and head.cut(16).weights["W_Q"].shape == (4, 4)
    assert f"of {4} on;" in view.cut(head)
    opened("attention", run=run)


def test_no_solution_is_said_to_be_found_by_a_head_that_looks_elsewhere():
    plain = view.cut(shipped("cog-adam-plain")[1])
    assert "is enough." in plain and "training has found" not in plain
    assert "training has found one of rank" in view.cut(shipped("cog")[1])


def test_prediction_tokens_must_look_right_too():
    """The head keeps what points do; what only asks looks at the token before it."""
    head = shipped("cog")[1]

    class Elsewhere(Head):
        def attend(self, x, temperature=1.0):
            asks = task_of(self.spec).has_value(x) != 1
            return np.where(asks[..., None], np.roll(np.eye(x.shape[-2]), -1, 1), super().attend(x))

    assert view.exchange(head).follows > view.FOLLOWS
    assert view.exchange(Elsewhere(head.spec, head.weights)).follows < view.FOLLOWS


@pytest.mark.parametrize("target", TASKS)
def test_a_run_of_the_store_is_shown_by_its_checkpoint(target):
    store = Store()
    with store.start(small(target), "cpu") as lease:
        row = execute(store, lease.row)
    at = opened("attention", run=row.run)
    assert spec_of(at) == row.spec and not at.warning
    assert f"steps: **{row.steps}, one seed**" in sentences(at)
    _, arrays = unpack(store.live(row.run)[1])
    assert {"metric_agreement", "eval_nmse", "weights.W_Q"} <= set(arrays)
    assert len(arrays["metric_agreement"]) == len(arrays["eval_step"])
    np.testing.assert_array_equal(arrays["weights.W_Q"], weights.of_run(store, row.run)["W_Q"])
    feed = live.open_stream(row.run)
    drawing, _ = unpack(feed.drawing())
    assert (
        drawing["steps"] == row.steps
        and drawing["expected_rank"] == task_of(row.spec).sufficient_width
    )
    _, history = unpack(feed.history())
    assert history["metric_value_error"].shape == history["eval_step"].shape


def test_train_starts_a_run_of_the_settings():
    at = opened("attention", spec=compact(small("qsa")))
    button(at, "Train").click()
    run = run_in(ran(at))
    assert run == f"{spec_id(small('qsa'))}-1" and Store().get(run).status == "queued"
    at = turned(at, "train")
    assert "run" not in at.query_params


def test_a_run_of_a_coupling_is_sent_to_its_page():
    store = Store()
    run = store.create(PRESETS["quick"][1])
    at = opened("attention", run=run)
    assert "belongs to the Train page: it learns a coupling" in at.info[0].value


def test_an_unknown_run_is_said():
    at = opened("attention", run="0123456789ab-1", spec=compact(small()))
    assert "is not in this store" in at.warning[0].value


def damaged(tmp_path, change):
    """A run of the store whose checkpoint file was changed behind its back."""
    store = Store()
    with store.start(small(), "cpu") as lease:
        row = execute(store, lease.row)
    file = store.folder(row.run) / row.checkpoint
    change(file)
    return row.run


def test_a_damaged_checkpoint_is_said_and_the_page_goes_on(tmp_path):
    for change in (
        lambda file: file.write_bytes(file.read_bytes()[:100]),
        lambda file: file.unlink(),
        lambda file: file.write_bytes(b"\x80\x04."),
    ):
        at = opened("attention", run=damaged(tmp_path, change))
        assert "The parameters of this run cannot be shown" in at.warning[0].value


def test_a_checkpoint_of_another_shape_is_said(tmp_path):
    store = Store()
    with store.start(small(m_h=2), "cpu") as lease:
        other = execute(store, lease.row)
    donor = store.folder(other.run) / other.checkpoint
    run = damaged(tmp_path, lambda file: shutil.copy(donor, file))
    at = opened("attention", run=run)
    said = at.warning[0].value.replace("\\", "")
    assert "must be float32 [1, 3, 8], found float32 [1, 2, 8]" in said


def test_a_shipped_archive_is_imported_and_looked_into():
    store = Store()
    run = import_(store, (resource("assets") / "attention-qsa.zip").read_bytes())
    at = opened("attention", run=run)
    assert not at.warning and "Shuffling, on 256" in sentences(at)


def test_the_figures_of_a_run_are_drawn(tmp_path):
    from explorer.charts import LIGHT
    from explorer.pages.attention import figures as task_figures

    record, _ = shipped("nearest")
    found = task_figures.figures(record)
    assert set(found) == {"plane", "graph", "attention", "values", "spectrum", "progress"}
    for build, about in found.values():
        assert build(LIGHT).to_dict()["$schema"] and len(about.table) and about.explain
    first = task_figures.figures(record, 1)
    assert "step 1" in first["attention"][1].footer


def test_every_shipped_run_has_its_place_on_the_page():
    assert PAGES["attention"].shipped == tuple(f"asset-attention-{name}" for name in HEADS)
    said = {"cog-plain": "it looks where it should", "cog-adam-plain": "its weights are not those"}
    for preset, looks in said.items():
        at = ran(app("attention", spec=compact(PRESETS[preset][1])))
        assert looks in sentences(at), preset


def test_what_aux_buys_is_said_with_its_numbers_and_a_head_without_it_is_a_click_away():
    at = opened("attention", spec=compact(PRESETS["cog"][1]))
    table = pairs.shipped()
    for name in ("cog", "cog-adam"):
        assert pairs.sentence(pairs.pair(table, name)) in sentences(at)
    button(at, "Look into a head without it (ADAM)").click()
    assert spec_of(ran(at)) == PRESETS["cog-adam-plain"][1]
    assert "its weights are not those of the task" in sentences(at)


def test_the_shipped_sweeps_are_those_of_the_command_line():
    from explorer.pages.attention import view_tables as tables
    from explorer.targets import SWEEPS

    for name, sweep in tables.WIDTHS.items():
        assert spec_id(tables.shipped_widths(name).sweep) == spec_id(SWEEPS[sweep.preset][1])
