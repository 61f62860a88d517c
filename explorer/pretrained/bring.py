"""A model of the user's own into the folder of models: whole, or not there.

What `transformers` has saved of it is read as data, held to its own config.json, and kept under our
names; its heads are measured on texts or pictures, so that it can be looked at like the others.
"""

import csv
import hashlib
import io
import json
import math
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from filelock import FileLock, Timeout
from torch import Tensor

from explorer.pretrained import example, foreign, spectra_file
from explorer.pretrained.attention import Model
from explorer.pretrained.catalogue import MODELS, ModelError, Pretrained
from explorer.pretrained.convert import Made
from explorer.pretrained.fetch import ROOM, OnProgress, demand_room, flush, is_here, write
from explorer.pretrained.foreign import Plan
from explorer.pretrained.forwards import FORWARDS
from explorer.pretrained.inputs import picture, tokens_of
from explorer.pretrained.measure import cuts_of, spectra_of, texts_of
from explorer.pretrained.own import ABOUT, CUTS, MODEL_FILES, OWN_NAME, SPECTRA, own
from explorer.pretrained.tokens import Numbers, tokenizer
from explorer.pretrained.vocabulary import vocabulary_of

INPUTS, TOKENS = 6, 96
TERMS = (1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96)
PLAIN = (0.5, 0.5, 0.5)  # mean and deviation of pixels, where the model does not say others
WHAT = {
    "token": "a language model of your own",
    "vector": "an encoder of texts of your own",
    "class": "a classifier of pictures of your own",
    "map": "a vision Transformer of your own: how close its patches are to the class token",
}


def bring(
    models: Path, folder: Path, name: str, on_progress: OnProgress = lambda done, total: None
) -> Pretrained:
    """Take the model in a folder among the models, as `name`, and measure its heads; progress is in
    steps.

    An exception of `on_progress` stops it. Raises ModelError for a name that is taken or is none,
    a folder without a model, one of another family, and files that do not belong together.
    """
    if not OWN_NAME.fullmatch(name):
        raise ModelError(f"name {name[:40]!r}: small letters, digits and -, up to 30, are a name")
    if name in MODELS or any(name == model.title for model in own(models)):
        raise ModelError(
            f"there is a model {name} already: `python -m explorer models remove {name}` takes it "
            "away, or give another name"
        )
    if not folder.is_dir():
        raise ModelError(f"{folder} is no folder")
    with _alone(models) as partial:
        plan = foreign.plan_of(foreign.read_settings(folder))
        weights = foreign.weights_of(folder, plan)
        demand_room(models, name, sum(weight.nbytes for weight in weights.values()) + ROOM)
        config = plan.config | {"forward": f"own {plan.family}"} | _inputs_of(folder, plan, weights)
        floats = {each: weight.float() for each, weight in weights.items()}
        model = FORWARDS[config["forward"]](floats, config)
        about = _about(folder, name, plan, weights, config)
        files = _pictures(models) if about.reads == "picture" else {}
        files |= _measured(model, about, config, files, on_progress)
        arrays = {each: weight.numpy() for each, weight in weights.items()}
        write(partial, Made(arrays, config, files))
        os.replace(partial, models / about.folder)
        flush(models / "own")
    if not is_here(models, about):
        raise ModelError(f"{name} is not there after all: was it removed meanwhile?")
    return about


@contextmanager
def _alone(models: Path) -> Iterator[Path]:
    """An empty folder that nobody else writes to, gone at the end unless it has got its place."""
    partial = models / "own" / ".partial"
    try:
        (models / "own").mkdir(parents=True, exist_ok=True)
        with FileLock(models / "own" / ".lock").acquire(timeout=0):
            try:
                shutil.rmtree(partial, ignore_errors=True)
                partial.mkdir()
                yield partial
            finally:
                shutil.rmtree(partial, ignore_errors=True)
    except Timeout:
        raise ModelError("another model is being brought: wait for it") from None
    except OSError as error:
        raise ModelError(f"{error.filename or models}: {error.strerror or error}") from error


def _inputs_of(folder: Path, plan: Plan, weights: Mapping[str, Tensor]) -> dict[str, Any]:
    """What is kept of how the model takes its inputs and what its answers are called."""
    if plan.family != "vit":
        return vocabulary_of(folder, plan.family, plan.config["tokens"])
    config: dict[str, Any] = {"mean": PLAIN, "std": PLAIN}
    told = folder / "preprocessor_config.json"
    preprocessor = foreign.read_json(told, foreign.MOST_CONFIG) if told.is_file() else {}
    for name in ("mean", "std"):
        value = preprocessor.get(f"image_{name}", PLAIN)
        if not (isinstance(value, list | tuple) and len(value) == 3 and _positive(value)):
            raise ModelError(
                f"{told.name}: image_{name} is {str(value)[:40]}; three numbers above 0"
            )
        config[name] = value
    if "classifier.weight" in weights:
        names = foreign.read_settings(folder).entries.get("id2label")
        names = names if isinstance(names, dict) else {}
        count = len(weights["classifier.weight"])
        config["classes"] = [str(names.get(str(at), f"class {at}"))[:60] for at in range(count)]
    return config


def _positive(values: Any) -> bool:
    return all(isinstance(value, int | float) and 0 < value < 1e3 for value in values)


def _about(
    folder: Path, name: str, plan: Plan, weights: Mapping[str, Tensor], config: Mapping[str, Any]
) -> Pretrained:
    sha = hashlib.sha256()
    for file in sorted(folder / each for each in MODEL_FILES):
        if file.is_file():
            with file.open("rb") as data:
                sha.update(hashlib.file_digest(data, "sha256").digest())
    says = "class" if "classes" in config else plan.says
    reader = tokenizer(name, config) if plan.family != "vit" else None
    return Pretrained(
        name=f"{name}-{sha.hexdigest()[:8]}",
        title=name,
        what=WHAT[says],
        licence="",
        wheels=(),
        made=sum(weight.nbytes for weight in weights.values()),
        layers=config["layers"],
        heads=config["heads"],
        width=plan.width,
        causal=plan.causal,
        says=says,
        example=" ".join(texts_of(reader)[0].split()[:24]) if isinstance(reader, Numbers) else "",
    )


def _pictures(models: Path) -> dict[str, bytes]:
    """What a ViT is shown: pictures that came with another model, or views of the example."""
    others = sorted((models / MODELS["vit"].folder).glob("*.jpg"))[:INPUTS]
    jpegs = [file.read_bytes() for file in others]
    return {f"{at}.jpg": data for at, data in enumerate(jpegs or example.views(INPUTS))}


def _inputs(about: Pretrained, config: Mapping[str, Any], pictures: Mapping[str, bytes]) -> Tensor:
    """What it is measured on: the pictures, or as many tokens of each of the texts."""
    if about.reads == "picture":
        side, mean, std = config["side"], config["mean"], config["std"]
        return torch.stack([picture(data, side, mean, std) for data in pictures.values()])
    reader = tokenizer(about.name, config)
    texts = texts_of(reader)[:INPUTS]
    least = min(len(reader.encode(text)) for text in texts)
    return tokens_of(reader, texts, min(TOKENS, config["positions"], least))


def _measured(
    model: Model,
    about: Pretrained,
    config: Mapping[str, Any],
    pictures: Mapping[str, bytes],
    on_progress: OnProgress,
) -> dict[str, bytes]:
    """Its spectra and its answers with k terms, as files."""
    inputs = _inputs(about, config, pictures)
    terms = (0, *(k for k in TERMS if k < about.width), about.width)
    total = 1 + 2 * len(terms) * len(inputs)
    on_progress(0, total)
    rows = []
    for row in cuts_of(model, inputs, terms, about.name, about.says):
        rows.append(row)
        on_progress(len(rows), total)
    spectra, _ = spectra_of(model, inputs, about.name)
    if not all(map(math.isfinite, [*(row["value"] for row in rows), spectra.raw.sum()])):
        raise ModelError("the model answers NaN or ∞: are its weights what config.json says?")
    table = io.StringIO()
    writer = csv.DictWriter(table, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    fields = {key: value for key, value in asdict(about).items() if key != "wheels"}
    return {
        CUTS: table.getvalue().encode(),
        SPECTRA: spectra_file.pack({about.name: spectra}),
        ABOUT: json.dumps(fields, ensure_ascii=False).encode(),
    }
