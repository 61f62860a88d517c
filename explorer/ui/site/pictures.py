"""What the static edition shows: of every page with a picture what is shipped for it."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from explorer.pages.design.view_gallery import GALLERY, gallery_drawing
from explorer.pretrained.catalogue import MODELS
from explorer.runs.frames import pack
from explorer.spec import AnySpec, link_text
from explorer.targets import KINDS
from explorer.ui import page_file
from explorer.ui.live import asset_file, open_stream
from explorer.ui.pages import FIRST, PAGES
from explorer.ui.shown import Shown
from explorer.views import sweeps
from explorer.views.settings import differing_fields, words_of

GALLERY_FILE, TALK_FILE = "gallery.html", "talk.html"
PICTURED = ("design", "train", "rates", "attention", "order", "real", "memory")
"""The pages whose pictures go into a file."""


@dataclass(frozen=True)
class Picture:
    """One file of the site: a page at an address."""

    page: str
    file: str
    title: str
    """Among the others of its page; "" for the one that the page opens with."""
    params: tuple[tuple[str, str], ...] = ()

    def drawn(self) -> Shown:
        """As the page's script draws it; raises NothingToShow."""
        return page_file.drawn(self.page, dict(self.params))


def pictures() -> list[Picture]:
    """All of them, page by page, first that which a page opens with."""
    return [
        picture
        for page in PICTURED
        for picture in (Picture(page, file_of(page), ""), *_others(page))
    ]


def file_of(page: str) -> str:
    """The file of a page as it opens; the first page is what a host shows of a folder."""
    return "index.html" if page == FIRST else f"{page}.html"


def _others(page: str) -> Iterator[Picture]:
    """What else is shipped of a page: parameters of its address."""
    if page == FIRST:
        yield from (_picture(page, entry.key, entry.title, spec=entry.link) for entry in GALLERY)
    elif page == "rates":
        for name, title in sweeps.SHIPPED.items():
            yield _picture(page, name, title, sweep=link_text(sweeps.shipped(name).sweep))
    elif page == "real":
        for name, model in MODELS.items():
            yield _picture(page, name, model.title, real=f'{{"model":"{name}"}}')
    else:
        yield from _of_runs(page)


def _of_runs(page: str) -> Iterator[Picture]:
    named = (*PAGES[page].shipped, *PAGES[page].ready)
    runs = [run for run in named if (file := asset_file(run)) and file.exists()]
    specs = [open_stream(run).record.spec for run in runs]
    for run, spec in zip(runs, specs, strict=True):
        name = run.removeprefix("asset-").removeprefix(f"{page}-")
        yield _picture(page, name, _title(spec, specs), run=run)


def _picture(page: str, name: str, title: str, **params: str) -> Picture:
    return Picture(page, _file(page, name), title, tuple(params.items()))


def _file(page: str, name: str) -> str:
    return f"{page}-{name}.html"


def _title(spec: AnySpec, others: Sequence[AnySpec]) -> str:
    """The words of its target, and what tells it from other runs of that."""
    words = KINDS[spec.target].words(spec)
    alike = [other for other in others if KINDS[other.target].words(other) == words]
    fields = [name for name in differing_fields(alike) if name != "version"]
    return ", ".join(filter(None, (words, words_of(spec, fields))))


def gallery() -> Shown:
    """The gallery: each card leads to the file of its coupling."""
    header, arrays = gallery_drawing()
    entries = [{**entry, "href": _file(FIRST, entry["key"])} for entry in header["entries"]]
    return Shown(
        FIRST,
        address="/",
        component="gallery",
        data=pack({"entries": entries, "here": None, "follow": True}, arrays),
        verdict=f"{len(GALLERY)} couplings worth opening, each as its map and its spectrum. "
        "**Press one** to take it into your hands.",
    )


def command(shown: Shown) -> str:
    """What trains, without a browser, what a picture shows."""
    params = dict(parse_qsl(urlsplit(shown.address).query))
    if shown.page == "real":
        return "python -m explorer reproduce fig2 --out fig2"
    if shown.page == "rates":
        return f"python -m explorer sweep {shlex.quote(params.get('sweep', 'fig1'))}"
    return f"python -m explorer train {shlex.quote(params.get('spec', FIRST))}"
