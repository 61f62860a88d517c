"""Two visitors of a public server in the browser: each sees what is theirs alone."""

from urllib.parse import urlsplit

import pytest
from driving import NETWORK, Server, choose_server, readers, until
from playwright.sync_api import expect

from explorer.hosting.space import spaces
from explorer.hosting.turns import Turns
from explorer.hosting.visitors import COOKIE

BRIEF = NETWORK | {"steps": 60}


@pytest.fixture(scope="module")
def public(context, tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("public"), public=True)
    server.start()
    yield server
    server.stop()


def test_a_link_of_another_visitor_shows_the_settings_and_not_the_run(context, public):
    with readers(public, context, []) as open_:
        tab = open_().open("train", BRIEF)
        tab.page.goto(f"{public.address}/train?word={public.word()}&{urlsplit(tab.url).query}")
        tab.settle()
        assert "word" not in tab.url
        choose_server(tab.page)
        expect(tab.page.get_by_text("Training takes about")).to_be_visible()
        tab.page.get_by_role("button", name="Train at").first.click()
        until(lambda: "run=" in tab.url)
        (space,) = (one for one in spaces(public.store) if one.list())
        run = space.list()[0].run
        until(lambda: space.get(run).status == "finished")
        runs = open_().open("runs")
        expect(runs.page.get_by_text("Only you see what is here")).to_be_visible()

        context.clear_cookies(name=COOKIE)
        other = open_().open("train", BRIEF, run=run)
        expect(other.page.get_by_text("is not in this store")).to_be_visible()
        theirs = open_().open("runs")
        expect(theirs.page.get_by_role("textbox", name="Have a word?")).to_be_visible()
        expect(
            theirs.page.get_by_text("Nothing has been trained in this store yet")
        ).to_be_visible()
        assert len({one.owner for one in spaces(public.store)}) == 1, "who has no word has none"
    assert space.get(run).status == "finished"
    assert public.store.list() == []
    assert Turns(public.store).counts() == {"queued": 0, "running": 0}
