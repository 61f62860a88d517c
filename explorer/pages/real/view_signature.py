"""The small print of figures of real models: which model, and what it was shown."""

from explorer.pages.real.view import own_input
from explorer.pages.real.view_look import Look


def signature(look: Look, inputs: str) -> str:
    """The small print of a figure of these inputs."""
    return f"{look.of.title} ({look.of.origin}) · {inputs}"


def signature_of_one(look: Look) -> str:
    """The small print of a figure of the one text or picture whose heads are opened."""
    whose = "your" if own_input(look) else "the example"
    return f"{signature(look, f'{whose} {look.of.reads}')} · {look.gauge}"
