"""An original as the sandbox needs it: a read-only descriptor, and the facts that identify its bytes."""

import contextlib
import hashlib
import io
import os
import sys
import tempfile
from collections.abc import Iterator
from typing import BinaryIO

from quire.models.cdom.errors import ExtractError
from quire.models.cdom.original import IMAGE_FORMATS, Format
from quire.models.cdom.tree import Source
from quire.models.extract.formats.sniffing.signatures import is_compound, is_container, is_locked, sniff
from quire.models.extract.formats.sniffing.texts import LOOKED_AT

_AT_ONCE = 1 << 20  # bytes copied at a time
_HEAD = 4096  # bytes looked at to name a format: every signature stands within them
_TAIL = 4 << 20  # bytes at the end of a package that hold its directory


@contextlib.contextmanager
def borrow_descriptor(original: BinaryIO) -> Iterator[int]:
    """Yield a descriptor of the original's bytes; data in memory is copied into a nameless file."""
    try:
        descriptor = original.fileno()
    except (io.UnsupportedOperation, AttributeError):
        with _nameless_copy(original) as copied:
            yield copied
        return
    yield descriptor


@contextlib.contextmanager
def _nameless_copy(original: BinaryIO) -> Iterator[int]:
    with (
        tempfile.TemporaryFile(buffering=0)
        if sys.platform != "linux"
        else os.fdopen(os.memfd_create("original"), "wb", buffering=0) as copy
    ):
        original.seek(0)
        while part := original.read(_AT_ONCE):
            copy.write(part)
        readable = os.open(f"/dev/fd/{copy.fileno()}", os.O_RDONLY)
    try:
        yield readable
    finally:
        os.close(readable)


def is_picture(original: BinaryIO) -> bool:
    """Whether the bytes begin like a picture file; the position is left at the start."""
    head = original.read(_HEAD)
    original.seek(0)
    try:
        return sniff(head) in IMAGE_FORMATS
    except ExtractError:
        return False


def identify(descriptor: int, password: str | None = None) -> Source:
    """Return format, SHA-256 and size of the bytes; the format is "" when only the password can reveal it.

    Raises:
        UnsupportedFormat: The format is unknown.
        Encrypted: The file needs a password.
        OSError: The descriptor cannot be read.
    """
    digest, size = hashlib.sha256(), 0
    while part := os.pread(descriptor, _AT_ONCE, size):
        digest.update(part)
        size += len(part)
    file_format = _sniff_descriptor(descriptor, size, locked=password is not None)
    return Source(format=file_format.value if file_format is not None else "", sha256=digest.hexdigest(), bytes=size)


def _sniff_descriptor(descriptor: int, size: int, *, locked: bool) -> Format | None:
    """Identify the format; packages and compound files are identified by their end or by all their bytes.

    Returns None for a package under a password when it may be `locked`.
    """
    head = os.pread(descriptor, LOOKED_AT, 0)
    if size <= LOOKED_AT or not is_container(head):
        return None if locked and is_locked(head) else sniff(head)
    if is_compound(head):
        whole = os.pread(descriptor, size, 0)
        return None if locked and is_locked(whole) else sniff(whole)
    return sniff(head + os.pread(descriptor, _TAIL, max(LOOKED_AT, size - _TAIL)))
