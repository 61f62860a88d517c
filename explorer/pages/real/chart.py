"""Figures of real models: ranks of heads, spectra over inputs, answers with k terms; heads that are
cut one by one, or all to a budget; one head opened."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from explorer.charts import Palette
from explorer.charts.axes import LABEL, doublings, log_axis, with_column
from explorer.charts.marks import band, banded, looks, tips
from explorer.pages.real.view import LEAST
from explorer.pages.real.view_budget import ONE, OWN
from explorer.slow import alt, pd


def head_map(
    table: pd.DataFrame, one: tuple[int, int] | None, width: int, palette: Palette
) -> alt.LayerChart:
    """The 99 % rank of every head as a cell of layer × head; one that is picked has a frame.

    `table` has layer and head from 1, rank, spread, weights; `one` counts from 0; `width` is the
    greatest rank there can be.
    """
    cells = _cells(
        table,
        alt.Color(
            "rank:Q",
            title="terms",
            scale=alt.Scale(domain=[0, width], range=list(palette.sequential)),
            legend=alt.Legend(gradientLength=150),
        ),
        alt.Tooltip("rank:Q", title="99 % rank, mean", format=".1f"),
        alt.Tooltip("spread:Q", title="its spread over inputs", format=".1f"),
        alt.Tooltip("weights:Q", title="of its weights alone"),
    )
    if one is None:
        return alt.layer(cells).properties(height=400)
    chosen = (table["layer"] == one[0] + 1) & (table["head"] == one[1] + 1)
    place = {"x": cells.encoding.x, "y": cells.encoding.y}
    frame = alt.Chart(table[chosen]).mark_rect(fillOpacity=0, stroke=palette.accent, strokeWidth=3)
    return alt.layer(cells, frame.encode(**place)).properties(height=400)


def _cells(table: pd.DataFrame, colour: alt.Color, *tooltips: alt.Tooltip) -> alt.Chart:
    """Every head as a cell of layer × head."""
    return (
        alt.Chart(table)
        .mark_rect()
        .encode(
            x=alt.X("head:O", title="head", axis=alt.Axis(labelAngle=0)),
            y=alt.Y("layer:O", title="layer", axis=alt.Axis(labelOverlap=True)),
            color=colour,
            tooltip=["layer:O", "head:O", *tooltips],
        )
    )


def loss_map(table: pd.DataFrame, title: str, palette: Palette) -> alt.Chart:
    """The loss that each head alone adds, as a cell of layer × head.

    `table` has layer and head from 1, added, low, high. A loss that falls is drawn as 0.
    """
    return _cells(
        table.assign(shade=table["added"].clip(lower=0)),
        alt.Color(
            "shade:Q",
            title="added",
            scale=alt.Scale(type="sqrt", domainMin=0, range=list(palette.sequential)),
            legend=alt.Legend(gradientLength=150, format=".2~g"),
        ),
        alt.Tooltip("added:Q", title=title, format=".2~g"),
        alt.Tooltip("low:Q", title="95 % interval, from", format=".2~g"),
        alt.Tooltip("high:Q", title="to", format=".2~g"),
    ).properties(height=360)


def budget_chart(table: pd.DataFrame, title: str, palette: Palette) -> alt.LayerChart:
    """The loss of all heads cut together against the terms that they keep on average: one k for
    all, and each head its own; bands are intervals over inputs.

    `table` has kind, k, added, low, high.
    """
    channels = looks(
        "kind", [ONE, OWN], color=[palette.accent, palette.second], strokeDash=[[1, 0], [6, 3]]
    )
    x = alt.X("k:Q", title="k, mean over the heads", scale=alt.Scale(type="log"), axis=doublings())
    y = alt.Y("added:Q", title=title, axis=alt.Axis(tickCount=5))
    tip = tips("kind:N", k=".3~g", added=".2~g")
    return alt.layer(*banded(table, x, y, 36, tooltip=tip, **channels)).properties(height=360)


def spectrum_chart(table: pd.DataFrame, palette: Palette) -> alt.LayerChart:
    """How σ_k / σ_1 is spread over inputs: median, quartiles and extremes against k, coupling and
    weights.

    `table` has series, k, low, lower, median, upper, high.
    """
    channels = looks(
        "series",
        dict.fromkeys(table["series"]),
        lines=True,
        color=[palette.accent, palette.grey],
        strokeDash=[[1, 0], [6, 3]],
    )
    x = alt.X("k:Q", title="k", scale=alt.Scale(nice=False), axis=alt.Axis(grid=False))
    y, base = log_axis(alt.Y, "median", "σₖ / σ₁", table["low"]), alt.Chart(table).encode(x)
    line, colour = base.mark_line(strokeWidth=2, point={"size": 12}), channels["color"]
    return alt.layer(  # lines first: the key is drawn as they are
        line.encode(y, tooltip=tips("series:N", "k:Q", median=".2~g"), **channels),
        band(base, y, "low", "high", 0.15, colour),
        band(base, y, "lower", "upper", 0.25, colour),
    ).properties(height=400)


def rank_chart(table: pd.DataFrame, palette: Palette) -> alt.LayerChart:
    """Mean 99 % rank of a layer's heads against the layer, with the lowest and highest head.

    `table` has layer, kind, rank, low, high.
    """
    channels = looks(
        "kind",
        dict.fromkeys(table["kind"]),
        columns=2,
        lines=True,
        color=[palette.accent, palette.second, palette.grey],
        strokeDash=[[1, 0], [2, 2], [6, 3]],
    )
    axis = alt.Axis(grid=False, tickMinStep=1, format="d")
    x = alt.X("layer:Q", scale=alt.Scale(nice=False), axis=axis)
    y = alt.Y("rank:Q", title="terms that hold 99 %", axis=alt.Axis(tickCount=5))
    parts = banded(table, x, y, 24, 0.12, tooltip=tips("kind:N", "layer:Q", rank=".1f"), **channels)
    return alt.layer(*parts).properties(height=300)


def _gauges(palette: Palette) -> dict[str, Any]:
    """How raw and centred couplings are told apart."""
    return looks(
        "gauge",
        ["raw", "centred"],
        lines=True,
        color=[palette.accent, palette.second],
        strokeDash=[[1, 0], [6, 3]],
    )


def cut_chart(curve: pd.DataFrame, title: str, palette: Palette) -> alt.LayerChart:
    """The measure of a model, called `title`, against the k terms that its couplings keep: median
    and extremes over inputs, raw and centred; dotted, that of the whole model where it is not 0.

    `curve` has gauge, k, middle, low, high, own. k = 0 has no place on the log axis and is left
    out; distances that are rounding are drawn at LEAST.
    """
    heights = {each: curve[each].clip(lower=LEAST) for each in ("low", "middle", "high")}
    drawn = curve.assign(**heights)[curve["k"] > 0]
    own = drawn.head(1)[drawn.head(1)["own"] > LEAST]
    ends = pd.concat([drawn["low"], drawn["high"], own["own"]])
    y, tip = log_axis(alt.Y, "middle", title, ends), tips("gauge:N", "k:Q", middle=".3~g")
    whole = alt.Chart(own).mark_rule(strokeDash=[1, 4], strokeWidth=2, color=palette.grey)
    return alt.layer(
        *banded(drawn, _kept(), y, 36, tooltip=tip, **_gauges(palette)),
        whole.encode(y=with_column(y, "own")),
    ).properties(height=300)


def words_chart(same: pd.DataFrame, palette: Palette) -> alt.Chart:
    """Tokens that a language model writes as it does whole, of all, against the k terms that its
    couplings keep, raw and centred.

    `same` has gauge, k, same, tokens.
    """
    scale = alt.Scale(domain=[0, int(same["tokens"].max())], nice=False)
    y = alt.Y("same:Q", title="tokens that are the model's own", scale=scale)
    line = alt.Chart(same).mark_line(strokeWidth=2, point={"size": 36})
    tip = tips("gauge:N", "k:Q", "same:Q", "tokens:Q")
    return line.encode(_kept(), y, tooltip=tip, **_gauges(palette)).properties(height=300)


def _kept() -> alt.X:
    scale = alt.Scale(type="log", nice=False)
    return alt.X("k:Q", title="k, terms kept of every coupling", scale=scale, axis=doublings())


def width_chart(table: pd.DataFrame, tolerance: float, palette: Palette) -> alt.LayerChart:
    """σ_k of centred logits against k; dashed, below which they count as 0.

    `table` has k, sigma. What is rounding, far below the tolerance, is drawn a decade below it.
    """
    least = max(tolerance / 10, 1e-300)
    drawn = table.assign(sigma=table["sigma"].clip(lower=least))
    ends = pd.concat([drawn["sigma"], pd.Series([least, 10 * least])])
    y = log_axis(alt.Y, "sigma", "σₖ", ends)
    x = alt.X("k:Q", title="k", axis=alt.Axis(grid=False, tickMinStep=1, format="d"))
    dots = alt.Chart(drawn).mark_point(filled=True, size=70, color=palette.accent)
    line = alt.Chart(pd.DataFrame({"tolerance": [tolerance]}))
    line = line.mark_rule(strokeDash=[6, 3], color=palette.grey)
    return alt.layer(
        dots.encode(x, y, tooltip=tips("k:Q", sigma=".3~g")),
        line.encode(y=with_column(y, "tolerance")),
    ).properties(height=260)


def orders_chart(table: pd.DataFrame, palette: Palette) -> alt.LayerChart:
    """Perplexity of a text in other orders, on a log axis: medians and extremes over the texts.

    `table` has order, row, middle, low, high.
    """
    rows = list(dict.fromkeys(table["row"]))
    channels = looks(
        "row",
        rows,
        columns=1,
        color=[palette.ink, palette.second, palette.accent],
        shape=["diamond", "square", "circle"],
    )
    ends = pd.concat([table["low"], table["high"]])
    x, orders = log_axis(alt.X, "middle", "perplexity", ends), list(dict.fromkeys(table["order"]))
    y = alt.Y("order:N", sort=orders, title=None)
    base = alt.Chart(table).encode(y, alt.YOffset("row:N", sort=rows))
    dots, bars = base.mark_point(filled=True, size=80), base.mark_rule(opacity=0.5, strokeWidth=2)
    return alt.layer(
        dots.encode(x, tooltip=tips("order:N", "row:N", middle=".3~g"), **channels),
        bars.encode(with_column(x, "low"), x2="high:Q", color=channels["color"]),
    ).properties(height=160 + 40 * len(orders))


def beside(panels: Mapping[str, alt.LayerChart]) -> alt.HConcatChart:
    """Panels by their titles, each with its own axes."""
    drawn = [panel.properties(title=title, width=300) for title, panel in panels.items()]
    return alt.hconcat(*drawn).resolve_scale(color="shared", strokeDash="shared")


def kinds_chart(cuts: pd.DataFrame, palette: Palette) -> alt.Chart:
    """How many times its own the perplexity of each text is with k terms of every coupling.

    `cuts` has kind, centred, k, value, own; raw is drawn.
    """
    drawn = cuts[~cuts["centred"] & (cuts["k"] > 0)]
    drawn = drawn.assign(times=drawn["value"] / drawn["own"])
    colour = looks("kind", dict.fromkeys(drawn["kind"]), lines=True, color=palette.categories)
    y = log_axis(alt.Y, "times", "perplexity ÷ its own", drawn["times"])
    lines = alt.Chart(drawn).mark_line(strokeWidth=2, point={"size": 36})
    return lines.encode(
        _kept(), y, tooltip=tips("kind:N", "k:Q", times=".3~g"), **colour
    ).properties(height=300)


def answers_chart(table: pd.DataFrame, title: str, palette: Palette) -> alt.Chart:
    """The best answers of a model, whole and cut, beside each other.

    `table` has answer, kind, value and place, the order from above.
    """
    names, kinds = list(dict.fromkeys(table.sort_values("place")["answer"])), ["whole", "cut"]
    bars = alt.Chart(table).mark_bar().properties(height=alt.Step(13))
    return bars.encode(
        x=alt.X("value:Q", title=title, axis=alt.Axis(tickCount=4)),
        y=alt.Y("answer:N", title=None, sort=names, axis=alt.Axis(labelLimit=260)),
        yOffset=alt.YOffset("kind:N", sort=kinds),
        tooltip=tips("answer:N", "kind:N", value=".3~g"),
        **looks("kind", kinds, color=[palette.grey, palette.accent]),
    )


def maps_chart(table: pd.DataFrame, palette: Palette) -> alt.HConcatChart:
    """Coupling and attention, whole and with k terms, as maps of query × key.

    `table` has query, key, coupling, attention, kept.
    """
    bare = alt.Axis(labels=False, ticks=False)
    base = alt.Chart(table, width=260, height=260).mark_rect()
    limit = float(table["coupling"].abs().max()) or 1.0
    colours = {
        "coupling": ([-limit, limit], palette.diverging),
        "attention": ([0, 1], palette.weights),
        "kept": ([0, 1], palette.weights),
    }
    panels = [
        base.properties(title=name).encode(
            alt.X("key:O", axis=bare),
            alt.Y("query:O", axis=bare),
            alt.Color(f"{name}:Q", scale=alt.Scale(domain=domain, range=[*shades])),
        )
        for name, (domain, shades) in colours.items()
    ]
    return alt.hconcat(*panels).resolve_scale(color="independent")


def terms_chart(table: pd.DataFrame, palette: Palette) -> alt.HConcatChart:
    """φ_k over query tokens and ψ_k over key tokens, the first terms below each other.

    `table` has k, position, token, phi, psi.
    """
    panels = []
    for name, title in (("phi", "φₖ over query tokens"), ("psi", "ψₖ over key tokens")):
        bars = alt.Chart(table).mark_bar(color=palette.accent)
        panels.append(
            bars.encode(
                x=alt.X("position:O", axis=alt.Axis(labels=False, ticks=False)),
                y=alt.Y(f"{name}:Q", title=None, axis=alt.Axis(tickCount=3)),
                row=alt.Row("k:O", header=alt.Header(labelFontSize=LABEL)),
            ).properties(width=300, height=60, title=title)
        )
    return alt.hconcat(*panels)
