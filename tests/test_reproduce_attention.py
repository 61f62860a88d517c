"""`reproduce fig4|fig5|fig6`: files, checks, and runs that are not trained twice; the dispatch."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from explorer import reproduce
from explorer.reproduce import attention, request
from explorer.runs import archive
from explorer.runs.store import RunError, Store
from explorer.spec import spec_id
from explorer.targets import PRESETS
from explorer.targets.tasks.gravity import GravitySpec
from explorer.targets.tasks.nearest import NearestSpec
from explorer.targets.tasks.selection import SelectionSpec

pytestmark = pytest.mark.usefixtures("one_thread")

ASSETS = Path(__file__).resolve().parent.parent / "assets"
FIGURES = [attention.FIGURE_4, attention.FIGURE_5, attention.FIGURE_6]
SMALL = {"n": 8, "m_ff": 8, "batch": 8, "warmup": 1, "steps": 3}
TINY = {
    "nearest": NearestSpec(tau=3, **SMALL),
    "cog": GravitySpec(tau=6, segments=2, **SMALL),
    "qsa": SelectionSpec(tau=3, **SMALL),
}
PICTURE_C = {"fig4": "F̂(W_V f̂(x))", "fig5": "F̂∘W_V∘f̂", "fig6": "F̂(W_V f̂(x))"}


@pytest.fixture
def tiny(monkeypatch):
    for name, spec in TINY.items():
        monkeypatch.setitem(attention.TASK_PRESETS, name, ("", spec))


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_a_figure_is_written_with_its_data_and_both_numbers(figure, tiny, tmp_path):
    out = tmp_path / "out"
    found = reproduce.reproduce(figure.name, reproduce.Request(Store(), out, quick=True))
    summary = json.loads((out / "summary.json").read_text("utf-8"))
    assert summary == json.loads(json.dumps(found))
    answer = summary["figures"][figure.name]
    assert answer["run"] == f"{spec_id(TINY[figure.preset])}-1" and answer["seeds"] == [0]
    files = {path.name for path in out.iterdir()} - {"summary.json"}
    assert files == set(answer["files"])
    tau = TINY[figure.preset].tau
    assert (out / f"{figure.name}.csv").read_text("utf-8").count("\n") == 3 * tau**2 + 1
    picture = (out / f"{figure.name}.svg").read_text("utf-8")
    for word in (figure.title, "learned Â", "ideal A", PICTURE_C[figure.name]):
        assert f">{word}<" in picture
    assert f"one seed (0), 3 steps · {answer['run']}" in picture
    printed = {row["quantity"]: row for row in answer["printed"]}
    assert {name: row["printed"] for name, row in printed.items()} == dict(figure.printed)
    assert printed["mse"]["measured"] == answer["metrics"]["mse"]
    by_name = {check["what"]: check for check in answer["checks"]}
    assert not by_name["agreement"]["holds"], "three steps learn nothing"
    assert any("DOES NOT HOLD" in line for line in answer["text"])


def test_a_finished_run_is_not_trained_again(tiny, tmp_path):
    store = Store()
    first = reproduce.reproduce("fig4", reproduce.Request(store, tmp_path / "a", quick=True))
    again = reproduce.reproduce("fig4", reproduce.Request(store, tmp_path / "b", quick=True))
    assert first == again and len(store.list()) == 1
    for name in first["figures"]["fig4"]["files"]:
        if name.endswith(".csv"):
            assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_a_full_run_has_the_steps_of_the_figure(tiny, tmp_path, monkeypatch):
    monkeypatch.setattr(attention, "FIGURE_6", replace(attention.FIGURE_6, steps=5))
    answer = reproduce.reproduce("fig6", reproduce.Request(Store(), tmp_path, quick=False))[
        "figures"
    ]["fig6"]
    assert answer["spec"]["steps"] == 5 and not answer["quick"]


def test_a_run_that_rested_goes_on(tiny):
    store = Store()
    run = store.create(TINY["qsa"], "paused")
    asked = request.Request(store, Path("."))
    assert request.trained(asked, TINY["qsa"]).row.run == run
    assert [row.status for row in store.list()] == ["finished"]


@pytest.mark.parametrize(
    ("status", "error"), [("stopped", KeyboardInterrupt), ("diverged", RunError)]
)
def test_a_run_that_does_not_finish_is_no_figure(status, error, monkeypatch):
    from explorer.runs import execute

    monkeypatch.setattr(
        execute, "execute", lambda store, row, **_: replace(row, status=status, message="why")
    )
    with pytest.raises(error):
        request.trained(request.Request(Store(), Path(".")), TINY["qsa"])


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_the_shipped_runs_hold_what_a_full_figure_must(figure):
    record = archive.read(ASSETS / f"attention-{figure.preset}.zip")
    assert record.spec.model_dump() == PRESETS[figure.preset][1].model_dump() | {
        "steps": figure.steps
    }
    found = attention.checks(figure, record.row.metrics, record.latest()[1], quick=False)
    assert all(check["holds"] for check in found), found


@pytest.mark.parametrize(("name", "figure"), [("cog-adam-plain", FIGURES[1])])
@pytest.mark.parametrize("quick", [True, False])
def test_right_answers_with_a_wrong_attention_do_not_pass(name, figure, quick):
    record = archive.read(ASSETS / f"attention-{name}.zip")
    found = attention.checks(figure, record.row.metrics, record.latest()[1], quick)
    by_name = {check["what"]: check["holds"] for check in found}
    assert not by_name["agreement"] and not by_name["attention_error"]


def test_all_makes_every_figure_and_keeps_those_before_one_that_fails(tmp_path, monkeypatch):
    made = []
    nothing = {"text": [], "checks": []}
    for name in reproduce.NAMES:
        monkeypatch.setitem(
            reproduce.FIGURES, name, lambda _, name=name: made.append(name) or dict(nothing)
        )
    found = reproduce.reproduce("all", reproduce.Request(Store(), tmp_path, quick=True))
    assert tuple(made) == tuple(found["figures"]) == reproduce.NAMES

    def fails(_):
        raise RunError("no")

    monkeypatch.setitem(reproduce.FIGURES, reproduce.NAMES[1], fails)
    with pytest.raises(RunError):
        reproduce.reproduce("all", reproduce.Request(Store(), tmp_path, quick=True))
    kept = json.loads((tmp_path / "summary.json").read_text("utf-8"))
    assert list(kept["figures"]) == [reproduce.NAMES[0]]
