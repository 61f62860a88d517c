"""What the documents say can be followed: links, files, commands, presets and numbers exist."""

import re
import shlex
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from explorer import cli
from explorer.reproduce import NAMES
from explorer.targets import PRESETS, SWEEPS

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), ROOT / "assets" / "README.md"])
LINK = re.compile(r"\]\(([^)#]+)\)")
FILE = re.compile(r"`((?![^`]*NAME)[\w./-]+\.(?:py|js|json|md|png|zip|csv|toml|txt|cff))`")
COMMAND = re.compile(r"-m explorer (.*)")
BY_PRESET = {"spec": PRESETS, "sweep": SWEEPS, "reproduce": NAMES}


def documents(pattern):
    """What a pattern finds in each document."""
    for document in DOCUMENTS:
        for match in pattern.finditer(document.read_text("utf-8")):
            yield pytest.param(document, match[1], id=f"{document.name}: {match[1]}")


def commands():
    """The words of every command in a block of shell, without comments and redirections."""
    for document in DOCUMENTS:
        for block in re.findall(r"```bash\n(.*?)```", document.read_text("utf-8"), re.S):
            for line in COMMAND.findall(block):
                words = shlex.split(line.partition(" > ")[0], comments=True)
                yield pytest.param(words, id=f"{document.name}: {' '.join(words)}")


@pytest.mark.parametrize(("document", "target"), documents(LINK))
def test_links_lead_somewhere(document, target):
    assert target.startswith("https://") or (document.parent / target).exists()


@pytest.mark.parametrize(("document", "name"), documents(FILE))
def test_files_that_are_named_exist(document, name):
    app = ROOT / "explorer"
    homes = (ROOT, app, app / "ui" / "components", document.parent)
    pattern = name.replace("NAME", "*")  # of whatever is added
    assert any(any(home.glob(pattern)) for home in homes), f"{document.name} names {name}"


def understood(words):
    """Whether the command line has this command and its options, and the preset it names."""
    known = BY_PRESET.get(words[0])
    named = known is None or words[1] in known or words[1].startswith("-")
    return named and CliRunner().invoke(cli.app, [*words, "--help"]).exit_code == 0


@pytest.mark.parametrize("words", commands())
def test_commands_are_understood(words):
    assert understood(words)


@pytest.mark.parametrize(
    "words", [["foor", "--m", "1"], ["floor", "--widths", "1"], ["sweep", "fig9"], ["runs", "lost"]]
)
def test_a_command_that_does_not_exist_is_not_understood(words):
    assert not understood(words)


def test_the_readme_is_read_at_one_go_and_measures_nothing():
    text = re.sub(r"```.*?```", "", README.read_text("utf-8"), flags=re.S)
    assert len(text.split()) <= 300
    assert not re.findall(
        r"p = |\d %|\d ×|\d\.\d+(?!\d*\))", re.sub(r"\(\S+\)|arXiv \S+|3\.11", "", text)
    )


def test_one_version_is_cited_and_built():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"version: {project['project']['version']}\n" in citation
    assert project["tool"]["setuptools"]["dynamic"]["dependencies"]["file"] == ["requirements.txt"]
