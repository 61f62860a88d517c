"""A talk as data: scenes with their steps, as `talk.json` holds them.

A scene is an address of a page. A step is that address with some of its parameters changed, counted
from the scene and not from the step before: what is shown depends on scene and step alone.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from explorer.pages.talk.address import (
    MOST_PICTURES,
    View,
    changed,
    page_and_params,
    problems_at,
)
from explorer.pages.talk.stage import STAGED, Staged, WhatIf
from explorer.spec import SpecError
from explorer.spec.reading import mapping_of

VERSION = 1
HALF = re.compile("[\ud800-\udfff]")
NUMBER = re.compile(r"\{(\w+)=([^{}]*)\}")
"""Within words: the name of a number of the picture, and the text of it in the step as it is."""
MAX_TEXT = 400_000
"""Characters of a talk.json that are read at all."""
FROZEN = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)
Words = Annotated[str, Field(min_length=1, max_length=400)]
Notes = Annotated[str, Field(max_length=4000)]
Formula = Annotated[str, Field(min_length=1, max_length=200)]
Address = Annotated[str, Field(max_length=8000)]
Link = Annotated[str, Field(pattern=r"^https?://[^\s\"<>#]+$", max_length=300)]
Name = Annotated[str, Field(min_length=1, max_length=20)]


class TalkError(SpecError):
    """A talk that cannot be read or shown; each of `problems` begins with its place."""


class Step(BaseModel):
    """What the audience sees at once, and hears the words for."""

    model_config = FROZEN

    words: Words
    """Markdown as the pages write it: $formulas$ and **bold**, never HTML. A number that stands as
    {name=text} follows the picture, whatever is tried by hand: a name of talk/stage.py."""
    change: dict[Name, Any] = Field(default={}, max_length=8)
    """Parameters of the scene's address: text, null to leave one out, or an object, whose fields
    go into those that the parameter has as JSON."""
    panels: tuple[Name, ...] = Field(default=(), max_length=12)
    """Pictures of the page's component; none given, those of the step before."""
    lit: tuple[Annotated[int, Field(ge=0, lt=20)], ...] = Field(default=(), max_length=20)
    """Which parts of the scene's formula are lit, from 0; none given, all are."""
    press: Name | None = None
    """A button of the page that is pressed: a name of the page in talk/stage.py."""
    grows: Name | None = None
    """A picture of the step that is uncovered from left to right, point by point."""
    live: bool = False
    """Whether the run shown is trained anew while the step is shown, where there is a server; its
    kept pictures play where there is none."""
    notes: Notes = ""
    """For the speaker alone; without any, the scene's."""


class Stop(Step):
    """A step of the guided tour (ui/tour.py), on the page itself."""

    touch: Name | None = None
    """What is tried and marked: a name of the page in talk/stage.py; by default the scene's."""
    seen: Words
    """What is seen once that was tried, with {names} of numbers that the page gives."""


class Ready(BaseModel):
    """Pictures that a slider turns to at once, such as those of runs that are trained already."""

    model_config = FROZEN

    words: Words
    """What is offered, as the words of a what-if."""
    letter: Formula
    """What is turned, in LaTeX: it stands before the name of the choice."""
    choices: dict[Name, dict[Name, Any]] = Field(min_length=2, max_length=32)
    """By their names in their order: what each changes in the scene's address, as a step does."""


class Scene(BaseModel):
    """A page of the explorer on the stage, or words alone."""

    model_config = FROZEN

    title: Annotated[str, Field(min_length=1, max_length=90)]
    kind: Literal["page", "title", "text", "end"] = "page"
    """What is no page has no address: its words are the picture, each step's below those before."""
    address: Address = ""
    steps: tuple[Step, ...] = Field(min_length=1, max_length=20)
    picture: Name | None = None
    """Another of the page than its first, where it has several: a name of it in talk/stage.py."""
    formula: tuple[Formula, ...] = Field(default=(), max_length=20)
    """Parts of a formula in LaTeX, which stand in one line."""
    opens: tuple[Address, ...] = Field(default=(), max_length=20)
    """The address of a page for each part of the formula that is pressed to see it; "" for none."""
    rows: bool = False
    """Pictures below each other rather than side by side."""
    notes: Notes = ""
    """For the speaker alone, at the steps that have none of their own."""
    seconds: int = Field(default=180, ge=5, le=3600)
    what_if: Name | None = None
    """What is tried by hand: a name of the page in talk/stage.py."""
    ready: Ready | None = None
    """In the place of that, pictures to turn to."""
    tour: Stop | None = None
    """What a reader of the page itself is told, and shown, on the guided tour."""

    @property
    def id(self) -> str:
        """Of what its picture shows: the same whatever is said of it."""
        steps = [(step.change, step.panels, step.press) for step in self.steps]
        shown = json.dumps([self.address, self.picture, self.rows, steps])
        return hashlib.sha256(shown.encode()).hexdigest()[:16]

    def view(self, step: int) -> View:
        """The page and the parameters of a step, from 0; raises SpecError for no address."""
        return self.changed(self.steps[step].change)

    def changed(self, changes: Mapping[str, Any]) -> View:
        """The page and its parameters with some of them changed; raises SpecError."""
        return changed(page_and_params(self.address), changes)

    def shows(self, step: int) -> str:
        """An id of a step's picture, whatever is said of it; raises SpecError for no address."""
        return self.id_of(self.view(step), self.rows, self.panels(step), self.steps[step].press)

    def id_of(self, view: View, *how: Any) -> str:
        """Of the scene's picture of its page at an address, shown in such a way."""
        return hashlib.sha256(json.dumps([view, self.picture, *how]).encode()).hexdigest()[:16]

    def panels(self, step: int) -> tuple[str, ...]:
        """The pictures of a step: the last that were named, those of the page where none were."""
        named = [each.panels for each in self.steps[: step + 1] if each.panels]
        return named[-1] if named else self._usual

    @property
    def _usual(self) -> tuple[str, ...]:
        """The pictures where none are named; none where the address leads to none."""
        try:
            return self.staged.first or self.staged.panels
        except SpecError:
            return ()

    @property
    def spelled(self) -> tuple[Step, ...]:
        """Its steps with all their pictures named, so that each may stand in any place."""
        return tuple(
            step.model_copy(update={"panels": self.panels(index)})
            for index, step in enumerate(self.steps)
        )

    def with_steps(self, steps: Iterable[Step]) -> Scene:
        """Of other steps, as `spelled` has them: pictures are named where they change."""
        short, before = [], self._usual
        for step in steps:
            panels = () if step.panels == before else step.panels
            short.append(step.model_copy(update={"panels": panels}))
            before = step.panels
        return self.model_copy(update={"steps": tuple(short)})

    def offered(self, step: int) -> WhatIf | None:
        """What is tried by hand in a step: the scene's what_if; where its picture is not shown, the
        page's first that is done on one that is, or by a control."""
        if not self.what_if:
            return None
        known, shown = self.staged.what_ifs, self.panels(step)
        wanted = (known[self.what_if], *known.values())
        return next((each for each in wanted if not each.panel or each.panel in shown), None)

    @property
    def staged(self) -> Staged:
        """What its page offers on a stage; raises SpecError for a page that has no picture, or not
        the one that is named."""
        if self.kind != "page":
            raise SpecError(f"a scene that is a {self.kind} shows words, and no page")
        page, _ = page_and_params(self.address)
        if page not in STAGED:
            raise SpecError(f"the page {page} has no picture; those that have: {', '.join(STAGED)}")
        staged = STAGED[page]
        if self.picture and self.picture not in staged.more:
            known = ", ".join(staged.more) or "none"
            raise SpecError(f"picture = {self.picture!r}: beside its first {page} has {known}")
        return staged.more[self.picture] if self.picture else staged


class Talk(BaseModel):
    """Scenes in their order."""

    model_config = FROZEN

    version: Literal[1] = VERSION
    title: Annotated[str, Field(min_length=1, max_length=120)]
    scenes: tuple[Scene, ...] = Field(min_length=1, max_length=40)
    link: Link | None = None
    """Where its file is on the web, for who listens; None where it is on no other machine."""

    @model_validator(mode="after")
    def _few_pictures(self) -> Talk:
        if self.pictures > MOST_PICTURES:
            raise ValueError(
                f"{self.pictures} steps and choices; a talk has at most {MOST_PICTURES}"
            )
        return self

    @property
    def pictures(self) -> int:
        """How many pages are drawn for it."""
        ready = (len(scene.ready.choices) for scene in self.scenes if scene.ready)
        return sum(len(scene.steps) for scene in self.scenes) + sum(ready)


def parse_talk(text: str) -> Talk:
    """A talk of JSON text, all of which can be shown here; raises TalkError naming scene and step
    of all that is wrong."""
    talk = read_talk(text)
    if problems := problems_of(talk):
        raise TalkError(*problems)
    return talk


def read_talk(text: str) -> Talk:
    """A talk of JSON text, whose addresses may lead to what is not here; raises TalkError."""
    try:
        values = mapping_of(text.removeprefix("\ufeff"), "talk", MAX_TEXT)
    except SpecError as error:
        raise TalkError(*error.problems) from None
    if halves := list(islice(_halves(values), 20)):
        raise TalkError(*halves)
    version = values.get("version")
    if version != VERSION:
        raise TalkError(f"version = {json.dumps(version)[:20]}: this explorer reads {VERSION}")
    try:
        return Talk.model_validate_json(json.dumps(values))
    except ValidationError as error:
        raise TalkError(*(f"{place(e['loc'])}{e['msg']}" for e in error.errors()[:20])) from None


def problems_of(talk: Talk) -> tuple[str, ...]:
    """What of a talk cannot be shown here, each with its place; the first twenty."""
    return tuple(islice(_problems(talk), 20))


def dump_talk(talk: Talk) -> str:
    """JSON as `parse_talk` reads it, for people too: what is at its default is left out."""
    values = {"version": talk.version, **talk.model_dump(mode="json", exclude_defaults=True)}
    return json.dumps(values, indent=1, ensure_ascii=False) + "\n"


def plain(words: str) -> str:
    """Words of a step with the numbers as they are before anything is tried."""
    return NUMBER.sub(r"\2", words)


def place(loc: tuple[int | str, ...]) -> str:
    """Where in a talk something is, in words: "scene 3, step 2, words: "."""
    words = []
    for name, index in zip(loc, (*loc[1:], None), strict=False):
        if name in ("scenes", "steps") and isinstance(index, int):
            words.append(f"{name[:-1]} {index + 1}")
        elif isinstance(name, str):
            words.append(name)
    return ", ".join(words) + ": " if words else ""


def _halves(values: Any) -> Iterator[str]:
    """Where texts hold half of a character, which JSON can write and no file can hold."""
    left: list[tuple[tuple[int | str, ...], Any]] = [((), values)]
    while left:
        loc, value = left.pop()
        if isinstance(value, dict):
            left += [((*loc, "name"), name) for name in value]
            left += [((*loc, name), each) for name, each in value.items()]
        elif isinstance(value, list):
            left += [((*loc, index), each) for index, each in enumerate(value)]
        elif isinstance(value, str) and (match := HALF.search(value)):
            where = place(tuple(part for part in loc if not HALF.search(str(part))))
            yield f"{where}\\u{ord(match[0]):04x} is no whole character"


def _problems(talk: Talk) -> Iterator[str]:
    """What is wrong with a talk whose fields are all of their kind."""
    for number, scene in enumerate(talk.scenes, 1):
        for problem in _problems_of_parts(scene):
            yield f"scene {number}, opens: {problem}"
        if scene.kind != "page":
            if strange := _of_a_page(scene):
                yield f"scene {number}, {strange[0]}: a scene that is a {scene.kind} shows no page"
            continue
        try:
            what_ifs = scene.staged.what_ifs
        except SpecError as error:
            yield f"scene {number}, address: {error}"
            continue
        if scene.what_if and scene.what_if not in what_ifs:
            yield f"scene {number}, what_if: {scene.what_if!r} is none of {', '.join(what_ifs)}"
        if scene.what_if and scene.ready:
            yield f"scene {number}, ready: it takes the place of a what_if"
        for name, change in (scene.ready.choices if scene.ready else {}).items():
            for problem in problems_at(*scene.changed(change)):
                yield f"scene {number}, ready {name}, {problem}"
        for index in range(len(scene.steps)):
            for problem in _problems_of_step(scene, index):
                yield f"scene {number}, step {index + 1}, {problem}"
        for problem in problems_at(*scene.changed(scene.tour.change)) if scene.tour else ():
            yield f"scene {number}, tour, {problem}"


def _problems_of_parts(scene: Scene) -> Iterator[str]:
    """What is wrong with the pages that parts of the formula open."""
    if len(scene.opens) > len(scene.formula):
        yield f"the formula has no part {len(scene.formula)}"
    for address in filter(None, scene.opens):
        try:
            yield from problems_at(*page_and_params(address))
        except SpecError as error:
            yield str(error)


def _of_a_page(scene: Scene) -> list[str]:
    """What a scene of words has that only a page can show."""
    of_scene = ("address", "picture", "what_if", "ready", "tour")
    of_step = ("change", "panels", "press", "grows", "live")
    given = [name for name in of_scene if getattr(scene, name)]
    return given + [name for step in scene.steps for name in of_step if getattr(step, name)]


def _problems_of_step(scene: Scene, index: int) -> Iterator[str]:
    step, staged, panels = scene.steps[index], scene.staged, scene.panels(index)
    known = staged.panels
    if strange := [name for name in panels if name not in known]:
        yield f"panels: {strange[0]!r} is none of {', '.join(known)}"
    for name, other in staged.needs.items():
        if name in panels and other not in panels:
            yield f"panels: {name} is only drawn beside {other}"
    if strange := [name for name, _ in NUMBER.findall(step.words) if name not in staged.numbers]:
        known = ", ".join(staged.numbers) or "none"
        yield f"words: {strange[0]!r} is no number of the picture, which has {known}"
    if step.grows and step.grows not in panels:
        yield f"grows: {step.grows!r} is none of the step's pictures, {', '.join(panels)}"
    if strange := [part for part in step.lit if part >= len(scene.formula)]:
        yield f"lit: the formula has no part {strange[0]}"
    if step.press and step.press not in staged.presses:
        yield f"press: {step.press!r} is none of {', '.join(staged.presses) or 'nothing'}"
    if step.live and not staged.trains:
        yield "live: only what the page train shows can be trained on the stage"
    yield from problems_at(*scene.view(index))
