"""The POD of a coupling of tokens with two or three numbers, and slices of it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from explorer.coupling import FormulaError, GridLoader
from explorer.coupling.grid import cells_of
from explorer.coupling.several import (
    Several,
    SeveralFormula,
    SeveralPOD,
    SeveralSamples,
    designed,
    parse_several,
    pod_several,
    variables,
)
from explorer.coupling.typeset import typeset
from explorer.slow import pd
from explorer.spec import CouplingSpec, spec_id
from explorer.views.text import number, plural

FIRST = {2: "-(u1 - v1)**2 - (u2 - v2)**2", 3: "-(u1 - v1)**2 - (u2 - v2)**2 - (u3 - v3)**2"}
"""−|u − v|², before another is typed: it is largest for the nearest v."""
EXAMPLE = {2: "exp(-3|u1 - v1|) cos(u2 v2)", 3: "sin(u1 v2) + u3 v3"}
CELLS = 48
CENTRES = (np.arange(CELLS) + 0.5) / CELLS
SHOWN = 32
"""σ_k that are drawn at most."""
HELD = np.linspace(0.0, 1.0, 21)
"""Where all but one number of u and of v are held."""
PARTS = ("kept", "left out")


class Slice(NamedTuple):
    """Along which numbers of u and v, from 1, and what all the others are."""

    axis_u: int
    axis_v: int
    held: float


@dataclass(frozen=True)
class SeveralView:
    """A coupling of several numbers as it is decomposed."""

    facts: dict[str, str]
    sentence: str
    spectrum: pd.DataFrame
    """k, sigma, part: of PARTS."""
    maps: pd.DataFrame
    """u, v, rho, coupling at the centres of CELLS × CELLS squares of a slice: ρ and its m terms."""


class Named(NamedTuple):
    """A coupling, what a picture calls it, and how the command line is given it."""

    coupling: Several
    label: str
    option: str


def typed(formula: str, d: int) -> Named:
    """Raises FormulaError."""
    coupling = SeveralFormula(parse_several(formula, d), d)
    return Named(coupling, f"ρ = {formula}", f"--formula {shlex.quote(formula)}")


def of_bases(spec: CouplingSpec, d: int) -> Named:
    """Products of the bases of a design, with its spectrum; raises CouplingError where it has
    none."""
    coupling = designed(spec, d)
    label = f"products of {coupling.left} and {coupling.right}, spec {spec_id(spec)}"
    return Named(coupling, label, "--design SPEC.json")


@lru_cache(maxsize=4)
def sampled(load_grid: GridLoader, sha: str, d: int) -> Named:
    """Raises what `load_grid` raises, and GridError where the samples are those of another d."""
    values = cells_of(load_grid(sha), d)
    return Named(SeveralSamples(values, d), f"samples {sha[:12]}", "--grid FILE")


@lru_cache(maxsize=8)
def pod_of(coupling: Several, centred: bool) -> SeveralPOD:
    """Its POD; raises FormulaError where it is not finite."""
    return pod_several(coupling, centred)


def notes(formula: str, d: int) -> list[str]:
    """How it was understood, in Markdown; nothing of one that is refused."""
    try:
        expression = parse_several(formula, d)
    except FormulaError:
        return []
    shown = typeset(expression, tuple(f"{name[0]}_{name[1]}" for name in variables(d)))
    return [rf"$\rho(u,v)={shown}$"] if shown else []


def several_view(pod: SeveralPOD, m: int, cut: Slice) -> SeveralView:
    """What is seen of a coupling and of its first m ≤ SHOWN terms."""
    maps = slices(pod, m, cut)
    empty = " ρ is 0 in this slice: hold the others elsewhere." * (not maps["rho"].any())
    sigma = pod.sigma[:SHOWN]
    sigma = sigma[sigma > pod.tolerance]
    k = np.arange(1, len(sigma) + 1)
    parts = np.where(k <= m, *PARTS)
    return SeveralView(
        facts(pod),
        sentence(pod, m) + empty * bool(pod.above),
        pd.DataFrame({"k": k, "sigma": sigma, "part": parts}),
        maps,
    )


def facts(pod: SeveralPOD) -> dict[str, str]:
    """Its rank, and how it was found."""
    seen = f"no end seen, {pod.above} above {number(pod.tolerance)}"
    return {
        "rank": seen if pod.rank is None else str(pod.rank),
        "σ_k": ", ".join(number(each) for each in pod.sigma[:4] if each > pod.tolerance),
        "nodes": f"{pod.by.nodes} along each of {pod.coupling.d} axes",
        "σ_k reached to": number(pod.error),
    }


def sentence(pod: SeveralPOD, m: int) -> str:
    """What a head of width m leaves out."""
    if not pod.above:
        return "This ρ is constant for every u: softmax looks at all tokens alike."
    tail = pod.tail_energy()
    who = f"{plural(m, 'term')} {'leaves' if m == 1 else 'leave'}"
    left = f"{who} {number(tail[min(m, len(tail) - 1)] / tail[0])} of ‖ρ‖²"
    if pod.rank is None:
        return f"{left[0].upper()}{left[1:]}."
    room = f"A head of width {pod.rank} has room for all of it"
    return f"{room}." if m >= pod.rank else f"{room}; {left}."


@lru_cache(maxsize=8)
def sliced(pod: SeveralPOD, axis_u: int, axis_v: int) -> dict[str, np.ndarray]:
    """At each place of HELD: ρ `whole` (21, CELLS, CELLS), σ_k φ_k `left` and ψ_k `right` of the
    first SHOWN terms (21, CELLS, K)."""
    points = [points_of(pod, Slice(axis_u, axis_v, float(held))) for held in HELD]
    wholes = np.stack([pod.whole(u, v) for u, v in points])
    wholes[np.abs(wholes) <= pod.rounding] = 0.0
    u, v = (np.concatenate(side) for side in zip(*points, strict=True))
    shape = len(HELD), CELLS, -1
    left = (pod.left(u) * pod.sigma)[:, :SHOWN].reshape(shape)
    return {"whole": wholes, "left": left, "right": pod.right(v)[:, :SHOWN].reshape(shape)}


def slices_drawing(
    pod: SeveralPOD, label: str, m: int, cut: Slice
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """What the component draws of a coupling with the `label`."""
    tail = pod.tail_energy()
    drawn = {
        "subject": f"{label}, {pod.centred}, {cut.axis_u}, {cut.axis_v}",
        "axes": [f"u_{cut.axis_u}", f"v_{cut.axis_v}"],
        "places": HELD.round(2).tolist(),
        "left": (tail[: SHOWN + 1] / (tail[0] or 1.0)).tolist(),
        "rounding": pod.rounding,
        "m": m,
        "at": nearest(cut),
    }
    return drawn, sliced(pod, cut.axis_u, cut.axis_v)


def points_of(pod: SeveralPOD, cut: Slice) -> tuple[np.ndarray, np.ndarray]:
    """u and v of a slice, (CELLS, d) each."""
    u, v = np.full((2, CELLS, pod.coupling.d), cut.held)
    u[:, cut.axis_u - 1] = v[:, cut.axis_v - 1] = CENTRES
    return u, v


def slices(pod: SeveralPOD, m: int, cut: Slice) -> pd.DataFrame:
    """The maps of a view, those that the component draws."""
    arrays, at = sliced(pod, cut.axis_u, cut.axis_v), nearest(cut)
    rho_m = arrays["left"][at][:, :m] @ arrays["right"][at][:, :m].T
    rho_m[np.abs(rho_m) <= pod.rounding] = 0.0  # of which a picture would be made
    grid = {"u": np.repeat(CENTRES, CELLS), "v": np.tile(CENTRES, CELLS)}
    drawn = {"ρ": arrays["whole"][at], f"first {m} terms": rho_m}
    return pd.concat(
        [pd.DataFrame(grid | {"rho": rho.ravel(), "coupling": name}) for name, rho in drawn.items()]
    )


def nearest(cut: Slice) -> int:
    """The place of HELD that is shown."""
    return int(np.abs(HELD - cut.held).argmin())
