"""The controls of a specification, field by field."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from explorer.coupling import GridError, parse_grid
from explorer.families import BASES, FREE_LIST, PARAMETERS, SPECTRA, Spectrum
from explorer.runs.database import StoreError
from explorer.spec import DESIGN_FIELDS, CouplingSpec
from explorer.ui import address, registry, selection, state
from explorer.views import train as view

WAYS = {"spectrum": "bases", "formula": "formula", "samples": "file"}
RANKS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, None)
RATES = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1)
STEPS = (300, 600, 1000, 1200, 2000, 5000, 20_000)
BATCHES = (8, 16, 32, 64, 128)
NORMS = {"mse": "squared error", "mae": "absolute error (L¹)"}
EXAMPLE = "-8*(u - v)**2"


def field(name: str, widget: Callable, label: str, *args: Any, **kwargs: Any) -> None:
    """A widget that shows a field of the specification and changes it.

    A slider's usual range, its first two `args`, stretches to the values that links have brought.
    """
    key, value = address.scoped_key(f"field {name}"), getattr(state.current(), name)
    if widget is st.slider:
        args = min(args[0], *_met(name)), max(args[1], *_met(name))
    show(key, value, label, args)
    widget(label, *args, key=key, on_change=_changed, args=(name, key), **kwargs)


def show(key: str, value: Any, *looks: Any) -> None:
    """Let the widget of a key, with these `looks`, show a value.

    Only a new widget or another value is written: Streamlit sends what is written to the browser,
    where it would undo the keys pressed meanwhile.
    """
    drawn = (address.page().name, *looks)
    same = st.session_state.get(f"drawn {key}") == drawn and key in st.session_state
    st.session_state[f"drawn {key}"] = drawn
    if not same or st.session_state[key] != value:
        st.session_state[key] = value


def _met(name: str) -> set:
    """The values that a field has had in this session.

    Its widget goes on offering them: with other limits it would be drawn anew, under the hand that
    moves it.
    """
    met = st.session_state.setdefault(address.scoped_key("values met"), {}).setdefault(name, set())
    met.add(getattr(state.current(), name))
    return met


def _changed(name: str, key: str) -> None:
    value = st.session_state[key]
    if value is not None or name == "rank":
        state.change({name: value})


def folded(label: str, controls: Callable[..., None], *args: Any) -> None:
    """Controls that are drawn once the reader unfolds them: a page is there sooner without them."""
    section = st.expander(label, on_change="rerun", key=f"unfolded {label}")
    if section.open:
        with section:
            controls(*args)


def picture(name: str, widget: Callable, label: str, *args: Any, **kwargs: Any) -> None:
    """A widget that shows and changes one of the selected pictures."""
    key = f"picture {name}"
    show(key, getattr(selection.current(), name), label, args)
    widget(label, *args, key=key, on_change=_picture_changed, args=(name, key), **kwargs)


def norm(label: str) -> None:
    """In which norm the pictures read an error."""
    picture(
        "norm",
        st.segmented_control,
        label,
        NORMS,
        format_func=NORMS.get,
        required=True,
        help=r"$\mathrm{MSE}/\mathrm{Var}(y)$ or the mean of $|y-\hat y|$: they fall like "
        r"$m^{-(2\alpha-1)}$ and $m^{-(\alpha-1/2)}$.",
    )


def _picture_changed(name: str, key: str) -> None:
    selection.change(**{name: st.session_state[key]})


def choice(name: str, label: str, options: tuple, **kwargs: Any) -> None:
    """A field among usual values, and those that links have brought."""
    numbers = sorted({*options, *_met(name)} - {None})
    field(
        name,
        st.select_slider,
        label,
        (*numbers, None) if None in options else tuple(numbers),
        **kwargs,
    )


def coupling(spec: CouplingSpec) -> None:
    """ρ in one of three ways: by singular values and bases, by a formula, by samples."""
    way = "formula" if spec.formula else "samples" if spec.grid else "spectrum"
    if st.session_state.get("way seen") != (way, spec.formula, spec.grid):
        st.session_state["way seen"] = (way, spec.formula, spec.grid)
        st.session_state["way"] = way
    st.session_state["way"] = st.session_state.get("way") or way  # a page turn drops it
    st.segmented_control(
        "ρ(u, v) from",
        WAYS,
        format_func=WAYS.get,
        key="way",
        on_change=_turn,
        required=True,
        width="stretch",
        help=r"$\rho(u,v)=\sum_k\sigma_k\,\phi_k(u)\,\psi_k(v)$ (Eq. 10), "
        "a formula in u and v, or a file of samples.",
    )
    {"formula": _formula, "samples": _samples}.get(st.session_state["way"], _spectrum)(spec)
    field(
        "tau",
        st.slider,
        "τ, sequence length",
        2,
        64,
        help=r"$H_t(x)=\sum_s\mathrm{softmax}[\rho(x_t,x_\cdot)](s)\,x_s$ (Eq. 8)",
    )


def _turn() -> None:
    """Another way was chosen; samples wait for a file."""
    way = st.session_state["way"]
    if way == "spectrum":
        state.change({"formula": None, "grid": None})
    elif way == "formula":
        state.change(_given(formula=EXAMPLE))


def _given(**given: str) -> dict[str, Any]:
    """A coupling by formula or grid, with the spectrum and bases, now without effect, at their
    defaults: one target has one id."""
    plain = CouplingSpec()
    return {name: getattr(plain, name) for name in DESIGN_FIELDS if name != "tau"} | given


def _spectrum(spec: CouplingSpec) -> None:
    key = "field spectrum"
    show(key, spec.spectrum)
    st.selectbox("spectrum σ_k", SPECTRA, format_func=_spectrum_title, key=key, on_change=_family)
    if SPECTRA[spec.spectrum].law:
        _law(SPECTRA[spec.spectrum])
    else:
        _free_list(spec)
    field("left_basis", st.selectbox, "φ_k(u)", list(BASES), format_func=_basis_title)
    field(
        "right_basis",
        st.selectbox,
        "ψ_k(v)",
        list(BASES),
        format_func=_basis_title,
        help="Without the constant, which softmax cannot see. The half shift keeps the pairs "
        "s = t from adding up coherently: with ψ = φ, ρ(u, u) = Σ σ_k φ_k(u)² hides "
        "the rate.",
    )


def _law(spectrum: Spectrum) -> None:
    """The numbers of a law, and where it ends."""
    for name in spectrum.fields:
        at = PARAMETERS[name]
        field(name, st.slider, at.label, at.low, at.high, step=at.step, help=at.help)
    choice(
        "rank",
        "r, rank",
        RANKS,
        format_func=lambda r: "∞" if r is None else str(r),
        help="∞ is cut at 64 terms.",
    )


def _basis_title(name: str) -> str:
    return BASES[name].title


def _spectrum_title(name: str) -> str:
    return SPECTRA[name].title


def _family() -> None:
    """Another spectrum; a free list starts from the values of the one before."""
    family = st.session_state["field spectrum"]
    spec = state.current()
    changes = {"spectrum": family, "sigma": None}
    if family == FREE_LIST.name:
        shown = state.design(spec).decomposition(centred=False).sigma
        sigma = [float(f"{value:.4g}") for value in shown[:8] if value > 1e-6] or [1.0]
        changes |= {"sigma": sigma, "rank": None}  # a rank would cut the list unseen
    state.change(changes)


def _free_list(spec: CouplingSpec) -> None:
    key = "field sigma"
    show_text(key, ", ".join(map(repr, spec.sigma)))
    st.text_input(
        "σ₁, σ₂, …",
        key=key,
        on_change=_list_typed,
        args=(key,),
        help="Up to 64 numbers from 0 to 100, by commas or spaces.",
    )


def show_text(key: str, text: str) -> None:
    """Show a text, unless another one was refused: that stays, to be mended."""
    if key not in st.session_state or not address.problems(state.SPEC):
        show(key, text)


def _list_typed(key: str) -> None:
    try:
        sigma = [float(word) for word in st.session_state[key].replace(",", " ").split()]
    except ValueError as error:
        state.refuse(f"sigma: numbers are needed, {error}")
        return
    state.change({"sigma": sigma})


def _formula(spec: CouplingSpec) -> None:
    key = "field formula"
    show_text(key, spec.formula or EXAMPLE)
    st.text_input(
        "ρ(u, v) =",
        key=key,
        on_change=_formula_typed,
        args=(key,),
        max_chars=1000,
        help="u and v in [0, 1], numbers, + − * / **, parentheses, pi, e, comparisons, and sin cos "
        "tan exp log sqrt abs minimum maximum sign tanh cosh sinh heaviside where.",
    )


def _formula_typed(key: str) -> None:
    state.change(_given(formula=st.session_state[key]))


def _samples(spec: CouplingSpec) -> None:
    file = st.file_uploader(
        "samples of ρ",
        type=["npy", "csv"],
        max_upload_size=20,
        key="samples",
        help="Rows are u, columns v, at cell centres (i+½)/N; 2 to 512 each way, bilinear between.",
    )
    if file is None:
        if spec.grid:
            st.caption(f"samples {spec.grid[:12]}…, kept in the store")
        return
    if file.file_id == st.session_state.get("samples taken"):
        return
    st.session_state["samples taken"] = file.file_id
    try:
        sha = registry.store().put_grid(parse_grid(file.getvalue(), file.name))
    except (GridError, StoreError) as error:
        state.refuse(f"{file.name}: {error}")
    else:
        state.change(_given(grid=sha))
    st.rerun()


def training(spec: CouplingSpec) -> None:
    """How the target is learned; the rest under "More"."""
    field(
        "m_h",
        st.slider,
        "m_h, width of queries and keys",
        1,
        32,
        help=r"$\hat\rho(u,v)=\langle W_Q\hat f(u),W_K\hat f(v)\rangle$ has rank at most $m_h$ "
        "(Eq. 18).",
    )
    choice(
        "steps",
        "steps",
        STEPS,
        help=r"One step is one batch of fresh sequences; its loss is "
        r"$\mathrm{mean}\,|y-\hat y|^2/\mathrm{Var}(y)$ with $y=H(x)$ of Eq. 8.",
    )
    field(
        "seed",
        st.number_input,
        "seed",
        0,
        2**31 - 1,
        step=1,
        help="Of the start and of the sequences x ~ U[0, 1]^τ. On the CPU of one machine "
        "the same seed gives the same numbers again; a law needs several.",
    )
    show("recipe", view.recipe_of(spec))
    st.segmented_control(
        "recipe",
        list(view.RECIPES),
        key="recipe",
        on_change=_follow,
        width="stretch",
        help="How the head is trained. The coupling stays as it is: the half shift of ψ_k is "
        "chosen there, and as printed ψ = φ.",
    )
    st.caption(view.recipe_note(spec))
    folded("More", _more)


def _follow() -> None:
    if recipe := st.session_state["recipe"]:
        protocol = view.RECIPES[recipe]
        state.change({name: getattr(protocol, name) for name in view.PROTOCOL})


def _more() -> None:
    field(
        "optimizer",
        st.selectbox,
        "optimiser",
        ["soap", "adam"],
        help="SOAP (arXiv 2409.11321) is Adam in the eigenbasis of Shampoo.",
    )
    choice(
        "lr",
        "learning rate",
        RATES,
        format_func=lambda rate: f"{rate:g}",
        help="After the warm-up. A run that diverges wants a lower one.",
    )
    choice(
        "batch",
        "batch, fresh sequences a step",
        BATCHES,
        help="None is seen twice: training loss and error estimate the same.",
    )
    field(
        "schedule",
        st.selectbox,
        "schedule after the warm-up",
        ["cosine", "constant"],
        help="The cosine ends at 0 with the last step.",
    )
    field(
        "warmup",
        st.number_input,
        "warm-up steps",
        0,
        10_000,
        step=50,
        help="Steps in which the learning rate rises linearly.",
    )
    field(
        "activation",
        st.selectbox,
        "activation of f̂",
        ["sine", "tanh", "gelu", "relu"],
        help=r"$\hat f$ makes the tokens' features (Eq. 5). A sine learns high "
        "frequencies in few steps.",
    )
    field(
        "activation_out",
        st.selectbox,
        "activation of F̂",
        ["tanh", "gelu", "relu", "sine"],
        help=r"$\hat F$ acts after attention (Eq. 5): $\hat y_t=\hat F(\sum_s"
        r"\mathrm{softmax}[\hat\rho(x_t,x_\cdot)](s)\,W_V\hat f(x_s))$",
    )
    field(
        "init",
        st.selectbox,
        "start of f̂",
        ["siren", "torch"],
        help="SIREN's start spreads the first layer's frequencies over U(±30).",
    )
    field(
        "m_ff",
        st.number_input,
        "m_FF, width of f̂ and F̂",
        1,
        1024,
        step=16,
        help=r"Theorem 4.1's second term falls like $m_\mathrm{FF}^{-\beta}$.",
    )
    field(
        "n",
        st.number_input,
        "n, dimension of f̂(x)",
        1,
        256,
        step=8,
        help=r"The exact construction of Eq. 18 stacks $\phi_k$ and $\psi_k$ for each of $m_h$ "
        r"terms beside the values: $n=2m_h+m_v$.",
    )
    field(
        "d_v",
        st.number_input,
        "d_v, dimension of values",
        1,
        256,
        step=8,
        help=r"Rows of $W_V$ (Eq. 5).",
    )
