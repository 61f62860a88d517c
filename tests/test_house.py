"""The house rules a machine can check: import direction, nothing slow in the server, ruff."""

import ast
import re
import subprocess
import sys
from functools import cache
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest

from explorer import slow

ROOT = Path(__file__).resolve().parent.parent

ORDER = [
    "folder",
    "slow",
    "arrays",
    "families",
    "spec",
    "coupling",
    "targets",
    "theory",
    "models",
    "engine",
    "pretrained",
    "analysis",
    "training",
    "runs",
    "views",
    "charts",
    "paper",
    "hosting",
    "ui",
    "reproduce",
    "claims",
    "bench",
    "cli",
    "__main__",
]
STREETS = ("design", "train", "rates", "attention", "order", "memory", "real", "runs")
SERVER_ROOMS = ("families", "spec", "coupling", "targets", "theory", "views", "charts", "ui")
ONLY_IN = {
    "streamlit": {"ui", "bench"},  # bench runs the pages through AppTest
    "torch": {"slow", "models", "pretrained", "analysis", "training", "runs", "bench", "cli"},
    "altair": {"slow", "charts", "ui"},
}


STREET = {"view": "views", "chart": "charts"}
"""How the name of a file in the street of a page begins, and the room that it belongs to."""


def room_of(parts):
    """The room of a module below `explorer`, by the parts of its name; None: of nothing."""
    room, *inner = parts
    if room == "pages":
        return (
            next((STREET[a] for a in STREET if inner[1].startswith(a)), "ui") if inner[1:] else None
        )
    return "ui" if room == "hosting" and inner and inner[0].startswith("page") else room


def modules():
    for path in sorted((ROOT / "explorer").rglob("*.py")):
        room = room_of(path.relative_to(ROOT / "explorer").with_suffix("").parts)
        if room not in (None, "__init__"):
            yield room, path


def nodes_of(path):
    """All nodes of a module's tree, which most rules go through."""
    return _nodes(path.read_text("utf-8"))


@cache
def _nodes(text):
    return tuple(ast.walk(ast.parse(text)))


def imported(path):
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
            if node.module == slow.__name__:
                names = {alias.name for alias in node.names} - {"Late"}
                yield from (getattr(slow, name).__name__ for name in names)
        elif is_late(node):
            yield node.args[0].value


def is_late(node):
    """Whether a module of ours is had by `slow.Late`, when something of it is first asked for."""
    match node:
        case ast.Call(func=ast.Name("Late"), args=[ast.Constant(str(name))]):
            return name.startswith("explorer.")
    return False


def rooms_used(path):
    names = [name.split(".") for name in imported(path)]
    rooms = {room_of(parts[1:]) for parts in names if parts[0] == "explorer" and len(parts) > 1}
    return rooms - {None}


def test_imports_only_go_down():
    climbing = {}
    for room, path in modules():
        assert room in ORDER, f"{room} is missing in the layer table"
        if above := rooms_used(path) & set(ORDER[ORDER.index(room) + 1 :]):
            climbing[str(path.relative_to(ROOT))] = above
    assert not climbing


def of_types(path):
    """The names that are imported for types alone."""
    for node in nodes_of(path):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            yield from (part.module for part in node.body if isinstance(part, ast.ImportFrom))


def test_no_circle_of_imports():
    """Nor one by an import within a function."""
    paths = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts): path
        for _, path in modules()
        if path.stem != "__init__"
    }
    below = {
        name: {*imported(path)} & paths.keys() - {name, *of_types(path)}
        for name, path in paths.items()
    }
    assert len([*TopologicalSorter(below).static_order()]) == len(below) > 400


@pytest.mark.parametrize(("package", "rooms"), ONLY_IN.items())
def test_packages_stay_in_their_rooms(package, rooms):
    users = {
        room
        for room, path in modules()
        if any(name.split(".")[0] == package for name in imported(path))
    }
    assert users <= rooms


INSIDES = {"streamlit": "explorer/ui/streamlit_private.py", "uvicorn": "explorer/hosting/gate.py"}
"""Packages of whose insides use is made, and the one module that does."""
OPEN = ("App", "components", "delta_generator", "errors", "testing")
"""Parts of Streamlit that are open to all, besides the package itself."""
OF_TUPLES = ("_asdict", "_fields", "_replace")


def insides(text):
    """What a module takes of the insides of packages: the package, and the name."""
    for name in imported(text):
        package, *inner = name.split(".")
        if package in INSIDES and inner and inner[0] not in OPEN:
            yield package, name
    tree = nodes_of(text)
    if not any(name.split(".")[0] == "streamlit" for name in imported(text)):
        return
    own = {name for node in tree for name in made(node)}
    for node in tree:
        is_hidden = isinstance(node, ast.Attribute) and re.match("_[a-z]", node.attr)
        if is_hidden and node.attr not in (*own, *OF_TUPLES):
            yield "streamlit", node.attr


def made(node):
    """The names of a function, an attribute or a variable that a module makes here."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield name
        case ast.Attribute(attr=name, ctx=ast.Store()) | ast.Name(id=name, ctx=ast.Store()):
            yield name


def test_one_module_knows_the_insides_of_a_package():
    paths = [ROOT / "app.py", *ROOT.glob("pages/*.py"), *(ROOT / "explorer").rglob("*.py")]
    users = {(p, path.relative_to(ROOT).as_posix()) for path in paths for p, _ in insides(path)}
    assert users == {*INSIDES.items()}


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("from streamlit.runtime.scriptrunner import RerunException", 2),
        ("from streamlit import runtime", 1),
        ("import streamlit as st\nst.runtime.get_instance()._session_mgr", 1),
        ("import uvicorn.protocols", 1),
        ("import streamlit as st, uvicorn\nself._own = 1\nself._own", 0),
        ("from streamlit.testing.v1 import AppTest", 0),
    ],
)
def test_the_insides_of_a_package_are_found(text, count):
    assert len([*insides(SimpleNamespace(read_text=lambda _: text))]) == count


def kinds_asked_for(path):
    """The lines of a module that ask by isinstance, or by a class pattern, which kind of target,
    of specification or of sweep a thing is."""
    kinds = re.compile(r"\w*(Spec|Sweep|Target|TaskInput)|Task|Kind")
    for node in nodes_of(path):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance":
            asked = node.args[1]
        elif isinstance(node, ast.MatchClass):
            asked = node.cls
        else:
            continue
        names = [getattr(n, "id", getattr(n, "attr", "")) for n in ast.walk(asked)]
        if any(kinds.fullmatch(name) for name in names):
            yield f"{path.relative_to(ROOT)}:{node.lineno}"


def test_no_module_asks_which_kind_of_target_a_thing_is():
    """What depends on a kind is told by it: targets/kind.py, targets/task.py, spec/fields.py."""
    assert [line for _, path in modules() for line in kinds_asked_for(path)] == []


LONGEST = 30
"""Lines of a function without its docstring."""


def length(function):
    """Lines of a function, its docstring not counted."""
    told = function.body[0] if ast.get_docstring(function) else None
    said = told.end_lineno - told.lineno + 1 if told else 0
    return function.end_lineno - function.lineno + 1 - said


def test_no_function_is_longer_than_a_reader_can_hold():
    long = [
        f"{path.name}: {node.name}"
        for _, path in modules()
        for node in nodes_of(path)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and length(node) > LONGEST
    ]
    assert not long


NO_NAMES = {"of", "said", "kept", "found", "turn", "look"}
"""Words that name many things: none of them is a name."""


def bound(node):
    """The name that a node binds."""
    match node:
        case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
            return name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.MatchAs(name=name):
            return name
        case ast.alias(name=name, asname=other):
            return other or name
    return None


def test_a_name_says_what_it_is():
    paths = [*(path for _, path in modules()), *(ROOT / "pages").glob("*.py"), ROOT / "app.py"]
    assert not {
        f"{path.relative_to(ROOT)}:{node.lineno} {name}"
        for path in paths
        for node in nodes_of(path)
        if (name := bound(node)) in NO_NAMES
    }


def test_what_a_node_binds_is_found():
    text = (
        "def turn(of):\n said = 1\n from a import b as look\n"
        "match x:\n case found: pass\nasync def kept(): of.said"
    )
    names = [name for node in ast.walk(ast.parse(text)) if (name := bound(node))]
    assert sorted(names) == sorted(NO_NAMES)


NAMED = re.compile(r"\b(topic|recipe|target)$")
PREDICATES = ("is_linear", "has_coupling")
STILL_ASKED = 3
"""Places of `explorer` that ask a kind for its name. It only falls: the goal is 10."""


def asked_by_name(path):
    """The lines of a module that ask for a kind by a comparison with its name, a case each, by a
    predicate, or by a cast to what it must be."""
    for node in nodes_of(path):
        match node:
            case ast.Compare(left=left, comparators=others) if NAMED.search(ast.unparse(left)):
                parts = [part for other in others for part in ast.walk(other)]
                found = any(isinstance(part, ast.Constant) for part in parts)
            case ast.Match(subject=subject) if NAMED.search(ast.unparse(subject)):
                yield from (f"{path.name}:{case.pattern.lineno}" for case in node.cases)
                continue
            case ast.Call(func=ast.Name(id="cast"), args=[kind, *_]):
                found = re.search(r"(Spec|Sweep|Target|Labelled|Memory)\b", ast.unparse(kind))
            case ast.Call(func=ast.Name(id=name)):
                found = name in PREDICATES
            case _:
                continue
        if found:
            yield f"{path.name}:{node.lineno}"


def test_fewer_and_fewer_modules_ask_a_kind_for_its_name():
    paths = [*(path for _, path in modules()), *(ROOT / "pages").glob("*.py")]
    found = [line for path in paths for line in asked_by_name(path)]
    assert len(found) == STILL_ASKED, f"lower the number, or let the kind answer: {found}"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ('spec.topic == "order"', 1),
        ('recipe in ("rnn", "task")', 1),
        ('match spec.target:\n    case "a":\n        pass\n    case _:\n        pass', 2),
        ("is_linear(spec)", 1),
        ("cast(MemorySpec, spec)", 1),
        ("cast(MemorySweep, sweep)", 1),
        ("spec.topic == other.topic", 0),
        ("cast(float, x)", 0),
    ],
)
def test_a_question_by_name_is_found(text, count):
    reader = SimpleNamespace(read_text=lambda _: text, name="asking.py")
    assert len([*asked_by_name(reader)]) == count


def test_a_question_for_a_kind_is_found():
    asking = ["isinstance(x, LinearSpec)", "isinstance(x, (int, spec.TaskSpec))"]
    cases = "match x:\n    case CouplingTarget():\n        pass"
    file = ROOT / "explorer" / "asking.py"
    for text in [*asking, cases]:
        reader = SimpleNamespace(read_text=lambda _, t=text: t, relative_to=lambda _: file)
        assert [*kinds_asked_for(reader)]
    reader = SimpleNamespace(read_text=lambda _: "isinstance(x, SpecError)")
    assert not [*kinds_asked_for(reader)]


LATE = 45
"""Imports within functions, or by `slow.Late`. It only falls: a slow package is had from
explorer/slow.py, and what is shared by two modules that would import each other belongs below
them."""


def imports_in_functions(path):
    for node in nodes_of(path):
        if is_late(node):
            yield f"{path.relative_to(ROOT)}:{node.lineno}"
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for part in ast.walk(node):
                if isinstance(part, ast.Import | ast.ImportFrom):
                    yield f"{path.relative_to(ROOT)}:{part.lineno}"


def test_fewer_and_fewer_imports_stand_in_functions():
    found = {line for _, path in modules() for line in imports_in_functions(path)}
    assert len(found) == LATE, f"lower the number, or import it at the top: {found}"


def test_an_import_within_a_function_is_found():
    text = "import a\ndef f():\n    with b:\n        from c import d\n    import e\n"
    text += "g = Late('explorer.h')"
    reader = SimpleNamespace(read_text=lambda _: text, relative_to=lambda _: "late.py")
    assert {*imports_in_functions(reader)} == {"late.py:4", "late.py:5", "late.py:6"}


@pytest.mark.parametrize("name", slow.__all__)
def test_a_slow_package_is_what_it_stands_for(name):
    stands = getattr(slow, name)
    package = import_module(stands.__name__)
    names = [part for part in dir(package) if not part.startswith("_")]
    assert names and all(getattr(stands, part) is getattr(package, part) for part in names)
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        _ = stands.nothing_of_the_kind


def test_no_module_has_more_than_400_lines():
    lines = {str(p.relative_to(ROOT)): p.read_text("utf-8").count("\n") for _, p in modules()}
    assert {path: count for path, count in lines.items() if count > 400} == {}


def test_a_page_is_in_its_street_and_its_canvas():
    """And in no shared room under its own name."""
    rooms = {
        path.parent.name
        for room in ("views", "charts", "ui")
        for path in (ROOT / "explorer" / room).glob("*.py")
        if path.stem in STREETS
    }
    assert not rooms
    assert {path.parent.name for path in (ROOT / "explorer" / "pages").glob("*/view.py")} == {
        *STREETS
    }


def test_pages_are_thin():
    for path in (ROOT / "pages").glob("*.py"):
        packages = {name.split(".")[0] for name in imported(path)}
        assert not packages & {"torch", "numpy", "scipy", "pandas", "altair"}, path.name


def test_what_tests_share_is_in_modules_of_its_own():
    shared = {
        path.name: tests
        for path in (ROOT / "tests").rglob("*.py")
        if (tests := [n for n in imported(path) if n.split(".")[-1].startswith("test_")])
    }
    assert not shared


def test_the_layer_table_of_the_map_is_this_one():
    text = (ROOT / "explorer" / "__init__.py").read_text("utf-8")
    table = text.split("in this table:")[1].split("The server")[0]
    named = [line.split()[0].rstrip("/,") for line in table.splitlines() if line[:5].strip()]
    documented = [name for name in named if name in ORDER]
    assert documented == [room for room in ORDER if room in documented]
    assert set(SERVER_ROOMS) <= set(documented)


def test_the_server_never_imports_torch():
    """Nor does any of its modules import another slow package before something of it is used."""
    paths = [path for room, path in modules() if room in SERVER_ROOMS]
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in paths]
    slow_ones = {"safetensors.torch", *(getattr(slow, each).__name__ for each in slow.__all__)}
    code = (
        "import sys\n"
        + "".join(f"import {name}\n" for name in names)
        + "import app, explorer.runs.store, explorer.runs.pool, explorer.runs.archive\n"
        + "import explorer.pretrained.fetch\n"
        + f"print(sorted({slow_ones} & sys.modules.keys()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.stdout.strip().endswith("[]"), done.stdout + done.stderr


def test_numerics_do_not_import_streamlit():
    code = (
        "import sys, explorer.training, explorer.theory, explorer.views\n"
        "print('streamlit' in sys.modules, 'altair' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.stdout.strip() == "False False", done.stderr


def test_no_test_has_a_second_go():
    """A mark that asks for one is unknown without its plugin, and marks are strict."""
    for name in ("tests/requirements.txt", "pyproject.toml", ".ci/run"):
        assert "rerun" not in (ROOT / name).read_text("utf-8")


@pytest.mark.parametrize("command", [["check", "--no-cache"], ["format", "--check", "--no-cache"]])
def test_ruff_is_clean(command):
    done = subprocess.run(
        [sys.executable, "-m", "ruff", *command, "."],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("subject", "fits"),
    [
        ("rates: draw the answer in grey", True),
        ("order, real: keep a report that was late", True),
        ("Merge branch 'order'", True),
        ("A shorter line", False),
        ("rates: " + "draw " * 14, False),
        ("rates:", False),
    ],
)
def test_subjects_of_commits_are_checked(tmp_path, subject, fits):
    (tmp_path / "message").write_text(f"{subject}\n\nWhy.\n", "utf-8")
    done = subprocess.run([ROOT / ".ci" / "subject", tmp_path / "message"], capture_output=True)
    assert (done.returncode == 0) == fits
