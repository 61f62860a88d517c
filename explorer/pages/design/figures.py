"""The figures of a design as files: of the drawing the canvas draws, with what the reader chose."""

from explorer.charts.heatmap import colour_range, coupling_chart
from explorer.pages.design import chart as charts
from explorer.pages.design import view_tables as tables
from explorer.pages.design.view import TrainedWidth
from explorer.pages.design.view_drawing import Drawing
from explorer.slow import pd
from explorer.spec import CouplingSpec, spec_id
from explorer.theory.floor import NORM_NAMES
from explorer.ui.exports import About, Build
from explorer.views.text import number

EXPLAINED = {
    "spectrum": r"$\rho(u,v)=\sum_k\sigma_k\,\phi_k(u)\,\psi_k(v)$ (Eq. 10); centred: $\rho$ less "
    "its mean over $v$, which softmax cannot see.",
    "floor": r"$\mathrm{nMSE}=\mathbb E|H_t-H_t^{(m)}|^2/\mathrm{Var}(y)$ and the mean absolute "
    r"error, $H$ by Eq. 8 with $\rho$ and with its first $m$ terms: an upper bound on what width "
    r"$m_h=m$ can reach. The squared error falls like $m^{-(2\alpha-1)}$, the absolute one half as "
    "fast.",
    "functions": r"$\phi_k(u)$ and $\psi_k(v)$ of Eq. 10.",
    "row": r"$\rho(u,\cdot)$, and $\mathrm{softmax}[\rho(u,\cdot)](v)$ of Eq. 8 as a density, 1 "
    "where uniform.",
    "coupling": r"$\rho(u,v)$ and beside it the sum of its $m$ kept terms, what they leave, or one "
    "term (Eq. 10).",
}
"""What each figure draws: the equation and where the paper has it."""
FLOOR_UNITS = {
    f"{norm}{end}": unit
    for norm, unit in (("nmse", "Var(y)"), ("mae", "y"))
    for end in ("", "_low", "_high")
}
LISTED = 5
"""Trained runs that a footer names; the table has them all."""


Made = tuple[Build, "pd.DataFrame", str]
"""How a figure is drawn, its table and its title."""


def figures(spec: CouplingSpec, drawing: Drawing) -> dict[str, tuple[Build, About]]:
    """How each figure of a design is drawn, and what its files say."""
    found = {}
    for name, make in MAKERS.items():
        build, table, title = make(drawing)
        footer, units = _footer(spec, drawing, name), FLOOR_UNITS if name == "floor" else {}
        about = About(f"{spec_id(spec)}-{name}", title, footer, table, EXPLAINED[name], units)
        if len(table):
            found[name] = build, about
    return found


def _spectrum(drawing: Drawing) -> Made:
    table, m, line = tables.spectrum(drawing), drawing[0]["m"], tables.decay_line(drawing)
    slope = line.words if line else ""
    title = f"Singular values σ_k, m = {m}"
    return lambda p: charts.spectrum_chart(table, m, p, slope), table, title


def _floor(drawing: Drawing) -> Made:
    header = drawing[0]
    table, m, error = tables.floor(drawing), header["m"], header["error"]
    _, rate = tables.rate(drawing) or (None, "")
    wanted = f"{NORM_NAMES[header['norm']]} ≤ {number(error)}: m = {header['width']}"
    drawn = {"m": m, "error": error, "wanted": wanted, "rate": rate}
    title = f"Truncation, first m terms alone; m = {m}"
    return lambda p: charts.floor_chart(table, p, **drawn), table, title


def _functions(drawing: Drawing) -> Made:
    table, k = tables.functions(drawing), tables.shown_term(drawing)
    title = f"Singular functions, k = {k}"
    return lambda p: charts.functions_chart(table, p), table, title


def _row(drawing: Drawing) -> Made:
    table, header = tables.row(drawing), drawing[0]
    title = f"A row of attention, u = {header['u']:.3g}, m = {header['m']}"
    return lambda p: charts.row_chart(table, p), table, title


def _coupling(drawing: Drawing) -> Made:
    table, limit = tables.maps(drawing), colour_range(tables.whole(drawing))
    title = f"Coupling, m = {drawing[0]['m']}"
    return lambda p: coupling_chart(table, p, limit), table, title


MAKERS = {
    "spectrum": _spectrum,
    "floor": _floor,
    "functions": _functions,
    "row": _row,
    "coupling": _coupling,
}


def _footer(spec: CouplingSpec, drawing: Drawing, name: str) -> str:
    """Which specification, what was computed and what was trained; a line for each."""
    side = "centred: without the mean over v" if drawing[0]["centred"] else "with its mean over v"
    lines = [f"spec {spec_id(spec)} · computed, not trained · ρ {side}"]
    if name == "floor":
        lines = [
            f"spec {spec_id(spec)}",
            *_about_floor(drawing),
            *_about_runs(drawing[0]["trained"]),
        ]
    return "\n".join(lines)


def _about_floor(drawing: Drawing) -> list[str]:
    header = drawing[0]
    return [
        "Curves, computed: the error of the leading m terms of the centred POD, an upper bound on "
        "the best error of width m.",
        f"Means over {header['sequences']} sequences of τ = {header['tau']}, "
        f"seed {header['floor_seed']}, with 95% intervals.",
    ]


def _about_runs(trained: list[TrainedWidth]) -> list[str]:
    """The runs behind the diamonds, a line for each, the best ones first."""
    named = sorted(trained, key=lambda run: run.nmse)[:LISTED]
    lines = [f"◆ trained: run {run.run}, seed {run.seed}, m_h = {run.m_h}" for run in named]
    more = len(trained) - len(named)
    return lines + [f"◆ and {more} more, named in the CSV"] * bool(more)
