"""Decks that were made before: what a step of theirs shows need not be drawn again, as long as
code and store are as they were."""

import json
import re
from collections.abc import Iterable
from html import unescape
from pathlib import Path
from typing import Any

from explorer.pages.talk.axes import alone
from explorer.ui import page_file

OFFER = " offer"
"""After the name of a run: of the part by which a browser trains it."""
PICTURED = ("data", "runs", "badge", "address")
"""What a deck has of a picture, of a step or of what a slider turns to."""
DECK = re.compile(r"data-deck>(.*?)</script>", re.DOTALL)
PART = re.compile(r'<script type="text/plain" data-part="([^"]*)">([^<]*)</script>')


class Before:
    """The pictures in the decks of some folders that were made in this `state`, the newest first;
    without a folder none."""

    def __init__(self, folders: Iterable[Path] = (), state: str = ""):
        self.state = state
        self.pictures: dict[str, dict[str, Any]] = {}
        self.texts: dict[str, str] = {}
        self.offered: set[str] = set()
        """Pictures whose training was asked for, and is among the texts where a browser can."""
        files = [file for folder in folders for file in folder.glob("*.html")]
        for file in sorted(files, key=lambda file: file.stat().st_mtime, reverse=True):
            self._read(file.read_text("utf-8"))

    def _read(self, html: str) -> None:
        match = DECK.search(html)
        deck = json.loads(match[1]) if match else {}
        if deck.get("state") != self.state:
            return
        for scene in deck["scenes"]:
            for each in (*scene["steps"], *scene["ready"]):
                self.pictures.setdefault(each["id"], {name: each[name] for name in PICTURED})
            self.offered |= {step["id"] for step in scene["steps"] if step["live"]}
        self.texts |= {unescape(name): text for name, text in PART.findall(html)}

    def picture(self, name: str, *, trains: bool) -> dict[str, Any] | None:
        """What a page gave for a picture; None where no deck had it, or not what trains it."""
        picture = self.pictures.get(name)
        if picture is None or (trains and name not in self.offered):
            return None
        frame = b"".join(page_file.unpacked(self.texts[piece]) for piece in picture["data"])
        return {**picture, "data": alone(frame)}

    def runs(self, runs: list[str], *, trains: bool) -> dict[str, str]:
        """What stands in a file for runs, by name, and of the first by what it is trained."""
        all_of = tuple(f"{run} " for run in runs)
        offers = [f"{run}{OFFER}" for run in runs[: int(trains)]]
        return {
            name: text
            for name, text in self.texts.items()
            if name.startswith(all_of) and (not name.endswith(OFFER) or name in offers)
        }
