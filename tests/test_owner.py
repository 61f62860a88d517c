"""Whose the numbers of a page are: chip, line, picture, verdict and command name one owner."""

import pytest
from own_models import CONFIGS, saved
from pretrained import looked_at
from stores import SMALL, rows_of, trained
from streamlit_pages import button, drawing_in, opened, ran, says, sentences

from explorer.folder import resource
from explorer.pages.real.view_look import Look
from explorer.pretrained.bring import bring
from explorer.pretrained.fetch import remove
from explorer.runs import jobs, sweep_rows
from explorer.runs.archive import import_
from explorer.runs.store import Store
from explorer.spec import CouplingSpec, LinearSpec, amended, compact, full_json, spec_id
from explorer.targets import PRESETS, parse_sweep
from explorer.ui import live
from explorer.ui.pages import PAGES
from explorer.ui.shown import SHOWN
from explorer.views import sweeps
from explorer.views.settings import words_of

pytestmark = pytest.mark.usefixtures("one_thread")
ALTERED = PRESETS["prop62"][1]
UNTRAINED = {
    "order": LinearSpec(permutation="random", filter="signed", tau=64),
    "coupling": amended(ALTERED, rank=5, c=1.0),
    "another order": amended(PRESETS["order-quick"][1], permutation="reverse"),
}


def chip(at):
    """What stands behind the plain line of the page."""
    return next(e.value for e in at.markdown if ":gray-badge[" in e.value).split(":gray-badge[")[1]


@pytest.mark.parametrize("name", UNTRAINED)
def test_what_nobody_has_trained_has_no_run(name):
    """No strip, no verdict, no command of another target's run (the negative control is below)."""
    spec = UNTRAINED[name]
    at = opened("order", spec=compact(spec))
    header, _ = drawing_in(at)
    assert chip(at).startswith("not trained yet") and not header["same"]
    assert header["stream"]["push"] is None and header["stream"]["run"] is None
    assert "After" not in says(at) and "The run shown" not in says(at)
    assert f"train {spec_id(spec)}.json" in " ".join(each.value for each in at.code)
    assert all(each["source"] != "this run" for each in header["trained"])


def test_the_points_of_another_order_stay_under_its_name():
    at = opened("order", spec=compact(UNTRAINED["another order"]))
    header, _ = drawing_in(at)
    assert header["ghosts"]["name"] == "block exchange" and header["ghosts"]["trained"]
    assert "Shown in grey: **block exchange**, not this target" in sentences(at)
    button(at, "Its settings").click()
    header, _ = drawing_in(ran(at))
    assert header["same"] and header["ghosts"] is None and chip(at).startswith("example,")
    assert header["stream"]["run"] == "asset-order-quick"


def test_nothing_stands_in_grey_beside_another_kernel_or_coupling():
    for name in ("order", "coupling"):
        header, _ = drawing_in(opened("order", spec=compact(UNTRAINED[name])))
        assert header["ghosts"] is None


def test_a_run_of_the_address_is_a_ghost_on_another_order():
    spec = LinearSpec(**SMALL, permutation="reverse")
    row = trained(spec)
    at = opened("order", run=row.run, spec=compact(amended(spec, permutation="roll")))
    header, _ = drawing_in(at)
    assert header["stream"]["run"] is None and header["ghosts"]["name"] == "reverse"
    assert [each["mse"] for each in header["ghosts"]["trained"]] == [row.metrics["mse"]]
    button(at, "Its settings").click()
    header, _ = drawing_in(ran(at))
    assert header["stream"]["run"] == row.run and chip(at).startswith("yours,")


OTHERS = {
    "train": ("asset-train", {"seed": 5}),
    "attention": ("asset-attention-cog", {"seed": 5}),
    "order": ("asset-order-quick", {"seed": 5}),
    "memory": ("asset-memory-jumps", {"seed": 5}),
}


@pytest.mark.parametrize("page", OTHERS)
def test_a_run_of_other_settings_says_so_above_its_picture(page):
    run, changes = OTHERS[page]
    spec = live.open_stream(run).record.spec
    at = opened(page, run=run, spec=compact(amended(spec, **changes)))
    assert "example of other settings" in chip(at)
    words = [words_of(amended(spec, seed=seed), ["seed"]) for seed in (spec.seed, 5)]
    assert "Shown: **{}** · your settings: **{}**".format(*words) in sentences(at)
    at = opened(page, run=run)
    assert chip(at).startswith("example,") and "your settings" not in sentences(at)


@pytest.mark.parametrize("page", OTHERS)
def test_an_imported_run_says_so_beside_its_own_settings_and_others(page):
    """Its zip says how well it learned, and so does the page: not that it was trained here."""
    asset, changes = OTHERS[page]
    run = import_(Store(), resource("assets") / f"{asset.removeprefix('asset-')}.zip")
    spec = Store().get(run).spec
    at = opened(page, run=run, spec=compact(spec))
    assert chip(at).startswith("imported, ") and "your settings" not in sentences(at)
    assert drawing_in(at)[0]["stream"]["run"] == run
    assert f"train {spec_id(spec)}.json" in " ".join(each.value for each in at.code)
    at = opened(page, run=run, spec=compact(amended(spec, **changes)))
    assert chip(at).startswith("imported of other settings, ")
    assert f"your settings: **seed {changes['seed']}**" in sentences(at)
    assert drawing_in(at)[0]["stream"]["run"] == run
    assert f"train {spec_id(spec)}.json" in " ".join(each.value for each in at.code)


def test_an_imported_run_on_another_order_stays_in_grey():
    run = import_(Store(), resource("assets") / "order-quick.zip")
    spec = amended(Store().get(run).spec, permutation="reverse")
    at = opened("order", run=run, spec=compact(spec))
    header, _ = drawing_in(at)
    assert chip(at).startswith("not trained yet") and header["stream"]["run"] is None
    assert header["ghosts"]["name"] == "block exchange"


@pytest.mark.parametrize("page", OTHERS)
def test_a_run_at_work_or_deleted_says_so(page):
    spec = PRESETS[PAGES[page].preset][1]
    store = Store()
    run = store.create(amended(spec, seed=77))
    assert chip(opened(page, run=run)).startswith("queued,")
    store.request(run, "stop")
    store.delete(run)
    at = opened(page, run=run, spec=compact(amended(spec, seed=77)))
    said = chip(at)
    assert said.startswith("not trained yet") or "example" in said
    assert "is not in this store" in sentences(at)


def test_a_coupling_in_another_order_is_not_that_of_the_shipped_run():
    other = CouplingSpec(rank=5, alpha=1.5, m_h=4, tau=24, permutation="reverse", positions=8)
    at = opened("order", spec=compact(other))
    assert "Nobody has trained this target here" in says(at)


# Sweeps

TRAINED = {"tau": 4, "n": 8, "d_v": 8, "m_ff": 16, "batch": 8, "warmup": 5, "steps": 20}
SWEEP = parse_sweep(TRAINED | {"m_h": [1, 2], "rank": [2], "seed": [0, 1]})


def points(at):
    return [
        p for panel in drawing_in(at)[0]["panels"] for s in panel["series"] for p in s["points"]
    ]


@pytest.mark.parametrize("kept", [0, 3, 4])
def test_the_points_of_a_sweep_are_its_own_and_counted(kept):
    sweep_rows.register(Store(), SWEEP)
    sweep_rows.insert(Store(), spec_id(SWEEP), rows_of(SWEEP, lambda _: 0.1)[:kept])
    at = opened("rates", sweep=compact(SWEEP))
    assert len(points(at)) == kept
    said = {0: "not trained yet", 3: "yours · 3 of 4 models · seeds 0, 1 · cpu"}
    assert chip(at).startswith(said.get(kept, "yours · seeds 0, 1 · cpu"))


@pytest.mark.parametrize("changes", [{"seed": [0, 2]}, {"steps": 61}, {"alpha": [1.5]}])
def test_an_altered_sweep_has_no_points_of_the_one_before(changes):
    sweep_rows.register(Store(), SWEEP)
    sweep_rows.insert(Store(), spec_id(SWEEP), rows_of(SWEEP, lambda _: 0.1))
    other = amended(SWEEP, **changes)
    at = opened("rates", sweep=compact(other))
    assert not points(at) and chip(at).startswith("not trained yet")
    assert f"sweep {spec_id(other)}.json" in " ".join(each.value for each in at.code)
    shipped = amended(sweeps.shipped("fig1").sweep, steps=1000)
    at = opened("rates", sweep=compact(shipped))
    assert not points(at) and chip(at).startswith("not trained yet")


def test_a_sweep_at_work_says_so():
    sweep_rows.register(Store(), SWEEP)
    sweep_rows.insert(Store(), spec_id(SWEEP), rows_of(SWEEP, lambda _: 0.1)[:1])
    name = jobs.ask(Store(), "sweep", spec_id(SWEEP), full_json(SWEEP))
    assert chip(opened("rates", sweep=compact(SWEEP))).startswith("queued · 1 of 4 models")
    _, lock = jobs.claim(Store())
    assert chip(opened("rates", sweep=compact(SWEEP))).startswith("live · 1 of 4 models")
    lock.release()
    jobs.stop(Store(), name)


def test_a_run_of_a_sweep_is_no_point_of_it():
    """Its models have random numbers of their own: trained alone or brought, it stays a run."""
    row = trained(next(iter(SWEEP.members())))
    at = opened("rates", sweep=compact(SWEEP), run=row.run)
    assert not points(at) and chip(at).startswith("not trained yet")


def test_a_shipped_sweep_is_an_example_whatever_the_store_has():
    at = opened("rates")
    assert chip(at).startswith("example, ") and len(points(at)) == 216
    jobs.ask(Store(), "sweep", spec_id(sweeps.shipped("fig1").sweep), "{}")
    assert chip(opened("rates")).startswith("example, ")


# Models that others have trained


def footers(at):
    return {name: about.footer for name, (_, about) in at.session_state[SHOWN].figures().items()}


def test_ones_own_text_is_measured_here_and_the_answers_stay_those_of_the_shipped_texts():
    at = opened("real")
    assert chip(at).startswith("measured · shipped · 6 texts")
    opened_head = {"head maps", "head terms", "answers"}
    for name, footer in footers(at).items():
        assert ("· the example text · raw" if name in opened_head else "· 6 texts") in footer
    look = Look(text="some words of mine")
    at = opened("real", real=look.model_dump_json(exclude_defaults=True))
    assert chip(at).startswith("measured · shipped · 6 texts"), "nobody has looked at it yet"
    looked_at(look, rank=6)
    at = opened("real", real=look.model_dump_json(exclude_defaults=True))
    assert chip(at).startswith("measured here · your text")
    of = footers(at)
    assert all("· your text · raw" in of[name] for name in opened_head & set(of))
    assert "head maps" in of and all(
        of[name].endswith("your text") for name in ("heads", "spectrum", "layers")
    )
    assert of["cut"].endswith("6 texts") and of["kinds"].endswith("6 texts")


def test_another_model_has_nothing_of_ones_own_text():
    look = Look(text="some words of mine")
    looked_at(look, rank=6)
    at = opened("real", real='{"text":"some words of mine","model":"minilm"}')
    assert chip(at).startswith("measured · shipped · ") and "on your text" not in says(at)


def test_a_model_of_ones_own_is_measured_here_until_it_is_removed(tmp_path):
    about = bring(Store().home / "models", saved(tmp_path / "a", CONFIGS["gpt2"]), "mine")
    of = f'{{"model":"{about.name}"}}'
    at = opened("real", real=of)
    assert chip(at).startswith("measured here · ") and "mine" in says(at)
    remove(Store().home / "models", about)
    at = opened("real", real=of)
    assert chip(at).startswith("measured · shipped") and "not on this machine" in sentences(at)
