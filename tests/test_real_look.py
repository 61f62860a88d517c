"""A model shown one text or picture: couplings of all heads, their terms, and answers with heads
cut; on small random models, and on the real ones where they have been fetched."""

import io
import json
import os

import numpy as np
import pytest
import torch
from PIL import Image
from pretrained import REAL, TINY, tiny_minilm, tiny_smollm2, tiny_vit
from stores import worked

from explorer.pretrained import example, probe, seen
from explorer.pretrained.attention import observe, whole
from explorer.pretrained.catalogue import MODELS, ModelError
from explorer.pretrained.fetch import is_here
from explorer.pretrained.probe import Opened
from explorer.pretrained.seen import Cutting, Input
from explorer.pretrained.spectra import cut
from explorer.pretrained.tokens import BYTE_NAMES, ByteLevel, WordPiece
from explorer.pretrained.tolerance import budget, cut_each, loss_of, one_by_one
from explorer.runs import jobs, looks
from explorer.runs.quota import LimitError, Quota
from explorer.runs.resumable import Stopped
from explorer.runs.store import Store

WORDS = ["[UNK]", "[CLS]", "[SEP]", *"abcdefghij", *(f"##{sign}" for sign in "abcdefghij")]


def opened(name):
    if name == "smollm2":
        model = tiny_smollm2(vocabulary=256)
        return Opened(name, "token", model, {}, ByteLevel(BYTE_NAMES, []))
    if name == "vit":
        return Opened(name, "map", tiny_vit(), {"side": 42, "patch": 14}, None)
    beside = torch.nn.functional.normalize(torch.randn(6, 8), dim=-1)
    named = {f"sentence {at}": of for at, of in enumerate(beside)}
    return Opened(name, "vector", tiny_minilm(), {}, WordPiece(WORDS), named)


def input_of(name):
    text, sha = ("", "0" * 64) if name == "vit" else ("abba cad, a cab", "")
    return Input(name, text, sha), picture((30, 50))


def test_a_picture_that_is_not_named_is_the_example():
    of = opened("vit")
    shown = probe.shown(of, Input("vit"))
    torch.testing.assert_close(
        shown.inputs, probe.shown(of, Input("vit", picture="0"), example.picture()).inputs
    )


def picture(size, mode="RGB"):
    file = io.BytesIO()
    Image.new(mode, size, 1).save(file, "PNG")
    return file.getvalue()


def packed(what, *, small=False):
    return probe.packed(what, observe(what.opened.model, what.inputs), small=small)


@pytest.fixture(params=TINY)
def name(request):
    return request.param


def test_a_file_holds_what_every_head_did(name, tmp_path):
    """The couplings are those that the model used; σ_k are numpy's, raw and centred."""
    of = opened(name)
    what = probe.shown(of, *input_of(name))
    file = tmp_path / "a.npz"
    for small in (False, True):
        file.write_bytes(packed(what, small=small))
        found = seen.read(file)
        assert (found.model, found.tokens) == (name, what.tokens)
        wanted = observe(of.model, what.inputs).logits[:, 0].double().numpy()
        for layer, head in np.ndindex(of.model.layers, of.model.heads):
            logits, mine = found.logits(layer, head), wanted[layer, head]
            np.testing.assert_allclose(logits, mine, atol=1e-4 * np.abs(mine).max())
            for gauge, matrix in (("raw", mine), ("centred", mine - mine.mean(1, keepdims=True))):
                sigma = np.linalg.svd(matrix, compute_uv=False)
                ours = found.sigma[gauge][layer, head]
                np.testing.assert_allclose(ours, sigma[: len(ours)], atol=1e-5 * sigma[0])
    assert (found.picture is not None) == (name == "vit")


def test_terms_are_the_coupling_and_orthonormal():
    logits = np.random.default_rng(0).normal(size=(9, 4)) @ np.random.default_rng(1).normal(
        size=(4, 9)
    )
    of = seen.terms(logits, 4)
    np.testing.assert_allclose(of.phi * of.sigma @ of.psi.T, logits, atol=1e-12)
    for columns in (of.phi, of.psi):
        np.testing.assert_allclose(columns.T @ columns, np.eye(4), atol=1e-12)
    assert (of.psi[np.abs(of.psi).argmax(0), range(4)] > 0).all()
    centred = seen.centre(logits)
    weights = [np.exp(each) / np.exp(each).sum(1, keepdims=True) for each in (logits, centred)]
    np.testing.assert_allclose(*weights, atol=1e-12)


def test_answers_before_and_after_a_cut(name, monkeypatch):
    of = opened(name)
    monkeypatch.setattr(probe, "open_model", lambda *_: of)
    probe._whole.cache_clear()
    asked, data = input_of(name)
    what = probe.shown(of, asked, data)
    found = probe.answered(REAL, Cutting(asked, of.model.width, False), data)
    for _, before, after in found["rows"]:
        assert before == pytest.approx(after, abs=1e-5)
    found = probe.answered(REAL, Cutting(asked, 1, True, 1, 0), data)
    answer = of.model(what.inputs, cut(1, True, [1], [0]))
    options = probe._options(what, answer)
    assert max(after for *_, after in found["rows"]) == pytest.approx(float(options.max()))
    best = [before for _, before, _ in found["rows"]][:5]
    assert best == sorted(best, reverse=True) and 5 <= len(found["rows"]) <= 10
    if name == "smollm2":
        assert sum(probe._options(what, answer).tolist()) == pytest.approx(1, abs=1e-5)
    probe._whole.cache_clear()


def test_a_cut_that_nobody_waits_for_ends_between_two_layers(monkeypatch):
    of, asked = opened("smollm2"), Input("smollm2", "abba")
    monkeypatch.setattr(probe, "open_model", lambda *_: of)
    probe._whole.cache_clear()
    polls = []

    def poll():
        polls.append(len(polls))
        if len(polls) == 2:
            raise Stopped

    with pytest.raises(Stopped):
        probe.answered(REAL, Cutting(asked, 1, False), poll=poll)
    probe.answered(REAL, Cutting(asked, 1, False, 1, 0), poll=lambda: polls.append("once"))
    assert polls == [0, 1, "once"], "the layers before the one that is cut are not run again"
    probe._whole.cache_clear()


@pytest.mark.parametrize(
    ("text", "why"),
    [("", "empty"), (" \n", "empty"), ("a", "single token"), ("a" * 20_001, "20001 characters")],
)
def test_texts_that_cannot_be_looked_at_are_refused(text, why):
    with pytest.raises(ModelError, match=why):
        probe.shown(opened("smollm2"), Input("smollm2", text))


def test_what_is_left_out_is_said():
    what = probe.shown(opened("smollm2"), Input("smollm2", "ab" * 60))
    assert len(what.tokens) == 96 and what.note == "the first 96 of 120 tokens"
    what = probe.shown(opened("minilm"), Input("minilm", "ab 漢 字"))
    assert what.note == "2 of its tokens are not in the vocabulary"


@pytest.mark.parametrize("mode", ["L", "P", "RGBA", "CMYK", "1"])
def test_pictures_of_every_size_and_mode_are_looked_at(mode):
    file = io.BytesIO()
    Image.new(mode, (7, 300)).save(file, "TIFF")
    what = probe.shown(opened("vit"), Input("vit", picture="0"), file.getvalue())
    assert what.inputs.shape == (1, 3, 42, 42) and len(what.tokens) == 1 + 9


@pytest.mark.parametrize("data", [b"", b"GIF89a", picture((9, 9))[:-30], b"\0" * 999])
def test_what_is_no_picture_is_refused(data):
    with pytest.raises(ModelError, match="no picture"):
        probe.shown(opened("vit"), Input("vit", picture="0"), data)


def test_damaged_files_are_refused(tmp_path):
    of = opened("vit")
    data = packed(probe.shown(of, *input_of("vit")))
    file = tmp_path / "x.npz"
    for bad in (b"", b"PK\3\4", data[:200], data[:-40]):
        file.write_bytes(bad)
        with pytest.raises(ModelError, match=r"damaged|read"):
            seen.read(file)
    with pytest.raises(ModelError, match=r"damaged|read"):
        seen.read(tmp_path / "x.npz")
    file.write_bytes(seen.packed({"model": "gpt"}, {}, []))
    with pytest.raises(ModelError, match="damaged"):
        seen.read(file)


# Which heads tolerate which k


def test_one_head_cut_is_what_the_whole_model_says_with_it(name):
    """The layers before it are run once; a second way runs all of them each time."""
    of = opened(name)
    inputs = probe.shown(of, *input_of(name)).inputs.repeat_interleave(2, 0)
    own = of.model(inputs)
    loss = loss_of(name, inputs, own)
    alone = one_by_one(of.model, inputs, loss, (1, 3))
    for layer, head in np.ndindex(of.model.layers, of.model.heads):
        for at, k in enumerate((1, 3)):
            wanted = loss(of.model(inputs, cut(k, layers=[layer], heads=[head])))
            torch.testing.assert_close(alone[:, layer, head, at], wanted, rtol=1e-4, atol=1e-5)


def test_a_budget_is_the_least_k_from_which_on_all_is_bearable():
    own = torch.tensor([1.0, 1.0])
    alone = torch.tensor([[1.5, 1.0, 1.0], [1.0, 1.2, 1.0], [1.3, 1.3, 1.3]]).expand(2, 1, 3, 3)
    assert budget(alone, own, (1, 4, 16), 64, 0.01).tolist() == [[4, 16, 64]]
    assert budget(alone, own, (1, 4, 16), 64, 0.6).tolist() == [[1, 1, 1]]


def test_heads_cut_each_to_its_own(name):
    of = opened(name)
    inputs = probe.shown(of, *input_of(name)).inputs
    width = of.model.width
    table = torch.full((of.model.layers, of.model.heads), width)
    torch.testing.assert_close(of.model(inputs, cut_each(table)), of.model(inputs, whole))
    table[1, 0] = 1
    wanted = of.model(inputs, cut(1, layers=[1], heads=[0]))
    torch.testing.assert_close(of.model(inputs, cut_each(table)), wanted, rtol=1e-4, atol=1e-5)


# In a worker


def test_a_worker_looks_and_cuts(name, monkeypatch):
    store, of = Store(), opened(name)
    monkeypatch.setattr(probe, "open_model", lambda *_: of)
    probe._whole.cache_clear()
    asked, data = input_of(name)
    if name == "vit":
        asked = Input(name, picture=looks.put_picture(store, data))
    jobs.ask(store, "look", asked.id, asked.json())
    assert worked(store).status == "finished"
    assert seen.read(looks.file_of(store.home, asked)).model == name
    cutting = Cutting(asked, 2, True, 0)
    jobs.ask(store, "cut", cutting.id, cutting.json())
    done = worked(store)
    assert done.status == "finished" and len(done.result["rows"]) >= 5
    assert Cutting.parse(done.subject) == cutting
    probe._whole.cache_clear()


def test_a_worker_says_what_is_missing():
    store = Store()
    asked = Input("smollm2", "ab")
    jobs.ask(store, "look", asked.id, asked.json())
    done = worked(store)
    assert done.status == "failed" and "models fetch smollm2" in done.message


def test_a_picture_that_has_gone_is_said(monkeypatch):
    store, of = Store(), opened("vit")
    monkeypatch.setattr(probe, "open_model", lambda *_: of)
    for sha in ("0" * 64, "../../x"):
        asked = Input("vit", picture=sha)
        jobs.ask(store, "look", asked.id, asked.json())
        assert "drop it in again" in worked(store).message
    with pytest.raises(ModelError, match="at most 20"):
        looks.put_picture(store, b"0" * (looks.LARGEST_PICTURE + 1))


def test_a_look_for_which_a_visitor_has_no_room_is_refused_when_it_is_written(monkeypatch):
    store, of = Store(), opened("smollm2")
    monkeypatch.setattr(probe, "open_model", lambda *_: of)
    probe._whole.cache_clear()
    asked, _ = input_of("smollm2")
    jobs.ask(store, "look", asked.id, asked.json())

    def full(self, more):
        raise LimitError(f"{more} bytes: no")

    monkeypatch.setattr(Quota, "room", full)
    done = worked(store)
    assert done.status == "failed" and done.message.endswith("bytes: no")
    assert not looks.file_of(store.home, asked).exists()
    probe._whole.cache_clear()


def test_the_oldest_looks_go(monkeypatch):
    store = Store()
    monkeypatch.setattr(looks, "MOST_BYTES", 250)
    for at in range(4):
        looks.keep(store, Input("vit", picture=str(at)), b"0" * 100)
        file = looks.file_of(store.home, Input("vit", picture=str(at)))
        os.utime(file, (at, at))
    there = [looks.file_of(store.home, Input("vit", picture=str(at))).exists() for at in range(4)]
    assert there == [False, False, True, True]


# The real ones


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
def test_real_models_are_looked_at(model, tmp_path):
    """k = all terms gives the model's own answer; no coupling has a rank above the width."""
    if not is_here(REAL, MODELS[model]):
        pytest.skip(f"`python -m explorer models fetch {model}` brings it")
    data = example.picture() if model == "vit" else b""
    asked = Input(model, "" if data else example.TEXT, "0" if data else "")
    file = tmp_path / "a.npz"
    file.write_bytes(packed(probe.shown(probe.open_model(REAL, model), asked, data)))
    sigma = np.linalg.svd(seen.read(file).logits(2, 1), compute_uv=False)
    assert (sigma[MODELS[model].width :] <= 1e-6 * sigma[0]).all()
    found = probe.answered(REAL, Cutting(asked, MODELS[model].width, False), data)
    for _, before, after in found["rows"]:
        assert before == pytest.approx(after, abs=1e-5)
    assert found["measure"][1] == pytest.approx(found["measure"][0], rel=1e-5, abs=1e-5)
    assert json.dumps(found)
