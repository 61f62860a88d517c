"""Charts of Figure 3 and Table 1 for Transformers trained on pictures and words."""

from __future__ import annotations

from explorer.charts import Palette
from explorer.charts.axes import doublings, log_axis, told
from explorer.charts.marks import looks, tips
from explorer.slow import alt, pd

WIDTH, HEIGHT = 380, 320


def widths_chart(
    spectra: pd.DataFrame,
    errors: pd.DataFrame,
    band: pd.DataFrame,
    fit: pd.DataFrame,
    palette: Palette,
) -> alt.HConcatChart:
    """Figure 3: `spectra_chart` and `errors_chart` side by side."""
    panels = (
        spectra_chart(spectra, palette).properties(title="(a) first head of the last layer"),
        errors_chart(errors, band, fit, palette).properties(title="(b) error against width"),
    )
    return alt.hconcat(*panels).resolve_scale(color="independent")


def spectra_chart(spectra: pd.DataFrame, palette: Palette) -> alt.Chart:
    """σ_k against k on log axes, a line for each m_h: `spectra` has m_h, k, sigma."""
    table, tip = told(spectra, "sigma", "σₖ")
    x = _doubling("k", "k", spectra["k"])
    y = log_axis(alt.Y, "sigma", "σₖ of the coupling over inputs", spectra["sigma"])
    widths = sorted(spectra["m_h"].unique())
    symbols = {"symbolType": "circle", "symbolSize": 60, "columnPadding": 6}
    legend = alt.Legend(orient="top", columns=5, **symbols)
    scale = alt.Scale(domain=widths, range=_shades(palette, len(widths)))
    colour = alt.Color("m_h:O", title="mₕ", sort=widths, scale=scale, legend=legend)
    lines = alt.Chart(table, width=WIDTH, height=HEIGHT).mark_line(point=True, strokeWidth=2)
    return lines.encode(x, y, colour, tooltip=["m_h:O", "k:Q", tip])


def _doubling(column: str, title: str, values: pd.Series) -> alt.X:
    """A log axis from 1 to the largest of whole numbers."""
    axis = doublings()
    axis.values = [tick for tick in axis.values if tick <= values.max()]
    scale = alt.Scale(type="log", nice=False, domain=[0.93, float(values.max()) * 1.08])
    return alt.X(f"{column}:Q", title=title, scale=scale, axis=axis)


def _shades(palette: Palette, count: int) -> list[str]:
    """So many colours in order, none as pale as the paper."""
    usable = palette.sequential[: int(0.9 * len(palette.sequential))]
    return [usable[i * (len(usable) - 1) // max(count - 1, 1)] for i in range(count)]


def errors_chart(
    errors: pd.DataFrame, band: pd.DataFrame, fit: pd.DataFrame, palette: Palette
) -> alt.LayerChart:
    """Training error, from 0 on, against m_h: a dot is a seed, the line their mean within a band of
    one deviation, the dashed line the fit, where there is one.

    `errors` has m_h, seed, training, `band` m_h, mean, low, high, `fit` m_h, error.
    """
    x = _doubling("m_h", "mₕ", errors["m_h"])
    title = "training error: cross-entropy, nats"
    y = alt.Y("low:Q", title=title, axis=alt.Axis(tickCount=6))
    table, tip = told(errors, "training", "cross-entropy")
    noise = alt.Chart(band).mark_area(opacity=0.2, color=palette.accent)
    mean = alt.Chart(band).mark_line(strokeWidth=2, color=palette.accent)
    dots = alt.Chart(table).mark_point(filled=True, size=40, opacity=0.6, color=palette.ink)
    layers: list[alt.Chart] = [
        noise.encode(x=x, y=y, y2="high:Q"),
        mean.encode(x=x, y=alt.Y("mean:Q")),
        dots.encode(x=x, y=alt.Y("training:Q"), tooltip=["m_h:Q", "seed:N", tip]),
    ]
    if len(fit):  # an empty line would be a mark without a name to a screen reader
        line = alt.Chart(fit).mark_line(strokeDash=[6, 4], strokeWidth=2, color=palette.grey)
        layers.append(line.encode(x=x, y=alt.Y("error:Q")))
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)


def table_chart(shares: pd.DataFrame, palette: Palette) -> alt.Chart:
    """Table 1, a row for each order: what is right as a share of what is in the original order, of
    each kind of data, and of the printed numbers likewise.

    `shares` has data, row, share, how.
    """
    data = list(dict.fromkeys(shares["data"]))
    names = [f"{each}, {how}" for how in ("measured", "printed") for each in data]
    source = shares["how"].map(lambda how: how.split(" ")[0])
    table, tip = told(shares.assign(of=shares["data"] + ", " + source), "share", "of the original")
    channels = looks(
        "of",
        names,
        columns=1,
        color=[palette.accent, palette.second],
        shape=["circle"] * 2 + ["diamond"] * 2,
    )
    x = ("share", "right, as a share of the original")
    return _rows_of_shares(table, x, ("data", data)).encode(
        tooltip=["row:N", "of:N", tip], **channels
    )


def order_chart(table: pd.DataFrame, palette: Palette) -> alt.Chart:
    """What is right with the tokens in one order, a row for each thing that was done, beside what
    the shipped table has.

    `table` has row, how, right.
    """
    how = list(dict.fromkeys(table["how"]))
    colours = [palette.accent, palette.second]
    return _rows_of_shares(table, ("right", "share right"), ("how", how)).encode(
        tooltip=tips("row:N", "how:N", right=".3f"),
        **looks("how", how, columns=1, color=colours, shape=["circle", "diamond"]),
    )


def _rows_of_shares(
    table: pd.DataFrame, x: tuple[str, str], within: tuple[str, list[str]]
) -> alt.Chart:
    """A row of points for each `row` of the table, as many high as there are values `within`; `x`
    is a share and its title."""
    rows, scale = list(dict.fromkeys(table["row"])), alt.Scale(domain=[0, 1.05])
    marks = alt.Chart(table, width=WIDTH, height=HEIGHT).mark_point(filled=True, size=80)
    return marks.encode(
        x=alt.X(f"{x[0]}:Q", title=x[1], scale=scale, axis=alt.Axis(tickCount=5)),
        y=alt.Y("row:N", sort=rows, title=None, axis=alt.Axis(labelLimit=320)),
        yOffset=alt.YOffset(f"{within[0]}:N", sort=within[1]),
    )
