"""Who trains the units of a sweep: this process, several of this machine, or a Dask cluster."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import active_children, get_context
from typing import TYPE_CHECKING

from explorer.runs import devices, signals
from explorer.spec import SpecError

if TYPE_CHECKING:
    from multiprocessing.sharedctypes import Synchronized

DASK_RETRIES = 5  # of a unit whose worker was lost


@contextmanager
def executor_named(name: str, workers: int) -> Iterator[Executor | None]:
    """The executor behind "local" or "dask:ADDRESS"; None for this process.

    Raises SpecError for another name, a missing package or a scheduler that does not answer.
    """
    if name == "local":
        if workers == 1:
            yield None
            return
        with _processes(workers, devices.gpus()) as pool:
            yield pool
        return
    kind, _, address = name.partition(":")
    if kind != "dask" or not address:
        raise SpecError(f"--executor {name!r}: must be local or dask:ADDRESS")
    with _dask(address) as pool:
        yield pool


def _begin(counter: Synchronized[int], gpus: Sequence[str]) -> None:
    """In a new process: of several GPUs it has one."""
    signals.exit_with_parent()
    with counter.get_lock():
        index, counter.value = counter.value, counter.value + 1
    if gpus:
        os.environ["CUDA_VISIBLE_DEVICES"] = gpus[index % len(gpus)]


@contextmanager
def _processes(workers: int, gpus: Sequence[str] = ()) -> Iterator[Executor]:
    """Processes of this machine, in turn for its `gpus`; Ctrl-C ends them at once, and nothing is
    lost but their unit."""
    context = get_context("spawn")
    pool = ProcessPoolExecutor(
        workers, context, initializer=_begin, initargs=(context.Value("i", 0), list(gpus))
    )
    try:
        yield pool
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for child in active_children():
            child.terminate()


@contextmanager
def _dask(address: str) -> Iterator[Executor]:
    """Workers of a running scheduler: `dask scheduler`, and on each machine as many times as it has
    cores or GPUs `dask worker ADDRESS --nthreads 1` (a GPU's with its own CUDA_VISIBLE_DEVICES)."""
    try:
        from distributed import Client
    except ImportError:
        raise SpecError("--executor dask: pip install distributed") from None
    try:
        client = Client(address, timeout=10)
    except (OSError, ValueError) as error:
        raise SpecError(f"--executor dask:{address}: no scheduler there ({error})") from None
    with client:
        yield client.get_executor(pure=False, retries=DASK_RETRIES)
