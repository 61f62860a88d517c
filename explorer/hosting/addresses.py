"""From where visitors come: for what is counted by address, and for lines of the log, which have
its hash of the day."""

import hashlib
import secrets
import time
from collections.abc import Sequence
from ipaddress import IPv6Address, ip_address, ip_network

from starlette.types import Scope

MOST = 20_000
"""Visitors whose address is remembered: those who asked last."""
PREFIX = 64
"""Bits of an IPv6 address that one household or machine has for itself."""
DAY = 86400


def is_in(address: str, networks: Sequence[str]) -> bool:
    """Whether an address is in one of the networks ("*" for any)."""
    try:
        found = ip_address(address)
    except ValueError:
        return "*" in networks
    found = getattr(found, "ipv4_mapped", None) or found
    return any(each == "*" or found in ip_network(each, False) for each in networks)


def address(scope: Scope) -> str:
    """Of the client: that of the socket, or where a proxy asks for it, which alone reaches the
    server, the last one that it names. An IPv6 address stands for its /64. "" for none."""
    last = [value for name, value in scope["headers"] if name == b"x-forwarded-for"]
    named = last[-1].decode("latin-1").rpartition(",")[2].strip() if last else ""
    client = scope.get("client")
    return network(named) or network(client[0] if client else "")


def network(text: str) -> str:
    """An IPv4 address, or the /64 of an IPv6 address; "" for what is none."""
    try:
        found = ip_address(text)
    except ValueError:
        return ""
    found = getattr(found, "ipv4_mapped", None) or found
    if isinstance(found, IPv6Address):
        return str(ip_network((int(found), PREFIX), strict=False).network_address)
    return str(found)


class Addresses:
    """Where each visitor was last. `salted` are the hashes of a day: nobody compares two days, nor
    tries all addresses without this process."""

    def __init__(self) -> None:
        self._last: dict[str, str] = {}
        self._day, self._salt = -1, b""

    def note(self, owner: str, found: str) -> None:
        """A visitor asks from there."""
        self._last.pop(owner, None)
        self._last[owner] = found
        if len(self._last) > MOST:
            self._last.pop(next(iter(self._last)), None)

    def of(self, owner: str) -> str:
        """Where a visitor was last; "" where that is not known."""
        return self._last.get(owner, "")

    def salted(self, found: str) -> str:
        """The hash of an address, 12 hexadecimal digits, another one each day."""
        if self._day != (today := int(time.time() // DAY)):
            self._day, self._salt = today, secrets.token_bytes(16)
        return hashlib.blake2b(found.encode(), key=self._salt, digest_size=6).hexdigest()
