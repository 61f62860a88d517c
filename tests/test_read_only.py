"""A store that cannot be written: an archive, a stick, a snapshot of a disk."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from explorer.runs import database
from explorer.runs.store import Store
from explorer.spec import CouplingSpec

ROOT = Path(__file__).resolve().parent.parent
SPEC = CouplingSpec(rank=2, m_h=2, steps=100)
pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs POSIX permissions")

ASK = """
import contextlib, io, json, os, sys
import explorer.cli, explorer.runs.archive, explorer.training, explorer.ui.live
stores = [sys.argv[i : i + 3] for i in range(1, len(sys.argv), 3)]
os.umask(0)
if os.getuid() == 0:  # who may write everywhere sees no read-only folder
    os.setuid(65534)
answers = []
for home, words in [
    (home, words)
    for home, run, out in stores
    for words in (
        *("runs list", f"runs show {run}", f"runs export {run} --out {out}", "runs check"),
        *(f"runs delete {run}", "serve --public --trusted-proxy 127.0.0.1"),
    )
]:
    os.environ["EXPLORER_HOME"] = home
    said, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    sys.argv = ["explorer", *words.split(), "--json"]
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(err):
            explorer.cli.main()
    except SystemExit as left:
        answers.append((left.code or 0, said.buffer.getvalue().decode()))
print(json.dumps(answers))
"""


@pytest.fixture
def folder():
    """A folder that everybody can reach, which pytest's own are not."""
    made = Path(tempfile.mkdtemp(prefix="read-only-"))
    made.chmod(0o755)
    yield made
    for path in [made, *made.rglob("*")]:
        if path.is_dir():
            path.chmod(0o755)
    shutil.rmtree(made)


def frozen(home):
    for path in [*home.rglob("*"), home]:
        path.chmod(0o555 if path.is_dir() else 0o444)


def asked(stores):
    """What six commands answer, for a home, a run and a file to write of each store: asked in one
    process, since another user keeps nothing of what it compiles."""
    done = subprocess.run(
        [sys.executable, "-c", ASK, *(str(word) for store in stores for word in store)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if done.returncode and "Permission" in done.stderr:
        pytest.skip("another user cannot read this installation")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_store_that_cannot_be_written_is_listed_shown_and_exported(folder):
    folded, unread, out = (folder / name for name in ("folded", "unread", "out"))
    out.mkdir()
    out.chmod(0o777)
    store = Store(folded)
    with closing(database.connect(store.path)) as db:
        db.execute("SELECT count(*) FROM runs").fetchone()  # so that the log stays
        run = store.create(SPEC, name="kept")
        store.claim("cpu").release()  # a snapshot of a store at work
        shutil.copytree(folded, unread)
    assert (unread / "store.sqlite3-wal").stat().st_size > 0
    stores = [(home, run, out / f"{home.name}.zip") for home in (folded, unread)]
    for home, *_ in stores:
        frozen(home)
    before = contents(folded, unread)
    answers = asked(stores)
    for (_, _, file), answered in zip(stores, (answers[:6], answers[6:]), strict=True):
        assert [code for code, _ in answered] == [0, 0, 0, 0, 2, 2]
        listed, shown, _, checked, deleted, served = answered
        (row,) = json.loads(listed[1])["runs"]
        assert (row["run"], row["status"], row["name"]) == (run, "interrupted", "kept")
        assert json.loads(shown[1])["run"] == run and file.read_bytes()[:2] == b"PK"
        assert json.loads(checked[1]) == {"problems": [], "removed": []}
        assert "cannot be written" in json.loads(deleted[1])["error"]
        assert "visitors' spaces are kept there" in json.loads(served[1])["error"]
    assert contents(folded, unread) == before


def contents(*homes):
    return {p: p.read_bytes() for home in homes for p in home.rglob("*") if p.is_file()}


def test_an_older_store_that_cannot_be_written_says_what_to_do(tmp_path, monkeypatch):
    store = Store(tmp_path)
    with closing(database.connect(store.path)) as db:
        db.execute("PRAGMA user_version = 3")
    monkeypatch.setattr(database, "is_read_only", lambda path: True)
    with pytest.raises(database.StoreError, match=r"older version.*copy its folder"):
        Store(tmp_path)
