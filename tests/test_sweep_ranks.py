"""The rank of a sweep's targets is found, not declared: gallery, random couplings, widest heads.

Rows are made up: nothing is trained.
"""

import json

import numpy as np
import pytest
import stores

from explorer.coupling import coupling_of, pod
from explorer.pages.design.view_gallery import GALLERY
from explorer.pages.rates import view
from explorer.pages.rates.view_budget import targets
from explorer.pages.rates.view_drawing import rates_drawing
from explorer.pages.rates.view_text import group_lines
from explorer.reproduce import swept
from explorer.runs import sweep_rows
from explorer.runs.store import Store
from explorer.targets import parse_sweep, target_of
from explorer.theory import sweep as theory
from explorer.views.sweeps import Finished, described, sweep_of

WIDTHS = [16, 1, 2, 64, 3, 6, 5, 8]


def rows_of(sweep, rank):
    """Errors that fall like m^-2 up to the rank, and vanish there."""
    rng = np.random.default_rng(0)

    def error(width):
        law = 0.1 * width**-2.0 if rank is None or width < rank else 1e-8
        return law * np.exp(0.05 * rng.normal())

    rows = stores.rows_of(sweep, lambda _: 1.0)
    errors = [error(row["m_h"]) for row in rows]
    return tuple(
        row | {"nmse": e, "mae": e**0.5, "sigma": [1.0] * row["m_h"], "surgery": None}
        for row, e in zip(rows, errors, strict=True)
    )


def summaries(sweep, rows):
    """What page and command line say of the same rows, both as JSON can have them."""
    found = Finished(sweep, rows)
    keys = {key: target_of(member) for key, member in theory.designs(sweep).items()}
    for norm in ("mse", "mae"):
        shown = view.rates_view(found, norm, "median")
        json.dumps(rates_drawing(found, shown), allow_nan=False)
        assert len(view.points(shown.groups)) and "nan" not in shown.verdict + shown.table
        assert not view.lines(shown.groups)["error"].isna().any()
        said = theory.summary(sweep, rows, keys, norm)
        json.dumps(said, allow_nan=False)
        assert [g["rank"] for g in said["groups"]] == [g["rank"] for g in shown.groups]
        yield shown, group_lines(said["groups"])


@pytest.mark.parametrize("entry", GALLERY, ids=[entry.key for entry in GALLERY])
def test_every_coupling_of_the_gallery_has_the_rank_that_its_pod_shows(entry):
    values = entry.spec.model_dump(mode="json") | {"m_h": WIDTHS, "seed": [0, 1, 2]}
    sweep = parse_sweep(values)
    rank = pod(coupling_of(entry.spec), centred=True).whole_rank
    for shown, lines in summaries(sweep, rows_of(sweep, rank)):
        (group,) = shown.groups
        text = shown.verdict + shown.table + "".join(lines)
        assert group["rank"] == rank
        assert ("∞" in text) == (rank is None) and ("α = " in text) == theory.is_power(sweep)
        if rank in WIDTHS and rank - 1 in WIDTHS and rank > 1:
            assert group["knee"]["m_h"] == rank and f"at {rank} = r" in shown.table
        if group["slope"] is not None:
            assert rank is None or group["fit_range"][1] < rank
            half = 1 if group["norm"] == "mae" else 2
            assert group["slope"] == pytest.approx(-half, abs=0.15)
        if rank is not None and rank <= 3:
            assert group["slope"] is None and "\\pm" not in shown.verdict, "too few widths"
        if not theory.is_power(sweep):
            assert not any("half shift" in note for note in shown.notes)


@pytest.mark.parametrize("seed", range(40))
def test_any_coupling_at_any_widths_is_summed_up(seed):
    rng = np.random.default_rng(seed)
    sweep = parse_sweep(
        random_coupling(rng)
        | {
            "m_h": rng.permutation([1, 2, 3, 4, 7, 12, 63, 64])[: rng.integers(1, 9)].tolist(),
            "seed": list(range(rng.integers(1, 4))),
            "tau": 4,
        }
    )
    member = sweep.members()[0]
    rank = pod(coupling_of(member), centred=True).whole_rank
    rows = [row for row in rows_of(sweep, rank) if rng.random() < 0.9] or rows_of(sweep, rank)
    for shown, lines in summaries(sweep, tuple(rows)):
        assert len(lines) == len(shown.groups) == len(shown.table.splitlines()) - 2
        assert {group["rank"] for group in shown.groups} <= {rank}


def random_coupling(rng):
    """A spectrum of any kind: lists out of order and with zeros, ranks, steep and flat decays."""
    sigma = np.round(rng.random(rng.integers(1, 12)) + 0.01, 3)
    sigma[1:][rng.random(len(sigma) - 1) < 0.4] = 0.0
    sigma = rng.permutation(sigma)
    kinds = [
        {"spectrum": "list", "sigma": sigma.tolist()},
        {
            "alpha": float(rng.choice([0.0, 0.4, 1.0, 3.0, 8.0])),
            "rank": rng.choice([None, 1, 5, 64]),
        },
        {
            "spectrum": "exponential",
            "decay": float(rng.choice([0.05, 0.5, 0.95])),
            "rank": rng.choice([None, 3, 64]),
        },
        {"formula": str(rng.choice(["u", "v", "u*v", "cos(2*pi*(u-v))", "minimum(u, v)"]))},
    ]
    bases = {
        name: str(rng.choice(["sine", "legendre", "haar", "fourier"]))
        for name in ("left_basis", "right_basis")
    }
    return dict(kinds[rng.integers(4)]) | bases


@pytest.mark.parametrize(
    "sweep",
    [
        {"spectrum": "list", "sigma": [1.0, 0.5, 0.2], "m_h": [1, 2, 3, 4]},
        {"m_h": [1, 4, 16, 64]},
        {"formula": "2*cos(2*pi*(u-v))", "m_h": [1, 2, 3, 4, 6]},
    ],
)
def test_the_command_line_sums_up_what_once_ended_in_a_traceback(sweep):
    wanted, store = parse_sweep(sweep), Store()
    rank = pod(coupling_of(wanted.members()[0]), centred=True).whole_rank
    sweep_rows.insert(store, sweep_rows.register(store, wanted), rows_of(wanted, rank))
    found = swept(store, wanted, "local", 1, "cpu")
    (group,) = found["groups"]
    assert found["status"] == "finished" and group["rank"] == rank
    assert group["slope"] is None or group["fit_range"][1] < (rank or 64)


def test_my_design_is_swept_around_the_rank_that_is_found():
    entry = next(entry for entry in GALLERY if entry.key == "periodic")
    widths = sweep_of(entry.spec, 2).m_h
    assert {1, 2, 3} <= set(widths)
    listed = parse_sweep({"spectrum": "list", "sigma": [1.0] * 9, "m_h": [1, 2]})
    assert {8, 9, 10} <= set(sweep_of(listed.members()[0], 9).m_h)
    assert "∞" not in described(listed) and "α" not in described(listed)


def test_a_map_names_the_target_by_the_rank_that_is_found():
    several = {"m_h": [1, 2], "m_ff": [8, 16]}
    assert list(targets(Finished(parse_sweep(several | {"formula": "cos(2*pi*(u-v))"}), ()))) == [
        "r = 2"
    ]
    assert list(targets(Finished(parse_sweep(several), ()))) == ["α = 1, r = ∞"]
