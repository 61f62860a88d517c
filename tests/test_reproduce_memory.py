"""The memory paper's experiments: tables, checks that can fail, figures."""

import json

import numpy as np
import pytest

from explorer.charts import DARK, LIGHT
from explorer.pages.memory.chart import outcomes_chart
from explorer.reproduce import Request, memory
from explorer.runs.store import Store
from explorer.spec import spec_id

GOOD = {
    "memory-depth": lambda s: (
        1e-3 if s.layers > 1 or getattr(s, "jumps", 2) < 2 else 0.1 if s.heads == 8 else 0.5
    ),
    "memory-heads": lambda s: {1: 0.76, 2: 0.51, 3: 0.26, 4: 0.01}[s.heads],
    "memory-heads-pointed": lambda s: 0.3 / s.heads,
}


def worse(spec):
    """Other rates than this one leave more."""
    return 1 if spec.lr == 0.1 else 1.5


def pretend(monkeypatch, error):
    """What `swept` answers where models err as `error` says of their specification."""

    def swept(store, sweep, *_):
        rng = np.random.default_rng(0)
        rows = [
            {
                **{name: getattr(s, name) for name in ("layers", "heads", "seed")},
                "nmse": (nmse := error(s) * float(np.exp(rng.normal(0, 0.005)))),
                "mse": nmse,
                "spec_id": spec_id(s),
            }
            for s in sweep.members()
        ]
        return {"status": "finished", "rows": rows}

    monkeypatch.setattr("explorer.reproduce.request.swept", swept)


def error_of(spec):
    if spec.recipe == "decays":
        return worse(spec) * (1e-5 if (spec.encoding, spec.fall) == ("log", "power") else 0.5)
    if spec.tau == 24:
        return GOOD["memory-heads" if spec.encoding == "t5" else "memory-heads-pointed"](spec)
    return GOOD["memory-depth"](spec)


@pytest.mark.parametrize(
    ("figure", "rows"),
    [(memory.memory_depth, 80), (memory.memory_heads, 35), (memory.memory_encodings, 240)],
)
def test_figures_have_a_table_a_picture_and_checks_that_can_fail(
    figure, rows, monkeypatch, tmp_path
):
    pretend(monkeypatch, error_of)
    request = Request(Store(tmp_path / "home"), tmp_path)
    found = json.loads(json.dumps(figure(request), allow_nan=False))
    assert all(check["holds"] for check in found["checks"]), found["checks"]
    for name in found["files"]:
        assert (tmp_path / name).stat().st_size > 1000
    assert len((tmp_path / found["files"][0]).read_text("utf-8").splitlines()) == rows + 1
    assert found["seeds"] == [0, 1, 2, 3, 4] and len(found["text"]) == len(found["cells"]) + 1
    pretend(monkeypatch, lambda spec: 0.9)
    assert not any(check["holds"] for check in figure(request)["checks"][-1:]), "the control"


def test_each_cell_is_at_the_rate_that_other_seeds_find_best(monkeypatch, tmp_path):
    """A rate that is good for the seeds shown, and bad for those that decide, is not taken."""

    def error(spec):
        lucky = spec.lr == 0.3 and spec.seed not in memory.TUNED_BY
        return 1e-3 if lucky else worse(spec) * (0.5 + spec.heads / 1000)

    pretend(monkeypatch, error)
    found = memory._tuned(Request(Store(tmp_path), tmp_path), "memory-lin-power")
    assert set(found["lr"]) == {0.1} and len(found) == 30
    assert found["seed"].tolist() == [0, 1, 2, 3, 4] * 6


def test_cells_have_their_ends_and_charts_are_drawn_in_both_themes(monkeypatch, tmp_path):
    pretend(monkeypatch, error_of)
    table = memory._table(Request(Store(tmp_path), tmp_path), ("memory-heads",))
    cells = memory.cells(table, "heads")
    assert cells["heads"].tolist() == [1, 2, 3, 4] and (cells["seeds"] == 5).all()
    assert ((cells["low"] < cells["median"]) & (cells["median"] < cells["high"])).all()
    assert cells["best"].tolist() == [0.75, 0.5, 0.25, 0.0]
    for palette in (LIGHT, DARK):
        drawn = outcomes_chart(table, cells, "heads", "heads H", palette).to_dict()
        assert len(drawn["layer"]) == 3 and palette.accent in str(drawn)
