"""What the lines of `explorer paper` say by hand: each rests on the seed, and on its own check."""

from explorer.claims.claim import Claim
from explorer.claims.texts import PAPER
from explorer.claims.words import said
from explorer.paper import ITEMS

CLAIMS: tuple[Claim, ...] = tuple(
    Claim(
        PAPER,
        item.says.replace("{", "{{").replace("}", "}}"),
        f"{item.where}; {item.commands[0] if item.commands else 'as printed there'}",
    )
    for item in ITEMS
    if any(said(item.says))
)
