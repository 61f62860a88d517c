"""What a reader must know to read the picture of a sweep rightly, from the numbers it shows."""

from collections.abc import Iterable, Sequence
from statistics import median

from explorer.coupling.spectra import is_endless
from explorer.families import TERMS
from explorer.pages.rates.view_bases import bases_note
from explorer.pages.rates.view_text import (
    Group,
    alpha_name,
    exponent,
    in_full,
    rank_name,
    signed,
    slope_text,
    target_name,
    widths_name,
)
from explorer.spec import CouplingSpec, SweepSpec, amended, coupling_spec, design_of
from explorer.targets import PRESETS
from explorer.theory.pairings import BY_FORMULA, WIDTHS, formula_of, truncation_slopes
from explorer.theory.rates import power_fit
from explorer.theory.slopes import REDUCE, Statistic
from explorer.theory.sweep import ERROR, Norm, is_power
from explorer.views.sweeps import Finished, designs_of, numbers_text
from explorer.views.text import DRAWN, number

IN_SHORT = (
    "How slopes and their intervals are measured, where they leave theory's line and why, and what "
    "truncation bounds:"
)
"""Of the notes, in a line."""


CELL = ("alpha", "rank", "m_ff", "m_h")
"""What the trainings of one point of the figure share."""
FAR, NAMED = 10, 6
"""Times the median error that is far above it; how many such trainings are named."""


def notes(
    finished: Finished[SweepSpec],
    groups: Sequence[Group],
    norm: Norm,
    statistic: Statistic,
    all_lines: bool,
) -> Iterable[str]:
    """Paragraphs of Markdown."""
    sweep, widest = finished.sweep, max(finished.sweep.m_ff)
    if sentence := in_full(sweep, groups, norm):
        yield f"**In full.** {sentence}"
    shown = [group for group in groups if group["m_ff"] == widest]
    if is_power(sweep):
        yield SQUARED if norm == "mse" else ABSOLUTE
    if any(group["slope"] is not None for group in groups):
        yield SLOPES
    yield from _why(shown, norm)
    yield from _parts(sweep, shown)
    yield from _outlying(finished)
    if any(is_endless(design_of(member)) for member in designs_of(sweep).values()):
        yield f"{FLOORS} {OF_64}{BESIDE * all_lines}"
    else:
        yield FLOORS + BESIDE * all_lines
    yield from _surgery(finished, shown, norm, statistic)
    yield from bases_note(finished, norm, statistic)
    if as_printed(sweep):
        yield from _recipe(groups)


PRINTED = PRESETS["paper"][1]
AS_PRINTED = ("activation", "activation_out", "init", "tokens", "answers", "optimizer", "schedule")


def as_printed(sweep: SweepSpec) -> bool:
    """Whether it follows one reading of App. C."""
    return all(getattr(sweep, name) == getattr(PRINTED, name) for name in AS_PRINTED)


def readings() -> dict[str, CouplingSpec]:
    """That reading with ψ paired otherwise, by what the pairing is called."""
    return {
        name: amended(coupling_spec(PRINTED), formula=formula_of(order))
        for name, order in BY_FORMULA.items()
    }


SQUARED = (
    r"**Which norm.** The squared error of a rank-$m$ truncation falls like "
    r"$m^{-(2\alpha-1)}$, the absolute one like $m^{-(\alpha-1/2)}$. The paper prints the "
    "first exponent beside an L¹-type norm (Theorem 4.1, Figure 1); it belongs to the "
    "squared error, shown here."
)
ABSOLUTE = (
    r"**Which norm.** The mean absolute error falls like $m^{-(\alpha-1/2)}$, half as fast "
    r"as the squared one. The paper prints $-(2\alpha-1)$ beside an L¹-type norm: that "
    "exponent belongs to the squared error."
)
SLOPES = (
    r"**Slopes.** Of the least squares line through $(\log m_h,\log\text{error})$ at the widths "
    "below the rank, where the error of a width is the median over its seeds, or the best. The "
    "95 % come from the seeds, which are drawn again with replacement (Student's t of n − 1 "
    "degrees of freedom: 2 or 3 seeds give a wide interval, one none). Where the residuals show "
    "that it is no line (a quadratic term, or Durbin–Watson, at the level of 5 %), the slopes of "
    "the narrower and of the wider half of the widths stand instead."
)
FLOORS = (
    "**No floors.** Truncation to $m_h$ terms is an *upper* bound on the best error of that "
    "width; trained models do go below it."
)
OF_64 = f"For r = ∞ it is that of the {TERMS} terms that are computed and trained."
BESIDE = (
    " The rank-optimal kernel is no lower bound either: it is the best kernel found, with "
    "F = f = id, where a model has F̂ "
    r"and its values besides. The exact tail is $\sum_{k>m}\sigma_k^2/\sum_k\sigma_k^2$, the "
    "squared error of ρ, not of H (its root for the absolute error): no sample is in it, and its "
    "height is in other units; only its slope can be compared."
)


def _why(groups: Sequence[Group], norm: Norm) -> Iterable[str]:
    """Why a measured slope stands beside another one of theory: that of the error is that of
    truncation, plus that of the ratio of the two."""
    for group in groups:
        if group["predicted_slope"] is None or group["slope"] is None:
            continue
        first, last = group["fit_range"]
        inside = [i for i, m in enumerate(group["m_h"]) if first <= m <= last]
        widths, tail, truncation, error = (
            [group[name][i] for i in inside] for name in ("m_h", "tail", "truncation", "error")
        )
        of_tail = power_fit(widths, tail).slope / (1 if norm == "mse" else 2)
        of_floor = power_fit(widths, truncation).slope
        change = group["slope"] - of_floor
        ratio = [e / floor for e, floor in zip(error, truncation, strict=True)]
        yield (
            f"**{slope_text(group)} beside {exponent(group['predicted_slope'])} "
            f"({alpha_name(group['alpha'])}).** Over {widths_name(first, last)} the exact tail of "
            f"these 64 terms{'' if norm == 'mse' else ', its root,'} fits {signed(of_tail)}, since "
            "the exponent is that of m → ∞ in a sum without end; truncation of H fits "
            f"{signed(of_floor)}. Trained heads ({group['statistic']}) are at × {number(ratio[0])} "
            f"of truncation at $m_h={first:g}$ and at × {number(ratio[-1])} at $m_h={last:g}$: "
            f"against truncation the slope changes by {'+' * (change > 0)}{signed(change)}."
            + _above(widths, ratio)
        )


def _parts(sweep: SweepSpec, groups: Sequence[Group]) -> Iterable[str]:
    """What of the error of models with a training set is due to width, to data and to training."""
    for group in groups:
        names = ("m_h", "truncation", "on_own", "error")
        rows = list(zip(*(group[name] for name in names), strict=True))
        known = [row for row in (rows[0], rows[-1]) if None not in row]
        if known:
            parts = "; ".join(
                f"$m_h={m}$: {number(left)}, {number(own)}, {number(fresh)}"
                for m, left, own, fresh in known
            )
            yield (
                f"**Width, data, training ({target_name(group)}).** Each seed has its own "
                f"{sweep.sequences:,} sequences. nMSE of truncation, on these, and on fresh ones "
                f"({group['statistic']} each): {parts}. Fresh less training error is what the data "
                "leave open (estimation). Truncation is what a width of terms of ρ leaves "
                "(approximation); a training error above it is the optimiser's, one below it also "
                "learns the data by heart, or a better kernel."
            )


def _outlying(finished: Finished[SweepSpec]) -> Iterable[str]:
    """Trainings that end far above those of the other seeds, named; nothing where there are none.

    Two seeds do not say which of them is the odd one: a target and width needs three.
    """
    cells: dict[tuple, list] = {}
    for row in finished.rows:
        if row["nmse"] is not None:
            cells.setdefault(tuple(row[name] for name in CELL), []).append(row)
    odd = [
        row
        for rows in cells.values()
        if len(rows) > 2
        for row in rows
        if row["nmse"] > FAR * median(other["nmse"] for other in rows)
    ]
    if odd:
        named = "; ".join(
            f"{alpha_name(row['alpha'])}, {rank_name(row['rank'])}, $m_h={row['m_h']}$, "
            f"seed {row['seed']}: {number(row['nmse'])}"
            for row in odd[:NAMED]
        )
        yield (
            f"**Outlying seeds.** {len(odd)} of {len(finished.rows)} trainings end at over {FAR} "
            "times the median nMSE of their width's seeds: a start can stay in a local minimum. "
            "They are drawn as rings; the median and the best seed do not follow them "
            f"({named}{'; …' if len(odd) > NAMED else ''})."
        )


def _above(widths: Sequence[int], ratio: Sequence[float]) -> str:
    """Where truncation does better than the trained heads: there it is not their width."""
    above = [m for m, r in zip(widths, ratio, strict=True) if r > 1]
    if not above:
        return ""
    return (
        f" At $m_h$ = {numbers_text(above)} they lie above it: there the training and "
        r"$m_\mathrm{FF}$, not $m_h$, set the error."
    )


def _factors(values: Sequence[float]) -> str:
    low, high = number(min(values)), number(max(values))
    return f"× {low}" if low == high else f"× {low} … {high}"


def _surgery(
    finished: Finished[SweepSpec], groups: Sequence[Group], norm: Norm, statistic: Statistic
) -> Iterable[str]:
    """What a cut of the widest model leaves, beside truncation and beside a model of that width."""
    lines = [line for group in groups if (line := _cuts(finished, group, norm, statistic))]
    if lines:
        head = ["target", "k", "cut, of truncation", "trained at $m_h=k$, of the cut", "lower at"]
        rows = [head, ["---:"] * len(head), *lines]
        yield (
            f"**Rank surgery** ({groups[0]['statistic']}). The widest model cut to rank k beside "
            "truncation to k terms, and a model trained at that width beside the cut:\n\n"
            + "\n".join(f"| {' | '.join(row)} |" for row in rows)
        )


def _cuts(
    finished: Finished[SweepSpec], group: Group, norm: Norm, statistic: Statistic
) -> list[str] | None:
    """A line of it: target, widths, both ratios, and at how many widths training does better."""
    cuts = [
        row["surgery"][ERROR[norm]]
        for row in finished.rows
        if [row["alpha"], row["rank"], row["m_ff"]] == group["cell"] and row["surgery"]
    ]
    if not cuts or len({len(cut) for cut in cuts}) > 1:
        return None
    cut = REDUCE[statistic](cuts, axis=0)
    both = [
        (m, cut[m - 1] / group["truncation"][i], group["error"][i] / cut[m - 1])
        for i, m in enumerate(group["m_h"])
        if m <= len(cut) and group["truncation"][i] > DRAWN
    ]
    if not both:
        return None
    widths, against_floor, against_cut = zip(*both, strict=True)
    better = sum(ratio < 1 for ratio in against_cut)
    return [
        target_name(group),
        numbers_text(widths),
        _factors(against_floor),
        _factors(against_cut),
        f"{better} of {len(widths)}",
    ]


def _recipe(groups: Sequence[Group]) -> Iterable[str]:
    """How little the error falls by the recipe as printed, beside what truncation does."""
    falls = [f"{rank_name(group['rank'])}: {_fall(group)}" for group in groups if group["error"]]
    yield (
        "**One reading of App. C.** Networks on x and y as they are, PyTorch's start, Adam; what "
        "is left open at its most usual: ψ = φ, ReLU, a constant rate of 10⁻³, batches of 32; "
        "and fresh sequences, where the paper trains until a training error rests. Fast "
        "oscillations of ψ_k are learned last by such networks (spectral bias), so "
        "that training, not the width, sets the error. From the narrowest to the widest head it "
        "falls for " + "; ".join(falls) + ". Besides, ψ = φ leaves little to a width: see what "
        "a token finds in itself. Figure 1 here uses sine networks for f̂, SOAP and "
        f"the half shift. {_pairings()}"
    )


def _pairings() -> str:
    """The other readings of which ψ_i goes with which φ_i."""
    slopes = (f"{number(slope)} for {name}" for name, slope in truncation_slopes(1.0).items())
    return (
        "Which ψ_i goes with which φ_i is not said either. At α = 1 truncation falls with slope "
        f"{', '.join(slopes)} ({TERMS} terms, m = 1 to {WIDTHS[-1]})."
    )


def _fall(group: Group) -> str:
    fall, floor = group["error"][0] / group["error"][-1], group["truncation"]
    beside = "to 0" if floor[-1] <= DRAWN else f"by ÷ {number(floor[0] / floor[-1])}"
    return f"by ÷ {number(fall)}, truncation {beside}"
