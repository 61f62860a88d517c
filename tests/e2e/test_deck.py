"""The shipped talk as a file under a clicker: no network, no server, nothing lost to a widget."""

import random
from itertools import pairwise

import pytest
from axe_playwright_python.sync_playwright import Axe
from driving import ROOT, until
from playwright.sync_api import expect

from explorer.ui.talk.deck import build
from explorer.ui.talk.scenes import parse_talk

LABELS = """() => {
  const own = (canvas) =>
    canvas.getAttribute("aria-valuetext") ?? canvas.getAttribute("aria-label");
  const { scene, picture } = __explorerStage;
  const { content } = document.querySelector(`template[data-component=${scene.component}]`);
  return picture.canvases().map((canvas) => {
    const undrawn = own(content.querySelector(`canvas[data-panel=${canvas.dataset.panel}]`));
    return [canvas.dataset.panel, own(canvas) === undrawn ? null : own(canvas)];
  });
}"""
PLAYED = "!__explorerStage.step.live || __explorerLive.header?.status === 'finished'"
STEPS = "__explorerStage.talk.scenes.map((scene) => scene.steps.length)"
BOXES = """() => __explorerStage.picture.canvases().map((canvas) =>
  [canvas.dataset.panel, canvas.getBoundingClientRect().toJSON()])"""
AT = "[__explorerStage.at.scene + 1, __explorerStage.at.step + 1]"
WIDGETS = ".picture > div:last-child :is(canvas.on[tabindex], input, button, select)"


@pytest.fixture(scope="module")
def talk(context, tmp_path_factory):
    file = tmp_path_factory.mktemp("talk") / "talk.html"
    file.write_bytes(build(parse_talk((ROOT / "assets" / "talk.json").read_text("utf-8"))))
    return file


class Stage:
    """The file in a browser that hears no network; what it complained of or asked for."""

    def __init__(self, page, file):
        self.page, self.address, self.heard = page, file.as_uri(), []
        page.on("pageerror", lambda error: self.heard.append(str(error)))
        page.on("console", lambda message: self.heard.append(message.text))
        page.on("request", lambda request: self.heard.append(request.url))
        page.set_viewport_size({"width": 1280, "height": 720})
        page.goto(self.address)
        self.wait_shown()

    def wait_shown(self, more_than=0):
        until(lambda: self.page.evaluate("window.__explorerStage?.probe.shown ?? 0") > more_than)

    @property
    def at(self):
        return tuple(self.page.evaluate(AT))

    def labels(self):
        """What the pictures of the step say, once all have been drawn and rest."""
        until(lambda: self.page.evaluate(PLAYED))
        before, now = None, self.page.evaluate(LABELS)
        while now != before or not all(text for _, text in now):
            self.page.wait_for_timeout(100)
            before, now = now, self.page.evaluate(LABELS)
        return now

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def step(self, key):
        """Press what turns to another step, and wait for it."""
        shown = self.page.evaluate("__explorerStage.probe.shown")
        self.page.keyboard.press(key)
        self.wait_shown(shown)
        return self.at, self.labels()

    def hold_a_widget(self, chance):
        """A click into something of the picture, which then has the focus."""
        widgets = [each for each in self.page.locator(WIDGETS).all() if each.is_visible()]
        if widgets:
            box = chance.choice(widgets).bounding_box()
            x, y = chance.uniform(0.2, 0.8), chance.uniform(0.2, 0.8)
            self.page.mouse.click(box["x"] + x * box["width"], box["y"] + y * box["height"])


@pytest.fixture
def stage(context, talk):
    page = context.new_page()
    page.emulate_media(reduced_motion="reduce", color_scheme="light")
    stage = Stage(page, talk)
    yield stage
    page.close()
    assert set(stage.heard) <= {stage.address}, (
        "it asks for nothing but itself, complains of nothing"
    )


def test_the_whole_talk_by_a_clicker_with_the_hand_in_the_pictures(stage):
    """A click on a widget of every step loses no key, and the way back shows the same as the way
    there: a step depends on nothing that was done before it."""
    chance, seen = random.Random(5), {(1, 1): stage.labels()}
    places = [(i, j) for i, n in enumerate(stage.page.evaluate(STEPS), 1) for j in range(1, n + 1)]
    for place in places[1:]:
        stage.hold_a_widget(chance)
        at, labels = stage.step("PageDown")
        assert at == place
        seen[at] = labels
    assert len({str(labels) for labels in seen.values()}) > 0.7 * len(places)
    for place in places[-2::-1]:
        stage.hold_a_widget(chance)
        at, labels = stage.step("PageUp")
        assert (at, labels) == (place, seen[place])
    stage.press("PageUp")
    assert stage.at == (1, 1), "before the first there is none"


def test_a_scene_by_its_number_and_once_more_by_f5(stage):
    stage.page.evaluate("window.same = true")
    for scene in range(1, 9):
        stage.press(str(scene))
        assert stage.step("Enter")[0] == (scene, 1)
        stage.step("PageDown")
        assert stage.step("F5")[0] == (scene, 1)
    assert stage.page.evaluate("window.same"), "nothing was loaded again"
    stage.page.reload()
    stage.wait_shown()
    assert stage.at == (8, 1), "a reload comes back to where the talk was"


def test_what_was_tried_goes_by_esc_and_black_hears_only_what_ends_it(stage):
    page = stage.page
    stage.press("2")
    stage.step("Enter")
    before = stage.labels()
    page.locator("canvas[data-panel=spectrum]").last.focus()
    stage.press("ArrowDown")
    expect(page.locator("[data-text=if]")).to_contain_text("tried by hand")
    until(lambda: stage.labels() != before)
    stage.press("Home", ".", "PageDown", "b")  # Home is for the picture; in the dark nothing is
    assert stage.at == (2, 1)
    stage.press("Escape")  # out of the picture
    assert stage.step("Escape")[1] == before
    stage.press("4")
    stage.step("Enter")
    learned = stage.labels()
    page.locator(".turner input").last.press("End")  # the slider turns to what is held ready
    until(lambda: stage.labels() != learned)
    assert stage.at == (4, 1)
    stage.press("Escape")
    assert stage.step("Escape")[1] == learned
    stage.press("Escape")
    overview = page.get_by_role("dialog", name="All scenes")
    expect(overview.get_by_role("button")).to_have_count(8)
    overview.get_by_role("button").nth(6).click()
    until(lambda: stage.at == (7, 1))
    stage.press("?")
    page.get_by_role("dialog", name="Keys").wait_for()
    stage.press("Escape")
    expect(page.get_by_role("dialog", name="Keys")).not_to_be_visible()
    assert stage.step("Home")[0] == (1, 1)
    assert stage.step("End")[0] == (8, 1)


def test_the_speakers_window_mirrors_drags_looks_ahead_and_survives_reloads(stage, context):
    deck = stage.page
    stage.press("2")
    stage.step("Enter")
    before = stage.labels()
    with context.expect_page() as opened:
        stage.press("s")
    speaker, pages = opened.value, len(context.pages)
    title = speaker.locator("[data-speaker=title]")
    expect(title).to_contain_text("2 · 1/6")
    pictures = "window.__explorerSpeaker?.picture ?? 0"
    until(lambda: speaker.evaluate(pictures) > 3)
    deck.bring_to_front()  # a window behind another is not drawn; on a stage both are seen
    mirror = speaker.locator("[data-speaker=mirror]").bounding_box()
    x, y = deck.evaluate(FOURTH_DOT)
    x, y = mirror["x"] + x * mirror["width"], mirror["y"] + y * mirror["height"]
    speaker.mouse.move(x, y)
    speaker.mouse.down()
    speaker.mouse.move(x, y + 25, steps=5)
    speaker.mouse.up()
    until(lambda: stage.labels() != before)
    expect(deck.locator("[data-text=if]")).to_contain_text("tried by hand")
    speaker.keyboard.press("b")
    speaker.get_by_text("The room sees black.").wait_for()
    speaker.keyboard.press("PageDown")
    until(lambda: stage.at == (2, 2))
    deck.locator("[data-over=black]").wait_for()
    expect(title).to_contain_text("2 · 2/6")
    until(lambda: "step=2" in deck.url)
    for window in (speaker, deck):
        window.reload()
        until(lambda: speaker.evaluate(pictures) > 1 and stage.at == (2, 2))
    speaker.keyboard.press("PageUp")
    until(lambda: stage.at == (2, 1))
    stage.press("s")
    until(lambda: speaker.evaluate(pictures) > 1)
    assert len(context.pages) == pages, "there is one such window"
    deck.bring_to_front()
    stage.press("5")
    stage.step("Enter")
    until(lambda: speaker.evaluate(COLOURS, deck.evaluate(BUTTON)) > 8)  # what is pressed is seen
    speaker.close()


def test_a_handout_has_a_page_for_each_scene_and_no_notes(stage):
    stage.page.evaluate("window.print = () => (window.printed = true)")
    stage.press("Control+p")
    until(lambda: stage.page.evaluate("window.printed ?? false"))
    stage.page.emulate_media(media="print")
    articles = stage.page.locator(".paper article")
    expect(articles).to_have_count(8)
    articles.first.wait_for()
    assert "Eq. 5 of the paper, term by term" not in stage.page.content()
    assert len(articles.first.locator("li").all()) == stage.page.evaluate(STEPS)[0]
    stage.page.emulate_media(media="screen")


BUTTON = """() => {
  const around = document.querySelector(".picture").getBoundingClientRect();
  const button = __explorerStage.picture.root.querySelector("[data-act=clear]");
  const { x, y, width, height } = button.getBoundingClientRect();
  return [(x - around.x) / around.width, (y - around.y) / around.height,
    width / around.width, height / around.height];
}"""
COLOURS = """([x, y, w, h]) => {
  const mirror = document.querySelector("[data-speaker=mirror]");
  const { width, height } = mirror;
  const box = [x * width, y * height, w * width, h * height].map(Math.round);
  return new Set(new Uint32Array(mirror.getContext("2d").getImageData(...box).data.buffer)).size;
}"""
FOURTH_DOT = """() => {
  const [canvas] = __explorerStage.picture.canvases();
  const [from, around] = [canvas, document.querySelector(".picture")]
    .map((element) => element.getBoundingClientRect());
  const [x, y] = __explorerDesign.handles("spectrum").at(-3);
  return [(from.x + x - around.x) / around.width, (from.y + y - around.y) / around.height];
}"""
ON_SCREEN = """() => {
  const [canvas] = __explorerStage.picture.canvases();
  const { x, y, width } = canvas.getBoundingClientRect();
  const [px, py] = __explorerDesign.handles("spectrum").at(-3);
  const unit = width / __explorerDesign.texts.spectrum.w;
  return [x + px * unit, y + py * unit];
}"""
SMALL = """() => [...document.querySelectorAll("main *")]
  .filter((element) => [...element.childNodes].some(({data}) => data?.trim()))
  .filter((element) => !element.closest("math") && element.checkVisibility())
  .map((element) => [parseFloat(getComputedStyle(element).fontSize), element.textContent])
  .filter(([size]) => size < 23.9)"""


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (1024, 768)])
def test_everything_fits_is_large_and_is_found_by_axe_in_both_themes(stage, width, height):
    page = stage.page
    page.set_viewport_size({"width": width, "height": height})
    for scene in range(8):
        stage.press(str(scene + 1))
        stage.step("Enter")
        for panel, box in page.evaluate(BOXES):
            assert box["width"] > 200 and box["height"] > 80, panel
        words, foot = (page.locator(name).bounding_box() for name in (".words", "footer"))
        assert words["y"] + words["height"] <= foot["y"] + 1
        assert foot["y"] + foot["height"] <= height and foot["x"] + foot["width"] <= width
        if width == 1280:
            assert page.evaluate(SMALL) == []
            found = Axe().run(page).response["violations"]
            serious = [v["id"] for v in found if v["impact"] in ("serious", "critical")]
            assert serious == [], scene + 1
            stage.press("t")
            assert page.evaluate("document.documentElement.dataset.theme") in ("light", "dark")
    stage.press("2")
    stage.step("Enter")
    before = stage.labels()
    x, y = page.evaluate(ON_SCREEN)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y + 25, steps=5)
    page.mouse.up()
    until(lambda: stage.labels() != before)  # the pointer finds what is drawn in other units


# What canvases write, in pixels of the screen; subscripts are three quarters of their text.
LISTEN = """() => {
  const pen = CanvasRenderingContext2D.prototype, fill = pen.fillText;
  window.__written = [];
  pen.fillText = function (text, ...where) {
    const { width } = this.canvas.getBoundingClientRect();
    const scale = (this.getTransform().a * width) / this.canvas.width;
    const size = parseFloat(this.font.match(/([\\d.]+)px/)[1]) * scale;
    window.__written.push([size, text, this.canvas.dataset.panel, ...where.slice(0, 2)]);
    return fill.call(this, text, ...where);
  };
}"""


def test_canvases_write_as_large_as_the_words_in_every_step(stage):
    stage.page.evaluate(LISTEN)
    for scene, steps in enumerate(stage.page.evaluate(STEPS), 1):
        stage.press(str(scene))
        for step in range(steps):
            stage.step("PageDown" if step else "Enter")
            written = stage.page.evaluate("window.__written.splice(0)")
            assert len(written) > 5, (scene, step)
            small = [each for each in written if each[0] < 23.9 and len(each[1]) > 4]
            assert small == [] and min(size for size, *_ in written) >= 17.9, (scene, step)
            ticks = sorted({(x, y, t) for _, t, panel, x, y in written if panel == "filter"})
            beside = [b[1] - a[1] for a, b in pairwise(ticks) if a[0] == b[0]]
            assert min(beside, default=24) >= 24, "numbers of an axis stand clear of each other"
            if stage.page.evaluate("__explorerStage.scene.component") == "design":
                assert stage.page.evaluate("__explorerDesign.draws") == 1, "all at once"
