"""What the numbers of a sweep say: the verdict, the table of slopes, a line for a terminal."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from explorer.spec import SweepSpec
from explorer.theory.slopes import Statistic
from explorer.theory.sweep import Norm
from explorer.views.text import number, rank_text

NORMS: dict[Norm, str] = {"mse": "squared error", "mae": "absolute error"}
NAMED = 3  # rates in the verdict
FEW = 6  # points of a single seed below which no bend is told from its noise
DESIGN = "the design"  # the name of a target that has no α

Group = Mapping[str, Any]


def rank_name(rank: int | None) -> str:
    """ "r = 6" or "r = ∞"."""
    return f"r = {rank_text(rank)}"


def alpha_name(alpha: float | None) -> str:
    """ "α = 2", or what a target without a power law is called."""
    return DESIGN if alpha is None else f"α = {alpha:g}"


def target_name(group: Group) -> str:
    """ "α = 2, r = 6"; of a design without α its rank alone."""
    alpha = [] if group["alpha"] is None else [alpha_name(group["alpha"])]
    return ", ".join([*alpha, rank_name(group["rank"])])


def widths_name(first: float, last: float) -> str:
    """ "m_h = 1…16" as Markdown."""
    return rf"$m_h={first:g}…{last:g}$"


def signed(value: float, digits: int = 2) -> str:
    """With so many decimals, whatever they are: columns of numbers stay aligned."""
    return f"{round(value, digits) or 0.0:.{digits}f}".replace("-", "−")


def exponent(value: float) -> str:
    """An exponent of theory: −1, −0.5."""
    return signed(value).rstrip("0").rstrip(".")


def decimals(ci: Sequence[float] | None) -> int:
    """Those of a slope that its interval earns: one where there is none, or from ± ¼ on."""
    return 2 if ci is not None and ci[1] - ci[0] < 0.5 else 1


def is_bent(group: Group, prefix: str = "") -> bool:
    """Whether the residuals of a fitted slope show that it is no line; a few points of one seed
    cannot."""
    if group[f"{prefix}straight"] is not False:
        return False
    first, last = group[f"{prefix}fit_range"] if not prefix else (-math.inf, math.inf)
    points = sum(first <= m <= last for m in group["m_h"])
    return max(group["seeds"]) > 1 or points >= FEW


def slope_text(group: Group, prefix: str = "") -> str:
    """A slope, with the decimals it has earned; `prefix` is "tail_" for that on the exact tail."""
    if group[f"{prefix}slope"] is None:
        return "–"
    return signed(group[f"{prefix}slope"], decimals(group[f"{prefix}slope_ci"]))


def interval_text(group: Group, prefix: str = "") -> str:
    """The interval of a slope from its seeds; none of one seed."""
    ci = group[f"{prefix}slope_ci"]
    if group[f"{prefix}slope"] is None or ci is None:
        return "–" if group[f"{prefix}slope"] is None else "one seed"
    digits = decimals(ci)
    return f"[{signed(ci[0], digits)}, {signed(ci[1], digits)}]"


def bend_text(group: Group) -> str:
    """What stands for the interval of a slope that is none: its halves."""
    (_, _, first), (_, _, last) = group["halves"]
    return f"no line: {signed(first, 1)}, then {signed(last, 1)}"


def verdict(sweep: SweepSpec, groups: Sequence[Group], norm: Norm, rows: int) -> str:
    """How far the errors of targets with an end drop, and the rates of the others, of which
    statistic; `rows` is how many models there are."""
    rates, drops = _endless(sweep, groups), _at_rank(sweep, groups)
    if not rates and not drops:
        return _nothing_yet(groups, rows)
    clauses = [_rate_in_short(group) for group in rates[:NAMED]]
    clauses += [f"and {len(rates) - NAMED} more"] * (len(rates) > NAMED)
    head = _head(sweep, groups, norm)
    told = f"{head}: {'; '.join(clauses)}." if clauses else f"{head}."
    if not drops:
        return told
    drop = _drop(drops[0]) if len(drops) == 1 else f"by factors of {factors(sweep, groups)}"
    return f"From $m_h=r-1$ to $r$ the error {_verb(drops)} {drop}.\n\n{told}"


def in_full(sweep: SweepSpec, groups: Sequence[Group], norm: Norm) -> str:
    """The verdict with the range of every slope and the drop of every target; "" without any."""
    rates = [_rate(group) for group in _endless(sweep, groups)]
    drops = _at_rank(sweep, groups)
    if not rates and not drops:
        return ""
    clauses = list(rates)
    if drops:
        clauses.append(f"from $m_h=r-1$ to $r$ it {_verb(drops)} {', '.join(map(_drop, drops))}")
    return f"{_head(sweep, groups, norm)}: {'; '.join(clauses)}."


def _head(sweep: SweepSpec, groups: Sequence[Group], norm: Norm) -> str:
    """Which error, of which statistic and, of several, which m_FF."""
    at = rf", $m_\mathrm{{FF}}={max(sweep.m_ff)}$" if len(sweep.m_ff) > 1 else ""
    statistics = ", ".join(sorted({group["statistic"] for group in groups}))
    return f"{NORMS[norm].capitalize()}, {statistics}{at}"


def _endless(sweep: SweepSpec, groups: Sequence[Group]) -> list[Group]:
    """Those of no finite rank that have a slope, at the largest m_FF."""
    fitted = [group for group in groups if group["rank"] is None and group["slope"] is not None]
    return [group for group in fitted if group["m_ff"] == max(sweep.m_ff)]


def _at_rank(sweep: SweepSpec, groups: Sequence[Group]) -> list[Group]:
    """Those with models below their rank and at it, at the largest m_FF."""
    both = [group for group in groups if group["drop_at_rank"] is not None]
    return [group for group in both if group["m_ff"] == max(sweep.m_ff)]


def _verb(at_rank: Sequence[Group]) -> str:
    return "drops" if min(group["drop_at_rank"] for group in at_rank) > 1 else "changes"


def _drop(group: Group) -> str:
    return f"÷ {number(group['drop_at_rank'])} at {target_name(group)}"


def factors(sweep: SweepSpec, groups: Sequence[Group]) -> str:
    """The least and the largest factor by which the errors drop at the rank; "" without any."""
    drops = [group["drop_at_rank"] for group in _at_rank(sweep, groups)]
    return f"{number(min(drops))} to {number(max(drops))}" if drops else ""


def _nothing_yet(groups: Sequence[Group], rows: int) -> str:
    if rows and not groups:
        return f"All {rows} diverged: a smaller learning rate may help."
    if not groups:
        return "Nothing is trained yet: dashed is what truncation leaves."
    if all(group["rank"] == 0 for group in groups):
        return "Softmax sees nothing of this coupling (r = 0): every width represents it exactly."
    if any(group["slope"] is not None for group in groups):
        return "A drop at the rank needs the widths r − 1 and r."
    return "A slope needs three widths below the rank, a drop the widths r − 1 and r."


def _name(group: Group) -> str:
    """ "α = 1 (theory −1)"; without a law the theory of none."""
    theory = group["predicted_slope"]
    name = "it" if group["alpha"] is None else alpha_name(group["alpha"])
    return name if theory is None else f"{name} (theory {exponent(theory)})"


def _rate_in_short(group: Group) -> str:
    """Its power law, or from which slope to which it bends."""
    if is_bent(group):
        (_, _, first), (_, _, last) = group["halves"]
        return f"{_name(group)} bends: slope {signed(first, 1)}, then {signed(last, 1)}"
    if group["slope_ci"] is None:
        return f"{_name(group)} has slope {slope_text(group)}, of one seed"
    return f"{_name(group)} falls like {_law(group)}"


def _law(group: Group) -> str:
    digits = decimals(group["slope_ci"])
    half = f"{(group['slope_ci'][1] - group['slope_ci'][0]) / 2:.{digits}f}"
    return rf"$m_h^{{{group['slope']:.{digits}f}\pm{half}}}$"


def _rate(group: Group) -> str:
    """How a target without end falls: a power law where its residuals allow one."""
    if is_bent(group):
        (a, b, first), (c, d, last) = group["halves"]
        return (
            f"{_name(group)} is not a straight line, its slope goes from {signed(first, 1)} over "
            f"{widths_name(a, b)} to {signed(last, 1)} over {widths_name(c, d)}"
        )
    over = f"over {widths_name(*group['fit_range'])}"
    if group["slope_ci"] is None:
        slope = slope_text(group)
        return f"{_name(group)} has slope {slope} {over}, of one seed and so without an interval"
    return f"{_name(group)} falls like {_law(group)} {over}"


def _line(group: Group, several: bool) -> list[str]:
    """Of one target; with m_FF where there are several. The knee is where the error falls most from
    one width to the next, and whether that is the rank."""
    theory, at = group["predicted_slope"], group["knee"]
    is_rank = " = r" if at and at["m_h"] == group["rank"] else ""
    return [
        "–" if group["alpha"] is None else f"{group['alpha']:g}",
        rank_text(group["rank"]),
        *([str(group["m_ff"])] * several),
        "–".join(map(str, sorted({min(group["seeds"]), max(group["seeds"])}))),
        slope_text(group),
        bend_text(group) if is_bent(group) else interval_text(group),
        "–" if group["slope"] is None else "{:g} … {:g}".format(*group["fit_range"]),
        "–" if theory is None else exponent(theory),
        slope_text(group, "tail_"),
        interval_text(group, "tail_") + " (no line)" * is_bent(group, "tail_"),
        "–" if at is None else f"at {at['m_h']}{is_rank}, ÷ {number(at['ratio'])}",
    ]


def table(groups: Sequence[Group], statistic: Statistic) -> str:
    """A line of Markdown for each target: slope, its interval and range, theory, the slope on the
    exact tail with its interval, knee."""
    several = len({group["m_ff"] for group in groups}) > 1
    label = "best seed" if statistic == "best" else "median"
    head = [
        "α",
        "r",
        *([r"$m_\mathrm{FF}$"] * several),
        "seeds",
        f"slope, {label}",
        "95 %",
        "over $m_h$",
        "theory",
        r"on $\sum_{k>m}\sigma_k^2$",
        "95 %",
        "knee",
    ]
    lines = [head, ["---:"] * len(head)]
    lines += [_line(group, several) for group in sorted(groups, key=_order)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _order(group: Group) -> tuple:
    return tuple(math.inf if value is None else value for value in group["cell"])


def group_lines(groups: Sequence[Group]) -> list[str]:
    """One line of text for each group: its slope beside the theory's, its knee, its drop."""
    return [_group_line(group) for group in groups]


def _group_line(group: Group) -> str:
    words = [
        f"{target_name(group)}, m_FF = {group['m_ff']}, {group['norm']}, {group['statistic']}:"
    ]
    if group["slope"] is None:
        words.append("too few widths for a slope;")
    else:
        worth = bend_text(group) if is_bent(group) else interval_text(group)
        first, last = group["fit_range"]
        words.append(f"slope {slope_text(group)}, {worth}, over m_h = {first:g}…{last:g};")
    if group["predicted_slope"] is not None:
        words.append(f"theory {exponent(group['predicted_slope'])};")
    if group["tail_slope"] is not None:
        bent = ", no line" if is_bent(group, "tail_") else ""
        words.append(
            f"against the exact tail {slope_text(group, 'tail_')} "
            f"{interval_text(group, 'tail_')}{bent};"
        )
    if group["knee"] is not None:
        at, ratio = group["knee"]["m_h"], group["knee"]["ratio"]
        words.append(f"knee at m_h = {at} (÷ {number(ratio)});")
    return " ".join(words).rstrip(";")
