"""Widgets that show and change a field of the specification, or a picture that is selected."""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from explorer.ui import address, selection, specs
from explorer.ui.callbacks import uninterrupted
from explorer.views.glossary import explained, typeset
from explorer.views.settings import spelt

RATES = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1)
PAPER = "More of the paper"
"""What a page has below its picture for who goes on reading, folded."""
NORMS = {"mse": "squared error", "mae": "absolute error (L¹)"}


def field(name: str, widget: Callable, label: str, *args: Any, **kwargs: Any) -> None:
    """A widget that shows a field of the specification and changes it.

    A slider's usual range, its first two `args`, stretches to the values that links have brought.
    """
    key, value = address.scoped_key(f"field {name}"), getattr(specs.current(), name)
    if widget is st.slider:
        args = min(args[0], *_met(name)), max(args[1], *_met(name))
    draw(widget, key, value, label, *args, on_change=_changed, args=(name, key), **kwargs)


def optimiser() -> None:
    """What trains it."""
    about = "SOAP (arXiv 2409.11321) is Adam in the eigenbasis of Shampoo."
    kinds = ["soap", "adam"]
    field("optimizer", st.selectbox, "optimiser", kinds, format_func=spelt, help=about)


def draw(widget: Callable, key: str, value: Any, label: str, /, *looks: Any, **kwargs: Any) -> None:
    """A widget that shows a value, its label and tooltip typeset.

    In every drawing it is the default, too: a new widget takes that up before what is written into
    it, and a message between the two would say the default. Of what was written in a drawing that
    another has overtaken, the browser hears nothing. Only a widget with a default of its own has
    that from the second drawing on: a number that may be left out could not be cleared.
    """
    default = _default(widget, value, *looks)
    if key in st.session_state:
        show(key, value, label, looks)
        kwargs = default | kwargs
    else:
        _is_drawn_as(key, label, looks)
        kwargs |= default
    if about := kwargs.get("help"):
        kwargs["help"] = typeset(about)
    widget(typeset(label), *looks, key=key, **kwargs)


def show(key: str, value: Any, *looks: Any) -> Any:
    """Let the widget of a key, with these `looks`, show a value; returns that, for its default.

    Only a new widget or another value is written: Streamlit sends what is written to the browser,
    where it would undo the keys pressed meanwhile.
    """
    same = _is_drawn_as(key, *looks)
    if not same or st.session_state[key] != value:
        st.session_state[key] = value
    return value


def _default(widget: Callable, value: Any, *looks: Any) -> dict[str, Any]:
    """What `widget` calls the value that it begins with; none where a link asks for another than it
    offers, of which the page says so."""
    if widget not in (st.selectbox, st.segmented_control, st.pills):
        return {"value": value}
    options = [*looks[0]]
    at = options.index(value) if value in options else None
    return {"index": at} if widget is st.selectbox else {"default": at if at is None else value}


def _is_drawn_as(key: str, *looks: Any) -> bool:
    """Whether the widget was drawn so before; from now on it is."""
    drawn = (address.page().name, *looks)
    same = st.session_state.get(f"drawn {key}") == drawn and key in st.session_state
    st.session_state[f"drawn {key}"] = drawn
    return same


def show_text(key: str, text: str) -> str:
    """Show a text, unless another one was refused: that stays, to be mended. Returns the one that
    is shown, for the field's default."""
    if key not in st.session_state or not address.problems(specs.SPEC):
        show(key, text)
    return st.session_state[key]


def _met(name: str) -> set:
    """The values that a field has had in this session.

    Its widget goes on offering them: with other limits it would be drawn anew, under the hand that
    moves it.
    """
    met = st.session_state.setdefault(address.scoped_key("values met"), {}).setdefault(name, set())
    met.add(getattr(specs.current(), name))
    return met


@uninterrupted
def _changed(name: str, key: str) -> None:
    value = st.session_state[key]
    if value is not None or name == "rank":
        specs.change({name: value})


def folded(label: str, controls: Callable[..., None], *args: Any) -> None:
    """Controls that are drawn once the reader unfolds them: a page is there sooner without them."""
    section = st.expander(typeset(label), on_change="rerun", key=f"unfolded {label}")
    if section.open:
        with section:
            controls(*args)


def unfold(*labels: str) -> None:
    """Let these be open when the page opens, as a link asks for what is in them."""
    for label in labels:
        st.session_state.setdefault(f"unfolded {label}", True)


def picture(name: str, widget: Callable, label: str, *args: Any, **kwargs: Any) -> None:
    """A widget that shows and changes one of the selected pictures."""
    key, value = f"picture {name}", getattr(selection.current(), name)
    draw(widget, key, value, label, *args, on_change=_picture_changed, args=(name, key), **kwargs)


def norm(label: str, names: Mapping[str, str] = NORMS) -> None:
    """In which norm the pictures read an error; `names` are what the norms are called here."""
    picture(
        "norm",
        st.segmented_control,
        label,
        NORMS,
        format_func=names.get,
        required=True,
        help=explained(
            "nmse", "mae", more=r"They fall like $m^{-(2\alpha-1)}$ and $m^{-(\alpha-1/2)}$."
        ),
    )


@uninterrupted
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
