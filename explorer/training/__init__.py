"""Training; nothing here knows the store.

train      train(spec, state=None) yields one Snapshot a step of one model
ensemble   many models side by side in one batch: one step, from its batch to the optimiser
kernels    the same by the kernel in C, model by model; trained, what both answer
recipe     what an ensemble is told of a kind of model; `recipes` has one for each network
truncation a trained model cut to rank k, and surgery, sweeps trained from the top down
soap, optimizers, schedule
"""

from explorer.training.ensemble import Ensemble
from explorer.training.surgery import TopDown
from explorer.training.train import Diverged, Snapshot, models_of, train
from explorer.training.trained import Trained
from explorer.training.truncation import rank_surgery
