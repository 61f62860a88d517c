"""Whose the numbers of a page are: chip, line, picture, verdict and command name one owner."""

import pytest
from stores import SMALL, trained
from streamlit_pages import button, drawing_in, opened, ran, says, sentences

from explorer.folder import resource
from explorer.runs.archive import import_
from explorer.runs.store import Store
from explorer.spec import CouplingSpec, LinearSpec, amended, compact, spec_id
from explorer.targets import PRESETS
from explorer.ui import live
from explorer.ui.pages import PAGES
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
