"""Numbers as a lecture slide writes them, sentences with symbols such as σ_k as formulas, and why
an error falls to 0 at the rank: how many σ a head holds, and what is left."""

import math
import re
from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Context

import numpy as np

from explorer.theory.rates import interval_of_share

ROUNDING = 1e-12  # an error below it
DRAWN = 1e-20  # an error below it has no place on a log axis: from the rank on a floor is 0
SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def number(value: float, digits: int = 2) -> str:
    """A number with so many significant digits: 0.0050, 31, 1200, 3.1·10⁻⁷; 0 and ∞ as such.

    `fmt` of the canvases writes the same; so a tie is rounded away from 0, as JavaScript does.
    """
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else ("∞" if value > 0 else "−∞") if value == value else "–"
    exact = Context(prec=digits, rounding=ROUND_HALF_UP).create_decimal(float(value))
    mantissa, exponent = f"{exact:.{digits - 1}e}".split("e")
    power = int(exponent)
    if -3 <= power < max(digits, 4):
        return f"{float(f'{mantissa}e{power}'):.{max(digits - 1 - power, 0)}f}".replace("-", "−")
    return f"{mantissa}·10{str(power).translate(SUPERSCRIPTS)}".replace("-", "−")


def plural(count: int, word: str) -> str:
    """ "1 layer", "2 layers"."""
    return f"{count} {word}{'s' * (count != 1)}"


def measured(value: float, half: float) -> str:
    """A number to the first digit of the half-width of its interval, to two digits at most."""
    if not value or not half or not math.isfinite(value):
        return number(value)
    places = math.floor(math.log10(abs(value))) - math.floor(math.log10(half)) + 1
    return number(value, min(max(places, 1), 2))


def share_text(share: float, draws: int) -> str:
    """A share in percent, with the 95 % interval of what was measured on so many draws."""
    low, high = interval_of_share(share, draws)
    return f"{100 * share:.1f} % (95 %: {100 * low:.1f} to {100 * high:.1f})"


def spread(low: float, high: float, digits: int = 2) -> str:
    """From the least to the greatest of some numbers; one where they are written alike."""
    ends = [number(float(end), digits) for end in (low, high)]
    return " to ".join(dict.fromkeys(ends))


def written(text: str) -> str:
    """A text where no formula can stand, as in the cell of a table or beside a curve: symbols with
    their subscripts as letters."""
    return text.replace("m_h", "mₕ").replace("m_FF", "mꜰꜰ").replace("_k", "ₖ").replace("d_v", "dᵥ")


def floor_text(floor: float, constant: float = 1.0) -> str:
    """An error that no training gets below; what is rounding beside that of a constant is 0."""
    return "0" if floor < ROUNDING * constant else number(float(floor))


def rank_text(rank: int | None) -> str:
    """A rank as it is spoken of: a number, or ∞."""
    return "∞" if rank is None else str(rank)


LETTERS = "A-Za-z0-9α-ωΣ½′·"
INDEX = rf"(?:\{{[^{{}}]*\}}|[−-]?\([^()]*\)|[−-]?\d+\.\d+|[−-]?[{LETTERS}]+)"
SYMBOL = re.compile(rf"(\S*[\w‖|)\]][\u0300-\u036f]*(?:[_^]{INDEX})+\S*)")
MARK = re.compile(rf"([_^])({INDEX})")
NAMES = re.compile(r"softmax|max|min|inf|sup|log|sin|relu|exp")


def as_formulas(text: str, plain: Callable[[str], str] = str) -> str:
    """Each word with an index or an exponent becomes a formula; what stands between them is
    `plain`."""
    parts = SYMBOL.split(text)
    return "".join(_formula(part) if at % 2 else plain(part) for at, part in enumerate(parts))


def _formula(word: str) -> str:
    ends = len(word.rstrip(",;:."))
    braced = MARK.sub(lambda mark: mark[1] + "{" + mark[2].strip("{}") + "}", word[:ends])
    named = NAMES.sub(lambda name: rf"\operatorname{{{name[0]}}}", braced)
    return f"${named}${word[ends:]}"


def cliff(sigma: Sequence[float] | np.ndarray, rank: int | None) -> str:
    """The step of a coupling from r − 1 to r, in two sentences; none for r = ∞ and for r = 0.

    `sigma` are its centred σ_k, descending.
    """
    if not rank:
        return ""
    return held(sigma, rank, rank - 1) if rank > 1 else held(sigma, rank, 1)


def held(sigma: Sequence[float] | np.ndarray, rank: int | None, m: int) -> str:
    """What a head of width m ≥ 1 holds of a coupling and what is left, as `cliff`; nothing where
    fewer σ_k are known than a bound on the rank allows."""
    if not rank or rank > len(sigma):
        return ""
    if m >= rank:
        whole = "the only σ" if rank == 1 else f"all {rank} σ"
        return f"Width {m} holds {whole}: nothing is left but training error."
    last = f"{_name(rank)} = {number(sigma[rank - 1])}"
    left = last if m == rank - 1 else f"{_name(m + 1)} = {number(sigma[m])} to {last}"
    return (
        f"Width {m} holds {m} of {rank} σ; what is left is {left}. "
        f"At {rank} nothing is left but training error."
    )


def _name(k: int) -> str:
    return f"σ{str(k).translate(SUBSCRIPTS)}"
