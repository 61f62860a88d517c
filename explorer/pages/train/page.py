"""The Train page: how a coupling is learned, a run that learns it, its picture, its verdict."""

from collections.abc import Mapping
from functools import partial

import streamlit as st

from explorer.pages.design.view import cliff_of, final_nmse
from explorer.pages.runs.view import beside
from explorer.pages.train import more, view
from explorer.pages.train.chart import apart_chart
from explorer.pages.train.view_apart import apart_said, apart_view, is_apart
from explorer.runs.database import StoreError
from explorer.runs.record import Record, RunRow
from explorer.spec import CouplingSpec, amended, coupling_spec, design_fields
from explorer.targets.coupling.presets import HEAD_START
from explorer.targets.shipped import RUNS
from explorer.theory.design import Design
from explorer.ui import (
    address,
    chrome,
    controls,
    here,
    mathematics,
    owner,
    registry,
    shown_run,
    specs,
    transport,
)
from explorer.ui.callbacks import uninterrupted
from explorer.ui.components import live
from explorer.ui.exports import About
from explorer.ui.owner import Owner
from explorer.ui.part import part
from explorer.ui.topics import figures_of
from explorer.ui.words import escape_markdown, told
from explorer.views import anew, first_move
from explorer.views.equations import HEAD, TARGET
from explorer.views.glossary import explained, typeset
from explorer.views.settings import differing_fields
from explorer.views.text import number

PICTURE = "run picture"
STEPS = (300, 600, 1000, 1200, 2000, 5000, 20_000)


def controls_of(spec: CouplingSpec) -> None:
    """How the target is learned; the rest under "More"."""
    controls.field(
        "m_h", st.slider, "m_h, width of queries and keys", 1, view.OFFERED, help=explained("m_h")
    )
    controls.choice(
        "steps",
        "steps",
        STEPS,
        help=r"One step is one batch of sequences; its loss is "
        r"$\mathrm{mean}\,|y-\hat y|^2/\mathrm{Var}(y)$ with $y=H(x)$ of Eq. 8.",
    )
    controls.field(
        "seed",
        st.number_input,
        "seed",
        0,
        2**31 - 1,
        step=1,
        help=explained("seed", more="On the CPU of one machine; a law needs several seeds."),
    )
    _recipe(spec)
    controls.folded("More", more.fields)


def _recipe(spec: CouplingSpec) -> None:
    controls.draw(
        st.segmented_control,
        "recipe",
        view.recipe_of(spec),
        "recipe",
        list(view.RECIPES),
        on_change=_follow,
        width="stretch",
        help=explained(
            "printed",
            more="*improved* is a recipe that reaches the cliff, *the paper's* that of App. C. The "
            "coupling stays as it is: the half shift of $\\psi_k$ is chosen there.",
        ),
    )
    _caution(spec)


def _caution(spec: CouplingSpec) -> None:
    """What a width that is just enough is in for; of a coupling that can be built, where it is."""
    try:
        caution = view.at_the_cliff(specs.design(spec))
    except specs.REFUSED:  # the page says so where its picture would be
        return
    if caution:
        chrome.note(caution)
        st.button("Give a head start", key="head start", on_click=_start_ahead)


@uninterrupted
def _start_ahead() -> None:
    specs.change({"head_start": HEAD_START})


@uninterrupted
def _follow() -> None:
    if recipe := st.session_state["recipe"]:
        protocol = view.RECIPES[recipe]
        specs.change({name: getattr(protocol, name) for name in view.PROTOCOL})


@part
def main_panel() -> None:
    """Question, buttons, picture, verdict and what to take home.

    A fragment: a turn of the run redraws only this. It reads run and specification itself, since
    its buttons change both; a new run then redraws the page.
    """
    if st.session_state.pop("started", False):
        st.rerun()
    owner_ = owner.of_settings()
    transport.hear(PICTURE, None if here.is_asked() else owner_.run)
    if here.is_asked():
        return _not_trained(Owner(owner_.settings), specs.of_couplings())
    if owner_.run and owner_.row:
        _run(owner_, owner_.run, owner_.row)
    else:
        _not_trained(owner_, specs.of_couplings())


def _not_trained(owner_: Owner, spec: CouplingSpec) -> None:
    """What is to be learned, before anybody but the reader's browser has trained it."""
    design = specs.design(spec)
    buttons = partial(transport.buttons, train=_train(spec), rest=partial(_where, spec))
    chip = here.BROWSER if here.is_asked() else owner_.chip
    transport.head(chip, action=partial(buttons, None, None))
    stream = transport.stream(PICTURE, None, None, t=shown_run.selected_step_and_token()[1])
    offer = here.asked(design) if here.offer_in_files(design) and here.is_asked() else None
    live(stream, view.drawing(design), offer, key=PICTURE)
    chrome.verdict(view.expected(design), lines=2)
    examples(owner_)
    mathematics.fold(partial(_honest, specs.of_couplings(), design), formulas=(HEAD, TARGET))
    chrome.take_home(spec, anew.of_run(spec))


def _run(owner_: Owner, run: str, row: RunRow) -> None:
    """A run, at work or at rest, beside a pinned one."""
    pins = shown_run.pinned(run)
    steer = partial(
        transport.buttons,
        run,
        row,
        train=_train(specs.of_couplings()),
        more=partial(_beside_button, run, row, pins),
        rest=partial(_rest, run),
    )
    move = first_move.of_training(row.status, shown_run.is_shipped(run))
    transport.head(owner_.chip, move=move, action=steer)
    step, t = shown_run.selected_step_and_token()
    spec = coupling_spec(row.spec)
    buildable = transport.buildable(row)
    labels = view.labels_of(row, pins)
    _ghosts(labels)
    if buildable:
        beside_it = {pin: (pins[pin], label) for pin, label in labels.items()}
        live(transport.stream(PICTURE, run, row, pins=beside_it, t=t), key=PICTURE)
        here.offer_in_files(specs.design(spec))
        left = {"left": number(nmse)} if (nmse := row.outcome.get("nmse")) else {}
        chrome.verdict(view.verdict(row, specs.design(spec)), lines=2, **left)
        _caught(run, row)
    examples(owner_)
    transport.remarks(row)
    for ghost in pins.values():
        st.caption(escape_markdown(beside(row, ghost)))
    _fold(row, specs.design(spec) if buildable else None)
    transport.take_home(run, row, step, partial(_figures, t=t, pins=labels))


def _beside_button(run: str, row: RunRow, pins: Mapping[str, RunRow]) -> None:
    """One press from a run of one's own to two that can be compared. Not where it is of other
    settings than the reader's: which of them should the second one have?"""
    spec = specs.of_couplings()
    others = not set(differing_fields([row.spec, spec])) <= {"steps"}
    if others or shown_run.is_shipped(run):
        return
    known = {coupling_spec(each.spec).m_h for each in (row, *pins.values())}
    try:
        m_h = view.width_beside(specs.design(spec), known)
    except specs.REFUSED:
        return  # `transport.buildable` says why
    if m_h is not None:
        st.button(
            typeset(f"Add m_h = {m_h}"),
            icon=":material/compare_arrows:",
            key="add beside",
            on_click=transport.start_beside,
            args=(run, amended(spec, m_h=m_h), {"m_h": m_h}),
            help="Train a head of this width, too, and compare: the run shown is pinned.",
        )


def _where(spec: CouplingSpec) -> None:
    here.choice(here.refusal(spec))


def _train(spec: CouplingSpec) -> transport.Start:
    """Where the reader wants to train, as far as a browser can."""
    label = typeset(f"Train at m_h = {spec.m_h} ▸")
    return transport.Start(label, _train_where_chosen)


def _train_where_chosen() -> None:
    spec = specs.of_couplings()
    if here.is_chosen() and not here.refusal(spec):
        here.begin()
    else:
        transport.start_current()


def _rest(run: str) -> None:
    _where(specs.of_couplings())
    transport.pin_button(run)


def _fold(row: RunRow, design: Design | None) -> None:
    facts = view.facts(row)
    facts |= {"device": escape_markdown(facts["device"])}  # a zip may say anything there

    def draw() -> None:
        _honest(coupling_spec(row.spec), design, facts)
        _apart(row)

    mathematics.fold(draw, formulas=(HEAD, TARGET), facts=facts)


def _apart(row: RunRow) -> None:
    """How much of the error is due to which part of the target."""
    if not is_apart(row):
        return
    lines = apart_view(row, shown_run.trained(coupling_spec(row.spec)))
    about = About(f"{row.run}-parts", "Error by part", f"run {row.run}", lines)
    title = "**Which part the error comes from**"
    chrome.chart(partial(apart_chart, lines), "apart", about, title)
    chrome.text(apart_said(lines))


def _honest(
    spec: CouplingSpec, design: Design | None, facts: Mapping[str, str] | None = None
) -> None:
    """Where the error falls by the theory, what of it cannot vanish, and the numbers of a run."""
    chrome.note(view.recipe_note(spec))
    if design:
        for sentence in filter(None, (cliff_of(design), view.below_the_rank(design))):
            chrome.note(sentence)
    if facts:
        chrome.facts(facts)


def _caught(run: str, row: RunRow) -> None:
    """That the run is caught in a local minimum, and what helps as buttons."""
    record = row.step and transport.record_of(run)
    spec = coupling_spec(row.spec)
    caught = view.caught(record, specs.design(spec)) if record else None
    if not caught:
        return
    st.info(caught.text, icon=":material/trending_flat:")
    with st.container(horizontal=True):
        for label, changes in caught.remedies.items():
            changed = amended(spec, **changes)
            whole = changed.model_dump(mode="json")
            st.button(label, key=f"help {label}", on_click=transport.start, args=(changed, whole))


def _ghosts(labels: Mapping[str, str]) -> None:
    """The runs that the one shown is compared with, each to be let go."""
    if not labels:
        return
    with st.container(horizontal=True, key="ghosts"):
        for run, label in labels.items():
            st.button(
                f"{told(label)} ×",
                key=f"unpin {run}",
                icon=":material/keep:",
                type="tertiary",
                on_click=transport.pin,
                args=([each for each in shown_run.pins() if each != run],),
                help="Compare with it no more.",
            )


def _figures(
    record: Record, step: int | None, *, t: int | None, pins: Mapping[str, str]
) -> Mapping:
    """The figures as they are shown: at the step, of the query t, beside the pinned runs."""
    records = {label: transport.record_of(pin) for pin, label in pins.items()}
    return figures_of(record, step, t, {label: pin for label, pin in records.items() if pin})


KEY = "run to see"
TRAINED = 3  # runs of this coupling that are offered


def examples(owner_: Owner) -> None:
    """Where the run shown has other settings than those at the left, both, and the way back to
    one's own; runs to be seen: examples, and where nothing is trained those on this coupling."""
    with st.container(horizontal=True, vertical_alignment="center", key="what is shown"):
        if owner_.apart:
            owner.both(owner_)
            st.button(
                "Show mine",
                key="show mine",
                icon=":material/undo:",
                type="tertiary",
                on_click=_show,
                args=(None,),
                help="The coupling of your settings, its truncation, and what is not learned yet.",
            )
        _others(owner_.run, owner_.row)


def _others(run: str | None, row: RunRow | None) -> None:
    named = {f"asset-{name}": run.label for name, run in RUNS.items() if run.label}
    examples = {name: words for name, words in named.items() if shown_run.is_shipped(name)}
    offered = examples | (_on_this_coupling() if row is None else {})
    controls.draw(
        st.pills,
        KEY,
        run if run in offered else None,
        "runs to see",
        offered,
        format_func=lambda name: typeset(offered[name]),
        on_change=_run_chosen,
        label_visibility="collapsed",
    )


def _on_this_coupling() -> dict[str, str]:
    """The newest runs of the store that have learned all of this coupling, and their errors."""
    spec = specs.of_couplings()
    try:
        rows = registry.store().finished({f: getattr(spec, f) for f in design_fields(spec)})
    except StoreError:
        return {}
    own = [row for row in rows if not coupling_spec(row.spec).known]
    return {
        row.run: f"◆ m_h = {row.spec.m_h}, seed {row.spec.seed}: {number(nmse)}"
        for row in own[:TRAINED]
        if (nmse := final_nmse(row)) is not None
    }


@uninterrupted
def _run_chosen() -> None:
    _show(st.session_state[KEY])


@uninterrupted
def _show(run: str | None) -> None:
    address.set_params(run=run, at=None)
