"""σ_k that walk to their places as more tokens are drawn."""

from __future__ import annotations

from explorer.charts import Palette
from explorer.charts.axes import counts, log_axis, with_column
from explorer.charts.marks import banded, looks, tips
from explorer.slow import alt, pd

HEIGHT = 320


def walking_chart(table: pd.DataFrame, palette: Palette) -> alt.LayerChart:
    """Each σ_k against τ, a band of the draws about its line, and a dotted line where it goes.

    `table` has tau, k, median, low, high, exact.
    """
    shown = table.assign(term="k = " + table["k"].astype(str))
    shown[["low", "median"]] = shown[["low", "median"]].clip(lower=table["exact"].min() / 30)
    names = shown["term"].unique()
    channels = looks("term", names, columns=6, color=palette.categories)
    tau = sorted(shown["tau"].unique().tolist())
    scale = alt.Scale(type="log", nice=False, domain=[tau[0] / 1.1, tau[-1] * 1.1])
    x = alt.X("tau:Q", title="τ, tokens", scale=scale, axis=counts(tau))
    every = pd.concat([shown[name] for name in ("low", "high", "exact")])
    y = log_axis(alt.Y, "median", "σₖ", every)
    rules = (
        alt.Chart(shown.drop_duplicates("k"))
        .mark_rule(strokeDash=[2, 3], strokeWidth=1.6)
        .encode(with_column(y, "exact"), color=channels["color"])
    )
    tip = tips("term:N", tau="d", median=".3~g", low=".3~g", high=".3~g", exact=".3~g")
    return alt.layer(*banded(shown, x, y, 36, tooltip=tip, **channels), rules).properties(
        height=HEIGHT
    )
