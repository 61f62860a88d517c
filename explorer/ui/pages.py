"""The table of pages, in the order of a path: one head (Design, Train, Rates), what it looks at
(Attention, Order, Memory), real models, yours (Runs, Talk). A new page is a line here and a file of
its name in pages/; page.css parts the groups."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from explorer.folder import resource
from explorer.spec import AnySpec, Topic
from explorer.targets import TASKS

SHELL = Path(__file__).with_name("shell.py")
"""The script that every session runs, whatever its page."""
EXPLORER = "Attention explorer"
FIRST = "design"
"""The page that an address without a path opens."""
EXAMPLES = {
    "asset-train": "Example: watch a finished run",
    "asset-cliff-5": "The cliff at r = 6: m_h = 5",
    "asset-cliff-6": "m_h = 6",
}
"""The shipped runs that the Train page offers to be seen, and what it calls them."""
WIDTHS = (*range(1, 5), *range(7, 17))
"""Of the cliff, beside those: runs that the talk has ready."""


@dataclass(frozen=True)
class Page:
    """A page. Its file, its path and what a session remembers of it go by `name`; a `title` is
    only read by people."""

    name: str
    title: str
    help: str
    question: str
    line: str
    """What it is about in plain words, at most 25; where the first thing to do is in the picture,
    that ends it, bold."""
    topic: Topic = "coupling"
    """What it is about: pages of one topic share specification and run."""
    preset: str = "design"
    """The specification that it opens with."""
    params: tuple[str, ...] = ()
    """Parameters of the address that are its own; others go from page to page."""
    controls: bool = True
    """Whether it has controls in the sidebar."""
    shipped: tuple[str, ...] = ()
    """The shipped runs of its topic, where it is the page that trains them; the first one opens
    unless another is nearer to the specification."""
    alters: bool = False
    """Whether a turn to it brings the reader's own coupling, altered."""
    ready: tuple[str, ...] = ()
    """Shipped runs that are shown where an address names them."""

    @property
    def tab(self) -> str:
        """What its tab in a browser is called."""
        return f"{self.title} · {EXPLORER}"

    @property
    def described(self) -> str:
        """What it is, in two plain sentences, for who meets a link to it."""
        return f"{self.question} {self.plain_line}"

    @property
    def plain_line(self) -> str:
        """What it is about, without the first move."""
        return self.line.partition(" **")[0]

    @property
    def file(self) -> Path:
        """The script that draws it: absolute, or a cold deep link would miss the navigation."""
        return resource("pages") / f"{self.name}.py"


def _assets(prefix: str, *names: str) -> tuple[str, ...]:
    return tuple(f"asset-{prefix}{name}" for name in names)


PAGES = {
    page.name: page
    for page in (
        Page(
            FIRST,
            "Design ρ",
            "Choose a coupling and read its spectrum and the width it needs.",
            "How wide a head does this coupling need?",
            "ρ: how much token u looks at v. A head keeps m terms. **Drag m.**",
        ),
        Page(
            "train",
            "Train",
            "Watch one attention head learn the coupling, beside what truncation leaves.",
            "Does a head learn this coupling as well as its width allows?",
            "A head starts from random numbers: does it find ρ, and how closely?",
            preset="train",
            shipped=(*EXAMPLES, "asset-design"),
            ready=_assets("cliff-", *map(str, WIDTHS)),
        ),
        Page(
            "rates",
            "Rates",
            "See how fast the error falls as the head gets wider, beside what theory says.",
            "How fast does the error fall as the head gets wider?",
            "Every point is a trained head; wider ones err less, by a law.",
        ),
        Page(
            "attention",
            "Attention",
            "Drag points and indices, and see where a trained head looks.",
            "Does the head look where the task says it should?",
            "The trained head answers in your browser, beside the ideal answer. **Drag a point.**",
            "attention",
            "nearest",
            shipped=_assets(
                "attention-", *(name for kind in TASKS.values() for name in kind.page.shipped)
            ),
        ),
        Page(
            "order",
            "Order",
            "Reorder and filter the inputs, and watch RNN and Transformer errors move.",
            "What do order and filters do to an RNN and a Transformer?",
            "Change the order or mix neighbours, and see who suffers. **Drag a token.**",
            "order",
            "order-quick",
            alters=True,
            shipped=_assets(
                "order-",
                "quick",
                "quick-plain",
                "transformer-block",
                "rnn-block",
                "transformer",
                "rnn",
                "coupling",
                "filter",
                "filter-conv",
            ),
        ),
        Page(
            "memory",
            "Memory",
            "See what depth, heads and positional encodings do for what is remembered.",
            "What does memory take: depth, heads, or positions?",
            "The answer lies in the past: fixed, pointed at, or fading.",
            "memory",
            "memory-jumps",
            shipped=_assets(
                "memory-", "jumps", "jumps-1", "fixed", "kernel", "induction", "induction-1"
            ),
        ),
        Page(
            "real",
            "Real attention",
            "Look at the couplings of real models: a language model, a ViT, a sentence encoder.",
            "How many terms do the heads of real models use?",
            "Each head couples the tokens it sees by a matrix, decomposed here. **Click a head.**",
            params=("real",),
        ),
        Page(
            "runs",
            "Runs",
            "Compare, rename, take home and delete what has been trained here.",
            "What has been trained here, and how do the runs compare?",
            "Every training is listed with its curve and settings; nothing is sent away.",
            params=("runs", "filter", "status"),
            controls=False,
        ),
        Page(
            "talk",
            "Talk",
            "Put views of these pages in order and show them from a stage.",
            "What would you show from a stage, and in which order?",
            "A talk is a list of views with words for each step; a clicker turns them.",
            controls=False,
        ),
    )
}


def trainer(topic: Topic) -> Page:
    """The page that trains what a topic is about; Runs for what is trained by commands alone."""
    pages = (page for page in PAGES.values() if page.topic == topic and page.shipped)
    return next(pages, PAGES["runs"])


def page_of(spec: AnySpec) -> Page:
    """The page that trains a specification."""
    return trainer(spec.topic)
