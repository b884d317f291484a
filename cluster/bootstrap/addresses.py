"""The address a service listens on: that it is free, and how this machine itself reaches it."""

import socket

from quire.cluster.errors import StartRefused
from quire.cluster.machine.ports import is_free
from quire.configs.settings import Settings


def base_url(settings: Settings) -> str:
    """Return the address at which this machine itself reaches the service."""
    host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(settings.host, settings.host)  # noqa: S104
    return f"http://{f'[{host}]' if ':' in host and not host.startswith('[') else host}:{settings.port}"


def check_address(settings: Settings) -> None:
    """Raise StartRefused unless the HTTP port is free and the address is one of this machine."""
    try:
        socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    except OSError:
        raise StartRefused("SVC_HOST: allowed is an IP address of this machine") from None
    if not is_free(settings.port, settings.host):
        raise StartRefused(
            f"SVC_PORT: {settings.host}:{settings.port} is used by another program or is not an address of this machine"
        )
