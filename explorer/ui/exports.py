"""What a reader takes home: figures as SVG, PNG, PDF and CSV, and a run as a whole.

Every file is made when its button is pressed; what stands in a menu is made when the menu is
opened. A page's rerun pays for neither. A browser asks for a file on a thread of its own, and
Streamlit says of a failure only that it was one, for five seconds. So the click also reruns the
fragment of the button: whoever comes first makes the file, the thread gets its bytes, and the page
what went wrong.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import Any

import streamlit as st

from explorer.charts import LIGHT, Palette
from explorer.charts.export import MIME, csv, export
from explorer.charts.paper import for_paper
from explorer.runs import archive
from explorer.runs.record import Record
from explorer.slow import alt, pd
from explorer.spec import AnySpec, AnySweep, full_json, spec_id
from explorer.ui import registry
from explorer.ui.callbacks import uninterrupted
from explorer.ui.part import part
from explorer.ui.words import REFUSED, as_code, as_sentence

LONGEST = 300
"""Characters of a reason: a renderer may add a page of its own to it."""


def download(
    label: str, make: Callable[[], bytes], file: str, mime: str, key: str, **options: Any
) -> str:
    """A button for the `file` that `make` makes. Why the last press of it failed, or "".

    The caller shows the reason by `show_failures`, where there is room for a sentence.
    """
    making = _once(make)
    st.download_button(
        label,
        making,
        file,
        mime,
        key=key,
        on_click=uninterrupted(_remember),
        args=(_failure(key), file, making),
        **options,
    )
    failed, why = st.session_state.get(_failure(key), ("", ""))
    return why if failed == file else ""


def show_failures(*reasons: str, instead: str) -> None:
    """What could not be made, and what to do `instead`; it stays until the button works."""
    if told := [reason for reason in reasons if reason]:
        st.error(" ".join([*told, instead]), icon=":material/warning:")


def _failure(key: str) -> str:
    return f"why {key} failed"


def _once(make: Callable[[], bytes]) -> Callable[[], bytes]:
    """A function that makes the file the first time, for whichever thread calls it, and then
    returns or raises the same."""
    lock, outcome = Lock(), Future[bytes]()

    def made() -> bytes:
        with lock:
            if not outcome.done():
                try:
                    outcome.set_result(make())
                except Exception as error:  # of any kind: it is raised again, and said
                    outcome.set_exception(error)
        return outcome.result()

    return made


def _remember(key: str, file: str, making: Callable[[], bytes]) -> None:
    st.session_state.pop(key, None)
    try:
        making()
    except Exception as error:
        why = as_sentence(f"{error}".strip()[:LONGEST]).rstrip(".") or type(error).__name__
        st.session_state[key] = file, f"{as_code(file)} could not be made. {why}."


RELOAD = "Reload the page: it shows what is here now."
ANOTHER = "Press again, or take another format: the CSV holds what is drawn."
FILES = {
    "svg": ("SVG", ".svg", None),
    "png": ("PNG", ".png", None),
    "pdf": ("PDF", ".pdf", None),
    "paper": (
        "For a paper",
        "-paper.pdf",
        "A PDF as wide as a page's text, in a serif, without title and footer.",
    ),
    "csv": ("CSV", ".csv", None),
}
"""The files of a figure: what its button says, how its name ends, and what is said of it."""
Build = Callable[[Palette], "alt.TopLevelMixin"]


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


def of_design(spec: AnySpec) -> str:
    """The footer of a figure that needed no training."""
    return f"spec {spec_id(spec)} · computed, not trained"


@part
def menu(build: Build, key: str, about: About, heading: str = "") -> None:
    """A figure's heading (Markdown) and its quiet menu; `build` draws it in any palette.

    A fragment: to open the menu reruns nothing else.
    """
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(heading, width="stretch")
        popover = st.popover(
            "Figure",
            icon=":material/download:",
            type="tertiary",
            key=f"menu {key}",
            on_change="rerun",
        )
    if not popover.open:
        return
    with popover:
        if about.explain:
            st.markdown(about.explain)
        figure_buttons(build, key, about)


def figure_rows(figures: Mapping[str, tuple[Build, About]], key: str) -> None:
    """Several figures in one menu: all at once, then each with its files and what it draws."""
    if len(figures) > 1:
        failed = download(
            "All as PDF and CSV",
            partial(everything, figures),
            f"{next(iter(figures.values()))[1].name.rpartition('-')[0] or key}-figures.zip",
            "application/zip",
            key=f"all {key}",
            icon=":material/folder_zip:",
        )
        show_failures(failed, instead=ANOTHER)
    for name, (build, about) in figures.items():
        figure_buttons(build, f"{key} {name}", about, about.title)
        if about.explain:
            st.markdown(about.explain)


def everything(figures: Mapping[str, tuple[Build, About]]) -> bytes:
    """A zip with every figure as PDF and its data as CSV."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for build, about in figures.values():
            archive.writestr(f"{about.name}.pdf", _file(build, "pdf", about))
            archive.writestr(f"{about.name}.csv", _file(build, "csv", about))
    return file.getvalue()


def figure_buttons(build: Build, key: str, about: About, title: str = "") -> None:
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        if title:
            st.markdown(title, width="stretch")
        failures = [
            download(
                label,
                partial(_file, build, kind, about),
                f"{about.name}{ending}",
                MIME[ending.rpartition(".")[2]],
                help=help,
                key=f"{kind} {key}",
                type="tertiary" if title else "secondary",
            )
            for kind, (label, ending, help) in FILES.items()
        ]
    show_failures(*failures, instead=ANOTHER)


def _file(build: Build, kind: str, about: About) -> bytes:
    if kind == "csv":
        return csv(about.table, about.units)
    if kind == "paper":
        return for_paper(build(LIGHT), title=about.title, footer=about.footer)
    return export(build(LIGHT), kind, title=about.title, footer=about.footer)


AGAIN = (
    "The command line that trains it again: on the CPU of one machine bit for bit the same "
    "numbers, on another similar ones"
)


@part
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
                spec_button(record.spec, row.spec_id, f"json {row.run}")
            failures = _zip_buttons(record, stored)
        show_failures(*failures, instead=RELOAD)
        if not inline:
            st.caption(AGAIN)
            st.code(f"python -m explorer train {row.spec_id}.json", language=None)
        try:
            figure_rows(figures(), row.run)
        except REFUSED as error:
            show_failures(
                f"Its figures cannot be drawn. {as_sentence(error).rstrip('.')}.", instead=RELOAD
            )


def spec_button(spec: AnySpec | AnySweep, name: str, key: str | None = None) -> None:
    """A specification to download."""
    label, mime = "Specification (JSON)", "application/json"
    st.download_button(label, full_json(spec), f"{name}.json", mime, key=key, on_click="ignore")


def _zip_buttons(record: Record, stored: bool) -> list[str]:
    """The whole run; and where it has a checkpoint, the run with the parameters alone. What failed
    when they were pressed."""
    row = record.row
    running = stored and row.status == "running"
    whole = download(
        "Run (zip)",
        partial(archived, record, stored),
        f"{row.run}.zip",
        "application/zip",
        key=f"zip {row.run}",
        disabled=running,
        help="Pause or stop it first."
        if running
        else "Specification, curves, pictures and checkpoint. The Runs page and "
        "`python -m explorer runs import` read it.",
    )
    if not (stored and row.checkpoint):
        return [whole]
    slim = download(
        "Parameters only (zip)",
        partial(stored_archive, row.run, weights_only=True),
        f"{row.run}-parameters.zip",
        "application/zip",
        key=f"slim zip {row.run}",
        disabled=running,
        help="Much smaller for a wide network: to look at the trained model, not to resume.",
    )
    return [whole, slim]


def archived(record: Record, stored: bool = True) -> bytes:
    """The archive of a run, as it is in the store now, or of a shipped one."""
    return stored_archive(record.row.run) if stored else archive.dump(record, None, None)


def stored_archive(run: str, weights_only: bool = False) -> bytes:
    """The archive of a run of the store; raises RunError while it is running."""
    return archive.export(registry.store(), run, weights_only=weights_only)
