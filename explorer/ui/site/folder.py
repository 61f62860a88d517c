"""The static edition as a folder: pages, the gallery, the talk and the scripts they share.

Every page is the file of ui/page_file.py with a head to go to the others by. Its script stands in a
file of its own, named by its hash, so that a browser loads it once and runs it under a policy that
lets in no script but those of the folder. Links are names of files: it works below any path.
"""

import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from html import escape
from pathlib import Path

from explorer.pages.talk.deck import build
from explorer.pages.talk.scenes import Talk
from explorer.runs.files import PARTIAL, write_durably
from explorer.ui import components, page_file
from explorer.ui.pages import PAGES
from explorer.ui.shown import Shown
from explorer.ui.site.pictures import (
    GALLERY_FILE,
    PICTURED,
    TALK_FILE,
    Picture,
    command,
    file_of,
    gallery,
)

LIST = "site.json"
"""What the folder holds: it is known by it, and nothing else may lie there when it is replaced."""
SCRIPT = re.compile(r'<script(?: type="module")?>(.*?)</script>', re.DOTALL)
INLINE, OWN = "script-src 'unsafe-inline'", "script-src 'self'"
Progress = Callable[[int, int], None]


class SiteError(ValueError):
    """The folder cannot be written; the message says why."""


def write(
    out: Path, wanted: Sequence[Picture], talk: Talk, progress: Progress = lambda done, all_: None
) -> list[str]:
    """Write the site into a folder, whole or not at all; returns the names of its files.

    An older site is replaced. Raises SiteError for a folder that holds anything else, TalkError for
    a talk whose pages cannot be drawn.
    """
    out = out.absolute()
    _restore(out)
    _check_replaceable(out)
    out.parent.mkdir(parents=True, exist_ok=True)
    beside = out.parent / f"{PARTIAL}{out.name}"
    shutil.rmtree(beside, ignore_errors=True)  # of one that was cut short
    beside.mkdir()
    try:
        with _empty_home():
            files = dict(_files(wanted, talk, progress))
        files[LIST] = json.dumps(sorted({*files, LIST}), indent=1).encode()
        for name, content in files.items():
            write_durably(beside / name, content)
        _put_in_place(beside, out)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return sorted(files)


def _check_replaceable(out: Path) -> None:
    if not out.exists():
        return
    if not out.is_dir():
        raise SiteError(f"{out} is not a folder")
    names = {path.name for path in out.iterdir()}
    if foreign := sorted(names - _listed(out)):
        raise SiteError(
            f"{out} holds {foreign[0]}, which is of no site that was written there: name a new "
            "folder, or move it away. Nothing was changed."
        )


def _listed(out: Path) -> set[str]:
    """What an older site has there by its own list; nothing where there is none."""
    try:
        return set(json.loads((out / LIST).read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return set()


def _old(out: Path) -> Path:
    """Where an older site is for a moment."""
    return out.parent / f"{PARTIAL}{out.name}-old"


def _restore(out: Path) -> None:
    """What a crash in that moment has left: the older site is put back, or it is removed where the
    new one had come."""
    if _old(out).exists() and not out.exists():
        os.replace(_old(out), out)
    shutil.rmtree(_old(out), ignore_errors=True)


def _put_in_place(new: Path, out: Path) -> None:
    """An older folder is out of the way for a moment, and comes back where the new one cannot take
    its place."""
    if not out.exists():
        os.replace(new, out)
        return
    old = _old(out)
    os.replace(out, old)
    try:
        os.replace(new, out)
    except OSError:
        os.replace(old, out)
        raise
    shutil.rmtree(old)


@contextmanager
def _empty_home() -> Iterator[None]:
    """A store without runs: what is shipped goes into the site, and nothing of this machine."""
    before = os.environ.get("EXPLORER_HOME")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["EXPLORER_HOME"] = folder
        try:
            yield
        finally:
            del os.environ["EXPLORER_HOME"]
            if before is not None:
                os.environ["EXPLORER_HOME"] = before


def _files(
    wanted: Sequence[Picture], talk: Talk, progress: Progress
) -> Iterator[tuple[str, bytes]]:
    """Names and contents; a script comes as often as there are pages that share it."""
    count = len(wanted) + 2
    for done, picture in enumerate(wanted, 1):
        yield from _apart(picture.file, _page(picture, wanted))
        progress(done, count)
    head = _head(GALLERY_FILE)
    shown = gallery()
    about = shown.verdict.partition(" **")[0]
    yield from _apart(
        GALLERY_FILE, page_file.html(shown, "Couplings worth opening", head, about=about)
    )
    progress(count - 1, count)
    yield from _apart(TALK_FILE, build(talk))
    progress(count, count)


def _apart(name: str, html: bytes) -> Iterator[tuple[str, bytes]]:
    """A page, and its scripts as files of their own."""
    scripts: dict[str, bytes] = {}

    def taken(match: re.Match[str]) -> str:
        content = f'"use strict";\n{{{match[1]}}}\n'.encode()  # names stay in the braces
        file = f"{hashlib.sha256(content).hexdigest()[:16]}.js"
        scripts[file] = content
        return f'<script defer src="{file}"></script>'

    text = SCRIPT.sub(taken, html.decode()).replace(INLINE, OWN, 1)
    yield from scripts.items()
    yield name, text.encode()


def _page(picture: Picture, others: Sequence[Picture]) -> bytes:
    shown = picture.drawn()
    title = f"{PAGES[picture.page].title}: {picture.title}" if picture.title else ""
    of_the_page = [other for other in others if other.page == picture.page]
    after = _own(shown) + _more(picture, of_the_page)
    return page_file.html(shown, title, _head(picture.file, picture.page), after)


def _head(file: str, page: str = "") -> str:
    """The way to every page; the one that is open is marked."""
    titles = {file_of(name): PAGES[name].title for name in PICTURED}
    titles |= {GALLERY_FILE: "Gallery", TALK_FILE: "Talk"}
    here = file_of(page) if page else file
    links = "".join(_link(name, title, name == here) for name, title in titles.items())
    style = (components.HERE / "file" / "site.css").read_text("utf-8")
    return f'<style>{style}</style><nav class="pages" aria-label="Pages">{links}</nav>'


def _more(picture: Picture, of_the_page: Sequence[Picture]) -> str:
    items = "".join(
        f"<li>{_link(each.file, each.title or 'as the page opens', each == picture)}</li>"
        for each in of_the_page
    )
    return (
        f'<nav class="more" aria-label="Pictures"><h2>More of this page</h2><ul>{items}</ul></nav>'
    )


def _link(file: str, title: str, here: bool) -> str:
    return f'<a href="{escape(file)}"{" aria-current=page" * here}>{escape(title)}</a>'


def _own(shown: Shown) -> str:
    """How a reader has this for themselves."""
    return (
        '<section class="own"><h2>Train your own</h2><p>In the explorer\'s folder '
        "<code>streamlit run app.py</code> opens these pages, where every design is computed and "
        f"trained anew; without a browser <code>{escape(command(shown))}</code> does so.</p>"
        "</section>"
    )
