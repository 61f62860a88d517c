"""Spectra that do not end, spectra that do, and those of which nobody knows."""

import json

import numpy as np
import pytest

from explorer.coupling import Formula, Samples, pod
from explorer.coupling.couplings import degrees_of
from explorer.families import BASES
from explorer.pages.design import view
from explorer.pages.train import view as train
from explorer.spec import amended
from explorer.targets import parse, parse_sweep
from explorer.theory import sweep as theory
from explorer.theory.design import Design, left_beyond, share_of_cut


def designed(**fields):
    return Design(parse(fields))


def left_at_64(spec, terms=2000, sequences=3000):
    """Second implementation: H of so many terms, sequence by sequence."""
    rng, k = np.random.default_rng(7), np.arange(1, terms + 1)
    sigma, errors, answers = spec.c * k**-spec.alpha, [], []
    for _ in range(sequences):
        x = rng.random(spec.tau)
        phi = BASES[spec.left_basis].functions(x[:1], terms, "left")[0]
        psi = BASES[spec.right_basis].functions(x, terms, "right")
        y, kept = (
            np.average(x, weights=np.exp(psi[:, :n] @ (sigma[:n] * phi[:n]))) for n in (terms, 64)
        )
        errors.append((y - kept) ** 2)
        answers.append(y)
    return np.mean(errors) / np.var(answers), np.std(errors) / sequences**0.5 / np.var(answers)


@pytest.mark.parametrize(
    "fields",
    [
        {"alpha": 1.332, "c": 0.01, "tau": 2},
        {"alpha": 1.332, "tau": 24},
        {"alpha": 1.5, "left_basis": "fourier", "right_basis": "haar"},
    ],
    ids=str,
)
def test_what_64_terms_leave_of_a_spectrum_without_end(fields):
    spec = parse(fields)
    truth, error = left_at_64(spec)
    assert left_beyond(spec) == pytest.approx(truth, rel=0.4, abs=4 * error)


@pytest.mark.parametrize("alpha", [0.51, 0.6])
def test_what_they_leave_of_a_slow_spectrum_is_known_to_its_order(alpha):
    """Of sines its rest lies near u = v, where no token is but itself: 3 times less than in
    proportion to the tail."""
    spec = parse({"alpha": alpha})
    truth, _ = left_at_64(spec, terms=8192, sequences=2000)
    assert truth / 3 < left_beyond(spec) < 3 * truth


def test_what_has_no_sum_is_left_open():
    assert left_beyond(parse({"alpha": 0.5})) is None
    assert "has no finite" in view.verdict(designed(alpha=0.5, m_h=64))


def test_at_64_terms_no_sentence_names_what_is_rounding():
    design = designed(m_h=64, alpha=1.332, tau=24, n=128)
    said = [view.verdict(design), *view.schema(design), train.expected(design)]
    assert not any("10⁻³" in text for text in said)
    assert "64 terms of this spectrum are computed" in said[0] and "of order" in said[0]
    assert train.floor_at(design) == (0.0, "can vanish: all 64 terms that are trained")
    assert np.isnan(design.left_by(64)) and design.left_by(63) > 1e-8
    assert "8 of the 64 terms computed" in view.verdict(designed(m_h=8))


def test_a_sweep_over_64_terms_has_no_floor_there():
    sweep = parse_sweep({"alpha": 1.332, "m_h": [1, 4, 16, 64], "tau": 4})
    rows = [
        {"alpha": 1.332, "rank": None, "m_ff": 128, "m_h": m, "seed": 0, "nmse": 1 / m}
        for m in (1, 4, 16, 64)
    ]
    targets = {key: Design(spec).target for key, spec in theory.designs(sweep).items()}
    (group,) = theory.summary(sweep, rows, targets)["groups"]
    assert group["rank"] is None and group["truncation"][3] is None and group["tail"][3] is None
    assert min(group["truncation"][:3]) > 0 and group["fit_range"] == [1, 16]
    assert "NaN" not in json.dumps(group)


@pytest.mark.parametrize("fields", [{"rank": 64}, {"spectrum": "list", "sigma": [0.5] * 64}])
def test_64_terms_that_were_asked_for_are_64_terms(fields):
    design = designed(**fields, m_h=64)
    assert design.exact_rank == 64 and design.rank_words == "64"
    assert "Centred rank 64" in view.verdict(design)


def smooth(rows, columns):
    """Samples of e^{-4(u−v)²} at cell centres."""
    u, v = ((np.arange(n) + 0.5) / n for n in (rows, columns))
    return Samples(np.exp(-4 * (u[:, None] - v) ** 2))


@pytest.mark.parametrize("shape", [(20, 20), (40, 64), (64, 64), (30, 12), (12, 30), (100, 90)])
def test_samples_have_no_more_terms_than_rows_or_columns(shape):
    """The hats of u and of v are as many, and those of v add up to 1."""
    for centred in (False, True):
        found = pod(smooth(*shape), centred=centred)
        most = min(shape[0], shape[1] - centred)
        assert found.whole_rank is not None and found.whole_rank <= most
        assert "∞" not in found.rank_words
    rough = pod(Samples(np.random.default_rng(0).normal(size=shape)), centred=True)
    assert rough.whole_rank == min(shape[0], shape[1] - 1)


def test_the_page_says_the_bound_on_the_rank_of_samples():
    found = pod(smooth(64, 64), centred=True)
    assert found.rank_words == "at most 63"
    above = int((found.sigma > 1e-10).sum())
    assert view.rank_fact(found, 1e-10) == f"{above} above 10⁻¹⁰ (at most 63 in all)"


@pytest.mark.parametrize(
    ("text", "degrees"),
    [
        ("-(u-v)**2", (2, 2)),
        ("u*v**3/2 + pi*u", (1, 3)),
        ("sin(2)*u - exp(1)", (1, 0)),
        ("3", (0, 0)),
        ("exp(u)", None),
        ("u/v", None),
        ("u**0.5", None),
        ("u**v", None),
        ("abs(u-v)", None),
    ],
)
def test_degrees_of_polynomials(text, degrees):
    assert degrees_of(Formula(text).expression) == degrees


@pytest.mark.parametrize("text", ["-(u-v)**2", "(u-v)**40", "(u+v)**3*v - u", "u + 3", "v**9"])
def test_a_polynomial_has_a_finite_rank(text):
    for centred in (False, True):
        found = pod(Formula(text), centred=centred)
        bound = Formula(text).rank_bound(centred)
        assert found.rank <= bound and found.whole_rank is not None
    assert Formula("(u-v)**40").rank_bound(True) == 40


def test_what_is_not_known_is_not_called_infinite():
    design = designed(formula="exp(-4*(u-v)**2)")
    said = view.verdict(design) + str(view._facts(design.decomposition(), None))
    assert "∞" not in said and "No end of the spectrum is seen" in said
    assert "above 10⁻¹⁰ (unknown in all)" in said


def test_a_verdict_has_no_more_digits_than_its_interval():
    from explorer.views.text import measured

    cases = [(0.3026, 0.04), (0.3026, 0.1), (0.0211, 0.0012), (1.234e-5, 1e-9), (0.2, 0.9)]
    assert [measured(*case) for case in cases] == ["0.30", "0.3", "0.021", "1.2·10⁻⁵", "0.2"]
    design = designed(formula="5*(u>v)", tau=2, m_h=9)
    nmse, half = design.left(9)
    assert abs(nmse - 0.267) < 1.5 * half, "of 20,000 sequences: 0.267 ± 0.008"
    assert amended(design.spec, m_h=9) == design.spec


@pytest.mark.parametrize(
    ("alpha", "m", "tau"),
    [(1.0, 2, 8), (1.0, 16, 8), (1.0, 48, 8), (1.0, 4, 64), (2.0, 16, 8), (2.0, 32, 64)],
)
def test_the_share_that_a_floor_of_64_terms_lacks(alpha, m, tau):
    """Integrals: Σ_{k>m} k^-2α is about (m + ½)^(1−2α)/(2α−1); and what Monte Carlo says of H,
    in which softmax is not linear. A tenth of an error is never passed over."""
    spec = parse({"alpha": alpha, "tau": tau})
    share = share_of_cut(spec, m)
    assert share == pytest.approx(((m + 0.5) / 64.5) ** (2 * alpha - 1), rel=0.03)
    beyond, floor = left_beyond(spec), Design(spec).left_by(m)
    measured = beyond / (beyond + floor)
    assert measured == pytest.approx(share, rel=0.6 if m > 8 else 0.8)
    assert Design(spec).is_cut_short(m) or measured < 0.1


@pytest.mark.parametrize(("alpha", "first"), [(1.0, 3), (2.0, 24), (0.5, 1), (0.3, 1)])
def test_sentences_say_of_which_terms_an_error_is_where_it_is_felt(alpha, first):
    """(m + ½)/64.5 to the power 2α − 1 is 0.05 at m = 2.7 and 23.3; without a sum, anywhere."""
    words = " of the 64 terms that are computed"
    for m in (1, 2, 3, 23, 24, 63):
        design = designed(alpha=alpha, m_h=m, tau=4)
        assert (words in train.expected(design)) == (m >= first), m
        assert "of the 64 terms computed" in view.verdict(design)
    for ends in ({"rank": 64}, {"formula": "exp(-4*(u-v)**2)"}):
        design = designed(**ends, m_h=7)
        assert words not in train.expected(design)
        assert "64 terms computed" not in view.verdict(design)
