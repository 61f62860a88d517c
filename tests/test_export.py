"""Figures as files: what they say, in which format, and that nothing else on the page changes."""

import csv
import io
import re
import zipfile
from base64 import b64decode
from pathlib import Path
from xml.etree import ElementTree

import altair as alt
import numpy as np
import pandas as pd
import pytest
from PIL import Image

from explorer.charts import DARK, LIGHT, axes, export, heatmap, paper
from explorer.pages.design import chart as design_charts
from explorer.pages.design.figures import figures as design_figures
from explorer.pages.design.view_drawing import design_drawing
from explorer.pages.runs import chart as runs_charts
from explorer.pages.runs import figures as run_figures
from explorer.pages.runs import view
from explorer.pages.train import chart as charts
from explorer.pages.train import view as train
from explorer.runs import archive
from explorer.targets import PRESETS
from explorer.theory.design import Design
from explorer.ui import exports
from explorer.views import pictures
from explorer.views.selection import Selection

ASSETS = Path(__file__).resolve().parent.parent / "assets"
TITLE, FOOTER = "A title: σ̂_k & ρ̂ < 1", "spec 0123456789ab · seed 0"


@pytest.fixture(scope="module")
def record():
    return archive.read(ASSETS / "train.zip")


@pytest.fixture(scope="module")
def drawing(record):
    return train.drawing(Design(record.spec))


@pytest.fixture(scope="module")
def figures(record, drawing):
    """Every figure with the texts that its file must hold."""
    spec = PRESETS["design"][1]
    page = design_figures(spec, design_drawing(Design(spec), Selection(k=2)))
    curves = view.compared_curves([record])
    ends = view.end_labels(curves, view.floor_table([], []))
    run = run_figures.figures(record, drawing)
    return {
        "design spectrum": (page["spectrum"][0](LIGHT), ["k", "σₖ", "m = 8"]),
        "design floor": (
            page["floor"][0](LIGHT),
            ["m", "error", *design_charts.NORMS.values(), "m = 8", "nMSE ≤ 0.010: m = "],
        ),
        "design functions": (page["functions"][0](LIGHT), ["φ_2(u)", "ψ_2(v)"]),
        "design row": (page["row"][0](LIGHT), ["v", "ρ", "ρ_m"]),
        "design coupling": (
            page["coupling"][0](LIGHT),
            ["u", "v", "ρ(u, v), centred", "first 8 terms"],
        ),
        "error": (
            run["error"][0](LIGHT),
            ["training step", "error in units of Var(y)", *charts.CURVES[:2], "can vanish"],
        ),
        "spectrum": (run["spectrum"][0](LIGHT), ["k", "designed σₖ", "learned σ̂ₖ", "mₕ = 7"]),
        "angles": (run["angles"][0](LIGHT), ["largest principal angle, degrees", "90"]),
        "attention": (
            run["attention"][0](LIGHT),
            ["attention weight", *charts.ROWS, "t = 8, x_t = "],
        ),
        "coupling": (run["coupling"][0](LIGHT), ["u", "v", "designed ρ", "learned ρ̂", "ρ̂ − ρ"]),
        "compared": (
            runs_charts.errors_chart(curves, view.floor_table([], []), ends, LIGHT),
            ["training step", "nMSE on fresh sequences", record.row.run],
        ),
    }


FIGURES = [
    "design spectrum",
    "design floor",
    "design functions",
    "design row",
    "design coupling",
    "error",
    "spectrum",
    "angles",
    "attention",
    "coupling",
    "compared",
]


def texts(svg):
    root = ElementTree.fromstring(svg)
    return ["".join(node.itertext()) for node in root.iter("{http://www.w3.org/2000/svg}text")]


def saved(chart, kind="svg", **other):
    return export.export(chart, kind, **({"title": TITLE, "footer": FOOTER} | other))


def dots(count=3):
    table = pd.DataFrame({"x": range(count), "y": [0.5] * count})
    return alt.Chart(table).mark_point().encode(alt.X("x:Q", title="x axis"), alt.Y("y:Q"))


@pytest.fixture(scope="module")
def svgs(figures):
    return {name: saved(chart) for name, (chart, _) in figures.items()}


@pytest.mark.parametrize("name", FIGURES)
def test_a_file_says_what_it_shows(figures, svgs, name):
    words = figures[name][1]
    found = texts(svgs[name])
    assert TITLE in found and FOOTER in found
    missing = [word for word in words if not any(word in text for text in found)]
    assert not missing, (missing, found)


@pytest.mark.parametrize("name", FIGURES)
def test_every_font_is_large_enough(svgs, name):
    svg = svgs[name].decode()
    sizes = [float(size) for size in re.findall(r'font-size="([\d.]+)px"', svg)]
    assert sizes and min(sizes) >= 12


def test_a_file_is_white_even_if_the_figure_was_drawn_for_the_dark(record, drawing):
    """The menu draws anew in the light palette; a background of the figure's own does not count."""
    dark = dots().properties(background="#14171c").configure_axis(labelColor="#fefefe")
    svg = saved(dark).decode()
    assert 'fill="#ffffff"' in svg and "#14171c" not in svg and "#fefefe" not in svg
    build, about = run_figures.figures(record, drawing)["error"]
    svg = exports._file(build, "svg", about).decode()
    assert LIGHT.accent in svg and DARK.accent not in svg


def test_a_png_is_opaque_and_sharp():
    data = saved(dots(), "png")
    image = Image.open(io.BytesIO(data))
    assert data.startswith(b"\x89PNG\r\n\x1a\n") and image.width > 1500
    assert image.convert("RGBA").getpixel((0, 0)) == (255, 255, 255, 255)


def test_a_pdf_is_whole():
    data = saved(dots(), "pdf")
    assert data.startswith(b"%PDF-") and data.rstrip().endswith(b"%%EOF")


def test_another_kind_is_refused():
    with pytest.raises(ValueError, match="not 'gif'"):
        saved(dots(), "gif")


def test_nothing_is_fetched():
    """A figure that names data elsewhere fails instead of reaching for a network."""
    chart = alt.Chart("http://127.0.0.1:9/data.csv").mark_point().encode(x="x:Q")
    try:
        svg = saved(chart).decode()
    except ValueError as error:
        assert "127.0.0.1" in str(error)
    else:
        assert "mark-symbol" not in svg or svg.count("<path") < 10  # axes only


def test_characters_that_no_svg_may_hold_are_written_as_signs():
    """A vocabulary has tokens of them, and the renderer ends the whole process over one."""
    table = pd.DataFrame({"token": ["\x10"], "share": [1.0]})
    figure = alt.Chart(table).mark_bar().encode(x="share:Q", y="token:N")
    drawn = export.export(figure, "svg", title="\x01", footer="\uffff").decode()
    assert [sign for sign in "␐␁\ufffd" if sign in drawn] == [*"␐␁\ufffd"]


def test_altairs_global_settings_have_no_say():
    """Streamlit swaps the transformer of data frames while it draws for another reader."""
    alt.data_transformers.register("broken", lambda data: 1 / 0)
    with alt.data_transformers.enable("broken"):
        found = saved(alt.layer(dots(6000), dots(2)))
    assert found.count(b'aria-roledescription="point"') == 6002


def test_the_figure_itself_stays_as_it_was():
    chart = dots()
    before = chart.to_dict()
    saved(chart)
    assert isinstance(chart.data, pd.DataFrame) and chart.to_dict() == before


def test_without_a_footer_there_is_none():
    assert len(texts(saved(dots(), footer=""))) == len(texts(saved(dots()))) - 1


def test_csv_is_tidy_and_names_its_units():
    table = pd.DataFrame({"step": [1, 2], "error": [0.1, 1 / 3], "curve": ["a", "b, c"]})
    text = export.csv(table, {"error": "Var(y)"}).decode()
    assert text.splitlines()[0] == "step,error [Var(y)],curve"
    back = pd.read_csv(io.StringIO(text)).rename(columns={"error [Var(y)]": "error"})
    pd.testing.assert_frame_equal(back, table)


def test_a_floor_is_a_dashed_line_with_its_name_and_0_has_a_lane(record):
    svg = saved(charts.error_chart(pictures.curve_table(record), 1e-3, "truncation floor", LIGHT))
    assert b'stroke-dasharray="6,4"' in svg and "truncation floor" in texts(svg)
    none = saved(charts.error_chart(pictures.curve_table(record), 0.0, "floor 0", LIGHT))
    assert "floor 0" in texts(none) and "0" in texts(none), "in a lane of its own"
    assert "0" not in texts(svg)


def images(svg):
    """Every image in a file as colours (height, width, 3)."""
    found = re.findall(r'href="data:image/png;base64,([^"]+)"', svg)
    return [np.asarray(Image.open(io.BytesIO(b64decode(data)))) for data in found]


def test_the_heatmaps_have_the_colour_of_each_cell(record, drawing):
    table, limit = pictures.coupling_table(record, drawing), heatmap.colour_range(drawing[1]["rho"])
    found = images(saved(heatmap.coupling_chart(table, LIGHT, limit)).decode())
    assert len(table) == 3 * 48**2 and len(found) == 3
    for image, (_, part) in zip(found, table.groupby("coupling", sort=False), strict=True):
        rho = part["rho"].to_numpy().reshape(48, 48)
        size = len(image) // 48
        assert image.shape == (48 * size, 48 * size, 3) and size * 48 >= 720
        cells = image[size // 2 :: size, size // 2 :: size]
        np.testing.assert_array_equal(cells, heatmap.coloured(rho, limit, LIGHT))
        assert (np.kron(cells, np.ones((size, size, 1), np.uint8)) == image).all()


def test_the_scale_of_the_heatmaps_is_centred_and_its_ends_say_what_is_beyond(record, drawing):
    table = pictures.coupling_table(record, drawing)
    for limit, marks in ((table["rho"].abs().max(), ""), (0.5 * table["rho"].abs().max(), "≤≥")):
        figure = heatmap.coupling_chart(table, LIGHT, limit)
        scale = figure.to_dict()["hconcat"][0]["layer"][1]["encoding"]["color"]["scale"]
        assert scale["domain"] == [-limit, limit]
        assert len(scale["range"]) % 2 == 1  # a colour of its own for 0
        written = "".join(texts(saved(figure)))
        assert all((mark in written) == (mark in marks) for mark in "≤≥")


def test_the_colours_of_a_heatmap_are_the_palette_and_0_is_the_paper():
    stops = heatmap.coloured(np.linspace(-2, 2, 11)[None], 2.0, LIGHT)[0]
    assert ["#" + bytes(stop).hex() for stop in stops] == list(LIGHT.diverging)
    beyond = heatmap.coloured(np.array([[-9.0, 9.0]]), 2.0, LIGHT)[0]
    assert (beyond == stops[[0, -1]]).all()


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (1e-7, 1.0, ["10⁻⁶", "10⁻⁴", "10⁻²", "1"]),
        (0.06, 0.4, ["0.05", "0.1", "0.2", "0.5"]),
        (2e-6, 8e-6, ["2·10⁻⁶", "5·10⁻⁶", "10⁻⁵"]),
    ],
)
def test_ticks_are_powers_of_ten_or_read_as_numbers(low, high, ticks):
    table = pd.DataFrame({"x": [0, 1], "y": [low, high]})
    scale = alt.Scale(type="log", domain=[low / 1.3, high * 1.3], nice=False)
    y = alt.Y("y:Q", axis=axes.powers(table["y"]), scale=scale)
    found = texts(saved(alt.Chart(table).mark_point().encode(x="x:Q", y=y)))
    assert [tick for tick in ticks if tick in found] == ticks


def test_every_figure_of_a_run_has_its_files(record, drawing):
    found = run_figures.figures(record, drawing)
    assert list(found) == ["error", "spectrum", "angles", "attention", "coupling"]
    for _, about in found.values():
        assert record.row.spec_id in about.footer and "seed 0" in about.footer
        assert "Eq." in about.explain
    with zipfile.ZipFile(io.BytesIO(exports.everything(found))) as all_at_once:
        names = [about.name for _, about in found.values()]
        files = {name: all_at_once.read(name) for name in all_at_once.namelist()}
    assert list(files) == [f"{name}.{kind}" for name in names for kind in ("pdf", "csv")]
    for _, about in found.values():
        assert files[f"{about.name}.csv"] == export.csv(about.table, about.units)
        drawn = files[f"{about.name}.pdf"]
        assert drawn.startswith(b"%PDF") and len(drawn) > 1000


def test_an_earlier_picture_is_signed_with_its_own_step(record, drawing):
    kept = int(record.snapshot_steps[3])
    found = run_figures.figures(record, drawing, step=kept)
    assert f"step {kept} of 1200" in found["coupling"][1].footer
    assert f"step {record.row.step} of" in found["error"][1].footer


def test_a_figure_for_a_paper_is_as_wide_as_its_text_and_says_in_its_metadata_what_it_is():
    chart = alt.Chart(pd.DataFrame({"x": [1]})).mark_point().encode(alt.X("x:Q", title="m_h"))
    pdf = paper.for_paper(chart, title=TITLE, footer=FOOTER)
    assert re.findall(rb"/MediaBox \[0 0 ([\d.]+) ", pdf) == [b"486"]  # points in 6.75 inches
    assert b"Serif" in pdf and b"DejaVuSans" not in pdf
    assert b"/Title " + paper._text(TITLE).encode() in pdf
    table = int(pdf.split()[-2])
    first, count, at = pdf[table:].split()[1:4]
    assert (pdf[table : table + 4], count) == (b"xref", b"1")
    ((info, before),) = re.findall(rb"/Info (\d+) 0 R /Prev (\d+)", pdf[table:])
    assert info == first and pdf[int(at) :].startswith(info + b" 0 obj")
    assert pdf[int(before) :].startswith(b"xref")


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("φ_k(u)", "φ[k](u)"),
        ("σ̂_{12}, m_h = 3", "σ̂[12], m[h] = 3"),
        ("σₖ and mₕ", "σ[k] and m[h]"),
        ("cliff_m_5", "cliff_m_5"),
    ],
)
def test_subscripts_for_a_paper_are_real_ones(written, read):
    drawn = paper.WRITTEN.sub(paper._indices, f"<text>{written}</text>")
    assert re.sub(r"<tspan[^>]*>(\w+)</tspan>", r"[\1]", drawn) == f"<text>{read}</text>"


def test_a_shipped_run_goes_into_a_zip_that_reads_back(record):
    copy = archive.read(exports.archived(record, stored=False))
    assert copy.row.run == record.row.run and copy.spec == record.spec
    assert list(copy.losses) == list(record.losses)


BAD = ("=cmd|'/C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\n=1", "\uff1d1", "=1,2", '="')


PLAIN = [text.replace("'", "") for text in BAD]
HIDDEN = (
    ";=1+1",
    "x;=1+1;y",
    'x;"=1+1"',
    "x; =1+1",
    "x\t=1+1",
    "x\n=1+1;2",
    'x"\t@SUM(A1)',
    ";;-1+1",
)
"""Formulas where something else than a comma separates cells."""


def cells(written):
    """As a reader of CSV has them, quoted line breaks kept."""
    return list(csv.reader(io.StringIO(written.decode())))


def test_no_cell_of_a_csv_is_a_formula():
    """A spreadsheet runs what begins with these signs; a number may, and stays one."""
    texts = [*BAD, "fine", "a=b"]
    numbers = np.linspace(-1.5, 3, len(texts))
    table = pd.DataFrame({"run": texts, "nmse": numbers})
    _, *rows = cells(export.csv(table, {"nmse": "Var(y)"}))
    assert all(
        row[0][0] == "'" and row[0].replace("'", "") == text
        for row, text in zip(rows, PLAIN, strict=False)
    )
    assert [row[0] for row in rows][-2:] == texts[-2:]
    assert [float(row[1]) for row in rows] == numbers.tolist()
    assert export.csv(pd.DataFrame({"=x": [1]})).decode().startswith("'=x")


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("text", [*BAD, *HIDDEN])
def test_no_cell_is_a_formula_whatever_separates_them(text, separator):
    """In the first column and behind another, where a quotation mark quotes nothing."""

    def formulas(written):
        rows = csv.reader(io.StringIO(written), delimiter=separator)
        return [cell for row in rows for cell in row if cell.strip(' "')[:1] in tuple("=+-@\uff1d")]

    table = pd.DataFrame({"run": [text], "text": [text], "n": [1.5]})
    assert formulas(export.csv(table).decode()) == []
    assert formulas(export.csv(table.rename(columns={"text": text})).decode()) == []
    assert formulas(f"a{separator}=1+1"), "and one is found"


@pytest.mark.parametrize("end", ["\r", "\r\n", "\n"])
def test_no_cell_of_a_csv_begins_a_row(end):
    (_, row) = cells(export.csv(pd.DataFrame({"run": [f"fine{end}=1+1"], "n": [-1]})))
    assert row == ["fine\n'=1+1", "-1"]
    assert cells(export.csv(pd.DataFrame({f"a{end}=b": [1]})))[0] == ["a\n'=b"]
    assert cells(export.csv(pd.DataFrame({"run": [f"{end}=1+1"]})))[1] == ["'\n'=1+1"]


def test_pages_and_command_line_write_csv_in_one_way():
    sources = (Path(__file__).parents[1] / "explorer").rglob("*.py")
    writing = [p.name for p in sources if re.search(r"to_csv|csv\.writer|savetxt", p.read_text())]
    assert writing == ["export.py"]
