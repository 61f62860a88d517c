"""Training; nothing here knows the store.

train      train(spec, state=None) yields one Snapshot a step of one model
ensemble   many models side by side in one batch
tasks      the same for the attention tasks
surgery    a trained model cut to rank k; sweeps trained from the top down
soap, optimizers, schedule
"""

from explorer.training.ensemble import Ensemble
from explorer.training.surgery import TopDown, rank_surgery
from explorer.training.train import Diverged, Snapshot, ensemble_of, train

__all__ = ["Diverged", "Ensemble", "Snapshot", "TopDown", "ensemble_of", "rank_surgery", "train"]
