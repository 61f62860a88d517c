"""What the families share that a specification names and gives numbers to."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

Item = TypeVar("Item")


@dataclass(frozen=True, eq=False, kw_only=True)
class Family:
    """Functions of a few numbers, which are fields of a specification.

    No field has a default: of a new family everything is said, or the import fails and names it.
    """

    name: str
    """In a specification."""
    title: str
    """On a page."""
    fields: tuple[str, ...]
    """The fields of a specification that it reads."""

    def read(self, spec: Any) -> dict[str, Any]:
        """The values of its fields, by name."""
        return {name: getattr(spec, name) for name in self.fields}


def table(what: str, items: Iterable[tuple[str, Item]]) -> dict[str, Item]:
    """What there is by its name; raises TypeError where two have the same."""
    entries: dict[str, Item] = {}
    for name, item in items:
        if name in entries:
            raise TypeError(f'{what} "{name}": this name is taken')
        entries[name] = item
    return entries


def check_fields(table: Mapping[str, Family], known: Iterable[str]) -> None:
    """Raises TypeError for a family that reads what is no field of a specification."""
    for family in table.values():
        if unknown := sorted({*family.fields} - {*known}):
            raise TypeError(f"{family.name}: {', '.join(unknown)} is no field of a specification")
