"""Processes that end: with their parent, by any signal, and leaving whole files."""

import ast
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import wait_until

from explorer.runs import files
from explorer.runs.database import StoreError
from explorer.runs.store import Store
from explorer.spec import CouplingSpec, amended, compact

ROOT = Path(__file__).resolve().parent.parent
SPEC = CouplingSpec(rank=2, m_h=2, tau=4, n=8, d_v=8, m_ff=16, batch=8, steps=1_000_000)
posix = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux' /proc")
ENDINGS = [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT]
OF_A_TRAINING = [signal.SIGTERM, signal.SIGHUP]
"""Ctrl-C is that of a command's test, which resumes it."""

PARENT = """
import os, sys, time
from explorer.runs import executors, signals
if __name__ == "__main__":
    signals.treat_as_ctrl_c()
    with executors.executor_named("local", 2) as pool:
        jobs = [pool.submit(time.sleep, 600) for _ in range(2)]
        while len(pool._processes) < 2 or not all(job.running() for job in jobs):
            time.sleep(0.01)
        print(*pool._processes, flush=True)
        time.sleep(600)
"""


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")")[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


@posix
@pytest.mark.parametrize("number", ENDINGS, ids=lambda number: number.name)
def test_the_processes_of_a_sweep_end_with_their_parent(number, tmp_path):
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    with subprocess.Popen(
        [sys.executable, str(script)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        start_new_session=True,
    ) as parent:
        children = [int(pid) for pid in parent.stdout.readline().split()]
        assert len(children) == 2 and all(map(alive, children))
        os.kill(parent.pid, number)
    wait_until(lambda: not any(map(alive, children)))


@posix
@pytest.mark.parametrize("number", OF_A_TRAINING, ids=lambda number: number.name)
def test_every_signal_that_ends_a_training_leaves_a_checkpoint(number):
    with subprocess.Popen(
        [sys.executable, "-m", "explorer", "train", compact(SPEC), "--json"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    ) as training:
        store = Store()
        wait_until(lambda: any(row.step > 0 for row in store.list()))
        training.send_signal(number)
        answer = json.loads(training.communicate(timeout=60)[0])
    row = store.get(answer["run"])
    assert (answer["status"], training.returncode) == ("stopped", 130)
    assert row.checkpoint == f"checkpoint-{row.step}.safetensors"
    assert (store.folder(row.run) / row.checkpoint).exists()


# Exports


@pytest.fixture
def full_disk(monkeypatch):
    """A disk on which nothing can be flushed any more."""

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)


def test_an_export_on_a_full_disk_leaves_the_older_one_and_names_the_file(
    tmp_path, monkeypatch, capsys, full_disk
):
    from explorer.cli import main

    store, out = Store(), tmp_path / "run.zip"
    run = store.create(amended(SPEC, steps=20), "paused")
    out.write_bytes(b"the older one")
    monkeypatch.setattr(sys, "argv", ["explorer", "runs", "export", run, "--out", str(out)])
    with pytest.raises(SystemExit) as left:
        main()
    said = capsys.readouterr().err
    assert left.value.code == 2 and str(out) in said and "full" in said
    assert out.read_bytes() == b"the older one"
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["run.zip"]


def test_a_link_stays_a_link_and_a_pipe_is_written_to(tmp_path):
    (tmp_path / "far").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "far" / "file")
    for data in (b"1", b"2"):
        files.write_durably(tmp_path / "link", data)
    assert (tmp_path / "link").is_symlink() and (tmp_path / "far" / "file").read_bytes() == b"2"
    read, write = os.pipe()
    files.write_durably(Path(f"/dev/fd/{write}"), b"3")
    assert os.read(read, 9) == b"3"
    os.close(read), os.close(write)
    with pytest.raises(StoreError, match="far"):
        files.write_durably(tmp_path / "far", b"4")


def test_what_is_written_can_be_read_by_whom_the_umask_lets(tmp_path):
    before = os.umask(0o022)
    files.write_durably(tmp_path / "file", b"1")
    os.umask(before)
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o644


def test_nothing_writes_a_file_in_place():
    """What a kill or a full disk cuts in the middle has cost the older file as well."""
    alone = {
        "runs/files.py",  # the one that does it right
        "pretrained/fetch.py",  # a folder that gets its name when it is whole
        "bench/page.py",  # throw-aways
        "bench/siege.py",
        "bench/stage.py",
        "bench/tab.py",
    }
    for path in sorted((ROOT / "explorer").rglob("*.py")):
        called = {
            node.func.attr
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        }
        writes = not called.isdisjoint({"write_bytes", "write_text", "copyfile"})
        assert writes == (str(path.relative_to(ROOT / "explorer")) in alone), path
