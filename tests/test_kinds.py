"""A kind of target is one thing: a made-up attention task is one file in Python and one in the
browser, and what is left out of one is an error that names it."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, fields
from pathlib import Path
from typing import ClassVar

import pytest

from explorer.spec import TaskSpec
from explorer.targets import KINDS, TASKS
from explorer.targets.kind import TaskKind
from explorer.targets.task import TAU, Shipped, Task, TaskPage, WidthSweep
from explorer.targets.tasks.nearest import NearestSpec, NearestSweep
from explorer.targets.tasks.selection import SelectionSweep

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent


def a_copy(folder):
    """The explorer in a folder, with the made-up task in its place."""
    shutil.copytree(ROOT / "explorer", folder / "explorer")
    shutil.copytree(ROOT / "assets", folder / "assets")
    for name in ("pages", ".streamlit"):
        (folder / name).symlink_to(ROOT / name)
    tasks = folder / "explorer" / "targets" / "tasks"
    shutil.copy(TESTS / "made_up_task.py", tasks / "made_up.py")
    shutil.copy(TESTS / "look_at_made_up_task.py", folder / "look.py")
    drawn = folder / "explorer" / "ui" / "components" / "attention"
    shutil.copy(TESTS / "made_up_task.js", drawn / "tasks" / "made_up.js")
    table, opening = (drawn / "task.js").read_text("utf-8"), "export const TASKS = {"
    assert table.count(opening) == 1
    line = 'import { largestTask } from "./tasks/made_up.js";\n'
    added = table.replace(opening, f'{opening} "made-up": largestTask,')
    (drawn / "task.js").write_text(line + added, "utf-8")
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
    assert [kind for kind in made_up["kinds"] if kind != "made-up"] == [*KINDS]
    labels = [kind.page.label for kind in TASKS.values()]
    assert [label for label in made_up["tasks"] if label != "made-up"] == labels
    assert made_up["target"] == "made-up" and '"target":"made-up"' in made_up["compact"]
    assert made_up["preset"] == "a made-up task"


def test_a_new_task_is_trained_and_measured(made_up):
    assert made_up["status"] == "finished"
    assert {"nmse", "agreement", "attention_error", "value_error"} <= {*made_up["metrics"]}


def test_a_new_task_has_its_theory_and_its_words(made_up):
    assert made_up["width"] == 1
    assert "m_h = 1 is enough" in made_up["summary"][0]
    assert made_up["words"] == "largest key, τ = 4, d = 2"
    assert made_up["numbers"] == {"target": "made-up", "tau": 4, "d": 2}
    assert made_up["verdict"].startswith("For ") and "looks most" in made_up["verdict"]
    assert made_up["facts"]["m_h"].startswith("2 ≥ 1, the rank of k_s")


def test_a_new_task_is_on_the_page_and_in_the_browser(made_up):
    said = "\n".join(made_up["page"]["words"])
    assert made_up["page"]["target"] == "made-up"
    assert "A made-up task asks for the largest key." in said
    assert "example, 20" in said and "Shuffling, on 256 fixed sequences" in said
    assert '"made-up": largestTask' in made_up["script"]


def said_missing(page):
    """The files that a page says are not in assets/, and what makes them."""
    lines = [line.split("makes")[0] for line in page["words"] if "not in `assets/`" in line]
    commands = [line.split("explorer assets ")[1].split("`")[0] for line in lines]
    return {name for command in commands for name in command.split()}


def test_a_new_task_says_itself_what_it_ships(made_up):
    """Its head is made by the command that makes all of them, and the table has its line; until
    then, the page says so in a sentence and shows the head of another task."""
    (line,) = [line for line in made_up["line"].splitlines() if "attention-made-up.zip" in line]
    assert "| `made-up` with steps = 8, m_ff = 8, n = 8 | 0 |" in line
    before, now = (said_missing(made_up[when]) for when in ("before", "page"))
    assert made_up["before"]["target"] in TASKS
    assert before - now == {"attention-made-up.zip"} and "attention-width-made-up.json" in now


BOARD = """
const c = { ...await import(task), ...await import(board) };
const made = { target: "made-up", tau: 3, d: 1 };
const start = { points: [[0.1], [0.2], [0.3]], keys: [0.5, 0.9, 0.7] };
const at = { field: "keys", place: "[0]" };
const typed = (text) => c.typed(made, structuredClone(start), at, text);
const { answer, ideal } = c.solve(made, start);
const boards = [start, c.sampled(made, start), typed("1.5"), typed("abc"), typed("0.9")];
console.log(JSON.stringify({
  answer, ideal, drawn: boards.map((each) => c.drawable(made, each)), typed: typed("1.5").keys,
  sampled: boards[1].keys.every((k, t) => k !== start.keys[t]),
}));
"""


def test_a_field_of_a_new_task_is_drawn_typed_and_checked_in_the_browser(house):
    """No number that is none is drawn: it falls through nowhere."""
    folder = house / "explorer" / "ui" / "components" / "attention"
    files = {name: (folder / f"{name}.js").as_uri() for name in ("task", "board")}
    script = "".join(f"const {name} = {uri!r};" for name, uri in files.items()) + BOARD
    done = subprocess.run(
        ["node", "--input-type=module", "-e", script], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "answer": [[0.2]] * 3,
        "ideal": [[0, 1, 0]] * 3,
        "drawn": [True, True, True, False, False],
        "typed": [1.5, 0.9, 0.7],
        "sampled": True,
    }


@pytest.mark.parametrize("piece", ["ideal", "drawable", "lists"])
def test_a_drawn_task_without_a_piece_is_an_error_that_names_it(javascript, piece):
    body = (
        "const { [piece]: left, ...rest } = c.TASKS.qsa;"
        "try { return c.checkTasks({ x: rest }) } catch (e) { return e.message }"
    )
    assert javascript("attention", body, piece=piece) == f'task "x" lacks {piece}'


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


def test_a_specification_without_a_default_is_an_error_that_names_it():
    with pytest.raises(TypeError, match=r"Bare: target, tau, m_h, .*steps must have a default"):

        class Bare(TaskSpec, frozen=True):
            d_in: ClassVar[int] = 1
            d_out: ClassVar[int] = 1


@dataclass(frozen=True)
class Half(Task):
    """A task of which little is said."""

    tau: int
    d: int


def test_a_task_without_an_answer_is_an_error_that_names_it():
    from dataclasses import replace

    kind = TASKS["nearest"]
    with pytest.raises(TypeError, match=r"nearest: Half lacks Input, aggregate, .*width_words"):
        replace(kind, page=replace(kind.page, target=Half))


@pytest.mark.parametrize(
    ("piece", "words"),
    [
        ({"controls": {"mass": TAU}}, "it has no field mass"),
        ({"shipped": {"x": Shipped("qsa")}}, "it has no preset qsa"),
        ({"shipped": {"x_y": Shipped("nearest")}}, "a head's name has a-z, 0-9 and -, not x_y"),
        ({"width_sweeps": {"x": WidthSweep("", "qsa-width")}}, "it has no sweep qsa-width"),
    ],
)
def test_a_page_that_asks_for_what_its_task_has_not_is_an_error_that_names_it(piece, words):
    from dataclasses import replace

    kind = TASKS["nearest"]
    with pytest.raises(TypeError, match=f"nearest: {words}"):
        replace(kind, page=replace(kind.page, **piece))


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
    assert javascript("attention", body) == 'task "x": it is missing in attention/task.js'


@pytest.mark.parametrize("name", TASKS)
def test_lanes_and_value_ranges_are_those_of_the_browser(javascript, name):
    lanes = javascript("attention", "return c.kindOf({ target }).keyLane", target=name)
    assert lanes == TASKS[name].page.lanes[""]
