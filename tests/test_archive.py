"""Archives: the way there and back changes nothing, and no hostile file gets past the door."""

import hashlib
import io
import json
import re
import stat
import tracemalloc
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import save
from safetensors.torch import load as load_torch
from safetensors.torch import save as save_torch

from explorer.models.named import weights_sha256
from explorer.runs import archive, files, frames, layout, run_file, weights, zips
from explorer.runs.archive import ArchiveError
from explorer.runs.store import Store
from explorer.runs.transitions import RunError
from explorer.spec import CouplingSpec, full_json, spec_id
from explorer.targets import target_of
from explorer.training import Ensemble, train
from explorer.training.schedule import keeps_snapshot

TAU, M_H, STEPS = 4, 2, 100
GRID = np.arange(6.0).reshape(2, 3)
SPEC = CouplingSpec(
    tau=TAU, m_h=M_H, steps=STEPS, grid=files.grid_sha256(GRID), n=3, d_v=2, m_ff=4, depth=2
)
METRICS = {"mse": 1 / 3, "nmse": 0.25, "mae": 0.5, "r2": 0.75, "weights_sha256": "ab" * 32}


def picture(step, **other):
    look = {
        "rho_hat": np.full((48, 48), step),
        "sigma_hat": np.ones(M_H),
        "angles": np.ones(1),
        "attention": np.full((TAU, TAU), 1 / TAU),
        "tokens": np.zeros(TAU),
    }
    return frames.pack({"step": step, "nmse": 0.1, "mse": 0.2, "mae": 1 / step, **other}, look)


def whole(step=50):
    """A checkpoint of SPEC, all ones."""
    held = {name: np.ones(shape, kind) for name, (kind, shape) in layout.full(SPEC).items()}
    return held | {"step": np.array(step), "generator.0": np.zeros(5056, np.uint8)}


def tensors(step=50, **other):
    """The parameters of one."""
    kept = {name: held for name, held in whole(step).items() if name in layout.parameters(SPEC)}
    return save({**kept, **other})


def filled(store, status="stopped", checkpoint=True, step=50):
    """A run, by default at step 50, with everything an archive can hold."""
    store.put_grid(GRID)
    with store.start(SPEC, "cpu", name="talk") as lease:
        run = lease.row.run
        name = f"checkpoint-{step}.safetensors"
        if checkpoint:
            files.write_durably(store.folder(run) / name, tensors(step))
        store.save(
            run,
            [(step, 1 / step) for step in range(1, 51)],
            [(step, 0.1, 0.2, 1 / step, picture(step)) for step in (1, 7, 50)],
            status=status,
            step=step,
            checkpoint=name if checkpoint else None,
            metrics=json.dumps(METRICS),
            message="it's",
            seconds=1.5,
            versions='{"torch": "2"}',
        )
    return run


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("good"))
    return archive.export(store, filled(store))


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path)


def members(data):
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        return {name: file.read(name) for name in file.namelist()}


def rezipped(content, manifest=None, info=lambda name: name):
    """A zip of these members with a right manifest, or the given one."""
    content = {name: data for name, data in content.items() if name != "manifest.json"}
    hashes = {name: hashlib.sha256(data).hexdigest() for name, data in content.items()}
    manifest = manifest or {"format": 1, "sha256": hashes}
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in {"manifest.json": json.dumps(manifest).encode(), **content}.items():
            made.writestr(info(name), data)
    return file.getvalue()


def same(a, b):
    for name in ("steps", "losses", "snapshot_steps", "nmse", "mse", "mae"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
    kept = (
        "name",
        "status",
        "step",
        "steps",
        "created",
        "started",
        "ended",
        "seconds",
        "device",
        "versions",
        "message",
        "spec",
        "spec_id",
    )
    assert all(getattr(a.row, name) == getattr(b.row, name) for name in kept)
    told = [dict(row.metrics or {}) for row in (a.row, b.row)]
    assert [each.pop("claimed", False) for each in told] == [a.row.claimed, b.row.claimed]
    assert told[0] == told[1]
    assert all(a.frame(step) == b.frame(step) for step in a.snapshot_steps.tolist())


def everything(folder):
    """Files of a store, and how many runs it has."""
    files = {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}
    return {f for f in files if not f.startswith("store.sqlite3-")}, len(Store(folder).list())


def test_a_record_reads_alike_from_store_and_archive(store, good, tmp_path):
    run = filled(store)
    data = archive.export(store, run)
    same(archive.read(data), store.read(run))
    path = tmp_path / "run.zip"
    path.write_bytes(data)
    same(archive.read(path), store.read(run))
    assert archive.export(store, run) == data, "the same run gives the same bytes"


def test_a_run_comes_back_under_a_fresh_id(store, good, tmp_path):
    there = Store(tmp_path / "there")
    first, second = archive.import_(there, good), archive.import_(there, good)
    assert (first, second) == (f"{spec_id(SPEC)}-1", f"{spec_id(SPEC)}-2")
    same(there.read(first), archive.read(good))
    path = there.folder(first) / "checkpoint-50.safetensors"
    assert path.read_bytes() == tensors() == members(good)["checkpoint.safetensors"]
    assert there.get(first).checkpoint == path.name
    np.testing.assert_array_equal(there.grid(SPEC.grid), GRID)
    same(archive.read(archive.export(there, second)), archive.read(good))


def test_a_run_without_checkpoint_and_pictures_travels_too(store, tmp_path):
    run = store.create(CouplingSpec(), "paused")
    there = Store(tmp_path / "there")
    row = there.get(archive.import_(there, archive.export(store, run)))
    assert (row.status, row.checkpoint, row.step, row.metrics) == ("paused", None, 0, None)


def test_a_queued_run_arrives_stopped_and_a_running_one_stays(store):
    run = store.create(CouplingSpec())
    assert archive.read(archive.export(store, run)).row.status == "stopped"
    with store.claim("cpu"), pytest.raises(RunError, match="running"):
        archive.export(store, run)


def test_a_message_travels_without_the_folders_of_its_machine(store):
    run = filled(store, "failed")
    store.save(run, message=f"{store.home}/runs/a.b: no space; '/srv/data/x.npy' is gone")
    with zipfile.ZipFile(io.BytesIO(archive.export(store, run))) as packed:
        assert json.loads(packed.read("run.json"))["message"] == "a.b: no space; 'x.npy' is gone"


def test_a_long_message_does_not_shut_a_run_in(store):
    with store.start(CouplingSpec(), "cpu") as lease:
        store.save(lease.row.run, status="failed", message="x" * 2000)
    assert archive.read(archive.export(store, lease.row.run)).row.message == "x" * 500


def changed(good, name, edit):
    """The archive with one member edited, and its hash made right."""
    content = members(good)
    return rezipped(content | {name: edit(content[name])})


def run_json(**changes):
    return lambda data: json.dumps(json.loads(data) | changes).encode()


def frame_7(edit):
    return lambda good: changed(good, "snapshots/000000007.frame", edit)


def with_tensors(data):
    return lambda good: changed(good, "checkpoint.safetensors", lambda _: data)


def with_run(**changes):
    return lambda good: changed(good, "run.json", run_json(**changes))


def with_metrics(**changes):
    return with_run(metrics=METRICS | changes)


def with_history(text):
    return lambda good: changed(good, "history.csv", lambda _: text.encode())


def with_spec(data):
    return lambda good: changed(good, "spec.json", lambda _: data.encode())


def with_formula(text):
    """Another target, in an archive that is else as it should be."""
    spec = json.loads(full_json(SPEC)) | {"grid": None, "formula": text}
    return lambda good: rezipped(
        {k: v for k, v in members(good).items() if k != "grid.npy"}
        | {"spec.json": json.dumps(spec).encode()}
    )


def extra(name, data=b"x"):
    return lambda good: rezipped(members(good) | {name: data})


def without(*names):
    return lambda good: rezipped({k: v for k, v in members(good).items() if k not in names})


def linked(good):
    def info(name):
        made = zipfile.ZipInfo(name)
        kind = stat.S_IFLNK if name == "run.json" else stat.S_IFREG
        made.external_attr = (kind | 0o644) << 16
        return made

    return rezipped(members(good), info=info)


def twice(good):
    file = io.BytesIO(good)
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(file, "a") as more:
        more.writestr("run.json", b"{}")
    return file.getvalue()


def bytes_replaced(old, new):
    return lambda good: good.replace(old, new)


def bfloat16(_):
    """Tensors of a type that numpy does not know."""
    head = json.dumps({"step": {"dtype": "BF16", "shape": [], "data_offsets": [0, 2]}}).encode()
    return len(head).to_bytes(8, "little") + head + b"\0\0"


WRONG_HASH = {"format": 1, "sha256": {"run.json": "0" * 64}}
NEW = {"format": 2, "members": []}

HOSTILE = {
    "empty": (lambda good: b"", "zip"),
    "not a zip": (lambda good: b"PK\x03\x04 not really" * 50, "zip"),
    "cut in half": (lambda good: good[: len(good) // 2], "zip"),
    "cut at the end": (lambda good: good[:-10], "zip"),
    "a byte changed": (lambda good: good[:400] + bytes([good[400] ^ 1]) + good[401:], "zip|manif"),
    "wrong hash": (lambda good: rezipped(members(good), WRONG_HASH), "manifest"),
    "no hashes": (lambda good: rezipped(members(good), {"format": 1}), "hashes"),
    "newer format": (
        lambda good: rezipped(members(good) | {"new.bin": b""}, NEW),
        "newer version.*format 2",
    ),
    "no format": (lambda good: rezipped(members(good), {"x": 1}), "no format"),
    "no run": (without("run.json"), "run.json missing"),
    "another zip": (lambda good: rezipped({"a.txt": b"hello"}), "not an archive"),
    "parent path": (extra("../evil.txt"), "belongs to no run"),
    "parent path in snapshots": (extra("snapshots/../../1.frame"), "belongs to no run"),
    "absolute path": (extra("/tmp/evil.txt"), "belongs to no run"),
    "windows path": (extra("..\\evil.txt"), "belongs to no run"),
    "folder": (extra("snapshots/"), "belongs to no run"),
    "other digits": (extra("snapshots/٣.frame", picture(3)), "belongs to no run"),
    "pickle": (extra("checkpoint.pt"), "belongs to no run"),
    "extra member": (extra("notes.txt"), "belongs to no run"),
    "same step twice": (extra("snapshots/7.frame", picture(7)), "two pictures"),
    "symlink": (linked, "link"),
    "same name twice": (twice, "same name"),
    "too many members": (
        lambda good: rezipped(
            members(good) | {f"snapshots/{i + 100}.frame": b"" for i in range(600)}
        ),
        "at most 512",
    ),
    "encrypted": (
        bytes_replaced(b"PK\x01\x02\x14\x03\x14\0\0", b"PK\x01\x02\x14\x03\x14\0\1"),
        "encrypted",
    ),
    "spec is not JSON": (with_spec("{"), "spec.json"),
    "spec of a newer version": (with_spec('{"version": 2}'), "newer"),
    "spec out of range": (with_spec(full_json(SPEC).replace('"m_h": 2', '"m_h": 9999')), "m_h"),
    "spec with another shape": (
        with_spec(full_json(SPEC).replace('"m_h": 2', '"m_h": 3')),
        "pictures of this",
    ),
    "run id is a path": (with_run(run="../../x-1"), "run"),
    "unknown status": (with_run(status="running"), "status"),
    "unknown field": (with_run(checkpoint="../x"), "checkpoint"),
    "step beyond": (with_run(step=STEPS + 1), "step"),
    "finished too early": (with_run(status="finished"), "finished at step 50"),
    "step is text": (with_run(step="50"), "step"),
    "infinite metric": (
        lambda good: changed(
            good, "run.json", lambda d: re.sub(rb'("seconds": ?)[^,}]+', rb"\g<1>1e999", d)
        ),
        "seconds",
    ),
    "metric of text": (with_metrics(nmse="<b>"), "metrics.nmse"),
    "metric below 0": (with_metrics(nmse=-5.0, r2=6.0), "metrics.nmse"),
    "metric that is another's": (with_metrics(r2=0.5), "r2 must be 1"),
    "metric that nothing measures": (with_metrics(joy=1.0), "metrics.joy"),
    "metric that is missing": (with_run(metrics={"mse": 0.1}), "metrics"),
    "hash that is none": (with_metrics(weights_sha256="ab"), "weights_sha256"),
    "history without head": (with_history("1,2\n"), "history.csv"),
    "history of text": (with_history("step,loss\n1,x\n"), "history.csv"),
    "history is not finite": (with_history("step,loss\n1,nan\n"), "not finite"),
    "history below 0": (with_history("step,loss\n1,-1\n"), "below 0"),
    "history falls": (with_history("step,loss\n2,1\n1,1\n"), "rise"),
    "history beyond": (with_history("step,loss\n51,1\n"), "rise"),
    "history is huge": (with_history("step,loss\n" + "1,1\n" * 10_001), "history.csv"),
    "history with a huge number": (with_history("step,loss\n" + "9" * 9999 + ",1\n"), "history"),
    "frame is rubbish": (frame_7(lambda _: b"\xff" * 100), "000000007"),
    "frame without error": (frame_7(lambda _: picture(7, nmse=None)), "numbers"),
    "frame with an error below 0": (frame_7(lambda _: picture(7, nmse=-5.0)), "nmse"),
    "frame of another step": (frame_7(lambda _: picture(8)), "its step"),
    "frame with a text": (frame_7(lambda _: picture(7, loss="<b>")), "numbers"),
    "frame is not finite": (frame_7(lambda d: d[:-4] + np.float32(np.nan).tobytes()), "not finite"),
    "frame without pictures": (
        frame_7(lambda _: frames.pack({"nmse": 0.1, "mse": 0.1, "mae": 0.1}, {})),
        "pictures",
    ),
    "frame with a number as picture": (
        frame_7(lambda _: frames.pack({"nmse": 0.1, "mse": 0.1, "mae": 0.1}, {"rho_hat": 1})),
        "pictures",
    ),
    "tensors are a pickle": (with_tensors(b"\x80\x04\x95" * 100), "checkpoint"),
    "tensors with a huge header": (with_tensors(b"\xff" * 8 + b"{}"), "checkpoint"),
    "tensors of an unknown type": (with_tensors(bfloat16(None)), "checkpoint"),
    "tensors without a step": (with_tensors(save({"w": np.ones(2)})), "must be"),
    "tensors of a later step": (with_tensors(tensors(51)), "step"),
    "tensors are not finite": (
        with_tensors(tensors(**{"weights.W_Q": np.full((1, 2, 3), np.inf, np.float32)})),
        "not finite",
    ),
    "tensors of another shape": (
        with_tensors(tensors(**{"weights.W_Q": np.ones((1, 3, 2), np.float32)})),
        "W_Q must be",
    ),
    "tensors of another type": (
        with_tensors(tensors(**{"weights.W_Q": np.ones((1, 2, 3))})),
        "W_Q must be",
    ),
    "a parameter is missing": (
        with_tensors(save({k: v for k, v in whole().items() if k != "weights.f.0.bias"})),
        "f.0",
    ),
    "a tensor too many": (with_tensors(tensors(more=np.ones(3, np.float32))), "more must be"),
    "an optimiser to be broadcast": (
        with_tensors(save(whole() | {"optimizer.second_moment": np.ones(1, np.float32)})),
        "second_moment must be",
    ),
    "an open row of text": (with_tensors(save(whole(), {"loss_sum": "x"})), "open row"),
    "a formula that is refused": (with_formula("u.__class__ +"), "formula"),
    "a formula that is not finite": (with_formula("v*sqrt(0.99 - u)"), "not finite at u = 0.99"),
    "grid is missing": (without("grid.npy"), "together"),
    "another grid": (
        lambda good: changed(good, "grid.npy", lambda _: files.npy_bytes(GRID + 1)),
        "not the grid",
    ),
    "grid of objects": (
        lambda good: changed(good, "grid.npy", lambda d: d.replace(b"<f8", b"|O8")),
        "grid.npy",
    ),
}


@pytest.mark.parametrize(("make", "says"), HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_archives_are_refused_and_leave_no_trace(make, says, good, store, tmp_path):
    data = make(good)
    assert data != good
    before = everything(tmp_path)
    with pytest.raises(ArchiveError) as error:
        archive.import_(store, data)
    assert re.search(says, str(error.value)) and len(str(error.value)) < 600
    assert everything(tmp_path) == before
    assert not (tmp_path.parent / "evil.txt").exists()


def bomb(size_told=None):
    """40 MB of zeros in a history of 40 kB, told honestly or not."""
    data = rezipped({"spec.json": b"{}", "run.json": b"{}", "history.csv": b"\0" * 40_000_000})
    if size_told is None:
        return data
    told, true = size_told.to_bytes(4, "little"), (40_000_000).to_bytes(4, "little")
    return data.replace(true, told)


@pytest.mark.parametrize(("size_told", "says"), [(None, "would unpack"), (1000, "zip|manifest")])
def test_a_bomb_is_never_inflated(size_told, says):
    data = bomb(size_told)
    tracemalloc.start()
    try:
        with pytest.raises(ArchiveError, match=says):
            archive.read(data)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


def heavy(**content):
    """A good archive with other content, hashes right."""
    members = {"spec.json": full_json(SPEC).encode(), "run.json": b"{}", "history.csv": b""}
    return zips.pack(members | content)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ({f"snapshots/{step:09d}.frame": bytes(10_000) for step in range(1, 400)}, "399 pictures"),
        ({"snapshots/000000001.frame": bytes(zips.MAX_FRAME)}, "1.frame would unpack"),
        ({"checkpoint.safetensors": bytes(10**8)}, "checkpoint.safetensors would unpack"),
        ({"history.csv": b"\n" * 4_000_000}, "history.csv would unpack"),
    ],
)
def test_no_more_is_inflated_than_a_run_of_its_specification_keeps(content, says):
    data = heavy(**content)
    tracemalloc.start()
    try:
        with pytest.raises(ArchiveError, match=says):
            archive.read(data)
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()


def test_a_picture_is_given_the_room_it_takes(good):
    """Of all shipped runs too: tests/test_poisoned_zips.py reads them."""
    size, count = run_file.largest(SPEC)
    assert len(picture(50)) < size < 2 * len(picture(50)) + run_file.HEADER_BYTES
    kept = sum(keeps_snapshot(step, STEPS) for step in range(1, STEPS + 1))
    assert kept < count < 4 * kept


def test_a_file_that_is_too_large_is_not_read(monkeypatch, good, tmp_path):
    monkeypatch.setattr("explorer.runs.zips.MAX_ARCHIVE", 1000)
    path = tmp_path / "run.zip"
    path.write_bytes(good)
    for source in (good, path):
        with pytest.raises(ArchiveError, match="larger"):
            archive.read(source)


def test_a_file_that_is_not_there_says_so(tmp_path):
    with pytest.raises(ArchiveError, match="No such file"):
        archive.read(tmp_path / "none.zip")


@settings(max_examples=150, deadline=None)
@given(position=st.floats(0, 1), byte=st.integers(0, 255))
def test_any_changed_byte_gives_the_same_run_or_an_archive_error(good, position, byte):
    data = bytearray(good)
    data[int(position * (len(data) - 1))] = byte
    try:
        read = archive.read(bytes(data))
    except ArchiveError:
        return
    same(read, archive.read(good))


def test_what_a_zip_says_of_its_errors_is_kept_as_claimed(store, good, tmp_path):
    run = archive.import_(store, good)
    assert store.get(run).claimed and store.get(run).metrics == METRICS | {"claimed": True}
    again = archive.import_(Store(tmp_path / "there"), archive.export(store, run))
    assert Store(tmp_path / "there").get(again).claimed
    assert not archive.read(good).row.claimed


def test_a_hash_that_is_not_of_the_parameters_is_refused(store, tmp_path):
    run = filled(store, "finished", step=STEPS)
    (own,) = store.folder(run).glob("checkpoint-*")
    true = weights_sha256(weights.of_file(own, SPEC))
    data = archive.export(store, run)
    with pytest.raises(ArchiveError, match="weights_sha256 is not that"):
        archive.read(data)
    right = changed(data, "run.json", run_json(metrics=METRICS | {"weights_sha256": true}))
    assert archive.read(right).row.metrics["weights_sha256"] == true


# Parameters without what is needed to resume


def test_parameters_travel_without_the_optimiser(store, tmp_path):
    run = filled(store)
    path = store.folder(run) / "checkpoint-50.safetensors"
    path.write_bytes(save(whole()))
    slim = archive.export(store, run, weights_only=True)
    assert members(slim)["checkpoint.safetensors"] == tensors()
    same(archive.read(slim), store.read(run))
    assert weights.of_archive(slim)["W_Q"].shape == (2, 3)
    there = Store(tmp_path / "there")
    back = archive.import_(there, slim)
    np.testing.assert_array_equal(weights.of_run(there, back)["W_Q"], np.ones((2, 3)))


@pytest.mark.parametrize(("pictures", "steps"), [(2, [1, 50]), (3, [1, 7, 50]), (9, [1, 7, 50])])
def test_fewer_pictures_keep_the_first_and_the_last(store, pictures, steps):
    run = filled(store)
    thin = archive.read(archive.export(store, run, pictures=pictures))
    assert thin.snapshot_steps.tolist() == steps
    assert thin.mae.tolist() == [1 / step for step in steps]
    np.testing.assert_array_equal(thin.losses, store.read(run).losses)
    np.testing.assert_array_equal(thin.latest()[1]["rho_hat"], np.full((48, 48), 50))
    with pytest.raises(KeyError):
        thin.frame(8)


def test_parameters_alone_cannot_be_resumed(one_thread):
    spec = CouplingSpec(tau=TAU, m_h=M_H, n=4, d_v=4, m_ff=8, batch=4, warmup=1, steps=2)
    *_, last = train(spec)
    state = last.state()
    slim = load_torch(archive.parameters(save_torch(state)))
    with pytest.raises(ValueError, match="parameters alone"):
        next(train(spec, slim))
    network = Ensemble([spec], [target_of(spec)])
    network.load_weights(slim)
    assert all(network.weights[name].equal(state[f"weights.{name}"]) for name in network.weights)
