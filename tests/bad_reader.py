"""The reader with files that crash it, or ask of the system what it does not give."""

import os
import signal

from explorer.hosting import reader


def crash(data):
    os.kill(os.getpid(), signal.SIGSEGV)


def swell(data):
    return None, [bytearray(2 * reader.MEGABYTES * 10**6)]


def spin(data):
    while True:
        pass


def babble(data):
    os.write(1, b"{}\n")
    return "said", []


def flood(data):
    return None, [bytes(1000)] * 10


def end_all(data):
    os.kill(os.getppid(), signal.SIGKILL)
    signal.pause()


reader.READS |= {f.__name__: f for f in (crash, swell, spin, babble, flood, end_all)}
reader.SECONDS = 1
if os.environ.get("READER_MOST"):
    reader.MOST = int(os.environ["READER_MOST"])
reader.main()
