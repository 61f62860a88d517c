"""The memory paper by its summary (arXiv 2402.00522; numbered as in its NeurIPS 2024 version)."""

import itertools
from functools import cache, partial

import numpy as np
import pandas as pd

from explorer.pages.memory import view_tables as tables
from explorer.paper.item import Found, Section, at, least
from explorer.slow import optimize
from explorer.targets.memory import AdaptiveMemory, EssentialMemory, FixedMemory
from explorer.theory.best_heads import Falling, best_heads
from explorer.theory.memory import (
    attention_rate,
    head_floor,
    jump_rate,
    pointer_width,
    sufficient_layers,
)
from explorer.theory.rates import power_fit
from explorer.theory.theorems import STATEMENTS, falling_exponential, falling_power
from explorer.views.text import number

SECTION = Section("The memory paper and its summary")
MEMORY = at("memory")
FIXED = at("memory", run="asset-memory-fixed")
JUMPS = at("memory", run="asset-memory-jumps")
KERNEL = at("memory", run="asset-memory-kernel")
LAGS = np.arange(1, 1001)


@cache
def depth() -> pd.Series:
    """Median nMSE of the shipped sweeps, by memory and layers."""
    table = tables.shipped("memory-depth")
    assert table is not None
    return table.groupby(["of", "layers"])["nmse"].median()


def enough(memory: str, layers: int) -> Found:
    """Whether so many layers were enough."""
    error = depth()[memory, layers]
    return Found(f"{memory}, layers = {layers}: 1 − R² below 10⁻³", number(error), error < 1e-3)


@cache
def best(kernel: str, heads: int, encoding: Falling) -> float:
    """‖ρ − κ‖²/‖ρ‖² of the best heads for a kernel, without training."""
    rho = {"t^-0.5": LAGS**-0.5, "e^-5t": np.exp(-5.0 * LAGS)}[kernel]
    return best_heads(rho, heads, encoding).error


@SECTION.item(
    "Eq. 5, 8, 13", "Memories: at fixed lags, where tokens point, or by a kernel.", MEMORY
)
def classes() -> Found:
    """Each beside its sum, over sequences of 12 tokens."""
    tau, rng = 12, np.random.default_rng(0)
    x, b = rng.integers(1, 5, tau), rng.standard_normal(tau)
    once = [max(t - x[t], 0) for t in range(tau)]
    back = {s: np.array([b[t - s] if t >= s else 0.0 for t in range(tau)]) for s in (1, 2, 3)}
    pairs = (
        (FixedMemory(tau, "normal", (1, 3)), (back[1] + back[3]) / 2**0.5),
        (AdaptiveMemory(tau, "normal", 2, 4), np.array([b[once[once[t]]] for t in range(tau)])),
        (EssentialMemory(tau, "normal", (0.5, 0.2, *[0.0] * 9)), 0.5 * back[1] + 0.2 * back[2]),
    )
    off = [target.answer(x.astype(float), b) - y for target, y in pairs]
    return least("each by its sum", off)


@SECTION.item(
    "Theorem 3.1", "Fixed memories: one layer, error falling as H^−n.", FIXED, slow="memory-depth"
)
def fixed() -> Found:
    heads = np.array([2, 4, 8, 16])
    slope = power_fit(heads, [attention_rate((3, 7), h, 2, "log") for h in heads]).slope
    finding = enough("two fixed lags", 1)
    return finding._replace(holds=finding.holds and abs(slope + 2) < 1e-9)


SECTION.item("Theorem 4.1", "Pointers of the token itself: two layers are enough.", MEMORY)(
    partial(enough, "1 jump", 2)
)


@SECTION.item(
    "Proposition 4.2", "Without dot product one layer of attention errs by ≥ 2/3.", MEMORY
)
def pointer() -> Found:
    """g = 0, 1, 2 on tokens −1, 0, 1: the best sum of functions of each token, by linear
    programming; the control is one and the same pointer for all."""
    error, control = (_least_error(goes) for goes in ((0, 1, 2), (1, 1, 1)))
    shown = f"{number(error)}; of equal pointers {number(control)}"
    return Found("least sup error ≥ 2/3", shown, error >= 2 / 3 and control < 1e-9)


def _least_error(goes: tuple[int, ...]) -> float:
    rows, limits = [], []
    for x in itertools.product((-1, 0, 1), repeat=3):
        features = np.concatenate([np.eye(3)[i + 1] for i in x])
        for sign in (1, -1):
            rows.append([*(sign * features), -1])
            limits.append(sign * x[goes[x[0] + 1]])
    return float(optimize.linprog(np.eye(10)[-1], rows, limits, bounds=[(None, None)] * 10).fun)


SECTION.missing(
    "Proposition 4.3",
    "O(D) parameters can stand for the dot product: the proof names none that could be trained.",
    MEMORY,
)


SECTION.item("Theorem 4.4", "K jumps: K + 1 layers are enough.", JUMPS)(
    lambda: enough("2 jumps", sufficient_layers(2))
)


@SECTION.item(
    "Proposition 4.5", "M + 1 layers ask fewer heads and a narrower network than two.", MEMORY
)
def relieved() -> Found:
    lags = (4, 8, 12)
    heads = [jump_rate(lags, k, 8, 1, "lin") for k in (0, 3)]
    width = [pointer_width(lags, k, "lin") for k in (0, 3)]
    shown = " → ".join(number(x) for x in heads) + ", width " + " → ".join(map(number, width))
    return Found("both fall with depth", shown, heads[1] < heads[0] and width[1] < width[0])


@SECTION.item(
    "Theorem 5.1", "Kernels: log for powers, lin for exponentials.", KERNEL, slow="memory-encodings"
)
def kernels() -> Found:
    own = best("t^-0.5", 1, "log"), best("e^-5t", 1, "lin")
    other = best("t^-0.5", 1, "lin"), best("e^-5t", 1, "log")
    shown = f"its own {number(max(own))}, the other {number(min(other))}"
    return Found("one head of its own kind is exact", shown, max(own) < 1e-12 < min(other))


@SECTION.item(
    "Experiment 4a, condition",
    "t^−0.5 shows Theorem 5.1: it asks β > 1, so only a steeper power does.",
    KERNEL,
    "slip",
)
def condition() -> Found:
    asked = [STATEMENTS["5.1 (B)"].ask(falling_power(b), 1).holds for b in (0.5, 3.0)]
    fast = STATEMENTS["5.1 (A)"].ask(falling_exponential(0.2), 1).holds
    return Found(
        "β = 0.5 is within it", f"β = 3 {asked[1]}, e^−5t {fast}", asked[0], asked[1] and fast
    )


@SECTION.item("Experiment 4a, log", "One log head errs by less than 1e-5 on t^−0.5.", KERNEL)
def experiment_4a() -> Found:
    error = best("t^-0.5", 1, "log")
    return Found("below 10⁻⁵", number(error), error < 1e-5)


@SECTION.item(
    "Experiment 4a, lin",
    "64 lin heads leave 0.19 of t^−0.5: training does; six can do with 1e-5.",
    KERNEL,
    "slip",
)
def trained() -> Found:
    error = best("t^-0.5", 6, "lin")
    return Found("six already leave 0.19", number(error), error >= 0.19, error < 1e-5)


@SECTION.item(
    "Experiment 4b",
    "lin 1 head < 1e-7 on e^−5t; 64 log heads leave 5.3e-4: one can do with less.",
    KERNEL,
    "slip",
)
def experiment_4b() -> Found:
    lin, log = best("e^-5t", 1, "lin"), best("e^-5t", 1, "log")
    shown = f"lin {number(lin)}, log {number(log)}"
    return Found("a log head leaves 5.3·10⁻⁴", shown, log >= 5.3e-4, lin < 1e-7 and log < 5.3e-4)


SECTION.missing(
    "Experiments 1a, 3b",
    "Language: layers gain 0.802, heads 0.136; dot product 5.274 → 4.994: OpenWebText is not here.",
    MEMORY,
)
SECTION.missing(
    "Experiments 1b–3a",
    "Sparse Boolean of 1000 tokens, a million samples each: too long for a page; here 32 tokens.",
    MEMORY,
)


@SECTION.item(
    "Summary, tradeoffs",
    "Fixed memories benefit from depth, adaptive from heads: the reverse.",
    JUMPS,
    "slip",
)
def tradeoffs() -> Found:
    errors = depth()
    fixed, jumps = (errors[name, 1] / errors[name, 2] for name in ("two fixed lags", "2 jumps"))
    computed = f"÷ {number(fixed)} by a second layer, of two jumps ÷ {number(jumps)}"
    return Found("fixed lags gain more", computed, fixed > jumps, fixed < 2 and jumps > 10)


@SECTION.item(
    "Summary, heads", "Too few heads fail on adaptive memories.", MEMORY, slow="memory-heads"
)
def heads() -> Found:
    """Of heads by distance, beside the exact 1 − H/V."""
    table = tables.heads()
    medians = table[table["of"].str.startswith("weights")].set_index("heads")["median"]
    off = max(abs(error - head_floor(h, 4)) for h, error in medians.items())
    return Found("1 − H/4 within 0.02", f"off by {number(off)}", off < 0.02)


SECTION.missing(
    "Summary, checks 2 and 3",
    "Finite samples, other normalisations: all trainings here draw fresh sequences, by one design.",
    MEMORY,
)
