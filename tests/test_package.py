"""The wheel: it has what the pages need and no more, and opens them from any folder."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import ran_apart, wait_until

from explorer.bench.serving import free_port, healthy
from explorer.bench.visitors import Visitor

ROOT = Path(__file__).resolve().parent.parent
BUILT_FROM = ("pyproject.toml", "requirements.txt", "README.md", "LICENSE")
SHIPPED = ("app.py", "pages", "assets", ".streamlit")
INFO = "attention_explorer-0.1.0.dist-info"
COMMAND = ("bin/attention-explorer", "Scripts/attention-explorer.exe")


def files(folder):
    """Its files but what Python compiled, from there."""
    found = (path for path in folder.rglob("*") if "__pycache__" not in path.parts)
    return {path.relative_to(folder).as_posix() for path in found if path.is_file()}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder into which this tree was installed, without what it requires; built from a copy,
    since a build leaves files behind."""
    source, site = (tmp_path_factory.mktemp(name) for name in ("source", "site"))
    for name in (*SHIPPED, "explorer", *BUILT_FROM):
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, source / name, ignore=ignored)
        else:
            shutil.copy(ROOT / name, source)
    offline = ("--no-index", "--no-deps", "--no-build-isolation", "--no-compile", "--quiet")
    pip = [sys.executable, "-m", "pip", "install", *offline, "--target", site, source]
    subprocess.run(pip, check=True, timeout=120)
    return site


def command(site, folder, *words, **streams):
    """The installed command in another folder, as a process."""
    (script,) = (site / name for name in COMMAND if (site / name).exists())
    environment = {**os.environ, "PYTHONPATH": str(site)}
    return subprocess.Popen(
        [sys.executable, script, *words], cwd=folder, env=environment, **streams
    )


async def components(address, page):
    """Those that a page of a server draws."""
    visitor = await Visitor.open(address, page)
    await visitor.close()
    return {*visitor.components}


def test_the_wheel_has_all_that_the_pages_need_and_nothing_that_checks_the_source_tree(site):
    inside, code = files(site / "explorer"), files(ROOT / "explorer")
    apart = "bench/", "claims/"
    code -= {name for name in code if name.endswith(".test.js") or name.startswith(apart)}
    beside = {f"_app/{name}" for name in files(ROOT) if name.split("/")[0] in SHIPPED}
    assert inside == code | beside
    assert {path.name for path in site.glob("[!.]*")} == {"explorer", "bin", INFO}


@pytest.mark.parametrize(("word", "what"), [("bench", "benches"), ("claims", "claims")])
def test_the_installed_command_says_where_what_checks_the_source_tree_is(
    site, tmp_path, word, what
):
    done = command(site, tmp_path, word, "--json", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, said = done.communicate(timeout=60)
    words = f"the {what} are part of the source tree, and are not installed here"
    assert done.returncode == 2 and json.loads(out) == {"error": words}
    assert said.decode() == f"error: {words}\n"


def test_the_installed_command_opens_a_page_from_any_folder(site, tmp_path):
    address = f"http://127.0.0.1:{(port := free_port())}"
    server = command(site, tmp_path, "serve", f"--port={port}", "--home=kept")
    try:
        wait_until(lambda: healthy(address))
        assert "explorer_live" in ran_apart(components(address, "train"))
    finally:
        server.terminate()
        server.wait(20)
    assert (tmp_path / "kept" / "store.sqlite3").exists()
