"""A view of a page as the reader has it, taken into a talk: as a scene of its own, or as the next
step of the scene before, which then keeps only what differs."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from explorer.pages.talk.address import fields, page_and_params, paired
from explorer.pages.talk.scenes import Scene, Step
from explorer.spec import SpecError, full_json
from explorer.targets import parse

WORDS = 400
"""Characters that a step may say."""
TOKEN = re.compile(r"\\[A-Za-z]+|\\.|.", re.DOTALL)
OPENS, CLOSES = {"{", "(", "[", r"\left", r"\begin"}, {"}", ")", "]", r"\right", r"\end"}
RELATIONS = {"=", "<", ">", r"\le", r"\leq", r"\ge", r"\geq", r"\approx", r"\in"}
SPACE = re.compile(r"^(?:\\[,;!] ?|\\quad|\s)+")


@dataclass(frozen=True)
class Taken:
    """A view: the page's address with all that is chosen there, which pictures of the page are
    shown, and which parts of a formula are lit."""

    title: str
    address: str
    words: str
    panels: tuple[str, ...]
    formula: tuple[str, ...] = ()
    picture: str | None = None

    def scene(self) -> Scene:
        """As a scene; raises ValidationError where it is too long for one."""
        return Scene(
            title=self.title,
            address=self.address,
            picture=self.picture,
            formula=self.formula,
            steps=(Step(words=self.words, panels=self.panels),),
        )

    def continues(self, scene: Scene) -> bool:
        """Whether it shows the page of a scene, and the same picture of it."""
        if scene.kind != "page" or scene.picture != self.picture:
            return False
        try:
            here, there = page_and_params(self.address), page_and_params(scene.address)
        except SpecError:  # the scene's address leads nowhere
            return False
        return here.page == there.page

    def after(self, scene: Scene) -> Scene:
        """A scene with it as the next step; raises ValidationError where that is one too many."""
        here, there = page_and_params(self.address), page_and_params(scene.address)
        scene = _with_formula(scene, self.formula)
        last = len(scene.steps) - 1
        step = Step(
            words=self.words,
            change=difference(there.params, here.params),
            panels=() if scene.panels(last) == self.panels else self.panels,
            lit=tuple(scene.formula.index(part) for part in self.formula),
        )
        return Scene(**{**dict(scene), "steps": (*scene.steps, step)})


def _with_formula(scene: Scene, parts: tuple[str, ...]) -> Scene:
    """The scene with these parts in its formula; its steps light what they lit before."""
    new = tuple(part for part in parts if part not in scene.formula)
    if not new:
        return scene
    all_ = tuple(range(len(scene.formula)))
    steps = tuple(Step(**{**dict(step), "lit": step.lit or all_}) for step in scene.steps)
    return Scene(**{**dict(scene), "formula": (*scene.formula, *new), "steps": steps})


def difference(before: dict[str, str], after: dict[str, str]) -> dict[str, Any]:
    """What a step changes in the parameters of its scene to have others: None leaves one out."""
    names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    return {name: _changed(name, before.get(name), after.get(name)) for name in names}


def _changed(name: str, before: str | None, after: str | None) -> Any:
    """The fields that differ; the whole text where those before cannot be left out by naming
    others."""
    held, wanted = fields(before), fields(after)
    if after is None or held is None or wanted is None:
        return after
    if name == "spec":  # what is left out of it has its default
        every = json.loads(full_json(parse(after)))
        wanted = {field: every[field] for field in held if field in every} | wanted
    if not _reaches(held, wanted):
        return after
    return _differing(held, wanted)


def _reaches(held: dict[str, Any], wanted: dict[str, Any]) -> bool:
    """Whether fields can be merged into others such that nothing else is left of those."""
    return all(
        name in wanted
        and (
            not (isinstance(value, dict) and isinstance(wanted[name], dict))
            or _reaches(value, wanted[name])
        )
        for name, value in held.items()
    )


def _differing(held: dict[str, Any], wanted: dict[str, Any]) -> dict[str, Any]:
    other = {n: value for n, value in wanted.items() if n not in held or held[n] != value}
    return paired(held, other, _differing)


def parts_of(latex: str) -> tuple[str, ...]:
    """A formula of a page as the parts of a scene's, which stand in a line: cut after its relations
    and before what is added, where no bracket is open."""
    whole = latex.strip()
    whole = whole[1:-1] if whole.startswith("{") and _closes_last(whole) else whole
    parts = (SPACE.sub("", part).strip() for part in _cut(whole))
    return tuple(part for part in parts if part)


def _closes_last(text: str) -> bool:
    """Whether the first brace is closed by the last."""
    depth = 0
    for at, token in enumerate(text):
        depth += (token == "{") - (token == "}")
        if not depth:
            return at == len(text) - 1
    return False


def _cut(latex: str) -> Iterator[str]:
    part, depth = "", 0
    for token in TOKEN.findall(latex):
        depth += (token in OPENS) - (token in CLOSES)
        if token == "+" and not depth and part.strip():
            yield part
            part = ""
        part += token
        if token in RELATIONS and not depth:
            yield part
            part = ""
    yield part
