"""What every canvas draws, in both themes, as text that a test compares.

`PYTHONPATH=. python tests/write_pictures.py` writes the files of `tests/pictures` anew; look at
what `git diff` says of them. `test_page_file.py` says whether they are what the canvases draw.
It also writes what the first page is given, which is shipped: `test_first_picture.py` compares it.
"""

import base64
import gzip
import json
import os
import re
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from file_parts import parts_of

from explorer.charts import palette
from explorer.pages.design.view_gallery import gallery_drawing
from explorer.runs.frames import pack
from explorer.ui import components, first, page_file
from explorer.ui.pages import FIRST
from explorer.ui.shown import Shown

HERE = Path(__file__).resolve().parent
FOLDER = HERE / "pictures"
SECONDS = 120

ADDRESSES = {
    "design": {},
    "design at τ = 64": {"spec": '{"tau":64,"left_basis":"haar","right_basis":"haar","m_h":32}'},
    "design of a list": {"spec": '{"spectrum":"list","sigma":[1,0.3,0.5,0],"m_h":2}'},
    "design by a formula": {"spec": '{"formula":"exp(-4*abs(u-v))"}', "view": '{"map":"residual"}'},
    "design with Theorem 4.1": {"view": '{"ff":7.0}'},
    "design with slices": {"view": '{"several":"u1*v1 + 3*u2**2*v2 - abs(u1 - v1)"}'},
    "train": {},
    "train against a pinned run": {"run": "asset-train", "pin": "asset-design", "at": "300"},
    "train of a spectrum without a run": {"spec": '{"rank":3,"m_h":2,"seed":77}'},
    "rates": {},
    "attention": {},
    "attention of a centre of gravity": {"spec": '{"target":"cog"}'},
    "attention of qSA": {"spec": '{"target":"qsa"}'},
    "order": {},
    "order of a coupling": {"run": "asset-order-coupling"},
    "order through a filter": {"run": "asset-order-filter-conv"},
    "memory": {},
    "memory of heads alone": {"run": "asset-memory-kernel"},
    "real": {},
    "real of a head": {"real": '{"model":"vit","centred":true,"layer":3,"head":2,"k":8}'},
}
"""Parameters of pages, by the name of the picture, which begins with that of the page."""
PATCHES = {"subject": [], "tokens": [*"abcd"], "order": [1, 0, 2, 3], "name": None, "head": ""}
PIXELS = 255 * np.linspace(0, 1, 16).reshape(4, 4)
ALONE = {
    "gallery": ("gallery", {"data": pack(*gallery_drawing())}),
    "patches in another order": ("reorder", {"data": pack(PATCHES, {"pixels": PIXELS})}),
}
"""Pictures that no file of a page has."""

Pictures = Mapping[str, tuple[str, dict[str, bytes]]]
"""By name, a component and what it is given and its runs say."""


def pictures_of(name: str, shown: Shown, html: bytes) -> Pictures:
    """The pictures of a page, and of the file that is made of it."""
    parts = parts_of(html.decode())
    more = {f"{name}, {of}": (of, parts | {"data": shown.given(of)}) for of in shown.more}
    return {name: (shown.component, parts), **more}


def themes() -> dict[str, dict[str, str]]:
    """The CSS variables of both themes."""
    common, *each = (dict(re.findall("(--[^:]*):([^;]*);", css)) for css in palette.css_variables())
    return {name: common | own for name, own in zip(("light", "dark"), each, strict=True)}


def drawn(pictures: Pictures, themes: Mapping, folder: Path = components.HERE) -> dict[str, str]:
    """What the components of a folder draw in these themes, as text, by the name of the picture."""
    coded = {
        name: {
            "component": component,
            "parts": {part: base64.b64encode(data).decode() for part, data in parts.items()},
        }
        for name, (component, parts) in pictures.items()
    }
    done = subprocess.run(
        ["node", str(HERE / "pictures.js")],
        input=json.dumps({"folder": str(folder), "themes": themes, "pictures": coded}),
        capture_output=True,
        check=False,
        encoding="utf-8",
        timeout=SECONDS,
    )
    assert not done.returncode, done.stderr
    return json.loads(done.stdout)


def file_of(name: str) -> Path:
    """Where a picture of this name is written."""
    return FOLDER / (re.sub(r"\W+", "-", name, flags=re.ASCII) + ".txt")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as home:
        os.environ["EXPLORER_HOME"] = home
        found = dict(ALONE)
        for name, params in ADDRESSES.items():
            shown = page_file.drawn(name.split()[0], params)
            found |= pictures_of(name, shown, page_file.html(shown))
            if name == FIRST:
                first.SHIPPED.write_bytes(gzip.compress(shown.data, mtime=0))
        FOLDER.mkdir(exist_ok=True)
        for file in FOLDER.iterdir():
            file.unlink()
        for name, text in drawn(found, themes()).items():
            file_of(name).write_text(text, "utf-8")
