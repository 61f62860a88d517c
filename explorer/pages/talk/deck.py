"""A talk as one HTML file: all scenes and steps, drawn by the components of the pages themselves,
without server, network or Python.

What the steps are given is taken apart at the arrays: what several have stands in the file once.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from html import escape
from itertools import pairwise
from string import Template
from typing import Any

import segno

from explorer.pages.talk.address import View, beside_the_stage
from explorer.pages.talk.axes import held
from explorer.pages.talk.before import OFFER, Before
from explorer.pages.talk.decks import NOTES, pictures
from explorer.pages.talk.scenes import NUMBER, Scene, Step, Talk, TalkError
from explorer.runs.frames import FLOAT, header_of, pack
from explorer.spec import SpecError
from explorer.ui import components, here, page_file
from explorer.ui.live import StreamError, open_stream
from explorer.ui.page_file import mathml
from explorer.ui.shown import Offer, Shown

ROOM = 700_000
"""Bytes that a run may take of the file."""
WORDLESS = {
    **dict.fromkeys(("data", "runs", "panels"), ()),
    **dict.fromkeys(("id", "badge", "address", "controls"), ""),
    **dict.fromkeys(("whatIf", "press", "grows", "live")),
}
"""What a step without a picture has of one."""
FOLDER = components.HERE / "stage"
Progress = Callable[[int, int], None]


class Parts:
    """What stands in the file for the components, each piece once; those of `before` are packed."""

    def __init__(self, before: Mapping[str, str]) -> None:
        self.texts: dict[str, str] = {}
        self.before = before

    def take(self, message: bytes) -> list[str]:
        """The names of the pieces that make a frame."""
        return [self._piece(piece) for piece in _pieces(message)]

    @property
    def trains(self) -> bool:
        """Whether the file has what a browser needs to train a run."""
        return any(name.endswith(OFFER) for name in self.texts)

    def offer(self, run: str, offer: Offer) -> None:
        """What a browser needs to train the specification of a run."""
        header, arrays = offer
        offered = pack(here.without_engine(header), arrays)
        self.texts[f"{run}{OFFER}"] = page_file.packed(offered)

    def run(self, run: str) -> None:
        """What the stream of a run would send; raises StreamError."""
        if f"{run} drawing" not in self.texts:
            self.texts |= page_file.run_parts(open_stream(run), ROOM)

    def _piece(self, piece: bytes) -> str:
        name = hashlib.sha256(piece).hexdigest()[:16]
        if name not in self.texts:
            self.texts[name] = self.before.get(name) or page_file.packed(piece)
        return name


def build(
    talk: Talk,
    *,
    notes: bool = False,
    progress: Progress = lambda done, all_: None,
    before: Before | None = None,
) -> bytes:
    """The file; the speaker's notes go into it only where they are asked for. What is the same in a
    deck of `before` is taken from there.

    Raises TalkError naming the step whose page cannot be drawn.
    """
    pages = [scene for scene in talk.scenes if scene.kind == "page"]
    count = sum(len(scene.steps) + len(_choices(scene)) for scene in pages)
    drawn = _Drawn(count, progress, before or Before())
    scenes = [_scene(scene, number, drawn) for number, scene in enumerate(talk.scenes, 1)]
    for number, scene in enumerate(scenes, 1):
        scene["code"] = talk.link and _code(talk.link, number)
    state = {"state": before.state} if before else {}
    deck = {"title": talk.title, **state, "scenes": scenes}
    return _written(talk, deck, drawn.parts, _notes(talk) if notes else "").encode()


def _written(talk: Talk, deck: Mapping[str, Any], parts: Parts, notes: str) -> str:
    components_of = (scene["component"] for scene in deck["scenes"])
    names = dict.fromkeys(name for name in components_of if name)
    return Template((FOLDER / "stage.html").read_text("utf-8")).substitute(
        title=escape(talk.title),
        about=escape(f"A talk: {', '.join(scene.title for scene in talk.scenes)}"),
        style=page_file.themes() + (FOLDER / "stage.css").read_text("utf-8"),
        trains=page_file.TRAINS if parts.trains else "",
        whole=page_file.whole(),
        inside=(FOLDER / "inside.css").read_text("utf-8"),
        templates="\n".join(map(page_file.template, names)),
        deck=_as_script(deck),
        notes=notes,
        parts="\n".join(page_file.part(name, text) for name, text in parts.texts.items()),
        engine=here.engine_scripts("worker") if parts.trains else "",
        scripts="\n".join(map(page_file.component_script, names)),
        script=page_file.bare_script(components.script_of("stage")),
    )


def _notes(talk: Talk) -> str:
    """The element that the speaker's window reads, and that is left out of what others get: of each
    scene those of its steps."""
    notes = [[step.notes or scene.notes for step in scene.steps] for scene in talk.scenes]
    return f"{NOTES}{_as_script(notes)}</script>"


class _Drawn:
    """The pages of the steps, each drawn once, and what stands in the file for them."""

    def __init__(self, count: int, progress: Progress, before: Before):
        self.pages: dict[str, Shown] = {}
        self.parts, self.before = Parts(before.texts), before
        self.count, self.done, self.progress = count, 0, progress

    def page(self, view: View) -> Shown:
        key = json.dumps(view, sort_keys=True)
        if key not in self.pages:
            self.pages[key] = page_file.drawn(*view)
        return self.pages[key]

    def known(self, name: str, *, trains: bool) -> dict[str, Any] | None:
        """What a deck of before had of a picture, whose runs are in the file then."""
        picture = self.before.picture(name, trains=trains)
        if picture:
            self.parts.texts |= self.before.runs(picture["runs"], trains=trains)
        return picture

    def tell(self) -> None:
        """One more is there."""
        self.done += 1
        self.progress(self.done, self.count)


def _scene(scene: Scene, number: int, drawn: _Drawn) -> dict[str, Any]:
    is_page = scene.kind == "page"
    component = scene.staged.component if is_page else None
    ready = [
        _pictured(scene, scene.id_of(view), view, f"scene {number}, ready {name}", drawn)
        | {"name": name}
        for name, view in _choices(scene).items()
    ]
    steps = [
        _step(scene, index, f"scene {number}, step {index + 1}", drawn)
        if is_page
        else WORDLESS | {"words": page_file.markdown(step.words), "lit": step.lit}
        for index, step in enumerate(scene.steps)
    ]
    if component:
        _take([*steps, *ready], component, drawn.parts)
    return {
        "id": scene.id,
        "title": scene.title,
        "kind": scene.kind,
        "component": component,
        "formula": [mathml(part) for part in scene.formula],
        "opens": [beside_the_stage(address) for address in scene.opens],
        "rows": scene.rows,
        "seconds": scene.seconds,
        "image": pictures().get(scene.id, ""),
        "letter": mathml(scene.ready.letter) if scene.ready else None,
        "ready": ready,
        "steps": steps,
    }


def _take(pictured: list[dict[str, Any]], component: str, parts: Parts) -> None:
    """Put what each of a scene shows among the parts, on axes that hold all of it."""
    frames = held(component, [each["data"] for each in pictured])
    for each, frame in zip(pictured, frames, strict=True):
        each["data"] = parts.take(frame)


def _choices(scene: Scene) -> dict[str, View]:
    choices = scene.ready.choices if scene.ready else {}
    return {name: scene.changed(change) for name, change in choices.items()}


def _step(scene: Scene, index: int, where: str, drawn: _Drawn) -> dict[str, Any]:
    step, view = scene.steps[index], scene.view(index)
    pictured = _pictured(scene, scene.shows(index), view, where, drawn, trains=step.live)
    if step.live and not pictured["runs"]:
        raise TalkError(f"{where}: live: it shows no run that could be trained again")
    what_if = scene.offered(index)
    offered = scene.ready or what_if
    return pictured | {
        "whatIf": page_file.markdown(offered.words) if offered else None,
        "controls": what_if.controls if what_if else "",
        "words": _words(step),
        "panels": scene.panels(index),
        "lit": step.lit,
        "press": step.press and scene.staged.presses[step.press],
        "grows": step.grows,
        "live": pictured["runs"][0] if step.live else None,
    }


def _words(step: Step) -> str:
    """Their numbers are elements, which follow the picture (components/stage/numbers.js)."""

    def element(number: re.Match[str]) -> str:
        name, text = number.groups()
        return f'<span data-number="{name}">{text}</span>'

    return NUMBER.sub(element, page_file.markdown(step.words))


def _pictured(
    scene: Scene, name: str, view: View, where: str, drawn: _Drawn, *, trains: bool = False
) -> dict[str, Any]:
    """What the scene's component is given at an address, by the picture's id, and what is said."""
    known = drawn.known(name, trains=trains)
    picture = known or _new(scene, view, where, drawn, trains=trains)
    drawn.tell()
    return {"id": name, **picture}


def _new(scene: Scene, view: View, where: str, drawn: _Drawn, *, trains: bool) -> dict[str, Any]:
    parts = drawn.parts
    try:
        shown = drawn.page(view)
        name = scene.staged.component
        data = page_file.alone(shown) if name == shown.component else shown.given(name)
        runs = page_file.runs_of(data)
        for run in runs:
            parts.run(run)
        if trains and runs and shown.offer:
            parts.offer(runs[0], shown.offer())
    except (page_file.NothingToShow, StreamError, SpecError) as error:
        raise TalkError(f"{where}: {error}") from error
    except KeyError as error:
        raise TalkError(f"{where}: the page does not show {error} yet") from error
    return {
        "data": data,
        "runs": runs,
        "badge": shown.badge.partition(" · ◆")[0],
        "address": shown.address,
    }


def _code(link: str, scene: int) -> dict[str, str]:
    """The address of a scene on the web, and its QR code as the source of an image."""
    address = f"{link}{'&' if '?' in link else '?'}scene={scene}"
    code = segno.make(address, error="m", micro=False)
    return {"address": address, "image": code.svg_data_uri(omitsize=True, light="white")}


def _pieces(message: bytes) -> Iterator[bytes]:
    """A frame in its header and its arrays."""
    start = 4 + int.from_bytes(message[:4], "little")
    cuts = {start + FLOAT.itemsize * offset for _, _, offset in header_of(message)["arrays"]}
    ends = sorted({0, start, len(message)} | cuts)
    yield from (message[a:b] for a, b in pairwise(ends))


def _as_script(value: Any) -> str:
    """JSON that may stand within a script element."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
