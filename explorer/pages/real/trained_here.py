"""What the Real attention page shows of Transformers that were trained here: Figure 3, Table 1."""

from functools import partial

import streamlit as st

from explorer.pages.real import order as real_order
from explorer.pages.real import view_labelled as labelled
from explorer.pages.real import view_table1 as table1
from explorer.pages.real.chart import orders_chart
from explorer.pages.real.chart_labelled import errors_chart, spectra_chart, table_chart
from explorer.pages.real.view_look import Look
from explorer.ui import chrome, controls
from explorer.ui.exports import About
from explorer.views import anew


def panel(now: Look) -> None:
    """Each a line that unfolds; `now` has the order that is chosen by hand."""
    st.subheader("Trained here", anchor=False)
    controls.folded("Figure 3: error and spectra against the width of the heads", _widths)
    controls.folded("Table 1: the tokens in another order", _table)
    controls.folded(real_order.TITLE, real_order.panel, now)


def _widths() -> None:
    widths = labelled.shipped()
    on_error, on_spectra = widths.sentences
    left, right = st.columns(2)
    with left:
        title = "Spectra of a vision Transformer against the width of its heads"
        about = About("fig3-spectra", title, widths.signature, widths.spectra)
        chrome.chart(
            partial(spectra_chart, widths.spectra),
            "fig3 spectra",
            about,
            "**Spectra**: first head of the last layer",
        )
    with right:
        title = "Training error of a vision Transformer against the width of its heads"
        about = About("fig3-error", title, widths.signature, widths.errors)
        build = partial(errors_chart, widths.errors, widths.band, widths.fit)
        chrome.chart(build, "fig3 error", about, "**Training error** against mₕ")
    chrome.note(
        f"{on_error} {on_spectra} A small vision Transformer of two layers with two heads each "
        "learned from pictures of MNIST; the paper's is ViT-B/16 on CIFAR-10. A token passes by "
        "the heads, too, and so narrow ones can be made up for."
    )
    chrome.command_line(anew.of_figure("fig3"))


def _table() -> None:
    table = table1.shipped()
    shares = table1.shares(table)
    seeds = ", ".join(map(str, sorted(set(table["seed"]))))
    about = About("table1", "Table 1: the tokens in another order", f"seeds {seeds}", shares)
    chrome.chart(partial(table_chart, shares), "table1", about, "**Right, beside the original**")
    chrome.note(
        f"Pictures: {table1.sentence(table, table1.PICTURES)} English number words to German: "
        f"{table1.sentence(table, table1.WORDS)} {table1.printed()} Other orders "
        "are trained by --order, such as random:7; a specification may have a list, too."
    )
    chrome.command_line(anew.of_figure("table1"))
    _language()


def _language() -> None:
    table = table1.shipped_language()
    by_order = table1.by_order(table)
    footer = f"{table1.MODEL.title}, {table['text'].nunique()} texts"
    about = About("table1-language", "A language model's text in another order", footer, by_order)
    chrome.chart(
        partial(orders_chart, by_order),
        "table1 language",
        about,
        "**The language model, perplexity**",
    )
    chrome.note(table1.language_sentence(table))
    chrome.command_line(anew.of_figure("table1-language", "table1"))
