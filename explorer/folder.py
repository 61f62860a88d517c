"""Where things lie: what is the explorer's own, and what this machine keeps for it."""

import os
import re
from pathlib import Path

from platformdirs import user_data_dir

PACKAGE = Path(__file__).resolve().parent
"""The code."""
_INSTALLED = PACKAGE / "_app"
FOLDERS = re.compile(r"(?<![^\s'\"(\[])/(?:[^\s/'\":;,()]+/)+")


def resource(name: str = "") -> Path:
    """app.py, pages, assets or .streamlit: beside the package in a checkout, in `_app` where a
    wheel was installed (pyproject.toml). Without a name the folder that has them."""
    return (_INSTALLED if (_INSTALLED / "app.py").exists() else PACKAGE.parent) / name


def home() -> Path:
    """The folder of the store, of models and data: EXPLORER_HOME, or the platform's for user
    data."""
    folder = os.environ.get("EXPLORER_HOME") or user_data_dir("attention-explorer", False)
    return Path(folder).expanduser().absolute()


def public(error: object) -> str:
    """What an error says, files by their names alone: who looks at a page or gets a run need not
    know where the server keeps them."""
    own = str(home())
    text = str(error).replace(f"{own}/", "").replace(own, "the folder of the store")
    return FOLDERS.sub("", text)
