"""The gallery: every rank and decay recomputed from the POD and compared with the text."""

import math
import re

import numpy as np
import pytest

from explorer.coupling import coupling_of, pod
from explorer.pages.design.view_gallery import (
    GALLERY,
    GROUPS,
    SIDE,
    TERMS,
    decay_words,
    entry_of,
    gallery_drawing,
    rank_words,
)
from explorer.spec import CouplingSpec, amended, design_of
from explorer.targets import parse, target_of
from explorer.theory.complexity import complexity
from explorer.theory.floor import truncation_floor

ENTRIES = [pytest.param(entry, id=entry.key) for entry in GALLERY]
BY_KEY = {entry.key: entry for entry in GALLERY}


def pods(spec):
    coupling = coupling_of(spec)
    return pod(coupling), pod(coupling, centred=True)


@pytest.mark.parametrize("entry", ENTRIES)
def test_ranks_and_decay_are_what_the_text_says(entry):
    raw, centred = pods(entry.spec)
    assert rank_words(raw) == entry.rank
    assert rank_words(centred) == entry.centred_rank
    assert decay_words(centred) == entry.decay


@pytest.mark.parametrize("entry", ENTRIES)
def test_links_open_the_same_coupling(entry):
    assert design_of(parse(entry.link)) == design_of(entry.spec) and "head_start" in entry.link
    assert len(entry.link) < 4000


def test_the_contents():
    assert len(GALLERY) >= 14 and len(BY_KEY) == len(GALLERY)
    assert len({design_of(entry.spec) for entry in GALLERY}) == len(GALLERY)
    assert {entry.group for entry in GALLERY} == set(GROUPS)
    for entry in GALLERY:  # one sentence each
        assert entry.lesson.endswith(".") and not re.search(r"\. [A-Z]", entry.lesson)
        assert len(entry.lesson) < 180


def test_groups_stand_together():
    order = [GROUPS.index(entry.group) for entry in GALLERY]
    assert order == sorted(order)


@pytest.mark.parametrize("entry", ENTRIES)
def test_an_entry_is_known_again(entry):
    assert entry_of(entry.spec) is entry
    assert entry_of(amended(entry.spec, m_h=3, seed=7)) is entry


def test_other_couplings_are_no_entry():
    assert entry_of(CouplingSpec(alpha=1.05)) is None


@pytest.mark.parametrize(
    ("fields", "rank", "decay"),
    [
        ({"alpha": 1.5}, "∞", "k^(−3/2)"),
        ({"spectrum": "exponential", "decay": 0.1}, "∞ (11 above 10⁻¹⁰)", "faster than any power"),
        ({"rank": 5, "alpha": 0.0}, "5", "ends at 5"),
    ],
)
def test_words_tell_couplings_apart(fields, rank, decay):
    """The words are not those of every coupling: what they say changes with the spectrum."""
    found = pods(CouplingSpec(**fields))[1]
    assert (rank_words(found), decay_words(found)) == (rank, decay)


@pytest.mark.parametrize(
    ("key", "raw", "centred"),
    [
        ("d3", [1, 1], [1]),
        ("d3-mixed", [(11**0.5 + 3**0.5) / 4, 0.5, (11**0.5 - 3**0.5) / 4], [3**0.5 / 2, 0.5]),
        ("periodic", [0.5, 0.5], [0.5, 0.5]),
        ("u", [1 / math.sqrt(3)], []),
    ],
)
def test_singular_values_in_closed_form(key, raw, centred):
    found_raw, found_centred = pods(BY_KEY[key].spec)
    assert np.allclose(found_raw.sigma[: len(raw)], raw, rtol=1e-9)
    assert np.allclose(found_centred.sigma[: len(centred)], centred, rtol=1e-9)


def test_kinks_and_jumps_in_closed_form():
    """min(u, v): 1/((k−½)π)²; the step less its v-mean is a saw-tooth of u − v: 1/(kπ)."""
    k = np.arange(1, 9)
    raw, _ = pods(BY_KEY["minimum"].spec)
    assert np.allclose(raw.sigma[:8], 1 / ((k - 0.5) * np.pi) ** 2, rtol=1e-3)
    _, centred = pods(BY_KEY["step"].spec)
    assert np.allclose(centred.sigma[:8], 1 / (k * np.pi), rtol=1e-2)


def test_the_ridge_has_rank_1_in_its_own_variable():
    """exp(−8(u+v−1)²) is a function of w = u + v alone; through (u, w) it has one term."""
    w = np.linspace(0, 2, 50)
    through = np.broadcast_to(np.exp(-8 * (w - 1) ** 2), (50, 50))
    assert np.linalg.matrix_rank(through) == 1


def test_the_diagonal_adds_up_coherently():
    """ρ(u, u) = Σ σ_k φ_k(u)² has mean Σ σ_k, about ln 64; with the half shift it has mean
    Σ (−1)^k σ_k, about ln 2."""
    u = (np.arange(1024) + 0.5) / 1024
    mean = {
        key: np.diag(coupling_of(BY_KEY[key].spec).matrix(u, u)).mean()
        for key in ("diagonal", "fig1a")
    }
    k = np.arange(1, 65)
    assert mean["diagonal"] == pytest.approx(np.sum(1 / k), rel=1e-9)
    assert mean["fig1a"] == pytest.approx(np.sum((-1.0) ** k / k), rel=1e-9)


def test_one_fast_wave_is_simple_for_attention_and_hard_for_the_network():
    spec, slow = BY_KEY["high-frequency"].spec, CouplingSpec(rank=1)
    hard, easy = (
        complexity(s, coupling_of(s), pod(coupling_of(s), centred=True)) for s in (spec, slow)
    )
    assert hard.c_1 == pytest.approx(easy.c_1) == pytest.approx(1)
    assert hard.c_2[1] - 2 == pytest.approx(24 * (easy.c_2[1] - 2))


@pytest.mark.parametrize(
    ("key", "m"), [("fig1a-2", 2), ("fig1a-6", 6), ("distance", 2), ("d3-mixed", 2), ("u", 0)]
)
def test_the_floor_falls_to_0_at_the_centred_rank_and_not_before(key, m):
    floor = truncation_floor(target_of(BY_KEY[key].spec), [max(m - 1, 0), m], samples=64)
    assert floor.nmse[1] < 1e-20
    assert m == 0 or floor.nmse[0] > 1e-4


def test_saturation():
    """c = 10: softmax puts most of a row's weight on few keys, c = 1 does not."""
    greatest = []
    for key in ("fig1a", "saturated"):
        target = target_of(BY_KEY[key].spec)
        x = target.inputs(np.random.default_rng(0).random((64, 16)))
        greatest.append(target.attention(x).max(axis=-1).mean())
    assert greatest[0] < 0.4 and greatest[1] > 0.8


def test_the_pictures_are_those_of_the_couplings():
    """ρ = u, cos 2π(u − v) with two equal σ_k, and a line for every entry in its order."""
    header, arrays = gallery_drawing()
    at = [entry["key"] for entry in header["entries"]]
    assert at == list(BY_KEY)
    rho, sigma = (dict(zip(at, arrays[name], strict=True)) for name in ("rho", "sigma"))
    u = (np.arange(SIDE) + 0.5) / SIDE
    np.testing.assert_allclose(rho["u"], np.tile(u[:, None] / u[-1], SIDE))
    np.testing.assert_allclose(sigma["periodic"], [1, 1, *[0] * (TERMS - 2)], atol=1e-12)
    np.testing.assert_allclose(sigma["fig1a"], 1 / np.arange(1, TERMS + 1), rtol=1e-9)
    assert all(np.abs(part).max() == pytest.approx(1) for part in rho.values())
