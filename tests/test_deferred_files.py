"""Files that are made when their button is pressed: a browser asks for them on a thread that has no
page, so all that they hang on is taken when the page is drawn."""

import threading

import pytest
from streamlit_pages import app, ran

from explorer.ui import exports
from explorer.ui.pages import PAGES

pytestmark = pytest.mark.usefixtures("one_thread")


def off_the_page(make):
    """What a function makes on a thread of its own, as Streamlit calls it."""
    found = []

    def run():
        try:
            found.append(make())
        except Exception as error:
            found.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return found[0]


def refused(monkeypatch, page, **address):
    """The files of a page, opened, that cannot be made apart from it."""
    made = {}
    kept = exports.download

    def noted(label, make, file, *args, **options):
        made[file] = make
        return kept(label, make, file, *args, **options)

    for module in ("share", "exports"):
        monkeypatch.setattr(f"explorer.ui.{module}.download", noted)
    ran(app(page, **address))
    assert made or page in ("runs", "talk"), f"{page} has files"
    found = {name: off_the_page(make) for name, make in made.items()}
    return {name: each for name, each in found.items() if not isinstance(each, bytes)}


@pytest.mark.parametrize("page", PAGES)
def test_every_file_of_a_page_is_made_apart_from_it(page, monkeypatch):
    """Where nothing is trained, or nothing is to be drawn, that is what it says."""
    left = refused(monkeypatch, page)
    assert not [error for error in left.values() if "no figures" not in str(error)], left


def test_a_file_that_asks_the_page_is_caught(monkeypatch):
    from explorer.ui import specs

    assert isinstance(off_the_page(specs.current), Exception), "the control"
