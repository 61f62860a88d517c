"""What a command does to a run or job, by its status."""

import time
from typing import Any

from explorer.runs.database import StoreError
from explorer.runs.record import RESUMABLE, Work

COMMANDS = ("pause", "resume", "step", "stop")
WHY_NOT = {
    "finished": "it has finished",
    "diverged": "it diverged and would do so again; change the specification and start anew",
    "running": "it is running; pause it first",
}


class RunError(StoreError):
    """This run or job cannot do that now, or is not in this store."""


def transition(row: Work, command: str) -> dict[str, Any]:
    """The columns that a command changes.

    What is running reads pause and stop from its row. Raises RunError, naming what it is doing,
    when the command makes no sense for it now.
    """
    match command, row.status:
        case "pause" | "stop", "running":
            return {"command": command}
        case "pause", "queued":
            return {"status": "paused"}
        case "stop", "queued" | "paused" | "interrupted":
            return {"status": "stopped", "ended": time.time()}
        case "resume", "running" if row.command == "pause":
            return {"command": "resume"}
        case "resume", status if status in RESUMABLE:
            return queued_now()
        case "step", status if status in RESUMABLE:
            return queued_now() | {"pause_at": row.step + 1}
    why = WHY_NOT.get(row.status, f"it is {row.status}")
    raise RunError(f"cannot {command} {row.run}: {why}")


def queued_now() -> dict[str, Any]:
    """The columns of what a hand lets wait for a worker (see `rows.update`)."""
    return {"status": "queued", "pause_at": None, "message": "", "revived": None}


def at_rest(row: Work, status: str) -> dict[str, Any]:
    """The columns of a run or job whose owner lets go of it.

    One about to be paused obeys a stop or resume that came meanwhile, one that gives way to others
    a pause or stop.
    """
    if status == "queued" and row.command in ("pause", "stop"):
        status = {"pause": "paused", "stop": "stopped"}[row.command]
    if status == "queued":  # it has given way, and keeps its place among its owner's
        return {"status": status, "command": None, "queued": row.queued}
    if status == "paused" and row.command == "resume":
        return queued_now() | {"command": None}
    if status == "paused" and row.command == "stop":
        status = "stopped"
    ended = None if status == "paused" else time.time()
    return {"status": status, "command": None, "pause_at": None, "ended": ended}
