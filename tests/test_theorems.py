"""What the theorems of the memory paper ask: where they hold, where not, and what is then said."""

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import linprog

from explorer.pages.memory import view_tables as tables
from explorer.pages.memory.view import asked, rates
from explorer.pages.memory.view_kinds import view_of
from explorer.spec import EssentialMemorySpec, FixedMemorySpec, amended
from explorer.targets import PRESETS
from explorer.targets.memory import ADAPTIVE_KIND
from explorer.theory.memory import jump_rate, pointer_width, sufficient_layers
from explorer.theory.theorems import (
    STATEMENTS,
    Memories,
    falling_exponential,
    falling_power,
    jumping,
    of_kernels,
    on_pointers,
)
from explorer.views.text import number

JUMPS = PRESETS["memory-jumps"][1]


@pytest.mark.parametrize(
    ("time", "n", "holds"),
    [(20, 1, True), (20, 4, True), (99, 1, True), (100, 1, False), (24, 4, True), (25, 4, False)],
)
def test_lin_heads_ask_a_kernel_that_is_not_too_slow(time, n, holds):
    """n ≤ ⌊99β⌋ with β = 1/T."""
    assert of_kernels("lin").ask(falling_exponential(time), n).holds == holds


@pytest.mark.parametrize(
    ("exponent", "n", "holds"),
    [
        (0.5, 1, False),
        (1, 1, False),
        (2, 1, False),
        (2.03, 1, True),
        (5, 4, False),
        (5.06, 4, True),
    ],
)
def test_log_heads_ask_a_power_that_is_steep_enough(exponent, n, holds):
    """β > 1 and n ≤ ⌊0.99β⌋ − 1."""
    assert of_kernels("log").ask(falling_power(exponent), n).holds == holds


def test_an_exponential_is_a_power_of_any_order_and_no_power_is_an_exponential():
    assert all(of_kernels("log").ask(falling_exponential(300), n).holds for n in (1, 4, 99))
    assert not any(of_kernels("lin").ask(falling_power(beta), 1).holds for beta in (0.5, 3, 99))


def test_theorem_41_asks_pointers_of_the_present_token():
    """The warm-up; nested ones are of Theorem 4.4, and Proposition 4.5 asks what 4.1 asks."""
    for name in ("4.1", "4.3", "4.5"):
        assert STATEMENTS[name].ask(jumping(1), 1).holds
        assert "the token itself alone" in STATEMENTS[name].ask(jumping(2), 1).why
    assert STATEMENTS["4.4"].ask(jumping(2), 1).holds
    assert on_pointers(jumping(1).nested).name == "Theorem 4.1"
    assert on_pointers(jumping(2).nested).name == "Theorem 4.4"
    assert not STATEMENTS["3.1"].ask(jumping(1), 1).holds
    assert STATEMENTS["3.1"].ask(Memories("fixed", 5), 7).holds
    for statement in STATEMENTS.values():
        assert not statement.ask(Memories("other"), 1).holds, "the control"
        assert not statement.ask(jumping(2), 0).holds or statement.name == "Proposition 4.2"


@pytest.mark.parametrize("jumps", [1, 2, 5])
@pytest.mark.parametrize("encoding", ["log", "lin"])
def test_the_last_jump_may_be_counted_as_nested_or_not(jumps, encoding):
    """K = jumps, or one less and M ≥ K + 1: depth, rate and width of Theorem 4.4 are the same."""
    assert sufficient_layers(jumps) == sufficient_layers(jumps - 1, jumps)
    lags = [4 * i for i in range(1, jumps + 1)]
    one, two = (jump_rate(lags, k, 3, 2, encoding) for k in (jumps, jumps - 1))
    assert one == pytest.approx(two)
    widths = {pointer_width(lags, k, encoding) for k in (jumps, jumps - 1)}
    assert len(widths) == 1


def least_error(kinds, goes):
    """The least sup error on y = x_{t−g(x_t)}, over x in {−1, 0, 1}³, of a sum of functions of x_t,
    x_{t−1} and x_{t−2}, by linear programming."""
    rows, limits = [], []
    for x in itertools.product((-1, 0, 1), repeat=3):
        features = np.concatenate([np.eye(3)[i + 1] if kinds == "any" else [i] for i in x])
        for sign in (1, -1):
            rows.append([*(sign * features), -1])
            limits.append(sign * x[goes[x[0]]])
    count = len(rows[0])
    found = linprog(np.eye(count)[-1], rows, limits, bounds=[(None, None)] * count)
    return found.fun


@pytest.mark.parametrize("goes", itertools.permutations((0, 1, 2)), ids=str)
def test_without_dot_product_one_layer_alone_errs_by_two_thirds(goes):
    """Proposition 4.2, by a second way: any function of each token, weighed by distance alone,
    leaves even 1, which is what 0 leaves; where all pointers are equal it leaves nothing."""
    pointers = dict(zip((-1, 0, 1), goes, strict=True))
    assert STATEMENTS["4.2"].ask(jumping(1), 1).holds
    assert least_error("any", pointers) >= 2 / 3
    assert least_error("any", dict.fromkeys((-1, 0, 1), 1)) == pytest.approx(0, abs=1e-9)


# What the page says


def test_a_map_is_drawn_where_its_theorem_holds():
    power = EssentialMemorySpec(exponent=0.5)
    assert rates(power, 1, "log") is None
    why = asked(power, 1, "log").why
    assert why.startswith("Theorem 5.1 (B) says nothing here: it asks")
    assert "β > 1, here β = 0.5" in why
    steep = amended(power, exponent=3.1)
    assert rates(steep, 1, "log") is not None and rates(steep, 3, "log") is None
    assert "n = 3" in asked(steep, 3, "log").why
    slow = EssentialMemorySpec(fall="exponential", time=100)
    assert rates(slow, 1, "lin") is None and "n = 1" in asked(slow, 1, "lin").why
    for spec in (JUMPS, FixedMemorySpec()):
        assert rates(spec, 4, "lin") is not None


def test_what_attention_it_is_proved_for_is_said():
    for spec, free in ((JUMPS, True), (FixedMemorySpec(), False)):
        found = rates(spec, 1, "log")
        assert found is not None
        said = " ".join(found.sentences)
        assert ("without softmax's denominator" in said) == free and "supremum over all" in said


def known(spec):
    return view_of(spec).known(spec)


def test_what_is_known_of_a_kernel_asks_first():
    lin = amended(PRESETS["memory-kernel"][1], encoding="log")
    assert "says nothing here" in known(lin)
    steep = amended(lin, exponent=2.5)
    assert "says nothing" not in known(steep) and "Theorem 5.1 (B)" in known(steep)
    assert "log and lin encodings alone" in known(EssentialMemorySpec(encoding="t5"))


@pytest.mark.parametrize("jumps", [1, 2, 3])
def test_layers_are_said_to_be_enough_and_never_to_be_needed(jumps):
    said = known(amended(JUMPS, jumps=jumps))
    assert f"{jumps + 1} layers are enough" in said and "need" not in said
    assert f"one with {4 * jumps} heads" in said
    assert f"by doubling {math.ceil(math.log2(jumps + 1))}" in said


def test_the_propositions_beside_the_theorems_ask_first():
    """4.3 and 4.5 speak of pointers of x_t alone; of nested ones nothing is claimed."""

    def said(jumps):
        found = rates(amended(JUMPS, jumps=jumps), 1, "log")
        assert found is not None
        return " ".join(found.sentences)

    assert "By two layers, a substitute of O(D) parameters for the dot product" in said(1)
    assert "By M + 1 layers, fewer heads" in said(1) and "says nothing" not in said(1)
    for name in ("4.3", "4.5"):
        assert f"(Proposition {name})" not in said(2)
        assert (
            f"Proposition {name} says nothing here: it asks pointers that are read from the token"
            in (said(2))
        )


def test_a_pointer_without_a_network_behind_is_told_beside_the_line():
    text = tables.without_network()
    assert (
        "of a pointer 0, 1 or 2 places back one layer without a feed-forward part leaves, with"
        in text
    )
    assert "without it at least 2/3 (Proposition 4.2: tokens −1, 0, 1; in the supremum" in text


def test_depth_is_for_jumps_and_not_for_fixed_lags():
    """The reading that is contradicted is so by the theorems, and by the shipped runs."""
    rows = tables.depth()
    assert rows is not None
    median = rows.groupby(["of", "layers"])["nmse"].median()
    assert STATEMENTS["3.1"].layers == "one layer" and sufficient_layers(2) > 1
    assert median["2 jumps", 1] / median["2 jumps", 2] > 1000
    assert median["two fixed lags", 1] < 2 * median["two fixed lags", 2] < 1e-4
    text = tables.other_way_round(rows)
    for of in ("two fixed lags", "2 jumps"):
        assert f"{number(median[of, 1])} and {number(median[of, 2])}" in text


def test_later_pointers_hang_on_the_first_k_memories_alone():
    """g_i reads x_{t−t_1} … x_{t−t_min(i−1, K)}: so the ways of a chain of jumps, each of which is
    read by the next, are K-adaptive with K one less than there are, and the definition says it."""
    assert r"\min(i-1,K)" in ADAPTIVE_KIND.definition
    assert (jumping(5).total, jumping(5).nested) == (5, 4)
