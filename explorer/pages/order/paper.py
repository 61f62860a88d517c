"""What the Order page says beyond its picture: propositions, tables, filters, content, mixing. Each
is a line, with what stands behind it unfolded."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import streamlit as st

from explorer.charts.tables import table_chart
from explorer.coupling import FormulaError
from explorer.pages.order import mixing as order_mixing
from explorer.pages.order import race as order_race
from explorer.pages.order import view, view_pieces
from explorer.pages.order import view_architectures as remembered
from explorer.pages.order import view_memory_functions as functions
from explorer.pages.order import view_mixing as mixing
from explorer.pages.order import view_shipped as order_shipped
from explorer.pages.order import view_trained as known
from explorer.pages.order.chart import errors_chart, pieces_chart, units_chart
from explorer.pages.order.chart_architectures import (
    LINE,
    memory_functions_chart,
    parameters_chart,
    spectrum_chart,
)
from explorer.pages.order.view_architectures import errors, spectra
from explorer.pages.order.view_kinds import VIEWS
from explorer.spec import AlterableSpec, AnySpec, CouplingSpec, LinearSpec, SpecError, spec_id
from explorer.spec.fields import of_each
from explorer.targets import PRESETS
from explorer.theory.propositions import Verdict
from explorer.ui import address, chrome, controls, selection, shown_run, specs
from explorer.ui.callbacks import uninterrupted
from explorer.ui.exports import About, menu, of_design
from explorer.views.selection import Mixing

REMEMBERS = "Which architecture remembers it?"
MIXING = "Mix a coupling by hand, and undo it"
ERRORS = "remembered errors"
PIECES = "Pieces of φ_k on the intervals of tokens (Eqs. 7, 89, 90)"
WITH_CONVOLUTION = "asset-order-filter-conv"


MARKS = {"observed": "✓ observed", "disagrees": "✕ disagrees"}
"""Labels of propositions that have one."""


def propositions(
    spec: AlterableSpec, trained: Sequence[known.Known], verdicts: Sequence[Verdict]
) -> None:
    """The propositions, measures, units an RNN needs: they follow what is being trained."""
    if spec.filter is not None:
        chrome.note(view.convention(spec))
    labels = [f"**Prop. {each.name}** {MARKS.get(each.label, each.label)}" for each in verdicts]
    sentences = (
        f"{label}: {verdict.sentence}" for label, verdict in zip(labels, verdicts, strict=True)
    )
    chrome.in_short(" · ".join(labels), "\n\n".join(sentences))
    controls.folded("Tables 2 and 3, measured beside printed", _tables)
    for title, panel in TABLES[spec.target].items():
        controls.folded(title, panel, spec, trained)


def details() -> None:
    """Filters of each sign, content queries, mixing: what does not change with the target. Folded,
    but where a link says how a coupling is mixed."""
    if selection.is_asked(Mixing):
        controls.unfold(controls.PAPER, MIXING)
    controls.folded(controls.PAPER, _details)


def _details() -> None:
    st.subheader("Is a signed filter harder than a positive one?", anchor=False)
    _signs()
    st.subheader("Does another order leave a coupling as easy? (Prop. 6.2)", anchor=False)
    _content()
    st.subheader("How does mixing move a spectrum? (App. D.3)", anchor=False)
    chrome.in_short(mixing.D3_LINE, mixing.D3_NOTE)
    controls.folded(MIXING, order_mixing.panel)


def _tables() -> None:
    footer = "trained, medians; floors computed · assets/order-table*.csv"
    _table(
        order_shipped.tables(), "order-tables", "Tables 2 and 3, measured beside printed", footer
    )
    st.caption(f"{order_shipped.printed_rnns()} {order_shipped.printed_filter()}")
    st.code("python -m explorer reproduce table2", language=None)


def _table(table: Any, name: str, title: str, footer: str) -> None:
    """A table, whole, with its export menu."""
    menu(partial(table_chart, table), title, About(name, title, footer, table))
    st.dataframe(table, hide_index=True, height="content", alt=title)


def _measures(spec: LinearSpec, trained: Sequence[known.Known]) -> None:
    name, footer = f"{spec_id(spec)}-measures", of_design(spec)
    _table(view.measures(spec), name, "Complexity measures", footer)
    chrome.note(
        "Eq. 76 as printed has 1 + γ; then C_RNN ≥ (1 + γ)|ρ(0)|, and C_RNN ≤ γ of Prop. 6.3 never "
        "holds where ρ(0) = 1. The corrected reading is C₁ = γ. γ is that of the family; of a "
        "formula it is a straight line through log|ρ| on the window. An order, or a filter that "
        "reads ahead, leaves no kernel: ∞."
    )


def _units_chart(key: str, about: About, title: str, column: str, name: str) -> None:
    """Errors against units; said where all are 0, as of a kernel that one state holds."""
    if about.table.empty:
        st.markdown(f"**{title}**: 0 from one state on, which no log axis shows.")
        return
    chrome.chart(partial(units_chart, about.table, column, name), key, about, f"**{title}**")


def _units(spec: LinearSpec, trained: Sequence[known.Known]) -> None:
    errors, law = view.states(spec, trained)
    left, right = st.columns(2)
    footer = of_design(spec).replace("not trained", "but for the trained RNNs")
    with left:
        about = About("rnn-units", "RNN error against hidden units", footer, errors)
        _units_chart("rnn units", about, "MSE against units", "mse", "MSE")
    with right:
        about = About("rnn-law", "L¹ error of the kernel beside App. D.1", footer, law)
        _units_chart("rnn law", about, "L¹ error", "error", "L¹ error")
    chrome.note(
        "The best kernel of n exponentials is searched by variable projection; what no kernel of "
        "n states can be below is Eckart and Young's bound on its Hankel matrix. In the norm "
        "Σ|k̂ − ρ|, which bounds mean |ŷ − y|, n states that keep the first n taps leave "
        r"$\sum_{s\ge n}|\rho(s)|$: a bound on the least error. $d\,C_\mathrm{RNN}/m$ of App. D.1 "
        "is none: it leaves out a constant factor, and kernels of signed filters lie above it. "
        r"C_RNN here is $\min_\beta\beta\max_t e^{t/\beta}|\rho(t)|$ over the window, finite for "
        "every kernel. Every trained RNN is a point, one for each seed, those of a sweep "
        "on this target among them."
    )
    st.code("python -m explorer sweep order-units-power", language=None)


def _architectures(spec: LinearSpec, trained: Sequence[known.Known]) -> None:
    error = selection.current().remembered
    controls.picture(
        "remembered",
        st.select_slider,
        "error, a share of ‖ρ‖²",
        sorted({*remembered.ERRORS, error}, reverse=True),
        format_func=lambda share: f"{100 * share:g} %",
    )
    chrome.text(f"{remembered.sentence(spec, error)} {remembered.fewest(spec, error)}")
    table, name = errors(spec), f"{spec_id(spec)}-architectures"
    about = About(name, "Error of each architecture against parameters", of_design(spec), table)
    heading = "**Error against parameters**, dashed: no model is below; drag the line"
    chrome.chart(partial(parameters_chart, table, error), ERRORS, about, heading, _dragged)
    sizes = remembered.sizes(spec, error)
    st.dataframe(sizes, hide_index=True, height="content", alt="Sizes for this error")
    chrome.note(f"{remembered.READING} {remembered.notes(spec)}")
    _spectra(spec)
    st.code(f"python -m explorer architectures SPEC.json --error {error:g}", language=None)
    st.subheader("Race them", anchor=False)
    order_race.panel(spec, error)
    controls.folded("Memory functions with α, raced", _memory_functions)


def _memory_functions() -> None:
    """The shipped race: the memory functions of the author's benchmark at equal parameters."""
    table = functions.shipped()
    about = About("memory-functions", "Memory functions with α, raced", functions.FOOTER, table)
    chart = partial(memory_functions_chart, table)
    chrome.chart(chart, "memory functions", about, "**Error against α**, medians of the seeds")
    chrome.text(functions.sentence(table))
    chrome.note(functions.beside_the_abstract(table))
    st.code("python -m explorer reproduce memory-functions --out DIR", language=None)


@uninterrupted
def _dragged() -> None:
    """The reader let go of the line."""
    for place in st.session_state[ERRORS]["selection"].get(LINE) or ():
        selection.change(remembered=place.get("share"))


def _spectra(spec: LinearSpec) -> None:
    """What says how large each must be, two beside each other."""
    columns = st.columns(2)
    for i, (title, table) in enumerate(spectra(spec).groupby("panel", sort=False)):
        about = About(f"{spec_id(spec)}-spectrum-{i + 1}", str(title), of_design(spec), table)
        with columns[i % 2]:
            chrome.chart(partial(spectrum_chart, table), f"spectrum {i}", about, f"**{title}**")


def _pieces(own: CouplingSpec, spec: AlterableSpec) -> None:
    k = st.segmented_control(
        "term k", range(1, view_pieces.TERMS + 1), default=1, required=True, key="piece of"
    )
    try:
        pieces = view_pieces.moved(specs.design(own), spec, k or 1)
    except (SpecError, FormulaError) as error:
        chrome.text(f"No pieces: {error}")
        return
    about = About("pieces", f"Pieces of φ_{k} on 𝓘_t", f"spec {spec_id(own)}", pieces.table)
    title = rf"**Pieces of $\phi_{k}$** on the intervals of encoded tokens, grey as designed"
    chrome.chart(partial(pieces_chart, pieces.table), "pieces", about, title)
    chrome.text(pieces.sentence)


TABLES: dict[str, dict[str, Callable[[Any, Sequence[known.Known]], None]]] = of_each(
    "tables of alterable targets",
    VIEWS,
    {
        "linear": {
            REMEMBERS: _architectures,
            # It has no coupling: that of the Design page goes along with its order.
            PIECES: lambda spec, trained: _pieces(specs.of_couplings(), spec),
            "Complexity measures C₁, C₂, C_RNN (Eq. 76 to 78)": _measures,
            "RNN error against hidden units (App. D.1)": _units,
        },
        "coupling": {PIECES: lambda spec, trained: _pieces(spec, spec)},
    },
)
"""What is folded below the propositions, by the target."""


def _signs() -> None:
    signs = order_shipped.signs()
    chrome.in_short(signs.line, f"{signs.sentence}\n\n{signs.convolution}")
    st.button(
        "A signed filter, with and without",
        icon=":material/compare_arrows:",
        key="show convolution",
        on_click=_show_convolution,
        disabled=not shown_run.is_shipped(WITH_CONVOLUTION),
        help="The same filter, learned with a convolution in front and without one.",
    )
    controls.folded("Every trained model, a point each", _points, signs)


@uninterrupted
def _show_convolution() -> None:
    _bring(shown_run.shipped_row(WITH_CONVOLUTION).spec)


def _bring(spec: AnySpec) -> None:
    """Another target, asked for further down the page: its pictures come into view."""
    specs.replace(spec, run=None, at=None)
    chrome.bring("order picture")


def _points(signs: order_shipped.Signs) -> None:
    about = About("order-filters", "Filters of each sign", signs.footer, signs.points)
    chart = partial(errors_chart, signs.points, signs.marks, height=230)
    chrome.chart(chart, "order filters", about, "**1 − R²**, a point each trained model")


def _content() -> None:
    chrome.in_short(order_shipped.content_line(), order_shipped.content())
    with st.container(horizontal=True):
        st.button(
            "Alter this coupling here",
            icon=":material/swap_horiz:",
            key="alter coupling",
            on_click=alter,
            args=(PRESETS["prop62"][1],),
        )
        st.button(
            "Alter that of the Design page",
            icon=":material/swap_horiz:",
            key="alter design",
            on_click=alter,
        )


@uninterrupted
def alter(spec: CouplingSpec | None = None) -> None:
    """Show an altered coupling: this one, or that of the Design page in reverse order."""
    _bring(spec or address.altered(specs.of_couplings()))
