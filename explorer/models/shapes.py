"""Names and shapes of the parameters of each network, by plain arithmetic."""

from itertools import pairwise

from explorer.spec import HeadSpec, LabelledSpec, LinearSpec, MemorySpec, TaskSpec

Shapes = dict[str, tuple[int, ...]]


def rnn(spec: LinearSpec) -> Shapes:
    """Those of the linear RNN of Eq. 72."""
    return {
        "W": (spec.hidden, spec.hidden),
        "U": (spec.hidden,),
        "c": (spec.hidden,),
        "b": (spec.tau,),
    }


def encoder(spec: LabelledSpec) -> Shapes:
    """Those of the encoder of `models.encoder`; the last of its layers is that of the outputs."""
    return _of_layers(spec, spec.layers + 1) | {
        "embedding": (spec.d_in, spec.n),
        "positions": (spec.tau, spec.n),
        "asks": (spec.outputs, spec.n),
        "classes": (spec.n, spec.d_out),
        "classes_bias": (spec.d_out,),
    }


def causal(spec: MemorySpec) -> Shapes:
    """Those of the causal Transformer of `models.causal`."""
    layers, heads = spec.layers, spec.heads
    encodings: dict[str, Shapes] = {
        "learned": {"positions": (spec.tau, spec.n)},
        "t5": {"by_distance": (layers, heads, spec.tau)},
        "log": {"log_p": (layers, heads)},
        "lin": {"log_p": (layers, heads)},
    }
    return _of_layers(spec, layers, spec.dot_product) | {
        "embedding": (spec.d_in, spec.n),
        "embedding_bias": (spec.n,),
        "answer": (spec.n,),
        "answer_bias": (1,),
        **encodings.get(spec.encoding, {}),
    }


def _of_layers(spec: LabelledSpec | MemorySpec, layers: int, asks: bool = True) -> Shapes:
    """Those of `models.layers`, of all layers at once; without `asks` none compare tokens."""
    sides = ("W_Q", "W_K") if asks else ()
    return dict.fromkeys(sides, (layers, spec.heads, spec.m_h, spec.n)) | {
        "W_V": (layers, spec.heads, spec.d_v, spec.n),
        "W_O": (layers, spec.heads, spec.d_v, spec.n),
        "inner": (layers, spec.m_ff, spec.n),
        "inner_bias": (layers, spec.m_ff),
        "outer": (layers, spec.m_ff, spec.n),
        "outer_bias": (layers, spec.n),
    }


def decay(spec: MemorySpec) -> Shapes:
    """Those of the heads of `models.decays`."""
    return {"log_p": (spec.heads,), "c": (spec.heads,)}


def transformer(spec: HeadSpec) -> Shapes:
    """Those of the Transformer of Eq. 5."""
    return _side_by_side(_head_shapes(spec))


def task(spec: TaskSpec) -> Shapes:
    """Those of the head of Eq. 53, whose λ is learned."""
    return _side_by_side(_head_shapes(spec) | {"lambda": (1,)})


def linear(spec: LinearSpec) -> Shapes:
    """Those of the Transformer on a linear target, with a convolution before it or without."""
    return transformer(spec) | ({"conv": (spec.conv,)} if spec.conv else {})


def _head_shapes(spec: HeadSpec) -> Shapes:
    return {
        **_mlp_shapes("f", [spec.d_in, *[spec.m_ff] * (spec.depth - 1), spec.n]),
        "W_Q": (spec.m_h, spec.n),
        "W_K": (spec.m_h, spec.n),
        "W_V": (spec.d_v, spec.n),
        **_mlp_shapes("F", [spec.d_v, *[spec.m_ff] * (spec.depth - 1), spec.d_out]),
    }


def _side_by_side(named: Shapes) -> Shapes:
    """Equal shapes next to each other, so that in a flat buffer they are one stacked matrix."""
    return dict(sorted(named.items(), key=lambda item: (-len(item[1]), item[1])))


def _mlp_shapes(name: str, widths: list[int]) -> Shapes:
    named: Shapes = {}
    for layer, (d_in, d_out) in enumerate(pairwise(widths)):
        named[f"{name}.{layer}.weight"] = (d_out, d_in)
        named[f"{name}.{layer}.bias"] = (d_out,)
    return named
