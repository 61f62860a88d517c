"""The trained runs that come with the explorer: the one table of their names."""

from functools import cache

from explorer.families import table
from explorer.spec import AnySpec, Topic, amended
from explorer.targets.kinds import PRESETS, TASKS
from explorer.targets.task import Shipped

CLIFF = {
    m: Shipped("design", None if m in (5, 6) else 5, {"rank": 6, "m_h": m}, learned=False)
    for m in range(1, 17)
}
"""The live cliff by width m_h: the two beside it whole, the others where the talk asks for them."""
SIGNED = {"filter": "signed", "filter_seed": 2}
BLOCK = {"permutation": "block"}

RUNS: dict[str, Shipped] = {
    "train": Shipped("train", learned=False, label="Example: watch a finished run"),
    "cliff-5": CLIFF[5]._replace(label="The cliff at r = 6: m_h = 5"),
    "cliff-6": CLIFF[6]._replace(label="m_h = 6"),
    "design": Shipped("design", learned=False),
    **{f"cliff-{m}": run._replace(by_address=True) for m, run in CLIFF.items() if m not in (5, 6)},
    **table(
        "head",
        (
            (f"attention-{name}", head)
            for kind in TASKS.values()
            for name, head in kind.page.shipped.items()
        ),
    ),
    "order-quick": Shipped("order-quick", 12),
    "order-quick-plain": Shipped("order-quick", 12, {"permutation": None}),
    "order-transformer-block": Shipped("order", 12),
    "order-rnn-block": Shipped("table2-rnn", 12, BLOCK),
    "order-transformer": Shipped("table2", 12),
    "order-rnn": Shipped("table2-rnn", 12),
    "order-coupling": Shipped("prop62", 10),
    "order-filter": Shipped("table2", 12, SIGNED),
    "order-filter-conv": Shipped("table2", 12, {**SIGNED, "conv": 5}),
    "memory-jumps": Shipped("memory-jumps", 12),
    "memory-jumps-1": Shipped("memory-jumps", 12, {"layers": 1}),
    "memory-fixed": Shipped("memory-fixed", 12),
    "memory-kernel": Shipped("memory-kernel", 12),
    "memory-induction": Shipped("memory-induction", 12),
    "memory-induction-1": Shipped("memory-induction", 12, {"layers": 1}),
    "real-pictures": Shipped("mini-vit", 2, {"permutation": "roll", "original_steps": 800}),
    "real-number-words": Shipped("number-words", 2, {"permutation": "roll", "original_steps": 600}),
}
"""By the names of their files, assets/NAME.zip. Of the runs of a page the first opens, unless
another is nearer to the specification."""


def spec_of(run: Shipped) -> AnySpec:
    """What a shipped run is of."""
    return amended(PRESETS[run.preset][1], **run.changes)


@cache
def of_topic(topic: Topic, by_address: bool = False) -> tuple[str, ...]:
    """The ids, asset-NAME, of the runs of a topic that a page offers, or of the others."""
    return tuple(
        f"asset-{name}"
        for name, run in RUNS.items()
        if run.by_address == by_address and spec_of(run).topic == topic
    )
