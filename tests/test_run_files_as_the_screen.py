"""Files of a run hold what its canvas shows: the script of the canvas, given the messages of the
WebSocket, is asked what it draws at the step, of the query and beside the pinned run."""

import base64
from types import SimpleNamespace

import numpy as np
import pytest

from explorer.charts import LIGHT
from explorer.charts.export import csv, export
from explorer.charts.heatmap import colour_range
from explorer.pages.runs import figures as run_figures
from explorer.pages.runs.view import labels
from explorer.theory.design import Design
from explorer.ui import live
from explorer.ui.topics import figures_of

ASK = """
const bytes = (text) => { const b = Buffer.from(text, "base64"); return b.buffer.slice(b.byteOffset, b.byteOffset + b.byteLength); };
const followed = (messages) => { const run = c.emptyRun(); for (const m of messages) c.take(run, c.unpack(bytes(m))); return run; };
const run = followed(shown), pin = pinned && followed(pinned), view = { t, pin };
run.scrub = run.evals.has(step) ? step : null;
const look = c.shownIn(run), list = (array) => Array.from(array?.values ?? []), token = c.tokenOf(run, view), { tau } = run.drawing;
const evals = c.sorted(run.evals), row = (m) => list(m).slice(token * tau, (token + 1) * tau);
return {
  evals, loss: c.sorted(run.loss), floor: run.drawing.floor, token, tokens: list(run.drawing.tokens),
  ideal: row(run.drawing.ideal), learned: row(look.attention), angles: list(look.angles),
  sigma: list(run.drawing.sigma), sigma_hat: list(look.sigma_hat), rho: list(run.drawing.rho), rho_hat: list(look.rho_hat),
  limit: c.rangeOf(run).limit, difference: list(c.difference(run, pin)),
  pinned: pin && { sigma_hat: list(pin.frame.sigma_hat), evals: c.sorted(pin.evals), rho_hat: list(pin.frame.rho_hat),
    ratio: c.ratioOf(evals, c.sorted(pin.evals)), gap: c.gapOf(list(look.sigma_hat), list(pin.frame.sigma_hat)) },
};
"""  # noqa: E501

KEPT = "a kept step"
CASES = {
    "the end": ("asset-train", None, None, None),
    "another query, t = 0": ("asset-train", None, 0, None),
    "the last query, at a kept step": ("asset-train", KEPT, 15, None),
    "a step without a picture": ("asset-design", 7, 3, None),
    "another run, at a kept step": ("asset-design", KEPT, 40, None),
    "beside a pinned run": ("asset-train", None, 2, "asset-design"),
    "at a kept step beside a pinned run": ("asset-design", KEPT, None, "asset-train"),
}


def messages(feed, step=None):
    parts = [
        feed.drawing(),
        feed.history(),
        *([feed.picture_at(step)] if step else []),
        feed.frame(),
    ]
    return [base64.b64encode(part).decode() for part in parts]


@pytest.fixture(scope="module", params=CASES)
def both(request, javascript):
    """What the canvas draws of a case, and the figures as files."""
    run, step, t, pin = CASES[request.param]
    feed, other = live.open_stream(run), pin and live.open_stream(pin)
    record, kept = feed.record, [int(step) for step in feed.record.snapshot_steps]
    step = kept[len(kept) // 2] if step == KEPT else step
    drawn = javascript(
        "live",
        ASK,
        shown=messages(feed, step if step in kept else None),
        step=step,
        t=t,
        pinned=other and messages(other),
    )
    at = step if step in kept else None
    files = figures_of(record, at, t, {"the other": other.record} if other else None)
    return SimpleNamespace(
        drawn=drawn, files=files, record=record, step=at or kept[-1], other=other
    )


def part(both, name, column, value):
    table = both.files[name][1].table
    return table[table[column] == value]


def test_the_curves(both):
    for name, drawn in (("training loss", "loss"), ("nMSE on fresh sequences", "evals")):
        found = part(both, "error", "curve", name)[["step", "error"]]
        np.testing.assert_allclose(found, both.drawn[drawn], rtol=1e-6)


def test_the_attention_is_of_the_query_that_is_shown(both):
    for row in ("ideal", "learned"):
        found = part(both, "attention", "row", row)
        np.testing.assert_allclose(found["weight"], both.drawn[row], rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(found["x"], both.drawn["tokens"], rtol=1e-6)
    t = both.drawn["token"]
    query = f"t = {t}, x_t = {both.drawn['tokens'][t]:.2f}"
    build, about = both.files["attention"]
    assert about.title.endswith(query)
    assert f"key s (query {query})" in build(LIGHT).to_json(ensure_ascii=False)


def test_the_spectra(both):
    sides = {"designed σ_k": both.drawn["sigma"], "learned σ̂_k": both.drawn["sigma_hat"]}
    sides |= {"pinned σ̂_k": both.drawn["pinned"]["sigma_hat"]} if both.other else {}
    table = both.files["spectrum"][1].table
    assert set(table["spectrum"]) == set(sides)
    for name, drawn in sides.items():
        found = part(both, "spectrum", "spectrum", name)["sigma"]
        np.testing.assert_allclose(found[: len(drawn)], drawn, rtol=1e-6, atol=1e-12)
        assert not found[len(drawn) :].any(), "beyond the rank, where the screen has its lane for 0"
    assert "pinned" in both.files["spectrum"][1].footer or not both.other


def test_the_angles(both):
    found, drawn = both.files["angles"][1].table, np.array(both.drawn["angles"])
    assert list(found["tied"]) == list(drawn < 0)
    np.testing.assert_allclose(found["angle"][~found["tied"]], drawn[drawn >= 0], rtol=1e-6)


def test_the_couplings_and_the_ends_of_their_colours(both):
    for name, drawn in (("designed ρ", "rho"), ("learned ρ̂", "rho_hat")):
        found = part(both, "coupling", "coupling", name)["rho"]
        np.testing.assert_allclose(found, both.drawn[drawn], rtol=1e-6, atol=1e-6)
    figure = both.files["coupling"][0](LIGHT).to_dict()["hconcat"][0]["layer"][1]
    limit = figure["encoding"]["color"]["scale"]["domain"][1]
    assert limit == pytest.approx(both.drawn["limit"], rel=1e-6)
    assert limit == colour_range(part(both, "coupling", "coupling", "designed ρ")["rho"])
    beside = "difference" if both.other else "ρ̂ − ρ"
    name = "learned" if both.other else "coupling"
    found = part(both, name, "coupling", beside)["rho"]
    np.testing.assert_allclose(found, both.drawn["difference"], atol=1e-5)


def test_what_is_shown_beside_a_pinned_run_goes_home_too(both):
    names = {"errors", "ratio", "gap", "learned"}
    assert names <= set(both.files) if both.other else not names & set(both.files)
    if not both.other:
        return
    drawn, (ratio, gap) = both.drawn["pinned"], (both.files[n][1].table for n in ("ratio", "gap"))
    np.testing.assert_allclose(ratio[["step", "ratio"]], drawn["ratio"], rtol=1e-4)
    np.testing.assert_allclose(gap["gap"], drawn["gap"], rtol=1e-5, atol=1e-6)
    curves = both.files["errors"][1].table
    names = labels([both.record.row, both.other.record.row])
    for name, evals in zip(names, (both.drawn["evals"], drawn["evals"]), strict=True):
        found = curves[curves["run"] == name][["step", "error"]]
        np.testing.assert_allclose(found, evals, rtol=1e-6)


def test_every_file_says_run_seed_width_and_step_and_what_was_computed(both):
    row = both.record.row
    for name, (_, about) in both.files.items():
        assert row.spec_id in about.footer
        assert "trained" in about.footer or name == "errors"
        if name in ("attention", "coupling", "angles", "spectrum"):
            assert f"step {both.step} of {row.steps}" in about.footer
            assert f"seed {row.spec.seed}" in about.footer
            assert f"m_h = {row.spec.m_h}" in about.footer
        assert "(Eq. " in about.explain or "of Eq. 8" in about.explain or name == "errors"
        assert csv(about.table, about.units).count(b"\n") == len(about.table) + 1


def test_every_kind_of_file_is_made(both):
    for name in {"attention", "gap", "ratio"} & set(both.files):
        build, about = both.files[name]
        for kind, start in (("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF")):
            data = export(build(LIGHT), kind, title=about.title, footer=about.footer)
            assert data.startswith(start)


def test_the_floor_is_called_an_upper_bound():
    record = live.open_stream("asset-design").record
    assert "an upper bound on the best error of this width" in (
        run_figures.figures(record, _drawing(record))["error"][1].footer
    )


def _drawing(record):
    from explorer.pages.train import view as train

    return train.drawing(Design(record.spec))
