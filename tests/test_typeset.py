"""Symbols are typeset wherever a page writes them: no `m_h`, `σ_k` or `10^6` is left as typed."""

import re

import pytest
from streamlit_pages import app, ran

from explorer.ui.pages import PAGES
from explorer.views.glossary import typeset

TYPED = re.compile(r"[^\W\d_][\u0300-\u036f]?_[A-Za-z{]|\^[\d\-−({*]")
APART = re.compile(r"\$[^$]*\$|`[^`]*`|\]\([^)]*\)", re.DOTALL)
"""Formulas, code and where links lead."""
VALUES = ("text_input", "selectbox", "code", "latex")
"""Widgets whose value is not what is shown."""


def below(node):
    """All elements below one."""
    for child in getattr(node, "children", {}).values():
        yield child
        yield from below(child)


def written(element):
    """What an element writes: label, tooltip, options, text."""
    names = ("label", "help", "options", "placeholder")
    for name in names if element.type in VALUES else (*names, "value"):
        found = getattr(element, name, None)
        yield from [found] if isinstance(found, str) else (found or ()) if name == "options" else ()


def test_symbols_of_a_label_are_formulas_and_what_is_one_stays():
    assert typeset("m_h, $m_h$ and `m_h` of Σ σ_k² am_h") == (
        r"$m_h$, $m_h$ and `m_h` of Σ $\sigma_k$² am_h"
    )


@pytest.mark.parametrize("page", PAGES)
def test_a_page_writes_no_formula_as_it_is_typed(page):
    at = app(page)
    at.session_state["exact"] = True
    ran(at)
    folded = [each.label for each in below(at.main) if each.type == "expander"]
    for label in folded:
        at.session_state[f"unfolded {label.replace('$', '')}"] = True
    ran(at)
    texts = [
        text for each in (*below(at.main), *below(at.sidebar)) for text in written(each) if text
    ]
    assert len(texts) > 5
    assert not [text for text in texts if TYPED.search(APART.sub("", text))]
