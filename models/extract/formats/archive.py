"""Archives and mailboxes: bytes in, a page that lists the members and their bytes out. Nothing is written to disk."""

import re
import tarfile
from collections.abc import Iterator
from io import BytesIO
from typing import Final

from quire.models.cdom.errors import Encrypted, Malformed, ResourceLimit
from quire.models.cdom.original import Embedded, Format, ReadOptions
from quire.models.cdom.tree import BlockType
from quire.models.extract.formats.common.member_names import clean_name
from quire.models.extract.formats.common.opc import MAX_ENTRIES, MEMBER_LEFT_OUT, Package
from quire.models.extract.formats.common.xml import BrokenPart
from quire.models.extract.formats.flow.blocks import FlowBlock, FlowPage, clean
from quire.models.extract.formats.flow.document import (
    MAX_EMBEDDED,
    MAX_EMBEDDED_BYTES,
    FlowDocument,
    FlowFile,
    open_flow,
)
from quire.models.extract.formats.mail.bodies import safe_name
from quire.models.extract.formats.mail.headers import decode_header
from quire.models.extract.formats.mail.mime import split_headers

ENGINE: Final = "zip"
ENGINE_TAR: Final = "tar"
ENGINE_MAILBOX: Final = "mbox"
_MAIL: Final = re.compile(rb"^From \S[^\r\n]{0,300}\d{4}[^\r\n]{0,40}\r?\n(?=[A-Za-z-]{2,60}:)", re.MULTILINE)
"""The line before each mail: sender and date."""
_QUOTED_FROM: Final = re.compile(rb"^>(>*From )", re.MULTILINE)
"""A quoted line of a mail that would otherwise look like the start of the next mail."""
_LEFT_OUT: Final = ("__MACOSX/", ".DS_Store", "Thumbs.db")
"""Files that operating systems add to those of users."""
_LOCKED: Final = 0x1
"""The bit that marks an encrypted member."""


def open_zip(data: bytes, options: ReadOptions) -> FlowDocument:
    """Open the archive in `data`.

    Raises:
        ExtractError: The archive is malformed or encrypted, or exceeds a limit.
    """
    return open_flow(lambda: _read(data), options)


def _read(data: bytes) -> FlowFile:
    if _has_locked(data):
        raise Encrypted()
    package = Package(data)
    names = [name for name in package.names() if is_listed(name)]
    if len(names) > MAX_EMBEDDED or sum(package.size(name) for name in names) > MAX_EMBEDDED_BYTES:
        raise ResourceLimit("the archive has too many or too large members")
    page = FlowPage(warnings=list(package.warnings))
    embedded: list[Embedded] = []
    for name in names:
        path = clean(name).strip()
        page.blocks.append(FlowBlock(BlockType.LIST_ITEM, path, level=1, path=path, bullet=True))
        try:
            content = package.read(name)
        except BrokenPart:
            page.warnings.append("part-unreadable")
            continue
        if content:
            embedded.append(Embedded(path=path, name=path.rpartition("/")[2], data=content))
    return FlowFile(format=Format.ZIP, pages=[page], engine=ENGINE, reason="archive", embedded=tuple(embedded))


def open_tar(data: bytes, options: ReadOptions) -> FlowDocument:
    """Open the archive in `data`.

    Raises:
        ExtractError: The archive is malformed or exceeds a limit.
    """
    return open_flow(lambda: _read_tar(data), options)


def tar_members(data: bytes) -> Iterator[tuple[str, bytes | None]]:
    """Yield name and content of each file in a tar archive; None for links, devices, sparse and unsafe members.

    Raises:
        Malformed: The archive is damaged.
        ResourceLimit: There are too many or too large members.
    """
    seen: set[str] = set()
    size = 0
    try:
        with tarfile.open(fileobj=BytesIO(data), mode="r:") as archive:
            for count, member in enumerate(archive, start=1):
                name = clean_name(member.name)
                size += member.size if member.isreg() else 0
                if count > MAX_ENTRIES or size > MAX_EMBEDDED_BYTES:
                    raise ResourceLimit("the archive has too many or too large members")
                if member.isdir() or not is_listed(name):
                    continue
                stream = archive.extractfile(member) if member.isreg() and not member.issparse() else None
                is_safe = bool(name) and ".." not in name.split("/") and name not in seen
                seen.add(name)
                yield name, stream.read() if stream is not None and is_safe else None
    except (tarfile.TarError, EOFError, OSError, ValueError, UnicodeError, OverflowError):
        raise Malformed("the archive is damaged or cut off") from None


def _read_tar(data: bytes) -> FlowFile:
    page, embedded = FlowPage(), list[Embedded]()
    for name, content in tar_members(data):
        path = clean(name).strip()
        if content is None:
            page.warnings = [MEMBER_LEFT_OUT]
            continue
        page.blocks.append(FlowBlock(BlockType.LIST_ITEM, path, level=1, path=path, bullet=True))
        if content:
            embedded.append(Embedded(path=path, name=path.rpartition("/")[2], data=content))
    if len(embedded) > MAX_EMBEDDED:
        raise ResourceLimit("the archive has too many members")
    return FlowFile(format=Format.TAR, pages=[page], engine=ENGINE_TAR, reason="archive", embedded=tuple(embedded))


def is_listed(name: str) -> bool:
    """Return whether the member is a user's file and not one of the operating system."""
    return not name.startswith(_LEFT_OUT[0]) and not name.endswith(_LEFT_OUT[1:])


def open_mbox(data: bytes, options: ReadOptions) -> FlowDocument:
    """Open the mailbox in `data`; each mail is a member.

    Raises:
        ResourceLimit: There are too many or too large mails.
    """
    return open_flow(lambda: _read_mailbox(data), options)


def split_mailbox(data: bytes) -> list[bytes]:
    """Return the mails of a mailbox, each from its `From ` line on."""
    starts = [match.start() for match in _MAIL.finditer(data)]
    return [data[start:end] for start, end in zip(starts, [*starts[1:], len(data)], strict=True)]


def _read_mailbox(data: bytes) -> FlowFile:
    mails = split_mailbox(data)
    if len(mails) > MAX_EMBEDDED or len(data) > MAX_EMBEDDED_BYTES:
        raise ResourceLimit("the mailbox has too many or too large mails")
    page = FlowPage()
    embedded: list[Embedded] = []
    for number, mail in enumerate(mails, start=1):
        content = _QUOTED_FROM.sub(rb"\1", mail.partition(b"\n")[2]).rstrip(b"\r\n") + b"\n"
        headers, _ = split_headers(content)
        subject = decode_header(next((value for name, value in headers if name == "subject"), None))
        name = safe_name(f"{subject[:100]}.eml" if subject else f"mail-{number}.eml")
        path = f"{number}/{name}"
        page.blocks.append(FlowBlock(BlockType.LIST_ITEM, path, level=1, path=path, bullet=True))
        embedded.append(Embedded(path=path, name=name, data=content))
    return FlowFile(format=Format.MBOX, pages=[page], engine=ENGINE_MAILBOX, reason="archive", embedded=tuple(embedded))


def _has_locked(data: bytes) -> bool:
    """Return whether the directory marks a member as encrypted."""
    end_record = data.rfind(b"PK\x05\x06")
    start = int.from_bytes(data[end_record + 16 : end_record + 20], "little") if end_record >= 0 else len(data)
    while 0 <= start < len(data) - 46 and data[start : start + 4] == b"PK\x01\x02":
        if data[start + 8] & _LOCKED:
            return True
        lengths = (int.from_bytes(data[start + offset : start + offset + 2], "little") for offset in (28, 30, 32))
        start += 46 + sum(lengths)
    return False
