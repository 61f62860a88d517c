"""A sweep is trained by the reader's own browser, in as many threads as there is room for."""

import json

import pytest
from driving import NETWORK, file_opened, until
from playwright.sync_api import expect

from explorer.engine import Model, wasm
from explorer.pages.talk.address import page_and_params
from explorer.runs import sweeps
from explorer.runs.store import Store
from explorer.spec import differing, spec_id
from explorer.targets import parse_sweep
from explorer.targets.fixed import EVALUATION
from explorer.theory.design import Design
from explorer.views.sweeps import shipped as shipped_sweep

SWEEP = NETWORK | {"rank": [2], "m_h": [1, 2, 3], "seed": [0, 1], "steps": 300, "batch": 8}
LONG = SWEEP | {"steps": 7000}  # another one than that of test_rates_in_browser.py
PHONE = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}


@pytest.fixture
def reader(reader_here):
    return reader_here


def opened(reader, sweep):
    tab = reader.open("rates", sweep=sweep)
    tab.places("Rates", "true")
    return tab


def kept(page):
    """The rows on the shelf, by the spec id of their model."""
    return page.evaluate(
        """async () => {
            const request = indexedDB.open("explorer");
            await new Promise((done) => (request.onsuccess = done));
            const models = request.result.transaction("models of sweeps trained here")
                .objectStore("models of sweeps trained here").getAll();
            await new Promise((done) => (models.onsuccess = done));
            request.result.close();
            const rows = models.result.filter(({ row }) => row);
            return Object.fromEntries(rows.map(({ id, row }) => [id, row]));
        }"""
    )


def act(page, name):
    return page.locator(f".rates [data-here] [data-act={name}]")


def test_its_models_are_those_that_the_server_trains(reader, tmp_path):
    tab = opened(reader, SWEEP)
    tab.button("Train this sweep: 6 models").click()
    tab.places("Rates", "r.points.length === 6 && r.training === 0")
    expect(tab.page.get_by_text("yours · seeds 0, 1 · in a browser").first).to_be_visible()
    rows = kept(tab.page)
    sweep = parse_sweep(SWEEP | {"engine": "wasm"})
    server = sweeps.run(Store(tmp_path), sweep)
    assert len(server) == 6
    for row in server:
        here_ = rows[row["spec_id"]]
        for name in ("mse", "nmse", "mae", "r2"):
            assert here_["errors"][name] == pytest.approx(row[name], rel=1e-4, abs=1e-9)
        assert here_["sigma"] == pytest.approx(row["sigma"], rel=1e-4, abs=1e-5)
    member = sweep.members()[-1]
    model = Model(member, Design(member).coupling, wasm())
    model.advance(member.steps)
    mse, mae, variance = model.evaluate(EVALUATION)  # the very code: to the last bit
    found = rows[spec_id(member)]["errors"]
    assert (found["mse"], found["mae"], found["nmse"]) == (mse, mae, mse / variance)
    tab.page.reload()
    tab.places("Rates", "r.points.length === 6 && r.training === 0")
    tab.go("runs")
    expect(tab.page.get_by_text("Models of sweeps, which Rates draws: 6")).to_be_visible()
    tab.page.get_by_role("button", name="Delete", exact=True).click()
    tab.page.get_by_role("button", name="Delete for good?").click()
    until(lambda: not kept(tab.page))
    tab.go("rates", sweep=SWEEP)
    tab.button("Train this sweep: 6 models").wait_for()


def test_it_pauses_steps_stops_and_outlives_its_tab(reader):
    tab = opened(reader, LONG)
    page = tab.page
    tab.button("Train this sweep: 6 models").click()
    tab.places("Rates", "r.training > 0")
    act(page, "pause").click()
    expect(act(page, "step")).to_be_visible()
    act(page, "step").click()
    act(page, "resume").click()
    own = {spec_id(member) for member in parse_sweep(LONG | {"engine": "wasm"}).members()}
    until(lambda: own & {*kept(page)})
    page.reload()
    tab.places("Rates", "r.points.length > 0")
    act(page, "resume").click()
    act(page, "stop").click()
    expect(act(page, "resume")).to_be_visible()
    tab.button("Train the other [0-9] models?").click()
    tab.places("Rates", "r.points.length === 6 && r.training === 0")


def test_what_the_browser_cannot_do_is_trained_on_the_server(reader):
    tab = opened(reader, SWEEP | {"method": "top_down"})
    tab.page.get_by_role("button", name="⋯").click()
    expect(tab.page.get_by_text("These settings are trained on the server")).to_be_visible()


def test_a_phone_trains_one_seed_first(reader):
    sweep = SWEEP | {"steps": 30, "m_h": [1, 2]}
    tab = opened(reader, sweep)
    phone = tab.page.context.new_cdp_session(tab.page)
    phone.send("Emulation.setTouchEmulationEnabled", {"enabled": True, "maxTouchPoints": 5})
    phone.send("Emulation.setDeviceMetricsOverride", PHONE)
    tab.page.reload()
    tab.places("Rates", "true")
    tab.button("Train this sweep: 4 models").click()
    expect(tab.page.get_by_text("A phone trains seed 0 of each first")).to_be_visible()
    tab.places("Rates", "r.points.length === 2 && r.training === 0")
    tab.button("Train the other 2 models").wait_for()  # what Python says of them moves the page
    tab.settle()
    act(tab.page, "resume").click()
    tab.places("Rates", "r.points.length === 4 && r.training === 0")
    phone.detach()


@pytest.mark.parametrize("address", ["rates?sweep=SWEEP", "rates?sweep=FIG1"])
def test_a_file_trains_without_a_network(context, tmp_path, address):
    shipped = json.dumps(differing(shipped_sweep("fig1").sweep))
    address = address.replace("SWEEP", json.dumps(SWEEP)).replace("FIG1", shipped)
    with file_opened(context, tmp_path, *page_and_params(address)) as page:
        act(page, "train").click()
        until(lambda: page.evaluate("__explorerRates.places().training > 0"))
        if act(page, "pause").is_visible():
            act(page, "pause").click()
