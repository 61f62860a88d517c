"""A kind of target is one thing: a made-up attention task is one file in Python and one in the
browser, and what is left out of one is an error that names it."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, fields
from pathlib import Path

import pytest

from explorer.targets import KINDS, TASKS
from explorer.targets.kind import TaskKind
from explorer.targets.task import Task, TaskPage
from explorer.targets.tasks.nearest import NearestSpec, NearestSweep
from explorer.targets.tasks.selection import SelectionSweep

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
DRAWN = """import { nearestTask } from "./nearest.js";

export const farthestTask = { ...nearestTask, ideal: () => [] };
"""


def a_copy(folder):
    """The explorer in a folder, with the made-up task in its place."""
    shutil.copytree(ROOT / "explorer", folder / "explorer")
    shutil.copytree(ROOT / "assets", folder / "assets")
    for name in ("pages", ".streamlit"):
        (folder / name).symlink_to(ROOT / name)
    tasks = folder / "explorer" / "targets" / "tasks"
    shutil.copy(TESTS / "made_up_task.py", tasks / "farthest.py")
    shutil.copy(TESTS / "look_at_made_up_task.py", folder / "look.py")
    drawn = folder / "explorer" / "ui" / "components" / "attention"
    (drawn / "tasks" / "farthest.js").write_text(DRAWN, "utf-8")
    table = (drawn / "task.js").read_text("utf-8")
    table = table.replace("qsa: selectionTask }", "qsa: selectionTask, farthest: farthestTask }")
    line = 'import { farthestTask } from "./tasks/farthest.js";\n'
    (drawn / "task.js").write_text(line + table, "utf-8")
    return folder


def run_in(folder):
    environment = os.environ | {"EXPLORER_HOME": str(folder / "home"), "PYTHONPATH": str(folder)}
    return subprocess.run(
        [sys.executable, "look.py"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    return a_copy(tmp_path_factory.mktemp("house"))


@pytest.fixture(scope="module")
def made_up(house):
    """What became of the made-up task."""
    done = run_in(house)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_a_new_task_is_in_the_specification(made_up):
    assert made_up["kinds"] == [
        *("coupling", "nearest", "cog", "qsa", "farthest", "linear"),
        *("pictures", "number_words"),
        *("fixed_memory", "adaptive_memory", "essential_memory", "induction"),
    ]
    assert made_up["tasks"] == [
        "nearest point",
        "centre of gravity",
        "q-sparse averaging (qSA)",
        "farthest",
    ]
    assert made_up["target"] == "farthest" and '"target":"farthest"' in made_up["compact"]
    assert made_up["preset"] == "a made-up task"


def test_a_new_task_is_trained_and_measured(made_up):
    assert made_up["status"] == "finished"
    assert {"nmse", "agreement", "attention_error", "value_error"} <= {*made_up["metrics"]}


def test_a_new_task_has_its_theory_and_its_words(made_up):
    assert made_up["width"] == 3
    assert "m_h = 3 is enough" in made_up["summary"][0]
    assert made_up["words"] == "farthest point, τ = 4"
    assert made_up["numbers"] == {"target": "farthest", "tau": 4, "d": 2}
    assert made_up["verdict"].startswith("For ") and "looks most" in made_up["verdict"]
    assert made_up["facts"]["m_h"].startswith("4 ≥ 3, the rank of −|u − v|²")


def test_a_new_task_is_on_the_page_and_in_the_browser(made_up):
    said = "\n".join(made_up["page"])
    assert "A made-up task asks for the farthest." in said
    assert "example, 20" in said and "Shuffling, on 256 fixed sequences" in said
    assert "farthest: farthestTask" in made_up["script"]


def test_a_task_without_its_kind_is_named(house):
    unfinished = house / "explorer" / "targets" / "tasks" / "unfinished.py"
    unfinished.touch()
    done = run_in(house)
    unfinished.unlink()
    assert "explorer.targets.tasks.unfinished" in done.stderr and "KIND" in done.stderr


@pytest.mark.parametrize("name", [field.name for field in fields(TaskKind)])
def test_a_kind_without_one_of_its_pieces_is_an_error_that_names_it(name):
    pieces = {each.name: getattr(KINDS["nearest"], each.name) for each in fields(TaskKind)}
    del pieces[name]
    with pytest.raises(TypeError, match=f"'{name}'"):
        TaskKind(**pieces)


@pytest.mark.parametrize("name", [field.name for field in fields(TaskPage)])
def test_a_page_without_one_of_its_pieces_is_an_error_that_names_it(name):
    page = TASKS["nearest"].page
    pieces = {each.name: getattr(page, each.name) for each in fields(TaskPage)}
    del pieces[name]
    with pytest.raises(TypeError, match=f"'{name}'"):
        TaskPage(**pieces)


@dataclass(frozen=True)
class Half(Task):
    """A task of which little is said."""

    tau: int
    d: int


def test_a_task_without_an_answer_is_an_error_that_names_it():
    from dataclasses import replace

    kind = TASKS["nearest"]
    with pytest.raises(TypeError, match=r"nearest: Half lacks aggregate, attention, .*width_words"):
        replace(kind, page=replace(kind.page, target=Half))


def test_a_kind_with_pieces_of_another_is_refused():
    from dataclasses import replace

    with pytest.raises(TypeError, match="nearest: the members of SelectionSweep"):
        replace(TASKS["nearest"], Sweep=SelectionSweep)
    assert (KINDS["nearest"].Spec, KINDS["nearest"].Sweep) == (NearestSpec, NearestSweep)


@pytest.mark.parametrize("name", TASKS)
def test_every_task_is_drawn(javascript, name):
    assert javascript("attention", "return c.kindOf({ target }).range", target=name) == list(
        TASKS[name].page.ends
    )


def test_a_task_that_nobody_has_drawn_is_an_error_that_names_it(javascript):
    body = "try { return c.kindOf({ target: 'x' }) } catch (e) { return e.message }"
    assert javascript("attention", body) == 'task "x": drawn are nearest, cog, qsa'


@pytest.mark.parametrize("name", TASKS)
def test_lanes_and_value_ranges_are_those_of_the_browser(javascript, name):
    lanes = javascript("attention", "return c.kindOf({ target }).keyLane", target=name)
    assert lanes == TASKS[name].page.lanes[""]
