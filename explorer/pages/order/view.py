"""Page 5: a target in another order and through a filter, its floors, and what has been trained."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from explorer.coupling.formula import FormulaError, parse_expression
from explorer.coupling.typeset import typeset
from explorer.pages.order.view_kinds import RHO, view_of
from explorer.pages.order.view_trained import (
    PRINTED_MSE,
    THIS,
    Known,
    Trained,
    alike,
    of_model,
    of_sweeps,
    pairs,
    target_name,
)
from explorer.runs.record import RunRow
from explorer.slow import pd
from explorer.spec import AlterableSpec, LinearSpec, alterable_spec, amended, spec_id
from explorer.targets import alteration_of, linear_target
from explorer.targets.alterations import FILTERS, ORDERS, named_order, named_taps
from explorer.targets.coupling import stays_inside
from explorer.theory.linear import complexity_of, decay_length_of, linear_floors
from explorer.theory.orders import rnn_floor
from explorer.theory.propositions import Verdict, proposition_62
from explorer.theory.states import StateKernels, best_state_kernels
from explorer.views import sweeps
from explorer.views.pictures import learned_exactly
from explorer.views.series import BEST_KERNEL, NO_KERNEL, SCALE, TAPS_KEPT, TRAINED_RNN
from explorer.views.text import ROUNDING, floor_text, number

UNITS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16)
"""Hidden units at which the best kernel of as many states is shown."""
UNITS_FILES = tuple(
    sweeps.ASSETS / f"order-units-{name}.json" for name in ("exponential", "power", "random")
)
"""Sweeps of RNNs over their hidden units, one a kernel."""
ALTERED = {"order": "permutation", "taps": "filter", "mode": "filter_mode"}
"""What the component calls the fields that alter it; a named order or filter comes as its name."""
D = 1  # dimension of the input in App. D.1
UNTRAINED = "Nobody has trained this target here: training will show what a Transformer learns."


def stream_drawing(spec: AlterableSpec) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Header of the "drawing" message of a run on such a target."""
    return learned_exactly(spec, model=spec.model), {}


def drawing(
    spec: AlterableSpec,
    stream: Mapping[str, Any],
    trained: Sequence[Known],
    same: bool,
    other: Mapping[str, Any] | None = None,
    ghosts: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Header of the component; `same` says whether the run of the feed learns this very target,
    `other` is what stands `beside` it, `ghosts` the name of another target and what was trained on
    that. A coupling has no kernel."""
    alteration = alteration_of(spec)
    return {
        "stream": dict(stream),
        "same": same,
        "spec": spec_id(spec),
        **view_of(spec).kernel(spec),
        "tau": spec.tau,
        "order": alteration.order,
        "taps": alteration.taps,
        "mode": spec.filter_mode,
        **_choices(spec),
        "trained": [each.header for each in trained],
        "beside": other,
        "name": target_name(spec, spec),
        "steps": spec.steps,
        "seed": spec.seed,
        "model": spec.model,
        "ghosts": ghosts and {**ghosts, "trained": [each.header for each in ghosts["trained"]]},
    }


def _named(own: str | tuple | None, none: str) -> str:
    return "own" if isinstance(own, tuple) else own or none


def _choices(spec: AlterableSpec) -> dict[str, Any]:
    """What order and filter are called, and those that have a name, as the fields beside them have
    them; of a coupling those that it takes."""
    length = min(spec.filter_length, spec.tau)
    filters = {n: named_taps(n, length, spec.filter_seed) for n in FILTERS}
    names = {"order": _named(spec.permutation, "original"), "filter": _named(spec.filter, "none")}
    presets = {
        "orders": {n: named_order(n, spec.tau, spec.permutation_seed) for n in ORDERS},
        "filters": {n: t for n, t in filters.items() if spec.any_taps or stays_inside(t)},
    }
    return {"names": names, "presets": presets}


def changes(values: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a specification that a report of the component changes.

    It is data from a browser: what is not as expected is left to the specification to refuse.
    """
    rho = told if isinstance(told := values.get("rho"), Mapping) else {}
    altered = {field: values[name] for name, field in ALTERED.items() if name in values}
    return {name: rho[name] for name in RHO if name in rho} | altered


AHEAD = {
    "ahead": "As Section 6.2 prints it, (θ∗x)(t) = Σ θ(s) x(t+s) reads inputs that are still to "
    "come, which no causal model has seen.",
    "centred": "Centred filters read half their taps ahead: a causal model misses those.",
    "circular": "Circular filters read the end of the sequence at its beginning: no causal model "
    "has seen it.",
}


PAST = "(θ∗x)(t) = Σ θ(s) x(t−s): the filter reads the past"
NOTHING_AHEAD = "With these taps the filter reads nothing that is to come"


def convention(spec: AlterableSpec) -> str:
    """How the filter is read, and where that keeps causal models above what Table 2 prints."""
    floors, value = view_of(spec).floors(spec), PRINTED_MSE["exponential", "filter", "rnn"]
    if not alteration_of(spec).reads_ahead:
        keeps_up = floors and floors.time_invariant < ROUNDING * floors.constant
        past = PAST if spec.filter_mode == "causal" else NOTHING_AHEAD
        return f"{past}{', and an RNN keeps up' if keeps_up else ''}."
    words = AHEAD[spec.filter_mode]
    if spec.filter_mode != "ahead" or floors is None or floors.causal <= value:
        return words
    least, of_paper = floor_text(floors.causal, floors.constant), number(value, 3)
    return f"{words} Here the best one leaves an MSE of {least}; Table 2 prints {of_paper}."


def verdict(spec: AlterableSpec, trained: Sequence[Known]) -> str:
    """What no model of a kind can do, and what was trained; models are set beside each other
    only where they had the same steps and seeds. Empty where no floors are known."""
    floors = view_of(spec).floors(spec)
    if floors is None:
        return ""
    rnn = floor_text(floors.time_invariant, floors.constant)
    best = f"On this target the best linear RNN leaves an MSE of {rnn}."
    causal, constant = floor_text(floors.causal, floors.constant), number(floors.constant)
    parts = [f"Any causal model leaves {causal}, a constant {constant}."]
    comparison, known = alike(trained), (each for each in trained if isinstance(each, Trained))
    run = next((each for each in known if each.source == THIS), None)
    if comparison and not (run and [*comparison.errors.values()] == [run.mse]):
        parts.append(comparison.words)
    if run:
        parts.append(f"The run shown ({run.spec.steps} steps, one seed): {number(run.mse)}.")
    return f"{best}\n\n{' '.join(parts)}"


def run_verdict(row: RunRow) -> str:
    """A sentence on where a run stands; besides, the floors of its target."""
    spec, metrics = alterable_spec(row.spec), row.metrics or {}
    what = f"RNN of {spec.units} units" if spec.units else "Transformer"
    if "nmse" not in metrics:
        return f"This {what} is {row.status} at step {row.step} of {row.steps}."
    reached = (
        f"After {row.steps} steps this {what} (one seed) is at MSE {number(metrics['mse'])}, "
        f"1 − R² {number(metrics['nmse'])}"
    )
    floors = view_of(spec).floors(spec)
    if floors is None:
        return f"{reached}."
    causal, invariant = (
        floor_text(each, floors.constant) for each in (floors.causal, floors.time_invariant)
    )
    return (
        f"{reached}.\n\nThe best time-invariant RNN leaves {invariant}, any causal model "
        f"{causal}, a constant {number(floors.constant)}."
    )


def beside_a_constant(spec: AlterableSpec) -> dict[str, str]:
    """The least error of a linear RNN over that of a constant, where both are known."""
    floors = view_of(spec).floors(spec)
    return {"rnn": number(floors.time_invariant / floors.constant)} if floors else {}


def propositions(
    spec: AlterableSpec, trained: Sequence[Known], before: Sequence[Known]
) -> list[Verdict]:
    """Prop. 6.1 to 6.3 beside the numbers, those that are about the target; `before` has been
    trained on it in its own order."""
    second = proposition_62(spec, *pairs(spec, before, trained))
    return view_of(spec).propositions(spec, _rnns(trained), second)


def _rnns(trained: Iterable[Known]) -> dict[str, float]:
    """MSE of trained RNNs by how they were trained, of two alike the lower one."""
    errors: dict[str, float] = {}
    for each in of_model(trained, "rnn"):
        spec = each.spec
        words = f"{spec.units} units, {spec.steps} steps, seed {spec.seed}"
        errors[words] = min(each.mse, errors.get(words, math.inf))
    return errors


def formula_note(formula: str) -> list[str]:
    """The formula of a kernel as it was understood, in Markdown; nothing of one that is refused."""
    try:
        tex = typeset(parse_expression(formula, ("s",)), ("s",))
    except FormulaError:
        return []
    return [f"$\\rho(s)={tex}$"] if tex else []


def in_order(spec: AlterableSpec) -> AlterableSpec:
    """The target with its input in its own order."""
    return amended(spec, permutation=None)


MOST = 8  # tried orders that are listed
NAMED = {None: "as it is", "block": "block exchange", "roll": "roll", "reverse": "reverse"}


@dataclass(frozen=True)
class Tried:
    """An order of τ tokens, and the name under which a reader finds it again."""

    name: str
    order: tuple[int, ...]
    called: str = "own"
    """What the component's list of orders calls it."""


def tried(spec: AlterableSpec) -> Tried:
    """The order of a target. A random one is listed as the numbers it is: another seed is another
    order."""
    own, order = spec.permutation, alteration_of(spec).order or tuple(range(spec.tau))
    if isinstance(own, tuple):
        return Tried("by hand", order)
    if own == "random":
        return Tried(f"random, seed {spec.permutation_seed}", order)
    return Tried(NAMED[own], order, _named(own, "original"))


def listed(matrix: np.ndarray, orders: Iterable[Tried]) -> list[dict[str, Any]]:
    """The orders of the length of a target with this K in its own order, and what each leaves the
    best linear RNN on it, the hardest first."""
    rows = [
        {
            "name": each.name,
            "called": each.called,
            "order": each.order,
            "floor": rnn_floor(matrix, each.order),
        }
        for each in orders
        if len(each.order) == len(matrix)
    ]
    rows.sort(key=lambda row: -row["floor"])
    return [row | {"best": i == 0 and len(rows) > 1} for i, row in enumerate(rows[:MOST])]


def measures(spec: LinearSpec) -> pd.DataFrame:
    """C₁, C₂ and C_RNN (Eq. 76 to 78) of the kernel before and after, corrected and as printed."""
    complexity = complexity_of(spec)
    fitted = ", fitted on the window" if decay_length_of(spec) is None else ""
    rows = {
        f"γ, decay length{fitted} (corrected C₁)": "c_1",
        "C₂": "c_2",
        "Cʀɴɴ = C₁ C₂": "c_rnn",
        "C₁ as printed, 1 + γ": "c_1_printed",
        "Cʀɴɴ as printed": "c_rnn_printed",
        "least β·max exp(t/β)·|ρ(t)| in the window": "windowed",
    }
    values = [
        {
            "measure": name,
            **{when: number(complexity[when][key], 3) for when in ("before", "after")},
        }
        for name, key in rows.items()
    ]
    return pd.DataFrame(values)


@lru_cache(maxsize=1)
def _unit_sweeps() -> tuple[sweeps.Finished[Any], ...]:
    return tuple(sweeps.of_text(file.read_text("utf-8")) for file in UNITS_FILES)


@lru_cache(maxsize=32)
def _best_kernels(kernel: tuple[float, ...], units: tuple[int, ...]) -> StateKernels:
    """The search takes seconds; the page asks at every rerun."""
    return best_state_kernels(np.array(kernel), units)


def states(spec: LinearSpec, trained: Iterable[Known] = ()) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Error of RNNs against their hidden units, and beside the scale of App. D.1.

    First table: units, mse (> 0), what: the best kernel found of so many states, a bound that no
    kernel of so many is below, and RNNs `trained` on this target, beforehand or here. Second: units
    and error in the norm Σ|k̂ − ρ| with its bounds (see theory/states.py), mean |ŷ − y| of those
    RNNs, which it bounds, and d·C_RNN/m. Of trained RNNs also seed, steps and source.
    """
    floors = linear_floors(linear_target(spec).matrix)
    units = tuple(n for n in UNITS if n <= (spec.tau + 1) // 2)
    best, rest = _best_kernels(tuple(floors.kernel.tolist()), units), floors.time_invariant
    scale = complexity_of(spec)["after"]["windowed"]  # ∞ where no kernel is left
    errors = _curves("mse", units, {BEST_KERNEL: best.mse + rest, NO_KERNEL: best.lower + rest})
    law = _curves(
        "error",
        units,
        {
            BEST_KERNEL: best.l1,
            NO_KERNEL: best.l1_lower,
            TAPS_KEPT: best.l1_upper,
            SCALE: [D * scale / n for n in units],
        },
    )
    rnns = of_model([*of_sweeps(spec, _unit_sweeps()), *trained], "rnn")
    for each in reversed({spec_id(each.spec): each for each in reversed(rnns)}.values()):
        line = {
            "units": each.spec.units,
            "what": TRAINED_RNN,
            "seed": each.spec.seed,
            "steps": each.spec.steps,
            "source": each.source,
        }
        errors.append(line | {"mse": each.mse})
        if math.isfinite(scale) and each.mae is not None:
            law.append(line | {"error": each.mae})
    table, drawn = pd.DataFrame(errors), pd.DataFrame(law)
    return table[table["mse"] > 1e-16], drawn[drawn["error"].between(1e-14, 1e9)]


def _curves(
    column: str, units: Iterable[int], curves: Mapping[str, Iterable[float]]
) -> list[dict[str, Any]]:
    return [
        {"units": n, column: float(value), "what": what}
        for what, values in curves.items()
        for n, value in zip(units, values, strict=True)
    ]
