"""The settings of a server: one table, filled by a TOML file, the environment and options.

`python -m explorer serve` gathers them, later ones before earlier ones, and hands them to app.py by
the environment alone; so `EXPLORER_HOSTS=… streamlit run app.py` knows them, too.
"""

import os
import re
import tomllib
from collections.abc import Mapping
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
)

from explorer.runs.quota import LimitError
from explorer.spec import AnySpec

LOCAL = ("localhost", "127.0.0.1", "[::1]")
HOST = r"\*|(\*\.)?[A-Za-z0-9_-][A-Za-z0-9._-]*|\[[0-9A-Fa-f:.]+\]"
RESERVED = ("_stcore", "media", "component", "static")
"""With what Streamlit's own paths begin."""
PORTS = 4
"""That a server behind a proxy answers at, from `port` on, as .hosting/nginx.conf names them."""
SHORTEST = 16
"""Characters of a secret: whoever guesses it is any visitor."""
PREFIX = "EXPLORER_"
FILE = "EXPLORER_SETTINGS"
"""Names the TOML file in the environment."""
Number = Annotated[int, Field(ge=1, le=10**9)]
"""What is bounded by the operating system, or counts days, is a number that these can take."""
WIDTHS = ("m_ff", "n", "d_v", "hidden")


NO_PROXY = (
    "public: visitors come through a proxy, which bounds what each may send; start nginx with "
    ".hosting/nginx.conf and name its address, as --trusted-proxy 127.0.0.1 (docs/hosting.md, "
    '"Behind a proxy")'
)
NOT_SHARED = (
    "processes: visitors are shared out over several by a proxy; name its address, as "
    "--trusted-proxy 127.0.0.1"
)


class SettingsError(ValueError):
    """A setting that cannot be used, and where it comes from."""


def _matching(pattern: str, wrong: str) -> AfterValidator:
    """Refuses a text that is not of a pattern, in words."""

    def checked(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(f"{text!r} is {wrong}")
        return text

    return AfterValidator(checked)


def _origin(text: str) -> str:
    parts = urlsplit(text)
    more = parts.path.strip("/") or parts.query or parts.fragment
    if parts.scheme not in ("http", "https") or not parts.netloc or more:
        raise ValueError(f"{text!r} is not an origin, such as https://example.org")
    if not re.fullmatch(r"[A-Za-z0-9._:\[\]-]+", parts.netloc):  # it goes into a header
        raise ValueError(f"{text!r} is not an origin, such as https://example.org")
    _ = parts.port  # raises ValueError beyond 65535
    return f"{parts.scheme}://{parts.netloc.lower()}"


def _network(text: str) -> str:
    try:
        return text if text == "*" or ip_network(text, strict=False) else ""
    except ValueError:
        raise ValueError(f"{text!r} is no address or network, such as 10.0.0.0/8") from None


def _path(text: str) -> str:
    path = text.strip("/")
    if not re.fullmatch(r"([A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*)?", path):
        raise ValueError(f"{text!r} is not a path, such as explorer or tools/explorer")
    if path.partition("/")[0] in RESERVED:
        raise ValueError(f"{text!r} begins as a path of Streamlit's own: choose another")
    return path


def _share(processes: int) -> int:
    if processes and PORTS % processes:
        raise ValueError(f"{processes} cannot share {PORTS} ports evenly: 1, 2 or 4 can")
    return processes


def _folder(text: str) -> str:
    """Absolute, since the server works in a folder of its own."""
    return text and str(Path(text).expanduser().absolute())


def _secret(text: str) -> str:
    if 0 < len(text) < SHORTEST:
        raise ValueError(f"{len(text)} characters can be guessed: give {SHORTEST} or more")
    return text


def _parts(given: Any) -> Any:
    """A list, as it is or as a text between commas."""
    return [*filter(None, map(str.strip, given.split(",")))] if isinstance(given, str) else given


def _limits(given: Any) -> Any:
    """From a table of the file, or from NAME=NUMBER."""
    if not isinstance(given, str):
        return given
    pairs = [part.partition("=") for part in _parts(given)]
    return {name.strip().replace("-", "_"): value.strip() for name, _, value in pairs}


Host = Annotated[str, _matching(HOST, "not the name of a host, such as explorer.example.org")]
Address = Annotated[
    str,
    _matching(r"|[A-Za-z0-9.-]+:[1-9]\d{0,4}", "no address with a port, such as 127.0.0.1:9464"),
]
Header = Annotated[
    str,
    _matching("[A-Za-z0-9-]*", "not the name of a header, such as X-Forwarded-User"),
    AfterValidator(str.lower),
]
Hosts = Annotated[tuple[Host, ...], BeforeValidator(_parts)]
Origins = Annotated[tuple[Annotated[str, AfterValidator(_origin)], ...], BeforeValidator(_parts)]
Networks = Annotated[tuple[Annotated[str, AfterValidator(_network)], ...], BeforeValidator(_parts)]


def told(default: Any, what: str, **bounds: Any) -> Any:
    """A setting with its default, what pages and `serve` say of it, and its bounds."""
    return Field(default, description=what, **bounds)


class Limits(BaseModel):
    """How much one visitor of a public server may have, and all of them together, each a number;
    `--limits steps=5000,waiting=3` sets some. space.py holds a visitor to them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    at_once: Number = told(2, "a visitor's trainings at once, where devices are free")
    waiting: Number = told(20, "a visitor's queued and running runs and sweeps")
    all_waiting: Number = told(
        500, "the same of all visitors; a visitor's first is always accepted"
    )
    steps: Number = told(20_000, "steps of a run, and of each model of a sweep")
    width: Number = told(512, "m_FF, n, d_v and the units of an RNN")
    models: Number = told(512, "models of a sweep")
    seconds: Number = told(3600, "estimated seconds of a run or sweep")
    day_seconds: Number = told(7200, "a visitor's seconds of training a day")
    word_waiting: Number = told(100, "queued and running of all with one word; a first is accepted")
    word_seconds: Number = told(36_000, "seconds of training a day of all with one word")
    word_megabytes: Number = told(5000, "MB that all with one word may keep together")
    megabytes: Number = told(500, "MB that a visitor may keep")
    all_megabytes: Number = told(20_000, "MB of all visitors together")
    spaces: Number = told(5000, "visitors with a store at once")
    upload_megabytes: Number = told(20, "MB of an uploaded file")
    idle_days: Number = told(30, "days without a visit until a visitor's store is removed")
    memory_megabytes: Number = told(4000, "MB of memory of a training process", ge=500)
    page_megabytes: Number = told(
        1500, "MB of memory of a process of pages, above which it is restarted", ge=500
    )
    page_seconds: Number = told(
        20, "processor seconds a minute for a visitor's pages; above it they wait"
    )

    phones: int = told(0, "phones that follow a visitor's talk; 0 for none", ge=0, le=1000)

    def check_size(self, spec: AnySpec) -> None:
        """Raises LimitError for more steps or widths than one run may have."""
        if spec.steps > self.steps:
            raise LimitError(f"{spec.steps:,} steps: this server trains at most {self.steps:,}")
        for name in WIDTHS:
            if getattr(spec, name, 0) > self.width:
                asked = getattr(spec, name)
                raise LimitError(f"{name} = {asked}: this server trains at most {self.width}")


class Settings(BaseModel):
    """What a server is told: its fields are the options of `serve`, too, with their texts."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    address: str = told("127.0.0.1", "Where to listen; 0.0.0.0 for the network.", min_length=1)
    port: int = told(8501, "The port to listen on.", ge=1, le=65535)
    hosts: Hosts = told(LOCAL, "Host names that browsers may use for it.", min_length=1)
    origins: Origins = told((), "Other origins whose pages may open its WebSockets.")
    framed_by: Origins = told((), "Origins whose pages may show it in a frame.")
    base_path: Annotated[str, AfterValidator(_path)] = told(
        "", "The path behind a proxy, as explorer in https://example.org/explorer/."
    )
    home: Annotated[str, AfterValidator(_folder)] = told(
        "", "The folder of the store; by default the user's own."
    )
    sessions: int = told(0, "Pages that may be open at once; 0 for any number.", ge=0)
    processes: Annotated[int, AfterValidator(_share)] = told(
        0, "Processes of pages behind a proxy: 1, 2 or 4; 0 for as many as cores.", ge=0
    )
    grace: float = told(5.0, "Seconds for writing checkpoints when the server stops.", ge=0, le=600)
    log: Literal["text", "json"] = told(
        "text", "Format of the log: text, or a line of JSON for each event."
    )
    metrics: Address = told(
        "", "An address of its own for /metrics, as 127.0.0.1:9464; no visitor's."
    )
    public: bool = told(
        False, "A private store for each visitor and a fair queue; needs trusted-proxy."
    )
    trusted_proxy: Networks = told(
        (), "Addresses or networks of the proxy in front; nobody else is answered."
    )
    secret: Annotated[str, AfterValidator(_secret)] = told(
        "", "The key that signs visitors' cookies; by default made once and kept in the store."
    )
    limits: Annotated[Limits, BeforeValidator(_limits)] = told(
        Limits(), "The limits of a visitor, as steps=5000,waiting=3."
    )
    shared_addresses: Networks = told(
        (), "Networks of lecture rooms and the like: page_seconds count by cookie there."
    )
    user_header: Header = told("", "A header by which a trusted proxy names the visitor.")

    @property
    def of_pages(self) -> int:
        """So many processes; one where visitors are not told apart, unless it is said."""
        cores = min(os.cpu_count() or 1, PORTS) if self.public else 1
        return self.processes or 1 << (cores.bit_length() - 1)

    def environment(self) -> dict[str, str]:
        """As app.py reads them again."""
        given = {name: getattr(self, name) for name in self.model_dump(exclude_defaults=True)}
        return {PREFIX + name.upper(): _text(value) for name, value in given.items()}


def _text(value: Any) -> str:
    if isinstance(value, Limits):
        given = value.model_dump(exclude_defaults=True)
        return ",".join(f"{name}={number}" for name, number in given.items())
    return ",".join(value) if isinstance(value, tuple) else str(value)


def streamlit_options(settings: Settings) -> dict[str, Any]:
    """What Streamlit is told of them; app.py reads the rest."""
    return {
        "server.headless": True,
        "logger.hideWelcomeMessage": True,  # what `serve` says is the whole of it
        "server.address": settings.address,
        "server.port": settings.port,
        "server.baseUrlPath": settings.base_path,
        **({"logger.messageFormat": "%(message)s"} if settings.log == "json" else {}),
        **({"server.maxUploadSize": settings.limits.upload_megabytes} if settings.public else {}),
        # it compares the bare address
        "server.allowedHosts": [name.strip("[]") for name in settings.hosts],
        "server.corsAllowedOrigins": list(settings.origins),
    }


def gathered(
    options: Mapping[str, Any], environment: Mapping[str, str], file: Path | None = None
) -> Settings:
    """The settings of a server: options before the environment before the file.

    Raises:
        SettingsError: naming the setting and where it stands.
    """
    named = environment.get(FILE)
    chosen = file or (Path(named) if named else None)
    sources = {
        **({str(chosen): _of_file(chosen)} if chosen else {}),
        "the environment": _of_environment(environment),
        "the options": {name: value for name, value in options.items() if value is not None},
    }
    merged: dict[str, Any] = {}
    for source, values in sources.items():
        _checked(values, source)
        merged |= values
    return _behind_a_proxy(_checked(merged, "the settings"))


def of_environment(environment: Mapping[str, str]) -> Settings:
    """What a server was handed; raises SettingsError."""
    return _behind_a_proxy(_checked(_of_environment(environment), "the environment"))


def _behind_a_proxy(chosen: Settings) -> Settings:
    if chosen.public and not chosen.trusted_proxy:
        raise SettingsError(NO_PROXY)
    if chosen.processes > 1 and not chosen.trusted_proxy:
        raise SettingsError(NOT_SHARED)
    return chosen


def _of_environment(environment: Mapping[str, str]) -> dict[str, str]:
    names = {name: PREFIX + name.upper() for name in Settings.model_fields}
    return {name: environment[key] for name, key in names.items() if environment.get(key)}


def _of_file(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:  # no TOML, or too much of it
        raise SettingsError(f"{path}: cannot be read: {error}") from None


def _checked(values: Mapping[str, Any], source: str) -> Settings:
    if unknown := set(values) - set(Settings.model_fields):
        known = ", ".join(Settings.model_fields)
        raise SettingsError(f"{source}: there is no setting {sorted(unknown)[0]!r}; known: {known}")
    try:
        return Settings(**values)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        why = first["msg"].removeprefix("Value error, ")
        raise SettingsError(f"{source}: {place}: {why}") from None
