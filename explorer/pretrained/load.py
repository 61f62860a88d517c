"""A fetched model, ready to be called."""

from collections.abc import Callable
from pathlib import Path

from explorer.pretrained.attention import Model, load_weights
from explorer.pretrained.bert import Bert
from explorer.pretrained.catalogue import ModelError
from explorer.pretrained.fetch import config_of, folder_of
from explorer.pretrained.gpt2 import GPT2
from explorer.pretrained.own import model_named
from explorer.pretrained.smollm2 import SmolLM2
from explorer.pretrained.vit import PlainViT, ViT

FORWARDS: dict[str, Callable[..., Model]] = {
    "smollm2": SmolLM2,
    "vit": ViT,
    "minilm": Bert,
    "own bert": Bert,
    "own gpt2": GPT2,
    "own vit": PlainViT,
}
"""By the name of a model or, of the user's own, by what its JSON calls the `forward`."""


def load(models: Path, name: str) -> Model:
    """A model of the folder; raises ModelError where it is not there, or damaged."""
    folder = folder_of(models, model_named(models, name))
    config = config_of(folder)
    try:
        return FORWARDS[config.get("forward", name)](load_weights(folder), config)
    except KeyError as error:
        raise ModelError(f"{folder} lacks {error}: remove the model, bring it again") from None
