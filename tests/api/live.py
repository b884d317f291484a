"""The app behind a real socket, for clients that bring their own HTTP."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

import uvicorn
from starlette.types import ASGIApp

from quire.serve_apps.api.app import create_app
from quire.serve_apps.api.context.resources import Resources


def listening(resources: Resources) -> AbstractContextManager[str]:
    """The base URL of the API on a free loopback port."""
    return listening_app(create_app(resources))


@contextmanager
def listening_app(app: ASGIApp) -> Iterator[str]:
    """The base URL of any app on a free loopback port, served from a thread."""
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning", access_log=False))
    thread = threading.Thread(target=asyncio.run, args=(server.serve(),))
    thread.start()
    try:
        while not server.started:
            thread.join(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join()
