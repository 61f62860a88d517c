"""The race of architectures for one kernel: what each makes, its floor, its verdict."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from streamlit_pages import app, ran, sentences

from explorer.charts import DARK, LIGHT
from explorer.pages.order import view_memory_functions as functions
from explorer.pages.order import view_race as view
from explorer.pages.order.chart_architectures import (
    kernels_chart,
    memory_functions_chart,
    race_chart,
)
from explorer.runs import job_runner, jobs
from explorer.runs.store import Store
from explorer.spec import LinearSpec, compact, spec_id
from explorer.targets import kernel_of
from explorer.theory.architectures import compared
from explorer.theory.architectures.convolutional import left_by, uniform
from explorer.theory.architectures.kind import square
from explorer.theory.architectures.positions import peaks_error, rotary_error
from explorer.theory.architectures.race import ENTRANTS, Known, Race, known_of, verdict
from explorer.theory.architectures.recurrent import stable_error
from explorer.training.race import OUTER, Training
from explorer.ui import registry

TAU = 16
S = np.arange(float(TAU))
DELAY = np.eye(TAU)[9]
RANDOM = np.random.default_rng(1).normal(size=TAU)
LINEAR = [name for name, one in ENTRANTS.items() if one.linear]


def race(kernel, **fields):
    return Race(tuple(np.asarray(kernel).tolist()), **fields)


def last(asked, name):
    *_, lap = Training(asked, ENTRANTS[name]).laps()
    return lap.errors


# What each finds


@pytest.mark.parametrize("name", ["rnn", "ssm", "stable_ssm", "lin_heads"])
def test_one_state_finds_an_exponential(name):
    assert last(race(np.exp(-S / 4), size=1, by="width"), name).max() < 1e-6


def test_one_channel_finds_a_delay():
    assert np.median(last(race(DELAY, size=1, by="width"), "cnn")) < 1e-6


def test_a_head_with_positions_finds_a_bump():
    errors = last(race(np.exp(-((S - 6) ** 2) / 8), size=2, by="width"), "attention")
    assert np.median(errors) < 1e-6


@pytest.mark.parametrize("rho", [RANDOM, DELAY, np.exp(-S / 4)], ids=["random", "delay", "exp"])
@pytest.mark.parametrize("name", LINEAR)
def test_no_lap_is_below_the_floor(name, rho):
    asked = race(rho, size=16, steps=200, seeds=3)
    bound = known_of(asked, compared(rho))[name].bound or 0
    for lap in Training(asked, ENTRANTS[name]).laps():
        assert (lap.errors >= bound * (1 - 1e-9)).all()


@pytest.mark.parametrize("name", ENTRANTS)
def test_a_seed_hangs_on_no_other_and_seeds_differ(name):
    few, more = (last(race(RANDOM, size=12, steps=8, seeds=n), name) for n in (2, 3))
    np.testing.assert_allclose(more[:2], few, rtol=1e-9)
    assert len({*more.tolist()}) == 3


def test_a_stable_eigenvalue_stays_inside_the_unit_disc():
    """For a kernel that grows; one that is free follows it."""
    asked = race(np.exp(S / 8), size=1, by="width", seeds=2)
    kept = Training(asked, ENTRANTS["stable_ssm"])
    for _ in kept.laps():
        assert (kept.parameters[0].exp() > 0).all()
        assert (np.abs(kept.kernels()[:, 1:]) <= np.abs(kept.kernels()[:, :-1])).all()
    free = Training(asked, ENTRANTS["ssm"])
    *_, lap = free.laps()
    assert lap.errors.max() < 1e-6 and (np.abs(free.kernels()[:, -1]) > 0.1).all()


# What they are


@pytest.mark.parametrize("name", ENTRANTS)
@pytest.mark.parametrize("width", [1, 2, 5])
def test_parameters_are_those_that_are_trained(name, width):
    asked = race(RANDOM, size=width, by="width", seeds=2)
    training = Training(asked, ENTRANTS[name])
    trained = sum(one[0].numel() for one in training.parameters)
    assert trained == ENTRANTS[name].parameters(width, TAU)


@pytest.mark.parametrize("name", ENTRANTS)
@pytest.mark.parametrize("size", [10, 40, 160])
def test_equal_parameters_are_never_more_and_one_wider_would_be(name, size):
    one, asked = ENTRANTS[name], race(np.ones(64), size=size)
    width = one.width_of(asked)
    assert one.parameters(width, 64) <= size or width == 1
    assert one.parameters(width + 1, 64) > size or width in (32, 64)


def test_the_linear_rnn_is_its_recurrence():
    training = Training(race(RANDOM, size=3, by="width", seeds=1), ENTRANTS["rnn"])
    w, u, c = (one.detach().numpy()[0] for one in training.parameters)
    direct = [(c @ np.linalg.matrix_power(w, s) @ u)[0, 0] for s in range(TAU)]
    np.testing.assert_allclose(training.kernels()[0], direct, atol=1e-12)


def test_the_diagonal_ssm_is_a_sum_of_exponentials():
    training = Training(race(RANDOM, size=5, by="width", seeds=1), ENTRANTS["stable_ssm"])
    w, theta, a, b = (one.detach().numpy()[0] for one in training.parameters)
    poles = np.exp(-np.exp(w) + 1j * np.append(theta, 0))
    assert (np.abs(poles) < 1).all() and len(poles) == 3  # two pairs, and one alone
    direct = ((a - 1j * np.append(b, 0)) * poles ** S[:, None]).sum(1).real
    np.testing.assert_allclose(training.kernels()[0], direct, atol=1e-12)


def test_rotary_attention_is_a_softmax_of_turned_vectors():
    """⟨R(θt) q, R(θs) k⟩ of constant q and k, the last t, lag by lag."""
    training = Training(race(RANDOM, size=3, by="width", seeds=1), ENTRANTS["rotary"])
    centre, log_beta, log_theta, c = (one.detach().numpy()[0] for one in training.parameters)
    place, made = np.linspace(-1, 1, TAU), np.zeros(TAU)  # of s, from the last token back
    for at, size, theta, weight in zip(
        centre, 2 * np.exp(log_beta - 2 * log_theta), *(np.exp(log_theta), c), strict=True
    ):

        def turned(angle, vector):
            cos, sin = np.cos(angle), np.sin(angle)
            return np.array([[cos, -sin], [sin, cos]]) @ vector

        key, query = np.array([1.0, 0.0]), turned(theta * at, np.array([size, 0.0]))
        logits = [turned(theta * 5, query) @ turned(theta * (5 + x), key) for x in place]
        made += weight * np.exp(logits) / np.exp(logits).sum()
    np.testing.assert_allclose(training.kernels()[0], made, atol=1e-12)


@pytest.mark.parametrize("tau", [TAU, 11])
def test_the_gated_cnn_is_its_layers_at_every_place(tau):
    """Causal filters of two taps, dilations 1, 2, 4, …, gated; here no place is left out."""
    training = Training(race(RANDOM[:tau], size=3, by="width", seeds=1), ENTRANTS["gated_cnn"])
    x = np.random.default_rng(0).normal(size=(4, tau))
    layers = [one.detach().numpy()[0] for one in training.parameters]
    h = x[..., None]
    for k, (w, v) in enumerate(zip(layers[::2], layers[1::2], strict=True)):
        before = np.zeros_like(h)
        before[:, 2**k :] = h[:, : -(2**k)]
        seen = np.concatenate([h, before], axis=-1)
        h = seen @ w / (1 + np.exp(-seen @ v))
    import torch

    made = training.model.kernel(torch.tensor(x)[None], *training.parameters)
    np.testing.assert_allclose(made.detach().numpy()[0], h[:, -1, 0], atol=1e-12)


@pytest.mark.parametrize(("name", "gates"), [("gru", 3), ("lstm", 4)])
def test_gates_are_those_of_torch(name, gates):
    """Its own cell, fed token by token, in the order of its gates."""
    import torch

    n, x = 3, torch.rand(2, TAU, dtype=torch.float64)
    training = Training(race(RANDOM, size=n, by="width", seeds=1), ENTRANTS[name])
    w, u, bias, c = (one.detach()[0] for one in training.parameters)
    blocks = [1, 0, 2] if name == "gru" else [0, 1, 3, 2]  # theirs: r z n, and i f g o
    rows = torch.cat([torch.arange(n) + n * block for block in blocks])
    cell = (torch.nn.GRUCell if name == "gru" else torch.nn.LSTMCell)(1, n).double()
    with torch.no_grad():
        cell.weight_ih.copy_(w.T[rows])
        cell.weight_hh.copy_(u.T[rows])
        cell.bias_ih.copy_(bias[0][rows])
        cell.bias_hh.zero_()
        state = None
        if name == "gru":  # theirs: n = tanh(W x + r (U h)); ours gates h before U
            cell.weight_hh[2 * n :] = torch.diag(torch.tensor([0.5, -1.0, 0.2]).double())
            training.parameters[1].data[0, :, 2 * n :] = cell.weight_hh[2 * n :].T
        for now in x.T:
            state = cell(now[:, None], state)
        assert state is not None
        h = state if name == "gru" else state[0]
        made = training.model.kernel(x[None], *training.parameters)
        np.testing.assert_allclose(made[0].numpy(), (h @ c)[:, 0].numpy(), atol=1e-12)


def test_the_error_on_sequences_is_that_of_the_kernel():
    """A network that answers 0 leaves all of the variance, as ρ̂ = 0 does."""
    training = Training(race(RANDOM, size=2, by="width", seeds=2), ENTRANTS["gru"])
    training.parameters[3].data.zero_()
    np.testing.assert_allclose(training.errors(), 1, atol=0.1)
    assert pytest.approx(1) == OUTER**2 / 3, "the variance of U[−√3, √3]"


# What is known of each


def test_known_errors_are_those_of_some_model():
    for rho in (RANDOM, DELAY, np.exp(-S / 4)):
        for one in known_of(race(rho, size=12), compared(rho)).values():
            assert (one.bound or 0) <= (one.best if one.best is not None else 1) + 1e-12
    assert stable_error(np.exp(-S / 4), 1) < 1e-20 and stable_error(DELAY, 2) > 0.5
    assert peaks_error(DELAY, 1) < 1e-4 and peaks_error(np.exp(-S / 4), 1) < 1e-2
    assert peaks_error(RANDOM, TAU) < 1e-9
    assert rotary_error(DELAY, 1) < 1e-4 and rotary_error(np.exp(-S / 4), 1) < 1e-2
    assert rotary_error(RANDOM, TAU) < 1e-9
    assert left_by(DELAY, uniform(TAU, 1)) == (0, 0)
    full = uniform(TAU, TAU)
    assert full == (2, 4, 2) and max(left_by(RANDOM, full)) < 1e-25
    assert left_by(RANDOM, uniform(TAU, 1))[0] > 0.1


def test_a_verdict_by_numbers():
    names = ("cnn", "log_heads", "rotary", "gru")
    cnn, heads, rotary, gru = (ENTRANTS[name] for name in names)

    def label(one, known, errors=()):
        return verdict(one, known, errors, 0.01).label

    assert label(cnn, Known(0, 0)) == label(cnn, Known(0.5, 0.6)) == "predicted"
    assert label(cnn, Known(0, 0), [1e-3, 1e-4, 1.0]) == "observed"
    assert label(cnn, Known(0, 0), [1e-3, 0.2, None]) == "missed by optimisation"
    assert label(cnn, Known(0.5, 0.6), [0.6, 0.7, 0.9]) == "observed"
    assert label(cnn, Known(0.5, 0.6), [0.4, 0.7, 0.9]) == "disagrees"
    assert label(cnn, Known(0.005, 0.02), [0.006] * 3) == "left open"
    assert label(heads, Known(None, 0.3), [0.4] * 3) == "observed"
    assert label(heads, Known(None, 0.3), [1e-3] * 3) == "disagrees"
    assert label(rotary, Known(None, 0.3), [1e-3] * 3) == "left open", "nothing says it is least"
    assert label(rotary, Known(None, 1e-4), [1e-3] * 3) == "observed"
    assert label(gru, Known(None, None), [1e-3]) == "no floor known"


@pytest.mark.parametrize(
    ("fields", "says"),
    [({"size": 0}, "from 1 to"), ({"size": 257}, "from 1 to"), ({"seeds": 0}, "at least one")],
)
def test_what_is_no_race_is_refused(fields, says):
    with pytest.raises(ValueError, match=says):
        race(RANDOM, **fields)
    with pytest.raises(ValueError, match="0 everywhere"):
        race(np.zeros(4))
    with pytest.raises(ValueError, match=r"ρ\(1\) = nan"):
        race([1.0, math.nan])


def test_a_race_comes_back_from_its_text():
    asked = race(RANDOM, size=7, by="width", steps=3)
    assert Race.parse(asked.text()) == asked and Race.parse(asked.text()).id == asked.id
    assert race(RANDOM, size=8).id != race(RANDOM, size=7).id


DELAYED, BITS = np.zeros((2, 64))
DELAYED[37] = 1
BITS[:] = np.prod([np.where(np.arange(64) >> k & 1, 0.9 - 0.3 * k, 0.5) for k in range(6)], axis=0)
WINDOW = np.arange(64.0)
EIGHT = {
    "exponential": np.exp(-WINDOW / 8),
    "power": (1 + WINDOW) ** -1.2,
    "delay": DELAYED,
    "cosine": np.exp(-WINDOW / 20) * np.cos(0.5 * WINDOW),
    "bump": np.exp(-((WINDOW - 30) ** 2) / 32),
    "bits": BITS,
    "taps": np.eye(64)[5] + np.eye(64)[50],
    "random": np.random.default_rng(1).normal(size=64),
}
FIVE = ("ssm", "cnn", "attention", "log_heads", "lin_heads")


@pytest.mark.slow
def test_at_most_three_of_forty_predictions_are_missed():
    """Eight kernels, five architectures, 40 parameters each."""
    labels = []
    for rho in EIGHT.values():
        asked = race(rho)
        known = known_of(asked, compared(rho))
        labels += [
            verdict(ENTRANTS[name], known[name], last(asked, name).tolist(), 0.01).label
            for name in FIVE
        ]
    assert len(labels) == 40 and "disagrees" not in labels
    assert labels.count("missed by optimisation") <= 3
    assert labels.count("observed") >= 36


# As a job, and on the command line


def do(store):
    lease = jobs.claim(store)
    assert lease is not None
    with lease:
        job_runner.run_job(store, lease.row, "cpu")


def test_a_stopped_race_goes_on_to_the_same_numbers(monkeypatch):
    monkeypatch.setattr(job_runner, "POLL_SECONDS", 0.0)
    monkeypatch.setattr(job_runner, "FRAME_SECONDS", 0.0)
    store, asked = Store(), race(RANDOM, size=8, steps=40, seeds=2, sequences=False)
    whole = {name: last(asked, name).tolist() for name in LINEAR}
    name = jobs.ask(store, "race", asked.id, asked.text())
    polls = iter(range(10_000))
    monkeypatch.setattr(jobs, "stopped", lambda *_: next(polls) == 100)
    for _ in range(2):
        do(store)
        status = jobs.require(store, name).status
        jobs.ask(store, "race", asked.id, asked.text())
        if status == "finished":
            break
        assert status == "stopped" and len(jobs.require(store, name).result) > 1
    rows = jobs.require(store, name).result
    assert {row["name"]: row["errors"][-1] for row in rows} == whole


SPEC = LinearSpec(kernel="delay", lag=9, tau=TAU)


def test_the_command_races(explorer, monkeypatch):
    text = json.dumps(SPEC.model_dump(mode="json"))
    answer = explorer("race", text, "--size", "16", "--json").json
    cnn = answer["entrants"]["cnn"]
    assert cnn["parameters"] == 8 and cnn["label"] == "observed" and cnn["bound"] == 0
    assert len(cnn["errors"][-1]) == 5 and "dilated CNN" in answer["sentence"]
    assert answer["entrants"]["log_heads"]["label"] == "observed"
    assert "gru" not in answer["entrants"]
    refused = explorer("race", text, "--size", "0")
    assert refused.code == 2 and "from 1 to 256" in refused.err
    assert explorer("race", text, "--by", "weight").code == 2
    assert explorer("race", text, "--size", "16").out.startswith(answer["sentence"])


def test_the_tables_of_a_race():
    asked = view.race_of(SPEC, 16, "parameters")
    before = view.results(asked, (), 0.01)
    assert before["verdict"][3] == "predicted"
    assert "At 16 parameters, predicted to reach 1 %" in view.sentence(asked, (), 0.01)
    few = view.sentence(view.race_of(LinearSpec(tau=64), 10, "parameters"), (), 0.01)
    assert few.startswith("At 10 parameters (dilated CNN 12 at least), predicted")
    rows = [{"name": "cnn", "steps": [0, 1, 1500], "errors": [[1.0], [None], [1e-12]]}]
    curves = view.curves(rows)
    assert curves["step"].tolist() == [1, 1500] and curves["error"].tolist() == [10.0, 1e-8]
    assert view.results(asked, rows, 0.01)["verdict"][3] == "observed"
    assert set(view.floors(asked)["architecture"]) <= {one.title for one in ENTRANTS.values()}
    np.testing.assert_array_equal(asked.kernel, kernel_of(SPEC))
    assert square(np.array(asked.kernel)) == 1


# On the page


def test_the_page_asks_for_a_race_and_draws_it():
    at = app("order", spec=compact(SPEC))
    at.session_state["mathematics open"] = True
    at.session_state["unfolded Which architecture remembers it?"] = True
    at = ran(at)
    assert "predicted to reach 1 %" in sentences(at)
    at.select_slider(key="picture race_size").set_value(20)
    ran(at).button(key="race").click()
    at = ran(at)
    asked, store = view.race_of(SPEC, 20, "parameters"), registry.store()
    name = f"race-{asked.id}"
    assert jobs.waiting(store) == [name] and at.button(key="stop race")
    do(store)
    at = ran(at)
    assert "At 20 parameters, 1 % is reached by" in sentences(at)
    assert "race" not in [button.key for button in at.button], "it is there"
    verdicts = next(f.value for f in at.dataframe if "verdict" in f.value)
    assert verdicts.set_index("architecture")["verdict"]["dilated CNN"] == "observed"
    at.select_slider(key="picture race_step").set_value(0)
    assert json.loads(ran(at).query_params["view"]) == {"race_size": 20, "race_step": 0}


def test_a_link_opens_the_race_it_names():
    """With sizes and errors that the sliders do not offer by themselves."""
    chosen = {"remembered": 0.02, "race_by": "width", "race_size": 3, "race_sequences": True}
    at = ran(app("order", spec=compact(SPEC), view=json.dumps(chosen)))
    assert "At width 3, predicted to reach 2 %" in sentences(at)
    at.session_state["unfolded Which architecture remembers it?"] = False
    at.toggle(key="picture race_sequences").set_value(False)
    assert "At 3 width" not in sentences(ran(at)), "who closes it has it closed"


def test_kernels_are_those_of_the_step_or_the_last_before_it():
    asked = race(RANDOM, size=8, steps=12, seeds=2)
    laps = [*Training(asked, ENTRANTS["cnn"]).laps()]
    kept = {str(lap.step): lap.kernel.tolist() for lap in laps if lap.kernel is not None}
    rows = [{"name": "cnn", "kernels": kept}, {"name": "gru", "kernels": {}}]
    steps = view.steps_of(rows)
    assert steps[0] == 0 and steps[-1] == 12 and 11 not in steps
    for at, step in ((None, 12), (11, steps[-2]), (0, 0)):
        table = view.kernels(asked, rows, at)
        np.testing.assert_allclose(table["rho"], RANDOM)
        left = ((table["rho_hat"] - table["rho"]) ** 2).sum() / square(RANDOM)
        lap = next(one for one in laps if one.step == step)
        assert left == pytest.approx(lap.errors[0])
    burst = [{"name": "cnn", "kernels": {"0": [None] * TAU}}]
    assert view.kernels(asked, burst, None).empty


def test_the_charts_of_a_race():
    rows = [{"name": "cnn", "steps": [0, 1, 1500], "errors": [[1.0], [None], [1e-12]]}]
    asked = view.race_of(SPEC, 16, "parameters")
    drawn_kernels = [{"name": "cnn", "kernels": {"0": [0.0] * TAU}}]
    for palette in (LIGHT, DARK):
        made = kernels_chart(view.kernels(asked, drawn_kernels, None), palette).to_dict()
        assert len(made["spec"]["layer"]) == 2
        drawn = race_chart(view.curves(rows), view.floors(asked), 0.01, palette)
        assert len(drawn.to_dict()["layer"]) == 4


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_no_two_architectures_look_alike(palette):
    rows = [{"name": name, "steps": [0, 1], "errors": [[1.0], [0.5]]} for name in ENTRANTS]
    asked = view.race_of(SPEC, 16, "parameters")
    drawn = race_chart(view.curves(rows), view.floors(asked), 0.01, palette).to_dict()
    looks = [
        drawn["layer"][0]["encoding"][name]["scale"]["range"] for name in ("color", "strokeDash")
    ]
    pairs = {(colour, tuple(dash)) for colour, dash in zip(*looks, strict=True)}
    assert len(pairs) == len(ENTRANTS)
    assert [len(dash) > 2 for dash in looks[1]] == [not one.linear for one in ENTRANTS.values()]


# The author's four memory functions


def test_the_shipped_memory_functions():
    table = functions.shipped()
    cases = list(functions.cases())
    assert len(table) == len(cases) * len(ENTRANTS) * 5 and len(cases) == 12
    assert [*dict.fromkeys(table["spec_id"])] == [spec_id(spec) for *_, spec in cases]
    assert (table["error"] >= table["floor"].fillna(0) * (1 - 1e-9)).all()
    told = table.drop_duplicates(["memory", "alpha", "architecture"])["verdict"]
    assert "disagrees" not in set(told)
    assert (told == "missed by optimisation").mean() <= 3 / 40
    assert "of 96 predictions" in functions.beside_the_abstract(table)
    there = "dilated CNN, attention with positions, rotary attention, gated CNN"
    assert f"on impulse: {there}; on" in functions.sentence(table)
    for palette in (LIGHT, DARK):
        assert len(memory_functions_chart(table, palette).to_dict()["hconcat"]) == 4


def test_what_the_figure_says_is_by_medians():
    rows = [("a", 1, "x", e) for e in (1e-3, 1e-3, 1.0)] + [("a", 2, "x", 0.5), ("b", 1, "x", 1e-3)]
    table = pd.DataFrame(rows, columns=["memory", "alpha", "architecture", "error"])
    said = "1 % for every α is reached on a: none (the least is 0.50); on b: all."
    assert functions.sentence(table) == said
