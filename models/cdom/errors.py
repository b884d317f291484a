"""The stable codes with which reading a document can end, and the one family of errors that carries them.

A code is final (deterministic) or retryable (infrastructure); `actors/sandbox/failures.py` decides what happens.
"""

from enum import StrEnum


class ErrorCode(StrEnum):
    """Stable codes for the reasons why a document could not be read."""

    ML_UNAVAILABLE = "ml-unavailable"
    UNSUPPORTED_FORMAT = "unsupported-format"
    MALFORMED = "malformed"
    ENCRYPTED = "encrypted"
    TOO_MANY_PAGES = "too-many-pages"
    NO_SUCH_PAGE = "no-such-page"
    RESOURCE_LIMIT = "resource-limit"
    TIMEOUT = "timeout"
    PARSER_CRASH = "parser-crash"
    WORKER_KILLED = "worker-killed"
    PAGE_QUOTA = "page-quota"
    ORIGINAL_MISSING = "original-missing"
    INTERNAL = "internal"


RETRYABLE = frozenset({ErrorCode.WORKER_KILLED, ErrorCode.INTERNAL})
"""Infrastructure errors, which are retried. The reader itself retries `parser-crash` in a fresh child."""


class ExtractError(Exception):
    """Reading failed with a stable code; `detail` is safe text without document content."""

    code: ErrorCode = ErrorCode.INTERNAL

    def __init__(self, detail: str = "") -> None:
        super().__init__(detail or self.code.value)
        self.detail = detail

    @property
    def retryable(self) -> bool:
        """Whether another start may succeed because the infrastructure caused the error."""
        return self.code in RETRYABLE


class UnsupportedFormat(ExtractError):
    """The bytes are of no format that is read here."""

    code = ErrorCode.UNSUPPORTED_FORMAT


class Malformed(ExtractError):
    """The file is broken beyond reading."""

    code = ErrorCode.MALFORMED


class Encrypted(ExtractError):
    """The file wants a password that was not given."""

    code = ErrorCode.ENCRYPTED


class TooManyPages(ExtractError):
    """More pages than the limit; found before any page was read."""

    code = ErrorCode.TOO_MANY_PAGES


class NoSuchPage(ExtractError):
    """The pages asked for select nothing of this file."""

    code = ErrorCode.NO_SUCH_PAGE


class ResourceLimit(ExtractError):
    """Memory, CPU time, size or count limit passed."""

    code = ErrorCode.RESOURCE_LIMIT


class PageTooSlow(ExtractError):
    """A page needs more processor time than the limit of its model."""

    code = ErrorCode.TIMEOUT


class MlUnavailable(ExtractError):
    """The document needs the ML pipeline and this host cannot run it."""

    code = ErrorCode.ML_UNAVAILABLE
