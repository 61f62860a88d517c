"""Where the kernel runs: built for this machine, or as WebAssembly.

Either calls the functions that kernel.c exports and shows their memory as arrays. A library is
built once for a source, a compiler and a processor, by `cc` or by the package `ziglang`, and kept
below the explorer's home.
"""

import ctypes
import hashlib
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from explorer.engine.settings import EngineError, Settings
from explorer.folder import home

KERNEL = Path(__file__).parent / "kernel"
WASM = KERNEL / "kernel.wasm"
ALIGNED = 64
NATIVE = ["-O3", "-ffp-contract=fast", "-fno-math-errno", "-shared", "-fPIC", "-fvisibility=hidden"]
PLAIN = [
    *("-target", "wasm32-freestanding", "-msimd128", "-Os", "-ffp-contract=off", "-fno-builtin"),
    *("-fno-vectorize", "-mllvm", "-inline-threshold=0"),  # what is not hot is there once
    *("-mllvm", "-disable-lsr"),  # addresses that V8 has in its loads
    *("-nostdlib", "-fvisibility=hidden", "-Wl,--no-entry", "-Wl,--export-dynamic"),
    *("-Wl,--export=__heap_base", "-Wl,-z,stack-size=65536", "-Wl,--strip-all"),
]
"""No number is contracted or reordered: the bits are those of every machine. It goes into files;
being small costs its steps nothing."""

_pointer, _int, _long, _float = ctypes.c_void_p, ctypes.c_int, ctypes.c_long, ctypes.c_float
FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "bytes_of": (ctypes.c_ulong, [_pointer]),
    "begin": (_pointer, [_pointer, _pointer]),
    "start": (None, [_pointer]),
    "state_of": (_pointer, [_pointer]),
    "state_size": (_long, [_pointer]),
    "size_of": (_long, [_pointer]),
    "gradient_of": (_pointer, [_pointer]),
    "numbers_of": (_pointer, [_pointer]),
    "units_of": (_pointer, [_pointer]),
    "points_of": (_pointer, [_pointer]),
    "quadrature_of": (_pointer, [_pointer]),
    "designed_of": (_pointer, [_pointer]),
    "batch_of": (_pointer, [_pointer, _int]),
    "layer_of": (_int, [_pointer, _int, _int]),
    "step_of": (_int, [_pointer]),
    "set_step": (None, [_pointer, _int]),
    "differentiate": (_float, [_pointer]),
    "learn": (_float, [_pointer, _float]),
    "fresh": (None, [_pointer]),
    "advance": (_float, [_pointer, _int]),
    "predict": (None, [_pointer]),
    "evaluate": (_pointer, [_pointer, _int, _int]),
    "grid": (_pointer, [_pointer, _int, _int]),
    "design": (None, [_pointer, _int, _int, _int]),
    "pod": (_pointer, [_pointer, _int, _int, _int]),
    "attention": (_pointer, [_pointer]),
    "coupling": (_pointer, [_pointer]),
}
"""What kernel.c exports: what each returns and takes."""


class Home(Protocol):
    """Calls the kernel; a pointer is a number."""

    name: str

    def call(self, function: str, *values: float) -> Any:
        """What one of FUNCTIONS returns."""
        ...

    def begin(self, settings: Settings) -> int:
        """A model in memory of its own."""
        ...

    def floats(self, pointer: int, count: int) -> np.ndarray:
        """So many float32 of its memory, to be read and written; until the next `begin`."""
        ...


class Native:
    """A library of this machine's own code."""

    name = "native"

    def __init__(self, path: Path):
        library = ctypes.CDLL(str(path))
        self._calls = {name: _typed(library, name) for name in FUNCTIONS}
        self._kept: list[np.ndarray] = []

    def call(self, function: str, *values: float) -> Any:
        return self._calls[function](*values)

    def begin(self, settings: Settings) -> int:
        at = ctypes.addressof(settings)
        memory = np.zeros(self.call("bytes_of", at) + ALIGNED, np.uint8)
        self._kept.append(memory)
        return self.call("begin", at, _aligned(memory.ctypes.data))

    def floats(self, pointer: int, count: int) -> np.ndarray:
        return np.ctypeslib.as_array(ctypes.cast(pointer, ctypes.POINTER(ctypes.c_float)), (count,))


class Wasm:
    """The kernel as WebAssembly, run by the package `wasmtime`."""

    name = "wasm"

    def __init__(self, code: bytes):
        import wasmtime

        self._store = wasmtime.Store()
        instance = wasmtime.Instance(self._store, wasmtime.Module(self._store.engine, code), [])
        self._exports: Any = instance.exports(self._store)
        self._memory = self._exports["memory"]
        self._free = _aligned(self._exports["__heap_base"].value(self._store))

    def call(self, function: str, *values: float) -> Any:
        return self._exports[function](self._store, *values)

    def begin(self, settings: Settings) -> int:
        raw = bytes(settings)
        at = self._room(len(raw))
        self._memory.write(self._store, raw, at)
        return self.call("begin", at, self._room(self.call("bytes_of", at)))

    def _room(self, size: int) -> int:
        """Memory that is 0 and nobody else's."""
        at, self._free = self._free, _aligned(self._free + size)
        lacking = self._free - self._memory.data_len(self._store)
        if lacking > 0:
            self._memory.grow(self._store, -(-lacking // 2**16))
        return at

    def floats(self, pointer: int, count: int) -> np.ndarray:
        first = ctypes.addressof(self._memory.data_ptr(self._store).contents)
        return np.ctypeslib.as_array((ctypes.c_float * count).from_address(first + pointer))


@cache
def native() -> Home:
    """The machine's own code, built where it is not there yet; raises EngineError."""
    return Native(library())


def wasm() -> Home:
    """WebAssembly as it is shipped; raises EngineError without the package that runs it."""
    if importlib.util.find_spec("wasmtime") is None:
        raise EngineError("WebAssembly needs the package wasmtime: pip install wasmtime")
    return Wasm(WASM.read_bytes())


def library() -> Path:
    """The kernel built for this machine; raises EngineError without a compiler, where it fails, and
    where the result cannot be kept."""
    words = _compiler()
    path = home() / "engine" / f"{_key(words)}.so"
    if path.exists():
        return path
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent) as folder:
            made = Path(folder) / path.name
            _run([*words, *NATIVE, "-o", str(made), str(KERNEL / "kernel.c")])
            os.replace(made, path)
    except OSError as error:
        raise EngineError(f"the kernel cannot be kept in {path.parent}: {error}") from None
    return path


def build_wasm(path: Path = WASM) -> None:
    """Write kernel.wasm anew, byte for byte the same; raises EngineError without `ziglang`."""
    if importlib.util.find_spec("ziglang") is None:
        raise EngineError("WebAssembly is built by the package ziglang: pip install ziglang")
    _run([*_zig(), *PLAIN, "-o", str(path), str(KERNEL / "kernel.c")])


def _compiler() -> list[str]:
    if compiler := shutil.which("cc"):
        return [compiler, "-march=native"]
    if importlib.util.find_spec("ziglang") is not None:
        return [*_zig(), "-mcpu=native"]
    raise EngineError("no C compiler is here: install one, or pip install ziglang")


def _zig() -> list[str]:
    return [sys.executable, "-m", "ziglang", "cc"]


def _key(words: list[str]) -> str:
    """Of the source, the compiler and the processor."""
    sources = [path.read_bytes() for path in sorted(KERNEL.glob("*.[ch]"))]
    cpu = Path("/proc/cpuinfo")
    flags = next((line for line in _lines(cpu) if line.startswith(("flags", "Features"))), "")
    told = "\n".join([*words, *NATIVE, platform.machine(), platform.processor(), flags])
    return hashlib.sha256(b"\0".join([*sources, told.encode()])).hexdigest()[:16]


def _lines(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines() if path.exists() else []


def _run(words: list[str]) -> None:
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        raise EngineError(f"the kernel does not build: {done.stderr.strip()[-400:]}")


def _typed(library: ctypes.CDLL, name: str) -> Callable[..., Any]:
    function = getattr(library, name)
    function.restype, function.argtypes = FUNCTIONS[name]
    return function


def _aligned(address: int) -> int:
    return -(-address // ALIGNED) * ALIGNED
