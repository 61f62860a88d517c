"""The width that one head needs for given attention weights."""

import json
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer import cli
from explorer.coupling.grid import GridError
from explorer.theory.width import width_of_logits, width_of_weights


def softmax(logits):
    e = np.exp(logits - logits.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def of_rank(rank, n=9, seed=0):
    drawn = np.random.default_rng(seed)
    return drawn.normal(size=(n, rank)) @ drawn.normal(size=(rank, n)) / np.sqrt(max(rank, 1))


@given(st.integers(0, 7), st.integers(0, 5))
def test_the_width_is_the_rank_up_to_what_softmax_cannot_see(rank, seed):
    """Logits of a rank need that width, with any number added to each row."""
    logits = of_rank(rank, seed=seed)
    offset = 5 * np.random.default_rng(seed).normal(size=(9, 1))
    assert width_of_weights(softmax(logits + offset)).exact == rank
    assert width_of_logits(logits + offset).exact == rank


def test_a_head_of_that_width_has_the_weights():
    weights = softmax(of_rank(3))
    found = width_of_weights(weights)
    logits = np.log(weights) - np.log(weights).mean(1, keepdims=True)
    phi, sigma, psi = np.linalg.svd(logits)
    d = found.exact
    assert d == 3
    queries, keys = phi[:, :d] * sigma[:d], psi[:d].T
    np.testing.assert_allclose(softmax(queries @ keys.T), weights, atol=1e-12)
    fewer = softmax(queries[:, : d - 1] @ keys[:, : d - 1].T)
    assert np.abs(fewer - weights).max() > 1e-3


def test_the_example_of_bhojanapalli_needs_width_one_where_embeddings_are_of_full_rank():
    """d = 1, X = [1, 0], P = [[.5, .75], [.5, .25]] (columns sum to 1) cannot be had, since the
    second token is embedded as 0."""
    found = width_of_weights(np.array([[0.5, 0.5], [0.75, 0.25]]))
    assert found.exact == 1


def test_no_weights_need_more_than_the_keys_less_one():
    weights = np.random.default_rng(0).dirichlet(np.ones(12), size=12)
    assert width_of_weights(weights).exact == 11
    assert (
        width_of_weights(np.full((4, 5), 0.2)).exact
        == 0
        == width_of_weights(np.full((4, 5), 0.2)).near(0.99)
    )


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([[0.5, 0.5], [1.2, -0.2]], "row 2, column 2 is -0.2: no weight is below 0"),
        ([[0.5, 0.5], [0.5, 0.4]], "the weights of row 2 add up to 0.9, not to 1"),
    ],
)
def test_what_no_head_can_have_is_refused(weights, message):
    with pytest.raises(GridError, match=message):
        width_of_weights(np.array(weights))


@pytest.mark.parametrize("n", [4, 12])
def test_zeros_are_read_as_a_mask(n):
    """Causal weights, as models give them: alike over what is seen they need width 0; of logits of
    rank 2, 2."""
    triangle = np.tril(np.ones((n, n)))
    found = width_of_weights(triangle / triangle.sum(1, keepdims=True))
    assert found.masked and found.exact == 0
    logits = np.where(triangle > 0, of_rank(2, n, seed=1), -np.inf)
    found, same = width_of_weights(softmax(logits)), width_of_logits(logits)
    assert found.masked and found.exact == same.exact == 2


# Weights that are right nearly


def elsewhere(logits, d):
    """The greatest share of a row that d terms of the centred logits put elsewhere: by an
    eigenvalue problem, beside the singular values of the other."""
    centred = logits - logits.mean(1, keepdims=True)
    _, vectors = np.linalg.eigh(centred.T @ centred)
    kept = vectors[:, len(vectors) - d :]
    return np.abs(softmax(centred @ kept @ kept.T) - softmax(centred)).sum(1).max() / 2


@given(st.integers(1, 7), st.integers(0, 5), st.sampled_from([0.003, 0.01, 0.1, 0.4]))
def test_so_many_terms_are_enough_and_one_less_is_not(rank, seed, epsilon):
    logits = 3 * of_rank(rank, seed=seed)
    found = width_of_logits(logits)
    d = found.within(epsilon)
    assert d <= found.exact == rank
    assert elsewhere(logits, d) <= epsilon + 1e-9
    assert d == 0 or elsewhere(logits, d - 1) > epsilon - 1e-9
    assert d <= found.within(epsilon / 2), "more is asked for"


@pytest.mark.parametrize(
    ("logits", "width"),
    [
        (5 * np.eye(16)[np.random.default_rng(0).permutation(16)], 15),  # no direction is less
        (np.outer(np.arange(1, 11), np.linspace(-1, 1, 10)), 1),
        (np.tile(np.arange(9.0), (9, 1)), 1),
        (np.ones((7, 5)), 0),
        (1e-4 * np.eye(9), 0),  # all weights are alike, nearly
    ],
)
def test_known_matrices(logits, width):
    found = width_of_logits(logits)
    assert found.within(0.01) == width <= found.exact


def test_the_command(tmp_path, monkeypatch, capsys):
    def run(name, *words):
        monkeypatch.setattr(sys, "argv", ["explorer", "width", str(tmp_path / name), *words])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        said = capsys.readouterr()
        return ended.value.code, said.out, said.err

    np.save(tmp_path / "weights.npy", softmax(of_rank(2)))
    code, out, _ = run("weights.npy", "--json")
    assert code == 0
    answer = json.loads(out)
    assert (answer["width"], answer["queries"], answer["keys"]) == (2, 9, 9)
    np.savetxt(tmp_path / "logits.csv", of_rank(2), delimiter=",")
    code, out, _ = run("logits.csv", "--logits")
    assert code == 0 and out.startswith("one head of width 2 has exactly these weights")
    (tmp_path / "bad.csv").write_text("0,inf\n1,2\n")
    code, _, err = run("bad.csv", "--logits")
    assert code == 2 and "row 1, column 2 is inf" in err and err.count("\n") == 1
