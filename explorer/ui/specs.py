"""The specification of this session: one truth, in the address and in the session.

Widgets do not own values. Each shows its field of the specification and, when moved, asks for a
changed one; what cannot be built is refused with its reason, and the last good one stays.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

import streamlit as st

from explorer.runs.database import StoreError
from explorer.spec import AnySpec, CouplingSpec, SpecError, amended, coupling_spec, link_text
from explorer.targets import PRESETS, parse_leniently
from explorer.theory.design import Design
from explorer.ui import address, shortened, shown
from explorer.ui.address import Linked
from explorer.ui.pages import FIRST, page_of
from explorer.ui.registry import grid_loader
from explorer.ui.topics import view_of
from explorer.ui.words import REFUSED, as_code, public

SPEC = "spec"


def _linked(default: AnySpec | None = None) -> Linked[AnySpec]:
    default = default or PRESETS[address.page().preset][1]
    return Linked(SPEC, partial(_read, default=default), link_text, lambda: default)


def begun() -> AnySpec | None:
    """`current`, or None before a page has begun with it."""
    return _linked().current()


def current() -> AnySpec:
    """The specification of this session for the kind of target of the page shown."""
    spec = begun()
    assert spec is not None, "a page calls begin() first"
    return spec


def of_couplings() -> CouplingSpec:
    """The specification of the pages about couplings, whatever page is shown."""
    key = address.scoped_key(SPEC, "coupling")
    if key not in st.session_state:
        default, text = PRESETS[FIRST][1], address.kept_design()
        st.session_state[key] = _read(text, default)[0] if text else default
    return st.session_state[key]


def begin(of_run: AnySpec | None = None) -> AnySpec:
    """Call first in a page: the specification of the address, else `of_run`, else the page's."""
    spec = _linked(of_run).read()
    address.carry_over(spec=link_text(spec))
    return spec


def change(changes: Mapping[str, Any], **params: str | None) -> bool:
    """Take a changed specification, if it is valid and its coupling can be built; else say why.

    Other `params` of the address that change with it are written in the same step. Whether it was
    taken.
    """
    try:
        spec = amended(current(), **changes)
        build(spec)
    except REFUSED as error:
        refuse(*reasons(error))
        return False
    replace(spec, **params)
    return True


def replace(spec: AnySpec, **params: str | None) -> None:
    """Take another specification that can be built, into the address and the session.

    Of another coupling neither the run shown nor the sweep is about it any more.
    """
    if not view_of(spec).keeps_run(begun(), spec):
        params = dict.fromkeys(address.OF_A_DESIGN) | params
    _linked().write(spec, **params)


def reasons(error: Exception) -> tuple[str, ...]:
    """What is wrong with a specification that was refused, one by one."""
    return tuple(map(public, getattr(error, "problems", (str(error),))))


def refuse(*problems: str) -> None:
    """Note what was not taken, for `show_problems`."""
    _linked().refuse(*problems)


def build(spec: AnySpec) -> None:
    """Raise SpecError or FormulaError where the target of a specification cannot be built."""
    view_of(spec).check(spec, grid_loader())


def design(spec: CouplingSpec) -> Design:
    """The design of a specification, with the samples of this store."""
    return Design(spec, grid_loader())


def show_problems(*params: str) -> None:
    """What is wrong with these parameters of the address, or was refused in the last change of
    what they stand for, in one box; and what of the whole address is too long for a link.

    Its place is always there: a box that goes would move another into it while the page is drawn.
    """
    with st.container():
        wrong = (*address.problems(*params), *_of_design())
        problems = (*map(as_code, wrong), *address.left_out())
        if problems:
            shown.note_problems(*wrong)
            lines = "\n".join(f"- {problem}" for problem in problems)
            st.warning(f"{_instead(wrong, *params)}\n\n{lines}", icon=":material/warning:")


def _of_design() -> address.Problems:
    """What is wrong with the reader's coupling, where another page has it in its address."""
    text = address.param(address.DESIGN)
    if text is None:
        return ()
    if shortened.is_mark(text):
        return (shortened.missing(address.DESIGN),)
    spec, lines = parse_leniently(text)
    try:
        coupling_spec(spec)
    except SpecError as error:
        lines = (*lines, *error.problems)
    return tuple(f"{address.DESIGN}: {line.removeprefix('specification: ')}" for line in lines)


def _instead(wrong: address.Problems, *params: str) -> str:
    """What stands in place of what cannot be taken, and what to do."""
    if not wrong:
        return "The link does not hold all of this page:"
    if address.refused(*params):
        return "Not taken, what was there before stays:"
    return "The link cannot be read as a whole; what is wrong stands at its default. Copy it anew:"


def _read(text: str, default: AnySpec) -> tuple[AnySpec, tuple[str, ...]]:
    """What a link says, with the problems met.

    Its broken fields take the defaults of the version, as its id demands; where they leave nothing
    of the link, the page's `default` opens. A target of another page waits there.
    """
    spec, broken = parse_leniently(text)
    spec, lost = _without_alteration(spec, default)
    broken = (*broken, *lost)
    if spec.topic != default.topic:
        if not broken:
            address.keep(spec.topic, text)
        return begun() or default, broken
    spec, more = _buildable(spec)
    broken = (*broken, *more)
    bare = type(spec).model_validate({})
    return (default if broken and spec == bare else spec), broken


def _without_alteration(spec: AnySpec, default: AnySpec) -> tuple[AnySpec, tuple[str, ...]]:
    """The coupling of an altered one, where a page of couplings opens it, and what it lost."""
    if default.altered or spec.target != default.target or not spec.altered:
        return spec, ()
    plain = {"permutation": None, "filter": None, "positions": 0}
    lost = ", ".join(name for name, value in plain.items() if getattr(spec, name) != value)
    return amended(spec, **plain), (f"{lost}: belongs to the {page_of(spec).title} page",)


def _buildable(spec: AnySpec) -> tuple[AnySpec, tuple[str, ...]]:
    """The specification, or without its formula or grid where that cannot be built.

    Samples that are not in this store are no reason: the page asks for them (ui/samples.py).
    """
    try:
        build(spec)
    except REFUSED as error:
        if isinstance(error, StoreError) and getattr(spec, "grid", None):
            return spec, ()
        return amended(spec, **spec.plainer()), reasons(error)
    return spec, ()
