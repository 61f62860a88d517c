"""The shipped nginx before a server on this machine, as long as a test needs it."""

import shutil
import socket
import subprocess
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path

import pytest
from waiting import wait_until

CONFIGURATION = (Path(__file__).parents[1] / ".hosting" / "nginx.conf").read_text("utf-8")
NGINX = shutil.which("nginx")
needs_nginx = pytest.mark.skipif(NGINX is None, reason="no nginx is on the PATH")


PORTS = ("explorer:8501", "explorer:8502", "explorer:8503", "explorer:8504")


@contextmanager
def proxied(server, folder, configuration=CONFIGURATION):
    """Host and port at which nginx passes `server` on below /explorer/: a host and port, or one for
    each of PORTS."""
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    text = configuration.replace("listen 8080", f"listen {address}")
    servers = [server] * len(PORTS) if isinstance(server, str) else server
    for port, place in zip(PORTS, servers, strict=True):
        text = text.replace(port, place)
    (folder / "nginx.conf").write_text(text, "utf-8")
    own = f"daemon off; pid {folder}/nginx.pid; error_log {folder}/nginx.log;"
    words = [NGINX, "-p", str(folder), "-c", str(folder / "nginx.conf"), "-g", own]
    with subprocess.Popen(words, stderr=subprocess.DEVNULL) as proxy:
        try:
            wait_until(lambda: answered(address, "/")[0] == 302)
            yield address
        finally:
            proxy.terminate()


def answered(address, path, **headers):
    """Status and text of an answer; None where there is none."""
    with closing(HTTPConnection(address, timeout=30)) as connection:
        try:
            connection.request("GET", path, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        except OSError:
            return None, ""
