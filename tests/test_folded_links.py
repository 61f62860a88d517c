"""Links are short: a list of σ_k that follows a law but for a few is written so, and read back."""

import json
import re
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.coupling import singular_values
from explorer.spec import CouplingSpec, amended, compact, coupling_spec, link_text, spec_id
from explorer.spec.folded import DIGITS, LAWS, rounded
from explorer.targets import PRESETS, coupling_sweep, parse, parse_leniently
from explorer.ui.components import HERE

SHORT = 400
"""Characters of path and query after one drag."""
LAWFUL = [
    CouplingSpec(),
    CouplingSpec(rank=6, c=2.5),
    CouplingSpec(alpha=1 / 3, c=1 / 7, m_h=3),
    CouplingSpec(spectrum="exponential", decay=0.7, right_basis="sine"),
    CouplingSpec(spectrum="exponential", decay=1 / 3, rank=40, seed=5),
    *(spec for _, spec in PRESETS.values() if getattr(spec, "spectrum", None) in LAWS),
]


def dragged(spec, places, digits=DIGITS):
    """What a hand makes of a design by a law: the list, with other values at `places`."""
    sigma = rounded(singular_values(spec).tolist(), digits)
    for k, value in places.items():
        sigma[min(k, len(sigma)) - 1] = value
    if not any(sigma):
        sigma[0] = 1.0
    return amended(spec, spectrum="list", sigma=sigma, rank=None)


@pytest.mark.parametrize("spec", LAWFUL, ids=spec_id)
@pytest.mark.parametrize("k", [1, 3, 64])
def test_one_drag_makes_a_short_link(spec, k):
    after = dragged(spec, {k: 0.123})
    length = len("/design?spec=" + quote(link_text(after)))
    settings_alone = len(quote(compact(spec)))
    assert length <= max(SHORT, settings_alone + 120)
    assert parse(link_text(after)) == after


values = st.floats(0, 100, allow_subnormal=False).map(lambda x: float(f"{x:.3g}"))


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(LAWFUL),
    st.dictionaries(st.integers(1, 64), values, max_size=64),
    st.sampled_from([4, DIGITS, 17]),
)
def test_a_link_reads_back_to_the_same_specification(spec, places, digits):
    after = dragged(spec, places, digits)
    again = parse(link_text(after))
    assert again == after
    assert spec_id(again) == spec_id(after)
    assert len(quote(link_text(after))) <= len(quote(compact(after)))


def test_a_link_that_follows_no_law_is_the_list():
    """The negative control: there is nothing to fold."""
    sigma = [round(0.1 + (7 * k % 64) / 64, 3) for k in range(64)]
    spec = amended(CouplingSpec(), spectrum="list", sigma=sigma)
    assert link_text(spec) == compact(spec)


def test_nothing_but_a_list_is_written_otherwise():
    for _, spec in PRESETS.values():
        assert spec.topic != "coupling" or spec.sigma or link_text(spec) == compact(spec)


def test_old_links_and_ids_stay():
    """The whole list in a link, as before, and its id: sha256 of the compact JSON."""
    spec = dragged(CouplingSpec(), {3: 0.5})
    assert parse(compact(spec)) == spec
    assert "sigma" in json.loads(compact(spec)) and len(json.loads(compact(spec))["sigma"]) == 64
    old = '{"sigma":[1.0,0.5,0.3333333333333333,0.25],"spectrum":"list","version":1}'
    assert compact(parse(old)) == old
    assert spec_id(parse(old)) == "1d96374eb45b"


def test_a_sweep_folds_too():
    sweep = coupling_sweep(json.loads(compact(dragged(CouplingSpec(alpha=1.5), {2: 0.9}))))
    assert len(quote(link_text(sweep))) < SHORT
    assert coupling_sweep(link_text(sweep)) == sweep


@pytest.mark.parametrize(
    "sigma",
    [
        {},
        {"power": 65},
        {"power": 0},
        {"power": "64"},
        {"power": True},
        {"power": 4, "5": 1},
        {"power": 4, "exponential": 4},
        {"power": 4, "1": "x"},
        {"power": 4, "1": 1000},
        {"power": 4, "x": 1},
        {"list": 4},
        {"power": 4, "1": None},
    ],
)
def test_what_cannot_be_unfolded_is_said(sigma):
    text = json.dumps({"spectrum": "list", "sigma": sigma, "m_h": 5})
    spec, problems = parse_leniently(text)
    assert any(line.startswith("sigma") for line in problems)
    assert coupling_spec(spec).m_h == 5 and coupling_spec(spec).sigma is None


@pytest.mark.parametrize("alpha", [-1e9, 1e9, "x", None, True, [1, 2]])
def test_a_law_with_a_wrong_parameter_is_said(alpha):
    text = json.dumps({"spectrum": "list", "sigma": {"power": 64}, "alpha": alpha})
    spec, problems = parse_leniently(text)
    assert any(line.startswith("alpha") for line in problems)
    assert coupling_spec(spec).alpha == 1


def test_the_canvas_rounds_to_the_digits_that_links_know():
    script = (HERE / "design" / "design.js").read_text("utf-8")
    assert int(re.search(r"const DIGITS = (\d+);", script)[1]) == DIGITS
