"""Tables of the attention tasks, and the finished runs that are shipped of them."""

from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog

from explorer.models.named import shapes
from explorer.pages.attention import view_tables as task_tables
from explorer.pages.attention.view_head import Head
from explorer.runs import archive, weights
from explorer.spec import amended, spec_id
from explorer.targets import PRESETS, SWEEPS, TASKS, parse_sweep, task_of
from explorer.targets.tasks.gravity import GravitySpec
from explorer.targets.tasks.nearest import NearestSpec
from explorer.targets.tasks.selection import SelectionSpec, neighbourly_width
from explorer.theory import tasks
from explorer.views import series

ASSETS = Path(__file__).resolve().parent.parent / "assets"
SPECS = [NearestSpec(tau=4), GravitySpec(tau=7, segments=2), SelectionSpec(tau=5, k=2)]
NAMES = [spec.target for spec in SPECS]


def untrained(spec, seed=0):
    rng = np.random.default_rng(seed)
    return {name: rng.normal(size=shape) / 4 for name, shape in shapes(spec).items()}


def pictures(spec):
    """What `task_diagnostics` gives, of random weights and by numpy."""
    task, head = task_of(spec), Head(spec, untrained(spec))
    x = task.example()
    predicted, attention = head.respond(x)
    some = task.has_value(x) > 0
    return {
        "tokens": x,
        "attention": attention,
        "ideal": task.attention(x),
        "predicted": predicted,
        "answer": task.answer(x),
        "points": task.value_inputs(x)[some],
        "alone": head.value_map(x[some]),
        "values": task.values(x)[some],
        "sigma_hat": np.arange(spec.m_h, 0, -1),
        "sigma_centred": np.zeros(spec.m_h),
    }


@pytest.mark.parametrize("spec", SPECS, ids=NAMES)
def test_the_matrices_are_those_of_the_example(spec):
    look = pictures(spec)
    table = task_tables.matrices(look)
    assert len(table) == 3 * spec.tau**2
    wide = table.pivot(index=["t", "s"], columns="matrix", values="weight")
    gap = wide[series.LEARNED] - wide[series.IDEAL] - wide[series.DIFFERENCE]
    np.testing.assert_allclose(gap, 0, atol=1e-15)
    rows = wide.groupby("t").sum()
    np.testing.assert_allclose(rows[series.LEARNED], 1)
    np.testing.assert_allclose(rows[series.IDEAL], 1)
    assert wide.loc[(1, 2), series.LEARNED] == look["attention"][1, 2], "rows are queries"


@pytest.mark.parametrize("spec", SPECS, ids=NAMES)
def test_links_are_the_weights_that_can_be_seen(spec):
    look = pictures(spec)
    look["attention"][0, :2] = 0.019, 0.021
    links = task_tables.links(task_tables.matrices(look))
    for name, matrix in (("attention", "learned Â"), ("ideal", "ideal A")):
        found = {(row.t, row.s) for row in links[links["matrix"] == matrix].itertuples()}
        assert found == {tuple(at) for at in np.argwhere(look[name] >= 0.02)}


def test_without_a_head_there_is_the_ideal_matrix_alone():
    look = pictures(SPECS[0])
    del look["attention"]
    assert set(task_tables.matrices(look)["matrix"]) == {series.IDEAL}


@pytest.mark.parametrize("spec", SPECS, ids=NAMES)
def test_values_have_a_row_for_each_coordinate(spec):
    look = pictures(spec)
    table = task_tables.values(look)
    assert len(table) == look["values"].size
    assert sorted(set(table["coordinate"])) == [f"coordinate {i + 1}" for i in range(spec.d_out)]
    second = table[(table["token"] == 1) & (table["coordinate"] == "coordinate 1")].iloc[0]
    assert (second["designed"], second["learned"]) == (look["values"][1, 0], look["alone"][1, 0])


def test_the_plane_is_the_norm_beside_what_the_head_says_of_a_point_alone(monkeypatch):
    monkeypatch.setattr(task_tables, "GRID", 3)
    spec = GravitySpec(tau=7, segments=2)
    own = untrained(spec)
    table = task_tables.plane(spec, own)
    norm, learned = (table[table["map"] == name] for name in ("F∘f", "F̂∘W_V∘f̂"))
    assert sorted(set(norm["x1"])) == [-1, 0, 1]
    np.testing.assert_allclose(norm["value"], np.hypot(norm["x1"], norm["x2"]))
    task, x = task_of(spec), task_of(spec).example()
    points, masses = x[task.has_value(x) > 0][:, :2], x[task.has_value(x) > 0][:, 2]
    masses[0] = 0.5
    for row in learned.itertuples():
        points[0] = row.x1, row.x2
        tokens = task.tokens(points, masses, [2, 3])  # the example's segments
        assert row.value == pytest.approx(Head(spec, own).value_map(tokens)[1, 0])


@pytest.mark.parametrize("spec", [SPECS[0], SPECS[2], GravitySpec(d=3)])
def test_only_norms_over_a_plane_are_drawn_on_one(spec):
    assert task_tables.plane(spec, untrained(spec)) is None
    assert task_tables.plane(GravitySpec(), untrained(GravitySpec())) is not None


@pytest.mark.parametrize(("spec", "rank"), zip(SPECS, (3, 8, 4), strict=True), ids=NAMES)
def test_the_spectrum_leaves_out_zeros_and_names_the_rank_of_a_solution(spec, rank):
    table, expected = task_tables.spectrum(spec, pictures(spec))
    assert expected == rank
    assert set(table["spectrum"]) == {series.RAW}, "0 has no place on a log axis"
    assert table["sigma"].tolist() == list(range(spec.m_h, 0, -1))


def made_up(nmse, **of):
    return {"status": "finished", "nmse": nmse, "agreement": 1 - nmse, "attention_error": nmse} | of


def test_widths_show_the_seeds_and_the_best_one():
    sweep = parse_sweep({"target": "qsa", "k": [1, 2], "m_h": [1, 2], "seed": [0, 1]})
    rows = [
        made_up(0.1 * k / m_h + 0.01 * seed, tau=8, k=k, m_h=m_h, seed=seed)
        for k in (1, 2)
        for m_h in (1, 2)
        for seed in (0, 1)
    ]
    rows[-1] |= {"status": "diverged", "nmse": None}
    table = task_tables.widths(sweep, rows)
    assert table["group"].tolist() == ["k = 1", "k = 1", "k = 2", "k = 2"]
    assert table["seeds"].tolist() == [2, 2, 2, 1]
    np.testing.assert_allclose(table["best"], [0.1, 0.05, 0.2, 0.1])
    np.testing.assert_allclose(table["worst"], [0.11, 0.06, 0.21, 0.1])
    np.testing.assert_allclose(table["median"], [0.105, 0.055, 0.205, 0.1])
    np.testing.assert_allclose(table["agreement"], 1 - table["median"])
    assert task_tables.widths(sweep, []).empty


def test_groups_are_called_by_what_differs():
    row = {"tau": 8, "d": 2, "k": 3, "segments": 2}
    several = {"target": "qsa", "k": [1, 2], "tau": [4, 8]}
    for values, words in (
        ({"target": "nearest", "d": [1, 2]}, "d = 2"),
        ({"target": "qsa", "tau": [4, 8]}, "τ = 8"),
        (several, "τ = 8, k = 3"),
        ({"target": "cog"}, "segments = 2"),
    ):
        assert task_tables.label(parse_sweep(values), row) == words


@pytest.mark.parametrize(
    ("values", "widths", "words"),
    [
        ({"target": "nearest", "d": [1, 2, 3]}, [2, 3, 4], "d + 1 = 2"),
        ({"target": "qsa", "k": [1, 2, 3]}, [2, 4, 6], "min(2k, τ − 1) = 2"),
        ({"target": "qsa", "k": [2], "tau": [4, 8, 16]}, [3, 4, 4], "min(2k, τ − 1) = 3"),
        ({"target": "cog", "segments": [2, 3]}, [11, 12], "τ − 1 + segments = 11"),
    ],
)
def test_the_width_that_is_needed(values, widths, words):
    table = task_tables.needed(parse_sweep(values))
    assert table["m_h"].tolist() == widths and table["words"][0] == words


def spans_a_face(keys, chosen):
    """Whether some linear function is 1 at the chosen of the points and at most 0 at the others."""
    chosen = list(chosen)
    others = np.delete(keys, chosen, axis=0)
    one = np.ones((len(keys), 1))
    equal = np.hstack([keys[chosen], one[chosen]])
    below = np.hstack([others, one[: len(others)]])
    found = linprog(
        np.zeros(keys.shape[1] + 1),
        A_ub=below,
        b_ub=np.zeros(len(others)),
        A_eq=equal,
        b_eq=np.ones(len(chosen)),
        bounds=(None, None),
    )
    return found.status == 0


def curve(tau, m_h):
    """Points of the moment curve."""
    return np.linspace(-1, 1, tau)[:, None] ** np.arange(1, m_h + 1)


@pytest.mark.parametrize(("tau", "k"), [(6, 1), (6, 2), (8, 2), (8, 3), (4, 2), (4, 3)])
def test_the_neighbourly_width_is_enough_and_one_less_is_not(tau, k):
    m_h = neighbourly_width(tau, k)
    keys = curve(tau, m_h)
    assert all(spans_a_face(keys, chosen) for chosen in combinations(range(tau), k))
    rng = np.random.default_rng(0)
    narrower = [curve(tau, m_h - 1), *rng.normal(size=(20, tau, m_h - 1))] if m_h > 1 else []
    for keys in narrower:
        assert not all(spans_a_face(keys, chosen) for chosen in combinations(range(tau), k))


# The finished runs in assets/

FINAL = {
    "nearest": {
        "mse": 4.5e-4,
        "nmse": 1 - 0.9936,
        "attention_error": 0.0086,
        "agreement": 0.991,
        "value_error": 1e-6,
    },
    "cog": {
        "mse": 1.3e-5,
        "nmse": 1e-4,
        "attention_error": 0.0015,
        "agreement": 0.988,
        "value_error": 1.5e-6,
    },
    "qsa": {
        "mse": 1.1e-5,
        "nmse": 3e-4,
        "attention_error": 0.0030,
        "agreement": 1.0,
        "value_error": 1.3e-5,
    },
}
"""What an independent implementation reached in as many minutes."""
PAIRS = {a: b for kind in TASKS.values() for a, b in kind.page.without_aux.items()}
"""Shipped heads with aux, and the same without."""
LARGEST = 160_000  # bytes


@cache
def shipped(name):
    path = ASSETS / f"attention-{name}.zip"
    return archive.read(path), weights.of_archive(path)


def measured(spec, own, sequences=400):
    """mse, attention_error, agreement, value_error by numpy on sequences of another seed."""
    task, head = task_of(spec), Head(spec, own)
    rng = np.random.default_rng(2026)
    found = []
    for x in task.inputs(rng.random((sequences, task.n_uniform))):
        predicted, attention = head.respond(x)
        ideal, counted = task.attention(x), task.has_value(x) > 0
        top = ideal[np.arange(spec.tau), attention.argmax(axis=1)] == ideal.max(axis=1)
        own_error = (head.value_map(x) - task.values(x))[counted]
        found.append(
            [
                ((predicted - task.answer(x)) ** 2).mean(),
                np.abs(attention - ideal).mean(),
                top.mean(),
                (own_error**2).mean(),
            ]
        )
    names = ("mse", "attention_error", "agreement", "value_error")
    return dict(zip(names, np.mean(found, axis=0), strict=True))


@pytest.mark.parametrize("name", FINAL)
def test_a_shipped_head_is_as_good_as_an_independent_one(name):
    record, own = shipped(name)
    metrics = record.row.metrics
    assert record.row.status == "finished" and record.spec.aux
    for key, bound in FINAL[name].items():
        good = metrics[key] >= bound if key == "agreement" else metrics[key] <= bound
        assert good, f"{key} = {metrics[key]}, asked {bound}"
    again = measured(record.spec, own)
    assert again["agreement"] == pytest.approx(metrics["agreement"], abs=0.01)
    for key in ("mse", "attention_error", "value_error"):
        assert again[key] == pytest.approx(metrics[key], rel=0.5), key


@pytest.mark.parametrize("name", [name for kind in TASKS.values() for name in kind.page.shipped])
def test_a_shipped_head_is_small_and_can_be_scrubbed(name):
    assert (ASSETS / f"attention-{name}.zip").stat().st_size < LARGEST
    record, _ = shipped(name)
    steps = record.snapshot_steps
    assert len(steps) >= 15 and steps[0] == 1 and steps[-1] == record.row.steps
    assert np.diff(np.log(steps)).max() < np.log(3.1), "log-spaced"
    progress = task_tables.progress(record)
    assert set(progress["metric"]) == {*task_tables.ERRORS.values(), "agreement"}
    assert len(progress) == 4 * len(steps) and (progress["value"] >= 0).all()


def test_nearest_without_aux_stays_on_a_plateau_and_jumps():
    record, own = shipped("nearest-plain")
    assert not record.spec.aux
    headers = [record.snapshot(step)[0] for step in record.snapshot_steps.tolist()]
    waiting = [h for h in headers if 0.022 < h["mse"] < 0.030]
    assert waiting[-1]["step"] >= 4 * waiting[0]["step"], "most of a decade"
    assert all(h["agreement"] < 0.45 for h in waiting)
    after = [h for h in headers if h["step"] > waiting[-1]["step"]]
    assert after[0]["agreement"] > 0.6, "by the next picture kept it looks elsewhere"
    assert all(h["agreement"] > 0.9 and h["mse"] < 0.008 for h in after[1:])
    assert measured(record.spec, own)["agreement"] > 0.98


def test_the_plateau_is_the_best_answer_from_the_own_token_alone():
    """E[y | u] misses by Var(y | u): a head that looks for no other token can know no more."""
    record, _ = shipped("nearest-plain")
    task = task_of(record.spec)
    x = task.inputs(np.random.default_rng(0).random((40_000, task.n_uniform)))
    u, y = x[:, 0, :2], task.answer(x)[:, 0]
    cell = (u * 12).astype(int) @ np.array([12, 1])
    means = np.array([y[cell == c].mean(axis=0) for c in range(144)])
    floor = ((y - means[cell]) ** 2).mean()
    headers = [record.snapshot(step)[0] for step in record.snapshot_steps.tolist()]
    waiting = [h["mse"] for h in headers if 0.022 < h["mse"] < 0.030]
    assert min(waiting) > 0.8 * floor and max(waiting) < 1.3 * floor


@pytest.mark.parametrize(("with_aux", "plain"), PAIRS.items())
def test_a_shipped_pair_differs_in_aux_alone(with_aux, plain):
    without, having = (shipped(name)[0].spec for name in (plain, with_aux))
    assert having.aux and amended(without, aux=True) == having
    assert amended(without, steps=PRESETS[plain][1].steps) == PRESETS[plain][1]


def test_gravity_by_adam_without_aux_answers_well_with_a_wrong_attention():
    record, own = shipped("cog-adam-plain")
    right, wrong = shipped("cog-adam")[0].row.metrics, record.row.metrics
    assert wrong["r2"] > 0.99 and right["r2"] > 0.99, "the answers are right"
    assert wrong["agreement"] < 0.8 and right["agreement"] > 0.9, "the attention is not"
    assert wrong["attention_error"] > 3 * right["attention_error"]
    assert measured(record.spec, own)["agreement"] == pytest.approx(wrong["agreement"], abs=0.02)


def test_gravity_by_soap_looks_right_with_and_without_aux():
    for name in ("cog", "cog-plain"):
        metrics = shipped(name)[0].row.metrics
        assert metrics["agreement"] > 0.97 and metrics["attention_error"] < 2e-3


# The finished sweeps in assets/


@pytest.mark.parametrize("name", task_tables.WIDTHS)
def test_a_shipped_sweep_is_whole_and_is_a_preset(name):
    found = task_tables.shipped_widths(name)
    assert found.sweep == SWEEPS[task_tables.WIDTHS[name].preset][1] and found.made
    ids = {spec_id(member) for member in found.sweep.members()}
    assert {row["spec_id"] for row in found.rows} == ids and len(found.rows) == len(ids)
    table = task_tables.widths(found.sweep, found.rows)
    assert set(table["seeds"]) == {len(found.sweep.seed)} and (table["best"] > 0).all()
    groups = tasks.summary(found.sweep, found.rows)["groups"]
    assert table["best"].tolist() == [error for group in groups for error in group["best"]]


def best(name):
    """nMSE of the best seed by group and m_h."""
    found = task_tables.shipped_widths(name)
    table = task_tables.widths(found.sweep, found.rows)
    return table.set_index(["group", "m_h"])


def test_the_nearest_point_needs_the_centred_rank_and_no_more():
    table = best("nearest")
    for d in (1, 2, 3):
        of = table.loc[f"d = {d}"]
        narrow, enough = of.loc[d], of.loc[d + 1 :]
        assert narrow["best"] > 10 * enough["best"].max(), "one width less falls short"
        assert enough["best"].max() < 2 * enough["best"].min(), "more than d + 1 is no better"
        assert narrow["agreement"] < 0.85 and enough["agreement"].min() > 0.98


def test_heads_of_the_nearest_point_use_just_the_centred_rank():
    found = task_tables.shipped_widths("nearest")
    wide = [row for row in found.rows if row["m_h"] > row["d"] + 1]
    assert wide
    for row in wide:
        assert row["sigma"][row["d"]] > 4 * row["sigma"][row["d"] + 1]


def test_the_width_of_qsa_grows_with_k():
    table = best("qsa-k")["best"]
    for k in (1, 3):  # two seeds of k = 2 stay with unresolved pairs until m_h = 6
        assert table[f"k = {k}", 2 * k - 1] > 50 * table[f"k = {k}", 2 * k]
    assert table["k = 2", 3] > 0.1 and table["k = 3", 3] > 0.1, "3 is enough for k = 1 only"
    assert table["k = 1", 3] < 1e-5 and table["k = 2", 6] < 1e-3 and table["k = 3", 6] < 1e-3


def test_the_width_of_qsa_does_not_grow_with_tau():
    table = best("qsa-tau")
    for tau in (4, 8, 16):
        of = table.loc[f"τ = {tau}"]
        assert of.loc[1]["best"] > 1e4 * of.loc[2:]["best"].max()
        assert of.loc[1]["agreement"] < 0.6 and of.loc[2:]["agreement"].min() == 1


def test_a_trained_head_pays_for_the_margin_on_a_crowded_circle():
    """At τ = 32 keys in the plane stand 11° apart: 2 is possible, and these heads need 3."""
    table = best("qsa-tau").loc["τ = 32"]
    assert neighbourly_width(32, 1) == 2
    assert table.loc[2]["best"] > 0.1 and table.loc[3]["best"] < 1e-3
