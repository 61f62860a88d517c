"""What the document of a page draws before the page is here: what is kept for it, and for whom."""

import asyncio
import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from html import unescape

import numpy as np
import pytest
from letting_in import let_in
from starlette.requests import Request
from streamlit_pages import shell, turn

from explorer.folder import PACKAGE
from explorer.hosting.doors import policy
from explorer.hosting.visitors import COOKIE, OWNER, Recognition
from explorer.runs.frames import header_of, unpack
from explorer.spec import CouplingSpec
from explorer.ui import first, opening, registry, shortened, streamlit_private
from explorer.ui.pages import PAGES
from explorer.ui.shown import Shown

PICTURED = [name for name, page in PAGES.items() if page.picture]
KNOWN = Recognition("secret")
OWNERS = [KNOWN.owner({}, {COOKIE: KNOWN.cookie({})}) for _ in range(2)]


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch):
    monkeypatch.setattr(first, "_KEPT", type(first._KEPT)())


def open_page(name="design", **params):
    assert not turn(shell(**params), name).run().exception


def drawn(page="design", **params):
    shown = Shown(page, component=PAGES[page].picture, line="Drag **m**.", data=b"\4\0\0\0{}  ")
    first.keep(shown, params)


def answer_to(name="design", query="", **headers):
    """Status and text of what a browser would draw."""
    sent = [(key.encode(), value.encode()) for key, value in headers.items()]
    asked = {"type": "http", "path": "/", "query_string": query.encode(), "headers": sent}
    (route,) = (each for each in first.routes() if each.path == f"/first/{name}")
    with ThreadPoolExecutor(1) as thread:  # another loop runs here beside a browser
        run = copy_context().run
        answer = thread.submit(run, asyncio.run, route.endpoint(Request(asked))).result()
    return answer.status_code, answer.body.decode()


@pytest.mark.parametrize("name", PICTURED)
def test_every_picture_is_kept_as_the_page_has_drawn_it(name):
    open_page(name)
    ((_, page, params),) = first._KEPT
    assert (page, params) == (name, frozenset())
    status, text = answer_to(name)
    said = json.loads(text)
    assert status == 200 and said["line"].startswith("<p>")
    assert "data" in said["parts"] and len(text) < 200_000


def flat(value, path=""):
    """The numbers of a header, and all else, each by where it stands."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for name, part in pairs:
        if isinstance(part, dict | list):
            yield from flat(part, f"{path}/{name}")
        else:
            yield f"{path}/{name}", part


def close(one, two):
    """Whether two frames say the same, but for what another processor rounds."""
    (said, arrays), (other, others) = unpack(one), unpack(two)
    same = dict(flat(said)) == {
        at: pytest.approx(value, abs=1e-6) if isinstance(value, float) else value
        for at, value in flat(other)
    }
    return (
        same
        and arrays.keys() == others.keys()
        and all(np.allclose(arrays[name], others[name], atol=1e-5) for name in arrays)
    )


def test_the_shipped_one_is_what_the_first_page_draws():
    first.take_shipped()
    shipped = first._KEPT[first.BARE]
    open_page(first.FIRST)
    own = first._KEPT[first.BARE]
    assert own is not shipped and own.line == shipped.line
    assert close(own.data, shipped.data), "tests/write_pictures.py writes it anew"
    open_page(first.FIRST, spec='{"m_h":3}')
    assert not close(list(first._KEPT.values())[-1].data, shipped.data)


def test_one_that_is_drawn_here_does_not_give_way_to_the_shipped_one():
    drawn()
    first.take_shipped()
    assert first._KEPT[first.BARE].data == b"\4\0\0\0{}  "


@pytest.mark.parametrize("is_here", [True, False])
def test_the_first_page_is_opened_for_nobody_only_where_nobody_has_come(monkeypatch, is_here):
    opened = []

    async def open_page(path, *_):
        opened.append(path)

    monkeypatch.setattr(streamlit_private, "open_page", open_page)
    monkeypatch.setattr(registry, "wait_for_a_page", lambda seconds: is_here)
    asyncio.run(first.open_early(0.0))
    assert opened == ([] if is_here else [""])


def test_it_is_that_of_the_design_in_the_link():
    open_page(spec='{"m_h":3}')
    ((_, _, params), kept), *more = first._KEPT.items()
    assert dict(params) == {"spec": '{"m_h":3}'} and header_of(kept.data)["m"] == 3 and not more


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("design", {"spec": "{"}),
        ("design", {"spec": '{"formula":"import"}'}),
        ("design", {"spec": '{"tau":1e9}'}),
        ("design", {"view": '{"k":"<b>"}'}),
        ("train", {"run": "x"}),
        ("train", {"run": "0123456789ab-1"}),
    ],
    ids=str,
)
def test_of_an_address_with_something_wrong_nothing_is_kept(name, params):
    open_page(name, **params)
    assert not first._KEPT


def test_nor_of_the_tour_nor_of_a_text_that_the_session_alone_has():
    drawn(tour="1")
    drawn(spec=shortened.mark_of("long"))
    assert not first._KEPT


def test_those_drawn_last_are_kept(monkeypatch):
    for number in range(first.MOST + 2):
        drawn(view=str(number))
        drawn()
    assert len(first._KEPT) == first.MOST and ("", "design", frozenset()) in first._KEPT


def test_no_other_site_and_no_long_address_has_a_page_computed(monkeypatch):
    async def refuse(*_):
        raise AssertionError("a page is opened")

    monkeypatch.setattr(streamlit_private, "open_page", refuse)
    for site in ("cross-site", "same-site", "none"):
        assert answer_to(**{"sec-fetch-site": site}) == (204, "")
    assert answer_to(query="spec=" + "x" * first.LONGEST) == (204, "")
    with pytest.raises(AssertionError, match="is opened"):
        answer_to(**{"sec-fetch-site": "same-origin"})


def test_one_page_is_opened_at_a_time_and_who_wants_it_too_waits(monkeypatch):
    opened = []

    async def open_page(path, params, headers, seconds):
        opened.append(path)
        await asyncio.sleep(0.01)
        drawn(path)

    async def both():
        return await asyncio.gather(
            *(first._first(name, {}) for name in ("train", "train", "real"))
        )

    monkeypatch.setattr(streamlit_private, "open_page", open_page)
    one, same, other = asyncio.run(both())
    assert opened == ["train"] and one is same is not None and other is None


@pytest.fixture
def public(monkeypatch, tmp_path):
    """As a visitor, do this."""
    monkeypatch.setenv("EXPLORER_PUBLIC", "1")
    monkeypatch.setenv("EXPLORER_TRUSTED_PROXY", "*")
    monkeypatch.setenv("EXPLORER_HOME", str(tmp_path))
    monkeypatch.setattr(registry, "HOLDER", f"_explorer_state_{tmp_path.name}")

    async def nobody(*_):
        raise AssertionError("a page is opened")

    monkeypatch.setattr(streamlit_private, "open_page", nobody)

    def as_visitor(owner, call, *args, **options):
        told = OWNER.set(owner)
        try:
            return call(*args, **options)
        finally:
            OWNER.reset(told)

    return as_visitor


def test_a_visitor_is_shown_their_own_and_what_all_without_runs_are(public):
    one, other = OWNERS
    public(one, drawn)
    for asking in (one, other, ""):
        assert public(asking, answer_to)[0] == 200
    public(one, drawn, spec='{"m_h":3}')
    query = "spec=%7B%22m_h%22%3A3%7D"
    assert public(one, answer_to, query=query)[0] == 200
    for asking in (other, ""):
        assert public(asking, answer_to, query=query)[0] == 204, "nor is a page opened for it"


def test_of_who_has_runs_nobody_else_is_shown_anything(public):
    one, other = OWNERS
    let_in(registry.commons(), one)
    public(one, lambda: registry.store().create(CouplingSpec()))
    public(one, drawn)
    assert public(one, answer_to)[0] == 200
    assert public("", answer_to)[0] == 204
    with pytest.raises(AssertionError, match="is opened"):
        public(other, answer_to)


def test_the_document_asks_for_it_and_allows_no_script_more():
    before = (opening.STATIC / "index.html").read_text("utf-8")
    for name in PAGES:
        html = opening.document(name)
        assert html.count('<div id="first"') == 1
        said = [f"<title>{PAGES[name].tab}<", f'og:description" content="{PAGES[name].described}"']
        assert all(each in unescape(html) for each in said) and html.count("<title>") == 1
        assert ("data-controls" in html) == PAGES[name].controls
        assert policy(html) == policy(before)
    assert first.into(before.replace("root", "app"), "design").count('id="first"') == 0


@pytest.mark.parametrize("name", PAGES)
def test_its_script_is_one_and_lasts(name):
    script = first.script(name)
    assert not re.search(r"^(import|export) ", script, re.MULTILINE)
    assert f'"page": "{name}"' in script and "const pictureOf = (WebSocket) =>" in script


def test_scripts_that_come_later_come_with_the_others():
    html = opening.document("design")
    found = re.findall(r'modulepreload" crossorigin href="./static/js/([\w.-]+)"', html)
    assert len(found) == len(set(found)) and all(
        (opening.STATIC / "static/js" / name).is_file() for name in found
    )
    for name in opening.LATER:
        assert any(file.startswith(f"{name}.") for file in found), name


def test_a_first_page_waits_for_no_table():
    """pandas alone takes most of a second, and Streamlit imports it for a list in a dict that a
    component is given."""
    script = (
        "import sys; from explorer.ui.page_file import drawn; drawn('design', {});"
        "print(*sorted({'pandas', 'altair', 'torch', 'matplotlib'} & sys.modules.keys()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=PACKAGE.parent, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stdout + done.stderr[-800:]
