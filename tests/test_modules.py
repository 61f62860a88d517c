"""Modules of JavaScript joined into one script, and what is refused."""

import json
import re
import shutil
import subprocess

import pytest

from explorer.ui.components import HERE, modules, script_of

COMPONENTS = (
    "head",
    "about",
    "attention",
    "design",
    "drop",
    "gallery",
    "link",
    "live",
    "memory",
    "order",
    "page",
    "rates",
    "real",
    "reorder",
    "slices",
    "theorem",
    "scenes",
    "shelved",
    "steps",
    "tour",
)
ENTRY = 'import { two } from "./b.js";\n\nexport default () => two();\n'
OTHER = "const one = 1;\n\nexport function two() {\n  return 2 * one;\n}\n"


def joined(folder, **scripts):
    """The modules of these names, written there and joined from `a` on."""
    for name, script in scripts.items():
        (folder / f"{name}.js").write_text(script, "utf-8")
    return modules.joined(folder / "a.js")


def test_modules_are_joined_after_what_they_import(tmp_path):
    b = OTHER.replace("export ", "")
    assert joined(tmp_path, a=ENTRY, b=OTHER) == b + "\n\nexport default () => two();\n"


def test_a_module_imported_twice_is_there_once(tmp_path):
    both = 'import { two } from "./b.js";\nimport { four } from "./d.js";\n'
    fourth = 'import {\n  two,\n} from "./b.js";\nexport const four = 2 * two();\n'
    script = joined(tmp_path, a=both, b=OTHER, d=fourth)
    assert script.count("function two") == 1 and script.index("two()") < script.index("four =")
    assert "import" not in script and "export" not in script


REFUSED = {
    "a name that is not exported": (
        {"a": 'import { one } from "./b.js";\n', "b": OTHER},
        r"/a\.js: .*/b\.js does not export \['one'\]",
    ),
    "a cycle": (
        {"a": ENTRY, "b": 'import { x } from "./a.js";\n' + OTHER},
        r"modules import each other: .*/a\.js → .*/b\.js → .*/a\.js",
    ),
    "a name of two modules": ({"a": ENTRY + "let one;\n", "b": OTHER}, "both declare one"),
    "a module that is not there": ({"a": ENTRY}, r"/a\.js imports .*/b\.js, which is not there"),
    "a renamed import": (
        {"a": 'import { two as zwei } from "./b.js";\n', "b": OTHER},
        r"does not export \['as', 'zwei'\]",
    ),
    "a whole module": ({"a": 'import * as b from "./b.js";\n', "b": OTHER}, "is no import or exp"),
    "a list of exports": ({"a": "const a = 1;\nexport { a };\n"}, "is no import or export"),
    "a default of a part": (
        {"a": ENTRY, "b": OTHER + "export default two;\n"},
        r"/b\.js: only the module of a component has a default export",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_a_browser_would_refuse_is_refused(tmp_path, case):
    scripts, message = REFUSED[case]
    with pytest.raises(ValueError, match=message):
        joined(tmp_path, **scripts)


@pytest.mark.parametrize("name", COMPONENTS)
def test_the_joined_script_runs(name, tmp_path, javascript):
    script = tmp_path / f"{name}.mjs"
    script.write_text(modules.joined(script_of(name)), "utf-8")
    assert javascript.exports(script) == ["default"]


def test_every_module_belongs_to_a_component():
    hosts = ("file", "stage", "first", "awaited")  # of a file, a talk, a document, a page
    threads = (HERE / "here" / name for name in ("worker.js", "watched.js"))
    alone = (*threads, HERE / "file" / "whole.js")
    entries = [*map(script_of, (*COMPONENTS, *hosts)), *alone]
    of_components = {file for entry in entries for file in modules.module_files(entry)}
    written = {file for file in HERE.rglob("*.js") if not file.name.endswith(".test.js")}
    assert of_components == written, "what no component imports is not served"


def test_what_is_exported_is_used():
    """By another module, or by a test."""
    scripts = {file: file.read_text("utf-8") for file in HERE.rglob("*.js")}
    tests = HERE.parents[2].joinpath("tests").rglob("*.*[ys]")
    words = {file: set(re.findall(r"\w+", script)) for file, script in scripts.items()}
    in_tests = {word for file in tests for word in re.findall(r"\w+", file.read_text("utf-8"))}
    for file, script in scripts.items():
        used = in_tests.union(*(words[other] for other in scripts if other != file))
        for export, name in modules.DECLARATION.findall(script):
            assert not export or name in used, f"{file.name}: {name}"


SAME_TREE = """
import { readFileSync } from "node:fs";
import { parse } from "acorn";
const tree = (script) =>
  JSON.stringify(parse(script, { ecmaVersion: "latest", sourceType: "module" }), (name, value) =>
    ["start", "end"].includes(name) ? undefined : typeof value === "bigint" ? `${value}n` : value,
  );
const [whole, bare] = JSON.parse(readFileSync(0));
console.log(tree(whole) === tree(bare));
"""
ACORN = HERE.parents[2] / "node_modules" / "acorn"


@pytest.mark.skipif(not ACORN.exists() or not shutil.which("node"), reason="no acorn")
@pytest.mark.parametrize("entry", [*COMPONENTS, "file", "stage", "here/worker"])
def test_a_bare_script_says_the_same(entry):
    """By the parser of another: what went are comments and spaces."""
    file = HERE / f"{entry}.js" if "/" in entry else script_of(entry)
    whole = modules.joined(file)
    bare = modules.bare(whole)
    assert is_same_tree(whole, bare) and not is_same_tree(whole, bare.replace("const", "let", 1))
    assert "/**" not in bare and len(bare) < 0.8 * len(whole)


def is_same_tree(whole, bare):
    node = ["node", "--input-type=module", "-e", SAME_TREE]
    asked = json.dumps([whole, bare])
    done = subprocess.run(
        node, input=asked, cwd=ACORN.parent, capture_output=True, text=True, check=True
    )
    return done.stdout == "true\n"


def test_what_lies_in_a_template_stays(tmp_path):
    script = "// why\nconst a = `\n  // text\n\n`;\n  /** @type {number} */\n  let b = 1;\n"
    assert modules.bare(script) == "const a = `\n  // text\n\n`;\nlet b = 1;"
