"""An app on a port of this machine, as long as a test needs it."""

import socket
import threading
from contextlib import contextmanager

import uvicorn


@contextmanager
def serving(app):
    listener = socket.create_server(("127.0.0.1", 0))
    as_streamlit = {"ws": "websockets-sansio", "lifespan": "off", "log_level": "critical"}
    server = uvicorn.Server(uvicorn.Config(app, **as_streamlit))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield f"127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)
        assert not thread.is_alive(), "the server waits for an open live socket"
