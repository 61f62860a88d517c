"""Processes that end at the n-th call that changes the disk, one of SQLite's own among them."""

import ctypes
import os
import signal
import threading

CALLS = ("fsync", "replace", "rename", "unlink", "mkdir", "rmdir", "utime")

_int, _size, _place, _got = ctypes.c_int, ctypes.c_size_t, ctypes.c_int64, ctypes.c_ssize_t
WRITE = ctypes.CFUNCTYPE(_got, _int, ctypes.c_void_p, _size, use_errno=True)
WRITE_AT = ctypes.CFUNCTYPE(_got, _int, ctypes.c_void_p, _size, _place, use_errno=True)
TYPES = {
    "write": WRITE,
    "pwrite": WRITE_AT,
    "pwrite64": WRITE_AT,
    "ftruncate": ctypes.CFUNCTYPE(_int, _int, _place, use_errno=True),
    "unlink": ctypes.CFUNCTYPE(_int, ctypes.c_char_p, use_errno=True),
}
"""System calls by which SQLite changes files."""


class Seams:
    """Counts the calls that change the disk, and ends the process at one side of one of them, after
    a last word."""

    def __init__(self, at, last_word=lambda: None):
        self.at, self.last_word = at, last_word
        self.passed, self.counting = 0, threading.Lock()

    def here(self):
        with self.counting:
            self.passed += 1
            if self.passed == self.at:
                self.last_word()
                os.kill(os.getpid(), signal.SIGKILL)

    def wrap(self, function):
        def called(*args, **options):
            self.here()
            answer = function(*args, **options)
            self.here()
            return answer

        return called

    def install(self):
        for name in CALLS:
            setattr(os, name, self.wrap(getattr(os, name)))
        made, opened = self.wrap(os.open), os.open
        os.open = lambda path, flags, *more, **named: (made if flags & os.O_CREAT else opened)(
            path, flags, *more, **named
        )
        self.kept = [*self._wrap_writes()]  # SQLite calls them from now on

    def wrap_call(self, name, call):
        return self.wrap(call)

    def _wrap_writes(self, types=TYPES):
        find = _library().sqlite3_vfs_find
        find.restype = ctypes.POINTER(FileSystem)
        system = find(None)
        for name, kind in types.items():
            if call := system.contents.get(system, name.encode()):
                wrapped = kind(self.wrap_call(name, kind(call)))
                system.contents.set(system, name.encode(), wrapped)
                yield wrapped


class FileSystem(ctypes.Structure):
    """sqlite3_vfs, version 3: its last entries set and get the system calls that it makes."""

    _fields_ = [
        *((name, ctypes.c_int) for name in ("version", "bytes_of_a_file", "longest_path")),
        *((name, ctypes.c_void_p) for name in ("next", "name", "data")),
        ("methods", ctypes.c_void_p * 13),
        ("set", ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 3)),
        ("get", ctypes.CFUNCTYPE(ctypes.c_void_p, *[ctypes.c_void_p] * 2)),
    ]


def _library():
    """SQLite, as Python's own module of it is linked to."""
    import _sqlite3

    return ctypes.CDLL(_sqlite3.__file__)
