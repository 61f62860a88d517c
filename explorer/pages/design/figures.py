"""The figures of a design as files: of the drawing the canvas draws, with what the reader chose."""

from functools import partial

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
    by_name = {}
    for name, (build, table, title) in _made(drawing).items():
        footer, units = _footer(spec, drawing, name), FLOOR_UNITS if name == "floor" else {}
        about = About(f"{spec_id(spec)}-{name}", title, footer, table, EXPLAINED[name], units)
        if len(table):
            by_name[name] = build, about
    return by_name


def _made(drawing: Drawing) -> dict[str, Made]:
    """Each figure by its name."""
    header, m = drawing[0], drawing[0]["m"]
    spectrum, floor, row = tables.spectrum(drawing), tables.floor(drawing), tables.row(drawing)
    functions, maps = tables.functions(drawing), tables.maps(drawing)
    line, (_, rate) = tables.decay_line(drawing), tables.rate(drawing) or (None, "")
    slope, limit = line.words if line else "", colour_range(tables.whole(drawing))
    wanted = f"{NORM_NAMES[header['norm']]} ≤ {number(header['error'])}: m = {header['width']}"
    chosen = {"m": m, "error": header["error"], "wanted": wanted, "rate": rate}
    title = f"A row of attention, u = {header['u']:.3g}, m = {m}"
    return {
        "spectrum": (
            partial(charts.spectrum_chart, spectrum, m, slope=slope),
            spectrum,
            f"Singular values σ_k, m = {m}",
        ),
        "floor": (
            partial(charts.floor_chart, floor, **chosen),
            floor,
            f"Truncation, first m terms alone; m = {m}",
        ),
        "functions": (
            partial(charts.functions_chart, functions),
            functions,
            f"Singular functions, k = {tables.shown_term(drawing)}",
        ),
        "row": (partial(charts.row_chart, row), row, title),
        "coupling": (partial(coupling_chart, maps, limit=limit), maps, f"Coupling, m = {m}"),
    }


def _footer(spec: CouplingSpec, drawing: Drawing, name: str) -> str:
    """Which specification, what was computed and what was trained; a line for each. Of the runs
    behind the diamonds the best ones first."""
    header, subject = drawing[0], f"spec {spec_id(spec)}"
    if name != "floor":
        side = "centred: without the mean over v" if header["centred"] else "with its mean over v"
        return f"{subject} · computed, not trained · ρ {side}"
    trained: list[TrainedWidth] = sorted(header["trained"], key=lambda run: run.nmse)
    lines = [
        subject,
        "Curves, computed: the error of the leading m terms of the centred POD, an upper bound on "
        "the best error of width m.",
        f"Means over {header['sequences']} sequences of τ = {header['tau']}, "
        f"seed {header['floor_seed']}, with 95% intervals.",
        *(f"◆ trained: run {r.run}, seed {r.seed}, m_h = {r.m_h}" for r in trained[:LISTED]),
    ]
    more = len(trained) - LISTED
    return "\n".join(lines + [f"◆ and {more} more, named in the CSV"] * (more > 0))
