"""A coupling is trained by the reader's own browser: in the app, in a file, and back in the app."""

import json
from urllib.parse import urlsplit

import pytest
from driving import NETWORK, Server, choose_server, file_opened, readers, until
from playwright.sync_api import expect

from explorer.hosting.space import spaces
from explorer.pages.talk.address import page_and_params
from explorer.runs import archive
from explorer.runs.execute import execute
from explorer.runs.store import Store
from explorer.spec import CouplingSpec
from explorer.training import train

SPEC = {**NETWORK, "steps": 300, "seed": 3}
LONG = {**NETWORK, "steps": 20_000, "seed": 3}


@pytest.fixture
def reader(reader_here):
    return reader_here


def act(page, name):
    return page.locator(f"[data-here] [data-act={name}]")


def has(page, text):
    """The status line says it."""
    expect(page.locator(".status [data-text=status]")).to_have_text(text)


def zip_of(page):
    """The run as a file."""
    with page.expect_download() as waiting:
        act(page, "zip").click()
    return waiting.value.path()


def step(page):
    return page.evaluate("__explorerLive.header?.step ?? 0")


def test_a_run_is_trained_kept_and_exported(reader, tmp_path):
    tab = reader.open("train", SPEC)
    page = tab.page
    tab.button("Train").click()
    has(page, "✓ finished")
    assert step(page) == 300 and tab.parameter("run") == "here"
    nmse = page.evaluate("__explorerLive.header.nmse")
    assert nmse < 0.05

    page.reload()
    has(page, "✓ finished")
    assert page.evaluate("__explorerLive.header.step") == 300
    tab.go("runs")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Zip").click()
    record = archive.read(waiting.value.path())
    assert (record.row.step, record.row.status) == (300, "finished")
    assert record.spec == CouplingSpec(**SPEC, engine="wasm")
    assert record.row.metrics["nmse"] == pytest.approx(nmse)
    assert record.losses[-1] < 0.05 and record.snapshot_steps[-1] == 300

    page.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Delete for good?").click()
    expect(page.get_by_role("button", name="Zip")).to_have_count(0)
    tab.go("train", SPEC, "here")
    has(page, "○ not trained yet")


def test_a_run_pauses_steps_stops_and_outlives_its_tab(reader):
    tab = reader.open("train", LONG)
    page = tab.page
    tab.button("Train").click()
    until(lambda: step(page) > 20)
    act(page, "pause").click()
    has(page, "❚❚ paused")
    at = step(page)
    act(page, "step").click()
    until(lambda: step(page) == at + 1)
    act(page, "resume").evaluate("button => { button.click(); button.click(); }")
    until(lambda: step(page) > at + 20)
    expect(page.locator("[data-text=here]")).to_have_text("in this browser")
    page.get_by_role("link", name="Rates").filter(visible=True).first.click()  # it goes on unseen
    page.wait_for_function("() => document.title.includes('Rates')")
    page.get_by_role("link", name="Train").filter(visible=True).first.click()
    until(lambda: step(page) > at + 40)
    act(page, "pause").click()
    has(page, "❚❚ paused")
    at = step(page)
    page.reload()
    has(page, "❚❚ paused")
    assert step(page) == at
    act(page, "resume").click()
    until(lambda: step(page) > at)
    page.reload()  # in the midst of it: what was kept is a moment old
    has(page, "■ interrupted")
    act(page, "resume").click()
    act(page, "stop").click()
    has(page, "■ stopped")


def test_two_tabs_do_not_train_one_run(reader, open_reader):
    tab = reader.open("train", LONG)
    tab.button("Train").click()
    until(lambda: step(tab.page) > 20)
    other = open_reader().open("train", LONG, "here").page
    act(other, "resume").click()
    expect(other.locator("[data-text=here]")).to_contain_text("Another tab trains this run")
    tab.page.bring_to_front()
    act(tab.page, "stop").click()
    has(tab.page, "■ stopped")
    other.bring_to_front()
    act(other, "resume").click()
    expect(other.locator("[data-text=here]")).to_have_text("in this browser")
    act(other, "stop").click()
    has(other, "■ stopped")


FAULTS = {
    "const none = () => { throw new DOMException('full', 'QuotaExceededError') };"
    "IDBObjectStore.prototype.put = none": "no room to keep the run",
    "indexedDB.open = () => { throw new Error('in a frame of another site') }": "keeps nothing",
    "Worker = class { constructor() { throw new Error() } }": "train on the server",
    "URL.createObjectURL = () => 'blob:null/nothing'": "train on the server",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_a_browser_cannot_do_is_said(reader, fault):
    tab = reader.open("train", SPEC)
    tab.page.evaluate(f"() => {{ {fault} }}")
    tab.button("Train").click()
    expect(tab.page.locator("[data-text=here]")).to_contain_text(FAULTS[fault])
    if "server" not in FAULTS[fault]:
        has(tab.page, "✓ finished")


def test_what_diverges_says_what_to_lower(reader):
    wild = {"activation": "relu", "activation_out": "relu", "init": "torch", "lr": 1000.0}
    tab = reader.open("train", {**SPEC, **wild, "warmup": 0, "schedule": "constant"})
    tab.button("Train").click()
    status = tab.page.locator(".status [data-text=status]")
    expect(status).to_contain_text("diverged")
    expect(tab.page.locator(".status")).to_contain_text("lower lr")


@pytest.fixture
def public(tmp_path):
    server = Server(tmp_path, public=True)
    server.start()
    yield server
    server.stop()


def test_a_visitor_trains_here_unless_they_say_otherwise(context, public):
    """The server is asked for nothing, and has no run of it."""
    with readers(public, context, []) as open_:
        tab = open_().open("train", {**SPEC, "steps": 60})
        tab.button("Train").click()
        has(tab.page, "✓ finished")
        assert tab.parameter("run") == "here" and not any(s.list() for s in spaces(public.store))
        tab.page.goto(f"{public.address}/train?word={public.word()}&{urlsplit(tab.url).query}")
        choose_server(tab.page)
        tab.button("Train").click()
        until(lambda: any(space.list() for space in spaces(public.store)))
        has(tab.page, "✓ finished")
        remembers = "document.cookie.includes('trains')"
        until(lambda: tab.page.evaluate(remembers))  # the run may be over before the page says it
        tab.page.reload()
        tab.settle()
        assert open_().open("train", SPEC).page.evaluate(remembers)
        assert tab.page.evaluate(remembers), "no tab takes back what another one has chosen"


def test_other_settings_are_another_run(reader):
    tab = reader.open("train", SPEC)
    tab.button("Train").click()
    has(tab.page, "✓ finished")
    tab.again({**SPEC, "seed": 4}, "here")
    has(tab.page, "○ not trained yet")
    expect(act(tab.page, "train")).to_be_hidden()
    tab.button("Train").click()
    has(tab.page, "✓ finished")
    tab.again(SPEC, "here")
    has(tab.page, "✓ finished")
    expect(act(tab.page, "train")).to_be_hidden()


def test_a_formula_is_trained(reader):
    tab = reader.open("train", {**SPEC, "formula": "exp(-abs(u-v))"})
    tab.button("Train").click()
    has(tab.page, "✓ finished")
    assert tab.page.evaluate("__explorerLive.header.nmse") < 1


BITS = [
    {**NETWORK, "steps": 300, "formula": "cos(3*(u-v))*exp(-u*v)"},
    {**NETWORK, "steps": 300, "optimizer": "adam", "lr": 3e-3, "batch": 7, "m_ff": 17},
    {**NETWORK, "steps": 300, "rank": 6, "m_h": 5, "head_start": 4, "seed": 5},
    {**NETWORK, "steps": 300, "left_basis": "haar", "right_basis": "fourier", "tau": 9, "depth": 1},
]


@pytest.mark.parametrize("fields", BITS)
def test_a_tab_has_the_bits_of_python(reader, fields):
    """From the first loss to the last parameter, whichever runs WebAssembly."""
    tab = reader.open("train", fields)
    tab.button("Train").click()
    has(tab.page, "✓ finished")
    record = archive.read(zip_of(tab.page))
    spec = CouplingSpec(**fields, engine="wasm")
    assert record.spec == spec
    *_, last = train(spec)
    assert record.row.metrics["weights_sha256"] == last.weights_sha256()
    losses = [record.losses[0], record.losses[-1], record.row.metrics["nmse"]]
    exact = [float(next(train(spec)).loss), record.losses[-1], last.evaluate()["nmse"]]
    assert losses == pytest.approx(exact, rel=1e-5)


@pytest.mark.parametrize("address", ["train?spec=SPEC", "train?run=asset-cliff-6"])
def test_a_file_trains_without_a_network_and_the_app_goes_on(context, tmp_path, address):
    address = address.replace("SPEC", json.dumps({**SPEC, "steps": 3000}))
    with file_opened(context, tmp_path, *page_and_params(address)) as page:
        act(page, "train").click()
        until(lambda: 20 < step(page) < 1200)
        act(page, "pause").click()
        has(page, "❚❚ paused")
        at = step(page)
        store = Store(tmp_path / "imported")
        moved = archive.import_(store, zip_of(page))
    with store.take(moved, "cpu") as lease:
        assert lease.row.step == at < lease.row.spec.steps
        ended = execute(store, lease.row)
    *_, last = train(ended.spec)
    assert ended.status == "finished"
    assert ended.metrics["weights_sha256"] == last.weights_sha256()


CHANGED = [lambda page: None, lambda page: page.keyboard.press("Shift+ArrowDown")]


@pytest.mark.parametrize("change", CHANGED, ids=["as it was", "changed"])
def test_a_file_of_a_design_trains_what_it_shows(context, tmp_path, change):
    """Also a changed spectrum; with what it begins, tests/test_begun_alone.py asks."""
    fields = {**SPEC, "spectrum": "list", "rank": None, "sigma": [1.0, 0.9]}
    with file_opened(context, tmp_path, "design", {"spec": json.dumps(fields)}) as page:
        page.locator("canvas[data-panel=spectrum]").focus()
        change(page)
        act(page, "train").click()
        told = page.locator("[data-text=learned]")
        expect(page.locator("[data-text=here]")).to_have_text("finished")
        until(lambda: told.inner_text().startswith("step 300 of 300, nMSE"))
        maps = page.locator("canvas[data-panel=maps]")
        assert "learned" in maps.get_attribute("aria-label")
