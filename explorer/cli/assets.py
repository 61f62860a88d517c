"""`python -m explorer assets`: the files of assets/, each made anew by one command.

A file comes from one preset, perhaps with a few fields changed: a run as an archive, a sweep as its
rows; or from a table of `reproduce` as its CSV. Its fingerprint is what a second making on the same
machine has again.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from explorer.cli import heavy
from explorer.cli.common import AsJson, need_benches, say
from explorer.cli.training import Workers, save
from explorer.folder import resource
from explorer.pretrained.catalogue import MODELS
from explorer.runs import archive, home
from explorer.runs.costs import duration
from explorer.runs.files import write_durably
from explorer.runs.store import Store
from explorer.spec import AnySpec, AnySweep, SpecError, amended, compact
from explorer.targets import PRESETS, SWEEPS, TASKS
from explorer.targets.shipped import RUNS
from explorer.targets.task import Shipped
from explorer.views.sweeps import Finished, numbers_text, of_text

FOLDER = resource("assets")
README = FOLDER / "README.md"
WINDOW = {"width": 1280, "height": 800}
MAPS = {"x": 311, "y": 192, "width": 959, "height": 514}
"""Of the window the two maps and the handle of m."""
WIDTHS_SHOWN = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 24, 16, 8, 4, 2)
FRAME_MILLISECONDS = 500


@dataclass(frozen=True)
class Making:
    """Where runs are kept, where the file goes, and how many processes train a sweep."""

    store: Store
    file: Path
    workers: int | None


@dataclass(frozen=True)
class Recipe:
    """How a file is made: of what preset, or for a table of what `reproduce` calls it."""

    name: str
    make: Callable[[Making, Recipe], None]
    changes: Mapping[str, Any] = field(default_factory=dict)
    """What differs from the preset."""

    @property
    def spec(self) -> AnySpec:
        """What a run is of."""
        return amended(PRESETS[self.name][1], **self.changes)

    @property
    def sweep(self) -> AnySweep:
        """What is trained for rows."""
        return amended(SWEEPS[self.name][1], **self.changes)


def _run(making: Making, recipe: Recipe, shipped: Shipped) -> None:
    """A run with as much of it as comes with the explorer."""
    asked, learned = heavy.reproduce.Request(making.store, making.file.parent), shipped.learned
    run = heavy.reproduce.trained(asked, recipe.spec).row.run
    only = {"weights_only": learned, "pictures": shipped.pictures}
    data = archive.export(making.store, run, checkpoint=learned, **only)
    write_durably(making.file, data)


def _sweep(making: Making, recipe: Recipe, optimum: bool = False) -> None:
    """The rows of a sweep with their floors, and with the rank-optimal kernels where asked for."""
    answer = heavy.reproduce.swept(making.store, recipe.sweep, "local", making.workers, "cpu")
    if answer["status"] == "stopped":
        raise KeyboardInterrupt
    if optimum:
        answer["optimum"] = heavy.reproduce.rank_optimal(making.store, recipe.sweep)
    save(recipe.sweep, answer, making.file)


def _figure(making: Making, recipe: Recipe) -> None:
    """The CSV of a table, or the .npz of a figure of real models: spectra or losses, which needs
    them fetched."""
    out = making.store.home / f"reproduce-{recipe.name}"
    asked = heavy.reproduce.Request(making.store, out, workers=making.workers)
    heavy.reproduce.reproduce(recipe.name, asked)
    write_durably(making.file, (out / f"{recipe.name}{making.file.suffix}").read_bytes())


def _heads(making: Making, recipe: Recipe) -> None:
    """The heads of a model on one example; needs it fetched."""
    write_durably(making.file, heavy.probe.example_file(home.models(), recipe.name))


def _moving_picture(making: Making, recipe: Recipe) -> None:
    """The page that opens first while m is dragged, as a reader without runs sees it; needs a
    Chromium."""
    need_benches()
    bench, image = heavy.serving, heavy.Image
    with bench.home() as store, bench.server(store) as (address, _), bench.chromium() as browser:
        shown = browser.new_page(viewport=WINDOW)
        shown.goto(address)
        shown.wait_for_function(f"() => {heavy.page.DESIGN}")
        shown.wait_for_load_state("networkidle")
        handle = shown.get_by_role("slider", name="Width m of the head")
        frames = []
        for m in WIDTHS_SHOWN:
            handle.fill(str(m))
            shown.evaluate("() => new Promise((drawn) => setTimeout(drawn, 300))")
            frames.append(image.open(io.BytesIO(shown.screenshot(clip=MAPS))).convert("RGB"))
    palette = frames[len(frames) // 2].quantize(128)
    first, *others = (frame.quantize(palette=palette, dither=0) for frame in frames)
    how = {"append_images": others, "duration": FRAME_MILLISECONDS, "loop": 0, "optimize": True}
    first.save(making.file, save_all=True, **how)


def _talk_pictures(making: Making, recipe: Recipe) -> None:
    """What the deck of the shipped talk draws of its scenes, small; needs a Chromium."""
    need_benches()
    with TemporaryDirectory() as folder, heavy.serving.chromium() as browser:
        file = Path(folder) / "talk.html"
        talk = heavy.decks.load(heavy.decks.OURS)
        write_durably(file, heavy.deck.build(talk))
        page = browser.new_page(viewport=WINDOW)
        page.goto(file.as_uri())
        page.wait_for_function("() => window.__explorerStage?.handout.isDrawn", timeout=0)
        drawn = page.evaluate("JSON.parse(localStorage.getItem('explorer-talk-pictures'))")
    pages = [scene.id for scene in talk.scenes if scene.id in drawn]
    lines = [json.dumps({"id": name, "image": drawn[name]}) for name in pages]
    write_durably(making.file, "\n".join([*lines, ""]).encode())


RECIPES: dict[str, Recipe] = {
    "design.png": Recipe("design", _moving_picture),
    "talk-pictures.jsonl": Recipe("talk", _talk_pictures),
    **{
        f"{name}.zip": Recipe(run.preset, partial(_run, shipped=run), run.changes)
        for name, run in RUNS.items()
    },
    "train-parts.csv": Recipe("parts", _figure),
    "rates-fig1.json": Recipe("fig1", partial(_sweep, optimum=True)),
    "rates-diagonal.json": Recipe("rates-diagonal", _sweep),
    "rates-paper.json": Recipe("rates-paper", _sweep),
    "rates-printed.json": Recipe("rates-printed", _sweep),
    "rates-finite.json": Recipe("rates-finite", _sweep),
    "rates-budget.json": Recipe("rates-budget", _sweep),
    **{
        f"attention-width-{name}.json": Recipe(sweep.preset, _sweep)
        for kind in TASKS.values()
        for name, sweep in kind.page.width_sweeps.items()
    },
    "attention-without-aux.csv": Recipe("without-aux", _figure),
    "order-units-exponential.json": Recipe("order-units-exponential", _sweep),
    "order-units-power.json": Recipe("order-units-power", _sweep),
    "order-units-random.json": Recipe("order-units-random", _sweep),
    "order-table2.csv": Recipe("table2", _figure),
    "order-table3.csv": Recipe("table3", _figure),
    "order-prop62.csv": Recipe("prop62", _figure),
    "order-best-filter.csv": Recipe("best-filter", _figure),
    "order-memory-functions.csv": Recipe("memory-functions", _figure),
    "real-fig3.json": Recipe("fig3", _sweep),
    "real-table1.csv": Recipe("table1", _figure),
    "real-fig2.npz": Recipe("fig2", _figure),
    "real-rank-cut.csv": Recipe("rank-cut", _figure),
    "real-rank-cut.npz": Recipe("rank-cut", _figure),
    "real-kinds.csv": Recipe("rank-cut-kinds", _figure),
    "real-words.csv": Recipe("words", _figure),
    **{f"real-heads-{name}.npz": Recipe(name, _heads) for name in MODELS},
    "memory-depth.csv": Recipe("memory-depth", _figure),
    "memory-heads.csv": Recipe("memory-heads", _figure),
    "memory-encodings.csv": Recipe("memory-encodings", _figure),
    "real-table1-language.csv": Recipe("table1-language", _figure),
}
"""Every file of assets/ but its README."""


def assets(
    names: Annotated[list[str] | None, typer.Argument(help="Files; default: lists them.")] = None,
    out: Annotated[Path, typer.Option(help="The folder they go to.")] = FOLDER,
    workers: Workers = None,
    as_json: AsJson = False,
) -> None:
    """Make files of assets/ anew; a finished run in the store is taken as it is. Prints what the
    table in assets/README.md says of them, and writes it there."""
    unknown = set(names or ()) - set(RECIPES)
    if unknown:
        raise SpecError(f"assets {', '.join(sorted(unknown))}: known are {', '.join(RECIPES)}")
    for name in names or ():
        RECIPES[name].make(Making(Store(), out / name, workers), RECIPES[name])
    files = [out / name for name in names or RECIPES]
    descriptions = {file.name: described(file) for file in files if file.exists()}
    lines = {name: line(name, description) for name, description in descriptions.items()}
    if names and out == FOLDER:
        text = with_lines(README.read_text("utf-8"), lines, _commit())
        write_durably(README, text.encode())
    say({"files": descriptions}, as_json, [*lines.values()])


def with_lines(text: str, made: Mapping[str, str], commit: str) -> str:
    """The text of assets/README.md with these lines in its table, in the order of `RECIPES`; the
    commit is that of the files whose line is another now."""
    rows = {row.split(" ")[1]: row for row in text.splitlines() if row.startswith("| ")}
    lines = {name: row for name, row in rows.items() if name in RECIPES}
    for name, cells in made.items():
        if not lines.get(name, "").startswith(cells):
            lines[name] = f"{cells} {commit} |"
    before, head, rest = text.partition("|---|---|---|---|---|---|\n")
    after = rest[rest.index("\n\n") :]
    return before + head + "\n".join(lines[name] for name in RECIPES if name in lines) + after


def _commit() -> str:
    """The commit of the code that makes the files; "–" outside a checkout."""
    asked = ["git", "rev-parse", "--short=7", "HEAD"]
    try:
        return subprocess.run(
            asked, cwd=FOLDER, capture_output=True, text=True, check=True
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "–"


def described(file: Path) -> dict[str, str]:
    """What the table in assets/README.md says of a file: of, seeds, time, fingerprint.

    `time` is what training took, added up over all that was trained; "–" where it is not known.
    """
    recipe = RECIPES[file.name]
    changes = ", ".join(f"{name} = {value}" for name, value in recipe.changes.items())
    seeds, seconds, print_ = "–", None, "–"
    if file.suffix == ".zip":
        row = archive.read(file).row
        seeds, seconds, print_ = str(row.spec.seed), row.seconds, row.outcome["weights_sha256"]
    elif file.suffix == ".json":
        finished = of_text(file.read_text("utf-8"))
        seeds = numbers_text(finished.sweep.seed)
        seconds = sum(row["seconds"] for row in finished.rows)
        print_ = hashlib.sha256(_lasting(finished)).hexdigest()
    elif file.suffix in (".csv", ".npz"):
        seeds = _seeds(file)
        print_ = hashlib.sha256(file.read_bytes()).hexdigest()
    return {
        "of": f"`{recipe.name}`" + (f" with {changes}" if changes else ""),
        "seeds": seeds,
        "time": "–" if seconds is None else duration(seconds),
        "fingerprint": print_[:12],
    }


def _seeds(file: Path) -> str:
    """Those of a table of trainings; others have none."""
    if file.suffix != ".csv":
        return "–"
    with file.open(encoding="utf-8", newline="") as lines:
        seeds = {int(row["seed"]) for row in csv.DictReader(lines) if "seed" in row}
    return numbers_text(sorted(seeds)) if seeds else "–"


def _lasting(finished: Finished[AnySweep]) -> bytes:
    """A sweep and its rows without what differs when it is made again: time and device."""
    rows = [
        {name: value for name, value in row.items() if name not in ("seconds", "device")}
        for row in finished.rows
    ]
    return (compact(finished.sweep) + json.dumps(rows, sort_keys=True)).encode()


def line(name: str, description: Mapping[str, str]) -> str:
    """A file's line of the table in assets/README.md, but for the commit."""
    return f"| {name} | {' | '.join(description.values())} |"
