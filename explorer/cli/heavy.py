"""Modules that take long to import (torch, Streamlit, pandas, rich), each imported when a command
first asks for something of it: `--help` and short answers wait for none."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from PIL import Image as Image
    from rich import console as console
    from rich import progress as progress

    from explorer import bench as bench
    from explorer import claims as claims
    from explorer import paper as paper
    from explorer import reproduce as reproduce
    from explorer import training as training
    from explorer.bench import page as page
    from explorer.bench import serving as serving
    from explorer.pages.order import view_architectures as view_architectures
    from explorer.pages.order import view_race as view_race
    from explorer.pages.real import view_width as view_width
    from explorer.pages.talk import address as address
    from explorer.pages.talk import before as before
    from explorer.pages.talk import deck as deck
    from explorer.pages.talk import decks as decks
    from explorer.pages.talk import scenes as scenes
    from explorer.pretrained import bring as bring
    from explorer.pretrained import probe as probe
    from explorer.runs import execute as execute
    from explorer.ui import live as live
    from explorer.ui import page_file as page_file
    from explorer.ui.site import folder as folder
    from explorer.ui.site import pictures as pictures

_OF = {
    "PIL": "Image",
    "rich": "console progress",
    "explorer": "bench claims paper reproduce training",
    "explorer.bench": "page serving",
    "explorer.pages.order": "view_architectures view_race",
    "explorer.pages.real": "view_width",
    "explorer.pages.talk": "address before deck decks scenes",
    "explorer.pretrained": "bring probe",
    "explorer.runs": "execute",
    "explorer.ui": "live page_file",
    "explorer.ui.site": "folder pictures",
}
_PLACES = {name: f"{package}.{name}" for package, names in _OF.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    """A module of the table; raises AttributeError for another name."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(_PLACES[name])
