"""SOAP: Adam in the eigenbasis of Shampoo's preconditioner, for stacked matrices.

Vyas et al., "SOAP: Improving and Stabilizing Shampoo using Adam", arXiv 2409.11321, Algorithm 3;
the eigenbases are refreshed by one power iteration and a QR (Algorithm 4). Bases are sorted by
their estimated eigenvalues at each refresh, as in the authors' code, and the second moments follow.

The parameters are one flat buffer, in which matrices of one shape are one stack (model, out, in):
rotations are batched products, and Adam's arithmetic is a handful of operations on the whole
buffer. Each matrix of a stack has its own preconditioner, so a stack steps like its members alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

BETA_1, BETA_2 = 0.9, 0.95
EPSILON = 1e-8
REFRESH = 10  # steps between refreshes of the eigenbases


@dataclass(frozen=True)
class Stack:
    """Matrices of one shape inside the flat buffer: entries start … start + count·rows·columns."""

    start: int
    count: int
    rows: int
    columns: int

    def of(self, flat: Tensor) -> Tensor:
        """View of the flat buffer as (count, rows, columns)."""
        size = self.count * self.rows * self.columns
        return flat[self.start : self.start + size].view(self.count, self.rows, self.columns)


class Soap:
    """Optimiser of one flat parameter; `stacks` says where its matrices are.

    Entries outside the stacks (biases) are stepped by plain Adam.
    """

    def __init__(self, flat: Tensor, stacks: list[Stack]):
        self.flat, self.stacks = flat, stacks
        self.step_count = 0
        self.momentum = torch.zeros_like(flat)
        self.second_moment = torch.zeros_like(flat)  # in the rotated basis
        self.factors = {key: flat.new_zeros(shape) for key, shape in self._sides().items()}
        self.bases = {key: torch.zeros_like(factor) for key, factor in self.factors.items()}

    def _sides(self) -> dict[str, tuple[int, int, int]]:
        """Keys 'index.L' and 'index.R' of the preconditioned sides; a side of length 1 has none."""
        sides = {}
        for index, stack in enumerate(self.stacks):
            for side, size in (("L", stack.rows), ("R", stack.columns)):
                if size > 1:
                    sides[f"{index}.{side}"] = (stack.count, size, size)
        return sides

    @torch.no_grad()
    def step(self, gradient: Tensor, lr: float) -> None:
        """One step on the flat buffer; gradient has its shape."""
        self.step_count += 1
        if self.step_count == 1:
            self._accumulate(gradient)
            self.bases = {key: _eigenbasis(factor) for key, factor in self.factors.items()}
        rotated = self._rotate(gradient, back=False)
        self.momentum.lerp_(gradient, 1 - BETA_1)
        self.second_moment.mul_(BETA_2).addcmul_(rotated, rotated, value=1 - BETA_2)
        direction = self._rotate(self.momentum, back=False)
        direction /= self.second_moment.sqrt().add_(EPSILON)
        correction = (1 - BETA_2**self.step_count) ** 0.5 / (1 - BETA_1**self.step_count)
        self.flat.sub_(self._rotate(direction, back=True), alpha=lr * correction)
        if self.step_count > 1:
            self._accumulate(gradient)
        if self.step_count % REFRESH == 0:
            self._refresh()

    def _accumulate(self, gradient: Tensor) -> None:
        """L ← β L + (1−β) G Gᵀ and R ← β R + (1−β) Gᵀ G."""
        for index, stack in enumerate(self.stacks):
            matrix = stack.of(gradient)
            for side, left, right in (("L", matrix, matrix.mT), ("R", matrix.mT, matrix)):
                factor = self.factors.get(f"{index}.{side}")
                if factor is not None:
                    factor.baddbmm_(left, right, beta=BETA_2, alpha=1 - BETA_2)

    def _rotate(self, flat: Tensor, back: bool) -> Tensor:
        """Q_Lᵀ G Q_R of every matrix, or Q_L G Q_Rᵀ to come back."""
        rotated = flat.clone()
        for index, stack in enumerate(self.stacks):
            matrix = stack.of(flat)
            left, right = self.bases.get(f"{index}.L"), self.bases.get(f"{index}.R")
            if left is not None:
                matrix = (left if back else left.mT) @ matrix
            if right is not None:
                matrix = matrix @ (right.mT if back else right)
            stack.of(rotated).copy_(matrix)
        return rotated

    def _refresh(self) -> None:
        """Q ← QR(P Q), columns in falling order of the eigenvalue estimates diag(Qᵀ P Q)."""
        for key, factor in self.factors.items():
            basis = self.bases[key]
            product = factor @ basis
            order = (basis * product).sum(-2).argsort(-1, descending=True)  # (count, size)
            product = torch.take_along_dim(product, order.unsqueeze(-2), dim=-1)
            # In the layout a checkpoint gives back: products round by the layout of their operands.
            self.bases[key] = torch.linalg.qr(product).Q.contiguous()
            self._reorder(key, order)

    def _reorder(self, key: str, order: Tensor) -> None:
        """Let the second moments follow the new order of one side's basis."""
        index, side = key.split(".")
        moments = self.stacks[int(index)].of(self.second_moment)
        where = order.unsqueeze(-1) if side == "L" else order.unsqueeze(-2)
        moments.copy_(torch.take_along_dim(moments, where, dim=-2 if side == "L" else -1))

    def state(self) -> dict[str, Tensor]:
        """Everything a checkpoint needs to go on bit for bit."""
        named = {"momentum": self.momentum, "second_moment": self.second_moment}
        named["step_count"] = torch.tensor(self.step_count)
        named |= {f"factor.{key}": factor for key, factor in self.factors.items()}
        return named | {f"basis.{key}": basis for key, basis in self.bases.items()}

    def load(self, state: dict[str, Tensor]) -> None:
        """Take up the state of a checkpoint."""
        self.step_count = int(state["step_count"])
        self.momentum.copy_(state["momentum"])
        self.second_moment.copy_(state["second_moment"])
        for key in self.factors:
            self.factors[key].copy_(state[f"factor.{key}"])
            self.bases[key].copy_(state[f"basis.{key}"])


def _eigenbasis(factor: Tensor) -> Tensor:
    """Eigenvectors of a positive semidefinite stack, largest eigenvalue first."""
    return torch.linalg.eigh(factor).eigenvectors.flip(-1).contiguous()
