"""What a reader takes home: figures as SVG, PNG, PDF and CSV, and a run as a whole.

Every file is made when its button is pressed, on a thread of its own; what stands in a menu is
made when the menu is opened. A page's rerun pays for neither.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

import altair as alt
import pandas as pd
import streamlit as st

from explorer.charts import LIGHT, Palette
from explorer.charts import train as charts
from explorer.charts.export import MIME, csv, export
from explorer.runs.record import Record
from explorer.spec import Spec, full_json, spec_id
from explorer.ui import registry
from explorer.views import pictures
from explorer.views.runs import signature

PICTURES = ("svg", "png", "pdf")
EXPLAINED = {
    "error": (
        "Error against step",
        r"$\mathrm{nMSE}=\mathbb E|y-\hat y|^2/\mathrm{Var}(y)$ with $y=H(x)$ of Eq. 8. The line "
        "is the loss of each fresh training batch, the dots are evaluations on other sequences. "
        r"Dashed: what the first $m_h$ terms of the centred POD leave (Eq. 10), an upper bound on "
        "the best error of that width; training may go below it.",
    ),
    "spectrum": (
        "Singular values, designed and learned",
        r"Hollow: $\sigma_k$ of the centred $\rho(u,v)=\sum_k\sigma_k\phi_k(u)\psi_k(v)$ (Eq. 10). "
        r"Filled: $\hat\sigma_k$ of $\hat\rho(u,v)=\langle W_Q\hat f(u),W_K\hat f(v)\rangle$, of "
        r"which there are at most $m_h$ (Eq. 18).",
    ),
    "angles": (
        "Angles between learned and designed subspaces",
        r"Between the spans of $\hat\phi_1,\dots,\hat\phi_k$ and $\phi_1,\dots,\phi_k$, and of "
        r"$\hat\psi$ and $\psi$ (Eq. 10), the larger one. Where $\sigma_k=\sigma_{k+1}$ the "
        "functions of a tie can be turned into each other, and no angle is given.",
    ),
    "attention": (
        "Attention on the example sequence",
        r"$\mathrm{softmax}[\rho(x_t,x_\cdot)](s)$ of Eq. 8, the same with $\hat\rho$ as bars.",
    ),
    "coupling": (
        "Coupling, designed and learned",
        r"$\rho$, $\hat\rho$ and $\hat\rho-\rho$ on one scale, each less its mean over $v$, which "
        "softmax cannot see (Eq. 8).",
    ),
}
"""Title of a figure of a run, and what it draws: the equation and where the paper has it."""
Build = Callable[[Palette], alt.TopLevelMixin]


@dataclass(frozen=True, eq=False)
class About:
    """What a figure's files say beside its curves.

    `name` begins the files' names; `table` is the tidy data and `units` has the unit of a column;
    `explain` is Markdown: the equation that is drawn and where the paper has it.
    """

    name: str
    title: str
    footer: str
    table: pd.DataFrame
    explain: str = ""
    units: Mapping[str, str] = field(default_factory=dict)


def of_design(spec: Spec) -> str:
    """The footer of a figure that needed no training."""
    return f"spec {spec_id(spec)} · computed, not trained"


@st.fragment
def menu(build: Build, key: str, about: About, heading: str = "") -> None:
    """A figure's heading (Markdown) and its quiet menu; `build` draws it in any palette.

    A fragment: to open the menu reruns nothing else.
    """
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(heading, width="stretch")
        popover = st.popover(
            "Export", icon=":material/more_horiz:", type="tertiary", key=f"menu {key}",
            on_change="rerun",
        )  # fmt: skip
    if not popover.open:
        return
    with popover:
        if about.explain:
            st.markdown(about.explain)
        figure_buttons(build, key, about)


def figure_buttons(build: Build, key: str, about: About, title: str = "") -> None:
    makers = {kind: partial(_picture, build, kind, about) for kind in PICTURES}
    makers["csv"] = partial(csv, about.table, about.units)
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        if title:
            st.markdown(title, width="stretch")
        for kind, make in makers.items():
            st.download_button(
                kind.upper(), make, f"{about.name}.{kind}", MIME[kind], key=f"{kind} {key}",
                on_click="ignore", type="tertiary" if title else "secondary",
            )  # fmt: skip


def _picture(build: Build, kind: str, about: About) -> bytes:
    return export(build(LIGHT), kind, title=about.title, footer=about.footer)


@st.fragment
def run_menu(
    record: Record,
    figures: Callable[[], Mapping[str, tuple[Build, About]]],
    *,
    stored: bool = True,
    label: str = "Take home",
    inline: bool = False,
) -> None:
    """Everything of one run: its figures, their data, specification, archive, command line.

    `figures` makes its figures by name, once the menu is open. A run that is not `stored` is a
    shipped one. An `inline` menu opens in the page, where specification and command line stand
    beside it.
    """
    row = record.row
    kind = st.expander if inline else st.popover
    place = kind(label, icon=":material/download:", key=f"take home {row.run}", on_change="rerun")
    if not place.open:
        return
    with place:
        with st.container(horizontal=True, gap="small"):
            if not inline:
                _spec_button(record)
            _zip_button(record, stored)
        if not inline:
            st.caption("The command line that gives the same numbers")
            st.code(f"python -m explorer train {row.spec_id}.json", language=None)
        for name, (build, about) in figures().items():
            figure_buttons(build, f"{name} {row.run}", about, about.title)


def _spec_button(record: Record) -> None:
    row = record.row
    st.download_button(
        "Specification (JSON)", full_json(record.spec), f"{row.spec_id}.json",
        "application/json", key=f"json {row.run}", on_click="ignore",
    )  # fmt: skip


def _zip_button(record: Record, stored: bool) -> None:
    row = record.row
    running = stored and row.status == "running"
    st.download_button(
        "Run (zip)", partial(archived, record, stored), f"{row.run}.zip", "application/zip",
        key=f"zip {row.run}", on_click="ignore", disabled=running,
        help="Pause or stop it first." if running else
        "Specification, curves, pictures and checkpoint. The Runs page and "
        "`python -m explorer runs import` read it.",
    )  # fmt: skip


def archived(record: Record, stored: bool = True) -> bytes:
    """The archive of a run, as it is in the store now, or of a shipped one."""
    from explorer.runs import archive

    return stored_archive(record.row.run) if stored else archive.dump(record, None, None)


def stored_archive(run: str) -> bytes:
    """The archive of a run of the store; raises RunError while it is running."""
    from explorer.runs import archive

    return archive.export(registry.store(), run)


def figures(
    record: Record, scene: pictures.Scene | None, step: int | None = None
) -> dict[str, tuple[Build, About]]:
    """How each figure of a run of a coupling is drawn, and what its files say.

    The pictures are those of the last one kept up to `step`. Without a `scene` (its grid is not
    here) there are none.
    """
    if scene is None:
        return {}
    header, arrays = scene
    at = pictures.picture_step(record, step)
    errors = pictures.curve_table(record)
    attention = pictures.attention_table(record, scene, step)
    angles = pictures.angles_table(record, step)
    coupling = pictures.coupling_table(record, scene, step)
    floor, t, cells = header["floor"], header["example_t"], len(arrays["rho"])
    found = {
        "error": (
            lambda p: charts.error_chart(errors, floor, header["floor_label"], p),
            _about(record, "error", errors, None, {"error": "Var(y)"}),
        ),
        "spectrum": spectrum(record, scene, step=step),
        "angles": (
            lambda p: charts.angles_chart(angles, p),
            _about(record, "angles", angles, at, {"angle": "degrees"}),
        ),
        "attention": (
            lambda p: charts.attention_chart(attention, t, p),
            _about(record, "attention", attention, at),
        ),
        "coupling": (
            lambda p: charts.coupling_chart(coupling, cells, p),
            _about(record, "coupling", coupling, at),
        ),
    }
    return {name: (build, about) for name, (build, about) in found.items() if len(about.table)}


def spectrum(
    record: Record,
    scene: pictures.Scene,
    beside: pd.DataFrame | None = None,
    step: int | None = None,
) -> tuple[Build, About]:
    """The spectra of a run, on axes that hold those of the table `beside` too."""
    table, m_h = pictures.spectrum_table(record, scene, step), record.spec.m_h
    about = _about(record, "spectrum", table, pictures.picture_step(record, step))
    return lambda p: charts.spectrum_chart(table, m_h, p, beside), about


def _about(
    record: Record,
    name: str,
    table: pd.DataFrame,
    step: int | None,
    units: Mapping[str, str] | None = None,
) -> About:
    title, explain = EXPLAINED[name]
    return About(
        f"{record.row.run}-{name}", title, signature([record.row], step), table, explain,
        units or {},
    )  # fmt: skip
