"""A figure of rates that tells of some ranks alone: what the talk adds a step at a time."""

from explorer.pages.rates.view import rates_view
from explorer.pages.rates.view_drawing import only, rates_drawing
from explorer.views.sweeps import shipped


def drawn():
    found = shipped("fig1")
    return rates_drawing(found, rates_view(found, "mse", "median"))


def told(drawing):
    """Ranks of which there is a point, panel by panel."""
    return [
        [one["cell"]["rank"] for one in panel["series"] if one["points"] and one["line"]]
        for panel in drawing["panels"]
    ]


def test_finite_ranks_from_one_on_are_told_alone_and_none_tells_of_all():
    whole = drawn()
    assert only(whole, None) == whole
    assert told(whole) == [[2, 6, None]] * 2
    assert told(only(whole, 2)) == [[2, 6]] * 2
    assert told(only(whole, 6)) == [[6]] * 2
    assert told(only(whole, 7)) == [[]] * 2


def test_all_series_keep_their_places_names_and_theory():
    """So that colours, the key and what was predicted stay those of the step before."""
    kept = ("name", "cell", "theory")
    of = [
        [[one[name] for name in kept] for panel in each["panels"] for one in panel["series"]]
        for each in (drawn(), only(drawn(), 6))
    ]
    assert of[0] == of[1]
    assert all(
        one["fit"] is None for panel in only(drawn(), 2)["panels"] for one in panel["series"]
    )
