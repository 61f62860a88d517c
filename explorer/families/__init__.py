"""Bases and spectra of couplings, kernels of linear targets: each an object with all that is known
of it, and tables of them by the names that a specification uses; and the names of activations."""

from explorer.families.activations import ACTIVATIONS, check_activations
from explorer.families.bases import BASES, SHIFTED_SINE, SINE, TERMS, Barron, Basis, Side
from explorer.families.family import Family, check_fields, table
from explorer.families.kernels import KERNELS, Kernel
from explorer.families.spectra import FREE_LIST, PARAMETERS, SPECTRA, Law, Parameter, Spectrum, Tail
