"""The specification of a run: one flat, frozen, validated model (DESIGN §5).

The same JSON is what the URL holds, what the download gives, what the command line reads and
what the store keeps. Its *compact* form lists the version and what differs from that version's
defaults; the first 12 hex digits of its sha256 are the id. A new field therefore changes no old
id, as long as its default means what was done before the field existed.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from itertools import product
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

VERSION = 1
MAX_TEXT = 20_000  # characters of a specification that are read at all
MAX_MODELS = 4096  # of a sweep

Basis = Literal["sine", "shifted_sine", "fourier", "legendre", "haar"]
Activation = Literal["sine", "tanh", "gelu", "relu"]
SingularValue = Annotated[float, Field(ge=0, le=100)]
Alpha = Annotated[float, Field(ge=0, le=8)]
Rank = Annotated[int, Field(ge=1, le=64)] | None
HeadWidth = Annotated[int, Field(ge=1, le=64)]
HiddenWidth = Annotated[int, Field(ge=1, le=1024)]
Seed = Annotated[int, Field(ge=0, le=2**31 - 1)]


class SpecError(ValueError):
    """An invalid specification; `problems` holds one readable line per field."""

    def __init__(self, *problems: str):
        super().__init__("; ".join(problems))
        self.problems = problems


class CouplingSpec(BaseModel):
    """Train the Transformer of Eq. 5 on a target of Eq. 8 with a coupling ρ(u, v) on [0, 1]².

    ρ = Σ_k σ_k φ_k(u) ψ_k(v) by `spectrum` and bases, unless `formula` or `grid` gives it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    version: Literal[1] = Field(VERSION, description="version of this specification")
    target: Literal["coupling"] = Field("coupling", description="kind of target, Eq. 8")

    tau: int = Field(16, ge=2, le=64, description="τ, sequence length")
    spectrum: Literal["power", "exponential", "list"] = Field(
        "power", description="σ_k = c·k^-α, σ_k = c·decay^(k−1), or the list sigma"
    )
    alpha: Alpha = Field(1.0, description="α, decay exponent of σ_k (power)")
    decay: float = Field(0.5, gt=0, lt=1, description="ratio σ_(k+1)/σ_k (exponential)")
    c: float = Field(1.0, gt=0, le=20, description="c, the first singular value")
    rank: Rank = Field(None, description="rank r; null = ∞, at 64 terms")
    sigma: tuple[SingularValue, ...] | None = Field(
        None, strict=False, min_length=1, max_length=64, description="σ_k one by one (list)"
    )
    left_basis: Basis = Field("sine", description="φ_k, left singular functions")
    right_basis: Basis = Field("shifted_sine", description="ψ_k, right singular functions")
    formula: str | None = Field(
        None, min_length=1, max_length=1000, description="ρ as a formula in u and v"
    )
    grid: str | None = Field(
        None, pattern="^[0-9a-f]{64}$", description="ρ as samples: sha256 of a stored grid"
    )

    m_h: HeadWidth = Field(8, description="m_h, width of queries and keys")
    n: int = Field(32, ge=1, le=256, description="n, dimension of f̂(x)")
    d_v: int = Field(32, ge=1, le=256, description="d_v, dimension of values")
    m_ff: HiddenWidth = Field(128, description="m_FF, width of f̂ and F̂")
    depth: int = Field(3, ge=1, le=6, description="linear layers of f̂ and of F̂")
    activation: Activation = Field("sine", description="activation of f̂")
    activation_out: Activation = Field("tanh", description="activation of F̂")
    init: Literal["siren", "torch"] = Field("siren", description="initialisation of f̂")
    optimizer: Literal["soap", "adam"] = Field("soap", description="optimiser")
    lr: float = Field(1e-2, gt=0, le=1000, description="learning rate")
    warmup: int = Field(200, ge=0, le=10_000, description="steps of linear warm-up")
    schedule: Literal["cosine", "constant"] = Field("cosine", description="after the warm-up")
    batch: int = Field(32, ge=1, le=4096, description="fresh sequences a step")
    steps: int = Field(1200, ge=1, le=1_000_000, description="steps in all")
    seed: Seed = Field(0, description="start and data")

    @model_validator(mode="after")
    def _one_way_to_give_the_coupling(self) -> CouplingSpec:
        if self.formula is not None and self.grid is not None:
            raise ValueError("formula and grid: give ρ by one of them, not both")
        if (self.spectrum == "list") != (self.sigma is not None):
            raise ValueError('sigma: goes with spectrum = "list", and spectrum = "list" needs it')
        if self.sigma is not None and not any(self.sigma):
            raise ValueError("sigma: at least one singular value must be above 0")
        return self


Spec = CouplingSpec
Kind = TypeVar("Kind", bound=CouplingSpec)

SWEPT = ("alpha", "rank", "m_ff", "seed", "m_h")
"""The fields a sweep may have lists of; the last one varies fastest."""


def _list(value: Any) -> Any:
    return value if isinstance(value, (list, tuple)) else [value]


def _canonical(values: tuple) -> tuple:
    """Ascending and without repetition; ∞ (None) comes last."""
    return tuple(sorted(set(values), key=lambda v: math.inf if v is None else v))


_AS_LIST = (BeforeValidator(_list), AfterValidator(_canonical))


def _listed(*default: Any) -> Any:
    return Field(default, strict=False, min_length=1, max_length=256)


class SweepSpec(CouplingSpec):
    """Many trainings: the product of the lists of α, rank, m_FF, seed and m_h; all else is shared.

    A list may be written as a single value. The same lists in another order are the same sweep.
    """

    alpha: Annotated[tuple[Alpha, ...], *_AS_LIST] = _listed(1.0)
    rank: Annotated[tuple[Rank, ...], *_AS_LIST] = _listed(None)
    m_h: Annotated[tuple[HeadWidth, ...], *_AS_LIST] = _listed(8)
    m_ff: Annotated[tuple[HiddenWidth, ...], *_AS_LIST] = _listed(128)
    seed: Annotated[tuple[Seed, ...], *_AS_LIST] = _listed(0)
    method: Literal["independent", "top_down"] = Field(
        "independent", description="each model from its own start, or truncated from the widest"
    )
    fine_tune: int = Field(300, ge=1, le=100_000, description="steps after a truncation")

    @model_validator(mode="after")
    def _few_enough(self) -> SweepSpec:
        models = math.prod(len(getattr(self, name)) for name in SWEPT)
        if models > MAX_MODELS:
            raise ValueError(f"sweep: {models} models, at most {MAX_MODELS} are trained")
        return self

    def members(self) -> list[Spec]:
        """The specification of every training, m_h varying fastest."""
        shared = self.model_dump(mode="json", exclude={*SWEPT, "method", "fine_tune"})
        lists = [getattr(self, name) for name in SWEPT]
        return [parse(shared | dict(zip(SWEPT, own, strict=True))) for own in product(*lists)]


DESIGN_FIELDS = (
    "target", "tau", "spectrum", "alpha", "decay", "c", "rank", "sigma",
    "left_basis", "right_basis", "formula", "grid",
)  # fmt: skip
"""The fields that make the target; the others say how it is learned."""


def parse(source: str | Mapping[str, Any]) -> Spec:
    """A specification from JSON text or a mapping.

    Raises SpecError naming each bad field, its value and the allowed range.
    """
    return _parse(Spec, source)


def parse_sweep(source: str | Mapping[str, Any]) -> SweepSpec:
    """A sweep from JSON text or a mapping, like `parse`; a plain specification is one of one."""
    return _parse(SweepSpec, source)


def _parse(kind: type[Kind], source: str | Mapping[str, Any]) -> Kind:
    values = _mapping(source)
    _check_version(values)
    try:
        # Through JSON, so that text and mapping obey one set of strict rules.
        return kind.model_validate_json(_dump(values))
    except ValidationError as error:
        lines: dict[Any, str] = {}  # one a field, though each kind of a union has its complaint
        for problem in error.errors():
            lines.setdefault(problem["loc"][:1], _line(problem, kind))
        raise SpecError(*lines.values()) from None


def parse_leniently(source: str | Mapping[str, Any]) -> tuple[Spec, tuple[str, ...]]:
    """A specification that keeps the valid fields and takes defaults for the others.

    Returns it with the problems met. A text that is no JSON object, or comes from another version,
    gives the defaults.
    """
    try:
        values = _mapping(source)
        _check_version(values)
    except SpecError as error:
        return Spec(), error.problems
    problems: list[str] = []
    # Named fields go first; then those that may not fit each other; then all.
    for suspects in (set(), {"spectrum", "sigma", "formula", "grid"}, set(values)):
        try:
            return parse(values), tuple(problems)
        except SpecError as error:
            problems += error.problems
            bad = {_field(problem) for problem in error.problems} & set(values)
            values = {key: v for key, v in values.items() if key not in (bad or suspects)}
    return parse(values), tuple(problems)


def amended(spec: Kind, **changes: Any) -> Kind:
    """The specification or sweep with some fields changed, validated again."""
    return _parse(type(spec), spec.model_dump(mode="json") | changes)


def design_of(spec: Spec) -> Spec:
    """The target of a specification with every other field at its default.

    A formula or a grid leaves the spectrum and the bases without effect: they are left out too.
    """
    given = spec.formula is not None or spec.grid is not None
    names = ("target", "tau", "formula", "grid") if given else DESIGN_FIELDS
    return Spec(**{name: getattr(spec, name) for name in names})


def differing(spec: Spec) -> dict[str, Any]:
    """Version and the fields that differ from that version's defaults."""
    return {"version": spec.version, **spec.model_dump(mode="json", exclude_defaults=True)}


def compact(spec: Spec) -> str:
    """Sorted compact JSON of `differing`: what the URL holds and what the id is taken from."""
    return json.dumps(differing(spec), sort_keys=True, separators=(",", ":"), allow_nan=False)


def spec_id(spec: Spec) -> str:
    """First 12 hex digits of sha256 over `compact`."""
    return hashlib.sha256(compact(spec).encode()).hexdigest()[:12]


def full_json(spec: Spec) -> str:
    """Every field, indented: the file a person reads, keeps and edits."""
    return json.dumps(spec.model_dump(mode="json"), indent=2, ensure_ascii=False)


def schema() -> dict[str, Any]:
    """JSON schema of a specification."""
    return Spec.model_json_schema()


def _mapping(source: str | Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(source, str):
        return dict(source)
    if len(source) > MAX_TEXT:
        raise SpecError(f"specification: {len(source)} characters, at most {MAX_TEXT} are read")
    try:
        values = json.loads(source, parse_constant=_no_constant)
    except SpecError:
        raise
    except (ValueError, RecursionError) as error:  # also a number of thousands of digits
        raise SpecError(f"specification: not JSON ({error})") from None
    if not isinstance(values, dict):
        raise SpecError("specification: must be a JSON object such as {\"m_h\": 4}")
    return values


def _no_constant(name: str) -> None:
    raise SpecError(f"specification: {name} is not allowed, numbers must be finite")


def _dump(values: Mapping[str, Any]) -> str:
    try:
        return json.dumps(values, allow_nan=False)
    except (ValueError, TypeError, RecursionError) as error:
        raise SpecError(f"specification: only finite JSON values are allowed ({error})") from None


def _check_version(values: Mapping[str, Any]) -> None:
    version = values.get("version", VERSION)
    if type(version) is int and version > VERSION:
        raise SpecError(
            f"version = {version}: this explorer reads version {VERSION}; "
            "a newer explorer wrote this specification"
        )


def _field(problem: str) -> str:
    return problem.split(" ", 1)[0].rstrip(":")


def _line(problem: Mapping[str, Any], kind: type[CouplingSpec]) -> str:
    """One pydantic problem as 'field = value: what is allowed'."""
    if not problem["loc"]:
        return problem["msg"].removeprefix("Value error, ")
    name = str(problem["loc"][0])
    if problem["type"] == "extra_forbidden":
        return f"{name[:60]}: unknown field; known are {', '.join(kind.model_fields)}"
    value = json.dumps(problem["input"], ensure_ascii=False)
    shown = value if len(value) <= 60 else value[:57] + "…"
    return f"{name} = {shown}: allowed is {allowed(name, kind)}"


def allowed(name: str, kind: type[CouplingSpec] = Spec) -> str:
    """The allowed values of a field in words, read off the schema."""
    return _choices(kind.model_json_schema()["properties"][name])


def _choices(rule: Mapping[str, Any]) -> str:
    return " or ".join(_range(choice) for choice in rule.get("anyOf", [rule]))


def _range(rule: Mapping[str, Any]) -> str:
    if "const" in rule:
        return json.dumps(rule["const"])
    if "enum" in rule:
        return " | ".join(json.dumps(value) for value in rule["enum"])
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


PRESETS: dict[str, tuple[str, Spec]] = {
    "quick": (
        "a rank-2 coupling learned to nMSE below 1e-4 in about ten seconds of one CPU thread",
        Spec(rank=2, m_h=4, warmup=100, steps=1000),
    ),
    "design": ("the Design page's default: σ_k = 1/k, as in Figure 1 (a), r = ∞", Spec()),
    "train": (
        "the Train page's default: Figure 1 (b) with r = 6, one width above the rank",
        Spec(alpha=2.0, rank=6, m_h=7),
    ),
    "paper": (
        "the paper's literal recipe (App. C): ψ = φ, ReLU, PyTorch's start, Adam at 1e-3",
        Spec(
            right_basis="sine", activation="relu", activation_out="relu", init="torch",
            optimizer="adam", lr=1e-3, warmup=0, schedule="constant", steps=20_000,
        ),
    ),
}  # fmt: skip

SWEEPS: dict[str, tuple[str, SweepSpec]] = {
    "fig1": (
        "Figure 1: 12 widths × 6 targets × 3 seeds",
        SweepSpec(
            alpha=(1.0, 2.0), rank=(2, 6, None), seed=(0, 1, 2),
            m_h=(1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16),
        ),
    ),
    "fig1-quick": (
        "Figure 1, blunter: 7 widths × 6 targets, one seed, truncated from 6 wide models",
        SweepSpec(
            alpha=(1.0, 2.0), rank=(2, 6, None), m_h=(1, 2, 3, 5, 6, 8, 16),
            warmup=100, steps=900, method="top_down", fine_tune=200,
        ),
    ),
}  # fmt: skip
"""Ready sweeps by name, beside the single runs of PRESETS."""
