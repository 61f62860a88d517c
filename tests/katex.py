"""The KaTeX with which Streamlit typesets formulas, asked what it takes."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
import streamlit

MODULE = next((Path(streamlit.__file__).parent / "static/static/js").glob("katex.*.js"))
REFUSED = """
const { default: katex } = await import(process.argv[1]);
const refused = JSON.parse(process.argv[2]).filter((formula) => {
  try { return !katex.renderToString(formula) } catch { return true }
});
console.log(JSON.stringify(refused));
"""


def refused_by_katex(formulas):
    """Those of the formulas that the KaTeX of the pages does not take."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    words = ["node", "--input-type=module", "-e", REFUSED, MODULE.as_uri(), json.dumps(formulas)]
    return json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
