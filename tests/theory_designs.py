"""Designs of which Theorem 4.1 says something, or says why not; and what is read of its charts."""

import re
from xml.etree import ElementTree

import numpy as np

from explorer.spec import CouplingSpec

GRID = np.random.default_rng(0).normal(size=(6, 6))
SPECS = {
    "default": CouplingSpec(),
    "fast": CouplingSpec(alpha=2.0, m_h=4),
    "finite": CouplingSpec(rank=6, m_h=7),
    "legendre": CouplingSpec(
        spectrum="exponential", left_basis="legendre", right_basis="legendre", tau=2
    ),
    "haar": CouplingSpec(left_basis="haar"),
    "slow": CouplingSpec(alpha=0.5),
    "formula": CouplingSpec(formula="minimum(u, v)"),
    "invisible": CouplingSpec(formula="u"),
    "samples": CouplingSpec(grid="0" * 64),
    "one layer": CouplingSpec(depth=1),
}


def load(sha):
    return GRID


def font_sizes(node):
    if isinstance(node, dict):
        yield from (v for k, v in node.items() if k.lower().endswith("fontsize"))
        node = list(node.values())
    if isinstance(node, list):
        for child in node:
            yield from font_sizes(child)


def boxes(svg):
    """Text, left and right end of every text of an SVG, by the size of its letters."""
    namespace = "{http://www.w3.org/2000/svg}"

    def walk(node, x):
        move = re.match(r"translate\(([-\d.]+)", node.get("transform", ""))
        x += float(move[1]) if move and "rotate" not in node.get("transform") else 0.0
        if node.tag == f"{namespace}text" and "rotate" not in node.get("transform", ""):
            text = "".join(node.itertext())
            wide = 0.62 * float(node.get("font-size").removesuffix("px")) * len(text)
            share = {"middle": 0.5, "end": 1.0}.get(node.get("text-anchor"), 0.0)
            yield text, x - share * wide, x + (1 - share) * wide
        for child in node:
            yield from walk(child, x)

    return list(walk(ElementTree.fromstring(svg), 0.0))
