"""The kernel and the scripts of its threads, as texts that a browser unpacks (components/here/).

A page says them with what it offers to train; a file says them once, in scripts of their own, which
all files of a site share.
"""

import base64
import gzip
from collections.abc import Mapping
from functools import cache
from typing import Any

from explorer.engine.home import WASM
from explorer.ui.components import HERE as COMPONENTS
from explorer.ui.components import modules


@cache
def engine(thread: str = "worker") -> dict[str, str]:
    """The kernel, and the script of the thread that runs it: a module of components/here/."""
    script = modules.bare(modules.joined(COMPONENTS / "here" / f"{thread}.js"))
    texts = {"wasm": WASM.read_bytes(), "script": script.encode()}
    packed = {name: gzip.compress(data, mtime=0) for name, data in texts.items()}
    return {"thread": thread} | {k: base64.b64encode(data).decode() for k, data in packed.items()}


def without(header: Mapping[str, Any]) -> dict[str, Any]:
    """What is offered, for a file that has `scripts` of its thread."""
    return {name: value for name, value in header.items() if name not in ("wasm", "script")}


def scripts(thread: str) -> str:
    """The markup of a file by which its pictures find kernel and thread."""
    texts = engine(thread)
    said = {"wasm": texts["wasm"], thread: texts["script"]}
    return "".join(
        f'<script>(globalThis.__explorerEngine ??= {{}}).{name} = "{text}";</script>\n'
        for name, text in said.items()
    )
