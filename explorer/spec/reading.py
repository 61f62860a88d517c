"""Specifications and JSON: both ways, ids, and what is wrong with a text."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar, cast, overload

from pydantic import BaseModel, ValidationError

from explorer.families import PARAMETERS
from explorer.spec.alterations import AlterationFields
from explorer.spec.couplings import DESIGN_FIELDS, PART_FIELDS, CouplingSpec, SweepSpec
from explorer.spec.fields import VERSION, SpecError, Specification
from explorer.spec.folded import folded, unfolded
from explorer.spec.labelled import LabelledSpec, NumberWordsSweep, PicturesSweep
from explorer.spec.linear import LinearSpec, LinearSweep
from explorer.spec.memory import MemorySpec, MemorySweep
from explorer.spec.tasks import TaskSpec, TaskSweep

UNNAMED = "coupling"
"""The target of a text that names none."""
MAX_TEXT = 20_000  # characters of a specification that are read at all
HeadSpec = CouplingSpec | TaskSpec | LinearSpec
"""Of a model with f̂, one head and F̂, or of a linear RNN in its place."""
AnySpec = HeadSpec | LabelledSpec | MemorySpec
AnySweep = SweepSpec | LinearSweep | TaskSweep | PicturesSweep | NumberWordsSweep | MemorySweep
AlterableSpec = LinearSpec | CouplingSpec
"""Of a target whose input can be reordered and filtered."""
Kind = TypeVar("Kind", bound=Specification)
Model = TypeVar("Model", bound=BaseModel)


def validated(kind: type[Model], values: Mapping[str, Any]) -> Model:
    """A specification of a kind; raises SpecError naming each bad field and what is allowed."""
    check_version(values)
    try:
        # Through JSON, so that text and mapping obey one set of strict rules.
        return kind.model_validate_json(_dump(unfolded(values, _defaults())))
    except ValidationError as error:
        lines: dict[Any, str] = {}  # one a field, though each kind of a union has its complaint
        for problem in error.errors():
            lines.setdefault(problem["loc"][:1], _line(problem, kind))
        raise SpecError(*lines.values()) from None


def valid_fields(
    kind: type[Model], source: str, name: str, most: int = MAX_TEXT
) -> tuple[Model, tuple[str, ...]]:
    """A `kind` of what JSON text has of its fields, and what is wrong with the others, which are
    left at their defaults. `name` is what the problems call the text."""
    try:
        values = mapping_of(source, name, most)
    except SpecError as error:
        return kind(), error.problems
    problems: list[str] = []
    while True:  # what the fields say together is only asked where each is right
        try:
            return validated(kind, values), tuple(problems)
        except SpecError as error:
            problems += [f"{name}: {problem}" for problem in error.problems]
            bad = faulty(values, error.problems)
        valid = {key: value for key, value in values.items() if key not in bad}
        if len(valid) == len(values):  # whose fault it is, no problem says
            return kind(), tuple(problems)
        values = valid


def amended(spec: Kind, **changes: Any) -> Kind:
    """The specification or sweep with some fields changed, validated again."""
    return validated(type(spec), spec.model_dump(mode="json") | changes)


@overload
def narrowed(spec: AnySpec, kind: type[Kind]) -> Kind: ...
@overload
def narrowed(spec: AnySpec, kind: type[AlterationFields]) -> AlterableSpec: ...
def narrowed(spec: AnySpec, kind: type[Any]) -> Any:
    """The specification or sweep, which is one of a kind; raises SpecError for another, and says
    what that is lacking."""
    if not isinstance(spec, kind):
        lacking = kind.lacking or f"where {kind.__name__} is needed"
        raise SpecError(f'target = "{spec.target}": {spec.noun}, {lacking}')
    return spec


def coupling_spec(spec: AnySpec) -> CouplingSpec:
    """The specification, which is one of a coupling; raises SpecError for another."""
    return narrowed(spec, CouplingSpec)


def task_spec(spec: AnySpec) -> TaskSpec:
    """The specification, which is one of an attention task; raises SpecError for another."""
    return narrowed(spec, TaskSpec)


def alterable_spec(spec: AnySpec) -> AlterableSpec:
    """The specification, whose input can be reordered and filtered; raises SpecError for
    another."""
    return narrowed(spec, AlterationFields)


def design_of(spec: AnySpec) -> CouplingSpec:
    """The coupling of a specification with every other field at its default.

    A formula or a grid leaves the spectrum and the bases without effect: they are left out too.
    Raises SpecError for an attention task and for a linear target, which have no ρ(u, v).
    """
    spec = coupling_spec(spec)
    return CouplingSpec(**{name: getattr(spec, name) for name in design_fields(spec)})


def design_fields(spec: CouplingSpec) -> tuple[str, ...]:
    """The fields that make the coupling of a specification: not its spectrum and bases where a
    formula or a grid gives it."""
    given = spec.formula is not None or spec.grid is not None
    return ("target", "tau", "formula", "grid", *PART_FIELDS) if given else DESIGN_FIELDS


def differing(spec: AnySpec | AnySweep) -> dict[str, Any]:
    """Version, target unless it is a coupling, and the fields that differ from its defaults."""
    named = {} if spec.target == UNNAMED else {"target": spec.target}
    return {"version": spec.version, **named, **spec.model_dump(mode="json", exclude_defaults=True)}


def compact(spec: AnySpec | AnySweep) -> str:
    """Sorted compact JSON of `differing`: what the URL holds and what the id is taken from."""
    return json.dumps(differing(spec), sort_keys=True, separators=(",", ":"), allow_nan=False)


def link_text(spec: AnySpec | AnySweep) -> str:
    """The same as a link holds it: σ_k that follow a law but for a few are not written one by one
    (`folded`)."""
    held = folded(differing(spec), _defaults() | spec.model_dump(mode="json"))
    return json.dumps(held, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _defaults() -> dict[str, Any]:
    """The parameters of the laws of σ_k where a specification does not say them."""
    return {name: CouplingSpec.model_fields[name].default for name in PARAMETERS}


def spec_id(spec: AnySpec | AnySweep) -> str:
    """First 12 hex digits of sha256 over `compact`."""
    return hashlib.sha256(compact(spec).encode()).hexdigest()[:12]


def full_json(spec: AnySpec | AnySweep) -> str:
    """Every field, indented: the file a person reads, keeps and edits."""
    return json.dumps(spec.model_dump(mode="json"), indent=2, ensure_ascii=False)


def schema(kind: type[Specification] = CouplingSpec) -> dict[str, Any]:
    """JSON schema of a kind of specification or sweep."""
    return kind.model_json_schema()


def mapping_of(
    source: str | Mapping[str, Any], name: str = "specification", most: int = MAX_TEXT
) -> dict[str, Any]:
    if not isinstance(source, str):
        return dict(source)
    if len(source) > most:
        raise SpecError(f"{name}: {len(source)} characters, at most {most} are read")

    def refuse(constant: str) -> None:
        raise SpecError(f"{name}: {constant} is not allowed, numbers must be finite")

    try:
        values = json.loads(source, parse_constant=refuse)
    except SpecError:
        raise
    except (ValueError, RecursionError) as error:  # also a number of thousands of digits
        raise SpecError(f"{name}: not JSON ({error})") from None
    if not isinstance(values, dict):
        raise SpecError(f'{name}: must be a JSON object such as {{"m_h": 4}}')
    return cast("dict[str, Any]", values)


def _dump(values: Mapping[str, Any]) -> str:
    problems = [line for name, value in values.items() if (line := _not_json(name, value))]
    if problems:
        raise SpecError(*problems)
    return json.dumps(dict(values))


def _not_json(name: str, value: Any) -> str | None:
    """What is wrong with a value that JSON has not, such as the ∞ that 1e400 is read as, or half a
    character."""
    try:
        json.dumps({name: value}, allow_nan=False, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        whole = str(name)[:60].encode(errors="backslashreplace").decode()
        return f"{whole}: half of a surrogate pair is no character"
    except (ValueError, TypeError, RecursionError) as error:
        return f"{str(name)[:60]}: only finite JSON values are allowed ({error})"
    return None


def check_version(values: Mapping[str, Any]) -> None:
    version = values.get("version", VERSION)
    if type(version) is int and version > VERSION:
        raise SpecError(
            f"version = {version}: this explorer reads version {VERSION}; "
            "a newer explorer wrote this specification"
        )


def faulty(names: Iterable[str], problems: Sequence[str]) -> set[str]:
    """The fields that the problems are about: each begins with the name of its own."""
    begun = {name: tuple(name[:60] + end for end in " ,:") for name in names}
    return {name for name in begun if any(line.startswith(begun[name]) for line in problems)}


def _line(problem: Mapping[str, Any], kind: type[BaseModel]) -> str:
    """One pydantic problem as 'field = value: what is allowed'."""
    if not problem["loc"]:
        return problem["msg"].removeprefix("Value error, ")
    name = str(problem["loc"][0])
    if problem["type"] == "extra_forbidden":
        return f"{name[:60]}: unknown field; known are {', '.join(kind.model_fields)}"
    entries = [each for each in problem["loc"][1:] if isinstance(each, int)]
    where = f"{name}, entry {entries[0] + 1}" if entries else name
    return f"{where} = {shown(problem['input'])}: allowed is {allowed(name, kind)}"


def shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "…"


def allowed(name: str, kind: type[BaseModel] = CouplingSpec) -> str:
    """The allowed values of a field in words, read off the schema."""
    return _choices(kind.model_json_schema()["properties"][name])


def _choices(rule: Mapping[str, Any]) -> str:
    return " or ".join(_range(choice) for choice in rule.get("anyOf", [rule]))


def _range(rule: Mapping[str, Any]) -> str:
    if "const" in rule:
        return json.dumps(rule["const"])
    if "enum" in rule:
        return " | ".join(json.dumps(value) for value in rule["enum"])
    if rule["type"] == "boolean":
        return "true | false"
    if rule["type"] == "null":
        return "null"
    if rule["type"] == "array":
        return f"a list of {rule['minItems']} to {rule['maxItems']}, each {_choices(rule['items'])}"
    if rule["type"] == "string":
        return "64 hex digits" if "pattern" in rule else f"text of up to {rule['maxLength']}"
    kind = {"integer": "a whole number", "number": "a number"}[rule["type"]]
    words = {"minimum": "from", "exclusiveMinimum": "above", "maximum": "to"}
    words["exclusiveMaximum"] = "below"
    bounds = [f"{word} {rule[key]:.10g}" for key, word in words.items() if key in rule]
    return " ".join([kind, *bounds])
