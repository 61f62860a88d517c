"""ES modules joined into the one script that `st.components.v2` takes: users need no Node.

A module imports by name, `import { a, b } from "./x.js"`, and exports where it declares; only the
module of a component has a default export. Joined, all share one scope. What a browser would
refuse, or what would mean something else there, is a ValueError that names module and name.
"""

import re
from pathlib import Path

IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.[^"]+)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?!default )", re.MULTILINE)
DEFAULT = re.compile(r"^export default ", re.MULTILINE)
DECLARATION = re.compile(r"^(export )?(?:async )?(?:function|class|const|let) (\w+)", re.MULTILINE)
UNREAD = re.compile(r"^(?:import\b|export (?:\{|\*)|var ).*", re.MULTILINE)
"""Forms at the start of a line that a browser knows and this reader does not."""


def module_files(entry: Path) -> list[Path]:
    """The module `entry` and all that it imports, each after those that it imports itself.

    Raises:
        ValueError: where modules import each other, or one that is not there.
    """
    done: dict[Path, None] = {}
    _visit(entry.resolve(), (), done)
    return list(done)


def joined(entry: Path) -> str:
    """One script of the module `entry` and of all that it imports; it exports the entry's default.

    Raises:
        ValueError: where a module imports what another does not export, modules import each other,
            two declare one name, or a line is not read here.
    """
    files = module_files(entry)
    declared: dict[str, Path] = {}
    for file in files:
        _check(file, declared)
        if file != files[-1] and DEFAULT.search(file.read_text("utf-8")):
            raise ValueError(f"{_name(file)}: only the module of a component has a default export")
    return "\n".join(EXPORT.sub("", IMPORT.sub("", file.read_text("utf-8"))) for file in files)


def _visit(file: Path, path: tuple[Path, ...], done: dict[Path, None]) -> None:
    if file in path:
        cycle = map(_name, [*path[path.index(file) :], file])
        raise ValueError(f"modules import each other: {' → '.join(cycle)}")
    if not file.is_file():
        raise ValueError(f"{_name(path[-1])} imports {_name(file)}, which is not there")
    if file not in done:
        for other, _ in _imports(file):
            _visit(other, (*path, file), done)
        done[file] = None


def _check(file: Path, declared: dict[str, Path]) -> None:
    script = file.read_text("utf-8")
    for line in UNREAD.findall(IMPORT.sub("", script)):
        raise ValueError(f"{_name(file)}: {line!r} is no import or export that is read here")
    for other, names in _imports(file):
        if missing := names - _exports(other):
            raise ValueError(f"{_name(file)}: {_name(other)} does not export {sorted(missing)}")
    for _, name in DECLARATION.findall(script):
        if name in declared:
            raise ValueError(f"{_name(declared[name])} and {_name(file)} both declare {name}")
        declared[name] = file


def _imports(file: Path) -> list[tuple[Path, set[str]]]:
    """Each import of a module: from which other, and what."""
    lines = IMPORT.findall(file.read_text("utf-8"))
    return [
        ((file.parent / path).resolve(), set(re.split(r"[,\s]+", names)) - {""})
        for names, path in lines
    ]


def _exports(file: Path) -> set[str]:
    return {name for export, name in DECLARATION.findall(file.read_text("utf-8")) if export}


def _name(file: Path) -> str:
    return f"{file.parent.name}/{file.name}"
