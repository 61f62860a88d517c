"""Texts and pictures as the models take them."""

from __future__ import annotations

import io
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from PIL import Image, ImageOps, UnidentifiedImageError
from torch import Tensor

from explorer.pretrained.catalogue import ModelError
from explorer.pretrained.tokens import Reader

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)  # of ImageNet, as DINOv2 was trained
FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF")
"""Of pictures: other decoders of Pillow are not asked, EPS among them, which starts a program."""


def tokens_of(reader: Reader, texts: Sequence[str], length: int) -> Tensor:
    """The first `length` tokens of each text: (text, time).

    Raises ModelError where a text has fewer.
    """
    encoded = [reader.encode(text) for text in texts]
    for text, numbers in zip(texts, encoded, strict=True):
        if len(numbers) < length:
            raise ModelError(
                f"{text[:40]!r}… has {len(numbers)} tokens, and {length} are asked for"
            )
    return torch.tensor([numbers[:length] for numbers in encoded])


def picture(
    data: bytes, side: int, mean: Sequence[float] = MEAN, std: Sequence[float] = STD
) -> Tensor:
    """A picture of any size and mode as (3, side, side), normalised: its middle square, resized.

    Raises ModelError for what is no picture, or too large a one.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            opened = Image.open(io.BytesIO(data), formats=FORMATS)
            colours = _eight_bit(opened).convert("RGB")
            square = ImageOps.fit(colours, (side, side), Image.Resampling.BICUBIC)
    except UnidentifiedImageError:
        what = "empty" if not data else "of no known kind, whatever its name says"
        raise ModelError(f"this is no picture that can be read: the file is {what}") from None
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        most = Image.MAX_IMAGE_PIXELS or 0
        raise ModelError(
            f"this is no picture that can be read: it has more than {most // 10**6} million pixels"
        ) from None
    except (OSError, ValueError, SyntaxError) as error:
        raise ModelError(f"this is no picture that can be read: {error}") from None
    pixels = torch.frombuffer(bytearray(square.tobytes()), dtype=torch.uint8)
    values = pixels.view(side, side, 3).permute(2, 0, 1) / 255
    return (values - torch.tensor(mean)[:, None, None]) / torch.tensor(std)[:, None, None]


def _eight_bit(image: Image.Image) -> Image.Image:
    """A grey picture of 16 bits or of floats from its darkest to its brightest, where Pillow would
    cut at 255; others as they are."""
    if not image.mode.startswith(("I", "F")):
        return image
    values = np.asarray(image, float)
    low, high = values.min(), values.max()
    if not np.isfinite(high - low):
        raise ValueError("some of its pixels are no numbers")
    return Image.fromarray(np.uint8(np.rint((values - low) * 255 / ((high - low) or 1))))


def pictures(folder: Path, side: int, count: int) -> Tensor:
    """The pictures that came with a model: (count, 3, side, side)."""
    files = sorted(folder.glob("*.jpg"))[:count]
    if len(files) < count:
        raise ModelError(f"{folder} has {len(files)} pictures, not {count}")
    return torch.stack([picture(file.read_bytes(), side) for file in files])
