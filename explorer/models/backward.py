"""Loss and gradient of Eq. 5 for many models at once, by hand; `positioned` builds on it.

The chain rule of `transformer.forward`, layer by layer, written into given gradient buffers. It
keeps no graph, and on a CPU it takes few models at a time, so that their activations stay in the
cache. Tested against autograd.
"""

from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from explorer.models.activations import ACTIVATIONS
from explorer.models.layers import Weights
from explorer.models.transformer import seen
from explorer.spec import CouplingSpec, LinearSpec

CACHED_TOKENS = 1024  # tokens a chunk of models may have on a CPU; more fall out of its cache


@torch.no_grad()
def loss_and_gradient(
    spec: CouplingSpec, weights: Weights, x: Tensor, y: Tensor, gradients: Weights
) -> Tensor:
    """Mean squared error of each model (model,); fills `gradients` with those of their sum.

    x and y (model, batch, τ); weights and gradients (model, …), all float of one kind. Losses are
    summed, not averaged, over models: each steps as if it were alone.
    """

    def few(w: Weights, x: Tensor, y: Tensor, g: Weights) -> Tensor:
        return through_attention(spec, w, seen(spec, x).unsqueeze(-1), y, g)[0]

    return in_chunks(few, weights, x, y, gradients)


Step = Callable[[Weights, Tensor, Tensor, Weights], Tensor]


def in_chunks(step: Step, weights: Weights, x: Tensor, y: Tensor, gradients: Weights) -> Tensor:
    """Losses (model,) of `step`, which is given so few models that their activations stay in a
    CPU's cache, and all of them on a GPU."""
    models, tokens = len(x), x[0].numel()
    size = models if x.is_cuda else max(1, CACHED_TOKENS // tokens)
    losses = x.new_empty(models)
    for start in range(0, models, size):
        part = slice(start, start + size)
        w, g = ({name: t[part] for name, t in named.items()} for named in (weights, gradients))
        losses[part] = step(w, x[part], y[part], g)
    return losses


def through_attention(
    spec: CouplingSpec | LinearSpec, w: Weights, tokens: Tensor, y: Tensor, g: Weights
) -> tuple[Tensor, Tensor]:
    """Losses (model,) of what the network makes of tokens (model, batch, τ, d_in) against y
    (model, batch, τ); fills `g`.

    Also the derivatives by the first layer of f̂ before its activation, (model, batch·τ, width), for
    what lies before the tokens.
    """
    models, batch, tau = y.shape
    count = batch * tau
    token = tokens.reshape(models, count, -1)
    h, f_layers = _mlp("f", spec.activation, spec.depth, w, token)  # (model, batch·τ, n)
    query, key, value = (torch.bmm(h, w[name].mT) for name in ("W_Q", "W_K", "W_V"))
    q, k, v = (side.view(models * batch, tau, -1) for side in (query, key, value))
    attention = torch.softmax(torch.bmm(q, k.mT), dim=-1)  # (model·batch, τ, τ)
    mixed = torch.bmm(attention, v).view(models, count, -1)  # (model, batch·τ, d_v)
    predicted, out_layers = _mlp("F", spec.activation_out, spec.depth, w, mixed)
    error = predicted.view(models, count) - y.reshape(models, count)
    losses = error.square().mean(dim=1)

    d_out = error.mul_(2 / count).unsqueeze(-1)
    d_first = _mlp_gradient("F", spec.activation_out, w, g, d_out, out_layers)
    d_mixed = _times(d_first, w["F.0.weight"]).view(models * batch, tau, -1)
    d_attention = torch.bmm(d_mixed, v.mT)
    inner = (d_attention * attention).sum(dim=-1, keepdim=True)
    d_logits = d_attention.sub_(inner).mul_(attention)
    sides = {
        "W_Q": torch.bmm(d_logits, k),
        "W_K": torch.bmm(d_logits.mT, q),
        "W_V": torch.bmm(attention.mT, d_mixed),
    }
    d_h = _through_sides(sides, h, w, g)
    return losses, _mlp_gradient("f", spec.activation, w, g, d_h, f_layers)


def _through_sides(sides: Mapping[str, Tensor], h: Tensor, w: Weights, g: Weights) -> Tensor:
    """The derivative by h (model, batch·τ, n) of what queries, keys and values are made of, from
    the derivatives by them; fills `g`."""
    d_h = torch.zeros_like(h)
    for name, d_side in sides.items():
        d_side = d_side.view(*h.shape[:2], -1)
        torch.bmm(d_side.mT, h, out=g[name])
        d_h.baddbmm_(d_side, w[name])
    return d_h


def _mlp(
    name: str, activation: str, depth: int, w: Weights, a: Tensor
) -> tuple[Tensor, list[tuple[Tensor | None, Tensor]]]:
    """`depth` linear layers; also (pre-activation, input) of each, for the way back."""
    activate, z = ACTIVATIONS[activation].value, torch.empty(0)
    layers: list[tuple[Tensor | None, Tensor]] = []
    for layer in range(depth):
        a = activate(z) if layer else a
        layers.append((z if layer else None, a))
        weight, bias = w[f"{name}.{layer}.weight"], w[f"{name}.{layer}.bias"].unsqueeze(1)
        one = weight.shape[2] == 1  # an outer product
        z = torch.addcmul(bias, a, weight.mT) if one else torch.baddbmm(bias, a, weight.mT)
    return z, layers


def _mlp_gradient(
    name: str,
    activation: str,
    w: Weights,
    g: Weights,
    d_z: Tensor,
    layers: list[tuple[Tensor | None, Tensor]],
) -> Tensor:
    """Fill the gradients of an MLP from that of its output; returns that of its first layer before
    the activation."""
    for layer in reversed(range(len(layers))):
        z, a = layers[layer]
        torch.bmm(d_z.mT, a, out=g[f"{name}.{layer}.weight"])
        torch.sum(d_z, dim=1, out=g[f"{name}.{layer}.bias"])
        if z is not None:
            d_a = _times(d_z, w[f"{name}.{layer}.weight"])
            d_z = ACTIVATIONS[activation].slope(d_a, z, a)
    return d_z


def _times(d_z: Tensor, weight: Tensor) -> Tensor:
    """From the derivatives by a layer's outputs those by its inputs."""
    return d_z * weight if weight.shape[1] == 1 else torch.bmm(d_z, weight)
