"""Claims of the scenes of the shipped talk in which one head is looked into."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from explorer.claims.claim import Claim
from explorer.claims.talk import SETTING, counted, spec_of
from explorer.claims.texts import TALK
from explorer.pages.attention.view_board import state_of, tokens
from explorer.pages.attention.view_head import Head
from explorer.pages.talk import kept
from explorer.runs import weights
from explorer.targets import task_of
from explorer.ui.live import open_stream

ASSETS = Path(__file__).parents[2] / "assets"


def _board() -> dict[str, object]:
    spec = spec_of("attention-nearest")
    return {"width": spec.m_h, "tokens": counted(spec.tau)}


@cache
def _found(k: int) -> tuple[int, float]:
    """Of the board of the vote: circles that find their square where the head keeps k numbers, and
    the least of the rows' largest weights."""
    scene = next(each for each in kept.load(kept.OURS).scenes if each.title.startswith("A vote"))
    spec = spec_of("attention-nearest")
    head = Head(spec, weights.of_archive(ASSETS / "attention-nearest.zip"))
    state = state_of(spec, json.loads(scene.view(0).params["view"]))
    x = tokens(spec, state.board)
    attention, ideal = head.cut(k).attend(x), task_of(spec).attention(x)
    return int((attention.argmax(-1) == ideal.argmax(-1)).sum()), float(attention[0].max())


def _find(k: int, of: str = "find"):
    def numbers() -> dict[str, object]:
        found, all_ = _found(k)[0], spec_of("attention-nearest").tau
        return {"find": counted(found), "all": counted(all_), "lose": counted(all_ - found)}

    return lambda: {name: numbers()[name] for name in of.split()}


def _every() -> dict[str, object]:
    assert _found(3)[0] == spec_of("attention-nearest").tau and _found(3)[1] > 0.95
    return {}


def _large() -> dict[str, object]:
    """Singular values of the head, and one that is a thirtieth of those."""
    head = Head(spec_of("attention-nearest"), weights.of_archive(ASSETS / "attention-nearest.zip"))
    sigma = head.singular()[1]
    large = int((sigma > sigma[0] / 2).sum())
    assert large + 1 == len(sigma) and sigma[-1] < sigma[large - 1] / 30
    return {"large": counted(large)}


def _pair_of(*names: str):
    """Two heads that answer alike: R², and of 100 points those that look where they should."""

    def numbers() -> dict[str, object]:
        first, second = (
            open_stream(f"asset-attention-{name}").record.row.outcome
            for name in ("cog-adam", "cog-adam-plain")
        )
        return {
            "first": f"{first['r2']:.3f}",
            "second": f"{second['r2']:.3f}",
            "looks": f"{100 * first['agreement_points']:.0f}",
            "fewer": f"{100 * second['agreement_points']:.0f}",
        }

    return lambda: {name: numbers()[name] for name in names}


NEAREST = "assets/attention-nearest.zip"
GRAVITY = "assets/attention-cog-adam.zip and attention-cog-adam-plain.zip"

CLAIMS: tuple[Claim, ...] = (
    Claim(TALK, "the only place where two tokens meet", "a definition, Eq. 5"),
    Claim(TALK, "With one number, {find} circle of {all} finds", NEAREST, _find(1, "find all")),
    Claim(TALK, "With two numbers, {find} of {all} do.", NEAREST, _find(2, "find all")),
    Claim(TALK, "With three, every circle finds its square. Why three?", NEAREST, _every),
    Claim(TALK, "a trained one of width {width}", NEAREST, lambda: {"width": _board()["width"]}),
    Claim(TALK, "makes three numbers of it", SETTING),
    Claim(TALK, "Each square offers three numbers of its own", SETTING),
    Claim(TALK, "Divided by 30 first, several squares share them.", SETTING),
    Claim(TALK, "Undivided, nearly all the weight is on one.", NEAREST, _every),
    Claim(TALK, "Three products of a function of $u$ and one of $v$", "the formula above it"),
    Claim(TALK, "found {large} large singular values, and a fourth near nothing", NEAREST, _large),
    Claim(TALK, "has {large} singular values that matter", NEAREST, _large),
    Claim(TALK, "Cut the third: {lose} circles lose their square.", NEAREST, _find(2, "lose")),
    Claim(TALK, "The head has width {width}.", NEAREST, lambda: {"width": _board()["width"]}),
    Claim(TALK, "This head answers with $R^2 = {first}$", GRAVITY, _pair_of("first")),
    Claim(
        TALK,
        "Another head, $R^2 = {second}$ as well. Yet only {fewer} of 100 points look where they "
        "should, of the first head's {looks}.",
        GRAVITY,
        _pair_of("second", "fewer", "looks"),
    ),
    Claim(TALK, "Three numbers of each token find the nearest square.", NEAREST, _every),
    Claim(TALK, "Why three?", "the question that the sentence before it asks"),
    Claim(TALK, "Two heads, one answer", "the pair of the scene"),
    Claim(TALK, "One head, in three sentences", "those that follow"),
    Claim(TALK, "Three sentences to take home", "the same"),
)
