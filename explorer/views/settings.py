"""In what specifications differ, in the words of the field."""

from collections.abc import Sequence

from explorer.families import BASES
from explorer.spec import AnySpec
from explorer.views.text import written

FIRST = ("m_h", "rank", "alpha", "formula", "grid")
"""Fields that are named before the others, which come in their own order."""
SYMBOLS = {
    "m_h": "m_h",
    "rank": "r",
    "alpha": "α",
    "decay": "δ",
    "c": "c",
    "tau": "τ",
    "lag": "ℓ",
    "sigma": "σ_k",
    "left_basis": "φ_k",
    "right_basis": "ψ_k",
    "formula": "ρ",
    "grid": "samples",
    "n": "n",
    "d": "d",
    "d_v": "d_v",
    "k": "k",
    "m_ff": "m_FF",
    "sharpness": "e^λ",
    "jumps": "K",
    "vocabulary": "V",
    "layers": "L",
    "heads": "H",
    "time": "T",
}
"""Fields that have a letter: "m_h = 8"."""
WORDS = {
    "target": "target",
    "version": "version",
    "spectrum": "spectrum",
    "depth": "layers of f̂ and F̂",
    "activation": "activation of f̂",
    "activation_out": "activation of F̂",
    "init": "initialisation",
    "optimizer": "optimiser",
    "lr": "learning rate",
    "warmup": "warm-up",
    "schedule": "schedule",
    "batch": "batch",
    "sequences": "training sequences",
    "steps": "steps",
    "seed": "seed",
    "clip": "gradients clipped at",
    "head_start": "head start",
    "stop": "end",
    "outer": "F",
    "inner": "f",
    "frozen": "given",
    "tokens": "inputs",
    "answers": "answers",
    "positions": "positions",
    "engine": "engine",
    "permutation": "order",
    "permutation_seed": "seed of the order",
    "filter": "filter",
    "filter_length": "length of the filter",
    "filter_seed": "seed of the filter",
    "filter_mode": "kind of filter",
    "kernel": "kernel",
    "kernel_seed": "seed of the kernel",
    "rate": "rate",
    "taps": "values of the kernel",
    "model": "model",
    "hidden": "hidden units",
    "conv": "length of the learned filter",
    "aux": "loss on single tokens",
    "segments": "segments",
    "curriculum": "curriculum",
    "emphasis": "weight of prediction rows",
    "original_steps": "steps in the original order",
    "data": "data",
    "images": "pictures",
    "encoding": "positional encoding",
    "dot_product": "dot product",
    "kappa": "κ",
    "layer_norm": "LayerNorm",
    "values": "values",
    "lags": "lags",
    "fall": "decay of the memory",
    "exponent": "exponent",
}
"""Fields that have none: "learning rate 0.001"."""
SPELT = {
    "adam": "Adam",
    "soap": "SOAP",
    "siren": "SIREN",
    "torch": "PyTorch",
    "relu": "ReLU",
    "gelu": "GELU",
    "rnn": "RNN",
    "transformer": "Transformer",
    "native": "native code",
    "wasm": "WebAssembly",
    "rho": "ρ",
    "inner": "f",
    "outer": "F",
    "rho inner": "ρ and f",
    "rho outer": "ρ and F",
    "inner outer": "F and f",
}
"""Choices that are names."""
LAST = ("spectrum", "left_basis", "right_basis")
MOST = 4  # fields that are named
LONG = 24  # characters of a value


def value_text(spec: AnySpec, name: str) -> str:
    """A field as a table shows it; "–" for one that says nothing about this specification, such as
    α where ρ is a formula."""
    if not spec.uses(name):
        return "–"
    value = getattr(spec, name)
    if isinstance(value, tuple):
        return ", ".join(f"{x:.4g}" for x in value)  # σ_k, taps, an order
    if value is None:
        return "∞" if name == "rank" else "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else _name(name, str(value))


def _name(field: str, value: str) -> str:
    """A choice in the words of its table or of the field: "half-shifted sine", "Adam"."""
    if field in ("formula", "grid"):
        return value
    if field in ("left_basis", "right_basis"):
        return BASES[value].title.split(" (")[0]
    return spelt(value)


def spelt(choice: str) -> str:
    """A choice as a reader sees it."""
    return SPELT.get(choice, choice.replace("_", " "))


def differing_fields(specs: Sequence[AnySpec]) -> list[str]:
    """The fields of which the specifications say different things."""
    names = dict.fromkeys(name for spec in specs for name in type(spec).model_fields)
    return [name for name in names if len({value_text(spec, name) for spec in specs}) > 1]


def called(name: str) -> str:
    """What a table calls a field."""
    return written(SYMBOLS.get(name) or WORDS[name])


def words_of(spec: AnySpec, fields: Sequence[str]) -> str:
    """What a specification has in some fields: "m_h = 8, r = ∞", the most telling ones first, four
    of them at most."""
    first, last = ([name for name in names if name in fields] for names in (FIRST, LAST))
    ordered = [*first, *(name for name in fields if name not in first + last), *last]
    present = [name for name in ordered if value_text(spec, name) != "–"]
    texts = [_word(name, value_text(spec, name)) for name in present[:MOST]]
    more = len(present) - MOST
    return ", ".join(texts) + (f" and {more} more" if more > 0 else "")


def _word(name: str, text: str) -> str:
    if name == "grid":
        return f"samples {text[:6]}…"
    short = text if len(text) <= LONG else f"{text[: LONG - 1]}…"
    return f"{SYMBOLS[name]} = {short}" if name in SYMBOLS else f"{WORDS[name]} {short}"
