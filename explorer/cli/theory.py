"""What is computed without training: specifications, POD, floors, the width for attention."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from explorer.cli import heavy
from explorer.cli.common import AsJson, grid_of, say, spec_from
from explorer.coupling import POD, Coupling, Samples, designed_tail, parse_grid, pod, several
from explorer.coupling.attention import parse_attention
from explorer.coupling.grid import parse_cells
from explorer.pages.design.view import beyond_text, of_computed, width_text
from explorer.spec import (
    AnySpec,
    AnySweep,
    CouplingSpec,
    LinearSpec,
    SpecError,
    Topic,
    amended,
    coupling_spec,
    full_json,
    schema,
)
from explorer.spec.fields import of_each
from explorer.targets import PRESETS, SWEEPS, linear_target, parse, task_of
from explorer.targets.reading import as_typed
from explorer.theory.design import WIDTHS, Design
from explorer.theory.floor import NORM_NAMES, SAMPLES, Norm, truncation_floor, width_for
from explorer.theory.linear import complexity_of, decay_length_of, linear_floors
from explorer.theory.rates import complexity_1, decay_exponent
from explorer.theory.sweep import or_none

MAX_WIDTH = 1024
FLOOR_COLUMNS = ("mse", "mse_se", "mae", "mae_se", "nmse", "nmse_se")


def spec_(
    preset: Annotated[str | None, typer.Argument(help="See --list; default: train.")] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="KEY=VALUE; VALUE is JSON, or else text.")
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="Names the presets.")] = False,
    show_schema: Annotated[bool, typer.Option("--schema", help="Prints its JSON schema.")] = False,
    as_json: AsJson = False,
) -> None:
    """Print a ready specification."""
    if list_:
        named = {name: text for name, (text, _) in (PRESETS | SWEEPS).items()}
        say({"presets": named}, as_json, [f"{name:10} {text}" for name, text in named.items()])
    elif show_schema:
        kind = type(_preset(preset)) if preset else CouplingSpec
        print(json.dumps(schema(kind), indent=None if as_json else 2, ensure_ascii=False))
    else:
        start = _preset(preset or "train")
        changed = amended(start, **as_typed(type(start), dict(map(_assignment, set_ or []))))
        print(json.dumps(changed.model_dump(mode="json")) if as_json else full_json(changed))


def pod_(
    formula: Annotated[str | None, typer.Option(help="ρ as a formula in u and v.")] = None,
    grid: Annotated[Path | None, typer.Option(help="ρ as samples, .npy or .csv.")] = None,
    design: Annotated[str | None, typer.Option(help="A specification; see `spec`.")] = None,
    centred: Annotated[bool, typer.Option(help="Remove the v-mean, unseen by softmax.")] = False,
    k: Annotated[int | None, typer.Option(min=1, max=64, help="Singular values to list.")] = None,
    tolerance: Annotated[float | None, typer.Option(min=0, help="Absolute, for the rank.")] = None,
    d: Annotated[int, typer.Option(min=1, max=3, help="Numbers a token: u1, u2, v1, v2.")] = 1,
    as_json: AsJson = False,
) -> None:
    """POD of a coupling on [0, 1]²: singular values, rank, tail, decay (Eq. 10 to 12)."""
    if sum(given is not None for given in (formula, grid, design)) != 1:
        raise SpecError("pod: give exactly one of --formula, --grid and --design")
    if d > 1:
        if tolerance is not None:
            raise SpecError(f"--tolerance: not with --d {d}")
        decomposition = several.pod_several(_several(formula, grid, design, d), centred)
        return say(*_several_answer(decomposition, k, as_json))
    if tolerance == math.inf:
        raise SpecError("--tolerance inf: must be finite")
    spec, coupling = _single(formula, grid, design)
    answer = _pod_answer(pod(coupling, centred=centred, tolerance=tolerance), spec, k)
    lines = _listed(answer["singular_values"])
    rank = "64 or more" if answer["rank"] is None else answer["rank"]
    lines.append(f"rank {rank} above {answer['tolerance']:.2g}; σ reached to {answer['error']:.1e}")
    if answer["alpha"] is not None:
        lines.append(f"α = {answer['alpha']:.4g}, fitted over k = {answer['alpha_range']}")
    say(answer, as_json, lines)


def floor(
    design: Annotated[str | None, typer.Option(help="A specification; see `spec`.")] = None,
    linear: Annotated[
        str | None, typer.Option(help="A specification of a linear target, instead.")
    ] = None,
    m: Annotated[str, typer.Option(help="Widths: 1..16 or 1,2,4.")] = "1..16",
    error: Annotated[
        float | None, typer.Option(min=0, help="The error for which to name the least m ≤ 32.")
    ] = None,
    norm: Annotated[Norm, typer.Option(help="What --error is in: mse is nMSE.")] = "mse",
    samples: Annotated[int, typer.Option(min=2, max=1_000_000, help="Sequences.")] = SAMPLES,
    seed: Annotated[int, typer.Option(min=0, help="Of the sequences.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Errors without training. Of a coupling the truncation floor: that of keeping m terms of ρ, an
    upper bound. Of a linear target what it leaves to any causal model, to the best time-invariant
    one and to a constant, exactly."""
    spec, floors = _spec_with_floor(design, linear)
    answer, lines = floors(spec, m, (error, norm), samples, seed)
    say(answer, as_json, lines)


def width(
    file: Annotated[
        Path,
        typer.Argument(
            help="Queries × keys, .npy or .csv: rows of sum 1, 0 where a key is masked. Or .npz, "
            ".safetensors with logits, weights, or q and k."
        ),
    ],
    logits: Annotated[
        bool,
        typer.Option("--logits", help="The file has what softmax gets, not weights; −inf masks."),
    ] = False,
    tolerance: Annotated[
        float | None, typer.Option(min=0, help="Absolute, for the rank; default: 1e-6 σ_1.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """The width that one head needs for exactly these attention weights, whatever made them."""
    kind = "logits" if logits else "weights"
    view = heavy.view_width.width_view(
        parse_attention(file.read_bytes(), file.name, kind), tolerance
    )
    say(view.answer, as_json, [*view.sentences])


def _spec_with_floor(design: str | None, linear: str | None) -> tuple[AnySpec, Floors]:
    """The one specification asked for, and what computes floors of it."""
    given = [source for source in (design, linear) if source is not None]
    if len(given) != 1:
        raise SpecError("floor: give exactly one of --design and --linear")
    spec = spec_from(given[0])
    if linear is not None and spec.target not in OF_LINEAR:
        raise SpecError(f'--linear: target = "{spec.target}"; allowed is "{", ".join(OF_LINEAR)}"')
    return spec, OF_LINEAR.get(spec.target, _truncation_floor)  # which refuses what has no ρ(u, v)


def _unaltered(given: AnySpec) -> CouplingSpec:
    """The specification of a coupling; refused where there is none, or one that is altered."""
    spec = _with_coupling("floor", given)
    if spec.permutation is not None or spec.filter is not None:
        raise SpecError(
            "floor: permutation and filter make another target, for which truncating ρ is "
            "no bound; leave them out for the floor of the coupling itself"
        )
    return amended(spec, positions=0)


def _truncation_floor(
    given: AnySpec, m: str, wanted: tuple[float | None, Norm], samples: int, seed: int
) -> tuple[dict[str, Any], list[str]]:
    spec = _unaltered(given)
    design, widths = Design(spec, grid_of(spec)), _widths(m)
    known = truncation_floor(design.target, widths, samples, seed)
    errors = {name: or_none(getattr(known, name)) for name in FLOOR_COLUMNS}
    answer: dict[str, Any] = {"m": widths, **errors}
    answer |= {"variance": known.variance, "samples": samples, "seed": seed}
    lines = ["   m  " + "".join(f"{name:>9} ± s.e.     " for name in ("MSE", "MAE", "nMSE"))]
    lines += [_floor_line(m, row) for m, *row in zip(widths, *errors.values(), strict=True)]
    if words := of_computed(design, *widths):
        lines.append(f"errors{words}; the spectrum has no end")
    if any(map(design.keeps_all, widths)):
        answer["left_beyond"] = design.left_beyond
        lines.append(beyond_text(design))
    error, norm = wanted
    if error is not None:
        listed = truncation_floor(design.target, range(WIDTHS + 1), samples, seed)
        width = width_for(listed, error, design.exact_rank, norm)
        answer |= {"error": error, "norm": norm, "width": width.m}
        answer |= {"width_ci": [width.low, width.high]}
        needed = width_text(width, WIDTHS)
        lines.append(f"{NORM_NAMES[norm]} ≤ {error:g}: m_h = {needed}")
    return answer, lines


def _floor_line(m: int, errors: list[float | None]) -> str:
    """A width with pairs of an error and its standard error; – where none is computed."""
    if None in errors:
        return f"{m:4d}  –"
    pairs = zip(errors[::2], errors[1::2], strict=True)
    return f"{m:4d}  " + "   ".join(f"{error:9.3e} ± {se:.0e}" for error, se in pairs)


def _linear_floors(spec: LinearSpec, *unused: Any) -> tuple[dict[str, Any], list[str]]:
    """Floors and complexity of a linear target; infinite measures are null."""
    floors = linear_floors(linear_target(spec).matrix)
    names = ("causal", "time_invariant", "constant", "constant_per_step")
    answer: dict[str, Any] = {name: getattr(floors, name) for name in names}
    answer["kernel"] = floors.kernel.tolist()
    answer["complexity"] = {
        when: {name: value if math.isfinite(value) else None for name, value in measured.items()}
        for when, measured in complexity_of(spec).items()
    }
    fitted = decay_length_of(spec) is None
    answer["gamma_fitted"] = fitted
    lines = [f"{name:18} {answer[name]:.6g}" for name in names]
    if fitted:
        lines.append("γ of a formula is a straight line through log|ρ(t)| on the window")
    for when, measures in answer["complexity"].items():
        c_rnn, printed, windowed = (
            _or_infinite(measures[name]) for name in ("c_rnn", "c_rnn_printed", "windowed")
        )
        lines.append(f"C_RNN {when:8} {c_rnn} (as printed {printed}, on the window {windowed})")
    return answer, lines


def _or_infinite(value: float | None) -> str:
    return "∞" if value is None else f"{value:.4g}"


Floors = Callable[..., tuple[dict[str, Any], list[str]]]
"""Of a specification, m, error and norm, samples, seed: an answer, and its lines."""
OF_LINEAR: dict[str, Floors] = {"linear": _linear_floors}
"""By the target, where it is not that of a coupling."""
KNOWN: dict[str, Callable[[Any], str]] = of_each(
    "what is known of a target",
    get_args(Topic),
    {
        "coupling": lambda spec: "floor --design is for it",
        "order": lambda spec: "floor --linear is for it",
        "attention": lambda spec: f"within reach from m_h = {task_of(spec).sufficient_width} on",
        "real": lambda spec: "it is known by examples alone",
        "memory": lambda spec: "reproduce memory-heads has its floor",
    },
)
"""What there is where a coupling ρ(u, v) was asked for, by the topic."""


def _with_coupling(command: str, spec: AnySpec) -> CouplingSpec:
    """The specification; one without a coupling is refused with what is known instead."""
    try:
        return coupling_spec(spec)
    except SpecError as error:
        raise SpecError(f"{command}: {error}; {KNOWN[spec.topic](spec)}") from None


def _preset(name: str) -> AnySpec | AnySweep:
    known = PRESETS | SWEEPS
    if name not in known:
        raise SpecError(f"preset {name!r}: known are {', '.join(known)}")
    return known[name][1]


def _assignment(text: str) -> tuple[str, Any]:
    """KEY=VALUE, where VALUE is JSON or else plain text."""
    key, equals, value = text.partition("=")
    if not equals:
        raise SpecError(f"--set {text!r}: must be KEY=VALUE, such as m_h=4")
    try:
        return key.strip(), json.loads(value)
    except (ValueError, RecursionError):  # no JSON, or a number of thousands of digits
        return key.strip(), value


def _pod_answer(decomposition: POD, spec: CouplingSpec | None, k: int | None) -> dict[str, Any]:
    """The JSON of `pod`: C₁ is taken at the fitted α, or at the designed one for a finite rank."""
    above = int((decomposition.sigma > decomposition.tolerance).sum())
    sigma = decomposition.sigma[: k if k is not None else above]
    decay = decay_exponent(decomposition)
    designed = spec.alpha if spec and designed_tail(spec) == "power" else 1.0
    at = decay.alpha if decay else designed
    return {
        "singular_values": sigma.tolist(),
        "rank": decomposition.rank,
        "tolerance": decomposition.tolerance,
        "tail_energy": decomposition.tail_energy()[: len(sigma) + 1].tolist(),
        "c1": complexity_1(decomposition.sigma[:above], at),
        "c1_alpha": at,
        "alpha": decay.alpha if decay else None,
        "alpha_ci": list(decay.alpha_ci) if decay else None,
        "alpha_range": list(decay.fit_range) if decay else None,
        "error": decomposition.error,
        "centred": decomposition.centred,
        "nodes": [len(decomposition.u), len(decomposition.v)],
    }


def _single(
    formula: str | None, grid: Path | None, design: str | None
) -> tuple[CouplingSpec | None, Coupling]:
    """The coupling of tokens with one number, and its specification, if it has one."""
    if grid is not None:
        return None, Samples(parse_grid(grid.read_bytes(), grid.name))
    given = parse({"formula": formula}) if design is None else spec_from(design)
    spec = _with_coupling("pod", given)
    return spec, Design(spec, grid_of(spec)).coupling


def _several(formula: str | None, grid: Path | None, design: str | None, d: int) -> several.Several:
    """The coupling of tokens with d numbers: typed, sampled, or by products of named bases."""
    if formula is not None:
        return several.SeveralFormula(several.parse_several(formula, d), d)
    if grid is not None:
        return several.SeveralSamples(parse_cells(grid.read_bytes(), grid.name, d), d)
    return several.designed(_with_coupling("pod", spec_from(design or "")), d)


def _several_answer(
    decomposition: several.SeveralPOD, k: int | None, as_json: bool
) -> tuple[dict[str, Any], bool, list[str]]:
    """What `pod` says of tokens with several numbers."""
    sigma = decomposition.sigma[: k if k is not None else decomposition.above].tolist()
    answer = {
        "singular_values": sigma,
        "rank": decomposition.rank,
        "tail_energy": decomposition.tail_energy()[: len(sigma) + 1].tolist(),
        "error": decomposition.error,
        "centred": decomposition.centred,
        "nodes": decomposition.by.nodes,
    }
    rank = "no end is seen" if decomposition.rank is None else f"rank {decomposition.rank}"
    return answer, as_json, [*_listed(sigma), f"{rank}; σ reached to {decomposition.error:.1e}"]


def _listed(sigma: Sequence[float]) -> list[str]:
    return [f"k = {i}: σ = {value:.12g}" for i, value in enumerate(sigma, start=1)]


def _widths(text: str) -> list[int]:
    """1..16 or 1,2,4."""
    try:
        if ".." in text:
            low, high = (int(end) for end in text.split(".."))
            widths = list(range(low, min(high, MAX_WIDTH + 1) + 1))
        else:
            widths = [int(word) for word in text.split(",")]
    except ValueError:
        widths = []
    if not widths or not all(0 <= width <= MAX_WIDTH for width in widths):
        raise SpecError(f"--m {text!r}: must be 1..16 or 1,2,4, from 0 to {MAX_WIDTH}")
    return widths
