"""The door for Python: its names, what they cost, and every example of docs/python.md as it is."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import explorer

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "docs" / "python.md").read_text("utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", TEXT, re.S)


def python(code):
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("code", EXAMPLES, ids=[code.split("\n\n")[1][:40] for code in EXAMPLES])
def test_an_example_runs_as_it_stands(code, monkeypatch, one_thread, capsys):
    monkeypatch.chdir(ROOT)
    exec(compile(code, "docs/python.md", "exec"), {})
    said = capsys.readouterr().out
    assert said and "nan" not in said and "None" not in said
    assert len(code.strip().splitlines()) <= 7, "six lines and a blank one"


@pytest.mark.parametrize("name", explorer.__all__)
def test_a_name_is_there_and_documented(name):
    assert getattr(explorer, name) is getattr(explorer, name)
    assert f"`{name}`" in TEXT and name in dir(explorer)


def test_no_other_name_is():
    with pytest.raises(AttributeError, match="no attribute 'nothing_of_the_kind'"):
        _ = explorer.nothing_of_the_kind


def test_the_door_costs_nothing_and_torch_comes_with_training_alone():
    found = python(
        "import sys, explorer\n"
        "print([m for m in sys.modules if m.startswith('explorer.')])\n"
        "for name in explorer.__all__:\n"
        "    if explorer._MODULES[name] != 'training': getattr(explorer, name)\n"
        "print('torch' in sys.modules)\n"
        "explorer.train\n"
        "print('torch' in sys.modules)\n"
    )
    assert found.splitlines() == ["[]", "False", "True"]
