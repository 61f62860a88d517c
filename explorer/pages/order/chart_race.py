"""Charts of the race: error curves with their floors, and four memory functions against α."""

from __future__ import annotations

from explorer.charts import Palette
from explorer.charts.axes import log_axis, log_domain
from explorer.charts.marks import SHAPES, band, curves, looks, tips
from explorer.pages.order.view_race import FLOOR, TRAINED
from explorer.slow import alt, pd
from explorer.theory.architectures.race import ENTRANTS

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
    every = pd.concat([table["error"], floors["error"], pd.Series([1.0, error])])
    looks = _looks(pd.concat([table, floors]), palette, lines=True)
    look = looks["color"]
    x = log_axis(alt.X, "step", "step", pd.concat([table["step"], pd.Series([1, 1500])]))
    y = log_axis(alt.Y, "error", "mean squared error / Var(y)", every)
    y.scale = log_domain(every)
    base = alt.Chart(table).encode(x)
    tip = tips("architecture:N", "step:Q", error=".2~e", low=".2~e", high=".2~e")
    under = alt.Chart(floors).mark_rule(strokeDash=[5, 4], strokeWidth=1.5).encode(y, look)
    wanted = alt.Chart(pd.DataFrame({"error": [error]}))
    rule = wanted.mark_rule(color=palette.grey, strokeWidth=2, strokeDash=[2, 3]).encode(y)
    lines = base.mark_line(strokeWidth=2).encode(y, look, looks["strokeDash"], tooltip=tip)
    shades = band(base, y, "low", "high", 0.12, look)
    height = _height(pd.concat([table, floors]))
    return alt.layer(lines, shades, under, rule).properties(height=height)


def _height(table: pd.DataFrame) -> int:
    return PLOT + KEY * table["architecture"].nunique()


def sizes_chart(table: pd.DataFrame, error: float, palette: Palette) -> alt.LayerChart:
    """Medians at the end against parameters, shaded from the lowest to the highest seed, and the
    floors dashed; `table` is that of `view_race.over_sizes`."""
    every = pd.concat([table["error"], pd.Series([1.0, error])])
    x = log_axis(alt.X, "parameters", "parameters", table["parameters"], grid=False)
    y = log_axis(alt.Y, "error", "mean squared error / Var(y)", every)
    y.scale = log_domain(every)
    look = _looks(table, palette, lines=True)
    named = "architecture:N", "what:N", "size:N", "parameters:Q"
    tip = tips(*named, error=".2~e", low=".2~e", high=".2~e")
    trained, floors = (
        alt.Chart(table[table["what"] == what]).encode(x, y, look["color"], tooltip=tip)
        for what in (TRAINED, FLOOR)
    )
    wanted = alt.Chart(pd.DataFrame({"error": [error]}))
    return alt.layer(
        wanted.mark_rule(color=palette.grey, strokeWidth=2, strokeDash=[2, 3]).encode(y),
        band(trained, y, "low", "high", 0.12, look["color"]),
        trained.mark_line(strokeWidth=2).encode(look["strokeDash"]),
        trained.mark_point(filled=True, size=40, opacity=1),
        floors.mark_line(strokeWidth=1.5, strokeDash=[5, 4]),
    ).properties(height=_height(table))


def kernels_chart(table: pd.DataFrame, palette: Palette) -> alt.FacetChart:
    """ρ̂ of each, in a panel of its own, over ρ; `table` is that of `view_race.kernels`."""
    base = alt.Chart(table).encode(alt.X("s:Q", title="s", scale=alt.Scale(nice=False)))
    own = base.mark_line(color=palette.grey, strokeWidth=4, opacity=0.5).encode(
        alt.Y("rho:Q", title="ρ")
    )
    look = _looks(table, palette)["color"].legend(None)
    tip = tips("architecture:N", "s:Q", rho_hat=".3~g", rho=".3~g")
    made = base.mark_line(strokeWidth=1.6).encode(alt.Y("rho_hat:Q", title="ρ"), look, tooltip=tip)
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
    look = _looks(medians, palette, columns=3)
    y = log_axis(alt.Y, "error", "‖ρ̂ − ρ‖² / ‖ρ‖²", medians["error"])
    tip = tips("architecture:N", "alpha:Q", error=".2~e")
    panels = [
        alt.layer(
            *curves(
                part, log_axis(alt.X, "alpha", "α", part["alpha"]), y, size=40, tooltip=tip, **look
            )
        ).properties(width=150, height=260, title=str(name))
        for name, part in medians.groupby("memory", sort=False)
    ]
    return alt.hconcat(*panels)
