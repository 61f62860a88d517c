"""What canvases draw where: no mark leaves its axes, colours beyond a scale are said, keys stay."""

import base64

import numpy as np
import pytest

from explorer.pages.design.view_drawing import design_drawing
from explorer.runs.frames import pack
from explorer.spec import CouplingSpec
from explorer.theory.design import Design
from explorer.views.selection import Selection

# A pen that notes what it is told; letters are half as wide as high.
PEN = """
const calls = [], state = { font: "13px sans" };
const size = () => parseFloat(state.font.match(/([\\d.]+)px/)[1]);
const pen = new Proxy(state, {
  get: (_, name) => name === "measureText" ? (text) => ({ width: 0.5 * size() * text.length })
    : name === "createLinearGradient" ? () => ({ addColorStop() {} })
    : name in state ? state[name] : (...where) => void calls.push([name, ...where]),
  set: (_, name, value) => { state[name] = value; return true; },
});
globalThis.matchMedia ??= () => ({ matches: true });
const image = { getContext: () => ({ createImageData: (w, h) => ({ data: new Uint8ClampedArray(4 * w * h) }), putImageData() {} }) };
globalThis.document ??= { createElement: () => ({ ...image }) };
const theme = { size: 13, ink: "#000000", paper: "#ffffff", accent: "#0000ff", second: "#ff0000", grey: "#888888",
  line: "#cccccc", grid: "#eeeeee", pale: "#aaaaff", font: "sans", diverging: [[0, 0, 255], [255, 255, 255], [255, 0, 0]] };
const texts = () => calls.filter(([name]) => name === "fillText").map(([, text, x, y]) => [text, x, y]);
"""  # noqa: E501 - as the scripts of the components are written

RUN = """
const array = (values, shape = [values.length]) => ({ shape, values: Float32Array.from(values) });
const rho = array(Array.from({ length: 16 }, (_, i) => i / 8 - 1), [4, 4]);
const learned = { rho_hat: array([...rho.values].map((x) => far * x), [4, 4]), sigma_hat: array(sigma_hat) };
const run = { ...c.emptyRun(), drawing: { rho, sigma: array(sigma), m_h: sigma_hat.length, tau: 4, floor: 0 } };
run.frame = learned;
const view = { run, squares: {}, pin: null, point: null };
"""  # noqa: E501


@pytest.mark.parametrize("top", [0.9, 2.5, 7.0, 300.0])
def test_learned_values_stay_inside_the_axes(javascript, top):
    """σ̂₁ far above σ₁ = 1, as a wide head has it early on, was drawn over the heading."""
    body = PEN + RUN + "c.drawSpectrum(pen, theme, 420, 300, view); return calls;"
    values = {"sigma": [1 / k for k in range(1, 65)], "sigma_hat": [top, *[0.1] * 31], "far": 1}
    dots = [call for call in javascript("live", body, **values) if call[0] == "arc"]
    axes, key = 2.6 * 13, 13 * 1.35
    inside = [y for _, _, y, *_ in dots if abs(y - key) > 8]
    assert len(inside) >= 90 and min(inside) >= axes and max(inside) <= 300


def test_the_axis_of_the_spectrum_rests_while_values_change_a_little(javascript):
    ends = [
        javascript("live", "return c.spectrumDomain([1, 0.5], 2, [top], [])", top=top)["high"]
        for top in (0.5, 1.7, 4.0, 4.1, 8.0, 9.2)
    ]
    assert ends == pytest.approx([2, 2, 10, 10, 10, 10**1.5])


@pytest.mark.parametrize(("far", "marks"), [(1, ""), (0.5, ""), (2, "≤≥")])
def test_a_learned_coupling_beyond_the_colours_says_so(javascript, far, marks):
    body = PEN + RUN + "c.drawCoupling(pen, theme, 500, 300, view); return texts();"
    values = {"sigma": [1.0], "sigma_hat": [1.0], "far": far}
    written = "".join(text for text, *_ in javascript("live", body, **values))
    assert all((mark in written) == (mark in marks) for mark in "≤≥")


def test_each_end_of_a_colour_scale_is_marked_for_itself(javascript):
    body = "return c.beyond({ limit: 1 }, [0.5, -1], null, [2])"
    assert javascript("live", body) == {"limit": 1, "below": False, "above": True}


DESIGN = """
const view = Object.create(c.Design.prototype);
Object.assign(view, { history: new c.History(), exchange: new c.Exchange(view) });
Object.assign(view, { range: null, over: null, drag: null });
Object.assign(view, { invalidate() {}, learned: { take() {}, sigma: [] } });
view.take(Buffer.from(data, "base64"));
c.drawSpectrum(pen, theme, 450, 330, view);
"""


def drawn(javascript, rest, spec, **shown):
    header, arrays = design_drawing(Design(spec), Selection(tolerance=0.03, **shown))
    data = base64.b64encode(pack(header, arrays)).decode()
    return javascript("design", PEN + DESIGN + rest, data=data)


@pytest.mark.parametrize(("rank", "m_h"), [(5, 4), (6, 8), (6, 16), (12, 8)])
def test_the_last_term_has_its_label(javascript, rank, m_h):
    """As on the axis of the truncation below; the one before it where there is room."""
    rest = "c.drawFloor(pen, theme, 450, 330, view); return [spectrum, texts()];"
    spec = CouplingSpec(rank=rank, m_h=m_h)
    above, both = drawn(javascript, f"const spectrum = texts();{rest}", spec)
    for texts in (above, both[len(above) :]):
        lowest = max(y for text, _, y in texts if text.isdigit())
        labels = {text for text, _, y in texts if y == lowest}
        assert str(rank) in labels and (str(rank - 1) in labels or m_h > 4)


@pytest.mark.parametrize("spec", [CouplingSpec(), CouplingSpec(m_h=40), CouplingSpec(rank=3)])
def test_the_key_of_the_spectrum_is_never_left_out(javascript, spec):
    """At 1280 pixels there is no room for three marks beside the title."""
    found = drawn(javascript, "return texts();", spec)
    below = spec.rank is None
    key = {"kept": 1, "left out": spec.m_h < (spec.rank or 33), "below the tolerance": below}
    for text, there in key.items():
        places = [(x, y) for word, x, y in found if word == text]
        assert len(places) == bool(there), text
        for x, y in places:
            width = 0.5 * 13 * len(text)
            ends = [
                (at, at + 0.5 * 13 * len(word))
                for word, at, height in found
                if abs(height - y) < 9 and word != text
            ]
            assert x + width <= 451 and not any(a < x + width and x < b for a, b in ends)


FALLS = {
    "slowly": CouplingSpec(),
    "fast": CouplingSpec(alpha=2.0),
    "geometrically": CouplingSpec(spectrum="exponential"),
}


@pytest.mark.parametrize("error", [0.3, 0.1, 0.03, 0.01, 0.004])
@pytest.mark.parametrize("falls", FALLS)
def test_the_wanted_error_is_not_written_over_the_curves(javascript, falls, error):
    rest = """
    calls.length = 0;
    c.drawFloor(pen, theme, 450, 230, view);
    const { lists, x, y } = view.floorPlan;
    return [texts().filter(([text]) => text.startsWith("nMSE ≤")), lists.flat().map(([m, e]) => [x(m), y(e)])];
    """  # noqa: E501
    (label,), points = drawn(javascript, rest, FALLS[falls], error=error)
    if falls == "geometrically" and error > 0.03:
        return  # over twenty decades both curves are where the words have to be
    text, left, base = label
    box = (left - 2, left + 0.5 * 13 * len(text) + 2, base - 11, base + 3)
    under = [p for p in points if box[0] < p[0] < box[1] and box[2] < p[1] < box[3]]
    assert not under, (label, np.round(under))
