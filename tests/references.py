"""Second implementations, as a textbook would write them, that ours are compared with."""

import numpy as np
import torch
from torch import nn

from explorer.models.activations import ACTIVATIONS
from explorer.training.soap import BETA_1, BETA_2, EPSILON, REFRESH

LR = 0.01
"""The learning rate of `ReferenceSoap`."""


def stepped(soap, gradient, lr):
    """One step of SOAP on the flat buffer; gradient has its shape."""
    soap.prepare(lr)
    soap.update(gradient)
    soap.finish()


class PlainTransformer(nn.Module):
    """One model as a textbook would write it."""

    def __init__(self, spec, weights, model):
        super().__init__()
        self.spec = spec
        self.w = {name: weight[model] for name, weight in weights.items()}

    def mlp(self, name, activation, x):
        for layer in range(self.spec.depth):
            x = activation(x) if layer else x
            x = nn.functional.linear(
                x, self.w[f"{name}.{layer}.weight"], self.w[f"{name}.{layer}.bias"]
            )
        return x

    def forward(self, x):
        answers = []
        for sequence in x:
            h = self.mlp("f", ACTIVATIONS[self.spec.activation].value, (2 * sequence - 1)[:, None])
            rows = []
            for query in h:
                logits = torch.stack([(self.w["W_Q"] @ query) @ (self.w["W_K"] @ k) for k in h])
                rows.append(torch.softmax(logits, 0) @ (h @ self.w["W_V"].T))
            answers.append(
                self.mlp("F", ACTIVATIONS[self.spec.activation_out].value, torch.stack(rows))[:, 0]
            )
        return torch.stack(answers)


class ReferenceSoap:
    """One matrix in numpy, float64, written from arXiv 2409.11321 without regard to speed."""

    def __init__(self, w, soap, index):
        self.soap, self.index = soap, index
        self.w, self.t = w.copy(), 0
        self.m, self.v = np.zeros_like(w), np.zeros_like(w)
        self.left = np.zeros((w.shape[0],) * 2)
        self.right = np.zeros((w.shape[1],) * 2)

    def precondition(self, g):
        self.left = BETA_2 * self.left + (1 - BETA_2) * g @ g.T
        self.right = BETA_2 * self.right + (1 - BETA_2) * g.T @ g

    def step(self, g):
        self.t += 1
        if self.t == 1:
            self.precondition(g)
            self.q_l = self.eigenvectors("0.L", self.left)
            self.q_r = self.eigenvectors("0.R", self.right)
        g_rotated = self.q_l.T @ g @ self.q_r
        self.m = BETA_1 * self.m + (1 - BETA_1) * g
        self.v = BETA_2 * self.v + (1 - BETA_2) * g_rotated**2
        m_rotated = self.q_l.T @ self.m @ self.q_r
        n = m_rotated / (np.sqrt(self.v) + EPSILON)
        correction = np.sqrt(1 - BETA_2**self.t) / (1 - BETA_1**self.t)
        self.w -= LR * correction * self.q_l @ n @ self.q_r.T
        if self.t > 1:
            self.precondition(g)
        if self.t % REFRESH == 0:
            self.refresh()

    def eigenvectors(self, key, factor):
        """Those of the optimiser, checked: a null space (5 × 3 has one) has no basis of its own."""
        q = self.soap.bases[key][self.index].numpy().copy()
        diagonal = q.T @ factor @ q
        np.testing.assert_allclose(q.T @ q, np.eye(len(q)), atol=1e-12)
        np.testing.assert_allclose(diagonal, np.diag(np.diag(diagonal)), atol=1e-12)
        assert (np.diff(np.diag(diagonal)) <= 1e-12).all()
        return q

    def refresh(self):
        order = np.argsort(-np.diag(self.q_l.T @ self.left @ self.q_l))
        self.v = self.v[order]
        self.q_l = np.linalg.qr(self.left @ self.q_l[:, order])[0]
        order = np.argsort(-np.diag(self.q_r.T @ self.right @ self.q_r))
        self.v = self.v[:, order]
        self.q_r = np.linalg.qr(self.right @ self.q_r[:, order])[0]
