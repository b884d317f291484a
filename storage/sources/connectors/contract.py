"""Interface of connectors: listings that report whether they are complete, and copies that match the listing."""

from dataclasses import dataclass, field
from typing import Protocol

from quire.storage.objects.blobs import BlobWriter


class SourceRefused(ValueError):
    """The location may not be a source; the text is safe to show."""

    code = "source-refused"


class SourceUnavailable(Exception):
    """The location cannot be read now; nothing was changed."""

    code = "source-unavailable"


class Skipped(Exception):
    """This file cannot be copied; `code` names the reason."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, slots=True)
class Listed:
    """A listed file. `path` is relative to the source, with `/`; `mark` changes whenever the file may have changed."""

    path: str
    mark: str
    bytes: int


@dataclass(slots=True)
class Listing:
    """Files of a source. `complete` is False if any part could not be listed: then missing files may still exist."""

    files: list[Listed] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    complete: bool = True


class Connector(Protocol):
    """Reads one kind of source, implemented by `directory` and `bucket`. Blocking; one thread at a time."""

    def list_files(self) -> Listing:
        """List all files; raise SourceUnavailable if the source cannot be read."""
        ...

    def copy(self, file: Listed, writer: BlobWriter) -> None:
        """Write the file's bytes; raise Skipped if it is unreadable or has changed since the listing."""
        ...
