"""What the Order page sends home is what it shows: files and component have one payload."""

import io
import zipfile

import numpy as np
import pandas as pd
import pytest
from messages import opened
from stores import ALTERED_COUPLING, SMALL, trained
from streamlit_pages import app, ran

from explorer.charts import LIGHT
from explorer.charts.export import csv, export
from explorer.pages.order import view_tables as tables
from explorer.spec import LinearSpec, amended, compact
from explorer.theory.linear import linear_floors
from explorer.ui import components, exports, live
from explorer.ui.topics import figures_of
from explorer.views.pictures import picture_step

pytestmark = pytest.mark.usefixtures("one_thread")

DESIGNS = {
    "own order": LinearSpec(tau=9, kernel="power", permutation=(8, 0, 3, 1, 2, 7, 6, 5, 4)),
    "ahead": LinearSpec(filter="signed", filter_mode="ahead", permutation="block"),
    "centred": LinearSpec(tau=12, filter=(0.2, -0.5, 0.3), filter_mode="centred"),
    "circular": LinearSpec(
        kernel="random",
        filter="positive",
        filter_mode="circular",
        permutation="random",
        permutation_seed=5,
    ),
    "formula": LinearSpec(kernel="formula", formula="cos(s)*exp(-s/4)", filter="difference"),
    "64 taps": LinearSpec(tau=64, filter="signed", filter_length=64, permutation="roll"),
    "kernel of taps": LinearSpec(tau=7, kernel="taps", taps=(0.5, 0.0, -2.0), model="rnn"),
    "shipped tables": LinearSpec(permutation="roll"),
    "altered coupling": ALTERED_COUPLING,
}
LEARNED = {
    "trained Transformer": LinearSpec(**SMALL, permutation="reverse", filter=(0.5, -0.5), conv=3),
    "trained RNN": LinearSpec(**SMALL, model="rnn", hidden=3, permutation="roll"),
    "trained coupling": amended(ALTERED_COUPLING, **SMALL, positions=2),
}
DRAWN = """
const order = header.order ?? c.identity(header.tau), taps = header.taps ?? [1];
const seen = { ...header, order: c.isPlain(order) ? null : order };
const matrix = header.kernel && c.targetMatrix(seen), floors = header.kernel && c.floorsOf(matrix);
return {
  order, taps, scaled: learned && c.alike(learned, taps), matrix: matrix?.map((row) => [...row]),
  floors: floors && { ...floors, kernel: [...floors.kernel] },
};
"""


@pytest.fixture
def payload(monkeypatch):
    """What a page gives its component and what it sends home, the files by their names."""
    sent = {}

    monkeypatch.setattr(components, "order", lambda header, **_: sent.update(header=header))
    monkeypatch.setattr(exports, "figure_rows", lambda figures, _: sent.update(figures=figures))

    def of(spec, **params):
        at = app("order", spec=compact(spec), **params)
        at = ran(at)
        run = sent["header"]["stream"]["run"]
        of_run = run and f"take home {live.open_stream(run).record.row.run}"
        at.session_state[of_run or "order figures"] = True
        ran(at)
        tables = {
            name: pd.read_csv(io.BytesIO(csv(about.table, about.units)))
            for name, (_, about) in sent["figures"].items()
        }
        return sent["header"], tables, sent["figures"]

    return of


def of(table, what, value="value"):
    return table[table["what"] == what][value].to_numpy()


def as_drawn(header, files, learned, javascript):
    """Every file against what the component computes from its header and the kept picture."""
    drawn = javascript("order", DRAWN, header=dict(header), learned=learned.get("taps"))
    model = files["order"][files["order"]["row"] == tables.ROWS[1]].sort_values("place")
    assert model["token"].tolist() == list(drawn["order"])
    moved = [token != place for place, token in enumerate(drawn["order"])]
    assert model["moved"].tolist() == moved
    np.testing.assert_allclose(of(files["filter"], tables.THETA, "tap"), drawn["taps"])
    if learned.get("taps"):
        np.testing.assert_allclose(of(files["filter"], tables.SCALED, "tap"), drawn["scaled"])
    errors = files["errors"]
    got = errors[errors["how"] != "computed"]
    for name in ("mse", "nmse", "source"):
        assert got[name].tolist() == [each[name] for each in header["trained"]]
    trained_, seeds = got[got["how"] == "trained"], [each["seed"] for each in header["trained"]]
    assert trained_["seed"].tolist() == [seed for seed in seeds if seed is not None]
    return drawn


@pytest.mark.parametrize("name", [*DESIGNS, *LEARNED])
def test_every_file_is_what_the_page_draws(name, payload, javascript):
    spec, learned, params = DESIGNS.get(name) or LEARNED[name], {}, {}
    if name in LEARNED:
        run = trained(spec).run
        pictures = opened(live.open_stream(run).frame()).pictures
        learned, params = {key: values.tolist() for key, values in pictures.items()}, {"run": run}
    header, files, _ = payload(spec, **params)
    drawn = as_drawn(header, files, learned, javascript)
    assert set(files) >= {"order", "filter", "errors", "propositions"}
    assert ("learning" in files) == bool(header["stream"]["run"])
    if header["kernel"] is None:
        assert set(files) >= ({"answers", "attention"} if learned else set())
        return
    floors = drawn["floors"]
    for which, what in tables.FLOORS.items():
        (error,) = of(files["errors"], what, "mse")
        assert error == pytest.approx(floors[which], rel=1e-9, abs=1e-15)
    np.testing.assert_allclose(of(files["kernels"], tables.RHO), header["kernel"])
    np.testing.assert_allclose(of(files["kernels"], tables.BEST), floors["kernel"], atol=1e-13)
    np.testing.assert_allclose(of(files["maps"], tables.K), np.ravel(drawn["matrix"]), atol=1e-13)
    for file, what, key in (
        ("kernels", tables.KERNEL_HAT, "kernel_hat"),
        ("maps", tables.K_HAT, "matrix_hat"),
    ):
        np.testing.assert_allclose(of(files[file], what), np.ravel(learned.get(key, [])), rtol=1e-6)


def test_files_say_what_is_computed_and_what_is_trained(payload):
    run = trained(LEARNED["trained RNN"])
    _, _, figures = payload(LEARNED["trained RNN"], run=run.run)
    footers = {name: about.footer for name, (_, about) in figures.items()}
    assert footers["order"] == f"spec {run.spec_id} · computed, not trained"
    for name in ("kernels", "maps", "learning"):
        assert f"seed 0 · run {run.run} · step 20 of 20" in footers[name], name
    assert "floors computed · 1 trained model, seed 0" in footers["errors"]
    _, _, figures = payload(amended(LEARNED["trained RNN"], rate=2.0), run=run.run)
    assert figures["kernels"][1].footer.endswith("computed, not trained"), "it learns another one"
    assert set(figures["kernels"][1].table["what"]) == {tables.RHO, tables.BEST}


@pytest.mark.parametrize("name", ["own order", "kernel of taps", "altered coupling"])
def test_every_figure_of_what_nobody_has_trained_has_a_size(name, payload):
    """A legend of nothing had none, which a PDF refuses."""
    _, _, figures = payload(DESIGNS[name])
    with zipfile.ZipFile(io.BytesIO(exports.everything(figures))) as archive:
        files = archive.namelist()
        assert len(files) == 2 * len(figures) > 2
        assert all(archive.read(each)[:4] == b"%PDF" for each in files if each.endswith(".pdf"))


def test_files_have_their_legends(payload):
    """In the SVG stand the names of all that is drawn, the title and the footer."""
    spec = LEARNED["trained Transformer"]
    run = trained(spec)
    _, _, figures = payload(spec, run=run.run)
    expected = {
        "order": ["moved", *tables.ROWS],
        "filter": [tables.THETA, tables.SCALED],
        "kernels": [tables.RHO, tables.BEST],
        "maps": [tables.K, tables.K_HAT],
        "errors": ["any causal model (", "time-invariant (", "a constant (", "this run"],
        "learning": ["training loss", "nMSE on fresh sequences"],
        "propositions": ["label", "6.3"],
    }
    for name, (build, about) in figures.items():
        drawn = export(build(LIGHT), "svg", title=about.title, footer=about.footer).decode()
        for words in (*expected[name], about.title, about.footer):
            assert words in drawn, (name, words)


def test_a_picture_of_the_past_goes_home_as_it_was(payload):
    run = trained(LEARNED["trained RNN"]).run
    record = live.open_stream(run).record
    step = int(record.snapshot_steps[1])
    assert picture_step(record, step) == step < record.row.steps
    _, files, figures = payload(LEARNED["trained RNN"], run=run, at=str(step))
    learned = record.snapshot(step)[1]["matrix_hat"]
    np.testing.assert_allclose(of(files["maps"], tables.K_HAT), np.ravel(learned), rtol=1e-6)
    assert f"step {step} of 20" in figures["maps"][1].footer


@pytest.mark.parametrize("name", LEARNED)
def test_a_run_takes_its_pictures_home_from_any_page(name):
    """The Runs page has them, too: on the run's own target, whatever is designed."""
    run = trained(LEARNED[name])
    figures = figures_of(live.open_stream(run.run).record)
    assert {"order", "filter", "errors", "learning"} <= set(figures)
    errors = figures["errors"][1].table
    (mse,) = errors[errors["what"] == "this run"]["mse"]
    assert mse == run.metrics.get("population_mse", run.metrics["mse"])


def test_the_floors_of_a_file_are_those_of_the_theory():
    spec = DESIGNS["64 taps"]
    from explorer.pages.order.view import drawing

    shown = tables.Shown(drawing(spec, {}, [], False))
    expected = linear_floors(shown.target.matrix)
    table = tables.errors(shown).set_index("what")["mse"]
    for which, what in tables.FLOORS.items():
        assert table[what] == getattr(expected, which)
