"""SOAP against a plain second implementation of its paper's Algorithm 3, matrix by matrix."""

import numpy as np
import pytest
import torch
from references import LR, ReferenceSoap, stepped

from explorer.training import soap
from explorer.training.soap import BETA_1, BETA_2, REFRESH, Soap, Stack


@pytest.mark.parametrize(("rows", "columns"), [(5, 3), (3, 5), (4, 4)])
def test_a_stack_steps_like_the_paper_matrix_by_matrix(rows, columns):
    rng = np.random.default_rng(0)
    count, size = 3, rows * columns
    start = rng.standard_normal((count, rows, columns))
    flat = torch.from_numpy(start.flatten().copy())
    soap = Soap(flat, [Stack(0, count, rows, columns)])
    references = [ReferenceSoap(w, soap, i) for i, w in enumerate(start)]
    for _ in range(2 * REFRESH + 5):
        g = rng.standard_normal((count, rows, columns)) * np.linspace(0.1, 2, size).reshape(
            rows, columns
        )
        stepped(soap, torch.from_numpy(g.flatten()), LR)
        for reference, gradient in zip(references, g, strict=True):
            reference.step(gradient)
    expected = np.stack([reference.w for reference in references])
    np.testing.assert_allclose(flat.view(count, rows, columns).numpy(), expected, atol=1e-9)
    assert np.abs(expected - start).max() > 10 * LR


def test_entries_outside_the_stacks_are_stepped_by_adam():
    torch.manual_seed(0)
    flat = torch.randn(6, dtype=torch.float64)
    adam = flat.clone().requires_grad_()
    theirs = torch.optim.Adam([adam], lr=LR, betas=(BETA_1, BETA_2), eps=0)
    soap = Soap(flat, [])
    for _ in range(20):
        g = torch.randn(6, dtype=torch.float64) + 1
        stepped(soap, g, LR)
        adam.grad = g
        theirs.step()
    torch.testing.assert_close(flat, adam.detach(), atol=1e-7, rtol=0)


def test_a_loaded_state_goes_on_bit_for_bit():
    torch.manual_seed(1)
    stacks = [Stack(0, 2, 4, 3), Stack(24, 2, 1, 5)]
    gradients = torch.randn(31, 40)
    whole = Soap(torch.zeros(40), stacks)
    for g in gradients:
        stepped(whole, g, LR)
    first = Soap(torch.zeros(40), stacks)
    for g in gradients[:13]:
        stepped(first, g, LR)
    second = Soap(first.flat.clone(), stacks)
    second.load({key: value.clone() for key, value in first.state().items()})
    for g in gradients[13:]:
        stepped(second, g, LR)
    assert torch.equal(second.flat, whole.flat)
    assert not torch.equal(first.flat, whole.flat)


@pytest.mark.parametrize("size", [2, 3, 33, 128])
def test_what_cholesky_makes_orthonormal_is_lapacks_q_but_for_signs(size):
    """Also of a nearly diagonal stack, as a refresh has, and of leading columns 1e6 times larger;
    any where one column is another's; and nothing where it is zero."""
    generator = torch.Generator().manual_seed(size)
    stack = torch.randn(4, size, size, generator=generator)
    stack[1] = torch.eye(size) + 1e-2 * stack[1]
    stack[2:] *= torch.logspace(0, -6, size)
    expected = torch.linalg.qr(stack.double()).Q.float()
    found = soap._by_cholesky(stack)
    signs = (found * expected).sum(-2, keepdim=True).sign()
    torch.testing.assert_close(found * signs, expected, rtol=0, atol=1e-6)
    stack[3, :, -1] = stack[3, :, 0]
    if (again := soap._by_cholesky(stack)) is not None:
        one = torch.eye(size).expand_as(again)
        torch.testing.assert_close(again.mT @ again, one, rtol=0, atol=1e-5)
    stack[3, :, -1] = 0
    assert soap._by_cholesky(stack) is None
