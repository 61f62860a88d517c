"""The coupling of the reader on the page that alters couplings: a turn to it brings the one they
have designed since, in the order and through the filter that they had given to the last."""

from contextlib import suppress

from explorer.spec import (
    ALTERATION_FIELDS,
    CouplingSpec,
    SpecError,
    amended,
    coupling_spec,
    design_of,
    link_text,
)
from explorer.targets import parse, parse_leniently

FIRST = {"permutation": "reverse", "positions": 8}
"""How a coupling is altered at first."""
KEPT = (*ALTERATION_FIELDS, "positions")


def altered(design: CouplingSpec) -> CouplingSpec:
    """A coupling as it is altered at first."""
    return amended(design, **FIRST)


def follow(own: str, last: str | None, held: str | None) -> str | None:
    """The text of the specification that a turn brings, None where what is `held` stays: `own` is
    the text of the reader's coupling, `last` was it at the turn before. What is held and is not
    that coupling is another target of the reader's, which stays."""
    if own == last:
        return None
    try:
        design = coupling_spec(parse(own))
    except SpecError:
        return None
    changes = FIRST if held is None else _alteration(held, last)
    try:
        return link_text(amended(design, **changes)) if changes else None
    except SpecError:  # a shorter sequence, to which the order or the filter does not fit
        return link_text(altered(design))


def _alteration(held: str, last: str | None) -> dict[str, object]:
    """How the target that is held alters the last coupling; nothing where it is of another one."""
    spec = parse_leniently(held)[0]
    with suppress(SpecError):
        if last and design_of(spec) == design_of(parse_leniently(last)[0]):
            return {name: getattr(spec, name) for name in KEPT}
    return {}
