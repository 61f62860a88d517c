"""What a trained model has learned: its coupling, its attention, F̂∘W_V∘f̂."""

from explorer.analysis.couplings import (
    NODES,
    PICTURE,
    SUBSPACES,
    TIE,
    Learned,
    angles,
    learned_coupling,
    look,
)
from explorer.analysis.linear import look_at_positioned, look_at_rnn
from explorer.analysis.tasks import centred_spectrum, look_at_task, spectrum

__all__ = [
    "NODES",
    "PICTURE",
    "SUBSPACES",
    "TIE",
    "Learned",
    "angles",
    "centred_spectrum",
    "learned_coupling",
    "look",
    "look_at_positioned",
    "look_at_rnn",
    "look_at_task",
    "spectrum",
]
