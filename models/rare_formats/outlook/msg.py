"""An Outlook message: its MAPI properties in, the same document out as from a mail in MIME."""

from base64 import encodebytes
from hashlib import sha256
from typing import Final

from quire.models.cdom.errors import ResourceLimit
from quire.models.cdom.original import Embedded, Format, ReadOptions
from quire.models.extract.formats.common.compound import CompoundFile
from quire.models.extract.formats.common.html.pictures import PagePictures
from quire.models.extract.formats.common.parse_cache import keep
from quire.models.extract.formats.flow.blocks import clean
from quire.models.extract.formats.flow.document import FlowDocument, FlowFile, open_flow
from quire.models.extract.formats.mail.bodies import safe_name
from quire.models.extract.formats.mail.headers import parse_addresses
from quire.models.extract.formats.mail.message import Mail, make_mail
from quire.models.extract.formats.mail.mime import parse_message
from quire.models.extract.formats.rtf.document import RtfReader
from quire.models.rare_formats.outlook.mapi import MapiStorage, unpack_rtf

MAX_ATTACHED: Final = 1_000
"""Attachments of one message."""
MAX_RECIPIENTS: Final = 5_000
"""Recipients of one message, as for a header of a mail."""
MAX_NESTING: Final = 10
"""Nesting depth of messages that are opened."""
_TOP, _INSIDE, _PART = 32, 24, 8
"""Bytes before the properties of a message, of a message inside one, of a recipient or attachment."""
_SUBJECT, _BODY, _HTML, _RTF, _HEADERS = 0x37, 0x1000, 0x1013, 0x1009, 0x7D
"""Properties of a message, by their MAPI numbers."""
_SENT, _DELIVERED = 0x39, 0xE06
"""Time properties of a message."""
_TO, _CC, _BCC = 1, 2, 3
"""Kinds of recipients."""
_KIND, _NAME, _ADDRESS, _SMTP = 0xC15, 0x3001, 0x3003, 0x39FE
"""Properties of a recipient."""
_DATA, _LONG_NAME, _SHORT_NAME, _CONTENT_ID = 0x3701, 0x3707, 0x3704, 0x3712
"""Properties of an attachment."""

Mailbox = tuple[str, str]

CACHE_KEY: Final = "msg"


def open_msg(data: bytes, options: ReadOptions) -> FlowDocument:
    """Open the message in `data`.

    Raises:
        ExtractError: The file is malformed or exceeds a limit.
    """
    return open_flow(lambda: _read(data), options)


def _read(data: bytes) -> FlowFile:
    file = keep(CACHE_KEY, data, CompoundFile(data))
    storage = MapiStorage(file, (), header_bytes=_TOP)
    pictures = _inline_pictures(file, storage)
    return make_mail(_read_mail(file, storage, 0), Format.MSG, PagePictures(pictures.get))


def _read_mail(file: CompoundFile, storage: MapiStorage, depth: int) -> Mail:
    if depth > MAX_NESTING:
        raise ResourceLimit("messages are nested too deep")
    people = _read_people(file, storage)
    sent = storage.time(_SENT) or storage.time(_DELIVERED)
    html, plain = storage.markup(_HTML), storage.text(_BODY)
    if not html and not plain.strip() and (packed := storage.data(_RTF)):
        plain = rtf_text(unpack_rtf(packed))
    return Mail(
        subject=clean(storage.text(_SUBJECT)),
        sender=_read_sender(storage),
        to=people[_TO],
        cc=people[_CC],
        bcc=people[_BCC],
        date=f"{sent[:10]} {sent[11:16]} +00:00" if sent else "",
        created=sent,
        plain=plain,
        html=html,
        attached=tuple(_attached(file, storage, depth)),
    )


def _read_sender(storage: MapiStorage) -> list[Mailbox]:
    name = storage.text(0xC1A) or storage.text(0x42)
    address = next((text for number in (0x5D01, 0x5D02, 0xC1F, 0x65) if "@" in (text := storage.text(number))), "")
    if not address and (headers := storage.text(_HEADERS)):
        stated = parse_message(headers.encode("utf-8", "replace")).header("from")
        address = next((mailbox for _, mailbox in parse_addresses([stated])), "") if stated else ""
    return [(clean(name).strip(), clean(address).strip())] if name or address else []


def _read_people(file: CompoundFile, storage: MapiStorage) -> dict[int, list[Mailbox]]:
    by_kind: dict[int, list[Mailbox]] = {_TO: [], _CC: [], _BCC: []}
    for path in storage.inside("__recip_version1.0_")[:MAX_RECIPIENTS]:
        recipient = MapiStorage(file, path, header_bytes=_PART, code_page=storage.code_page)
        address = next((text for number in (_SMTP, _ADDRESS) if "@" in (text := recipient.text(number))), "")
        name = recipient.text(_NAME).strip("' \"")
        if name or address:
            by_kind.get(recipient.number(_KIND), by_kind[_TO]).append((clean(name), clean(address)))
    for kind, number in ((_TO, 0xE04), (_CC, 0xE03), (_BCC, 0xE02)):
        if not by_kind[kind] and (shown := storage.text(number)):
            by_kind[kind] = [(clean(name).strip(" '"), "") for name in shown.split(";") if name.strip()]
    return by_kind


def rtf_text(data: bytes) -> str:
    """Return the text of a body that exists only as rich text."""
    if not data:
        return ""
    blocks = RtfReader().read(data).pages[0].blocks
    return "\n\n".join(block.text for block in blocks if block.text)


def _parts(file: CompoundFile, storage: MapiStorage) -> list[MapiStorage]:
    paths = storage.inside("__attach_version1.0_")
    if len(paths) > MAX_ATTACHED:
        raise ResourceLimit(f"more than {MAX_ATTACHED} attachments")
    return [MapiStorage(file, path, header_bytes=_PART, code_page=storage.code_page) for path in paths]


def _inline_pictures(file: CompoundFile, storage: MapiStorage) -> dict[str, bytes]:
    """Return attached files that the body refers to by content id."""
    parts = ((part.text(_CONTENT_ID).strip("<> "), part) for part in _parts(file, storage))
    return {f"cid:{name}": part.data(_DATA) for name, part in parts if name}


def _attached(file: CompoundFile, storage: MapiStorage, depth: int) -> list[Embedded]:
    html = storage.markup(_HTML)
    embedded: list[Embedded] = []
    for number, part in enumerate(_parts(file, storage), start=1):
        name = safe_name(clean(part.text(_LONG_NAME) or part.text(_SHORT_NAME) or part.text(_NAME)))
        inner = part.inside(f"__substg1.0_{_DATA:04X}000D")
        data = part.data(_DATA)
        if inner and not data:
            message = MapiStorage(file, inner[0], header_bytes=_INSIDE, code_page=storage.code_page)
            data = _write_eml(_read_mail(file, message, depth + 1))
            name = f"{name or 'message'}.eml" if not name.lower().endswith((".eml", ".msg")) else name
        cid = part.text(_CONTENT_ID).strip("<> ")
        if data and not (cid and f"cid:{cid}" in html):
            embedded.append(
                Embedded(path=f"{number}/{name or f'part-{number}'}", name=name or f"part-{number}", data=data)
            )
    return embedded


def _write_eml(mail: Mail) -> bytes:
    """Return a message inside a message as a separate mail.

    The `email` package is not used: it imports modules when it writes, and a sandboxed child cannot import.
    """
    fields = [("Subject", mail.subject), ("Date", mail.date)]
    people = (("From", mail.sender), ("To", mail.to), ("Cc", mail.cc))
    fields += [(name, ", ".join(f'"{person}" <{address}>' for person, address in boxes)) for name, boxes in people]
    head = "".join(f"{name}: {' '.join(value.split())}\r\n" for name, value in fields if value)
    kind = "html" if mail.html else "plain"
    parts = [_write_part(f"text/{kind}; charset=utf-8", (mail.html or mail.plain).encode("utf-8", "replace"))]
    for attached in mail.attached:
        name = attached.name.replace("\\", "").replace('"', "")
        kind = "message/rfc822" if name.lower().endswith(".eml") else "application/octet-stream"
        parts.append(_write_part(f'{kind}\r\nContent-Disposition: attachment; filename="{name}"', attached.data))
    boundary = "part-" + sha256(b"".join(parts)).hexdigest()[:32]
    head += f'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="{boundary}"\r\n\r\n'
    body = b"".join(f"--{boundary}\r\n".encode() + part for part in parts)
    return head.encode("utf-8", "replace") + body + f"--{boundary}--\r\n".encode()


def _write_part(stated: str, data: bytes) -> bytes:
    """Return a part with its type, in base64."""
    head = f"Content-Type: {stated}\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    return head.encode("utf-8", "replace") + encodebytes(data) + b"\r\n"
