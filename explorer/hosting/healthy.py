"""`python -m explorer.hosting.healthy`: asks the server of this machine how it is, by its settings.

For a container's health check: exits 0 where it can work, else 1 with a line that says why.
"""

import os
import sys
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from explorer.hosting.settings import Settings, SettingsError, gathered

SECONDS = 4.0
ANY = ("0.0.0.0", "::", "[::]")


def request(settings: Settings) -> Request:
    """What is asked: under a name that the server goes by."""
    host = "127.0.0.1" if settings.address in ANY else settings.address
    path = f"{settings.base_path}/healthz".lstrip("/")
    name = settings.hosts[0].replace("*", "health")
    return Request(f"http://{host}:{settings.port}/{path}", headers={"Host": name})


def problem(settings: Settings) -> str:
    """Why the server cannot work; empty where it can."""
    try:
        with urlopen(request(settings), timeout=SECONDS):
            return ""
    except HTTPError as error:
        return f"{error.code}: {error.read(500).decode('utf-8', 'replace')}"
    except (URLError, OSError) as error:
        return str(error)


if __name__ == "__main__":
    try:
        reason = problem(gathered({}, os.environ))
    except SettingsError as error:
        reason = str(error)
    if reason:
        sys.exit(reason)
