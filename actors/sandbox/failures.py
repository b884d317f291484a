"""The one table of how reading fails: an exception inside the sandbox, or the end of the sandbox itself → error code.

Exception text is never passed on: it often quotes the document. Only `ExtractError.detail` is ours and safe.
"""

import struct
import zipfile
import zlib
from dataclasses import dataclass
from enum import StrEnum

from quire.models.cdom.errors import RETRYABLE, ErrorCode, ExtractError
from quire.models.faults import own_fault, ran_out_of_memory


@dataclass(frozen=True, slots=True)
class DocumentError:
    """Error that ended a document: `code` is stable, `detail` safe to show."""

    code: ErrorCode
    detail: str = ""

    @property
    def retryable(self) -> bool:
        """Return True when reading again may succeed."""
        return self.code in RETRYABLE


class SandboxEnd(StrEnum):
    """Reason for a child's end, as the parent saw it."""

    CRASHED = "crashed"
    FORBIDDEN_CALL = "forbidden-call"
    OUT_OF_CPU = "out-of-cpu"
    OUT_OF_MEMORY = "out-of-memory"
    TOO_MUCH_OUTPUT = "too-much-output"
    BAD_MESSAGE = "bad-message"
    STALLED = "stalled"
    KILLED = "killed"
    SERVER_DIED = "server-died"


END_CODES: dict[SandboxEnd, ErrorCode] = {
    SandboxEnd.CRASHED: ErrorCode.PARSER_CRASH,
    SandboxEnd.FORBIDDEN_CALL: ErrorCode.PARSER_CRASH,
    SandboxEnd.OUT_OF_CPU: ErrorCode.TIMEOUT,
    SandboxEnd.OUT_OF_MEMORY: ErrorCode.RESOURCE_LIMIT,
    SandboxEnd.TOO_MUCH_OUTPUT: ErrorCode.RESOURCE_LIMIT,
    SandboxEnd.BAD_MESSAGE: ErrorCode.PARSER_CRASH,
    SandboxEnd.STALLED: ErrorCode.WORKER_KILLED,
    SandboxEnd.KILLED: ErrorCode.WORKER_KILLED,
    SandboxEnd.SERVER_DIED: ErrorCode.WORKER_KILLED,
}

BROKEN_INPUT: tuple[type[BaseException], ...] = (
    ValueError, LookupError, TypeError, AttributeError, ArithmeticError, AssertionError, EOFError,
    struct.error, zlib.error, zipfile.BadZipFile, SyntaxError,
)  # fmt: skip
"""Errors that parsers raise on broken files (lxml's XMLSyntaxError is a SyntaxError)."""


def describe_failure(error: BaseException) -> DocumentError:
    """Return the document error for an exception that reading raised."""
    if isinstance(error, ExtractError):
        return DocumentError(error.code, error.detail)
    if ran_out_of_memory(error):
        return DocumentError(ErrorCode.RESOURCE_LIMIT, "memory")
    if isinstance(error, RecursionError):
        return DocumentError(ErrorCode.RESOURCE_LIMIT, "nesting")
    if fault := own_fault(error):
        return DocumentError(ErrorCode.INTERNAL, fault)
    if isinstance(error, (*BROKEN_INPUT, RuntimeError)) or _is_mupdf(error):
        return DocumentError(ErrorCode.MALFORMED, "the file is broken")
    return DocumentError(ErrorCode.INTERNAL, type(error).__name__)


def describe_end(end: SandboxEnd) -> DocumentError:
    """Return the document error for a child that ended by itself."""
    return DocumentError(END_CODES[end], end.value)


def _is_mupdf(error: BaseException) -> bool:
    """MuPDF's own errors are plain Exceptions in some calls; known by name, for nothing here imports a parser."""
    return any(kind.__name__ == "FzErrorBase" for kind in type(error).__mro__)
