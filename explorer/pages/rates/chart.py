"""Charts of a sweep: error against m_h, as Figure 1 of the paper; beside it spectra and models cut
to rank k, a panel for each target; errors over (m_h, m_FF)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from explorer.charts import LIGHT, Palette
from explorer.charts.axes import (
    TITLE,
    ZeroLane,
    counts,
    doublings,
    heights,
    log_axis,
    log_domain,
    note,
    powers,
    with_column,
    zero_lane,
)
from explorer.charts.marks import SHAPES, curves, looks, tips
from explorer.slow import alt, pd
from explorer.views.series import (
    AT_K,
    CUT,
    DESIGNED,
    LEARNED_SIGMA,
    ON_OWN,
    OPTIMUM,
    TAIL,
    THEORY,
    TRUNCATION,
)
from explorer.views.text import number

WIDTH, HEIGHT = 420, 360
TICKS = [1, 2, 4, 6, 8, 12, 16, 24, 32, 48, 64]
DASHES = {TRUNCATION: [7, 4], ON_OWN: [4, 1], OPTIMUM: [2, 2], TAIL: [9, 3, 2, 3], THEORY: [1, 4]}
"""Grey lines under the points, by their dashes."""


def rates_chart(
    points: pd.DataFrame,
    lines: pd.DataFrame,
    error: str,
    palette: Palette,
    falls: pd.DataFrame | None = None,
) -> alt.HConcatChart:
    """Error against m_h, log-log, a panel for each α: a point is the error that is read, a bar goes
    from the best to the worst seed; truncation and the theory's line in grey, 0 in a lane.

    `points` has alpha, rank, m_h, error, best, median, worst (> 0); `lines` has alpha, rank, line,
    m_h, error (≥ 0); `falls` has alpha, rank, m_h, above, below, words. `error` names the axis.
    """
    seen = pd.concat([points["best"], points["worst"], lines["error"]])
    lane = zero_lane(seen) if (seen == 0).any() else None
    scale = lane.scale if lane else log_domain(seen)
    y = alt.Y("error:Q", title=error, scale=scale, axis=lane.axis if lane else powers(seen))
    ranks = sorted(points["rank"].unique(), key=_place)
    channels = looks("rank", ranks, color=palette.categories, shape=SHAPES)
    names = [name for name in DASHES if (lines["line"] == name).any()]
    dash = looks("line", names, strokeDash=[DASHES[name] for name in names])
    tables = points, lines, pd.DataFrame({"alpha": []}) if falls is None else falls
    panels = [
        _panel(
            [table[table["alpha"] == alpha] for table in tables], y, lane, channels, dash, palette
        ).properties(title=alpha)
        for alpha in sorted(points["alpha"].unique())
    ]
    return alt.hconcat(*panels)


def surgery_chart(table: pd.DataFrame, palette: Palette) -> alt.LayerChart:
    """nMSE of a trained model cut to rank k, over what truncation of ρ leaves, log-log; a 0 has a
    lane of its own.

    `table` has k, error (≥ 0) and line, views.series CUT or TRUNCATION.
    """
    told = looks(
        "line",
        [CUT, TRUNCATION],
        color=[palette.accent, palette.grey],
        strokeDash=[[1, 0], DASHES[TRUNCATION]],
        shape=["square", "stroke"],
    )
    x = alt.X("k:Q", title="k, rank kept", axis=counts(TICKS), scale=log_domain(table["k"]))
    high = heights(table["error"], "MSE / Var(y)", log_domain(table["error"]))
    drawn, tip = (
        table.assign(height=high.heights_of(table["error"])),
        tips("line:N", "k:Q", error=".3~g"),
    )
    return alt.layer(
        *high.border(palette), *curves(drawn, x, high.y, tooltip=tip, **told)
    ).properties(height=300)


def _place(rank: str) -> float:
    """Finite ranks first, in order."""
    last = rank.split()[-1]
    return float(last) if last.isdigit() else float("inf")


def _panel(
    tables: Sequence[pd.DataFrame],
    y: alt.Y,
    lane: ZeroLane | None,
    channels,
    dash,
    palette: Palette,
) -> alt.LayerChart:
    points, lines, falls = tables
    ends = lines[lines["error"] == 0].groupby("rank", as_index=False).first()
    ticks = counts(sorted({*TICKS, *ends.get("m_h", []), *falls.get("before", [])}))
    wide = log_domain(points["m_h"])
    x = alt.X("m_h:Q", title="mₕ, attention width", axis=ticks, scale=wide)
    if lane:
        lines = lines.assign(error=lane.drawn(lines["error"]))
        ends = ends.assign(error=lane.at)
    return alt.layer(
        *_under(lines, x, channels["color"], dash, palette),
        *_measured(points, x, y, **channels),
        *(_lane(lane, ends, x, y, channels, palette) if lane else []),
        *(_falls(falls, x, y, channels["color"]) if len(falls) else []),
    ).properties(width=WIDTH, height=HEIGHT)


def _under(
    lines: pd.DataFrame, x: alt.X, colour: alt.Color, dash: dict, palette: Palette
) -> Iterator[alt.Chart]:
    """The lines under the points: those of theory in grey, that of a training set in its colour."""
    own, y = lines["line"] == ON_OWN, alt.Y("error:Q")
    theory, measured = (
        alt.Chart(rows).mark_line(color=palette.grey, strokeWidth=1.6)
        for rows in (lines[~own], lines[own])
    )
    yield theory.encode(x, y, detail=["rank:N", "line:N"], **dash)
    if own.any():
        yield measured.encode(x, y, color=colour, **dash)


def _measured(
    points: pd.DataFrame, x: alt.X, y: alt.Y, *, color: alt.Color, shape: alt.Shape
) -> Iterator[alt.Chart]:
    """Bars from the best to the worst seed, and the points, joined."""
    base, numbers = alt.Chart(points), dict.fromkeys(("best", "median", "worst"), ".3~g")
    bars = base.mark_rule(opacity=0.5)
    yield bars.encode(x, alt.Y("best:Q", title=y["title"]), y2="worst:Q", color=color)
    yield base.mark_line(strokeWidth=1.2, opacity=0.6).encode(x, y, color=color)
    dots = base.mark_point(filled=True, size=70, opacity=1)
    yield dots.encode(x, y, color=color, shape=shape, tooltip=tips("rank:N", "m_h:Q", **numbers))


def _lane(lane, ends: pd.DataFrame, x: alt.X, y: alt.Y, channels, palette) -> list[alt.Chart]:
    """Where truncation falls to 0, in the lane below the axis, and why that is there."""
    marks = alt.Chart(ends).mark_point(filled=False, size=70, opacity=1, strokeWidth=1.8)
    words = "0 from mₕ = r on, in its own lane: a log axis has no 0"
    return [lane.border(y, palette), marks.encode(x, y, **channels), note(words, palette)]


def _falls(falls: pd.DataFrame, x: alt.X, y: alt.Y, colour) -> list[alt.Chart]:
    """↓ beside each fall, with its factor."""
    base, beside = alt.Chart(falls), with_column(x, "beside")
    rule, text = (
        base.mark_rule(strokeWidth=1.4),
        base.mark_text(align="left", dx=6, fontWeight="bold"),
    )
    return [
        rule.encode(beside, with_column(y, "above"), y2="below:Q", color=colour),
        text.encode(beside, with_column(y, "middle"), text="words:N", color=colour),
    ]


def spectra_chart(table: pd.DataFrame, palette: Palette) -> alt.ConcatChart:
    """σ_k hollow and σ̂_k of the models of all widths filled, log-log.

    `table` has target, spectrum, k and sigma (≥ 0).
    """
    return _panels(table[table["sigma"] > 0], lambda part: _spectra(part, palette))


def _spectra(table: pd.DataFrame, palette: Palette) -> alt.Chart:
    x = alt.X("k:Q", title="k", axis=doublings(), scale=log_domain(table["k"]))
    channels = looks(
        "spectrum",
        [DESIGNED, LEARNED_SIGMA],
        stroke=[palette.ink, palette.accent],
        fill=["transparent", palette.accent],
        size=[110, 22],
    )
    y = log_axis(alt.Y, "sigma", "singular value", table["sigma"])
    return alt.Chart(table).mark_point(strokeWidth=1.4, opacity=1).encode(x, y, **channels)


def cuts_chart(table: pd.DataFrame, palette: Palette, error: str) -> alt.ConcatChart:
    """The error of the widest model cut to rank k, of models trained at m_h = k and of truncation,
    log-log. `table` has target, line, k and error (> 0), which `error` names."""
    return _panels(table, lambda part: _cuts(part, error, palette))


def _cuts(table: pd.DataFrame, error: str, palette: Palette) -> alt.LayerChart:
    x = alt.X("k:Q", title="k, rank kept", axis=doublings(), scale=log_domain(table["k"]))
    channels = looks(
        "line",
        [CUT, AT_K, TRUNCATION],
        color=[palette.accent, palette.ink, palette.grey],
        strokeDash=[[1, 0], [1, 0], DASHES[TRUNCATION]],
        shape=["square", "diamond", "stroke"],
    )
    y = log_axis(alt.Y, "error", error, table["error"])
    return alt.layer(*curves(table, x, y, 1.4, 40, **channels))


def _panels(table: pd.DataFrame, panel) -> alt.ConcatChart:
    """A panel for each target, a few in a row."""
    panels = [
        panel(part).properties(
            width=300, height=220, title=alt.Title(name, fontSize=TITLE, anchor="start")
        )
        for name, part in table.groupby("target", sort=False)
    ]
    return alt.concat(*panels, columns=3)


CELL, AROUND = 46, 60  # pixels of a row of a map, and of what stands under them
LIGHT_FROM = 0.55  # share of the logarithmic range from which a cell of a map is light
MAPS = {"measured": "error", "bound": "bound"}
"""The column of each map."""


def map_chart(
    table: pd.DataFrame, optima: pd.DataFrame, quantity: str, _: Palette = LIGHT
) -> alt.LayerChart:
    """A `quantity`, "measured" or "bound", over (m_h, m_FF), colours by logarithm: a ring is its
    least within the budget, a dashed one that of the other; alike on any paper.

    `table` has m_h, m_ff, parameters, error, bound; cells without a number stay empty.
    """
    column = MAPS[quantity]
    known = table.dropna(subset=[column])
    low, high = known[column].min(), known[column].max()
    share = (known[column] / low).map(math.log) / max(math.log(high / low), 1e-9)
    drawn = known.assign(words=known[column].map(number), light=share > LIGHT_FROM)
    base = alt.Chart(drawn).encode(
        alt.X("m_ff:O", title="mꜰꜰ", axis=alt.Axis(labelAngle=0)),
        alt.Y("m_h:O", title="mₕ", sort="descending", axis=alt.Axis(labelAngle=0)),
    )
    scale = alt.Scale(type="log", range=[*LIGHT.sequential], domain=[low, high * 1.0001])
    tip = tips("m_h:O", "m_ff:O", parameters=",", **{column: ".3~g"})
    colour = alt.Color(f"{column}:Q", scale=scale, legend=None)
    words = base.mark_text(dy=12).encode(
        text="words:N",
        color=alt.condition("datum.light", alt.value(LIGHT.ink), alt.value(LIGHT.paper)),
    )
    height = CELL * known["m_h"].nunique() + AROUND
    layers = [base.mark_rect().encode(color=colour, tooltip=tip), words, *_rings(optima, quantity)]
    return alt.layer(*layers).properties(height=height)


def _rings(optima: pd.DataFrame, own: str) -> list[alt.Chart]:
    rings = []
    for name, dash in ((own, [1, 0]), *((o, [3, 3]) for o in optima["of"] if o != own)):
        ring = alt.Chart(optima[optima["of"] == name]).mark_point(
            size=180, strokeWidth=2.5, strokeDash=dash, color=LIGHT.paper, yOffset=-8, filled=False
        )
        rings.append(ring.encode(alt.X("m_ff:O"), alt.Y("m_h:O", sort="descending")))
    return rings


def feed_forward_chart(table: pd.DataFrame, error: str, palette: Palette) -> alt.LayerChart:
    """Error against m_FF, log-log, a line for each m_h."""
    known = table.dropna(subset=["error"])
    known = known.assign(width="mₕ = " + known["m_h"].astype(str))
    names = [f"mₕ = {m}" for m in sorted(known["m_h"].unique())]
    colours = [*palette.categories[:3], palette.grey, *palette.categories[3:5]]
    axis = counts(sorted(known["m_ff"].unique().tolist()))
    x = alt.X("m_ff:Q", title="mꜰꜰ, feed-forward width", axis=axis, scale=log_domain(known["m_ff"]))
    channels = looks("width", names, color=colours, shape=SHAPES)
    y = log_axis(alt.Y, "error", error, known["error"])
    return alt.layer(*curves(known, x, y, **channels)).properties(height=320)
