"""How large those in a race of architectures are: what is the same of all, and how much of it."""

from typing import Literal

By = Literal["parameters", "width"]
MOST = 256
"""Parameters or units that one may have at most."""
