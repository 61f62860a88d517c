"""A colour, a figure and a live panel that the explorer does not have, added as CONTRIBUTING says:
each is wherever it has to be, or an error says what is missing."""

import io
import shutil
import sys
import zipfile
from importlib.util import module_from_spec, spec_from_file_location

import altair as alt
import pandas as pd
import pytest
from node import Node

from explorer.charts import DARK, LIGHT, palette
from explorer.ui.exports import About, everything

MAUVE, LILAC = "#8a2be2", "#c8a2ff"  # in the light theme, and in the dark one
LAST = {MAUVE: "#e69f00", LILAC: "#0072b2"}
"""After which colour of chartCategoricalColors each stands."""


@pytest.fixture
def browser(tmp_path):
    """A Node of its own, whose globals may be those of a browser."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    node = Node(tmp_path)
    yield node
    node.stop()


@pytest.fixture
def with_colours(tmp_path, monkeypatch):
    """Gives the palette of a house whose .streamlit/config.toml has these colours more."""

    def made(*colours):
        text = palette.CONFIG.read_text("utf-8")
        for colour in colours:
            assert text.count(f'"{LAST[colour]}"]') == 1
            text = text.replace(f'"{LAST[colour]}"]', f'"{LAST[colour]}", "{colour}"]')
        (tmp_path / ".streamlit").mkdir()
        (tmp_path / ".streamlit" / "config.toml").write_text(text, "utf-8")
        monkeypatch.setattr("explorer.folder.resource", tmp_path.joinpath)
        spec = spec_from_file_location("palette_of_another_house", palette.__file__)
        module = module_from_spec(spec)
        monkeypatch.setitem(sys.modules, spec.name, module)  # dataclasses look there
        spec.loader.exec_module(module)
        return module

    return made


READ = """
const values = Object.fromEntries(
  css.split(";").filter(Boolean).map((line) => line.split(/:(.*)/s).slice(0, 2)),
);
globalThis.getComputedStyle = () => ({ getPropertyValue: (name) => values[name] ?? "" });
return c.readTheme({ clientWidth: 800 }).categories;
"""


def test_a_new_colour_is_in_every_figure_and_on_every_canvas(with_colours, browser):
    made = with_colours(MAUVE, LILAC)
    common, light, dark = made.css_variables()
    rgb = {MAUVE: "rgb(138 43 226)", LILAC: "rgb(200 162 255)"}
    for theme, css, colour in ((made.LIGHT, light, MAUVE), (made.DARK, dark, LILAC)):
        assert theme.series(9)[8] == colour, "before, the ninth line had the colour of the first"
        assert browser("live", READ, css=common + css)[8] == rgb[colour]
    assert LIGHT.series(9)[8] == LIGHT.accent and DARK.series(9)[8] == DARK.accent


def test_a_colour_of_one_theme_alone_is_an_error_that_names_it(with_colours):
    with pytest.raises(ValueError, match=r"chartCategoricalColors: 9 in light, 8 in dark"):
        with_colours(MAUVE)


def test_a_new_figure_goes_home_with_its_table():
    table = pd.DataFrame({"m": [1, 2, 3], "made up": [0.5, 0.25, 0.125]})

    def build(palette):
        line = alt.Chart(table).mark_line(color=palette.accent)
        return line.encode(x="m:Q", y=alt.Y("made up:Q"))

    about = About("made-up", "A made-up figure", "spec 0123456789ab", table)
    with zipfile.ZipFile(io.BytesIO(everything({"made up": (build, about)}))) as files:
        names = {name.rpartition(".")[2]: name for name in files.namelist()}
        assert names["csv"].startswith("made-up") and names["pdf"].startswith("made-up")
        assert pd.read_csv(io.BytesIO(files.read(names["csv"]))).equals(table)
        assert files.read(names["pdf"])[:4] == b"%PDF"


PAGE = """
const written = [];
const ctx = new Proxy({}, {
  get: (_, name) =>
    name === "measureText" ? (text) => ({ width: 6 * text.length })
    : name === "fillText" ? (text) => written.push(text)
    : () => {},
  set: () => true,
});
const canvasOf = (panel) => ({
  panel, attributes: {}, clientWidth: 300, clientHeight: 200, style: {},
  getContext: () => ctx,
  getBoundingClientRect: () => ({ width: 300, height: 200 }),
  getAttribute(name) { return this.attributes[name] ?? null; },
  setAttribute(name, value) { this.attributes[name] = value; },
});
const canvases = Object.fromEntries(markup.map((panel) => [panel, canvasOf(panel)]));
const frames = [];
Object.assign(globalThis, {
  window: globalThis, document: {}, devicePixelRatio: 1,
  addEventListener() {}, removeEventListener() {}, dispatchEvent() {},
  requestAnimationFrame: (draw) => frames.push(draw),
  ResizeObserver: class { observe() {} disconnect() {} },
  getComputedStyle: () => ({ getPropertyValue: () => "#123456" }),
});
const root = { clientWidth: 800, querySelector: (of) => canvases[/panel=([^\\]]+)/.exec(of)[1]] };
const DRAW = {
  madeUp(ctx, theme, w, h, view) {
    c.write(ctx, theme, "made up", 10, 10);
    return `A made-up panel of ${view.value}`;
  },
};
class Made extends c.CanvasView {
  value = 7;
  paint(panel, ...rest) { return DRAW[panel](...rest, this); }
}
let view;
try { view = new Made(root, "MadeUp", Object.keys(DRAW)); } catch (error) { return error.message; }
view.invalidate();
frames.forEach((draw) => draw(0));
const { draws, texts } = globalThis.__explorerMadeUp;
const said = canvases.madeUp.attributes["aria-label"];
return { said, written, draws, boxes: texts.madeUp.boxes.length };
"""


def test_a_new_panel_is_drawn_heard_and_looked_after(browser):
    made = browser("live", PAGE, markup=["madeUp"])
    assert made["said"] == "A made-up panel of 7"
    assert made["written"] == ["made up"] and (made["draws"], made["boxes"]) == (1, 1)


def test_a_panel_without_a_canvas_is_an_error_that_names_it(browser):
    said = browser("live", PAGE, markup=["another"])
    assert said == 'MadeUp: its markup has no <canvas data-panel="madeUp">'
