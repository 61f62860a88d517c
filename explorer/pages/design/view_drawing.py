"""A coupling as the component `design` draws it: σ_k, φ_k, ψ_k, and what may be changed."""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from explorer.coupling import POD, singular_values
from explorer.families import BASES, PARAMETERS, SPECTRA, TERMS
from explorer.pages.design.view import (
    PICTURE,
    TrainedWidth,
    cells,
    centred_matrix,
    width_text,
)
from explorer.spec import CouplingSpec
from explorer.theory.design import WIDTHS, Design
from explorer.theory.floor import Norm
from explorer.views.selection import Selection

FINE = 3
"""Points of a singular function per cell of a heatmap: 288 draw the 64 oscillations of φ_64."""

LIMITS = {
    **{name: [parameter.low, parameter.high] for name, parameter in PARAMETERS.items()},
    "m": [1, 32],
    "sigma": 100,
}
"""How far the drawing lets a reader drag: as far as the controls of the page show."""

LAW = (*PARAMETERS, "rank")

REST = ("tau", "left_basis", "right_basis", "formula", "grid")
"""What makes a design besides its spectrum: the drawing leaves it alone, its steps back do not."""

Drawing = tuple[dict[str, Any], dict[str, np.ndarray]]

FIXED = {"coarse": FINE, "limits": LIMITS}

PLACE = ("k", "u", "v", "centred", "map")

SHOWN = ("centred", "norm", "budget", "form", "alpha", "ff", "same", "along")
"""What is chosen besides on the page, below the canvas."""


def design_drawing(
    design: Design, selected: Selection, trained: Sequence[TrainedWidth] = ()
) -> Drawing:
    """Header and arrays of the component `design`; m is the m_h of the specification.

    They are the picture: the canvas draws them in float32, and files are made of them
    (pages/design/view_tables.py). `floor` is (4, 33): nMSE, mean absolute error and their 95%
    half-widths at m = 0 … 32.

    A coupling by spectrum and bases is given by its own terms, in its own order, and may be edited.
    It has no v-mean, since right-hand bases omit the constant. Others come by their POD, with `rho`
    (96, 96), and `mean` (96,) over v where they are not centred. `sigma` is (K,), in the header to
    the last digit; `phi` and `psi` are (K, 288) at cell centres, of a law (64, 288), since its rank
    may be raised by hand. `shown` is what else is chosen on the page, which the steps back bring
    back too. Raises as `Design`.
    """
    spec, centred = design.spec, selected.centred
    editable = spec.formula is None and spec.grid is None
    modes = design.decomposition(centred or editable)
    arrays = _designed(spec) if editable else _given(design.bare, centred)
    # While the spectrum is edited; with another one, the steps back end.
    same = [spec.left_basis, spec.right_basis] if editable else [spec.formula, spec.grid, centred]
    header = {
        **_of_spec(spec, editable),
        **_of_modes(modes, selected.tolerance),
        **_of_errors(design, selected.error, selected.norm),
        **_chosen(selected, PLACE),
        "subject": json.dumps(same),
        "sigma": arrays["sigma"].tolist(),
        **FIXED,
        "trained": trained,
        "shown": _chosen(selected, SHOWN),
    }
    return header, arrays | {"floor": _floor(design.bare)}


def _chosen(selected: Selection, names: Sequence[str]) -> dict[str, Any]:
    return {name: getattr(selected, name) for name in names}


def generator(seed: int) -> dict[str, str]:
    """Where numpy's PCG64 begins, in decimals: what a file draws the sequences of a floor from."""
    begun = np.random.PCG64(seed).state["state"]
    return {"state": str(begun["state"]), "increment": str(begun["inc"])}


def _of_modes(modes: POD, tolerance: float | None) -> dict[str, Any]:
    """Where the spectrum ends, in words, and the tolerance that was chosen instead of its own."""
    return {
        "whole": modes.rank_words,
        "beyond": modes.beyond,
        "tolerance": tolerance or modes.tolerance,
        "chosen_tolerance": tolerance,
        "own_tolerance": modes.tolerance,
    }


def _of_errors(design: Design, error: float, norm: Norm) -> dict[str, Any]:
    """The wanted error, the width it needs, and how the floor was computed."""
    return {
        "error": error,
        "norm": norm,
        "exact": design.exact_rank,
        "sequences": design.floor.samples,
        "floor_seed": design.floor.seed,
        "width": width_text(design.width_for(error, norm), WIDTHS),
    }


def _of_spec(spec: CouplingSpec, editable: bool) -> dict[str, Any]:
    """What of a specification the canvas shows, changes, or gives back as it is."""
    return {
        "editable": editable,
        "family": spec.spectrum if editable else "given",
        "spectrum": spec.spectrum,
        "list": spec.sigma,
        **{name: getattr(spec, name) for name in LAW},
        "m": spec.m_h,
        "tau": spec.tau,
        "rest": {name: getattr(spec, name) for name in REST},
    }


def spec_changes(edit: Mapping[str, Any]) -> dict[str, Any]:
    """An edit of the component as changes of a specification.

    Values are not checked here: the specification does.
    """
    changes = {name: edit[name] for name in ("spectrum", "sigma", *LAW, *REST) if name in edit}
    return changes | ({"m_h": edit["m"]} if "m" in edit else {})


@lru_cache(maxsize=32)
def _floor(design: Design) -> np.ndarray:
    """`floor` of a drawing: exactly 0 from the rank on, where there is only rounding."""
    known, rank = design.floor, design.exact_rank
    errors, halves = zip(known.interval("mse"), known.interval("mae"), strict=True)
    return np.array([*errors, *halves]) * (1.0 if rank is None else known.m < rank)


def _designed(spec: CouplingSpec) -> dict[str, np.ndarray]:
    sigma = singular_values(spec)
    count = TERMS if SPECTRA[spec.spectrum].law else len(sigma)
    phi, psi = _bases(spec.left_basis, spec.right_basis, count)
    return {"sigma": sigma, "phi": phi, "psi": psi}


@lru_cache(maxsize=32)
def _bases(left: str, right: str, count: int) -> tuple[np.ndarray, np.ndarray]:
    x = cells(FINE * PICTURE)
    phi, psi = BASES[left].functions(x, count, "left"), BASES[right].functions(x, count, "right")
    return _rows(phi), _rows(psi)


@lru_cache(maxsize=16)
def _given(design: Design, centred: bool) -> dict[str, np.ndarray]:
    """Terms above a thousandth of the tolerance, as in the tables; below is rounding."""
    modes, coupling = design.decomposition(centred), design.coupling
    shown = int((modes.sigma > max(modes.rounding, modes.tolerance * 1e-3)).sum())
    fine, x = cells(FINE * PICTURE), cells(PICTURE)
    arrays = {
        "sigma": modes.sigma[:shown],
        "phi": _rows(modes.left(fine)[:, :shown]),
        "psi": _rows(modes.right(fine)[:, :shown]),
    }
    if centred:
        rho = centred_matrix(coupling, modes, x, x) if shown else np.zeros((PICTURE, PICTURE))
        return {**arrays, "rho": rho}
    rho = coupling.matrix(x, x)
    return {**arrays, "rho": rho, "mean": coupling.matrix(x, modes.v) @ modes.wv}


def _rows(functions: np.ndarray) -> np.ndarray:
    """(a, K) → (K, a), contiguous."""
    return np.ascontiguousarray(functions.T)
