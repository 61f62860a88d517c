"""The zip of an archive: members with known names and bounded sizes, each with its sha256.

Nothing in a zip is trusted: names are looked up, never used as paths; sizes are checked before
anything is inflated, and no member inflates beyond the size it was checked for.
"""

import hashlib
import io
import json
import os
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from explorer.runs.database import StoreError

FORMAT = 1
MB = 2**20
MAX_ARCHIVE = 320 * MB  # server.maxUploadSize is the same
MAX_INFLATED = 384 * MB
MAX_MEMBERS = 512
LIMITS = {
    "manifest.json": MB,
    "spec.json": MB,
    "run.json": MB,
    "history.csv": MB,
    "checkpoint.safetensors": 288 * MB,  # the largest network of all with its optimiser
    "grid.npy": 4 * MB,
}
REQUIRED = {"manifest.json", "spec.json", "run.json", "history.csv"}
FRAME = re.compile(r"snapshots/(\d{1,9})\.frame", re.ASCII)
MAX_FRAME = MB
EPOCH = (1980, 1, 1, 0, 0, 0)
ZIP_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OSError,
    OverflowError,
)


class Room(NamedTuple):
    """What an archive of one specification may hold: bytes of its checkpoint and of one of its
    pictures, and how many of these."""

    checkpoint: int
    picture: int
    pictures: int


class ArchiveError(ValueError):
    """This file is not an archive of a run that can be trusted; the message says what is wrong."""


def pack(members: Mapping[str, bytes]) -> bytes:
    """The members with their manifest as a zip; the same members give the same bytes."""
    hashes = {name: hashlib.sha256(data).hexdigest() for name, data in members.items()}
    manifest = json.dumps({"format": FORMAT, "sha256": hashes}, indent=2).encode()
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in {"manifest.json": manifest, **members}.items():
            info = zipfile.ZipInfo(name, EPOCH)
            info.external_attr = 0o644 << 16
            archive.writestr(info, data, zipfile.ZIP_DEFLATED)
    return file.getvalue()


def unpack(
    source: bytes | Path, room_of: Callable[[bytes], Room] | None = None
) -> dict[str, bytes]:
    """All members by name, checked against the list of names, the limits and the manifest.

    `room_of` says from spec.json what the others have at most, before they are inflated. Raises
    ArchiveError.
    """
    data = _bytes(source)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos = {info.filename: info for info in archive.infolist()}
            if len(infos) != len(archive.infolist()):
                raise ArchiveError("the archive holds two files of the same name")
            hashes = _manifest(archive, infos)
            _check_infos(infos)
            if room_of:
                _check_room(infos, room_of(_inflated(archive, infos["spec.json"])))
            members = {name: _inflated(archive, info) for name, info in infos.items()}
    except (ArchiveError, StoreError):  # the latter of `room_of`
        raise
    except ZIP_ERRORS as error:
        raise ArchiveError(f"this is not a whole zip file ({error})") from error
    _check_hashes(members, hashes)
    return members


def _bytes(source: bytes | Path) -> bytes:
    """The file, if it is not too large."""
    if isinstance(source, bytes):
        data = source
    else:
        try:
            with source.open("rb") as file:
                held = os.fstat(file.fileno()).st_size  # room for no more than it holds
                data = file.read(min(held, MAX_ARCHIVE) + 1)
        except OSError as error:
            raise ArchiveError(f"{source}: {error.strerror}") from error
    if len(data) > MAX_ARCHIVE:
        raise ArchiveError(f"the file is larger than the {MAX_ARCHIVE // MB} MB of an archive")
    return data


def _inflated(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """A member; with a size given, zipfile inflates no more than the member says it holds."""
    with archive.open(info) as file:
        return file.read(info.file_size + 1)


def _manifest(archive: zipfile.ZipFile, infos: Mapping[str, zipfile.ZipInfo]) -> dict[str, str]:
    """The hash of every member; the version comes first, since a newer one may hold others."""
    if missing := REQUIRED - infos.keys():
        raise ArchiveError(f"this is not an archive of a run: {', '.join(sorted(missing))} missing")
    info = infos["manifest.json"]
    _check_info(info)
    try:
        manifest = json.loads(_inflated(archive, info).decode())
    except (ValueError, RecursionError) as error:
        raise ArchiveError(f"manifest.json is not JSON ({error})") from error
    if not isinstance(manifest, dict):
        raise ArchiveError("manifest.json must be a JSON object")
    version, hashes = manifest.get("format"), manifest.get("sha256")
    if type(version) is int and version > FORMAT:
        raise ArchiveError(
            f"a newer version of this program wrote this archive (format {version}, this one "
            f"reads {FORMAT}): update the program"
        )
    if version != FORMAT or not isinstance(hashes, dict):
        raise ArchiveError("manifest.json gives no format and no hashes")
    return hashes


def _check_hashes(members: Mapping[str, bytes], hashes: Mapping[str, str]) -> None:
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in members.items()}
    del digests["manifest.json"]
    for name in sorted(digests.keys() | hashes.keys()):
        if digests.get(name) != hashes.get(name):
            raise ArchiveError(f"{name[:80]} is not what the manifest says: the file was changed")


def _check_infos(infos: Mapping[str, zipfile.ZipInfo]) -> None:
    """Raises before anything is inflated."""
    if len(infos) > MAX_MEMBERS:
        raise ArchiveError(f"the archive holds {len(infos)} files; at most {MAX_MEMBERS} are read")
    for info in infos.values():
        _check_info(info)
    if sum(info.file_size for info in infos.values()) > MAX_INFLATED:
        raise ArchiveError(f"the archive would unpack to more than {MAX_INFLATED // MB} MB")


def _check_info(info: zipfile.ZipInfo) -> None:
    name = info.filename
    limit = MAX_FRAME if FRAME.fullmatch(name) else LIMITS.get(name)
    kind = stat.S_IFMT(info.external_attr >> 16)
    if limit is None:
        raise ArchiveError(f"the archive holds {name[:80]!r}, which belongs to no run")
    if kind not in (0, stat.S_IFREG) or info.flag_bits & 1:
        raise ArchiveError(f"{name} is a link, a folder or encrypted")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ArchiveError(f"{name} is packed in an unusual way")
    _check_size(info, limit)


def _check_room(infos: Mapping[str, zipfile.ZipInfo], room: Room) -> None:
    pictures = [info for name, info in infos.items() if FRAME.fullmatch(name)]
    if len(pictures) > room.pictures:
        raise ArchiveError(
            f"the archive holds {len(pictures)} pictures; a run of spec.json keeps {room.pictures}"
        )
    for info in pictures:
        _check_size(info, room.picture)
    if checkpoint := infos.get("checkpoint.safetensors"):
        _check_size(checkpoint, room.checkpoint)


def _check_size(info: zipfile.ZipInfo, limit: int) -> None:
    if info.file_size > limit:
        raise ArchiveError(
            f"{info.filename} would unpack to {info.file_size} bytes, more than {limit}"
        )
