"""Processes in which the n-th call to the system fails, once, or a write ends short: of Python's
own files, and of SQLite's."""

import builtins
import ctypes
import errno
import io
import os

from seams import TYPES, Seams

OPEN = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_int, use_errno=True)
SQLITES = TYPES | {"open": OPEN}
CALLS = ("fsync", "replace", "rename", "unlink", "mkdir", "rmdir", "utime", "open")


class Faults(Seams):
    """Counts the calls that change the disk; one of them fails with this error."""

    error = errno.ENOSPC

    def is_it(self):
        with self.counting:
            self.passed += 1
            return self.passed == self.at

    def wrap(self, function):
        def called(*args, **options):
            if self.is_it():
                raise OSError(self.error, os.strerror(self.error))
            return function(*args, **options)

        return called

    def wrap_call(self, name, call):
        def called(*args):
            if self.is_it():
                ctypes.set_errno(self.error)
                return -1
            return call(*args)

        return called

    def write(self, raw, data):
        if self.is_it():
            raise OSError(self.error, os.strerror(self.error))
        return io.FileIO.write(raw, data)

    def install(self):
        for name in CALLS:
            setattr(os, name, self.wrap(getattr(os, name)))
        self.kept = [*self._wrap_writes(SQLITES)]
        opened, faults = builtins.open, self

        class File(io.FileIO):
            def write(self, data):
                return faults.write(self, data)

        def of_ours(file, mode="r", *args, opener=None, **options):
            if "b" in mode and mode[0] in "wx":
                return io.BufferedWriter(File(file, mode, opener=opener))
            return opened(file, mode, *args, opener=opener, **options)

        builtins.open = of_ours


class Broken(Faults):
    """The device fails."""

    error = errno.EIO


class Short(Faults):
    """One write takes half of what it is given, as of a disk that is all but full."""

    def wrap(self, function):
        return function

    def wrap_call(self, name, call):
        if not name.startswith(("write", "pwrite")):
            return call

        def called(handle, data, size, *place):
            return call(handle, data, max(size // 2, 1) if self.is_it() else size, *place)

        return called

    def write(self, raw, data):
        return io.FileIO.write(raw, data[: max(len(data) // 2, 1)] if self.is_it() else data)
