"""The Attention page: the head of a task under the reader's hands, and what else is known of it."""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import streamlit as st

from explorer.families import ACTIVATIONS
from explorer.pages.attention import chart_learning as charts
from explorer.pages.attention import figures, view
from explorer.pages.attention import view_board as boards
from explorer.pages.attention import view_tables as tables
from explorer.pages.attention import view_without_aux as pairs
from explorer.pages.attention.view_head import Head, ShapeError
from explorer.runs import weights
from explorer.runs.database import StoreError
from explorer.runs.record import RunRow
from explorer.runs.zips import ArchiveError
from explorer.spec import TaskSpec, schema, spec_id, task_spec
from explorer.targets import PRESETS, TASKS, TaskError, task_of
from explorer.theory import tasks
from explorer.ui import (
    address,
    chrome,
    components,
    controls,
    exchange,
    live,
    mathematics,
    owner,
    registry,
    shown_run,
    specs,
    transport,
)
from explorer.ui.address import Linked, Problems
from explorer.ui.awaited import awaited
from explorer.ui.callbacks import uninterrupted
from explorer.ui.exports import About
from explorer.ui.part import part
from explorer.ui.words import as_sentence, escape_markdown
from explorer.views.equations import HEAD, TARGET
from explorer.views.glossary import explained
from explorer.views.settings import spelt
from explorer.views.sweeps import numbers_text

PICTURE = "attention picture"
STEPS = (300, 500, 1000, 1500, 2000, 2500, 4000, 6000)


def controls_of(spec: TaskSpec) -> None:
    """The sidebar: which task, its numbers, how the head is trained."""
    with st.sidebar:
        controls.draw(
            st.segmented_control,
            "task",
            spec.target,
            "task",
            TASKS,
            format_func=lambda name: TASKS[name].page.label,
            on_change=_turn,
            required=True,
            width="stretch",
            help=" · ".join(kind.page.equation for kind in TASKS.values())
            + "\n\n"
            + explained("qsa"),
        )
        _numbers(spec)
        controls.field(
            "m_h",
            st.slider,
            "m_h, width of queries and keys",
            *TASKS[spec.target].page.widths,
            help=explained("m_h"),
        )
        controls.field("aux", st.toggle, "learn single tokens, too", help=explained("aux"))
        controls.choice("steps", "steps", STEPS, help="One step is one batch of fresh sequences.")
        controls.field(
            "seed", st.number_input, "seed", 0, 2**31 - 1, step=1, help=explained("seed")
        )
        controls.folded("More", _more)


@uninterrupted
def _turn() -> None:
    """Another task, by its preset; the run shown belonged to the one before."""
    address.set_params(view=None)
    specs.replace(PRESETS[st.session_state["task"]][1], run=None, at=None)


def _numbers(spec: TaskSpec) -> None:
    """What makes the task, each number in the range of its field."""
    rules = schema(type(spec))["properties"]
    for name, control in TASKS[spec.target].page.controls.items():
        low, high = rules[name]["minimum"], rules[name]["maximum"]
        controls.field(name, st.number_input, control.label, low, high, step=1, help=control.help)


def _more() -> None:
    controls.optimiser()
    controls.choice("lr", "learning rate", controls.RATES, format_func=lambda rate: f"{rate:g}")
    controls.field("batch", st.number_input, "batch, fresh sequences a step", 1, 4096, step=16)
    controls.field(
        "sharpness",
        st.number_input,
        "e^λ at the start",
        0.01,
        100.0,
        step=1.0,
        help=explained("lambda"),
    )
    controls.field("d_v", st.number_input, "d_v, dimension of values", 1, 256, step=1)
    controls.field("n", st.number_input, "n, dimension of f̂(x)", 1, 256, step=8)
    controls.field("m_ff", st.number_input, "m_FF, width of f̂ and F̂", 1, 1024, step=16)
    controls.field("activation", st.selectbox, "activation of f̂ ", ACTIVATIONS, format_func=spelt)


def board(spec: TaskSpec) -> Linked[dict[str, Any]]:
    """The board of a task, in the address as `?view=`, the task's example where it has none; a task
    of another size reads the address anew."""
    example = view.to_json(boards.example(spec))
    return Linked(
        "view",
        partial(_parse, spec, example),
        partial(_dump, example),
        lambda: example,
        about=view.task_in_numbers(spec),
    )


def _parse(spec: TaskSpec, example: dict[str, Any], text: str) -> tuple[dict[str, Any], Problems]:
    """What an address says of a board; the example, and why, where it says none of this task."""
    try:
        return (view.to_json(boards.of_link(spec, text)) if text else example), ()
    except TaskError as error:
        return example, (str(error),)


def _dump(example: dict[str, Any], moved: dict[str, Any]) -> str | None:
    return json.dumps(moved, separators=(",", ":")) if moved != example else None


def _moved(values: dict[str, Any]) -> None:
    """The reader let go of something: the board of the session, and of the address if it is one."""
    spec = task_spec(shown_run.shown()[1].spec)
    try:
        board(spec).write(view.to_json(boards.state_of(spec, values)))
    except TaskError as error:
        board(spec).refuse(str(error))


@part
def main_panel() -> None:
    """Question, buttons, pictures, verdict: redrawn at a turn of the run, and with a board."""
    if st.session_state.pop("started", False) or st.session_state.pop("altered", False):
        st.rerun()
    owner_, run, row = transport.opening()
    transport.hear(PICTURE, run)
    spec = task_spec(row.spec)
    owner.strip(owner_)
    head, missing = head_of(run, row)
    _picture(run, row, spec, head)
    chrome.verdict(view.verdict(row), lines=0, **view.right(row))
    if missing:
        st.warning(missing, icon=":material/warning:")
    transport.remarks(row)
    facts = view.facts(row)
    mathematics.fold(partial(_mathematics, spec, facts), formulas=(HEAD, TARGET), facts=facts)
    shown = partial(figures.on_screen, head, board(spec).read())
    transport.take_home(run, row, shown_run.selected_step_and_token()[0], shown)


def _mathematics(spec: TaskSpec, facts: Mapping[str, str]) -> None:
    """The rank that the task asks for, and the numbers of the run."""
    chrome.formulas((HEAD, TARGET))
    chrome.note(f"{task_of(spec).rank_note} {task_of(spec).example_note}")
    chrome.facts(facts)


def _picture(run: str, row: RunRow, spec: TaskSpec, head: Head | None) -> None:
    exchange.take(PICTURE, _moved)
    linked = board(spec)
    moved = linked.read()
    problem = " ".join(address.problems("view"))
    refused = problem if linked.refused else ""
    stream = transport.stream(PICTURE, run, row)
    components.attention(*view.drawing(spec, head, moved, stream, refused), key=PICTURE)
    if refused:
        st.warning(f"Not taken: {escape_markdown(refused)}", icon=":material/warning:")
    elif problem:
        st.warning(
            f"The board in the link is not taken: {escape_markdown(problem)}. The example of "
            "this task stands in its place.",
            icon=":material/warning:",
        )


def head_of(run: str, row: RunRow) -> tuple[Head | None, str]:
    """The head at the run's last checkpoint, or why there is none."""
    if row.checkpoint is None:
        return None, ""
    spec = task_spec(row.spec)
    try:
        file = live.asset_file(run) or registry.store().folder(run) / row.checkpoint
        return _head(file, spec), ""
    except (weights.WeightsError, ArchiveError, ShapeError, StoreError) as error:
        return None, f"The parameters of this run cannot be shown: {as_sentence(error)}"


@lru_cache(maxsize=8)
def _head(file: Path, spec: TaskSpec) -> Head:
    """The parameters of a checkpoint or of a shipped archive, which never change."""
    if file.suffix == ".zip":
        return Head(spec, weights.of_archive(file))
    return Head(spec, weights.of_file(file, spec))


def details() -> None:
    """What a good fit proves, and the width a task needs: folded."""
    controls.folded(controls.PAPER, _details)


def _details() -> None:
    target = shown_run.shown()[1].spec.target
    st.subheader("What does a good fit prove?", anchor=False)
    _proof()
    _without_aux(target)
    _widths(target)


@part
def _proof() -> None:
    """In numbers of the run shown, once it is over."""
    with awaited("proof"):
        _proved(*shown_run.shown())


def _proved(run: str, row: RunRow) -> None:
    head, proof = head_of(run, row)[0], task_of(task_spec(row.spec)).injectivity
    if head is not None and row.status != "running":
        proof = "\n\n".join((view.exchanged(head), view.cut(head), proof))
        chrome.in_short(view.exchanged_line(head), proof)
    else:
        chrome.in_short(view.FIT_ALONE, proof)


def _without_aux(target: str) -> None:
    """What a loss on single tokens (`aux`) buys, in numbers of several seeds; and a shipped head
    without it to look into."""
    without = TASKS[target].page.without_aux
    names = [name for name in without if name in {*pairs.shipped()["recipe"]}]
    if not names:
        return
    heads = [f"asset-attention-{name}" for name in (names[-1], without[names[-1]])]
    if not all(map(shown_run.is_shipped, heads)):
        return
    with_aux, record = (live.open_stream(head).record for head in heads)
    asking = pairs.asking_words(with_aux.row, record.row)
    bought = "\n".join(f"- {pairs.shipped_sentence(name)}" for name in names)
    chrome.in_short(
        "**What learning single tokens buys.** With it sequences of one token are learned, too.",
        "\n\n".join(filter(None, (bought, asking, view.plateau_words(record)))),
    )
    st.button(
        f"Look into a head without it ({record.spec.optimizer.upper()})",
        icon=":material/visibility:",
        on_click=uninterrupted(specs.replace),
        args=(record.spec,),
        kwargs={"run": None, "at": None},
        key="without aux",
    )
    controls.folded("Agreement of every seed, with and without single tokens", _seeds, names)


def _seeds(names: Sequence[str]) -> None:
    whole = pairs.shipped()
    table = whole[whole["recipe"].isin(names)]
    about = About(
        f"without-aux-{names[0]}",
        "Agreement with and without single tokens",
        pairs.signature(table),
        table,
        "A line for each seed; within a panel nothing else differs.",
    )
    chrome.chart(partial(charts.aux_chart, table), f"without aux {names[0]}", about)
    st.code("python -m explorer reproduce without-aux --out without-aux", language=None)


def _widths(target: str) -> None:
    """Finished sweeps over m_h: how wide the task needs the head to be."""
    files = {name: tables.widths_file(name) for name in TASKS[target].page.width_sweeps}
    shown_run.explain_missing([file for file in files.values() if not file.exists()])
    if names := [name for name, file in files.items() if file.exists()]:
        st.subheader("How wide must the head be?", anchor=False)
        for name in names:
            chrome.in_short(*_knees(name))
            controls.folded(f"Errors over m_h: {tables.WIDTHS[name].title}", _width, name)


@lru_cache(maxsize=16)
def _knees(name: str) -> tuple[str, str]:
    """Where the errors of a shipped sweep stop falling: in short, and a line for each group."""
    finished = tables.shipped_widths(name)
    groups = tasks.summary(finished.sweep, finished.rows)["groups"]
    needed = {row.group: (row.m_h, row.words) for row in tables.needed(finished.sweep).itertuples()}
    lines, same = view.knees(groups, needed)
    return f"**{tables.WIDTHS[name].title}**, {finished.sweep.steps} steps. {same}", lines


def _width(name: str) -> None:
    finished = tables.shipped_widths(name)
    table, needed = tables.widths(finished.sweep, finished.rows), tables.needed(finished.sweep)
    seeds = numbers_text(finished.sweep.seed)
    about = About(
        f"attention-width-{name}",
        tables.WIDTHS[name].title,
        f"spec {spec_id(finished.sweep)} · seeds {seeds} · {finished.made}",
        table,
    )
    measure = st.segmented_control(
        "measure",
        ("nMSE", "agreement"),
        key=f"measure {name}",
        default="nMSE",
        required=True,
        label_visibility="collapsed",
    )
    chrome.chart(
        partial(charts.width_chart, table, needed, measure),
        f"width {name}",
        about,
        f"**{tables.WIDTHS[name].title}**",
    )
    st.code(f"python -m explorer sweep {tables.WIDTHS[name].preset}", language=None)
