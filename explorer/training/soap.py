"""SOAP: Adam in the eigenbasis of Shampoo's preconditioner, for stacked matrices.

Vyas et al., "SOAP: Improving and Stabilizing Shampoo using Adam", arXiv 2409.11321, Algorithm 3;
the eigenbases are refreshed by one power iteration and a QR (Algorithm 4). Bases are sorted by
their estimated eigenvalues at each refresh, as in the authors' code, and the second moments follow.

The parameters are one flat buffer, in which matrices of one shape are one stack (model, out, in):
rotations are batched products, and Adam's arithmetic is a handful of operations on the whole
buffer. Each matrix of a stack has its own preconditioner, so a stack steps like its members alone.

The momentum is kept in the eigenbasis and turned at each refresh: the same numbers as turning it
at every step, and a third fewer rotations. Matrices smaller than their stack are padded by zeros.
Their eigenbases are confined to the true rows and columns: in a null space an eigensolver may mix
the two, and the padding would be stepped.
"""

from collections.abc import Mapping
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

    def view(self, flat: Tensor) -> Tensor:
        """View of the flat buffer as (count, rows, columns)."""
        size = self.count * self.rows * self.columns
        return flat[self.start : self.start + size].view(self.count, self.rows, self.columns)


Padding = tuple[Tensor, Tensor]
"""Of one stack: which rows (count, rows) and columns (count, columns) are padding, bool."""


class Soap:
    """Optimiser of one flat parameter; `stacks` says where its matrices are.

    Entries outside the stacks (biases) are stepped by plain Adam. `padding` says, for each stack
    that has some, which rows and columns are padding; they come last and are zero.
    """

    def __init__(
        self, flat: Tensor, stacks: list[Stack], padding: Mapping[int, Padding] | None = None
    ):
        self.flat, self.stacks = flat, stacks
        self.step_count = 0
        self.rate = flat.new_zeros(())  # learning rate with Adam's corrections, on the device
        self.momentum = torch.zeros_like(flat)  # in the rotated basis, like the second moment
        self.second_moment = torch.zeros_like(flat)
        self.factors = {key: flat.new_zeros(shape) for key, shape in self._sides().items()}
        self.bases = {key: torch.zeros_like(factor) for key, factor in self.factors.items()}
        self.padding = {
            f"{index}.{side}": mask.to(flat.device)
            for index, masks in (padding or {}).items()
            for side, mask in zip("LR", masks, strict=True)
            if mask.any()
        }

    def _sides(self) -> dict[str, tuple[int, int, int]]:
        """Keys 'index.L' and 'index.R' of the preconditioned sides; a side of length 1 has none."""
        sides = {}
        for index, stack in enumerate(self.stacks):
            for side, size in (("L", stack.rows), ("R", stack.columns)):
                if size > 1:
                    sides[f"{index}.{side}"] = (stack.count, size, size)
        return sides

    def prepare(self, lr: float) -> None:
        """What the host does before an update."""
        self.step_count += 1
        correction = (1 - BETA_2**self.step_count) ** 0.5 / (1 - BETA_1**self.step_count)
        self.rate.fill_(lr * correction)

    @torch.no_grad()
    def update(self, gradient: Tensor) -> None:
        """What the device does: from the second step on always the same, for a CUDA graph."""
        first = self.step_count == 1
        if first:
            self._accumulate(gradient)
            for key, factor in self.factors.items():
                self.bases[key].copy_(_eigenbasis(factor, self.padding.get(key)))
        rotated = self._rotate(gradient, back=False)
        self.momentum.lerp_(rotated, 1 - BETA_1)
        self.second_moment.mul_(BETA_2).addcmul_(rotated, rotated, value=1 - BETA_2)
        direction = self.momentum / self.second_moment.sqrt().add_(EPSILON)
        self.flat.sub_(self._rotate(direction.mul_(self.rate), back=True))
        if not first:
            self._accumulate(gradient)

    @torch.no_grad()
    def finish(self) -> None:
        """Every so many steps new eigenbases, in place; never inside a CUDA graph."""
        if self.step_count % REFRESH == 0:
            momentum = self._rotate(self.momentum, back=True)
            self._refresh()
            self.momentum.copy_(self._rotate(momentum, back=False))

    def _accumulate(self, gradient: Tensor) -> None:
        """L ← β L + (1−β) G Gᵀ and R ← β R + (1−β) Gᵀ G."""
        for index, stack in enumerate(self.stacks):
            matrix = stack.view(gradient)
            for side, left, right in (("L", matrix, matrix.mT), ("R", matrix.mT, matrix)):
                factor = self.factors.get(f"{index}.{side}")
                if factor is not None:
                    factor.baddbmm_(left, right, beta=BETA_2, alpha=1 - BETA_2)

    def _rotate(self, flat: Tensor, back: bool) -> Tensor:
        """Q_Lᵀ G Q_R of every matrix, or Q_L G Q_Rᵀ to come back."""
        rotated = flat.clone()
        for index, stack in enumerate(self.stacks):
            matrix = stack.view(flat)
            left, right = self.bases.get(f"{index}.L"), self.bases.get(f"{index}.R")
            if left is not None:
                matrix = (left if back else left.mT) @ matrix
            if right is not None:
                matrix = matrix @ (right.mT if back else right)
            stack.view(rotated).copy_(matrix)
        return rotated

    def _refresh(self) -> None:
        """Q ← QR(P Q), columns in falling order of the eigenvalue estimates diag(Qᵀ P Q)."""
        for key, factor in self.factors.items():
            basis, padding = self.bases[key], self.padding.get(key)
            product = factor @ basis
            estimates = (basis * product).sum(-2)  # (count, size)
            if padding is not None:
                estimates.masked_fill_(padding, -torch.inf)
            order = estimates.argsort(-1, descending=True)
            product = _confined(torch.take_along_dim(product, order.unsqueeze(-2), dim=-1), padding)
            # In the layout a checkpoint gives back: products round by the layout of their operands.
            basis.copy_(_confined(orthonormal(product), padding))
            self._reorder(key, order)

    def _reorder(self, key: str, order: Tensor) -> None:
        """Let the second moments follow the new order of one side's basis."""
        index, side = key.split(".")
        moments = self.stacks[int(index)].view(self.second_moment)
        where = order.unsqueeze(-1) if side == "L" else order.unsqueeze(-2)
        moments.copy_(torch.take_along_dim(moments, where, dim=-2 if side == "L" else -1))

    def state(self) -> dict[str, Tensor]:
        """Everything a checkpoint needs to go on bit for bit."""
        named = {"rotated_momentum": self.momentum, "second_moment": self.second_moment}
        named["step_count"] = torch.tensor(self.step_count)
        named |= {f"factor.{key}": factor for key, factor in self.factors.items()}
        return named | {f"basis.{key}": basis for key, basis in self.bases.items()}

    def load(self, state: dict[str, Tensor]) -> None:
        """Take up the state of a checkpoint."""
        self.step_count = int(state["step_count"])
        self.momentum.copy_(state["rotated_momentum"])
        self.second_moment.copy_(state["second_moment"])
        for key in self.factors:
            self.factors[key].copy_(state[f"factor.{key}"])
            self.bases[key].copy_(state[f"basis.{key}"])


def _eigenbasis(factor: Tensor, padding: Tensor | None) -> Tensor:
    """Eigenvectors of a positive semidefinite stack, largest eigenvalue first, padding last."""
    if padding is not None:  # below every true eigenvalue, and of their size
        size = factor.diagonal(dim1=-2, dim2=-1).mean(-1).clamp(min=1e-30)
        factor = factor - torch.diag_embed(padding * size.unsqueeze(-1))
    return _confined(torch.linalg.eigh(factor).eigenvectors.flip(-1), padding)


def orthonormal(stack: Tensor) -> Tensor:
    """Q of the QR decomposition of square matrices (count, n, n)."""
    q = _by_cholesky(stack) if stack.is_cuda and len(stack) > 1 else None
    return torch.linalg.qr(stack).Q if q is None else q


def _by_cholesky(stack: Tensor) -> Tensor | None:
    """The same by products of the whole stack, which a GPU does faster than one matrix after the
    other: A R⁻¹ with RᵀR = AᵀA, twice (CholeskyQR2 of Fukaya et al., 2014). None where a column
    depends on others, to the rounding of float32."""
    q = stack.double()
    for _ in range(2):
        q = q / q.norm(dim=-2, keepdim=True)
        r, _ = torch.linalg.cholesky_ex(q.mT @ q, upper=True)
        q = torch.linalg.solve_triangular(r, q, upper=True, left=False)
    one = torch.eye(q.shape[-1], dtype=q.dtype, device=q.device)
    apart = (q.mT @ q - one).abs().max()
    return q.to(stack.dtype) if apart < 1e-6 else None


def _confined(basis: Tensor, padding: Tensor | None) -> Tensor:
    """The basis with unit vectors for the padding, and nothing of it elsewhere."""
    if padding is None:
        return basis
    inner = basis.masked_fill(padding.unsqueeze(-1) | padding.unsqueeze(-2), 0)
    return inner + torch.diag_embed(padding.to(basis.dtype))
