"""The files of assets/: each from a preset by one command, and as its table says."""

import csv
import json
import re
import sys

import pytest

from explorer import cli
from explorer.cli import assets
from explorer.runs import archive
from explorer.spec import LinearSpec, LinearSweep, amended, spec_id
from explorer.targets import PRESETS, SWEEPS, parse, parse_sweep
from explorer.views.sweeps import of_text

README = assets.FOLDER / "README.md"
TABLE = README.read_text("utf-8").splitlines()
LINES = [line for line in TABLE if re.match(r"\| [\w-]+\.\w+ ", line)]
TRAIN = next(line for line in LINES if line.startswith("| train.zip "))
WRITTEN = {README.name, "talk.json"}  # by hand
FILES = sorted(file.name for file in assets.FOLDER.iterdir() if file.name not in WRITTEN)
TINY = {"steps": 3, "m_ff": 8, "n": 4, "d_v": 4, "warmup": 0}


def test_every_file_has_its_recipe_and_its_line():
    missing = {*assets.RECIPES} - {*FILES}
    assert not missing, f"python -m explorer assets {' '.join(missing)}"
    assert [line.split(" ")[1] for line in LINES] == [*assets.RECIPES]
    assert sorted(assets.RECIPES) == FILES


def test_the_table_gets_the_lines_of_what_was_made():
    """A file that came out as it was keeps its commit; a new one has its place in the order."""
    text = README.read_text("utf-8")
    said = {line.split(" ")[1]: line.rsplit(" | ", 1)[0] + " |" for line in LINES}
    assert assets.with_lines(text, said, "0123456") == text
    other = {"train.zip": said["train.zip"].replace("19 s", "18 s")}
    assert assets.with_lines(text, other, "0123456") == text.replace(
        TRAIN, f"{other['train.zip']} 0123456 |"
    )
    without = text.replace(TRAIN + "\n", "")
    assert assets.with_lines(without, {"train.zip": said["train.zip"]}, "0123456") == text.replace(
        TRAIN, f"{said['train.zip']} 0123456 |"
    )


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.split(" ")[1])
def test_the_table_says_what_the_file_holds(line):
    said, commit = line.removesuffix(" |").rsplit(" | ", 1)
    name = line.split(" ")[1]
    assert said + " |" == assets.line(name, assets.described(assets.FOLDER / name))
    assert re.fullmatch(r"[0-9a-f]{7,}", commit)


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith(".zip")])
def test_a_run_is_of_its_preset(name):
    recipe, row = assets.RECIPES[name], archive.read(assets.FOLDER / name).row
    assert recipe.name in PRESETS
    assert row.spec == recipe.spec and row.run.startswith(spec_id(recipe.spec))
    assert row.status == "finished"


TABLES = [name for name in FILES if name.endswith(".csv")]


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith(".json")])
def test_a_sweep_is_of_its_preset(name):
    recipe = assets.RECIPES[name]
    found = of_text((assets.FOLDER / name).read_text("utf-8"))
    assert recipe.name in SWEEPS and found.sweep == recipe.sweep
    assert [row["spec_id"] for row in found.rows] == [spec_id(m) for m in recipe.sweep.members()]
    assert {row["status"] for row in found.rows} == {"finished"}


OF_MODELS = (
    "real-rank-cut.csv",
    "real-kinds.csv",
    "real-words.csv",
    "real-table1-language.csv",
)  # which nobody here has trained


@pytest.mark.parametrize("name", [name for name in TABLES if name not in OF_MODELS])
def test_the_ids_of_a_table_are_those_of_its_rows(name):
    from explorer.reproduce import NAMES

    assert assets.RECIPES[name].name in NAMES
    with (assets.FOLDER / name).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows and all(row["spec_id"] == spec_id(_of(row)) for row in rows)


def _of(row):
    """The specification of a row of a table, which has it or the fields that differ."""
    if "spec" in row:
        return parse(row["spec"])
    fields = {
        name: None if row[name] == "" else row[name] for name in ("kernel", "permutation", "filter")
    }
    counts = ("kernel_seed", "filter_seed", "conv", "seed", "steps")
    fields |= {name: int(row[name]) for name in counts}
    model = "rnn" if row["model"] == "RNN" else "transformer"
    return amended(LinearSpec(), model=model, **fields)


@pytest.fixture
def made(monkeypatch, tmp_path, capsys):
    """What `assets` makes of a tiny recipe, in a store of its own; its answer."""

    def run(name, spec, turn):
        monkeypatch.setenv("EXPLORER_HOME", str(tmp_path / f"home-{turn}"))
        monkeypatch.setitem(PRESETS if name.endswith(".zip") else SWEEPS, "tiny", ("", spec))
        own = assets.RECIPES[name]
        monkeypatch.setitem(assets.RECIPES, name, assets.Recipe("tiny", own.make))
        out = tmp_path / f"out-{turn}"
        out.mkdir()
        words = ["assets", name, "--out", str(out), "--workers", "1", "--json"]
        monkeypatch.setattr(sys, "argv", ["explorer", *words])
        with pytest.raises(SystemExit) as left:
            cli.main()
        assert not left.value.code
        return json.loads(capsys.readouterr().out)["files"][name]

    return run


SMALL = [
    ("train.zip", parse(TINY)),
    ("attention-qsa.zip", parse(TINY | {"target": "qsa", "tau": 4})),
    ("rates-diagonal.json", parse_sweep(TINY | {"m_h": [1, 2]})),
    ("order-units-power.json", LinearSweep(model="rnn", hidden=(1, 2), steps=3)),
]


@pytest.mark.parametrize(("name", "spec"), SMALL, ids=[name for name, _ in SMALL])
def test_what_is_made_twice_is_the_same(name, spec, made):
    first, again = (made(name, spec, turn)["fingerprint"] for turn in (0, 1))
    assert first == again and re.fullmatch("[0-9a-f]{12}", first)
    other = made(name, amended(spec, steps=4), 2)["fingerprint"]
    assert other != first, "what is trained otherwise is not"
