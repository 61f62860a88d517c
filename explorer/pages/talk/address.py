"""What a step of a talk shows, as an address of a page: read, and changed in some parameters."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from explorer.spec import SpecError
from explorer.ui.pages import FIRST, PAGES


class View(NamedTuple):
    """What a step shows: a page, and the parameters of its address."""

    page: str
    params: dict[str, str]


def page_and_params(address: str) -> View:
    """The page and the parameters of a link or of its part from the path on; raises SpecError."""
    try:
        parts = urlsplit(address if "//" in address else f"//host/{address.lstrip('/')}")
    except ValueError:
        raise SpecError(f"{address[:40]!r} is no address of a page") from None
    name = parts.path.strip("/").rpartition("/")[2] or FIRST
    if name not in PAGES:
        raise SpecError(f"there is no page {name[:40]!r}; the pages are {', '.join(PAGES)}")
    return View(name, dict(parse_qsl(parts.query, keep_blank_values=True)))


def changed(view: View, changes: Mapping[str, Any]) -> View:
    """With some of its parameters changed: text, None to leave one out, or an object, whose fields
    go into those that the parameter has as JSON."""
    params = dict(view.params)
    for name, change in changes.items():
        text = _changed(params.get(name), change)
        params.pop(name, None)
        if text is not None:
            params[name] = text
    return View(view.page, params)


def _changed(text: str | None, change: Any) -> str | None:
    if not isinstance(change, dict):
        return change if change is None or isinstance(change, str) else _dumped(change)
    try:
        values = json.loads(text or "{}")
    except ValueError:
        values = {}
    return _dumped(_merged(values if isinstance(values, dict) else {}, change))


def _dumped(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def _merged(values: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of both; those of the change count, objects in it are merged likewise."""
    both = {
        name: _merged(values[name], value)
        if isinstance(value, dict) and isinstance(values.get(name), dict)
        else value
        for name, value in change.items()
    }
    return {**values, **both}
