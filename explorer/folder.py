"""The folder in which this machine keeps what is the explorer's: its store, models and data."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_data_dir


def home() -> Path:
    """EXPLORER_HOME, or the platform's folder for user data."""
    folder = os.environ.get("EXPLORER_HOME") or user_data_dir("attention-explorer", False)
    return Path(folder).expanduser().absolute()
