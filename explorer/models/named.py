"""The parameters of a specification by name, by plain arithmetic: their shapes, order and hash.

Nothing here needs torch: the server compares with it what comes from elsewhere.
"""

import hashlib
import math
from collections.abc import Mapping

import numpy as np

from explorer.models.networks import NETWORKS
from explorer.models.shapes import Shapes
from explorer.spec import AnySpec


def shapes(spec: AnySpec) -> Shapes:
    """Name and shape of every parameter of one model; equal shapes stand next to each other."""
    return NETWORKS[spec.recipe].shapes(spec)


def matrix_runs(spec: AnySpec, models: int) -> list[tuple[int, tuple[int, int], list[str]]]:
    """Start, shape and names of neighbouring matrices of one shape in the flat buffer, whose order
    is name by name, model by model."""
    runs: list[tuple[int, tuple[int, int], list[str]]] = []
    position = 0
    for name, shape in shapes(spec).items():
        if len(shape) == 2:
            if runs and runs[-1][1] == shape:
                runs[-1][2].append(name)
            else:
                runs.append((position, shape, [name]))
        position += models * math.prod(shape)
    return runs


def weights_sha256(weights: Mapping[str, np.ndarray]) -> str:
    """Hash of the parameters of one model, sorted by name: name, shape, little-endian float32."""
    digest = hashlib.sha256()
    for name, array in sorted(weights.items()):
        digest.update(f"{name}{list(array.shape)}".encode())
        digest.update(np.ascontiguousarray(array, dtype="<f4").tobytes())
    return digest.hexdigest()
