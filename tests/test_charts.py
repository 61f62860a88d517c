"""Charts: valid specifications, honest log axes, legends, and an SVG without a network."""

import json
import re
import tomllib
from functools import cache
from pathlib import Path

import pandas as pd
import pytest
import vl_convert

from explorer.charts import DARK, LIGHT
from explorer.charts.heatmap import coupling_chart
from explorer.charts.palette import GREY, GRID, LINE
from explorer.pages.attention import chart as attention
from explorer.pages.design import chart as design
from explorer.pages.design import view_tables as tables
from explorer.pages.design.view import TrainedWidth
from explorer.pages.design.view_drawing import design_drawing
from explorer.pages.order import chart as order_pictures
from explorer.spec import CouplingSpec, amended
from explorer.theory.design import Design
from explorer.views.selection import Selection
from explorer.views.series import LEARNED

ROOT = Path(__file__).resolve().parent.parent
TRAINED = [TrainedWidth(2, 0.01, "a-1", 0), TrainedWidth(5, 1e-6, "b-1", 3)]
VIEWS = {
    "rank ∞": CouplingSpec(),
    "rank 3": CouplingSpec(rank=3),
    "rank 1": CouplingSpec(rank=1),
    "rank 0": CouplingSpec(formula="u"),
    "geometric": CouplingSpec(spectrum="exponential"),
    "equal σ": CouplingSpec(spectrum="list", sigma=(1.0, 1.0)),
}


@cache
def drawing(name, trained=False):
    runs = TRAINED if trained else []
    spec = amended(VIEWS[name], m_h=2)
    return design_drawing(Design(spec), Selection(error=0.02), runs)


@cache
def charts(name, palette=LIGHT, trained=False):
    found = drawing(name, trained)
    width = {"m": 2, "error": 0.02, "wanted": "nMSE ≤ 0.020: m = 9"}
    return {
        "spectrum": design.spectrum_chart(tables.spectrum(found), 2, palette),
        "floor": design.floor_chart(tables.floor(found), palette, **width),
        "functions": design.functions_chart(tables.functions(found), palette),
        "row": design.row_chart(tables.row(found), palette),
    }


def rows(chart):
    """Data of every layer, in order."""
    spec = chart.to_dict()
    data = spec["datasets"]
    named = [layer["data"]["name"] for layer in spec["layer"]]
    return [data[name] for name in dict.fromkeys(named)]


@cache
def svg(figure, name, palette=LIGHT, trained=False):
    """A figure of `charts`, drawn with every address forbidden."""
    chart = charts(name, palette, trained)[figure]
    spec = (chart if figure == "row" else chart.properties(width=300)).to_dict()
    return vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])


TITLES = {
    "spectrum": ["k", "σₖ"],
    "floor": ["m", "error"],
    "functions": ["u, v", "φ_k(u), ψ_k(v)"],
    "row": ["v", "ρ(u, v)", "softmax, uniform = 1"],
}
LEGENDS = {
    "spectrum": ["kept", "left out"],
    "floor": ["nMSE, in Var(y)", "mean absolute error, in y"],
    "functions": ["φ_1(u)", "ψ_1(v)"],
    "row": ["ρ", "ρ_m"],
}


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("name", TITLES)
def test_an_svg_needs_no_network_and_has_its_titles_and_legend(name, palette):
    picture = svg(name, "rank 3", palette, trained=True)
    assert picture.startswith("<svg")
    for text in TITLES[name] + LEGENDS[name]:
        assert f">{text}<" in picture, text
    assert (palette.ink if name != "floor" else palette.grey) in picture


@pytest.mark.parametrize("name", VIEWS)
def test_every_coupling_can_be_drawn(name):
    for trained in (False, True):
        for chart in charts(name, trained=trained).values():
            json.dumps(chart.to_dict(), allow_nan=False)
    assert "NaN" not in svg("floor", name, trained=True)
    assert "NaN" not in svg("spectrum", name)


def channel(chart, name):
    """A channel in the first layer that has it as more than a place."""
    spec = chart.to_dict()
    layers = spec.get("layer") or spec.get("vconcat") or [spec]
    found = (layer["encoding"].get(name, {"value": None}) for layer in layers)
    return next(channel for channel in found if "value" not in channel)


@pytest.mark.parametrize(
    ("name", "names", "filled"),
    [
        ("rank 3", ["kept", "left out"], 1),
        ("rank 1", ["kept"], 1),
        ("geometric", ["kept", "left out", "below the tolerance"], 1),
    ],
)
def test_the_spectrum_tells_its_parts_by_fill_and_shape(name, names, filled):
    chart = charts(name)["spectrum"]
    fill, shape = channel(chart, "fill")["scale"], channel(chart, "shape")["scale"]
    assert fill["domain"] == shape["domain"] == names
    expected = [LIGHT.ink] * filled + ["transparent"] * (len(names) - filled)
    room = max(2, len(names))  # Vega has no range of one
    assert fill["range"] == (expected * room)[:room]
    crosses = ["cross" if name == "below the tolerance" else "circle" for name in names]
    assert shape["range"] == (crosses * room)[:room]


def test_the_tolerance_is_drawn_where_a_value_is_near_it():
    assert ">tolerance 1.0·10⁻¹⁰<" in svg("spectrum", "geometric")
    assert ">tolerance" not in svg("spectrum", "rank 3")


@pytest.mark.parametrize("name", VIEWS)
def test_a_zero_falls_into_its_lane_and_the_reason_stands_there(name):
    table = tables.floor(drawing(name))
    zero = table["m"][(table["nmse"] == 0) & (table["m"] > 0)]
    chart = charts(name)["floor"]
    assert channel(chart, "y")["scale"]["type"] == "log"
    assert channel(chart, "x")["scale"] == {
        "type": "log",
        "nice": False,
        "padding": 10,
        "domain": [1, 32],
    }
    for data in rows(chart):
        assert all(row["m"] > 0 for row in data if "m" in row), "m = 0 has no place either"
        errors = [row[norm] for row in data for norm in ("nmse", "mae_low") if norm in row]
        assert all(error > 0 for error in errors)
    first = {"rank 3": 3, "rank 1": 1, "rank 0": 1, "equal σ": 2}.get(name)
    assert (None if zero.empty else zero.min()) == first
    note = f">0 from m = {first} on, in its own lane: a log axis has no 0<"
    assert (note in svg("floor", name)) == (first is not None)
    assert ("log axis" in svg("floor", name)) == (first is not None)


def test_a_spectrum_of_nothing_says_so():
    assert ">every σₖ is 0<" in svg("spectrum", "rank 0")


@pytest.mark.parametrize("name", ["rank 1", "equal σ"])
def test_one_value_alone_gets_room_and_its_own_tick(name):
    chart = charts(name)["spectrum"]
    assert channel(chart, "y")["scale"]["domain"] == pytest.approx([1 / 3, 3])
    picture = svg("spectrum", name)
    assert ">0.5<" in picture and ">10<" not in picture
    assert picture.count(">1<") == 2 and ">64<" not in picture, "one of k, one of σ"


def test_trained_runs_are_diamonds_of_their_own_name():
    chart = charts("rank ∞", trained=True)["floor"]
    for name, look in (("color", LIGHT.accent), ("shape", "diamond")):
        scale = channel(chart, name)["scale"]
        assert dict(zip(scale["domain"], scale["range"], strict=True))[design.TRAINED] == look
        alone = channel(charts("rank ∞")["floor"], name)["scale"]
        assert design.TRAINED not in alone["domain"]
    last = [tuple(row[name] for name in ("m", "nmse", "run", "seed")) for row in rows(chart)[-1]]
    assert last == TRAINED
    assert f">{design.TRAINED}<" in svg("floor", "rank ∞", trained=True)


def test_the_lines_of_the_floor_say_what_they_are():
    picture = svg("floor", "rank ∞")
    assert ">m = 2<" in picture and ">nMSE ≤ 0.020: m = 9<" in picture


@pytest.mark.parametrize("name", ["functions", "row"])
def test_curves_differ_by_dash_as_well_as_by_colour(name):
    chart = charts("rank 3")[name]
    colour, dash = channel(chart, "color")["scale"], channel(chart, "strokeDash")["scale"]
    assert colour["domain"] == dash["domain"] == LEGENDS[name]
    assert colour["range"] == [LIGHT.ink, LIGHT.second] and dash["range"] == [[1, 0], [6, 3]]
    assert channel(chart, "x")["scale"]["domain"] == [0, 1]


def test_the_norms_of_the_floor_differ_by_shape_as_well_as_by_colour():
    chart = charts("rank 3")["floor"]
    assert channel(chart, "color")["scale"]["domain"] == LEGENDS["floor"]
    assert channel(chart, "shape")["scale"]["range"] == ["circle", "square"]


def luminance(colour):
    """Relative luminance of WCAG 2 from #rrggbb."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(*colours):
    """Contrast of WCAG 2."""
    dim, bright = sorted(map(luminance, colours))
    return (bright + 0.05) / (dim + 0.05)


def colours_of(theme):
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))
    return config["theme"][theme]


THEMES = pytest.mark.parametrize(("palette", "theme"), [(LIGHT, "light"), (DARK, "dark")])


@THEMES
def test_screen_and_file_have_one_palette(palette, theme):
    """The canvases take these by name from the theme; text between ink and paper they mix alike."""
    colours = colours_of(theme)
    assert palette.accent == colours["primaryColor"] == palette.categories[0]
    assert palette.ink == colours["textColor"] == palette.categories[2]
    assert palette.second == colours["chartCategoricalColors"][1]
    script = (ROOT / "explorer" / "ui" / "components" / "core" / "theme.js").read_text("utf-8")
    for name, share in {"grey": GREY, "line": LINE, "grid": GRID}.items():
        assert f"{name}: css(blend(ink, paper, {share}))" in script


def test_colours_stand_in_the_configuration_alone():
    written = re.compile(r"#[0-9a-fA-F]{6}\b|scheme=")
    for path in (ROOT / "explorer").rglob("*"):
        if path.suffix in (".py", ".js", ".css", ".html"):
            lines = [line for line in path.read_text("utf-8").splitlines() if written.search(line)]
            assert not lines, f"{path.name}: {lines}"


def test_no_two_series_of_a_figure_share_a_colour():
    for palette in (LIGHT, DARK):
        assert len(set(palette.categories)) == len(palette.categories) == 8
        assert all(contrast(colour, palette.paper) >= 2.5 for colour in palette.categories[:6])


@THEMES
def test_marks_stand_out_from_the_ground(palette, theme):
    """WCAG 1.4.11: 3 to 1 for graphical objects, against the page of the theme."""
    ground = colours_of(theme)["backgroundColor"]
    for name in ("ink", "accent", "grey", "second"):
        assert contrast(getattr(palette, name), ground) >= 3, name


@THEMES
def test_diverging_maps_have_the_colours_of_the_canvases_and_the_paper_at_0(palette, theme):
    stops, colours = list(palette.diverging), colours_of(theme)
    assert stops.pop(5) == colours["backgroundColor"]
    assert stops == colours["chartDivergingColors"]


@THEMES
def test_a_diverging_map_stands_out_the_more_the_further_from_0(palette, theme):
    """3 to 1 at both ends; and in no step back."""
    middle = palette.diverging[5]
    for side in (palette.diverging[5::-1], palette.diverging[5:]):
        away = [contrast(colour, middle) for colour in side]
        assert away == sorted(away) and len(set(away)) == 6 and away[-1] >= 3


@THEMES
def test_a_map_of_a_coupling_is_drawn_in_the_theme(palette, theme):
    table = pd.DataFrame({"u": [0.5], "v": [0.5], "rho": [-2.0], "coupling": ["ρ"]})
    square = coupling_chart(table, palette).to_dict()["hconcat"][0]
    scale = square["layer"][1]["encoding"]["color"]["scale"]
    assert scale["range"] == list(palette.diverging) and scale["domain"] == [-2, 2]


@THEMES
def test_attention_has_one_scale_in_every_figure(palette, theme):
    """0 is the paper and 1 the accent, as `weightColours` of the canvases has it."""
    cells = pd.DataFrame({"t": [0, 1], "s": [0, 1], "value": [0.2, 0.8], "what": "attention"})
    weights = cells.rename(columns={"value": "weight"}).assign(matrix=LEARNED)
    panels = [
        order_pictures.maps_chart(cells, palette, weights=True).to_dict()["hconcat"][0],
        attention.matrices_chart(weights, palette).to_dict()["hconcat"][0],
    ]
    for panel in panels:
        scale = panel["encoding"]["color"]["scale"]
        assert scale["domain"] == [0, 1]
        assert scale["range"] == [palette.paper, palette.accent]
