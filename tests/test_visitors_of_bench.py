"""The visitors that measure a server: they do to it what a browser does, and hear what it says."""

import asyncio
import random
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from types import SimpleNamespace

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from explorer.bench.load import PAGES
from explorer.bench.serving import server
from explorer.bench.visitors import Lost, Visitor, watch
from explorer.runs.store import Store
from explorer.spec import CouplingSpec

MOST = 3


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    folder = tmp_path_factory.mktemp("home")
    with server(folder, settings={"sessions": MOST}) as (address, _):
        yield address, Store(folder)


def finished(work):
    """In a thread of its own: a browser of another test may have a loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


def drawn(visitor, monkeypatch):
    """What the visitor's component is given from now on."""
    heard, hears = [], Visitor._hears

    def hearing(self, data):
        said = ForwardMsg.FromString(data)
        element = said.delta.new_element.bidi_component
        if element.component_name == "explorer_design":
            heard.append(element.SerializeToString())
        return hears(self, data)

    monkeypatch.setattr(Visitor, "_hears", hearing)
    return heard


def test_what_is_moved_and_dragged_reaches_the_page(served, monkeypatch):
    async def visit():
        visitor = await Visitor.open(served[0])
        heard, chance = drawn(visitor, monkeypatch), random.Random(1)
        for act in (visitor.drag, visitor.drag, visitor.move_a_slider):
            before = len(heard)
            assert 0 < await act(chance) < 60
            assert len(heard) > before
        await visitor.close()
        return heard

    heard = finished(visit())
    assert len(set(heard)) == len(heard) >= 3, "each is another picture"


@pytest.mark.parametrize("page", PAGES)
def test_every_slider_of_a_page_moves_and_the_page_stands(served, page):
    async def visit():
        visitor = await Visitor.open(served[0], page)
        for name in list(visitor.sliders):
            chance = SimpleNamespace(choice=lambda _, name=name: name)
            if name in visitor.sliders:  # the one before may have taken it away
                await visitor.move_a_slider(chance)
                await visitor.move_a_slider(chance)
        await visitor.close()
        return visitor.sliders

    assert finished(visit())


def test_a_page_that_fails_is_no_answer(served):
    async def visit():
        visitor = await Visitor.open(served[0], "train")
        chosen = next(each for each in visitor.sliders.values() if each.options)
        wrong = visitor.states[chosen.id] = WidgetState(id=chosen.id)
        wrong.double_array_value.data.append(1.0)
        with pytest.raises(Lost, match="must be real number"):
            await visitor.run()
        await visitor.close()

    finished(visit())


def test_one_page_too_many_is_refused_by_rule_and_let_in_once_there_is_room(served):
    address, _ = served

    async def crowd():
        visitors = [await Visitor.open(address, page) for page in ("train", "order", "attention")]
        with pytest.raises(Lost):
            await Visitor.open(address)
        assert _document(address) == (503, "20")
        await visitors.pop().close()
        while _document(address)[0] != 200:
            await asyncio.sleep(0.1)
        visitors.append(await Visitor.open(address))
        for visitor in visitors:
            assert visitor.sliders and visitor.script
            await visitor.close()

    finished(crowd())


def _document(address):
    connection = HTTPConnection(address.partition("//")[2], timeout=30)
    connection.request("GET", "/")
    answer = connection.getresponse()
    return answer.status, answer.headers.get("Retry-After")


def test_a_run_is_followed(served):
    address, store = served
    run = store.create(CouplingSpec(rank=2, m_h=2, steps=300))

    async def follow():
        following = asyncio.create_task(watch(address, run))
        while store.get(run).status != "finished":
            await asyncio.sleep(0.1)
        following.cancel()

    finished(asyncio.wait_for(follow(), 120))
    assert store.get(run).watched > 0
