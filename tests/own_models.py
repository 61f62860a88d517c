"""Small models of random weights in the files that `transformers` would have written."""

import json
import math

import torch
from safetensors.torch import save_file

from explorer.pretrained import foreign

GPT2 = {
    "model_type": "gpt2",
    "n_layer": 2,
    "n_head": 3,
    "n_embd": 12,
    "vocab_size": 40,
    "n_positions": 30,
}
BERT = {
    "model_type": "bert",
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
    "hidden_size": 12,
    "intermediate_size": 20,
    "vocab_size": 40,
    "max_position_embeddings": 30,
}
VIT = {
    "model_type": "vit",
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
    "hidden_size": 12,
    "intermediate_size": 20,
    "image_size": 12,
    "patch_size": 4,
}
CONFIGS = {"gpt2": GPT2, "bert": BERT, "vit": VIT}
NAMES = {
    "gpt2": ["transformer.h.1.attn.c_attn.weight", "transformer.wpe.weight"],
    "bert": ["bert.encoder.layer.1.attention.self.query.weight", "bert.embeddings.LayerNorm.bias"],
    "vit": [
        "vit.encoder.layer.1.attention.attention.key.bias",
        "vit.encoder.layer.0.layernorm_before.weight",
    ],
}
"""Some as version 5 writes them."""


def weights_of(config, seed=0):
    """Random arrays under the names that transformers gives them."""
    plan, drawn = foreign.plan_of(foreign.Settings(config)), torch.Generator().manual_seed(seed)
    return {
        plan.prefix + name: torch.randn(*shape, generator=drawn) / math.sqrt(shape[-1])
        + ("norm" in name.lower() or "ln_" in name) * name.endswith("weight")
        for name, shape in plan.shapes.items()
    }


def saved(folder, config, weights=None, **files):
    """The folder of a model, and other `files` by name, of JSON or text."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config))
    weights = weights_of(config) if weights is None else weights
    save_file({name: of.contiguous() for name, of in weights.items()}, folder / "model.safetensors")
    for name, what in files.items():
        text = what if isinstance(what, str) else json.dumps(what)
        (folder / name.replace("_txt", ".txt").replace("_json", ".json")).write_text(text)
    return folder
