"""`serve`: the pages in a browser, with the settings of hosting/settings.py."""

import errno
import os
import socket
import sys
from contextlib import suppress
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from pydantic.fields import FieldInfo

from explorer.cli.common import AsJson, say
from explorer.folder import resource
from explorer.hosting.settings import Limits, Settings, SettingsError, gathered, streamlit_options
from explorer.runs.database import StoreError
from explorer.runs.store import Store

MORE = {
    tuple: " Several are separated by commas.",
    Limits: " Their defaults: " + ", ".join(f"{name}={n}" for name, n in Limits()) + ".",
}
"""What an option says of the text it takes, by what its setting is."""


def _option(name: str, field: FieldInfo) -> Parameter:
    """The option of a setting; None where it is not given."""
    kind = field.annotation if field.annotation in (int, float, bool) else str
    words = f"{field.description}{MORE.get(type(field.default), '')}"
    option = typer.Option(f"--{name.replace('_', '-')}", help=words)
    annotation = Annotated[kind | None, option]
    return Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def serve(
    settings: Annotated[Path | None, typer.Option(help="A TOML file with these settings.")] = None,
    *,
    as_json: AsJson = False,
    **options: Any,
) -> None:
    """Serve the pages; the first line of output is their address.

    Options override the environment (EXPLORER_PORT for --port), which overrides the TOML file.
    """
    chosen = gathered(options, os.environ, settings)
    check_address(chosen.address, chosen.port)
    if chosen.public:
        check_home(chosen.home)
    url = f"http://{chosen.address}:{chosen.port}/{chosen.base_path}"
    answer = {"url": url, **chosen.model_dump(exclude={"secret"})}
    say(answer, as_json or chosen.log == "json", [f"{url} (Ctrl-C ends it)"])
    _become(chosen)


_own = signature(serve, eval_str=True).parameters
_settings = [_option(name, field) for name, field in Settings.model_fields.items()]
vars(serve)["__signature__"] = Signature([_own["settings"], *_settings, _own["as_json"]])


def _become(chosen: Settings) -> NoReturn:
    """Go on as the server with these settings."""
    open_more_files()
    sys.stdout.flush()  # before this process becomes another
    os.chdir(resource())  # where .streamlit/ lies
    told = {"FORWARDED_ALLOW_IPS": ""}  # or uvicorn would forget from where a request comes
    environment = {**os.environ, **told, **chosen.environment()}
    os.execve(sys.executable, [sys.executable, "-m", *command(chosen)], environment)


def check_address(address: str, port: int) -> None:
    """Raises SettingsError for one on which this machine cannot listen; of a port in use Streamlit
    tells."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        socket.create_server((address, port), family=family).close()
    except (OSError, UnicodeError) as error:
        if getattr(error, "errno", None) != errno.EADDRINUSE:
            raise SettingsError(f"{address}:{port} cannot be listened on: {error}") from None


def open_more_files() -> None:
    """As many as the system lets this user have, since each socket is one and each session three:
    where 1024 are usual, 200 readers would be too many."""
    with suppress(ImportError, OSError, ValueError):  # Windows has no such limit
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def check_home(home: str) -> None:
    """Raises StoreError where no visitor could have a space, before anybody comes; `home` is ""
    for the user's own. Without spaces a folder that cannot be written is shown as it is."""
    store = Store(home or None)
    if store.read_only:
        raise StoreError(f"{store.home} cannot be written, and visitors' spaces are kept there")


def command(settings: Settings) -> list[str]:
    """By which this process becomes the server."""
    if settings.trusted_proxy and os.name != "nt":
        return ["explorer.hosting.page_parent"]
    flags = []
    for name, value in streamlit_options(settings).items():
        flags += [f"--{name}={each}" for each in (value if isinstance(value, list) else [value])]
    return ["streamlit", "run", str(resource("app.py")), *flags]
