"""Where talks are kept: the reader's in the folder of the store, the shipped one in assets/; and
the deck of each, made once by a process of its own."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from threading import Lock

from explorer.runs.database import readable_errors
from explorer.runs.files import write_durably
from explorer.ui import registry
from explorer.ui.talk.scenes import Talk, TalkError, dump_talk, read_talk

ROOT = Path(__file__).resolve().parents[3]
SHIPPED = ROOT / "assets" / "talk.json"
MINE, OURS = "mine", "shipped"
AT_ONCE = 2
"""That are made; who asks for another waits."""
DECKS = 3
"""That are kept: the newest."""

_lock = Lock()
_at_work: dict[Path, subprocess.Popen] = {}


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
    return read_talk(text(name))


def keep(talk: Talk) -> None:
    """Keep it as the reader's, whole or not at all; raises StoreError."""
    write_durably(_file(), dump_talk(talk).encode())


def forget() -> None:
    """The reader's talk is the shipped one again; the other lies beside it, as talk-before.json."""
    path = _file()
    with readable_errors(path):
        path.replace(path.with_name("talk-before.json"))


def deck(name: str) -> Path | None:
    """The file of a talk, with notes; None while it is being made.

    Raises TalkError with the reason where it cannot be made, StoreError, and LookupError for an
    unknown name.
    """
    source = dump_talk(load(name))
    store = registry.store()
    ours = source == dump_talk(load(OURS))  # drawn once for everybody
    folder = (registry.commons() if ours else store).home / "talks"
    key = hashlib.sha256(f"{source}{_age_of_the_code()}".encode()).hexdigest()[:16]
    file = folder / f"{key}.html"
    if file.exists():
        return file
    with _lock, readable_errors(folder):
        folder.mkdir(exist_ok=True)
        made = _at_work.get(file)
        if made is None:
            if sum(other.poll() is None for other in _at_work.values()) < AT_ONCE:
                _at_work[file] = _make(source, file, store.home)
        elif made.poll() is not None:
            del _at_work[file]
            if not file.exists():
                raise TalkError(*_complaint(file))
            _tidy(folder)
    return file if file.exists() else None


def _make(source: str, file: Path, home: Path) -> subprocess.Popen:
    """A process that draws all pages, which would hold up those of the readers here."""
    talk = file.with_suffix(".json")
    write_durably(talk, source.encode())
    words = ["-m", "explorer", "talk", "build", str(talk), "--out", str(file), "--notes"]
    with file.with_suffix(".log").open("wb") as log:
        return subprocess.Popen(
            [sys.executable, *words],
            cwd=ROOT,
            env={**os.environ, "EXPLORER_HOME": str(home)},  # with the runs of its author
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )


def _complaint(file: Path) -> list[str]:
    lines = file.with_suffix(".log").read_text("utf-8", errors="replace").splitlines()
    told = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
    return told or ["the file of the talk could not be made", *lines[-1:]]


def _age_of_the_code() -> int:
    """Of the newest module, script or shipped run: what is drawn may be another from then on."""
    folders = (ROOT / "explorer", ROOT / "pages", ROOT / "assets")
    return max(file.stat().st_mtime_ns for folder in folders for file in folder.rglob("*.*"))


def _tidy(folder: Path) -> None:
    for old in sorted(folder.glob("*.html"), key=lambda file: file.stat().st_mtime)[:-DECKS]:
        for suffix in (".html", ".json", ".log"):
            with suppress(OSError):
                old.with_suffix(suffix).unlink()
