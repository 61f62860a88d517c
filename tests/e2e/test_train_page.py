"""The main job, by a reader in a real browser: design a coupling, train it, steer the run."""

import json
import re

import pytest
from driving import NETWORK, still, until
from playwright.sync_api import expect

BRIEF = NETWORK | {"steps": 60}
LONG = NETWORK | {"steps": 1_000_000}  # no test waits for its end, however slow the browser is


def test_from_a_design_to_a_trained_head(server, reader):
    """Design a coupling, train it, pause, reload, look from a second tab, resume to the end."""
    steps = 2000  # no machine is through before a hand has paused it
    tab = reader.open(spec=NETWORK | {"rank": None, "steps": steps})
    expect(tab.verdict).to_contain_text("The spectrum does not end")
    rank = tab.slider("r, rank")
    rank.press("Home")
    rank.press("ArrowRight")
    expect(tab.verdict).to_contain_text("= 3 ≥ 2 can represent ρ exactly")

    tab.page.get_by_role("link", name="Train").click()
    tab.page.get_by_role("heading", name="Does a head learn this coupling").wait_for()
    assert tab.spec == NETWORK | {"steps": steps, "version": 1}
    tab.settle()

    run = tab.start()
    first = tab.wait_frame("h.status === 'running' && h.step > 0 && h.loss")
    assert tab.wait_frame("h.step > 60")["run"] == run
    until(lambda: tab.frame()["frames"] > first["frames"])
    tab.button("Pause").click()
    paused = tab.wait_status("paused")
    record = server.store.read(run)
    assert 60 < paused["step"] < steps and paused["loss"] < 0.5 * record.losses[0]
    assert record.row.step == paused["step"]

    tab.page.reload()
    tab.settle()
    assert tab.run == run
    other = reader.open("train", run=run)
    for seen in (tab, other):
        frame = seen.wait_status("paused")
        assert (frame["run"], frame["step"]) == (run, paused["step"])
        expect(seen.button("Resume")).to_be_enabled()
        expect(seen.button("Pause")).to_have_count(0)

    other.button("Resume").click()
    for seen in (other, tab):
        assert seen.wait_status("finished")["step"] == steps
    row = server.store.get(run)
    assert row.status == "finished" and row.metrics["nmse"] < 1e-3
    assert server.store.read(run).steps[-1] == steps
    for seen in (other, tab):
        expect(seen.verdict).to_contain_text(f"after {steps} steps this run (one seed) is at nMSE")
        expect(seen.button("Pause")).to_have_count(0)


def places(tab):
    """Where the first button and the first picture are."""
    seen = tab.button("Train"), tab.page.locator("canvas").first
    return [item.bounding_box() for item in seen]


def test_stop_then_single_steps_pauses_and_resumptions(server, reader):
    """Each does what it says, and nothing moves on the page meanwhile. A step is over between two
    looks at the run: the buttons are those of its status all the same, and so is the badge."""
    tab = reader.open("train", LONG)
    run = tab.start()
    tab.wait_frame("h.status === 'running' && h.step > 5")
    tab.page.get_by_text("live, ").wait_for()
    expect(tab.button("Stop")).to_be_enabled()
    tab.settle()
    before = places(tab)
    for button, status in (("Stop", "stopped"), ("Pause", "paused")):
        tab.button(button).click()
        step = tab.wait_status(status)["step"]
        expect(tab.button("Stop")).to_have_count(int(status == "paused"))
        tab.page.get_by_text("yours, ").wait_for()
        tab.settle()
        assert places(tab) == before
        for more in (1, 2, 3):
            tab.button("One step").click()
            tab.wait_frame(f"h.status === 'paused' && h.step === {step + more}")
            tab.page.get_by_text(f"step: {step + more} of").wait_for()
            expect(tab.button("Pause")).to_have_count(0)
            expect(tab.button("One step")).to_be_enabled()
        assert server.store.get(run).step == step + 3
        tab.settle()
        assert places(tab) == before
        tab.button("Resume").click()
        tab.wait_frame(f"h.status === 'running' && h.step > {step + 3}")
        tab.settle()
    tab.button("Stop").click()
    tab.wait_status("stopped")
    assert server.store.get(run).status == "stopped"


def test_a_run_that_fails_again_can_be_resumed_again(server, reader):
    tab = reader.open("train", LONG)
    run = tab.start()
    tab.wait_frame("h.status === 'running' && h.step > 5")
    tab.button("Stop").click()
    tab.wait_status("stopped")
    for checkpoint in server.store.folder(run).glob("checkpoint-*"):
        checkpoint.write_bytes(b"not one")
    for _ in range(3):
        queued = server.store.get(run).queued
        tab.button("Resume").click()
        until(lambda before=queued: server.store.get(run).queued != before)
        tab.wait_status("failed")
        expect(tab.button("Resume")).to_be_enabled()
        expect(tab.page.get_by_test_id("stAlertContentError")).to_contain_text("start the run anew")


def test_a_second_run_waits_for_the_first(server, reader):
    """Where every device is at work a run is queued, with its place, and starts in its turn."""
    tab, other = reader.open("train", LONG), reader.open("train", BRIEF)
    first = tab.start()
    tab.wait_frame("h.status === 'running'")
    second = other.start()
    if other.frame()["status"] == "queued":  # a machine of many cores trains both at once
        expect(other.status).to_contain_text("queued, 1 in the queue")
    tab.button("Stop").click()
    tab.wait_status("stopped")
    other.wait_status("finished")
    assert [server.store.get(run).status for run in (first, second)] == ["stopped", "finished"]


def test_same_start_same_weights_and_another_seed_others_divided_by_the_pinned_run(server, reader):
    """The same start gives the same errors, so 1 throughout; another seed gives others."""
    tab = reader.open("train", BRIEF)
    runs = [tab.start()]
    tab.wait_status("finished")
    said = tab.page.locator("canvas[data-panel=error]")
    expect(said).to_have_attribute("aria-label", re.compile("Error against step, log-log"))
    assert "pinned" not in said.get_attribute("aria-label")
    tab.button("Pin").click()
    tab.page.get_by_role("button", name="Unpin").wait_for()  # its menu is still open
    for button, ratio in (("Same start", "1\\.0"), ("New seed", "(?!1\\.0).+")):
        runs.append(tab.start(button))
        assert tab.wait_status("finished")["run"] == runs[-1]
        says = re.compile(f"at step 60, .*; divided by that of \\S+ {ratio}$")
        expect(said).to_have_attribute("aria-label", says)
    one, same, other = (server.store.get(run) for run in runs)
    assert one.spec == same.spec and same.run == f"{one.spec_id}-{same.n}" != one.run
    assert one.metrics["weights_sha256"] == same.metrics["weights_sha256"]
    assert other.spec.seed == tab.spec["seed"] == 1
    assert other.metrics["weights_sha256"] != one.metrics["weights_sha256"]


@pytest.fixture
def finger(reader, server):
    """A reader's tab on a finished run, and what puts a finger down there, moves and lifts it."""
    tab = reader.open("train", run=server.train(BRIEF)["run"])
    tab.wait_frame("h.status === 'finished'")
    still(tab.page)
    session = reader.context.new_cdp_session(tab.page)
    session.send("Emulation.setTouchEmulationEnabled", {"enabled": True})

    def touch(kind, *place):
        points = [dict(zip("xy", place, strict=True))] if place else []
        session.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": points})

    yield tab, touch
    session.detach()


def test_a_finger_drags_through_the_run(finger):
    tab, touch = finger
    scrub = tab.page.locator("[data-scrub]")
    last = int(scrub.input_value())
    box = scrub.bounding_box()
    y, right, middle = box["y"] + box["height"] / 2, box["x"] + box["width"] - 8, last // 2
    touch("Start", right, y)
    for part in range(1, 11):
        touch("Move", right - part * box["width"] / 20, y)
    touch("End")
    until(lambda: abs(int(scrub.input_value()) - middle) <= 1)
    place = tab.page.locator("[data-text=scrub]")
    expect(place).to_contain_text("looking back at step")
    until(lambda: tab.parameter("at") == place.inner_text().split()[-1])


def test_a_finger_reads_sideways_and_scrolls_up_and_down(finger):
    tab, touch = finger
    draws, top = "__explorerLive.draws", "document.querySelector('[data-testid=stMain]').scrollTop"
    box = tab.page.locator("canvas[data-panel=error]").bounding_box()
    x, y = box["x"] + 0.3 * box["width"], box["y"] + 0.4 * box["height"]
    for part in range(8):
        before = tab.page.evaluate(draws)
        touch("Move" if part else "Start", x + 20 * part, y)
        until(lambda seen=before: tab.page.evaluate(draws) > seen)
    touch("End")
    assert tab.page.evaluate(top) == 0
    touch("Start", x, y)
    for part in range(1, 9):
        touch("Move", x, y - 20 * part)
    touch("End")
    until(lambda: tab.page.evaluate(top) > 40)


def test_the_downloaded_specification_gives_the_same_weights(server, reader, tmp_path):
    tab = reader.open("train", BRIEF | {"seed": 7})
    run = tab.start()
    tab.wait_status("finished")
    with tab.page.expect_download() as event:
        tab.button(r"Specification \(JSON\)").click()
    row = server.store.get(run)
    assert event.value.suggested_filename == f"{row.spec_id}.json"
    file = tmp_path / event.value.suggested_filename
    event.value.save_as(file)
    assert json.loads(file.read_text("utf-8")) == row.spec.model_dump(mode="json")

    answer = server.explorer("train", str(file), "--json")
    assert answer["run"] != run and answer["run"].startswith(row.spec_id)
    assert answer["weights_sha256"] == row.metrics["weights_sha256"]


def test_without_a_link_the_page_opens_on_a_finished_run(reader):
    tab = reader.open("train")
    frame = tab.wait_frame("h.status === 'finished'")
    assert frame["nmse"] < 1e-4 and tab.run is None
    tab.page.get_by_text("example, 20").wait_for()


def test_diverged_says_what_to_lower(server, reader):
    unbounded = {
        "activation": "relu",
        "activation_out": "relu",
        "init": "torch",
        "optimizer": "adam",
        "schedule": "constant",
        "lr": 1000.0,
        "steps": 300,
    }
    tab = reader.open("train", NETWORK | unbounded)
    run = tab.start()
    tab.wait_status("diverged")
    message = tab.page.get_by_test_id("stAlertContentError")
    expect(message).to_contain_text("lower lr (now 1000)")
    expect(tab.button("Resume")).to_have_count(0)
    assert server.store.get(run).status == "diverged"
