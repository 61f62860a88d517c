"""What `aux` buys: medians over seeds of recipes that differ in nothing else, and their words."""

import json

import numpy as np
import pandas as pd
import pytest

from explorer.cli import assets
from explorer.pages.attention import view_without_aux as view
from explorer.reproduce import Request, reproduce
from explorer.reproduce import without_aux as figure
from explorer.runs.store import Store
from explorer.spec import amended, spec_id
from explorer.targets import PRESETS, parse
from explorer.targets.tasks.gravity import GravitySpec
from explorer.targets.tasks.nearest import NearestSpec
from explorer.ui.shown_run import shipped_row

SMALL = {"n": 8, "m_ff": 8, "batch": 8, "warmup": 1, "steps": 3}


def table_of(agreements, nmse=1e-3):
    """Runs of the recipe "cog" by (aux, seed): the agreement at steps 1, 10, 100."""
    rows = [
        {
            "recipe": "cog",
            "aux": aux,
            "seed": seed,
            "step": step,
            "nmse": nmse,
            "agreement": agreement,
            "attention_error": 1 - agreement,
            "value_error": 0.0,
        }
        for (aux, seed), run in agreements.items()
        for step, agreement in zip((1, 10, 100), run, strict=True)
    ]
    return pd.DataFrame(rows)


def test_a_pair_is_the_median_of_its_seeds():
    found = view.pair(
        table_of(
            {
                (True, 0): (0.1, 0.7, 0.99),
                (True, 1): (0.7, 0.96, 0.97),
                (True, 2): (0.1, 0.2, 0.98),
                (False, 0): (0.1, 0.2, 0.97),
                (False, 1): (0.1, 0.2, 0.96),
                (False, 2): (0.1, 0.2, 0.3),
            }
        ),
        "cog",
    )
    on, off = found.with_aux, found.without
    assert (on.jump, off.jump) == (10, 100) and found.later == 10
    assert (on.agreement, off.agreement) == (0.98, 0.96)
    assert (on.looking, off.looking) == (3, 2), "seeds that look right"
    assert (on.extremes, off.extremes) == ((0.97, 0.99), (0.3, 0.97))
    assert on.seeds == 3 and on.steps == 100 and on.r2 == pytest.approx(0.999)
    assert found.looks_right and "gets there 10.0 times sooner" in view.sentence(found)


@pytest.mark.parametrize(
    ("without", "words"),
    [
        ((0.1, 0.7, 0.97), "That loss makes no difference here"),
        ((0.1, 0.2, 0.96), "that loss gets there 10.0 times sooner"),
        ((0.1, 0.5, 0.7), "are right in 1 of 1 seeds with it and in 0 without"),
    ],
)
def test_the_words_follow_the_numbers(without, words):
    found = view.pair(table_of({(True, 0): (0.1, 0.7, 0.99), (False, 0): without}), "cog")
    text = view.sentence(found)
    assert (
        words in text
        and "medians of 1 seeds, 100 steps, nothing but the loss on single tokens differs" in text
    )
    assert "no rate is tuned" in text
    assert "is right in 99.0 % (99.0 to 99.0 by seed) of the rows with it and" in text
    assert f"{100 * without[-1]:.1f} % ({100 * without[-1]:.1f} to" in text


def test_prediction_tokens_are_told_alone():
    """The task is there, and the head with aux, which looks right nearly everywhere, is worse."""
    with_aux, without = (
        shipped_row(f"asset-attention-{name}") for name in ("cog-adam", "cog-adam-plain")
    )
    text = view.asking_words(with_aux, without)
    assert (
        "78.7 % (95 %: 77.4 to 79.9) with single tokens and in 87.7 % (95 %: 86.7 to 88.7)" in text
    )
    assert view.asking_words(*[shipped_row("asset-attention-nearest")] * 2) == ""


def test_a_run_that_never_looks_right_has_no_jump():
    found = view.pair(table_of({(True, 0): (0.1, 0.7, 0.99), (False, 0): (0.1, 0.1, 0.2)}), "cog")
    assert np.isinf(found.without.jump) and not found.looks_right


def test_the_recipes_differ_in_aux_alone():
    for pair in view.PAIRS.items():
        having, without = (PRESETS[preset][1] for preset in pair)
        assert having.aux and without == amended(having, aux=False)


def test_reproduce_writes_what_the_page_reads(monkeypatch, tmp_path, one_thread):
    tiny = {"nearest": NearestSpec(tau=3, **SMALL), "cog": GravitySpec(tau=6, segments=2, **SMALL)}
    tiny["cog-adam"] = amended(tiny["cog"], optimizer="adam")
    for name, spec in tiny.items():
        monkeypatch.setitem(figure.TASK_PRESETS, name, ("", spec))
        monkeypatch.setitem(figure.TASK_PRESETS, f"{name}-plain", ("", amended(spec, aux=False)))
    found = reproduce("without-aux", Request(Store(), tmp_path, quick=True))["figures"][
        "without-aux"
    ]
    assert json.loads((tmp_path / "summary.json").read_text("utf-8"))
    table = pd.read_csv(tmp_path / "without-aux.csv")
    assert list(table.columns) == view.COLUMNS and len(Store().list()) == 6
    for row in table.to_dict("records"):
        spec = parse(row["spec"])
        assert row["spec_id"] == spec_id(spec) and spec.seed == row["seed"]
        assert spec == amended(tiny[row["recipe"]], aux=row["aux"])
    assert not any(check["holds"] for check in found["checks"]), "three steps teach nothing"
    picture = (tmp_path / "without-aux.svg").read_text("utf-8")
    for word in ("with single tokens", "without", "cog-adam", view.signature(table)):
        assert f">{word}<" in picture


def test_the_shipped_table_is_whole_and_what_it_is_asked_to_show():
    table = view.shipped()
    assert assets.RECIPES["attention-without-aux.csv"].name == "without-aux"
    pairs = {name: view.pair(table, name) for name in view.PAIRS}
    for found in pairs.values():
        assert found.with_aux.seeds == found.without.seeds == len(figure.SEEDS)
    assert all(check["holds"] for check in figure._checks(pairs)), figure._checks(pairs)
    assert "times sooner" in view.sentence(pairs["nearest"])
    assert "makes no difference here" in view.sentence(pairs["cog"])
    assert "in 1 of 3 seeds with it and in 0 without" in view.sentence(pairs["cog-adam"])
