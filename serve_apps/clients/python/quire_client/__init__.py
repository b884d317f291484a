"""Client of the Quire document-extraction service: `Client` blocks, `AsyncClient` is for asyncio; same methods."""

from quire_client import types
from quire_client.async_client import AsyncClient
from quire_client.calls import Content, JobEvent, Page
from quire_client.client import Client
from quire_client.documents.document import Block, Document
from quire_client.documents.folder import FolderProgress, FolderReport
from quire_client.documents.hits import Hit, Hits
from quire_client.documents.table import Cell, Table
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
from quire_client.version import VERSION

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
    "WaitTimeout",
    "__version__",
    "load_texts",
    "types",
]
