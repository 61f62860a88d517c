"""What the commands share: their options, how they answer, what they read."""

import json
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer

from explorer.runs import devices
from explorer.runs.store import Store
from explorer.spec import AnySpec, AnySweep, SpecError
from explorer.targets import PRESETS, SWEEPS, parse, parse_sweep

INTERRUPTED = 130
"""The exit code after Ctrl-C."""

AsJson = Annotated[bool, typer.Option("--json", help="One JSON object alone on stdout.")]
Device = Annotated[str, typer.Option(help="auto, cpu or cuda.")]


def say(answer: dict[str, Any], as_json: bool, lines: list[str]) -> None:
    print(json.dumps(answer, ensure_ascii=False) if as_json else "\n".join(lines))


def need(package: str, what: str) -> None:
    """Raises SpecError where a package is not installed: a wheel is without what is about the
    source tree."""
    if find_spec(package) is None:
        raise SpecError(f"{what} are part of the source tree, and are not installed here")


def need_benches() -> None:
    """Raises SpecError where the benches are not installed."""
    need("explorer.bench", "the benches")


def counted(what: str) -> Callable[[int, int], None]:
    """Shows on a terminal how many are done of all."""

    def show(done: int, count: int) -> None:
        if sys.stderr.isatty():
            end = "\n" if done == count else ""
            print(f"\r{done} of {count} {what}", end=end, file=sys.stderr, flush=True)

    return show


def spec_from(source: str) -> AnySpec:
    """A specification from JSON itself, stdin, a preset's name or a file."""
    if source in PRESETS and not Path(source).exists():
        return PRESETS[source][1]
    return parse(_json(source))


def sweep_from(source: str) -> AnySweep:
    """A sweep, likewise."""
    if source in SWEEPS and not Path(source).exists():
        return SWEEPS[source][1]
    return parse_sweep(_json(source))


def _json(source: str) -> str:
    """JSON itself, or what stdin or a file holds."""
    if source.lstrip().startswith("{"):
        return source
    try:
        return sys.stdin.read() if source == "-" else Path(source).read_text("utf-8")
    except UnicodeDecodeError:
        raise SpecError(f"{source}: not a text file; a specification is JSON") from None


def grid_of(spec: AnySpec):
    """How the samples of a specification are fetched; the store is opened only for those."""
    return Store().grid if spec.grid else None


def torch_device(wish: str) -> str:
    """The device's name for torch: the first of the kind."""
    return devices.name(devices.kind_of(wish), 0)


def device_of(spec: AnySpec | AnySweep, wish: str) -> str:
    """The same for a specification; says where it is not trained on the device wished for."""
    place = torch_device(wish)
    if not spec.by_kernel or place == "cpu":
        return place
    print(f"the kernel trains on the CPU: {place} is not used", file=sys.stderr)
    return "cpu"
