"""A class word for visitors of a public server."""

import time

from explorer.hosting.space import visitors
from explorer.hosting.visitors import Words

PLACES = 100


def word_of(commons, name="class", places=PLACES):
    """A new word of this store."""
    return Words(visitors(commons)).add(name, places, time.time() + 86400)


def let_in(commons, *owners):
    """Each has a place of one word."""
    words = Words(visitors(commons))
    word = word_of(commons, f"class {len(words.list())}")
    for owner in owners:
        words.enter(owner, word)
