"""The one door of the app: all that stands before every route, by the settings of the server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware

from explorer.hosting import logs
from explorer.hosting.doors import Doors
from explorer.hosting.gate import gate
from explorer.hosting.page_guard import LARGEST, MESSAGES, Guard, own_files
from explorer.hosting.settings import Settings
from explorer.hosting.visitors import Visitors
from explorer.ui import registry
from explorer.ui.streamlit_private import put_before

if TYPE_CHECKING:
    from streamlit import App


def install(app: App, settings: Settings) -> None:
    """Before its start: from now on lines are logged and sockets gated as the settings say, and the
    app keeps files of pages each for its visitor."""
    if settings.log == "json":
        logs.begin()
    if settings.public:
        gate(MESSAGES, LARGEST)
    put_before(app, stack(settings))
    own_files(app)


def stack(settings: Settings) -> list[Middleware]:
    """What a request passes, from the outside in."""
    hosts = list(settings.hosts)
    shown = {"origins": settings.origins, "framed_by": settings.framed_by}
    open_to = {"sessions": settings.sessions, "proxies": settings.trusted_proxy}
    doors = [
        *([Middleware(logs.Requests)] if settings.log == "json" else []),
        Middleware(TrustedHostMiddleware, allowed_hosts=hosts, www_redirect=False),
        Middleware(Doors, **shown, **open_to),
    ]
    if settings.public:
        limits, framed = settings.limits, bool(settings.framed_by)
        doors += [Middleware(Visitors, registry.recognition, limits=limits, framed=framed)]
        doors += [Middleware(Guard, limits=limits)]
    return doors
