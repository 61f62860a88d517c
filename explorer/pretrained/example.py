"""What the shipped heads were shown: a sentence with repetitions, and a picture drawn here."""

from __future__ import annotations

import io

from explorer.slow import Image, ImageDraw, ImageOps

TEXT = (
    "The keeper climbed the stairs every evening, and every morning the keeper climbed down "
    "again to write the weather into his thick grey book."
)
SIDE = 448
SKY, HILL, MEADOW = (146, 190, 226), (88, 122, 92), (122, 158, 84)
SUN, WALL, ROOF, DOOR = (250, 216, 96), (226, 214, 196), (168, 62, 48), (84, 58, 40)


def picture() -> bytes:
    """A house on a meadow under the sun, as a PNG."""
    file = io.BytesIO()
    _drawn().save(file, "PNG")
    return file.getvalue()


def views(count: int) -> list[bytes]:
    """So many views of it: whole and mirrored, then parts, as JPEGs."""
    whole, jpegs = _drawn(), []
    parts = [(0, 0, 300, 300), (148, 0, SIDE, 300), (0, 148, 300, SIDE), (148, 148, SIDE, SIDE)]
    for image in [whole, ImageOps.mirror(whole), *map(whole.crop, parts)][:count]:
        file = io.BytesIO()
        image.save(file, "JPEG", quality=95)
        jpegs.append(file.getvalue())
    return jpegs


def _drawn() -> Image.Image:
    image = Image.new("RGB", (SIDE, SIDE), SKY)
    pen = ImageDraw.Draw(image)
    pen.ellipse((330, 40, 410, 120), fill=SUN)
    pen.polygon([(0, 300), (140, 190), (300, 300)], fill=HILL)
    pen.rectangle((0, 300, SIDE, SIDE), fill=MEADOW)
    pen.rectangle((190, 230, 330, 370), fill=WALL)
    pen.polygon([(175, 230), (260, 150), (345, 230)], fill=ROOF)
    pen.rectangle((240, 300, 280, 370), fill=DOOR)
    return image
