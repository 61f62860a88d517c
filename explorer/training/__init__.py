"""Training; nothing here knows the store.

train      train(spec, state=None) yields one Snapshot a step of one model
ensemble   many models side by side in one batch: one step, from its batch to the optimiser
recipe     what an ensemble is told of a kind of model; `recipes` has one for each network
gradients  by autograd, where a recipe has none by hand, and their clipping
truncation a trained model cut to rank k, and surgery, sweeps trained from the top down
soap, optimizers, schedule
"""

from explorer.training.ensemble import Ensemble
from explorer.training.surgery import TopDown
from explorer.training.train import Diverged, Snapshot, train
from explorer.training.truncation import rank_surgery

__all__ = ["Diverged", "Ensemble", "Snapshot", "TopDown", "rank_surgery", "train"]
