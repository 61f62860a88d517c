"""The figures of the Memory page: of the run shown, and of what is known of depth, heads and
encodings; each as it stands on the page and as its files have it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from explorer.pages.attention.chart import layers_chart
from explorer.pages.memory import chart as charts
from explorer.pages.memory import view
from explorer.pages.memory import view_kernels as kernels
from explorer.pages.memory import view_tables as tables
from explorer.pages.memory.view_kinds import view_of
from explorer.pages.runs import figures as run_figures
from explorer.pages.runs.view import signature
from explorer.runs.record import Record
from explorer.slow import pd
from explorer.spec import MemorySpec, narrowed
from explorer.targets.memory.falling import Kernel
from explorer.ui.exports import About, Build
from explorer.ui.selection import Remembering
from explorer.views.pictures import entries, stacked

Figure = tuple[Build, About]
PAPER = "arXiv 2402.00522"
COMPUTED = "computed, not trained"


def of_run(
    record: Record, step: int | None = None, pins: Mapping[str, Record] | None = None
) -> dict[str, Figure]:
    """Error of a run and of those beside it; of the run at the kept step, or the last, where every
    layer looks, or the kernel that heads alone have learned."""
    runs = [record, *(pins or {}).values()]
    specs = [narrowed(each.spec, MemorySpec) for each in runs]
    known = [view_of(spec).least(spec) for spec in specs]
    dashed = " and ".join(dict.fromkeys(label for _, label in known if label))
    floors = [floor for floor, _ in known]
    figures = {"error": run_figures.errors(runs, floors, f"{dashed}, known without training")}
    steps = record.snapshot_steps
    if not len(steps):
        return {}
    at = step if step is not None and step in steps else int(steps[-1])
    _, picture = record.snapshot(at)
    if "kernel" in picture:
        return figures | {"kernel": _kernel(record, at, picture)}
    return figures | {"layers": _layers(record, at, picture)}


def _layers(record: Record, step: int, picture: Mapping[str, Any]) -> Figure:
    weights = np.asarray(picture["attention"]).max(axis=1)  # (layers, τ, τ)
    table = pd.DataFrame(entries(weights, "layer", "t", "s", "weight"))
    table["layer"] += 1
    table = table[table["s"] <= table["t"]]
    return _figure(
        partial(layers_chart, table),
        f"{record.row.run}-layers",
        "Attention of every layer",
        signature([record.row], step),
        table,
        "The strongest weight of any head of a layer, $\\max_h A^{(l,h)}_{ts}$, on one sequence.",
    )


def _kernel(record: Record, step: int, picture: Mapping[str, Any]) -> Figure:
    s = np.arange(1, len(picture["kernel"]) + 1)
    parts = {"ρ": picture["kernel"], "κ, learned": picture["kernel_hat"]}
    table = stacked("of", {name: {"s": s, "value": values} for name, values in parts.items()})
    table = table[["of", "s", "value"]]
    return _figure(
        partial(charts.kernel_chart, table),
        f"{record.row.run}-kernel",
        "The kernel and what was learned of it",
        signature([record.row], step),
        table,
        r"$\kappa(s)=\sum_h c_h\,\mathrm{softmax}_s(p_h\varphi(s))$.",
    )


def heads(own: pd.DataFrame | None = None) -> Figure:
    """Measured error against heads, and the exact line."""
    cells, seeds = tables.heads(), tables.shipped("memory-heads")
    assert seeds is not None
    if own is not None and len(own):
        cells = pd.concat([cells, tables.cells(own, "heads")], ignore_index=True)
        seeds = pd.concat([seeds, own])
    return _figure(
        partial(charts.heads_chart, cells, tables.heads_line()),
        "memory-heads",
        "Error against heads of y_t = b_{t−x_t}",
        tables.signature(seeds),
        cells,
        "One layer, $b$ normal, $x_t$ uniform in $1,\\dots,4$: medians, bars from the least of the "
        "seeds to the greatest. $H$ heads whose weights hang on distances alone leave at least "
        "$1-H/V$.",
    )


def encodings(kernel: Kernel, count: int) -> Figure:
    """Error against heads of both encodings: the best, and where they were trained, each seed."""
    best = kernels.errors(kernel)
    trained = tables.encodings(kernel.fall) if kernel.trained_beforehand else None
    parts = [best.assign(what=charts.BEST)]
    if trained is not None:
        what = trained["how"].map(charts.TRAINED)
        parts = [trained.drop(columns="best").assign(what=what), *parts]
    return _figure(
        partial(charts.encodings_chart, trained, best, count),
        f"memory-encodings-{kernel.fall}",
        f"Log and lin heads for {kernel.words}",
        "best: variable projection" + "; trained: seeds 0..4" * (trained is not None),
        pd.concat(parts, ignore_index=True),
        r"$\min\|\rho-\kappa\|^2/\|\rho\|^2$ over $\kappa(s)=\sum_{h\le H}c_h e^{p_h\varphi(s)}$, "
        r"1000 lags." + TRAINED_SO * (trained is not None),
    )


TRAINED_SO = (
    " Trained by Adam from random $p$ and $c$, each cell at the best of a few learning rates: "
    r"plain, or normalised, with $\mathrm{softmax}_s(p_h\varphi(s))$ in the place of the "
    r"exponential and $c$ in units of $\sum_s\rho(s)$."
)


def kernel(target: Kernel, count: int) -> Figure:
    """A kernel and the best approximations by so many heads."""
    table = kernels.curves(target, count)
    return _figure(
        partial(charts.kernel_chart, table),
        f"memory-kernel-{target.fall}-{count}",
        f"{target.words} by {count} head{'s' * (count > 1)}",
        COMPUTED,
        table,
        r"$\varphi_\mathrm{log}(s)=-\log s$, $\varphi_\mathrm{lin}(s)=-s$.",
    )


def jumps(trained: pd.DataFrame | None) -> Figure:
    """Layers against jumps with what is enough, and what was trained, if anything."""
    enough = tables.bounds()
    cells = pd.DataFrame(columns=["of", "layers", "jumps", "seeds", "low", "high"])
    if trained is not None:
        rows = trained[trained["jumps"].notna()]
        cells = tables.cells(rows, "layers")
        jumps_of = rows.drop_duplicates("of").set_index("of")["jumps"]
        cells = cells.assign(jumps=cells["of"].map(jumps_of))
    return _figure(
        partial(charts.jumps_chart, cells, enough),
        "memory-jumps",
        "Jumps that layers can follow",
        f"{int(cells['seeds'].min())} seeds, 4 heads" if len(cells) else COMPUTED,
        pd.concat([cells, enough], ignore_index=True),
        "Enough for $K$ jumps: $K+1$ layers (Theorem 4.4), by doubling "
        r"$\lceil\log_2(K+1)\rceil$. With more heads one layer is enough, too.",
    )


def depth(rows: pd.DataFrame) -> Figure:
    """Error against layers, each seed."""
    cells = tables.cells(rows, "layers")
    return _figure(
        partial(charts.outcomes_chart, rows, cells, "layers", "L, layers"),
        "memory-depth",
        "Error against layers",
        tables.signature(rows),
        rows[["of", "layers", "heads", "seed", "nmse"]],
        "Each seed a dot, lines through their medians; 4 heads, 4000 steps, each depth at the "
        "better of the learning rates tried.",
    )


def known(spec: MemorySpec, now: Remembering) -> dict[str, Figure]:
    """All that stands below the run, as the reader has chosen it."""
    deep, law = tables.depth(), view.rates(spec, now.order, now.encoding)
    return {
        "jumps": jumps(deep),
        **({} if deep is None else {"depth": depth(deep)}),
        "heads": heads(),
        "encodings": encodings(now.kernel, now.count),
        "best": kernel(now.kernel, now.count),
        **(rates(law, spec.target) if law else {}),
    }


def rates(rate_map: view.Rates, target: str) -> dict[str, Figure]:
    """The map of the attention's part, and with the part of the network behind it."""
    attention = _figure(
        partial(charts.rates_chart, rate_map.attention, rate_map.axis, rate_map.here),
        f"memory-rates-{target}",
        f"{rate_map.statement.name}: heads against {rate_map.axis}",
        COMPUTED,
        rate_map.attention,
        f"${rate_map.formula}$, over $C(n)$, which the paper leaves open.",
    )
    whole = _figure(
        partial(charts.rates_chart, rate_map.whole, "m", None),
        f"memory-rates-width-{target}",
        f"{rate_map.statement.name}: heads against width",
        COMPUTED,
        rate_map.whole,
        r"$\mathcal E_\mathrm{FFN}+\mathcal E_\mathrm{attn}$ with $m^{-1/2}$ and all constants 1.",
    )
    return {"rates": attention, "width": whole}


def _figure(
    build: Build, name: str, title: str, footer: str, table: pd.DataFrame, explain: str
) -> Figure:
    return build, About(name, title, f"{footer} · {PAPER}", table, explain)
