"""What a store asks before it takes something on: here is the one place where it has limits."""

from explorer.runs.record import RunRow
from explorer.runs.transitions import RunError
from explorer.spec import AnySpec


class LimitError(RunError):
    """More than a store may take; says how much that is."""


class Quota:
    """Of a store without limits. Another one overrides what it bounds, and raises LimitError
    before anything is begun."""

    def run(self, spec: AnySpec) -> None:
        """A run is to be trained."""

    def command(self, row: RunRow, command: str) -> None:
        """A run is told something that may let it go on."""

    def brought(self, spec: AnySpec) -> None:
        """A run that was trained elsewhere is to be kept."""

    def job(self, kind: str, subject: str) -> None:
        """A job is to be queued."""

    def room(self, more: float) -> None:
        """So many bytes more are to be kept."""
