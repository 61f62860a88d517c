"""`python -m explorer.hosting.page_process PIPE SOCKET…`: one process of pages, on sockets that its
parent (page_parent.py) listens on and keeps when this process ends."""

import os
import socket
import sys
import threading

from explorer.folder import resource
from explorer.hosting.parent import Parent
from explorer.hosting.settings import of_environment, streamlit_options
from explorer.ui import registry
from explorer.ui.streamlit_private import run_on


def main() -> None:
    """Serve until a signal ends it."""
    pipe, *sockets = map(int, sys.argv[1:])
    registry.begin_below(parent := Parent(pipe))
    threading.Thread(target=parent.listen, daemon=True).start()
    options = streamlit_options(of_environment(os.environ))
    run_on([socket.socket(fileno=each) for each in sockets], str(resource("app.py")), options)


if __name__ == "__main__":
    main()
