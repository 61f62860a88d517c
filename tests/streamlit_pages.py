"""Pages through AppTest: opened at an address, driven, and read."""

from pathlib import Path

from streamlit.testing.v1 import AppTest

from explorer.runs.frames import unpack
from explorer.ui import mathematics
from explorer.ui.controls import PAPER
from explorer.views.glossary import undotted

ROOT = Path(__file__).resolve().parent.parent
SHELL = ROOT / "explorer" / "ui" / "shell.py"
FOLDED = ("More", "Coupling ρ(u, v)", "Change the sweep", PAPER)
SECONDS = 60


def shell(**address):
    """The app at an address, its mathematics unfolded, before its first run."""
    at = AppTest.from_file(SHELL, default_timeout=SECONDS)
    at.session_state[mathematics.OPEN] = True
    for name, value in address.items():
        at.query_params[name] = value
    return at


def app(page, **address):
    """A page at an address, its controls unfolded, before its first run."""
    at = shell(**address)
    for label in FOLDED:
        at.session_state[f"unfolded {label}"] = True
    return turn(at, page)


def turn(at, page):
    """Another page with the same address, before its run."""
    return at.switch_page(f"../../pages/{page}.py")


def turned(at, page):
    """Another page by its link: Streamlit clears the address."""
    for name in list(at.query_params):
        del at.query_params[name]
    return ran(turn(at, page))


def ran(at):
    """The page after a run that must go well."""
    at.run()
    assert not at.exception, [error.value for error in at.exception]
    return at


def opened(page, **address):
    """A page after its first run, which must go well."""
    return ran(app(page, **address))


def report(number, change):
    """What a canvas has in its state once the reader has changed something."""
    return {"report": {"visit": "first", "changes": [[number, change]]}}


def drawing_in(at):
    """Header and arrays that the canvas of a page was given."""
    (found,) = drawings_in(at)
    return found


def drawings_in(at):
    """Likewise of all components of a page."""
    return [unpack(node.proto.bytes) for node in at.get("bidi_component") if node.proto.bytes]


def run_in(at):
    """The run in the address."""
    return "".join(at.query_params["run"])


def button(at, label):
    """The first button with this label; "Train" is called "Train at m_h = 8 ▸", too."""
    return next(
        each for each in at.button if each.label == label or each.label.startswith(f"{label} at ")
    )


def says(at):
    """The verdict: its box, and what it says besides, which the fold begins with."""
    folds = [each for each in at.expander if each.label == mathematics.LABEL]
    more = [first for fold in folds for first in fold.markdown[:1]]
    return undotted("\n".join(each.value for each in [*at.info, *more]))


def captions(at):
    """All captions."""
    return undotted("\n".join(each.value for each in at.caption))


def sentences(at):
    """All that the page says: text, verdict, captions, warnings and errors."""
    kinds = ("markdown", "info", "caption", "warning", "error")
    return undotted("\n".join(each.value for kind in kinds for each in getattr(at, kind)))
