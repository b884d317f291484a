"""What every connector offers: a listing that says whether it is whole, and copies that are what was listed."""

from dataclasses import dataclass, field
from typing import Protocol

from storage.objects.blobs import BlobWriter


class SourceRefused(ValueError):
    """The place may not be a source; the text is safe to show."""

    code = "source-refused"


class SourceUnavailable(Exception):
    """The place cannot be looked at now; nothing was changed."""

    code = "source-unavailable"


class Skipped(Exception):
    """This one file cannot be taken; `code` says why."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, slots=True)
class Listed:
    """`path` is relative to the source, with `/`; `mark` is another one whenever the file may have changed."""

    path: str
    mark: str
    bytes: int


@dataclass(slots=True)
class Listing:
    """`complete` is False when any part could not be listed: what is missing then is not known to be gone."""

    files: list[Listed] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    complete: bool = True


class Connector(Protocol):
    """Blocking; one thread at a time."""

    def look(self) -> Listing:
        """Raises SourceUnavailable."""
        ...

    def copy(self, file: Listed, writer: BlobWriter) -> None:
        """Writes the file's bytes. Raises Skipped when it is not what was listed any more."""
        ...
