"""Content of a page that the engine could not read: streams that are missing, cut off or damaged."""

import re
import zlib
from collections.abc import Iterator
from typing import Any, Final

from quire.models.extract.formats.pdf.engine import BROKEN, mupdf, read_contents, take_messages

_ERROR: Final = re.compile(r"error|premature|not a stream|truncated|unclosed", re.IGNORECASE)
"""Messages about content; others concern fonts that lack a table, and sizes that a file states wrongly."""
_CODED: Final = re.compile(r"zlib|flate", re.IGNORECASE)
"""Messages about compressed data, of which all may be there: some programs leave out its last bytes or its checksum."""
_LOSS: Final = re.compile(r"lzw|filter|read error|premature|not a stream|not closed before end", re.IGNORECASE)
"""Messages after which a part of the content is missing."""
_FLUSHED: Final = b"\x00\x00\xff\xff"
"""End of compressed data that a program flushed without ending it."""
_PAINTS: Final = re.compile(rb"(?<![^\s\])>}])(?:[fBb]\*?|[FSs'\"]|sh|Do|EI|T[jJ])(?![^\s\[(</%])")
"""Operators that paint, also inside texts and pictures."""
_MOST_STREAMS: Final = 1000
"""Streams of a page that are examined after an error."""


def lacks_content(page: Any) -> bool:
    """Return whether the page names content or pictures that the file does not have."""
    resources = _resources_of(page)
    parts = (*_contents_of(page), *_xobjects_in(resources))
    return any(mupdf.pdf_is_indirect(part) and not mupdf.pdf_is_stream(part) for part in parts if part.m_internal)


def may_paint(page: Any) -> bool:
    """Return False for a page without an annotation whose content has no operator that paints."""
    contents = read_contents(page)
    return contents is None or has_annotations(page) or _PAINTS.search(contents) is not None


def has_annotations(page: Any) -> bool:
    """Return whether the page has links, notes or form fields."""
    try:
        return bool(mupdf.pdf_array_len(mupdf.pdf_dict_gets(page._pdf_page().obj(), "Annots")))
    except BROKEN:
        return False


def find_content_errors(page: Any, messages: str) -> str:
    """Return the engine's messages about the page's content among those of its first reading.

    Fonts and pictures report once, when they are loaded. So the content is read again, which repeats only its own
    messages: the result does not depend on which pages were read before.
    """
    if not _ERROR.search(messages):
        return ""
    take_messages()
    page.get_textpage(flags=0)
    return "\n".join(line for line in take_messages().splitlines() if _ERROR.search(line))


def has_loss(page: Any, errors: str) -> bool:
    """Return whether content is missing according to the engine's messages, and not only misspelt."""
    lines = errors.splitlines()
    if any(_LOSS.search(line) and not _CODED.search(line) for line in lines):
        return True
    return any(map(_CODED.search, lines)) and not all(map(_is_whole, _streams_of(page)))


def _is_whole(stream: Any) -> bool:
    """Return whether compressed data reaches its end; True for data of other kinds."""
    if mupdf.pdf_to_name(mupdf.pdf_dict_get(stream, mupdf.PDF_ENUM_NAME_Filter)) not in ("FlateDecode", "Fl"):
        return True
    data = _stored(stream)
    try:
        if _reaches_end(data, zlib.MAX_WBITS) or data.rstrip(b"\r\n").endswith(_FLUSHED):
            return True
        return _reaches_end(data[2:], -zlib.MAX_WBITS)  # without the checksum at the end
    except zlib.error:
        return False


def _stored(stream: Any) -> bytes:
    return bytes(mupdf.pdf_load_raw_stream(stream).fz_buffer_extract())


def _reaches_end(data: bytes, bits: int) -> bool:
    decoder = zlib.decompressobj(bits)
    while data and not decoder.eof:
        decoder.decompress(data, _MOST_BYTES)
        data = decoder.unconsumed_tail
    return decoder.eof


_MOST_BYTES: Final = 1 << 20
"""Bytes that are unpacked at once; they are dropped."""


def _streams_of(page: Any) -> Iterator[Any]:
    """Yield the streams with drawing instructions: the page's contents and the forms that they may show."""
    yield from filter(mupdf.pdf_is_stream, _contents_of(page))
    waiting, seen = [_resources_of(page)], set[int]()
    while waiting:
        for stream in _xobjects_in(waiting.pop()):
            number = mupdf.pdf_to_num(stream)
            kind = mupdf.pdf_dict_get(stream, mupdf.PDF_ENUM_NAME_Subtype)
            if number in seen or len(seen) >= _MOST_STREAMS or not mupdf.pdf_name_eq(kind, mupdf.PDF_ENUM_NAME_Form):
                continue
            seen.add(number)
            waiting.append(mupdf.pdf_dict_get(stream, mupdf.PDF_ENUM_NAME_Resources))
            yield stream


def _contents_of(page: Any) -> list[Any]:
    contents = mupdf.pdf_dict_get(page._pdf_page().obj(), mupdf.PDF_ENUM_NAME_Contents)
    return [mupdf.pdf_array_get(contents, i) for i in range(mupdf.pdf_array_len(contents))] or [contents]


def _resources_of(page: Any) -> Any:
    return mupdf.pdf_dict_get_inheritable(page._pdf_page().obj(), mupdf.PDF_ENUM_NAME_Resources)


def _xobjects_in(resources: Any) -> list[Any]:
    named = mupdf.pdf_dict_get(resources, mupdf.PDF_ENUM_NAME_XObject)
    return [mupdf.pdf_dict_get_val(named, i) for i in range(mupdf.pdf_dict_len(named))]
