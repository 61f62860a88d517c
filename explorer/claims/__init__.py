"""The register of claims: each number and theorem that a text says by hand, what it rests on, and
its computation. What is not in it is made from data at the moment it is shown.

    python -m explorer claims            the table
    python -m explorer claims --check    computed anew, and held against the texts
    python -m explorer claims --talk     every sentence of the talk, and what it rests on

To say a number in a document, the talk or a sentence of code: write the sentence, and a `Claim`
with the same words in the module here that is named after its place, a {name} for each number.
Better: compute it where it is said, or do without. A number without `values` is a definition, a
setting that is quoted, or what a paper prints, and `rests` says which.
"""

from explorer.claims import (
    documents,
    explained,
    memory,
    real,
    sentences,
    talk,
    talk_attention,
    talk_order,
    views,
)
from explorer.claims.claim import Claim, Unknown, claims_of, unknown
from explorer.claims.statements import Statement, statements
from explorer.claims.texts import PAPER
from explorer.claims.words import claiming_words
from explorer.paper import ITEMS

__all__ = ["CLAIMS", "Claim", "Statement", "Unknown", "statements", "unknown"]

_MODULES = (documents, talk, talk_attention, talk_order, real, explained, sentences, views, memory)
_OF_PAPER = (
    (
        item.says.replace("{", "{{").replace("}", "}}"),
        f"{item.where}; {item.commands[0] if item.commands else 'as printed there'}",
    )
    for item in ITEMS
    if any(claiming_words(item.says))
)
"""What the lines of `explorer paper` say: each rests on the seed, and on its own check."""
CLAIMS = (*(claim for module in _MODULES for claim in module.CLAIMS), *claims_of(PAPER, *_OF_PAPER))
