"""What depends on the topic of a specification: what is left out of one is an error that names it,
and another one takes no other's picture, words or sums."""

from dataclasses import fields
from typing import get_args

import pytest

from explorer.spec import Topic
from explorer.spec.fields import of_each
from explorer.ui.topics import TOPICS, RunView

MOON = {
    "learns": lambda spec: "the moon",
    "drawing": lambda spec, load_grid: ({"label": "moon"}, {}),
    "sentence": lambda row: "It is full.",
    "figures": lambda record, step, t, pins: {},
    "check": lambda spec, load_grid: None,
    "keeps_run": lambda before, spec: True,
    "caution": lambda spec, load_grid: "",
    "is_cut": False,
}


@pytest.mark.parametrize("name", [field.name for field in fields(RunView)])
def test_a_topic_without_one_of_its_answers_is_an_error_that_names_it(name):
    assert RunView(**MOON)
    with pytest.raises(TypeError, match=f"'{name}'"):
        RunView(**{each: answer for each, answer in MOON.items() if each != name})


def test_a_topic_without_a_view_is_named():
    assert [*TOPICS] == [*get_args(Topic)]
    with pytest.raises(TypeError, match=r"views of runs: moon$"):
        of_each("views of runs", [*get_args(Topic), "moon"], TOPICS)
