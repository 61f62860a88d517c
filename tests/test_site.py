"""The static edition: complete, of names alone, shared by a room, whole or not there."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from html import unescape

import pytest
from file_parts import parts_of
from sites import READS, TALK, hosted, small_site, some, visit

from explorer.pages.design.view_gallery import GALLERY
from explorer.runs.frames import header_of
from explorer.runs.store import Store
from explorer.spec import CouplingSpec
from explorer.ui import page_file
from explorer.ui.here import engine
from explorer.ui.pages import PAGES
from explorer.ui.site import folder
from explorer.ui.site.folder import SiteError, write
from explorer.ui.site.pictures import GALLERY_FILE, PICTURED, TALK_FILE, file_of, pictures

VISITORS = 200


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    out = tmp_path_factory.mktemp("host") / "deep" / "down" / "site"
    small_site(out)
    return out


def test_everything_that_is_shipped_has_a_file_and_a_title_of_its_own():
    found = pictures()
    assert len({each.file for each in found}) == len(found)
    runs = {run for page in PAGES.values() for run in (*page.shipped, *page.ready)}
    params = [dict(each.params) for each in found]
    assert {each["run"] for each in params if "run" in each} == runs
    assert sum("sweep" in each for each in params) == 6
    assert sum(each.page == "design" for each in found) == 1 + len(GALLERY)
    for page in {each.page for each in found}:
        titles = [each.title for each in found if each.page == page]
        assert len(set(titles)) == len(titles), titles


def test_a_folder_holds_what_it_lists_and_links_to_nothing_else(site):
    names = {path.name for path in site.iterdir()}
    assert names == set(json.loads((site / "site.json").read_text("utf-8")))
    assert {"index.html", GALLERY_FILE, TALK_FILE} <= names
    left_out = {each.file for each in pictures()} - {each.file for each in some()}
    for page in site.glob("*.html"):
        text = page.read_text("utf-8")
        found = set(READS.findall(text))
        assert found <= names | left_out, page.name
        assert '<script type="module"' not in text and "script-src 'self'" in text
        assert not re.search(r"@import|url\(|https?://(?!www\.w3\.org|example)", text), page.name
    assert len([*site.glob("*.js")]) < 2 * len({each.page for each in some()}) + 3


def test_all_that_trains_shares_one_kernel(site):
    """Files of their own hold it each, those of a folder once for all."""
    kernel = engine()["wasm"]
    assert [path.suffix for path in site.iterdir() if kernel in path.read_text("utf-8")] == [".js"]
    (script,) = [path.name for path in site.glob("*.js") if kernel in path.read_text("utf-8")]
    trained = {page.name for page in site.glob("*.html") if script in page.read_text("utf-8")}
    assert {"index.html", "train.html", "rates.html"} <= trained
    assert "attention.html" not in trained


def test_every_file_has_a_title_and_a_description_of_its_own_page(site):
    """What a tab, a bookmark and the preview of a link show."""
    heads = {}
    for page in site.glob("*.html"):
        text = page.read_text("utf-8")
        title = unescape(re.search("<title>(.*?)</title>", text)[1])
        meta = dict(re.findall(r'<meta (?:name|property)="([^"]+)"\s+content="([^"]*)"', text))
        about = unescape(meta["description"])
        assert unescape(meta["og:title"]) == title and unescape(meta["og:description"]) == about
        assert 10 < len(about) < 300 and "**" not in about
        heads[page.name] = title, about
    titles = [title for title, _ in heads.values()]
    assert len(set(titles)) == len(titles)
    for name in PICTURED:
        assert heads[file_of(name)] == (PAGES[name].tab, PAGES[name].described)


def test_a_page_says_how_its_own_picture_is_trained(site):
    for name in ("train.html", "rates.html", "order.html", "index.html"):
        text = (site / name).read_text("utf-8")
        assert "streamlit run app.py" in text and "python -m explorer " in text
    assert "sweep &#x27;{" in (site / "rates-budget.html").read_text("utf-8")


def test_every_coupling_of_the_gallery_leads_to_its_file():
    header = header_of(parts_of(page_file.html(folder.gallery()).decode())["data"])
    files = {each.file for each in pictures()}
    assert len(header["entries"]) == len(GALLERY)
    assert {entry["href"] for entry in header["entries"]} <= files


def test_nothing_of_this_machine_goes_with_it(tmp_path, monkeypatch):
    monkeypatch.setenv("EXPLORER_HOME", str(tmp_path / "home"))
    run = Store(tmp_path / "home").create(CouplingSpec(steps=20), name="a secret of mine")
    write(tmp_path / "site", [each for each in some() if each.page == "design"], TALK)
    for path in (tmp_path / "site").iterdir():
        text = path.read_text("utf-8")
        assert "a secret of mine" not in text and run not in text and str(tmp_path) not in text


def test_two_hundred_visitors_at_once_are_all_answered(site):
    """Of the plainest host there is: each loads a page with all that it needs."""
    pages = [page.name for page in site.glob("*.html")]
    with hosted(site.parents[2]) as host, ThreadPoolExecutor(VISITORS) as crowd:
        addresses = [f"{host}/deep/down/site/{name}" for name in pages * (VISITORS // len(pages))]
        addresses += addresses[: VISITORS - len(addresses)]
        answers = [*crowd.map(visit, addresses)]
    assert len(answers) == VISITORS
    for address, loaded in zip(addresses, answers, strict=True):
        assert len(loaded) > 1, address
        for name, content in loaded.items():
            file = name or address.rpartition("/")[2]
            assert content == (site / file).read_bytes()


def test_a_site_is_replaced_and_nothing_else_is(tmp_path, monkeypatch):
    monkeypatch.setattr(folder, "_files", lambda *_: iter([("index.html", b"new")]))
    out = tmp_path / "site"
    write(out, [], TALK)
    (out / "index.html").write_text("old")
    write(out, [], TALK)
    assert (out / "index.html").read_text() == "new"
    (out / "diary.txt").write_text("mine")
    with pytest.raises(SiteError, match=r"diary\.txt"):
        write(out, [], TALK)
    for wrong in (tmp_path / "file", tmp_path / "full"):
        if wrong.name == "file":
            wrong.write_text("x")
        else:
            (wrong / "sub").mkdir(parents=True)
        with pytest.raises(SiteError, match=wrong.name):
            write(wrong, [], TALK)
    assert (out / "diary.txt").read_text() == "mine"
    assert {path.name for path in tmp_path.iterdir()} == {"site", "file", "full"}


@pytest.mark.parametrize("at", [0, 1])
def test_what_fails_on_the_way_leaves_the_older_site(tmp_path, monkeypatch, at):
    monkeypatch.setattr(folder, "_files", lambda *_: iter([("index.html", b"old")]))
    out = tmp_path / "site"
    write(out, [], TALK)

    def broken(*_):
        yield from [("index.html", b"new")] * at
        raise MemoryError

    monkeypatch.setattr(folder, "_files", broken)
    with pytest.raises(MemoryError):
        write(out, [], TALK)
    assert (out / "index.html").read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_an_older_site_comes_back_where_the_new_one_cannot_take_its_place(tmp_path, monkeypatch):
    monkeypatch.setattr(folder, "_files", lambda *_: iter([("index.html", b"new")]))
    out, replace, asked = tmp_path / "site", folder.os.replace, []
    write(out, [], TALK)
    (out / "index.html").write_bytes(b"old")

    def refused_once(old, new):
        asked.append(new)
        if asked.count(out) == 1 and new == out:
            raise OSError(5, "no", str(out))
        replace(old, new)

    monkeypatch.setattr(folder.os, "replace", refused_once)
    with pytest.raises(OSError, match="no"):
        write(out, [], TALK)
    assert (out / "index.html").read_bytes() == b"old"


def test_the_command_refuses_a_folder_of_others(explorer, tmp_path):
    (tmp_path / "mine.txt").write_text("x")
    refused = explorer("site", "--out", str(tmp_path))
    assert refused.code == 2 and "mine.txt" in refused.err
