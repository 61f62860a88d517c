"""The runs that learned a design: all of a store, however many others came later."""

import json

from streamlit_pages import captions, ran, shell

from explorer.pages.design.view import TrainedWidth, badge, trained_fact, trained_runs
from explorer.runs import database
from explorer.runs.store import Store
from explorer.spec import CouplingSpec, amended, compact, design_fields, full_json
from explorer.ui import shown_run

DESIGNS = [
    CouplingSpec(),
    CouplingSpec(alpha=1 / 3, c=0.7),
    CouplingSpec(rank=6, tau=9, left_basis="haar"),
    CouplingSpec(spectrum="exponential", decay=0.123456789012),
    CouplingSpec(formula="minimum(u, v)"),
    CouplingSpec(formula="u*v - 'x'".replace("'x'", "0.1")),
    CouplingSpec(grid="0" * 64),
    CouplingSpec(spectrum="list", sigma=(0.1, 1 / 3, 0.123456789012, 2.0)),
    CouplingSpec(spectrum="list", sigma=(0.1, 1 / 3, 0.123456789013, 2.0)),
]


def finished(spec, nmse=0.5):
    """A run that has ended, without training."""
    run = Store().create(spec)
    with database.transaction(Store().path, write=True) as db:
        db.execute(
            "UPDATE work SET status = 'finished', metrics = ? WHERE run = ?",
            (json.dumps({"nmse": nmse}), run),
        )
    return run


def asked(spec):
    return {name: getattr(spec, name) for name in design_fields(spec)}


def test_each_design_finds_its_own_runs_and_no_other():
    runs = {
        compact(spec): [finished(amended(spec, m_h=m, seed=m)) for m in (2, 7)] for spec in DESIGNS
    }
    Store().create(DESIGNS[0])  # has not ended
    for spec in DESIGNS:
        found = [row.run for row in Store().finished(asked(amended(spec, m_h=31, lr=1e-3)))]
        assert found == runs[compact(spec)][::-1]


def test_what_does_nothing_beside_a_formula_does_not_hide_its_runs():
    run = finished(CouplingSpec(formula="u*v", alpha=3.0, left_basis="haar"))
    assert [row.run for row in Store().finished(asked(CouplingSpec(formula="u*v")))] == [run]


def test_a_field_that_was_not_written_has_its_default_and_nonsense_is_passed_over():
    older, broken = finished(CouplingSpec(alpha=2.0)), finished(CouplingSpec(alpha=2.0, seed=1))
    short = {
        key: value
        for key, value in json.loads(full_json(CouplingSpec(alpha=2.0))).items()
        if key not in ("c", "grid", "tau")
    }
    with database.transaction(Store().path, write=True) as db:
        for run, text in ((older, json.dumps(short)), (broken, "{")):
            db.execute("UPDATE work SET spec = ? WHERE run = ?", (text, run))
    assert [row.run for row in Store().finished(asked(CouplingSpec(alpha=2.0)))] == [older]


def test_a_run_is_found_behind_two_hundred_newer_ones(monkeypatch):
    spec = CouplingSpec(rank=2, m_h=3, tau=5)
    run = finished(spec, 0.125)
    for seed in range(201):
        Store().create(CouplingSpec(seed=seed))
    monkeypatch.setattr(shown_run, "shipped_rows", dict)
    (found,) = trained_runs(spec, shown_run.trained(spec))
    assert found == TrainedWidth(3, 0.125, run, 0)
    at = ran(shell(spec=compact(spec)))
    assert "trained: **nMSE 0.13 at m_h = 3, seed 0 (one seed)**" in captions(at)
    assert any("computed · ◆ 1 trained run" in each.value for each in at.markdown)


def test_of_several_runs_the_best_is_said_to_be_the_best_of_so_many():
    runs = [TrainedWidth(2, 0.5, "0123456789ab-1", 4), TrainedWidth(3, 0.25, "asset-train", 5)]
    fact = "nMSE 0.25 at m_h = 3, seed 5 (the best of 2 runs)"
    assert trained_fact(runs) == {"trained": fact} and trained_fact([]) == {}
    assert badge(runs) == "computed · ◆ 2 trained runs"
    assert badge([]) == "computed · not trained"
