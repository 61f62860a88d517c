"""Train: the truth behind a run, what it has come to, and whether it is caught in a local minimum:
wide enough for its coupling, and without some of its terms for good."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from explorer.pages.design.view import cells, centred_matrix, final_nmse, left_text, of_computed
from explorer.runs.record import ACTIVE, Record, RunRow
from explorer.spec import AnySpec, CouplingSpec, SpecError, amended, coupling_spec
from explorer.spec.couplings import GAIN, PATIENCE, WINDOW
from explorer.spec.fields import WIDEST
from explorer.targets import PICTURE, PRESETS, example_inputs
from explorer.targets.coupling.presets import HEAD_START
from explorer.theory import sweep as theory
from explorer.theory.design import Design
from explorer.views.settings import differing_fields, words_of
from explorer.views.sweeps import shipped
from explorer.views.text import number, plural, rank_text

OFFERED = 32
"""The widest m_h that the page offers."""
PROTOCOL = (
    "activation",
    "activation_out",
    "init",
    "optimizer",
    "lr",
    "warmup",
    "schedule",
    "batch",
    "sequences",
    "stop",
    "steps",
    "n",
    "d_v",
    "m_ff",
    "depth",
    "tokens",
    "answers",
    "head_start",
)
"""The fields that say how a target is learned, m_h and the seed aside."""
RECIPES = {"improved": PRESETS["design"][1], "the paper's": PRESETS["paper"][1]}
NOTES = {
    "improved": "Departs from App. C: f̂ with sine and SIREN's start, since ReLU on raw inputs "
    "learns high frequencies slowly (spectral bias); 2x − 1 and standardised y; SOAP with warm-up "
    "and cosine, not plain Adam; a head that starts wider than m_h, or it is often caught at "
    "m_h = r.",
    "the paper's": "One reading of App. C: PyTorch's start, Adam, x and y as they are; what is "
    "left open at its most usual, ψ = φ, ReLU, a constant 10⁻³ and fresh batches of 32.",
}


def drawing(design: Design) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """What a run of a specification is drawn over: header and arrays of the "drawing" message.

    rho (48, 48) centred; sigma (K ≤ 64,) of the centred POD; ideal (τ, τ) attention on the example
    tokens (τ,).
    """
    spec, (height, words) = design.spec, floor_at(design)
    header = {
        "label": design.coupling.label,
        "tau": spec.tau,
        "m_h": spec.m_h,
        "steps": spec.steps,
        "started_until": spec.started_until,
        "seed": spec.seed,
        "rank": design.exact_rank,
        "floor": height,
        "floor_label": words,
        "example_t": spec.tau // 2,
        "tolerance": design.decomposition().tolerance,
    }
    return header, _truth(design.bare)


@lru_cache(maxsize=32)
def _truth(design: Design) -> dict[str, np.ndarray]:
    """The arrays of a drawing, which are those of all widths and seeds."""
    modes, x, tokens = design.decomposition(), cells(PICTURE), example_inputs(design.spec.tau)
    return {
        "rho": centred_matrix(design.coupling, modes, x, x),
        "sigma": modes.sigma[modes.sigma > modes.tolerance],
        "ideal": design.target.attention(tokens),
        "tokens": tokens,
    }


def floor_at(design: Design) -> tuple[float, str]:
    """nMSE of the truncation floor at m_h, 0 from the centred rank on, and what it is called.

    Raises SpecError where the target is more than one of Eq. 8 with the coupling.
    """
    if design.spec.altered:
        raise SpecError("permutation, filter and positions: the Order page shows altered couplings")
    if "rho" in design.spec.known:
        return 0.0, "can vanish: ρ is given"
    width, design = _width_words(design.spec), _within_n(design)
    m_h, rank = design.spec.m_h, design.exact_rank
    if rank is not None and m_h >= rank:
        return 0.0, f"can vanish: {width} ≥ rank {rank}"
    if design.keeps_all(m_h):
        return 0.0, f"can vanish: all {m_h} terms that are trained"
    terms = "first term" if m_h == 1 else f"first {m_h} terms"
    return design.left_by(m_h), f"truncation, {terms} alone"


def _within_n(design: Design) -> Design:
    """The design at the width that a head has: W_QᵀW_K is of size n, and of no higher rank."""
    spec = design.spec
    narrow = spec.n < spec.m_h
    return Design(amended(spec, m_h=spec.n), design.load_grid) if narrow else design


def _width_words(spec: CouplingSpec) -> str:
    """What a head's width is due to."""
    return f"n = {spec.n} < m_h = {spec.m_h}" if spec.n < spec.m_h else f"m_h = {spec.m_h}"


def verdict(row: RunRow, design: Design) -> str:
    """One sentence on where a run stands beside the floor of its design."""
    return f"{_theory(design)}; {_reached(row, floor_at(design)[0])}"


def expected(design: Design) -> str:
    """One sentence on a design that nobody has trained."""
    return f"{_theory(design)}; what a head learns of it, training will show."


def _theory(design: Design) -> str:
    """The first half of a verdict: what the width can do."""
    if "rho" in design.spec.known:
        return "With ρ given the error can vanish at every width"
    width, design = _width_words(design.spec), _within_n(design)
    m_h, rank, words = design.spec.m_h, design.exact_rank, design.rank_words
    if rank is not None and m_h >= rank:
        return f"With {width} ≥ centred rank {rank} the error can vanish"
    if design.keeps_all(m_h):
        return f"m_h = {m_h} keeps all the terms that are trained, so the error can vanish"
    below = f" below the centred rank {words}"
    if words == "unknown" or design.endless:
        below = " of infinitely many terms" * design.endless
    left = left_text(design) + of_computed(design, m_h)
    return f"With {width}{below}, truncation leaves nMSE {left}"


def labels_of(row: RunRow, pins: Mapping[str, RunRow]) -> dict[str, str]:
    """What each pinned run is called beside the one shown: that in which they differ, as
    "m_h = 8"; its id where that is nothing, or another's too."""
    fields = differing_fields([each.spec for each in (row, *pins.values())])
    names = {run: words_of(pinned.spec, fields) or run for run, pinned in pins.items()}
    taken = [*names.values(), words_of(row.spec, fields)]
    return {run: name if taken.count(name) == 1 else run for run, name in names.items()}


def width_beside(design: Design, known: Collection[int]) -> int | None:
    """A width that tells most beside those that are `known`: on the other side of the cliff, or
    twice as wide where there is none."""
    m_h, rank = design.spec.m_h, design.exact_rank
    if rank is None:
        tells = (2 * m_h, m_h // 2, 4 * m_h, m_h // 4)
    else:
        tells = (rank, rank - 1, rank + 1) if m_h < rank else (rank - 1, rank, rank + 1)
    return next((m for m in tells if 1 <= m <= OFFERED and m not in known), None)


def below_the_rank(design: Design) -> str:
    """What m_h < r means for the pictures; empty where the width reaches the rank."""
    rank, m_h = design.exact_rank, _within_n(design).spec.m_h
    if "rho" in design.spec.known or design.keeps_all(m_h) or (rank is not None and m_h >= rank):
        return ""
    return (
        "Below the rank a trained ρ̂ is not the first m_h terms of the POD: training minimises the "
        "error of H, not that of ρ. Large angles are usual then, and the run may end below "
        "truncation, which is only an upper bound on the best error."
    )


def at_the_cliff(design: Design) -> str:
    """What may befall a head of exactly the width that is needed, and the way out; else empty."""
    spec = design.spec
    helped = spec.altered or spec.head_start or "rho" in spec.known
    if helped or spec.m_h < 2 or design.exact_rank != spec.m_h:
        return ""
    return (
        f"m_h = {spec.m_h} is the rank: some starts are caught in a local minimum there. A head "
        f"start helps: {HEAD_START} more widths to begin with (head_start = {HEAD_START})."
    )


def recipe_of(spec: CouplingSpec) -> str | None:
    """The recipe, "improved" or "the paper's", whose protocol is followed, the steps aside."""
    for name, protocol in RECIPES.items():
        if not _departures(spec, protocol):
            return name
    return None


def _departures(spec: CouplingSpec, protocol: AnySpec) -> list[str]:
    """Fields in which a specification that uses them departs from a protocol, the steps aside."""
    used = [name for name in PROTOCOL if name != "steps" and spec.uses(name)]
    return [name for name in used if getattr(spec, name) != getattr(protocol, name)]


def recipe_note(spec: CouplingSpec) -> str:
    """Why there are two recipes, or in what the specification departs from the improved one."""
    if recipe := recipe_of(spec):
        return NOTES[recipe] + (f" {flatness()}" if recipe == "the paper's" else "")
    changed = _departures(spec, RECIPES["improved"])
    return f"Departs from *improved*: {words_of(spec, changed)}."


@lru_cache(maxsize=1)
def flatness() -> str:
    """How little the width changes by the recipe as printed, of the shipped sweeps: on fresh
    batches, and on a training set until its loss rests."""
    return f"{_flat_on_fresh()} {_flat_at_rest()}"


def _flat_at_rest() -> str:
    """The errors at the widths of the sweep, medians of the seeds, and how trainings ended."""
    finished = shipped("printed")
    (group,), rows = theory.groups(finished.rows, "mse", "median"), finished.rows
    ended = sum(row["rested"] > 0 for row in rows)
    errors = " and ".join(
        f"{number(error)} at m_h = {m}"
        for m, error in zip(group["m_h"], group["error"], strict=True)
    )
    return (
        f"On {finished.sweep.sequences:,} sequences until the training loss rests (r = "
        f"{finished.sweep.rank[0]}, {group['statistic']}; {ended} of {len(rows)} trainings did "
        f"within {finished.sweep.steps:,} steps) the error on fresh ones is {errors}."
    )


def _flat_on_fresh() -> str:
    """The largest over the smallest error of a seed's widths, for the seed with most of it."""
    finished = shipped("paper")
    cells: dict[tuple, list[float]] = {}
    for row in finished.rows:
        cells.setdefault((row["rank"], row["seed"]), []).append(row["nmse"])
    most: dict[int | None, float] = {}
    for (rank, _), errors in cells.items():
        most[rank] = max(most.get(rank, 0.0), max(errors) / min(errors))
    factors = " and ".join(f"{number(most[rank])} at r = {rank_text(rank)}" for rank in most)
    widths, sweep = finished.sweep.m_h, finished.sweep
    return (
        f"In the shipped sweep (σ_k = 1/k), after {sweep.steps:,} steps, the errors of m_h = "
        f"{min(widths)} to {max(widths)} differ by at most × {factors} ({len(sweep.seed)} seeds): "
        "no cliff."
    )


def _reached(row: RunRow, height: float) -> str:
    """The second half of the verdict: what training has come to, in one seed."""
    nmse = final_nmse(row)
    if nmse is None:
        if row.status in ACTIVE:
            return "training…" if row.status == "running" else "waiting for a worker…"
        return f"this run is {row.status} at step {row.step} of {row.steps}."
    metrics = row.metrics or {}
    ended = int(metrics.get("rested") or row.steps)  # from where on its training loss rests
    own = ""
    if (error := metrics.get("train_nmse")) is not None:  # on sequences that are not fresh
        own = (
            f" on fresh sequences, {number(error)} on its own {coupling_spec(row.spec).sequences:,}"
        )
    text = f"after {plural(ended, 'step')} this run (one seed) is at nMSE {number(nmse)}{own}"
    if height > 0 and nmse > 0:
        side = "below" if nmse < height else "above"
        text += f", {number(max(height / nmse, nmse / height))} × {side} it"
    return text + "."


def rest_rule() -> str:
    """When a training loss rests, as training/rest.py has it."""
    return (
        f"As in App. C: the training loss rests after {PATIENCE} windows in a row in which its "
        f"mean has not fallen by {GAIN:.0%}. A window is whole passes through the training set, "
        f"{WINDOW} steps at least; the number of steps stays the most."
    )


def facts(row: RunRow) -> dict[str, str]:
    """Numbers of a run for the page, final ones once it is finished."""
    metrics = row.metrics or {}
    known = {name: metrics.get(name.lower()) for name in ("MSE", "nMSE", "MAE")}
    numbers = {
        "run": row.run,
        "status": row.status,
        "step": f"{row.step} of {row.steps}",
        "device": row.device or "–",
        "seed": str(row.spec.seed),
        **{name: number(error, 3) for name, error in known.items() if isinstance(error, float)},
    }
    if (error := metrics.get("train_nmse")) is not None:
        numbers["nMSE on its own sequences"] = number(error, 3)
    if (since := metrics.get("rested")) is not None:
        numbers["training loss"] = f"rests from step {since:.0f} on" if since else "did not rest"
    return numbers


LEARNED = 0.5  # share of σ_k from which ρ̂ holds a term: learned ones are within a few per cent of 1
REACHED = 1e-5  # nMSE at which nothing is missed: uncaught runs of the default recipe are below
PLATEAU = 0.5  # share of the error two pictures earlier, above which it no longer falls
OWN = 0.5  # share of the error on fresh sequences, below which that on its own is another
TERMS = 16  # of a coupling that are looked for at most: more do not show on a picture's cells
SHARE = "At m_h = r some starts are; a head start makes them fewer, another seed is another try."


@dataclass(frozen=True)
class Caught:
    """What a caught run lacks, and what helps."""

    text: str
    remedies: dict[str, dict[str, Any]]
    """Fields to change and train again, by the label of the button."""


def caught(record: Record, design: Design) -> Caught | None:
    """What to say of a run that is caught; None of another, or as long as it cannot be known.

    Known it is in the second half of the steps, of a head as wide as the centred rank: some term
    σ_k φ_k ψ_k is not in the learned ρ̂, and the error is far above what is usual and falls no more;
    that of a training set of its own, too, or more sequences are missing.
    """
    spec, rank, steps = coupling_spec(record.spec), design.exact_rank, record.snapshot_steps
    if rank is None or not 0 < rank <= min(spec.m_h, spec.n, TERMS) or len(steps) < 3:
        return None
    if spec.sequences and not _misses_its_own(record):
        return None
    late = 2 * steps[-1] >= spec.steps and steps[-3] > spec.started_until
    falls = steps[-1] < spec.steps and record.nmse[-1] < PLATEAU * record.nmse[-3]
    if not late or falls or record.nmse[-1] < REACHED:
        return None
    missing = unlearned(record.snapshot(int(steps[-1]))[1]["rho_hat"], design, rank)
    if not missing:
        return None
    return Caught(_text(missing, rank, float(record.nmse[-1])), _remedies(spec))


def _misses_its_own(record: Record) -> bool:
    """Whether the error is that of its training set, too; no where that is not known yet."""
    own = (record.row.metrics or {}).get("train_nmse")
    return own is not None and own > OWN * record.nmse[-1]


def unlearned(rho_hat: np.ndarray, design: Design, rank: int) -> list[int]:
    """The k ≤ rank whose term is not in ρ̂ (48, 48) at cell centres: ⟨φ_k, ρ̂ ψ_k⟩ < σ_k / 2."""
    modes, x = design.decomposition(), cells(PICTURE)
    left, right = modes.left(x)[:, :rank], modes.right(x)[:, :rank]
    held = np.einsum("ik,ij,jk->k", left, rho_hat, right) / PICTURE**2
    return [int(k) + 1 for k in np.flatnonzero(held < LEARNED * modes.sigma[:rank])]


def _text(missing: Sequence[int], rank: int, nmse: float) -> str:
    lack = ", ".join(map(str, missing))
    what = f"term {lack} is" if len(missing) == 1 else f"terms {lack} are"
    return (
        f"Caught in a local minimum: {what} not learned ({len(missing)} of {rank}), and the error "
        f"rests at nMSE {number(nmse)}, though the width is enough. {SHARE}"
    )


def _remedies(spec: CouplingSpec) -> dict[str, dict[str, Any]]:
    remedies: dict[str, dict[str, Any]] = {"New seed": {"seed": (spec.seed + 1) % 2**31}}
    if spec.head_start < HEAD_START:
        remedies = {"Head start": {"head_start": HEAD_START}} | remedies
    if spec.m_h < WIDEST:
        remedies[f"m_h = {spec.m_h + 1}"] = {"m_h": spec.m_h + 1}
    return remedies
