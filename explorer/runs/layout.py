"""What a checkpoint of a specification holds: names, types and shapes of its tensors.

By plain arithmetic, without torch: what comes from elsewhere is compared with it at the door, and
what a run goes on from where it is resumed.
"""

import math
from collections.abc import Mapping
from typing import Any

from explorer.models.named import matrix_runs, shapes
from explorer.spec import AnySpec, coupling_spec

GENERATOR = "generator.0"
GENERATOR_BYTES = 8192  # at most; on the CPU it takes 5056, on a GPU 16
HEADER_BYTES = 65_536  # names and shapes of a safetensors file, at most
BYTES = {"float32": 4, "int64": 8, "uint8": 1}

PADS = {"wasm": (8,), "native": (8, 16)}
"""Of the kernel's code the floats to a multiple of which it pads the rows of matrices: natively
those of its registers."""

Layout = dict[str, tuple[str, tuple[int, ...]]]


def parameters(spec: AnySpec) -> Layout:
    """The step and the parameters alone, with a model axis of 1."""
    weights = {f"weights.{name}": ("float32", (1, *shape)) for name, shape in shapes(spec).items()}
    return {"step": ("int64", ()), **weights}


def full(spec: AnySpec) -> Layout:
    """All that a run goes on from, its generator aside; of the kernel's own code the largest."""
    return ways(spec)[-1]


def ways(spec: AnySpec) -> list[Layout]:
    """All that a run goes on from, its generator aside: as torch keeps it, or as the kernel does,
    whose state is one row of numbers on each kind of processor."""
    common: Layout = {**parameters(spec), "loss": ("float32", (1,)), **_rest(spec)}
    if spec.by_kernel:
        sizes = [_engine_floats(spec, pad) for pad in PADS[coupling_spec(spec).engine]]
        return [{**common, "engine.state": ("float32", (size,))} for size in sizes]
    flat = ("float32", (_count(spec),))
    adam: Layout = {"step": ("float32", ()), "exp_avg": flat, "exp_avg_sq": flat}
    moments = _soap(spec) if spec.optimizer == "soap" else adam
    return [{**common, **{f"optimizer.{name}": held for name, held in moments.items()}}]


def _rest(spec: AnySpec) -> Layout:
    """What tells whether the training loss rests, where that is asked."""
    if not spec.rests:
        return {}
    kinds = {"total": "float32", "least": "float32", "poor": "int64", "since": "int64"}
    return {f"rest.{name}": (kind, (1,)) for name, kind in kinds.items()}


def largest(spec: AnySpec) -> int:
    """Bytes that the file of a checkpoint takes at most."""
    sizes = (
        sum(BYTES[kind] * math.prod(shape) for kind, shape in full(held).values())
        for held in (spec.at(1), spec.at(spec.steps))
    )
    return max(sizes) + GENERATOR_BYTES + HEADER_BYTES


def problem(spec: AnySpec, tensors: Mapping[str, Any]) -> str | None:
    """In what tensors (of numpy or torch) differ from a checkpoint of a specification, whole or of
    the parameters alone; None where they do not. Its step says which head it has."""
    spec = spec.at(_step(tensors))
    actual = {name: (_kind(value), tuple(value.shape)) for name, value in tensors.items()}
    wanted = parameters(spec)
    if "loss" in tensors:  # the layout that is found, where it is one of these; else the largest
        wanted = next((each for each in ways(spec) if each == actual), full(spec))
    if "loss" in tensors and not spec.by_kernel:
        kind, shape = actual.pop(GENERATOR, ("nothing", ()))
        if kind != "uint8" or len(shape) != 1 or shape[0] > GENERATOR_BYTES:
            return f"{GENERATOR} is no state of a generator"
    own = "weights."  # named before what the optimiser makes of them
    for name in sorted(wanted.keys() | actual.keys(), key=lambda n: (not n.startswith(own), n)):
        if wanted.get(name) != actual.get(name):
            return (
                f"{name[:60]} must be {_words(wanted.get(name))}, found {_words(actual.get(name))}"
            )
    return None


def weights(tensors: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of the first model of a checkpoint, by name, without its model axis."""
    named = {name: values for name, values in tensors.items() if name.startswith("weights.")}
    return {name.removeprefix("weights."): values[0] for name, values in named.items()}


def _step(tensors: Mapping[str, Any]) -> int:
    """What the tensors say of it; 0 where they do not."""
    step = tensors.get("step")
    return 0 if step is None or _kind(step) != "int64" or step.shape else int(step)


def _kind(value: Any) -> str:
    return str(value.dtype).removeprefix("torch.")


def _words(held: tuple[str, tuple[int, ...]] | None) -> str:
    return "nothing" if held is None else f"{held[0]} {list(held[1])}"[:80]


def _count(spec: AnySpec) -> int:
    return sum(math.prod(shape) for shape in shapes(spec).values())


def _engine_floats(spec: AnySpec, pad: int) -> int:
    """Of the kernel's state: Wᵀ (in × out) and b of every layer with rows padded, twice more for
    the moments; under SOAP factor and basis of every side that is longer than 1."""
    flat, squares = 0, 0
    for shape in shapes(spec).values():
        out, into = shape if len(shape) == 2 else (*shape, 1)
        flat += into * _padded(out, pad)
        sides = shape if spec.optimizer == "soap" and len(shape) == 2 else ()
        squares += sum(size * _padded(size, pad) for size in sides if size > 1)
    return 3 * flat + 2 * squares


def _padded(width: int, pad: int) -> int:
    return -(-width // pad) * pad


def _soap(spec: AnySpec) -> Layout:
    """Two moments, and factor and eigenbasis of each side of a stack that is longer than 1."""
    flat = ("float32", (_count(spec),))
    named: Layout = {"rotated_momentum": flat, "second_moment": flat, "step_count": ("int64", ())}
    for index, (_, (rows, columns), names) in enumerate(matrix_runs(spec, 1)):
        for side, size in (("L", rows), ("R", columns)):
            if size > 1:
                square = ("float32", (len(names), size, size))
                named |= {f"{kind}.{index}.{side}": square for kind in ("factor", "basis")}
    return named
