"""What the Dockerfile says, done without an engine: its files read-only, one writable folder."""

import ctypes
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

from explorer.bench.serving import free_port
from explorer.hosting.settings import PORTS

ROOT = Path(__file__).resolve().parent.parent
DOCKERFILE = ROOT / "Dockerfile"
DROP_FROM_BOUNDING_SET, WRITES_ANYWHERE, READS_ANYWHERE = 24, 1, 2
"""Of prctl; capabilities that let root do what the bits of a file forbid."""
SECONDS = 120


def instructions():
    """Those of the last stage, continued lines joined: (word, rest)."""
    text = re.sub(r"\\\n", " ", DOCKERFILE.read_text("utf-8"))
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    start = max(i for i, line in enumerate(lines) if line.startswith("FROM "))
    return [tuple(line.split(maxsplit=1)) for line in lines[start:]]


def of(word):
    return [rest for name, rest in instructions() if name == word]


def environment():
    return dict(entry.split("=", 1) for rest in of("ENV") for entry in shlex.split(rest))


def command(word="CMD"):
    return json.loads(of(word)[-1].partition("CMD ")[2] if word == "HEALTHCHECK" else of(word)[-1])


def copied(to):
    """The files that the image has of this folder, without a bit to write them."""
    for words in (shlex.split(rest) for rest in of("COPY")):
        if words[0].startswith("--from"):
            continue
        *sources, into = words
        for source in map(ROOT.joinpath, sources):
            if source.is_dir():
                ignored = shutil.ignore_patterns("__pycache__", "*.test.js")
                shutil.copytree(source, to / into, ignore=ignored)
            else:
                shutil.copy(source, to / into)
    for path in [to, *to.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)


def listing(folder):
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*")}


def _as_a_user():
    """In the child: root, too, is held to the bits of files."""
    if os.geteuid() == 0:
        for capability in (WRITES_ANYWHERE, READS_ANYWHERE):
            ctypes.CDLL(None).prctl(DROP_FROM_BOUNDING_SET, capability, 0, 0, 0)


class Container:
    """The image's command, with variables as `docker run -e` has them."""

    def __init__(self, image, data, python=sys.executable, **variables):
        self.image, self.data = image, data
        self.port = free_port(PORTS - 1)
        said = {name: value for name, value in environment().items() if name != "PATH"}
        folders = {"EXPLORER_HOME": str(data), "HOME": str(data), "TMPDIR": str(data)}
        self.variables = said | folders | {"EXPLORER_PORT": str(self.port)} | variables
        self.variables["PATH"] = f"{Path(python).parent}:{os.environ['PATH']}"

    def run(self, words, **more):
        return subprocess.Popen(
            words, cwd=self.image, env=self.variables, preexec_fn=_as_a_user, **more
        )

    @contextmanager
    def started(self):
        """The server, healthy by the image's own check."""
        with (self.data / "err.log").open("ab") as log:
            server = self.run(command(), stdout=subprocess.DEVNULL, stderr=log)
        try:
            deadline = time.monotonic() + SECONDS
            while self.run(command("HEALTHCHECK"), stderr=subprocess.DEVNULL).wait():
                assert server.poll() is None and time.monotonic() < deadline, self.log()
            yield server
        finally:
            if server.poll() is None:
                server.kill()
            server.wait()

    def log(self):
        return (self.data / "err.log").read_text("utf-8")


def ended(server):
    """Seconds that a server took to end once it was asked to, as engines ask; its exit code."""
    began = time.monotonic()
    server.send_signal(signal.SIGTERM)
    code = server.wait(SECONDS)
    return time.monotonic() - began, code
