"""Every choice on the Design page has a step back and forth, and none of them rewrites another."""

import random
from pathlib import Path

import pytest

from explorer.pages.design.view_drawing import LAW, LIMITS, REST, spec_changes
from explorer.spec import CouplingSpec, amended, compact
from explorer.ui.selection import Selection

PAGE = (Path(__file__).parent / "design_steps.js").read_text("utf-8")

THIRDS = [1 / 3, 0.123456789012, 2.0, 0.7, 0.0, 1e-7]
"""Out of order, and digits that a float32 or a rounding would lose."""
STARTS = [
    CouplingSpec(rank=6),
    CouplingSpec(alpha=0.9876543210987, c=1 / 3),
    CouplingSpec(spectrum="exponential", decay=1 / 3),
    CouplingSpec(spectrum="list", sigma=tuple(THIRDS), left_basis="haar", right_basis="fourier"),
    CouplingSpec(spectrum="list", sigma=tuple(THIRDS), left_basis="legendre", right_basis="sine"),
    CouplingSpec(formula="exp(-u*v)", m_h=3),
    CouplingSpec(grid="0" * 64, tau=5),
]
CHANGES = [
    {"spec": {"tau": 9}},
    {"spec": {"tau": 31}},
    {"spec": {"left_basis": "haar"}},
    {"spec": {"right_basis": "legendre"}},
    {"spec": {"alpha": 1 / 7}},
    {"spec": {"c": 0.1}},
    {"spec": {"formula": "u*v", "grid": None}},
    {"spec": {"formula": None, "grid": None}},
    {"spec": {"spectrum": "list", "sigma": THIRDS, "rank": None, "formula": None}},
    {"spec": {"spectrum": "exponential", "sigma": None, "decay": 0.4}},
    {"spec": {"spectrum": "power", "sigma": None, "rank": 5}},
    {"look": {"centred": False}},
    {"look": {"budget": 6}},
    {"look": {"form": "squared", "alpha": 0.75}},
    {"look": {"centred": True, "budget": None}},
]
PICTURES = ("k", "u", "v", "tolerance", "error", "map", "centred", "budget", "form", "alpha")


def deeds(seed, count=60):
    """A walk of edits, with more than enough steps back and forth between them."""
    draw = random.Random(seed)
    kinds = ["dot", "m", "k", "at", "tolerance", "error", "map", "slope", "page", "page"]
    kinds += ["undo"] * 8 + ["redo"] * 4
    return [
        [
            draw.choice(kinds),
            draw.randrange(6),
            draw.choice([*THIRDS[:4], draw.random()]),
            draw.choice(CHANGES),
            draw.random() < 0.3,
        ]
        for _ in range(count)
    ]


def fields_of(spec):
    values = spec.model_dump(mode="json")
    return {name: values[name] for name in ("spectrum", "sigma", *LAW, *REST, "m_h")}


def walked(javascript, start, steps):
    look = {name: getattr(Selection(), name) for name in PICTURES}
    values = {"spec": fields_of(start), "look": look, "deeds": steps}
    return javascript("design", PAGE, values=values, limits=LIMITS, rests=REST)


@pytest.mark.parametrize("start", STARTS, ids=compact)
@pytest.mark.parametrize("seed", range(4))
def test_any_walk_can_be_gone_back_and_forth_to_the_last_digit(javascript, start, seed):
    steps, spec = deeds(seed), start
    for deed, found in zip(steps, walked(javascript, start, steps), strict=True):
        assert found["page"] == found["wanted"], deed
        if found["seen"]:
            spec_now, look = found["page"]["spec"], found["page"]["look"]
            seen = found["seen"]
            assert (seen["list"], seen["m"]) == (spec_now["sigma"], spec_now["m_h"])
            assert [seen[name] for name in LAW] == [spec_now[name] for name in LAW]
            assert (seen["tolerance"], seen["map"]) == (look["tolerance"], look["map"])
        for report in found["reports"]:
            spec = amended(spec, **spec_changes(report.get("edit", {})))
            Selection(**{name: value for name, value in report.items() if name in PICTURES})
        if deed[0] == "page":
            spec = amended(start, **found["page"]["spec"])
        assert fields_of(spec) == found["page"]["spec"], "Python takes it as it was meant"


def test_a_walk_that_forgets_a_choice_is_found(javascript):
    """The control of the test above: without the tolerance among what is told, it fails."""
    steps = [["tolerance", 1, 0.5, {}, False], ["undo", 0, 0, {}, False]]
    assert walked(javascript, CouplingSpec(), steps)[0]["page"]["look"]["tolerance"] == 0.5
    body = f"const first = c.LOOKS.shift(); try {{ {PAGE} }} finally {{ c.LOOKS.unshift(first); }}"
    look = {name: getattr(Selection(), name) for name in PICTURES}
    values = {"spec": fields_of(CouplingSpec()), "look": look, "deeds": steps}
    found = javascript("design", body, values=values, limits=LIMITS, rests=REST)
    assert found[0]["page"]["look"]["tolerance"] is None


def test_to_undo_a_width_says_nothing_of_the_singular_values(javascript):
    start = STARTS[3]
    steps = [["m", 4, 0, {}, False], ["undo", 0, 0, {}, False]]
    forth, back = walked(javascript, start, steps)
    assert [report["edit"] for report in forth["reports"]] == [{"m": 5}]
    assert [report["edit"] for report in back["reports"]] == [{"m": 8}]


@pytest.mark.parametrize("start", STARTS[:5], ids=compact)
def test_to_drag_one_value_leaves_the_others_as_they_are(javascript, start):
    before = walked(javascript, start, [["m", 7, 0, {}, False]])[0]["page"]["spec"]
    sigma = before["sigma"] or (
        start.c * start.decay ** (k - 1)
        if start.spectrum == "exponential"
        else start.c * k**-start.alpha
        for k in range(1, 65)
    )
    sigma = list(sigma)[: start.rank]
    (found,) = walked(javascript, start, [["dot", 2, 0.25, {}, False]])
    now = found["page"]["spec"]["sigma"]
    exact = [x for i, x in enumerate(now) if i != 2]
    assert now[2] == 0.25
    others = [x for i, x in enumerate(sigma) if i != 2]  # of a law, to the digits of a link
    assert exact == (others if before["sigma"] else pytest.approx(others, rel=1e-11, abs=0))
    if start.sigma:
        assert exact == [x for i, x in enumerate(start.sigma) if i != 2]


def test_the_line_of_a_list_turns_it_about_its_first_value(javascript):
    sigma = [2.0, 0.4, 0.3, 0.2, 0.17, 0.0]
    body = (
        "const line = c.lineOf({ family: 'list', sigma }, 1e-10);"
        "return [line.grab, line.value, c.turned(sigma, line, { alpha: line.value + 1 }, 100)]"
    )
    grab, _, turned = javascript("design", body, sigma=sigma)
    assert grab
    assert turned[0] == 2.0
    assert turned == pytest.approx([s / k for k, s in enumerate(sigma, 1)], rel=1e-5)
    geometric = [0.5**k for k in range(8)]
    body = (
        "const line = c.lineOf({ family: 'list', sigma }, 1e-10);"
        "return c.turned(sigma, line, { decay: 0.25 }, 100)"
    )
    steeper = javascript("design", body, sigma=geometric)
    assert steeper == pytest.approx([0.25**k for k in range(8)], rel=1e-5)
