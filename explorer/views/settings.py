"""In what specifications differ, in the words of the field."""

from __future__ import annotations

from collections.abc import Sequence

from explorer.spec import AnySpec
from explorer.views.text import written

FIRST = ("m_h", "rank", "alpha", "formula", "grid")
"""Fields that are named before the others, which come in their own order."""
SYMBOLS = {
    "rank": "r",
    "alpha": "α",
    "decay": "δ",
    "tau": "τ",
    "sigma": "σ_k",
    "left_basis": "φ_k",
    "right_basis": "ψ_k",
    "formula": "ρ",
    "grid": "samples",
    "m_ff": "m_FF",
    "lr": "learning rate",
    "optimizer": "optimiser",
    "init": "start",
}
LAST = ("spectrum", "left_basis", "right_basis")
MOST = 4  # fields that are named
LONG = 24  # characters of a value


def value_text(spec: AnySpec, name: str) -> str:
    """A field as a table shows it; "–" for one that says nothing about this specification, such as
    α where ρ is a formula."""
    if name not in type(spec).model_fields or name in spec.idle_fields():
        return "–"
    value = getattr(spec, name)
    if isinstance(value, tuple):
        return ", ".join(f"{x:.4g}" for x in value)  # σ_k, taps, an order
    if value is None:
        return "∞" if name == "rank" else "–"
    return f"{value:g}" if isinstance(value, float) else str(value)


def differing_fields(specs: Sequence[AnySpec]) -> list[str]:
    """The fields of which the specifications say different things."""
    names = dict.fromkeys(name for spec in specs for name in type(spec).model_fields)
    return [name for name in names if len({value_text(spec, name) for spec in specs}) > 1]


def called(name: str) -> str:
    """What a table calls a field."""
    return written(SYMBOLS.get(name, name)).replace("_", " ")


def words_of(spec: AnySpec, fields: Sequence[str]) -> str:
    """What a specification has in some fields: "m_h = 8, r = ∞", the most telling ones first."""
    first, last = ([name for name in names if name in fields] for names in (FIRST, LAST))
    ordered = [*first, *(name for name in fields if name not in first + last), *last]
    said = [name for name in ordered if value_text(spec, name) != "–"]
    texts = [_word(name, value_text(spec, name)) for name in said[:MOST]]
    more = len(said) - MOST
    return ", ".join(texts) + (f" and {more} more" if more > 0 else "")


def _word(name: str, text: str) -> str:
    if name == "grid":
        return f"samples {text[:6]}…"
    short = text if len(text) <= LONG else f"{text[: LONG - 1]}…"
    return f"seed {short}" if name == "seed" else f"{SYMBOLS.get(name, name)} = {short}"
