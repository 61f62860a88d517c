"""Specifications of linear targets, and of altered ones: ids, JSON, what is refused."""

import hashlib
import json

import pytest

from explorer.spec import (
    CouplingSpec,
    LinearSpec,
    SpecError,
    SweepSpec,
    amended,
    compact,
    design_of,
    full_json,
    spec_id,
)
from explorer.targets import (
    PRESETS,
    SWEEPS,
    linear_target,
    parse,
    parse_leniently,
    parse_sweep,
    target_of,
)

# As they were first released: another default would change the meaning of every old id.
ALTERED = {
    "permutation": None,
    "permutation_seed": 0,
    "filter": None,
    "filter_length": 5,
    "filter_seed": 0,
    "filter_mode": "causal",
}
ADDED = {"positions": 0, **ALTERED}
"""To the specifications of a coupling."""
DEFAULTS = {
    "version": 1,
    "target": "linear",
    "tau": 32,
    "kernel": "exponential",
    "rate": 1.0,
    "alpha": 1.0,
    "kernel_seed": 0,
    "taps": None,
    "formula": None,
    "model": "transformer",
    "hidden": 128,
    "conv": 0,
    "positions": 8,
    "m_h": 32,
    "n": 32,
    "d_v": 32,
    "m_ff": 128,
    "depth": 3,
    "activation": "tanh",
    "activation_out": "tanh",
    "init": "torch",
    "optimizer": "soap",
    "lr": 0.01,
    "clip": 1.0,
    "warmup": 100,
    "schedule": "cosine",
    "batch": 32,
    "steps": 3000,
    "seed": 0,
    **ALTERED,
}


def test_the_defaults_are_frozen():
    defaults = LinearSpec().model_dump(mode="json")
    assert {name: defaults[name] for name in DEFAULTS} == DEFAULTS
    defaults = CouplingSpec().model_dump(mode="json")
    assert {name: defaults[name] for name in ADDED} == ADDED


def test_ids_of_couplings_stay_and_linear_ones_name_their_target():
    assert spec_id(CouplingSpec()) == hashlib.sha256(b'{"version":1}').hexdigest()[:12]
    assert spec_id(parse(dict(ADDED))) == spec_id(CouplingSpec())
    spec = parse({"target": "linear", "permutation": "block"})
    assert compact(spec) == '{"permutation":"block","target":"linear","version":1}'


GOOD = [
    {"permutation": list(range(31, -1, -1))},
    {"permutation": "roll", "filter": [0.5, -0.25]},
    {"filter": "signed", "filter_seed": 3, "filter_length": 7, "filter_mode": "ahead"},
    {"kernel": "taps", "taps": [1, 0, 2]},
    {"kernel": "formula", "formula": "exp(-s/4)*cos(s)"},
    {"model": "rnn", "hidden": 7},
    {"conv": 5, "tau": 6},
    {"tau": 2, "permutation": [1, 0]},
]


@pytest.mark.parametrize("values", GOOD, ids=map(str, GOOD))
def test_every_json_form_gives_the_specification_back(values):
    spec = parse({"target": "linear", **values})
    for text in (compact(spec), full_json(spec)):
        assert parse(text) == spec
        assert parse_leniently(text) == (spec, ())
    linear_target(spec)


BAD = [
    ({"permutation": [0, 1]}, "permutation", "each of 0 to 31 once"),
    ({"permutation": [0] * 32}, "permutation", "repeated: 0"),
    ({"permutation": [*range(31), 40]}, "permutation", "too large: 40"),
    ({"permutation": [*range(31), -1]}, "permutation", "from 0 to 127"),
    ({"permutation": "shuffle"}, "permutation", '"block" | "roll" | "reverse" | "random"'),
    ({"permutation": [0.5] * 32}, "permutation", "whole number"),
    ({"permutation": list(range(130))}, "permutation", "from 0 to 127"),
    ({"filter": []}, "filter", "a list of 1 to 128"),
    ({"filter": [0, 0, 0]}, "filter", "differ from 0"),
    ({"filter": [1] * 33}, "filter", "at most tau = 32"),
    ({"filter": [1e7]}, "filter", "from -1000 to 1000"),
    ({"filter": "blur"}, "filter", '"average"'),
    ({"filter": "average", "filter_length": 20, "tau": 8}, "filter_length", "at most tau = 8"),
    ({"filter_mode": "acausal"}, "filter_mode", '"causal" | "ahead" | "centred" | "circular"'),
    ({"kernel": "taps"}, "taps", "needs it"),
    ({"taps": [1.0]}, "taps", "goes with"),
    ({"kernel": "taps", "taps": [0, 0]}, "taps", "differ from 0"),
    ({"kernel": "taps", "taps": [1] * 9, "tau": 8}, "taps", "at most tau = 8"),
    ({"kernel": "formula"}, "formula", "needs it"),
    ({"tau": 129}, "tau", "from 2 to 128"),
    ({"hidden": 0}, "hidden", "from 1 to 256"),
    ({"conv": 5, "model": "rnn"}, "conv", "transformer"),
    ({"rank": 2}, "rank", "unknown field"),
]


@pytest.mark.parametrize(("values", "field", "says"), BAD, ids=[str(v)[:40] for v, _, _ in BAD])
def test_what_is_bad_is_named_with_its_range_and_leaves_what_is_good(values, field, says):
    with pytest.raises(SpecError) as error:
        parse({"target": "linear", **values})
    assert error.value.problems[0].startswith(field) and says in error.value.problems[0]
    assert len(error.value.problems[0]) < 400
    spec, problems = parse_leniently({"target": "linear", "seed": 3, **values})
    assert problems and isinstance(spec, LinearSpec) and parse(compact(spec)) == spec


REFUSED_KERNELS = [
    ({"kernel": "formula", "formula": "1/s"}, "inf at s = 0"),
    ({"kernel": "formula", "formula": "exp(s*s)"}, "at most 1000 in size for s = 0 to 31"),
    ({"kernel": "formula", "formula": "u + v"}, "unknown name 'u'; allowed are s, numbers"),
    ({"kernel": "formula", "formula": "__import__(s)"}, "unknown name '__import__'"),
    ({"kernel": "formula", "formula": "0*s"}, "nothing to learn"),
    ({"kernel": "taps", "taps": [0, 1], "filter": [0] * 31 + [1]}, "nothing above 1e-100"),
]


@pytest.mark.parametrize(("values", "says"), REFUSED_KERNELS)
def test_kernels_that_cannot_be_built_are_refused(values, says):
    with pytest.raises(SpecError, match=says.replace("(", r"\(")):
        target_of(parse({"target": "linear", **values}))


def test_a_coupling_takes_an_alteration_but_only_a_filter_that_stays_in_the_unit_interval():
    spec = amended(CouplingSpec(), tau=8, permutation="reverse", filter="average", positions=4)
    assert parse(compact(spec)) == spec and spec.altered and not CouplingSpec().altered
    assert design_of(spec) == CouplingSpec(tau=8)
    assert target_of(spec).tau == 8
    for bad in ("difference", "signed", [1, 0.5]):
        with pytest.raises(SpecError, match=r"filter: on a coupling .* sum to at most 1"):
            target_of(amended(spec, filter=bad))
    with pytest.raises(SpecError, match="permutation: allowed is each of 0 to 15 once"):
        amended(CouplingSpec(), permutation=[0, 1])


@pytest.mark.parametrize("field", ["filter", "taps"])
def test_a_number_beyond_all_bounds_is_refused_by_its_field(field):
    text = f'{{"target": "linear", "{field}": [1e400]}}'
    with pytest.raises(SpecError, match=f"^{field}: only finite"):
        parse(text)
    spec, problems = parse_leniently(text)
    assert spec == LinearSpec() and problems[0].startswith(field)


def test_a_linear_target_has_no_coupling():
    with pytest.raises(SpecError, match='target = "linear": a linear target'):
        design_of(LinearSpec())


def test_sweeps_are_products_of_lists():
    sweep = parse_sweep({"target": "linear", "model": "rnn", "hidden": [4, 2], "seed": [0, 1]})
    assert [(m.seed, m.hidden) for m in sweep.members()] == [(0, 2), (0, 4), (1, 2), (1, 4)]
    assert parse_sweep(compact(sweep)) == sweep == parse_sweep(full_json(sweep))
    with pytest.raises(SpecError, match="conv = 3"):
        parse_sweep({"target": "linear", "model": "rnn", "conv": [0, 3]})
    for name in ("rnn-units", "rnn-units-random"):
        assert parse_sweep(full_json(SWEEPS[name][1])) == SWEEPS[name][1]


def test_a_sweep_of_couplings_is_not_altered():
    for changes in ({"permutation": "roll"}, {"filter": "delay"}, {"positions": 2}):
        with pytest.raises(SpecError, match="one by one"):
            parse_sweep({"rank": 2, **changes})
    assert SweepSpec().members() == [CouplingSpec()]


@pytest.mark.parametrize("name", ["table2", "table2-rnn", "table3", "table3-rnn", "d3"])
def test_presets_have_targets(name):
    target_of(PRESETS[name][1])


def test_json_of_an_order_is_plain():
    spec = amended(PRESETS["table2"][1], permutation=json.loads(str([*range(1, 32), 0])))
    assert spec.permutation == (*range(1, 32), 0)
