"""Plain sentences with symbols, as Markdown with formulas."""

import re

import pytest
from katex import refused_by_katex

from explorer.paper import ITEMS
from explorer.ui.words import escape_markdown
from explorer.views.text import as_formulas


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("no symbol, 1/2 and a*b", "no symbol, 1/2 and a*b"),
        ("σ_k falls.", "$σ_{k}$ falls."),
        ("Σ_{k>r} σ_k²;", "$Σ_{k>r}$ $σ_{k}²$;"),
        ("m_h^−(2α−1), or", "$m_{h}^{−(2α−1)}$, or"),
        ("error m_h^−0.27 + 1.05", "error $m_{h}^{−0.27}$ + 1.05"),
        ("softmax[ρ(x_t, x_·)](s)", r"$\operatorname{softmax}[ρ(x_{t}$, $x_{·})](s)$"),
    ],
)
def test_words_with_an_index_become_formulas(text, expected):
    assert as_formulas(text) == expected


def test_what_stands_between_is_no_markup():
    assert as_formulas("*a* and x_t <b>", escape_markdown) == r"\*a\* and $x_{t}$ \<b\>"


def test_every_line_of_the_papers_is_taken_by_katex():
    told = [as_formulas(item.says) for item in ITEMS]
    formulas = [each for text in told for each in re.findall(r"\$([^$]*)\$", text)]
    assert len(formulas) > 80 and refused_by_katex(formulas) == []
    left = [text for text in told if re.search(r"\w_\w", re.sub(r"\$[^$]*\$", "", text))]
    assert left == []
