"""Files of designs hold what the canvas shows: its own script, given the bytes that the page sends,
is asked what it draws, and every table is compared with it."""

import base64
import json
from functools import cache, partial
from types import SimpleNamespace

import numpy as np
import pytest

from explorer.charts import LIGHT
from explorer.charts.export import csv, specification
from explorer.charts.heatmap import colour_range
from explorer.coupling import Samples
from explorer.pages.design import view_tables as tables
from explorer.pages.design.figures import figures
from explorer.pages.design.view import TrainedWidth, cells, rank_fact
from explorer.pages.design.view_drawing import design_drawing
from explorer.runs.frames import pack
from explorer.spec import CouplingSpec
from explorer.theory.design import Design
from explorer.views.selection import Selection

GRID = np.sin(7 * np.outer(np.linspace(0, 1, 9), np.linspace(0, 1, 17))) + 0.5
UPLOAD = CouplingSpec(grid="0" * 64, m_h=3)
OUT_OF_ORDER = CouplingSpec(spectrum="list", sigma=(0.1, 1.0, 0.3), m_h=1)
TIED = CouplingSpec(spectrum="list", sigma=(0.5, 0.0, 2.0, 0.5, 1 / 3, 0.123456789012), m_h=2)
RUNS = [TrainedWidth(8, 2e-3, "0123456789ab-1", 0), TrainedWidth(2, 0.1, "ba9876543210-2", 7)]
DESIGNS = {
    "list out of order": (OUT_OF_ORDER, {}),
    "list out of order, its last function": (OUT_OF_ORDER, {"k": 3}),
    "list out of order, residual": (OUT_OF_ORDER, {"map": "residual"}),
    "ties and a zero": (TIED, {"k": 2}),
    "ties and a zero, one term": (TIED, {"k": 6, "map": "term"}),
    "one term, 24 oscillations": (
        CouplingSpec(spectrum="list", sigma=(0.0,) * 23 + (1.0,)),
        {"k": 24, "map": "term"},
    ),
    "rank 6": (CouplingSpec(rank=6, m_h=3), {"k": 5, "u": 0.71}),
    "k beyond the rank": (CouplingSpec(rank=3, m_h=9), {"k": 40}),
    "tolerance": (CouplingSpec(), {"tolerance": 0.03}),
    "m_h = 32": (CouplingSpec(m_h=32), {"k": 33}),
    "steep, and k = 64": (
        CouplingSpec(alpha=0.5, c=3.0, m_h=2),
        {"k": 64, "map": "term", "u": 0.0},
    ),
    "Haar": (
        CouplingSpec(left_basis="haar", right_basis="haar", rank=8, m_h=5),
        {"k": 7, "u": 1.0},
    ),
    "Legendre and Fourier": (
        CouplingSpec(spectrum="exponential", left_basis="legendre", right_basis="fourier"),
        {"tolerance": 1e-4, "k": 4},
    ),
    "formula": (CouplingSpec(formula="-8*(u - v)**2", m_h=1), {"k": 2}),
    "formula, raw": (CouplingSpec(formula="-8*(u - v)**2", m_h=1), {"k": 3, "centred": False}),
    "formula with a kink": (CouplingSpec(formula="minimum(u, v)", m_h=32, tau=8), {"u": 0.99}),
    "formula, residual": (
        CouplingSpec(formula="u*v", m_h=2),
        {"map": "residual", "centred": False},
    ),
    "ridge": (CouplingSpec(formula="40*exp(-900*(u - v)**2)", m_h=4), {"map": "term", "k": 3}),
    "unseen by softmax": (CouplingSpec(formula="u"), {}),
    "upload": (UPLOAD, {"u": 0.05}),
    "upload, raw": (UPLOAD, {"centred": False, "map": "residual"}),
    "trained, and another error": (CouplingSpec(m_h=4), {"error": 0.002}, RUNS),
    "an absolute error": (CouplingSpec(m_h=4), {"error": 0.01, "norm": "mae"}),
}

ASK = """
globalThis.matchMedia ??= () => ({ matches: true });
const bytes = Buffer.from(data, "base64");
const view = Object.create(c.Design.prototype);
Object.assign(view, { history: new c.History(), range: null, exchange: new c.Exchange(view) });
Object.assign(view, { invalidate() {}, learned: { take() {}, rho: null } });
view.take(bytes);
const { design, isKept, floor, k } = view, row = view.rowsAt(view.at.u);
const sigma = design.order.map((i) => design.sigma[i]);
const list = (x) => Array.from(x ?? []);
const map = (x) => ({ shape: x.shape, values: list(x.values) });
return {
  sigma, part: sigma.map((s, place) => c.partOf(s, isKept[design.order[place]], view.tolerance)),
  term: design.order.map((i) => i + 1),
  tolerance: view.tolerance, k,
  phi: list(view.coupling.phi[k - 1]), psi: list(view.coupling.psi[k - 1]),
  row: { whole: list(row.whole), kept: list(row.cut) },
  softmax: { whole: list(c.relativeSoftmax(row.whole)), kept: list(c.relativeSoftmax(row.cut)) },
  rho: map(view.rho()), second: map(view.second()), scale: view.scale,
  points: [0, 1].map((norm) => c.floorPoints(floor, norm)), trained: view.trained,
  law: view.line && design.sigma.map((_, i) => view.line.at(i + 1)),
  alpha: view.line?.kind === 'power' ? view.line.value : null, apart: view.line?.apart ?? null,
  slope: c.rateTexts(view.line)?.slope ?? "",
  rank: c.rankText(design, view.tolerance),
  width: c.widthText(c.widthFor(floor, view.error, view.norm), floor.shape[1]),
};
"""


def drawing_of(name):
    spec, shown, *trained = DESIGNS[name]
    return design_drawing(Design(spec, lambda sha: GRID), Selection(**shown), *trained)


@pytest.fixture(scope="module", params=DESIGNS)
def both(request, javascript):
    """A drawing, what its canvas draws, and its figures as files."""
    drawing = drawing_of(request.param)
    data = base64.b64encode(pack(*drawing)).decode()
    drawn = javascript("design", ASK, data=data)
    spec = DESIGNS[request.param][0]
    return SimpleNamespace(spec=spec, drawing=drawing, drawn=drawn, files=figures(spec, drawing))


close = partial(np.testing.assert_allclose, rtol=2e-5, atol=2e-6)  # the canvas draws in float32


def table(both, name):
    return both.files[name][1].table


def test_there_are_twenty_designs_and_more():
    assert len(DESIGNS) >= 20


def test_the_spectrum(both):
    if not both.drawn["sigma"]:
        assert "spectrum" not in both.files
        return
    found = table(both, "spectrum")
    close(found["sigma"], both.drawn["sigma"])
    assert list(found["term"]) == both.drawn["term"]
    assert list(found["part"]) == both.drawn["part"]
    assert set(found["tolerance"]) == {both.drawn["tolerance"]}


def test_the_rank(both):
    modes = Design(both.spec, lambda sha: GRID).decomposition(both.drawing[0]["centred"])
    assert both.drawn["rank"] == rank_fact(modes, both.drawn["tolerance"])


def test_the_decay_line_and_its_rate(both):
    line, drawn = tables.decay_line(both.drawing), both.drawn
    if drawn["law"] is None:
        assert line is None
        return
    np.testing.assert_allclose(line.values, drawn["law"], rtol=1e-6)
    assert line.words == drawn["slope"].replace("_{k+1}", "_(k+1)")
    assert line.alpha == (drawn["alpha"] and pytest.approx(drawn["alpha"]))
    rate = tables.rate(both.drawing)
    points = drawn["points"][0]
    lawful = (drawn["alpha"] or 0) > 0.5 and drawn["apart"] and len(points) > 5
    assert (rate is not None) == lawful
    if rate is not None:
        m, error = points[3][:2]
        assert rate[0][m - 1] == pytest.approx(error, rel=1e-5)
        assert rate[0][2 * m - 1] / rate[0][m - 1] == pytest.approx(2 ** (1 - 2 * line.alpha))
        shown = both.files["floor"][1].table.query("series == 'theory'")
        assert shown["nmse"].tolist() == rate[0].tolist()


def test_the_functions(both):
    if not both.drawn["sigma"]:
        assert "functions" not in both.files
        return
    found, k = table(both, "functions"), both.drawn["k"]
    for name, side in ((f"φ_{k}(u)", "phi"), (f"ψ_{k}(v)", "psi")):
        part = found[found["function"] == name]
        close(part["value"], both.drawn[side])
        close(part["x"], cells(len(part)))
    assert both.files["functions"][1].title.endswith(f"k = {k}")


def test_the_row(both):
    found = table(both, "row")
    for name, side in (("ρ", "whole"), ("ρ_m", "kept")):
        part, here = found[found["coupling"] == name], both.drawn["row"][side]
        if not both.drawn["sigma"] and side == "kept":  # no terms: the canvas takes fewer points
            assert not part["rho"].any() and not np.any(here)
            continue
        np.testing.assert_allclose(part["rho"], here, rtol=2e-5, atol=2e-5)
        np.testing.assert_allclose(part["weight"], both.drawn["softmax"][side], rtol=1e-4)
        assert abs(part["u"].iloc[0] - both.drawing[0]["u"]) <= 0.5 / 96 + 1e-12


def test_the_maps_and_the_ends_of_their_colours(both):
    found = table(both, "coupling")
    names = list(dict.fromkeys(found["coupling"]))
    assert names[0] == "ρ(u, v)" + ", centred" * both.drawing[0]["centred"]
    for name, side in zip(names, ("rho", "second"), strict=True):
        shown, part = both.drawn[side], found[found["coupling"] == name]
        if not len(both.drawn["sigma"]) and side == "second":
            assert not part["rho"].any()
            continue
        assert len(part) == np.prod(shown["shape"])
        np.testing.assert_allclose(part["rho"], shown["values"], rtol=2e-5, atol=5e-5)
    limit = colour_range(tables.whole(both.drawing))
    close(limit, both.drawn["scale"]["limit"])
    square = specification(both.files["coupling"][0](LIGHT), "", "")["vconcat"][0]["hconcat"][0]
    colour = square["layer"][1]["encoding"]["color"]
    assert colour["scale"]["domain"] == [-limit, limit]
    marks = json.dumps("≤≥").strip('"')
    said = any(mark in colour["legend"]["labelExpr"] for mark in (marks[:6], marks[6:]))
    assert said == (found["rho"].abs().max() > 1.0000001 * limit)


def test_the_floor(both):
    found = table(both, "floor")
    points = found[(found["series"] == "truncation") & (found["m"] > 0)]
    for norm, drawn in zip(("nmse", "mae"), both.drawn["points"], strict=True):
        some = points[points[norm] > 0]
        high = [(m, error + half) for m, error, half in drawn]
        close(some[["m", norm]], [point[:2] for point in drawn] or np.empty((0, 2)), atol=0)
        close(some[["m", f"{norm}_high"]], high or np.empty((0, 2)), atol=0)
    trained = found[found["series"] == "trained"]
    shown = [[*run] for run in both.drawn["trained"]]
    assert trained[["m", "nmse", "run", "seed"]].values.tolist() == shown
    _, about = both.files["floor"]
    for run in both.drawing[0]["trained"]:
        assert f"trained: run {run.run}, seed {run.seed}, m_h = {run.m_h}" in about.footer
    header = both.drawing[0]
    assert "first m terms alone" in about.title
    assert f"{header['sequences']} sequences of τ = {header['tau']}, seed 0" in about.footer
    assert about.units["nmse"] == "Var(y)" and about.units["mae"] == "y"
    width = both.drawn["width"].replace("> 32", "more than 32").replace("–", " to ")
    assert both.drawing[0]["width"] == width


@cache
def figures_of(name):
    return figures(DESIGNS[name][0], drawing_of(name))


def records(figure):
    """Every table of data in a figure."""
    if isinstance(figure, dict):
        yield from figure.get("datasets", {}).values()
        for value in figure.values():
            yield from records(value)
    elif isinstance(figure, list):
        for value in figure:
            yield from records(value)


@pytest.mark.parametrize("name", DESIGNS)
def test_a_figure_is_drawn_of_the_table_that_its_csv_holds(name):
    columns = {"spectrum": ("k", "sigma"), "functions": ("x", "value"), "row": ("v", "weight")}
    for key in columns.keys() & figures_of(name).keys():
        (x, y), (build, about) = columns[key], figures_of(name)[key]
        figure = specification(build(LIGHT), "", "")
        parts = [part for part in records(figure) if {x, y} <= part[0].keys()]
        shown = about.table
        assert parts
        for part in parts:
            drawn = [[row[x], row[y]] for row in part]
            np.testing.assert_allclose(drawn, shown[[x, y]], rtol=1e-13, atol=1e-14)
        assert len(csv(about.table, about.units).splitlines()) == len(about.table) + 1


@pytest.mark.parametrize("name", DESIGNS)
def test_every_file_says_which_specification_and_what_was_computed(name):
    for key, (_, about) in figures_of(name).items():
        assert about.footer.startswith("spec ") and "computed" in about.footer
        trained = key == "floor" and len(DESIGNS[name]) == 3
        assert ("trained: run" in about.footer) == trained
        assert "Eq. 10" in about.explain or "Eq. 8" in about.explain


# Against closed forms: that both sides are right, and not only alike


def test_the_first_function_of_a_list_out_of_order_is_the_first():
    """σ = (0.1, 1, 0.3): the POD would begin with sin 4πx."""
    drawing = drawing_of("list out of order")
    phi = tables.functions(drawing).query("function == 'φ_1(u)'")
    np.testing.assert_allclose(phi["value"], 2**0.5 * np.sin(2 * np.pi * phi["x"]), atol=1e-12)
    assert list(tables.spectrum(drawing)["part"]) == ["kept", "left out", "left out"]
    assert list(tables.spectrum(drawing)["term"]) == [2, 3, 1]
    assert tables.first_terms(drawing) == "largest term"


def test_a_term_of_24_oscillations_is_one():
    found = tables.functions(drawing_of("one term, 24 oscillations"))
    phi = found[found["function"] == "φ_24(u)"]
    np.testing.assert_allclose(phi["value"], 2**0.5 * np.sin(48 * np.pi * phi["x"]), atol=1e-11)
    assert np.mean(phi["value"] ** 2) == pytest.approx(1)


def test_a_row_of_attention_is_relative_to_uniform():
    drawing = design_drawing(Design(CouplingSpec(rank=2, m_h=1)), Selection())
    table, v = tables.row(drawing), cells(288)
    u = table["u"].iloc[0]
    first, second = (
        2 * np.sin(2 * np.pi * k * u) * np.sin(2 * np.pi * k * (v + 0.5)) / k for k in (1, 2)
    )
    for name, logits in (("ρ", first + second), ("ρ_m", first)):
        part = table[table["coupling"] == name]
        np.testing.assert_allclose(part["rho"], logits, atol=1e-12)
        weights = np.exp(logits) / np.exp(logits).mean()
        np.testing.assert_allclose(part["weight"], weights, rtol=1e-9)


def squares(drawing):
    """The two maps as matrices."""
    parts = tables.maps(drawing).groupby("coupling", sort=False)
    return [part["rho"].to_numpy().reshape(96, 96) for _, part in parts]


def test_maps_are_the_coupling_its_terms_and_what_they_leave():
    """−(u−v)² less its v-mean is 2u(v − ½) − (v² − ⅓), of rank 2; raw it has rank 3."""
    u, v = cells(96)[:, None], cells(96)
    spec = CouplingSpec(formula="-(u-v)**2", m_h=3)
    whole, kept = squares(design_drawing(Design(spec), Selection()))
    np.testing.assert_allclose(whole, 2 * u * (v - 0.5) - (v**2 - 1 / 3), atol=1e-13)
    np.testing.assert_allclose(kept, whole, atol=1e-12)
    raw, left = squares(design_drawing(Design(spec), Selection(centred=False, map="residual")))
    np.testing.assert_allclose(raw, -((u - v) ** 2), atol=1e-13)
    assert np.abs(left).max() < 1e-12


def test_the_floor_is_exactly_0_from_the_rank_on():
    found = tables.floor(design_drawing(Design(CouplingSpec(rank=3, c=10.0)), Selection()))
    found = found[found["series"] == "truncation"]
    assert list(found["m"]) == list(range(33))
    for norm in ("nmse", "mae"):
        assert (found[norm][found["m"] < 3] > 0).all()
        assert (found[norm][found["m"] >= 3] == 0).all(), "rounding is not drawn as an error"
        some = found[found[norm] > 0]
        assert ((some[f"{norm}_low"] > 0) & (some[f"{norm}_low"] <= some[norm])).all()
        assert (some[norm] <= some[f"{norm}_high"]).all()


def test_samples_are_seen_as_their_bilinear_surface():
    values = np.random.default_rng(0).normal(size=(5, 9))
    spec, x = CouplingSpec(grid="0" * 64, m_h=64), cells(96)
    drawing = design_drawing(Design(spec, lambda sha: values), Selection(centred=False))
    whole, kept = squares(drawing)
    np.testing.assert_allclose(whole, Samples(values).matrix(x, x), atol=1e-13)
    np.testing.assert_allclose(kept, whole, atol=1e-9)
