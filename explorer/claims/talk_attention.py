"""Claims of the scenes of the shipped talk in which one head is looked into."""

import json
from functools import cache
from typing import Any

import numpy as np

from explorer.claims.claim import claims_of
from explorer.claims.talk import SETTING, counted, spec_of
from explorer.claims.texts import TALK
from explorer.pages.attention.view import exchange
from explorer.pages.attention.view_board import answered, example, respond, state_of, tokens
from explorer.pages.attention.view_head import Head
from explorer.pages.talk import decks
from explorer.runs import weights
from explorer.targets import task_of
from explorer.ui.live import open_stream
from explorer.views.sweeps import ASSETS


@cache
def _head(name: str) -> Head:
    """A shipped head."""
    return Head(spec_of(f"attention-{name}"), weights.of_archive(ASSETS / f"attention-{name}.zip"))


def _width() -> dict[str, object]:
    return {"width": _head("nearest").spec.m_h}


def _state(title: str, step: int, head: Head) -> Any:
    """What is set in a step, from 0, of the scene with these words in its title."""
    (scene,) = (each for each in decks.load(decks.OURS).scenes if title in each.title)
    return state_of(head.spec, json.loads(scene.view(step).params["view"]))


@cache
def _found(k: int) -> int:
    """Circles that find their square on the board of the vote, where the head keeps k numbers."""
    head = _head("nearest")
    x = tokens(head.spec, _state("A vote", 0, head).board)
    attention, ideal = head.cut(k).attend(x), task_of(head.spec).attention(x)
    return int((attention.argmax(-1) == ideal.argmax(-1)).sum())


def _find(k: int):
    return lambda: {"find": counted(_found(k)), "all": counted(_head("nearest").spec.tau)}


def _every() -> dict[str, object]:
    assert _found(3) == _head("nearest").spec.tau
    return {}


def _top(step: int) -> dict[str, object]:
    """The largest weight of the row that is built up, in one of its steps."""
    head = _head("nearest")
    state = _state("One row", step - 1, head)
    _, attention = respond(head, tokens(head.spec, state.board), state.settings)
    return {"top": f"{attention[state.row].max():.2f}"}


def _right(name: str) -> dict[str, object]:
    """Tokens of the example whose largest weight is where an ideal one is."""
    head = _head(name)
    x = tokens(head.spec, example(head.spec).board)
    attention, ideal = head.attend(x), task_of(head.spec).attention(x)
    right = ideal[np.arange(len(x)), attention.argmax(-1)] == ideal.max(-1)
    return {"right": counted(int(right.sum())), "all": counted(len(x))}


def _large() -> dict[str, object]:
    """Singular values of the head, and one that is a thirtieth of those."""
    sigma = _head("nearest").singular()[1]
    large = int((sigma > sigma[0] / 2).sum())
    assert large + 1 == len(sigma) and sigma[-1] < sigma[large - 1] / 30
    return {"large": counted(large)}


def _pair() -> dict[str, object]:
    """Two heads that answer alike: R², of 100 points those that look where they should, and how
    their answers follow the points of other sequences."""
    numbers: dict[str, object] = {}
    for which, name in (("first", "cog-adam"), ("second", "cog-adam-plain")):
        outcome = open_stream(f"asset-attention-{name}").record.row.outcome
        numbers[which] = f"{outcome['r2']:.3f}"
        numbers[f"{which}_looks"] = f"{100 * outcome['agreement_points']:.0f}"
        numbers[f"{which}_follows"] = f"{exchange(_head(name)).follows:.2f}"
    return numbers


def _other_points() -> dict[str, object]:
    """What the lit token of the second head answers by the weights that are kept."""
    head = _head("cog-adam-plain")
    state = _state("Two heads", 2, head)
    answers = answered(head.spec, head, state)
    says, wanted = (f"{answers[name][state.row, 0]:.2f}" for name in ("predicted", "answer"))
    return {"row": state.row, "says": says, "wanted": wanted}


NEAREST = "assets/attention-nearest.zip"
GRAVITY = "assets/attention-cog-adam.zip and attention-cog-adam-plain.zip"

CLAIMS = claims_of(
    TALK,
    ("the only place where two tokens meet", "a definition, Eq. 5"),
    ("With one number, it finds {find} of {all} squares", NEAREST, _find(1)),
    ("With one number, the head finds {find} of {all} squares.", NEAREST, _find(1)),
    ("With two numbers, {find} of {all}.", NEAREST, _find(2)),
    ("With three, {find} of {all}", NEAREST, _find(3)),
    ("Keep three: the head finds {find} of {all} squares.", NEAREST, _find(3)),
    ("Keep two: {find} of {all}.", NEAREST, _find(2)),
    ("a trained one of width {width}", NEAREST, _width),
    ("makes three numbers of it", SETTING),
    ("Each square offers three numbers of its own", SETTING),
    ("Divided by 30 first, the largest is {top}.", NEAREST, lambda: _top(4)),
    ("Undivided, the largest is {top}.", NEAREST, lambda: _top(5)),
    ("Three products of a function of $u$ and one of $v$", "the formula above it"),
    ("found {large} large singular values, and a fourth near nothing", NEAREST, _large),
    ("has {large} singular values that matter", NEAREST, _large),
    ("The head has width {width}.", NEAREST, _width),
    (
        "This head answers with $R^2 = {first}$; here {right} of {all} tokens look where they",
        GRAVITY,
        lambda: _pair() | _right("cog-adam"),
    ),
    (
        "Another head answers with $R^2 = {second}$ as well. Here {right} of {all} tokens look",
        GRAVITY,
        lambda: _pair() | _right("cog-adam-plain"),
    ),
    (
        "Of 100 points of fresh sequences {first_looks} look where they should with the first "
        "head, {second_looks} with the second.",
        GRAVITY,
        _pair,
    ),
    (
        "Token {row} says {says}, where {wanted} is right. Over many $R^2={second_follows}$; the "
        "first head's, {first_follows}.",
        GRAVITY,
        lambda: _pair() | _other_points(),
    ),
    ("Three numbers of each token find the nearest square.", NEAREST, _every),
    ("Why three?", "the question that the sentence before it asks"),
    ("Two heads, one answer", "the pair of the scene"),
    ("One head, in three sentences", "those that follow"),
    ("Three sentences to take home", "the same"),
)
