"""The command line: the numbers against closed forms, one JSON object alone, a line for bad input.

Most commands run through `explorer.cli.main` in this process, where a traceback is an error of the
test; what hangs on a process (Ctrl-C, a terminal, stdout against stderr) runs in a real one.
"""

import io
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
import stores
import typer
from couplings import D3

from explorer import bench, cli
from explorer.cli import training
from explorer.pages.design.view import design_view, width_text
from explorer.runs import archive
from explorer.runs.store import Store
from explorer.spec import (
    CouplingSpec,
    amended,
    compact,
    full_json,
    schema,
    spec_id,
)
from explorer.targets import PRESETS, SWEEPS, parse, parse_sweep
from explorer.theory.design import Design
from explorer.theory.floor import CELLS
from explorer.views.selection import Selection
from explorer.views.sweeps import of_text
from explorer.views.text import number

pytestmark = pytest.mark.usefixtures("one_thread")

ROOT = Path(__file__).resolve().parent.parent


TINY = json.loads(compact(stores.TINY))
EXPLODES = TINY | {
    "activation": "relu",
    "activation_out": "relu",
    "init": "torch",
    "optimizer": "adam",
    "lr": 1000.0,
    "schedule": "constant",
    "warmup": 0,
}
HARMONICS = '{"rank": 2, "tau": 6, "m_h": 1}'


STOPPED = (130, -signal.SIGINT)
"""Both are 130 to a shell: where Ctrl-C comes while torch, being imported, runs a text of its own,
CPython notes it, and ends by the signal after all that is said."""


def process(*words, **options):
    """A command in a process of its own, as a person starts it."""
    return subprocess.Popen(
        [sys.executable, "-m", "explorer", *map(str, words)],
        cwd=ROOT,
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        **{"stderr": subprocess.PIPE, **options},
    )


def commands():
    """Every command as the words that name it, groups included."""
    pending = [((), typer.main.get_command(cli.app))]
    while pending:
        words, command = pending.pop()
        yield words
        pending += [((*words, name), sub) for name, sub in getattr(command, "commands", {}).items()]


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_every_command_has_help(words, explorer):
    done = explorer(*words, "--help")
    assert done.code == 0 and done.err == ""
    assert "Usage: python -m explorer " + " ".join(words) in done.out
    assert "COMMAND [ARGS]" in done.out or "--json" in done.out


def test_all_commands_of_the_design_that_this_version_has_are_there():
    known = {" ".join(words) for words in commands()}
    runs = {f"runs {name}" for name in ("list", "show", "resume", "export", "import", "delete")}
    assert known >= {"spec", "pod", "floor", "train", "sweep", "reproduce", "bench"} | runs


def test_in_a_process_of_its_own_json_is_alone_on_stdout():
    out, err = process("pod", "--formula", D3, "--json").communicate(timeout=60)
    assert len(json.loads(out)["singular_values"]) == 3 and err == ""
    refused = process("pod", "--formula", "u.__class__", "--json")
    out, err = refused.communicate(timeout=60)
    assert refused.returncode == 2
    assert list(json.loads(out)) == ["error"]
    assert err == f"error: {json.loads(out)['error']}\n"


# spec


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_printed_as_a_file_that_gives_it_back(name, explorer, answer):
    assert parse(explorer("spec", name).out) == PRESETS[name][1]
    assert parse(answer("spec", name)) == PRESETS[name][1]


@pytest.mark.parametrize("name", SWEEPS)
def test_a_ready_sweep_is_printed_as_a_file_that_gives_it_back(name, explorer, answer):
    assert parse_sweep(explorer("spec", name).out) == SWEEPS[name][1]
    assert parse_sweep(answer("spec", name, "--set", "seed=[5]")).seed == (5,)


def test_presets_are_listed_and_the_schema_names_every_field(explorer, answer):
    named = PRESETS | SWEEPS
    assert answer("spec", "--list") == {"presets": {k: text for k, (text, _) in named.items()}}
    lines = explorer("spec", "--list").out.splitlines()
    assert [line.split()[0] for line in lines] == list(named)
    assert answer("spec", "--schema") == schema()
    assert set(schema()["properties"]) == set(CouplingSpec.model_fields)


SET = [
    (["m_h=4"], {"m_h": 4}),
    (["alpha=2", "rank=null"], {"alpha": 2.0, "rank": None}),
    (["formula=u*v"], {"formula": "u*v"}),
    (['formula="u*v"'], {"formula": "u*v"}),
    (["formula=where(u == v, 1, 0)"], {"formula": "where(u == v, 1, 0)"}),
    (["spectrum=list", "sigma=[1, 0.5]"], {"spectrum": "list", "sigma": (1.0, 0.5)}),
    (["m_h=4", "m_h=5"], {"m_h": 5}),
]


@pytest.mark.parametrize(("changes", "fields"), SET, ids=[" ".join(words) for words, _ in SET])
def test_set_takes_json_or_else_plain_text(changes, fields, answer):
    words = [word for change in changes for word in ("--set", change)]
    spec = parse(answer("spec", "design", *words))
    assert spec == amended(PRESETS["design"][1], **fields)


# pod


POD = [
    # D.3: σ₁, σ₃ = (√11 ± √3)/4 and σ₂ = 1/2; ∫∫ρ² = 2
    (D3, [(11**0.5 + 3**0.5) / 4, 0.5, (11**0.5 - 3**0.5) / 4], 2.0),
    # u, v and u², v² only: rank 3; ∫∫(u−v)⁴ = 1/15
    ("-(u-v)**2", [None, 1 / 6, None], 1 / 15),
    ("u*v", [1 / 3], 1 / 9),
    ("0.5", [0.5], 1 / 4),
    ("0", [], 0.0),
]


@pytest.mark.parametrize(("formula", "sigma", "energy"), POD, ids=[text for text, *_ in POD])
def test_pod_of_a_formula_has_the_known_singular_values(formula, sigma, energy, answer):
    found = answer("pod", "--formula", formula)
    assert found["rank"] == len(sigma) == len(found["singular_values"])
    for measured, exact in zip(found["singular_values"], sigma, strict=True):
        assert exact is None or measured == pytest.approx(exact, abs=1e-12)
    assert found["alpha"] is None and found["alpha_ci"] is None
    assert found["tail_energy"][0] == pytest.approx(energy, abs=1e-12)
    assert found["tail_energy"][-1] == pytest.approx(0, abs=1e-20)


def test_what_softmax_cannot_see_goes_when_it_is_centred(answer):
    centred = answer("pod", "--formula", "-(u-v)**2", "--centred")
    # 2u(v − ½) − (v² − ⅓): ∫∫ of its square is 1/30
    assert centred["rank"] == 2 and centred["centred"] is True
    assert centred["tail_energy"][0] == pytest.approx(1 / 30, abs=1e-12)
    assert answer("pod", "--formula", "sin(u)", "--centred")["rank"] == 0


def test_a_kinked_coupling_has_rank_infinity_and_its_exponent(answer):
    found = answer("pod", "--formula", "minimum(u,v)", "--k", "5")
    exact = [1 / ((k - 0.5) * np.pi) ** 2 for k in range(1, 6)]
    np.testing.assert_allclose(found["singular_values"], exact, atol=1e-5)
    assert found["rank"] is None
    assert found["alpha"] == pytest.approx(2, abs=0.1)
    low, high = found["alpha_ci"]
    assert low < found["alpha"] < high


def test_pod_of_a_design_gives_the_design_back(answer):
    found = answer("pod", "--design", '{"alpha": 1.5}')
    k = np.arange(1, 65)
    np.testing.assert_allclose(found["singular_values"], k**-1.5, atol=1e-12)
    assert found["rank"] is None
    assert found["alpha"] == pytest.approx(1.5, abs=1e-9)
    assert found["c1"] == pytest.approx(1, abs=1e-9)
    energy = np.append(np.cumsum(k[::-1] ** -3.0)[::-1], 0)
    np.testing.assert_allclose(found["tail_energy"], energy, atol=1e-12)


def test_a_design_and_the_file_of_it_are_one(answer, tmp_path):
    file = tmp_path / "design.json"
    file.write_text(full_json(CouplingSpec(rank=3, left_basis="haar")), "utf-8")
    assert answer("pod", "--design", file)["singular_values"] == pytest.approx([1, 1 / 2, 1 / 3])


@pytest.mark.parametrize("k", [1, 3, 7])
def test_k_says_how_many_are_listed(k, answer):
    found = answer("pod", "--design", '{"rank": 12}', "--k", k)
    np.testing.assert_allclose(found["singular_values"], 1 / np.arange(1, k + 1), atol=1e-12)
    assert len(found["tail_energy"]) == k + 1 and found["rank"] == 12


def test_the_tolerance_is_absolute(answer):
    found = answer("pod", "--design", '{"rank": 12}', "--tolerance", "0.3")
    assert found["rank"] == 3 and found["tolerance"] == 0.3


def test_pod_of_samples_is_that_of_the_bilinear_surface(answer, tmp_path):
    u, v = np.array([1.0, 3.0]), np.array([2.0, 2.0, 5.0])
    np.save(tmp_path / "g.npy", np.outer(u, v))
    np.savetxt(tmp_path / "g.csv", np.outer(u, v), delimiter=",")
    found = answer("pod", "--grid", tmp_path / "g.npy")
    # Constant to the first centre, linear between centres: ∫ of the square piece by piece.
    norm_u = 1 / 4 + (1 + 3 + 9) / 3 / 2 + 9 / 4
    norm_v = 4 / 6 + 4 / 3 + (4 + 10 + 25) / 3 / 3 + 25 / 6
    assert found["rank"] == 1
    assert found["singular_values"] == [pytest.approx((norm_u * norm_v) ** 0.5, abs=1e-12)]
    assert answer("pod", "--grid", tmp_path / "g.csv") == found


# floor


def softmax_answer(rho, x):
    weights = np.exp(rho)
    return (weights * x[:, None, :]).sum(-1) / weights.sum(-1)


def direct_floor(m, samples, seed):
    """MSE and MAE of HARMONICS with its first m terms, straight from the definition."""
    x = (np.floor(np.random.default_rng(seed).random((samples, 6)) * CELLS) + 0.5) / CELLS
    terms = [
        2 * np.sin(2 * np.pi * k * x)[:, :, None] * np.sin(2 * np.pi * k * (x + 0.5))[:, None] / k
        for k in (1, 2)
    ]
    y, y_m = softmax_answer(sum(terms), x), softmax_answer(sum(terms[:m], 0 * terms[0]), x)
    return np.mean((y - y_m) ** 2), np.mean(np.abs(y - y_m))


@pytest.mark.parametrize(
    ("m", "widths"), [("0..3", [0, 1, 2, 3]), ("1,2", [1, 2]), ("1", [1]), ("2,1", [2, 1])]
)
def test_the_floor_is_the_error_of_the_first_m_terms(m, widths, answer):
    found = answer("floor", "--design", HARMONICS, "--m", m, "--samples", 50, "--seed", 3)
    assert found["m"] == widths and found["samples"] == 50 and found["seed"] == 3
    for mse, mae, width in zip(found["mse"], found["mae"], widths, strict=True):
        assert (mse, mae) == pytest.approx(direct_floor(width, 50, 3), abs=1e-13)
    np.testing.assert_allclose(found["nmse"], np.array(found["mse"]) / found["variance"])
    assert len(found["mse_se"]) == len(found["mae_se"]) == len(widths)


@pytest.mark.parametrize("error", [0.3, 0.01, 1e-4, 1e-9])
@pytest.mark.parametrize(
    "design",
    [
        {},
        {"tau": 64},
        {"rank": 5, "alpha": 2.0},
        {"left_basis": "haar", "right_basis": "legendre"},
        {"formula": "minimum(u, v)", "tau": 5},
        {"spectrum": "list", "sigma": [0.1, 1.0, 0.0, 0.3]},
    ],
    ids=str,
)
@pytest.mark.parametrize(("norm", "named"), [("mse", ""), ("mae", " of mean absolute error")])
def test_the_page_and_the_floor_command_name_one_width_for_an_error(
    design, error, norm, named, answer
):
    found = answer("floor", "--design", json.dumps(design), "--error", error, "--norm", norm)
    designed = Design(CouplingSpec(**design))
    facts = design_view(designed, Selection(error=error, norm=norm)).facts
    width = designed.width_for(error, norm)
    assert (found["width"], *found["width_ci"]) == width and found["norm"] == norm
    assert facts[f"m_h for truncation{named} ≤ {number(error)}"] == width_text(width, 32)


def test_seeds_of_a_floor_differ_within_their_standard_errors(answer):
    words = "floor", "--design", HARMONICS, "--m", "1", "--samples", 2000
    first, again, other = (answer(*words, "--seed", seed) for seed in (0, 0, 1))
    assert first == again
    difference = abs(first["mse"][0] - other["mse"][0])
    assert 0 < difference < 5 * np.hypot(first["mse_se"][0], other["mse_se"][0])


# train and the runs


def trained(answer, spec=TINY, *words):
    return answer("train", json.dumps(spec), *words)


def test_train_answers_with_what_the_design_promises(answer):
    run = trained(answer)
    assert run["status"] == "finished" and run["step"] == run["steps"] == 60
    assert re.fullmatch(r"[0-9a-f]{12}-1", run["run"]) and run["run"][:12] == spec_id(parse(TINY))
    assert re.fullmatch("[0-9a-f]{64}", run["weights_sha256"])
    assert run["r2"] == pytest.approx(1 - run["nmse"], abs=1e-12)
    assert 0 < run["mae"] ** 2 <= run["mse"] < 1
    assert run["message"] == ""


def test_the_same_start_gives_the_same_weights_under_another_run_id(answer):
    first, again = trained(answer), trained(answer)
    assert first["weights_sha256"] == again["weights_sha256"]
    assert [run["run"][12:] for run in (first, again)] == ["-1", "-2"]
    other = trained(answer, TINY, "--seed", "1")
    assert other["weights_sha256"] != first["weights_sha256"]
    assert other["run"][:12] == spec_id(parse(TINY | {"seed": 1})) != first["run"][:12]
    short = trained(answer, TINY, "--steps", "20", "--seed", "1")
    assert short["steps"] == 20
    assert short["run"][:12] == spec_id(parse(TINY | {"seed": 1, "steps": 20}))


def test_a_run_that_diverges_says_what_to_lower(explorer, answer):
    done = explorer("train", json.dumps(EXPLODES), "--json")
    assert done.code == 1
    assert done.json["status"] == "diverged" and done.json["weights_sha256"] is None
    assert "lower lr (now 1000)" in done.json["message"] and "lower lr" in done.err
    resumed = explorer("runs", "resume", done.json["run"], "--json")
    assert resumed.code == 2 and "change the specification" in resumed.json["error"]


@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
def test_ctrl_c_stops_a_run_with_what_is_there_and_resume_ends_as_if_undisturbed(answer):
    spec = TINY | {"steps": 300}
    terminal, end = os.openpty()
    run = process("train", json.dumps(spec), "--json", stderr=end)
    os.close(end)
    seen = b""
    while b"loss" not in seen:  # the bar names the loss once steps are taken
        seen += os.read(terminal, 4096)
    run.send_signal(signal.SIGINT)
    out, _ = run.communicate(timeout=60)
    os.close(terminal)
    stopped = json.loads(out)
    assert run.returncode in STOPPED
    assert stopped["status"] == "stopped" and 0 < stopped["step"] < 300
    assert b"/300" in seen and re.search(rb"\d:\d\d:\d\d|-:--:--", seen), "a bar with its ETA"

    row = answer("runs", "show", stopped["run"])
    assert row["status"] == "stopped" and row["step"] == stopped["step"]
    resumed = answer("runs", "resume", stopped["run"])
    assert resumed["run"] == stopped["run"] and resumed["step"] == 300
    assert resumed["weights_sha256"] == trained(answer, spec)["weights_sha256"]


def test_the_round_trip_of_a_run(explorer, answer, tmp_path):
    assert answer("runs", "list") == {"runs": [], "more": False}
    first, second = trained(answer, TINY, "--steps", "20"), trained(answer)
    listed = answer("runs", "list")["runs"]
    assert [row["run"] for row in listed] == [second["run"], first["run"]]
    assert {"run", "status", "step", "steps"} <= set(listed[0])
    assert answer("runs", "list", "--limit", "1")["runs"] == listed[:1]

    shown = answer("runs", "show", second["run"])
    assert parse(shown["spec"]) == parse(TINY)
    assert shown["metrics"]["weights_sha256"] == second["weights_sha256"]
    assert answer("runs", "resume", second["run"]) == second, "a finished run answers like train"

    file = tmp_path / "run.zip"
    written = answer("runs", "export", second["run"], "--out", file)
    assert written["bytes"] == file.stat().st_size
    slim = ("--weights-only", "--pictures", "3", "--out", tmp_path / "slim.zip")
    assert answer("runs", "export", second["run"], *slim)["bytes"] < written["bytes"] / 2
    assert len(archive.read(tmp_path / "slim.zip").snapshot_steps) == 3
    assert answer("runs", "delete", second["run"])["deleted"] is True
    gone = explorer("runs", "show", second["run"], "--json")
    assert gone.code == 2 and second["run"] in gone.json["error"]
    brought = answer("runs", "import", file)["run"]
    assert brought == f"{second['run'][:12]}-2", "the id of a deleted run is not given again"
    again = answer("runs", "show", brought)
    said = shown["metrics"] | {"claimed": True}
    assert (again["metrics"], again["spec"]) == (said, shown["spec"]), "a file's word for it"


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (("delete",), "stop it first"),
        (("resume",), "pause it first"),
        (("export", "--out", "run.zip"), "pause or stop it first"),
    ],
)
def test_a_running_run_is_left_alone(command, says, explorer, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with Store().start(parse(TINY), "cpu") as lease:
        done = explorer("runs", command[0], lease.row.run, *command[1:])
        assert done.code == 2 and says in done.err
        assert Store().get(lease.row.run).status == "running"
    assert not (tmp_path / "run.zip").exists()


@pytest.mark.parametrize("own", [{"target": "qsa", "k": [1, 2]}, {"target": "nearest"}])
def test_a_saved_sweep_is_read_as_the_assets_are(own, answer, tmp_path):
    tiny = {"tau": 3, "n": 4, "m_ff": 4, "batch": 4, "warmup": 1, "steps": 2, "m_h": [1, 2]}
    file = tmp_path / "sweep.json"
    found = answer("sweep", json.dumps(tiny | own), "--workers", "1", "--save", file)
    saved = of_text(file.read_text("utf-8"))
    assert saved.sweep == parse_sweep(tiny | own) and saved.made.endswith("cpu")
    assert [row["spec_id"] for row in saved.rows] == [row["spec_id"] for row in found["rows"]]
    assert saved.rows[0]["nmse"] == pytest.approx(found["rows"][0]["nmse"], rel=1e-5)


def test_plain_output_is_for_people(explorer):
    assert "σ = 0.5\n" in explorer("pod", "--formula", "0.5").out
    assert "rank 64 or more" in explorer("pod", "--design", "design").out
    assert len(explorer("floor", "--design", HARMONICS, "--m", "1..2").out.splitlines()) == 3
    assert "python -m explorer train" in explorer("runs", "list").out, "an empty store says so"
    assert "status: finished" in explorer("train", json.dumps(TINY | {"steps": 2})).out


# What is refused


POD_REFUSED = [
    ("u.__class__", "at character 2"),
    ("().__class__.__bases__", "at character 3"),
    ("__import__('os')", "at character 12"),
    ("__import__(u)", "unknown name '__import__'"),
    ("[u for u in v]", "'[' is not allowed"),
    ("lambda: 0", "at character 7"),
    ("9**9**9**9", "not finite"),
    ("9" * 400, "too large"),
    ("u+" * 50_000 + "u", "1000"),
    ("(" * 400 + "u" + ")" * 400, "nested too deeply"),
    ("u + w", "unknown name 'w'"),
    ("log(u - v)", "not finite at u ="),
    ("1/(u-u)", "not finite"),
    ("", "1000"),
    (" ", "empty"),
    ("sin(u", "expected )"),
]


def _pickle():
    file = io.BytesIO()
    np.save(file, np.array([[print, 1], [2, 3]], object), allow_pickle=True)
    return file.getvalue()


def _npy(values):
    file = io.BytesIO()
    np.save(file, np.asarray(values))
    return file.getvalue()


GRIDS_REFUSED = [
    ("pickled.npy", _pickle(), "objects never"),
    ("vector.npy", _npy([1.0, 2.0]), "shape 2;"),
    ("long.npy", _npy(np.zeros((513, 2))), "2 to 512"),
    ("nan.npy", _npy([[0.0, np.nan], [1.0, 2.0]]), "row 1, column 2 is nan"),
    ("complex.npy", _npy([[1j, 2], [3, 4]]), "real numbers"),
    ("cut.npy", _npy(np.zeros((9, 9)))[:-8], "its header says"),
    ("text.npy", b"1,2\n3,4\n", "not a .npy file"),
    ("empty.csv", b"", "shape 0"),
    ("words.csv", b"a,b\nc,d\n", "'a' is not a number"),
    ("ragged.csv", b"1,2\n3\n", "row 2 has 1"),
    ("inf.csv", b"1,inf\n2,3\n", "row 1, column 2"),
    ("binary.csv", b"\xff\xfe\x00", "not UTF-8"),
    ("grid.xlsx", b"PK", "allowed are .npy and .csv"),
]

SPECS_REFUSED = [
    ('{"m_h": 4', "not JSON"),
    ('{"m_h": 4}}', "not JSON"),
    ("{" * 1000, "not JSON"),
    ('{"colour": 3}', "unknown field"),
    ('{"m_h": "4"}', "m_h"),
    ('{"m_h": 4000}', "from 1 to 64"),
    ('{"lr": NaN}', "finite"),
    ('{"version": 2}', "newer"),
    ('{"formula": "u +"}', "at the end"),
    ('{"grid": "%s"}' % ("0" * 64), "not in this store"),
]

WORDS_REFUSED = [
    (["spec", "nonsense"], "known are quick"),
    (["spec", "--set", "m_h"], "KEY=VALUE"),
    (["spec", "--set", "m_h=four"], "from 1 to 64"),
    (["spec", "--set", "m_h=400"], "from 1 to 64"),
    (["spec", "--set", "m_h=" + "1" * 5000], "from 1 to 64"),
    (["spec", "--set", "colour=red"], "unknown field"),
    (["spec", "--set", "alpha=NaN"], "finite"),
    (["spec", "--set", "alpha=1e999"], "finite"),
    (["spec", "--set", "version=2"], "newer"),
    (["spec", "--set", "sigma=[1]"], "spectrum"),
    (["pod"], "exactly one"),
    (["pod", "--formula", "u", "--design", "quick"], "exactly one"),
    (["pod", "--design", ""], "Is a directory"),
    (["pod", "--formula", "u", "--tolerance", "inf"], "finite"),
    (["pod", "--formula", "u", "--tolerance", "nan"], "--tolerance"),
    (["pod", "--formula", "u", "--k", "0"], "--k"),
    (["floor", "--design", "quick", "--m", "4..1"], "--m"),
    (["floor", "--design", "quick", "--m", "1..99999999999"], "from 0 to 1024"),
    (["floor", "--design", "quick", "--m", "one"], "--m"),
    (["floor", "--design", "quick", "--m", ""], "--m"),
    (["floor", "--design", "quick", "--m=-1"], "--m"),
    (["floor", "--design", "quick", "--samples", "1"], "--samples"),
    (["floor", "--design", "quick", "--seed=-1"], "--seed"),
    (["train", "quick", "--steps", "0"], "steps"),
    (["train", "quick", "--seed=-1"], "seed"),
    (["train", "quick", "--device", "tpu"], "auto, cpu"),
    (["runs", "show", "0123456789ab-1"], "no run"),
    (["runs", "resume", ""], "no run"),
    (["runs", "export", "../..", "--out", "x.zip"], "no run"),
    (["runs", "delete", "../../etc"], "no run"),
    (["runs", "import", "nowhere.zip"], "nowhere.zip: No such file"),
    (["train", "nowhere.json"], "nowhere.json"),
    (["nonsense"], "nonsense"),
]


def assert_refused(done, says):
    """Exit code, and the reason in a line of its own or in the usage box of typer."""
    assert done.code == 2
    boxed = " ".join(done.err.replace("│", " ").split())
    assert says in boxed
    assert len(done.err) < 2000
    assert "╭" in done.err or done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("formula", "says"), POD_REFUSED, ids=[formula[:20] for formula, _ in POD_REFUSED]
)
def test_hostile_formulas_are_refused(formula, says, explorer):
    done = explorer("pod", "--formula", formula, "--json")
    assert_refused(done, says)
    assert says in done.json["error"]


@pytest.mark.parametrize(
    ("name", "data", "says"), GRIDS_REFUSED, ids=[name for name, *_ in GRIDS_REFUSED]
)
def test_bad_samples_are_refused(name, data, says, explorer, tmp_path):
    (tmp_path / name).write_bytes(data)
    assert_refused(explorer("pod", "--grid", tmp_path / name), says)


@pytest.mark.parametrize("text", [text for text, _ in SPECS_REFUSED], ids=lambda text: text[:20])
@pytest.mark.parametrize("command", [("train",), ("pod", "--design"), ("floor", "--design")])
def test_bad_specifications_are_refused_and_leave_no_run(command, text, explorer, tmp_path):
    says = dict(SPECS_REFUSED)[text]
    (tmp_path / "spec.json").write_text(text, "utf-8")
    for source in (text, tmp_path / "spec.json"):
        assert_refused(explorer(*command, source), says)
    assert Store().list() == []


@pytest.mark.parametrize(
    ("words", "says"), WORDS_REFUSED, ids=[" ".join(words)[:40] for words, _ in WORDS_REFUSED]
)
def test_bad_words_are_refused(words, says, explorer):
    assert_refused(explorer(*words), says)


@pytest.mark.parametrize("data", [b"\xff\xfe\x00\x01", b"\x00" * 9], ids=["no UTF-8", "zeros"])
def test_what_is_no_text_is_no_specification(data, explorer, tmp_path, monkeypatch):
    (tmp_path / "spec.json").write_bytes(data)
    assert_refused(explorer("train", tmp_path / "spec.json"), "not")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), "utf-8"))
    assert_refused(explorer("train", "-"), "not")


def test_a_specification_comes_from_stdin_too(answer, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO('{"rank": 3}'))
    assert answer("pod", "--design", "-")["rank"] == 3


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("folder", "folder: Is a directory"),
        ("text", "not a whole zip"),
        ("nothing", "not a whole zip"),
    ],
)
def test_what_is_no_archive_is_not_imported(name, says, explorer, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "text").write_text("no zip", "utf-8")
    (tmp_path / "nothing").write_bytes(b"")
    assert_refused(explorer("runs", "import", tmp_path / name), says)
    assert Store().list() == []


# Stores that cannot be used


def as_a_file(home):
    home.write_text("not a folder", "utf-8")


def as_a_newer_store(home):
    Store(home)
    with closing(sqlite3.connect(home / "store.sqlite3")) as db:
        db.execute("PRAGMA user_version = 99")


def as_a_damaged_store(home):
    home.mkdir()
    (home / "store.sqlite3").write_bytes(b"not a database, and longer than a header " * 40)


STORES = [
    (as_a_file, "home"),
    (as_a_newer_store, "newer version"),
    (as_a_damaged_store, "not a store"),
]


@pytest.mark.parametrize("words", [("runs", "list"), ("train", "quick")], ids=" ".join)
@pytest.mark.parametrize(("spoil", "says"), STORES, ids=[spoil.__name__ for spoil, _ in STORES])
def test_a_store_that_cannot_be_used_is_explained(spoil, says, words, explorer, tmp_path):
    spoil(tmp_path / "home")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    done = explorer(*words, "--json")
    assert_refused(done, says)
    assert says in done.json["error"]
    unchanged = {path: data for path, data in before.items() if path.suffix != ".sqlite3-shm"}
    assert all(path.read_bytes() == data for path, data in unchanged.items())


def test_numbers_that_need_no_store_do_without_one(answer, tmp_path):
    as_a_file(tmp_path / "home")
    assert answer("pod", "--design", "quick")["rank"] == 2
    assert answer("floor", "--design", "quick", "--m", "1", "--samples", "8")["m"] == [1]


# sweep


SWEEP = json.dumps(TINY | {"m_h": [1, 2, 3], "rank": [2], "steps": 20})


def test_a_sweep_answers_with_rows_groups_and_its_slope(answer):
    found = answer("sweep", SWEEP, "--workers", 1)
    assert [row["m_h"] for row in found["rows"]] == [1, 2, 3] and found["status"] == "finished"
    (group,) = found["groups"]
    assert {"alpha", "rank", "slope", "slope_ci", "fit_range", "norm"} <= set(group)
    assert found["slope"] == group["slope"] is None, "two widths below the rank are no fit"
    again = answer("sweep", SWEEP, "--workers", 1, "--norm", "mae")
    assert again["rows"] == found["rows"] and again["groups"][0]["norm"] == "mae"


@pytest.mark.parametrize(
    "words",
    [
        ("sweep", '{"m_h": [0]}'),
        ("sweep", SWEEP, "--executor", "ray"),
        ("sweep", "no-such-file"),
        ("reproduce", "fig9", "--out", "."),
    ],
)
def test_a_sweep_that_cannot_be_is_refused_in_a_line(words, explorer):
    done = explorer(*words)
    assert done.code == 2 and done.err.startswith("error: ") and done.err.count("\n") == 1


def test_ctrl_c_ends_a_sweep_with_what_is_there():
    long = json.dumps(json.loads(SWEEP) | {"rank": [2, 3], "steps": 100_000})
    sweep = process("sweep", long, "--workers", 1, "--json", bufsize=1)
    assert sweep.stderr.readline() == "0 of 6 models\n"
    sweep.send_signal(signal.SIGINT)
    out, err = sweep.communicate(timeout=60)
    assert sweep.returncode in STOPPED and "Traceback" not in err
    assert json.loads(out)["status"] == "stopped" and json.loads(out)["rows"] == []


# Benches


def test_a_bench_says_each_row_before_it_measures_the_next(monkeypatch, capsys):
    printed = []

    def slow():
        for what in ("first", "second"):
            printed.append(capsys.readouterr().out)
            yield what, "1", "ms", ""

    monkeypatch.setitem(bench.BENCHES, "step", slow)
    training.bench_(["step"])
    assert printed[0] == "" and "first" in printed[1]
    assert capsys.readouterr().out.split()[:2] == ["step", "second"]


def test_memory_that_is_refused_is_said_in_words_of_ours(explorer, monkeypatch):
    """Each library has its own, if any."""

    def refuse(*_, **__):
        raise MemoryError("Unable to allocate output buffer.")

    monkeypatch.setattr("explorer.cli.theory.pod", refuse)
    assert (
        explorer("pod", "--design", HARMONICS).err
        == "error: this machine has not enough memory for that\n"
    )
