"""A small static edition, and a web host of the kind that it is for."""

import re
import subprocess
import sys
from contextlib import contextmanager, suppress
from urllib.request import urlopen

from explorer.pages.talk.scenes import Scene, Step, Talk
from explorer.ui.site.folder import write
from explorer.ui.site.pictures import PICTURED, pictures

STEPS = (Step(words="One."), Step(words="Two.", change={"spec": {"m_h": 2}}))
TALK = Talk(title="Small", scenes=(Scene(title="A coupling", address="design", steps=STEPS),))
READS = re.compile(r'(?:src|href)="([^"#]+)"')


def some():
    """Of every page what it opens with and the last other picture."""
    by_page = {page: [each for each in pictures() if each.page == page] for page in PICTURED}
    return [each for found in by_page.values() for each in (found[0], found[-1])]


def small_site(out):
    """The names of its files."""
    return write(out, some(), TALK)


@contextmanager
def hosted(folder):
    """Serve a folder as `python -m http.server` does; its address."""
    words = [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1"]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    with subprocess.Popen([*words, "--directory", str(folder)], **streams) as host:
        try:
            port = re.search(r"port (\d+)", host.stdout.readline())[1]
            yield f"http://127.0.0.1:{port}"
        finally:
            host.terminate()


def read(address):
    """What a host answers; a connection that its short queue has dropped is made again, as a
    browser does."""
    for _ in range(8):
        with suppress(TimeoutError, ConnectionError), urlopen(address, timeout=10) as answer:
            return answer.read()
    raise TimeoutError(address)


def visit(address):
    """All that a browser loads to show a page: by name, its bytes."""
    page = read(address)
    scripts = [name for name in READS.findall(page.decode()) if name.endswith(".js")]
    base = address.rpartition("/")[0]
    return {"": page} | {name: read(f"{base}/{name}") for name in scripts}
