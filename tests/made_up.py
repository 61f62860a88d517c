"""A basis, a spectrum and a kernel that the explorer does not have, added as a contributor would:
what became of them everywhere, as one JSON object. Run as a script, before anything else of the
explorer."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np

from explorer.arrays import constant, namespace
from explorer.families import BASES, KERNELS, SPECTRA, Barron, Basis, Kernel, Law, Spectrum

SHELL = Path(__file__).resolve().parents[1] / "explorer" / "ui" / "shell.py"


def waves(x, first, count):
    """1, √2 cos πx, √2 cos 2πx, …: (…,) → (…, count)."""
    k = np.arange(first, first + count)
    cosines = namespace(x).cos(math.pi * x[..., None] * constant(k, x))
    return cosines * constant(np.where(k == 0, 1.0, math.sqrt(2)), x)


COSINE = Basis(
    name="made_up",
    title="half waves",
    tex=r"\sqrt2\cos\pi(k-1)x",
    tex_right=r"\sqrt2\cos\pi kx",
    has_constant=True,
    evaluate=waves,
    panels=lambda last: 1,
    nodes=lambda last: 2 * last + 24,
    suprema=lambda k: np.where(k == 0, 1.0, math.sqrt(2)),
    barron=Barron(constants=lambda k: math.sqrt(2) * math.pi * k, exact=True, infinite=None),
    periodic=False,
)
GAUSSIAN = Spectrum(
    name="made_up",
    title="Gaussian",
    form="σ_k = c δ^((k−1)²)",
    fields=("decay", "c"),
    sigma=lambda k, decay, c: c * decay ** (k - 1.0) ** 2,
    tex=lambda decay, c: rf"{c:g}\,{decay:g}^{{(k-1)^2}}",
    words=lambda decay, c: f"σ_k = {c:g}·{decay:g}^((k−1)²)",
    tail="faster",
    law=Law(
        parameter="decay",
        x=lambda k: (k - 1.0) ** 2,
        value=math.exp,
        words=lambda decay, about: f"Gaussian {about} {decay:.2f}",
    ),
)
SAW = Kernel(
    name="made_up",
    title="saw",
    fields=("rate",),
    rho=lambda s, rate: 1 - rate * s,
    words=lambda rate: f"ρ is a saw of {rate:g}",
    decay_length=lambda rate: math.inf,
    example={},
)
FIELDS = {"spectrum": "made_up", "decay": 0.8, "rank": 4, "left_basis": "made_up", "m_h": 2}


def theory(spec):
    from explorer.coupling import coupling_of, pod
    from explorer.spec import design_of
    from explorer.targets import target_of
    from explorer.theory.complexity import complexity
    from explorer.theory.floor import truncation_floor

    coupling = coupling_of(spec)
    decomposition = pod(coupling, centred=True)
    measures = complexity(spec, coupling, decomposition)
    floor = truncation_floor(target_of(design_of(spec)), range(5), decomposition=decomposition)
    return {
        "sigma": decomposition.sigma[: decomposition.rank].tolist(),
        "c_0": measures.c_0,
        "c_2": None if measures.c_2 is None else measures.c_2.tolist(),
        "reason": measures.c_2_reason,
        "exponent": measures.exponent.source,
        "floor": floor.nmse.tolist(),
    }


def views(spec):
    from explorer.pages.design import view_tables as design_tables
    from explorer.pages.design.view import latex
    from explorer.pages.design.view_drawing import design_drawing
    from explorer.pages.runs import view as runs
    from explorer.targets import parse_sweep
    from explorer.theory.design import Design
    from explorer.views import sweeps
    from explorer.views.selection import Selection

    drawing = design_drawing(Design(spec), Selection())
    return {
        "latex": latex(Design(spec)),
        "words": runs.design_words(spec),
        "sweep": sweeps.described(parse_sweep(spec.model_dump(mode="json"))),
        "family": drawing[0]["family"],
        "line": design_tables.decay_line(drawing).words,
    }


def kernel():
    from explorer.spec import LinearSpec, schema
    from explorer.targets import KINDS, kernel_of, parse
    from explorer.theory.linear import decay_length_of

    spec = parse({"target": "linear", "kernel": "made_up", "rate": 0.5, "tau": 4})
    return {
        "schema": schema(LinearSpec)["properties"]["kernel"]["enum"],
        "rho": kernel_of(spec).tolist(),
        "gamma": decay_length_of(spec),
        "words": KINDS[spec.target].words(spec),
        "page": page(spec, "order"),
    }


def page(spec, name="design"):
    """A page opened at the address of a specification."""
    from streamlit.testing.v1 import AppTest

    from explorer.spec import compact
    from explorer.ui import controls, mathematics

    at = AppTest.from_file(SHELL, default_timeout=120)
    at.query_params["spec"] = compact(spec)
    at.session_state[mathematics.OPEN] = True
    for label in ("Coupling ρ(u, v)", controls.PAPER):
        at.session_state[f"unfolded {label}"] = True
    at.switch_page(f"../../pages/{name}.py").run()
    assert not at.exception, [error.value for error in at.exception]
    return {
        "choices": {box.label: [box.options, box.value] for box in at.selectbox},
        "sliders": [slider.label for slider in at.slider],
        "warnings": [warning.value for warning in at.warning],
        "texts": [each.value for each in (*at.markdown, *at.latex)],
    }


def main():
    BASES[COSINE.name] = COSINE
    BASES["unmeasured"] = replace(COSINE, name="unmeasured", title="Unmeasured", barron=None)
    SPECTRA[GAUSSIAN.name] = GAUSSIAN
    KERNELS[SAW.name] = SAW
    from explorer.spec import CouplingSpec, compact, schema
    from explorer.targets import parse

    spec = parse(FIELDS)
    properties = schema(CouplingSpec)["properties"]
    answer = {
        "compact": json.loads(compact(spec)),
        "schema": {name: properties[name]["enum"] for name in ("spectrum", "left_basis")},
        **theory(spec),
        "unmeasured": theory(parse(FIELDS | {"left_basis": "unmeasured"})),
        **views(spec),
        "page": page(spec),
        "kernel": kernel(),
    }
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
