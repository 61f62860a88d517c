"""How what a page shows is computed without it: by a command, and by the same in Python."""

import json
from pprint import pformat
from typing import NamedTuple

from explorer.spec import AnySpec, AnySweep, CouplingSpec, compact, spec_id

WIDTH = 88  # characters of a line of code


class Anew(NamedTuple):
    """A command line, and lines of Python; "" where there are none."""

    command: str
    python: str = ""


def of_run(spec: AnySpec) -> Anew:
    """Training a specification; its errors on fresh sequences."""
    samples = ", target=target_of(spec, Store().grid)" if spec.grid else ""
    names = "Store parse target_of train" if spec.grid else "parse train"
    lines = f"for snapshot in train(spec{samples}):\n    pass\nprint(snapshot.evaluate())"
    return Anew(_command("train", spec), _python(names, "spec = parse", spec, lines))


def of_coupling(spec: CouplingSpec, centred: bool) -> Anew:
    """The POD of the coupling of a specification."""
    samples, names = (", Store().grid", "Design Store parse") if spec.grid else ("", "Design parse")
    lines = (
        f"pod = Design(spec{samples}).decomposition(centred={centred})\n"
        "print(pod.sigma, pod.rank_words)"
    )
    command = _command("pod --design", spec) + " --centred" * centred
    return Anew(command, _python(names, "spec = parse", spec, lines))


def of_sweep(sweep: AnySweep, norm: str = "mse") -> Anew:
    """Training what is missing of a sweep; the errors of its models in the norm."""
    error = {"mse": "nmse"}.get(norm, norm)
    lines = f'rows = train_sweep(Store(), sweep)\nprint([row["{error}"] for row in rows])'
    command = _command("sweep", sweep) + f" --norm {norm}" * (norm != "mse")
    names = "Store parse_sweep train_sweep"
    return Anew(command, _python(names, "sweep = parse_sweep", sweep, lines))


def of_figure(name: str, out: str = "") -> Anew:
    """A figure or table of the papers, in a folder."""
    out = out or name
    lines = (
        "from pathlib import Path\n\n"
        "from explorer import Store\n"
        "from explorer.reproduce import Request, reproduce\n\n"
        f'reproduce("{name}", Request(Store(), Path("{out}")))'
    )
    return Anew(f"python -m explorer reproduce {name} --out {out}", lines)


def _command(words: str, spec: AnySpec) -> str:
    return f"python -m explorer {words} {spec_id(spec)}.json"


def _python(names: str, read: str, spec: AnySpec, lines: str) -> str:
    """Code that reads a specification, by the fields that differ from the defaults, and goes on
    with the lines."""
    fields = pformat(json.loads(compact(spec)), width=WIDTH, sort_dicts=False, compact=True)
    return f"from explorer import {', '.join(names.split())}\n\n{read}({fields})\n{lines}"
