"""Every page through AppTest: it opens finished, answers its controls, and survives bad input."""

import io
import json
import shlex
import subprocess
import sys

import numpy as np
import pytest
import streamlit as st
from stores import TINY
from streamlit_pages import (
    ROOT,
    SHELL,
    button,
    captions,
    opened,
    ran,
    report,
    run_in,
    says,
    sentences,
    turn,
)

from explorer import cli
from explorer.pages.design.view_gallery import gallery_drawing
from explorer.pages.train import view as train
from explorer.runs import database
from explorer.runs.execute import execute
from explorer.runs.files import grid_sha256
from explorer.runs.store import Store
from explorer.spec import CouplingSpec, amended, compact, full_json, spec_id
from explorer.targets import PRESETS, parse
from explorer.ui import address, mathematics, specs
from explorer.ui.pages import PAGES
from explorer.ui.shown import PARAGRAPH, SHOWN
from explorer.views.glossary import undotted
from explorer.views.text import number

pytestmark = pytest.mark.usefixtures("one_thread")

OF_A_COUPLING = ("design", "train")
OWN = {"coupling": "", "attention": " of attention", "order": " of order", "memory": " of memory"}
"""What tells the keys of a session apart for each kind of target."""


@pytest.fixture
def gone_back(monkeypatch):
    """A function: the page after Back or Forward to the address that it now has."""

    def to(at):
        with monkeypatch.context() as patch:
            patch.setattr(address, "by_history", lambda: True)
            return ran(at)

    return to


def spec_in(at):
    """The specification of the page; the address holds it too, unless it is the page's own or the
    address is broken."""
    spec = at.session_state["spec" + OWN[PAGES[at.session_state["address"]["page"]].topic]]
    if "spec" in at.query_params and not at.warning:
        assert parse("".join(at.query_params["spec"])) == spec
    return spec


def warned(at):
    (box,) = at.warning
    return box.value


def warned_all(at):
    """The text of every warning."""
    return "\n".join(box.value for box in at.warning)


def trained(run):
    """Train a queued run here, where no pool is."""
    lease = Store().claim("cpu")
    assert lease.row.run == run
    with lease:
        return execute(Store(), lease.row)


# Opening


@pytest.mark.parametrize("page", PAGES)
def test_a_page_opens_with_a_question_and_a_finished_result(page):
    at = opened(page)
    assert at.subheader[0].value == PAGES[page].question
    assert not at.warning and not at.error
    assert says(at)
    if page not in ("real", "runs", "talk"):  # which are about no specification
        assert spec_in(at) == PRESETS[PAGES[page].preset][1]


def test_the_train_page_opens_with_the_shipped_run():
    at = opened("train")
    assert "With m_h = 7 ≥ centred rank 6 the error can vanish; after 1200 steps" in says(at)
    assert "status: **finished**" in captions(at)
    badges = [each.value for each in at.markdown if "example, 20" in each.value]
    assert len(badges) == 1 and "seed 0" in badges[0] and "cpu" in badges[0]
    assert not {"Pause", "One step", "Stop"} & {each.label for each in at.button}


def test_rendering_imports_no_torch():
    code = (
        "import sys\n"
        "from streamlit.testing.v1 import AppTest\n"
        f"at = AppTest.from_file({str(SHELL)!r}, default_timeout=60).run()\n"
        "at.switch_page('../../pages/train.py').run()\n"
        "print(len(at.exception), len(at.info), 'torch' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert done.stdout.split() == ["0", "1", "False"], done.stderr


# Design: one control, one sentence


MOVES = [
    ({"alpha": 2.0, "m_h": 3}, "The spectrum does not end: 3 of the 64 terms"),
    ({"rank": 2, "m_h": 2}, "Centred rank 2: a head of width m_h = 2 ≥ 2 can represent ρ exactly"),
    ({"m_h": 1}, "at m_h = 2 nothing is left."),
    ({"rank": 1}, "Centred rank 1: a head of width m_h = 1 ≥ 1"),
    ({"tau": 4, "rank": 4, "left_basis": "haar"}, "Centred rank 4: 1 of its terms"),
]


WIDGETS = "slider", "select_slider", "selectbox", "number_input"


def test_a_moved_control_changes_the_sentence_and_the_address():
    at, spec = opened("design"), PRESETS["design"][1]
    for moved, sentence in MOVES:
        widgets = {each.key: each for kind in WIDGETS for each in at.get(kind)}
        for name, value in moved.items():
            widgets[f"field {name}"].set_value(value)
        assert sentence in says(ran(at))
        spec = amended(spec, **moved)
        assert spec_in(at) == spec


def test_every_field_on_a_page_shows_the_specification():
    spec = CouplingSpec(
        rank=5,
        alpha=8.0,
        c=0.001,
        m_h=64,
        tau=64,
        lr=0.5,
        steps=7,
        batch=3,
        n=200,
        d_v=1,
        m_ff=1000,
        warmup=3,
        seed=2**31 - 1,
        optimizer="adam",
        right_basis="haar",
    )
    at = opened("train", spec=compact(spec))
    keyed = {each.key: each.value for kind in WIDGETS for each in at.get(kind) if each.key}
    parts = {key: value for key, value in keyed.items() if key.startswith("kind of ")}
    assert set(parts.values()) == {"identity"}
    shown = {key: value for key, value in keyed.items() if key not in parts}
    assert len(shown) > 15
    assert shown == {key: getattr(spec, key.removeprefix("field ")) for key in shown}
    assert spec_in(at) == spec


@pytest.mark.parametrize(
    "changes",
    [
        {"m_h": 64, "alpha": 0.0},
        {"c": 20.0},
        {"decay": 0.999, "spectrum": "exponential"},
        {"formula": "0", "tau": 2},
        {"formula": "v"},
        {"spectrum": "list", "sigma": [0, 0, 1e-9]},
    ],
    ids=str,
)
def test_a_valid_link_opens_even_at_the_ends_of_its_ranges(changes):
    spec = parse(changes)
    at = opened("design", spec=compact(spec))
    assert not at.warning and spec_in(at) == spec


def test_raw_and_centred():
    at = opened("design", spec='{"formula":"-(u-v)**2"}')
    assert "rank: **2**" in captions(at)
    next(each for each in at.toggle if each.label == "centred").set_value(False)
    assert "rank: **3**" in captions(ran(at))
    assert "Centred rank 2" in says(at), "softmax sees the centred one all the same"


# The ways to give ρ


def test_the_spectrum_by_bases_and_by_a_list():
    at = opened("train", spec="{}")
    at.select_slider(key="field rank").set_value(2)
    ran(at)
    at.selectbox(key="field spectrum").set_value("exponential")
    assert spec_in(ran(at)) == CouplingSpec(rank=2, spectrum="exponential")
    at.selectbox(key="field spectrum").set_value("list")
    assert spec_in(ran(at)) == CouplingSpec(spectrum="list", sigma=(1.0, 0.5))
    at.text_input(key="field sigma").set_value("3, 2 1,\t.5")
    assert spec_in(ran(at)).sigma == (3.0, 2.0, 1.0, 0.5)
    assert spec_in(at).rank is None, "the rank of before does not cut the list"
    at.selectbox(key="field spectrum").set_value("power")
    assert spec_in(ran(at)) == CouplingSpec()


LISTS = [
    ("1, x", "could not convert string to float: 'x'"),
    ("1, -3", "from 0 to 100"),
    ("", "a list of 1 to 64"),
    ("nan", "finite"),
    ("1 inf", "finite"),
    ("0, 0", "above 0"),
    ("1, 1e999", "finite"),
    ("1, 101", "from 0 to 100"),
    (" ".join(["1"] * 65), "a list of 1 to 64"),
    ("1 " * 10_000, "a list of 1 to 64"),
]


def test_a_bad_list_is_refused_and_the_last_good_one_stays():
    good = CouplingSpec(spectrum="list", sigma=(1.0, 0.5))
    at = opened("train", spec=compact(good))
    for typed, why in LISTS:
        at.text_input(key="field sigma").set_value(typed)
        assert why in warned(ran(at)), typed
        assert spec_in(at) == good


def test_zeros_within_a_list_are_singular_values():
    at = opened("train", spec=compact(CouplingSpec(spectrum="list", sigma=(1.0, 0.5))))
    at.text_input(key="field sigma").set_value("1, 0, 0.5, 0")
    assert spec_in(ran(at)).sigma == (1.0, 0.0, 0.5, 0.0) and not at.warning
    assert "centred rank 2" in says(ran(turn(at, "design"))).lower()


def test_a_formula_typed():
    at = opened("design")
    at.segmented_control(key="way").set_value("formula")
    assert "Centred rank 2" in says(ran(at)), "an example stands there at once"
    at.text_input(key="field formula").set_value("minimum(u, v)")
    assert "No end of the spectrum" in says(ran(at)) and spec_in(at).formula == "minimum(u, v)"
    at.text_input(key="field formula").set_value("u*v")
    assert "Centred rank 1" in says(ran(at))
    at.segmented_control(key="way").set_value("spectrum")
    assert spec_in(ran(at)) == PRESETS["design"][1]


FORMULAS = [
    ("u + w", "at character 5: unknown name 'w'"),
    ("(u", "expected ) for the ( at character 1"),
    ("u.__class__", "at character 2"),
    ("1/(u-u)", "not finite at u ="),
    ("", "formula"),
    ("(" * 300, "nested"),
    ("9**9**9**9", "not finite"),
    ("<script>alert(1)</script>", "<script>"),
]


def test_a_bad_formula_is_refused_and_the_last_good_one_stays():
    at = opened("train", spec='{"formula":"u*v"}')
    for typed, why in FORMULAS:
        at.text_input(key="field formula").set_value(typed)
        assert why in warned(ran(at)), typed
        assert spec_in(at) == CouplingSpec(formula="u*v")


def test_under_a_bad_formula_the_last_good_picture_stays():
    at = opened("design", spec='{"formula":"u*v"}')
    at.text_input(key="field formula").set_value("u*v +")
    assert "at the end" in warned(ran(at)) and "Centred rank 1" in says(at)
    at.text_input(key="field formula").set_value("u*v + v")
    assert not ran(at).warning, "the warning goes with the next good one"


def test_the_way_survives_a_turn_of_the_page():
    at = opened("design", spec='{"formula":"u*v"}')
    for page in ("train", "design"):
        ran(turn(at, page))
        assert at.segmented_control(key="way").value == "formula"
        assert at.text_input(key="field formula").value == "u*v"
        assert spec_in(at) == CouplingSpec(formula="u*v")


def npy(values):
    file = io.BytesIO()
    np.save(file, values)
    return file.getvalue()


OUTER = np.outer([1.0, 3.0], [2.0, 2.0, 5.0])


def test_samples_uploaded():
    at = opened("design")
    at.segmented_control(key="way").set_value("samples")
    ran(at).file_uploader[0].upload("good.npy", npy(OUTER))
    assert "Centred rank 1" in says(ran(at)) and not at.warning
    sha = grid_sha256(OUTER)
    assert spec_in(at) == amended(PRESETS["design"][1], grid=sha)
    np.testing.assert_array_equal(Store().grid(sha), OUTER)
    assert "`good.npy`, kept in the store" in captions(ran(turn(ran(turn(at, "rates")), "design")))
    assert "Centred rank 1" in says(opened("design", spec=compact(CouplingSpec(grid=sha))))


def object_npy():
    file = io.BytesIO()
    np.save(file, np.array([[print, 1], [2, 3]], object), allow_pickle=True)
    return file.getvalue()


BAD_FILES = [
    ("pickle.npy", object_npy(), "objects never"),
    ("vector.npy", npy(np.ones(3)), "allowed are 2 to 512 rows"),
    ("nan.npy", npy(np.array([[0, np.nan], [1, 2]])), "row 1, column 2 is nan"),
    ("text.npy", b"<script>alert(1)</script>", "not a .npy file"),
    ("words.csv", b"<b>a</b>,2\n3,4", "`words.csv: row 1, column 1: '<b>a</b>' is not a number`"),
    ("empty.csv", b"", "allowed are 2 to 512 rows"),
]


def test_bad_samples_are_refused_and_the_coupling_stays():
    at = opened("train", spec='{"rank":2}')
    at.segmented_control(key="way").set_value("samples")
    ran(at)
    for name, data, why in BAD_FILES:
        at.file_uploader[0].set_value((name, data, "application/octet-stream"))
        assert why in warned(ran(at)) and name in warned(at)
        assert spec_in(at) == CouplingSpec(rank=2)
    at.file_uploader[0].set_value(("GOOD.CSV", b"2,2,5\n6,6,15\n", "text/csv"))
    assert not ran(at).warning and spec_in(at) == CouplingSpec(grid=grid_sha256(OUTER))


# Links


NOTHING = None
"""Nothing of the link is left: the page opens with its own default."""
LINKS = [
    (
        '{"m_h": 900, "rank": 2}',
        "m_h = 900: allowed is a whole number from 1 to 64",
        CouplingSpec(rank=2),
    ),
    ('{"colour": 1, "rank": 2}', "colour: unknown field", CouplingSpec(rank=2)),
    ('{"m_h": 900}', "m_h = 900: allowed is a whole number from 1 to 64", NOTHING),
    ('{"version": 2, "rank": 2}', "a newer explorer wrote this specification", NOTHING),
    ('{"rank": 2', "not JSON", NOTHING),
    ("", "not JSON", NOTHING),
    ("[]", "must be a JSON object", NOTHING),
    ("[" * 9000, "not JSON", NOTHING),
    ('{"lr": 1e999}', "finite", NOTHING),
    ('{"formula": "u+", "m_h": 4}', "at the end", CouplingSpec(m_h=4)),
    (
        '{"left_basis": "<script>alert(1)</script>"}',
        '`left_basis = "<script>alert(1)</script>"',
        NOTHING,
    ),
    ('{"<img src=x onerror=alert(1)>": 1}', "`<img src=x onerror=alert(1)>: unknown", NOTHING),
    ('{"left_basis": "`**loud**"}', "ʼ**loud**", NOTHING),
]


@pytest.mark.parametrize("page", OF_A_COUPLING)
def test_a_cold_bad_link_is_explained_and_the_page_goes_on(page):
    preset = PRESETS[PAGES[page].preset][1]
    for link, why, rest in (LINKS[0], LINKS[3]):
        at = opened(page, spec=link)
        assert why in warned(at) and spec_in(at) == (rest or preset) and says(at)


def test_every_bad_link_is_explained_and_shown_literally(gone_back):
    at, preset = opened("train"), PRESETS["train"][1]
    for link, why, rest in LINKS:
        at.query_params["spec"] = link
        assert why in warned(gone_back(at)), link
        said, _, lines = warned(at).partition("\n\n")
        assert said.startswith("The link cannot be read as a whole")
        for line in lines.splitlines():
            assert line.startswith("- `") and line.endswith("`") and line.count("`") == 2, "as code"
        assert spec_in(at) == (rest or preset) and says(at)
        assert not any(each.allow_html for each in at.markdown)


def test_the_address_is_read_again_when_the_reader_goes_back(gone_back):
    at = opened("design", spec='{"rank":2}')
    at.slider(key="field m_h").set_value(1)
    assert "at m_h = 2 nothing is left" in says(ran(at))
    at.query_params["spec"] = '{"rank":3}'
    assert spec_in(gone_back(at)) == CouplingSpec(rank=3) and at.slider(key="field m_h").value == 8


def test_changes_in_quick_succession_are_all_kept_and_the_address_has_them():
    """The second comes with the address before the first, as from a browser without its answer."""
    at = opened("design", spec='{"rank":2}')
    at.slider(key="field m_h").set_value(1)
    ran(at)
    at.query_params["spec"] = '{"rank":2}'
    at.session_state["design"] = report(1, {"edit": {"alpha": 2}, "k": 2})
    assert spec_in(ran(at)) == CouplingSpec(rank=2, m_h=1, alpha=2)
    assert at.session_state["view"].k == 2
    at.query_params.clear()
    assert spec_in(ran(at)) == CouplingSpec(rank=2, m_h=1, alpha=2) and "view" in at.query_params


@pytest.mark.parametrize("page", OF_A_COUPLING)
def test_back_to_a_page_that_was_opened_without_a_link(page, gone_back):
    """To open a page writes nothing into its address: Back would never leave it."""
    preset = PRESETS[PAGES[page].preset][1]
    at = opened(page)
    assert not at.query_params
    at.slider(key="field m_h").set_value(5)
    assert spec_in(ran(at)) == amended(preset, m_h=5) and "spec" in at.query_params
    del at.query_params["spec"]
    assert spec_in(gone_back(at)) == preset
    assert at.slider(key="field m_h").value == preset.m_h
    assert not at.query_params


def test_a_page_turn_brings_the_coupling_along_although_no_link_holds_it():
    at = opened("train")
    ran(turn(at, "design"))
    assert spec_in(at) == PRESETS["train"][1] and "spec" in at.query_params


def test_a_link_to_a_run_alone_opens_its_settings():
    run = Store().create(TINY)
    at = opened("train", run=run)
    assert spec_in(at) == TINY and at.slider(key="field m_h").value == TINY.m_h
    assert "your settings" not in sentences(at)
    assert spec_in(opened("train", run="asset-design")) != PRESETS["train"][1]


KEPT = {"tau": 8, "c": 2.0}
BROKEN = ["<b>x</b>", -1, 1e9, [1], {"a": 1}, True, ""]


@pytest.mark.parametrize("name", CouplingSpec.model_fields)
def test_each_field_of_a_link_broken_in_every_way(name):
    """The field is named, and the others are kept."""
    good = {field: value for field, value in KEPT.items() if field != name}
    for value in BROKEN:
        kept, problems = specs._read(json.dumps(good | {name: value}), PRESETS["train"][1])
        if problems:
            assert any(problem.startswith(name) for problem in problems), (value, problems)
            assert kept == CouplingSpec(**good), value
            assert all(len(problem) < 300 for problem in problems)
        else:
            assert getattr(kept, name) == value


def test_a_link_with_every_field_broken_opens_the_page_with_all_of_it_said():
    link = json.dumps({name: [{}] for name in CouplingSpec.model_fields})
    at = opened("train", spec=link, run="/", pin="\\", at="-3", t="1e9", view="[]", runs="..")
    lines = warned_all(at).splitlines()
    named = {line.removeprefix("- `").split(" = ")[0].removesuffix(", entry 1") for line in lines}
    assert named >= set(CouplingSpec.model_fields)
    assert spec_in(at) == PRESETS["train"][1] and "after 1200 steps" in says(at)
    assert "The pinned run `\\` is not in this store" in captions(at)
    assert "`at = -3`: allowed is a whole number" in captions(at)
    assert "`t = 1e9`: allowed is a whole number" in captions(at)


SIGMAS = [
    ("[1, -0.5]", "sigma, entry 2 = -0.5: allowed is"),
    ("[NaN]", "NaN is not allowed"),
    ("[1, 1e999]", "finite"),
    ("[]", "a list of 1 to 64"),
    (json.dumps([0.5] * 3000), "a list of 1 to 64"),
    (json.dumps([0.5] * 10_000), "characters, at most"),
    ('["1"]', "from 0 to 100"),
    ("[0, 0]", "above 0"),
    ("1", "a list of 1 to 64"),
]


@pytest.mark.parametrize(("sigma", "why"), SIGMAS)
def test_a_bad_list_in_a_link(sigma, why):
    kept, problems = specs._read(f'{{"spectrum":"list","sigma":{sigma}}}', PRESETS["train"][1])
    assert any(why in problem for problem in problems) and kept == PRESETS["train"][1]
    assert all(len(problem) < 300 for problem in problems)


RUNS = ["0123456789ab-1", "no run", "../../etc/passwd", "<script>alert(1)</script>", "`" * 99]


def test_a_run_that_is_not_here_is_said(gone_back):
    at = opened("train", run=RUNS[0])
    for run in RUNS:
        at.query_params["run"] = run
        shown = run.replace("`", "")
        assert f"The run `{shown}` is not in this store" in warned(gone_back(at))
        assert "after 1200 steps" in says(at), "the shipped run stands in"


def test_a_run_that_is_not_here_can_be_trained_again_where_the_link_holds_its_settings():
    run = f"{spec_id(TINY)}-7"
    at = opened("train", run=run, spec=compact(TINY))
    assert "press *Train* to train it here again" in warned(at)
    button(at, "Train").click()
    assert run_in(ran(at)) == f"{spec_id(TINY)}-1" and not at.warning
    at = opened("train", run=run, spec=compact(amended(TINY, seed=1)))
    assert "by *Import* on the Runs page" in warned(at) and "are not its own" in warned(at)


LOOKS = [
    ("300", "3", (300, 3)),
    ("", "x", (None, None)),
    ("-1", "٣", (None, None)),
    ("9" * 10, "1.0", (None, None)),
]


def test_the_step_and_the_token_of_a_link(monkeypatch):
    from explorer.ui import shown_run

    for at, t, found in LOOKS:
        monkeypatch.setattr(address, "params", lambda held={"at": at, "t": t}: held)
        assert shown_run.selected_step_and_token() == found


def other_versions_run():
    run = Store().create(TINY)
    with database.transaction(Store().path, write=True) as db:
        text = full_json(TINY).replace('"version": 1', '"version": 2')
        db.execute(
            "UPDATE work SET spec = ?, status = 'finished', metrics = ? WHERE run = ?",
            (text, '{"nmse": 0.5}', run),
        )
    return run


@pytest.mark.parametrize("page", OF_A_COUPLING)
def test_a_run_of_another_version_does_not_stop_a_page(page):
    at = opened(page, run=other_versions_run())
    assert says(at)
    if page == "train":
        assert "another version wrote it" in warned(at)


@pytest.mark.parametrize("page", OF_A_COUPLING)
def test_a_store_that_cannot_be_used_does_not_stop_a_page(page, tmp_path):
    (tmp_path / "home").write_text("not a folder", "utf-8")
    at = opened(page)
    assert says(at)
    if page == "train":
        button(at, "Train").click()
        (error,) = ran(at).error
        assert "the folder of the store" in error.value and str(tmp_path) not in error.value
        assert "run" not in at.query_params


def test_the_norm_of_the_wanted_error_is_chosen_and_stays_in_the_link():
    at = opened("design")
    squared = captions(at)
    assert "m_h for truncation ≤ 0.010: **16 (95%: 14 to 17)**" in squared
    at.segmented_control(key="picture norm").set_value("mae")
    at = ran(at)
    known = "m_h for truncation of mean absolute error ≤ 0.010: **16 (95%: 15 to 17)**"
    assert known in captions(at)
    again = opened("design", view="".join(at.query_params["view"]))
    assert captions(again) == captions(at) != squared


# Training


def test_train_makes_a_run_which_ends_finished():
    at = opened("train", spec=compact(TINY))
    assert "what a head learns of it, training will show" in says(at)
    button(at, "Train").click()
    run = run_in(ran(at))
    assert run == f"{spec_id(TINY)}-1"
    assert Store().waiting() == [run]
    assert "waiting for a worker…" in says(at)
    assert "your settings" not in sentences(at)
    assert any("queued, " in each.value for each in at.markdown)

    row = trained(run)
    assert "after 60 steps this run (one seed) is at nMSE" in says(ran(at))
    assert "status: **finished**" in captions(at) and f"run: **{run}**" in captions(at)
    assert row.metrics["nmse"] > 0
    again = opened("train", run=run)
    assert says(again) == says(at), "a link to the run shows it"
    best = f"trained: **nMSE {number(row.metrics['nmse'])} at m_h = 2, seed 0 (one seed)**"
    assert best in captions(ran(turn(again, "design")))


def test_the_same_start_and_a_new_seed():
    at = opened("train", spec=compact(TINY))
    button(at, "Train").click()
    first = run_in(ran(at))
    button(at, "Same start").click()
    assert run_in(ran(at)) == f"{spec_id(TINY)}-2"
    button(at, "New seed").click()
    third = run_in(ran(at))
    assert spec_in(at).seed == 1 and at.number_input(key="field seed").value == 1
    assert Store().get(third).spec == spec_in(at)
    assert Store().waiting() == [first, f"{spec_id(TINY)}-2", third]


def test_a_queued_run_is_paused_stepped_resumed_and_stopped():
    at = opened("train", spec=compact(TINY))
    button(at, "Train").click()
    run = run_in(ran(at))

    def after(label):
        button(at, label).click()
        ran(at)
        assert not at.error
        row = Store().get(run)
        waits = "waiting for a worker…" if row.status == "queued" else None
        assert (waits or f"this run is {row.status} at step") in says(at)
        return row

    assert after("Pause").status == "paused"
    assert [each.label for each in at.button if each.label in ("Pause", "Resume")] == ["Resume"]
    assert after("Resume").status == "queued"
    after("Pause")
    stepped = after("One step")
    assert (stepped.status, stepped.pause_at) == ("queued", 1)
    assert trained(run).step == 1 and "paused at step 1 of 60" in says(ran(at))
    assert after("Stop").status == "stopped"
    labels = [each.label for each in at.button]
    assert "Resume" in labels and "Stop" not in labels


def test_an_order_that_comes_too_late_is_explained():
    at = opened("train", spec=compact(TINY))
    button(at, "Train").click()
    run = run_in(ran(at))
    trained(run)
    button(at, "Stop").click()
    said = [each.value.replace("\\", "") for each in ran(at).error]
    assert said == [f"Cannot stop {run}: it has finished"]
    assert not ran(at).error, "said once"


def test_an_order_given_twice_is_obeyed_once_and_no_problem():
    at = opened("train", spec=compact(TINY))
    button(at, "Train").click()
    run = run_in(ran(at))
    for press in ("Pause", "Resume", "Stop"):
        Store().request(run, press.lower())
        button(at, press).click()
        assert not ran(at).error
    assert Store().get(run).status == "stopped"


def test_a_run_that_diverged_says_what_to_lower():
    wild = CouplingSpec(
        **TINY.model_dump(include={"rank", "m_h", "tau", "n", "d_v", "m_ff", "batch"}),
        activation="relu",
        activation_out="relu",
        init="torch",
        optimizer="adam",
        lr=1000.0,
        schedule="constant",
        warmup=0,
    )
    at = opened("train", spec=compact(wild))
    button(at, "Train").click()
    assert trained(run_in(ran(at))).status == "diverged"
    assert "lower lr (now 1000)" in ran(at).error[0].value
    assert "this run is diverged at step" in says(at)
    assert not {"One step", "Stop"} & {each.label for each in at.button}


def test_recipes_and_what_departs_from_them():
    at = opened("train")
    assert at.segmented_control(key="recipe").value == "improved"
    at.selectbox(key="field optimizer").set_value("adam")
    assert spec_in(ran(at)).optimizer == "adam"
    assert at.segmented_control(key="recipe").value is None
    at.segmented_control(key="recipe").set_value("the paper's")
    spec = spec_in(ran(at))
    assert (spec.activation, spec.init, spec.lr, spec.alpha) == ("relu", "torch", 1e-3, 2.0)
    assert (spec.tokens, spec.answers) == ("raw", "raw"), "as printed nothing is scaled"
    at.select_slider(key="field steps").set_value(300)
    ran(at)
    assert at.segmented_control(key="recipe").value == "the paper's", "steps belong to no recipe"
    assert "x and y as they are" in captions(at) and "after 10,000 steps" in captions(at)
    at.segmented_control(key="recipe").set_value("improved")
    assert spec_in(ran(at)) == PRESETS["train"][1]
    assert "Departs from App. C" in captions(at) and "spectral bias" in captions(at)


def test_every_setting_of_the_training_has_help():
    at = opened("train")
    settings = [
        each
        for kind in WIDGETS
        for each in at.get(kind)
        if each.key and each.key.removeprefix("field ") in (*train.PROTOCOL, "m_h", "seed")
    ]
    assert len(settings) == 16 and all(each.help for each in settings)


def test_a_pinned_run_is_compared_in_words():
    first, second = Store().create(TINY), Store().create(amended(TINY, seed=3, m_h=1))
    trained(first)
    at = opened("train", run=second, pin=first)
    assert f"The pinned run {first} ended at nMSE" in captions(at)
    assert "From pinned to shown: m_h 2 → 1 and seed 0 → 3." in captions(at).replace("\\", "")
    assert "Below the rank a trained ρ̂ is not the first" in captions(at)
    at = opened("train", run=first, pin=second)
    assert f"The pinned run {second} is queued at step 0 of 60." in captions(at)
    assert "Below the rank" not in captions(at)


# What is taken home


@pytest.fixture
def downloads(monkeypatch):
    """The specifications that download buttons hold, by file name."""
    held, original = {}, st.download_button

    def keep(label, data, file_name=None, *args, **kwargs):
        if label == "Specification (JSON)":
            held[file_name] = data
        return original(label, data, file_name, *args, **kwargs)

    monkeypatch.setattr(st, "download_button", keep)
    return held


def commands(at):
    """The commands that a page shows below its picture, without those of its Share menu."""
    lines = [each.value for each in at.code if each.value.startswith("python")]
    return [line for line in lines if " export-page " not in line]


def test_the_download_is_the_specification_and_its_command_gives_the_same(
    downloads, monkeypatch, tmp_path, capsys
):
    spec = CouplingSpec(formula="-(u-v)**2", m_h=1)
    at = opened("design", spec=compact(spec))
    ((name, data),) = downloads.items()
    assert name == f"{spec_id(spec)}.json" and parse(data) == spec
    (command,) = commands(at)
    (tmp_path / name).write_text(data, "utf-8")
    monkeypatch.chdir(tmp_path)
    words = shlex.split(command)
    assert words[:3] == ["python", "-m", "explorer"]
    monkeypatch.setattr(sys, "argv", [*words[2:], "--json"])
    with pytest.raises(SystemExit) as left:
        cli.main()
    assert not left.value.code
    assert f"rank: **{json.loads(capsys.readouterr().out)['rank']}**" in captions(at)


def test_a_run_is_taken_home_with_its_own_specification(downloads):
    at = opened("train", spec=compact(TINY))
    ((name, data),) = downloads.items()
    assert parse(data) == TINY and name == f"{spec_id(TINY)}.json", "nothing is trained yet"
    downloads.clear()
    at = opened("train", spec=compact(TINY), run="asset-train")
    ((name, data),) = downloads.items()
    assert parse(data) == PRESETS["train"][1], "that of the run shown, not of the controls"
    assert name == f"{spec_id(PRESETS['train'][1])}.json"
    (command,) = commands(at)
    assert command == f"python -m explorer train {name}"


def test_the_gallery_draws_no_picture_before_they_are_asked_for():
    gallery_drawing.cache_clear()
    at = opened("design")
    assert not gallery_drawing.cache_info().misses
    at.button(key="gallery of pictures").click()
    ran(at)
    assert gallery_drawing.cache_info().misses == 1


@pytest.mark.parametrize("name", PAGES)
def test_one_sentence_stands_below_the_picture_and_the_others_in_the_fold(name):
    at = opened(name)
    first, _, more = at.session_state[SHOWN].verdict.partition(PARAGRAPH)
    (box,) = at.info
    assert undotted(box.value) == first and "\n" not in first
    folded = [each for each in at.expander if each.label == mathematics.LABEL]
    assert not more or undotted(folded[0].markdown[0].value) == more
    assert bool(more) == (name in {"rates", "order", "memory", "real"})
