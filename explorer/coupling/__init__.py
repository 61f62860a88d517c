"""Couplings ρ(u, v) on [0, 1]²: by spectrum and bases, by formula, by samples; and their POD."""

# pyright: reportUnusedImport=false

from explorer.coupling.couplings import (
    Coupling,
    CouplingError,
    Designed,
    Formula,
    GridLoader,
    Samples,
    coupling_of,
)
from explorer.coupling.formula import FormulaError, parse_formula
from explorer.coupling.grid import GridError, parse_grid
from explorer.coupling.pod import POD, Quadrature, Truncated, pod, quadrature
from explorer.coupling.spectra import designed_tail, singular_values
