"""Theorems A.1 and A.3 constructed: exact on a grid, as far off beside it as said, and rough."""

import json
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from streamlit_pages import opened, ran, sentences

from explorer.charts import LIGHT
from explorer.coupling import FormulaError
from explorer.coupling.typed import understood
from explorer.pages.design import representation
from explorer.pages.design import view_representation as view
from explorer.pages.design.chart_theory import errors_chart
from explorer.runs import job_runner, jobs
from explorer.runs.store import Store
from explorer.theory import one_head
from explorer.theory import representation as theory
from explorer.theory.relation import PROBES, Relation, component, read, variables
from explorer.theory.representation import GAMMA, Form, functions, grid, represent
from explorer.training import heads
from explorer.ui import registry

CASES = {
    "x1*x2": 2,
    "abs(x1 - x2)": 2,
    "sin(2*pi*x1)*x2": 2,
    "maximum(x1, x2)*x3": 3,
}
"""H and how many tokens it is of."""


def of(formula, t=1):
    tau = CASES.get(formula, 2)
    return component(read(formula, tau), t), tau


def axes(tau, digits):
    return np.ix_(*[grid(digits)] * tau)


@cache
def koeppen(numerator, tau, k):
    """ψ of numerator/γ^k by his recursion itself."""
    if k == 1:
        return Fraction(numerator, GAMMA)
    before, digit = divmod(numerator, GAMMA)
    if digit < GAMMA - 1:
        return koeppen(before, tau, k - 1) + digit * Fraction(1, GAMMA ** theory.beta(tau, k))
    return (koeppen(numerator - 1, tau, k) + koeppen(before + 1, tau, k - 1)) / 2


@pytest.mark.parametrize("tau", [2, 3])
def test_the_inner_function_is_the_one_of_the_recursion(tau):
    numerators = np.arange(GAMMA**3)
    wanted = [float(koeppen(int(i), tau, 3)) for i in numerators]
    np.testing.assert_allclose(theory.psi_of(numerators, tau, 3), wanted, rtol=1e-14)
    np.testing.assert_allclose(
        theory.psi((numerators + 0.25) / GAMMA**3, tau, 3)[:-1],
        np.add(wanted[:-1], np.diff(wanted) / 4),
        rtol=1e-9,
    )


@pytest.mark.parametrize(("tau", "digits"), [(2, 2), (3, 1)])
def test_images_of_cells_are_apart_exactly(tau, digits):
    """In rational numbers: the series of λ_s and of a cell's end by their partial sums, whose tails
    are below a thousandth of the least gap."""
    far = digits + 3
    small = [Fraction(1, GAMMA ** theory.beta(tau, r)) for r in range(1, far)]
    weights = [Fraction(1), *(sum(a**s for a in small) for s in range(1, tau))]
    wide = (GAMMA - 2) * sum(small[digits:], Fraction(0)) * sum(weights)
    for q in range(functions(tau)):
        past = (q + 1) * sum(GAMMA ** (digits - r) for r in range(2, digits + 1))
        psi = [koeppen(i + past, tau, digits) for i in range(theory.cells_a_side(digits))]
        low = [Fraction(0)]
        for weight in weights:
            low = [a + weight * b for a in low for b in psi]
        ordered = sorted(low)
        gaps = [b - a - wide for a, b in pairwise(ordered)]
        assert min(gaps) > 1000 * small[-1] > 0
        np.testing.assert_allclose([float(a) for a in ordered], theory.images(tau, digits, q)[0])


@pytest.mark.parametrize(("tau", "digits"), [(2, 2), (2, 3), (3, 1), (3, 2)])
def test_the_digits_of_every_point_of_the_grid_are_read_off_the_sum(tau, digits):
    count = theory.cells_a_side(digits) ** tau
    for q in range(functions(tau)):
        x = axes(tau, digits)
        argument = sum(theory.inner(each, q, s, tau) for s, each in enumerate(x)).ravel()
        low, high, order = theory.images(tau, digits, q)
        room = np.append(low[1:] - high[:-1], 1) / 4
        assert room.min() > 1e-11
        at = np.searchsorted(low - 1e-15, argument, "right") - 1
        assert (argument <= high[at] + 1e-15).all()
        assert (order[at] == np.arange(count)).all()


def test_no_number_is_between_cells_for_two_functions():
    x = np.random.default_rng(1).random(50_000)
    for tau in (2, 3):
        for digits in (1, 2, 3):
            q = np.arange(1, functions(tau) + 1)[:, None]
            y = (x * (GAMMA - 1) / GAMMA + q * theory.SHIFT) * GAMMA**digits
            between = y % 1 > (GAMMA - 2) / (GAMMA - 1) + 1e-9
            assert between.sum(0).max() == 1


@pytest.mark.parametrize("digits", [1, 2])
@pytest.mark.parametrize("formula", CASES)
def test_h_is_represented_on_the_grid(formula, digits):
    h, tau = of(formula)
    found = represent(h, tau, digits)
    off = np.abs(found(*axes(tau, digits)) - h(*axes(tau, digits))).max()
    assert off < 1e-12
    assert len(found.rounds) == digits
    held = sum(len(each.value) // 2 for one in found.rounds for each in one)
    assert held == theory.pieces(tau, digits)
    assert all(len(one) == 2 * tau + 1 for one in found.rounds)


def test_three_digits_take_four_million_values():
    h, tau = of("x1*x2")
    found = represent(h, tau, 3)
    assert np.abs(found(*axes(2, 3)) - h(*axes(2, 3))).max() < 1e-12
    assert theory.pieces(2, 3) == 5 * (10**2 + 91**2 + 901**2)


@pytest.mark.parametrize("formula", CASES)
def test_beside_the_grid_it_is_off_by_what_few_functions_between_cells_can_do(formula):
    """|H − Σ g_q| ≤ ω + τ/(2τ + 1) (max H − min H), ω the change of H over a cell and its shift; of
    one function that has all of H it is not so."""
    h, tau = of(formula)
    x = [*np.random.default_rng(2).random((tau, 20_000))]
    wanted, corners = h(*x), h(*axes(tau, 2))
    step = 2 / theory.cells_a_side(1)
    moved = [np.clip(each + step, 0, 1) for each in x]
    change = tau * max(
        np.abs(
            h(*[m if i == j else e for j, (e, m) in enumerate(zip(x, moved, strict=True))]) - wanted
        ).max()
        for i in range(tau)
    )
    most = change + tau / functions(tau) * np.ptp(corners)
    assert np.abs(represent(h, tau, 1)(*x) - wanted).max() <= most
    alone = theory.outer(h(*axes(tau, 1)), 0, 1)
    argument = sum(theory.inner(each, 0, s, tau) for s, each in enumerate(x))
    one, all_ = (
        np.sqrt(np.mean((f - wanted) ** 2))
        for f in (np.interp(argument, *alone), represent(h, tau, 1)(*x))
    )
    assert one > 1.5 * all_


@pytest.mark.parametrize("formula", CASES)
def test_more_digits_leave_less_in_the_mean_and_vary_more(formula):
    h, tau = of(formula)
    x = [*np.random.default_rng(3).random((tau, 20_000))]
    found = [represent(h, tau, k) for k in (1, 2)]
    off = [np.sqrt(np.mean((f(*x) - h(*x)) ** 2)) for f in found]
    assert off[1] < 0.6 * off[0]
    assert found[1].variation > 10 * found[0].variation > 0


@pytest.mark.parametrize("tau", [2, 3])
def test_the_inner_function_is_hoelder_continuous_with_its_exponent_and_no_more(tau):
    rough = theory.roughness(tau)
    ratios = np.divide(rough.slope[2:], rough.slope[1:-1])
    np.testing.assert_allclose(ratios, GAMMA / 2, rtol=1e-2)
    assert pytest.approx(1 - np.log(GAMMA / 2) / np.log(GAMMA), abs=1e-12) == theory.HOLDER
    rises = np.diff(theory.psi_of(np.arange(GAMMA**4), tau, 4))
    exact = [koeppen(i, tau, 3) for i in range(GAMMA**3)]
    assert all(a < b for a, b in pairwise(exact))
    assert rises.min() >= 0 and rises.max() < 2 * GAMMA ** (-4 * theory.HOLDER)
    assert rough.share[-1] < 0.01


@pytest.mark.parametrize(("formula", "digits"), [("t*x1*x2", 2), ("x1 + sin(3*t*x2)", 2)])
def test_one_f_rho_and_outer_map_have_every_position(formula, digits):
    """Theorem A.3 at τ = 2, through softmax: on the grid, each H_t of its own."""
    of_t = [of(formula, t)[0] for t in (1, 2)]
    form = Form(tuple(represent(h, 2, digits) for h in of_t))
    x = np.random.default_rng(4).choice(grid(digits), (300, 2))
    wanted = np.stack([h(*x.T) for h in of_t], -1)
    np.testing.assert_allclose(form.answer(x), wanted, atol=1e-12)
    assert np.abs(form.answer(x)[:, ::-1] - wanted).max() > 0.1
    f = form.f(form.tokens(x))
    assert f.shape == (300, 2, theory.coordinates(2)) and f.min() >= 0 and f.max() <= 1


def test_the_same_at_three_tokens():
    h, tau = of("maximum(x1, x2)*x3")
    form = Form((represent(h, tau, 1),) * tau)
    x = np.random.default_rng(5).choice(grid(1), (200, tau))
    np.testing.assert_allclose(form.answer(x), np.tile(h(*x.T)[:, None], tau), atol=1e-12)
    token = form.tokens(x[0])
    share = np.exp(form.rho(token[:, None], token))
    np.testing.assert_allclose(share / share.sum(-1, keepdims=True), (1 + np.eye(3)) / 4)


def test_as_many_numbers_as_the_paper_and_the_slides_say():
    assert [theory.functions(tau) for tau in (2, 3)] == [5, 7]
    assert [theory.coordinates(tau) for tau in (2, 3)] == [11, 22]
    assert theory.functions(4, d=3) == 25
    steps = theory.steps_by_the_proof(2, 1e-3)
    assert 0.8**steps <= 1e-3 < 0.8 ** (steps - 1)


@pytest.mark.parametrize(
    ("formula", "tau", "says"),
    [
        ("x1*x3", 2, "character 4"),
        ("x1*(x2", 2, "at the end"),
        ("x1 + y", 3, "character 6"),
        ("log(x1)", 2, "-inf at x1 = 0, x2 = 0"),
        ("1/(x1 - x2)", 2, "it must be finite"),
        ("1e7*x1", 2, "1e6 in size"),
        ("+".join(["sin(x1*x2)**t"] * 70), 2, "µs for each x"),
        ("", 2, "empty"),
    ],
)
def test_what_is_no_relationship_is_refused_with_its_place(formula, tau, says):
    with pytest.raises(FormulaError, match=says.replace("(", "\\(")):
        read(formula, tau)


def test_what_takes_too_long_is_refused_before_it_is_computed(monkeypatch):
    monkeypatch.setattr(view, "represent", lambda *_: pytest.fail("computed"))
    formula = "+".join(["t*sin(x1*x2)**2.5"] * 10)
    count, seconds = view.estimate(view.Asked(formula, 2, 3))
    assert count == 2 * theory.pieces(2, 3) and seconds > view.SECONDS
    with pytest.raises(FormulaError, match="a digit less"):
        view.representation_view(view.Asked(formula, 2, 3))
    with pytest.raises(ValueError, match="at most 2"):
        represent(of("x1*x2")[0], 3, 3)


def test_a_pole_off_the_coarse_grid_is_found_when_it_is_met():
    with pytest.raises(FormulaError, match="it must be finite"):
        view.representation_view(view.Asked("1/(x1 - 1/90)", 2, 2))


def test_the_view_says_what_it_has_computed():
    found = view.representation_view(view.Asked("x1*x2", 2, 2))
    h, _ = of("x1*x2")
    x = [*np.random.default_rng(0).random((2, PROBES))]
    off = np.abs(represent(h, 2, 2)(*x) - h(*x))
    rows = found.errors.set_index(["measure", "numbers"])["error"]
    assert rows["largest", 41905] == pytest.approx(off.max(), rel=1e-12)
    assert rows["root mean square", 41905] == pytest.approx(np.sqrt(np.mean(off**2)), rel=1e-12)
    assert view.number(off.max()) in found.sentences[0]
    assert found.facts["n"] == "τ(2τd + 1) + 1 = 11"
    constant = view.representation_view(view.Asked("1", 2, 1))
    assert constant.errors["error"].max() < 1e-12
    spec = errors_chart(constant.errors, LIGHT).to_dict()
    assert spec["layer"]


def test_a_head_is_the_sum_of_eq_5_term_by_term():
    tau, width, rng = 3, 4, np.random.default_rng(6)
    shapes = one_head.shapes(tau, width)
    f, query, key, value, hidden, last = parts = [rng.normal(size=each) for each in shapes]
    x = rng.random((5, tau))
    found = one_head.forward(np.concatenate([p.ravel() for p in parts])[None], x, width)[0]
    for row, answers in zip(x, found, strict=True):
        h = [np.tanh(f @ np.array([a, *np.eye(tau)[s], 1])) for s, a in enumerate(row)]
        for t, answer in enumerate(answers):
            share = np.exp([(query @ h[t]) @ (key @ each) for each in h])
            seen = sum(a * (value @ each) for a, each in zip(share / share.sum(), h, strict=True))
            drawn = np.tanh(hidden @ np.append(seen, 1))
            assert answer == pytest.approx((last @ np.append(drawn, 1))[0], abs=1e-12)


def test_a_head_learns_what_it_is_shown_and_more_numbers_learn_more():
    few, many = (
        [heads.fitted(Relation("x1*x2", 2), width, seed) for seed in range(5)] for width in (2, 4)
    )
    assert few[0]["numbers"] == 29 and many[0]["numbers"] == 73
    less, more = (np.median([row["mean"] for row in rows]) for rows in (many, few))
    assert less < more < 0.05


def test_a_head_that_is_its_own_target_is_found_again():
    weights = np.random.default_rng(0).normal(size=(1, 29))
    found = one_head.fit(lambda x: 0 * x + 0.3, 2, 2, seed=0)
    x = np.random.default_rng(7).random((200, 2))
    assert np.abs(one_head.forward(found[None], x, 2) - 0.3).max() < 1e-6
    assert np.abs(one_head.forward(weights, x, 2) - 0.3).max() > 1e-2


def test_each_position_is_answered_by_its_own_h():
    x = np.random.default_rng(8).random((7, 3))
    np.testing.assert_array_equal(
        Relation("t*x1 + x3", 3).answers(x), x[:, :1] * [1, 2, 3] + x[:, 2:]
    )
    np.testing.assert_array_equal(Relation("x1*x2", 2).answers(x[:, :2])[:, 1], x[:, 0] * x[:, 1])


def test_medians_are_of_widths_whose_seeds_are_all_fitted():
    own = [{"width": 2, "numbers": 29, "largest": e, "mean": e / 2} for e in (3.0, 1, 2, 5, 4)]
    began = {"width": 4, "numbers": 73, "largest": 9.0, "mean": 9.0}
    table = view.head_rows([*own, began])
    assert table["numbers"].tolist() == [29, 29] and table["error"].tolist() == [3.0, 1.5]
    assert view.head_rows([]).empty and view.head_rows(own[:4]).empty


# As a job


def do(store):
    lease = jobs.claim(store)
    assert lease is not None
    with lease:
        job_runner.run_job(store, lease.row, "cpu")


@pytest.fixture
def quick(monkeypatch):
    """Two widths, in two steps each."""
    monkeypatch.setattr(one_head, "WIDTHS", (2, 4))
    monkeypatch.setattr(one_head, "ROUNDS", 2)


@pytest.mark.usefixtures("quick")
def test_stopped_heads_go_on_to_the_same_numbers(monkeypatch):
    monkeypatch.setattr(job_runner, "POLL_SECONDS", 0.0)
    store, relation = Store(), Relation("t*x1*x2", 2)
    name, calls = jobs.ask(store, "heads", relation.id, relation.text()), []
    assert name == f"heads-{relation.id}" != f"heads-{Relation('x1*x2', 2).id}"
    fitted, polls = heads.fitted, iter(range(10_000))

    def counted(*what):
        calls.append(what[1:])
        return fitted(*what)

    monkeypatch.setattr(heads, "fitted", counted)
    monkeypatch.setattr(jobs, "stopped", lambda *_: next(polls) == 4)
    do(store)
    rested = jobs.require(store, name)
    assert (rested.status, rested.done, rested.total) == ("stopped", 4, 10)
    assert len(rested.result) == 4
    jobs.ask(store, "heads", relation.id, relation.text())
    do(store)
    ended = jobs.require(store, name)
    assert (ended.status, ended.done) == ("finished", 10)
    assert calls == heads.fits(), "none is fitted twice"
    assert ended.result == [fitted(relation, *each) for each in heads.fits()]


@pytest.mark.parametrize(
    ("formula", "says"), [("x1*x9", "unknown name"), ("1/(x1 - x2)", "must be finite")]
)
def test_a_subject_that_is_no_relationship_fails_with_its_reason(formula, says):
    store, relation = Store(), Relation(formula, 2)
    name = jobs.ask(store, "heads", relation.id, relation.text())
    do(store)
    ended = jobs.require(store, name)
    assert ended.status == "failed" and says in ended.message
    assert not ended.message.startswith("FormulaError")


@pytest.mark.usefixtures("quick")
def test_the_page_asks_for_heads_and_draws_them():
    at = page(relation="abs(x1 - x2)", digits=1)
    assert "One head" not in sentences(at)
    at.button(key="heads").click()
    at, store = ran(at), registry.store()
    assert len(jobs.waiting(store)) == 1 and at.button(key="stop heads")
    do(store)
    at = ran(at)
    assert "One head (m_h = 2) of 73 numbers" in sentences(at)
    assert "heads" not in [button.key for button in at.button], "they are there"


def page(**selected):
    return opened("design", view=json.dumps(selected))


def test_a_link_opens_it_and_a_typed_h_is_taken():
    at = page(relation="abs(x1 - x2)", digits=1)
    assert "is H on a grid of 10 numbers a side" in sentences(at)
    at.text_input(key="relation").set_value("sin(2 pi x1) x2")
    held = json.loads(ran(at).query_params["view"])
    assert held["relation"] == understood("sin(2 pi x1) x2", variables(2))
    at.text_input(key="relation").set_value("x1 + x3")
    assert any("unknown name" in each.value for each in ran(at).warning)
    assert json.loads(at.query_params["view"]) == held


def test_a_link_with_what_is_no_h_says_so_and_three_tokens_have_two_digits():
    assert any("unknown name" in each.value for each in page(relation="x1*x3").warning)
    at = page(relation="x1*x3", places=3, digits=3)
    assert not at.warning and not at.exception
    assert "is H on a grid of 91 numbers a side" in sentences(at)
    assert at.select_slider(key="digits of 3").value == 2
    at.select_slider(key="digits of 3").set_value(1)
    assert json.loads(ran(at).query_params["view"])["digits"] == 1


def test_it_costs_nothing_folded(monkeypatch):
    view = representation.view
    monkeypatch.setattr(view, "representation_view", lambda *_: pytest.fail("computed"))
    assert not page().exception
