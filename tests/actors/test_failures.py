"""The one table from exceptions and exits to document errors."""

import signal
import struct
import zipfile
import zlib

import pymupdf
import pytest
from lxml import etree

from quire.actors.reading.conversation import judge_exit
from quire.actors.reading.forkserver import Exit
from quire.actors.sandbox.failures import END_CODES, SandboxEnd, describe_end, describe_failure
from quire.models.cdom.errors import Encrypted, ErrorCode, Malformed


def lxml_error() -> Exception:
    try:
        etree.fromstring(b"<a")
    except etree.XMLSyntaxError as error:
        return error
    raise AssertionError


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (Encrypted("x"), ErrorCode.ENCRYPTED),
        (Malformed(), ErrorCode.MALFORMED),
        (MemoryError(), ErrorCode.RESOURCE_LIMIT),
        (RecursionError(), ErrorCode.RESOURCE_LIMIT),
        (RuntimeError("code=2: realloc (123 bytes) failed"), ErrorCode.RESOURCE_LIMIT),
        (RuntimeError("code=7: no objects found"), ErrorCode.MALFORMED),
        (pymupdf.mupdf.FzErrorFormat("cycle in page tree"), ErrorCode.MALFORMED),
        (pymupdf.FileDataError("broken"), ErrorCode.MALFORMED),
        (zipfile.BadZipFile(), ErrorCode.MALFORMED),
        (zlib.error(), ErrorCode.MALFORMED),
        (struct.error(), ErrorCode.MALFORMED),
        (KeyError("word/document.xml"), ErrorCode.MALFORMED),
        (UnicodeDecodeError("utf-8", b"", 0, 1, ""), ErrorCode.MALFORMED),
        (lxml_error(), ErrorCode.MALFORMED),
        (PermissionError("secret path"), ErrorCode.INTERNAL),
    ],
    ids=lambda value: type(value).__name__,
)
def test_exceptions_have_codes(error: Exception, code: ErrorCode) -> None:
    assert describe_failure(error).code is code


def test_exception_text_is_never_part_of_the_detail() -> None:
    for error in (ValueError("secret"), PermissionError("secret"), RuntimeError("secret")):
        assert "secret" not in describe_failure(error).detail


def test_every_ending_has_a_code_and_only_the_machines_are_retried() -> None:
    assert set(END_CODES) == set(SandboxEnd)
    retried = {end for end in SandboxEnd if describe_end(end).retryable}
    assert retried == {SandboxEnd.STALLED, SandboxEnd.KILLED, SandboxEnd.SERVER_DIED}


@pytest.mark.parametrize(
    ("code", "cpu_s", "end"),
    [
        (-signal.SIGXCPU, 10.0, SandboxEnd.OUT_OF_CPU),
        (-signal.SIGKILL, 99.0, SandboxEnd.OUT_OF_CPU),
        (-signal.SIGKILL, 1.0, SandboxEnd.KILLED),
        (-signal.SIGSYS, 1.0, SandboxEnd.FORBIDDEN_CALL),
        (-signal.SIGSEGV, 1.0, SandboxEnd.CRASHED),
        (-signal.SIGABRT, 1.0, SandboxEnd.CRASHED),
        (1, 1.0, SandboxEnd.CRASHED),
        (0, 1.0, SandboxEnd.CRASHED),
    ],
)
def test_an_exit_status_is_read_with_the_cpu_time(code: int, cpu_s: float, end: SandboxEnd) -> None:
    assert judge_exit(Exit(code, cpu_s, 0), 100) is end
