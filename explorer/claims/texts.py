"""What a reader is told, by the file it stands in: documents, the talk, sentences in code."""

import ast
import json
import re
from collections.abc import Iterator
from functools import cache

from explorer.folder import resource
from explorer.pages.talk.scenes import plain
from explorer.paper import ITEMS

ROOT = resource()
DOCUMENTS = ("README.md", "docs/pages.md")
TALK = "assets/talk.json"
PAPER = "explorer/paper"
"""What About says of each line of the papers."""
CODE = (
    *(f"{room}/**/*.py" for room in ("families", "targets", "views", "charts", "ui", "pages")),
    "hosting/page*.py",
)
"""Rooms of the package whose sentences pages, figures and the glossary are made of."""
_SPOKEN = {"title", "words", "notes", "what_if", "text"}
_LETTERS = re.compile(r"[^\W\d_]{2,}")
LEAST = 3
"""Words that make a sentence: less is a name, a unit or a label."""


@cache
def texts() -> dict[str, tuple[str, ...]]:
    """Texts by place, a path from the root of the project."""
    read: dict[str, tuple[str, ...]] = {
        place: (_flat((ROOT / place).read_text("utf-8")),) for place in DOCUMENTS
    }
    read[TALK] = tuple(_of_json(json.loads((ROOT / TALK).read_text("utf-8"))))
    read[PAPER] = tuple(item.says for item in ITEMS)
    for pattern in CODE:
        for path in sorted((ROOT / "explorer").glob(pattern)):
            sentences = tuple(_of_code(path.read_text("utf-8")))
            if sentences:
                read[path.relative_to(ROOT).as_posix()] = sentences
    for path in sorted((ROOT / "explorer/ui/components").rglob("*.js")):
        sentences = tuple(_of_script(path.read_text("utf-8")))
        if sentences and not path.name.endswith(".test.js"):
            read[path.relative_to(ROOT).as_posix()] = sentences
    return read


def _flat(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def _of_json(node: object, key: str = "") -> Iterator[str]:
    match node:
        case dict():
            for name, value in node.items():
                yield from _of_json(value, name)
        case list():
            for value in node:
                yield from _of_json(value, key)
        case str() if key in _SPOKEN:
            yield _flat(plain(node))


def _of_code(source: str) -> Iterator[str]:
    """Sentences among the literals of a module; what an f-string computes is left out as {}."""
    tree = ast.parse(source)
    silent = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            silent |= {id(part) for part in node.values}
        elif isinstance(node, ast.FormattedValue) and node.format_spec:
            silent.add(id(node.format_spec))
    for node in ast.walk(tree):
        if id(node) in silent:
            continue
        if isinstance(node, ast.JoinedStr):
            text = "".join(
                str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        else:
            continue
        if _is_sentence(text):
            yield _flat(text)


_STRINGS = re.compile(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`')
_COMMENTS = re.compile(r"/\*(?s:.*?)\*/|^\s*//.*$", re.MULTILINE)


def _of_script(source: str) -> Iterator[str]:
    """Sentences among the strings of a script of the browser, but style sheets."""
    for string, template in _STRINGS.findall(_COMMENTS.sub("", source)):
        text = re.sub(r"\$\{[^}]*\}", "{}", string or template)
        if _is_sentence(text) and not re.search(r"[\w-]+: [^;{}]*;", text):
            yield _flat(text)


def _is_sentence(text: str) -> bool:
    """Words, and neither LaTeX by itself nor an expression of Vega's."""
    formula = ("$" not in text and re.search(r"\\[a-zA-Z]{2,}", text)) or "datum." in text
    return " " in text and len(_LETTERS.findall(text)) >= LEAST and not formula
