"""Python imports this at its start, where its folder is on PYTHONPATH: the next server or worker
that begins takes the order that lies in a file, to end at the n-th call that changes the disk.

EXPLORER_TEST_ORDERS/<role>         the number n; role is "server" or "worker"
EXPLORER_TEST_ORDERS/<role>-done    left where it was carried out
"""

import os
import sys
from pathlib import Path

ROLES = {"explorer.runs.worker": "worker", "streamlit": "server"}


def begin(orders: Path) -> None:
    role = next((ROLES[word] for word in sys.orig_argv if word in ROLES), None)
    if role is None:
        return
    if role == "worker":
        often()
    taken = orders / f"{role}-{os.getpid()}"
    try:
        os.replace(orders / role, taken)  # one process has it
    except FileNotFoundError:
        return
    from seams import Seams

    done = os.fsencode(orders / f"{role}-done")
    create = os.open
    Seams(int(taken.read_text()), lambda: create(done, os.O_CREAT)).install()


def often() -> None:
    """Let a worker keep a checkpoint every few steps."""
    from explorer.runs import execute, resumable

    execute.CHECKPOINT_SECONDS = resumable.CHECKPOINT_SECONDS = 0.02
    execute.CHECKPOINT_SHARE = resumable.CHECKPOINT_SHARE = 0.5


if "EXPLORER_TEST_ORDERS" in os.environ:
    begin(Path(os.environ["EXPLORER_TEST_ORDERS"]))
