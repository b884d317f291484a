"""Client of the Quire document-extraction service: `Client` blocks, `AsyncClient` awaits; methods are the same."""

from quire_client import types
from quire_client.async_client import AsyncClient
from quire_client.calls import Content, JobEvent, Page
from quire_client.client import Client
from quire_client.errors import ApiError, ConnectionFailed, QuireError, WaitTimeout
from quire_client.retry import Retry
from quire_client.uploads import FileLike

__all__ = [
    "ApiError",
    "AsyncClient",
    "Client",
    "ConnectionFailed",
    "Content",
    "FileLike",
    "JobEvent",
    "Page",
    "QuireError",
    "Retry",
    "WaitTimeout",
    "types",
]
