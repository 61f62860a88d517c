"""No command shows a traceback, whatever bytes it is given."""

import json
import os
import random
import tracemalloc

import pytest
from commands import on_streams

from explorer import bench, cli, reproduce
from explorer.runs.store import Store
from explorer.spec import SpecError, compact
from explorer.targets import PRESETS, parse, target_of
from explorer.theory.floor import truncation_floor

NOT_TEXT = os.fsdecode(b"\xff")
WORDS = [
    NOT_TEXT,
    os.fsdecode(b"a\xfe\xc3("),
    "",
    " ",
    "-",
    "--",
    "--json",
    "--help",
    "{",
    "{}",
    "[]",
    '{"m_h": 3}',
    '{"tau": 1e999}',
    '{"formula": "u*v"}',
    '{"formula": "\\ud800"}',
    '{"grid": "ab"}',
    "null",
    "nan",
    "-1",
    "0",
    "1..3",
    "1..",
    "9" * 40,
    "0..1024",
    "m_h=3",
    "m_h=",
    f"m_h={NOT_TEXT}",
    "=",
    "quick",
    "fig1",
    "table2",
    "nearest",
    "u*v",
    "1/(u-v)",
    "u" * 2000,
    "(" * 300,
    "é\u200b",
    "/",
    "/dev/null",
    "/proc/self/mem",
    ".",
    "x" * 300,
    "0123456789ab-1",
    "../../x-1",
    "%s%n",
    "\n",
    "--set",
    "--formula",
    "--grid",
    "--design",
    "--m",
    "--k",
    "--tolerance",
    "--limit",
    "--out",
    "--device",
    "--seed",
    "--steps",
    "--linear",
    "--samples",
    "--executor",
    "--schema",
    "--list",
]
COMMANDS = [[name] for name in cli.COMMANDS] + [
    ["runs", of.__name__.partition("_")[0]] for of in cli.GROUPS["runs"][1]
]


@pytest.fixture
def idle(monkeypatch, tmp_path):
    """Nothing is trained, measured, made or served; files are written into a folder of the test's
    own."""

    def enough(*_, **__):
        raise SpecError("enough")

    monkeypatch.setattr(Store, "start", enough)
    monkeypatch.setattr(Store, "take", enough)
    for module, name in ((reproduce, "swept"), (reproduce, "reproduce"), (bench, "run")):
        monkeypatch.setattr(module, name, enough)
    monkeypatch.setitem(cli.COMMANDS, "assets", enough)
    monkeypatch.setattr(os, "execve", enough)
    monkeypatch.chdir(tmp_path)
    return monkeypatch


def assert_readable(words, code, out, err):
    assert code in (0, 1, 2, 130), words
    assert "Traceback" not in out + err, (words, err)
    if code == 0:
        return
    assert err.strip(), words
    if "--json" in words and out.strip():
        assert "error" in json.loads(out), words


@pytest.mark.parametrize("command", ["show", "resume", "export", "delete"])
@pytest.mark.parametrize("name", [NOT_TEXT, "x", "", "../../x-1", "0123456789ab-1"])
def test_what_names_no_run_is_refused_in_one_line(command, name, idle):
    words = ["runs", command, *(["--out", "f.zip"] if command == "export" else []), "--json", "--"]
    code, out, err = on_streams([*words, name], idle)
    assert code == 2 and "there is no run" in json.loads(out)["error"]
    assert err.startswith("error: there is no run") and err.count("\n") == 1


def fuzz(seed, monkeypatch):
    dice = random.Random(seed)
    command = [name for name in COMMANDS if name != ["assets"]][seed % (len(COMMANDS) - 1)]
    words = [*command, *dice.choices(WORDS, k=dice.randint(0, 4))]
    if dice.random() < 0.3:
        words.append(os.fsdecode(dice.randbytes(dice.randint(1, 12)).replace(b"\0", b"0")))
    assert_readable(words, *on_streams(words, monkeypatch))


def test_some_random_arguments(idle):
    for seed in range(120):
        fuzz(seed, idle)


@pytest.mark.slow
@pytest.mark.parametrize("lane", range(20))
def test_very_many_random_arguments(idle, lane):
    for seed in range(1000 + 200 * lane, 1000 + 200 * (lane + 1)):
        fuzz(seed, idle)


def test_a_floor_takes_no_more_memory_for_more_sequences():
    """Every width up to 1024 on a million sequences is within the allowed ranges."""
    target = target_of(parse(compact(PRESETS["quick"][1])))
    tracemalloc.start()
    try:
        truncation_floor(target, range(1025), 4096)
        assert tracemalloc.get_traced_memory()[1] < 5e7  # all at once would take ten times as much
    finally:
        tracemalloc.stop()


def test_a_list_that_is_cut_says_so(idle):
    store = Store()
    for _ in range(3):
        store.create(PRESETS["quick"][1])
    _, out, _ = on_streams(["runs", "list", "--limit", "2"], idle)
    assert out.splitlines()[-1] == "the newest 2; --limit 4 shows more"
    assert len(out.splitlines()) == 3
    whole = on_streams(["runs", "list", "--limit", "3", "--json"], idle)[1]
    assert json.loads(whole)["more"] is False
