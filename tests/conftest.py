"""What every test needs, and what several files share."""

# ruff: noqa: E402
import ast
import os

# Before anything imports numpy: threads of several processes on the same cores wait for each other.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import shutil
import signal
import sys
from functools import cache

import pytest
from commands import Answer
from hypothesis import HealthCheck, settings
from node import Node
from xdist.scheduler import LoadScopeScheduling

from explorer import cli
from explorer.engine import EngineError, native, wasm
from explorer.ui import registry
from explorer.ui.streamlit_private import look_for_no_components


def pytest_configure():
    """What a shell starts in the background ignores Ctrl-C, under nohup a hang-up as well, and so
    would all that a test starts."""
    look_for_no_components()
    for number, handler in {"SIGINT": signal.default_int_handler, "SIGHUP": signal.SIG_DFL}.items():
        each = getattr(signal, number, None)  # Windows has no SIGHUP
        if each and signal.getsignal(each) is signal.SIG_IGN:
            signal.signal(each, handler)


# A busy neighbour makes any example slow: how long one takes says nothing about the code.
settings.register_profile("shared", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", settings.get_profile("shared"), derandomize=True)
settings.load_profile("same")  # --hypothesis-profile=shared looks for new examples


BROWSERS = 2


class Lanes(LoadScopeScheduling):
    """Under -n each process takes one file after the other, whole: so many those of the browser,
    until none is left, with a browser to itself; the rest the others."""

    def _split_scope(self, nodeid):
        return nodeid.partition("::")[0]

    def _assign_work_unit(self, node):
        browser = node in self.nodes[:BROWSERS]
        mine = (file for file in self.workqueue if ("/e2e/" in file) == browser)
        self.workqueue.move_to_end(next(mine, next(iter(self.workqueue))), last=False)
        super()._assign_work_unit(node)


def pytest_xdist_make_scheduler(config, log):
    return Lanes(config, log)


NUMERICS = {"arrays", "families", "spec", "coupling", "targets", "theory", "models", "engine"}
"""Rooms of the explorer that are no server, keep nothing and start no process."""
SLOWER = {"subprocess", "streamlit_pages"}
"""What a test of them may use that takes its time."""
LONG = {"test_best_heads.py", "test_coverage_of_floors.py", "test_engine_formulas.py"}
"""Searches, repetitions and a compiler: a third of what all the others take."""


def imported(path):
    """The modules that a file imports; of the explorer its rooms."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        match node:
            case ast.ImportFrom(module="explorer", names=names):
                yield from (f"explorer.{each.name}" for each in names)
            case ast.ImportFrom(module=str(name)):
                yield ".".join(name.split(".")[:2])
            case ast.Import(names=names):
                yield from (".".join(each.name.split(".")[:2]) for each in names)


@cache
def is_quick(path):
    """Whether a file of tests is about the numerics alone, or about the house itself."""
    names = set(imported(path))
    rooms = {name.partition(".")[2] for name in names if name.startswith("explorer.")}
    about_numerics = bool(rooms) and rooms <= NUMERICS and names.isdisjoint(SLOWER)
    is_short = path.parent.name == "tests" and path.name not in LONG
    return (about_numerics and is_short) or path.name == "test_house.py"


def pytest_collection_modifyitems(items):
    """What is quick is so by a rule, not by a mark on each test."""
    for item in items:
        if is_quick(item.path) and not {"slow", "gpu"} & {
            mark.name for mark in item.iter_markers()
        }:
            item.add_marker(pytest.mark.quick)


def pytest_ignore_collect(collection_path, config):
    """To import all the others would take longer than the quick ones do."""
    is_test = collection_path.name.startswith("test_")
    if config.option.markexpr == "quick" and is_test and not is_quick(collection_path):
        return True


@pytest.fixture(scope="session", autouse=True)
def nobodys_home(tmp_path_factory):
    """What fixtures of a whole file read and write, before a test has a store of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EXPLORER_HOME", str(tmp_path_factory.mktemp("home")))
        yield


@pytest.fixture(autouse=True)
def own_home(monkeypatch, tmp_path):
    """A store of the test's own, never the reader's, and a registry that has not seen another."""
    monkeypatch.setenv("EXPLORER_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(registry, "HOLDER", f"_explorer_state_{tmp_path.name}")


@pytest.fixture
def one_thread():
    """Training in this process on one thread, as in a worker; other tests have theirs back."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="session")
def javascript(tmp_path_factory):
    """A function that runs the body of a JavaScript function beside a component's own ones, `c`."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    node = Node(tmp_path_factory.mktemp("js"))
    yield node
    node.stop()


@pytest.fixture
def explorer(monkeypatch, capsys):
    """Runs a command in this process."""

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["explorer", *map(str, words)])
        with pytest.raises(SystemExit) as left:
            cli.main()
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return Answer(left.value.code or 0, out, err)

    return run


@pytest.fixture
def answer(explorer):
    """Runs a command that must succeed; its JSON."""

    def run(*words):
        done = explorer(*words, "--json")
        assert done.code == 0, done.err
        return done.json

    return run


@pytest.fixture(scope="module", params=["native", "wasm"])
def home(request, tmp_path_factory):
    """The kernel, built into a folder of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EXPLORER_HOME", str(tmp_path_factory.mktemp("home")))
        try:
            yield {"native": native.__wrapped__, "wasm": wasm}[request.param]()
        except EngineError as error:
            pytest.skip(str(error))
