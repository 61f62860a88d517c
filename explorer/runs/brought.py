"""Files of a model that somebody has given on a page, until a worker has read them.

models/own/.given-<digits>/    gone when the worker is done with it
"""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Protocol

from explorer.pretrained.catalogue import ModelError
from explorer.pretrained.own import CONFIG, MODEL_FILES, OWN_NAME, WEIGHTS, without_weights
from explorer.runs import jobs
from explorer.runs.database import Busy, transaction
from explorer.runs.files import write_durably
from explorer.runs.locks import hold
from explorer.runs.store import Store

LARGEST = 300_000_000  # bytes of a file that is given on a page: it passes through memory
GIVEN = ".given-"
OWN = "models/own"
"""Where a store's own models lie: who gives files holds its lock until a job says that they are to
be read."""


class File(Protocol):
    """What an uploader hands over."""

    name: str

    def getvalue(self) -> bytes: ...


@dataclass(frozen=True)
class Asked:
    """A folder of `given` and the name that its model shall have."""

    folder: str
    name: str

    def json(self) -> str:
        """As a job holds it."""
        return json.dumps(asdict(self))

    @classmethod
    def parse(cls, text: str) -> Asked:
        """Back again."""
        return cls(**json.loads(text))


def folder_of(models: Path, asked: Asked) -> Path:
    """Where the files lie."""
    return models / "own" / f"{GIVEN}{asked.folder}"


def put(models: Path, name: str, files: Iterable[File]) -> Asked:
    """Keep files for a worker; those that no model is read from are left alone. Raises ModelError
    for what is no name, and where the two that every model needs are not among them."""
    if not OWN_NAME.fullmatch(name):
        raise ModelError("give the model a name of small letters, digits and -, up to 30 of them")
    given = {file.name: file for file in files}
    if WEIGHTS not in given:
        raise ModelError(without_weights(given))
    if CONFIG not in given:
        raise ModelError(
            f"{CONFIG} is not among the files: `save_pretrained` of transformers writes it beside "
            f"{WEIGHTS}"
        )
    asked = Asked(secrets.token_hex(6), name)
    try:
        for each in given.keys() & set(MODEL_FILES):
            write_durably(folder_of(models, asked) / each, given[each].getvalue())
    except BaseException:
        take_away(models, asked)
        raise
    return asked


def take_away(models: Path, asked: Asked) -> None:
    """The worker is done with the files."""
    shutil.rmtree(folder_of(models, asked), ignore_errors=True)


def tidy(store: Store) -> list[str]:
    """Remove what a crash has left: files that no job is to read, and a model half-made."""
    own = store.models / "own"
    if store.models.parent != store.home or not any(own.glob(".*")):  # a visitor's has none
        return []
    with suppress(Busy), store.writing(OWN, seconds=0.0):
        wanted = {f"{GIVEN}{Asked.parse(job.subject).folder}" for job in _unread(store)}
        left = [path for path in own.glob(f"{GIVEN}*") if path.name not in wanted]
        if lock := hold(own / ".lock"):  # who brings a model has it (pretrained/bring.py)
            left += own.glob(".partial")
            for folder in left:
                shutil.rmtree(folder, ignore_errors=True)
            lock.release()
            return [path.name for path in left]
    return []


def _unread(store: Store) -> list[jobs.Job]:
    """The jobs whose files have not been read to the end."""
    with transaction(store.path) as db:
        rows = db.execute("SELECT * FROM work WHERE kind = 'import'").fetchall()
    imports = [jobs.Job.from_columns(row) for row in rows]
    return [job for job in imports if job.status not in ("failed", "finished")]
