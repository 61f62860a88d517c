"""What strangers send is read by processes apart: the same results, within limits of the system."""

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from stores import TINY, trained

from explorer.coupling.attention import parse_attention
from explorer.coupling.grid import GridError, parse_grid
from explorer.folder import resource
from explorer.hosting import reader
from explorer.hosting.fair import Shares
from explorer.hosting.settings import Limits
from explorer.runs import archive
from explorer.runs.store import Store
from explorer.runs.zips import ArchiveError
from explorer.spec import CouplingSpec, SpecError, amended
from explorer.ui import page_visit

LINES = b"0.5;0,25\n1;2\n3;4,125\n"
BAD = (sys.executable, str(Path(__file__).with_name("bad_reader.py")))


def npz(**arrays):
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


@pytest.fixture
def apart(monkeypatch):
    """A public server's pages, and what their visitor is charged."""
    shares = Shares(20)
    own = reader.Readers(1)
    monkeypatch.setattr(reader, "readers", lambda _=1: own)
    monkeypatch.setattr(page_visit, "_apart", lambda: True)
    store = Store()
    ours = {"shares": lambda: shares, "owner": lambda: "one", "store": lambda: store}
    ours["settings"] = lambda: SimpleNamespace(limits=Limits())
    for name, function in ours.items():
        monkeypatch.setattr(page_visit.registry, name, function)
    return shares


@pytest.fixture
def bad(monkeypatch):
    monkeypatch.setattr(reader, "COMMAND", BAD)
    monkeypatch.setenv("PYTHONPATH", str(resource()))
    return reader.Readers(1)


def test_no_process_is_begun_before_a_file_comes(monkeypatch):
    monkeypatch.setattr(reader, "_begun", lambda: pytest.fail("a process is begun"))
    reader.Readers()
    assert page_visit.grid(LINES, "a.csv").shape == (3, 2), "the own app reads in its own"


def test_a_grid_read_apart_is_that_read_here_and_its_sender_pays(apart):
    before = apart._account("one").left
    assert np.array_equal(page_visit.grid(LINES, "a.csv"), parse_grid(LINES, "a.csv"))
    assert apart._account("one").left < before
    assert apart._account("other").left == 20


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.csv", b"0.50, 1e-3\n-inf, 2\n"),
        ("a.npz", npz(q=np.eye(3), k=np.arange(9.0).reshape(3, 3))),
        ("a.npz", npz(weights=np.full((2, 2), 0.5))),
    ],
)
def test_attention_read_apart_is_that_read_here(apart, name, data):
    there, here = (
        page_visit._attention(data, name, "logits"),
        parse_attention(data, name, "logits"),
    )
    assert there.kind == here.kind and np.array_equal(there.values, here.values)
    assert type(there.step) is type(here.step)
    if there.step is not None and here.step is not None:
        assert np.array_equal(there.step, here.step)


@pytest.mark.parametrize("name", ["a.csv", "a.npz", "a.npy", "a.safetensors", "a.exe"])
def test_what_is_refused_is_refused_in_the_same_words(apart, name):
    words = []
    for read in (page_visit._attention, parse_attention):
        with pytest.raises(GridError) as refused:
            read(b"x\x00y", name, "logits")
        words.append(str(refused.value))
    assert words[0] == words[1]


def test_an_archive_comes_in_as_it_went_out(apart):
    store = page_visit.registry.store()
    data = archive.export(store, trained(TINY, store).run)
    run = page_visit.import_archive(data)
    again = archive.import_(store, data)
    one, other = (archive.read(archive.export(store, each)) for each in (run, again))
    assert one.row.metrics == other.row.metrics and one.spec == other.spec
    assert np.array_equal(one.losses, other.losses) and np.array_equal(one.nmse, other.nmse)
    assert [*map(one.frame, one.snapshot_steps.tolist())] == [
        *map(other.frame, other.snapshot_steps.tolist())
    ]
    assert archive.export(store, run).count(b"checkpoint.safetensors") == data.count(
        b"checkpoint.safetensors"
    )


def test_an_archive_that_is_none_or_beyond_the_limits_is_refused(apart, monkeypatch):
    with pytest.raises(ArchiveError, match="not a whole zip"):
        page_visit.import_archive(b"PK")
    store = page_visit.registry.store()
    data = archive.export(store, trained(TINY, store).run)
    few = SimpleNamespace(limits=Limits(steps=1))
    monkeypatch.setattr(page_visit.registry, "settings", lambda: few)
    with pytest.raises(ArchiveError, match="trains at most 1"):
        page_visit.import_archive(data)


def test_a_formula_is_built_apart(apart):
    page_visit.build(CouplingSpec(formula="u*v"))
    with pytest.raises(SpecError):
        page_visit.build(amended(CouplingSpec(), formula="1/(u-u)"))


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("crash", r"has ended \(code -11\)"),
        ("swell", "more than 1,500 MB"),
        ("spin", "processor seconds"),
        ("end_all", "has ended"),
    ],
)
def test_a_bad_file_gets_one_sentence_and_the_next_is_read(bad, kind, words):
    answer = bad.read(kind, b"")
    assert answer.parts == [] and answer.value is None
    with pytest.raises(AssertionError, match=words):
        raise AssertionError(answer.problem)
    assert bad.read("grid", LINES, name="a.csv").problem == ""


def test_what_took_its_time_in_vain_counts(bad):
    assert bad.read("spin", b"").seconds >= 1


def test_who_takes_over_a_child_speaks_for_no_other(bad):
    """The pipe to the server is not the child's."""
    answers = [bad.read("babble", b""), bad.read("grid", LINES, name="a.csv")]
    assert answers[0].problem and not answers[1].problem
    assert np.array_equal(parse_grid(answers[1].parts[0], "a.npy"), parse_grid(LINES, "a.csv"))


def test_no_more_is_taken_than_an_answer_may_have(bad, monkeypatch):
    monkeypatch.setenv("READER_MOST", "5000")
    assert "has ended" in bad.read("flood", b"").problem
    assert bad.read("grid", LINES, name="a.csv").problem == ""


def test_a_value_is_json_never_a_pickle(apart):
    answer = reader.readers().read("grid", LINES, name="a.csv")
    assert answer.value is None and json.dumps(answer.value) and answer.parts[0][:6] == b"\x93NUMPY"
