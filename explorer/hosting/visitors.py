"""Who visitors are, on a server that is open to the public, and what they may.

A visitor is known by a cookie that this server has signed, by the name under which somebody has
logged in, or by the header of a proxy, where a setting names it: then by nothing else. The space
is named by a hash, so that its name is no cookie. Who has a space, and may train, keep and upload
in it, has a place of a word, by the field on a page or a link with `?word=`, or an account: a login
or the proxy's name.

A word is told to a class. It lets in as many visitors as it has places, until it expires or is
revoked. The database visitors/words.sqlite3 has a hash of each word, and a row for each place that
is taken: a visitor without a word is in no row. From where visitors come is known for what is
counted by address, and for lines of the log, which have its hash of the day.
"""

from __future__ import annotations

import hashlib
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from pathlib import Path
from typing import Any, Literal

from itsdangerous import BadSignature, TimestampSigner
from starlette.requests import HTTPConnection
from starlette.types import Scope

from explorer.hosting.settings import Limits
from explorer.runs.database import connect, create, readable_errors, transaction
from explorer.runs.files import write_durably
from explorer.runs.home import Home

COOKIE = "explorer_visitor"
OF_HOST = f"__Host-{COOKIE}"
"""What it is called behind https: from there alone browsers take a cookie of this name, of which no
other host of the same domain can plant one."""
OWNER: ContextVar[str | None] = ContextVar("owner", default=None)
"""Whose request is being answered, "" for a stranger's; None where none is."""
SPACE = "x-explorer-space"
"""The header that tells Streamlit so, too; it gives a session back to nobody else
(`trustedUserHeaders` in .streamlit/config.toml)."""
DAY = 24 * 60 * 60
MOST = 20_000
"""Visitors whose address is remembered: those who asked last."""
PREFIX = 64
"""Bits of an IPv6 address that one household or machine has for itself."""
WORD = "word"
"""In an address: the word that is brought."""
SIGNS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""Of a word: none looks like another."""
LENGTH = 10
"""Signs of a word, 50 bits: nobody guesses one, whom `page_seconds` bounds."""
LONGEST = 80
"""Characters of a word's name."""
Standing = Literal["in", "out", "blocked"]
"""With a place of a word; without one; shut out by whoever runs the server."""

SCHEMA = """
BEGIN;
CREATE TABLE IF NOT EXISTS words (
    name TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, places INTEGER NOT NULL,
    expires REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS places (
    owner TEXT PRIMARY KEY, word TEXT NOT NULL, since REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS blocked (owner TEXT PRIMARY KEY) WITHOUT ROWID;
COMMIT;
"""
UNKNOWN = "No class has this word. Check it for a missing letter, or ask whoever gave it to you."
EXPIRED = "This word was valid until {:%Y-%m-%d}. Ask whoever gave it to you for a new one."
TAKEN = "All {} places of this word are taken. Ask whoever gave it to you for more."
BLOCKED = "Whoever runs this server has blocked this visitor."
NEEDED = (
    "training, keeping and uploading on this server needs the word of a class; on Train and "
    "Rates everybody can train in their browser"
)


def is_in(address: str, networks: Sequence[str]) -> bool:
    """Whether an address is in one of the networks ("*" for any)."""
    ip = _parsed(address)
    return any(each == "*" or (ip and ip in ip_network(each, False)) for each in networks)


def address(scope: Scope) -> str:
    """Of the client: that of the socket, or where a proxy asks for it, which alone reaches the
    server, the last one that it names. An IPv6 address stands for its /64. "" for none."""
    last = [value for name, value in scope["headers"] if name == b"x-forwarded-for"]
    named = last[-1].decode("latin-1").rpartition(",")[2].strip() if last else ""
    client = scope.get("client")
    return network(named) or network(client[0] if client else "")


def network(text: str) -> str:
    """An IPv4 address, or the /64 of an IPv6 address; "" for what is none."""
    ip = _parsed(text)
    if isinstance(ip, IPv6Address):
        return str(ip_network((int(ip), PREFIX), strict=False).network_address)
    return str(ip or "")


def _parsed(text: str) -> IPv4Address | IPv6Address | None:
    """An IPv4 address as such, however it is written."""
    try:
        ip = ip_address(text)
    except ValueError:
        return None
    return getattr(ip, "ipv4_mapped", None) or ip


class Addresses:
    """Where each visitor was last. `salted` are the hashes of a day: nobody compares two days, nor
    tries all addresses without this process."""

    def __init__(self) -> None:
        self._last: dict[str, str] = {}
        self._day, self._salt = -1, b""

    def note(self, owner: str, client: str) -> None:
        """A visitor asks from there."""
        self._last.pop(owner, None)
        self._last[owner] = client
        if len(self._last) > MOST:
            self._last.pop(next(iter(self._last)), None)

    def latest(self, owner: str) -> str:
        """Where a visitor was last; "" where that is not known."""
        return self._last.get(owner, "")

    def salted(self, client: str) -> str:
        """The hash of an address, 12 hexadecimal digits, another one each day."""
        if self._day != (today := int(time.time() // DAY)):
            self._day, self._salt = today, secrets.token_bytes(16)
        return hashlib.blake2b(client.encode(), key=self._salt, digest_size=6).hexdigest()


@dataclass(frozen=True)
class Recognition:
    """How visitors are known: by a cookie, for so many `days` from their last page. `login` reads
    the name of who has logged in from the cookies. Who may train is said by `words`; `accounts` are
    those who came by a login or a proxy's name since the server has started."""

    secret: str
    user_header: str = ""
    login: Callable[[Mapping[str, str]], str | None] = lambda cookies: None
    days: int = Limits().idle_days
    words: Words | None = None
    accounts: set[str] = field(default_factory=set)
    addresses: Addresses = field(default_factory=Addresses)

    def standing(self, owner: str) -> Standing:
        """Whether a visitor has a space and the queue ("in"), or looks on."""
        standing = self.words.standing(owner) if self.words and owner else "out"
        return "in" if standing == "out" and owner in self.accounts else standing

    def owner(
        self, headers: Mapping[str, str], cookies: Mapping[str, str], name: str = COOKIE
    ) -> str | None:
        """The name of the visitor's space, 32 hexadecimal digits; None for a stranger.

        The names of `headers` are in lower case; `name` is that of the visitor's cookie.
        """
        known = self._known(headers, cookies, name)
        return known and _space(*known)

    def _known(
        self, headers: Mapping[str, str], cookies: Mapping[str, str], name: str
    ) -> tuple[str, str] | None:
        """By what the visitor is known, and under which name."""
        if self.user_header:
            user = headers.get(self.user_header)
            return ("proxy", user) if user else None
        if user := self.login(cookies):
            return "login", user
        visitor = self._visitor(cookies, name)
        return ("cookie", visitor) if visitor else None

    def asks(self, asked: HTTPConnection) -> str:
        """The space of who sends this, "" for a stranger; of two names of a proxy's one is not the
        proxy's."""
        if len(asked.headers.getlist(self.user_header)) > 1:
            return ""
        known = self._known(asked.headers, asked.cookies, cookie_name(asked))
        owner = _space(*known) if known else ""
        if known and known[0] != "cookie":
            self.accounts.add(owner)
        return owner

    def cookie(self, cookies: Mapping[str, str], name: str = COOKIE) -> str:
        """The value to set, signed now: that of the visitor, or of a new one."""
        return self._signer().sign(self._visitor(cookies, name) or secrets.token_hex(16)).decode()

    def _visitor(self, cookies: Mapping[str, str], name: str) -> str | None:
        try:
            signed = cookies.get(name, "")
            return self._signer().unsign(signed, max_age=self.days * DAY).decode()
        except (BadSignature, ValueError):
            return None

    def _signer(self) -> TimestampSigner:
        return TimestampSigner(self.secret, salt=COOKIE, digest_method=hashlib.sha256)


def is_https(asked: HTTPConnection) -> bool:
    """Whether the browser speaks https, with this server or with a proxy that says so."""
    schemes = asked.headers.get("x-forwarded-proto"), asked.scope.get("scheme")
    return any(scheme in ("https", "wss") for scheme in schemes)


def cookie_name(asked: HTTPConnection) -> str:
    """Under which the browser that asks keeps its visitor's cookie."""
    return OF_HOST if is_https(asked) else COOKIE


def _space(kind: str, name: str) -> str:
    return hashlib.sha256(f"{kind}\0{name}".encode()).hexdigest()[:32]


def kept_secret(commons: Home) -> str:
    """The secret of all servers on a store, made at the first start and kept in a file for their
    user alone."""
    with commons.writing("visitors") as folder:
        path = folder / "secret"
        if not path.exists():
            write_durably(path, secrets.token_hex(32).encode(), 0o600)
        return path.read_text("utf-8")


class WordError(ValueError):
    """A word that lets nobody in, or a name that cannot be used, in a sentence."""


@dataclass(frozen=True)
class Word:
    """A word by its name: its places, those taken, and when it expires, in epoch seconds."""

    name: str
    places: int
    taken: int
    expires: float


def words_in(folder: Path) -> Path:
    """The database in the folder of all spaces."""
    return folder / "words.sqlite3"


class Words:
    """The words of a server and who has a place, in the folder of all spaces."""

    def __init__(self, folder: Path):
        self.path = words_in(folder)
        create(self.path, SCHEMA)
        self._open: sqlite3.Connection | None = None
        self._lock = threading.Lock()

    def _writing(self) -> AbstractContextManager[sqlite3.Connection]:
        return transaction(self.path, write=True)

    # What the operator does

    def add(self, name: str, places: int, expires: float) -> str:
        """A new word, which is told now and never again. Raises WordError for a name in use."""
        if not 0 < len(name) <= LONGEST or not name.isprintable():
            raise WordError(f"{name[:LONGEST]!r} is no name: 1 to {LONGEST} printed characters")
        word = "".join(secrets.choice(SIGNS) for _ in range(LENGTH))
        with self._writing() as db:
            if db.execute("SELECT 1 FROM words WHERE name = ?", (name,)).fetchone():
                raise WordError(f"there is a word named {name!r} already: revoke it first")
            row = name, _hash(word), places, expires
            db.execute("INSERT INTO words VALUES (?, ?, ?, ?)", row)
        return f"{word[:5]}-{word[5:]}"

    def revoke(self, name: str) -> None:
        """Nobody is let in by it any more, and who was trains no longer. Raises WordError."""
        with self._writing() as db:
            if not db.execute("DELETE FROM words WHERE name = ?", (name,)).rowcount:
                raise WordError(f"there is no word named {name[:LONGEST]!r}")
            db.execute("DELETE FROM places WHERE word = ?", (name,))

    def list(self) -> list[Word]:
        """All words, by name."""
        query = (
            "SELECT name, places, (SELECT count(*) FROM places WHERE word = name) AS taken, "
            "expires FROM words ORDER BY name"
        )
        with transaction(self.path) as db:
            return [Word(**dict(row)) for row in db.execute(query).fetchall()]

    def taken(self) -> dict[str, str]:
        """The name of the word of each visitor with a place."""
        with transaction(self.path) as db:
            return dict(map(tuple, db.execute("SELECT owner, word FROM places").fetchall()))

    def blocked(self) -> set[str]:
        """Who is shut out."""
        with transaction(self.path) as db:
            return {owner for (owner,) in db.execute("SELECT owner FROM blocked").fetchall()}

    def block(self, owner: str, is_blocked: bool = True) -> None:
        """Shut a visitor out, or no longer."""
        with self._writing() as db:
            db.execute("DELETE FROM blocked WHERE owner = ?", (owner,))
            if is_blocked:
                db.execute("INSERT INTO blocked VALUES (?)", (owner,))

    def free(self, owner: str) -> None:
        """A visitor's place is the next one's."""
        with self._writing() as db:
            db.execute("DELETE FROM places WHERE owner = ?", (owner,))

    def tidy(self, owners: Collection[str]) -> None:
        """The places of visitors who are no `owners` of a space a day after they came are free."""
        with self._writing() as db:
            old = db.execute("SELECT owner FROM places WHERE since < ?", (time.time() - DAY,))
            gone = [(owner,) for (owner,) in old.fetchall() if owner not in owners]
            db.executemany("DELETE FROM places WHERE owner = ?", gone)

    # What a visitor does

    def enter(self, owner: str, word: str) -> None:
        """Take a place by a word; who has one of it keeps it. Raises WordError."""
        now = time.time()
        with self._writing() as db:
            query = "SELECT name, places, expires FROM words WHERE hash = ?"
            row = db.execute(query, (_hash(word),)).fetchone()
            if not row:
                raise WordError(UNKNOWN)
            name, places, expires = row
            if expires <= now:
                raise WordError(EXPIRED.format(datetime.fromtimestamp(expires - 1, UTC)))
            query = "SELECT count(*), total(owner = ?) FROM places WHERE word = ?"
            taken, mine = db.execute(query, (owner, name)).fetchone()
            if not mine and taken >= places:
                raise WordError(TAKEN.format(places))
            if not mine:
                db.execute("REPLACE INTO places VALUES (?, ?, ?)", (owner, name, now))

    def standing(self, owner: str) -> Standing:
        """Whether a visitor has a place now."""
        query = (
            "SELECT (SELECT 1 FROM blocked WHERE owner = :owner) AS blocked, "
            "(SELECT 1 FROM places JOIN words ON word = name "
            "WHERE owner = :owner AND expires > :now) AS placed"
        )
        (row,) = self._read(query, {"owner": owner, "now": time.time()})
        return "blocked" if row["blocked"] else "in" if row["placed"] else "out"

    def name_of(self, owner: str) -> str:
        """The name of a visitor's word; "" without one."""
        rows = self._read("SELECT word FROM places WHERE owner = :owner", {"owner": owner})
        return rows[0]["word"] if rows else ""

    def _read(self, query: str, values: Mapping[str, Any]) -> list[sqlite3.Row]:
        """By one connection that stays open: a page asks ten times who its visitor is, and opening
        one would take longer than all else."""
        with readable_errors(self.path), self._lock:
            if self._open is None:
                self._open = connect(self.path, any_thread=True)
            return self._open.execute(query, values).fetchall()

    def fellows(self, owner: str) -> tuple[str, ...]:
        """Who has a place of the same word, this visitor among them; none for who has no word."""
        query = "SELECT owner FROM places WHERE word = (SELECT word FROM places WHERE owner = ?)"
        with transaction(self.path) as db:
            return tuple(each for (each,) in db.execute(query, (owner,)).fetchall())


def _hash(word: str) -> str:
    """Of what was typed, however it is spaced."""
    signs = "".join(sign for sign in word.upper()[:LONGEST] if sign.isalnum())
    return hashlib.sha256(signs.encode()).hexdigest()
