"""The attention tasks of App. B.1: answers by a second implementation, the paper's instances."""

from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.targets import CouplingTarget, TaskError, target_of
from explorer.targets.tasks.gravity import GravitySpec, GravityTarget
from explorer.targets.tasks.nearest import NearestSpec, NearestTarget
from explorer.targets.tasks.selection import EQ_65, EQ_66, SelectionSpec, SelectionTarget

TASKS = [
    NearestTarget(6, 2),
    NearestTarget(2, 1),
    NearestTarget(9, 4),
    GravityTarget(10, 2, 3),
    GravityTarget(3, 1, 1),
    GravityTarget(13, 3, 4),
    SelectionTarget(8, 2, 3),
    SelectionTarget(2, 1, 1),
    SelectionTarget(5, 4, 8),
]
EPS = np.finfo(float).eps


def drawn(task, count=40, seed=0):
    return task.inputs(np.random.default_rng(seed).random((count, task.n_uniform)))


def by_hand(task, x):
    """A and y of one sequence (τ, d_in), token by token."""
    tau, d = task.tau, task.d
    weights, answers = np.zeros((tau, tau)), []
    for t in range(tau):
        if isinstance(task, NearestTarget):
            distances = [np.linalg.norm(x[t, :d] - x[s, d:]) for s in range(tau)]
            weights[t, distances.index(min(distances))] = 1
            answers.append(x[distances.index(min(distances)), d:])
        elif isinstance(task, SelectionTarget):
            asked = [s for s in range(tau) for _ in range(round(x[t, d + s]))]
            assert len(asked) == task.k
            for s in asked:
                weights[t, s] += 1 / task.k
            answers.append(np.mean([x[s, :d] for s in asked], axis=0))
        elif not isinstance(task, GravityTarget):
            raise TypeError(f"by_hand has no loop of its own for {type(task).__name__}: write one")
        elif x[t, d + 1] == 0:
            weights[t, t] = 1
            answers.append([np.linalg.norm(x[t, :d])])
        else:
            end = next((s for s in range(t + 1, tau) if x[s, d + 1] == 1), tau)
            mass = sum(x[s, d] for s in range(t + 1, end))
            for s in range(t + 1, end):
                weights[t, s] = x[s, d] / mass
            centre = sum(x[s, d] / mass * x[s, :d] for s in range(t + 1, end))
            answers.append([np.linalg.norm(centre)])
    return weights, np.array(answers)


@pytest.mark.parametrize("task", TASKS)
def test_answers_and_attention_against_loops(task):
    x = drawn(task)
    for sequence, attention, answer in zip(x, task.attention(x), task.answer(x), strict=True):
        expected, y = by_hand(task, sequence)
        np.testing.assert_allclose(attention, expected, rtol=0, atol=4 * EPS)
        np.testing.assert_allclose(answer, y, rtol=0, atol=8 * EPS)


@pytest.mark.parametrize("task", TASKS)
def test_torch_equals_numpy(task):
    uniform = np.random.default_rng(1).random((30, task.n_uniform)).astype(np.float32)
    tokens = task.inputs(torch.as_tensor(uniform))
    assert tokens.dtype == torch.float32
    x = task.inputs(uniform)
    assert x.dtype == np.float32
    np.testing.assert_allclose(tokens.numpy(), x, rtol=0, atol=1e-7)
    for name in ("attention", "answer", "values", "value_inputs", "has_value"):
        ours = getattr(task, name)(tokens)
        np.testing.assert_allclose(ours.numpy(), getattr(task, name)(x), rtol=0, atol=1e-6)


@pytest.mark.parametrize("task", TASKS)
def test_the_form_of_the_paper(task):
    """y = F(Σ A f) with rows of A that sum to 1; a token alone is answered by F∘f."""
    x = drawn(task)
    assert np.allclose(task.attention(x).sum(axis=-1), 1, rtol=0, atol=8 * EPS)
    mixed = task.attention(x) @ task.value_inputs(x)
    if isinstance(task, GravityTarget):
        mixed = np.linalg.norm(mixed, axis=-1, keepdims=True)
    np.testing.assert_allclose(task.answer(x), mixed, rtol=0, atol=1e-15)
    assert task.has_value(x).shape == x.shape[:-1] and task.values(x).shape == task.answer(x).shape


@pytest.mark.parametrize("task", TASKS)
def test_samples_have_the_laws_they_say(task):
    """Moments within five standard errors."""
    x = drawn(task, 4000)
    points = task.value_inputs(x)[task.has_value(x) == 1]
    low = -1 if isinstance(task, GravityTarget) else 0
    error = (1 - low) / np.sqrt(12 * len(points))
    assert np.all(np.abs(points.mean(axis=0) - (1 + low) / 2) < 5 * error)
    assert points.min() >= low and points.max() <= 1
    assert points.min() < low + 0.01 and points.max() > 0.99
    if isinstance(task, SelectionTarget):
        counts = x[..., task.d : task.d + task.tau]
        assert np.all(counts.sum(axis=-1) == task.k)
        each = np.sqrt(task.k * (task.tau - 1)) / task.tau / np.sqrt(counts[..., 0].size)
        assert np.all(np.abs(counts.mean(axis=(0, 1)) - task.k / task.tau) < 5 * each)
    if isinstance(task, GravityTarget):
        masses = x[..., task.d][task.has_value(x) == 1]
        assert masses.min() >= 0.1 and masses.max() <= 1 and abs(masses.mean() - 0.55) < 0.01


def test_segments_are_uniform_in_number_and_then_in_length():
    """τ = 10: 1, 5 and 3 ways to make 1, 2, 3 segments of at least 3 tokens (stars and bars)."""
    task = GravityTarget(10, 2, 3)
    table, counts, first = task.layouts
    assert counts.tolist() == [1, 5, 3] and first.tolist() == [0, 1, 6]
    assert len({tuple(row) for row in table.tolist()}) == 9
    for row in table:
        assert row[0] == 0 and set(np.diff(row)) <= {0, 1}
        assert np.bincount(row.astype(int)).min() >= 3
    x = drawn(task, 9000)
    number = x[..., task.d + 1].sum(axis=-1)
    assert np.all(np.abs(np.bincount(number.astype(int))[1:] / 9000 - 1 / 3) < 5 * 0.005)


def test_a_share_of_the_curriculum_moves_the_lower_end():
    task = GravityTarget(10, 2, 3)
    uniform = np.random.default_rng(3).random((50, task.n_uniform))
    ends = [task.value_inputs(task.inputs(uniform, share)).min() for share in (0.0, 0.5, 1.0)]
    assert [round(end, 1) for end in ends] == [0, -0.5, -1.0]
    easy, full = (task.attention(task.inputs(uniform, share)) for share in (0.0, 1.0))
    assert np.array_equal(easy, full)


# The paper's instances


def test_eq_65():
    v = np.random.default_rng(0).random((3, 2))
    task = SelectionTarget(3, 2, 3)
    y = task.answer(task.tokens(v, EQ_65))
    expected = np.array([2 * v[0] + v[1], v[0] + v[1] + v[2], 3 * v[2]]) / 3
    np.testing.assert_allclose(y, expected, rtol=0, atol=1e-15)
    assert np.array_equal(task.attention(task.example()), task.attention(task.tokens(v, EQ_65)))


def test_eq_66_reads_as_the_text_says():
    """y(1), y(3), y(6) rely on one input, y(0), y(2) on two, y(4), y(5), y(7) on three; weights are
    in {0, 1/3, 2/3, 1}, where Eq. 64's text prints {0, 1/2, 2/3, 1}."""
    task = SelectionTarget(8, 2, 3)
    attention = task.attention(task.example())
    assert (attention > 0).sum(axis=-1).tolist() == [2, 1, 2, 1, 3, 3, 1, 3]
    assert sorted(set(np.round(3 * attention).ravel())) == [0, 1, 2, 3]
    assert np.allclose(3 * attention, np.round(3 * attention), rtol=0, atol=4 * EPS)
    asked = [[s for s in range(8) for _ in range(round(3 * row[s]))] for row in attention]
    assert asked == [list(row) for row in EQ_66]


def test_figure_5_has_its_prediction_tokens_at_0_and_4():
    """Segments of 3 and 5 points; the paper prints x(0) and x(5)."""
    task = GravityTarget(10, 2, 3)
    x = task.example()
    assert np.flatnonzero(task.has_value(x) == 0).tolist() == [0, 4]
    assert (task.attention(x)[0] > 0).sum() == 3 and (task.attention(x)[4] > 0).sum() == 5


def test_eq_60_and_61():
    points, masses = np.random.default_rng(5).normal(size=(5, 2)), np.array([1, 2, 3, 4, 5.0])
    task = GravityTarget(7, 2, 2)
    y = task.answer(task.tokens(points, masses, [3, 2]))[:, 0]
    first = (masses[:3] @ points[:3]) / masses[:3].sum()
    second = (masses[3:] @ points[3:]) / masses[3:].sum()
    own = np.linalg.norm(points, axis=1)
    expected = [np.linalg.norm(first), *own[:3], np.linalg.norm(second), *own[3:]]
    np.testing.assert_allclose(y, expected, rtol=1e-14)


@pytest.mark.parametrize("task", TASKS)
def test_examples_are_sequences_of_the_task(task):
    x = task.example()
    assert x.shape == drawn(task, 1).shape[1:]
    np.testing.assert_allclose(task.answer(x), by_hand(task, x)[1], rtol=0, atol=8 * EPS)


# Order


def test_nearest_point_is_equivariant_and_the_others_are_not():
    """H(x∘p) = H(x)∘p holds without positions; the control is qSA, whose indices name positions."""
    p = np.random.default_rng(2).permutation(6)
    nearest, selection = NearestTarget(6, 2), SelectionTarget(6, 2, 3)
    x = drawn(nearest)
    assert np.array_equal(nearest.answer(x[:, p]), nearest.answer(x)[:, p])
    x = drawn(selection)
    assert np.abs(selection.answer(x[:, p]) - selection.answer(x)[:, p]).max() > 0.1


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10_000), st.floats(0.1, 10), st.floats(-5, 5))
def test_a_centre_scales_and_masses_are_relative(seed, scale, shift):
    """|x̄| is homogeneous in the points and unchanged by a factor of all masses; it is at most the
    farthest point's norm (convexity). Shifted points have shifted centres."""
    task = GravityTarget(6, 2, 1)
    rng = np.random.default_rng(seed)
    points, masses = rng.normal(size=(5, 2)), rng.uniform(0.1, 1, 5)
    centre = task.answer(task.tokens(points, masses, [5]))[0, 0]
    bigger = task.answer(task.tokens(scale * points, 7 * masses, [5]))[0, 0]
    assert bigger == pytest.approx(scale * centre, rel=1e-9)
    assert centre <= np.linalg.norm(points, axis=1).max() * (1 + 1e-12)
    moved = task.answer(task.tokens(points + shift, masses, [5]))[0, 0]
    mean = masses @ points / masses.sum()
    assert moved == pytest.approx(np.linalg.norm(mean + shift), rel=1e-9, abs=1e-12)


# What is refused


POINTS = [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]
REFUSED = [
    (NearestTarget(3, 2), (POINTS, [[0, 0], [1, 1], [0, 0]]), r"v\(0\) and v\(2\) coincide"),
    (NearestTarget(3, 2), (POINTS, POINTS[:2]), "v: 3 × 2 numbers are needed, got \\[2, 2\\]"),
    (NearestTarget(3, 2), (POINTS, [[0, 0], [1, 1], [0, np.nan]]), "v: must be finite"),
    (NearestTarget(3, 2), ("abc", POINTS), "u: numbers are needed"),
    (SelectionTarget(3, 2, 2), (POINTS, [[0, 1], [0, 3], [1, 1]]), r"s\(1\) holds 3: .* 0 to 2"),
    (SelectionTarget(3, 2, 2), (POINTS, [[0, 1], [0, -1], [1, 1]]), r"s\(1\) holds -1"),
    (SelectionTarget(3, 2, 2), (POINTS, [[0, 1], [0, 0.5], [1, 1]]), r"s\(1\) holds 0.5"),
    (SelectionTarget(3, 2, 2), (POINTS, [[0], [0], [1]]), "s: 3 × 2 numbers"),
    (GravityTarget(4, 2, 1), (POINTS, [1, 0, 1], [3]), "mass 1 = 0: must be above 0"),
    (GravityTarget(4, 2, 1), (POINTS, [1, 1, -2], [3]), "mass 2 = -2"),
    (GravityTarget(4, 2, 1), (POINTS, [1, 1], [3]), "masses: 3 numbers are needed"),
    (GravityTarget(4, 2, 1), (POINTS, [1, 1, 1], [2]), "4 tokens are 3 points in 1 seg.*got 2"),
    (GravityTarget(4, 2, 1), (POINTS, [1, 1, 1], [1, 2]), "1 to 1 segments of at least 2 points"),
    (GravityTarget(4, 2, 1), (POINTS, [1, 1, 1], []), "1 to 1 segments"),
]


@pytest.mark.parametrize(("task", "given", "why"), REFUSED)
def test_bad_tokens_are_refused_with_the_reason(task, given, why):
    with pytest.raises(TaskError, match=why):
        task.tokens(*given)


@pytest.mark.parametrize("task", TASKS)
def test_the_shape_of_tokens_is_checked(task):
    with pytest.raises(ValueError, match="tokens have shape"):
        task.answer(np.zeros((4, task.tau, 99)))


def test_equal_points_have_the_first_of_them_as_the_nearest():
    """What a sampler can give only with probability 0 is still defined."""
    task = NearestTarget(3, 1)
    x = np.array([[0.0, 0.5], [0.0, 0.5], [0.0, 0.9]])
    assert np.array_equal(task.attention(x), [[1, 0, 0]] * 3)


def test_targets_of_the_specifications():
    assert target_of(NearestSpec(tau=5, d=3)) == NearestTarget(5, 3)
    assert target_of(GravitySpec(tau=12, segments=4)) == GravityTarget(12, 2, 4)
    assert target_of(SelectionSpec(k=2)) == SelectionTarget(8, 2, 2)
    for spec in (NearestSpec(d=3), GravitySpec(tau=12, segments=4), SelectionSpec(tau=5)):
        x = target_of(spec).example()
        assert x.shape == (spec.tau, spec.d_in)
        assert target_of(spec).answer(x).shape == (spec.tau, spec.d_out)
    assert not isinstance(target_of(NearestSpec()), CouplingTarget)


def test_masses_of_a_segment_stay_in_it():
    """Between two prediction tokens nobody is seen from outside."""
    task = GravityTarget(13, 3, 4)
    for x, attention in zip(drawn(task), task.attention(drawn(task)), strict=True):
        asks = [*np.flatnonzero(task.has_value(x) == 0), task.tau]
        for start, end in pairwise(asks):
            assert attention[start, start + 1 : end].sum() == pytest.approx(1)
