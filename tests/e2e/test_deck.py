"""The shipped talk as a file under a clicker: no network, no server, nothing lost to a widget."""

import random
import re
from itertools import groupby, pairwise

import pytest
from axe_playwright_python.sync_playwright import Axe
from driving import ROOT, until
from playwright.sync_api import expect

from explorer.pages.talk.deck import build
from explorer.pages.talk.scenes import NUMBER, parse_talk

SHIPPED = parse_talk((ROOT / "assets" / "talk.json").read_text("utf-8"))
COUNT = len(SHIPPED.scenes)
PAGES = [i for i, scene in enumerate(SHIPPED.scenes, 1) if scene.kind == "page"]


def number(words):
    """Of the scene with these words in its title."""
    return next(i for i, scene in enumerate(SHIPPED.scenes, 1) if words in scene.title)


def _pictures(scene):
    """How many steps of a scene show another picture than the one before."""
    return len([*groupby(map(scene.shows, range(len(scene.steps))))])


PICTURES = [scene.kind == "page" and _pictures(scene) for scene in SHIPPED.scenes]
FLOOR, TRAINING, RATES = map(number, ("narrow head", "training find", "How fast"))

# What the pictures of the step say, once all have been drawn and two frames change nothing.
LABELS = """async () => {
  const own = (canvas) =>
    canvas.getAttribute("aria-valuetext") ?? canvas.getAttribute("aria-label");
  const { scene, picture } = __explorerStage;
  if (!scene.component) return [["words", picture.root.querySelector(".sheet").innerText]];
  const { content } = document.querySelector(`template[data-component=${scene.component}]`);
  const said = () => picture.canvases().map((canvas) => {
    const undrawn = own(content.querySelector(`canvas[data-panel=${canvas.dataset.panel}]`));
    return [canvas.dataset.panel, own(canvas) === undrawn ? null : own(canvas)];
  });
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  for (let before = null, now = said(); ; [before, now] = [now, said()]) {
    if (now.every(([, text]) => text) && String(now) === String(before)) return now;
    await frame().then(frame);
  }
}"""
# A picture that trains has ended, and is the trained one: kept ones may bridge a gap up to its end.
PLAYED = """() => {
  const { live } = __explorerStage.step;
  const { textContent } = document.querySelector("[data-text=badge]");
  const isTrained = live && document.querySelector(`[data-part="${live} offer"]`);
  if (live && __explorerLive.header?.status !== "finished") return false;
  return textContent.endsWith("trained in this talk") || !isTrained;
}"""
SEEN = """() => {
  const { scene, picture } = __explorerStage;
  if (!scene.component) return picture.root.querySelector(".sheet").innerText;
  return picture.canvases().map((canvas) => canvas.toDataURL()).join();
}"""
STEPS = "__explorerStage.talk.scenes.map((scene) => scene.steps.length)"
BOXES = """() => __explorerStage.picture.canvases().map((canvas) =>
  [canvas.dataset.panel, canvas.getBoundingClientRect().toJSON()])"""
AT = "[__explorerStage.at.scene + 1, __explorerStage.at.step + 1]"
WIDGETS = "main .picture > div:last-child :is(canvas.on[tabindex], input, button, select)"
CLICKER = {"PageDown": "next", "PageUp": "back", ".": "black", "b": "black", "F5": "again"}
# What widgets hear of a clicker's keys, each with the focus in turn, and what the stage is asked.
HEARD = """(keys) => {
  const deck = __explorerStage, heard = [], asked = [];
  const widgets = [...deck.picture.root.querySelectorAll(
    "canvas.on[tabindex], input, button, select")].filter((each) => each.checkVisibility());
  deck.perform = (act) => asked.push(act);
  for (const widget of widgets) {
    widget.focus();
    widget.onkeydown = ({ key }) => heard.push([key, widget.outerHTML]);
    const press = { bubbles: true, composed: true, cancelable: true };
    for (const key of keys)
      if (widget.dispatchEvent(new KeyboardEvent("keydown", { key, ...press })))
        heard.push(["not prevented", key]);
    widget.onkeydown = null;
    widget.blur();
  }
  delete deck.perform;
  return [widgets.length, heard, asked];
}"""
WAKE = """
window.asked = [];
Object.defineProperty(navigator, "wakeLock", { value: { request: async (kind) => {
  asked.push(kind);
  if (asked.length === 2) throw new DOMException("the battery is low", "NotAllowedError");
} } });
"""


@pytest.fixture(scope="module")
def talk(context, tmp_path_factory):
    file = tmp_path_factory.mktemp("talk") / "talk.html"
    file.write_bytes(build(SHIPPED))
    assert file.stat().st_size < 6_000_000
    return file


class Stage:
    """The file in a browser that hears no network; what it complained of or asked for."""

    def __init__(self, page, file):
        self.page, self.address, self.heard = page, file.as_uri(), []
        page.on("pageerror", lambda error: self.heard.append(str(error)))
        page.on("console", lambda message: self.heard.append(message.text))
        page.on("request", lambda request: self.heard.append(request.url))
        page.set_viewport_size({"width": 1280, "height": 720})
        page.add_init_script(WAKE)
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
        return self.page.evaluate(LABELS)

    @property
    def ahead(self):
        """Whether the step to come is drawn behind the one that is shown."""
        return self.page.evaluate("Boolean(__explorerStage.ahead.drawn)")

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def step(self, key):
        """Press what turns to another step, and wait for it."""
        shown = self.page.evaluate("__explorerStage.probe.shown")
        self.page.keyboard.press(key)
        self.wait_shown(shown)
        return self.at, self.labels()

    def scene(self, number):
        """Go there by its number."""
        self.press(*str(number))
        return self.step("Enter")

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
    trained = re.compile("blob:null/[0-9a-f-]+")  # the thread of a live step
    heard = {text for text in stage.heard if not trained.fullmatch(text)}
    assert heard <= {stage.address}, "it asks for nothing but itself, complains of nothing"


FILLS = """() => {
  const place = document.querySelector(".picture").getBoundingClientRect();
  const canvases = __explorerStage.picture.canvases();
  const boxes = canvases.map((each) => each.getBoundingClientRect());
  return {
    panels: canvases.map(({ dataset }) => dataset.panel),
    hidden: canvases.filter((each) => !each.checkVisibility({ visibilityProperty: true })).length,
    below: Math.round(place.bottom - Math.max(...boxes.map(({ bottom }) => bottom))),
    right: Math.round(place.right - Math.max(...boxes.map(({ right }) => right))),
    height: boxes.reduce((sum, { height }) => sum + height, 0) / place.height,
  };
}"""


def fills_its_place(page, scene, step):
    """Every picture of a step is painted."""
    found, panels = page.evaluate(FILLS), SHIPPED.scenes[scene - 1].steps[step - 1].panels
    assert found.pop("height") > 0.85, (scene, step)
    assert not panels or sorted(found["panels"]) == sorted(panels)
    assert (found["hidden"], found["below"], found["right"]) == (0, 0, 0), (scene, step)


def says_its_numbers(page, scene, step):
    """Those that stand in talk.json are the picture's."""
    if numbers := NUMBER.findall(SHIPPED.scenes[scene - 1].steps[step - 1].words):
        shown = page.evaluate("__explorerStage.picture.probe.numbers()")
        assert {name: shown[name] for name, _ in numbers} == dict(numbers), (scene, step)
        told = page.locator("[data-text=words] [data-number]")
        expect(told).to_have_text([text for _, text in numbers])


POWERS = """() => __explorerStage.picture.canvases().map((canvas) => {
  const { w, h, boxes } = __explorerStage.picture.probe.texts[canvas.dataset.panel];
  const isPower = ({ text }) => /^10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+$/.test(text);
  const at = ({ text, x, y }) => [text, Math.round(x), Math.round(y)].join(" ");
  return [`${canvas.dataset.panel} ${w} ${h}`, boxes.filter(isPower).map(at).sort()];
})"""
OTHERS = {("How fast", 5): "the other norm", ("remembered", 6): "the errors of another run"}
"""Steps that show something else on their axes, and say so."""


class Axes:
    """Where a scene's axes write powers of ten: how often that was asked again, and where it was
    another place."""

    def __init__(self):
        self.scene, self.known, self.alike, self.moved = 0, {}, 0, set()

    def look(self, page, scene, step):
        now = dict(page.evaluate(POWERS))
        known = self.known if self.scene == scene else {}
        same = [panel for panel, powers in now.items() if known.get(panel) and powers]
        self.moved |= {(scene, step) for panel in same if now[panel] != known[panel]}
        self.alike += len(same)
        self.scene, self.known = scene, now


def stands(page, axes, *place):
    says_its_numbers(page, *place)
    if place[0] in PAGES:
        fills_its_place(page, *place)
        axes.look(page, *place)


def test_the_whole_talk_by_a_clicker_with_the_hand_in_the_pictures(stage):
    """A click on a widget of every step loses no key, none is heard by any widget, and the way back
    shows the same as the way there: a step depends on nothing that was done before it. Each shows
    another picture, whole and on the axes of its scene, with the numbers that its words say."""
    chance, seen, axes = random.Random(5), {(1, 1): stage.labels()}, Axes()
    places = [(i, j) for i, n in enumerate(stage.page.evaluate(STEPS), 1) for j in range(1, n + 1)]
    picture = stage.page.evaluate(SEEN)
    stands(stage.page, axes, 1, 1)
    for place in places[1:]:
        stage.hold_a_widget(chance)
        at, labels = stage.step("PageDown")
        assert at == place
        seen[at] = labels
        before, picture = picture, stage.page.evaluate(SEEN)
        assert picture != before, place
        stands(stage.page, axes, *place)
        widgets, heard, asked = stage.page.evaluate(HEARD, [*CLICKER])
        assert heard == [] and asked == [*CLICKER.values()] * widgets, place
    assert len({str(labels) for labels in seen.values()}) > 0.7 * len(places)
    assert axes.alike > 12
    assert axes.moved == {(number(words), j) for words, j in OTHERS}
    for place in places[-2::-1]:
        stage.hold_a_widget(chance)
        at, labels = stage.step("PageUp")
        assert at == place
        assert labels == seen[place] or is_live(*place), "what is trained live moves by itself"
    stage.press("PageUp")
    assert stage.at == (1, 1), "before the first there is none"


# What is written in the page and its shadow roots, but within canvases: [pixels, text, element].
WRITTEN = """() => {
  const found = [];
  const walk = (root) => {
    for (const each of root.querySelectorAll("*")) {
      if (each.shadowRoot) walk(each.shadowRoot);
      const own = [...each.childNodes].filter((one) => one.nodeType === 3 && one.data.trim());
      const seen = each.checkVisibility({ opacityProperty: true, visibilityProperty: true });
      const { width, height } = each.getBoundingClientRect();
      if (own.length && seen && width > 1 && height > 1)
        found.push([parseFloat(getComputedStyle(each).fontSize), own[0].data, each.localName]);
    }
  };
  walk(document.querySelector("main"));
  return found;
}"""


INDICES = {"sub", "mi", "mn", "mo", "mtext"}
"""Elements of a formula, the least of which are its indices."""


@pytest.mark.parametrize(
    ("size", "least", "indices"), [((1920, 1080), 28, 28), ((390, 844), 18, 14)]
)
def test_nothing_in_any_step_is_written_smaller(stage, size, least, indices):
    """Pixels of the smallest letters, and of indices, exponents and parts of a formula."""
    page = stage.page
    page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
    stage.scene(number("sum of products"))
    until(lambda: stage.ahead)  # from here on all is drawn in this size
    page.evaluate(LISTEN)
    small = set()
    for scene, steps in enumerate(page.evaluate(STEPS)):
        for step in range(steps):
            page.evaluate("at => __explorerStage.go(at)", {"scene": scene, "step": step})
            stage.labels()
            small |= {
                (scene + 1, step + 1, text)
                for px, text, kind in page.evaluate(WRITTEN)
                if px < (indices if kind in INDICES else least) - 0.1
            }
    assert small == set()
    drawn = page.evaluate("window.__written")
    assert len(drawn) > 1000
    assert [
        each for each in drawn if each[0] < (least if len(each[1]) > 4 else indices) - 0.1
    ] == []


def is_live(scene, step):
    return SHIPPED.scenes[scene - 1].steps[step - 1].live


# Goes to a step: cells, sum and sum of squares of the map beside ρ until it rests.
MOVES = """async (step) => {
  const deck = __explorerStage, seen = [];
  await deck.go({ scene: deck.at.scene, step });
  do {
    await new Promise(requestAnimationFrame);
    const { values } = deck.picture.probe.grids().second;
    seen.push([values.length, ...[1, 2].map((p) => values.reduce((sum, x) => sum + x ** p, 0))]);
  } while (deck.picture.gliding);
  return seen;
}"""


def test_a_map_of_another_width_is_glided_to_and_is_that_of_the_step_whence_ever(stage):
    scene = number("sum of products")
    stage.scene(scene)
    steps = range(len(SHIPPED.scenes[scene - 1].steps))
    stage.page.emulate_media(reduced_motion="reduce")
    exact = [stage.page.evaluate(MOVES, step)[-1] for step in steps]
    assert len({cells for cells, *_ in exact}) == 2, "a term has more cells than a sum"
    assert len({*map(tuple, exact)}) == len(exact)
    stage.page.emulate_media(reduced_motion="no-preference")
    for step in (*steps[1:], *reversed(steps[:-1]), 4, 0):
        seen = stage.page.evaluate(MOVES, step)
        assert len({*map(tuple, seen)}) > 2, "it was on its way"
        assert seen[-1] == exact[step]


def test_the_three_boxes_of_the_theorem_open_nothing_where_no_server_is(stage):
    scene = number("Any relationship")
    assert len([*filter(None, SHIPPED.scenes[scene - 1].opens)]) == 3
    stage.scene(scene)
    assert stage.page.locator(".picture > div:last-child .box").count() == 3
    assert stage.page.get_by_role("link").count() == 0


def test_the_next_step_is_drawn_behind_what_is_shown_and_anew_where_it_would_look_otherwise(stage):
    page, of_the_next = stage.page, "__explorerStage.ahead.drawn?.picture"
    stage.scene(FLOOR)
    until(lambda: stage.ahead)
    page.evaluate(f"window.behind = {of_the_next}")
    assert page.evaluate("behind.host.inert && behind.canvases().length") == 2
    labels = stage.step("PageDown")[1]
    assert page.evaluate("__explorerStage.picture === behind && !behind.host.inert")
    assert page.evaluate("__explorerDesign === behind.root.probe && __explorerDesign.draws") == 1
    for key in ("t", "+"):
        until(lambda: stage.ahead)
        page.evaluate(f"window.behind = {of_the_next}")
        stage.press(key)
        until(lambda: page.evaluate(f"{of_the_next} && {of_the_next} !== behind"))
    stage.press("PageUp")  # it is another step that was expected
    assert stage.step("PageDown") == ((FLOOR, 2), labels)
    stage.scene(TRAINING)
    for _ in range(1, 4):
        until(lambda: stage.ahead)
        stage.step("PageDown")
    page.wait_for_function("() => new Promise((done) => requestIdleCallback(() => done(true)))")
    assert stage.at == (TRAINING, 4) and not stage.ahead, "what trains live begins when it is shown"
    stage.step("PageDown")
    badge = page.locator("[data-text=badge]")
    expect(badge).to_have_text("● live: trained in this talk")  # by this tab
    until(lambda: page.locator(".picture > div").count() <= 2)  # those of before fade and go


def test_a_scene_after_one_that_trains_does_not_say_that_it_does(stage):
    stage.page.evaluate("at => __explorerStage.go(at)", {"scene": TRAINING - 1, "step": 5})
    badge = stage.page.locator("[data-text=badge]")
    expect(badge).to_have_attribute("data-source", "live")
    stage.press("PageDown")
    until(lambda: stage.at == (RATES, 1))
    stage.page.wait_for_timeout(400)  # what has been left fades for half of that
    expect(badge).not_to_contain_text("live")


def test_what_was_tried_goes_by_esc_black_hears_what_ends_it_and_nothing_else_is_in_the_way(stage):
    page = stage.page
    before = stage.scene(FLOOR)[1]
    until(lambda: stage.ahead)
    page.locator("canvas[data-panel=spectrum]").last.focus()
    stage.press("ArrowDown")
    expect(page.locator("[data-text=if]")).to_contain_text("tried by hand")
    until(lambda: stage.labels() != before)
    stage.press("Home", ".", "PageDown", "b")  # Home is for the picture; in the dark nothing is
    assert stage.at == (FLOOR, 1)
    stage.press("Escape")  # out of the picture
    assert stage.step("Escape")[1] == before
    stage.scene(TRAINING)
    stage.step("PageDown")
    stage.step("PageDown")
    learned = stage.step("PageDown")[1]
    page.locator(".turner input").last.press("End")  # the slider turns to what is held ready
    until(lambda: stage.labels() != learned)
    assert stage.at == (TRAINING, 4)
    stage.press("Escape")
    assert stage.step("Escape")[1] == learned
    stage.press("Escape")
    overview = page.get_by_role("dialog", name="All scenes")
    expect(overview.get_by_role("button")).to_have_count(COUNT)
    assert overview.locator("img").count() >= 2, "of the scenes that were shown"
    overview.get_by_role("button").nth(6).click()
    until(lambda: stage.at == (7, 1))
    stage.press("?")
    page.get_by_role("dialog", name="Keys").wait_for()
    assert serious(page) == []
    stage.press("c")
    link = page.get_by_role("dialog", name="Link to this scene")
    expect(link).to_contain_text("nobody else can open it")
    page.evaluate("__explorerStage.scene.code = { address: 'https://a.org/t', image: 'data:,' }")
    stage.press("c", "c")
    expect(link.get_by_role("img", name="QR code of https://a.org/t")).to_be_visible()
    expect(link).to_contain_text("a.org/t")
    expect(page.get_by_role("dialog", name="Keys")).not_to_be_visible()
    stage.press("Escape")
    expect(link).not_to_be_visible()
    spot = page.locator("[data-over=spot]")
    page.mouse.move(300, 200)
    expect(spot).not_to_be_visible()
    stage.press("l")
    page.mouse.move(310, 220)
    expect(spot).to_be_visible()
    assert "310px 220px" in spot.evaluate("({ style }) => style.background")
    assert spot.evaluate("spot => getComputedStyle(spot).pointerEvents") == "none"
    expect(spot).not_to_be_visible()  # it fades where nothing moves
    stage.press("l")
    page.mouse.move(300, 200)
    expect(spot).not_to_be_visible()
    assert page.evaluate("window.asked") == ["screen"], "the screen stays awake"
    for tell in range(2):  # what refuses the first is not heard of
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        assert page.evaluate("window.asked.length") == 2 + tell
    assert stage.step("Home")[0] == (1, 1)
    assert stage.step("End")[0] == (COUNT, 1)


def test_a_changed_design_has_a_floor_of_its_own(stage):
    stage.scene(FLOOR)
    floor = stage.page.locator("canvas[data-panel=floor]").last
    assert "0 from" not in floor.get_attribute("aria-valuetext")
    stage.page.locator("canvas[data-panel=spectrum]").last.focus()
    stage.press("End", "ArrowDown")
    expect(floor).to_have_attribute(
        "aria-valuetext", re.compile("m 1 leaves nMSE 0.17;.* 0 from m 64")
    )


def test_the_speakers_window_mirrors_drags_looks_ahead_and_survives_reloads(stage, context):
    deck = stage.page
    before = stage.scene(FLOOR)[1]
    with context.expect_page() as opened:
        stage.press("s")
    speaker, pages = opened.value, len(context.pages)
    title = speaker.locator("[data-speaker=title]")
    expect(title).to_contain_text(f"{FLOOR} · 1/5")
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
    bright = speaker.evaluate(MEAN)
    speaker.get_by_role("button", name="Spotlight").click()

    def dims():
        speaker.mouse.move(x + 40, y, steps=2)  # it would fade where nothing moves
        return speaker.evaluate(MEAN) < 0.6 * bright

    until(dims)
    deck.locator("[data-over=spot]").wait_for()  # both windows see it
    speaker.keyboard.press("l")
    until(lambda: speaker.evaluate(MEAN) > 0.9 * bright)
    speaker.keyboard.press("b")
    speaker.get_by_text("The room sees black.").wait_for()
    speaker.keyboard.press("PageDown")
    until(lambda: stage.at == (FLOOR, 2))
    deck.locator("[data-over=black]").wait_for()
    expect(title).to_contain_text(f"{FLOOR} · 2/5")
    until(lambda: "step=2" in deck.url)
    for window in (speaker, deck):
        window.reload()
        until(lambda: speaker.evaluate(pictures) > 1 and stage.at == (FLOOR, 2))
    speaker.keyboard.press("PageUp")
    until(lambda: stage.at == (FLOOR, 1))
    stage.press("s")
    until(lambda: speaker.evaluate(pictures) > 1)
    assert len(context.pages) == pages, "there is one such window"
    deck.bring_to_front()
    stage.scene(RATES)
    until(lambda: speaker.evaluate(COLOURS, deck.evaluate(BUTTON)) > 8)  # what is pressed is seen
    speaker.close()


def test_a_handout_has_all_scenes_and_no_notes(stage):
    stage.page.evaluate("window.print = () => (window.printed = true)")
    stage.press("Control+p")
    until(lambda: stage.page.evaluate("window.printed ?? false"))
    stage.page.emulate_media(media="print")
    articles = stage.page.locator(".paper article")
    expect(articles).to_have_count(COUNT)
    articles.first.wait_for()
    assert "Eq. 5 of the paper, term by term" not in stage.page.content()
    assert len(articles.first.locator("li").all()) == stage.page.evaluate(STEPS)[0]
    paper = stage.page.pdf(prefer_css_page_size=True)
    sides = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", paper)
    assert sides and float(sides[1]) < float(sides[2]), "upright"
    stage.page.emulate_media(media="screen")


def test_the_browsers_menu_prints_the_words_at_once_and_pictures_once_the_deck_has_rested(stage):
    page = stage.page
    page.evaluate(PAINTED)
    words = _pages(page.pdf(prefer_css_page_size=True))
    articles = page.locator(".paper article")
    expect(articles).to_have_count(COUNT)
    assert len(articles.first.locator("li").all()) == page.evaluate(STEPS)[0]
    stage.press("t")
    until(lambda: page.evaluate("document.documentElement.dataset.theme") == "dark")
    until(lambda: page.evaluate("__explorerStage.handout.isDrawn"))
    assert "Second heatmap" not in page.evaluate("window.painted"), "for screen readers alone"
    assert "residual" in page.evaluate("window.painted"), "and for all"
    assert page.evaluate(BRIGHTEST) > 250, "paper is light, whatever the stage is"
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.emulate_media(media="print")
    sizes = page.evaluate("[...document.querySelectorAll('.paper img')].map((i) => i.naturalWidth)")
    assert min(sizes) > 500
    assert _of_each(page) == PICTURES
    assert _pages(page.pdf(prefer_css_page_size=True)) > words
    page.emulate_media(media="screen")


def test_alone_a_handout_is_saved_and_the_file_has_all_of_it_without_a_script(context, talk):
    page = context.new_page()
    with page.expect_download(timeout=90_000) as saving:
        page.goto(f"{talk.as_uri()}#handout")
        expect(page.get_by_role("status")).to_contain_text(f"of {sum(PICTURES)} pictures are drawn")
    file = talk.with_name(saving.value.suggested_filename)
    assert file.name == "hand-out.html"
    saving.value.save_as(file)
    shown = _of_each(page)
    page.goto(file.as_uri())
    assert _of_each(page) == shown == PICTURES
    assert page.locator("li").count() == sum(len(scene.steps) for scene in SHIPPED.scenes)
    assert page.locator("script").count() == 0 and serious(page) == []
    page.close()


def _of_each(page):
    """How many pictures each scene of a hand-out has."""
    return page.evaluate(
        "[...document.querySelectorAll('.paper article')]"
        ".map((article) => article.querySelectorAll('img[src]').length)"
    )


def _pages(paper):
    return len(re.findall(rb"/Type /Page\b", paper))


def test_the_theme_and_a_scene_in_the_address_survive_what_is_around_them(stage):
    page = stage.page
    stage.press("t")
    theme = "document.documentElement.dataset.theme"
    until(lambda: page.evaluate(theme) == "dark")
    page.reload()
    stage.wait_shown()
    assert page.evaluate(theme) == "dark"
    stage.press("2", "9")
    assert page.locator("[data-over=jump]").inner_text() == "scene 9 ⏎", "there is no scene 29"
    assert stage.step("Enter")[0] == (9, 1)
    page.evaluate("location.hash = '#scene=3x&step=2'")
    page.reload()
    stage.wait_shown()
    assert stage.at == (3, 2)


def test_what_was_predicted_stays_in_its_scene_until_it_is_taken_back(stage):
    said = "__explorerStage.picture.root.querySelector('[data-text=hint]').textContent"

    def draw():
        place = stage.page.evaluate("__explorerStage.picture.root.probe.places().boxes[0]")
        box = stage.page.locator("canvas.on[data-panel=figure]").last.bounding_box()
        left, top = box["x"] + place["x"], box["y"] + place["y"]
        stage.page.mouse.move(left + 2, top + 0.2 * place["h"])
        stage.page.mouse.down()
        stage.page.mouse.move(left + place["w"] - 2, top + 0.6 * place["h"], steps=8)
        stage.page.mouse.up()

    stage.scene(RATES)
    stage.labels()
    draw()
    until(lambda: stage.page.evaluate(said) == "Reveal shows what training found.")
    for _ in range(2):
        stage.step("PageDown")
        until(lambda: "r = 6: you drew a slope" in stage.page.evaluate(said))
        stage.step("PageUp")
    for _ in range(4):
        stage.step("PageDown")
    assert stage.page.evaluate(said) == "", "an error of another norm"
    stage.scene(RATES - 1)
    stage.scene(RATES)
    assert stage.page.evaluate(said).startswith("Draw how the error of r = 6")
    draw()
    assert stage.page.evaluate("__explorerStage.touched")
    stage.press("Escape")  # out of the picture
    stage.step("Escape")
    stage.step("PageDown")
    assert stage.page.evaluate(said) == "", "taken back by Esc"


def test_words_step_back_while_the_picture_is_another_than_theirs(stage):
    words = stage.page.locator("[data-text=words]")
    stage.scene(TRAINING)
    plain = words.evaluate("(each) => getComputedStyle(each).color")
    stage.page.locator(".turner input").last.press("End")
    until(lambda: words.evaluate("(each) => getComputedStyle(each).color") != plain)
    stage.press("Escape")  # out of the slider
    stage.step("Escape")
    assert words.evaluate("(each) => getComputedStyle(each).color") == plain


def test_the_numbers_in_words_follow_what_is_tried_and_esc_brings_them_back(stage):
    page, words = stage.page, stage.page.locator("[data-text=words]")
    stage.scene(number("wide head"))
    before = words.inner_text()
    slider = page.locator(".picture > div:last-child .ff input")
    slider.fill("12")
    expect(words.locator("[data-number=ff]")).to_have_text("10¹²")
    expect(words.locator("[data-number=least]")).to_have_text("ten")
    expect(words).not_to_have_class(re.compile("aside"))
    stage.press("Escape")  # out of the slider
    stage.step("Escape")
    assert words.inner_text() == before


SAID = """() => [...document.querySelectorAll("[data-text=words] [data-number]")]
  .map((each) => [each.dataset.number, each.textContent])"""
DENIALS = [
    ("A vote", 3, "canvas[data-panel=plane]", ["Shift+ArrowDown"] * 4),
    ("One row", 5, "canvas[data-panel=plane]", ["Shift+ArrowLeft"] * 4),
    ("narrow head", 3, "canvas[data-panel=spectrum]", ["Shift+ArrowDown"] * 4),
    ("training find", 3, ".turner input", ["ArrowRight"] * 3),
    ("training find", 6, ".turner input", ["ArrowLeft"] * 3),
    ("Two heads", 3, "canvas[data-panel=plane]", ["]"] * 5 + ["Shift+ArrowLeft"] * 4),
    ("order matter", 1, "canvas[data-panel=kernels]", ["ArrowRight"] * 5 + ["Shift+ArrowUp"] * 9),
    ("order matter", 2, "canvas[data-panel=tokens]", ["End", *["Shift+ArrowLeft"] * 25] * 3),
    ("mixing matter", 1, "canvas[data-panel=filter]", ["ArrowRight", "Shift+ArrowUp"]),
    ("mixing matter", 2, "canvas[data-panel=filter]", ["ArrowRight", "Shift+ArrowUp"]),
    ("real models", 2, "canvas[data-panel=heads]", ["ArrowRight"]),
    ("real models", 8, "canvas[data-panel=cut]", ["ArrowLeft"]),
    ("remembered", 4, ".scrub input[type=range]", ["Home"]),
    ("Which architecture", 1, "canvas[data-panel=kernels]", ["End", *["Shift+ArrowUp"] * 2]),
    ("Which architecture", 2, "canvas[data-panel=kernels]", ["ArrowRight", "Shift+ArrowUp"]),
    ("Which architecture", 3, "canvas[data-panel=kernels]", ["End", *["Shift+ArrowUp"] * 2]),
]
"""Steps of scenes, and keys in a picture that make what the step says untrue."""


@pytest.mark.parametrize(("words", "step", "widget", "keys"), DENIALS)
def test_no_sentence_denies_the_picture_whatever_is_tried(stage, words, step, widget, keys):
    page = stage.page
    page.evaluate("at => __explorerStage.go(at)", {"scene": number(words) - 1, "step": step - 1})
    until(lambda: stage.at == (number(words), step))
    stage.labels()  # what fades is gone: the keys are for the picture that stays
    before = page.evaluate(SAID)
    page.locator(f".picture > div:last-child {widget}").focus()
    stage.press(*keys)
    until(lambda: page.evaluate(SAID) != before)
    names = [name for name, _ in before]

    def agrees():
        numbers = page.evaluate("__explorerStage.picture.probe.numbers()")
        return page.evaluate(SAID) == [[name, numbers[name]] for name in names]

    assert names
    until(agrees)  # a drawing of the last key may be under way


def test_a_number_typed_in_the_speakers_window_turns_the_deck_and_is_not_shown_to_the_room(
    stage, context
):
    with context.expect_page() as opened:
        stage.press("s")
    speaker = opened.value
    expect(speaker.locator("[data-speaker=title]")).to_contain_text("1 · 1/3")
    speaker.keyboard.press("4")
    expect(speaker.locator("[data-over=jump]")).to_have_text("scene 4 ⏎")
    assert not stage.page.locator("[data-over=jump]").is_visible()
    speaker.keyboard.press("Enter")
    until(lambda: stage.at == (4, 1))
    speaker.keyboard.press("g")
    speaker.keyboard.press("Escape")
    expect(speaker.locator("[data-over=jump]")).not_to_be_visible()
    assert not stage.page.get_by_role("dialog", name="All scenes").is_visible()
    speaker.close()


def test_all_scenes_are_seen_at_once_and_at_the_speakers_alone(stage, context):
    page = stage.page
    stage.press("o")
    assert page.evaluate(COMPLETE) == len(PAGES), "each at the first sight"
    until(lambda: page.evaluate("__explorerStage.overlays.gallery.drawn.size") == len(PAGES))
    for width, height in ((1920, 1080), (1280, 720)):
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate(HIDDEN) == [], "nothing is scrolled"
    stage.press("o")
    with context.expect_page() as opened:
        stage.press("s")
    speaker = opened.value
    expect(speaker.locator("[data-speaker=title]")).to_contain_text("1 · 1/3")
    expect(speaker.locator("time")).to_have_text(re.compile(r"\d:\d\d"))
    over = [each.get_by_role("dialog", name="All scenes") for each in (speaker, page)]
    for window in (speaker, page):  # whoever asks for it
        window.keyboard.press("o")
        expect(over[0]).to_be_visible()
        assert not over[1].is_visible()
        window.keyboard.press("o")
        expect(over[0]).not_to_be_visible()
    stage.press("7")
    expect(speaker.locator("[data-over=jump]")).to_have_text("scene 7 ⏎")
    assert not page.locator("[data-over=jump]").is_visible()
    stage.press("Escape", "Escape")  # out of the number; nothing is open: all scenes
    expect(over[0]).to_be_visible()
    over[0].get_by_role("button").nth(FLOOR - 1).click()
    until(lambda: stage.at == (FLOOR, 1))
    picture = speaker.get_by_label("Picture of the next step")
    expect(picture).to_be_visible()
    assert picture.evaluate("({ width }) => width") > 600
    speaker.keyboard.press("o")
    assert set(speaker.evaluate(ABOVE_THE_FORMULA)) == {"overview"}, "nothing shines through"
    speaker.keyboard.press("o")
    speaker.keyboard.press("?")
    expect(speaker.get_by_role("dialog", name="Keys")).to_be_visible()
    assert not page.get_by_role("dialog", name="Keys").is_visible()
    speaker.keyboard.press("Escape")
    speaker.keyboard.press("f")
    until(lambda: speaker.evaluate("Boolean(document.fullscreenElement)"))
    assert not page.evaluate("Boolean(document.fullscreenElement)")
    assert serious(speaker) == []
    speaker.close()


ABOVE_THE_FORMULA = """() => [...document.querySelectorAll(".speaker .formula span")]
  .map((each) => {
  const { x, y, width, height } = each.getBoundingClientRect();
  const above = document.elementFromPoint(x + width / 2, y + height / 2);
  return above.closest("[data-over]")?.dataset.over ?? above.outerHTML;
})"""
# A picture that is drawn anew meanwhile takes the place of one that is still being decoded.
COMPLETE = """() =>
  [...document.querySelectorAll("[data-over=overview] img")]
    .filter(({ src }) => src.startsWith("data:image/")).length"""
HIDDEN = """() => {
  const over = document.querySelector("[data-over=overview]");
  return [over, ...over.querySelectorAll("button")]
    .filter((each) => each.scrollHeight > each.clientHeight + 1)
    .map((each) => each.textContent);
}"""
PAINTED = """() => {
  const pen = CanvasRenderingContext2D.prototype, fill = pen.fillText;
  window.painted = [];
  pen.fillText = function (text, ...where) {
    if (!this.canvas.isConnected) window.painted.push(text);
    return fill.call(this, text, ...where);
  };
}"""
BRIGHTEST = """async () => {
  const [image] = document.querySelectorAll(".paper img");
  const canvas = Object.assign(document.createElement("canvas"), { width: 4, height: 4 });
  const ctx = canvas.getContext("2d");
  ctx.drawImage(image, 0, 0, 4, 4, 0, 0, 4, 4);
  return Math.min(...ctx.getImageData(0, 0, 4, 4).data);
}"""
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
MEAN = """() => {
  const mirror = document.querySelector("[data-speaker=mirror]");
  const { data } = mirror.getContext("2d").getImageData(0, 0, mirror.width, mirror.height);
  return data.reduce((sum, each) => sum + each, 0) / data.length - 64;
}"""
FOURTH_DOT = """() => {
  const [canvas] = __explorerStage.picture.canvases();
  const [from, around] = [canvas, document.querySelector(".picture")]
    .map((element) => element.getBoundingClientRect());
  const [x, y] = __explorerDesign.handles("spectrum").at(-3);
  return [(from.x + x - around.x) / around.width, (from.y + y - around.y) / around.height];
}"""
ON_SCREEN = """() => {
  const canvas = __explorerStage.picture.canvases().find((one) => one.dataset.panel === "spectrum");
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


def serious(page, **options):
    """What axe finds that keeps somebody out."""
    found = Axe().run(page, options={"resultTypes": ["violations"], **options})
    return [v["id"] for v in found.response["violations"] if v["impact"] in ("serious", "critical")]


def within_the_window(page, width, height):
    for panel, box in page.evaluate(BOXES):
        assert box["width"] > 200 and box["height"] > 80, panel
    words, foot = (page.locator(name).bounding_box() for name in (".words", "footer"))
    assert words["y"] + words["height"] <= foot["y"] + 1
    assert foot["y"] + foot["height"] <= height and foot["x"] + foot["width"] <= width


def test_each_scene_by_its_number_fits_and_axe_finds_nothing_in_either_theme(stage):
    """F5 shows it once more, a reload comes back to it."""
    page = stage.page
    page.evaluate("window.same = true")
    for scene in PAGES:
        assert stage.scene(scene)[0] == (scene, 1)
        for width, height in ((1024, 768), (1280, 720)):
            page.set_viewport_size({"width": width, "height": height})
            stage.labels()
            within_the_window(page, width, height)
        assert page.evaluate(SMALL) == []
        assert serious(page) == [], scene
        stage.press("t")
        assert serious(page, runOnly=["color-contrast"]) == [], scene
        stage.step("PageDown")
        assert stage.step("F5")[0] == (scene, 1)
    assert page.evaluate("window.same"), "nothing was loaded again"
    stage.press("Escape")
    assert serious(page) == []
    page.reload()
    stage.wait_shown()
    assert stage.at == (PAGES[-1], 1), "a reload comes back to where the talk was"
    page.set_viewport_size({"width": 1024, "height": 768})
    stage.page.evaluate(LISTEN)
    stage.scene(number("mixing"))
    stage.step("PageDown")
    written = {(t, y) for _, t, panel, _, y in page.evaluate("__written") if panel == "filter"}
    numbers = [(t, y) for t, y in written if re.fullmatch(r"−?[\d.]+", t)]
    below = max(y for _, y in numbers)  # where the axis of s has its own
    beside = sorted(y for _, y in numbers if y < below - 12)
    assert len(beside) > 1
    assert min(b - a for a, b in pairwise(beside)) >= 24, "numbers of an axis are clear of others"
    before = stage.scene(FLOOR)[1]
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
    const host = this.canvas.getRootNode().host; // what is drawn for the hand-out is not seen
    if (!host || host.closest(".desk")) return fill.call(this, text, ...where);
    const { width } = this.canvas.getBoundingClientRect();
    const scale = (this.getTransform().a * width) / this.canvas.width;
    const size = parseFloat(this.font.match(/([\\d.]+)px/)[1]) * scale;
    window.__written.push([size, text, this.canvas.dataset.panel, ...where.slice(0, 2)]);
    return fill.call(this, text, ...where);
  };
}"""
