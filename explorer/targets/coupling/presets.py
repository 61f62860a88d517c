"""Ready specifications and sweeps of couplings, by name."""

from typing import Any

from explorer.spec import CouplingSpec, SweepSpec

HEAD_START = 4
"""Widths beside m_h that the pages' heads start with. A start at m_h = r is caught in a local
minimum in 46 of 200 trainings (r = 2, 3, 4, 6, 8 and α = 1, 2, twenty seeds each, 1200 steps): at
r = 6, α = 1 in every second one. With it 196 of 200 reach nMSE 1e-5, in 0.99 of the time (with
another draw of the added rows 200 did); tests/campaigns/test_live_cliff.py trains them all."""
WIDTHS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16)
BY_10_000: dict[str, Any] = {"steps": 10_000}
PAPER: dict[str, Any] = {
    "right_basis": "sine",
    "activation": "relu",
    "activation_out": "relu",
    "init": "torch",
    "tokens": "raw",
    "answers": "raw",
    "optimizer": "adam",
    "lr": 1e-3,
    "warmup": 0,
    "schedule": "constant",
    "steps": 20_000,
}
PAPER_SET = PAPER | {"sequences": 1024, "stop": "rest", "steps": 60_000}
"""Of a set so small, and so many steps at most, that the loss of most trainings comes to rest."""

PRESETS: dict[str, tuple[str, CouplingSpec]] = {
    "quick": (
        "a rank-2 coupling, learned to nMSE below 1e-4",
        CouplingSpec(rank=2, m_h=4, warmup=100, steps=1000),
    ),
    "design": (
        "the Design page's default: σ_k = 1/k, as in Figure 1 (a), r = ∞",
        CouplingSpec(head_start=HEAD_START),
    ),
    "train": (
        "the Train page's default: Figure 1 (b) with r = 6, one width above the rank",
        CouplingSpec(alpha=2.0, rank=6, m_h=7, head_start=HEAD_START),
    ),
    "paper": (
        "one reading of App. C: ψ = φ, ReLU networks on x and y as they are, PyTorch's start, "
        "Adam at 1e-3 on fresh batches",
        CouplingSpec(**PAPER),
    ),
    "paper-set": (
        "the same on a training set, until the training loss rests",
        CouplingSpec(**PAPER_SET),
    ),
    "d3": (
        "the coupling of App. D.3, mixed: ρ(u, u + v) with ρ = 1 + 2 sin 2πu sin 2πv",
        CouplingSpec(formula="1 + 2*sin(2*pi*u)*sin(2*pi*(u + v))", tau=2, m_h=3),
    ),
    "prop62": (
        "a coupling whose query is content, its tokens in reverse: trained, Prop. 6.2 disagrees",
        CouplingSpec(
            rank=2,
            c=3.0,
            tau=8,
            positions=4,
            permutation="reverse",
            m_h=8,
            m_ff=64,
            n=32,
            d_v=32,
            steps=3000,
        ),
    ),
}

SWEEPS: dict[str, tuple[str, SweepSpec]] = {
    "fig1": (
        "Figure 1: widths × decays × ranks × seeds",
        SweepSpec(
            alpha=(1.0, 2.0),
            rank=(2, 6, None),
            seed=(0, 1, 2),
            m_h=WIDTHS,
            head_start=HEAD_START,  # without, some seeds are caught at m_h = r
        ),
    ),
    "fig1-quick": (
        "Figure 1, blunter: fewer widths, one seed, truncated from wide models",
        SweepSpec(
            alpha=(1.0, 2.0),
            rank=(2, 6, None),
            m_h=(1, 2, 3, 5, 6, 8, 16),
            warmup=100,
            steps=900,
            method="top_down",
            fine_tune=200,
        ),
    ),
    "rates-diagonal": (
        "Figure 1 with ψ = φ instead of the half shift, r = ∞",
        SweepSpec(
            alpha=(1.0, 2.0),
            right_basis="sine",
            m_h=WIDTHS,
            seed=(0, 1, 2),
            head_start=HEAD_START,  # as Figure 1, beside which it stands
        ),
    ),
    "rates-paper": (
        "the recipe of `paper` against m_h, below and at a rank and without one",
        SweepSpec(**PAPER | BY_10_000, rank=(6, None), m_h=(1, 5, 6, 16), seed=(0, 1, 2)),
    ),
    "rates-printed": (
        "`paper-set` just below a rank and at it, by native code",
        SweepSpec(**PAPER_SET, rank=(6,), m_h=(5, 6), seed=(0, 1, 2, 3, 4), engine="native"),
    ),
    "rates-finite": (
        "σ_k = 1/k learned from a small training set: training and fresh error",
        SweepSpec(sequences=256, m_h=(1, 2, 4, 8, 16), seed=(0, 1, 2, 3, 4), head_start=HEAD_START),
    ),
    "rates-budget": (
        "error against m_h and m_FF together, σ_k = 1/k",
        SweepSpec(m_h=(1, 2, 4, 8, 16), m_ff=(4, 8, 16, 32, 64, 128), seed=(0, 1, 2)),
    ),
}
