"""All that stands before every route, in its order, by the settings of the server."""

from __future__ import annotations

from collections.abc import Callable

from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware

from explorer.hosting import logs
from explorer.hosting.doors import Doors
from explorer.hosting.gate import gate
from explorer.hosting.settings import Settings
from explorer.hosting.visitors import Recognition, Visitors


def installed(
    settings: Settings, recognise: Callable[[], Recognition], guard: type, largest: int
) -> list[Middleware]:
    """From the outside in; from now on lines are logged and sockets gated as the settings say.

    On a server that is open to the public `recognise` says who asks, the middleware `guard` keeps
    to each what is theirs, and no message has more than `largest` bytes.
    """
    hosts = list(settings.hosts)
    shown = {"origins": settings.origins, "framed_by": settings.framed_by}
    door = [
        Middleware(TrustedHostMiddleware, allowed_hosts=hosts, www_redirect=False),
        Middleware(Doors, **shown, sessions=settings.sessions),
    ]
    if settings.public:
        limits, framed = settings.limits, bool(settings.framed_by)
        gate(limits.messages, largest)
        door += [Middleware(Visitors, recognise, limits=limits, framed=framed)]
        door += [Middleware(guard, limits=limits)]
    if settings.log == "json":
        logs.begin()
        door.insert(0, Middleware(logs.Requests))
    return door
