"""Pictures and number words, known by examples.

target      and the KIND of each
pictures    the files they are read from
presets     ready specifications and sweeps
"""

from explorer.targets.labelled.target import (
    NUMBER_WORDS_KIND,
    PICTURES_KIND,
    Examples,
    Labelled,
    patches,
)
