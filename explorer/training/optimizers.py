"""The optimisers of a specification. Each steps one flat parameter buffer in place: `prepare` is
what the host does, `update` what the device does, which a CUDA graph may hold from the second step
on, and `finish` what no graph can hold."""

from collections.abc import Sequence

import torch
from torch import Tensor

from explorer.models.named import matrix_runs, shapes
from explorer.spec import AnySpec
from explorer.training.soap import Padding, Soap, Stack


class Adam:
    """torch's fused Adam on one flat parameter, β = (0.9, 0.999).

    Its CPU kernel steps wrongly on gradients that are not contiguous (torch 2.13); ours always is.
    Padding needs no care: its gradient is 0, and 0 / (√0 + ε) is no step.
    """

    def __init__(self, flat: Tensor):
        self.flat = flat.detach().requires_grad_()
        on_gpu = flat.is_cuda
        self.rate = torch.tensor(1.0, device=flat.device) if on_gpu else 1.0
        self.inner = torch.optim.Adam(
            [self.flat], lr=self.rate, fused=not flat.is_meta, capturable=on_gpu
        )  # where there are shapes alone, torch has the plain form of it

    def prepare(self, lr: float) -> None:
        """Set the learning rate: on a GPU in place, where a CUDA graph reads it."""
        if isinstance(self.rate, Tensor):
            self.rate.fill_(lr)
        else:
            self.inner.param_groups[0]["lr"] = lr

    def update(self, gradient: Tensor) -> None:
        self.flat.grad = gradient
        self.inner.step()

    def finish(self) -> None:
        """Nothing is left to do."""

    def state(self) -> dict[str, Tensor]:
        """First and second moments and the step count; empty before the first step."""
        return dict(self.inner.state[self.flat])

    def load(self, state: dict[str, Tensor]) -> None:
        moments = self.inner.state[self.flat]
        for key in ("step", "exp_avg", "exp_avg_sq"):
            moments[key] = state[key].to(self.flat.device, torch.float32, copy=True)


def optimizer(spec: AnySpec, flat: Tensor, members: Sequence[AnySpec]) -> Adam | Soap:
    """The optimiser a specification names, on the flat buffer of these models.

    `spec` has the shapes of the buffer; a member may be narrower in m_h and m_FF.
    """
    if spec.optimizer == "adam":
        return Adam(flat)
    return Soap(flat, stacks(spec, len(members)), padding(spec, members))


def stacks(spec: AnySpec, models: int) -> list[Stack]:
    """Runs of equal matrix shapes in the flat buffer, whose order is name by name, model by model.

    `shapes` puts equal shapes next to each other, so W_Q and W_K, say, share one stack.
    """
    runs = matrix_runs(spec, models)
    return [Stack(start, models * len(names), *shape) for start, shape, names in runs]


def padding(spec: AnySpec, members: Sequence[AnySpec]) -> dict[int, Padding]:
    """For each stack with narrower members: which rows and columns of its matrices are padding."""
    each = [shapes(member) for member in members]
    masks_of = {}
    for index, (_, shape, names) in enumerate(matrix_runs(spec, len(members))):
        true = torch.tensor([named[name] for name in names for named in each])  # (count, 2)
        masks = tuple(torch.arange(size) >= true[:, i, None] for i, size in enumerate(shape))
        if any(mask.any() for mask in masks):
            masks_of[index] = masks
    return masks_of
