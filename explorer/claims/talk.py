"""Claims of the shipped talk, its notes and the tour."""

from functools import cache
from typing import Any

import numpy as np

from explorer.claims.claim import claims_of
from explorer.claims.texts import TALK
from explorer.pages.real import view_table1
from explorer.spec import CouplingSpec
from explorer.theory.complexity import BETA, Complexity, complexity
from explorer.theory.design import Design
from explorer.theory.rates import power_fit
from explorer.theory.sweep import groups
from explorer.ui.live import open_stream
from explorer.views.sweeps import shipped as shipped_sweep

PAPER = "arXiv 2305.18475"
_NUMBERS = "no one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
COUNT = dict(enumerate(_NUMBERS.split()))
PARTS = {2: "half", 3: "third", 4: "quarter", 8: "eighth", 9: "ninth"}
STUCK = 1e-4  # nMSE: a head that is wide enough and leaves more is caught
CLIFF = range(1, 17)


def counted(number: int) -> str:
    """A number in words."""
    return COUNT[number]


def part(share: float) -> str:
    """The unit fraction that is nearest to a share."""
    return PARTS[round(1 / share)]


@cache
def spec_of(run: str) -> Any:
    return open_stream(f"asset-{run}").record.spec


@cache
def _nmse(run: str) -> float:
    return float(open_stream(f"asset-{run}").record.row.outcome["nmse"])


@cache
def _six() -> np.ndarray:
    """The σ_k of the scene."""
    return Design(CouplingSpec(rank=6)).decomposition().sigma


def _share() -> dict[str, object]:
    share = float((_six()[:3] ** 2).sum() / (_six() ** 2).sum())
    return {"rank": counted(len(_six())), "share": f"{100 * share:.0f}"}


def _left(m: int) -> dict[str, object]:
    """What m terms leave of what one leaves."""
    nmse = Design(CouplingSpec()).floor.nmse
    return {"part": part(float(nmse[m] / nmse[1]))}


def _none_left() -> dict[str, object]:
    return {"rank": counted(Design(CouplingSpec(rank=6)).exact_rank or 0)}


def _cliff() -> dict[str, object]:
    """What all runs of its slider share, and whether they are caught."""
    specs = [spec_of(f"cliff-{m}") for m in CLIFF]
    (start,), (rank,) = {spec.head_start for spec in specs}, {spec.rank for spec in specs}
    caught = [m for m in CLIFF if m >= rank and _nmse(f"cliff-{m}") > STUCK]
    return {"start": counted(start), "rank": rank, "caught": ", ".join(map(str, caught))}


def _pair() -> dict[str, object]:
    first, second = spec_of("cliff-5"), spec_of("cliff-6")
    assert _nmse("cliff-5") > 100 * _nmse("cliff-6")
    return {"narrow": counted(first.m_h), "wide": counted(second.m_h)}


def _wide() -> dict[str, object]:
    record = open_stream("asset-cliff-6").record
    sigma = record.snapshot(record.steps[-1])[1]["sigma_hat"]
    assert np.allclose(sigma, _six()[: len(sigma)], rtol=0.02)
    return {"wide": counted(len(sigma)), "rank": counted(len(_six()))}


def _constants() -> Complexity:
    """C₁ and C₂ of the coupling that narrow and wide heads are asked of."""
    design = Design(CouplingSpec())
    return complexity(design.spec, design.coupling, design.decomposition())


def _least(power: int):
    """The m_h of the least bound of the scene at a power of ten as m_FF, from Eq. 17."""

    def value() -> dict[str, object]:
        c, widths = _constants(), np.arange(1, 33)
        assert c.c_2 is not None
        first = c.c_1 * widths ** (1 - 2 * c.exponent.alpha)
        networks = c.c_2[widths] * widths ** (BETA + 1) / 10 ** (power * BETA)
        return {"m": counted(widths[np.argmin(first + networks)])}

    return value


@cache
def _table1() -> dict[str, object]:
    """Accuracies on pictures, in the mean of the seeds, and what the paper prints."""
    table = view_table1.shipped()
    pictures = table[table["data"] == view_table1.PICTURES]
    means = pictures.groupby("row")["accuracy"].mean()
    moved = pictures[pictures["row"] == view_table1.MOVED]
    assert (moved["gap"] < 1e-12).all()
    return {
        "seeds": counted(pictures["seed"].nunique()),
        **{name: f"{means[row]:.2f}"[1:] for name, row in ROWS.items()},
    }


def _printed() -> dict[str, object]:
    pictures, words = (view_table1.PRINTED[data] for data in view_table1.DATA)
    original, tuned = view_table1.ORIGINAL, view_table1.TUNED
    return {
        **{"a": f"{pictures[original]:.2f}"[1:], "b": f"{pictures[tuned]:.2f}"[1:]},
        **{"c": words[original], "d": words[tuned]},
    }


ROWS = {
    "original": view_table1.ORIGINAL,
    "tuned": view_table1.TUNED,
    "scratch": view_table1.SCRATCH,
    "same": view_table1.SAME,
    "moved": view_table1.MOVED,
}

# Scene 5


def _figure_1() -> dict[str, object]:
    """`asked` is the rank whose curve is drawn first: the last that ends within the widths."""
    sweep = shipped_sweep("fig1").sweep
    ranks = [rank for rank in sweep.rank if rank is not None]
    counts = {
        "asked": [rank for rank in ranks if rank < max(sweep.m_h)][-1],
        "fewer": min(ranks),
        "seeds": len(sweep.seed),
        "widths": len(sweep.m_h),
        "couplings": len(sweep.alpha) * len(sweep.rank),
    }
    return {name: counted(number) for name, number in counts.items()}


def _slopes(norm: Any) -> dict[float, float]:
    rows = [row for row in shipped_sweep("fig1").rows if row["rank"] is None]
    return {
        group["alpha"]: power_fit(group["m_h"], group["error"]).slope
        for group in groups(rows, norm, "median")
    }


def _absolute() -> dict[str, object]:
    shares = [_slopes("mae")[a] / slope for a, slope in _slopes("mse").items()]
    (name,) = {part(share) for share in shares}
    return {"part": name}


def _by_alpha() -> dict[str, object]:
    """The first α with a slope within a tenth of theory's, and the one that is less steep."""
    off = {alpha: slope + 2 * alpha - 1 for alpha, slope in _slopes("mse").items()}
    near = min(alpha for alpha, by in off.items() if abs(by) < 0.1)
    less = min(alpha for alpha, by in off.items() if by > 0.5)
    return {"near": f"{near:g}", "less": f"{less:g}"}


def _terms() -> dict[str, object]:
    terms, sweep = 64, shipped_sweep("fig1").sweep
    tail = [sum(k ** (-2 * max(sweep.alpha)) for k in range(m + 1, terms + 1)) for m in sweep.m_h]
    assert power_fit(sweep.m_h, tail).slope > 1 - 2 * max(sweep.alpha)
    return {
        "terms": terms,
        "alpha": f"{max(sweep.alpha):g}",
        "slope": f"{2 * max(sweep.alpha) - 1:g}",
    }


SLIDER = "the what-if or the slider of the scene"
CLIFFS = "assets/cliff-1.zip to cliff-16.zip"
TABLE1 = "assets/real-table1.csv"
FIG1 = "assets/rates-fig1.json"
SETTING = "the picture of the step"

CLAIMS = claims_of(
    TALK,
    (
        "orthogonal to the first, and {part} as strong",
        "the POD of the scene's coupling",
        lambda: {"part": part(float(_six()[1] / _six()[0]))},
    ),
    ("With three of {rank} terms, {share} % of", "the same", _share),
    (
        "With {rank} of {rank}, 100 % is there: this coupling has rank {rank}.",
        "the same, with every term",
        _share,
    ),
    ("This coupling is a sum of {rank} products", "the same", _share),
    ("With three terms about a {part} of it is left.", "truncation", lambda: _left(3)),
    ("With eight, about an {part}.", "truncation", lambda: _left(8)),
    (
        "The slope is −α = −{alpha}; $C_1$, the most that $\\sigma_kk^\\alpha$ reaches, is {c_1}",
        "the specification of the step, Eq. 12",
        lambda: {"alpha": f"{CouplingSpec().alpha:.2f}", "c_1": f"{_constants().c_1:.2f}"},
    ),
    (
        "the rate of Theorem 4.1",
        f"{PAPER}, Eq. 11, 12 and 17, α > 1/2 in the sentence; the sum by an integral",
    ),
    (
        "has only {rank} terms, nothing is lost from width {rank} on",
        "Eq. 18: a head of width r represents a coupling of rank r",
        _none_left,
    ),
    ("orange one of {rank} terms", "the same", _none_left),
    ("Three parts: $f$", "the parts of Eq. 8"),
    ("Theorem A.3: with positions in the tokens, every continuous $H$", f"{PAPER}, A.3"),
    (
        "The proof of Theorem A.3 takes Kolmogorov's representation in Ostrand's form (Theorem A.1"
        "): inner functions that are continuous and rough, n = τ(2τd + 1) + 1 of them (the slides "
        "print 2τd + 1)",
        f"{PAPER}, Theorems A.1 and A.3, and the slides",
    ),
    ("Each term is two more functions", "φ_k and ψ_k of Eq. 10"),
    ("At 10⁴ the bound is least at width {m}.", "Eq. 17 itself", _least(4)),
    ("of width 10⁷: now it is least at width {m}.", "the same", _least(7)),
    ("At 10¹⁰ it is {m}.", "the same", _least(10)),
    ("Theorem 4.1 whole", f"{PAPER}, Eq. 17; α > 1/2: theory/bound.py asks it"),
    (
        "(Eqs. 46 and 47): its root falls half as fast; the page has all three readings",
        "the FORMS of pages/design/view_theory.py",
    ),
    ("CIFAR-10 {a} → {b}, English to German {c} → {d} BLEU", f"{PAPER}, Table 1", _printed),
    (
        "on MNIST, {seeds} seeds: {original}, permuted and trained on {tuned}, permuted from the "
        "start {scratch}.",
        TABLE1,
        _table1,
    ),
    (
        "only the tokens permuted: **{same}**. With their positions permuted along: {moved} again.",
        TABLE1,
        _table1,
    ),
    ("The means of {seeds} seeds.", TABLE1, _table1),
    ("the 95 % interval of the random sequences", "the level of every interval"),
    ("the absolute one half of it", "the root of a mean square of Gaussian size"),
    ("{start} dimensions wider than it will end", CLIFFS, _cliff),
    ("After a hundred steps", SETTING),
    ("Half way it is cut to its own width", "the definition of head_start"),
    (
        "its own width: {narrow}, with room for {narrow} of {wide} terms.",
        "assets/cliff-5.zip and cliff-6.zip",
        _pair,
    ),
    ("Another width, {wide}, and nothing else", "assets/cliff-6.zip", _pair),
    ("Width {wide} has room for {wide} of {rank} terms.", "assets/cliff-6.zip", _wide),
    ("for a coupling of rank {rank};", CLIFFS, _cliff),
    ("the one of $m_h={caught}$ is caught all the same", CLIFFS, _cliff),
    ("those of the widths 1 to 16 at once", SLIDER),
    ("turn $m_h$ from 1 to 16", SLIDER),
    ("the sixth is trained live", "the step that is live"),
    (
        "A head of width {narrow} has learned a coupling of {wide} terms",
        "assets/cliff-5.zip",
        _pair,
    ),
    ("and the coupling has {asked} terms. How does", FIG1, _figure_1),
    (
        "{seeds} seeds, {widths} widths. At width {asked} the error falls off a cliff.",
        FIG1,
        _figure_1,
    ),
    ("The same with {fewer} terms: a finite", FIG1, _figure_1),
    ("a slope: {couplings} couplings in all", FIG1, _figure_1),
    ("near theory's at $\\alpha={near}$, less steep at $\\alpha={less}$", FIG1, _by_alpha),
    ("The slope of the absolute error is about {part}:", FIG1, _absolute),
    (
        "Medians of the seeds {seeds}",
        FIG1,
        lambda: {"seeds": ", ".join(map(str, shipped_sweep("fig1").sweep.seed))},
    ),
    (
        "At α = {alpha} the {terms} terms that stand for ∞ fall less steeply than {slope} themselv",
        "the sum itself",
        _terms,
    ),
    ("Two tasks of App. B.1", "two of the tasks of Figures 4 to 6"),
)
