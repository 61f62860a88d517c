"""Specifications as links hold them: a list of σ_k that follows a law but for a few is written so.

    {"sigma": {"power": 64, "3": 0.5}, "spectrum": "list"}    in place of 64 numbers

says that the list has 64 entries, those of the power law of the specification's own `alpha` and `c`
to 12 digits, and that σ_3 is 0.5. The digits make it the same list on every machine. Ids are taken
from the whole list, and every reader of specifications takes both forms.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast
from urllib.parse import quote

import numpy as np

from explorer.families import SPECTRA, TERMS

DIGITS = 12
"""Significant digits to which σ_k that leave a law are rounded; the canvas rounds so, and the table
of exact values shows as many."""
LAWS = {name: spectrum for name, spectrum in SPECTRA.items() if spectrum.law}


def rounded(sigma: Sequence[float], digits: int = DIGITS) -> list[float]:
    """σ_k to so many significant digits."""
    return [float(f"{value:.{digits}g}") for value in sigma]


def folded(values: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """What a link holds of a specification that is `values` in JSON: the shorter way to write its
    σ_k. `fields` has the parameters of the laws, also those at their defaults."""
    sigma = values.get("sigma")
    if not sigma:
        return dict(values)
    ways = [sigma, *_ways(sigma, _single(fields))]
    return {**values, "sigma": min(ways, key=lambda way: len(quote(_dump(way))))}


def _ways(sigma: Sequence[float], fields: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for name in _told(fields):
        law = _law(name, len(sigma), fields)
        places = enumerate(zip(sigma, law, strict=True), 1)
        yield {name: len(sigma)} | {str(k): s for k, (s, of_law) in places if s != of_law}


def unfolded(values: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """The same with its list of σ_k written out. What is no such form stays as it is: validation
    says what is wrong with it."""
    sigma = values.get("sigma")
    if not isinstance(sigma, dict):
        return dict(values)
    listed = _listed(cast("dict[str, Any]", sigma), _single({**fields, **values}))
    return dict(values) if listed is None else {**values, "sigma": listed}


def _listed(sigma: dict[str, Any], fields: Mapping[str, Any]) -> list[Any] | None:
    own = dict(sigma)
    names = [name for name in _told(fields) if name in own]
    count = own.pop(names[0]) if len(names) == 1 else None
    if type(count) is not int or not 1 <= count <= TERMS:
        return None
    listed: list[Any] = _law(names[0], count, fields)
    places = {str(k): k - 1 for k in range(1, count + 1)}
    if not own.keys() <= places.keys():
        return None
    for k, value in own.items():
        listed[places[k]] = value
    return listed if all(not _number(s) or math.isfinite(s) for s in listed) else None


def _single(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The same with the value in place of a list of one, as sweeps have it."""
    lists = {name: value for name, value in fields.items() if type(value) in (list, tuple)}
    return {**fields, **{name: value[0] for name, value in lists.items() if len(value) == 1}}


def _told(fields: Mapping[str, Any]) -> list[str]:
    """The laws of which all parameters are numbers."""
    return [n for n, law in LAWS.items() if all(_number(fields.get(each)) for each in law.fields)]


def _law(name: str, count: int, fields: Mapping[str, Any]) -> list[float]:
    """σ_1 … σ_count of a law with the parameters in `fields`, rounded."""
    spectrum, k = LAWS[name], np.arange(1, count + 1)
    with np.errstate(all="ignore"):  # a parameter out of its range, which validation refuses
        sigma = spectrum.sigma(k, **{field: fields[field] for field in spectrum.fields})
    return rounded(sigma.tolist())


def _number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) <= 100


def _dump(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))
