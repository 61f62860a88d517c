"""The picture of a page as one HTML file: it draws, drags and replays without server and network.

The file holds the page's own component, what that was given, and of the runs shown there what the
WebSocket of ui/live.py would send. What has to be computed for another design a picture computes
itself where it can without Python (`Shown.alone`); else the file has it for the design as shown.
Its words are of that, too, and it says so.
"""

import base64
import gzip
import json
import logging
import re
from collections.abc import Iterator
from html import escape
from itertools import starmap
from pathlib import Path
from string import Template
from typing import Any

import numpy as np
from latex2mathml.converter import convert
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

from explorer.charts import palette
from explorer.runs.frames import header_of, pack, unpack
from explorer.ui import components, here
from explorer.ui.components import modules
from explorer.ui.live import RunStream, open_stream
from explorer.ui.pages import EXPLORER, PAGES, SHELL
from explorer.ui.shown import SHOWN, More, Offer, Shown
from explorer.ui.streamlit_private import NO_SESSION, look_for_no_components

TAG = re.compile(r"<(/?)(\w+)((?:\s+[\w:-]+=\"[^\"<>]*\")*)\s*/?>")
ATTRIBUTE = re.compile(r"([\w:-]+)=")
ELEMENTS = re.compile(
    "math|m(row|i|o|n|text|over|under|underover|sub|sup|subsup|frac|sqrt|root|style|space|padded|"
    "phantom|enclose|table|tr|td|multiscripts)"
)
ATTRIBUTES = re.compile(
    "xmlns|display|displaystyle|stretchy|accent|accentunder|mathvariant|mathcolor|fence|form|"
    "separator|linethickness|(row|column)(align|spacing)|width|height|depth|[lr]space|minsize|"
    "maxsize|scriptlevel|largeop|movablelimits|symmetric|notation"
)


def mathml(latex: str, display: str = "inline") -> str:
    """A formula as MathML, `display` "inline" or "block".

    LaTeX that cannot be read, and such as would become links, styles or scripts (the converter
    passes on what stands in its texts), is shown as it was written.
    """
    try:
        markup = convert(latex, display=display)
    except Exception:  # its own errors have no base
        return f"<code>{escape(latex)}</code>"
    return markup if _is_mathematics(markup) else f"<code>{escape(latex)}</code>"


def _is_mathematics(markup: str) -> bool:
    tags = TAG.findall(markup)
    return len(tags) == markup.count("<") and all(
        ELEMENTS.fullmatch(name) and all(map(ATTRIBUTES.fullmatch, ATTRIBUTE.findall(attributes)))
        for _, name, attributes in tags
    )


MOST_BYTES = 1_400_000
"""Of all parts of a file, as they stand in it; beside them it has some 100 kB of script."""
SECONDS = 120
"""That a page may take to be drawn."""
RUN = re.compile(r"api/runs/([a-z0-9-]+)/live")
ICON = re.compile(r":(material/\w+|[a-z-]+)(?::|(?=\[))")
"""What Streamlit's Markdown has beside the usual: icons, and names before a text in brackets."""


TRAINS = " 'wasm-unsafe-eval'; worker-src blob:"
"""What the content policy of a file allows besides, whose reader may train in it."""


WORDS_STAY = "The words around the picture are of the design as shown at first."
ALL_STAYS = "What needs Python is computed for the design as shown at first."


class NothingToShow(ValueError):
    """The page has no picture that could go into a file."""


def drawn(name: str, params: dict[str, str]) -> Shown:
    """The page as its script draws it at an address, in this process; raises NothingToShow with
    what it says instead."""
    from streamlit.testing.v1 import AppTest

    logging.getLogger(NO_SESSION).setLevel(logging.ERROR)
    look_for_no_components()
    script = AppTest.from_file(SHELL, default_timeout=SECONDS)
    for key, value in params.items():
        script.query_params[key] = value
    script.switch_page(str(PAGES[name].file)).run()
    shown = script.session_state[SHOWN]
    warned = [] if shown.component else [*script.warning]  # of what it would have to be given first
    if problems := [*script.exception, *script.error, *warned]:
        raise NothingToShow(f"the page cannot be drawn: {problems[0].value}")
    if shown.problems:
        raise NothingToShow(f"the page {PAGES[name].title}: {'; '.join(shown.problems)}")
    return shown


def html(
    shown: Shown, title: str = "", before: str = "", after: str = "", about: str = ""
) -> bytes:
    """The file, with a `title` of its own (else the page's question), markup `before` and `after`
    the picture and what is said of it, and what it is `about` for who meets a link to it.

    Raises NothingToShow for a page without a picture, StreamError where a run of it is gone.
    """
    page = PAGES[shown.page]
    if not shown.component:
        raise NothingToShow(f"the page {page.title} has no picture to take home")
    text = Template((components.HERE / "file" / "file.html").read_text("utf-8")).substitute(
        title=escape(title or page.question),
        tab=escape(f"{title} · {EXPLORER}" if title else page.tab),
        about=escape(about or page.described),
        whole=whole(),
        trains=TRAINS if shown.offer else "",
        changed=WORDS_STAY if shown.alone else ALL_STAYS,
        before=before,
        after=after,
        badge=escape(shown.badge),
        verdict=markdown(shown.verdict),
        formulas="".join(f"<span>{mathml(latex, 'block')}</span>" for latex in shown.formulas),
        facts=markdown(" · ".join(f"{k}: **{v}**" for k, v in shown.facts.items())),
        footer=_footer(shown),
        style=themes() + (components.HERE / "file" / "file.css").read_text("utf-8"),
        more="".join(starmap(_more, shown.more.items())),
        templates="\n".join(map(template, drawn_by(shown))),
        parts="\n".join(_parts(shown)),
        scripts="\n".join(map(component_script, drawn_by(shown))),
        script=bare_script(components.script_of("file")),
    )
    return text.encode()


def whole() -> str:
    """The script that says of a file that it was cut short."""
    return bare_script(components.HERE / "file" / "whole.js")


def bare_script(entry: Path) -> str:
    """A module and all that it imports, as they stand in a file."""
    return modules.bare(modules.joined(entry))


def drawn_by(shown: Shown) -> list[str]:
    """The components of a page."""
    return [shown.component, *shown.more]


def _more(name: str, more: More) -> str:
    return f'<section data-more="{name}">{markdown(more.words)}<div></div></section>'


def _parts(shown: Shown) -> Iterator[str]:
    """What the components ask for: what they were given, what the runs in that would send, and what
    trains there."""
    offer, runs = shown.offer() if shown.offer else None, runs_of(shown.data)
    wanted = {"data": packed(_given(shown, offer))}
    wanted |= {f"data of {name}": packed(more.data) for name, more in shown.more.items()}
    for run in runs:
        wanted |= run_parts(open_stream(run), (MOST_BYTES - len(wanted["data"])) // len(runs))
    for name, text in wanted.items():
        yield part(name, text)
    if offer:
        yield here.engine_scripts(offer[0]["thread"])


def _given(shown: Shown, offer: Offer | None) -> bytes:
    """What its component is given in a file, whose reader may train there."""
    data = alone(shown)
    if not offer:
        return data
    (header, arrays), (own, more) = unpack(data), offer
    return pack({**header, "here": here.without_engine(own)}, {**arrays, **more})


def alone(shown: Shown) -> bytes:
    """What its component is given where no Python answers it."""
    if not shown.alone:
        return shown.data
    header, arrays = unpack(shown.data)
    return pack({**header, "alone": shown.alone}, arrays)


def part(name: str, text: str) -> str:
    """The markup of a part, in which file/kept.js finds it."""
    return f'<script type="text/plain" data-part="{escape(name)}">{text}</script>'


def runs_of(data: bytes) -> list[str]:
    """The runs whose WebSockets a component opens that was given `data`."""
    return list(dict.fromkeys(RUN.findall(json.dumps(header_of(data)))))


def run_parts(stream: RunStream, room: int) -> dict[str, str]:
    """What the stream of a run would send, in so many bytes: every second evaluation goes, with its
    picture, until the others fit in."""
    steps = [int(step) for step in stream.record.snapshot_steps]
    messages = first_messages(stream)
    messages["frame"] = _at_rest(messages["frame"])
    parts = {name: packed(data) for name, data in messages.items()}
    parts |= {f"at {step}": packed(stream.picture_at(step)) for step in steps}
    while len(steps) > 1 and sum(map(len, parts.values())) > room:
        left, steps = steps[-2::-2], steps[::-1][::2][::-1]
        for step in left:
            del parts[f"at {step}"]
        parts["history"] = packed(_evaluated(messages["history"], steps))
    return {f"{stream.run} {name}": text for name, text in parts.items()}


def _evaluated(history: bytes, steps: list[int]) -> bytes:
    """The curves with the evaluations of these steps alone."""
    header, arrays = unpack(history)
    among = np.isin(arrays["eval_step"], steps)
    measured = ("eval_", "metric_")
    return pack(
        header,
        {name: rows[among] if name.startswith(measured) else rows for name, rows in arrays.items()},
    )


def first_messages(stream: RunStream) -> dict[str, bytes]:
    """What a stream says when it is opened, by kind."""
    drawing, history = stream.drawing(), stream.history()
    return {"drawing": drawing, "history": history, "frame": stream.frame() or b""}


def _at_rest(message: bytes) -> bytes:
    """The newest picture; a run at work is no longer at work in a file."""
    header, end = header_of(message), len(message)
    start = end - header.pop("picture_bytes", 0)
    header, arrays = unpack(message[:start])
    if header["status"] in ("running", "queued"):
        header["status"] = f"saved while {header['status']}"
    header.pop("picture_bytes", None)
    return pack(header, arrays, message[start:])


def packed(data: bytes) -> str:
    """Bytes as they stand in a part."""
    return base64.b64encode(gzip.compress(data, mtime=0)).decode()


def unpacked(text: str) -> bytes:
    """The bytes of a part."""
    return gzip.decompress(base64.b64decode(text))


def template(name: str) -> str:
    """The markup of a component, from which it is made as often as it is shown."""
    own = components.source(name)
    return f'<template data-component="{name}"><style>{own["css"]}</style>{own["html"]}</template>'


def component_script(name: str) -> str:
    """A component's own script, which others find among `components`."""
    script = modules.bare(components.source(name)["js"])
    mount = modules.DEFAULT.sub(f"(globalThis.components ??= {{}}).{name} = ", script)
    return f'<script type="module">\n{mount}</script>'


def themes() -> str:
    """The colours and sizes that Streamlit would hand down, for both themes."""
    common, light, dark = palette.css_variables()
    return f":root,[data-theme=light]{{{common}{light}}}\n[data-theme=dark]{{{dark}}}\n"


def _footer(shown: Shown) -> str:
    return (
        f"Made by the attention explorer, after Jiang &amp; Li, <i>Approximation Rate of the "
        f"Transformer Architecture for Sequence Modeling</i>. The same in the explorer: "
        f"<code>{escape(shown.address)}</code>"
    )


def markdown(text: str) -> str:
    """HTML of Markdown as pages write it; what a name in it says as HTML is text."""
    return _reader("image", "link").render(ICON.sub("", text))


def linked(text: str) -> str:
    """The same, with its links."""
    return _reader("image").render(ICON.sub("", text))


def _reader(*without: str) -> MarkdownIt:
    reader = MarkdownIt("commonmark", {"html": False}).disable([*without])
    return reader.use(dollarmath_plugin, renderer=_formula)


def _formula(latex: str, options: dict[str, Any]) -> str:
    return mathml(latex, "block" if options["display_mode"] else "inline")
