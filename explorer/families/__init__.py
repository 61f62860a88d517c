"""What a coupling is made of: bases and spectra, each an object with all that is known of it."""

from explorer.families.bases import BASES, SHIFTED_SINE, SINE, TERMS, Barron, Basis, Side
from explorer.families.spectra import (
    FREE_LIST,
    PARAMETERS,
    SPECTRA,
    Law,
    Parameter,
    Spectrum,
    Tail,
)

__all__ = [
    "BASES",
    "FREE_LIST",
    "PARAMETERS",
    "SHIFTED_SINE",
    "SINE",
    "SPECTRA",
    "TERMS",
    "Barron",
    "Basis",
    "Law",
    "Parameter",
    "Side",
    "Spectrum",
    "Tail",
]
