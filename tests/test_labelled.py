"""Pictures and number words: their targets, files, encoder and training."""

import gzip
import hashlib
import json

import numpy as np
import pytest
import torch

from explorer.families import number_words
from explorer.families.pictures import PICTURES
from explorer.folder import home
from explorer.models import encoder
from explorer.pages.real import view_table1 as table1
from explorer.pages.runs import comparison
from explorer.runs.execute import execute
from explorer.runs.store import Store
from explorer.runs.sweeps import Unit, train_unit
from explorer.spec import NumberWordsSpec, PicturesSpec, SpecError, amended, spec_id
from explorer.targets import parse, parse_leniently, parse_sweep, target_of
from explorer.targets.labelled import patches, pictures
from explorer.targets.labelled.pictures import FASHION, DataError, load
from explorer.training import Ensemble, train
from explorer.training.recipes import recipe_of
from explorer.training.schedule import learning_rate
from explorer.ui.pages import page_of
from explorer.ui.topics import figures_of, view_of

pytestmark = pytest.mark.usefixtures("one_thread")

TINY = {"n": 6, "d_v": 3, "m_h": 3, "m_ff": 8, "batch": 4, "steps": 6, "warmup": 2}
WORDS = NumberWordsSpec(**TINY)
ROLLED = amended(WORDS, permutation="roll", original_steps=3)


def put(name, data):
    path = home() / "data" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def mnist(rows):
    text = "\n".join(",".join(map(str, row)) for row in rows)
    return put("mnist_5k.csv.gz", gzip.compress(text.encode()))


def digits(count=20):
    """Rows of 784 pixels, which tell the digit in the last column."""
    return [[(7 * i) % 256] * 784 + [i % 10] for i in range(count)]


def idx(array):
    axes = np.array(array.shape, ">u4").tobytes()
    return gzip.compress(bytes([0, 0, 8, array.ndim]) + axes + array.astype(np.uint8).tobytes())


# What there is to learn


def test_numbers_are_those_of_num2words():
    """All of 0 to 9999 in both languages, as num2words 0.5.14 has them (hash of its lines, English
    without commas and hyphens)."""
    english = [" ".join(number_words.english(i)) for i in range(10_000)]
    german = ["".join(number_words.german(i)) for i in range(10_000)]
    found = hashlib.sha256("\n".join(english + german).encode()).hexdigest()
    assert found == "45640017321198c4bf87d20b74a9226059e4a57ea435d369fd95199c12f5288f"


@pytest.mark.parametrize("number", [-1, 10_000])
def test_other_numbers_are_refused(number):
    for spell in (number_words.english, number_words.german):
        with pytest.raises(ValueError, match=f"number = {number}: allowed is 0 to 9999"):
            spell(number)


def test_words_of_an_example_and_of_its_answer_are_those_of_one_number():
    target = target_of(WORDS)
    x, classes = target.training
    assert x.shape == (8000, 8, 32) and classes.shape == (8000, 8) and len(target.test.x) == 2000
    row = 1234
    said = [number_words.ENGLISH[i] for i in x[row].argmax(axis=1)]
    answer = [number_words.GERMAN[i] for i in classes[row]]
    number = next(n for n in range(10_000) if number_words.english(n) == [w for w in said if w])
    assert [word for word in answer if word] == number_words.german(number)
    both = [tuple(map(tuple, part.x.argmax(axis=2))) for part in (target.training, target.test)]
    assert not set(both[0]) & set(both[1])


def test_patches_hold_each_pixel_once_row_by_row():
    pictures = np.arange(2 * 28 * 28 * 1, dtype=np.int64).reshape(2, 28, 28, 1) % 251
    cut = patches(pictures.astype(np.uint8), 49)
    assert cut.shape == (2, 49, 16) and cut.min() >= -1 and cut.max() <= 1
    np.testing.assert_allclose(
        cut[1, 8].reshape(4, 4), pictures[1, 4:8, 4:8, 0] / 127.5 - 1, atol=1e-6
    )


# Files of pictures


def test_mnist_is_read_and_every_fifth_is_tested_on():
    mnist(digits())
    loaded = load("mnist")
    assert loaded.training.shape == (16, 28, 28, 1) and loaded.test.shape == (4, 28, 28, 1)
    assert loaded.test_classes.tolist() == [4, 9, 4, 9]
    assert loaded.test[1, 0, 0, 0] == 7 * 9


def test_fashion_is_read():
    for name, count in zip(FASHION, (6, 6, 3, 3), strict=True):
        shape = (count, 28, 28) if "images" in name else (count,)
        put(f"{name}-ubyte.gz", idx(np.arange(np.prod(shape)).reshape(shape) % 10))
    loaded = load("fashion")
    assert loaded.training.shape == (6, 28, 28, 1) and loaded.test_classes.tolist() == [0, 1, 2]


def test_cifar_is_read_from_its_binary_version():
    row = np.concatenate([[7], np.repeat([10, 20, 30], 1024)]).astype(np.uint8).tobytes()
    for name in (*(f"data_batch_{i}.bin" for i in range(1, 6)), "test_batch.bin"):
        put(f"cifar-10-batches-bin/{name}", row * 2)
    loaded = load("cifar10")
    assert loaded.training.shape == (10, 32, 32, 3) and set(loaded.training_classes) == {7}
    assert loaded.training[0, 5, 9].tolist() == [10, 20, 30]


def test_a_pickled_cifar_is_never_opened():
    """Opening this pickle would write a file."""
    evil = home() / "opened"
    put("cifar-10-batches-py/data_batch_1", f"cos\nsystem\n(S'touch {evil}'\ntR.".encode())
    with pytest.raises(DataError, match="no pickle is ever opened"):
        load("cifar10")
    assert not evil.exists()


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_that_are_not_here_say_where_to_put_them(name, monkeypatch):
    monkeypatch.setitem(pictures._OTHERS, name, list)
    with pytest.raises(DataError) as caught:
        target_of(parse({"target": "pictures", "data": name, "tau": 16, "images": 4}))
    said = str(caught.value)
    assert said.startswith(f'data = "{name}"') and str(home() / "data") in said


BROKEN = {
    "cut": (lambda good: good[:-20], "no whole gzip file"),
    "text": (lambda good: b"nothing", "no whole gzip file"),
    "words": (lambda good: gzip.compress(b"a,b\nc,d"), "not rows of whole numbers"),
    "narrow": (lambda good: gzip.compress(b"1,2,3\n" * 9), "9 rows of 3"),
    "empty": (lambda good: gzip.compress(b""), "0 rows of"),
    "pixel": (
        lambda good: gzip.compress((",".join(["300"] * 784 + ["1"]) + "\n").encode() * 9),
        "0 to 255",
    ),
    "digit": (
        lambda good: gzip.compress((",".join(["3"] * 784 + ["11"]) + "\n").encode() * 9),
        "a label is 11",
    ),
}


@pytest.mark.filterwarnings("ignore:loadtxt")
@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_file_is_named(how):
    path = mnist(digits())
    broken, said = BROKEN[how]
    path.write_bytes(broken(path.read_bytes()))
    with pytest.raises(DataError, match=said) as caught:
        load("mnist")
    assert str(path) in str(caught.value)


def test_an_idx_file_of_another_length_and_a_short_cifar_are_named():
    good = np.zeros((2, 28, 28))
    for name in FASHION:
        put(f"{name}-ubyte.gz", idx(good if "images" in name else good[:, 0, 0]))
    put(f"{FASHION[0]}-ubyte.gz", gzip.compress(gzip.decompress(idx(good))[:-1]))
    with pytest.raises(DataError, match="no whole idx file"):
        load("fashion")
    put("cifar-10-batches-bin/data_batch_1.bin", b"\0" * 100)
    with pytest.raises(DataError, match="100 bytes are no rows"):
        load("cifar10")


# Specifications


WRONG = [
    ({"tau": 50}, "tau = 50: 28 × 28 pixels are cut into 4, 16, 49 patches"),
    ({"data": "cifar10", "tau": 49}, "32 × 32 pixels are cut into 4, 16, 64 patches"),
    ({"images": 5000}, "images = 5000: 5000 pictures of MNIST has 4000 to learn"),
    ({"original_steps": 900}, "original_steps = 900: at most steps = 800"),
    ({"permutation": [0, 1]}, "permutation: allowed is each of 0 to 48 once"),
    ({"data": "faces"}, 'data = "faces": allowed is "mnist"'),
    ({"optimizer": "soap"}, "optimizer"),
]


@pytest.mark.parametrize("fields, said", WRONG, ids=[next(iter(fields)) for fields, _ in WRONG])
def test_a_specification_that_does_not_fit_is_refused(fields, said):
    with pytest.raises(SpecError) as caught:
        parse({"target": "pictures", **fields})
    assert said in str(caught.value)
    spec, problems = parse_leniently(json.dumps({"target": "pictures", **fields}))
    assert problems and spec == PicturesSpec()


def test_before_another_order_a_run_is_that_of_the_original_order():
    plain = amended(WORDS, steps=ROLLED.original_steps)
    assert spec_id(plain) != spec_id(ROLLED)
    *_, last = train(plain)
    altered = next(s for s in train(ROLLED) if s.step == plain.steps)
    assert altered.weights_sha256() == last.weights_sha256()


def test_each_phase_has_a_schedule_of_its_own():
    spec = NumberWordsSpec(steps=30, original_steps=20, warmup=3, lr=1.0)
    plain = NumberWordsSpec(steps=20, warmup=3, lr=1.0)
    short = NumberWordsSpec(steps=10, warmup=3, lr=1.0)
    rates = [learning_rate(spec, step) for step in range(1, 31)]
    assert rates[:20] == [learning_rate(plain, step) for step in range(1, 21)]
    assert rates[20:] == [learning_rate(short, step) for step in range(1, 11)]


# The encoder


def weights_of(spec, seed=0):
    drawn = recipe_of(spec).initial(spec, torch.Generator().manual_seed(seed))
    return {name: value.double().unsqueeze(0) for name, value in drawn.items()}


def naive(weights, x):
    """The formulas of models/encoder.py for one sequence, token by token, head by head."""
    w = {name: value[0] for name, value in weights.items()}

    def normed(h):
        return (h - h.mean()) / (h.var(correction=0) + 1e-5).sqrt()

    def layer(i, asking, h):
        out = []
        for t in range(len(asking)):
            total = asking[t].clone()
            for head in range(w["W_Q"].shape[1]):
                query = w["W_Q"][i, head] @ normed(asking[t])
                logits = torch.stack([query @ (w["W_K"][i, head] @ normed(s)) for s in h])
                share = logits.softmax(dim=0)
                value = sum(
                    a * (w["W_V"][i, head] @ normed(s)) for a, s in zip(share, h, strict=True)
                )
                total = total + value @ w["W_O"][i, head]
            inner = torch.nn.functional.gelu(w["inner"][i] @ normed(total) + w["inner_bias"][i])
            out.append(total + inner @ w["outer"][i] + w["outer_bias"][i])
        return out

    h = [x[t] @ w["embedding"] + w["positions"][t] for t in range(len(x))]
    for i in range(w["W_Q"].shape[0] - 1):
        h = layer(i, h, h)
    asked = layer(w["W_Q"].shape[0] - 1, list(w["asks"]), h)
    return torch.stack([normed(a) @ w["classes"] + w["classes_bias"] for a in asked])


def test_the_encoder_is_its_formulas():
    weights = weights_of(amended(WORDS, heads=2, layers=2))
    x = torch.tensor(target_of(WORDS).test.x[:2]).double()
    logits = encoder.forward(weights, x.unsqueeze(0)).logits[0]
    torch.testing.assert_close(logits, torch.stack([naive(weights, each) for each in x]))


@pytest.mark.parametrize("order", ["roll", "reverse", "random"])
def test_with_its_positions_another_order_changes_nothing(order):
    """To 1e-6 in float32; and with the positions left, it changes the answer."""
    spec = amended(WORDS, permutation=order, n=16)
    weights = {name: value.float() for name, value in weights_of(spec).items()}
    target = target_of(spec)
    x, places = torch.tensor(target.test.x[None, :20]), torch.tensor(target.places)
    original = encoder.forward(weights, x).logits
    seen = x[:, :, places]
    assert (encoder.forward(weights, seen, places).logits - original).abs().max() < 1e-6
    assert (encoder.forward(weights, seen).logits - original).abs().max() > 1e-2


def test_no_coupling_has_a_rank_above_m_h():
    weights = weights_of(amended(WORDS, m_h=2, n=16))
    x = torch.tensor(target_of(WORDS).test.x[None, :5]).double()
    for coupling in encoder.forward(weights, x).couplings:
        sigma = torch.linalg.svdvals(coupling)
        assert (sigma[..., 2] <= 1e-6 * sigma[..., 0]).all() and (sigma[..., 1] > 0).all()


# Training


def test_the_gradient_is_that_of_the_cross_entropy():
    ensemble = Ensemble([WORDS], [target_of(WORDS)])
    weights = {name: value.double() for name, value in ensemble.weights.items()}
    x, y = ensemble.batch()
    gradients = {name: torch.zeros_like(value) for name, value in weights.items()}
    ensemble.recipe.gradient(weights, x.double(), y, gradients, 1)

    def loss(name, change):
        moved = weights | {name: weights[name] + change}
        log_p = encoder.forward(moved, x.double()).logits.log_softmax(dim=-1)
        return -log_p.gather(-1, y.unsqueeze(-1)).mean()

    for name in weights:
        towards = torch.randn(weights[name].shape, dtype=torch.float64) * 1e-5
        central = (loss(name, towards) - loss(name, -towards)) / 2
        torch.testing.assert_close(
            (gradients[name] * towards).sum(), central, rtol=1e-4, atol=1e-12
        )


def test_narrow_members_of_a_batch_step_as_if_they_were_alone():
    members = [amended(ROLLED, m_h=m, seed=seed) for m, seed in ((1, 0), (5, 0), (3, 1))]
    together = Ensemble(members, [target_of(member) for member in members])
    *_, losses = together.run()
    for i, member in enumerate(members):
        *_, last = train(member)
        torch.testing.assert_close(losses[i], last.loss, rtol=1e-4, atol=1e-6)
        assert together.evaluate_all(50)[i]["cross_entropy"] == pytest.approx(
            last.evaluate(50)["cross_entropy"], rel=1e-4
        )


def test_the_order_changes_after_its_steps():
    ensemble = Ensemble([ROLLED], [target_of(ROLLED)])
    own, order = target_of(ROLLED).training.x, list(target_of(ROLLED).places)
    known = {each.tobytes() for each in own}
    for step in range(ROLLED.steps):
        x, _ = ensemble.recipe.batch(ensemble.generators, step)
        back = np.empty_like(x[0].numpy())
        back[:, order if step >= ROLLED.original_steps else slice(None)] = x[0].numpy()
        assert all(each.tobytes() in known for each in back), step


def test_what_a_sweep_says_of_an_encoder():
    rows = train_unit(Unit((amended(ROLLED, m_h=2), ROLLED), "independent", 0).text())
    for row, m_h in zip(rows, (2, 3), strict=True):
        assert row["m_h"] == m_h and len(row["sigma"]) == len(row["sigma_centred"]) == m_h
        assert row["sigma"] == sorted(row["sigma"], reverse=True) and row["sigma"][-1] > 0
        assert row["moved_gap"] < 1e-6 and row["accuracy_moved"] == row["accuracy_original"]


def test_a_run_is_kept_and_goes_on_with_the_same_bits():
    mnist(digits(40))
    spec = PicturesSpec(tau=16, images=20, **TINY)
    store = Store()
    with store.start(spec, "cpu") as lease:
        row = execute(store, lease.row)
    assert row.status == "finished" and {"accuracy", "cross_entropy"} <= {*row.outcome}
    assert comparison._sentence([row]).startswith("After 6 steps (one seed, m_h = 3) ")
    assert figures_of(store.read(row.run)) == {}
    assert view_of(spec).drawing(spec, None) == ({}, {}) and page_of(spec).name in ("runs", "real")
    halfway = next(s for s in train(spec) if s.step == 3)
    *_, last = train(spec, halfway.state())
    assert last.weights_sha256() == row.outcome["weights_sha256"]
    pictures = store.read(row.run).snapshot(spec.steps)[1]
    assert pictures["sigma"].shape == (2, 2, 3) and pictures["coupling"].shape == (16, 16)
    np.testing.assert_allclose(pictures["attention"].sum(axis=1), 1, rtol=1e-5)


def test_sweeps_are_read_and_refused_like_specifications():
    sweep = parse_sweep({"target": "pictures", "m_h": [4, 1], "seed": 2})
    assert [(m.m_h, m.seed) for m in sweep.members()] == [(1, 2), (4, 2)]
    assert recipe_of(sweep).__name__ == "Encoder"


def test_how_many_examples_a_model_is_tested_on_is_known_without_them():
    """The interval of an accuracy hangs on it; the shipped one is of these, to the last."""
    assert WORDS.unseen == len(target_of(WORDS).test.x)
    assert PicturesSpec().unseen == 1000 and PicturesSpec(data="fashion").unseen == 10_000
    shares = table1.shipped().groupby("data")["accuracy"]
    for data, spec in ((table1.PICTURES, PicturesSpec()), (table1.WORDS, WORDS)):
        right = shares.get_group(data).to_numpy() * spec.unseen
        np.testing.assert_allclose(right, right.round(), atol=1e-3)
