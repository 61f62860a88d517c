"""The table of exact σ_k on Design: what is typed is taken, whatever comes between."""

import json

import pytest
from streamlit_pages import app, opened, ran

from explorer.pages.design import page as designs
from explorer.targets import parse
from explorer.ui import specs

SIX = json.dumps({"rank": 6, "m_h": 2})
TYPED = [1.0, 2.5, 1 / 3, 0.25, 0.2, 1 / 6]


def typed_into(at):
    """As the browser says it: the second of the six values is 2.5 now."""
    at.session_state["exact 1"] = {
        "edited_rows": {1: {"σ_k": 2.5}},
        "deleted_rows": [],
        "added_rows": [],
    }
    return at


def with_table(at, sigma):
    at.session_state[designs.TABLE] = {
        "number": 1,
        "starts": sigma,
        "typed": sigma,
        "gives": sigma,
    }
    return at


def sigma_in(at):
    return parse("".join(at.query_params["spec"])).sigma


def test_what_was_typed_is_taken_by_the_next_run_where_the_first_was_cut_short(monkeypatch):
    at = typed_into(with_table(app("design", spec=SIX), [1 / k for k in range(1, 7)]))
    change = specs.change
    monkeypatch.setattr(specs, "change", lambda changes: 1 / 0)
    at.run()
    assert at.exception and sigma_in(at) is None, "it was cut short"
    monkeypatch.setattr(specs, "change", change)
    assert sigma_in(ran(at)) == pytest.approx(TYPED)


def test_it_stays_in_its_place_whatever_is_said_above_it():
    """In another place of the page it would be another table, and what is being typed lost."""
    places = set()
    for sigma in ([1.0, 0.5], [0.0, 0.0]):  # what is said of the last step, and nothing of rank 0
        spec = {"spectrum": "list", "sigma": sigma, "m_h": 2}
        main = opened("design", spec=json.dumps(spec)).main
        places |= {i for i, part in main.children.items() if "Exact values" in _label(part)}
    assert len(places) == 1


def _label(part):
    return getattr(part, "label", "") or ""
