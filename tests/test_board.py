"""The board of the Attention page: its tokens, what the head answers, the same in JavaScript."""

import json

import numpy as np
import pytest

from explorer.pages.attention.view_board import (
    EditorState,
    InferenceOptions,
    arranged,
    example,
    input_of,
    respond,
    state_of,
    tokens,
)
from explorer.pages.attention.view_head import Head
from explorer.spec import amended
from explorer.targets import PRESETS, TASKS, TaskError, evaluation_inputs, task_of
from explorer.targets.tasks.gravity import GravitySpec
from explorer.targets.tasks.nearest import NearestSpec
from explorer.targets.tasks.selection import SelectionSpec

SPECS = (
    *(kind.Spec() for kind in TASKS.values()),
    NearestSpec(d=1, tau=3, m_h=2),
    NearestSpec(d=3, activation="sine"),
    GravitySpec(tau=6, segments=1, d=1, m_h=5, activation_out="tanh"),
    SelectionSpec(tau=5, k=2, d=3, activation="relu", depth=2),
)
IDS = [f"{spec.target}-{spec.tau}-{spec.d}" for spec in SPECS]
WAYS = (
    {},
    {"temperature": 0.1},
    {"temperature": 0},
    {"k": 2},
    {"k": 1, "temperature": 3.0},
    {"order": "reverse"},
    {"order": "reverse", "positions": "stay"},
    {"positions": "off"},
)
each_spec = pytest.mark.parametrize("spec", SPECS, ids=IDS)


def head_of(spec, seed=0):
    """Random parameters of a specification, large enough that no row is flat."""
    from explorer.models.named import shapes

    rng = np.random.default_rng(seed)
    weights = {
        name: (rng.normal(size=shape) * 1.5 / np.sqrt(shape[-1])).astype(np.float32)
        for name, shape in shapes(spec).items()
    }
    weights["lambda"] = np.array([0.7], np.float32)
    return Head(spec, weights)


def settings_of(spec, way):
    order = list(range(spec.tau))[::-1] if way.get("order") else None
    return InferenceOptions(**{**way, "order": order})


@each_spec
def test_a_board_and_its_tokens_are_the_same_thing(spec):
    task = task_of(spec)
    for x in task.inputs(evaluation_inputs(5, task.n_uniform)):
        x = np.round(x, 4)
        np.testing.assert_array_equal(tokens(spec, input_of(spec, x)), x)
    assert state_of(spec, json.loads(example(spec).model_dump_json())) == example(spec)


@each_spec
def test_without_positions_an_order_of_the_tokens_changes_nothing(spec):
    """Paper 4.1: Ĥ(x∘p) = Ĥ(x)∘p; with the positions of the places it is another sequence."""
    head, x = head_of(spec), tokens(spec, example(spec).board)
    order = np.random.default_rng(3).permutation(spec.tau).tolist()
    for positions in ("off", "move"):
        same = respond(head, x, InferenceOptions(positions=positions))
        moved = respond(head, x, InferenceOptions(positions=positions, order=order))
        for a, b in zip(same, moved, strict=True):
            np.testing.assert_allclose(a, b, atol=1e-12)
    stay = respond(head, x, InferenceOptions(positions="stay", order=order))[0]
    changed = np.abs(stay - respond(head, x, InferenceOptions())[0]).max()
    assert (changed > 1e-3) == (task_of(spec).positions is not None)


@each_spec
def test_all_singular_values_together_are_the_head(spec):
    head, x = head_of(spec), tokens(spec, example(spec).board)
    whole, cut = head.respond(x), head.cut(head.spec.m_h).respond(x)
    np.testing.assert_allclose(cut[1], whole[1], atol=1e-4)
    u, sigma, v = head.singular()
    product = np.exp(np.float64(np.float32(0.7))) * head.weights["W_Q"].T @ head.weights["W_K"]
    np.testing.assert_allclose((u * sigma) @ v, product, atol=1e-5)
    assert np.linalg.matrix_rank(head.cut(1).weights["W_Q"].T @ head.cut(1).weights["W_K"]) == 1


def test_the_hard_max_is_the_limit_of_low_temperatures():
    spec = NearestSpec()
    head, x = head_of(spec), tokens(spec, example(spec).board)
    np.testing.assert_allclose(head.attend(x, 1e-6), head.attend(x, 0.0), atol=1e-9)
    assert set(np.unique(head.attend(x, 0.0))) == {0.0, 1.0}


# In the browser


@each_spec
@pytest.mark.parametrize("way", WAYS, ids=str)
def test_the_browser_computes_what_python_does(spec, way, javascript):
    head, board, settings = head_of(spec), example(spec).board, settings_of(spec, way)
    x = tokens(spec, board)
    predicted, attention = respond(head, x, settings)
    found = javascript(
        "attention",
        ARRAYS + "const found = c.solve(task, board, c.networkOf(net, arrays), settings);"
        "const again = c.TASKS[task.target].board(task, found.tokens);"
        "return { ...found, again: c.TASKS[task.target].tokens(task, again) };",
        sent=sent_of(head),
        net=net_of(spec),
        board=board.model_dump(exclude_none=True),
        settings=settings.model_dump(),
        task=task_json(spec),
    )
    np.testing.assert_allclose(found["tokens"], x, atol=1e-12)
    np.testing.assert_allclose(found["again"], x, atol=1e-12)
    task = task_of(spec)
    np.testing.assert_allclose(found["ideal"], task.attention(x), atol=1e-12)
    np.testing.assert_allclose(found["answer"], task.answer(x), atol=1e-12)
    np.testing.assert_allclose(found["attention"], attention, atol=1e-9)
    np.testing.assert_allclose(found["predicted"], predicted, atol=1e-9)


@each_spec
@pytest.mark.parametrize("way", WAYS, ids=str)
def test_weights_kept_of_another_board_answer_this_one(spec, way, javascript):
    head, settings, task = head_of(spec), settings_of(spec, way), task_of(spec)
    board, held = (
        input_of(spec, x) for x in task.inputs(evaluation_inputs(2, task.n_uniform)).round(3)
    )
    x, looked = tokens(spec, board), tokens(spec, held)
    predicted, attention = respond(head, x, settings, looked)
    np.testing.assert_allclose(attention, respond(head, looked, settings)[1])
    np.testing.assert_allclose(respond(head, x, settings, x)[0], respond(head, x, settings)[0])
    found = javascript(
        "attention",
        ARRAYS + "return c.solve(task, board, c.networkOf(net, arrays), settings, held);",
        sent=sent_of(head),
        net=net_of(spec),
        board=board.model_dump(exclude_none=True),
        held=held.model_dump(exclude_none=True),
        settings=settings.model_dump(),
        task=task_json(spec),
    )
    np.testing.assert_allclose(found["tokens"], x, atol=1e-12)
    np.testing.assert_allclose(found["looked"], looked, atol=1e-12)
    np.testing.assert_allclose(found["ideal"], task.attention(looked), atol=1e-12)
    wanted = task.aggregate(task.attention(looked), x)
    np.testing.assert_allclose(found["answer"], wanted, atol=1e-12)
    np.testing.assert_allclose(found["attention"], attention, atol=1e-9)
    np.testing.assert_allclose(found["predicted"], predicted, atol=1e-7)


ARRAYS = """const arrays = Object.fromEntries(Object.entries(sent).map(([n, { shape, values }]) =>
  [n, { shape, values: Float32Array.from(values) }]));"""


def sent_of(head):
    """The arrays of a head as JSON; `ARRAYS` makes them again."""
    whole = head.cut(head.spec.m_h).weights
    named = {f"weights.{name}": value for name, value in head.weights.items()}
    arrays = named | {"query_cut": whole["W_Q"], "key_cut": whole["W_K"]}
    return {n: {"shape": list(a.shape), "values": a.ravel().tolist()} for n, a in arrays.items()}


def net_of(spec):
    from explorer.pages.attention.view import network

    return network(spec)


def task_json(spec):
    from explorer.pages.attention.view import task_in_numbers

    return task_in_numbers(spec)


@each_spec
def test_the_browser_compares_answers_as_training_does(spec, javascript):
    """Attention error and argmax agreement, on the sequences that training evaluates."""
    import torch

    from explorer.training.ensemble import Ensemble

    head, task, count = head_of(spec), task_of(spec), 6
    weights = {name: torch.tensor(value)[None] for name, value in head.weights.items()}
    measured = Ensemble([spec], [task]).recipe.metrics(weights, 0, count)
    x = np.asarray(task.inputs(evaluation_inputs(count, task.n_uniform)))
    body = (
        ARRAYS + "return x.map((tokens) => c.compared(c.solve(task,"
        " c.TASKS[task.target].board(task, tokens), c.networkOf(net, arrays), settings)));"
    )
    values = {
        "sent": sent_of(head),
        "net": net_of(spec),
        "settings": InferenceOptions().model_dump(),
    }
    boards = javascript("attention", body, x=x.tolist(), task=task_json(spec), **values)
    assert np.mean([b["gap"] for b in boards]) == pytest.approx(
        measured["attention_error"], rel=1e-4
    )
    hits = sum(b["hits"] for b in boards)
    assert hits / (count * spec.tau) == pytest.approx(measured["agreement"], abs=1e-9)
    squares = [(np.square(b["misses"]) / task.answer(x).shape[-1]).mean() for b in boards]
    assert np.mean(squares) == pytest.approx(measured["mse"], rel=1e-4)


NUMBERS = (0.0, 0.25, 0.5, 0.999)


@each_spec
@pytest.mark.parametrize("number", NUMBERS)
def test_a_board_is_drawn_in_the_browser_as_a_sequence_is_in_training(spec, number, javascript):
    """All but the segments, which are the board's, from the same uniform number."""
    body = (
        "const random = Math.random; Math.random = () => number;"
        "try { return c.sampled(task, board) } finally { Math.random = random }"
    )
    board = example(spec).board.model_dump(exclude_none=True)
    drawn = javascript("attention", body, number=number, task=task_json(spec), board=board)
    task = task_of(spec)
    trained = input_of(spec, task.inputs(np.full(task.n_uniform, number)))
    # x ~ U[−1, 1] falls with its number in training and rises here: the same law
    sign = -1 if isinstance(spec, GravitySpec) else 1
    assert np.allclose(drawn["points"][0], sign * np.array(trained.points[0]), atol=1e-3)
    for name in board.keys() - {"points", "lengths"}:
        assert np.allclose(drawn[name][0], getattr(trained, name)[0], atol=1e-4), name
        assert len(drawn[name]) == len(board[name]), name
    assert drawn.get("lengths") == board.get("lengths")


def changed(board, field, place, value):
    """A board with one number or list replaced; [] replaces the field."""
    copy = json.loads(json.dumps(board))
    part, path = copy, [field, *place]
    for step in path[:-1]:
        part = part[step]
    part[path[-1]] = value
    return copy


def possible_boards(spec):
    """Boards that the task answers, and that it does not; None is a number that is none."""
    board = example(spec).board.model_dump(exclude_none=True)
    yield board
    for value in (None, 0.5, -3.0, 1e9):
        yield changed(board, "points", [0, 0], value)
    for name in board.keys() - {"points", "lengths"}:
        place = [0, 0] if isinstance(board[name][0], list) else [0]
        for value in (None, 0.0, -1.0, 1e-9, 5.0):
            yield changed(board, name, place, value)
    n = len(board["points"])
    lengths = (
        [n],
        [n - 1, 1],
        [n - 2, 2],
        [2, n - 2],
        [0, n],
        [n + 1],
        [],
        [1.5, n - 1.5],
        [-1, n],
    )
    for value in (*lengths, [None]) if "lengths" in board else ():
        yield changed(board, "lengths", [], value)
    k = getattr(spec, "k", 0)
    for value in (None, -1, 0, 1.5, spec.tau - 1, spec.tau) if "indices" in board else ():
        yield changed(board, "indices", [0], [value] * k)
    for more in (-1, 1) if "indices" in board else ():
        yield changed(board, "indices", [0], [0] * (k + more))


def taken(spec, board):
    try:
        state_of(spec, {"board": board})
    except TaskError:
        return False
    return True


@each_spec
def test_the_browser_draws_the_boards_that_python_takes_and_no_others(spec, javascript):
    boards = list(possible_boards(spec))
    body = (
        "const numbers = (part) => part === null ? NaN : Array.isArray(part) ? part.map(numbers)"
        " : typeof part === 'object'"
        " ? Object.fromEntries(Object.entries(part).map(([n, p]) => [n, numbers(p)])) : part;"
        "return boards.map((board) => Boolean(c.drawable(task, numbers(board))));"
    )
    drawable = javascript("attention", body, boards=boards, task=task_json(spec))
    expected = [taken(spec, board) for board in boards]
    assert drawable == expected, [
        b for b, d, e in zip(boards, drawable, expected, strict=True) if d != e
    ]
    assert True in expected and False in expected


def test_erf_in_the_browser_is_that_of_scipy(javascript):
    from scipy.special import erf

    z = np.concatenate([np.linspace(-7, 7, 141), [1e-12, 0.0, 5.999999, 6.000001]])
    found = javascript("attention", "return z.map(c.erf)", z=z.tolist())
    np.testing.assert_allclose(found, erf(z), atol=1e-15)


def test_lines_of_equal_height_lie_on_the_circle(javascript):
    size = 41
    grid = np.hypot(*np.meshgrid(np.linspace(-1, 1, size), np.linspace(-1, 1, size))).ravel()
    found = javascript(
        "attention", "return c.contour(grid, size, 0.5)", grid=grid.tolist(), size=size
    )
    points = -1 + 2 * np.array(found).reshape(-1, 2) / (size - 1)
    np.testing.assert_allclose(np.hypot(*points.T), 0.5, atol=2e-3)
    length = np.hypot(*(points[0::2] - points[1::2]).T).sum()
    assert length == pytest.approx(np.pi, rel=1e-2)


# What is no board


def refused(spec, **changes):
    values = example(spec).model_dump()
    board = {name: changes.pop(name) for name in list(changes) if name in values["board"]}
    values["board"] |= board
    values["settings"] |= {k: changes.pop(k) for k in list(changes) if k in values["settings"]}
    with pytest.raises(TaskError) as caught:
        state_of(spec, values | changes)
    return str(caught.value)


def test_coincident_points_masses_and_indices_are_refused_in_words():
    nearest, cog, qsa = NearestSpec(), GravitySpec(), SelectionSpec()
    points = example(nearest).board.points
    doubled = [*points[:7], points[6], *points[8:]]
    assert "v(0) and v(1) coincide" in refused(nearest, points=doubled)
    assert "points: 12 are needed, got 11" in refused(nearest, points=points[1:])
    assert "2 coordinates each" in refused(nearest, points=[[0.1]] * 12)
    assert "must be finite" in refused(nearest, points=[[None, 0.1], *points[1:]])
    masses = example(cog).board.masses
    assert "mass 2 = 0: must be above 0" in refused(cog, masses=[*masses[:2], 0, *masses[3:]])
    assert "1 to 3 segments of at least 2 points" in refused(cog, lengths=[8, 0])
    assert "whole numbers are needed" in refused(cog, lengths=[3.5, 4.5])
    assert "got 7" in refused(cog, lengths=[3, 4])
    indices = example(qsa).board.indices
    assert "s(0) holds 99" in refused(qsa, indices=[[4, 5, 99], *indices[1:]])
    assert "indices are whole from 0 to 7" in refused(qsa, indices=[[4, 5, 0.5], *indices[1:]])
    assert "3 indices each are needed" in refused(qsa, indices=[[4, 5], *indices[1:]])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"temperature": -1}, "temperature"),
        ({"temperature": "hot"}, "temperature"),
        ({"k": 0}, "k"),
        ({"order": [0, 0, 1]}, "permutation of 0 … 2"),
        ({"order": [1, 0]}, "permutation of 6 tokens"),
        ({"positions": "no"}, "positions"),
        ({"row": 7}, "row = 7"),
        ({"more": 1}, "more"),
        ({"points": [[0.1, 0.2]] * 65}, "points"),
        ({"points": "x"}, "points"),
    ],
)
def test_settings_out_of_range_are_refused_by_name(changes, words):
    assert words in refused(NearestSpec(), **changes)


@pytest.mark.parametrize("values", [None, 3, [], {}, {"board": None}, {"board": {"points": 1}}])
def test_what_is_no_state_is_refused(values):
    with pytest.raises(TaskError):
        state_of(NearestSpec(), values)


def test_a_state_of_another_task_is_refused():
    with pytest.raises(TaskError):
        state_of(SelectionSpec(), example(NearestSpec()).model_dump())
    assert isinstance(
        state_of(PRESETS["qsa"][1], example(SelectionSpec()).model_dump()), EditorState
    )
    with pytest.raises(TaskError):
        state_of(amended(SelectionSpec(), tau=7), example(SelectionSpec()).model_dump())


def test_tokens_are_arranged_under_their_own_names():
    spec = SelectionSpec(tau=3, k=1)
    x = tokens(spec, example(spec).board)
    found = arranged(task_of(spec), x, InferenceOptions(order=[2, 0, 1], positions="stay"))
    np.testing.assert_array_equal(found[:, :5], x[[2, 0, 1], :5])
    np.testing.assert_array_equal(found[:, 5:], np.eye(3))
