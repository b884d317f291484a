"""Client of the Quire document-extraction service: `Client` blocks, `AsyncClient` is for asyncio; same methods."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from quire_client.version import VERSION

if TYPE_CHECKING:
    from quire_client import types
    from quire_client.async_client import AsyncClient
    from quire_client.calls import Content, JobEvent, Page
    from quire_client.client import Client
    from quire_client.documents.document import Block, Document
    from quire_client.documents.folder import FolderProgress, FolderReport
    from quire_client.documents.hits import Hit, Hits
    from quire_client.documents.table import Cell, Table
    from quire_client.documents.values import Evidence, Values
    from quire_client.errors import (
        ApiError,
        Conflict,
        ConnectionFailed,
        DocumentFailed,
        Forbidden,
        Invalid,
        NotFound,
        PaymentRequired,
        QuireError,
        ServerFailed,
        TooLarge,
        TooManyRequests,
        Unauthenticated,
        WaitTimeout,
    )
    from quire_client.loading import LoadedText, LoadOptions, SkippedFile, load_texts
    from quire_client.retry import Retry
    from quire_client.uploads import FileLike

__version__ = VERSION

__all__ = [
    "ApiError",
    "AsyncClient",
    "Block",
    "Cell",
    "Client",
    "Conflict",
    "ConnectionFailed",
    "Content",
    "Document",
    "DocumentFailed",
    "Evidence",
    "FileLike",
    "FolderProgress",
    "FolderReport",
    "Forbidden",
    "Hit",
    "Hits",
    "Invalid",
    "JobEvent",
    "LoadOptions",
    "LoadedText",
    "NotFound",
    "Page",
    "PaymentRequired",
    "QuireError",
    "Retry",
    "ServerFailed",
    "SkippedFile",
    "Table",
    "TooLarge",
    "TooManyRequests",
    "Unauthenticated",
    "Values",
    "WaitTimeout",
    "__version__",
    "load_texts",
    "types",
]

_MODULES = {
    "async_client": ("AsyncClient",),
    "calls": ("Content", "JobEvent", "Page"),
    "client": ("Client",),
    "documents.document": ("Block", "Document"),
    "documents.folder": ("FolderProgress", "FolderReport"),
    "documents.hits": ("Hit", "Hits"),
    "documents.table": ("Cell", "Table"),
    "documents.values": ("Evidence", "Values"),
    "errors": (
        "ApiError",
        "Conflict",
        "ConnectionFailed",
        "DocumentFailed",
        "Forbidden",
        "Invalid",
        "NotFound",
        "PaymentRequired",
        "QuireError",
        "ServerFailed",
        "TooLarge",
        "TooManyRequests",
        "Unauthenticated",
        "WaitTimeout",
    ),
    "loading": ("LoadedText", "LoadOptions", "SkippedFile", "load_texts"),
    "retry": ("Retry",),
    "uploads": ("FileLike",),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import a public name at its first use: who reads documents without a service needs no HTTP client."""
    if name not in __all__:
        raise AttributeError(f"module 'quire_client' has no attribute {name!r}")
    home = import_module(f"quire_client.{_HOMES.get(name, name)}")
    value = globals()[name] = getattr(home, name, home)
    return value
