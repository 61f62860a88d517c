"""Values of a message, counted in its bytes and, beside it, in the message that is made of them."""

from collections.abc import MutableSequence

import pytest
from google.protobuf.message import DecodeError

from explorer.hosting.page import values
from explorer.ui.streamlit_private import BackMsg, WidgetState

WIDGETS = [
    WidgetState(id="a", int_value=-3),
    WidgetState(id="c", string_array_value={"data": ["", "x" * 300]}),
    WidgetState(id="d", json_value="{}"),
    WidgetState(id="e", bytes_value=bytes(200)),
    WidgetState(id="f", trigger_value=True),
]


def listed(said):
    """The same of a message that is there."""
    count = 0
    for field, value in said.ListFields():
        each = value if isinstance(value, MutableSequence) else (value,)
        count += len(each)
        count += sum(map(listed, each)) if field.message_type else 0
    return count


def rerun(*widgets):
    said = BackMsg(rerun_script={"query_string": "a=1", "page_script_hash": "ab"})
    said.rerun_script.widget_states.widgets.extend(widgets)
    return said


@pytest.mark.parametrize("said", [BackMsg(), rerun(), *map(rerun, WIDGETS), rerun(*WIDGETS * 50)])
def test_as_many_are_counted_as_there_are(said):
    assert values(said.SerializeToString(), said.DESCRIPTOR, 10**6) == listed(said)


@pytest.mark.parametrize(
    ("numbers", "more"),
    [
        ({"double_array_value": {"data": [0.5, 2.0, 1e300] * 900}}, 1),
        ({"int_array_value": {"data": [1, -1, 10**15] * 900}}, 10 * 2700),
    ],
)
def test_of_numbers_in_a_list_no_fewer_are_counted_than_there_are(numbers, more):
    """The list counts too; of whole numbers, which take 1 to 10 bytes, each byte."""
    said = rerun(WidgetState(id="a", **numbers))
    counted = values(said.SerializeToString(), said.DESCRIPTOR, 10**6)
    assert listed(said) < counted <= listed(said) + more


UNKNOWN = b"\xf8\x3f\x01"
"""A field of number 1023, which no message has."""


def test_what_is_beyond_the_most_is_not_looked_at():
    data = UNKNOWN * 500 + b"\xff" * 50
    assert values(data, BackMsg.DESCRIPTOR, 100) == 101
    with pytest.raises(DecodeError):
        values(data, BackMsg.DESCRIPTOR, 1000)


@pytest.mark.parametrize("data", [b"\xff" * 20, b"\x08", b"\x80", b"\x0f\x00", b"\x0b"])
def test_what_is_no_message_is_refused(data):
    with pytest.raises(DecodeError):
        values(data, BackMsg.DESCRIPTOR, 100)
    with pytest.raises(DecodeError):
        BackMsg.FromString(data)


def test_a_field_that_nobody_knows_counts_too():
    assert values(UNKNOWN * 500, BackMsg.DESCRIPTOR, 10**4) == 500
