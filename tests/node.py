"""One process of Node for all tests: starting one costs more than what most of them ask of it."""

import json
import re
import subprocess
import threading
from pathlib import Path

from explorer.ui.components import source

SECONDS = 60
"""The longest that one call may take."""

# The module is evaluated anew for each call, so that none sees what another left in it.
ANSWER = """
import { createInterface } from "node:readline";
let calls = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const { file, body, values } = JSON.parse(line);
  let answer;
  try {
    const c = await import(`${file}?${calls++}`);
    const called = new Function("c", ...Object.keys(values), `"use strict"; ${body}`);
    answer = { value: called(c, ...Object.values(values)) };
  } catch (error) {
    answer = { error: error.stack ?? String(error) };
  }
  process.stdout.write(JSON.stringify(answer) + "\\n");
}
"""


class Node:
    """Runs bodies of JavaScript functions beside a component's own functions."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.process = None

    def __call__(self, component: str, body: str, **values):
        """What the body returns, as JSON; in it `c` holds the component's functions."""
        if self.process is None or self.process.poll() is not None:
            self._start()
        asked = {"file": self._module(component).as_uri(), "body": body, "values": values}
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

    def _module(self, component: str) -> Path:
        module = self.folder / f"{component}.mjs"
        if not module.exists():
            script = source(component)["js"]
            names = re.findall(r"^(?:async )?(?:function|class|const) (\w+)", script, re.MULTILINE)
            module.write_text(f"{script}\nexport {{ {', '.join(names)} }};\n", "utf-8")
        return module

    def stop(self) -> None:
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait(SECONDS)
            self.process.stdout.close()
