"""Models of the user's own, as they lie among the others; no torch is needed to know them.

    models/own/<name>-<sha>/    model.json, weights.safetensors; and about.json, spectra.npz,
                                cuts.csv: its heads, as `reproduce fig2` and `rank-cut` measure them

`sha` begins the sha256 of the files that a model was made of: another one of the same name is
another model, and a link to it says that it is not here.
"""

import json
import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from explorer.pretrained.catalogue import DATA, MODELS, Fetched, ModelError, Pretrained

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
OWN_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,29}")  # to which the sha is added
CONFIG, WEIGHTS = "config.json", "model.safetensors"
MOST_BYTES = 4_000_000_000  # of the weights
MODEL_FILES = (CONFIG, WEIGHTS, "tokenizer.json", "tokenizer_config.json", "vocab.txt")
MODEL_FILES += ("vocab.json", "merges.txt", "preprocessor_config.json")
"""The files of a model that are read; others are left alone."""
ABOUT, SPECTRA, CUTS = "about.json", "spectra.npz", "cuts.csv"


def known(models: Path) -> dict[str, Pretrained]:
    """The models that can be looked at, by name: those of the catalogue, and the user's own."""
    return MODELS | {model.name: model for model in own(models)}


def own(models: Path) -> list[Pretrained]:
    """The user's own; a damaged one is none, and can be removed by its name."""
    candidates = [
        _about(file, _changed(file)) for file in sorted((models / "own").glob(f"[!.]*/{ABOUT}"))
    ]
    return [model for model in candidates if model]


def _changed(file: Path) -> int:
    """When, in ns; 0 where it has gone."""
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return 0


@lru_cache(maxsize=64)
def _about(file: Path, changed: int) -> Pretrained | None:
    try:
        return Pretrained(wheels=(), **json.loads(file.read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def model_named(models: Path, name: str) -> Pretrained:
    """By its name or, of the user's own, its title; raises ModelError, with the names there are."""
    there = {model.title: model for model in own(models)} | known(models)
    if name in there:
        return there[name]
    raise ModelError(f"model {name[:60]!r}: known are {', '.join(known(models))}")


def thing_named(models: Path, name: str) -> Fetched:
    """A model, or data that is fetched like one; raises ModelError."""
    return DATA[name] if name in DATA else model_named(models, name)


def without_weights(names: Iterable[str]) -> str:
    """What is to be done where files of these names hold no weights that are read."""
    there = [*names]
    if any(name.endswith(".safetensors.index.json") for name in there):
        return (
            "the weights are in several files: save them as one, with `save_pretrained(FOLDER, "
            f'max_shard_size="{MOST_BYTES // 10**9}GB")`'
        )
    if any(name.endswith((".bin", ".pt", ".pth", ".pkl", ".ckpt")) for name in there):
        return (
            "the weights are pickled, and a pickle may run anything, so it is not opened: "
            f"`save_pretrained` of transformers writes {WEIGHTS}"
        )
    return f"there is no {WEIGHTS}: `save_pretrained` of transformers writes it"
