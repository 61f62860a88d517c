"""What every test needs, and what several files share."""

import json
import re
import shutil
import subprocess

import pytest

from explorer.ui import registry
from explorer.ui.components import source


@pytest.fixture(autouse=True)
def own_home(monkeypatch, tmp_path):
    """A store of the test's own, never the reader's, and a registry that has not seen another."""
    monkeypatch.setenv("EXPLORER_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(registry, "HOLDER", f"_explorer_state_{tmp_path.name}")


@pytest.fixture
def one_thread():
    """Training in this process on one thread, as in a worker; other tests have theirs back."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="session")
def javascript(tmp_path_factory):
    """A function that runs the body of a JavaScript function beside a component's own ones, `c`."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    folder = tmp_path_factory.mktemp("js")

    def run(component, body, **values):
        module = folder / f"{component}.mjs"
        if not module.exists():
            script = source(component)["js"]
            names = re.findall(r"^(?:function|class|const) (\w+)", script, re.MULTILINE)
            module.write_text(f"{script}\nexport {{ {', '.join(names)} }};\n", "utf-8")
        code = f"import * as c from './{module.name}';\n"
        code += "".join(f"const {name} = {json.dumps(value)};\n" for name, value in values.items())
        code += f"console.log(JSON.stringify((() => {{ {body} }})()))"
        done = subprocess.run(
            ["node", "--input-type=module"], input=code, cwd=folder, capture_output=True,
            text=True, timeout=60,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run
