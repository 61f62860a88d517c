"""What the address holds: parameters that go from page to page, and the values they stand for.

Streamlit clears the query parameters when the reader turns to another page. What a page had there
is remembered for the session and put back. A page opens without writing into the address, and what
is changed at once is written at once: an entry of the browser's history is a step of the reader,
and Back undoes it.

A browser sends its address with each change, and sends the old one where the next change comes
before the answer to the last: so the address is what this session wrote last. What the browser says
counts when the session begins, on a turn of the page, and after Back or Forward.

Pages of one kind of target share what is remembered; those of another kind have their own: a run of
an attention task means nothing to the page that trains couplings. But the coupling of a session
stands in their addresses too, as `design`: after a reload there its pages find it again.

Texts that are too long for a link stay in the session, marks stand for them (see shortened.py).

The guided tour (tour.py) stands in the address as `tour`. While it does, all that is remembered is
the tour's own, and the reader's coupling is there as `design`: whoever leaves it, in whichever way,
finds what they had.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, NoReturn, TypeVar
from urllib.parse import quote, urlencode

import streamlit as st

from explorer.spec import (
    ALTERATION_FIELDS,
    CouplingSpec,
    SpecError,
    amended,
    compact,
    coupling_spec,
    design_of,
    link_text,
)
from explorer.targets import PRESETS, parse, parse_leniently
from explorer.ui import shortened
from explorer.ui.pages import FIRST, PAGES, Page
from explorer.ui.streamlit_private import by_history

CARRIED = ("spec", "run", "pin", "at", "t", "view", "sweep")
OF_A_DESIGN = ("run", "at", "t", "sweep")  # what a coupling was trained for
OF_A_RUN = ("at", "t")  # what is selected of the run shown: they mean nothing to another one
READER = "address"
DESIGN = "design"
TOUR = "tour"
ON_TOUR = " on tour"  # in the keys of the session that are the tour's own
_PRESETS = {compact(PRESETS[page.preset][1]) for page in PAGES.values()}
Value = TypeVar("Value")
Problems = tuple[str, ...]


def page() -> Page:
    """The page shown."""
    return PAGES[st.session_state.get(READER, {}).get("page", FIRST)]


def scoped_key(name: str, topic: str | None = None, *, own: bool = False) -> str:
    """A key of the session that each kind of target has for itself, of the page's kind by default;
    on the tour another one, unless it is the reader's `own` that is asked for."""
    topic = topic or page().topic
    key = name if topic == "coupling" else f"{name} of {topic}"
    return f"{key}{ON_TOUR}" if TOUR in params() and not own else key


def _memory(topic: str | None = None, *, own: bool = False) -> dict:
    return st.session_state.setdefault(scoped_key("remembered address", topic, own=own), {})


def _reader() -> dict:
    return st.session_state.setdefault(READER, {})


def params() -> dict[str, str]:
    """The parameters of the address of this session; the browser's may lag behind."""
    reader = _reader()
    if "params" not in reader or (by_history() and not reader.get("joined")):
        reader["params"] = _of_browser()
    return reader["params"]


def param(name: str) -> str | None:
    """A parameter of the address of this session."""
    return params().get(name)


def set_params(**changes: str | None) -> None:
    """Write parameters into address and memory at once; None takes one out of both.

    The browser gets what it does not have; a run that is cut short leaves that to the next one.
    """
    reader, memory, changed = _reader(), _memory(), params() | changes
    memory.update(changes)
    reader["params"] = {name: value for name, value in changed.items() if value is not None}
    if not reader.get("joined"):
        _write(reader)


def _write(reader: dict[str, Any]) -> None:
    """Give the browser what it does not have."""
    if reader["params"] == _of_browser():
        return
    link = linkable(reader["params"])
    if link != st.query_params.to_dict():  # a `design` that does not fit is left out each time
        st.query_params.from_dict(link)


def text(**instead: str | None) -> str:
    """The address of this session without its host, whole, with these parameters in it."""
    path = "" if page().name == FIRST else page().name
    shown = params() | instead | ({TOUR: None, DESIGN: None} if TOUR in params() else {})
    held = {name: value for name, value in shown.items() if value is not None}
    return f"/{path}?{urlencode(held, quote_via=quote)}".rstrip("?")


def linkable(wanted: dict[str, str]) -> dict[str, str]:
    """The parameters as a link holds them; this session knows what its marks stand for."""
    link = shortened.fitted(wanted)
    texts = _reader().setdefault("texts", {})
    texts |= {link[name]: text for name, text in wanted.items() if link[name] != text}
    return link


def left_out() -> Problems:
    """What stays out of the link to this page, and the way to pass it on: lines of Markdown."""
    texts, link = _reader().get("texts", {}), st.query_params.to_dict()
    return tuple(
        shortened.explained(name, texts[mark]) for name, mark in link.items() if mark in texts
    )


def _of_browser() -> dict[str, str]:
    """What stands in the browser's address, the texts of this session in place of their marks."""
    texts = _reader().get("texts", {})
    return {name: texts.get(text, text) for name, text in st.query_params.to_dict().items()}


@contextmanager
def one_step() -> Iterator[None]:
    """What is written inside is one entry of the browser's history."""
    params()  # after Back the browser's, and from here on what is written
    reader = _reader()
    reader["joined"] = True
    try:
        yield
    finally:
        reader["joined"] = False
    _write(reader)


def carry_over(**absent: str) -> None:
    """What a page turn brings into the address although it does not stand there now."""
    _memory().setdefault("carried over", {}).update(absent)


def open_page(name: str) -> None:
    """Call at the start of a full run of the page `name`: after a turn to it from another one the
    parameters come back, those of its own and those that go from page to page.

    Streamlit clears the address at a turn by a link; where Back finds one bare, it was so.
    """
    reader, remembered = _reader(), {}
    turned = reader.get("page") not in (None, name) and not by_history()
    reader["page"], reader["turning"] = name, turned or reader.get("turning", False)
    if reader["turning"]:
        browser_params = reader["params"] = _of_browser()
        memory = _memory()
        another = browser_params.get("run") not in (None, memory.get("run"))
        names = [each for each in _kept_params() if not (another and each in OF_A_RUN)]
        remembered = {each: browser_params.get(each, memory.get(each)) for each in names}
        if memory is not _memory("coupling"):
            own = kept_design()
            remembered[DESIGN] = browser_params.get(DESIGN, None if own in _PRESETS else own)
            if page().alters and not browser_params.keys() & {TOUR, "spec", "run"}:
                remembered |= _brought(own)
    set_params(**remembered)
    if design := param(DESIGN):
        _keep(_memory("coupling", own=True), design)
    reader["turning"] = False  # a run that is cut short before this leaves the turn to the next one


def _brought(own: str | None) -> dict[str, str | None]:
    """The reader's coupling on a page that alters it, where they have changed it since the last
    turn to that page: its specification, and no run of another one."""
    memory, held = _memory(), _memory().get("spec")
    last = memory.get("design met")
    if own is None or (last is None and own in _PRESETS):
        return {}
    memory["design met"] = own
    spec = follow(own, last, None if held in _PRESETS else held)
    return dict.fromkeys(OF_A_DESIGN) | {"spec": spec} if spec else {}


def keep(topic: str, spec: str) -> None:
    """What the address of another page says of a specification, for the pages of its topic; what
    they have of their own stays."""
    _keep(_memory(topic), spec)


def _keep(memory: dict, spec: str) -> None:
    memory["spec"] = memory.get("spec") or spec


def kept_design() -> str | None:
    """The text of the reader's own coupling, if they have one."""
    return _memory("coupling", own=True).get("spec")


def turn_to(name: str, **changes: str | None) -> NoReturn:
    """Turn to another page of the same kind of target with `changes` of the parameters: one step of
    the reader."""
    reader = _reader()
    keys = (*CARRIED, TOUR, DESIGN) if TOUR in params() else CARRIED
    turned = {key: params().get(key) for key in keys} | changes
    reader["params"] = {key: value for key, value in turned.items() if value is not None}
    _memory().update(changes)
    st.switch_page(PAGES[name].file, query_params=linkable(reader["params"]))


def tour_to(name: str, step: int, shown: dict[str, str]) -> NoReturn:
    """Turn to a page as a step of the tour shows it, and to nothing that is remembered."""
    reader, own = _reader(), kept_design()
    if TOUR not in params():
        reader["home"] = page().name
    design = {} if own is None or own in _PRESETS else {DESIGN: own}
    reader["params"] = shown | design | {TOUR: str(step)}
    for key in [str(key) for key in st.session_state if ON_TOUR in str(key)]:
        del st.session_state[key]
    st.switch_page(PAGES[name].file, query_params=linkable(reader["params"]))


def leave_tour() -> NoReturn:
    """Turn to the page from which the tour was begun, as it was; after a reload stay on the page
    shown, with the reader's coupling."""
    reader = _reader()
    home = PAGES[reader.pop("home", page().name)]
    own = _memory(home.topic, own=True)
    texts = {name: own.get(name) for name in (*CARRIED, *home.params)}
    preset = compact(PRESETS[home.preset][1])
    reader["params"] = {name: text for name, text in texts.items() if text and text != preset}
    reader["turning"] = True
    st.switch_page(home.file, query_params=linkable(reader["params"]))


def close_page() -> None:
    """Call at the end of a full run: what the address holds now is what a page turn restores."""
    memory = _memory()
    absent = memory.get("carried over", {})
    memory.update({name: params().get(name, absent.get(name)) for name in _kept_params()})


def _kept_params() -> tuple[str, ...]:
    """The parameters that come back after a turn to the page shown."""
    return (*CARRIED, *page().params)


class Reading(NamedTuple):
    """The text that a linked value was last read from or written as, and what was wrong then."""

    text: str | None
    about: Any
    problems: Problems = ()
    refused: bool = False


@dataclass(frozen=True)
class Linked(Generic[Value]):
    """A value of the session that stands in the address as the parameter `param`.

    `parse` gives the value of a text, and what is wrong with the text; `dump` gives the text of a
    value, None where the address need not hold it; `default` is the value where it does not. The
    value is `about` something: of another thing it is read anew. Pages of one kind of target share
    it.
    """

    param: str
    parse: Callable[[str], tuple[Value, Problems]]
    dump: Callable[[Value], str | None]
    default: Callable[[], Value]
    about: Any = None

    def read(self) -> Value:
        """The value: of the address where that is not what this session wrote last, as at a cold
        link and after Back or Forward; else of the session."""
        text, last = param(self.param), _reading(self.param)
        if last is None or (text, self.about) != last[:2]:
            self._keep(text, *self._parsed(text))
        return st.session_state[scoped_key(self.param)]

    def write(self, value: Value, **others: str | None) -> None:
        """Another value into address and session, and in the same step `others` of the parameters.

        A run that is cut short in between finds the address to be read.
        """
        text = self.dump(value)
        set_params(**{self.param: text}, **others)
        self._keep(text, value, ())

    def current(self) -> Value | None:
        """The value of the session, without a look at the address; None before it was read."""
        return st.session_state.get(scoped_key(self.param))

    def refuse(self, *problems: str) -> None:
        """Note why a change was not taken: the last good value stays. It must have been read."""
        last = _reading(self.param)
        assert last is not None, f"{self.param}: refused before it was read"
        self._note(last._replace(problems=problems, refused=True))

    @property
    def refused(self) -> bool:
        """Whether what is wrong is a change that was not taken, and not the address."""
        last = _reading(self.param)
        return last is not None and last.refused

    def _parsed(self, text: str | None) -> tuple[Value, Problems]:
        if text is None:
            return self.default(), ()
        if shortened.is_mark(text):  # made in another session: the text is not here
            return self.default(), (shortened.missing(self.param),)
        return self.parse(text)

    def _keep(self, text: str | None, value: Value, problems: Problems) -> None:
        st.session_state[scoped_key(self.param)] = value
        self._note(Reading(text, self.about, problems))

    def _note(self, reading: Reading) -> None:
        st.session_state[f"{scoped_key(self.param)} read"] = reading


def _reading(name: str) -> Reading | None:
    return st.session_state.get(f"{scoped_key(name)} read")


def problems(*names: str) -> Problems:
    """What is wrong with the parameters `names`, as they were last read or changed."""
    return tuple(line for name in names if (last := _reading(name)) for line in last.problems)


def refused(*names: str) -> bool:
    """Whether what is wrong with the parameters is a change that was not taken."""
    return any(last.refused for name in names if (last := _reading(name)))


def unread(name: str) -> str | None:
    """The text of a parameter that something is wrong with."""
    last = _reading(name)
    return last.text if last and last.problems else None


ALTERED = {"permutation": "reverse", "positions": 8}
"""How a coupling is altered at first, on the page that alters them: a turn to it brings the one
that the reader has designed since, in the order and through the filter of the last."""


def altered(design: CouplingSpec) -> CouplingSpec:
    """A coupling as it is altered at first."""
    return amended(design, **ALTERED)


def follow(own: str, last: str | None, held: str | None) -> str | None:
    """The text of the specification that a turn brings, None where what is `held` stays: `own` is
    the text of the reader's coupling, `last` was it at the turn before. What is held and is not
    that coupling is another target of the reader's, which stays."""
    if own == last:
        return None
    try:
        design = coupling_spec(parse(own))
    except SpecError:
        return None
    changes = ALTERED if held is None else _alteration(held, last)
    try:
        return link_text(amended(design, **changes)) if changes else None
    except SpecError:  # a shorter sequence, to which the order or the filter does not fit
        return link_text(altered(design))


def _alteration(held: str, last: str | None) -> dict[str, object]:
    """How the target that is held alters the last coupling; nothing where it is of another one."""
    spec = parse_leniently(held)[0]
    with suppress(SpecError):
        if last and design_of(spec) == design_of(parse_leniently(last)[0]):
            return {name: getattr(spec, name) for name in (*ALTERATION_FIELDS, "positions")}
    return {}
