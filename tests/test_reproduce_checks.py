"""What `reproduce` says of checks, and how it ends."""

import json
import sys

import pytest

from explorer import cli, reproduce
from explorer.reproduce.request import check, check_line

NAMES_OF = {name: (name,) for name in reproduce.NAMES} | {"all": reproduce.NAMES}


def made_up(**check):
    """What a figure answers that has one check, or none."""
    return {"text": ["a figure"], "checks": [check] if check else []}


@pytest.mark.parametrize("name", [*reproduce.NAMES, "all"])
@pytest.mark.parametrize("more", [(), ("--json",)])
def test_a_check_that_does_not_hold_is_said_and_is_an_error(
    name, more, tmp_path, monkeypatch, capsys
):
    """Of whatever figure: the command prints every check and ends by 1."""
    last = NAMES_OF[name][-1]
    holds = made_up(what="slope", measured=1.0, range=[0.85, 1.15], holds=True)
    misses = made_up(row="roll", what="error", measured=33.7, most=1.5, holds=False)
    for which in reproduce.NAMES:
        found = misses if which == last else holds
        monkeypatch.setitem(reproduce.FIGURES, which, lambda _, found=found: dict(found))
    words = ["explorer", "reproduce", name, "--quick", "--out", str(tmp_path), *more]
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit) as left:
        cli.main()
    out, err = capsys.readouterr()
    said = f"1 of {len(NAMES_OF[name])} checks do not hold"
    assert left.value.code == 1 and said in err
    figures = json.loads(out)["figures"].values() if more else ()
    lines = [line for figure in figures for line in figure["text"]] or out.splitlines()
    assert "roll, error: 33.7 (at most 1.5) DOES NOT HOLD" in lines
    assert name != "all" or "slope: 1 (from 0.85 to 1.15) holds" in lines


def test_a_figure_whose_checks_hold_is_no_error(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["explorer", "reproduce", "d3", "--out", str(tmp_path)])
    with pytest.raises(SystemExit) as left:
        cli.main()
    out, err = capsys.readouterr()
    assert not left.value.code and out.count(" holds\n") == 3 and "DOES NOT" not in out + err


@pytest.mark.parametrize(
    ("found", "line"),
    [
        (
            {
                "what": "fall",
                "measured": None,
                "least": 1e4,
                "holds": False,
                "alpha": 1.0,
                "rank": 6,
            },
            "alpha = 1.0, rank = 6, fall: not measured (at least 10000) DOES NOT HOLD",
        ),
        (
            {"what": "slope", "measured": 0.9, "range": [0.8, 1.2], "holds": True, "rank": None},
            "rank = ∞, slope: 0.9 (from 0.8 to 1.2) holds",
        ),
        (
            {
                "what": "mse",
                "measured": 1.25e-5,
                "most": 1e-4,
                "holds": True,
                "row": "original",
                "model": "Transformer",
            },
            "Transformer, original, mse: 1.25e-05 (at most 0.0001) holds",
        ),
    ],
)
def test_a_check_in_a_line(found, line):
    assert check_line(found) == line


@pytest.mark.parametrize(
    ("measured", "bound", "holds"),
    [
        (1.0, {"least": 1.0}, True),
        (0.9, {"least": 1.0}, False),
        (1.0, {"most": 1.0}, True),
        (1.1, {"most": 1.0}, False),
        (0.5, {"between": (0.5, 2.0)}, True),
        (2.1, {"between": (0.5, 2.0)}, False),
        (None, {"most": 1.0}, False),
        (float("nan"), {"least": 0.0}, False),
    ],
)
def test_a_check_holds_within_its_bound_and_not_without_a_number(measured, bound, holds):
    found = check("slope", measured, **bound, model="vit")
    assert found["holds"] is holds and found["model"] == "vit"
    assert (found["measured"] is None) == (measured is None or measured != measured)
    assert json.loads(json.dumps(found, allow_nan=False)) == found
