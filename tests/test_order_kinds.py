"""What the Order page asks of a kind of target: what is left out is an error that names it."""

from dataclasses import fields

import pytest

from explorer.pages.order.view_kinds import VIEWS, OrderView
from explorer.pages.order.view_trained import altered_alike, same_target
from explorer.spec import CouplingSpec, LinearSpec, SpecError, alterable_spec
from explorer.spec.fields import of_each
from explorer.targets import PRESETS

ANSWERS = {field.name: getattr(VIEWS["linear"], field.name) for field in fields(OrderView)}


@pytest.mark.parametrize("name", ANSWERS)
def test_a_kind_without_one_of_its_answers_is_an_error_that_names_it(name):
    assert OrderView(**ANSWERS) == VIEWS["linear"]
    with pytest.raises(TypeError, match=f"'{name}'"):
        OrderView(**{each: answer for each, answer in ANSWERS.items() if each != name})


def test_a_kind_without_a_view_is_named():
    with pytest.raises(TypeError, match=r"views of alterable targets: moon$"):
        of_each("views of alterable targets", [*VIEWS, "moon"], VIEWS)


@pytest.mark.parametrize("spec", [spec for _, spec in PRESETS.values()])
def test_what_has_no_view_has_no_order(spec):
    if spec.target in VIEWS:
        assert alterable_spec(spec) is spec
    else:
        with pytest.raises(SpecError, match=r"whose input has no order$"):
            alterable_spec(spec)


def test_targets_of_two_kinds_are_never_one():
    assert not same_target(LinearSpec(), CouplingSpec())
    assert not altered_alike(CouplingSpec(), LinearSpec())
    assert altered_alike(CouplingSpec(permutation="reverse"), CouplingSpec())
    assert not altered_alike(CouplingSpec(permutation="reverse"), CouplingSpec(alpha=2.0))
