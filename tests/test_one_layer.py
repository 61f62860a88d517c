"""One layer with a head for each distance follows jumps exactly: heads in the place of depth."""

import itertools

import numpy as np
import pytest
import torch

from explorer.models import causal
from explorer.models.named import shapes
from explorer.spec import AdaptiveMemorySpec
from explorer.targets import target_of
from explorer.theory.memory import lag_heads

SHARP = 30.0  # of GELU, which is then a ReLU to rounding
ALONE = 1e4  # a logit beside 0


def one_layer(jumps, vocabulary, heads):
    """A layer whose heads hang on distance alone: no dot product, no normalisation."""
    return AdaptiveMemorySpec(
        jumps=jumps,
        vocabulary=vocabulary,
        tau=2 * jumps * vocabulary + 8,
        layers=1,
        heads=heads,
        encoding="t5",
        dot_product=False,
        layer_norm=False,
        n=(vocabulary + 1) * (1 + heads) + 1,
        d_v=vocabulary + 1,
        m_ff=vocabulary**jumps,
    )


def constructed(spec):
    """Its weights: head i copies the token i places back into a part of its own of the stream, and
    unit (i_1, …, i_K) is relu(Σ_k 1[x at the k-th place = i_k] + b at the last − K), 1 or 0; their
    sum is (1 + y) / 2, and stands in the last number of the stream."""
    own = spec.vocabulary + 1  # numbers of a token: which one it is, and its value
    w = {name: torch.zeros(shape).double() for name, shape in shapes(spec).items()}
    w["embedding"][:, :own] = torch.eye(own)
    for i in range(spec.heads):
        w["by_distance"][0, i, i + 1] = ALONE
        w["W_V"][0, i, :, :own] = torch.eye(own)
        w["W_O"][0, i, :, own * (i + 1) : own * (i + 2)] = torch.eye(own)
    ways = itertools.product(range(1, spec.vocabulary + 1), repeat=spec.jumps)
    for unit, way in enumerate(ways):
        *places, last = np.cumsum([0, *way])
        for place, x in zip(places, way, strict=True):
            w["inner"][0, unit, own * place + x - 1] += SHARP
        if last <= spec.heads:
            w["inner"][0, unit, own * last + own - 1] += SHARP
    w["inner_bias"][0] = -SHARP * spec.jumps
    w["outer"][0, :, -1] = 2 / SHARP
    w["answer"][-1] = 1
    w["answer_bias"][0] = -1
    return {name: value.unsqueeze(0) for name, value in w.items()}


def left(spec):
    """The nMSE of the construction on 500 sequences, by the forward pass that is trained."""
    target = target_of(spec)
    x, b = target.drawn(np.random.default_rng(0).random((500, target.n_uniform)))
    seen = torch.tensor(target.seen(x, b)).double().unsqueeze(0)
    answer = causal.forward(spec, constructed(spec), seen).answer[0].numpy()
    y = target.answer(x, b)
    error = (answer - y)[:, spec.first :]
    return float(np.square(error).mean() / y[:, spec.first :].var())


@pytest.mark.parametrize(("jumps", "vocabulary"), [(1, 3), (2, 4), (3, 2)])
def test_one_layer_with_a_head_for_each_distance_is_exact(jumps, vocabulary):
    heads = lag_heads(jumps, vocabulary)
    assert left(one_layer(jumps, vocabulary, heads)) < 1e-20
    assert left(one_layer(jumps, vocabulary, heads - 1)) > 0.01, "the control: one head fewer"


def test_two_jumps_of_four_tokens_take_eight_heads_and_sixteen_units():
    assert lag_heads(2, 4) == 8
