"""Training: `train(spec, state=None)` yields one Snapshot a step; nothing here knows the store."""

from explorer.training.train import Diverged, Snapshot, train

__all__ = ["Diverged", "Snapshot", "train"]
