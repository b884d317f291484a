"""Binary workbooks, Word files of 1997 to 2003 and Outlook messages: the texts of their records, separate for cells."""

import re
import struct
from collections.abc import Iterator
from typing import Final, cast

from quire.models.cdom.coverage import Unseen
from quire.models.cdom.errors import Malformed
from quire.models.extract.coverage.stated.markup import state_markup
from quire.models.extract.coverage.stated.rich_text import state_rtf
from quire.models.extract.coverage.stated.text import NOT_SHOWN, REPEATED, StatedText
from quire.models.extract.formats.common.compound import CompoundFile, is_compound
from quire.models.extract.formats.common.opc import Package
from quire.models.extract.formats.common.parse_cache import take
from quire.models.extract.formats.sheets.values import decode_rk
from quire.models.rare_formats.doc.document import CACHE_KEY as DOC_CACHE_KEY
from quire.models.rare_formats.doc.fib import LOOKS, WordStreams, WordText, read_head
from quire.models.rare_formats.doc.sprms import PropertyRuns, read_sprms
from quire.models.rare_formats.outlook.mapi import MapiStorage, unpack_rtf
from quire.models.rare_formats.outlook.msg import CACHE_KEY as MSG_CACHE_KEY
from quire.models.rare_formats.outlook.tnef import CACHE_KEY as TNEF_CACHE_KEY
from quire.models.rare_formats.outlook.tnef import MAPI_RTF, TnefMessage, read_tnef
from quire.models.rare_formats.xls.globals import BOF, EOF, XlsGlobals, read_globals
from quire.models.rare_formats.xls.records import BiffRecord, read_records
from quire.models.rare_formats.xls.spreadsheet_xml import SS, parse_workbook
from quire.models.rare_formats.xls.workbook import CACHE_KEY as XLS_CACHE_KEY
from quire.models.rare_formats.xlsb.records import read_records as read_binary_records
from quire.models.rare_formats.xlsb.records import read_string

_SHEET: Final = re.compile(r"^xl/(?:work|macro|dialog)sheets/[^/]+\.bin$")
_COMMENTS: Final = re.compile(r"^xl/comments\d*\.bin$")
_DRAWN: Final = re.compile(r"^xl/(?:drawings|charts)/[^/]+\.xml$")
_CELLS: Final = frozenset((0xFD, 0x204, 0xD6, 0x207, 0x203, 0x06, 0x27E, 0xBD))
_BINARY_CELLS: Final = frozenset((2, 5, 6, 7, 8, 9, 62))
"""Kinds of records that hold values of cells."""
_FIELD_CODE: Final = re.compile("\x13[^\x13\x14\x15]*[\x14\x15]?")
"""The code of a field; its result, which is shown, follows."""
_DELETED_FROM, _DELETED = b"\x00\x08\x01", 0x0800
"""The change that marks characters as deleted: as bytes, and as its code."""
_SYMBOL_FROM, _SYMBOL = b"\x09\x6a", 0x6A09
"""The change that turns a character into one of a symbol font, which the tree shows: as bytes, and as its code."""
_PRIVATE: Final = re.compile("[\ue000-\uf8ff]")
"""Letters of symbol fonts: the tree has the characters that they show."""
_TOP: Final = 32
"""Bytes before the properties of a message, by the format."""


def state_xls(data: bytes) -> StatedText:
    """Return the text of a workbook.

    Raises:
        ExtractError: The reader raises it for this file as well.
    """
    if not is_compound(data):
        return _state_spreadsheet_xml(data)
    stated = StatedText()
    stream, book = cast(tuple[bytes, XlsGlobals], take(XLS_CACHE_KEY, data) or _read_workbook(data))
    forms = [code.count(";") > 2 for code in book.codes()]
    for entry in book.sheets:
        stated.text.append(entry.name)
        for record in _records_of(stream, entry.start) if entry.kind in (0, 1) else ():
            if record.kind in _CELLS:
                _state_record(record, book, forms, stated)
    return stated


def _state_spreadsheet_xml(data: bytes) -> StatedText:
    """Read an XML workbook: cell texts must be in the tree, numbers may be formatted, comments may be missing."""
    stated = StatedText()
    for sheet in parse_workbook(data).iterfind(SS + "Worksheet"):
        stated.text.append(sheet.get(SS + "Name", ""))
        for cell in sheet.iter(SS + "Cell"):
            for value in cell.iterfind(SS + "Data"):
                texts = stated.text if value.get(SS + "Type", "String") == "String" else stated.formed
                texts.append("".join(value.itertext()))
            for comment in cell.iterfind(SS + "Comment"):
                stated.allow(NOT_SHOWN, "".join(comment.itertext()))
    return stated


def _read_workbook(data: bytes) -> tuple[bytes, XlsGlobals]:
    file = CompoundFile(data)
    path = file.find("Workbook") or file.find("Book")
    if path is None:
        raise Malformed("the file holds no workbook")
    stream = file.read(path)
    return stream, read_globals(stream)


def _records_of(stream: bytes, start: int) -> Iterator[BiffRecord]:
    """Yield the records of one sheet without those of charts inside it."""
    depth = 0
    for record in read_records(stream, start):
        depth += (record.kind == BOF) - (record.kind == EOF)
        if depth <= 0:
            return
        if depth == 1:
            yield record


def _state_record(record: BiffRecord, book: XlsGlobals, forms: list[bool], stated: StatedText) -> None:
    kind, data = record.kind, record.data
    style = struct.unpack_from("<H", data, 4)[0] if len(data) >= 6 else 0
    texts = stated.formed if style < len(forms) and forms[style] else stated.text
    if kind == 0xFD and len(data) >= 10:
        string_index = struct.unpack_from("<I", data, 6)[0]
        texts.append(book.strings[string_index] if string_index < len(book.strings) else "")
    elif kind in (0x204, 0xD6):
        texts.append(book.string(record, 6))
    elif kind == 0x207:
        stated.formed.append(book.string(record, 0))
    elif kind in (0x203, 0x06) and len(data) >= 14 and data[12:14] != b"\xff\xff":
        stated.formed.append(repr(struct.unpack_from("<d", data, 6)[0]))
    elif kind == 0x27E and len(data) >= 10:
        stated.formed.append(repr(decode_rk(struct.unpack_from("<I", data, 6)[0])))
    elif kind == 0xBD:
        for step in range((len(data) - 6) // 6):
            stated.formed.append(repr(decode_rk(struct.unpack_from("<I", data, 6 + 6 * step)[0])))


def state_xlsb(data: bytes) -> StatedText:
    """Return the text of a binary workbook.

    Raises:
        ExtractError: The reader raises it for this file as well.
    """
    package, stated = Package(data), StatedText()
    strings = [
        read_string(record, 1)[0]
        for kind, record in read_binary_records(package.read("xl/sharedStrings.bin"))
        if kind == 19 and len(record) >= 5
    ]
    forms = _read_forms(package.read("xl/styles.bin"))
    stated.text += _read_sheet_names(package.read("xl/workbook.bin"))
    for name in package.names():
        if _SHEET.search(name):
            for kind, record in read_binary_records(package.read(name)):
                if kind in _BINARY_CELLS:
                    _state_cell(kind, record, strings, forms, stated)
        elif _COMMENTS.search(name):
            for kind, record in read_binary_records(package.read(name)):
                if kind == 637 and len(record) >= 5:
                    stated.allow(NOT_SHOWN, read_string(record, 1)[0])
        elif _DRAWN.search(name) and (root := package.xml_again(name)) is not None:
            stated.allow(NOT_SHOWN, "".join(root.itertext("{*}t", "{*}v")))
    return stated


def _read_sheet_names(book: bytes) -> list[str]:
    """Return the sheets' names, which follow the ids of their parts."""
    records = [record for kind, record in read_binary_records(book) if kind == 156 and len(record) >= 12]
    return [read_string(record, read_string(record, 8)[1])[0] for record in records]


def _read_forms(styles: bytes) -> list[bool]:
    """Return for each cell style whether its format changes how text is shown."""
    codes: dict[int, str] = {}
    forms: list[bool] = []
    inside = False
    for kind, record in read_binary_records(styles):
        if kind == 44 and len(record) >= 6:
            codes[struct.unpack_from("<H", record)[0]] = read_string(record, 2)[0]
        elif kind in (617, 618):
            inside = kind == 617
        elif kind == 47 and inside and len(record) >= 4:
            forms.append(codes.get(struct.unpack_from("<H", record, 2)[0], "").count(";") > 2)
    return forms


def _state_cell(kind: int, record: bytes, strings: list[str], forms: list[bool], stated: StatedText) -> None:
    """Add a cell: texts must be in the tree, formula results and numbers may be formatted."""
    if len(record) < 9:
        return
    style = struct.unpack_from("<I", record, 4)[0] & 0xFFFFFF
    texts = stated.formed if kind == 8 or (style < len(forms) and forms[style]) else stated.text
    match kind:
        case 7 if len(record) >= 12:
            string_index = struct.unpack_from("<I", record, 8)[0]
            texts.append(strings[string_index] if string_index < len(strings) else "")
        case 6 | 8 | 62 if len(record) >= 13:
            texts.append(read_string(record, 9 if kind == 62 else 8)[0])
        case 2 if len(record) >= 12:
            stated.formed.append(repr(decode_rk(struct.unpack_from("<I", record, 8)[0])))
        case 5 | 9 if len(record) >= 16:
            stated.formed.append(repr(struct.unpack_from("<d", record, 8)[0]))


def state_doc(data: bytes) -> StatedText:
    """Return the stories of a Word file.

    Raises:
        ExtractError: The reader raises it for this file as well.
    """
    streams, words = cast(tuple[WordStreams, WordText], take(DOC_CACHE_KEY, data) or _read_words(data))
    stated = StatedText()
    marked = _DELETED_FROM in streams.main or _SYMBOL_FROM in streams.main
    looks = PropertyRuns(streams.main, streams.part(LOOKS), paragraphs=False) if marked else None
    text = _blank_out_signs(words, looks, stated) if looks is not None else words.text
    offset = 0
    for length, shown in (
        (streams.text, True), (streams.notes, True), (streams.headers, False), (streams.comments, False),
        (streams.endnotes, True), (streams.boxes, True),
    ):  # fmt: skip
        story = text[offset : offset + length]
        offset += length
        codes = _FIELD_CODE.findall(story)
        stated.allow(NOT_SHOWN, "".join(codes))
        spoken = _FIELD_CODE.sub("", story) if codes else story
        if shown:
            stated.text.append(_PRIVATE.sub("", spoken.replace("\x1e", "")))
            stated.formed.append("\u2011" * spoken.count("\x1e"))
        else:
            stated.allow(NOT_SHOWN, spoken)
    return stated


def _read_words(data: bytes) -> tuple[WordStreams, WordText]:
    streams = read_head(CompoundFile(data))
    return streams, WordText(streams)


def _blank_out_signs(words: WordText, looks: PropertyRuns, stated: StatedText) -> str:
    """Return all stories with deleted and symbol characters as invisible signs, so that offsets stay the same."""
    codes_of: dict[bytes, set[int]] = {}
    chars: list[str] = []
    for offset, char in enumerate(words.text):
        look = looks.at(words.place(offset))
        if look not in codes_of:
            active = {code for code, operand in read_sprms(look) if code == _SYMBOL or operand[:1] not in (b"", b"\0")}
            codes_of[look] = active & {_SYMBOL, _DELETED}
        if _DELETED in codes_of[look]:
            stated.exclude(Unseen.DELETED.value, char)
        chars.append("\x01" if _DELETED in codes_of[look] or (codes_of[look] and char == "(") else char)
    return "".join(chars)


def state_msg(data: bytes) -> StatedText:
    """Return the text of a message: its HTML body if it has one, else the plain one, else the rich text one."""
    file = cast(CompoundFile, take(MSG_CACHE_KEY, data) or CompoundFile(data))
    storage = MapiStorage(file, (), header_bytes=_TOP)
    html, plain = storage.markup(0x1013), storage.text(0x1000)
    if html:
        stated = state_markup(html)
        stated.allow(REPEATED, plain)
    elif plain.strip():
        stated = StatedText(text=[plain])
    else:
        stated = state_rtf(unpack_rtf(storage.data(0x1009)))
    stated.text.append(storage.text(0x37))
    stated.formed += [storage.text(number) for number in (0xC1A, 0xC1F, 0x5D01, 0xE04, 0xE03)]
    return stated


def state_tnef(data: bytes) -> StatedText:
    """Return the text of a winmail.dat: its HTML body if it has one, else the plain one, else the rich text one.

    Raises:
        ExtractError: The reader raises it for this file as well.
    """
    message = cast(TnefMessage, take(TNEF_CACHE_KEY, data) or read_tnef(data))
    html, plain = message.mapi.markup(), message.mapi.text(0x1000) or message.body
    if html:
        stated = state_markup(html)
        stated.allow(REPEATED, plain)
    else:
        stated = StatedText(text=[plain]) if plain.strip() else state_rtf(unpack_rtf(message.mapi.data(MAPI_RTF)))
    stated.text.append(message.mapi.text(0x37) or message.subject)
    stated.formed += [message.mapi.text(number) for number in (0xC1A, 0xC1F, 0x5D01)]
    return stated
