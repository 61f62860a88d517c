"""Attention of any origin as a coupling: what is read of files, what is refused, what is said."""

import io
import json
import pickle
import tracemalloc
import zipfile

import numpy as np
import pytest
from safetensors.numpy import save
from streamlit.testing.v1 import AppTest

from explorer.coupling.attention import digits, parse_attention
from explorer.coupling.grid import GridError
from explorer.pages.real.view_head import attention, shipped_head
from explorer.pages.real.view_width import head_example, width_view
from explorer.pages.real.width import REAL
from explorer.pretrained.catalogue import MODELS
from explorer.pretrained.seen import STEPS
from explorer.theory.width import width_of_logits
from explorer.ui.controls import PAPER
from explorer.ui.pages import PAGES

DRAWN = np.random.default_rng(0)
Q, K = DRAWN.normal(size=(9, 4)), DRAWN.normal(size=(9, 4))
LOGITS = Q @ K.T / 2


def npz(**arrays):
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def npy(values):
    file = io.BytesIO()
    np.save(file, values)
    return file.getvalue()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.npz", npz(Q=Q, k=K)),
        ("a.npz", npz(logits=LOGITS)),
        ("a.npy", npy(LOGITS)),
        ("a.safetensors", save({"q": Q, "k": K})),
        ("a.csv", "\n".join(",".join(map(str, row)) for row in LOGITS).encode()),
    ],
)
def test_queries_and_keys_are_their_logits_in_every_file(name, data):
    found = parse_attention(data, name, "logits")
    assert found.kind == "logits"
    np.testing.assert_allclose(found.values, LOGITS)
    assert width_view(found).answer["width"] == 4


def test_a_mask_is_minus_infinity_and_the_block_that_is_left_is_counted():
    """Causal, of rank 3: rows 6 to 12 see keys 1 to 6, more than the rank."""
    drawn = np.random.default_rng(1)
    logits = drawn.normal(size=(12, 3)) @ drawn.normal(size=(3, 12))
    causal = np.where(np.tri(12, dtype=bool), logits, -np.inf)
    found = width_of_logits(causal)
    assert found.masked and found.exact == 3
    text = "\n".join(" ".join(map(str, row)) for row in causal)
    view = width_view(parse_attention(text.encode(), "pasted.csv", "logits"))
    assert view.answer["masked"] and "needs width 3 at least" in view.sentences[0]


BIG = 50_000


@pytest.mark.parametrize(
    ("q", "k", "shape"),
    [
        ((BIG, 1), (BIG, 1), f"{BIG} × {BIG}"),
        ((2, 1), (513, 1), "2 × 513"),
        ((4, 600), (4, 600), ""),
    ],
)
def test_what_is_too_large_is_refused_before_it_is_multiplied(q, k, shape):
    """A file of a kilobyte asked 20 GB."""
    file = io.BytesIO()
    np.savez_compressed(file, q=np.zeros(q, np.int8), k=np.zeros(k, np.int8))
    tracemalloc.start()
    with pytest.raises(GridError, match=f"the matrix has {shape}" if shape else "width 600"):
        parse_attention(file.getvalue(), "a.npz", "logits")
    assert tracemalloc.get_traced_memory()[1] < 3_000_000
    tracemalloc.stop()


# Digits


def written(values, decimals):
    return "\n".join(",".join(f"{each:.{decimals}f}" for each in row) for row in values).encode()


def view_of(values, decimals, kind="weights"):
    return width_view(parse_attention(written(values, decimals), "pasted.csv", kind))


@pytest.mark.parametrize("decimals", [3, 4, 6])
def test_rounding_of_a_table_is_no_rank(decimals):
    """Weights of rank 1, all rows alike, and logits a bᵀ; what is left out is told."""
    row = np.random.default_rng(3).dirichlet(np.full(10, 3.0))
    drawn = np.random.default_rng(4)
    a, b = 0.5 + drawn.random(10), 3 * drawn.random(10)
    weights = np.exp(np.outer(a, b))
    weights /= weights.sum(1, keepdims=True)
    assert view_of(np.tile(row, (10, 1)), decimals).answer["width"] == 1
    found = view_of(weights, decimals)
    assert found.answer["width"] == 1 < found.answer["width_to_the_last_digit"]
    assert "as far as the digits tell: if they were exact it were" in found.sentences[0]


def test_digits_that_are_there_are_ranks():
    """The negative control: what the digits can tell counts."""
    weights = np.exp(LOGITS)
    weights /= weights.sum(1, keepdims=True)
    for decimals, most in ((8, 4), (15, 4)):
        assert view_of(weights, decimals).answer["width"] == most
    assert view_of(weights, 2).answer["width"] <= 4


def test_whole_numbers_are_exact_and_exponents_have_digits_of_their_own():
    assert not digits([["0", "-1"], ["-inf", "2"]]).any()
    np.testing.assert_array_equal(digits([["0.25", "1"], ["0.5", "-inf"]]), np.full((2, 2), 0.005))
    np.testing.assert_allclose(digits([["1.25e-3", "2E+1"]]), [[0.5e-5, 5.0]])


REFUSED = {
    "NaN": ("a.npy", npy(np.full((3, 3), np.nan)), "row 1, column 1 is nan"),
    "a stack": ("a.npy", npy(np.zeros((2, 3, 3))), "2 × 3 × 3"),
    "a stack of logits": ("a.npz", npz(logits=np.zeros((2, 3, 3))), "2 × 3 × 3; one head"),
    "heads of q": ("a.npz", npz(q=np.zeros((2, 3, 3)), k=np.zeros((2, 3, 3))), "of one head"),
    "other widths": ("a.npz", npz(q=np.zeros((3, 3)), k=np.zeros((3, 4))), "of one width"),
    "NaN in q": ("a.npz", npz(q=Q * np.nan, k=K), "q or k holds NaN"),
    "no names": ("a.npz", npz(weight=np.zeros((3, 3))), "holds weight; logits, weights"),
    "objects": ("a.npz", npz(logits=np.array([[{}]])), "not an .npz file of plain numbers"),
    "a pickle": ("a.npy", pickle.dumps(LOGITS), "not a .npy file"),
    "plus infinity": ("a.csv", b"0,inf\n1,2\n", "row 1, column 2 is inf"),
    "a blind query": ("a.csv", b"0,1\n-inf,-inf\n", "row 2 is −inf alone"),
    "letters": ("a.csv", b"a,b\n1,2\n", "'a' is not a number"),
    "words": ("pasted.csv", b"hello world", "'hello' is not a number"),
    "one number": ("pasted.csv", b"3.5", "the matrix has shape 1 × 1"),
    "no width": ("a.npz", npz(q=np.zeros((3, 0)), k=np.zeros((3, 0))), "have width 0"),
    "texts as q": ("a.npz", npz(q=np.full((3, 1), "a"), k=np.zeros((3, 1))), "q holds <U1"),
    "cut short": ("a.safetensors", save({"q": Q, "k": K})[:-9], "not a .safetensors file"),
    "no zip": ("a.npz", b"PK\x03\x04", "not an .npz file"),
    "another kind": ("a.pt", b"", "allowed are .csv, .npy, .npz, .safetensors"),
    "complex": ("a.npz", npz(logits=LOGITS + 1j), "complex"),
    "one row": ("a.npz", npz(logits=LOGITS[:1]), "1 × 9 entries"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_attention_is_refused_in_words(case):
    name, data, message = REFUSED[case]
    with pytest.raises(GridError, match=message):
        parse_attention(data, name, "logits")


def test_an_archive_that_unpacks_to_too_much_is_not_unpacked():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("logits.npy", bytes(30_000_000))
    with pytest.raises(GridError, match="unpacked"):
        parse_attention(file.getvalue(), "a.npz", "logits")


# On the page


def opened(look=None, **state):
    at = AppTest.from_file("../explorer/ui/shell.py", default_timeout=60)
    at.session_state[f"unfolded {PAPER}"] = True
    at.session_state["unfolded Any attention as a coupling"] = True
    if look:
        at.query_params["real"] = json.dumps(look)
    for key, value in state.items():
        at.session_state[key.replace("_", " ")] = value
    at.switch_page(str(PAGES["real"].file)).run()
    assert not at.exception
    return at


def said(at):
    return " ".join(each.value for each in at.markdown)


def test_the_page_reads_an_example_a_pasted_matrix_and_says_what_is_wrong():
    at = opened()
    assert "One head of width 5 has exactly these weights, of 6 keys" in said(at)
    at.selectbox(key="width example").set_value("near tokens, squared").run()
    assert "One head of width 2 has exactly" in said(at), "2ts − s², the rest is of the row alone"
    at.selectbox(key="width example").set_value("causal, near tokens").run()
    assert "at least" in said(at)
    at = opened(width_way="paste", width_pasted="0.5, 0.5\n0.75, 0.25")
    assert "One head of width 1 has exactly these weights, of 2 keys" in said(at)
    at.text_area(key="width pasted").set_value("0.5, 0.5\n0.75, 0.5").run()
    assert "add up to 1.25" in at.error[0].value
    at.text_area(key="width pasted").set_value("0.5, x").run()
    assert not at.exception and at.error
    at.text_area(key="width pasted").set_value("").run()
    assert not at.error


def test_the_command_says_the_same(answer, tmp_path):
    file = tmp_path / "head.npz"
    file.write_bytes(npz(q=Q, k=K))
    found = answer("width", str(file))
    view = width_view(parse_attention(npz(q=Q, k=K), "a.npz", "logits"))
    assert found == json.loads(json.dumps(view.answer))
    assert found["width"] == 4 and found["width_within_1_percent"] <= 4


@pytest.mark.parametrize(("model", "layer", "head"), [("smollm2", 18, 6), ("minilm", 1, 5)])
def test_a_shipped_head_is_a_matrix_to_begin_with(model, layer, head):
    """Its softmax is the attention that the page draws; its steps count as rounding."""
    found = head_example(model, layer, head)
    values, of = found.attention.values, shipped_head(model)
    raw = of.logits(layer - 1, head - 1)
    causal = MODELS[model].causal
    weights = np.exp(values - values.max(1, keepdims=True))
    weights /= weights.sum(1, keepdims=True)
    np.testing.assert_allclose(weights, attention(raw, causal), atol=1e-12)
    assert len(set(found.names)) == len(values) == len(of.tokens)
    assert np.isneginf(values).any() == causal
    drawn = np.random.default_rng(0).uniform(-0.5, 0.5, raw.shape) * np.abs(raw).max() / STEPS
    assert np.linalg.norm(drawn, 2) < found.tolerance < 3 * np.linalg.norm(drawn, 2)
    answer = width_view(found.attention, found.tolerance).answer
    assert 2 <= answer["width_99"] <= answer["width"] <= MODELS[model].width
    assert answer["tolerance"] == found.tolerance


def test_the_page_begins_with_the_head_that_it_shows():
    at = opened({"model": "minilm", "layer": 2, "head": 7})
    at.selectbox(key="width example").set_value(REAL).run()
    assert not at.exception
    keys = ("width model", "width layer minilm", "width head minilm")
    assert [at.selectbox(key=key).value for key in keys] == ["minilm", 2, 7]
    for model in MODELS:
        at.selectbox(key="width model").set_value(model).run()
        assert not at.exception and not at.error
        text = " ".join(each.value for each in at.markdown)
        assert f"of {len(shipped_head(model).tokens)} keys" in text
        assert ("of any row's weight is elsewhere" in text) != MODELS[model].causal
