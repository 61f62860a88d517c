"""What a head has learned of an attention task: Â on an instance, F̂∘W_V∘f̂, its spectrum."""

import numpy as np
import torch
from torch import Tensor

from explorer.models.layers import Weights
from explorer.models.transformer import attend, features, queries_and_keys, value_map
from explorer.spec import TaskSpec
from explorer.targets import Task, evaluation_inputs

SCATTER = 256  # tokens at which F̂∘W_V∘f̂ is shown
SAMPLES = 1024  # tokens behind the POD of ρ̂


@torch.no_grad()
def task_diagnostics(spec: TaskSpec, weights: Weights, task: Task) -> dict[str, np.ndarray]:
    """Pictures of the first model beside the task it was to learn, float32.

    sigma_hat (k,): singular values of e^λ W_QᵀW_K, k = min(m_h, n); sigma_centred (k,): of ρ̂ over
    random tokens, its v-mean removed (which softmax cannot see). On the example tokens (τ, d_in):
    attention and ideal (τ, τ), predicted and answer (τ, d_out). At 256 random tokens that have a
    value: their points (256, d), alone F̂(W_V f̂(x)) and values F∘f(x), (256, d_out) each.
    """
    first = {name: weight[:1] for name, weight in weights.items()}
    x = _tensor(task.example(), first).unsqueeze(0)
    predicted, attention = attend(spec, first, features(spec, first, x), spec.tau)
    drawn = _tensor(task.inputs(evaluation_inputs(2 * SCATTER, task.n_uniform)), first)
    some = task.has_value(drawn).bool()
    values = value_map(spec, first, features(spec, first, drawn[some][:SCATTER].unsqueeze(0)))
    pictures = {
        "sigma_hat": spectrum(spec, first),
        "sigma_centred": centred_spectrum(spec, first, drawn.flatten(0, 1)[:SAMPLES]),
        "tokens": x[0],
        "attention": attention[0, 0],
        "ideal": task.attention(x)[0],
        "predicted": predicted[0, 0],
        "answer": task.answer(x)[0],
        "points": task.value_inputs(drawn)[some][:SCATTER],
        "alone": values[0],
        "values": task.values(drawn)[some][:SCATTER],
    }
    return {name: picture.float().cpu().numpy() for name, picture in pictures.items()}


def spectrum(spec: TaskSpec, weights: Weights) -> Tensor:
    """Singular values of e^λ W_QᵀW_K of the first model, (min(m_h, n),)."""
    query, key, scale = (weights[name][0].double() for name in ("W_Q", "W_K", "lambda"))
    return torch.linalg.svdvals(scale.exp() * query.mT @ key)[: min(spec.m_h, spec.n)]


def centred_spectrum(spec: TaskSpec, weights: Weights, tokens: Tensor) -> Tensor:
    """Singular values of ρ̂ over tokens (k, d_in) of equal weight, its v-mean removed.

    With Q and K (k, m_h) they are those of R_q R_kᵀ, where Q = Q_q R_q and K − mean K = Q_k R_k.
    """
    h = features(spec, weights, tokens.unsqueeze(0))
    query, key = (side[0].double() for side in queries_and_keys(spec, weights, h))
    r_q, r_k = (torch.linalg.qr(side)[1] for side in (query, key - key.mean(dim=0)))
    return torch.linalg.svdvals(r_q @ r_k.mT)[: min(spec.m_h, spec.n)] / len(tokens)


def _tensor(array: np.ndarray, like: Weights) -> Tensor:
    return torch.as_tensor(array, dtype=torch.float32, device=like["W_Q"].device)
