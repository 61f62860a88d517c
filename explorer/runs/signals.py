"""The signals that end a process, treated as Ctrl-C is, and the end of a parent process."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import parent_process

# systemd, Docker and Slurm send the second, a terminal that is closed the third.
NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
TERMINATING = tuple(getattr(signal, name) for name in NAMES if hasattr(signal, name))


def treat_as_ctrl_c() -> None:
    """Let every signal that ends a process end it as Ctrl-C does, unless it is ignored (nohup)."""
    for number in TERMINATING:
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)


@contextmanager
def interrupts() -> Iterator[threading.Event]:
    """An event that the first Ctrl-C sets; the second one raises KeyboardInterrupt as usual.

    A step that is cut short leaves parameters from which no run can go on bit for bit.
    """
    event, usual = threading.Event(), signal.default_int_handler
    main = threading.current_thread() is threading.main_thread()
    caught = [number for number in TERMINATING if main and signal.getsignal(number) is usual]

    def restore() -> None:
        for number in caught:
            signal.signal(number, usual)

    def first(*_: object) -> None:
        event.set()
        restore()

    for number in caught:
        signal.signal(number, first)
    try:
        yield event
    finally:
        restore()


def exit_with_parent() -> None:
    """Called in a process of a pool: it ends at Ctrl-C, and when its parent has gone, however it
    died. The end of the queue it waits at would not tell it: every sibling holds that open."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading.Thread(target=_follow, daemon=True).start()


def _follow() -> None:
    if parent := parent_process():
        parent.join()
        os._exit(1)
