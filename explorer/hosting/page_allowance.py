"""What a visitor of a public server may still use, and until when what is trained is kept."""

from contextlib import suppress
from typing import Any

import streamlit as st
from streamlit.errors import StreamlitSecretNotFoundError

from explorer.hosting.limits import Allowance
from explorer.runs import costs
from explorer.runs.costs import Cost
from explorer.runs.database import StoreError
from explorer.runs.quota import LimitError
from explorer.spec import AnySpec
from explorer.ui import here, registry

LOOKS_ON = "With the word of a class, runs and uploads are kept here."
KEPT_EARLIER = (
    "What you kept here earlier is yours to see, take home and delete; nothing is added to it "
    "without the word of a class. It is removed after {} days without a visit."
)


def note(asked: AnySpec) -> None:
    """Before Train is pressed: what it will take, or why it is too much for a visitor."""
    if (quota := _quota()) is None:
        return
    cost = costs.of_run(asked)
    try:
        quota.limits.check_size(asked)
    except LimitError as error:
        st.caption(f"This is too much: {error}.")
        return
    left = quota.remaining()
    st.caption(f"Training takes {cost}. {_left(left)}")


def note_of_sweep(cost: Cost) -> None:
    """The same of a sweep, whose time stands beside its button."""
    if quota := _quota():
        st.caption(f"It takes {cost}. {_left(quota.remaining())}")


def upload(megabytes: int) -> int:
    """MB of an uploaded file, where so many would be taken from anybody."""
    quota = _quota()
    return min(megabytes, quota.limits.upload_megabytes) if quota else megabytes


def uploader(label: str, *args: Any, **options: Any) -> Any:
    """Streamlit's field for files, where who asks may upload some; else why not."""
    closed = registry.standing() != "in"
    if closed:
        st.caption("Uploading to this server needs the word of a class.")
    return st.file_uploader(label, *args, disabled=closed, **options)


def keeping() -> None:
    """How long the visitor's own is kept, and how to have it for longer; who has no word is asked
    for one."""
    if registry.standing() == "out":
        days = registry.settings().limits.idle_days
        st.caption(KEPT_EARLIER.format(days) if registry.keeps_something() else LOOKS_ON)
        here.ask_for_a_word("runs")
        _login()
    elif quota := _quota():
        kept, most = costs.size(quota.kept()), costs.size(costs.MEGA * quota.limits.megabytes)
        st.caption(
            f"Only you see what is here: {kept} of {most}. It is removed after "
            f"{quota.limits.idle_days} days without a visit; *Take home* saves a run as a file "
            "that *Import* brings back."
        )
        _login()


def _login() -> None:
    """The way to one space in all browsers, where this server knows whom to ask."""
    try:
        known = "auth" in st.secrets
    except StreamlitSecretNotFoundError:
        return
    if known and st.user.get("is_logged_in"):
        st.button("Log out", icon=":material/logout:", on_click=st.logout)
    elif known:
        st.button(
            "Log in",
            icon=":material/login:",
            on_click=st.login,
            help="You then see the same runs in every browser. Earlier runs stay in this one.",
        )


def _left(left: Cost) -> str:
    return (
        f"Today {costs.duration(left.seconds)} of training and {costs.size(left.bytes)} are left."
    )


def _quota() -> Allowance | None:
    """The visitor's; None where there are none, and for who trains nothing here."""
    if registry.is_public() and registry.standing() == "in":
        with suppress(StoreError):
            quota = registry.store().quota
            return quota if isinstance(quota, Allowance) else None
    return None
