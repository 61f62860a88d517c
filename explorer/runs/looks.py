"""What models were shown here, and what they did with it: files of one folder, the newest of them.

home/looks/<sha256>.picture   a picture that was dropped in
home/looks/<id>.npz           what a model did with an input (pretrained/seen.py)
"""

import hashlib
from contextlib import suppress
from pathlib import Path

from explorer.pretrained.catalogue import ModelError
from explorer.pretrained.seen import Input
from explorer.runs.files import SHA256, write_durably
from explorer.runs.home import Home

MOST_BYTES = 300_000_000  # of the folder: the oldest go
LARGEST_PICTURE = 20_000_000


def file_of(home: Path, shown: Input) -> Path:
    """Where what is made of an input lies, if it does."""
    return home / "looks" / f"{shown.id}.npz"


def put_picture(store: Home, data: bytes) -> str:
    """Keep the file of a picture; its sha256. Raises ModelError for one that is too large, and
    StoreError where there is no room."""
    if len(data) > LARGEST_PICTURE:
        raise ModelError(
            f"the picture has {len(data) // 10**6} MB; at most {LARGEST_PICTURE // 10**6} are read"
        )
    sha = hashlib.sha256(data).hexdigest()
    store.write("looks", f"{sha}.picture", data)
    return sha


def picture(home: Path, sha: str) -> bytes:
    """The file of a picture; b"" for no sha256. Raises ModelError where it is not here."""
    if not sha:
        return b""
    path = home / "looks" / f"{sha}.picture"
    if not SHA256.fullmatch(sha) or not path.is_file():
        raise ModelError("the picture is not on this machine any more: drop it in again")
    return path.read_bytes()


def keep(store: Home, shown: Input, data: bytes) -> None:
    """Keep what was made of an input; the oldest files go where there are too many bytes. Raises
    StoreError where there is no room."""
    store.quota.room(len(data))
    path = file_of(store.home, shown)
    with store.writing("looks"):
        write_durably(path, data)
        files = [(file.stat(), file) for file in path.parent.iterdir() if file != path]
        room = MOST_BYTES - len(data)
        for stat, file in sorted(files, key=lambda pair: -pair[0].st_mtime):
            room -= stat.st_size
            if room < 0:
                with suppress(OSError):
                    file.unlink()
