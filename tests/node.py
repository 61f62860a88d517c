"""One process of Node for all tests: starting one costs more than what most of them ask of it."""

import json
import subprocess
import threading
from pathlib import Path

from explorer.ui.components import script_of
from explorer.ui.components.modules import module_files

SECONDS = 60
"""The longest that one call may take."""

ANSWER = """
import { createInterface } from "node:readline";
for await (const line of createInterface({ input: process.stdin })) {
  const { files, body, values } = JSON.parse(line);
  let answer;
  try {
    const modules = await Promise.all(files.map((file) => import(file)));
    const called = new Function("c", ...Object.keys(values), `"use strict"; ${body}`);
    answer = { value: called(Object.assign({}, ...modules), ...Object.values(values)) };
  } catch (error) {
    answer = { error: error.stack ?? String(error) };
  }
  process.stdout.write(JSON.stringify(answer) + "\\n");
}
process.exit();  // whatever a component still waits for
"""


class Node:
    """Runs bodies of JavaScript functions beside what a component's modules export."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.process = None

    def __call__(self, component: str, body: str, **values):
        """What the body returns, as JSON; in it `c` holds what the component's modules export."""
        return self._called([*module_files(script_of(component))], body, values)

    def exports(self, module: Path) -> list[str]:
        """The names that one module exports."""
        return self._called([module], "return Object.keys(c)", {})

    def _called(self, files: list[Path], body: str, values: dict):
        if self.process is None or self.process.poll() is not None:
            self._start()
        asked = {"files": [file.as_uri() for file in files], "body": body, "values": values}
        patience = threading.Timer(SECONDS, self.process.kill)
        patience.start()
        try:
            self.process.stdin.write(json.dumps(asked) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        finally:
            patience.cancel()
        assert line, f"node ended, or took {SECONDS} s"
        answer = json.loads(line)
        assert "error" not in answer, answer["error"]
        return answer["value"]

    def _start(self) -> None:
        self.process = subprocess.Popen(
            ["node", "--input-type=module", "--eval", ANSWER],
            cwd=self.folder,
            text=True,
            encoding="utf-8",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def stop(self) -> None:
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait(SECONDS)
            self.process.stdout.close()
