"""Shares of the processor among visitors' pages; time is a clock of the tests' own."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.testing.v1 import AppTest

from explorer.bench.serving import server
from explorer.bench.visitors import Visitor, new_cookie, new_word
from explorer.hosting import fair
from explorer.hosting.fair import Shares, TooMany
from explorer.hosting.reader import Answer
from explorer.ui import page_visit, registry


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def shares(clock):
    return Shares(20, clock)


def never(left):
    raise AssertionError(f"waits {left} s")


def test_who_has_used_a_minute_s_waits_as_long_as_it_takes_and_nobody_else(shares, clock):
    assert shares.wait("one") == 0
    shares.charge("one", 20)
    assert shares.wait("one") == 0, "the last page may take more than is left"
    shares.charge("one", 5)
    assert shares.wait("one") == pytest.approx(15) and shares.wait("other") == 0
    clock.now += 6
    assert shares.wait("one") == pytest.approx(9)
    clock.now += 9
    assert shares.wait("one") == pytest.approx(0)


def test_no_more_than_a_minute_s_is_saved_up(shares, clock):
    shares.wait("one")
    clock.now += 86400
    shares.charge("one", 25)
    assert shares.wait("one") == pytest.approx(15)


def test_over_an_hour_a_visitor_has_so_much_and_no_more(shares, clock):
    """Pages of every length, as fast as they may: the seconds add up to those of the minutes, and
    those saved up, but for the last page."""
    used = 0.0
    while clock.now < 3600:
        clock.now += shares.wait("one")
        seconds = 0.1 + used % 3
        shares.charge("one", seconds)
        clock.now += seconds / 2  # a page of two tabs
        used += seconds
    assert 20 * 60 <= used <= 20 * 61 + 3.1


@pytest.fixture
def a_class(clock):
    """Shares of visitors whose line is the first word of their name."""
    return Shares(20, clock, line=lambda owner: owner.partition(" ")[0])


def line_of(shares, owner):
    with shares.page(owner, never) as page:
        return page.line


def test_of_all_in_one_line_a_quick_page_and_a_slow_one_compute_at_once(a_class):
    for _ in range(3):
        a_class.charge("one quick", 0.05)
        a_class.charge("one too", 0.05)
    with a_class.page("one new", never), a_class.page("one quick", never):
        for late in ("one slow", "one too"):
            with pytest.raises(Waits), a_class.page(late, waits):
                pytest.fail("it computes beside another")
        with a_class.page("other new", never):
            pass


class Waits(Exception):
    """A page has to wait for others."""


def waits(left):
    assert left == 0
    raise Waits


def test_a_visitor_is_taken_for_quick_by_the_last_pages(a_class):
    assert line_of(a_class, "one a") == "slow of one", "nothing is known of who is new"
    a_class.charge("one a", 0.3)
    assert line_of(a_class, "one a") == "slow of one"
    a_class.charge("one a", 0.04)
    assert line_of(a_class, "one a") == "quick of one"
    a_class.charge("one a", 4.0)
    for _ in range(3):
        a_class.charge("one a", 0.04)
        assert line_of(a_class, "one a") == "slow of one"
    a_class.charge("one a", 0.04)
    assert line_of(a_class, "one a") == "quick of one"


def test_however_many_pages_of_a_class_take_long_a_quick_one_need_not_wait(a_class, clock):
    """Each with a cookie of its own; two of them wait for what a process reads."""
    a_class.charge("one reader", 0.05)
    a_class.charge("one reader", 0.05)
    with (
        a_class.page("one a", never) as first,
        a_class.lines.aside(first),
        a_class.page("one b", never) as second,
        a_class.lines.aside(second),
        a_class.page("one c", never),
    ):
        for _ in range(3):
            with a_class.page("one reader", never):
                pass
        with pytest.raises(Waits), a_class.page("one d", waits):
            pytest.fail("it computes beside c")
        clock.now += fair.LONGEST + 1
        with a_class.page("one d", never):
            pass


def test_a_page_holds_nobody_up_while_its_file_is_read(a_class, monkeypatch):
    class Readers:
        def read(self, kind, data, **asked):
            with a_class.page("one other", never):
                return Answer("", "read", [], 0.0)

    monkeypatch.setattr(registry, "shares", lambda: a_class)
    monkeypatch.setattr(registry, "owner", lambda: "one")
    monkeypatch.setattr(registry, "standing", lambda: "in")
    monkeypatch.setattr(page_visit.reader, "readers", lambda _: Readers())
    with page_visit.slot():
        assert page_visit._read("grid", b"", ValueError) == ("read", [])
        with pytest.raises(Waits), a_class.page("one other", waits):
            pytest.fail("the file has been read")
    assert page_visit._read("grid", b"", ValueError) == ("read", []), "where no page computes"


def test_a_page_that_is_left_while_it_waits_holds_nothing(shares, clock):
    class Left(Exception):
        pass

    def leaves(left):
        raise Left

    shares.charge("one", 30)
    with pytest.raises(Left), shares.page("one", leaves):
        pytest.fail("it has nothing left")
    clock.now += 60
    with pytest.raises(Left), shares.page("one", never):
        raise Left
    with shares.page("one", never):
        pass


def test_so_many_files_are_made_at_once_and_their_time_counts(shares, clock):
    with shares.file("one"), shares.file("one"):
        with pytest.raises(TooMany), shares.file("one"):
            pass
        with shares.file("other"):
            pass
        clock.now += 12
    assert shares.wait("one") == pytest.approx(60 * (2 * 12 - 20) / 20)
    with shares.file("one"):
        pass


def test_who_has_not_been_there_for_long_is_forgotten(shares, clock, monkeypatch):
    monkeypatch.setattr(fair, "KNOWN", 5)
    shares.charge("in debt", 200)
    for number in range(100):
        clock.now += 7
        shares.wait(f"{number}")
    assert len(shares._accounts) <= 11 and shares.wait("in debt") == 0
    shares.charge("in debt", 1000)
    clock.now += 61
    for number in range(100):
        shares.wait(f"{number}")
    assert shares.wait("in debt") > 0


def page():
    import streamlit as st

    from explorer.ui import page_visit

    with page_visit.slot():
        st.text("computed")


def test_a_page_says_in_one_line_that_it_waits(monkeypatch, clock):
    shares = Shares(60, clock)
    shares.charge("1" * 32, 61)
    monkeypatch.setattr(registry, "shares", lambda: shares)
    monkeypatch.setattr(registry, "owner", lambda: "1" * 32)
    monkeypatch.setattr(page_visit, "QUIET_SECONDS", 0)
    looks = []

    def asleep(seconds):
        looks.append(seconds)
        clock.now += 0.5

    monkeypatch.setattr(fair, "time", SimpleNamespace(sleep=asleep))
    app = AppTest.from_function(page).run(timeout=30)
    assert [each.value for each in app.text] == ["computed"] and len(looks) == 2
    (line,) = {each.value for each in app.toast}
    assert "Computing limit for this minute" in line and "in about 1 s" in line


def test_without_visitors_nothing_is_shared(monkeypatch):
    monkeypatch.delenv("EXPLORER_PUBLIC", raising=False)
    assert registry.shares() is None
    page_visit.charge()
    assert [each.value for each in AppTest.from_function(page).run(timeout=30).text] == ["computed"]


# On a server


class Tab(Visitor):
    """A page whose lines of waiting are kept."""

    def _hears(self, data):
        said = ForwardMsg.FromString(data)
        if said.delta.new_element.WhichOneof("type") == "toast":
            self.lines = [*getattr(self, "lines", []), said.delta.new_element.toast.body]
        return super()._hears(data)


def test_who_has_new_formulas_computed_without_end_is_told_to_wait_and_another_is_not(tmp_path):
    async def visit(address, word):
        one, other = new_cookie(address), new_cookie(address, word)
        lines = []
        for number in range(3):  # more than a second's
            formula = " + ".join(f"sin({number + 2}*{k}*u*v)" for k in range(1, 30))
            spec = json.dumps({"tau": 64, "formula": formula})
            tabs = [await Tab.open(address, cookie=one, spec=spec) for _ in range(2)]
            lines += [line for tab in tabs for line in getattr(tab, "lines", [])]
            for tab in tabs:
                await tab.close()
            if any("continues in about" in line for line in lines):
                break
        assert any("continues in about" in line for line in lines)
        tab = await Tab.open(address, cookie=other)
        assert not hasattr(tab, "lines")
        await tab.close()

    settings = {"public": True, "limits": "page_seconds=1"}
    with server(tmp_path, settings=settings) as (address, _), ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, visit(address, new_word(tmp_path))).result()
