"""Races at every size: asked for by one press, and drawn against parameters."""

import numpy as np
import pytest
from streamlit_pages import app, ran

from explorer.charts import DARK, LIGHT
from explorer.pages.order import view_race as view
from explorer.pages.order.chart_architectures import sizes_chart
from explorer.pages.order.race import _ask
from explorer.runs import jobs
from explorer.spec import LinearSpec, compact
from explorer.theory.architectures.race import ENTRANTS
from explorer.ui import registry

SPEC = LinearSpec(kernel="delay", lag=9, tau=16)
FOLD = "Which architecture remembers it?"


def finished(race, names, errors):
    """Rows of a race in which these have come to an error each."""
    each = {"errors": [[1.0], errors], "kernels": {}}
    return [each | {"name": name, "steps": [0, ENTRANTS[name].steps_of(race)]} for name in names]


def page():
    at = app("order", spec=compact(SPEC))
    at.session_state["mathematics open"] = True
    at.session_state[f"unfolded {FOLD}"] = True
    return at


def labels(at):
    return [button.label for button in at.button]


def test_one_press_asks_for_all_sizes_and_one_lets_them_rest():
    at, store = ran(page()), registry.store()
    next(one for one in at.button if one.label == "Race at every size").click()
    at = ran(at)
    races = view.of_sizes(view.race_of(SPEC, 40, "parameters"))
    assert [race.size for race in races] == [10, 20, 40, 80, 160]
    assert jobs.waiting(store) == [f"race-{race.id}" for race in races]
    assert "Race at every size" not in labels(at)
    next(one for one in at.button if one.label == "Stop all sizes").click()
    at = ran(at)
    assert not jobs.waiting(store) and "Race at every size" in labels(at)


def test_what_is_raced_is_not_asked_for_again():
    store = registry.store()
    races = view.of_sizes(view.race_of(SPEC, 40, "parameters"))
    for race in races[:-1]:
        jobs.ask(store, "race", race.id, race.text())
        lease = jobs.claim(store)
        with lease:
            jobs.end(store, f"race-{race.id}", "finished", result=finished(race, ["cnn"], [0.5]))
    at = ran(page())
    next(one for one in at.button if one.label == "Race at every size").click()
    ran(at)
    assert jobs.waiting(store) == [f"race-{races[-1].id}"]


def test_one_that_is_left_at_work_is_stopped_from_any_size():
    """Also where the race shown has finished, or was never asked for."""
    store, races = registry.store(), view.of_sizes(view.race_of(SPEC, 40, "parameters"))
    _ask(store, races[-1:])
    at = ran(page())
    assert "0 of 5 sizes raced" in [each.value for each in at.caption]
    next(one for one in at.button if one.label == "Stop all sizes").click()
    ran(at)
    assert not jobs.waiting(store)


def test_at_equal_width_there_is_one_size():
    race = view.race_of(SPEC, 20, "width")
    assert view.of_sizes(race) == [race]
    assert view.of_sizes(view.race_of(SPEC, 33, "parameters"))[2].size == 33


def test_the_table_has_medians_floors_and_each_width_once():
    """A delay of 9 in a window of 16: no RNN of fewer than 7 states has an error below 6/7."""
    races = view.of_sizes(view.race_of(SPEC, 40, "parameters"))[:3]
    raced = [(race, finished(race, ["rnn", "cnn"], [0.9, 0.95, 1.0])) for race in races]
    table = view.over_sizes(raced)
    assert table["parameters"].is_monotonic_increasing
    trained = table[(table["what"] == view.TRAINED) & (table["architecture"] == "linear RNN")]
    assert trained[["error", "low", "high"]].to_numpy().tolist() == [[0.95, 0.9, 1.0]] * 3
    widths = [ENTRANTS["rnn"].width_of(race) for race in races]
    assert trained["parameters"].tolist() == [n * n + 2 * n for n in widths]
    floor = table[(table["what"] == view.FLOOR) & (table["architecture"] == "linear RNN")]
    assert floor["error"].tolist() == [view.known(race)["rnn"].bound for race in races]
    assert view.over_sizes([*raced, raced[0]]).equals(table), "a width counts once"
    half = [{"name": "rnn", "steps": [0, 1], "errors": [[1.0], [0.5]]}]
    assert view.over_sizes([(races[0], half)]).empty, "that is still trained"


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_the_chart_has_what_was_trained_over_its_floors(palette):
    races = view.of_sizes(view.race_of(SPEC, 40, "parameters", True))
    raced = [(race, finished(race, ENTRANTS, [0.9, 0.95, 1.0])) for race in races[:2]]
    drawn = sizes_chart(view.over_sizes(raced), 0.01, palette).to_dict()
    assert len(drawn["layer"]) == 5
    line, color = (drawn["layer"][2]["encoding"][name]["scale"] for name in ("strokeDash", "color"))
    looks = {*zip(color["range"], map(tuple, line["range"]), strict=True)}
    assert len(looks) == len(ENTRANTS), "no two look alike"
    assert np.isfinite([row["error"] for row in drawn["datasets"].popitem()[1]]).all()


def test_a_race_of_every_size_is_kept_by_its_id():
    store = registry.store()
    races = view.of_sizes(view.race_of(SPEC, 40, "parameters"))
    _ask(store, races)
    _ask(store, races)
    assert len(jobs.waiting(store)) == len(races)
