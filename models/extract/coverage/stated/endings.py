"""Ends of files: whether a file of a format that has an end lacks it, as after a broken transfer.

Formats that are read by their table of contents at the end (ZIP and all formats in it) and pictures are refused without
it. Plain text, CSV, Markdown, AsciiDoc and mails of one plain part have no end: only a cut inside a character shows.
"""

import codecs
import re
from collections import Counter
from collections.abc import Callable
from typing import Final

from quire.models.cdom.errors import ExtractError
from quire.models.cdom.original import Format
from quire.models.extract.formats.common.compound import CompoundFile, is_compound
from quire.models.extract.formats.mail.mime import parse_message

_LONGEST_TAG: Final = 2000
"""Bytes of a tag: addresses of pictures may be long."""
_TAG_OPEN: Final = re.compile(rb"<(?:[A-Za-z/!?][^<>]*)?\Z")
"""A tag, comment or instruction that the file does not close."""
_TAG: Final = re.compile(rb"<(/?)([A-Za-z][A-Za-z0-9]*)\b")
_CLOSED: Final = frozenset({b"table", b"ul", b"ol", b"div", b"h1", b"h2", b"h3", b"h4", b"h5", b"h6", b"pre"})
"""Elements whose end is never optional."""
_OPTIONAL_ENDS: Final = frozenset(
    {b"p", b"li", b"td", b"th", b"tr", b"dt", b"dd", b"tbody", b"thead", b"tfoot", b"option", b"colgroup", b"head"}
)
"""Elements whose end may be left out."""
_ROOT: Final = re.compile(rb"<([A-Za-z_][\w.:-]{0,60})[\s/>]")
_DOCTYPE: Final = re.compile(rb"\s*<!doctype", re.IGNORECASE)
_PAGE: Final = re.compile(rb"<(html|body)[\s>]", re.IGNORECASE)
_PAGE_END: Final = re.compile(rb"</(?:html|body)\s*>", re.IGNORECASE)
_HEADER_END: Final = re.compile(rb"\r?\n\r?\n|\r\r")
_RTF_TOKEN: Final = re.compile(rb"\\bin(\d{1,9}) ?|\\[\\{}]|[{}]")
_QUOTE_OPEN: Final = re.compile(rb'(?:\A|[\n,;\t|])"(?:[^"]|"")*\Z')


def is_cut_off(data: bytes, format_: Format) -> bool:
    """Return whether the end that the format asks for is missing."""
    check = _ENDS.get(format_, _is_text_cut)
    try:
        return check(data)
    except (ExtractError, ValueError, LookupError):  # broken otherwise, which its reader reports
        return False


def _is_text_cut(data: bytes) -> bool:
    """Return whether the text ends inside a character."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return len(data) % 2 == 1
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        text = decoder.decode(data)
    except UnicodeDecodeError:  # another encoding, in which each byte may be a character
        return False
    return bool(decoder.getstate()[0]) and not text.isascii()


def _is_csv_cut(data: bytes) -> bool:
    """Return whether the text ends inside a quoted cell or inside a character."""
    return (data.count(b'"') % 2 == 1 and _QUOTE_OPEN.search(data) is not None) or _is_text_cut(data)


def _is_html_cut(data: bytes) -> bool:
    """Return whether the page ends inside a tag, or begins as a whole page and does not end.

    A part of a page ends inside an element if it lacks an end that is never optional, or that it writes elsewhere.
    """
    if _TAG_OPEN.search(data, max(0, len(data) - _LONGEST_TAG)) or data.rfind(b"<!--") > data.rfind(b"-->"):
        return True
    if _PAGE.search(data):
        return _PAGE_END.search(data) is None
    tags = [(match[2].lower(), not match[1]) for match in _TAG.finditer(data)]
    if not tags:
        return _DOCTYPE.match(data) is not None
    balance = Counter[bytes]()
    last: dict[bytes, bool] = {}
    for name, is_start in tags:
        balance[name] += 1 if is_start else -1
        last[name] = is_start
    closed = {name for name, is_start in tags if not is_start} - _OPTIONAL_ENDS
    optional = {name for name, is_start in tags if not is_start} & _OPTIONAL_ENDS
    return any(balance[name] > 0 for name in closed | _CLOSED) or any(last[name] for name in optional)


def _is_xml_cut(data: bytes) -> bool:
    """Return whether the first element is not closed."""
    root = _ROOT.search(data)
    return root is not None and re.search(rb"</%b\s*>" % re.escape(root[1]), data[root.end() :]) is None


def _is_rtf_cut(data: bytes) -> bool:
    """Return whether groups are open at the end."""
    depth, position = 0, 0
    while (token := _RTF_TOKEN.search(data, position)) is not None:
        position = token.end() + int(token[1] or 0)
        depth += {b"{": 1, b"}": -1}.get(token[0], 0)
    return depth > 0


def _is_mail_cut(data: bytes) -> bool:
    """Return whether the mail ends in its header, or a part of it has parts, a code or a page without their end."""
    if not _HEADER_END.search(data) and not data.endswith(b"\n"):
        return True
    for part in parse_message(data).walk():
        boundary = part.parameters.get("boundary", "")
        if part.kind.startswith("multipart/") and boundary:
            if b"--" + boundary.encode("latin-1", "replace") + b"--" not in data:
                return True
        elif part.stated("content-transfer-encoding")[0] == "base64":
            if len(part.body.translate(None, b" \t\r\n")) % 4:
                return True
        elif part.kind == "text/html" and _is_html_cut(part.body):
            return True
    return False


def _is_compound_cut(data: bytes) -> bool:
    """Return whether the file lacks sectors that it says to use."""
    return is_compound(data) and CompoundFile(data).is_cut_off


_ENDS: Final[dict[Format, Callable[[bytes], bool]]] = {
    Format.CSV: _is_csv_cut,
    Format.HTML: _is_html_cut,
    Format.SVG: _is_xml_cut,
    Format.JATS: _is_xml_cut,
    Format.RTF: _is_rtf_cut,
    Format.EML: _is_mail_cut,
    Format.MHTML: _is_mail_cut,
    Format.MBOX: _is_mail_cut,
    **dict.fromkeys((Format.DOC, Format.XLS, Format.PPT, Format.MSG), _is_compound_cut),
}
