"""What a step of a talk shows, as an address of a page: read, changed in parts, and checked."""

import json
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from explorer.pages.real.view_look import Look
from explorer.spec import SpecError, valid_fields
from explorer.targets import parse, parse_sweep
from explorer.ui import page_visit, specs
from explorer.ui.live import StreamError, open_stream
from explorer.ui.pages import FIRST, PAGES
from explorer.ui.selection import LONGEST, SCHEMAS
from explorer.ui.selection import parse as parse_selection

MOST_PICTURES = 200
"""Of all steps and what is ready: each is a page to draw."""
PARAMETERS = ("spec", "run", "pin", "at", "t", "view", "sweep", "design", "real")


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


def beside_the_stage(address: str) -> str:
    """A link to what an address shows, from the stage of the same server; "" for no address."""
    if not address:
        return ""
    page, params = page_and_params(address)
    path = "" if page == FIRST else page
    return f"./{path}?{urlencode(params, quote_via=quote)}".rstrip("?")


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
    if change is None or isinstance(change, str):
        return change
    value = _merged(fields(text) or {}, change) if isinstance(change, dict) else change
    return json.dumps(value, separators=(",", ":"))


def fields(text: str | None) -> dict[str, Any] | None:
    """Those of a parameter that is an object of JSON; None of another."""
    try:
        values = json.loads(text or "")
    except ValueError:
        return None
    return values if isinstance(values, dict) else None


def _merged(values: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of both; those of the change count, objects in it are merged likewise."""
    return {**values, **paired(values, change, _merged)}


def paired(
    held: Mapping[str, Any], wanted: Mapping[str, Any], merge: Callable[[Any, Any], Any]
) -> dict[str, Any]:
    """The fields that are wanted; of an object in the place of one what `merge` makes of both."""
    return {
        name: merge(held[name], value)
        if isinstance(value, dict) and isinstance(held.get(name), dict)
        else value
        for name, value in wanted.items()
    }


def problems_at(page: str, params: Mapping[str, str]) -> Iterator[str]:
    """What is wrong with the parameters of an address."""
    if unknown := [name for name in params if name not in PARAMETERS]:
        yield f"address: {unknown[0][:40]!r} is none of {', '.join(PARAMETERS)}"
    for name, read in (("spec", _known), ("design", _known), ("sweep", parse_sweep)):
        try:
            if name in params:
                read(params[name])
        except specs.REFUSED as error:
            yield f"{name}: {error}"
    if "real" in params:
        yield from valid_fields(Look, params["real"], "real", LONGEST)[1]
    schema = SCHEMAS.get(PAGES[page].topic)
    if schema is not None and "view" in params:
        yield from parse_selection(params["view"], schema)[1]
    for run in filter(None, (params.get("run"), *params.get("pin", "").split(","))):
        try:
            open_stream(run)
        except StreamError as error:
            yield f"run {run[:40]}: {error}"


def _known(text: str) -> None:
    """Raises one of `specs.REFUSED` for what is no specification, and for a coupling that cannot be
    built: its samples are not in this store, or its formula has no value somewhere."""
    spec = parse(text)
    if getattr(spec, "grid", None):
        specs.build(spec)
    elif getattr(spec, "formula", None) and (problem := _of_formula(text)):
        raise SpecError(problem)


@lru_cache(maxsize=2 * MOST_PICTURES)
def _of_formula(text: str) -> str:
    """Why the coupling of a formula cannot be built, which takes a while and no store; "" where it
    can."""
    try:
        page_visit.build(parse(text))
    except specs.REFUSED as error:
        return str(error)
    return ""
