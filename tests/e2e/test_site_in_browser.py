"""The static edition as visitors have it: from a plain host, and nothing outside is asked for."""

from contextlib import closing

import pytest
from axe_playwright_python.sync_playwright import Axe
from driving import stands_at, until
from playwright.sync_api import expect
from sites import TALK, hosted, small_site, some

from explorer.ui.site.folder import write

PICTURED = "main [data-picture] > div"
SHOWN = "canvas[data-panel]:not([hidden])"
LABELS = f"""host => [...host.shadowRoot.querySelectorAll("{SHOWN}")].map((canvas) =>
  [canvas.dataset.panel, canvas.getAttribute("aria-valuetext") ?? canvas.ariaLabel])"""
FILES = [each.file for each in some()]
TRAINED = [each.file for each in some() if each.page == "train"]


@pytest.fixture(scope="module")
def host(context, tmp_path_factory):
    folder = tmp_path_factory.mktemp("host")
    small_site(folder / "below" / "site")
    with hosted(folder) as address:
        yield f"{address}/below/site/"


@pytest.fixture
def visitor(context, host):
    """A tab; what it complained of, and asked for elsewhere, must be nothing."""
    page, heard, own = context.new_page(), [], (host, f"blob:{host.partition('/below')[0]}/")
    page.on("pageerror", lambda error: heard.append(str(error)))
    page.on("console", lambda message: heard.append(message.text))
    page.on("request", lambda request: request.url.startswith(own) or heard.append(request.url))
    yield page
    page.close()
    assert [each for each in heard if "favicon" not in each] == []


def labels(page):
    """What the pictures say once all are drawn."""
    said = page.locator(PICTURED).evaluate(LABELS)
    return said and all(text and "nothing yet" not in text for _, text in said) and said


def drag(page, panel, start, end):
    """From one place of a canvas to another, in pixels."""
    box = stands_at(page.locator(f"canvas[data-panel={panel}]"))
    at = [(box["x"] + x, box["y"] + y) for x, y in (start, end)]
    page.mouse.move(*at[0])
    page.mouse.down()
    page.mouse.move(*at[1], steps=5)
    page.mouse.up()


def trains(page, address):
    """A reader presses the button of the picture: the error falls below that of the start."""
    page.goto(address)
    button = page.locator("[data-here] [data-act=train]")
    button.click()
    expect(page.locator("[data-text=here]")).to_have_text("in this browser")
    until(lambda: page.evaluate("__explorerLive.header?.status") in ("running", "finished"))
    until(lambda: page.evaluate("__explorerLive.header?.step ?? 0") >= 100)
    assert page.evaluate("__explorerLive.header.nmse") < 1
    if (pause := page.locator("[data-here] [data-act=pause]")).is_visible():
        pause.click()


@pytest.mark.parametrize("file", FILES)
def test_every_page_draws_itself(visitor, host, file):
    visitor.goto(host + file)
    until(lambda: labels(visitor))
    assert visitor.locator("nav.pages [aria-current]").count() == 1
    assert visitor.locator("nav.more [aria-current]").count() == 1


def test_a_head_answers_to_a_dragged_point_and_a_coupling_to_a_dragged_cross(visitor, host):
    visitor.goto(host + "attention.html")
    probe = "window.__explorerAttention?.places()"
    places = until(lambda: labels(visitor) and visitor.evaluate(probe))
    drag(visitor, "plane", places["spots"][1], (150, 160))
    answered = until(lambda: (now := visitor.evaluate(probe))["rev"] > places["rev"] and now)
    assert answered["board"]["points"][1] != places["board"]["points"][1]
    assert answered["predicted"] != places["predicted"]
    visitor.locator("nav.pages").get_by_text("Design ρ").click()
    before = until(lambda: labels(visitor))
    drag(visitor, "maps", (240, 90), (300, 120))
    until(lambda: labels(visitor) != before)
    visitor.get_by_role("button", name="As it was").click()
    until(lambda: labels(visitor) == before)


def test_the_gallery_opens_a_coupling_and_the_theme_goes_along(visitor, host):
    visitor.goto(host + "gallery.html")
    theme = visitor.locator("html").get_attribute("data-theme")
    visitor.get_by_role("button", name="light / dark").click()
    visitor.locator("a[data-key=no-rate]").click()
    until(lambda: labels(visitor))
    assert visitor.url == host + "design-no-rate.html"
    assert "α = ½" in visitor.locator("h1").text_content()
    assert visitor.locator("html").get_attribute("data-theme") != theme


def test_the_talk_goes_on_by_its_keys(visitor, host):
    visitor.goto(host + "talk.html")
    shown = "window.__explorerStage?.probe.shown ?? 0"
    until(lambda: visitor.evaluate(shown) > 0)
    visitor.keyboard.press("PageDown")
    until(lambda: visitor.locator("[data-text=words]").text_content().strip() == "Two.")


@pytest.mark.parametrize("file", TRAINED)
def test_a_coupling_is_trained_in_the_readers_tab(visitor, host, file):
    trains(visitor, host + file)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_it_is_read_on_a_phone_and_by_everyone(visitor, host, scheme, width):
    visitor.emulate_media(color_scheme=scheme)
    visitor.set_viewport_size({"width": width, "height": 800})
    for file in ("index.html", "gallery.html"):
        visitor.goto(host + file)
        visitor.locator(PICTURED).wait_for()
        assert visitor.locator("html").get_attribute("data-theme") == scheme
        assert visitor.evaluate("document.documentElement.scrollWidth") <= width
        found = Axe().run(visitor, options={"runOnly": ["wcag2a", "wcag2aa"]})
        assert found.violations_count == 0, found.generate_report()


def test_a_page_is_opened_from_the_disk_too(context, tmp_path_factory):
    out = tmp_path_factory.mktemp("disk") / "site"
    small_site(out)
    page = context.new_page()
    page.goto((out / "index.html").as_uri())
    until(lambda: labels(page))
    page.close()


def test_a_page_from_the_disk_trains_too(context, tmp_path_factory):
    out, heard = tmp_path_factory.mktemp("disk") / "site", []
    write(out, [each for each in some() if each.page == "train"][:1], TALK)
    with closing(context.new_page()) as page:
        page.on("pageerror", lambda error: heard.append(str(error)))
        page.on("console", lambda message: heard.append(message.text))
        trains(page, (out / "train.html").as_uri())
    assert not heard
