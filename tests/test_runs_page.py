"""The Runs page: its tables and sentences, and what its buttons do to the store."""

from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs

import numpy as np
import pandas as pd
import pytest
import streamlit_pages
from hypothesis import given, settings
from hypothesis import strategies as st
from stores import TINY, filled
from streamlit_pages import button, ran

from explorer.charts import DARK, LIGHT
from explorer.pages.runs import actions as run_actions
from explorer.pages.runs import chart as runs_charts
from explorer.pages.runs import comparison, page, view
from explorer.pages.runs import figures as run_figures
from explorer.pages.train import view as train
from explorer.runs import archive, frames, zips
from explorer.runs.store import Store
from explorer.runs.transitions import RunError
from explorer.spec import CouplingSpec, amended, compact
from explorer.targets import parse
from explorer.theory.design import Design
from explorer.ui import address, exports
from explorer.ui.pages import PAGES, page_of
from explorer.views import pictures
from explorer.views.glossary import undotted

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def store():
    return Store()


@contextmanager
def at_work(store, **changes):
    """A run that this process works on."""
    with store.start(amended(TINY, **changes), "cpu") as lease:
        yield lease.row.run


# The tables and sentences


def test_the_newest_comes_first_and_the_filter_needs_every_word(store):
    old = filled(store, name="for the talk")
    new = filled(store, status="stopped", formula="u*v", rank=None, seed=3)
    rows = store.list()
    assert view.listing(rows).runs == (new, old)
    for text, found in [
        ("TALK", (old,)),
        ("for talk", (old,)),
        ("talk stopped", ()),
        ("u*v", (new,)),
        ("seed=3", (new,)),
        ("seed=3 m_h=2", (new,)),
        (new, (new,)),
        ("cpu", (new, old)),
        ("nothing has this", ()),
        ("  ", (new, old)),
    ]:
        assert view.listing(rows, text).runs == found, text
    assert view.listing(rows, "", ["stopped"]).runs == (new,)
    assert view.listing(rows, "talk", ["stopped", "failed"]).runs == ()


def test_the_list_says_what_it_does_not_show(store):
    one = store.get(filled(store))
    rows = [replace(one, run=f"{one.spec_id}-{n}") for n in range(1, 251)]
    shown = view.listing(rows)
    assert len(shown.runs) == len(shown.table) == 200
    assert shown.note == "250 runs; the newest 200 are shown, 50 more by a narrower filter"
    assert view.listing(rows, "no such").note == "0 of 250 runs"
    assert view.listing(rows[:1]).note == "1 run"


def test_a_row_holds_the_run(store):
    run = filled(store, name="a", nmse=0.02, c=2.0, alpha=1.5)
    table = view.listing(store.list()).table
    (line,) = table.to_dict("records")
    assert (line["run"], line["name"], line["status"], line["step"]) == (run, "a", "finished", 60)
    assert (line["nmse"], line["m_h"], line["seed"], line["device"]) == (0.02, 2, 0, "cpu")
    assert line["design"] == "σ_k = 2·k^−1.5, r = 2, sine × shifted-sine"
    assert line["created"].timestamp() == pytest.approx(store.get(run).created)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "σ_k = k^−1, r = ∞, sine × shifted-sine"),
        ({"spectrum": "exponential"}, "σ_k = 0.5^(k−1), r = ∞, sine × shifted-sine"),
        ({"spectrum": "list", "sigma": (1.0, 0.5)}, "free σ_k, r = 2, sine × shifted-sine"),
        ({"formula": "u*v"}, "ρ = u*v"),
        ({"grid": "ab" * 32}, "samples abababab…"),
    ],
)
def test_a_design_in_words(changes, words):
    assert view.design_words(CouplingSpec(**changes)) == words


def test_a_run_of_another_version_stays_in_the_list(store):
    strange = replace(store.get(filled(store)), spec_json='{"version": 9}')
    (line,) = view.listing([strange]).table.to_dict("records")
    assert line["design"] == "written by another version" and line["nmse"] == 0.01
    assert view.listing([strange], "another version").runs == (strange.run,)
    assert view.differences([strange, strange]).empty


def test_a_name_that_two_runs_share_is_no_label(store):
    runs = [filled(store, name=name, seed=seed) for seed, name in enumerate("aab")]
    assert view.labels([store.get(run) for run in runs]) == ["seed 0", "seed 1", "b"]
    same = [filled(store, name="a"), filled(store, name="a")]  # nor do they differ
    assert view.labels([store.get(run) for run in same]) == same
    long = replace(store.get(runs[2]), name="x" * 80)
    assert len(view.labels([long])[0]) <= view.LABEL


def test_only_the_fields_that_differ_are_shown(store):
    runs = [filled(store, seed=1), filled(store, rank=None, lr=0.003)]
    table = view.differences([store.get(run) for run in runs]).set_index("field")
    assert table.to_dict("index") == {
        "rank": {runs[0]: "2", runs[1]: "∞"},
        "lr": {runs[0]: "0.01", runs[1]: "0.003"},
        "seed": {runs[0]: "1", runs[1]: "0"},
    }


def test_fields_that_do_nothing_do_not_differ(store):
    runs = [filled(store, formula="u*v", alpha=2.0), filled(store, formula="u*v", alpha=3.0)]
    assert view.differences([store.get(run) for run in runs]).empty
    table = view.differences([store.get(runs[0]), store.get(filled(store, alpha=2.0))])
    assert table.set_index("field").loc["alpha"].tolist() == ["–", "2"]


def test_curves_leave_out_what_a_log_axis_cannot_show(store):
    record = store.read(filled(store))
    broken = replace(record, losses=np.where(record.steps == 2, 0.0, record.losses))
    table = pictures.curve_table(broken)
    losses = table[table["curve"] == "training loss"]
    assert 2 not in losses["step"].tolist() and len(losses) == 59
    assert table[table["curve"] != "training loss"]["error"].tolist() == [1.0, 0.01]


def test_a_run_without_curves_has_empty_ones(store):
    run = store.create(TINY)
    record = store.read(run)
    assert pictures.curve_table(record).empty and view.compared_curves([record]).empty
    none = view.floor_table([], [])
    assert view.end_labels(view.compared_curves([record]), none).empty


def test_floors_of_zero_are_no_lines(store):
    rows = [store.get(filled(store, seed=seed)) for seed in range(3)]
    table = view.floor_table(rows, [0.0, 0.1, None])
    assert table.to_dict("records") == [{"run": "seed 1", "error": 0.1}]


@settings(deadline=None, max_examples=50)
@given(st.lists(st.floats(1e-9, 1.0), min_size=1, max_size=6))
def test_labels_keep_apart_and_in_order(ends):
    curves = pd.concat(
        [
            pd.DataFrame({"run": f"r{i}", "step": [1, 10], "error": [1.0, end]})
            for i, end in enumerate(ends)
        ]
    )
    table = view.end_labels(curves, view.floor_table([], []))
    assert table["run"].tolist() == [f"r{i}" for i in range(len(ends))]
    assert (table["step"] == 10).all() and table["error"].tolist() == ends
    placed = np.log10(table["at"].to_numpy())
    span = max(-np.log10(min(ends)), 1.0)
    order = np.argsort(ends, kind="stable")
    assert (np.diff(placed[order]) >= 0.075 * span - 1e-9).all()
    assert abs(placed.mean() - np.log10(ends).mean()) < 1e-9  # moved as little as possible


def test_labels_that_are_far_apart_stay_where_the_curves_end():
    curves = pd.DataFrame({"run": ["a", "b"], "step": [9, 5], "error": [1.0, 1e-6]})
    table = view.end_labels(curves, view.floor_table([], []))
    assert table["at"].tolist() == pytest.approx(table["error"].tolist())


def test_what_several_runs_say(store):
    def say(*runs):
        return view.verdict([store.get(run) for run in runs])

    first, second = filled(store, nmse=0.01), filled(store, nmse=0.04, seed=1)
    third, open_ = filled(store, nmse=0.02, seed=2), filled(store, status="stopped", seed=3)
    assert say(first, second, third) == (
        "3 seeds of one design and recipe: nMSE from 0.010 to 0.040, median 0.020."
    )
    assert say(first, filled(store, nmse=0.02)) == (
        "2 runs of one specification: nMSE from 0.010 to 0.020."
    )
    other = filled(store, nmse=0.1, m_h=1, lr=0.001, name="narrow")
    assert say(first, other) == (
        f"{first} ends lowest, at nMSE 0.010, 10 × below narrow; the 2 finished runs differ in "
        "m_h and lr, and each is one seed."
    )
    assert say(first, open_) == "One of these 2 runs has finished: nothing to compare."


def test_what_a_store_says(store):
    runs = [filled(store, status="stopped")]
    assert view.summary(store.list()) == "None of 1 run has finished yet."
    runs.append(filled(store, seed=1, nmse=0.5))
    runs.append(filled(store, seed=2, nmse=0.002, name="best"))
    assert view.summary(store.list()) == (
        "2 of 3 runs have finished; the lowest nMSE is 0.0020, of best."
    )
    assert view.summary([store.get(runs[1])]) == (
        f"The only run has finished; the lowest nMSE is 0.50, of {runs[1]}."
    )


def test_a_name_is_never_markup(store):
    filled(store, name="**[x](y)** $a$ `b`")
    assert opened().info[0].value.endswith(r"of \*\*\[x\](y)\*\* \$a\$ \`b\`.")


def test_the_small_print_names_specifications_and_seeds(store):
    rows = [store.get(filled(store, seed=seed)) for seed in (0, 7)]
    ids = ", ".join(r.spec_id for r in rows)
    assert view.signature(rows) == f"specs {ids} · seeds 0, 7"
    one = rows[0]
    assert view.signature([one]) == (f"spec {one.spec_id} · seed 0 · run {one.run} · step 60 of 60")
    assert view.signature([one], 5).endswith("step 5 of 60")


def test_tables_of_pictures_hold_both_sides(store):
    record = store.read(filled(store))
    drawing = train.drawing(Design(record.spec))
    spectrum = pictures.spectrum_table(record, drawing)
    learned = spectrum[spectrum["spectrum"] == "learned σ̂_k"]
    assert learned["sigma"].tolist() == [2.0, 1.0] and learned["k"].tolist() == [1, 2]
    attention = pictures.attention_table(record, drawing).groupby("row")["weight"].sum()
    assert attention.to_dict() == pytest.approx({"ideal": 1.0, "learned": 1.0}, abs=1e-6)
    coupling = pictures.coupling_table(record, drawing)
    names = ("designed ρ", "learned ρ̂", "ρ̂ − ρ")
    assert coupling.groupby("coupling").size().to_dict() == dict.fromkeys(names, 48**2)
    angles = pictures.angles_table(record)
    assert angles["k"].tolist() == [1, 2] and angles["angle"].iloc[0] == 30.0
    assert np.isnan(angles["angle"].iloc[1]) and angles["tied"].tolist() == [False, True]
    corner = coupling[coupling["coupling"] == "designed ρ"].iloc[1]
    assert (corner["u"], corner["v"]) == pytest.approx((0.5 / 48, 1.5 / 48))
    assert corner["rho"] == pytest.approx(drawing[1]["rho"][0, 1])


def test_before_the_first_picture_there_is_only_the_truth(store):
    record = store.read(store.create(TINY))
    drawing = train.drawing(Design(record.spec))
    assert set(pictures.spectrum_table(record, drawing)["spectrum"]) == {"designed σ_k"}
    assert pictures.picture_step(record) is None
    early = store.read(filled(store))
    assert pictures.picture_step(early, 1) == 1 and pictures.picture_step(early) == 60
    assert pictures.picture_step(early, 59) == 60, "as the canvas: a step without a picture is none"


# The difference of two runs


def with_curve(record, steps, nmse):
    return replace(record, snapshot_steps=np.array(steps), nmse=np.array(nmse, float))


def test_a_run_over_itself_is_one_and_less_itself_nothing(store):
    record = store.read(filled(store))
    ratios = view.ratio_table(record, record)
    assert ratios["step"].tolist() == [1, 60] and ratios["ratio"].tolist() == [1.0, 1.0]
    gaps = pictures.spectrum_gap_table(record, record)
    assert gaps["k"].tolist() == [1, 2] and gaps["gap"].tolist() == [0.0, 0.0]
    table = pictures.learned_table(record, record, ["a", "b"])
    assert table.groupby("coupling")["rho"].agg(["min", "max", "size"]).to_dict("index") == {
        "a": {"min": 0.5, "max": 0.5, "size": 2304},
        "b": {"min": 0.5, "max": 0.5, "size": 2304},
        "difference": {"min": 0.0, "max": 0.0, "size": 2304},
    }


def test_the_ratio_of_two_powers_of_the_step_is_a_power(store):
    """Straight lines on log-log axes: step⁻³ over step⁻¹ is step⁻², also between evaluations."""
    record = store.read(filled(store))
    one = with_curve(record, [1, 4, 30, 90], [1, 4**-3.0, 30**-3.0, 90**-3.0])
    other = with_curve(record, [2, 5, 40], [1 / 2, 1 / 5, 1 / 40])
    table = view.ratio_table(one, other)
    assert table["step"].tolist() == [2, 4, 5, 30, 40], "as far as both have come"
    np.testing.assert_allclose(table["ratio"], table["step"] ** -2.0, rtol=1e-12)
    swapped = view.ratio_table(other, one)
    np.testing.assert_allclose(swapped["ratio"] * table["ratio"], 1, rtol=1e-12)


def test_runs_that_share_no_step_have_no_ratio(store):
    record, waiting = store.read(filled(store)), store.read(store.create(TINY))
    early, late = with_curve(record, [1, 2], [1, 0.5]), with_curve(record, [10, 20], [1, 0.5])
    for pair in ((early, late), (record, waiting), (waiting, record)):
        assert view.ratio_table(*pair).empty
    assert pictures.spectrum_gap_table(record, waiting).empty
    assert pictures.learned_table(waiting, record, ["a", "b"]).empty


def test_beyond_its_width_a_run_has_no_singular_values(store):
    narrow, wide = (store.read(filled(store, m_h=m_h)) for m_h in (2, 4))
    assert pictures.spectrum_gap_table(wide, narrow)["gap"].tolist() == [2.0, 2.0, 2.0, 1.0]
    assert pictures.spectrum_gap_table(narrow, wide)["gap"].tolist() == [-2.0, -2.0, -2.0, -1.0]


def test_maps_of_two_runs_are_theirs_cell_by_cell(store):
    record = store.read(filled(store))
    rho = np.arange(48.0 * 48).reshape(48, 48)
    looks = [{"rho_hat": rho}, {"rho_hat": np.ones((48, 48))}]
    sides = [replace(record, frame=lambda _, look=look: frames.pack({}, look)) for look in looks]
    table = pictures.learned_table(*sides, ["a", "b"])
    found = {name: part["rho"].to_numpy() for name, part in table.groupby("coupling")}
    np.testing.assert_array_equal(found["a"], rho.ravel())
    np.testing.assert_array_equal(found["difference"], rho.ravel() - 1)


def test_the_ratio_is_drawn_around_one_over_the_steps_of_the_errors(store):
    sides = [store.read(filled(store, seed=seed, nmse=nmse)) for seed, nmse in ((0, 0.3), (1, 0.1))]
    names = view.labels([side.row for side in sides])
    curves, ratios = view.compared_curves(sides), view.ratios_table(sides[0], sides[1:], names[1:])
    ends = view.end_labels(curves, view.floor_table([], []))
    for palette in (LIGHT, DARK):
        ratio = runs_charts.ratio_chart(ratios, curves["step"], names[0], palette).to_dict()
        errors = runs_charts.errors_chart(curves, view.floor_table([], []), ends, palette).to_dict()
        encoded = ratio["layer"][1]["encoding"]
        low, high = encoded["y"]["scale"]["domain"]
        assert low * high == pytest.approx(1) and high > 3 > 1 > low
        assert encoded["x"]["scale"] == errors["layer"][0]["encoding"]["x"]["scale"]
    words = [row["words"] for rows in ratio["datasets"].values() for row in rows if "words" in row]
    assert words == [
        f"above 1: {names[1]} has the lower error",
        f"below 1: {names[0]} has the lower error",
    ]


def test_several_pinned_runs_are_all_in_the_figures(store):
    """By what differs: the errors of all, the ratio to each, and a difference from each."""
    record, *pins = (store.read(filled(store, m_h=m_h)) for m_h in (2, 3, 4))
    named = {f"m_h = {pin.spec.m_h}": pin for pin in pins}
    found = run_figures.figures(record, comparison.drawing_of(record), pins=named)
    assert set(found["errors"][1].table["run"]) == {"m_h = 2", *named}
    ratios = found["ratio"][1].table
    for name, pin in named.items():
        one = ratios[ratios["over"] == name].drop(columns="over").reset_index(drop=True)
        pd.testing.assert_frame_equal(one, view.ratio_table(record, pin))
    spectra = set(found["spectrum"][1].table["spectrum"])
    assert {f"pinned σ̂_k, {name}" for name in named} < spectra
    titles = [found[f"{kind} {i}"][1].title for kind in ("gap", "learned") for i in (1, 2)]
    assert titles[0].endswith(", to m_h = 3") and titles[3].endswith(", to m_h = 4")
    assert all(pin.row.run in found["ratio"][1].footer for pin in (record, *pins))
    drawn = found["ratio"][0](LIGHT).to_json()
    assert all(f'"over": "{name}"' in drawn for name in named)


def test_the_page_divides_two_runs_but_not_three(store):
    runs = [filled(store, seed=seed, name=name) for seed, name in enumerate("abc")]
    wanted = [
        "**Their ratio**, a ÷ b",
        "first − second",
        "**Learned couplings** ρ̂ on one scale, and a − b",
    ]

    def headings(count):
        return [text.value for text in opened(runs=",".join(runs[:count])).markdown]

    assert [text for text in wanted if text in headings(2)] == wanted
    one, three = headings(1), headings(3)
    assert not any("ratio" in text or "−" in text for text in one + three)
    assert "**Singular values**, designed and learned" in one
    assert "**Singular values**, designed and learned, on the same axes" in three


def test_the_canvas_divides_as_the_tables_do(store, javascript):
    """JavaScript beside Python, on curves that share only some of their steps."""
    record, random = store.read(filled(store)), np.random.default_rng(0)
    steps = [sorted(random.choice(np.arange(1, 99), 12, replace=False).tolist()) for _ in "ab"]
    sides = [with_curve(record, at, random.uniform(1e-6, 1, 12)) for at in steps]
    table = view.ratio_table(*sides)
    rows = [np.column_stack([side.snapshot_steps, side.nmse]).tolist() for side in sides]
    body = "return [c.ratioOf(...rows), c.gapOf([3, 2], [1])]"
    ratios, gaps = javascript("live", body, rows=rows)
    np.testing.assert_allclose(ratios, table[["step", "ratio"]], rtol=1e-9)
    assert gaps == [2, 2]


def test_a_run_beside_the_pinned_one(store):
    pinned = store.get(filled(store, nmse=0.01))
    row = store.get(filled(store, nmse=0.05, seed=4, m_h=3))
    assert view.beside(row, pinned) == (
        f"The pinned run {pinned.run} ended at nMSE 0.010, 5.0 × below the one shown. "
        "From pinned to shown: m_h 2 → 3 and seed 0 → 4."
    )
    again = store.get(filled(store, nmse=0.002))
    assert "5.0 × above the one shown. From pinned to shown: the same settings." in view.beside(
        again, pinned
    )
    stopped = store.get(filled(store, status="stopped"))
    assert view.beside(row, stopped) == (
        f"The pinned run {stopped.run} is stopped at step 30 of 60."
    )
    assert "× " not in view.beside(stopped, pinned), "it has not ended"


# The page


def opened(**address):
    return streamlit_pages.opened("runs", **address)


def shown(at):
    return at.dataframe[0].value["run"].tolist()


def test_an_empty_store_says_what_to_do():
    at = opened()
    assert "Nothing has been trained" in at.info[0].value
    assert not at.dataframe
    links = {each.proto.label: each.proto for each in at.get("page_link")}
    for of in (each for each in PAGES.values() if each.shipped):
        query = parse_qs(links[f"{of.title}: {of.question}"].query_string)
        assert query["run"] == [of.shipped[0]]
        assert page_of(parse(query["spec"][0])) is of


def test_the_page_lists_filters_and_counts(store):
    talk, other = filled(store, name="talk"), filled(store, status="stopped", seed=1)
    at = opened()
    assert shown(at) == [other, talk]
    at.text_input(key="runs text").set_value("talk")
    assert shown(ran(at)) == [talk]
    at.text_input(key="runs text").set_value("")
    at.multiselect(key="runs statuses").set_value(["stopped"])
    assert shown(ran(at)) == [other]
    assert "1 of 2 runs" in [caption.value for caption in at.caption]


def test_a_link_chooses_runs_and_says_which_are_missing(store):
    run, gone = filled(store), "0123456789ab-7"
    at = opened(runs=f"{run},{gone},../../etc,{run}")
    assert gone in at.warning[0].value and "etc" not in at.warning[0].value
    assert at.session_state[page.CHOSEN.param] == [run, gone]
    assert at.session_state[page.TABLE]["selection"]["rows"] == [0]


def test_back_to_an_address_without_runs_chooses_none_but_a_page_turn_keeps_them(
    store, monkeypatch
):
    run = filled(store)
    at = opened(runs=run)
    ran(at.switch_page("../../pages/train.py"))
    ran(at.switch_page("../../pages/runs.py"))
    assert at.session_state[page.CHOSEN.param] == [run] and at.query_params["runs"] == run
    del at.query_params["runs"]
    monkeypatch.setattr(address, "by_history", lambda: True)
    ran(at)
    assert at.session_state[page.CHOSEN.param] == [] and "runs" not in at.query_params


def test_the_step_looked_at_does_not_come_along_to_another_run(store):
    one, other = filled(store), filled(store, seed=1)
    at = opened(run=one, at="1", pin=one)
    ran(at.switch_page("../../pages/train.py"))
    assert (at.query_params["run"], at.query_params["at"]) == (one, "1")
    ran(at.switch_page("../../pages/runs.py"))
    at.switch_page("../../pages/train.py")
    for name in ("at", "pin", "spec"):  # as the link of a run leaves the address
        del at.query_params[name]
    at.query_params["run"] = other
    ran(at)
    assert (at.query_params["run"], at.query_params["pin"]) == (other, one)
    assert "at" not in at.query_params


def test_runs_are_compared(store):
    first = filled(store, name="first", nmse=0.1)
    runs = [first, filled(store, seed=1), filled(store, rank=None, status="stopped")]
    at = opened(runs=",".join(runs))
    _, outcome, settings = (table.value for table in at.dataframe[:3])
    assert outcome["nMSE"].tolist() == ["0.100", "0.0100", "–"]
    assert outcome["steps"].tolist() == ["60", "60", "30 of 60, stopped"]
    assert settings["field"].tolist() == ["r", "seed"]
    assert undotted(at.info[0].value).startswith("2 seeds of one design and recipe")


def test_more_runs_than_colours_are_cut_and_it_is_said(store):
    runs = [filled(store, seed=seed) for seed in range(8)]
    at = opened(runs=",".join(runs))
    assert any(caption.value.startswith("6 of the 8 chosen") for caption in at.caption)
    assert len(at.dataframe[1].value) == 6


def test_a_run_is_renamed(store):
    run = filled(store, name="before")
    at = opened(runs=run)
    box = at.text_input(key=f"name {run}")
    assert box.value == "before"
    box.set_value("  after\tall ")
    ran(at)
    assert store.get(run).name == "after all"
    assert at.dataframe[0].value["name"].tolist() == ["after all"]


def test_a_run_opens_on_the_train_page_with_its_settings(store):
    run = filled(store)
    links = opened(runs=run).get("page_link")
    (link,) = (each for each in links if each.proto.label.startswith("Open"))
    assert run in link.proto.query_string
    assert parse_qs(link.proto.query_string)["spec"] == [compact(store.get(run).spec)]


def test_deletion_asks_first(store):
    run, other = filled(store), filled(store, seed=1)
    at = opened(runs=f"{run},{other}")
    button(at, "Delete…").click()
    ran(at)
    assert any(run in text.value for text in at.markdown)
    button(at, "Keep").click()
    ran(at)
    assert len(store.list()) == 2 and run_actions.DOOMED not in at.session_state
    at.button(key="runs resume")  # the actions are still there
    button(at, "Delete…").click()
    ran(at)
    at.button(key="delete now").click()
    ran(at)
    assert store.list() == [] and not store.folder(run).exists()
    assert at.session_state[page.CHOSEN.param] == []
    assert run in at.success[0].value


def test_a_running_run_is_not_deleted_and_it_is_said(store):
    other = filled(store)
    with at_work(store) as run:
        at = opened(runs=f"{run},{other}")
        button(at, "Delete…").click()
        ran(at)
        at.button(key="delete now").click()
        ran(at)
        assert "it is running; stop it first" in at.error[0].value
        assert [found.run for found in store.list()] == [run]
        assert at.session_state[page.CHOSEN.param] == [run]


def test_a_run_deleted_meanwhile_is_no_error(store):
    run = filled(store)
    at = opened(runs=run)
    button(at, "Delete…").click()
    ran(at)
    store.delete(run)
    at.button(key="delete now").click()
    ran(at)
    assert not at.error


def test_resume_and_stop_go_to_the_runs_that_can(store):
    stopped, finished = filled(store, status="stopped"), filled(store, seed=1)
    at = opened(runs=f"{stopped},{finished}")
    resume = at.button(key="runs resume")
    assert resume.label == "Resume (1)" and at.button(key="runs stop").disabled
    resume.click()
    ran(at)
    assert store.get(stopped).status == "queued" and store.get(finished).status == "finished"
    at.button(key="runs stop").click()
    ran(at)
    assert store.get(stopped).status == "stopped"


def test_an_order_that_comes_too_late_is_said(store, monkeypatch):
    run = filled(store, status="stopped")
    at = opened(runs=run)

    def refuse(*_):
        raise RunError(f"cannot resume {run}: it is running")

    monkeypatch.setattr(Store, "request", refuse)
    at.button(key="runs resume").click()
    ran(at)
    assert "it is running" in at.error[0].value


# Archives


def upload(at, *files):
    at.file_uploader[0].set_value([(name, data, "application/zip") for name, data in files])
    return ran(at)


def test_what_is_exported_comes_back(store):
    run = filled(store, name="mine")
    data = exports.stored_archive(run)
    store.delete(run)
    at = upload(opened(), ("mine.zip", data))
    (back,) = store.list()
    assert (back.name, back.status, back.step) == ("mine", "finished", 60)
    assert at.dataframe[0].value["status"].tolist() == ["finished (claimed)"]
    assert at.session_state[page.CHOSEN.param] == [back.run] and back.run in at.success[0].value
    ran(at)
    assert len(store.list()) == 1  # what was taken in is not taken in again


def hostile(data):
    """Archives that must be refused: name and bytes."""
    members = zips.unpack(data)
    del members["manifest.json"]
    yield "no-zip.zip", b"PK\x03\x04 nonsense"
    yield "empty.zip", b""
    yield "cut.zip", data[: len(data) // 2]
    yield "path.zip", zips.pack(members | {"../../evil": b"x"})
    yield "bomb.zip", zips.pack(members | {"grid.npy": b"\0" * (5 * zips.MB)})
    yield "other.zip", zips.pack(members | {"spec.json": b"{}"})
    yield "`markup` **x**.zip", b"<script>"


def test_hostile_archives_are_refused_with_a_message_and_nothing_is_written(store, tmp_path):
    data = exports.stored_archive(filled(store))
    before = sorted(path for path in tmp_path.rglob("*") if "store.sqlite3" not in path.name)
    for name, bad in hostile(data):
        run, problem = page.import_zip(name, bad)
        assert run is None and "was not imported: `" in problem, name
        assert problem.count("`") == 4  # nothing of it is markup
    assert len(store.list()) == 1
    after = sorted(path for path in tmp_path.rglob("*") if "store.sqlite3" not in path.name)
    assert after == before


def test_one_bad_archive_among_good_ones(store):
    data = exports.stored_archive(filled(store))
    at = upload(opened(), ("bad.zip", b"nonsense"), ("good.zip", data))
    assert len(store.list()) == 2 and "bad.zip" in at.error[0].value and len(at.success) == 1


def test_a_running_run_is_not_exported(store):
    with at_work(store) as run, pytest.raises(RunError, match="pause or stop it first"):
        exports.stored_archive(run)


def test_a_run_whose_samples_are_missing_is_still_shown(store):
    run = filled(store, grid="ab" * 32, rank=None)
    at = opened(runs=run)
    assert "samples of its design are not in this store" in at.info[0].value
    with pytest.raises(RuntimeError):
        archive.export(store, run)


def test_a_filter_that_leaves_nothing_says_so_and_goes_at_a_press(store):
    filled(store, name="mine")
    at = streamlit_pages.opened("runs", filter="zzz", status="finished")
    assert not at.dataframe
    assert any("No run with all of “zzz” and finished" in each.value for each in at.markdown)
    button(at, "Show all runs").click()
    assert len(ran(at).dataframe) and "filter" not in at.query_params
