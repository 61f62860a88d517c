"""What an HTML file holds for its components."""

import base64
import gzip
import re


def parts_of(html: str) -> dict[str, bytes]:
    """The parts of a page's picture or of a talk, by name."""
    found = re.findall(r'data-part="([^"]+)">([^<]*)</script>', html)
    return {name: gzip.decompress(base64.b64decode(text)) for name, text in found}
