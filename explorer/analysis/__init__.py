"""What a trained model has learned: its coupling, its attention, F̂∘W_V∘f̂, spectra over inputs."""

from explorer.analysis.couplings import (
    PICTURE,
    Learned,
    angles,
    coupling_diagnostics,
    learned_coupling,
)
from explorer.analysis.encoder import encoder_diagnostics, last_spectra, memory_diagnostics
from explorer.analysis.linear import linear_diagnostics, positioned_diagnostics, rnn_diagnostics
from explorer.analysis.tasks import centred_spectrum, spectrum, task_diagnostics
