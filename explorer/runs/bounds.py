"""What the operating system lets a process have that trains, or draws for others, so that a bad one
ends alone."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

with suppress(ImportError):  # Windows has none
    import resource

MEGA = 10**6
OUT_OF_MEMORY = (
    "out of memory: this needs more than a training may have here; lower the batch, the widths or τ"
)


def bound_memory(megabytes: int) -> None:
    """Let this process take so many MB beyond what it holds now; more is refused to it (Linux)."""
    if sys.platform != "linux":
        return
    held = Path("/proc/self/status").read_text("ascii").partition("VmData:")[2].split()[0]
    most = 1024 * int(held) + megabytes * MEGA
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def bound_time(seconds: float) -> None:
    """Let this process take so many processor seconds from now on; then the system ends it."""
    if sys.platform == "win32":
        return
    used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(used + seconds) + 1, most))


def bound_process(pid: int, megabytes: int, seconds: int) -> None:
    """Let another process, which has just begun, take so much memory and processor time (Linux)."""
    if sys.platform == "linux":
        most = megabytes * MEGA
        resource.prlimit(pid, resource.RLIMIT_DATA, (most, most))
        resource.prlimit(pid, resource.RLIMIT_CPU, (seconds, seconds + 1))


def await_process(process: subprocess.Popen[str]) -> float:
    """The processor seconds that a process took, once it has ended; 0 where nobody tells."""
    if sys.platform == "win32":
        process.wait()
        return 0.0
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime


def is_out_of_time(code: int | None) -> bool:
    """Whether a process has ended with this code as its time was used up."""
    return sys.platform != "win32" and code == -signal.SIGXCPU


def is_out_of_memory(error: Exception) -> bool:
    """Whether memory was refused; torch says so in words alone."""
    return isinstance(error, MemoryError) or "can't allocate memory" in str(error)


def why(code: int | None) -> str:
    """What is said of a run whose process ended with this code."""
    if is_out_of_time(code):
        return "it has used up the processor time that a training may have here"
    return f"its process has ended (code {code}); it goes on from its last checkpoint"
