"""A memory answers for itself: a made-up one that takes nothing from the others says what it is,
and what is left out of it is an error that names it."""

import numpy as np
import pytest
from made_up_memory import KIND, LAW, VIEW, Echo, EchoSpec

from explorer.pages.memory import view as memory
from explorer.pages.memory.view_kinds import VIEWS, Law, MemoryView
from explorer.spec.fields import of_each
from explorer.targets import MEMORIES, MemoryKind

SPEC = EchoSpec(heads=3)
PIECES = [(MemoryKind, KIND), (MemoryView, VIEW), (Law, LAW)]


@pytest.fixture
def echo(monkeypatch):
    monkeypatch.setitem(VIEWS, "echo", MemoryView(**VIEW))


@pytest.mark.parametrize(
    ("whole", "pieces", "name"),
    [
        pytest.param(whole, pieces, name, id=f"{whole.__name__}-{name}")
        for whole, pieces in PIECES
        for name in pieces
    ],
)
def test_a_memory_without_one_of_its_answers_is_an_error_that_names_it(whole, pieces, name):
    assert whole(**pieces)
    with pytest.raises(TypeError, match=f"'{name}'"):
        whole(**{each: piece for each, piece in pieces.items() if each != name})


def test_a_memory_of_which_nothing_is_said_is_named():
    kinds = {**MEMORIES, "echo": MemoryKind(**KIND)}
    with pytest.raises(TypeError, match=r"views of memories: echo$"):
        of_each("views of memories", kinds, VIEWS)
    with pytest.raises(TypeError, match=r"views of memories: echo$"):
        of_each("views of memories", MEMORIES, {**VIEWS, "echo": MemoryView(**VIEW)})
    assert [*of_each("views of memories", kinds, {"echo": None, **VIEWS})] == [*kinds]


def test_a_new_memory_has_its_own_words_and_numbers(echo):
    assert memory.formulas(SPEC) == ("{y_t = b_{t-1}}", "{y_t=b_{t-1}}")
    assert memory.class_line(SPEC) == "**An echo**: the answer is what was before (echo)."
    view = VIEWS["echo"]
    assert view.least(SPEC) == (0.0, "an echo") and view.known(SPEC) == "An echo is heard."
    header, _ = memory.stream_drawing(SPEC)
    assert header["label"] == "echo" and header["lags"] == [1] and header["jumps"] == 0
    assert header["floor"] == 0.0 and header["floor_label"] == "an echo"


def test_a_new_memory_has_its_own_law(echo):
    found = memory.rates(SPEC, 2, "log")
    assert found.statement.name == "Theorem 3.1" and found.here == (3, 1)
    assert found.formula == r"\mathcal E_\mathrm{attn}=T/H^n"
    table = found.attention.set_index(["heads", "T"])["rate"]
    assert table[4, 8] == 8 / 4**2
    assert found.sentences[0] == "One layer hears an echo."
    assert found.sentences[2] == "Of order 2."


def test_a_new_memory_without_a_theorem_takes_no_other(echo, monkeypatch):
    monkeypatch.setitem(VIEWS, "echo", MemoryView(**VIEW | {"law": None}))
    assert memory.rates(SPEC, 1, "lin") is None
    why = "Echo is beyond the paper: none of its theorems speaks of it."
    assert memory.asked(SPEC, 1, "lin") == (False, why)


def test_a_new_memory_is_a_target():
    x, b = Echo(4, "signs").drawn(np.full((1, 12), 0.6))
    assert Echo(4, "signs").answer(x, b).tolist() == [[0.0, 1.0, 1.0, 1.0]]
