"""The specification: its id, its JSON, and what it refuses."""

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, model_validator

from explorer.spec import (
    CouplingSpec,
    SpecError,
    amended,
    compact,
    design_of,
    differing,
    full_json,
    spec_id,
    valid_fields,
)
from explorer.targets import KINDS, PRESETS, parse, parse_leniently, parse_sweep

# Version 1 as it was first released. A changed default would change the meaning of every old link
# and id: it needs a new version.
VERSION_1_DEFAULTS = {
    "version": 1,
    "target": "coupling",
    "tau": 16,
    "spectrum": "power",
    "alpha": 1.0,
    "decay": 0.5,
    "c": 1.0,
    "rank": None,
    "sigma": None,
    "left_basis": "sine",
    "right_basis": "shifted_sine",
    "formula": None,
    "grid": None,
    "m_h": 8,
    "n": 32,
    "d_v": 32,
    "m_ff": 128,
    "depth": 3,
    "activation": "sine",
    "activation_out": "tanh",
    "init": "siren",
    "optimizer": "soap",
    "lr": 0.01,
    "warmup": 200,
    "schedule": "cosine",
    "batch": 32,
    "steps": 1200,
    "seed": 0,
}


def test_the_defaults_of_version_1_are_frozen():
    defaults = CouplingSpec().model_dump(mode="json")
    assert {name: defaults[name] for name in VERSION_1_DEFAULTS} == VERSION_1_DEFAULTS


def test_the_id_is_the_sha256_of_what_differs():
    spec = parse({"alpha": 2, "rank": 6, "m_h": 7})
    text = '{"alpha":2.0,"m_h":7,"rank":6,"version":1}'
    assert compact(spec) == text
    assert spec_id(spec) == hashlib.sha256(text.encode()).hexdigest()[:12]


def test_naming_a_default_changes_no_id():
    assert spec_id(parse({"m_h": 8, "alpha": 1, "rank": None})) == spec_id(CouplingSpec())


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "tau": st.integers(2, 64),
            "alpha": st.floats(0, 8),
            "rank": st.none() | st.integers(1, 64),
            "m_h": st.integers(1, 64),
            "lr": st.floats(1e-8, 1),
            "formula": st.text(min_size=1, max_size=30),
            "left_basis": st.sampled_from(["sine", "fourier", "haar"]),
        },
    )
)
def test_every_json_form_gives_the_specification_back(changes):
    spec = parse(changes)
    for text in (compact(spec), full_json(spec), json.dumps(differing(spec))):
        assert parse(text) == spec
        assert parse_leniently(text) == (spec, ())


BAD = [
    ('{"m_h": 900}', "m_h", "from 1 to 64"),
    ('{"m_h": 0}', "m_h", "0"),
    ('{"m_h": "8"}', "m_h", '"8"'),
    ('{"m_h": 8.5}', "m_h", "whole number"),
    ('{"m_h": true}', "m_h", "whole number"),
    ('{"m_h": null}', "m_h", "null"),
    ('{"alpha": -1}', "alpha", "from 0 to 8"),
    ('{"alpha": "steep"}', "alpha", "a number"),
    ('{"lr": 0}', "lr", "above 0"),
    ('{"decay": 1}', "decay", "below 1"),
    ('{"lr": NaN}', "specification", "finite"),
    ('{"lr": Infinity}', "specification", "finite"),
    ('{"lr": 1e999}', "lr", "finite"),
    ('{"rank": 65}', "rank", "null"),
    ('{"left_basis": "wavelet"}', "left_basis", "haar"),
    ('{"grid": "../../etc/passwd"}', "grid", "64 hex digits"),
    ('{"sigma": [1, 0.5]}', "sigma", "spectrum"),
    ('{"spectrum": "list"}', "sigma", "list"),
    ('{"spectrum": "list", "sigma": []}', "sigma", "1 to 64"),
    ('{"spectrum": "list", "sigma": [0, 0]}', "sigma", "above 0"),
    ('{"spectrum": "list", "sigma": [1, -0.5]}', "sigma", "from 0"),
    ('{"formula": "u", "grid": "%s"}' % ("0" * 64), "formula", "not both"),
    ('{"formula": ""}', "formula", "text"),
    ('{"colour": 3}', "colour", "unknown field"),
    ('{"version": 2}', "version", "newer"),
    ('{"version": 0}', "version", "1"),
    ('{"version": "1"}', "version", "1"),
    ('{"target": "nearby"}', "target", "coupling"),
    ("[1, 2]", "specification", "object"),
    ('{"m_h": 4', "specification", "not JSON"),
    ("", "specification", "not JSON"),
    ("[" * 10_000, "specification", "not JSON"),
    ('{"formula": "%s"}' % ("u" * 100_000), "specification", "characters"),
]


@pytest.mark.parametrize(("text", "field", "says"), BAD, ids=[text[:40] for text, _, _ in BAD])
def test_bad_specifications_are_refused_by_field_value_and_range(text, field, says):
    with pytest.raises(SpecError) as error:
        parse(text)
    assert len(error.value.problems) >= 1
    line = error.value.problems[0]
    assert line.startswith(field)
    assert says in line
    assert len(line) < 500


@pytest.mark.parametrize("text", [text for text, _, _ in BAD], ids=[t[:40] for t, _, _ in BAD])
def test_a_bad_link_leaves_a_valid_specification_and_the_reason(text):
    spec, problems = parse_leniently(text)
    assert problems
    assert parse(compact(spec)) == spec


def test_a_link_keeps_its_valid_fields():
    spec, problems = parse_leniently('{"m_h": 900, "alpha": 2, "colour": 1, "tau": "x"}')
    assert spec == CouplingSpec(alpha=2.0)
    assert {line.split()[0].rstrip(":") for line in problems} == {"m_h", "colour", "tau"}
    spec, _ = parse_leniently('{"m_h": 900, "formula": "u*v"}')
    assert spec == CouplingSpec(formula="u*v")
    spec, problems = parse_leniently('{"m_h": 4, "spectrum": "list"}')
    assert spec == CouplingSpec(m_h=4)
    assert problems


class Together(BaseModel):
    """Fields that are asked together once each is right, and more than once."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: str = "known"
    layer: int = 1
    head: int = 1

    @model_validator(mode="after")
    def _known(self):
        if self.name != "known":
            raise ValueError(f"name = {self.name}: it is not here")
        if self.head > self.layer:
            raise ValueError("no such head")  # which names no field
        return self


@pytest.mark.parametrize(
    ("text", "fields", "count"),
    [
        ('{"name": "x", "layer": "y"}', {}, 2),
        ('{"name": "x", "layer": 5, "colour": 1}', {"layer": 5}, 2),
        ('{"layer": "y", "head": 9, "name": "x"}', {}, 3),
        ('{"layer": 9, "head": 3}', {"layer": 9, "head": 3}, 0),
    ],
)
def test_what_fields_say_together_is_told_after_what_each_says(text, fields, count):
    found, problems = valid_fields(Together, text, "a link")
    assert found == Together(**fields) and len(problems) == count


def test_two_bad_fields_are_both_named():
    with pytest.raises(SpecError) as error:
        parse({"m_h": 0, "tau": 1000})
    assert len(error.value.problems) == 2


def test_amending_validates():
    assert amended(CouplingSpec(), m_h=4).m_h == 4
    with pytest.raises(SpecError):
        amended(CouplingSpec(), m_h=400)


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_valid_and_described(name):
    description, spec = PRESETS[name]
    assert description
    assert parse(full_json(spec)) == spec


def test_a_number_of_thousands_of_digits_is_refused():
    with pytest.raises(SpecError, match="not JSON"):
        parse('{"m_h": %s}' % ("9" * 5000))


def test_a_given_coupling_has_one_design_whatever_the_spectrum_says():
    assert design_of(CouplingSpec(formula="u*v", alpha=3.0, rank=2)) == CouplingSpec(formula="u*v")
    assert design_of(CouplingSpec(alpha=3.0, m_h=2, seed=5)) == CouplingSpec(alpha=3.0)


# The attention tasks

SHARED = {
    "version": 1,
    "d": 2,
    "n": 32,
    "aux": True,
    "sharpness": 10.0,
    "m_ff": 64,
    "depth": 3,
    "activation": "gelu",
    "activation_out": "gelu",
    "init": "torch",
    "optimizer": "soap",
    "lr": 0.01,
    "clip": 1.0,
    "warmup": 100,
    "schedule": "cosine",
    "batch": 128,
    "seed": 0,
}
TASK_DEFAULTS = {
    "nearest": SHARED | {"tau": 6, "m_h": 4, "d_v": 2, "steps": 1500},
    "cog": SHARED
    | {
        "tau": 10,
        "segments": 3,
        "curriculum": 0.3,
        "emphasis": 3.0,
        "sharpness": 4.0,
        "m_h": 16,
        "d_v": 4,
        "steps": 2000,
    },
    "qsa": SHARED | {"tau": 8, "k": 3, "m_h": 8, "d_v": 2, "steps": 500},
}


@pytest.mark.parametrize("target", TASK_DEFAULTS)
def test_the_defaults_of_the_tasks_are_frozen(target):
    defaults = parse({"target": target}).model_dump(mode="json")
    frozen = TASK_DEFAULTS[target] | {"target": target}
    assert {name: defaults[name] for name in frozen} == frozen


def test_the_target_is_a_part_of_every_id_but_that_of_couplings():
    specs = [parse({"target": target}) for target in KINDS]
    assert [type(spec) for spec in specs] == [kind.Spec for kind in KINDS.values()]
    assert len({spec_id(spec) for spec in specs}) == len(KINDS)
    assert compact(specs[1]) == '{"target":"nearest","version":1}'
    assert compact(parse({"target": "qsa", "k": 2})) == '{"k":2,"target":"qsa","version":1}'
    assert spec_id(CouplingSpec()) == hashlib.sha256(b'{"version":1}').hexdigest()[:12]


@pytest.mark.parametrize("target", TASK_DEFAULTS)
def test_every_json_form_of_a_task_gives_it_back(target):
    spec = parse({"target": target, "seed": 5, "aux": False, "lr": 0.1})
    for text in (compact(spec), full_json(spec), json.dumps(differing(spec))):
        assert parse(text) == spec
        assert parse_leniently(text) == (spec, ())
    assert amended(spec, seed=0, aux=True, lr=0.01) == parse({"target": target})


BAD_TASKS = [
    ('{"target": "nearest", "tau": 33}', "tau", "from 2 to 32"),
    ('{"target": "nearest", "d": 5}', "d", "from 1 to 4"),
    ('{"target": "nearest", "aux": 1}', "aux", "true | false"),
    ('{"target": "nearest", "alpha": 2}', "alpha", "unknown field; known are version, target, tau"),
    ('{"target": "nearest", "k": 2}', "k", "unknown field"),
    ('{"target": "qsa", "k": 9}', "k", "from 1 to 8"),
    ('{"target": "qsa", "tau": 1}', "tau", "from 2"),
    ('{"target": "cog", "tau": 25}', "tau", "from 3 to 24"),
    ('{"target": "cog", "segments": 4}', "segments", "tau of at least 12, got 10"),
    ('{"target": "cog", "tau": 8}', "segments", "tau of at least 9, got 8"),
    ('{"target": "cog", "curriculum": 2}', "curriculum", "from 0 to 1"),
    ('{"target": 3}', "target", " | ".join(f'"{kind}"' for kind in KINDS)),
    ('{"target": ["qsa"]}', "target", '["qsa"]'),
    ('{"target": "qsa", "version": 2}', "version", "newer"),
]


@pytest.mark.parametrize(("text", "field", "says"), BAD_TASKS)
def test_bad_tasks_are_refused_and_leave_what_is_good(text, field, says):
    with pytest.raises(SpecError) as error:
        parse(text)
    assert error.value.problems[0].startswith(field) and says in error.value.problems[0]
    spec, problems = parse_leniently(text)
    assert problems and parse(compact(spec)) == spec
    if field not in ("version", "target"):
        assert spec == parse({"target": json.loads(text)["target"]})


def test_a_task_has_no_coupling():
    with pytest.raises(SpecError, match='target = "qsa": an attention task'):
        design_of(parse({"target": "qsa"}))


SWEPT_TASKS = [
    ({"target": "nearest", "d": [3, 1], "m_h": [2, 4], "seed": [0, 1]}, 8, ["d", "seed", "m_h"]),
    ({"target": "qsa", "k": [1, 2], "tau": 6, "m_h": 3}, 2, ["k"]),
    ({"target": "cog", "tau": [6, 9], "segments": [1, 2]}, 4, ["tau", "segments"]),
]


@pytest.mark.parametrize(("values", "count", "lists"), SWEPT_TASKS)
def test_a_sweep_of_a_task_is_the_product_of_its_lists(values, count, lists):
    sweep = parse_sweep(values)
    members = sweep.members()
    assert len(members) == len({spec_id(member) for member in members}) == count
    assert {type(member) for member in members} == {KINDS[values["target"]].Spec}
    for name in lists:
        wanted = values[name] if isinstance(values[name], list) else [values[name]]
        assert {getattr(member, name) for member in members} == set(wanted)
    assert parse_sweep(compact(sweep)) == sweep == parse_sweep(full_json(sweep))
    assert parse_sweep(members[0].model_dump(mode="json")).members() == members[:1]


def test_a_sweep_of_segments_that_do_not_fit_is_refused():
    with pytest.raises(SpecError, match=r"segments = 3.*tau of at least 9, got 6"):
        parse_sweep({"target": "cog", "tau": [6, 9], "segments": [1, 3]})
    with pytest.raises(SpecError, match="at most 4096"):
        parse_sweep({"target": "qsa", "seed": list(range(200)), "m_h": list(range(1, 33))})
