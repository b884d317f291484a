"""winmail.dat (TNEF): attributes and MAPI properties in, the same document out as from a mail in MIME."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from quire.models.cdom.errors import Malformed, ResourceLimit
from quire.models.cdom.original import Embedded, Format, ReadOptions
from quire.models.extract.formats.common.compound import decode, filetime
from quire.models.extract.formats.common.html.pictures import PagePictures
from quire.models.extract.formats.common.parse_cache import keep
from quire.models.extract.formats.flow.blocks import clean
from quire.models.extract.formats.flow.document import FlowDocument, FlowFile, open_flow
from quire.models.extract.formats.mail.bodies import safe_name
from quire.models.extract.formats.mail.message import Mail, make_mail
from quire.models.rare_formats.outlook.mapi import unpack_rtf
from quire.models.rare_formats.outlook.msg import MAX_ATTACHED, MAX_RECIPIENTS, Mailbox, rtf_text

SIGNATURE: Final = b"\x78\x9f\x3e\x22"
CACHE_KEY: Final = "tnef"
_SUBJECT, _BODY, _PROPERTIES, _RECIPIENTS, _CODE_PAGE = 0x8004, 0x800C, 0x9003, 0x9004, 0x9007
"""Attributes of the message, by the lower half of their numbers."""
_START, _TITLE, _DATA, _ATTACHED_PROPERTIES = 0x9002, 0x8010, 0x800F, 0x9005
"""Attributes of the message and of its attachments, by the lower half of their numbers."""
_MAPI_SUBJECT, _MAPI_BODY, MAPI_HTML, MAPI_RTF, _SENT, _INTERNET_CODE_PAGE = 0x37, 0x1000, 0x1013, 0x1009, 0x39, 0x3FDE
"""Properties of the message, by their MAPI numbers."""
_SENDER_NAME, _SENDER_ADDRESS, _SENDER_SMTP = 0xC1A, 0xC1F, 0x5D01
"""Properties of the sender, by their MAPI numbers."""
_KIND, _NAME, _ADDRESS, _SMTP = 0xC15, 0x3001, 0x3003, 0x39FE
"""Properties of a recipient, by their MAPI numbers."""
_OBJECT, _LONG_NAME, _SHORT_NAME = 0x3701, 0x3707, 0x3704
"""Properties, by their MAPI numbers."""
_MULTIPLE, _NAMED = 0x1000, 0x8000
"""Bits of a property with several values, and of a number whose name follows."""
_SIZES: Final = {2: 4, 3: 4, 4: 4, 5: 8, 6: 8, 7: 8, 10: 4, 11: 4, 20: 8, 0x40: 8, 0x48: 16}
"""Bytes of a value by its type; other types state their length."""
_WIDE, _LONG, _TIME, _OBJECT_TYPE = 0x1F, 0x03, 0x40, 0x0D
"""Types of values, by their MAPI numbers."""
MAX_PROPERTIES: Final = 50_000
"""Properties of one message and its attachments: Outlook writes some hundred."""
_INTERFACE_BYTES: Final = 16
"""Bytes before the content of an object, by the format."""


@dataclass(slots=True)
class MapiValues:
    """Properties by number: the type and the bytes of their first value."""

    values: dict[int, tuple[int, bytes]] = field(default_factory=dict)
    code_page: int = 1252

    def text(self, number: int) -> str:
        """Return a text property; empty when it is missing."""
        kind, raw = self.values.get(number, (0, b""))
        text = raw.decode("utf-16-le", "replace") if kind == _WIDE else decode(raw, self.code_page)
        return text.partition("\0")[0]

    def data(self, number: int) -> bytes:
        """Return the bytes of a property; empty when it is missing."""
        return self.values.get(number, (0, b""))[1]

    def number(self, number: int) -> int:
        """Return an integer property; 0 when it is missing."""
        kind, raw = self.values.get(number, (0, b""))
        return int.from_bytes(raw[:4], "little") if kind == _LONG else 0

    def markup(self) -> str:
        """Return the HTML body, in Unicode or in the code page of the internet message."""
        kind, raw = self.values.get(MAPI_HTML, (0, b""))
        if kind == _WIDE:
            return self.text(MAPI_HTML)
        return decode(raw, self.number(_INTERNET_CODE_PAGE) or self.code_page).rstrip("\0")


@dataclass(slots=True)
class TnefFile:
    """An attachment: its title and bytes as attributes state them, and its properties."""

    title: str = ""
    data: bytes = b""
    mapi: MapiValues = field(default_factory=MapiValues)


@dataclass(slots=True)
class TnefMessage:
    """Contents of a winmail.dat."""

    subject: str = ""
    body: str = ""
    mapi: MapiValues = field(default_factory=MapiValues)
    people: list[MapiValues] = field(default_factory=list)
    files: list[TnefFile] = field(default_factory=list)


def open_tnef(data: bytes, options: ReadOptions) -> FlowDocument:
    """Open the winmail.dat in `data`.

    Raises:
        ExtractError: The file is malformed or exceeds a limit.
    """
    return open_flow(lambda: _read(data), options)


def _read(data: bytes) -> FlowFile:
    message = keep(CACHE_KEY, data, read_tnef(data))
    return make_mail(_make_mail(message), Format.TNEF, PagePictures(lambda source: None))


def read_tnef(data: bytes) -> TnefMessage:
    """Return the message of a winmail.dat; a cut file gives what it holds.

    Raises:
        Malformed: The signature is missing.
        ResourceLimit: There are too many properties or attachments.
    """
    if not data.startswith(SIGNATURE):
        raise Malformed("no TNEF signature")
    message = TnefMessage()
    budget = [MAX_PROPERTIES]
    for number, content in _read_attributes(data):
        if number == _START:
            message.files.append(TnefFile(mapi=MapiValues(code_page=message.mapi.code_page)))
            if len(message.files) > MAX_ATTACHED:
                raise ResourceLimit(f"more than {MAX_ATTACHED} attachments")
        elif message.files:
            _add_to_file(message.files[-1], number, content, budget)
        else:
            _add_to_message(message, number, content, budget)
    return message


def _add_to_message(message: TnefMessage, number: int, content: bytes, budget: list[int]) -> None:
    match number:
        case n if n == _CODE_PAGE and len(content) >= 4:
            message.mapi.code_page = struct.unpack_from("<I", content)[0]
        case n if n == _SUBJECT:
            message.subject = _text_of(content, message.mapi)
        case n if n == _BODY:
            message.body = _text_of(content, message.mapi)
        case n if n == _PROPERTIES:
            _read_properties(content, 0, message.mapi, budget)
        case n if n == _RECIPIENTS:
            message.people = _read_people(content, message.mapi.code_page, budget)


def _add_to_file(file: TnefFile, number: int, content: bytes, budget: list[int]) -> None:
    match number:
        case n if n == _TITLE:
            file.title = _text_of(content, file.mapi)
        case n if n == _DATA:
            file.data = content
        case n if n == _ATTACHED_PROPERTIES:
            _read_properties(content, 0, file.mapi, budget)


def _text_of(content: bytes, mapi: MapiValues) -> str:
    return decode(content, mapi.code_page).partition("\0")[0]


def _read_attributes(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the number and the content of each attribute; a checksum follows each."""
    offset = 6
    while offset + 9 <= len(data):
        number, length = struct.unpack_from("<HxxI", data, offset + 1)
        offset += 9
        yield number, data[offset : offset + length]
        offset += length + 2


def _read_properties(data: bytes, offset: int, values: MapiValues, budget: list[int]) -> int:
    """Add the properties at an offset; return the offset after them.

    Raises:
        ResourceLimit: There are too many properties.
    """
    if offset + 4 > len(data):
        return len(data)
    count, offset = struct.unpack_from("<I", data, offset)[0], offset + 4
    while count > 0 and offset + 4 <= len(data):
        count -= 1
        budget[0] -= 1
        if budget[0] < 0:
            raise ResourceLimit("a message with too many properties")
        kind, number = struct.unpack_from("<HH", data, offset)
        offset += 4
        if number & _NAMED:
            offset = _skip_name(data, offset)
        value, offset = _read_value(data, offset, kind)
        values.values.setdefault(number, (kind & ~_MULTIPLE, value))
    return offset


def _skip_name(data: bytes, offset: int) -> int:
    """Return the offset after the name of a property: an identifier and a number or a text."""
    if offset + 24 > len(data):
        return len(data)
    kind, length = struct.unpack_from("<II", data, offset + 16)
    return offset + 24 + (_padded(length) if kind else 0)


def _read_value(data: bytes, offset: int, kind: int) -> tuple[bytes, int]:
    """Return the first value of a property, and the offset after all its values."""
    size = _SIZES.get(kind & ~_MULTIPLE)
    count = 1
    if size is None or kind & _MULTIPLE:
        if offset + 4 > len(data):
            return b"", len(data)
        count, offset = struct.unpack_from("<I", data, offset)[0], offset + 4
    if size is not None:
        return data[offset : offset + size], offset + count * size
    first = b""
    for index in range(count):
        if offset + 4 > len(data):
            break
        length = struct.unpack_from("<I", data, offset)[0]
        if index == 0:
            first = data[offset + 4 : offset + 4 + length]
        offset += 4 + _padded(length)
    return first, offset


def _padded(length: int) -> int:
    return (length + 3) // 4 * 4


def _read_people(data: bytes, code_page: int, budget: list[int]) -> list[MapiValues]:
    people: list[MapiValues] = []
    count = struct.unpack_from("<I", data)[0] if len(data) >= 4 else 0
    offset = 4
    while count > len(people) and offset < len(data) and len(people) < MAX_RECIPIENTS:
        people.append(MapiValues(code_page=code_page))
        offset = _read_properties(data, offset, people[-1], budget)
    return people


def _make_mail(message: TnefMessage) -> Mail:
    mapi = message.mapi
    html, plain = mapi.markup(), mapi.text(_MAPI_BODY) or message.body
    if not html and not plain.strip():
        plain = rtf_text(unpack_rtf(mapi.data(MAPI_RTF)))
    name = mapi.text(_SENDER_NAME)
    address = next((text for n in (_SENDER_SMTP, _SENDER_ADDRESS) if "@" in (text := mapi.text(n))), "")
    kind, raw = mapi.values.get(_SENT, (0, b""))
    sent = filetime(int.from_bytes(raw, "little")) if kind == _TIME else None
    people: dict[int, list[Mailbox]] = {1: [], 2: [], 3: []}
    for person in message.people:
        mailbox = next((text for n in (_SMTP, _ADDRESS) if "@" in (text := person.text(n))), "")
        people.get(person.number(_KIND), people[1]).append((clean(person.text(_NAME)), clean(mailbox)))
    return Mail(
        subject=clean(mapi.text(_MAPI_SUBJECT) or message.subject),
        sender=[(clean(name).strip(), clean(address).strip())] if name or address else [],
        to=people[1],
        cc=people[2],
        bcc=people[3],
        date=f"{sent[:10]} {sent[11:16]} +00:00" if sent else "",
        created=sent,
        plain=plain,
        html=html,
        attached=tuple(_attached(message.files)),
    )


def _attached(files: list[TnefFile]) -> Iterator[Embedded]:
    """Yield the attachments; a message inside the message is another winmail.dat."""
    for number, file in enumerate(files, start=1):
        name = safe_name(clean(file.mapi.text(_LONG_NAME) or file.title or file.mapi.text(_SHORT_NAME)))
        kind, raw = file.mapi.values.get(_OBJECT, (0, b""))
        data = file.data or (raw[_INTERFACE_BYTES:] if kind == _OBJECT_TYPE else raw)
        if data:
            yield Embedded(path=f"{number}/{name or f'part-{number}'}", name=name or f"part-{number}", data=data)
