"""What the pages say: numbers, sentences and tables, against closed forms and the floors."""

from dataclasses import replace

import numpy as np
import pytest
from couplings import D3
from hypothesis import given
from hypothesis import strategies as st
from katex import refused_by_katex
from written_numbers import NUMBERS

from explorer.coupling import Formula, pod
from explorer.pages.design import view as design
from explorer.pages.runs import view as runs_view
from explorer.pages.train import view as train
from explorer.runs.record import RunRow
from explorer.spec import CouplingSpec, amended, full_json, spec_id
from explorer.targets import PRESETS, example_inputs
from explorer.theory.design import WIDTHS, Design
from explorer.views.selection import Selection
from explorer.views.text import number, rank_text

NMSE = {"mse": 0.002, "nmse": 0.01, "mae": 0.03, "r2": 0.99, "weights_sha256": "ab"}


def run(spec=PRESETS["train"][1], **changes):
    """A finished run, or what `changes` make of it."""
    row = RunRow(
        run=f"{spec_id(spec)}-1",
        spec_id=spec_id(spec),
        n=1,
        spec_json=full_json(spec),
        name="",
        status="finished",
        step=spec.steps,
        steps=spec.steps,
        pause_at=None,
        command=None,
        created=1.0,
        queued=1.0,
        started=1.0,
        ended=2.0,
        seconds=1.0,
        device="cpu",
        versions={},
        message="",
        metrics=NMSE,
        checkpoint=None,
        watched=0.0,
    )
    return replace(row, **changes)


def view(spec, m=8, centred=True, **options):
    return design.design_view(Design(amended(spec, m_h=m)), Selection(centred=centred, **options))


# Numbers


@pytest.mark.parametrize(("value", "digits", "text"), NUMBERS)
def test_numbers_are_written_as_on_a_slide(value, digits, text):
    assert number(value, digits) == text


@given(
    st.floats(1e-300, 1e300) | st.floats(-1e300, -1e-300),
    st.integers(1, 6),
)
def test_a_written_number_is_the_number_to_its_digits(value, digits):
    plain = str.maketrans("−⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "--0123456789")
    text = number(value, digits).translate(plain).replace("·10", "e")
    assert float(text) == pytest.approx(value, rel=0.51 * 10.0 ** (1 - digits))


def test_ranks():
    assert (rank_text(None), rank_text(6)) == ("∞", "6")


# What the Design page says


RANK_2 = CouplingSpec(rank=2)
DESIGN_SENTENCES = [
    (RANK_2, 2, "Centred rank 2: a head of width m_h = 2 ≥ 2 can represent ρ exactly"),
    (RANK_2, 9, "a head of width m_h = 9 ≥ 2 can represent"),
    (RANK_2, 1, "Centred rank 2: 1 of its terms leaves nMSE "),
    (RANK_2, 1, "at m_h = 2 nothing is left."),
    (
        CouplingSpec(),
        8,
        "The spectrum does not end: 8 of the 64 terms computed leave nMSE ",
    ),
    (CouplingSpec(), 8, "by truncation, an upper bound"),
    (CouplingSpec(formula="u"), 1, "ρ depends on u alone"),
    (CouplingSpec(rank=40), 36, "Centred rank 40: 36 of its terms leave nMSE "),
]


@pytest.mark.parametrize(("spec", "m", "says"), DESIGN_SENTENCES)
def test_the_design_verdict(spec, m, says):
    found = view(spec, m=m).verdict
    assert says in found
    if "leave nMSE" in found or "leaves nMSE" in found:
        assert f"nMSE {number(Design(spec).left_by(m))} by truncation" in found


STEEP = "1/(u - v + 0.005)"  # the quadrature does not resolve it
RANKS = [
    (CouplingSpec(formula=D3), 2),
    (CouplingSpec(formula="-(u-v)**2"), 2),
    (CouplingSpec(formula="tanh(3*u) + 0.5"), 0),
    (CouplingSpec(formula="1e5*u*v"), 1),
    (CouplingSpec(formula="minimum(u, v)"), None),
    (CouplingSpec(formula=STEEP), None),
    (CouplingSpec(rank=4, c=10.0), 4),
    (CouplingSpec(rank=40), 40),
    (CouplingSpec(), None),
    (CouplingSpec(alpha=8.0), None),
    (CouplingSpec(spectrum="exponential"), None),
    (CouplingSpec(spectrum="exponential", rank=40), 40),
    (CouplingSpec(formula="exp(u*v)"), None),
    (CouplingSpec(formula="exp(u*v) - exp(-u*v) + u"), None),
    (CouplingSpec(formula="sin(u)*v + cos(u)*v**2"), 2),
    (CouplingSpec(spectrum="list", sigma=(1.0, 1e-12)), 2),
    (CouplingSpec(spectrum="list", sigma=(100.0, 100.0, 0.001)), 3),
]


@pytest.mark.parametrize(("spec", "rank"), RANKS, ids=lambda value: getattr(value, "formula", None))
def test_the_floor_vanishes_from_the_rank_on_and_not_without_one(spec, rank):
    designed = Design(spec)
    assert designed.exact_rank == rank
    assert rank is None or designed.left_by(rank) < 1e-12
    assert rank is not None or designed.left_by(32) > 0, "it goes on, however low"
    assert rank == 0 or designed.left_by(0) > 1e-3
    said = design.verdict(Design(spec.model_copy(update={"m_h": 9})))
    assert (rank is None) == ("o end of the spectrum" in said or "does not end" in said)


def test_a_floor_beyond_those_drawn_is_on_the_same_sequences():
    designed = Design(CouplingSpec(rank=40))
    below, at = designed.left_by(WIDTHS), designed.left_by(WIDTHS + 1)
    assert 0 < at < below
    assert designed.left_by(40) < 1e-28


def test_the_width_for_an_error_is_the_least_that_reaches_it():
    designed = Design(CouplingSpec(rank=3))
    left = designed.floor.nmse
    assert designed.width_for(2.0) == (0, 0, 0)
    assert designed.width_for(float(left[1])).m == 1
    assert designed.width_for(float(left[2]) * 0.99).m == 3
    exact = designed.width_for(1e-300)
    assert exact == (3, 3, 3), "from the rank on the floor is 0, not its rounding"
    assert Design(CouplingSpec()).width_for(1e-9) == (None, None, None)


def test_the_gauge_is_told_where_the_mean_over_v_adds_to_the_rank():
    assert "Raw rank 3, centred rank 2" in view(CouplingSpec(formula="-(u-v)**2")).gauge
    assert view(RANK_2).gauge == view(CouplingSpec()).gauge == ""


@pytest.mark.parametrize("formula", ["exp(u*v)", "exp(2*cos(2*pi*(u - v)))"])
def test_the_gauge_is_silent_where_a_spectrum_has_no_end_but_passes_the_tolerance(formula):
    assert view(CouplingSpec(formula=formula)).gauge == ""


SMOOTH = ["exp(u*v)", "exp(-8*(u+v-1)**2)", "100*u + exp(-8*(u+v-1)**2)", "exp(3*u + v*u)"]


@pytest.mark.parametrize("formula", SMOOTH)
def test_the_floor_of_a_smooth_coupling_falls_to_rounding_and_stays_there(formula):
    """The v-mean of ρ, divided by a small σ_k, came back through the rounding of ∫ψ_k."""
    designed = Design(CouplingSpec(formula=formula))
    left = designed.floor.nmse
    assert left[16] <= left[8] <= left[4] * 1e-3
    assert left[16] < 1e-24 and designed.left_by(24) < 1e-24


BOUNDED = ["((u+v)/2)**66", "((u+v)/2)**100"]


@pytest.mark.parametrize("formula", BOUNDED)
def test_a_bound_on_the_rank_beyond_all_terms_has_no_cliff(formula):
    found = view(CouplingSpec(formula=formula), m=4)
    assert "Centred rank at most" in found.verdict and found.cliff == ""


def test_samples_with_more_rows_than_terms_are_drawn():
    x = (np.arange(100) + 0.5) / 100
    samples = np.exp(-8 * (x[:, None] + x - 1) ** 2)
    designed = Design(CouplingSpec(grid="0" * 64, m_h=4), lambda sha: samples)
    seen = design.design_view(designed, Selection())
    assert "4 of its terms leave nMSE" in seen.verdict and seen.cliff == ""


def test_a_tolerance_below_rounding_counts_no_rounding():
    found = design.design_view(Design(CouplingSpec(formula="u*v")), Selection(tolerance=1e-20))
    assert found.facts["rank"] == "1"
    assert pod(Formula("u*v"), tolerance=0.0).rank == 1


def test_facts_of_a_design():
    facts = view(CouplingSpec()).facts
    assert facts["rank"] == "infinite"
    assert facts["Σ σ_k², 64 terms"] == number(sum(k**-2 for k in range(1, 65)), 4)
    assert facts["fitted α"] == "1.00 (k ≥ 4)"
    finite = view(RANK_2).facts
    assert finite["rank"] == "2" and finite["σ₁"] == "1.000"
    assert not any("α" in name for name in finite), "a finite rank has no exponent"
    assert (
        view(CouplingSpec(formula="-(u-v)**2")).facts["rank"],
        view(CouplingSpec(formula="-(u-v)**2"), centred=False).facts["rank"],
    ) == ("2", "3")


LATEX = [
    (CouplingSpec(), [r"^{\infty\,(64)}", r" k^{-1}\;", r"\sin 2\pi k(x+\tfrac12)"]),
    (CouplingSpec(rank=3, alpha=1.5, c=2.0), ["^{3}", r"2\,k^{-1.5}"]),
    (CouplingSpec(spectrum="exponential", decay=0.25, rank=4), ["^{4}", r"0.25^{\,k-1}"]),
    (CouplingSpec(spectrum="list", sigma=(1.0, 0.5)), ["^{2}", r"\sigma_k"]),
    (CouplingSpec(left_basis="legendre", right_basis="legendre"), ["P_{k-1}(2x-1)", "P_k(2x-1)"]),
    (CouplingSpec(left_basis="fourier", right_basis="fourier"), [r"\{1,\ ", r"\psi_k(x)=\{\sqrt2"]),
    (CouplingSpec(formula="u**2*e**v"), [r"\rho(u,v) = {u}^{2} {e}^{v}"]),
    (CouplingSpec(formula="where(u<v, 1, 0) - " + "0*u + " * 40 + "v"), ["of many terms"]),
]


@pytest.mark.parametrize(("spec", "parts"), LATEX)
def test_the_formula_has_the_numbers_of_the_design(spec, parts):
    text = r",\quad ".join(design.latex(Design(spec)))
    assert all(part in text for part in parts), text


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        (CouplingSpec(m_h=8, tau=4), [r"=\,4\text{ tokens}", r"8\text{ of }64", "nMSE }0.0"]),
        (amended(RANK_2, m_h=1), [r"1\text{ of }2\text", "nMSE }"]),
        (amended(RANK_2, m_h=5), [r"2\text{ of }2\text", "nMSE }0}"]),
        (CouplingSpec(formula="u"), [r"0\text{ of }0\text", "nMSE }0}"]),
    ],
)
def test_the_schema_has_the_numbers_of_the_design(spec, says):
    parts = design.schema(Design(spec))
    assert len(parts) == 4 and all(part in "".join(parts) for part in says), parts
    assert not refused_by_katex(parts)


def test_samples_have_no_formula():
    values = np.random.default_rng(0).normal(size=(5, 9))
    assert "samples" in design.latex(Design(CouplingSpec(grid="0" * 64), lambda sha: values))[0]


# The Train page


def test_the_drawing_is_the_centred_truth():
    """ρ = u + uv: centred it is u(v − ½), whose one singular value is ‖u‖ ‖v − ½‖ = 1/6."""
    spec = CouplingSpec(formula="u + u*v", tau=5, m_h=3, steps=70, seed=4)
    header, arrays = train.drawing(Design(spec))
    x, tokens = (np.arange(48) + 0.5) / 48, example_inputs(5)
    np.testing.assert_allclose(arrays["rho"], np.outer(x, x - 0.5), atol=1e-13)
    np.testing.assert_allclose(arrays["sigma"], [1 / 6], atol=1e-13)
    np.testing.assert_array_equal(arrays["tokens"], tokens)
    weights = np.exp(np.outer(tokens, tokens))
    np.testing.assert_allclose(arrays["ideal"], weights / weights.sum(1, keepdims=True), atol=1e-13)
    wanted = {"tau": 5, "m_h": 3, "steps": 70, "seed": 4, "rank": 1, "floor": 0.0}
    assert wanted.items() <= header.items()
    assert header["label"] == "u + u*v" and header["example_t"] == 2


def test_the_drawing_of_a_design_follows_its_spectrum():
    spec = CouplingSpec(rank=3, alpha=2.0, tau=4, m_h=1)
    header, arrays = train.drawing(Design(spec))
    np.testing.assert_allclose(arrays["sigma"], [1, 1 / 4, 1 / 9], atol=1e-13)
    assert arrays["rho"].shape == (48, 48) and arrays["ideal"].shape == (4, 4)
    assert abs(arrays["rho"].mean(axis=1)).max() < 1e-13
    assert header["floor"] == Design(amended(spec, m_h=8)).left_by(1) > 0
    assert header["floor_label"] == "truncation, first term alone"
    assert (
        train.drawing(Design(amended(spec, m_h=3)))[0]["floor_label"]
        == "can vanish: m_h = 3 ≥ rank 3"
    )


def test_what_a_run_learns_from_does_not_move_its_truth():
    one, other = (train.drawing(Design(CouplingSpec(rank=3, seed=seed)))[1] for seed in (0, 1))
    assert all(np.array_equal(one[name], other[name]) for name in one)


WIDE, NARROW = CouplingSpec(rank=3, m_h=4), CouplingSpec(rank=3, m_h=1)
HEIGHT = Design(CouplingSpec(rank=3)).left_by(1)
TRAIN_SENTENCES = [
    (
        run(WIDE),
        "With m_h = 4 ≥ centred rank 3 the error can vanish; after 1200 steps this run "
        "(one seed) is at nMSE 0.010.",
    ),
    (run(NARROW, metrics={"nmse": HEIGHT / 2}), "2.0 × below it."),
    (run(NARROW, metrics={"nmse": HEIGHT * 3}), "3.0 × above it."),
    (run(NARROW), f"below the centred rank 3, truncation leaves nMSE {number(HEIGHT)}; "),
    (run(NARROW, metrics={"nmse": 0.0}), "is at nMSE 0."),
    (
        run(CouplingSpec(m_h=40)),
        "With n = 32 < m_h = 40 of infinitely many terms, truncation leaves nMSE 0.0",
    ),
    (run(WIDE, status="running", step=7, metrics=None), "; training…"),
    (run(WIDE, status="queued", step=0, metrics=None), "; waiting for a worker…"),
    (run(NARROW, metrics={}), "this run is finished at step 1200 of 1200."),
    (run(NARROW, metrics={"nmse": "low"}), "this run is finished at step 1200 of 1200."),
    *(
        (run(WIDE, status=status, step=7, metrics=None), f"this run is {status} at step 7 of 1200.")
        for status in ("paused", "stopped", "interrupted", "diverged")
    ),
]


@pytest.mark.parametrize(("row", "says"), TRAIN_SENTENCES, ids=lambda value: str(value)[:40])
def test_the_train_verdict(row, says):
    assert says in train.verdict(row, Design(row.spec))


def test_facts_of_a_run():
    facts = train.facts(run(WIDE))
    assert facts["step"] == "1200 of 1200" and facts["seed"] == "0"
    assert [facts[name] for name in ("MSE", "nMSE", "MAE")] == ["0.00200", "0.0100", "0.0300"]
    waiting = train.facts(run(WIDE, status="queued", step=0, metrics=None, device=""))
    assert waiting["device"] == "–" and "nmse" not in waiting
    assert "mae" not in train.facts(run(WIDE, metrics={"mae": "small", "mse": None}))


# Trained runs beside the floor


def test_trained_runs_are_the_finished_ones_of_this_very_design():
    mine = CouplingSpec(rank=3, m_h=2)
    rows = [
        run(mine),
        run(amended(mine, m_h=5, lr=0.1, seed=3), metrics={"nmse": 0.5}),
        run(amended(mine, rank=4)),
        run(amended(mine, tau=8)),
        run(mine, status="running", metrics=None),
        run(mine, status="stopped"),
        run(mine, metrics={"nmse": 0.0}),  # has no place on a log axis
        run(mine, metrics={}),
        run(mine, metrics={"nmse": "low"}),
        run(mine, spec_json='{"version": 2}'),
    ]
    found = design.trained_runs(amended(mine, m_h=30, steps=5), rows)
    assert found == [(2, 0.01, rows[0].run, 0), (5, 0.5, rows[1].run, 3)]
    assert design.trained_runs(CouplingSpec(formula=D3), rows) == []


def test_a_recipe_is_known_by_its_protocol():
    """The coupling, the width, the seed and the steps belong to none."""
    other = {"alpha": 2.0, "m_h": 3, "seed": 4, "steps": 70}
    for name, recipe in train.RECIPES.items():
        assert train.recipe_of(amended(recipe, **other)) == name
        assert train.recipe_note(recipe).startswith(train.NOTES[name])
    mixed = amended(train.RECIPES["improved"], **other, optimizer="adam", batch=8)
    assert train.recipe_of(mixed) is None
    assert train.recipe_note(mixed) == "Departs from *improved*: optimiser Adam, batch 8."
    far = amended(PRESETS["paper"][1], batch=8)
    assert train.recipe_note(far).endswith("optimiser Adam and 7 more.")


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"rank": 2, "m_h": 8, "n": 1}, "With n = 1 < m_h = 8 below the centred rank 2,"),
        ({"rank": 2, "m_h": 8, "n": 2}, "With n = 2 < m_h = 8 ≥ centred rank 2 the error can"),
        ({"rank": 2, "m_h": 1, "n": 8}, "With m_h = 1 below the centred rank 2,"),
    ],
    ids=str,
)
def test_a_head_is_as_wide_as_its_n_at_most(fields, says):
    designed = Design(CouplingSpec(**fields))
    assert says in train.expected(designed)
    height, words = train.floor_at(designed)
    width = min(fields["m_h"], fields["n"])
    assert height == (0 if width >= 2 else designed.left_by(width))
    assert ("can vanish" in words) == (width >= 2)
    assert "m_h = 2" not in words, "of n = 2"
    assert (train.below_the_rank(designed) == "") == (width >= 2)


def test_all_terms_that_are_trained_are_not_below_the_rank():
    assert train.below_the_rank(Design(CouplingSpec(m_h=64, n=128))) == ""
    assert train.below_the_rank(Design(CouplingSpec(m_h=63, n=128)))


def test_a_recipe_is_one_whatever_stands_in_fields_that_do_nothing():
    frozen = CouplingSpec(frozen="rho")
    assert not frozen.uses("head_start")
    assert train.recipe_note(frozen).startswith(train.NOTES["improved"])


def ended(nmse, seed=0, rank=2, **changes):
    spec = CouplingSpec(rank=rank, seed=seed)
    return run(spec, run=f"{rank}-{seed}-{nmse}", metrics={"nmse": nmse}, **changes)


COMPARED = [
    ([ended(0.01), ended(0.01, rank=3)], "ends lowest, at nMSE 0.010, as r = 3 does;"),
    ([ended(0.0), ended(0.0, rank=3)], "ends lowest, at nMSE 0, as r = 3 does;"),
    ([ended(0.01), ended(0.03, rank=3)], "at nMSE 0.010, 3.0 × below r = 3;"),
    ([ended(0.0), ended(0.03, rank=3)], "at nMSE 0, ∞ × below r = 3;"),
    ([ended(0.01), ended(0.02), ended(0.03, seed=1)], "3 runs of 2 seeds, of one design"),
    ([ended(0.01), ended(0.03, seed=1)], "2 seeds of one design and recipe: nMSE"),
    ([ended(0.01), ended(None, status="diverged")], "One of these 2 runs has finished: nothing to"),
    ([ended(None, status="failed")] * 2, "None of these 2 runs has finished: nothing to compare."),
    ([ended(None, status="queued")] * 2, "nothing to compare yet."),
]


@pytest.mark.parametrize(("rows", "says"), COMPARED, ids=range(len(COMPARED)))
def test_runs_beside_each_other(rows, says):
    assert says in runs_view.verdict(rows)


@pytest.mark.parametrize(
    ("nmse", "says"), [(0.01, ", as the one shown."), (0.02, "2.0 × above the one shown.")]
)
def test_a_pinned_run_as_low_as_the_one_shown(nmse, says):
    assert says in runs_view.beside(ended(0.01), ended(nmse))
