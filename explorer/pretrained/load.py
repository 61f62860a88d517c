"""A fetched model, ready to be called."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from explorer.pretrained.attention import Model, load_weights
from explorer.pretrained.catalogue import ModelError, model_named
from explorer.pretrained.fetch import config_of, folder_of
from explorer.pretrained.minilm import MiniLM
from explorer.pretrained.smollm2 import SmolLM2
from explorer.pretrained.vit import ViT

FORWARDS: dict[str, Callable[..., Model]] = {"smollm2": SmolLM2, "vit": ViT, "minilm": MiniLM}


def load(models: Path, name: str) -> Model:
    """A model of the folder; raises ModelError where it is not there, or damaged."""
    folder = folder_of(models, model_named(name))
    try:
        return FORWARDS[name](load_weights(folder), config_of(folder))
    except KeyError as error:
        raise ModelError(f"{folder} lacks {error}: remove the model, fetch it again") from None
