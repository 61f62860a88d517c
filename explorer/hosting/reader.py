"""What strangers send is read by processes that the system bounds; the server sees results alone.

`python -m explorer.hosting.reader` is such a process. It reads one file after the other, each in a
child that ends with it, and answers on a pipe with JSON and bytes, never with a pickle:

    request   {"kind", "size", …}      and `size` bytes of the file
    answer    {"code", "seconds", "size"}      of the child, and `size` bytes that it has said:
              {"refused", "value", "sizes"}      and its parts
"""

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from queue import LifoQueue
from typing import IO, Any, NamedTuple

from explorer.coupling import FormulaError, GridError, parse_grid
from explorer.coupling.attention import parse_attention
from explorer.coupling.grid import parse_cells
from explorer.folder import resource
from explorer.hosting.settings import Limits
from explorer.runs import archive, bounds, zips
from explorer.runs.database import StoreError
from explorer.runs.files import npy_bytes
from explorer.spec import SpecError, coupling_spec
from explorer.targets import parse
from explorer.targets.coupling.chosen import parts_of
from explorer.theory.design import Design

AT_ONCE = 2
MEGABYTES, SECONDS, LONGEST = 1500, 20, 60
"""Of memory, and seconds of a processor and of the clock, that the reading of a file may take."""
MOST = zips.MAX_INFLATED + 2 * zips.MB
"""Bytes of an answer."""
NICE = 5
COMMAND = (sys.executable, "-m", "explorer.hosting.reader")
BOUNDED = hasattr(os, "fork")
"""Whether this system has such processes: Windows has not."""
ENDED = "this file could not be read: the process that read it has ended{}"
TOO_LONG = f"reading this file takes more than {SECONDS} processor seconds"
TOO_LARGE = f"reading this file takes more than {MEGABYTES:,} MB of memory"
REFUSED = (GridError, zips.ArchiveError, StoreError, SpecError, FormulaError)

Parts = Sequence[bytes]


class Answer(NamedTuple):
    """Of one file: why it was not read, or a plain value and bytes; and what it took."""

    problem: str
    value: Any
    parts: Parts
    seconds: float


def _grid(data: bytes, name: str, d: int = 1) -> tuple[None, Parts]:
    return None, [npy_bytes(parse_grid(data, name) if d == 1 else parse_cells(data, name, d))]


def _attention(data: bytes, name: str, holds: Any) -> tuple[str, Parts]:
    attention = parse_attention(data, name, holds)
    return attention.kind, [
        npy_bytes(each) for each in (attention.values, attention.step) if each is not None
    ]


def _zip(data: bytes, limits: Mapping[str, int]) -> tuple[str, Parts]:
    brought, parts = archive.opened(data, Limits(**limits).check_size)
    return brought.model_dump_json(), parts


def _formula(data: bytes) -> tuple[None, Parts]:
    spec = coupling_spec(parse(data.decode()))
    parts_of(spec)
    Design(spec).decomposition()
    return None, []


READS: dict[str, Callable[..., tuple[Any, Parts]]] = {
    "grid": _grid,
    "attention": _attention,
    "zip": _zip,
    "formula": _formula,
}


class Readers:
    """So many processes at most, each begun when it is first needed; any thread may ask."""

    def __init__(self, count: int = AT_ONCE):
        self._idle: LifoQueue[subprocess.Popen[bytes] | None] = LifoQueue()
        for _ in range(count):
            self._idle.put(None)

    def read(self, kind: str, data: bytes, **asked: Any) -> Answer:
        """A file, as a kind of READS; waits until a process is free for it."""
        process = self._idle.get()
        try:
            process = process or _begun()
            return _exchanged(process, {"kind": kind, "size": len(data), **asked}, data)
        except (OSError, ValueError):  # it was ended by another hand
            if process:
                process.kill()
                process.communicate()
            process = None
            return Answer(ENDED.format("; try again"), None, [], 0.0)
        finally:
            self._idle.put(process)


@lru_cache(maxsize=1)
def readers(count: int = AT_ONCE) -> Readers:
    """Those of this process."""
    return Readers(count)


def _begun() -> subprocess.Popen[bytes]:
    one_thread = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")  # it forks
    pipe = subprocess.PIPE
    environment = {**os.environ, **one_thread}
    return subprocess.Popen(COMMAND, cwd=resource(), env=environment, stdin=pipe, stdout=pipe)


def _exchanged(process: subprocess.Popen[bytes], asked: Mapping[str, Any], data: bytes) -> Answer:
    assert process.stdin and process.stdout
    _say(process.stdin, asked, data)
    told = json.loads(process.stdout.readline())
    body = io.BytesIO(process.stdout.read(told["size"]))
    code, seconds = told["code"], told["seconds"]
    if code:
        late = bounds.is_out_of_time(code) or code == -signal.SIGALRM
        return Answer(TOO_LONG if late else ENDED.format(f" (code {code})"), None, [], seconds)
    header, rest = json.loads(body.readline()), body.read
    return Answer(
        header["refused"], header["value"], [rest(size) for size in header["sizes"]], seconds
    )


def _say(to: IO[bytes], header: Mapping[str, Any], *parts: bytes) -> None:
    to.write(json.dumps(header).encode() + b"\n")
    for part in parts:
        to.write(part)
    to.flush()


def _in_a_child(asked: dict[str, Any], data: bytes) -> tuple[int, float, bytes]:
    """Exit code, processor seconds and words of a child that reads a file."""
    read, write = os.pipe()
    if not (pid := os.fork()):
        _read_and_exit(asked, data, write)
    os.close(write)
    with os.fdopen(read, "rb") as answer:
        body = answer.read(MOST + 1)
    _, status, used = os.wait4(pid, 0)
    code = os.waitstatus_to_exitcode(status) or int(len(body) > MOST)
    return code, used.ru_utime + used.ru_stime, body


def _read_and_exit(asked: dict[str, Any], data: bytes, write: int) -> None:
    code = 1
    try:
        os.close(0)
        os.close(1)  # the server's; what a file makes of this process reaches its own pipe alone
        signal.alarm(LONGEST)
        bounds.bound_memory(MEGABYTES)
        bounds.bound_time(SECONDS)
        with os.fdopen(write, "wb") as to:
            _answer(to, asked, data)
        code = 0
    finally:
        os._exit(code)


def _answer(to: IO[bytes], asked: dict[str, Any], data: bytes) -> None:
    problem = ""
    try:
        value, parts = READS[asked.pop("kind")](data, **asked)
    except REFUSED as error:
        problem, value, parts = str(error), None, []
    except MemoryError:
        problem, value, parts = TOO_LARGE, None, []
    _say(to, {"refused": problem, "value": value, "sizes": [*map(len, parts)]}, *parts)


def main() -> None:
    """Read what comes until nothing more can: the server has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's
    os.nice(NICE)
    while line := sys.stdin.buffer.readline():
        asked = json.loads(line)
        data = sys.stdin.buffer.read(asked.pop("size"))
        code, seconds, body = _in_a_child(asked, data)
        told = {"code": code, "seconds": seconds, "size": len(body)}
        _say(sys.stdout.buffer, told, body)


if __name__ == "__main__":
    main()
