"""Charts: valid specifications, honest log axes, legends, and an SVG without a network."""

import json
import tomllib
from functools import cache
from pathlib import Path

import pandas as pd
import pytest
import vl_convert

from explorer.charts import DARK, LIGHT, design
from explorer.charts.train import coupling_chart
from explorer.spec import Spec
from explorer.views.design import Trained, design_view

ROOT = Path(__file__).resolve().parent.parent
TRAINED = [Trained(2, 0.01, "a-1"), Trained(5, 1e-6, "b-1")]
VIEWS = {
    "rank ∞": Spec(),
    "rank 3": Spec(rank=3),
    "rank 1": Spec(rank=1),
    "rank 0": Spec(formula="u"),
    "geometric": Spec(spectrum="exponential"),
    "equal σ": Spec(spectrum="list", sigma=(1.0, 1.0)),
}


@cache
def charts(name, palette=LIGHT, trained=False):
    view = design_view(VIEWS[name], m=2, k=1, u=0.3, centred=True)
    return {
        "spectrum": design.spectrum_chart(view.spectrum, palette),
        "floor": design.floor_chart(view.floor, TRAINED if trained else [], palette, 2),
        "functions": design.functions_chart(view.functions, palette),
        "row": design.row_chart(view.row, palette),
    }


def rows(chart):
    """Data of every layer, in order."""
    spec = chart.to_dict()
    data = spec["datasets"]
    return [data[layer["data"]["name"]] for layer in spec["layer"]]


@cache
def svg(figure, name, palette=LIGHT, trained=False):
    """A figure of `charts`, drawn with every address forbidden."""
    spec = charts(name, palette, trained)[figure].properties(width=300).to_dict()
    return vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])


TITLES = {
    "spectrum": ["k", "σ_k"],
    "floor": ["m", "error"],
    "functions": ["u, v", "φ_k(u), ψ_k(v)"],
    "row": ["v", "weight, uniform = 1"],
}
LEGENDS = {
    "spectrum": ["kept", "left out"],
    "floor": ["nMSE", "mean absolute error"],
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


@pytest.mark.parametrize("trained", [False, True], ids=["untrained", "trained"])
@pytest.mark.parametrize("name", VIEWS)
def test_every_coupling_can_be_drawn(name, trained):
    drawn = charts(name, trained=trained)
    for chart in drawn.values():
        json.dumps(chart.to_dict(), allow_nan=False)
    assert "NaN" not in svg("floor", name, trained=trained)
    assert "NaN" not in svg("spectrum", name)


def channel(chart, name):
    """A channel in the first layer that has it."""
    spec = chart.to_dict()
    layers = spec.get("layer", [spec])
    return next(layer["encoding"][name] for layer in layers if name in layer["encoding"])


@pytest.mark.parametrize(
    ("name", "names", "filled"),
    [("rank 3", ["kept", "left out"], 1), ("rank 1", ["kept"], 1),
     ("geometric", ["kept", "left out", "below the tolerance"], 1)],
)  # fmt: skip
def test_the_spectrum_tells_its_parts_by_fill_and_shape(name, names, filled):
    chart = charts(name)["spectrum"]
    fill, shape = channel(chart, "fill")["scale"], channel(chart, "shape")["scale"]
    assert fill["domain"] == shape["domain"] == names
    assert fill["range"] == [LIGHT.ink] * filled + ["transparent"] * (len(names) - filled)
    crosses = ["cross" if name == "below the tolerance" else "circle" for name in names]
    assert shape["range"] == crosses


def test_the_tolerance_is_drawn_where_a_value_is_near_it():
    assert ">tolerance<" in svg("spectrum", "geometric")
    assert ">tolerance<" not in svg("spectrum", "rank 3")


@pytest.mark.parametrize("name", VIEWS)
def test_no_zero_is_on_a_log_axis_and_the_reason_stands_there(name):
    table = design_view(VIEWS[name], m=2, k=1, u=0.3, centred=True).floor
    zero = table["m"][(table["error"] == 0) & (table["m"] > 0)]
    chart = charts(name)["floor"]
    assert channel(chart, "y")["scale"]["type"] == "log"
    assert channel(chart, "x")["scale"] == {
        "type": "log", "nice": False, "padding": 10, "domain": [1, 32],
    }  # fmt: skip
    for data in rows(chart):
        assert all(row["m"] > 0 for row in data if "m" in row), "m = 0 has no place either"
        assert all(row["error"] > 0 and row["low"] > 0 for row in data if "error" in row)
    first = {"rank 3": 3, "rank 1": 1, "rank 0": 1, "equal σ": 2}.get(name)
    assert (None if zero.empty else zero.min()) == first
    note = f">0 from m = {first} on, not on a log axis<"
    assert (note in svg("floor", name)) == (first is not None)
    assert ("log axis" in svg("floor", name)) == (first is not None)


def test_a_spectrum_of_nothing_says_so():
    assert ">every σ_k is 0<" in svg("spectrum", "rank 0")


@pytest.mark.parametrize("name", ["rank 1", "equal σ"])
def test_one_value_alone_gets_room_and_its_own_tick(name):
    chart = charts(name)["spectrum"]
    assert channel(chart, "y")["scale"]["domain"] == pytest.approx([1 / 3, 3])
    picture = svg("spectrum", name)
    assert ">0.5<" in picture and ">10<" not in picture
    assert picture.count(">1<") == 2 and ">64<" not in picture, "one of k, one of σ"


def test_trained_runs_are_diamonds_in_the_accent_of_their_own_mark():
    chart = charts("rank ∞", trained=True)["floor"].to_dict()
    marks = [layer["mark"] for layer in chart["layer"] if layer["mark"].get("shape") == "diamond"]
    assert len(marks) == 1 and marks[0]["color"] == LIGHT.accent
    assert rows(charts("rank ∞", trained=True)["floor"])[-1] == [each._asdict() for each in TRAINED]


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
    scale = coupling_chart(table, 1, palette).to_dict()["spec"]["encoding"]["color"]["scale"]
    assert scale["range"] == list(palette.diverging) and scale["domain"] == [-2, 2]
