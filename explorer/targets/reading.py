"""From JSON to a specification: its `target` says of which kind."""

from collections.abc import Mapping
from typing import Any

from explorer.coupling.formula import FormulaError
from explorer.coupling.typed import understood
from explorer.spec import (
    AnySpec,
    AnySweep,
    CouplingSpec,
    SpecError,
    Specification,
    SweepSpec,
    narrowed,
)
from explorer.spec.reading import UNNAMED, check_version, faulty, mapping_of, shown, validated
from explorer.targets.kind import Kind
from explorer.targets.kinds import KINDS, AnyTarget


def parse(source: str | Mapping[str, Any]) -> AnySpec:
    """A specification from JSON text or a mapping; its `target` says of which kind.

    Raises SpecError naming each bad field, its value and the allowed range.
    """
    values = mapping_of(source)
    kind = _kind(values)
    return validated(kind.Spec, as_typed(kind.Spec, values))


def parse_sweep(source: str | Mapping[str, Any]) -> AnySweep:
    """A sweep from JSON text or a mapping, like `parse`; a plain specification is one of one."""
    values = mapping_of(source)
    kind = _kind(values)
    return validated(kind.Sweep, as_typed(kind.Spec, values))


def as_typed(kind: type[Specification], values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Fields with the formula, if there is one, in the grammar of specifications, as the fields of
    the pages take it. One that cannot be read so either stays: what is built of it says why."""
    formula = values.get("formula")
    if not isinstance(formula, str) or not kind.formula_in:
        return values
    try:
        return {**values, "formula": understood(formula, kind.formula_in)}
    except FormulaError:
        return values


def coupling_sweep(source: str | Mapping[str, Any]) -> SweepSpec:
    """A sweep of couplings, like `parse_sweep`; raises SpecError for one of a task, too."""
    return narrowed(parse_sweep(source), SweepSpec)


def _kind(values: Mapping[str, Any]) -> Kind[AnySpec, AnySweep, AnyTarget]:
    check_version(values)
    target = values.get("target", UNNAMED)
    if not isinstance(target, str) or target not in KINDS:
        known = " | ".join(f'"{name}"' for name in KINDS)
        raise SpecError(f"target = {shown(target)}: allowed is {known}")
    return KINDS[target]


def parse_leniently(source: str | Mapping[str, Any]) -> tuple[AnySpec, tuple[str, ...]]:
    """A specification that keeps the valid fields and takes defaults for the others.

    Returns it with the problems met. A text that is no JSON object, or comes from another version,
    gives the defaults.
    """
    try:
        values = mapping_of(source)
        check_version(values)
    except SpecError as error:
        return CouplingSpec(), error.problems
    problems: list[str] = []
    target = values.get("target", UNNAMED)
    kind = next((kind.Spec for name, kind in KINDS.items() if name == target), Specification)
    # Named fields go first; then those that may not fit each other; then all.
    for suspects in (set(), kind.interdependent_fields, set(values) - {"target"}):
        try:
            return parse(values), tuple(problems)
        except SpecError as error:
            problems += error.problems
            bad = faulty(values, error.problems)
            values = {key: v for key, v in values.items() if key not in (bad or suspects)}
    return parse(values), tuple(problems)
