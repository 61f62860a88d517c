"""What views and captions say by hand: closed forms, printed numbers, statements of the paper."""

from functools import cache
from inspect import signature

import numpy as np

from explorer.claims.claim import Claim
from explorer.claims.sentences import DEFINITION
from explorer.claims.talk import PAPER
from explorer.families.bases import TERMS
from explorer.pages.order.view_shipped import TABLE, WITH
from explorer.pages.rates.view_bases import NEAR
from explorer.pretrained.seen import STEPS
from explorer.slow import pd
from explorer.spec import coupling_spec
from explorer.targets import PRESETS
from explorer.theory.mixing import EXAMPLE, mixed_spectrum
from explorer.theory.propositions import reordering_gaps
from explorer.views.text import number

D3 = "explorer/pages/order/view_mixing.py"
_FIGURE = "explorer/pages/design/theory.py"
_THEORY = "explorer/pages/design/view_theory.py"
_SHIPPED = "explorer/pages/order/view_shipped.py"


@cache
def _d3() -> dict[str, object]:
    """σ_k and ranks of the example of App. D.3, and where max σ_k k^α of the mixture is below that
    of ρ: ends of the interval of α."""
    plain, mixed = (mixed_spectrum(EXAMPLE, a, 1.0) for a in (0.0, 1.0))
    alphas = np.linspace(0.05, 4, 39501)
    c_1 = [
        (sigma[:, None] * np.arange(1, len(sigma) + 1)[:, None] ** alphas).max(0)
        for sigma in (np.asarray(spectrum.sigma(False)) for spectrum in (plain, mixed))
    ]
    falls = alphas[c_1[1] < c_1[0]]
    ranks: dict[str, object] = {
        f"{gauge}_{when}": len(spectrum.sigma(gauge == "centred"))
        for gauge in ("raw", "centred")
        for when, spectrum in (("before", plain), ("after", mixed))
    }
    sigma = ", ".join(f"{sigma:.4f}".rstrip("0") for sigma in mixed.sigma(False))
    return ranks | {"sigma": sigma, "low": f"{falls[0]:.2f}", "high": f"{falls[-1]:.2f}"}


def _cliff() -> dict[str, object]:
    rank = coupling_spec(PRESETS["train"][1]).rank or 0
    return {"rank": rank, "m_h": rank - 1}


def _taps() -> dict[str, object]:
    table = pd.read_csv(TABLE)
    (taps,) = set(table[table["model"] == WITH]["conv"])
    return {"taps": int(taps)}


def _frequency() -> dict[str, object]:
    from explorer.models.transformer import SIREN_FREQUENCY  # torch

    return {"frequency": f"{SIREN_FREQUENCY:g}"}


EXAMPLE_D3 = (
    Claim(D3, "rank rises from {raw_before} to {raw_after}, as App. D.3", "its POD", _d3),
    Claim(D3, "ρ = 1 + 2 sin 2πu sin 2πv", f"{PAPER}, App. D.3"),
    Claim("explorer/pages/order/mixing.py", "ρ = 1 + 2 sin 2πu sin 2πv", f"{PAPER}, App. D.3"),
    Claim(
        D3,
        "exactly σ = (√11 ± √3)/4 and 1/2 ({sigma}), where App. D.3 prints 1.265, 0.5, 0.4",
        "the SVD of [[1, 1/√2], [0, −1/2]] ⊕ [1/2]",
        _d3,
    ),
    Claim(
        D3,
        "from {raw_before} to {raw_after} (centred from {centred_before} to {centred_after})",
        "its POD",
        _d3,
    ),
    Claim(D3, "falls for α between {low} and {high}", "max σ_k k^α of both spectra", _d3),
)

OTHERS = (
    Claim(
        "explorer/pages/rates/view_bases.py",
        "to within {per_cent} %",
        "NEAR of pages/rates/view_bases.py",
        lambda: {"per_cent": number(100 * (1 - NEAR))},
    ),
    Claim(
        "explorer/pages/attention/view.py", "stays within 3 times its error", "the rule of `cut`"
    ),
    Claim(
        "explorer/pages/rates/view_budget.py",
        "bound of Theorem 4.1",
        f"{PAPER}, Theorem 4.1: its name",
    ),
    Claim(
        "explorer/pages/design/page.py",
        "Theorem 4.1: what it says",
        f"{PAPER}, Theorem 4.1: its name",
    ),
    Claim("explorer/ui/components/theorem/bound.js", "Bound of Theorem 4.1 against", "the same"),
    Claim("explorer/pages/rates/controls.py", "Width of f̂ and F̂ (Theorem 4.1)", "the same"),
    Claim(
        _FIGURE,
        "(Theorem 4.1, Eq. 17)",
        f"{PAPER}, Theorem 4.1, whose hypotheses theory/bound.py asks",
    ),
    Claim(_FIGURE, "Theorem 4.1: the bound against m_h", "the same"),
    Claim(
        _FIGURE,
        "of Theorem 4.1: the factors multiply to bound over error",
        "theory/losses.py, whose steps tests/test_losses.py multiplies",
    ),
    Claim(_FIGURE, "Theorem 4.1: where the bound is lost", "its name"),
    Claim(
        "explorer/pages/attention/figures.py",
        "which Prop. B.1(1) says is the same for all heads",
        f"{PAPER}, Proposition B.1 (1): of heads that agree on all inputs",
    ),
    Claim("explorer/pages/order/figures.py", "Propositions 6.1 to 6.3 beside", "their names"),
)

THEOREM = f"{PAPER}, Theorem 4.1, α > ½: theory/bound.py asks it"
DESIGNS = (
    Claim("explorer/families/spectra.py", "Theorem 4.1 then bounds the error", THEOREM),
    Claim("explorer/pages/rates/take_home.py", "of Theorem 4.1 (Eq. 17)", THEOREM),
    Claim("explorer/pages/runs/figures.py", "(Theorem 4.1 bounds it through", THEOREM),
    Claim(_THEORY, "so Theorem 4.1 needs α above ½", "Σ k^(−2α) diverges else"),
    Claim(
        _THEORY,
        "Theorem 4.1 asks for it",
        "C₀ of Eq. 15 has the factor K_F, asked of F by targets/coupling/parts.py",
    ),
    Claim(
        "explorer/pages/design/parts.py",
        "Theorem 4.1 asks for F to be Lipschitz",
        "C₀ of Eq. 15 has the factor K_F",
    ),
    Claim(_THEORY, "can be read in three ways", "READINGS of theory/bound.py"),
    Claim(_THEORY, "which falls half as fast", "the root of m^−(2α−1)"),
    Claim(_THEORY, "the two terms of the bound are of one size", "the condition beside it"),
    Claim(
        _THEORY,
        "*IEEE Trans. Inf. Theory* 39, 930, 1993; *Machine Learning* 14, 115, 1994",
        "Barron's papers",
    ),
    Claim(
        "explorer/pages/design/figures.py", "the absolute one half as fast", "the root of squares"
    ),
    Claim(
        "explorer/pages/design/controls.py",
        "is cut at {terms} terms",
        "families/bases.py",
        lambda: {"terms": TERMS},
    ),
    Claim(
        "explorer/pages/rates/controls.py",
        "∞ is drawn at {terms} terms",
        "the same",
        lambda: {"terms": TERMS},
    ),
    Claim(
        "explorer/pages/rates/view_text.py", "needs three widths", "theory/rates.py refuses fewer"
    ),
    Claim(
        "explorer/pages/train/more.py",
        "over U(±{frequency})",
        "models/transformer.py; Sitzmann et al. 2020",
        _frequency,
    ),
    Claim("explorer/targets/shipped.py", "at r = {rank}: m_h = {m_h}", "its run", _cliff),
    Claim("explorer/views/first_move.py", "Tick two runs.", "an action"),
)

ORDERS = (
    Claim("explorer/pages/order/view.py", "read half their taps ahead", "θ(s) x(t + l/2 − s)"),
    Claim(_SHIPPED, "of two different tokens", f"{PAPER}, Eq. 90"),
    Claim(
        _SHIPPED,
        "(on {sequences} sequences of this one",
        "theory/propositions.py",
        lambda: {"sequences": signature(reordering_gaps).parameters["sequences"].default},
    ),
    Claim(
        _SHIPPED,
        "convolution of {taps} taps in front",
        "the runs of assets/order-table2.csv",
        _taps,
    ),
    Claim(
        "explorer/pages/order/paper.py", "as easy? (Prop. 6.2)", f"{PAPER}, its name; a question"
    ),
    Claim(
        "explorer/pages/order/paper.py",
        "C_RNN ≤ γ of Prop. 6.3 never holds where ρ(0) = 1",
        "(1 + γ)|ρ(0)| > γ",
    ),
    Claim(
        "explorer/pages/order/view_race.py",
        "of its variance (± {{}} at 95 %, least squares",
        "the level of every interval; tests/test_race_coupled.py has one that is exact",
    ),
)

MODELS = (
    Claim(
        "explorer/pages/real/view_labelled.py",
        "b = {{}} (95 %",
        "tests/test_coverage_of_intervals.py",
    ),
    Claim("explorer/pages/real/view_budget.py", "(95 % interval over", "the same"),
    Claim(
        "explorer/pages/real/view_order.py", "has at least two positions, such as 1 0", DEFINITION
    ),
    Claim(
        "explorer/pages/real/width.py",
        "Shipped in {steps} steps",
        "pretrained/seen.py",
        lambda: {"steps": f"{STEPS:,}"},
    ),
    Claim(
        "explorer/pages/real/page.py",
        "In five language models 2 to 11 terms hold 90 % of a coupling, and 38 to 75 those of the "
        "weights alone (arXiv 2604.04384)",
        "arXiv 2604.04384, as its abstract prints it",
    ),
)


CLAIMS = (*EXAMPLE_D3, *OTHERS, *DESIGNS, *ORDERS, *MODELS)
