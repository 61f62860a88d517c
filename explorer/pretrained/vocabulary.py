"""The vocabulary of a model that `transformers` has saved: tokenizer.json, or vocab.txt, or
vocab.json and merges.txt; without any, tokens are written as their numbers.

tokenizer.json can say many things that our two readers (tokens.py) do not do. It is refused then,
since other tokens than the model's would be silently wrong.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from explorer.pretrained.catalogue import ModelError
from explorer.pretrained.foreign import read_json
from explorer.pretrained.tokens import BYTE_NAMES, SPECIAL

LARGEST = 60_000_000  # bytes of a file
REMOVE = "remove it, and tokens are written as their numbers"


def vocabulary_of(folder: Path, family: str, size: int) -> dict[str, Any]:
    """What `tokens.tokenizer` needs of a model with so many tokens; raises ModelError for files
    that say something else than it can do."""
    if (folder / "tokenizer.json").is_file():
        tokenizer = read_json(folder / "tokenizer.json", LARGEST)
        try:
            config = _of_tokenizer(tokenizer, family, size)
        except (KeyError, TypeError, AttributeError) as error:
            raise ModelError(f"tokenizer.json cannot be read ({error!r}): {REMOVE}") from None
    elif family == "bert":
        config = _word_pieces(folder, size)
    else:
        config = _byte_pairs(folder, size)
    needed = BYTE_NAMES if family == "gpt2" else SPECIAL
    if config and (lacks := [name for name in needed if name not in config["vocabulary"]]):
        raise ModelError(
            f"the vocabulary lacks {len(lacks)} of the {len(needed)} tokens that every text may "
            f"need, {lacks[0]!r} for one: {REMOVE}"
        )
    return config


def _word_pieces(folder: Path, size: int) -> dict[str, Any]:
    if not (folder / "vocab.txt").is_file():
        return {}
    names = _lines(folder / "vocab.txt")
    told = folder / "tokenizer_config.json"
    lower = read_json(told, LARGEST).get("do_lower_case", True) if told.is_file() else True
    numbers = {name: number for number, name in enumerate(names)}
    return {"vocabulary": _listed(numbers, size), "lower": bool(lower)}


def _byte_pairs(folder: Path, size: int) -> dict[str, Any]:
    numbers, merges = folder / "vocab.json", folder / "merges.txt"
    if not numbers.is_file():
        return {}
    if not merges.is_file():
        raise ModelError(f"vocab.json came without merges.txt: bring both, or {REMOVE}")
    lines = _lines(merges)
    pairs = lines[lines[:1] == [] or lines[0].startswith("#version") :]
    return {
        "vocabulary": _listed(read_json(numbers, LARGEST), size),
        "merges": _pairs([line for line in pairs if line]),
        "digits_alone": False,
    }


def _of_tokenizer(tokenizer: Mapping[str, Any], family: str, size: int) -> dict[str, Any]:
    kind = "BPE" if family == "gpt2" else "WordPiece"
    model = _entry(tokenizer, "model")
    if model.get("type", kind) != kind:
        raise ModelError(
            f"tokenizer.json is {str(model['type'])[:20]}; of {family}, {kind} is read"
        )
    numbers = dict(_entry(model, "vocab"))
    for added in tokenizer.get("added_tokens") or ():
        numbers |= {added["content"]: added["id"]} if isinstance(added, dict) else {}
    names = _listed(numbers, size)
    if family == "bert":
        return {"vocabulary": names, "lower": _lower(tokenizer)}
    steps = _steps(tokenizer.get("pre_tokenizer"))
    digits = {"type": "Digits", "individual_digits": True}
    plain = {"type": "ByteLevel", "add_prefix_space": False}
    known = [
        step.items() >= digits.items()
        or (step.items() >= plain.items() and step.get("use_regex", True))
        for step in steps
    ]
    if tokenizer.get("normalizer") or not steps or not all(known):
        raise ModelError(f"tokenizer.json cuts words in a way that is not known here: {REMOVE}")
    return {
        "vocabulary": names,
        "merges": _pairs(model.get("merges")),
        "digits_alone": len(steps) > 1,
    }


def _entry(parent: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    entry = parent.get(name)
    if not isinstance(entry, Mapping):
        raise ModelError(f"tokenizer.json has no {name!r} that could be read: {REMOVE}")
    return entry


def _steps(pre_tokenizer: Any) -> list[Mapping[str, Any]]:
    """The steps in which words are cut: one, or those of a sequence."""
    steps = (
        pre_tokenizer.get("pretokenizers", [pre_tokenizer])
        if isinstance(pre_tokenizer, Mapping)
        else []
    )
    return [step for step in steps if isinstance(step, Mapping)]


def _lower(tokenizer: Mapping[str, Any]) -> bool:
    normal = tokenizer.get("normalizer")
    lower = normal.get("lowercase") if isinstance(normal, Mapping) else None
    if lower is None or normal.get("strip_accents") not in (None, lower):  # type: ignore[union-attr]
        raise ModelError(f"tokenizer.json cleans texts in a way that is not known here: {REMOVE}")
    return bool(lower)


def _listed(numbers: Mapping[str, Any], size: int) -> list[str]:
    """Names by number; a number without a name is written in brackets."""
    names = [f"[{number}]" for number in range(size)]
    for name, number in numbers.items():
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < size:
            raise ModelError(
                f"the vocabulary gives {name[:20]!r} the number {str(number)[:20]}, and the model "
                f"has {size} tokens: do the files belong together?"
            )
        names[number] = name
    return names


def _pairs(merges: Any) -> list[str]:
    """Merges as texts of two pieces with a blank between."""
    pairs = [each if isinstance(each, str) else " ".join(map(str, each)) for each in merges or ()]
    if odd := [each for each in pairs if each.count(" ") != 1]:
        raise ModelError(f"the merges hold {odd[0][:40]!r}, which is no pair")
    return pairs


def _lines(file: Path) -> list[str]:
    if file.stat().st_size > LARGEST:
        raise ModelError(f"{file.name} has more than {LARGEST // 10**6} MB")
    try:
        return file.read_text("utf-8").removesuffix("\n").split("\n")
    except ValueError as error:
        raise ModelError(f"{file.name} is no text in UTF-8: {error}") from None
