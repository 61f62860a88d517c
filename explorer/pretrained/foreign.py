"""What `transformers` has saved of a model, as this room takes it: BERT, GPT-2 and ViT.

config.json says what the model is, and by it which arrays model.safetensors must hold and of which
shapes. Both are read as data: nothing of a model is run or unpickled, and no code comes with it.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from explorer.pretrained.attention import ACTIVATIONS
from explorer.pretrained.catalogue import ModelError, Says
from explorer.pretrained.own import CONFIG, MOST_BYTES, WEIGHTS, without_weights

MOST_CONFIG = 4_000_000
LAYERS, HEADS, WIDTH, DIMENSION = 48, 32, 128, 8192
TOKENS, POSITIONS, CLASSES = 500_000, 200_000, 100_000
PATCHES = 400  # as many rows and columns has a coupling that is drawn
FLOATS = ("F16", "BF16", "F32", "F64")
Shapes = dict[str, tuple[int, ...]]


@dataclass(frozen=True)
class Plan:
    """What a model's config.json asks of its arrays, and what is kept of it."""

    family: str
    says: Says
    causal: bool
    width: int
    prefix: str
    """Of the names of arrays where the model has something above it."""
    shapes: Shapes
    """By the names of `transformers`, without the prefix."""
    config: dict[str, Any]
    above: Shapes = field(default_factory=dict)
    """Arrays that may be there, without prefix; -1 is any size."""
    ours: Callable[[dict[str, Tensor]], dict[str, Tensor]] = dict
    """The arrays under the names that our forward knows."""


class Settings:
    """config.json, asked entry by entry; what is missing, or cannot be, is a ModelError."""

    def __init__(self, entries: Mapping[str, Any]):
        self.entries = entries

    def whole(self, name: str, most: int, default: int | None = None) -> int:
        value = self.entries.get(name, default)
        value = default if value is None else value
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
            raise ModelError(
                f"{CONFIG}: {name} is {str(value)[:40]}; a whole number from 1 to {most} is read"
            )
        return value

    def number(self, name: str, default: float) -> float:
        value = self.entries.get(name, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1:
            raise ModelError(f"{CONFIG}: {name} is {str(value)[:40]}; a number between 0 and 1")
        return float(value)

    def activation(self, name: str, default: str) -> str:
        value = self.entries.get(name, default)
        if value not in ACTIVATIONS:
            raise ModelError(
                f"{CONFIG}: {name} is {str(value)[:40]!r}; known are {', '.join(ACTIVATIONS)}"
            )
        return value

    def must(self, **computed: Any) -> None:
        """What our forwards take for granted."""
        for name, value in computed.items():
            if (told := self.entries.get(name, value)) != value:
                raise ModelError(
                    f"{CONFIG}: {name} is {str(told)[:40]}; only {value} is computed here"
                )

    def head_width(self, dimension: int, heads: int) -> int:
        if dimension % heads or not 2 <= dimension // heads <= WIDTH:
            raise ModelError(
                f"{CONFIG}: {heads} heads of a dimension of {dimension}: a head has a whole number "
                f"of them, 2 to {WIDTH}"
            )
        return dimension // heads


def read_settings(folder: Path) -> Settings:
    """config.json of a folder; raises ModelError with what is wrong with it."""
    return Settings(read_json(folder / CONFIG, MOST_CONFIG))


def read_json(file: Path, most: int) -> dict[str, Any]:
    """An object of JSON; raises ModelError for another, and for a file that is too large."""
    if not file.is_file():
        raise ModelError(
            f"{file.parent} has no {file.name}: a folder that `save_pretrained` of transformers "
            "wrote is read"
        )
    if file.stat().st_size > most:
        raise ModelError(f"{file.name} has more than {most // 10**6} MB")
    try:
        entries = json.loads(file.read_text("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{file.name} is no JSON: {str(error)[:100]}") from None
    if not isinstance(entries, dict):
        raise ModelError(f"{file.name} is no JSON object")
    return entries


def plan_of(settings: Settings) -> Plan:
    """What the model is; raises ModelError for a family that is not computed here."""
    family = settings.entries.get("model_type")
    if family not in FAMILIES:
        raise ModelError(
            f"{CONFIG}: model_type is {str(family)[:40]!r}; known are {', '.join(FAMILIES)}"
        )
    return FAMILIES[family](settings)


ENCODER = ("hidden_size", "num_attention_heads", "num_hidden_layers", "intermediate_size")
ENCODER += ("layer_norm_eps", "hidden_act")
DECODER = ("n_embd", "n_head", "n_layer", "n_inner", "layer_norm_epsilon", "activation_function")
"""What families call dimension, heads, layers, width of the network, ε and activation."""


def _sizes(
    settings: Settings, names: Sequence[str], epsilon: float, activation: str, wide: int = 0
) -> tuple[int, int, dict[str, Any]]:
    """The dimension, the network's width, by default `wide` times as large, and what is kept."""
    n = settings.whole(names[0], DIMENSION)
    config = {
        "layers": settings.whole(names[2], LAYERS),
        "heads": settings.whole(names[1], HEADS),
        "epsilon": settings.number(names[4], epsilon),
        "activation": settings.activation(names[5], activation),
    }
    return n, settings.whole(names[3], 65_536, wide * n or None), config


def _pairs(table: Shapes, prefix: str = "", bias: int = 0) -> Shapes:
    """Weight and bias of maps and norms; `bias` is the axis of the weights that it has."""
    return {
        f"{prefix}{name}.{part}": part_shape
        for name, shape in table.items()
        for part, part_shape in (("weight", shape), ("bias", (shape[bias],)))
    }


def _layers(count: int, prefix: str, table: Shapes, bias: int = 0) -> Shapes:
    shapes: Shapes = {}
    for layer in range(count):
        shapes |= _pairs(table, f"{prefix}.{layer}.", bias)
    return shapes


def _encoder_layers(count: int, n: int, wide: int, inner: str, norms: Sequence[str]) -> Shapes:
    """Of BERT and ViT, which differ in an `inner` name and in those of their norms."""
    maps = [f"attention.{inner}.{name}" for name in ("query", "key", "value")]
    square = dict.fromkeys([*maps, "attention.output.dense"], (n, n))
    network: Shapes = {"intermediate.dense": (wide, n), "output.dense": (n, wide)}
    return _layers(count, "encoder.layer", square | network | dict.fromkeys(norms, (n,)))


def _bert(settings: Settings) -> Plan:
    n, wide, config = _sizes(settings, ENCODER, 1e-12, "gelu")
    words = settings.whole("vocab_size", TOKENS)
    places = settings.whole("max_position_embeddings", POSITIONS)
    settings.must(position_embedding_type="absolute", is_decoder=False, add_cross_attention=False)
    shapes: Shapes = {
        "embeddings.word_embeddings.weight": (words, n),
        "embeddings.position_embeddings.weight": (places, n),
        "embeddings.token_type_embeddings.weight": (settings.whole("type_vocab_size", 1000, 2), n),
    } | _pairs({"embeddings.LayerNorm": (n,)})
    norms = ("attention.output.LayerNorm", "output.LayerNorm")
    shapes |= _encoder_layers(config["layers"], n, wide, "self", norms)
    config |= {"positions": places, "tokens": words}
    width = settings.head_width(n, config["heads"])
    return Plan("bert", "vector", False, width, "bert.", shapes, config)


def _gpt2(settings: Settings) -> Plan:
    n, wide, config = _sizes(settings, DECODER, 1e-5, "gelu_new", 4)
    words, places = settings.whole("vocab_size", TOKENS), settings.whole("n_positions", POSITIONS)
    settings.must(scale_attn_weights=True, scale_attn_by_inverse_layer_idx=False)
    settings.must(add_cross_attention=False)
    layer: Shapes = {"ln_1": (n,), "ln_2": (n,), "attn.c_attn": (n, 3 * n), "attn.c_proj": (n, n)}
    layer |= {"mlp.c_fc": (n, wide), "mlp.c_proj": (wide, n)}
    shapes: Shapes = {"wte.weight": (words, n), "wpe.weight": (places, n)}
    shapes |= _pairs({"ln_f": (n,)}) | _layers(config["layers"], "h", layer, bias=-1)
    config |= {"positions": places, "tokens": words}
    above: Shapes = {"lm_head.weight": (words, n)}
    if not settings.entries.get("tie_word_embeddings", True):
        shapes |= above
    width = settings.head_width(n, config["heads"])
    return Plan("gpt2", "token", True, width, "transformer.", shapes, config, above)


def _vit(settings: Settings) -> Plan:
    n, wide, config = _sizes(settings, ENCODER, 1e-12, "gelu")
    side, patch = settings.whole("image_size", 4096, 224), settings.whole("patch_size", 512, 16)
    count = side // patch  # of a row of a picture
    if side % patch or not 2 <= count**2 <= PATCHES:
        raise ModelError(
            f"{CONFIG}: pictures of {side} pixels in patches of {patch}; whole patches, up to "
            f"{PATCHES}, are read"
        )
    settings.must(num_channels=3, qkv_bias=True)
    shapes: Shapes = {
        "embeddings.cls_token": (1, 1, n),
        "embeddings.position_embeddings": (1, 1 + count**2, n),
    } | _pairs({"embeddings.patch_embeddings.projection": (n, 3, patch, patch), "layernorm": (n,)})
    norms = ("layernorm_before", "layernorm_after")
    shapes |= _encoder_layers(config["layers"], n, wide, "attention", norms)
    config |= {"side": side, "patch": patch}
    above = _pairs({"classifier": (-1, n)})
    width = settings.head_width(n, config["heads"])
    return Plan("vit", "map", False, width, "vit.", shapes, config, above, _as_dinov2)


def _as_dinov2(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    """The names of DINOv2, which has a scale behind attention and network: here 1."""
    renamed = {
        "encoder.layer.": "layer.",
        "layernorm_before": "norm1",
        "layernorm_after": "norm2",
        "intermediate.dense": "mlp.fc1",
    }
    arrays = {}
    for name, weight in weights.items():
        for theirs, ours in renamed.items():
            name = name.replace(theirs, ours)
        if ".attention." not in name:
            name = name.replace("output.dense", "mlp.fc2")
        arrays[name] = weight
    places = arrays.pop("embeddings.position_embeddings")
    arrays |= {"class_position": places[:, :1].clone(), "positions": places[:, 1:].clone()}
    for layer in {name.split(".")[1] for name in arrays if name.startswith("layer.")}:
        for at in (1, 2):
            arrays[f"layer.{layer}.layer_scale{at}.lambda1"] = torch.ones(places.shape[-1])
    return arrays


FAMILIES: dict[str, Callable[[Settings], Plan]] = {"bert": _bert, "gpt2": _gpt2, "vit": _vit}
"""By the model_type of config.json."""


def weights_of(folder: Path, plan: Plan) -> dict[str, Tensor]:
    """The arrays that a plan asks for, of its shapes and finite, under our names; float16 stays,
    others become float32. Raises ModelError with the first that is not so."""
    file = folder / WEIGHTS
    if not file.is_file():
        raise ModelError(f"{folder}: {without_weights(each.name for each in folder.iterdir())}")
    if file.stat().st_size > MOST_BYTES:
        raise ModelError(
            f"{WEIGHTS} has more than {MOST_BYTES // 10**9} GB, which is too much here"
        )
    try:
        with safe_open(file, "pt") as arrays:
            weights = {
                name: _array(arrays, place, shape)
                for name, place, shape in _places(plan, set(arrays.keys()))
            }
    except (SafetensorError, OSError, RuntimeError) as error:
        raise ModelError(
            f"{WEIGHTS} is cut short or damaged ({str(error)[:120]}): bring it anew"
        ) from None
    return plan.ours(weights)


def _places(plan: Plan, there: set[str]) -> list[tuple[str, str, tuple[int, ...]]]:
    """Each array that is wanted: its name, that in the file, its shape."""
    places, missing = [], []
    for name, shape in plan.shapes.items():
        # files of the first days call weight and bias of a norm gamma and beta
        old = name.replace("Norm.weight", "Norm.gamma").replace("Norm.bias", "Norm.beta")
        candidates = [prefix + each for each in (name, old) for prefix in (plan.prefix, "")]
        place = next((each for each in candidates if each in there), None)
        places.append((name, place or "", shape))
        missing += [] if place else [name]
    if missing:
        more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        raise ModelError(
            f"{WEIGHTS} lacks {', '.join(missing[:3])}{more}, which {CONFIG} asks for: do the two "
            "files belong together?"
        )
    if plan.above.keys() <= there:
        places += [(name, name, shape) for name, shape in plan.above.items()]
    return places


def _array(arrays: Any, place: str, wanted: tuple[int, ...]) -> Tensor:
    about = arrays.get_slice(place)
    shape, dtype = tuple(about.get_shape()), about.get_dtype()
    fits = len(shape) == len(wanted) and all(
        b in (-1, a) for a, b in zip(shape, wanted, strict=True)
    )
    if not fits:
        written = tuple("any" if size < 0 else size for size in wanted)
        raise ModelError(f"{WEIGHTS}: {place} has shape {shape}, and {CONFIG} says {written}")
    if dtype not in FLOATS:
        raise ModelError(f"{WEIGHTS}: {place} holds {dtype}; {', '.join(FLOATS)} are read")
    array = arrays.get_tensor(place)
    if not bool(array.isfinite().all()):
        raise ModelError(f"{WEIGHTS}: {place} holds NaN or ∞, so nothing could be computed with it")
    return array if dtype == "F16" else array.float()
