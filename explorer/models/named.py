"""The parameters of a specification by name, by plain arithmetic: their shapes, order and hash.

Nothing here needs torch: the server compares with it what comes from elsewhere.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from itertools import pairwise
from typing import cast

import numpy as np

from explorer.spec import AnySpec, HeadSpec, LabelledSpec, LinearSpec, MemorySpec

Shapes = dict[str, tuple[int, ...]]


def shapes(spec: AnySpec) -> Shapes:
    """Name and shape of every parameter of one model; equal shapes stand next to each other."""
    if spec.recipe == "rnn":
        return rnn_shapes(cast(LinearSpec, spec))
    if spec.recipe == "encoder":
        return encoder_shapes(cast(LabelledSpec, spec))
    if spec.recipe == "memory":
        return causal_shapes(cast(MemorySpec, spec))
    if spec.recipe == "decays":
        return decay_shapes(cast(MemorySpec, spec))
    taps = getattr(spec, "conv", 0)
    return transformer_shapes(cast(HeadSpec, spec)) | ({"conv": (taps,)} if taps else {})


def rnn_shapes(spec: LinearSpec) -> Shapes:
    """Those of the linear RNN of Eq. 72."""
    return {
        "W": (spec.hidden, spec.hidden),
        "U": (spec.hidden,),
        "c": (spec.hidden,),
        "b": (spec.tau,),
    }


def encoder_shapes(spec: LabelledSpec) -> Shapes:
    """Those of the encoder of `models.encoder`; the last of its layers is that of the outputs."""
    layers = spec.layers + 1
    return {
        "W_Q": (layers, spec.heads, spec.m_h, spec.n),
        "W_K": (layers, spec.heads, spec.m_h, spec.n),
        "W_V": (layers, spec.heads, spec.d_v, spec.n),
        "W_O": (layers, spec.heads, spec.d_v, spec.n),
        "inner": (layers, spec.m_ff, spec.n),
        "inner_bias": (layers, spec.m_ff),
        "outer": (layers, spec.m_ff, spec.n),
        "outer_bias": (layers, spec.n),
        "embedding": (spec.d_in, spec.n),
        "positions": (spec.tau, spec.n),
        "asks": (spec.outputs, spec.n),
        "classes": (spec.n, spec.d_out),
        "classes_bias": (spec.d_out,),
    }


def causal_shapes(spec: MemorySpec) -> Shapes:
    """Those of the causal Transformer of `models.causal`."""
    layers, heads = spec.layers, spec.heads
    dot_product = {
        "W_Q": (layers, heads, spec.m_h, spec.n),
        "W_K": (layers, heads, spec.m_h, spec.n),
    }
    encodings: dict[str, Shapes] = {
        "learned": {"positions": (spec.tau, spec.n)},
        "t5": {"by_distance": (layers, heads, spec.tau)},
        "log": {"log_p": (layers, heads)},
        "lin": {"log_p": (layers, heads)},
    }
    return {
        **(dot_product if spec.dot_product else {}),
        "W_V": (layers, heads, spec.d_v, spec.n),
        "W_O": (layers, heads, spec.d_v, spec.n),
        "inner": (layers, spec.m_ff, spec.n),
        "inner_bias": (layers, spec.m_ff),
        "outer": (layers, spec.m_ff, spec.n),
        "outer_bias": (layers, spec.n),
        "embedding": (spec.d_in, spec.n),
        "embedding_bias": (spec.n,),
        "answer": (spec.n,),
        "answer_bias": (1,),
        **encodings.get(spec.encoding, {}),
    }


def decay_shapes(spec: MemorySpec) -> Shapes:
    """Those of the heads of `models.decays`."""
    return {"log_p": (spec.heads,), "c": (spec.heads,)}


def transformer_shapes(spec: HeadSpec) -> Shapes:
    """Those of the Transformer of Eq. 5, and of the head of Eq. 53.

    Equal shapes stand next to each other, so that in a flat buffer they are one stacked matrix.
    """
    named = {
        **_mlp_shapes("f", [spec.d_in, *[spec.m_ff] * (spec.depth - 1), spec.n]),
        "W_Q": (spec.m_h, spec.n),
        "W_K": (spec.m_h, spec.n),
        "W_V": (spec.d_v, spec.n),
        **_mlp_shapes("F", [spec.d_v, *[spec.m_ff] * (spec.depth - 1), spec.d_out]),
    }
    if spec.recipe == "attention":
        named["lambda"] = (1,)
    return dict(sorted(named.items(), key=lambda item: (-len(item[1]), item[1])))


def _mlp_shapes(name: str, widths: list[int]) -> Shapes:
    named: Shapes = {}
    for layer, (d_in, d_out) in enumerate(pairwise(widths)):
        named[f"{name}.{layer}.weight"] = (d_out, d_in)
        named[f"{name}.{layer}.bias"] = (d_out,)
    return named


def matrix_runs(spec: AnySpec, models: int) -> list[tuple[int, tuple[int, int], list[str]]]:
    """Start, shape and names of neighbouring matrices of one shape in the flat buffer, whose order
    is name by name, model by model."""
    runs: list[tuple[int, tuple[int, int], list[str]]] = []
    position = 0
    for name, shape in shapes(spec).items():
        if len(shape) == 2:
            if runs and runs[-1][1] == shape:
                runs[-1][2].append(name)
            else:
                runs.append((position, shape, [name]))
        position += models * math.prod(shape)
    return runs


def weights_sha256(weights: Mapping[str, np.ndarray]) -> str:
    """Hash of the parameters of one model, sorted by name: name, shape, little-endian float32."""
    digest = hashlib.sha256()
    for name, array in sorted(weights.items()):
        digest.update(f"{name}{list(array.shape)}".encode())
        digest.update(np.ascontiguousarray(array, dtype="<f4").tobytes())
    return digest.hexdigest()
