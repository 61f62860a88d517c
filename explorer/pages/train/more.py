"""How Train learns a target, field by field, as its *More* offers it."""

import streamlit as st

from explorer.families import ACTIVATIONS
from explorer.pages.design import parts
from explorer.pages.train import view
from explorer.spec.couplings import KNOWN
from explorer.ui import controls, specs
from explorer.views.glossary import explained
from explorer.views.settings import spelt

BATCHES = (8, 16, 32, 64, 128)
SETS = (0, 64, 256, 1024, 4096, 16384)
"""Sequences of a training set; 0 for fresh ones."""


def fields() -> None:
    """Optimiser, training set, rate and its end, functions and widths."""
    _optimiser()
    _schedule()
    _functions()
    _widths()
    parts.controls_of()
    _given()


def _optimiser() -> None:
    controls.optimiser()
    controls.choice(
        "lr",
        "learning rate",
        controls.RATES,
        format_func=lambda rate: f"{rate:g}",
        help="After the warm-up. A run that diverges wants a lower one.",
    )
    controls.choice(
        "batch",
        "batch, sequences a step",
        BATCHES,
        help="Of fresh ones training loss and error estimate the same.",
    )
    controls.choice(
        "sequences",
        "training set",
        SETS,
        format_func=lambda count: f"{count:,} sequences" if count else "fresh",
        help="The paper trains on a set, whose size it does not say. The loss is then that of its "
        "sequences, the error that of others.",
    )


def _schedule() -> None:
    controls.field(
        "schedule",
        st.selectbox,
        "schedule after the warm-up",
        ["cosine", "constant"],
        help="The cosine ends at 0 with the last step.",
    )
    if specs.of_couplings().schedule == "constant":
        controls.field(
            "stop",
            st.selectbox,
            "training ends",
            ["steps", "rest"],
            format_func={"steps": "after the steps", "rest": "where its loss rests"}.__getitem__,
            help=view.rest_rule(),
        )
    controls.field(
        "warmup",
        st.number_input,
        "warm-up steps",
        0,
        10_000,
        step=50,
        help="Steps in which the learning rate rises linearly.",
    )


def _functions() -> None:
    controls.field(
        "activation",
        st.selectbox,
        "activation of f̂",
        ACTIVATIONS,
        format_func=spelt,
        help=r"$\hat f$ makes the tokens' features (Eq. 5). A sine learns high "
        "frequencies in few steps.",
    )
    controls.field(
        "activation_out",
        st.selectbox,
        "activation of F̂",
        ACTIVATIONS,
        format_func=spelt,
        help=r"$\hat F$ acts after attention (Eq. 5): $\hat y_t=\hat F(\sum_s"
        r"\mathrm{softmax}[\hat\rho(x_t,x_\cdot)](s)\,W_V\hat f(x_s))$",
    )
    controls.field(
        "init",
        st.selectbox,
        "start of f̂",
        ["siren", "torch"],
        format_func=spelt,
        help="SIREN's start spreads the first layer's frequencies over U(±30).",
    )


def _given() -> None:
    controls.field(
        "frozen",
        st.selectbox,
        "given, not learned",
        KNOWN,
        format_func=spelt,
        help="Parts of Eq. 8 that the head has exactly, in place of its own: what its error falls "
        "by, learning them costs. Each trains anew.",
    )


def _head_start() -> None:
    controls.field(
        "head_start",
        st.number_input,
        "head start, widths more at first",
        0,
        16,
        help="At first the head is wider by so many, then it is cut to the m_h leading terms of "
        "what it has learned (weighted SVD of W_QᵀW_K). At m_h = r some starts without it are "
        "caught in a local minimum.",
    )


def _widths() -> None:
    _head_start()
    controls.field(
        "m_ff", st.number_input, "m_FF, width of f̂ and F̂", 1, 1024, step=16, help=explained("m_ff")
    )
    controls.field(
        "n",
        st.number_input,
        "n, dimension of f̂(x)",
        1,
        256,
        step=8,
        help=r"The exact construction of Eq. 18 stacks $\phi_k$ and $\psi_k$ for each of $m_h$ "
        r"terms beside the values: $n=2m_h+m_v$.",
    )
    rows = r"Rows of $W_V$ (Eq. 5)."
    label = "d_v, dimension of values"
    controls.field("d_v", st.number_input, label, 1, 256, step=8, help=rows)
