"""Messages of the live WebSocket, opened as the browser opens them."""

from typing import Any, NamedTuple

import numpy as np

from explorer.runs.frames import unpack


class Message(NamedTuple):
    """What a message says, its own arrays, and header and arrays of the picture behind them."""

    header: dict[str, Any]
    arrays: dict[str, np.ndarray]
    measured: dict[str, Any]
    pictures: dict[str, np.ndarray]


def opened(data: bytes) -> Message:
    """A message with its picture; one without has none."""
    header, arrays = unpack(data)
    size = header.pop("picture_bytes", 0)
    return Message(header, arrays, *(unpack(data[-size:]) if size else ({}, {})))
