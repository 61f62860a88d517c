"""The command line, `python -m explorer`: the same specifications and runs as the pages.

Every command takes --json: one JSON object alone on stdout, messages on stderr. It exits 0 only on
success, and bad input gets one readable line.
"""

import io
import json
import sys

import typer

from explorer.cli import (
    architectures,
    assets,
    checked,
    hosting,
    html,
    models,
    runs,
    serve,
    theory,
    training,
)
from explorer.coupling import FormulaError, GridError
from explorer.engine import EngineError
from explorer.hosting.settings import SettingsError
from explorer.hosting.visitors import WordError
from explorer.pretrained.catalogue import ModelError
from explorer.runs.archive import ArchiveError
from explorer.runs.database import StoreError
from explorer.runs.devices import DeviceError
from explorer.runs.sweeps import SweepError
from explorer.spec import SpecError

COMMANDS = {  # in the order of --help
    "spec": theory.spec_,
    "pod": theory.pod_,
    "floor": theory.floor,
    "width": theory.width,
    "architectures": architectures.architectures,
    "race": architectures.race,
    "train": training.train,
    "sweep": training.sweep,
    "reproduce": training.reproduce_,
    "serve": serve.serve,
    "export-page": html.export_page,
    "site": html.site,
    "paper": checked.paper,
    "claims": checked.claims,
    "assets": assets.assets,
    "bench": training.bench_,
}
BAD_INPUT = (
    SpecError,
    FormulaError,
    GridError,
    StoreError,
    ArchiveError,
    DeviceError,
    SweepError,
    ModelError,
    SettingsError,
    WordError,
    EngineError,
    OSError,
    UnicodeError,
    MemoryError,
)

app = typer.Typer(
    help="Which sequence relationships can one attention head approximate, and how fast?",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
GROUPS = {
    "runs": (
        "The runs of this store.",
        (runs.list_, runs.show, runs.resume, runs.export, runs.import_, runs.delete, runs.check),
    ),
    "models": (
        "Models that others have trained.",
        (models.list_, models.fetch, models.import_, models.remove),
    ),
    "store": (
        "The store as a whole, while it is used.",
        (runs.check_store, runs.compact_store, runs.backup),
    ),
    "talk": ("A talk of scenes of the pages.", (html.build,)),
    "words": (
        "Words by which a class trains here.",
        (hosting.add, hosting.list_words, hosting.revoke),
    ),
    "visitors": (
        "Visitors of a server for the public.",
        (hosting.list_visitors, hosting.block, hosting.unblock, hosting.remove),
    ),
}
"""Their functions begin with the names of the commands: `words list` is list_words."""
for name, command in COMMANDS.items():
    app.command(name)(command)
for group, (about, commands) in GROUPS.items():
    of_group = typer.Typer(help=about, no_args_is_help=True)
    app.add_typer(of_group, name=group)
    for command in commands:
        of_group.command(command.__name__.partition("_")[0])(command)


def main(called: str = "python -m explorer") -> None:
    """Run a command; what is wrong with its input is said in one line, with exit code 2.

    Arguments are bytes, and need not be text: what is not is said as \\udc and its two digits.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a caller may have put another in its place
            stream.reconfigure(errors="backslashreplace")
    try:
        app(prog_name=called)
    except BAD_INPUT as error:
        message = str(error)
        if isinstance(error, MemoryError):  # zlib and NumPy each say of it what they like
            message = "this machine has not enough memory for that"
        if isinstance(error, OSError) and error.filename:
            message = f"{error.filename}: {error.strerror}"
        if "--json" in sys.argv:
            print(json.dumps({"error": message}, ensure_ascii=False))
        print(f"error: {message}", file=sys.stderr)
        sys.exit(2)
