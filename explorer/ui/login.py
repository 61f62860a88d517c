"""Who has logged in by Streamlit's `st.login`, as its signed cookie says to every route."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress

from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME
from streamlit.web.server.starlette.starlette_websocket import _get_signed_cookie_with_chunks


def user_of(cookies: Mapping[str, str]) -> str | None:
    """Issuer and subject of who has logged in; None for nobody."""
    if USER_COOKIE_NAME not in cookies:
        return None
    with suppress(ValueError, AttributeError):
        user = json.loads(_get_signed_cookie_with_chunks(dict(cookies), USER_COOKIE_NAME) or b"")
        name = user.get("sub") or user.get("email")
        if user.get("is_logged_in") and name:
            return f"{user.get('iss', '')}\n{name}"
    return None
