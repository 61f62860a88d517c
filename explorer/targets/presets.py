"""Ready specifications and sweeps of couplings, linear targets, pictures and words, by name; an
attention task's stand in its file."""

from typing import Any

from explorer.spec import (
    CouplingSpec,
    LinearSpec,
    LinearSweep,
    NumberWordsSpec,
    PicturesSpec,
    PicturesSweep,
    SweepSpec,
    amended,
    memory,
)

HEAD_START = 4
"""Widths beside m_h that the pages' heads start with. A start at m_h = r is caught in a local
minimum in 46 of 200 trainings (r = 2, 3, 4, 6, 8 and α = 1, 2, twenty seeds each, 1200 steps): at
r = 6, α = 1 in every second one. With it 196 of 200 reach nMSE 1e-5, in 0.99 of the time (with
another draw of the added rows 200 did); tests/campaigns/test_live_cliff.py trains them all."""
RNN = LinearSpec(model="rnn")
WIDTHS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16)
BY_10_000: dict[str, Any] = {"steps": 10_000}
UNITS: dict[str, Any] = {
    "model": "rnn",
    "hidden": (1, 2, 3, 4, 6, 8, 16),
    "steps": 1500,
    "seed": (0, 1, 2),
}
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

COUPLINGS: dict[str, tuple[str, CouplingSpec]] = {
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

COUPLING_SWEEPS: dict[str, tuple[str, SweepSpec]] = {
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

LINEAR: dict[str, tuple[str, LinearSpec]] = {
    "table2": (
        "a Transformer with positions on y_t = Σ e^-s x(t−s) (Table 2); alter it by permutation "
        "and filter",
        LinearSpec(),
    ),
    "table2-rnn": ("the linear RNN of Table 2 on the same target", RNN),
    "order": (
        "Table 2's Transformer, the first and the last block of tokens exchanged",
        LinearSpec(permutation="block"),
    ),
    "order-quick": (
        "the Order page's default: `order` by fewer steps",
        LinearSpec(permutation="block", steps=1000),
    ),
    "table3": (
        "a Transformer on a random kernel, ρ(s) from U[0, 1] (Table 3)",
        LinearSpec(kernel="random"),
    ),
    "table3-rnn": ("the linear RNN on the same random kernel", amended(RNN, kernel="random")),
}

LINEAR_SWEEPS: dict[str, tuple[str, LinearSweep]] = {
    "rnn-units": (
        "the linear RNN on e^-s through random positive taps, against its hidden units",
        LinearSweep(
            filter="positive", model="rnn", seed=(0, 1, 2), hidden=(1, 2, 3, 4, 5, 6, 8, 16)
        ),
    ),
    "rnn-units-random": (
        "the linear RNN on a random kernel, against its hidden units",
        LinearSweep(
            kernel="random", model="rnn", hidden=(1, 2, 4, 8, 12, 16, 32, 64, 128), seed=(0, 1, 2)
        ),
    ),
    "order-units-exponential": (
        "the linear RNN on e^-s, against its hidden units",
        LinearSweep(**UNITS),
    ),
    "order-units-power": ("the same on a power law", LinearSweep(kernel="power", **UNITS)),
    "order-units-random": ("the same on a random kernel", LinearSweep(kernel="random", **UNITS)),
}

PICTURES: dict[str, tuple[str, PicturesSpec]] = {
    "mini-vit": (
        "a small vision Transformer on pictures of MNIST (Figure 3, Table 1)",
        PicturesSpec(),
    )
}
PICTURES_SWEEPS: dict[str, tuple[str, PicturesSweep]] = {
    "fig3": (
        "Figure 3: the same against the width of its heads",
        PicturesSweep(m_h=(1, 2, 3, 4, 6, 8, 12, 16, 24), seed=(0, 1, 2, 3, 4)),
    ),
    "fig3-quick": (
        "Figure 3, blunter: fewer widths, seeds and steps",
        PicturesSweep(m_h=(1, 2, 4, 8), seed=(0, 1), steps=400),
    ),
}
NUMBER_WORDS: dict[str, tuple[str, NumberWordsSpec]] = {
    "number-words": (
        "number words from English to German, a small stand-in for translation (Table 1)",
        NumberWordsSpec(),
    )
}

SEEDS = (0, 1, 2, 3, 4)
ONE_LAYER: dict[str, Any] = {
    "jumps": 1,
    "values": "normal",  # of signs one head can tell many
    "tau": 24,
    "layers": 1,
    "n": 32,
    "m_h": 8,
    "d_v": 8,
    "m_ff": 64,
    "layer_norm": False,
    "steps": 2500,
    "seed": SEEDS,
}
BY_DISTANCE: dict[str, Any] = {"encoding": "t5", "dot_product": False}
ALONE: dict[str, Any] = {"model": "heads", "tau": 1000, "lr": 3e-2, "steps": 2000}
HOW = {"": "scaled", "-plain": "plain"}
"""What a name of a sweep of heads alone ends with, and how they are written."""
DEEP: dict[str, Any] = {"steps": 4000, "seed": SEEDS}
MANY: dict[str, Any] = {"heads": (1, 2, 3, 4, 6, 64), "seed": SEEDS}

MEMORY: dict[str, dict[str, tuple[str, Any]]] = {
    "fixed_memory": {
        "memory-fixed": ("values at two fixed lags, by one layer", memory.FixedMemorySpec(layers=1))
    },
    "adaptive_memory": {
        "memory-jumps": (
            "two jumps that the tokens point, by two layers",
            memory.AdaptiveMemorySpec(),
        )
    },
    "essential_memory": {
        "memory-kernel": (
            "a kernel s^−0.5 by six heads that know distances alone, on its exact error",
            memory.EssentialMemorySpec(heads=6, encoding="lin", kappa="scaled", **ALONE),
        )
    },
    "induction": {
        "memory-induction": ("what followed the last time, by two layers", memory.InductionSpec())
    },
}
MEMORY_SWEEPS: dict[str, dict[str, tuple[str, Any]]] = {
    "fixed_memory": {
        "memory-depth-fixed": (
            "fixed memories against layers, five seeds",
            memory.FixedMemorySweep(layers=(1, 2), **DEEP),
        )
    },
    "adaptive_memory": {
        "memory-depth": (
            "one and two jumps against layers, five seeds",
            memory.AdaptiveMemorySweep(jumps=(1, 2), layers=(1, 2), **DEEP),
        ),
        "memory-depth-more": (
            "two jumps by the K + 1 layers of Theorem 4.4, five seeds",
            memory.AdaptiveMemorySweep(jumps=(2,), layers=(3,), **DEEP),
        ),
        "memory-depth-slow": (
            "two jumps against layers at half the learning rate, five seeds",
            memory.AdaptiveMemorySweep(jumps=(2,), layers=(1, 2, 3), lr=2e-3, **DEEP),
        ),
        "memory-depth-heads": (
            "two jumps by one layer, against heads whose weights hang on distances alone",
            memory.AdaptiveMemorySweep(
                jumps=(2,),
                layers=(1,),
                heads=(4, 8),
                m_h=1,
                layer_norm=False,
                **BY_DISTANCE,
                **DEEP,
            ),
        ),
        "memory-depth-live": (
            "the pair of the page Memory, five seeds",
            memory.AdaptiveMemorySweep(jumps=(2,), layers=(1, 2), seed=SEEDS),
        ),
        "memory-heads": (
            "one jump against heads whose weights hang on distances alone, five seeds",
            memory.AdaptiveMemorySweep(heads=(1, 2, 3, 4), **ONE_LAYER, **BY_DISTANCE),
        ),
        "memory-heads-pointed": (
            "the same with learned positions and dot product",
            memory.AdaptiveMemorySweep(heads=(1, 2, 4), **ONE_LAYER),
        ),
    },
    "essential_memory": {
        f"memory-{encoding}-{fall}{end}": (
            f"{encoding} heads that know distances alone on {what}, κ {kappa}",
            memory.EssentialMemorySweep.model_validate(
                {"encoding": encoding, "fall": fall, "kappa": kappa, **ALONE, **MANY}
            ),
        )
        for end, kappa in HOW.items()
        for encoding in ("log", "lin")
        for fall, what in (("power", "s^−0.5"), ("exponential", "e^(−s/20)"))
    },
    "induction": {
        "memory-depth-induction": (
            "induction against layers, five seeds",
            memory.InductionSweep(layers=(1, 2), **DEEP),
        )
    },
}
