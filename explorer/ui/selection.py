"""The pictures a reader has selected, in the address as `?view=`: which k and row, centred or not.

They change nothing that is computed or trained, so they are no part of the specification or its id.
"""

import json
from contextlib import suppress
from functools import partial
from typing import Any

from pydantic import BaseModel, ValidationError

from explorer.spec import SpecError, Topic, valid_fields
from explorer.spec.reading import mapping_of
from explorer.ui import address
from explorer.ui.address import Linked
from explorer.views.selection import Ordering, Remembering, Selection

LONGEST = 5000  # characters of `?view=` that are read
SCHEMAS: dict[Topic, type[BaseModel]] = {
    "coupling": Selection,
    "order": Ordering,
    "memory": Remembering,
}
"""What `?view=` holds on the pages of a topic; on those of attention tasks, a board (see
attention.py)."""


def _linked() -> Linked[Any]:
    schema = SCHEMAS[address.page().topic]
    return Linked("view", partial(parse, schema=schema), dump, schema)


def current() -> Any:
    """What the reader has selected on the pages of this topic."""
    return _linked().read()


def is_asked(schema: type[BaseModel]) -> bool:
    """Whether the address says something of these fields, be it what they are anyway."""
    with suppress(SpecError):
        asked = mapping_of(address.param("view") or "{}", "view", LONGEST)
        return not schema.model_fields.keys().isdisjoint(asked)
    return False


def parse(text: str, schema: type[BaseModel] = Selection) -> tuple[Any, tuple[str, ...]]:
    """What `?view=` says, and what is wrong with it: such a field is left at its default."""
    return valid_fields(schema, text, "view", LONGEST)


def dump(selection: BaseModel) -> str | None:
    """What `?view=` holds for it; None where nothing differs from the defaults."""
    differing = selection.model_dump(exclude_defaults=True)
    return json.dumps(differing, separators=(",", ":"), sort_keys=True) if differing else None


def change(**changes: Any) -> None:
    """Select something else; a value out of range is passed over."""
    linked = _linked()
    with suppress(ValidationError):
        values = linked.read().model_dump() | changes
        linked.write(SCHEMAS[address.page().topic](**values))
