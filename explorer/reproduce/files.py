"""What a reproduction writes: a table and its picture."""

from pathlib import Path
from typing import Any

import pandas as pd

from explorer.charts.export import csv, export
from explorer.runs.files import write_durably


def written(
    out: Path, name: str, table: pd.DataFrame, chart: Any, title: str, footer: str
) -> list[str]:
    """Writes NAME.csv with a table and NAME.svg with a chart into a folder; the files' names."""
    picture = export(chart, "svg", title=title, footer=footer)
    files = {f"{name}.csv": csv(table), f"{name}.svg": picture}
    for file, data in files.items():
        write_durably(out / file, data)
    return list(files)
