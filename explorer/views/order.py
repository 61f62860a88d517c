"""Page 5: a target in another order and through a filter, its floors, and what has been trained."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from explorer.runs.record import Record, RunRow
from explorer.spec import (
    KERNEL_FIELDS,
    AnySpec,
    CouplingSpec,
    LinearSpec,
    SpecError,
    amended,
    design_of,
    family_of,
)
from explorer.targets import LinearTarget, alteration_of, kernel_of, linear_target
from explorer.targets.alterations import FILTERS, ORDERS, named_order, named_taps
from explorer.theory.linear import complexity_of, linear_floors
from explorer.theory.propositions import (
    Verdict,
    proposition_61,
    proposition_62,
    proposition_63,
)
from explorer.theory.states import StateKernels, best_state_kernels
from explorer.views import sweeps
from explorer.views.text import floor_text, number

QUESTION = "What does another order, or a filter, do to an RNN and to a Transformer?"
PRINTED = {
    ("exponential", None, "rnn"): 1.02e-7, ("exponential", "block", "rnn"): 3.57e-2,
    ("exponential", None, "transformer"): 2.18e-5,
    ("exponential", "block", "transformer"): 2.51e-5,
    ("exponential", "filter", "rnn"): 1.58e-7,
    ("exponential", "filter", "transformer"): 2.39e-4,
    ("random", None, "rnn"): 5.58, ("random", "block", "rnn"): 5.24,
    ("random", None, "transformer"): 5.43e-4, ("random", "block", "transformer"): 5.36e-4,
}  # fmt: skip
"""MSE of Tables 2 and 3, by kernel, what was altered, and model; their filter is not given."""
ROWS = {"original": None, "block exchange": "block", "signed filters": "filter"}
"""The rows of those tables, and what is altered in them."""
UNITS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16)
"""Hidden units at which the best kernel of as many states is shown."""
UNITS_FILES = tuple(
    sweeps.ASSETS / f"order-units-{name}.json" for name in ("exponential", "power", "random")
)
"""Sweeps of RNNs over their hidden units, one a kernel."""
RHO = tuple(name for name in KERNEL_FIELDS if name not in ("target", "tau"))
"""The fields of a specification that make ρ."""
TRAINED = "trained RNN"
D = 1  # dimension of the input in App. D.1


def printed(kernel: str, row: str, model: str) -> float | None:
    """The MSE that the paper prints in a row of Table 2 or 3, if it does."""
    return PRINTED.get((kernel, ROWS.get(row, row), model.lower()))


def feed_scene(spec: LinearSpec | CouplingSpec) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Header of the "scene" message of a run on such a target."""
    return {
        "label": spec.target, "tau": spec.tau, "m_h": spec.m_h, "steps": spec.steps,
        "seed": spec.seed, "floor": 0.0, "floor_label": "",
        "model": getattr(spec, "model", "transformer"),
    }, {}  # fmt: skip


@dataclass(frozen=True)
class Trained:
    """A trained model of the target shown; `source` says where its error comes from."""

    model: str
    mse: float
    nmse: float
    source: str
    conv: int = 0


def comparable(
    spec: LinearSpec | CouplingSpec, rows: Iterable[RunRow], shown: str | None = None
) -> list[Trained]:
    """Finished runs on just this target, the one `shown` first, and what the paper prints."""
    found = []
    for row in rows:
        of = _error(row)
        if of is not None and same_target(row.spec, spec):
            source = "this run" if row.run == shown else f"run {row.run}"
            conv = getattr(row.spec, "conv", 0)
            found.append(Trained(_model(row.spec), *of, source, conv))
    found.sort(key=lambda each: each.source != "this run")
    return found + _printed(spec) if isinstance(spec, LinearSpec) else found


def _model(spec: LinearSpec | CouplingSpec) -> str:
    return getattr(spec, "model", "transformer")


def _printed(spec: LinearSpec) -> list[Trained]:
    variance = linear_floors(_target(spec).matrix).constant
    printed = {of: mse for (*key, of), mse in PRINTED.items() if key == _printed_key(spec)}
    return [Trained(of, mse, mse / variance, "printed") for of, mse in printed.items()]


def _error(row: RunRow) -> tuple[float, float] | None:
    """MSE (an RNN's is exact) and nMSE of a finished run on a target of this page."""
    try:
        ours, metrics = family_of(row.spec) == "order", row.metrics or {}
    except SpecError:
        return None
    if row.status != "finished" or not ours or "nmse" not in metrics:
        return None
    return metrics.get("population_mse", metrics["mse"]), metrics["nmse"]


@lru_cache(maxsize=512)
def _target(spec: LinearSpec) -> LinearTarget:
    return linear_target(spec)


def same_target(spec: AnySpec, other: AnySpec) -> bool:
    """Whether two specifications learn the same numbers, however their alterations are named."""
    if isinstance(spec, LinearSpec) and isinstance(other, LinearSpec):
        return _target(spec) == _target(other)
    if isinstance(spec, CouplingSpec) and isinstance(other, CouplingSpec):
        same = design_of(spec) == design_of(other)
        return same and alteration_of(spec) == alteration_of(other)
    return False


def best_of(trained: Iterable[Trained], model: str, conv: bool = False) -> Trained | None:
    """The trained model of a kind, with or without a convolution in front, that has the least
    error; the printed ones aside."""
    ours = [t for t in trained if t.source != "printed"]
    found = [t for t in ours if t.model == model and bool(t.conv) == conv]
    return min(found, key=lambda t: t.mse, default=None)


def counterpart(row: RunRow, runs: Mapping[str, RunRow]) -> str | None:
    """The name of the best finished run on the target of `row` that has a learned convolution in
    front where `row` has none, or none where it has one."""
    if _model(row.spec) != "transformer" or not isinstance(row.spec, LinearSpec):
        return None
    found = {
        name: _error(other)[1] for name, other in runs.items()
        if _error(other) and isinstance(other.spec, LinearSpec)
        and _model(other.spec) == "transformer" and bool(other.spec.conv) != bool(row.spec.conv)
        and same_target(other.spec, row.spec)
    }  # fmt: skip
    return min(found, key=found.__getitem__, default=None)


def beside(record: Record) -> dict[str, Any]:
    """What the component draws of a counterpart: its name, its errors, the taps it has learned."""
    _, pictures = record.latest() or ({}, {})
    taps = pictures.get("taps")
    return {
        "label": _with(record.spec.conv), "nmse": float(record.nmse[-1]),
        "evals": np.column_stack([record.snapshot_steps, record.nmse]).tolist(),
        "taps": None if taps is None else taps.tolist(),
    }  # fmt: skip


def _with(conv: int) -> str:
    return f"with a convolution of {conv}" if conv else "without convolution"


def _printed_key(spec: LinearSpec) -> list[Any] | None:
    other = spec.kernel == "exponential" and spec.rate != 1
    if spec.tau != 32 or spec.filter is not None or other:
        return None
    return [spec.kernel, spec.permutation]


def scene(
    spec: LinearSpec | CouplingSpec,
    feed: Mapping[str, Any],
    trained: Sequence[Trained],
    same: bool,
    rev: int = 0,
    other: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Header of the component, in answer to its report `rev`; `same` says whether the run of the
    feed learns this very target, `other` is what stands `beside` it. A coupling has no kernel."""
    found, order = alteration_of(spec), spec.permutation
    named = {"order": "own" if isinstance(order, tuple) else order or "original"}
    named["filter"] = "own" if isinstance(spec.filter, tuple) else spec.filter or "none"
    return {
        "feed": dict(feed), "rev": rev, "same": same,
        **_kernel(spec), "tau": spec.tau, "order": found.order, "taps": found.taps,
        "mode": spec.filter_mode, "names": named, "presets": _presets(spec),
        "trained": [vars(each) for each in trained], "beside": other,
    }  # fmt: skip


def _kernel(spec: LinearSpec | CouplingSpec) -> dict[str, Any]:
    """ρ, the fields that make it, and its decay length (None for ∞); nothing of a coupling."""
    if isinstance(spec, CouplingSpec):
        return {"kernel": None, "rho": None, "decay": None}
    decay = complexity_of(spec)["before"]["c_1"]
    return {
        "kernel": kernel_of(spec).tolist(),
        "rho": {name: getattr(spec, name) for name in RHO},
        "decay": decay if math.isfinite(decay) else None,
    }


def _presets(spec: LinearSpec | CouplingSpec) -> dict[str, dict[str, Sequence[float]]]:
    """The named orders and filters, as the fields beside them have them."""
    length = min(spec.filter_length, spec.tau)
    return {
        "orders": {n: named_order(n, spec.tau, spec.permutation_seed) for n in ORDERS},
        "filters": {n: named_taps(n, length, spec.filter_seed) for n in FILTERS},
    }


def changes(values: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a specification that a report of the component changes.

    It is data from a browser: what is not as expected is left to the specification to refuse.
    """
    names = values.get("names") if isinstance(values.get("names"), Mapping) else {}
    order, taps = values.get("order"), values.get("taps")
    named_order_, named_filter = names.get("order"), names.get("filter")
    rho = values.get("rho") if isinstance(values.get("rho"), Mapping) else {}
    return {name: rho[name] for name in RHO if name in rho} | {
        "permutation": named_order_ if order and named_order_ in ORDERS else order,
        "filter": named_filter if taps and named_filter in FILTERS else taps,
        "filter_mode": values.get("mode"),
    }


# In words


CONVENTIONS = {
    "causal": "(θ∗x)(t) = Σ θ(s) x(t−s): the filter reads the past, and an RNN keeps up.",
    "ahead": "As Section 6.2 prints it, (θ∗x)(t) = Σ θ(s) x(t+s) needs inputs that are still to "
    "come: no causal model is right then, and Table 2's 1.58·10⁻⁷ cannot be reached.",
    "centred": "Centred filters read half their taps ahead: a causal model misses those.",
    "circular": "Circular filters read the end of the sequence at its beginning: no causal model "
    "has seen it.",
}


def verdict(spec: LinearSpec, trained: Sequence[Trained]) -> str:
    """One sentence: what no model of a kind can do, and what has been trained."""
    floors = linear_floors(linear_target(spec).matrix)
    rnn = floor_text(floors.time_invariant)
    parts = [
        f"On this target the best linear RNN leaves an MSE of {rnn}, any causal model "
        f"{floor_text(floors.causal)}, a constant {number(floors.constant)}"
    ]
    names = {"rnn": "the trained RNN", "transformer": "the trained Transformer"}
    best = {words: best_of(trained, model) for model, words in names.items()}
    best["with a learned convolution in front it"] = best_of(trained, "transformer", conv=True)
    parts += [f"{words} is at {number(of.mse)}" for words, of in best.items() if of]
    return "; ".join(parts) + "."


def propositions(
    spec: LinearSpec | CouplingSpec, trained: Sequence[Trained], plain: float | None
) -> list[Verdict]:
    """Prop. 6.1 to 6.3 beside the numbers, of a coupling 6.2 alone; `plain` is 1 − R² of a
    Transformer trained on the target in its own order."""
    rnn, transformer = (best_of(trained, model) for model in ("rnn", "transformer"))
    second = proposition_62(spec, plain, transformer and transformer.nmse)
    if isinstance(spec, CouplingSpec):
        return [second]
    return [proposition_61(spec, rnn and rnn.mse), second, proposition_63(spec)]


def in_order(spec: LinearSpec | CouplingSpec) -> LinearSpec | CouplingSpec:
    """The target with its input in its own order."""
    return amended(spec, permutation=None)


def measures(spec: LinearSpec) -> pd.DataFrame:
    """C₁, C₂ and C_RNN (Eq. 76 to 78) of the kernel before and after, corrected and as printed."""
    found = complexity_of(spec)
    rows = {
        "γ, decay length (corrected C₁)": "c_1", "C₂": "c_2", "C_RNN = C₁ C₂": "c_rnn",
        "C₁ as printed, 1 + γ": "c_1_printed", "C_RNN as printed": "c_rnn_printed",
        "least β·max e^{t/β}|ρ(t)| in the window": "windowed",
    }  # fmt: skip
    values = [
        {"measure": name, **{when: number(found[when][key], 3) for when in ("before", "after")}}
        for name, key in rows.items()
    ]
    return pd.DataFrame(values)


@lru_cache(maxsize=1)
def _unit_sweeps() -> tuple[sweeps.Finished, ...]:
    return tuple(sweeps.of_text(file.read_text("utf-8")) for file in UNITS_FILES)


@lru_cache(maxsize=32)
def _best_kernels(kernel: tuple[float, ...], units: tuple[int, ...]) -> StateKernels:
    """The search takes seconds; the page asks at every rerun."""
    return best_state_kernels(np.array(kernel), units)


def states(spec: LinearSpec, rows: Iterable[RunRow] = ()) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Error of RNNs against their hidden units, and the line of App. D.1.

    First table: units, mse (> 0), what: the best kernel found of so many states, a bound that no
    kernel of so many is below, and RNNs trained beforehand or in the runs given. Second: units and
    error, the L¹ error of that kernel and mean |ŷ − y| of those RNNs, which it bounds, beside
    d·C_RNN/m of App. D.1.
    """
    floors = linear_floors(linear_target(spec).matrix)
    units = tuple(n for n in UNITS if n <= (spec.tau + 1) // 2)
    best, rest = _best_kernels(tuple(floors.kernel.tolist()), units), floors.time_invariant
    trained = [*_shipped_units(spec), *_units_of(spec, rows)]
    bound = complexity_of(spec)["after"]["windowed"]  # ∞ where no kernel is left to be bounded
    curves = {"best kernel found": best.mse + rest, "no kernel is below": best.lower + rest}
    errors = _curves("mse", units, curves) + [
        {"units": n, "mse": mse, "what": TRAINED} for n, mse, _ in trained
    ]
    law = _curves("error", units, {
        "best kernel": best.l1,
        "d·C_RNN/m": [D * bound / n for n in units],
    })  # fmt: skip
    if math.isfinite(bound):
        law += [{"units": n, "error": mae, "what": TRAINED} for n, _, mae in trained]
    table, drawn = pd.DataFrame(errors), pd.DataFrame(law)
    return table[table["mse"] > 1e-16], drawn[drawn["error"].between(1e-14, 1e9)]


def _curves(
    column: str, units: Iterable[int], curves: Mapping[str, Iterable[float]]
) -> list[dict[str, Any]]:
    return [
        {"units": n, column: float(value), "what": what}
        for what, values in curves.items() for n, value in zip(units, values, strict=True)
    ]  # fmt: skip


def _shipped_units(spec: LinearSpec) -> list[tuple[int, float, float]]:
    """Hidden units, exact MSE and mean |ŷ − y| of the RNNs trained beforehand on this target."""
    return [
        (row["hidden"], row["population_mse"], row["mae"])
        for sweep in _unit_sweeps() if same_target(sweep.sweep.members()[0], spec)
        for row in sweep.rows if row["status"] == "finished"
    ]  # fmt: skip


def _units_of(spec: LinearSpec, rows: Iterable[RunRow]) -> list[tuple[int, float, float]]:
    """The same of the finished runs on this target."""
    return [
        (row.spec.hidden, _error(row)[0], row.metrics["mae"])
        for row in rows
        if _error(row) and _model(row.spec) == "rnn" and same_target(row.spec, spec)
    ]
