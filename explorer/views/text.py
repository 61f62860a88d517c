"""Numbers as a lecture slide writes them."""

import math
from decimal import ROUND_HALF_UP, Context

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


def floor_text(floor: float) -> str:
    """An error that no training gets below; what is rounding is 0."""
    return "0" if floor < ROUNDING else number(float(floor))


def rank_text(rank: int | None) -> str:
    """A rank as it is spoken of: a number, or ∞."""
    return "∞" if rank is None else str(rank)
