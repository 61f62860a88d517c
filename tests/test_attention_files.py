"""What goes home from the Attention page is what is on its screen, to the last number.

The screen is computed by the browser from what the page sends it: here by Node, from the same
bytes. The files are the CSV of every figure that the page exports in the same state.
"""

import io
import json

import numpy as np
import pandas as pd
import pytest
from messages import opened

from explorer.charts import LIGHT
from explorer.charts.export import csv, export
from explorer.folder import resource
from explorer.pages.attention import figures as task_figures
from explorer.pages.attention import view
from explorer.pages.attention import view_board as boards
from explorer.pages.attention.view_head import Head
from explorer.runs import weights
from explorer.runs.execute import execute
from explorer.runs.store import Store
from explorer.spec import amended
from explorer.targets import PRESETS, evaluation_inputs, task_of
from explorer.ui import live

pytestmark = pytest.mark.usefixtures("one_thread")

SMALL = {"n": 8, "d_v": 3, "m_ff": 12, "batch": 6, "steps": 40, "warmup": 5, "m_h": 3}
OTHERS = {
    "nearest d=1": ("nearest", {"d": 1, "tau": 4}),
    "nearest d=3": ("nearest", {"d": 3}),
    "cog d=1": ("cog", {"d": 1, "tau": 6, "segments": 2}),
    "cog d=3": ("cog", {"d": 3}),
    "qsa k=2": ("qsa", {"k": 2, "tau": 5, "d": 1}),
}
"""Runs beside the shipped ones."""
WAYS = {
    "example": {},
    "moved": {"moved": 7},
    "row": {"row": 2},
    "warm": {"temperature": 3.0},
    "hard-max": {"temperature": 0.0, "moved": 3},
    "cut": {"k": 2, "row": 1},
    "off": {"positions": "off"},
    "shuffled": {"order": True},
    "stay": {"order": True, "positions": "stay", "moved": 5},
    "held": {"held": 7, "row": 1},
    "held and all": {"held": 2, "moved": 5, "order": True, "positions": "stay", "k": 2},
    "all": {"order": True, "positions": "stay", "k": 2, "temperature": 0.3, "row": 0, "moved": 1},
    "scrubbed": {"at": 5},
    "scrubbed row": {"at": 9, "row": 3, "k": 1, "temperature": 0.1},
}
"""States of the page: settings, a locked row, another sequence, weights held, a kept step."""


def shipped(name):
    record = live.open_stream(f"asset-attention-{name}").record
    file = resource("assets") / f"attention-{name}.zip"
    return f"asset-attention-{name}", Head(record.spec, weights.of_archive(file))


def trained(name):
    target, changes = OTHERS[name]
    store = Store()
    with store.start(amended(PRESETS[target][1], **(SMALL | changes)), "cpu") as lease:
        row = execute(store, lease.row)
    return row.run, Head(row.spec, weights.of_run(store, row.run))


def state_of(spec, way):
    """A state by `to_json`, as the component reports it."""
    values = view.to_json(boards.example(spec))
    task = task_of(spec)
    for what, name in (("moved", "board"), ("held", "held")):
        if what in way:
            x = task.inputs(evaluation_inputs(way[what] + 1, task.n_uniform))[-1]
            values[name] = boards.input_of(spec, x).model_dump(exclude_none=True)
    own = {name: way[name] for name in ("temperature", "k", "positions") if name in way}
    if way.get("order"):
        own["order"] = np.roll(np.arange(spec.tau), 2)[::-1].tolist()
    values["settings"] |= own
    values["row"] = way.get("row")
    return view.to_json(boards.state_of(spec, values))


def sent(arrays):
    return {n: {"shape": list(a.shape), "values": a.ravel().tolist()} for n, a in arrays.items()}


SCREEN = """
const typed = (arrays) => Object.fromEntries(Object.entries(arrays).map(([n, a]) => [n, { shape: a.shape, values: Float64Array.from(a.values) }]));
const run = c.emptyRun();
for (const { header, arrays, picture } of messages) c.take(run, { header, arrays: typed(arrays), picture: { header: {}, arrays: typed(picture) } });
if (at !== null) run.scrub = at;
const network = c.networkOf(header.net, typed(arrays)), { board, settings, held } = header.board, task = header.task;
const kept = at !== null ? run.kept.get(at) : null, rows = (name) => c.rowsOf(kept[name]).map((row) => [...row]);
const found = kept
  ? Object.fromEntries(["tokens", "ideal", "answer", "attention", "predicted"].map((name) => [name, rows(name)]))
  : c.solve(task, board, network, settings, held);
const shown = c.shownIn(run), metrics = {};
for (const { name } of c.METRICS) metrics[name] = c.metricRows(run, name);
return {
  found, metrics, agreement: c.metricRows(run, "agreement"), sigma: [...shown.sigma_hat.values], kept: kept ? shown.sigma_hat.values.length : settings.k,
  scatter: { values: [...shown.values.values], alone: [...shown.alone.values] },
  heights: task.target === "cog" && task.d === 2 && !kept ? c.overPlane(task, network, c.GRID) : null,
  board: kept ? c.TASKS[task.target].board(task, found.tokens) : board, rank: run.drawing.expected_rank,
};
"""  # noqa: E501


def on_screen(javascript, run, head, state, at):
    """What the browser computes from what the page and the socket send it."""
    feed = live.open_stream(run)
    messages = [feed.drawing(), feed.history(), feed.frame()]
    if at is not None:
        messages.append(feed.picture_at(at))
    received = [opened(message) for message in messages]
    header, arrays = view.drawing(head.spec, head, state, {"push": "/x"})
    return javascript(
        "attention",
        SCREEN,
        header=json.loads(json.dumps(header)),
        arrays=sent(arrays),
        at=at,
        messages=[
            {"header": m.header, "arrays": sent(m.arrays), "picture": sent(m.pictures)}
            for m in received
        ],
    )


def files(run, head, state, at):
    """Every CSV that the page exports, read back, and the footers of their figures."""
    found = task_figures.on_screen(head, state, live.open_stream(run).record, at)
    read = {name: pd.read_csv(io.BytesIO(csv(about.table))) for name, (_, about) in found.items()}
    return read, {name: about.footer for name, (_, about) in found.items()}, found


def matrix(table, name):
    of = table[table["matrix"] == name]
    return of.pivot(index="t", columns="s", values="weight").to_numpy()


def check(javascript, run, head, way):
    spec, at = head.spec, way.get("at")
    record = live.open_stream(run).record
    if at is not None:
        at = int(record.snapshot_steps[at])
    state = state_of(spec, way)
    screen = on_screen(javascript, run, head, state, at)
    read, footers, found = files(run, head, state, at)
    assert set(read) == {"plane", "graph", "attention", "values", "spectrum", "progress"}
    near = {"rtol": 1e-5, "atol": 2e-6}  # a cut head and kept pictures are in single precision

    ideal, learned = (np.array(screen["found"][name]) for name in ("ideal", "attention"))
    np.testing.assert_allclose(matrix(read["attention"], "learned Â"), learned, **near)
    np.testing.assert_allclose(matrix(read["attention"], "ideal A"), ideal, **near)
    np.testing.assert_allclose(matrix(read["attention"], "Â − A"), learned - ideal, **near)

    for name, side in (("learned Â", learned), ("ideal A", ideal)):
        lines = read["graph"][read["graph"]["matrix"] == name]
        drawn = {(row.t, row.s): row.weight for row in lines.itertuples()}
        wanted = {(t, s): side[t, s] for t, s in np.argwhere(side >= 0.02).tolist()}
        clear = {at for at in set(drawn) ^ set(wanted) if abs(side[at] - 0.02) > 1e-5}
        assert not clear, f"{name}: lines {clear} are drawn on one side only"
        for cell in set(drawn) & set(wanted):
            assert drawn[cell] == pytest.approx(wanted[cell], abs=1e-5)

    check_plane(spec, read["plane"], screen, near)
    check_learned(spec, read, screen, near)
    if way.get("row") is not None:
        for name, key in (("attention", "t"), ("graph", "t"), ("plane", "token")):
            assert (read[name]["lit"] == (read[name][key] == way["row"])).all()
            assert f"row t = {way['row']}" in footers[name]
    for footer in footers.values():
        shown_step = record.row.step if at is None else at
        assert f"run {record.row.run} · step {shown_step} of {spec.steps}" in footer
        assert f"seed {spec.seed}" in footer and record.row.spec_id in footer
    return footers, found


def check_plane(spec, table, screen, near):
    board, d = screen["board"], spec.d
    at = [f"x{i + 1}" for i in range(d)]
    found = ("learned Â", "ideal A", "y", "ŷ", "centre by A", "centre by Â")
    points = table[~table["kind"].isin(found)]
    np.testing.assert_allclose(points[at], board["points"], **near)
    if "masses" in board:
        np.testing.assert_allclose(points["mass"], board["masses"], **near)
        assert points["kind"].value_counts(sort=False).tolist() == board["lengths"]
    if "indices" in board:
        assert points["indices"].astype(str).tolist() == [
            " ".join(str(int(i)) for i in sorted(own)) for own in board["indices"]
        ]
    for kind, name in (("y", "answer"), ("ŷ", "predicted")):
        columns = ["value"] if spec.target == "cog" else at
        np.testing.assert_allclose(
            table[table["kind"] == kind][columns], screen["found"][name], **near
        )


def check_learned(spec, read, screen, near):
    values = read["values"]
    if screen["heights"]:
        learned = values[values["map"] != "F∘f"]["value"]
        np.testing.assert_allclose(learned, screen["heights"], **near)
    else:
        np.testing.assert_allclose(values["designed"], screen["scatter"]["values"], **near)
        np.testing.assert_allclose(values["learned"], screen["scatter"]["alone"], **near)
    spectrum = read["spectrum"]
    np.testing.assert_allclose(spectrum["sigma"], screen["sigma"], rtol=2e-4, atol=1e-5)
    assert spectrum["kept"].sum() == (screen["kept"] or len(screen["sigma"]))
    assert screen["rank"] == task_of(spec).sufficient_width
    names = {"nmse": "nMSE", "attention_error": "|Â − A|", "value_error": "F̂∘W_V∘f̂ − F∘f, squared"}
    curves = screen["metrics"] | {"agreement": screen["agreement"]}
    for name, rows in curves.items():
        of = read["progress"][read["progress"]["metric"] == names.get(name, name)]
        of = of[of["value"] > 0]  # the screen draws no 0
        np.testing.assert_allclose(of[["step", "value"]], rows, rtol=1e-6)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["nearest", "cog", "qsa"])
def test_every_file_of_a_shipped_head_is_what_the_screen_shows(name, way, javascript):
    footers, _ = check(javascript, *shipped(name), WAYS[way])
    words = {
        "example": "the example",
        "moved": "the reader's board",
        "warm": "T = 3",
        "hard-max": "the reader's board, hard-max",
        "cut": "cut to k = 2 of",
        "off": "no positions",
        "held": "weights kept of another board, row t = 1",
        "held and all": "weights kept of another board, shuffled",
        "shuffled": "shuffled p = (",
        "stay": "positions stay",
        "scrubbed": "the example",
        "row": "row t = 2",
    }
    assert words.get(way, "row t = ") in footers["attention"]
    assert ("T = 0.1" not in footers["attention"]) or way != "scrubbed row"


@pytest.mark.parametrize("name", OTHERS)
def test_every_file_of_another_size_is_what_the_screen_shows(name, javascript):
    run, head = trained(name)
    for way in ("moved", "all", "scrubbed row"):
        check(javascript, run, head, WAYS[way] | ({"k": 2} if way == "all" else {}))


def test_what_is_not_on_the_screen_is_not_in_the_file(javascript):
    """Negative control: the files of the state before are not those of this one."""
    run, head = shipped("nearest")
    before, after = (state_of(head.spec, WAYS[way]) for way in ("example", "moved"))
    screen = on_screen(javascript, run, head, after, None)
    stale = files(run, head, before, None)[0]["attention"]
    gap = matrix(stale, "learned Â") - np.array(screen["found"]["attention"])
    assert np.abs(gap).max() > 0.5


@pytest.mark.parametrize("name", ["nearest", "cog", "qsa", "nearest d=1", "cog d=1"])
def test_the_pictures_have_legends_and_say_which_run_they_show(name):
    run, head = trained(name) if name in OTHERS else shipped(name)
    state = state_of(head.spec, {"row": 1, "k": 2, "moved": 2})
    answers = ("centre by A", "centre by Â") if head.spec.target == "cog" else ("y", "ŷ")
    legends = {
        "plane": ("learned Â", "ideal A", *answers),
        "spectrum": ("cut to k = 2",),
        "graph": ("learned Â",),
        "attention": ("learned Â", "Â − A"),
    }
    for figure, (build, about) in files(run, head, state, None)[2].items():
        picture = export(build(LIGHT), "svg", title=about.title, footer=about.footer).decode()
        assert "NaN" not in picture and f">{about.footer}<" in picture.replace("&#39;", "'")
        for words in legends.get(figure, ()):
            assert f">{words}<" in picture, (figure, words)


def test_a_run_without_parameters_has_the_ideal_alone_until_it_is_scrubbed():
    run, head = shipped("nearest")
    state = state_of(head.spec, {})
    read = files(run, None, state, None)[0]
    assert set(read["attention"]["matrix"]) == {"ideal A"}
    assert set(read["plane"]["kind"]) == {"u", "v", "y", "ideal A"}
    step = int(live.open_stream(run).record.snapshot_steps[3])
    assert "learned Â" in set(files(run, None, state, step)[0]["attention"]["matrix"])


def test_a_step_that_was_not_kept_shows_the_board_as_the_screen_does():
    run, head = shipped("qsa")
    state = state_of(head.spec, {"moved": 4})
    one, other = (files(run, head, state, at)[0]["attention"] for at in (None, 777))
    pd.testing.assert_frame_equal(one, other)
