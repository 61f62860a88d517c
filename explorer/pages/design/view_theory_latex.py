"""The formulas of Theorem 4.1 in LaTeX, with the numbers of one design."""

import numpy as np

from explorer.families import TERMS
from explorer.spec import CouplingSpec
from explorer.theory.bound import Bound, BoundAt, Form
from explorer.theory.complexity import BETA, Complexity


def up_to(c_2: np.ndarray, m: int) -> float:
    """C₂(m) of the values for k = 0 … r, (r + 1,), from where it is constant."""
    return float(c_2[min(m, len(c_2) - 1)])


def complexity_latex(spec: CouplingSpec, complexity: Complexity) -> dict[str, str]:
    """C₀, C₁ and, where it is available, C₂ by their names, each with its number: that of this
    representation of H, of which the paper takes the infimum over all (Eqs. 12, 14, 15)."""
    alpha = f"{complexity.exponent.alpha:.3g}"
    k_0, k_1 = (
        rf"k\le{TERMS}" if grows else "k" for grows in (complexity.c_0_grows, complexity.c_1_grows)
    )
    formulas = {
        "C_0": rf"C_0\le\max\{{K_F\|f\|_\infty\,\sup_{{{k_0}}}(\|\psi_k\|_\infty+"
        rf"\|\phi_k\|_\infty),\,1\}}={tex(complexity.c_0)}",
        "C_1": rf"C_1^{{({alpha})}}\le\max_{{{k_1}}}\,\sigma_k\,k^{{{alpha}}}="
        + tex(complexity.c_1),
    }
    if complexity.c_2 is not None:
        formulas["C_2"] = (
            rf"C_2^{{(1/2)}}({spec.m_h})\le C(F)+C(f)+\sum_{{k\le {spec.m_h}}}"
            rf"\bigl[C(\phi_k)+C(\psi_k)\bigr]={tex(up_to(complexity.c_2, spec.m_h))}"
        )
        formulas["C"] = r"C(f)=\int|\omega|\,|\hat f(\omega)|\,d\omega"
    return formulas


def bound_latex(spec: CouplingSpec, bound: Bound, here: BoundAt) -> dict[str, str]:
    """Eq. 17 in letters, then with numbers, then its value."""
    letters, numbers = _first_term(bound, spec.m_h)
    c_2 = tex(up_to(bound.c_2, spec.m_h))
    return {
        "bound": rf"\tau^2C_0\Bigl({letters}"
        r"+\frac{C_2(m_h)}{m_{FF}^{\beta}}\,m_h^{\beta+1}\Bigr)",
        "numbers": rf"={spec.tau}^2\cdot{tex(bound.c_0)}\,\Bigl({numbers}+\frac{{{c_2}}}"
        rf"{{{spec.m_ff}^{{{BETA:g}}}}}\,{spec.m_h}^{{{BETA + 1:g}}}\Bigr)",
        "value": rf"={tex(here.first)}+{tex(here.second)}={tex(here.bound)}",
    }


def _first_term(bound: Bound, m_h: int) -> tuple[str, str]:
    """The coupling's term in letters and with numbers."""
    rate, c_1 = 2 * bound.alpha - 1, tex(bound.c_1)
    base = rf"({c_1})" if "cdot" in c_1 else c_1  # a power may follow
    terms: dict[Form, tuple[str, str]] = {
        "printed": (
            r"\frac{C_1^{(\alpha)}}{m_h^{2\alpha-1}}",
            rf"\frac{{{c_1}}}{{{m_h}^{{{rate:.3g}}}}}",
        ),
        "squared": (
            r"\frac{(C_1^{(\alpha)})^2}{(2\alpha-1)\,m_h^{2\alpha-1}}",
            rf"\frac{{{base}^2}}{{{rate:.3g}\cdot {m_h}^{{{rate:.3g}}}}}",
        ),
        "absolute": (
            r"\frac{C_1^{(\alpha)}}{\sqrt{2\alpha-1}\,m_h^{\alpha-1/2}}",
            rf"\frac{{{c_1}}}{{\sqrt{{{rate:.3g}}}\cdot {m_h}^{{{rate / 2:.3g}}}}}",
        ),
    }
    return terms[bound.form]


def tex(value: float, digits: int = 3) -> str:
    """A number in LaTeX: 0.25, 12, 3.1·10⁻⁷ as 3.1\\cdot10^{-7}."""
    if value == 0 or not np.isfinite(value):
        return "0" if value == 0 else r"\infty"
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    if -3 <= int(exponent) < 5:
        return f"{float(f'{value:.{digits - 1}e}'):.10g}"
    return rf"{float(mantissa):g}\cdot10^{{{int(exponent)}}}"
