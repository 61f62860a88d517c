"""The figures of Theorem 4.1, its bound and where that is lost: drawn on the Design page, and taken
home."""

from functools import partial

from explorer.pages.design.chart_losses import losses_chart
from explorer.pages.design.chart_theory import bound_chart
from explorer.pages.design.view_losses import LEGEND, LossesView
from explorer.pages.design.view_theory import FORMS, TheoryView
from explorer.spec import CouplingSpec, spec_id
from explorer.theory.bound import Form
from explorer.ui.exports import About, Build, of_design

EXPLAINED = (
    r"$\sum_t|H_t-\hat H_t|\le\tau^2C_0\,(C_1/m_h^{2\alpha-1}+C_2(m_h)\,m_h^{\beta+1}/"
    r"\mathrm{m}_{FF}^{\beta})$ (Theorem 4.1, Eq. 17), against $m_h$ at a fixed width of the "
    "feed-forward networks, and along all pairs of widths that a budget of parameters allows."
)
LOST = (
    "The steps of the proof (App. A.3, Eqs. 33 to 52), each from what stands on its left to what "
    r"stands on its right, in the norm $\int\sum_t|H_t-\hat H_t|\,d\mathbf x$ of Theorem 4.1: the "
    "factors multiply to bound over error. The coupling's part is followed with exact networks, "
    "both sides of each step on the sequences of truncation or by the POD; networks are then added "
    "as near as Barron's theorem says that some are. With a, a_m the weights by ρ and by its first "
    "m_h terms. Eq. 50's sup|f| is taken out before Eq. 42, which with |f(x_s)| inside need not "
    "hold."
)
UNIT = "y, summed over t"


def figure(spec: CouplingSpec, view: TheoryView) -> tuple[Build, str, About]:
    """How it is drawn, its key on the page, and what its files say."""
    solid = f"; solid: with {view.along['line'].iloc[0]}" * bool(len(view.along))
    read = f"the coupling's term {FORMS[view.form]}; dotted: m_FF fixed{solid}"
    about = About(
        f"{spec_id(spec)}-theorem",
        "Theorem 4.1: the bound against m_h",
        "\n".join([of_design(spec), read, *view.marked()]),
        view.data(),
        EXPLAINED,
        dict.fromkeys(("bound", "first", "second"), UNIT),
    )
    drawn = view.table, view.along, view.points, view.trivial
    return partial(bound_chart, *drawn), "bound", about


def figure_of_losses(spec: CouplingSpec, view: LossesView, form: Form) -> tuple[Build, str, About]:
    """The same of the steps of its proof."""
    about = About(
        f"{spec_id(spec)}-losses",
        "Theorem 4.1: where the bound is lost",
        "\n".join([of_design(spec), f"the coupling's term {FORMS[form]}"]),
        view.table,
        LOST,
        dict.fromkeys(("before", "after"), UNIT),
    )
    return partial(losses_chart, view.table, view.trivial, LEGEND), "losses", about
