"""The component of the Order page computes what Python does."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.spec import LinearSpec
from explorer.targets import kernel_of, linear_target
from explorer.targets.alterations import alteration_of
from explorer.theory.filters import tap_agreement
from explorer.theory.linear import complexity_of, linear_floors
from explorer.views.order import scene

SPECS = (
    LinearSpec(),
    LinearSpec(tau=7, kernel="random", permutation="random", permutation_seed=3),
    LinearSpec(permutation="block", filter="signed", filter_mode="ahead"),
    LinearSpec(tau=9, kernel="power", filter=(0.2, 0.0, -0.5, 0.3), filter_mode="centred"),
    LinearSpec(tau=9, kernel="power", filter=(0.2, 0.1, 0.5, 0.3, 0.1), filter_mode="centred"),
    LinearSpec(
        tau=12, kernel="random", filter="positive", filter_mode="circular", permutation="reverse"
    ),
    LinearSpec(tau=64, kernel="random", filter="difference", permutation="roll"),
)
FLOORS = ("causal", "time_invariant", "constant", "constant_per_step")


@pytest.mark.parametrize("spec", SPECS, ids=lambda s: f"{s.tau}-{s.permutation}-{s.filter_mode}")
def test_map_and_floors_are_those_of_python(spec, javascript):
    alteration = alteration_of(spec)
    found = javascript(
        "order",
        "const matrix = c.targetMatrix(state), floors = c.floorsOf(matrix);"
        "return { matrix: matrix.map((row) => [...row]), ...floors, kernel: [...floors.kernel] };",
        state={
            "kernel": kernel_of(spec).tolist(),
            "order": alteration.order,
            "taps": alteration.taps,
            "mode": spec.filter_mode,
        },
    )
    matrix = linear_target(spec).matrix
    floors = linear_floors(matrix)
    np.testing.assert_allclose(found["matrix"], matrix, atol=1e-13)
    np.testing.assert_allclose(found["kernel"], floors.kernel, atol=1e-13)
    for name in FLOORS:
        assert found[name] == pytest.approx(getattr(floors, name), rel=1e-10, abs=1e-14)


MEASURED = (
    *SPECS,
    LinearSpec(filter="signed"),
    LinearSpec(kernel="power", filter="average"),
    LinearSpec(kernel="taps", taps=(0.5, 0.0, -2.0)),
    LinearSpec(kernel="taps", taps=(0.5,)),
    LinearSpec(kernel="formula", formula="cos(s)*exp(-s/4)", filter=(0.5, 0.5)),
    LinearSpec(rate=0),
)


@pytest.mark.parametrize("spec", MEASURED, ids=lambda s: f"{s.kernel}-{s.filter}-{s.permutation}")
def test_complexity_measures_are_those_of_python(spec, javascript):
    """C₁, C₂, C_RNN and the windowed one, before and after; None where they are infinite."""
    header = scene(spec, {}, [], False)
    found = javascript(
        "order",
        "const { kernel, taps, mode } = header, order = header.order ?? c.identity(kernel.length);"
        "const left = c.leftKernel(c.targetMatrix(header), order, taps, mode);"
        "const of = (rho) => rho && c.complexityOf(rho, header.decay ?? Infinity);"
        "return { before: of(kernel), after: of(left) };",
        header={name: header[name] for name in ("kernel", "decay", "order", "taps", "mode")},
    )
    for when, expected in complexity_of(spec).items():
        for name in ("c_1", "c_2", "c_rnn", "windowed"):
            value = found[when] and found[when][name]
            value = np.inf if value is None else value  # JSON has no ∞
            assert value == pytest.approx(expected[name], rel=1e-9), (when, name)


def test_a_kernel_ends_with_its_last_value(javascript):
    lists = [[1, 0, 2, 0, 0], [0.5], [0, 0, -1]]
    assert javascript("order", "return lists.map(c.ended)", lists=lists) == [
        [1, 0, 2],
        [0.5],
        [0, 0, -1],
    ]


def test_a_carried_token_leaves_the_others_in_their_order(javascript):
    @settings(max_examples=5, deadline=None)
    @given(st.permutations(range(8)), st.integers(0, 7), st.integers(0, 7))
    def check(order, start, end):
        found = javascript(
            "order",
            "return c.reordered(order, start, end)",
            order=list(order),
            start=start,
            end=end,
        )
        assert found[end] == order[start]
        rest = [p for p in order if p != order[start]]
        assert [p for p in found if p != order[start]] == rest

    check()


def test_a_filter_ends_with_its_last_tap_but_where_zeros_count(javascript):
    cases = [[0.5, 0, 0], [0, 0], [0.0, 1.0], [1.0]]
    body = "return cases.map((taps) => [c.trimmed(taps, 'causal'), c.trimmed(taps, 'centred')])"
    assert javascript("order", body, cases=cases) == [
        [[0.5], [0.5, 0, 0]],
        [None, None],
        [[0, 1], [0, 1]],
        [[1], [1]],
    ]


def test_learned_taps_are_compared_up_to_sign_and_scale(javascript):
    taps, learned = [0.5, -0.25, 0.1], [-2.0, 1.0, -0.4]
    assert javascript("order", "return c.cosine(a, b)", a=learned, b=taps) == pytest.approx(1)
    np.testing.assert_allclose(javascript("order", "return c.alike(a, b)", a=learned, b=taps), taps)
    assert javascript("order", "return c.cosine(a, b)", a=[1, 0], b=[0, 1]) == 0


@pytest.mark.parametrize(("learned", "taps"), [(8, 8), (8, 3), (3, 8), (1, 1)])
def test_learned_taps_agree_in_the_browser_as_in_the_table(javascript, learned, taps):
    rng = np.random.default_rng(learned + 10 * taps)
    a, b = rng.normal(size=learned), rng.normal(size=taps)
    for pair in ((a, b), (a, 0 * b), (0 * a, b)):
        both = [part.tolist() for part in pair]
        drawn = javascript("order", "return c.cosine(...both)", both=both)
        assert drawn == pytest.approx(tap_agreement(*pair), abs=1e-12)


def test_what_python_makes_of_an_edit_is_no_step_of_its_own(javascript):
    body = """
const history = new c.History();
history.amend("start"); history.note("edit"); history.amend("edit, as Python has it");
const back = history.go(-1);
history.amend("start, as Python has it");
return [back, history.go(1), history.go(-1), history.can(-1)];
"""
    start, edit = "start, as Python has it", "edit, as Python has it"
    assert javascript("order", body) == ["start", edit, start, False]


@pytest.mark.parametrize(
    ("errors", "low", "high"),
    [
        ([0.0301, 0.0526, 0.0988], 0.01, 0.2),
        ([0.0301, 0.0526, 0.0988, 1.1e-5], 1e-6, 0.2),
        ([0.0988, 1e-14], 1e-8, 0.2),
        ([1.0], 0.1, 2.0),
        ([0.7, 0.9], 0.1, 2.0),
        ([], 2e-8, 2e-7),
    ],
)
def test_the_axis_of_errors_ends_where_the_data_do(errors, low, high, javascript):
    found = javascript("order", "return c.errorRange(state);", state=errors)
    assert found["low"] == pytest.approx(low) and found["high"] == pytest.approx(high)


RUN = {
    "scene": {"model": "rnn"},
    "frame": {"status": "running", "step": 3},
    "loss": [[1, 2.0], [2, 1.0], [3, 0.5]],
    "evals": [[1, 1.9]],
    "scrub": None,
}


@pytest.mark.parametrize(
    ("changes", "model", "done", "expected"),
    [
        ({}, "rnn", False, [0.2, 0.1, 0.05]),
        ({}, "transformer", False, None),
        ({}, "rnn", True, None),
        ({"scrub": 1}, "rnn", True, [0.19]),
        ({"evals": [[3, 0.4]]}, "rnn", False, [0.2, 0.1, 0.05, 0.04]),
        ({"loss": [], "evals": []}, "rnn", False, None),
    ],
)
def test_a_run_at_work_is_where_its_error_is(changes, model, done, expected, javascript):
    """From its first row on; at the step that is looked back at; not where its end is drawn."""
    body = (
        "const { loss, evals } = state.run;"
        "const run = { ...state.run, loss: new Map(loss), evals: new Map(evals) };"
        "const of = (same, pin) => c.wayOf({ same, run: pin ? null : run, pin: pin ? run : null },"
        " state.model, 0.1, state.done)?.errors ?? null;"
        "return [of(true, false), of(true, true), of(false, false)];"
    )
    state = {"run": RUN | changes, "model": model, "done": done}
    shown, beside, other = javascript("order", body, state=state)
    assert shown == (expected and pytest.approx(expected)) and other is None
    if not done:
        assert beside == shown
