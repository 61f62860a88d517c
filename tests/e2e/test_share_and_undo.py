"""The address is the complete state: it can be copied, opened elsewhere, and gone back in."""

import re

import pytest
from driving import NETWORK, at_rest, downloaded, still, until
from playwright.sync_api import expect

from explorer.ui.pages import PAGES as TABLE
from explorer.ui.streamlit_private import BackMsg

BRIEF = NETWORK | {"steps": 60}
PAGES = {
    "": ("α, decay exponent", "c, first singular value"),
    "train": ("width of queries and keys", "seed"),
}


def value(control):
    return control.get_attribute("aria-valuenow") or control.input_value()


def widget(tab, name):
    role = "spinbutton" if name == "seed" else "slider"
    return tab.page.get_by_role(role, name=name)


def changed(tab, name, key="ArrowRight"):
    """Press a key on a control and wait until the page has answered; the address then."""
    before = tab.url
    widget(tab, name).press(key)
    if name == "seed":
        widget(tab, name).press("Enter")
    until(lambda: tab.url != before)
    tab.settle()
    return tab.url


def seen(tab, page):
    """What the controls and the sentence say."""
    return [value(widget(tab, name)) for name in PAGES[page]] + [tab.verdict.inner_text()]


def gone(tab, step, address):
    """Back or Forward to an address."""
    step()
    until(lambda: tab.url == address)
    tab.settle()


@pytest.mark.parametrize("page", PAGES)
def test_back_is_undo_and_forward_is_redo(reader, page):
    tab = reader.open(page, NETWORK | {"alpha": 1.5, "steps": 60})
    one, two = PAGES[page]
    states = {tab.url: seen(tab, page)}
    for name, key in ((one, "ArrowRight"), (two, "ArrowUp")):
        address = changed(tab, name, key)
        states[address] = seen(tab, page)
    assert len(set(map(tuple, states.values()))) == 3
    addresses, entries = list(states), tab.entries
    for address in addresses[1::-1]:
        gone(tab, tab.page.go_back, address)
        expect(widget(tab, one)).to_have_value(states[address][0])
        until(lambda at=address: seen(tab, page) == states[at])
    for address in addresses[1:]:
        gone(tab, tab.page.go_forward, address)
        until(lambda at=address: seen(tab, page) == states[at])
    assert tab.entries == entries, "to look back writes no history"


def test_back_leaves_a_page_that_was_opened_without_a_link(reader):
    tab = reader.open("train")
    bare = tab.url
    changed(tab, PAGES["train"][0])
    gone(tab, tab.page.go_back, bare)
    expect(widget(tab, PAGES["train"][0])).to_have_value("7")
    tab.page.go_back()
    expect(tab.page).to_have_url("about:blank")
    tab.page.go_forward()
    tab.settle()


@pytest.mark.parametrize(("page", "asks"), [("Runs", "What has been"), ("Design ρ", "How wide")])
def test_back_over_a_page_turn_shows_what_its_address_says(reader, page, asks):
    """Also over several entries at once, and to a first one that says nothing."""
    tab = reader.open("train", run="asset-train")
    width = PAGES["train"][0]
    states = {tab.url: ("7", "now: step 1200")}
    states[changed(tab, width)] = ("8", "now: step 1200")
    tab.page.locator("[data-scrub]").press("Home")
    until(lambda: tab.parameter("at") == "1")
    tab.settle()
    states[tab.url] = ("8", "looking back at step 1")
    tab.page.get_by_role("link", name=page).click()
    until(lambda: "/train" not in tab.url and tab.parameter("at") == "1")
    question = tab.page.get_by_role("heading", name=asks)
    question.wait_for()
    tab.settle()
    there, entries = tab.url, tab.entries
    for steps, (address, (m_h, place)) in enumerate(reversed(states.items()), 1):
        gone(tab, lambda back=steps: tab.page.evaluate(f"history.go(-{back})"), address)
        expect(widget(tab, width)).to_have_value(m_h)
        expect(place_of(tab)).to_have_text(place)
        gone(tab, lambda on=steps: tab.page.evaluate(f"history.go({on})"), there)
        question.wait_for()  # turned before the page is there, Streamlit adds entries
        tab.settle()
    assert tab.url == there and tab.entries == entries


def test_a_drag_a_new_seed_and_a_page_turn_are_one_entry_each(server, reader):
    tab = reader.open("train", BRIEF, server.train(BRIEF)["run"])
    still(tab.page)
    entries = tab.entries
    box = widget(tab, "width of queries and keys").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    tab.page.mouse.move(x, y)
    tab.page.mouse.down()
    for step in range(1, 4):  # without a rest, at which the slider would report a value
        tab.page.mouse.move(x + 20 * step, y)
    tab.page.mouse.up()
    until(lambda: tab.spec["m_h"] > NETWORK["m_h"])
    tab.settle()
    assert tab.entries == entries + 1

    tab.start("New seed")
    tab.wait_status("finished")
    until(lambda: tab.spec.get("seed") == 1)
    assert tab.entries == entries + 2
    there = tab.url

    tab.page.get_by_role("link", name="Design ρ").click()
    until(lambda: tab.spec.get("seed") == 1 and "/train" not in tab.url)
    tab.settle()
    assert tab.entries == entries + 3
    gone(tab, tab.page.go_back, there)


@pytest.mark.parametrize("late", [0, 30, 150])
def test_a_part_asked_for_as_the_page_is_turned_does_not_empty_the_next(server, reader, late):
    """A run that ends just then has the page before ask for its own, which may come after the turn
    itself; what was sent of the scrubbing is sent once more so late."""
    tab = reader.open("train", BRIEF, server.train(BRIEF)["run"])
    tab.page.evaluate(KEEP_SENT)
    tab.page.locator("[data-scrub]").press("Home")
    until(lambda: tab.parameter("at") == "1")
    tab.settle()
    assert BackMsg.FromString(bytes(tab.page.evaluate("sentLast"))).rerun_script.fragment_id
    tab.page.get_by_role("link", name="Design ρ").evaluate(TURN_AND_SEND, late)
    until(lambda: "/train" not in tab.url)
    tab.settle()
    tab.page.wait_for_timeout(late)
    at_rest(tab.page)
    still(tab.page)
    assert tab.page.get_by_role("heading", name=TABLE["design"].question).is_visible()


KEEP_SENT = """() => {
    const { send } = WebSocket.prototype; // which counts what it sends, as its own base does not
    const again = Object.getPrototypeOf(WebSocket.prototype).send;
    WebSocket.prototype.send = function (data) {
        if (data instanceof Uint8Array && data[0] === ((11 << 3) | 2)) {
            window.sentLast = Array.from(data);
            window.sendAgain = () => again.call(this, data);
        }
        send.call(this, data);
    };
}"""
TURN_AND_SEND = """(link, late) => {
    const again = sendAgain;
    link.click();
    setTimeout(again, late);
}"""


def place_of(tab):
    return tab.page.locator("[data-text=scrub]")


def test_the_step_and_token_looked_at_are_in_the_link_and_in_the_figures(server, reader):
    run = server.train(BRIEF)["run"]
    tab = reader.open("train", run=run)
    tab.wait_frame("h.status === 'finished'")
    scrub = tab.page.locator("[data-scrub]")
    scrub.press("Home")
    until(lambda: tab.parameter("at") == "1")
    for _ in range(3):
        scrub.press("ArrowRight")
    expect(scrub).to_have_value("3")
    expect(place_of(tab)).to_have_text(re.compile(r"looking back at step [2-9]"))
    until(lambda: place_of(tab).inner_text().split()[-1] == tab.parameter("at"))
    step = tab.parameter("at")
    tab.attention.press("Home")
    until(lambda: tab.parameter("t") == "0")

    other = reader.open("train", run=run)
    expect(place_of(other)).to_have_text("now: step 60")
    other.page.goto(tab.url)
    expect(place_of(other)).to_have_text(f"looking back at step {step}")
    expect(other.attention).to_have_attribute("aria-valuenow", "0")
    other.page.get_by_text(f"Run (zip) and figures at step {step}").click()
    figure = downloaded(other.page, other.page.get_by_role("button", name="SVG").nth(1))
    assert f"run {run} · step {step} of 60" in figure.path().read_text("utf-8")
    archive = downloaded(other.page, other.page.get_by_role("button", name="Run (zip)"))
    assert archive.suggested_filename == f"{run}.zip"
    command = f"python -m explorer train {run[:12]}.json"
    other.page.get_by_role("button", name="Command").click()
    other.page.get_by_role("code").get_by_text(command, exact=True).wait_for()
    other.page.keyboard.press("Escape")

    other.page.go_back()
    expect(place_of(other)).to_have_text("now: step 60")


COPY = "navigator.clipboard.readText()"
SLOW = "() => { const { now } = Date; let looks = 0; Date.now = () => now() + 100 * looks++; }"
"""Between two looks at the clock lie 100 ms: after 50 Streamlit takes the click that opens a menu
for another one, which closes it where it was not on the menu's button."""
REFUSE = "void (navigator.clipboard.writeText = () => Promise.reject(new Error('refused')))"


@pytest.mark.parametrize("page", ["", "train", "runs"])
def test_the_link_is_copied_by_keyboard_and_opens_the_same(server, reader, page):
    server.train(BRIEF)  # the Runs page is not empty
    tab = reader.open(page)
    tab.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    button = tab.button("Copy link")
    button.focus()
    tab.page.keyboard.press("Enter")
    tab.page.get_by_role("button", name="Link copied").wait_for()
    expect(tab.page.locator(".link [role=status]")).to_have_text("Link copied")
    link = tab.page.evaluate(COPY)
    assert link.startswith(f"{server.address}/{page}")
    assert ("spec=" in link) == (page != "runs"), "complete, although the address is bare"
    tab.page.keyboard.press("Escape")
    if page in PAGES:
        changed(tab, PAGES[page][0])
        tab.button("Copy link").click()
        until(lambda: tab.page.evaluate(COPY) == tab.url)
        other = reader.adopt(reader.context.new_page())
        other.page.goto(tab.page.evaluate(COPY))
        other.settle()
        assert seen(other, page) == seen(tab, page)


@pytest.mark.parametrize("page", ["", "train", "rates"])
def test_on_a_slow_machine_the_click_that_opens_the_share_menu_leaves_it_open(reader, page):
    tab = reader.open(page)
    tab.page.evaluate(SLOW)
    share = tab.page.get_by_role("button", name="Share")
    for opens in (True, False):
        share.click()
        still(tab.page)
        expect(share).to_have_attribute("aria-expanded", str(opens).lower())


def test_a_clipboard_that_refuses_shows_the_link_to_select(reader):
    tab = reader.open("train", BRIEF)
    tab.page.evaluate(REFUSE)
    tab.button("Copy link").click()
    field = tab.page.get_by_role("textbox", name="Link to what is on the screen")
    expect(field).to_have_value(tab.url)
    selected = field.evaluate("f => f.value.slice(f.selectionStart, f.selectionEnd)")
    assert selected == tab.url and field.evaluate("f => f.matches(':focus')")
    expect(tab.page.locator(".link [role=status]")).to_contain_text("to be copied from there")


def test_a_link_of_another_store_offers_to_train_its_run_again(server, reader):
    here = server.train(BRIEF | {"seed": 5})["run"]
    gone_run = re.sub(r"-\d+$", "-999", here)
    tab = reader.open("train", BRIEF | {"seed": 5}, gone_run)
    expect(tab.warning).to_contain_text("not in this store")
    expect(tab.warning).to_contain_text("press Train to train it here again")
    run = tab.start()
    assert run.startswith(here[:12])
    assert tab.wait_status("finished")["run"] == run
    expect(tab.warning).to_have_count(0)


@pytest.mark.parametrize("path", ("", *(name for name in TABLE if name != "design")))
def test_the_menu_stays_open_that_a_plain_click_has_opened_while_its_page_was_drawn(reader, path):
    tab = reader.adopt(reader.context.new_page())
    page = tab.page
    page.goto(f"{tab.server.address}/{path}")
    share = page.get_by_role("button", name="Share")
    share.wait_for()
    page.evaluate(WATCH)
    box = share.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    tab.settle()
    still(page)
    assert page.evaluate("seen") == [True]


def test_nothing_lies_above_share_while_the_scripts_of_components_are_fetched(reader):
    tab = reader.adopt(reader.context.new_page())
    held = []
    tab.page.route("**/BidiComponent*.js", lambda route: held.append(route))
    tab.page.goto(f"{tab.server.address}/runs")
    share = tab.page.get_by_role("button", name="Share")
    share.wait_for()
    until(lambda: held)
    assert share.evaluate(ON_TOP)
    for route in held:
        route.continue_()
    tab.page.unroute("**/BidiComponent*.js")
    tab.settle()


ON_TOP = """button => {
  const { x, y, width, height } = button.getBoundingClientRect();
  return button.contains(document.elementFromPoint(x + width / 2, y + height / 2));
}"""
WATCH = """() => {
  window.seen = [];
  const look = () => {
    const isOpen = Boolean(document.querySelector("[data-testid=stPopoverBody]"));
    if (isOpen !== (seen.at(-1) ?? false)) seen.push(isOpen);
  };
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true });
}"""
