"""F and f as Design and Train offer them."""

import json

import pytest
from streamlit_pages import opened, ran

from explorer.pages.design.view import latex, schema
from explorer.pages.design.view_parts import KINDS, NUMBERS, Map, numbers_of
from explorer.spec import CouplingSpec
from explorer.targets import part_of
from explorer.targets.coupling.parts import NAMED
from explorer.theory.design import Design

SPEC = json.dumps({"rank": 4, "m_h": 2, "inner": "power 2"})
PAGES = ("design", "train")


def held(at):
    return json.loads(at.query_params["spec"])


def test_every_map_that_has_a_name_is_offered_with_its_numbers():
    assert KINDS.keys() - {"formula"} == NAMED.keys() == NUMBERS.keys()
    assert all(len(NUMBERS[name]) == len(takes) for name, (_, takes, _) in NAMED.items())
    for kind, (_, text) in KINDS.items():
        assert Map("outer", text).kind == kind and part_of(text).words == text
    assert numbers_of("clip 0.2 0.8") == [0.2, 0.8]
    assert Map("outer", "abs(x)").kind == "formula"


@pytest.mark.parametrize("page", PAGES)
def test_they_are_chosen_and_their_numbers_moved(page):
    at = opened(page, spec=SPEC)
    assert at.selectbox(key="kind of outer").value == "identity"
    assert at.number_input(key="number 0 of inner").value == 2
    at.selectbox(key="kind of outer").select("tanh")
    ran(at)
    at.number_input(key="number 0 of outer").set_value(5.0)
    ran(at)
    assert (held(at)["outer"], held(at)["inner"]) == ("tanh 5", "power 2")
    at.selectbox(key="kind of outer").select("identity")
    assert "outer" not in held(ran(at))


def test_a_formula_is_read_freely_and_a_bad_one_keeps_the_last():
    at = opened("design", spec=SPEC)
    at.selectbox(key="kind of inner").select("formula")
    ran(at)
    at.text_input(key="field inner").set_value("x^2 + 2x")
    assert held(ran(at))["inner"] == "x**2 + 2*x"
    at.text_input(key="field inner").set_value("log(x)")
    assert held(ran(at))["inner"] == "x**2 + 2*x"
    assert any("it gives -inf at x = 0" in each.value for each in at.warning)
    at.text_input(key="field inner").set_value("x + w")
    assert held(ran(at))["inner"] == "x**2 + 2*x"
    assert any("unknown name" in each.value for each in at.warning)


def test_another_coupling_keeps_them():
    at = opened("design", spec=SPEC)
    at.segmented_control(key="way").set_value("formula")
    found = held(ran(at))
    assert found["formula"] and found["inner"] == "power 2"


def test_a_link_that_cannot_be_taken_opens_without_them():
    at = opened("design", spec=json.dumps({"rank": 4, "outer": "log(x)"}))
    assert any("outer = 'log(x)'" in each.value for each in at.warning)
    assert at.selectbox(key="kind of outer").value == "identity"


def test_eq_8_is_written_with_them():
    plain, both = (
        Design(CouplingSpec(rank=4, **fields))
        for fields in ({}, {"outer": "tanh 3", "inner": "abs"})
    )
    assert schema(plain)[-1].endswith(r"{y_t=\sum_s A_{ts}\,x_s}")
    assert schema(both)[-1].endswith(r"{y_t=F\Bigl(\sum_s A_{ts}\,f(x_s)\Bigr)}")
    assert latex(both) == (*latex(plain), r"F(x)=\tanh 3x", r"f(x)=\left|x\right|")


def test_a_browser_leaves_them_to_the_server():
    at = opened("train", spec=SPEC)
    at.segmented_control(key="where").set_value("in this browser")
    ran(at)
    assert any("F and f as the identity only" in each.value for each in at.caption)


def test_features_are_added_typed_and_removed():
    at = opened("design", spec=json.dumps({"rank": 4, "m_h": 2, "d_v": 1}))
    pressed(at, "Add a feature")
    assert held(at)["inner"] == "identity; power 2" and held(at)["outer"] == "x2 - x1**2"
    assert held(at)["d_v"] == 2
    at.number_input(key="number 0 of inner 2").set_value(3.0)
    ran(at)
    at.text_input(key="field outer").set_value("2x2 - x1^2")
    assert held(ran(at))["outer"] == "2*x2 - x1**2"
    assert held(at)["inner"] == "identity; power 3"
    at.selectbox(key="kind of outer").select("abs")
    assert held(ran(at))["outer"] == "abs"
    pressed(at, "Add a feature")
    assert (held(at)["inner"], held(at)["outer"]) == (
        "identity; power 3; power 2",
        "x1 + x2 + x3",
    )
    at.selectbox(key="kind of inner 3").select("formula")
    assert held(ran(at))["inner"] == "identity; power 3; sin(3*x)"
    assert next(each for each in at.button if each.label == "Add a feature").disabled
    pressed(at, "Remove the last feature")
    pressed(at, "Remove the last feature")
    assert "inner" not in held(at) and "outer" not in held(at)


def pressed(at, label):
    next(each for each in at.button if each.label == label).click()
    return ran(at)


def test_a_formula_of_another_number_of_features_is_refused_with_its_place():
    at = opened("design", spec=json.dumps({"inner": "identity; power 2", "outer": "x1*x2"}))
    at.text_input(key="field outer").set_value("x1 + x3")
    assert held(ran(at))["outer"] == "x1*x2"
    assert any("unknown name 'x3'" in each.value for each in at.warning)


def test_several_features_in_the_letters_of_the_paper():
    design = Design(CouplingSpec(rank=4, inner="identity; power 2", outer="x2 - x1**2"))
    assert latex(design)[-2:] == (r"F(x)=x_2-{x_1}^{2}", r"f(x)=\bigl(x,\;x^{2}\bigr)")
