"""ES modules joined into the one script that `st.components.v2` takes: users need no Node.

A module imports by name, `import { a, b } from "./x.js"`, and exports where it declares; only the
module of a component has a default export. Joined, all share one scope. What a browser would
refuse, or what would mean something else there, is a ValueError that names module and name.
"""

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.[^"]+)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?!default )", re.MULTILINE)
DEFAULT = re.compile(r"^export default ", re.MULTILINE)
DECLARATION = re.compile(r"^(export )?(?:async )?(?:function|class|const|let) (\w+)", re.MULTILINE)
COMMENT = re.compile(r"/\*\*.*?\*/", re.DOTALL)
UNREAD = re.compile(r"^(?:import\b|export (?:\{|\*)|var ).*", re.MULTILINE)
"""Forms at the start of a line that a browser knows and this reader does not."""


@dataclass(frozen=True)
class Module:
    """A file and what stands in it, read once."""

    file: Path
    script: str

    @property
    def name(self) -> str:
        return _name(self.file)

    @cached_property
    def imports(self) -> list[tuple[Path, set[str]]]:
        """Each import: from which other module, and what."""
        return [
            ((self.file.parent / path).resolve(), set(re.split(r"[,\s]+", names)) - {""})
            for names, path in IMPORT.findall(self.script)
        ]

    @cached_property
    def declared(self) -> list[tuple[str, str]]:
        """Its declarations: what stands before it where it is exported, and the name."""
        return DECLARATION.findall(self.script)

    @cached_property
    def exports(self) -> set[str]:
        return {name for export, name in self.declared if export}

    @cached_property
    def without_imports(self) -> str:
        return IMPORT.sub("", self.script)


def joined(entry: Path) -> str:
    """One script of the module `entry` and of all that it imports; it exports the entry's default.

    Raises:
        ValueError: where a module imports what another does not export, modules import each other,
            two declare one name, or a line is not read here.
    """
    modules = module_files(entry)
    declared: dict[str, Module] = {}
    for module in modules.values():
        _check(module, modules, declared)
        if module.file != entry.resolve() and DEFAULT.search(module.script):
            raise ValueError(f"{module.name}: only the module of a component has a default export")
    return "\n".join(EXPORT.sub("", module.without_imports) for module in modules.values())


def bare(script: str) -> str:
    """The same script without comments and indentation, which no file has to carry: comments are
    /** … */ and lines that begin with //. What lies within a template stays as it is."""
    lines, within = [], False
    for line in COMMENT.sub("", script).splitlines():
        text = line.strip()
        if within or (text and not text.startswith("//")):
            lines.append(line if within else text)
            within ^= line.count("`") % 2 == 1
    return "\n".join(lines)


def module_files(entry: Path) -> dict[Path, Module]:
    """The module `entry` and all that it imports, each after those that it imports itself.

    Raises:
        ValueError: where modules import each other, or one that is not there.
    """
    modules: dict[Path, Module] = {}
    _visit(entry.resolve(), (), modules)
    return modules


def _visit(file: Path, path: tuple[Path, ...], done: dict[Path, Module]) -> None:
    if file in path:
        cycle = map(_name, [*path[path.index(file) :], file])
        raise ValueError(f"modules import each other: {' → '.join(cycle)}")
    if not file.is_file():
        raise ValueError(f"{_name(path[-1])} imports {_name(file)}, which is not there")
    if file not in done:
        module = _read(file, file.stat().st_mtime_ns)
        for other, _ in module.imports:
            _visit(other, (*path, file), done)
        done[file] = module


@lru_cache(maxsize=256)
def _read(file: Path, _written: int) -> Module:
    """A module as it was written then: most are parts of several components."""
    return Module(file, file.read_text("utf-8"))


def _check(module: Module, modules: dict[Path, Module], declared: dict[str, Module]) -> None:
    for line in UNREAD.findall(module.without_imports):
        raise ValueError(f"{module.name}: {line!r} is no import or export that is read here")
    for file, names in module.imports:
        other = modules[file]
        if missing := names - other.exports:
            raise ValueError(f"{module.name}: {other.name} does not export {sorted(missing)}")
    for _, name in module.declared:
        if name in declared:
            raise ValueError(f"{declared[name].name} and {module.name} both declare {name}")
        declared[name] = module


def _name(file: Path) -> str:
    return f"{file.parent.name}/{file.name}"
