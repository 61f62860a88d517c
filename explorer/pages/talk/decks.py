"""Where talks are kept: the reader's in the folder of the store, the shipped one in assets/; and
the deck of each, made once by a process of its own."""

import hashlib
import json
import os
import re
import subprocess
import sys
import time
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryFile
from threading import Lock, Thread
from typing import IO

from explorer.folder import PACKAGE, resource
from explorer.pages.talk.scenes import MAX_TEXT, Talk, TalkError, dump_talk, read_talk
from explorer.runs import bounds
from explorer.runs.database import StoreError, readable_errors
from explorer.runs.store import Store
from explorer.ui import registry

SHIPPED = resource("assets") / "talk.json"
PICTURES = resource("assets") / "talk-pictures.jsonl"
"""Of the shipped scenes, as their deck draws them: a line with `id` and `image` for each."""
BEFORE = "talk-before.json"
MINE, OURS = "mine", "shipped"
AT_ONCE = 2
"""That are made, one for a reader, and one of many pictures; who asks for another waits."""
LONG = 40
"""Pictures of a talk beside which another of so many waits, so that a shorter one need not."""
MEGABYTES, SECONDS = 3000, 300
"""Of memory and of a processor that the making of a deck may take: the shipped one takes 1,400 and
12, a step with a formula of its own half a second."""
NICE = 10
"""How far the making of a talk gives way to pages and trainings."""
LOOK_SECONDS = 5.0
"""Between two looks at how old the code is."""
NOTES = '<script type="application/json" data-notes>'
"""Begins the element of a deck that has the speaker's notes."""
COUNT = re.compile(r"\d+ of \d+")
STORED = ("store.sqlite3", "store.sqlite3-wal", "grids", "looks", "models", "runs")
"""What of a store pages show. Its log is made empty by who reads, and goes again."""
DECKS = 3
"""That are kept: the newest."""

_lock = Lock()
_at_work: dict[Path, list[str]] = {}
"""What each that makes a deck has said so far: counts, and complaints."""
_long: set[Path] = set()
"""Those of them that have many pictures."""
_failed: dict[Path, list[str]] = {}


def _file() -> Path:
    return registry.store().home / "talk.json"


def text(name: str = MINE) -> str:
    """The talk.json of a name, the reader's or the shipped one, which is the reader's as long as
    nothing was changed. Raises StoreError, and LookupError for another name."""
    if name not in (MINE, OURS):
        raise LookupError(f"there is no talk {name[:20]!r}: {MINE} or {OURS}")
    path = _file() if name == MINE and _file().exists() else SHIPPED
    with readable_errors(path):
        return path.read_text("utf-8", errors="replace")


def load(name: str = MINE) -> Talk:
    """The talk of a name; raises TalkError where its file was changed by another hand."""
    return _read(text(name))


@lru_cache(maxsize=8)
def _read(source: str) -> Talk:
    """It cannot be changed, and each page asks for it whenever it is drawn."""
    return read_talk(source)


@lru_cache(maxsize=1)
def pictures() -> dict[str, str]:
    """The sources of the images of shipped scenes, by the scenes' ids."""
    lines = PICTURES.read_text("utf-8").splitlines() if PICTURES.exists() else []
    return {each["id"]: each["image"] for each in map(json.loads, lines)}


def keep(talk: Talk) -> None:
    """Keep it as the reader's, whole or not at all; raises StoreError, and TalkError where it is
    too long to be read again."""
    source = dump_talk(talk)
    if len(source) > MAX_TEXT:
        raise TalkError(f"talk: {len(source)} characters, at most {MAX_TEXT} are read")
    registry.store().write(".", _file().name, source.encode())


def forget() -> None:
    """The reader's talk is the shipped one again; the other lies beside it, as talk-before.json."""
    path = _file()
    with readable_errors(path):
        path.replace(path.with_name(BEFORE))


def begin_anew(talk: Talk) -> None:
    """Another one is the reader's; the one before lies beside it. Raises StoreError, and TalkError:
    then it is still the reader's."""
    path = _file()
    aside = path.with_name("talk-aside.json")
    with readable_errors(path):
        was = path.exists()
        try:
            if was:
                registry.store().write(".", aside.name, path.read_bytes())
            keep(talk)
            if was:
                aside.replace(path.with_name(BEFORE))
        finally:
            aside.unlink(missing_ok=True)


def deck(name: str) -> Path | None:
    """The file of a talk, with notes; None while it is being made.

    Raises TalkError with the reason where it cannot be made, StoreError, and LookupError for an
    unknown name.
    """
    source, keeper, file = _of(name)
    store = registry.store()
    if file.exists():
        return file
    with _lock:
        if file in _failed:
            raise TalkError(*_failed.pop(file))
        if not file.exists() and _has_room(file, is_long := _read(source).pictures > LONG):
            _at_work[file] = []
            _long.update({file} if is_long else ())
            asks = "" if keeper is registry.commons() else registry.owner()
            args = (source, file.name, store, keeper, asks)
            try:
                Thread(target=_make, args=args, daemon=True).start()
            except RuntimeError:  # no more threads here
                _end(file)
                raise TalkError("this server is too busy to draw a talk: try again soon") from None
    return file if file.exists() else None


def _has_room(file: Path, is_long: bool) -> bool:
    """Whether a deck may be made now."""
    mine = any(file.parent == each.parent for each in _at_work)
    return not mine and len(_at_work) < AT_ONCE and not (is_long and _long)


def drawn(name: str) -> str:
    """How far the making of a deck is, as "12 of 65"; "" where nothing is counted yet."""
    _, _, file = _of(name)
    with _lock:
        counts = [line for line in _at_work.get(file, ()) if COUNT.fullmatch(line)]
    return counts[-1] if counts else ""


def begin() -> None:
    """Let the shipped talk be drawn before its stage is opened, where a server trains and draws."""
    if registry.pool() is not None and not _file().exists():
        deck(OURS)


def _of(name: str) -> tuple[str, Store, Path]:
    """The source of a talk, the store that keeps its deck, and where."""
    source = dump_talk(load(name))
    ours = source == dump_talk(load(OURS))  # drawn once for everybody
    keeper = registry.commons() if ours else registry.store()
    age = _age_of_the_code(int(time.monotonic() // LOOK_SECONDS))
    key = hashlib.sha256(f"{source}{age}".encode()).hexdigest()[:16]
    return source, keeper, keeper.home / "talks" / f"{key}.html"


def _make(source: str, name: str, author: Store, keeper: Store, owner: str = "") -> None:
    """Let a process draw all pages, which would hold up those of the readers here; its time is
    that of the visitor `owner`. Nothing of it is on the disk before it is whole."""
    file, failed = keeper.home / "talks" / name, []
    told = _at_work.setdefault(file, [])
    try:
        with TemporaryFile() as made:
            code, seconds = _build(source, author, made, told)
            if owner and (shares := registry.shares()):
                shares.charge(owner, seconds)
            if code:
                failed = _complaint(told, code)
            else:
                made.seek(0)
                keeper.write("talks", name, made.read())
                _tidy(file.parent)
    except (OSError, StoreError) as error:
        failed = [str(error)]
    finally:
        with _lock:
            _end(file)
            _failed.update({file: failed} if failed else {})


def _end(file: Path) -> None:
    _at_work.pop(file)
    _long.discard(file)


def _build(source: str, author: Store, out: IO[bytes], told: list[str]) -> tuple[int, float]:
    """Run the command that makes a deck; what it says becomes lines of `told` as it comes. Returns
    its exit code and the processor seconds it took."""
    words = ["-m", "explorer", "talk", "build", "-", "--out", "-", "--notes", "--count"]
    homes = dict.fromkeys((author.home, registry.commons().home))  # whose decks the author may have
    words += [word for home in homes for word in ("--before", str(home / "talks"))]
    environment = {**os.environ, "EXPLORER_HOME": str(author.home)}
    environment.pop("EXPLORER_PUBLIC", None)  # to that process the space is the whole store
    with subprocess.Popen(
        [sys.executable, *words],
        cwd=resource(),
        env={**environment, "PYTHONIOENCODING": "utf-8"},
        stdin=subprocess.PIPE,
        stdout=out,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
    ) as made:
        assert made.stdin and made.stderr
        if hasattr(os, "setpriority"):
            os.setpriority(os.PRIO_PROCESS, made.pid, NICE)
        bounds.bound_process(made.pid, MEGABYTES, SECONDS)
        with suppress(BrokenPipeError):  # it has ended, and says why
            made.stdin.write(source)  # all of it is read before anything is said
        made.stdin.close()
        for line in made.stderr:
            told.append(line.rstrip())
        seconds = bounds.await_process(made)
    return made.returncode, seconds


def _complaint(lines: list[str], code: int) -> list[str]:
    if bounds.is_out_of_time(code):
        return [f"drawing the talk takes more than {SECONDS} processor seconds: make it shorter"]
    told = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
    last = [line for line in lines if not COUNT.fullmatch(line)][-1:]
    return told or ["the file of the talk could not be made", *last]


@lru_cache(maxsize=1)
def _age_of_the_code(interval: int) -> int:
    """Of the newest module, script or shipped run: what is drawn may be another from then on."""
    folders = (PACKAGE, resource("pages"), resource("assets"))
    files = (file for folder in folders for file in folder.rglob("*.*") if file.suffix != ".pyc")
    return max(file.stat().st_mtime_ns for file in files)


def state() -> str:
    """Of the code and of the store: what a page shows may be another where it has changed."""
    home = registry.store().home
    files = [(name, home / name) for name in STORED if (home / name).exists()]
    stats = [(name, file.stat()) for name, file in files]
    times = [(name, stat.st_mtime_ns) for name, stat in stats if stat.st_size]
    seen = f"{home}{times}{_age_of_the_code(0)}"
    return hashlib.sha256(seen.encode()).hexdigest()[:16]


def _tidy(folder: Path) -> None:
    for old in sorted(folder.glob("*.html"), key=lambda file: file.stat().st_mtime)[:-DECKS]:
        with suppress(OSError):
            old.unlink()
