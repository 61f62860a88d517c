"""What becomes of the made-up task of made_up_task.py, as one JSON object. Run in a copy of the
explorer in which that file lies among the tasks."""

import json
from pathlib import Path

from explorer.runs.frames import unpack
from explorer.spec import compact, schema
from explorer.targets import KINDS, PRESETS, TASKS, parse, parse_sweep, task_of

ROOT = Path(__file__).resolve().parent


def shipped():
    """Its head of a few steps, made as every file of assets/ is; the run."""
    from explorer.cli import assets
    from explorer.runs import archive

    file = assets.FOLDER / "attention-made-up.zip"
    assets.assets([file.name], assets.FOLDER)
    return archive.read(file).row


def summary(row):
    from explorer.theory import tasks

    rows = [row.metrics | {"status": "finished", "seed": 0, "m_h": row.spec.m_h}]
    sweep = parse_sweep({**json.loads(compact(row.spec)), "m_h": [row.spec.m_h]})
    return tasks.group_lines(tasks.summary(sweep, rows)["groups"])


def page(spec):
    from streamlit.testing.v1 import AppTest

    from explorer.ui import controls, mathematics

    at = AppTest.from_file(ROOT / "explorer" / "ui" / "shell.py", default_timeout=120)
    at.session_state[mathematics.OPEN] = True
    at.session_state[f"unfolded {controls.PAPER}"] = True
    at.query_params["spec"] = compact(spec)
    at.switch_page("../../pages/attention.py").run()
    assert not at.exception, [error.value for error in at.exception]
    (drawn,) = [node.proto.bytes for node in at.get("bidi_component") if node.proto.bytes]
    return {
        "words": [each.value for each in (*at.markdown, *at.caption, *at.warning, *at.info)],
        "target": unpack(drawn)[0]["task"]["target"],
    }


def main():
    from explorer.pages.attention import view as attention
    from explorer.pages.runs import view as runs
    from explorer.ui.components import script_of
    from explorer.ui.components.modules import joined

    before = page(parse({"target": "made-up"}))
    row = shipped()
    spec = row.spec
    answer = {
        "kinds": [*KINDS],
        "tasks": [kind.page.label for kind in TASKS.values()],
        "compact": compact(spec),
        "target": schema(KINDS["made-up"].Spec)["properties"]["target"]["const"],
        "preset": PRESETS["made-up"][0],
        "status": row.status,
        "metrics": row.metrics,
        "width": task_of(spec).sufficient_width,
        "summary": summary(row),
        "words": runs.design_words(spec),
        "numbers": attention.task_in_numbers(spec),
        "verdict": attention.verdict(row),
        "facts": attention.facts(row),
        "before": before,
        "page": page(spec),
        "line": (ROOT / "assets" / "README.md").read_text("utf-8"),
        "script": joined(script_of("attention")),
    }
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
