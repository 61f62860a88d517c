"""What cannot be shown or trained is said where the hand is, with what to do about it."""

import numpy as np
import pytest
from stores import TINY
from streamlit_pages import button, captions, opened, ran, run_in

from explorer.coupling import CouplingError
from explorer.runs import files
from explorer.runs.execute import execute
from explorer.runs.store import Store
from explorer.spec import CouplingSpec, amended, compact
from explorer.targets import checked_target, target_of
from explorer.ui import live as route
from explorer.ui import registry
from explorer.ui.words import as_sentence, escape_markdown, public

GRID = np.add.outer(np.arange(6.0), np.arange(6.0) ** 2) / 30
SHA = files.grid_sha256(GRID)
SINGULAR = "v*sqrt(0.99 - u)"  # finite on the 33 × 33 cells that a new formula is tried at


def on_grid():
    return amended(TINY, rank=None, grid=SHA)


@pytest.fixture
def stored_grid():
    store = Store()
    store.put_grid(GRID)
    return store, store.create(on_grid(), "paused")


def uploaded(at, name, data):
    """A file given to the only field of the page that takes one."""
    label = "the samples that are missing"
    (field,) = [each for each in at.get("file_uploader") if each.label == label]
    field.set_value((name, data, "application/octet-stream"))
    return ran(at)


@pytest.mark.parametrize("damage", ["gone", "damaged"])
def test_a_run_whose_samples_are_not_here_asks_for_them(stored_grid, damage):
    store, run = stored_grid
    file = store.home / "grids" / f"{SHA}.npy"
    file.unlink() if damage == "gone" else file.write_bytes(b"not one")
    at = opened("train", run=run)
    assert not at.exception
    box = next(box.value for box in at.warning if "cannot be drawn here" in box.value)
    assert "upload" in box and str(store.home) not in captions(at)
    at = uploaded(at, "others.npy", files.npy_bytes(GRID + 1))
    assert "hese are other samples" in at.error[0].value
    at = ran(uploaded(at, "mine.npy", files.npy_bytes(GRID)))
    assert not [box for box in at.warning if "cannot be drawn here" in box.value]
    np.testing.assert_array_equal(store.grid(SHA), GRID)


@pytest.mark.parametrize("formula", [SINGULAR, "u.__class__ +"])
def test_a_run_of_a_formula_that_is_refused_is_shown_without_its_picture(formula):
    run = Store().create(CouplingSpec(formula=formula, m_h=2, steps=60), "paused")
    at = opened("train", run=run)
    assert not at.exception and "cannot be drawn here" in captions(at) + warned_text(at)
    button(at, "Same start").click()
    ran(at)
    assert "annot train this" in at.error[0].value and len(Store().list()) == 1


def warned_text(at):
    return " ".join(box.value for box in at.warning)


def test_a_target_is_tried_as_strictly_by_train_as_by_its_pod():
    spec = CouplingSpec(formula=SINGULAR)
    target_of(spec)
    with pytest.raises(CouplingError, match=r"not finite at u = 0\.99"):
        checked_target(spec)
    for fine in (CouplingSpec(formula="abs(u - v)"), CouplingSpec(), on_grid()):
        checked_target(fine, lambda sha: GRID)


def test_what_slips_through_ends_as_diverged(one_thread):
    """Not finite on a sliver that no node of a POD meets, but training does."""
    store = Store()
    formula = "where(abs(u - 0.51) < 0.001, log(0*u), v)"
    with store.start(amended(TINY, rank=None, formula=formula), "cpu") as lease:
        row = execute(store, lease.row)
    assert row.status in ("diverged", "failed") and "Error:" not in row.message, row.message
    assert "finite" in row.message


class Broken:
    """A pool none of whose processes can be started."""

    problem = None

    def wake(self):
        pass


def test_a_worker_that_cannot_start_is_said_where_the_run_waits(monkeypatch):
    pool = Broken()
    monkeypatch.setattr(registry, "pool", lambda: pool)
    at = opened("train", spec=compact(TINY))
    button(at, "Train").click()
    run = run_in(ran(at))
    feed = route.open_stream(run)
    from explorer.runs.frames import unpack

    first = unpack(feed.frame())[0]
    assert feed.frame() is None and not at.error and first["message"] == ""
    pool.problem = f"no training process stays alive here; see {Store().home}/logs/workers.log"
    told = unpack(feed.frame())[0]
    assert told["turn"] != first["turn"], "the buttons are drawn anew, with the reason"
    assert told["message"] == "no training process stays alive here; see logs/workers.log"
    assert "No training process stays alive" in ran(at).error[0].value


def test_what_a_file_says_is_never_markup():
    store = Store()
    with store.start(TINY, "cpu") as lease:
        store.save(
            lease.row.run,
            status="failed",
            step=1,
            device="![x](http://x.example/1.png)",
            message="[log in again](http://x.example) **now**",
        )
    at = opened("train", run=lease.row.run)
    everything = captions(at) + " ".join(box.value for box in at.error)
    everything += " ".join(each.value for each in at.markdown)
    assert "log in again" in everything and "x.example/1.png" in everything
    for markup in ("![x](", "[log in again](", "**now**"):
        assert markup not in everything


def test_errors_are_public():
    home = Store().home
    assert public(f"{home}/store.sqlite3 is locked") == "store.sqlite3 is locked"
    assert public(f"{home} cannot be used: No space: '{home}/runs'") == (
        "the folder of the store cannot be used: No space: 'runs'"
    )
    assert public("/usr/lib/x/y.py: denied '/a/b'") == "y.py: denied 'b'"
    for left in ("u/v + 1/2", "steps/s", "http://a.b/c/d", "m_h = 3 / 4"):
        assert public(left) == left
    assert (
        escape_markdown("<b>[x](y)") == "\\<b\\>\\[x\\](y)"
        and as_sentence("x *is*") == "X \\*is\\*"
    )
    assert as_sentence("config.json: a list").startswith("config.json"), "which is lower case"
    assert as_sentence("model.safetensors lacks w").startswith("model.safetensors lacks")
    assert as_sentence("the grid lacks a row").startswith("The grid")


def test_a_store_that_cannot_be_used_keeps_its_place_to_itself(monkeypatch, tmp_path):
    file = tmp_path / "in" / "the" / "way"
    file.parent.mkdir(parents=True)
    file.write_text("")
    monkeypatch.setenv("EXPLORER_HOME", str(file))
    at = opened("runs")
    assert at.error and str(tmp_path) not in at.error[0].value + captions(at)
