"""Small models of the shapes of the real ones, with random weights, and where the real ones are."""

import io
import json
import math
import zipfile

import numpy as np
import torch
from safetensors.torch import save_file

from explorer.pretrained import seen
from explorer.pretrained.catalogue import MODELS
from explorer.pretrained.forwards import Bert, SmolLM2, ViT
from explorer.pretrained.tokens import _byte_names
from explorer.runs import home, looks
from explorer.runs.store import Store

REAL = home.models()  # before a test has a home of its own


def _random(shapes, seed=0):
    drawn = torch.Generator().manual_seed(seed)
    return {
        name: torch.randn(*shape, generator=drawn) / math.sqrt(shape[-1])
        + (1 if name.endswith(("norm.weight", "Norm.weight", "norm1.weight")) else 0)
        for name, shape in shapes.items()
    }


def tiny_smollm2(layers=2, heads=4, key_heads=2, width=6, vocabulary=50):
    n, wide = heads * width, 20
    shapes = {"token_embd.weight": (vocabulary, n), "output_norm.weight": (n,)}
    for layer in range(layers):
        for name, shape in {
            "attn_norm": (n,),
            "attn_q": (n, n),
            "attn_k": (key_heads * width, n),
            "attn_v": (key_heads * width, n),
            "attn_output": (n, n),
            "ffn_norm": (n,),
            "ffn_gate": (wide, n),
            "ffn_up": (wide, n),
            "ffn_down": (n, wide),
        }.items():
            shapes[f"blk.{layer}.{name}.weight"] = shape
    config = {"layers": layers, "heads": heads, "key_heads": key_heads}
    return SmolLM2(_random(shapes), config | {"rope_base": 100.0, "epsilon": 1e-5})


def fetched_tiny_smollm2(models):
    """A small one in the place of the real one, as `models fetch` leaves it."""
    model = tiny_smollm2(vocabulary=256)
    folder = models / MODELS["smollm2"].folder
    folder.mkdir(parents=True)
    save_file(dict(model.weights), folder / "weights.safetensors")
    config = {name: getattr(model, name) for name in ("layers", "heads", "key_heads", "epsilon")}
    words = {"rope_base": model.base, "vocabulary": _byte_names(), "merges": []}
    (folder / "model.json").write_text(json.dumps(config | words))


def tiny_vit(layers=2, heads=2, n=8):
    shapes = {
        "embeddings.cls_token": (1, 1, n),
        "class_position": (1, 1, n),
        "positions": (1, 4 * 4, n),
        "embeddings.patch_embeddings.projection.weight": (n, 3, 14, 14),
        "embeddings.patch_embeddings.projection.bias": (n,),
        "decoder.final_conv.weight": (1, 2, 1, 1),
        "decoder.final_conv.bias": (1,),
    } | _pairs("layernorm", (n,))
    for stage, (a, b) in enumerate([(n, 4), (4, 3), (3, 2)], 1):
        shapes |= {f"decoder.upconv{stage}.weight": (a, b, 4, 4)}
        shapes |= {f"decoder.upconv{stage}.bias": (b,)}
        shapes |= {f"decoder.bn{stage}.{of}": (b,) for of in ("weight", "bias", "running_mean")}
        shapes |= {f"decoder.bn{stage}.running_var": (b,)}
    for layer in range(layers):
        name = f"layer.{layer}"
        for of in ("query", "key", "value"):
            shapes |= _pairs(f"{name}.attention.attention.{of}", (n, n))
        shapes |= _pairs(f"{name}.attention.output.dense", (n, n))
        shapes |= _pairs(f"{name}.norm1", (n,)) | _pairs(f"{name}.norm2", (n,))
        shapes |= _pairs(f"{name}.mlp.fc1", (12, n)) | _pairs(f"{name}.mlp.fc2", (n, 12))
        shapes |= {f"{name}.layer_scale{at}.lambda1": (n,) for at in (1, 2)}
    weights = {k: w.abs() if "running_var" in k else w for k, w in _random(shapes).items()}
    config = {"layers": layers, "heads": heads, "patch": 14, "side": 42, "epsilon": 1e-6}
    return ViT(weights, config)


def tiny_minilm(layers=2, heads=2, n=8):
    shapes = {
        "embeddings.word_embeddings.weight": (30, n),
        "embeddings.position_embeddings.weight": (16, n),
        "embeddings.token_type_embeddings.weight": (2, n),
    } | _pairs("embeddings.LayerNorm", (n,))
    for layer in range(layers):
        name = f"encoder.layer.{layer}"
        for of in ("query", "key", "value"):
            shapes |= _pairs(f"{name}.attention.self.{of}", (n, n))
        shapes |= _pairs(f"{name}.attention.output.dense", (n, n))
        shapes |= _pairs(f"{name}.attention.output.LayerNorm", (n,))
        shapes |= _pairs(f"{name}.intermediate.dense", (12, n))
        shapes |= _pairs(f"{name}.output.dense", (n, 12)) | _pairs(f"{name}.output.LayerNorm", (n,))
    return Bert(_random(shapes), {"layers": layers, "heads": heads, "epsilon": 1e-12})


def _pairs(name, shape):
    return {f"{name}.weight": shape, f"{name}.bias": shape[:1]}


def inputs(model, count=2, time=9):
    drawn = torch.Generator().manual_seed(1)
    if isinstance(model, ViT):
        return torch.randn(count, 3, model.side, model.side, generator=drawn)
    return torch.randint(0, 30, (count, time), generator=drawn)


TINY = {"smollm2": tiny_smollm2, "vit": tiny_vit, "minilm": tiny_minilm}


def llama(model, tokens, coupling=lambda matrix: matrix):
    """SmolLM2 in float64, token by token and head by head; `coupling` makes of a head's whole
    matrix that which is masked then."""
    w = {name: weight.double().numpy() for name, weight in model.weights.items()}

    def norm(x, name):
        return x / np.sqrt((x**2).mean(-1, keepdims=True) + model.epsilon) * w[f"{name}.weight"]

    def turned(x, t):
        out = x.copy()
        for j in range(model.width // 2):
            angle = t * model.base ** (-2 * j / model.width)
            c, s = np.cos(angle), np.sin(angle)
            a, b = x[2 * j], x[2 * j + 1]
            out[2 * j], out[2 * j + 1] = a * c - b * s, a * s + b * c
        return out

    x, d = w["token_embd.weight"][tokens], model.width
    every = range(len(tokens))
    for layer in range(model.layers):
        of = f"blk.{layer}"
        seen = norm(x, f"{of}.attn_norm")
        q, k, v = (seen @ w[f"{of}.attn_{name}.weight"].T for name in "qkv")
        mixed = np.zeros((len(tokens), model.heads * d))
        for head in range(model.heads):
            mine, theirs = slice(head * d, head * d + d), head * model.key_heads // model.heads
            served = slice(theirs * d, theirs * d + d)
            queries = [turned(q[t, mine], t) for t in every]
            keys = [turned(k[s, served], s) for s in every]
            matrix = coupling(np.array([[a @ b / np.sqrt(d) for b in keys] for a in queries]))
            for t in every:
                weight = np.exp(matrix[t, : t + 1])
                mixed[t, mine] = weight / weight.sum() @ v[: t + 1, served]
        x = x + mixed @ w[f"{of}.attn_output.weight"].T
        seen = norm(x, f"{of}.ffn_norm")
        gate, up = (seen @ w[f"{of}.ffn_{name}.weight"].T for name in ("gate", "up"))
        x = x + (gate / (1 + np.exp(-gate)) * up) @ w[f"{of}.ffn_down.weight"].T
    return norm(x, "output_norm") @ w["token_embd.weight"].T


def looked_at(look, rank):
    """What a worker would have kept of one's own text: couplings of this rank, all heads alike."""
    of = look.pretrained
    sigma = np.zeros((of.layers, of.heads, 20), np.float32)
    sigma[..., :rank] = 3.0
    own = seen.Input(look.model, look.text)
    header = {"model": look.model, "tokens": ["a"] * 20, "note": "", "answers": []}
    layers = [np.zeros((of.heads, 20, 20), np.float32)] * of.layers
    data = seen.packed(header | {"measure": 2.0}, {"raw": sigma, "centred": sigma}, layers)
    looks.keep(Store(), own, data)
    return seen.read(looks.file_of(Store().home, own))


def wheel_bytes(content=b"\x00\x00\x80?"):
    """A wheel as pip takes it."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("tiny_model/data", content)
        about = "tiny_model-1.0.dist-info"
        named = "Metadata-Version: 2.1\nName: tiny-model\nVersion: 1.0\n"
        archive.writestr(f"{about}/METADATA", named)
        said = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        archive.writestr(f"{about}/WHEEL", said)
        archive.writestr(f"{about}/RECORD", "")
    return file.getvalue()
