"""Who may train, keep and upload on a public server: a class word, its places, and nobody else."""

import hashlib
import json
import threading
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.client import HTTPConnection
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from commands import on_streams
from letting_in import let_in, word_of
from serving import serving
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.routing import Route
from streamlit.testing.v1 import AppTest

from explorer.hosting import logs, space, upkeep
from explorer.hosting.doors import Visitors
from explorer.hosting.settings import Limits
from explorer.hosting.space import Space, owners, visitors, welcome
from explorer.hosting.turns import Turns
from explorer.hosting.visitors import (
    BLOCKED,
    COOKIE,
    DAY,
    EXPIRED,
    NEEDED,
    OWNER,
    UNKNOWN,
    Addresses,
    WordError,
    Words,
    address,
)
from explorer.runs import jobs
from explorer.runs.database import StoreError
from explorer.runs.execute import execute
from explorer.runs.quota import LimitError
from explorer.runs.store import Store
from explorer.spec import CouplingSpec, amended
from explorer.ui import page_visit, registry

SPEC = CouplingSpec(rank=2, m_h=2, tau=4, n=8, d_v=8, m_ff=16, batch=8, steps=20)
ONE, OTHER = "1" * 32, "2" * 32


@pytest.fixture
def commons(tmp_path, monkeypatch):
    monkeypatch.setenv("EXPLORER_HOME", str(tmp_path))
    monkeypatch.setenv("EXPLORER_PUBLIC", "1")
    monkeypatch.setenv("EXPLORER_TRUSTED_PROXY", "*")
    monkeypatch.setattr(registry, "HOLDER", f"_explorer_state_{tmp_path.name}")
    space._counted.cache_clear()
    return Store(tmp_path)


def as_visitor(owner, call, *args):
    told = OWNER.set(owner)
    try:
        return call(*args)
    finally:
        OWNER.reset(told)


def content(folder):
    """Every file below a folder, and its bytes."""
    return {path: path.stat().st_size for path in sorted(folder.rglob("*"))}


# Without a word


def test_five_thousand_cookies_change_nothing_in_the_store(commons):
    as_visitor(ONE, registry.store).list()
    before = content(commons.home)
    for number in range(5000):
        own = as_visitor(f"{number:032x}", registry.store)
        assert own.counts() == {}
    assert content(commons.home) == before and owners(commons) == []
    let_in(commons, OTHER)
    assert as_visitor(OTHER, registry.store).create(SPEC)


def test_nothing_is_begun_or_kept_without_a_word(commons):
    own = as_visitor(ONE, registry.store)
    calls = [
        lambda: own.create(SPEC),
        lambda: own.put_grid(np.eye(4)),
        lambda: own.write(".", "talk.json", b"{}"),
        lambda: jobs.ask(own, "optimum", "x", "{}"),
        lambda: jobs.ask(own, "heads", "x", "{}"),
        lambda: own.add(SPEC, {}, (), ()),
        lambda: own.start(SPEC, "cpu"),
    ]
    for call in calls:
        with pytest.raises(LimitError):
            call()
    assert own.list() == [] and own is as_visitor(OTHER, registry.store)
    as_visitor(ONE, registry.wake)
    assert Turns(commons).counts() == {"queued": 0, "running": 0} and owners(commons) == []


def test_twenty_five_cookies_leave_the_queue_to_who_has_a_word(commons):
    for number in range(25):
        own = as_visitor(f"{number:032x}", registry.store)
        for _ in range(20):
            with pytest.raises(LimitError, match="needs the word of a class"):
                own.create(SPEC)
    let_in(commons, ONE)
    run = as_visitor(ONE, registry.store).create(SPEC)
    as_visitor(ONE, registry.wake)
    assert [one.item for one in Turns(commons).waiting()] == [run]
    assert as_visitor(ONE, registry.store).queue_place(run)[0] == 1


def test_what_was_kept_before_is_still_its_visitor_s_but_nothing_new_is_begun(commons):
    before = welcome(commons, ONE, Limits())
    with before.start(SPEC, "cpu") as lease:
        execute(before, lease.row)
    waits = before.create(SPEC)
    own = as_visitor(ONE, registry.store)
    assert own.home == before.home and own.read(lease.row.run).losses.size
    for call in (lambda: own.create(SPEC), lambda: own.put_grid(np.eye(4))):
        with pytest.raises(LimitError, match="needs the word"):
            call()
    own.rename(lease.row.run, "mine")
    own.request(waits, "stop")
    as_visitor(ONE, registry.wake)
    with pytest.raises(LimitError, match="needs the word"):
        own.request(waits, "resume")
    own.delete(waits)
    assert as_visitor(OTHER, registry.store).list() == []
    let_in(commons, ONE)
    assert as_visitor(ONE, registry.store).create(SPEC), "with a word it goes on there"


# A word


def test_a_word_has_so_many_places_until_it_expires(commons, monkeypatch):
    known = Words(visitors(commons))
    word = known.add("algebra", 2, time.time() + 100)
    for typed in (word, word.lower().replace("-", " ")):
        known.enter(ONE, typed)
    known.enter(OTHER, word)
    with pytest.raises(WordError, match="All 2 places of this word are taken"):
        known.enter("3" * 32, word)
    for forged in ("", "A", word[:-1], f"{word}A", "x" * 1000):
        with pytest.raises(WordError) as refused:
            known.enter("3" * 32, forged)
        assert str(refused.value) == UNKNOWN
    assert [known.standing(owner) for owner in (ONE, OTHER, "3" * 32)] == ["in", "in", "out"]
    then = time.time() + 101
    monkeypatch.setattr(time, "time", lambda: then)
    assert known.standing(ONE) == "out"
    with pytest.raises(WordError, match=EXPIRED.partition("{")[0]):
        known.enter(ONE, word)


def test_a_revoked_word_lets_nobody_in_and_its_name_can_be_used_again(commons):
    known = Words(visitors(commons))
    word = known.add("algebra", 2, time.time() + 100)
    known.enter(ONE, word)
    with pytest.raises(WordError, match="already"):
        known.add("algebra", 2, time.time() + 100)
    known.revoke("algebra")
    assert known.standing(ONE) == "out" and known.list() == []
    with pytest.raises(WordError, match="no word named"):
        known.revoke("algebra")
    again = known.add("algebra", 2, time.time() + 100)
    assert again != word
    with pytest.raises(WordError):
        known.enter(ONE, word)


def test_the_store_does_not_tell_a_word(commons):
    word = word_of(commons)
    kept = (visitors(commons) / "words.sqlite3").read_bytes()
    kept += (
        (visitors(commons) / "words.sqlite3-wal").read_bytes()
        if (visitors(commons) / "words.sqlite3-wal").exists()
        else b""
    )
    plain = word.replace("-", "")
    assert plain.encode() not in kept and word.encode() not in kept
    assert hashlib.sha256(plain.encode()).hexdigest().encode() in kept


def test_a_copy_of_the_store_knows_who_may_train(commons, tmp_path):
    let_in(commons, ONE)
    upkeep.backup(commons, tmp_path / "copy")
    copy = Words(visitors(Store(tmp_path / "copy")))
    assert copy.standing(ONE) == "in" and copy.list() == Words(visitors(commons)).list()


def test_places_of_who_keeps_nothing_are_free_after_a_day(commons, monkeypatch):
    let_in(commons, ONE, OTHER)
    as_visitor(ONE, registry.store).create(SPEC)
    then = time.time() + 1.1 * DAY
    monkeypatch.setattr(time, "time", lambda: then)
    known = Words(visitors(commons))
    known.tidy(owners(commons))
    assert set(known.taken()) == {ONE}
    known.tidy([])
    assert known.taken() == {}


def test_the_words_of_a_class_share_what_one_word_has(commons):
    """However many cookies come with it; the first run of each is taken all the same."""
    few = Limits(word_waiting=3, word_seconds=100, all_waiting=1)
    let_in(commons, ONE, OTHER, "3" * 32)
    let_in(commons, "4" * 32)
    queue = Turns(commons)
    one, other, third, alone = (welcome(commons, digit * 32, few) for digit in "1234")
    for own in (one, other, third):
        own.create(SPEC)
        own.sync()
    one.quota.limits = few.model_copy(update={"all_waiting": 500})
    with pytest.raises(LimitError, match="3 runs and sweeps of your class"):
        one.create(SPEC)
    for own in (one, other):
        own.request(own.list()[0].run, "stop")
        own.sync()
    queue.charge(ONE, 60)
    queue.charge(OTHER, 39.99)
    with pytest.raises(LimitError, match="a day of your class are left"):
        one.create(SPEC)
    alone.sync()
    queue.charge("4" * 32, 99)
    assert queue.spent(ONE, OTHER) == pytest.approx(99.99)
    assert alone.create(SPEC), "another word has its own"
    third.request(third.list()[0].run, "stop")
    third.sync()
    assert third.create(SPEC), "its first of the day"


def test_the_room_of_a_class_is_counted_together(commons):
    let_in(commons, ONE, OTHER)
    one, other = (welcome(commons, each, Limits(word_megabytes=1)) for each in (ONE, OTHER))
    (one.home / "large").write_bytes(bytes(990_000))
    with pytest.raises(LimitError, match="your class uses"):
        other.put_grid(np.ones((64, 64)))


# The link


def page(request):
    return HTMLResponse(f"<p>{OWNER.get()} {request.url.query}</p>")


def put(request):
    return PlainTextResponse("taken")


ROUTES = [
    Route("/train", page),
    Route("/", page),
    Route("/_stcore/upload_file/a/b", put, methods=["PUT"]),
]


@pytest.fixture
def server(commons):
    stack = [Middleware(logs.Requests), Middleware(Visitors, registry.recognition, limits=Limits())]
    with serving(Starlette(routes=ROUTES, middleware=stack)) as address:
        yield address


class Browser(urllib.request.HTTPRedirectHandler):
    """With a jar, unless it is none; keeps where it was led."""

    def __init__(self, server, with_jar=True):
        self.server, self.led = server, []
        jar = [urllib.request.HTTPCookieProcessor()] if with_jar else []
        self.jar = jar[0].cookiejar if jar else []
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), self, *jar)

    def redirect_request(self, req, fp, code, msg, headers, newurl):
        self.led.append(newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)

    def ask(self, path, method="GET"):
        request = urllib.request.Request(f"http://{self.server}{path}", method=method)
        try:
            with self.opener.open(request, timeout=10) as answer:
                return answer.status, answer.read().decode()
        except HTTPError as error:
            return error.code, error.read().decode()

    @property
    def owner(self):
        kept = {one.name: one.value for one in self.jar}
        return registry.recognition().owner({}, {COOKIE: kept[COOKIE]})


def test_a_link_lets_in_and_the_word_is_gone_from_the_address(server, commons):
    word, browser = word_of(commons), Browser(server)
    status, text = browser.ask(f"/train?m_h=3&word={word}&run=x")
    assert status == 200 and word not in text
    assert text == f"<p>{browser.owner} m_h=3&amp;run=x</p>".replace("&amp;", "&")
    assert [parse_qs(urlsplit(led).query).get("returned") for led in browser.led] == [["1"], None]
    assert registry.recognition().standing(browser.owner) == "in"
    assert browser.ask(f"/?word={word}")[0] == 200
    assert Words(visitors(commons)).list()[0].taken == 1, "who comes again keeps the place"


def test_who_only_looks_at_links_takes_no_place(server, commons):
    word = word_of(commons)
    status, text = Browser(server, with_jar=False).ask(f"/train?word={word}")
    assert status == 403 and "needs a cookie" in text
    assert Words(visitors(commons)).list()[0].taken == 0


@pytest.mark.parametrize(
    ("given", "said"), [("AAAAA-AAAAA", UNKNOWN), ("full", "All 1 places"), ("old", "was valid")]
)
def test_a_word_that_lets_nobody_in_says_why(server, commons, given, said):
    known = Words(visitors(commons))
    made = {"full": known.add("f", 1, time.time() + 100), "old": known.add("o", 1, time.time() - 1)}
    known.enter(ONE, made["full"])
    browser = Browser(server)
    browser.ask("/")
    status, text = browser.ask(f"/train?word={made.get(given, given)}")
    assert status == 403 and said in text and 'href="./"' in text
    assert known.standing(browser.owner) == "out"


def test_a_link_with_a_word_leads_to_this_server_alone_and_is_kept_nowhere(server, commons):
    browser = Browser(server)
    browser.ask("/")
    cookie = "; ".join(f"{one.name}={one.value}" for one in browser.jar)
    for path, led in (("//evil.example/", "./"), ("/a/..//evil.example", "./evil.example")):
        with closing(HTTPConnection(server, timeout=10)) as connection:
            connection.request(
                "GET", f"{path}?word={word_of(commons, path)}", headers={"Cookie": cookie}
            )
            answer = connection.getresponse()
            assert (answer.status, answer.getheader("Location")) == (303, led)
            assert answer.getheader("Referrer-Policy") == "no-referrer"
            assert answer.getheader("Cache-Control") == "no-store"


def test_uploads_are_for_who_has_a_word(server, commons):
    browser = Browser(server)
    browser.ask("/")
    assert browser.ask("/_stcore/upload_file/a/b", "PUT") == (403, NEEDED)
    browser.ask(f"/?word={word_of(commons)}")
    assert browser.ask("/_stcore/upload_file/a/b", "PUT") == (200, "taken")


def test_who_is_known_by_the_proxy_needs_no_word(commons, monkeypatch):
    monkeypatch.setenv("EXPLORER_USER_HEADER", "X-User")
    stack = [Middleware(Visitors, registry.recognition, limits=Limits())]
    with serving(Starlette(routes=ROUTES, middleware=stack)) as address:
        request = urllib.request.Request(f"http://{address}/", headers={"X-User": "ada"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            owner = answer.read().decode()[3:35]
        assert as_visitor(owner, registry.store).create(SPEC)
        assert Browser(address).ask("/?word=AAAAA-AAAAA")[0] == 403


# Blocked


def test_a_blocked_visitor_is_answered_no_more_and_trains_no_more(server, commons):
    browser = Browser(server)
    browser.ask(f"/?word={word_of(commons)}")
    own = as_visitor(browser.owner, registry.store)
    run = own.create(SPEC)
    as_visitor(browser.owner, registry.wake)
    Turns(commons).block(browser.owner)
    assert own.get(run).status == "stopped" and Turns(commons).waiting() == []
    for path in ("/", "/train?word=AAAAA-AAAAA"):
        assert browser.ask(path) == (403, BLOCKED)
    assert as_visitor(browser.owner, registry.store).list() == []
    with pytest.raises(LimitError):
        as_visitor(browser.owner, registry.store).create(SPEC)
    Words(visitors(commons)).block(browser.owner, False)
    assert browser.ask("/")[0] == 200 and as_visitor(browser.owner, registry.store).get(run)


def test_an_open_page_of_a_blocked_visitor_says_so(commons):
    def opened():
        with page_visit.slot():
            return "computed"

    assert as_visitor(ONE, opened) == "computed"
    Words(visitors(commons)).block(ONE)
    with pytest.raises(StoreError) as refused:
        as_visitor(ONE, opened)
    assert str(refused.value) == BLOCKED


def test_whoever_runs_the_server_removes_what_a_visitor_has(commons):
    let_in(commons, ONE, OTHER)
    own = as_visitor(ONE, registry.store)
    own.create(SPEC)
    as_visitor(ONE, registry.wake)
    with Turns(commons).writing() as db:
        db.execute("UPDATE work SET running = 1")
    with pytest.raises(StoreError, match="is training"):
        Turns(commons).remove(ONE)
    Turns(commons).block(ONE)
    Turns(commons).remove(ONE)
    assert not own.home.exists() and not [*visitors(commons).glob("gone-*")]
    assert set(Words(visitors(commons)).taken()) == {OTHER}


# The command line


def test_an_operator_makes_lists_and_revokes_words(commons, monkeypatch, tmp_path):
    image = tmp_path / "word.svg"
    made = "words add analysis --places 3 --expires 2999-12-31 --link https://a.example/x --json"
    code, out, _ = on_streams([*made.split(), "--qr", str(image)], monkeypatch)
    said = json.loads(out)
    assert code == 0 and said["link"] == f"https://a.example/x/?word={said['word']}"
    assert image.read_text("utf-8").startswith("<?xml")
    Words(visitors(commons)).enter(ONE, said["word"])
    listed = json.loads(on_streams(["words", "list", "--json"], monkeypatch)[1])
    assert listed["words"] == [
        {"name": "analysis", "taken": 1, "places": 3, "expires": "2999-12-31"}
    ]
    assert said["word"] not in on_streams(["words", "list"], monkeypatch)[1]
    assert on_streams(["words", "revoke", "analysis"], monkeypatch)[0] == 0
    for bad, why in (
        (["revoke", "analysis"], "no word named"),
        (["add", "a", "--places", "3", "--expires", "soon"], "is no day"),
        (["add", "a", "--places", "3", "--expires", "2001-01-01"], "is over"),
        (["add", "a", "--places", "3", "--expires", "2999-01-01", "--qr", "x.svg"], "--link"),
    ):
        code, _, err = on_streams(["words", *bad], monkeypatch)
        assert code == 2 and why in err


def test_an_operator_lists_blocks_and_removes_visitors(commons, monkeypatch):
    let_in(commons, ONE, OTHER)
    as_visitor(ONE, registry.store).create(SPEC)
    listed = json.loads(on_streams(["visitors", "list", "--json"], monkeypatch)[1])["visitors"]
    assert [(row["visitor"], row["word"], row["bytes"] > 0) for row in listed] == [
        (ONE, "class 0", True),
        (OTHER, "class 0", False),
    ]
    assert on_streams(["visitors", "block", ONE[:6]], monkeypatch)[0] == 0
    assert Words(visitors(commons)).blocked() == {ONE}
    assert on_streams(["visitors", "block", "3" * 32], monkeypatch)[0] == 0, "one without a word"
    assert on_streams(["visitors", "unblock", ONE], monkeypatch)[0] == 0
    assert on_streams(["visitors", "remove", ONE], monkeypatch)[0] == 0
    assert owners(commons) == []
    code, _, err = on_streams(["visitors", "remove", "7"], monkeypatch)
    assert code == 2 and "names no visitors" in err


# From where


@pytest.mark.parametrize(
    ("client", "said", "found"),
    [
        ("10.0.0.1", None, "10.0.0.1"),
        ("10.0.0.1", "192.0.2.7", "192.0.2.7"),
        ("10.0.0.1", "1.2.3.4, 192.0.2.7", "192.0.2.7"),
        ("10.0.0.1", "", "10.0.0.1"),
        ("10.0.0.1", "unknown", "10.0.0.1"),
        ("2001:db8:1:2:3:4:5:6", None, "2001:db8:1:2::"),
        ("::ffff:192.0.2.7", None, "192.0.2.7"),
        (None, None, ""),
    ],
)
def test_an_address_is_the_last_that_the_proxy_names_or_the_64_of_one(client, said, found):
    headers = [] if said is None else [(b"x-forwarded-for", said.encode())]
    scope = {"type": "http", "headers": headers, "client": client and (client, 1)}
    assert address(scope) == found


def test_new_cookies_of_one_address_have_one_share_of_the_pages(commons):
    shares, known = registry.shares(), registry.recognition().addresses
    for number in range(3):
        known.note(f"{number:032x}", "192.0.2.7")
    known.note(OTHER, "192.0.2.8")
    shares.charge(f"{0:032x}", 1000.0)
    assert all(shares.wait(f"{number:032x}") > 0 for number in range(3))
    assert shares.wait(OTHER) == 0
    let_in(commons, f"{1:032x}")
    assert shares.wait(f"{1:032x}") == 0, "with a word there is a share of one's own"


def test_in_a_lecture_room_pages_are_counted_by_cookie(commons, monkeypatch):
    monkeypatch.setenv("EXPLORER_SHARED_ADDRESSES", "192.0.2.0/24")
    shares, known = registry.shares(), registry.recognition().addresses
    for owner in (ONE, OTHER):
        known.note(owner, "192.0.2.7")
    shares.charge(ONE, 1000.0)
    assert shares.wait(ONE) > 0 and shares.wait(OTHER) == 0


def test_pages_take_turns_with_those_of_their_word_or_address(commons):
    shares, known = registry.shares(), registry.recognition()
    let_in(commons, ONE)
    assert known.words.name_of(ONE) and shares.line(ONE) == f"word {known.words.name_of(ONE)}"
    known.addresses.note(OTHER, "192.0.2.7")
    assert shares.line(OTHER) == "192.0.2.7"
    known.accounts.add(OTHER)
    assert shares.line(OTHER) == OTHER


def test_addresses_of_so_many_visitors_are_known(monkeypatch):
    monkeypatch.setattr("explorer.hosting.visitors.MOST", 2)
    known = Addresses()
    for owner in "abac":
        known.note(owner, f"from {owner}")
    assert [known.latest(owner) for owner in "abc"] == ["from a", "", "from c"]


def test_a_hash_of_an_address_is_of_one_day_and_one_process(monkeypatch):
    known, now = Addresses(), time.time()
    first = known.salted("192.0.2.7")
    assert known.salted("192.0.2.7") == first != known.salted("192.0.2.8")
    assert Addresses().salted("192.0.2.7") != first
    monkeypatch.setattr(time, "time", lambda: now + DAY)
    assert known.salted("192.0.2.7") != first


def test_a_line_of_the_log_has_visitor_and_hashed_address_and_no_word(server, commons, monkeypatch):
    said = []
    monkeypatch.setattr(logs.LOG, "info", lambda what, fields: said.append(fields))
    browser, word = Browser(server), word_of(commons)
    browser.ask(f"/train?word={word}")
    last = said[-1]
    assert last["visitor"] == browser.owner
    assert last["address"] == registry.recognition().addresses.salted("127.0.0.1")
    assert word not in json.dumps(said) and "127.0.0.1" not in json.dumps(said)


# Recovery


def test_a_start_opens_the_spaces_in_which_something_waits_and_others_when_asked(
    commons, monkeypatch
):
    let_in(commons, ONE, OTHER)
    one, other = welcome(commons, ONE, Limits()), welcome(commons, OTHER, Limits())
    for own in (one, other):
        run = own.create(SPEC)
    one.sync()
    with other.claim("cpu") as lease:
        assert lease.row.run == run  # and the process dies
    revived = []
    monkeypatch.setattr(
        Space,
        "recover",
        lambda space, before=Space.recover: (revived.append(space.owner), before(space)),
    )
    Turns(commons).recover()
    assert revived == [ONE] and other.get(run).status == "interrupted"
    as_visitor(OTHER, registry.store)
    assert revived == [ONE, OTHER] and other.get(run).status == "queued"
    assert {one.owner for one in Turns(commons).waiting()} == {ONE, OTHER}
    as_visitor(OTHER, registry.store)
    assert len(revived) == 2


# On a page


def a_page():
    from explorer.ui import here

    here.choice("")


@pytest.fixture
def menu(commons, monkeypatch):
    monkeypatch.setattr(registry, "_owner_of_session", lambda: ONE)
    return AppTest.from_function(a_page, default_timeout=30)


def test_who_has_a_space_does_not_wait_while_another_s_is_opened(commons, monkeypatch):
    for owner in (ONE, OTHER):
        let_in(commons, owner)
    mine = as_visitor(ONE, registry.store)
    began, go = threading.Event(), threading.Event()

    def slowly(*asked):
        began.set()
        assert go.wait(20)
        return welcome(*asked)

    monkeypatch.setattr(registry, "welcome", slowly)
    with ThreadPoolExecutor(2) as threads:
        other = threads.submit(as_visitor, OTHER, registry.store)
        assert began.wait(20)
        assert threads.submit(as_visitor, ONE, registry.store).result(20) is mine
        assert not other.done()
        go.set()
        assert other.result(20).owner == OTHER


def test_what_another_process_says_of_a_visitor_is_known_at_once(commons):
    known = registry.recognition()
    assert known.standing(ONE) == "out" and known.words.name_of(ONE) == ""
    let_in(commons, ONE)
    assert known.standing(ONE) == "in" and known.words.name_of(ONE)
    Words(visitors(commons)).block(ONE)
    assert known.standing(ONE) == "blocked"
    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(known.standing, ONE).result(20) == "blocked"


def test_a_word_is_typed_where_the_place_of_training_is_chosen(menu, commons):
    word = word_of(commons)
    app = menu.run()
    assert not app.exception and [field.label for field in app.text_input] == ["Have a word?"]
    app = app.text_input[0].input("AAAAA-AAAAA").run()
    assert [each.value for each in app.error] == [UNKNOWN]
    app = app.text_input[0].input(word).run()
    assert not app.exception and not app.text_input and not app.error
    assert registry.recognition().standing(ONE) == "in"
    assert app.session_state["where to train"] is False, "what is trained next is on the server"


def test_without_visitors_nobody_is_asked_for_a_word(menu, monkeypatch):
    monkeypatch.delenv("EXPLORER_PUBLIC")
    app = menu.run()
    assert not app.exception and not app.text_input


def test_a_run_that_was_begun_goes_on_when_its_word_ends(commons):
    let_in(commons, ONE)
    own = as_visitor(ONE, registry.store)
    run = own.create(amended(SPEC, steps=40))
    own.sync()
    Words(visitors(commons)).revoke("class 0")
    space = Turns(commons).take()
    with space.claim("cpu") as lease:
        assert execute(space, lease.row).status == "finished"
    assert as_visitor(ONE, registry.store).get(run).status == "finished"
