"""The command line in this process, and what it leaves; conftest.py has it as fixtures."""

import io
import json
import sys
from dataclasses import dataclass

import pytest

from explorer import cli


@dataclass(frozen=True)
class Answer:
    """What a command left."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict:
        """The one object on stdout."""
        assert self.out.count("\n") == 1, self.out
        answer = json.loads(self.out, parse_constant=pytest.fail)
        assert isinstance(answer, dict)
        return answer


def on_streams(words, monkeypatch):
    """Exit code, stdout and stderr of a command on streams that encode what it writes, as a
    process has them; stdin is no JSON."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    monkeypatch.setattr(sys, "argv", ["explorer", *words])
    monkeypatch.setattr(sys, "stdin", io.StringIO("{"))
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", out)
        patched.setattr(sys, "stderr", err)
        with pytest.raises(SystemExit) as end:
            cli.main()
            raise SystemExit(0)
    for stream in (out, err):
        stream.flush()
    texts = (stream.buffer.getvalue().decode("utf-8") for stream in (out, err))
    return end.value.code or 0, *texts
