"""Runs in the browser: chosen with mouse and keyboard, taken home, deleted, brought back."""

from driving import NETWORK, downloaded, still, until
from playwright.sync_api import expect

from explorer.spec import CouplingSpec

BRIEF = NETWORK | {"steps": 40}
ROW, HEADER = 35, 36  # pixels of the list, which is one canvas


def test_a_run_goes_home_is_deleted_and_comes_back(server, reader, tmp_path):
    server.train(BRIEF | {"seed": 9})  # stays, and with it what stands above the list
    run = server.train(BRIEF)["run"]
    server.store.rename(run, "to take home")
    tab = reader.open("runs", runs=run)
    page = tab.page
    page.get_by_role("button", name="Take home").click()
    archive = downloaded(page, page.get_by_role("button", name="Run (zip)"))
    assert archive.suggested_filename == f"{run}.zip"
    archive.save_as(tmp_path / "run.zip")
    svg = downloaded(page, page.get_by_role("button", name="SVG").first).path().read_text("utf-8")
    assert "Error against step" in svg and f"spec {run[:12]} · seed 0" in svg
    page.keyboard.press("Escape")

    page.get_by_role("button", name="Delete…").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    success = page.get_by_test_id("stAlertContentSuccess")
    expect(success).to_contain_text("Deleted")
    assert server.store.get(run) is None

    page.get_by_role("button", name="Import").click()
    page.locator("input[type=file]").set_input_files(tmp_path / "run.zip")
    expect(success).to_contain_text("Imported")
    back = next(row for row in server.store.list() if row.name == "to take home")
    assert (back.status, back.step) == ("finished", 40)
    page.wait_for_url(f"**/runs?*runs={back.run}*")

    tab.settle()
    (tmp_path / "bad.zip").write_bytes((tmp_path / "run.zip").read_bytes()[:5000])
    count = len(server.store.list())
    page.locator("input[type=file]").set_input_files(tmp_path / "bad.zip")
    expect(page.get_by_test_id("stAlertContentError")).to_contain_text("was not imported")
    assert len(server.store.list()) == count


def test_runs_are_chosen_by_mouse_and_by_keyboard_and_opened(server, reader):
    second, first = (server.train(BRIEF | {"seed": seed})["run"] for seed in (1, 2))
    tab = reader.open("runs")
    page = tab.page
    grid = page.get_by_test_id("stDataFrame").first
    grid.wait_for()
    still(page)
    box = grid.bounding_box()
    page.mouse.click(box["x"] + 16, box["y"] + HEADER + ROW / 2)
    page.wait_for_url(f"**/runs?*runs={first}")
    page.mouse.click(box["x"] + 200, box["y"] + HEADER + 1.5 * ROW)  # any cell of the next row
    page.keyboard.press("Shift+Space")
    page.wait_for_url(f"**/runs?*runs={first}%2C{second}")
    page.get_by_text("2 seeds of one design and recipe").wait_for()
    page.get_by_text("Settings that differ").wait_for()

    page.go_back()  # undoes the second choice, and forward makes it again
    expect(page.get_by_text("2 seeds of one design and recipe")).to_have_count(0)
    assert tab.parameter("runs") == first
    page.go_forward()
    page.get_by_text("2 seeds of one design and recipe").wait_for()

    clear = page.get_by_role("button", name="Clear choice")
    clear.click()
    expect(clear).to_have_count(0)
    assert "runs=" not in page.evaluate("location.href")
    still(page)
    page.mouse.click(box["x"] + 16, box["y"] + HEADER + ROW / 2)
    page.get_by_role("link", name="Open on Train").click()
    page.wait_for_url(f"**/train?*run={first}*")


def test_a_run_at_work_is_followed_and_not_deleted(server, reader):
    run = server.store.create(CouplingSpec(**NETWORK, steps=20_000, seed=9))
    tab = reader.open("runs", runs=run)
    page = tab.page
    page.get_by_text("1 running").wait_for()  # it began while the page was open
    page.get_by_role("button", name="Delete…").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    error = page.get_by_test_id("stAlertContentError")
    expect(error).to_contain_text("it is running; stop it first")
    main = page.get_by_test_id("stMain")  # the header has a Stop of its own for a script at work
    stop = main.get_by_role("button", name="Stop", exact=True)
    expect(stop).to_have_count(1)
    stop.click()
    until(lambda: server.store.get(run).status == "stopped")
    expect(page.get_by_role("button", name="Resume")).to_be_enabled()  # seen without a click
