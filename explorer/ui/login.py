"""Who has logged in by Streamlit's `st.login`, as its signed cookie says to every route."""

from __future__ import annotations

from collections.abc import Mapping

from explorer.ui.streamlit_private import login_of


def user_of(cookies: Mapping[str, str]) -> str | None:
    """Issuer and subject of who has logged in; None for nobody."""
    user = login_of(cookies) or {}
    name = user.get("sub") or user.get("email")
    return f"{user.get('iss', '')}\n{name}" if user.get("is_logged_in") and name else None
