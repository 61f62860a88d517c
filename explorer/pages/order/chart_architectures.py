"""Charts of architectures that remember a kernel: error against parameters, spectra, and the race:
curves with their floors, and four memory functions against α."""

from __future__ import annotations

import numpy as np

from explorer.charts import Palette
from explorer.charts.axes import Heights, heights, log_axis, log_domain, whole, with_column
from explorer.charts.marks import SHAPES, band, curves, looks, tips
from explorer.pages.order.view_architectures import BOUND, DRAWN, FOUND, SHORT, SHOWN
from explorer.pages.order.view_race import FLOOR, TRAINED
from explorer.slow import alt, pd
from explorer.theory.architectures.race import ENTRANTS

DASHES = {FOUND: [1, 0], BOUND: [5, 4]}
LINE = "line"
"""What the reader drags, a selection of one `share`."""
PLACES = 20
"""Of the line, in each decade."""
ITEM = "event.item && event.item.datum && event.item.datum.share"
DRAGGED = f"[event.buttons && {ITEM}]"


def parameters_chart(table: pd.DataFrame, error: float, palette: Palette) -> alt.LayerChart:
    """Error over ‖ρ‖² against parameters: found, and below which no model is (dashed), with a rule
    that is dragged, at `error` first. `table` is that of `view_architectures.errors`."""
    errors = pd.concat([table["error"], pd.Series([1.0, error, 0.0])])
    y = heights(errors, "‖ρ̂ − ρ‖² / ‖ρ‖²", log_domain(errors))
    table = table.assign(height=y.heights_of(table["error"]))
    names = [name for name in SHORT.values() if name in set(table["architecture"])]
    channels = looks(
        "architecture", names, 1, color=palette.series(len(names)), shape=SHAPES[: len(names)]
    )
    x = log_axis(alt.X, "parameters", "parameters", table["parameters"], grid=False)
    tip = tips("architecture:N", "what:N", "size:Q", "parameters:Q", error=".3~g")
    layers: list[alt.Chart] = []
    for what, dash in DASHES.items():
        base = alt.Chart(table[table["what"] == what]).encode(
            x, y.y, channels["color"], tooltip=tip
        )
        layers.append(base.mark_line(strokeWidth=2, interpolate="step-after", strokeDash=dash))
        if what == FOUND:
            points = base.mark_point(filled=True, size=55, opacity=1)
            layers.append(points.encode(shape=channels["shape"]))
    return alt.layer(*_line(error, y, palette), *layers, *y.border(palette)).properties(height=360)


def _line(error: float, y: Heights, palette: Palette) -> list[alt.Chart]:
    """The rule, and the places to which it is dragged."""
    decades = -np.log10(DRAWN)
    even = np.logspace(-decades, 0, round(decades * PLACES) + 1)
    shares = pd.Series(sorted({error, *(float(f"{share:.2g}") for share in even)}))
    half = 10 ** (0.5 / PLACES)
    places = pd.DataFrame({"share": shares, "low": shares / half, "high": shares * half})
    line = alt.selection_point(
        name=LINE,
        fields=["share"],
        on=f"pointerdown{DRAGGED}, pointermove{DRAGGED}",
        toggle=False,
        clear=False,
        value=[{"share": error}],
    )
    base = alt.Chart(places).encode(tooltip=alt.value(None))
    bands = base.mark_rect(opacity=0, clip=True, cursor="ns-resize")
    rule = base.mark_rule(clip=True, color=palette.grey, strokeWidth=2, strokeDash=[2, 3])
    return [
        bands.encode(with_column(y.y, "low"), y2="high").add_params(line),
        rule.encode(with_column(y.y, "share")).transform_filter(line),
    ]


def spectrum_chart(table: pd.DataFrame, palette: Palette) -> alt.LayerChart:
    """Values against k; `table` is one panel of `view_architectures.spectra`."""
    names = list(dict.fromkeys(table["series"]))
    most = max(int(table["k"].max()), 2)
    x = whole("k", "k", [k for k in (1, 2, 4, 8, 16, 32) if k <= most])
    x.scale = alt.Scale(domain=[0.5, most + 0.5], nice=False)
    y = log_axis(alt.Y, "value", None, pd.Series([SHOWN, 1.0]))
    shades = palette.series(len(names))
    several = looks("series", names, 5, color=shades) if len(names) > 1 else {}
    channels = several or {"color": alt.value(palette.accent)}
    tip = tips("series:N", "k:Q", value=".3~g")
    drawn = curves(table, x, y, size=30, tooltip=tip, **channels)
    return alt.layer(*drawn).properties(height=200)


PLOT, KEY = 380, 21
"""Pixels of a plot with its axes, and of a line of the key above it: on a page both are within the
figure's height. Names are long: two beside each other do not fit a phone."""


def _looks(
    table: pd.DataFrame, palette: Palette, lines: bool = False, columns: int = 1
) -> dict[str, alt.Color]:
    """An architecture has one colour, whoever else is drawn; those that are not linear have the
    same ones again, their lines of dashes and dots."""
    names = [one.title for one in ENTRANTS.values()]
    drawn = [name for name in names if name in set(table["architecture"])]
    shades = dict(zip(names, palette.series(len(names)), strict=True))
    dashes = {one.title: [1, 0] if one.linear else [9, 3, 2, 3] for one in ENTRANTS.values()}
    shapes = dict(zip(names, [*SHAPES, *SHAPES], strict=False))
    return looks(
        "architecture",
        drawn,
        columns,
        lines,
        color=[shades[name] for name in drawn],
        shape=[shapes[name] for name in drawn],
        strokeDash=[dashes[name] for name in drawn],
    )


def race_chart(
    table: pd.DataFrame, floors: pd.DataFrame, error: float, palette: Palette
) -> alt.LayerChart:
    """Medians against steps, shaded from the lowest to the highest seed, floors dashed, a rule at
    `error`; tables as `view_race` has them."""
    every = pd.concat([table, floors])
    looks = _looks(every, palette, lines=True)
    colour = looks["color"]
    x = log_axis(alt.X, "step", "step", pd.concat([table["step"], pd.Series([1, 1500])]))
    y, wanted = _errors(every["error"], error, palette)
    base = alt.Chart(table).encode(x)
    tip = tips("architecture:N", "step:Q", error=".2~e", low=".2~e", high=".2~e")
    under = alt.Chart(floors).mark_rule(strokeDash=[5, 4], strokeWidth=1.5).encode(y, colour)
    lines = base.mark_line(strokeWidth=2).encode(y, colour, looks["strokeDash"], tooltip=tip)
    shades = band(base, y, "low", "high", 0.12, colour)
    return alt.layer(lines, shades, under, wanted).properties(height=_height(every))


def _errors(errors: pd.Series, wanted: float, palette: Palette) -> tuple[alt.Y, alt.Chart]:
    """The axis of errors, those of a constant and `wanted` among them, and the rule at these."""
    every = pd.concat([errors, pd.Series([1.0, wanted])])
    y = log_axis(alt.Y, "error", "mean squared error / Var(y)", every)
    rule = alt.Chart(pd.DataFrame({"error": [wanted]})).mark_rule(
        color=palette.grey, strokeWidth=2, strokeDash=[2, 3]
    )
    return y, rule.encode(y)


def _height(table: pd.DataFrame) -> int:
    return PLOT + KEY * table["architecture"].nunique()


def sizes_chart(table: pd.DataFrame, error: float, palette: Palette) -> alt.LayerChart:
    """Medians at the end against parameters, shaded from the lowest to the highest seed, and the
    floors dashed; `table` is that of `view_race.over_sizes`."""
    x = log_axis(alt.X, "parameters", "parameters", table["parameters"], grid=False)
    y, wanted = _errors(table["error"], error, palette)
    channels = _looks(table, palette, lines=True)
    named = "architecture:N", "what:N", "size:N", "parameters:Q"
    tip = tips(*named, error=".2~e", low=".2~e", high=".2~e")
    trained, floors = (
        alt.Chart(table[table["what"] == what]).encode(x, y, channels["color"], tooltip=tip)
        for what in (TRAINED, FLOOR)
    )
    return alt.layer(
        wanted,
        band(trained, y, "low", "high", 0.12, channels["color"]),
        trained.mark_line(strokeWidth=2).encode(channels["strokeDash"]),
        trained.mark_point(filled=True, size=40, opacity=1),
        floors.mark_line(strokeWidth=1.5, strokeDash=[5, 4]),
    ).properties(height=_height(table))


def kernels_chart(table: pd.DataFrame, palette: Palette) -> alt.FacetChart:
    """ρ̂ of each, in a panel of its own, over ρ; `table` is that of `view_race.kernels`."""
    base = alt.Chart(table).encode(alt.X("s:Q", title="s", scale=alt.Scale(nice=False)))
    own = base.mark_line(color=palette.grey, strokeWidth=4, opacity=0.5).encode(
        alt.Y("rho:Q", title="ρ")
    )
    colour = _looks(table, palette)["color"].legend(None)
    tip = tips("architecture:N", "s:Q", rho_hat=".3~g", rho=".3~g")
    made = base.mark_line(strokeWidth=1.6).encode(
        alt.Y("rho_hat:Q", title="ρ"), colour, tooltip=tip
    )
    names = [one.title for one in ENTRANTS.values()]
    return (
        alt.layer(own, made)
        .properties(width=200, height=110)
        .facet(alt.Facet("architecture:N", title=None, sort=names), columns=3)
    )


def memory_functions_chart(table: pd.DataFrame, palette: Palette) -> alt.HConcatChart:
    """Medians over seeds against α, a panel each memory function; `table` is that of `reproduce
    memory-functions`."""
    by = ["memory", "architecture", "alpha"]
    medians = table.groupby(by, sort=False, as_index=False)["error"].median()
    medians["error"] = medians["error"].clip(lower=1e-8)
    channels = _looks(medians, palette, columns=3)
    y = log_axis(alt.Y, "error", "‖ρ̂ − ρ‖² / ‖ρ‖²", medians["error"])
    tip = tips("architecture:N", "alpha:Q", error=".2~e")
    panels = []
    for name, part in medians.groupby("memory", sort=False):
        x = log_axis(alt.X, "alpha", "α", part["alpha"])
        drawn = curves(part, x, y, size=40, tooltip=tip, **channels)
        panels.append(alt.layer(*drawn).properties(width=150, height=260, title=str(name)))
    return alt.hconcat(*panels)
