"""How Train learns a target, field by field, as its *More* offers it."""

import streamlit as st

from explorer.families import ACTIVATIONS
from explorer.pages.design import parts
from explorer.pages.train import view
from explorer.spec.couplings import KNOWN
from explorer.ui import controls, specs
from explorer.views.glossary import explained
from explorer.views.settings import spelt

USUAL = {
    "lr": (
        "learning rate",
        controls.RATES,
        lambda rate: f"{rate:g}",
        "After the warm-up. A run that diverges wants a lower one.",
    ),
    "batch": (
        "batch, sequences a step",
        (8, 16, 32, 64, 128),
        str,
        "Of fresh ones training loss and error estimate the same.",
    ),
    "sequences": (
        "training set",
        (0, 64, 256, 1024, 4096, 16384),
        lambda count: f"{count:,} sequences" if count else "fresh",
        "The paper trains on a set, whose size it does not say. The loss is then that of its "
        "sequences, the error that of others.",
    ),
}
"""Fields among usual values: label, these, how one is written, tooltip."""
CHOSEN = {
    "schedule": (
        "schedule after the warm-up",
        ["cosine", "constant"],
        "The cosine ends at 0 with the last step.",
    ),
    "activation": (
        "activation of f̂",
        ACTIVATIONS,
        r"$\hat f$ makes the tokens' features (Eq. 5). A sine learns high "
        "frequencies in few steps.",
    ),
    "activation_out": (
        "activation of F̂",
        ACTIVATIONS,
        r"$\hat F$ acts after attention (Eq. 5): $\hat y_t=\hat F(\sum_s"
        r"\mathrm{softmax}[\hat\rho(x_t,x_\cdot)](s)\,W_V\hat f(x_s))$",
    ),
    "init": (
        "start of f̂",
        ["siren", "torch"],
        "SIREN's start spreads the first layer's frequencies over U(±30).",
    ),
    "frozen": (
        "given, not learned",
        KNOWN,
        "Parts of Eq. 8 that the head has exactly, in place of its own: what its error falls "
        "by, learning them costs. Each trains anew.",
    ),
}
"""Fields among a few words: label, these, tooltip."""
NUMBERS = {
    "warmup": (
        "warm-up steps",
        (0, 10_000, 50),
        "Steps in which the learning rate rises linearly.",
    ),
    "head_start": (
        "head start, widths more at first",
        (0, 16, 1),
        "At first the head is wider by so many, then it is cut to the m_h leading terms of "
        "what it has learned (weighted SVD of W_QᵀW_K). At m_h = r some starts without it are "
        "caught in a local minimum.",
    ),
    "m_ff": ("m_FF, width of f̂ and F̂", (1, 1024, 16), explained("m_ff")),
    "n": (
        "n, dimension of f̂(x)",
        (1, 256, 8),
        r"The exact construction of Eq. 18 stacks $\phi_k$ and $\psi_k$ for each of $m_h$ "
        r"terms beside the values: $n=2m_h+m_v$.",
    ),
    "d_v": ("d_v, dimension of values", (1, 256, 8), r"Rows of $W_V$ (Eq. 5)."),
}
"""Whole numbers: label, least, most and step, tooltip."""


def fields() -> None:
    """Optimiser, training set, rate and its end, functions and widths."""
    controls.optimiser()
    for name, (label, options, written, about) in USUAL.items():
        controls.choice(name, label, options, format_func=written, help=about)
    _choose("schedule")
    if specs.of_couplings().schedule == "constant":
        controls.field(
            "stop",
            st.selectbox,
            "training ends",
            ["steps", "rest"],
            format_func={"steps": "after the steps", "rest": "where its loss rests"}.__getitem__,
            help=view.rest_rule(),
        )
    _number("warmup")
    for name in ("activation", "activation_out", "init"):
        _choose(name)
    for name in ("head_start", "m_ff", "n", "d_v"):
        _number(name)
    parts.controls_of()
    _choose("frozen")


def _choose(name: str) -> None:
    label, options, about = CHOSEN[name]
    controls.field(name, st.selectbox, label, options, format_func=spelt, help=about)


def _number(name: str) -> None:
    label, (low, high, step), about = NUMBERS[name]
    controls.field(name, st.number_input, label, low, high, step=step, help=about)
