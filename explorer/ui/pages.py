"""The table of pages, in the order of a path: one head (Design, Train, Rates), what it looks at
(Attention, Order, Memory), real models, yours (Runs, Talk). A new page is a line here and a file of
its name in pages/; page.css parts the groups."""

from dataclasses import dataclass
from pathlib import Path

from explorer.folder import resource
from explorer.spec import AnySpec, Topic
from explorer.targets.shipped import of_topic

SHELL = Path(__file__).with_name("shell.py")
"""The script that every session runs, whatever its page."""
EXPLORER = "Attention explorer"
FIRST = "design"
"""The page that an address without a path opens."""


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
    picture: str = ""
    """The component of its picture; "" where it has none."""
    topic: Topic = "coupling"
    """What it is about: pages of one topic share specification and run."""
    preset: str = "design"
    """The specification that it opens with."""
    params: tuple[str, ...] = ()
    """Parameters of the address that are its own; others go from page to page."""
    controls: bool = True
    """Whether it has controls in the sidebar."""
    trains: bool = False
    """Whether it is the page that trains its topic, and shows the shipped runs of it."""
    alters: bool = False
    """Whether a turn to it brings the reader's own coupling, altered."""

    @property
    def shipped(self) -> tuple[str, ...]:
        """The shipped runs that it offers."""
        return of_topic(self.topic) if self.trains else ()

    @property
    def ready(self) -> tuple[str, ...]:
        """Shipped runs that are shown where an address names them."""
        return of_topic(self.topic, by_address=True) if self.trains else ()

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


PAGES = {
    page.name: page
    for page in (
        Page(
            FIRST,
            "Design ρ",
            "Choose a coupling and read its spectrum and the width it needs.",
            "How wide a head does this coupling need?",
            "ρ: token u's score for v. A head adds m products φ(u)·ψ(v). **Drag m.**",
            "design",
        ),
        Page(
            "train",
            "Train",
            "Watch one attention head learn the coupling, beside what truncation leaves.",
            "Does a head learn this coupling as well as its width allows?",
            "A head starts from random numbers: does it find ρ, and how closely?",
            "live",
            preset="train",
            trains=True,
        ),
        Page(
            "rates",
            "Rates",
            "See how fast the error falls as the head gets wider, beside what theory says.",
            "How fast does the error fall as the head gets wider?",
            "Every point is a trained head; wider ones err less, by a law.",
            "rates",
        ),
        Page(
            "attention",
            "Attention",
            "Drag points and indices, and see where a trained head looks.",
            "Does the head look where the task says it should?",
            "The trained head answers in your browser, beside the ideal answer. **Drag a point.**",
            "attention",
            "attention",
            "nearest",
            trains=True,
        ),
        Page(
            "order",
            "Order",
            "Reorder and filter the inputs, and watch RNN and Transformer errors move.",
            "What do order and filters do to an RNN and a Transformer?",
            "Change the order or mix neighbours, and see who suffers. **Drag a token.**",
            "order",
            "order",
            "order-quick",
            alters=True,
            trains=True,
        ),
        Page(
            "memory",
            "Memory",
            "See what depth, heads and positional encodings do for what is remembered.",
            "Do more layers help a Transformer to remember?",
            "The answer lies in an earlier token: can the model find which?",
            "memory",
            "memory",
            "memory-jumps",
            trains=True,
        ),
        Page(
            "real",
            "Real attention",
            "Look at the couplings of real models: a language model, a ViT, a sentence encoder.",
            "How many terms do the heads of real models use?",
            "Each head couples the tokens it sees by a matrix, decomposed here. **Click a head.**",
            "real",
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
    pages = (page for page in PAGES.values() if page.topic == topic and page.trains)
    return next(pages, PAGES["runs"])


def page_of(spec: AnySpec) -> Page:
    """The page that trains a specification."""
    return trainer(spec.topic)
