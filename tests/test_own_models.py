"""Models of the user's own: the files of `transformers` are read, measured and looked at. Beside
transformers itself they are held in test_reference_runtimes.py."""

import json
from functools import partial

import numpy as np
import pytest
import torch
from own_models import BERT, CONFIGS, GPT2, NAMES, VIT, saved, weights_of
from safetensors.torch import save_file
from stores import meanwhile, worked
from streamlit.testing.v1 import AppTest
from torch import nn

from explorer.pages.real import answers, view
from explorer.pages.real import models as real_models
from explorer.pages.real import page as real_page
from explorer.pages.real import view_head as real_head
from explorer.pages.real import work as real_work
from explorer.pages.real.view_look import Look
from explorer.pretrained import bring as bringing
from explorer.pretrained import example, fetch, spectra_file
from explorer.pretrained.attention import observe
from explorer.pretrained.bring import bring
from explorer.pretrained.catalogue import MODELS, ModelError
from explorer.pretrained.forwards import load
from explorer.pretrained.own import known, model_named, own
from explorer.pretrained.seen import Input
from explorer.pretrained.tokens import BYTE_NAMES, tokenizer
from explorer.runs import brought, jobs
from explorer.runs.store import Store
from explorer.ui import registry
from explorer.ui.controls import PAPER
from explorer.ui.pages import PAGES


@pytest.fixture(params=CONFIGS)
def family(request):
    return request.param


@pytest.fixture
def taken(family, tmp_path):
    """A model, as it is loaded after it was brought."""
    about = bring(tmp_path, saved(tmp_path / "theirs", CONFIGS[family]), "mine")
    return load(tmp_path, about.name)


def inputs(model, count=2, time=11):
    drawn = torch.Generator().manual_seed(1)
    if hasattr(model, "side"):
        return torch.randn(count, 3, model.side, model.side, generator=drawn)
    return torch.randint(0, 40, (count, time), generator=drawn)


def near(a, b, relative=1e-5):
    return float((a - b).abs().max()) <= relative * float(b.abs().max())


def test_names_are_those_of_transformers(family):
    assert weights_of(CONFIGS[family]).keys() >= set(NAMES[family])


def test_a_model_is_brought_with_its_measurements(family, tmp_path):
    steps = []
    folder = saved(tmp_path / "theirs", CONFIGS[family])
    about = bring(tmp_path, folder, "mine", lambda *done: steps.append(done))
    assert known(tmp_path)[about.name] == model_named(tmp_path, "mine") == about
    assert (about.layers, about.heads, about.width) == (2, 3, 4)
    assert steps[0][0] == 0 and [done for done, _ in steps] == sorted(done for done, _ in steps)
    there = tmp_path / about.folder
    spectra = spectra_file.unpack((there / "spectra.npz").read_bytes())[about.name]
    assert spectra.raw.shape == (6, 2, 3, 4) and spectra.weights.shape == (2, 3, 4)
    assert spectra.raw_rank.min() >= 1 and spectra.raw_rank.max() <= 4
    again = bring(tmp_path / "elsewhere", folder, "mine")
    assert again == about, "the same files are the same model"
    save_file(weights_of(CONFIGS[family], seed=1), folder / "model.safetensors")
    assert bring(tmp_path / "third", folder, "mine").name != about.name


def test_attention_is_a_softmax_of_rank_at_most_the_width(taken):
    seen = observe(taken, inputs(taken))
    sigma = torch.linalg.svdvals(seen.logits.double())
    assert float((sigma[..., taken.width :] / sigma[..., :1]).max()) < 1e-6
    torch.testing.assert_close(seen.attention.sum(-1), torch.ones(seen.attention.shape[:-1]))
    later = torch.ones(seen.logits.shape[-2:], dtype=torch.bool).triu(1)
    assert bool((seen.attention[..., later] == 0).all()) == taken.causal


def encoder(model, names, first, activation):
    """torch's own layer with these weights: q, k, v in one; output; two of the network; norms."""
    w, n = model.weights, model.heads * model.width
    joined, out, one, two, norm1, norm2 = (
        [of if isinstance(of, torch.Tensor) else w[of] for of in each] for each in names
    )
    of = nn.TransformerEncoderLayer(
        n, model.heads, len(one[1]), 0.0, activation, model.epsilon, True, first
    ).eval()
    named = {"self_attn.out_proj": out, "linear1": one, "linear2": two}
    state = dict(zip(("self_attn.in_proj_weight", "self_attn.in_proj_bias"), joined, strict=True))
    for name, (weight, bias) in (named | {"norm1": norm1, "norm2": norm2}).items():
        state |= {f"{name}.weight": weight, f"{name}.bias": bias}
    of.load_state_dict(state)
    return of


def test_gpt2_is_a_stack_of_torchs_layers(tmp_path):
    model = load(tmp_path, bring(tmp_path, saved(tmp_path / "a", GPT2), "mine").name)
    w, tokens = model.weights, inputs(None)
    x = w["wte.weight"][tokens] + w["wpe.weight"][:11]
    mask = nn.Transformer.generate_square_subsequent_mask(11)
    for at in range(2):
        parts = [f"h.{at}.{of}" for of in ("attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj")]
        linears = [(w[f"{of}.weight"].mT, w[f"{of}.bias"]) for of in parts]
        norms = [(f"h.{at}.ln_{i}.weight", f"h.{at}.ln_{i}.bias") for i in (1, 2)]
        gelu = partial(nn.functional.gelu, approximate="tanh")
        x = encoder(model, [*linears, *norms], True, gelu)(x, mask)
    x = nn.functional.layer_norm(x, (12,), w["ln_f.weight"], w["ln_f.bias"], model.epsilon)
    assert near(model(tokens), (x @ w["wte.weight"].mT).detach())


def test_a_vit_is_a_stack_of_torchs_layers(tmp_path):
    weights = weights_of(VIT) | {"classifier.weight": torch.randn(5, 12)}
    weights |= {"classifier.bias": torch.randn(5)}
    folder = saved(tmp_path / "a", VIT | {"id2label": {"1": "a cat"}}, weights)
    about = bring(tmp_path, folder, "mine")
    model, of = load(tmp_path, about.name), "vit.embeddings"
    assert about.says == "class"
    pictures = inputs(model)
    patches = nn.functional.unfold(pictures, 4, stride=4).mT
    kernel = weights[f"{of}.patch_embeddings.projection.weight"].flatten(1)
    x = patches @ kernel.mT + weights[f"{of}.patch_embeddings.projection.bias"]
    x = torch.cat([weights[f"{of}.cls_token"].expand(2, -1, -1), x], 1)
    x = x + weights[f"{of}.position_embeddings"]
    for at in range(2):
        name = f"vit.encoder.layer.{at}"
        qkv = [
            torch.cat([weights[f"{name}.attention.attention.{q}.{end}"] for q in QKV])
            for end in ("weight", "bias")
        ]
        rest = ("attention.output.dense", "intermediate.dense", "output.dense")
        rest += ("layernorm_before", "layernorm_after")
        others = [[weights[f"{name}.{part}.{end}"] for end in ("weight", "bias")] for part in rest]
        x = encoder(model, [qkv, *others], True, "gelu")(x)
    ends = (weights["vit.layernorm.weight"], weights["vit.layernorm.bias"])
    x = nn.functional.layer_norm(x, (12,), *ends, model.epsilon)
    wanted = x[:, 0] @ weights["classifier.weight"].mT + weights["classifier.bias"]
    assert near(model(pictures), wanted.detach())
    names = fetch.config_of(tmp_path / about.folder)["classes"]
    assert names == ["class 0", "a cat", "class 2", "class 3", "class 4"]


QKV = ("query", "key", "value")


def test_without_positions_the_order_of_tokens_is_nothing_to_an_encoder(tmp_path):
    """Permuted tokens permute every coupling; GPT-2, which masks, is not so."""
    order = torch.randperm(11, generator=torch.Generator().manual_seed(3))
    for config, name in ((BERT, "bert.embeddings.position_embeddings.weight"), (GPT2, WPE)):
        weights = weights_of(config)
        weights[name] = torch.zeros_like(weights[name])
        home = tmp_path / config["model_type"]
        model = load(home, bring(home, saved(home / "a", config, weights), "mine").name)
        tokens = inputs(model)
        whole, moved = observe(model, tokens), observe(model, tokens[:, order])
        wanted = whole.logits[..., order, :][..., order]
        assert near(moved.logits, wanted, 1e-4) == (config is BERT)
        assert near(moved.logits[0], wanted[0], 1e-4), "the first layer is always so"


WPE = "transformer.wpe.weight"


def test_norms_of_the_first_days_and_half_precision_are_read(tmp_path):
    weights = weights_of(BERT)
    old = {
        name.replace("Norm.weight", "Norm.gamma").replace("Norm.bias", "Norm.beta"): of.half()
        for name, of in weights.items()
    }
    assert old.keys() != weights.keys()
    models = [
        load(tmp_path / at, bring(tmp_path / at, saved(tmp_path / at / "a", BERT, of), at).name)
        for at, of in (("old", old), ("new", {name: of.half() for name, of in weights.items()}))
    ]
    assert torch.equal(*(model(inputs(model)) for model in models))


# What is wrong with files


def broken(folder, how):
    """A folder with one thing wrong."""
    config, weights = dict(BERT), weights_of(BERT)
    name = "bert.encoder.layer.1.output.dense.weight"
    if how == "family":
        config["model_type"] = "llama"
    elif how == "code":
        config = {"auto_map": {"AutoModel": "run_me.Model"}}
    elif how == "missing":
        del weights[name]
    elif how == "shape":
        weights[name] = torch.zeros(12, 21)
    elif how == "nan":
        weights[name][3, 4] = torch.nan
    elif how == "quantised":
        weights[name] = weights[name].to(torch.int8)
    elif how == "layers":
        config["num_hidden_layers"] = 10**9
    elif how == "width":
        config["num_attention_heads"] = 5
    elif how == "activation":
        config["hidden_act"] = "swiglu"
    elif how == "decoder":
        config["is_decoder"] = True
    elif how == "negative":
        config["vocab_size"] = -3
    elif how == "text":
        config["hidden_size"] = "twelve"
    saved(folder, config, weights)
    file = folder / "model.safetensors"
    if how == "truncated":
        file.write_bytes(file.read_bytes()[:-100])
    elif how == "pickle":
        file.rename(folder / "pytorch_model.bin")
    elif how == "shards":
        file.rename(folder / "model-00001-of-00002.safetensors")
        (folder / "model.safetensors.index.json").write_text("{}")
    elif how == "no config":
        (folder / "config.json").unlink()
    elif how == "json":
        (folder / "config.json").write_text("{'a'")
    elif how == "list":
        (folder / "config.json").write_text("[]")
    elif how == "deep":
        (folder / "config.json").write_text("[" * 10**5)
    elif how == "huge header":
        file.write_bytes((2**40).to_bytes(8, "little") + b"{}")
    return folder


BROKEN = {
    "family": "model_type is 'llama'; known are bert, gpt2, vit",
    "code": "model_type is 'None'",
    "missing": "lacks encoder.layer.1.output.dense.weight, which config.json asks for",
    "shape": r"output.dense.weight has shape \(12, 21\), and config.json says \(12, 20\)",
    "nan": "output.dense.weight holds NaN or ∞",
    "quantised": "holds I8; F16, BF16, F32, F64 are read",
    "layers": "num_hidden_layers is 1000000000; a whole number from 1 to 48",
    "width": "5 heads of a dimension of 12",
    "activation": "hidden_act is 'swiglu'; known are gelu",
    "decoder": "is_decoder is True; only False is computed",
    "negative": "vocab_size is -3",
    "text": "hidden_size is twelve; a whole number",
    "truncated": "cut short or damaged",
    "pickle": "a pickle may run anything, so it is not opened",
    "shards": "several files: save them as one",
    "no config": "has no config.json: a folder that `save_pretrained`",
    "json": "config.json is no JSON",
    "list": "no JSON object",
    "deep": "config.json is no JSON",
    "huge header": "cut short or damaged",
}


@pytest.mark.parametrize("how", BROKEN)
def test_what_is_wrong_is_said_and_nothing_is_half_written(how, tmp_path):
    with pytest.raises(ModelError, match=BROKEN[how]):
        bring(tmp_path / "models", broken(tmp_path / "a", how), "mine")
    left = [path.name for path in (tmp_path / "models").rglob("*")]
    assert set(left) <= {"own", ".lock"} and not own(tmp_path / "models")


def test_a_disk_that_fills_up_leaves_nothing(tmp_path, monkeypatch):
    folder = saved(tmp_path / "a", BERT)
    usage = bringing.shutil.disk_usage(tmp_path)._replace(free=1000)
    with monkeypatch.context() as full:
        full.setattr(bringing.shutil, "disk_usage", lambda _: usage)
        with pytest.raises(ModelError, match="MB are free in"):
            bring(tmp_path, folder, "mine")

    def no_space(*_):
        raise OSError(28, "No space left on device", "weights.safetensors")

    with monkeypatch.context() as full:
        full.setattr(bringing, "write", no_space)
        with pytest.raises(ModelError, match=r"weights\.safetensors: No space left"):
            bring(tmp_path, folder, "mine")
    assert not own(tmp_path) and [path.name for path in (tmp_path / "own").iterdir()] == [".lock"]
    bring(tmp_path, folder, "mine")


@pytest.mark.parametrize("name", ["", "A b", "../x", "a" * 31, "vit", "mine", "-"])
def test_names_that_are_none_or_taken_are_refused(name, tmp_path):
    folder = saved(tmp_path / "a", BERT)
    bring(tmp_path, folder, "mine")
    with pytest.raises(ModelError, match="name"):
        bring(tmp_path, folder, name)


def test_two_do_not_bring_at_once(tmp_path):
    folder = saved(tmp_path / "a", BERT)

    def second(done, total):
        with pytest.raises(ModelError, match="another model is being brought"):
            bring(tmp_path, folder, "other")

    bring(tmp_path, folder, "mine", second)


# Vocabularies

PIECES = ["[UNK]", "[CLS]", "[SEP]", "un", "##aff", "Aff", "é", "e", *"abcdefghijk"]
BYTES = {name: at for at, name in enumerate(BYTE_NAMES)} | {"un": 256, "Ġun": 257, "Ġ4": 258}
MERGES = ["u n", "Ġ un", "Ġ 4"]
BIG = GPT2 | {"vocab_size": 260}


def split(digits):
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
    alone = {"type": "Digits", "individual_digits": True}
    return {"type": "Sequence", "pretokenizers": [alone, level]} if digits else level


def tokenizer_json(digits=False, **changes):
    model = {"type": "BPE", "vocab": BYTES, "merges": [pair.split() for pair in MERGES]}
    added = [{"id": 259, "content": "<|endoftext|>"}]
    said = {"model": model, "added_tokens": added, "pre_tokenizer": split(digits)}
    return said | changes


def reader(tmp_path, config, **files):
    about = bring(tmp_path, saved(tmp_path / "a", config, **files), "mine")
    return tokenizer("mine", fetch.config_of(tmp_path / about.folder))


@pytest.mark.parametrize(
    ("files", "tokens"),
    [
        (
            {"vocab_json": BYTES, "merges_txt": "#version: 0.2\nu n\nĠ 4\n"},
            ["un", " ", "un", " 4"],
        ),
        ({"tokenizer_json": tokenizer_json()}, ["un", " un", " 4"]),
        ({"tokenizer_json": tokenizer_json(True)}, ["un", " un", " ", "4"]),
    ],
)
def test_byte_pairs_of_the_users_own(files, tokens, tmp_path):
    of = reader(tmp_path, BIG, **files)
    found = of.texts(of.encode("un un 4"))
    assert found == tokens
    assert of.texts([259]) == ["[259]" if "vocab_json" in files else "<|endoftext|>"]


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("kind", ["vocab.txt", "tokenizer.json"])
def test_word_pieces_of_the_users_own(lower, kind, tmp_path):
    if kind == "vocab.txt":
        told = {"do_lower_case": lower}
        files = {"vocab_txt": "\n".join(PIECES) + "\n", "tokenizer_config_json": told}
    else:
        model = {"type": "WordPiece", "vocab": {name: at for at, name in enumerate(PIECES)}}
        files = {"tokenizer_json": {"model": model, "normalizer": {"lowercase": lower}}}
    of = reader(tmp_path, BERT, **files)
    wanted = ["a", "[UNK]", "e"] if lower else ["[UNK]", "Aff", "é"]
    assert of.texts(of.encode("A Aff é")) == ["[CLS]", *wanted, "[SEP]"]


@pytest.mark.parametrize(
    ("config", "files", "why"),
    [
        (BIG, {"vocab_json": BYTES}, "without merges.txt"),
        (GPT2, {"vocab_json": BYTES, "merges_txt": ""}, "the number 40, and the model has 40"),
        (BIG, {"vocab_json": {"a": 1}, "merges_txt": ""}, "lacks 255 of the 256"),
        (BIG, {"vocab_json": BYTES, "merges_txt": "a b c"}, "which is no pair"),
        (BIG, {"tokenizer_json": tokenizer_json(normalizer={"type": "NFC"})}, "cuts words"),
        (BIG, {"tokenizer_json": tokenizer_json(pre_tokenizer={"type": "Split"})}, "cuts words"),
        (BIG, {"tokenizer_json": {"model": {"type": "Unigram"}}}, "is Unigram; of gpt2, BPE"),
        (BIG, {"tokenizer_json": {"model": 3}}, "no 'model'"),
        (BIG, {"tokenizer_json": tokenizer_json(added_tokens=[{"id": 3}])}, "cannot be read"),
        (BERT, {"vocab_txt": "a\nb\n"}, r"lacks 3 of the 3 tokens.*'\[CLS\]'"),
        (BERT, {"tokenizer_json": {"model": {"vocab": {"a": 0}}}}, "cleans texts"),
    ],
)
def test_vocabularies_that_are_not_known_are_refused(config, files, why, tmp_path):
    with pytest.raises(ModelError, match=why):
        reader(tmp_path, config, **files)


def test_without_a_vocabulary_tokens_are_numbers(tmp_path):
    of = reader(tmp_path, GPT2)
    assert of.encode("3 39\n 0") == [3, 39, 0] and of.texts([3, 39]) == [" 3", " 39"]
    for text, why in (("3 40", "'40' is no token.*0 to 39"), ("a", "'a' is no"), ("", "empty")):
        with pytest.raises(ModelError, match=why):
            of.encode(text)
    for text in ("-1", "²", "9" * 30):
        with pytest.raises(ModelError, match="no token"):
            of.encode(text)


# On the page and the command line


def home():
    return Store().home / "models"


def opened(**look):
    at = AppTest.from_file("../explorer/ui/shell.py", default_timeout=60)
    at.session_state["real models"] = True
    for label in (PAPER, answers.SAID):
        at.session_state[f"unfolded {label}"] = True
    at.query_params["real"] = json.dumps(look)
    at.switch_page(str(PAGES["real"].file)).run()
    assert not at.exception
    return at


def texts(at):
    return " ".join(each.value for each in [*at.markdown, *at.caption, *at.error, *at.info])


def test_the_page_looks_at_a_model_of_the_users_own(family, tmp_path):
    about = bring(home(), saved(tmp_path / "a", CONFIGS[family]), "mine")
    at = opened(model=about.name, layer=2, head=3, k=4)
    assert at.selectbox(key="real model").value == about.name
    assert at.info[0].value.startswith("Head 3 of layer 2 holds") and "of 4 terms" in texts(at)
    assert "The model looks at it." in texts(at)
    assert worked().kind == "look"
    at.run()
    assert "Layer 2, head 3." in texts(at) and "of at most 4 terms, by" in texts(at)
    done = worked()
    assert (done.kind, done.status) == ("cut", "finished")
    at.run()
    assert "With k = 4 terms of all heads" in texts(at) and "as good as whole" in texts(at)
    at.button(key=f"remove {about.name}").click().run()
    assert not at.exception and not own(home())
    assert "SmolLM2-135M" in at.info[0].value


def removed_at(monkeypatch, model, module, name):
    """Another hand removes a model right before a function of the page."""
    function = getattr(module, name)

    def called(*args, **kwargs):
        if model in own(home()):
            fetch.remove(home(), model)
        return function(*args, **kwargs)

    monkeypatch.setattr(module, name, called)


@pytest.mark.parametrize("then", ["begin", "choices", "badge", "main_panel", "take_home"])
def test_a_model_that_another_hand_removes_is_said_to_have_gone(then, monkeypatch, tmp_path):
    about = bring(home(), saved(tmp_path / "a", BERT), "mine")
    at = opened(model=about.name, layer=2, head=3)
    removed_at(monkeypatch, about, real_page, then)
    at.run()
    assert not at.exception and f"{about.name}: it is not on this machine" in at.warning[0].value
    assert "of 64 terms" in at.info[0].value, "those of the shipped one"


@pytest.mark.parametrize("shown", [True, False])
def test_a_press_as_a_model_goes_is_answered_with_another(shown, monkeypatch, tmp_path):
    about = bring(home(), saved(tmp_path / "a", BERT), "mine")
    at = opened(**({"model": about.name} if shown else {}))
    removed_at(monkeypatch, about, real_page, "change")
    if shown:
        at.toggle(key="real centred").set_value(True).run()
    else:
        at.selectbox(key="real model").set_value(about.name).run()
    assert not at.exception and "SmolLM2-135M" in at.info[0].value


def test_a_link_to_a_model_that_is_not_here_says_so():
    at = opened(model="mine-12345678")
    assert "mine-12345678: it is not on this machine" in at.warning[0].value
    assert "of 64 terms" in at.info[0].value, "those of the shipped one"


def test_all_terms_are_the_model_itself(family, tmp_path):
    about = bring(home(), saved(tmp_path / "a", CONFIGS[family]), "mine")
    curve = view.curve_of(about)
    of = curve[curve["k"] == 4]
    np.testing.assert_allclose(of["middle"], of["own"], rtol=1e-5, atol=1e-5)
    look = Look(model=about.name)
    assert real_head.input_of(look).text == about.example
    assert (about.example == "") == (family == "vit")


class Given:
    def __init__(self, file):
        self.name, self.data = file.name, file.read_bytes()

    def getvalue(self):
        return self.data


def ask(folder, name="mine"):
    store = Store()
    asked = brought.put(store.models, name, map(Given, folder.iterdir()))
    jobs.ask(store, "import", asked.folder, asked.json())
    return brought.folder_of(store.models, asked)


def test_files_of_a_page_are_brought_by_a_worker(tmp_path):
    given = ask(saved(tmp_path / "a", BERT))
    assert given.is_dir() and not own(home()), "a model that is only given is none"
    done = worked()
    assert done.status == "finished" and done.done == done.total - 1
    assert [model.title for model in own(home())] == ["mine"] and not given.exists()
    assert "**mine**" in texts(opened())


def test_files_that_are_none_are_said_by_the_worker(tmp_path):
    given = ask(broken(tmp_path / "a", "truncated"))
    done = worked()
    assert done.status == "failed" and "cut short" in done.message and not given.exists()
    at = AppTest.from_file("../explorer/ui/shell.py", default_timeout=60)
    at.session_state["real models"] = True
    at.session_state[f"unfolded {PAPER}"] = True
    at.session_state["own model asked"] = done.job
    at.switch_page(str(PAGES["real"].file)).run()
    assert "cut short" in at.error[0].value and not at.exception


def test_a_second_press_before_the_answer_brings_nothing_more(monkeypatch):
    monkeypatch.setattr(real_models.st, "session_state", {real_models.FORMS: 1})
    real_models._bring()
    assert not jobs.waiting(Store()) and real_models.st.session_state == {real_models.FORMS: 1}


def test_a_model_that_comes_while_the_page_is_drawn_is_listed(monkeypatch, tmp_path):
    ask(saved(tmp_path / "a", BERT))
    at = AppTest.from_file("../explorer/ui/shell.py", default_timeout=60)
    at.session_state["real models"] = True
    at.session_state["own model asked"] = jobs.waiting(Store())[0]
    meanwhile(monkeypatch, real_models, "own")
    at.switch_page(str(PAGES["real"].file)).run()
    assert not at.exception and "**mine**" in texts(at)


def test_a_head_that_is_looked_at_while_the_page_is_drawn_is_opened(monkeypatch, tmp_path):
    about = bring(home(), saved(tmp_path / "a", BERT), "mine")
    meanwhile(monkeypatch, real_work, "latest")
    assert "Layer 2, head 3." in texts(opened(model=about.name, layer=2, head=3, k=4))


def test_a_model_that_comes_while_the_page_is_drawn_can_be_chosen(monkeypatch, tmp_path):
    """Its fold is shut, and the sidebar was drawn without it."""
    ask(saved(tmp_path / "a", BERT))
    meanwhile(monkeypatch, real_page, "badge")
    at = AppTest.from_file("../explorer/ui/shell.py", default_timeout=60)
    at.switch_page(str(PAGES["real"].file)).run()
    (choice,) = [each for each in at.selectbox if each.label == "model"]
    assert not at.exception and "mine" in choice.options


def test_all_parts_of_a_page_are_of_what_the_model_had_looked_at_then(monkeypatch, tmp_path):
    about = bring(home(), saved(tmp_path / "a", BERT), "mine")
    drawn = []
    monkeypatch.setattr(real_page, "main_panel", lambda view: drawn.append(view.own))
    meanwhile(monkeypatch, real_page, "badge")
    look = {"model": about.name, "layer": 2, "head": 3, "text": about.example.replace("4", "5")}
    asked = real_head.input_of(Look(**look))
    jobs.ask(Store(), "look", asked.id, asked.json())
    at = opened(**look)
    assert "Layer 2, head 3." in texts(at) and drawn == [False, True]


@pytest.mark.parametrize(
    ("files", "name", "why"),
    [
        (["config.json"], "mine", "there is no model.safetensors: `save_pretrained`"),
        ([], "mine", "there is no model.safetensors"),
        (["model.safetensors"], "mine", "config.json is not among the files: `save_pretrained`"),
        (["config.json", "pytorch_model.bin"], "mine", "a pickle may run anything.*not opened"),
        (["config.json", "model.safetensors.index.json"], "mine", "in several files: save them"),
        (["config.json", "model.safetensors"], "Mine!", "name of small letters"),
    ],
)
def test_files_that_are_not_enough_are_refused_before_they_are_kept(files, name, why, tmp_path):
    class Named:
        def __init__(self, name):
            self.name = name

        def getvalue(self):
            return b"{}"

    with pytest.raises(ModelError, match=why):
        brought.put(tmp_path, name, map(Named, files))
    assert not list(tmp_path.iterdir())


def test_files_that_no_model_is_read_from_are_left_alone(tmp_path):
    """As a folder of `save_pretrained` has them, and such as nobody wrote."""
    folder = saved(tmp_path / "a", BERT, generation_config_json={}, evil_txt="import os")
    (folder / "training_args.bin").write_bytes(b"cos\nsystem\n(S'true'\ntR.")
    given = ask(folder)
    assert {file.name for file in given.iterdir()} == {"config.json", "model.safetensors"}
    assert worked().status == "finished"


def test_visitors_of_a_public_server_bring_and_remove_nothing(tmp_path, monkeypatch):
    bring(home(), saved(tmp_path / "a", BERT), "mine")
    assert "own bring" in {button.key for button in opened().button}
    monkeypatch.setattr(registry, "is_public", lambda: True)
    monkeypatch.setattr(registry, "store", registry.commons)
    keys = {button.key for button in opened().button}
    assert "fetch vit" in keys and "own bring" not in keys
    assert not any(key.startswith("remove mine") for key in keys if key)


def test_the_command(tmp_path, explorer):
    folder = saved(tmp_path / "a", VIT)
    ask_for = ("import", str(folder), "--name", "mine", "--json")
    said = explorer("models", *ask_for)
    assert said.code == 0 and said.json["title"] == "mine" and said.err == ""
    said = explorer("models", *ask_for)
    assert said.code == 2 and said.err.count("\n") == 1
    assert "there is a model mine already" in said.err
    said = explorer("models", "list", "--json")
    assert [row["title"] for row in said.json["models"] if row["own"]] == ["mine"]
    said = explorer("models", "fetch", "mine")
    assert said.code == 2 and "is your own" in said.err
    said = explorer("models", "remove", "mine")
    assert (said.code, said.out) == (0, "removed\n") and not own(home())
    said = explorer("models", "import", str(tmp_path / "none"), "--name", "b")
    assert said.code == 2 and "is no folder" in said.err


def test_views_of_the_example_are_pictures_of_their_own():
    found = example.views(6)
    assert len(found) == len(set(found)) == 6
    assert Input("mine-12345678").id != Input("vit").id and "mine-12345678" not in MODELS
