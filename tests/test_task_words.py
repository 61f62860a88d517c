"""Sentences on the attention tasks: each number in them is that of the rows they speak of."""

import numpy as np
import pytest

from explorer.folder import resource
from explorer.pages.attention import view
from explorer.pages.attention import view_tables as tables
from explorer.pages.attention.view_head import Head
from explorer.runs import weights
from explorer.targets import PRESETS, TASKS, task_of
from explorer.targets.tasks.gravity import GravitySpec
from explorer.targets.tasks.nearest import NearestSpec
from explorer.targets.tasks.selection import SelectionSpec
from explorer.theory import tasks
from explorer.ui import live
from explorer.views.text import number

NEAREST, GRAVITY, SELECTION = NearestSpec(), GravitySpec(), SelectionSpec()


def group(best, agreement, knee, rows, **more):
    there = more.pop("there", [3 if knee and i + 1 >= knee else 0 for i in range(len(best))])
    return {
        "m_h": list(range(1, len(best) + 1)),
        "seeds": 3,
        "best": best,
        "agreement": agreement,
        "knee": knee,
        "agreement_knee": rows,
        "there": there,
    }


def test_knees_that_coincide_are_said_to():
    groups = [
        group([0.5, 1e-5, 1e-5], [0.4, 1, 1], 2, 2),
        group([0.5, 0.2, 1e-5], [0.4, 1, 1], 3, 2),
        group([0.5, 0.3, 1e-5], [0.3, 1, 1], 3, 2),
    ]
    needed = {f"k = {k}": (w, f"min(2k, τ − 1) = {w}") for k, w in ((1, 2), (2, 2), (3, 3))}
    text, same = view.knees(groups, needed)
    lines = text.split("\n")
    assert same == (
        "Knees of the error: 2, 3, 3; of the agreement: 2, 2, 2; k = 2 and k = 3 have the same."
    )
    assert "theory says the same: min(2k, τ − 1) = 2" in lines[0]
    assert "min(2k, τ − 1) = 2, not yet as low there (best nMSE 0.20)" in lines[1]
    assert "reached there (best nMSE 1.0·10⁻⁵)" in lines[2], "the agreement has its knee before"
    assert all("best of 3 seeds" in line and "median agreement" in line for line in lines)


def test_a_width_that_only_some_seeds_reach_is_said_so():
    line, _ = view.knees(
        [group([0.5, 1e-5, 1e-5], [0.4, 1, 1], 2, 2, there=[0, 2, 1])], {"k = 2": (4, "4")}
    )
    assert "(nMSE 1.0·10⁻⁵; 2, 1 of 3 seeds are as low from there on)" in line
    assert line.endswith("theory: 4"), "nothing was measured at 4"
    falling = group([0.5, 0.1, 0.01], [0.1, 0.2, 0.3], None, None)
    line, _ = view.knees([falling], {"a": (9, "9")})
    assert "has no knee yet" in line and "and has no knee yet; theory: 9" in line


@pytest.mark.parametrize("name", tables.WIDTHS)
def test_the_knees_of_a_shipped_sweep_are_those_of_its_rows(name):
    """Recomputed from the rows by another route."""
    found = tables.shipped_widths(name)
    needed = {row.group: (row.m_h, row.words) for row in tables.needed(found.sweep).itertuples()}
    groups = tasks.summary(found.sweep, found.rows)["groups"]
    text, _ = view.knees(groups, needed)
    for group_name, line in zip(needed, text.split("\n"), strict=True):
        rows = [row for row in found.rows if tables.label(found.sweep, row) == group_name]
        widths = sorted({row["m_h"] for row in rows})
        table = np.array([[r["nmse"] for r in rows if r["m_h"] == m] for m in widths])
        agree = np.array([[r["agreement"] for r in rows if r["m_h"] == m] for m in widths])
        best, low = table.min(axis=1), max(3 * table.min(), 1e-4)
        knee = next(m for i, m in enumerate(widths) if (best[i:] <= low).all())
        middle = np.median(agree, axis=1)
        rise = next(m for i, m in enumerate(widths) if (middle[i:] >= middle.max() - 0.01).all())
        assert f"**{group_name}**: the error of the best of {len(table[0])} seeds" in line
        if knee == widths[-1]:
            assert "has no knee yet" in line
        else:
            place = widths.index(knee)
            assert f"falls up to m_h = {knee} (nMSE {number(best[place])};" in line
            counts = (table[place:] <= low).sum(axis=1)
            if (counts < table.shape[1]).any():
                assert ", ".join(map(str, counts)) + f" of {table.shape[1]} seeds" in line
        assert f"median agreement rises up to m_h = {rise};" in line


def test_the_cut_of_gravity_is_named_where_its_error_jumps_beside_the_sufficient_rank():
    record = live.open_stream("asset-attention-cog").record
    head = Head(record.spec, weights.of_archive(resource("assets") / "attention-cog.zip"))
    errors = view.cuts(head)
    assert len(errors) == 16 and errors[-1] == pytest.approx(record.row.metrics["nmse"], rel=2)
    at = 1 + max(k for k, error in enumerate(errors, start=1) if error > 3 * errors[-1])
    text = view.cut(head)
    assert f"from k = {at} of 16 on; at k = {at - 1} it is {number(errors[at - 2])}" in text
    assert "rank 12 is enough: training has found one of rank" in text and at < 12
    assert "12 directions are enough; fewer may do" in task_of(GRAVITY).rank_note


def test_what_proposition_b1_asks_for_is_said_as_it_is():
    """(2) and (3) ask for one largest key and an injective F∘f, which none of the tasks has."""
    for spec in (NEAREST, GRAVITY, SELECTION):
        text = task_of(spec).injectivity
        assert "*if it is the only one and F∘f is injective*" in text
        assert "is the identity" not in text and "identity" not in TASKS[spec.target].page.equation
    assert "F∘f(u, v) = v is a projection of the token" in task_of(NEAREST).injectivity
    assert "F∘f(v, s) = v is a projection of the token" in task_of(SELECTION).injectivity
    assert "a circle of points to one number" in task_of(GRAVITY).injectivity


def test_the_theory_of_qsa_is_called_theory():
    text = task_of(PRESETS["qsa"][1]).rank_note
    assert "τ − 1 = 7 is always enough" in text and "min(2k, τ − 1) = 6" in text
    assert "In the limit e^λ → ∞" in text and "measured below" in text
