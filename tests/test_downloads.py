"""A file that cannot be made: the page says why and what to do, until the button works again."""

import threading

import numpy as np
import pytest
from stores import TINY
from streamlit.testing.v1 import AppTest
from streamlit_pages import opened, ran

from explorer.pages.design import chart as charts
from explorer.runs.execute import execute
from explorer.runs.store import Store
from explorer.spec import amended
from explorer.ui import exports

GRID = np.add.outer(np.arange(6.0), np.arange(6.0) ** 2) / 30


def pressed(at, key):
    """The page after a press of the download button of a key."""
    (found,) = [each for each in at.download_button if each.key == key]
    found.click()
    return ran(at)


def one_button():
    import streamlit as st

    from explorer.ui.exports import download, show_failures

    def make():
        if st.session_state.get("broken"):
            raise ValueError("a *long* reason of the renderer " + 500 * "x")
        return b"bytes"

    file = st.session_state.get("file", "a.svg")
    show_failures(download("SVG", make, file, "image/svg+xml", key="svg a"), instead="Press again.")


def test_a_reason_stays_until_the_button_works_or_makes_another_file():
    at = AppTest.from_function(one_button)
    at.session_state["broken"] = True
    assert not ran(at).error
    at = pressed(at, "svg a")
    for _ in range(2):
        (box,) = at.error
        assert box.value.startswith(r"`a.svg` could not be made. A \*long\* reason of the rend")
        assert box.value.endswith("x. Press again.") and len(box.value) < 400
        at = ran(at)
    at.session_state["file"] = "b.svg"
    assert not ran(at).error
    at.session_state["file"] = "a.svg"
    assert ran(at).error
    at.session_state["broken"] = False
    assert not pressed(at, "svg a").error


@pytest.mark.parametrize("fails", [False, True])
def test_a_press_makes_its_file_once_for_the_browser_and_for_the_page(fails):
    calls, begun, results = [], threading.Event(), []

    def make():
        calls.append(threading.current_thread())
        begun.wait(10)
        if fails:
            raise OSError("the disk")
        return b"bytes"

    making = exports._once(make)

    def ask():
        try:
            results.append(making())
        except OSError as error:
            results.append(str(error))

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    begun.set()
    for thread in threads:
        thread.join(10)
    assert len(calls) == 1 and results == 3 * ["the disk" if fails else b"bytes"]


# On the pages


@pytest.fixture
def run():
    """A finished run on samples, chosen on the Runs page."""
    store = Store()
    sha = store.put_grid(GRID)
    with store.start(amended(TINY, rank=None, grid=sha), "cpu") as lease:
        return execute(store, lease.row).run


def samples():
    (file,) = (Store().home / "grids").iterdir()
    return file


def on_runs(run):
    at = opened("runs", runs=run)
    at.session_state[f"take home {run}"] = True
    return ran(at)


def test_a_run_whose_samples_have_gone_says_so_beside_its_zip(run):
    at = on_runs(run)
    samples().unlink()
    at = pressed(at, f"zip {run}")
    (box,) = [each.value for each in at.error if f"`{run}.zip` could not be made." in each.value]
    assert "upload its file here. Reload the page" in box
    Store().put_grid(GRID)
    assert not pressed(at, f"zip {run}").error


def test_a_run_whose_checkpoint_has_gone_says_which_file(run):
    at = on_runs(run)
    row = Store().get(run)
    (Store().folder(run) / row.checkpoint).unlink()
    at = pressed(at, f"slim zip {run}")
    (box,) = at.error
    assert f"`{run}-parameters.zip` could not be made." in box.value
    assert row.checkpoint in box.value and str(Store().home) not in box.value


def test_of_several_runs_the_one_that_fails_is_named(run):
    other = Store().create(TINY, "paused")
    at = opened("runs", runs=f"{run},{other}")
    keys = {each.key for each in at.download_button}
    assert {f"zip of {run}", f"zip of {other}"} <= keys
    samples().unlink()
    assert not pressed(at, f"zip of {other}").error
    (box,) = pressed(at, f"zip of {run}").error
    assert f"`{run}.zip` could not be made." in box.value and other not in box.value


@pytest.mark.parametrize("kind", ("svg", "png", "pdf"))
def test_a_figure_that_cannot_be_drawn_says_so_below_its_buttons(monkeypatch, kind):
    at = opened("design")
    at.session_state["design figures"] = True
    at = ran(at)
    keys = [each.key for each in at.download_button]
    assert f"{kind} design floor" in keys

    def broken(*_, **__):
        raise ArithmeticError("an axis without a length")

    monkeypatch.setattr(charts, "_wanted", broken)  # a part of the floor
    at = pressed(at, f"{kind} design floor")
    (box,) = at.error
    assert f"-floor.{kind}` could not be made. An axis without a length. Press again" in box.value
    monkeypatch.undo()
    assert not pressed(at, f"{kind} design floor").error
