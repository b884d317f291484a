"""The only place that parses XML of documents: bytes in, an lxml element with transitional namespaces out.

No DOCTYPE, entities, network or huge trees. Knows names and limits, but not the meaning of a part.
"""

import codecs
import re
from typing import Final, TypeAlias

from lxml import etree

from quire.models.cdom.errors import Malformed, ResourceLimit

Element: TypeAlias = etree._Element

W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
W14: Final = "{http://schemas.microsoft.com/office/word/2010/wordml}"
R: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
A: Final = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
C: Final = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
DGM: Final = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
M: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
MC: Final = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
V: Final = "{urn:schemas-microsoft-com:vml}"
O: Final = "{urn:schemas-microsoft-com:office:office}"  # noqa: E741
WP: Final = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}"

MAX_ATTRIBUTES: Final = 1000
"""Attributes of one element: Word writes a few dozen, and comparing them takes quadratic time."""
_STRICT: Final = b"http://purl.oclc.org/ooxml/"
_STRICT_NAME: Final = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/(\w+)")
_RENAMED: Final = {b"extendedProperties": b"extended-properties", b"customProperties": b"custom-properties"}
_EXTERNAL_TYPE: Final = re.compile(
    rb"\A((?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*\?>)?(?:\s+|<!--.*?-->)*)<!DOCTYPE\s+[\w:.-]+\s+(?:SYSTEM|PUBLIC)"
    rb"(?:\s+(?:\"[^\"<>\[]*\"|'[^'<>\[]*'))+\s*>",
    re.DOTALL,
)
"""A document type that only names an external one, as OpenOffice 1 to 3 wrote it; it declares no entities."""
_LIMIT_WORDS: Final = ("Excessive depth", "Resource limit", "too long", "too big", "Memory allocation", "Out of memory")


class BrokenPart(Malformed):
    """A part cannot be unpacked or is not well-formed; the document may be usable without it."""


def parse_xml(data: bytes) -> Element:
    """Return the root element of one part.

    Raises:
        Malformed: The syntax is broken or the part declares a document type.
        ResourceLimit: The part exceeds a limit (depth 256, node sizes, attributes).
    """
    data = drop_external_type(to_transitional(_utf8(data)))
    if b"<!DOCTYPE" in data:
        raise Malformed("a part declares a document type")
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        if any(word in str(error) for word in _LIMIT_WORDS):
            raise ResourceLimit("a part passes the limits of its XML") from None
        raise BrokenPart("a part is not well-formed XML") from None
    except (ValueError, LookupError):
        raise BrokenPart("a part is not readable XML") from None
    if root.getroottree().docinfo.internalDTD is not None:
        raise Malformed("a part declares a document type")
    if root.xpath(f"boolean(//*[count(@*) > {MAX_ATTRIBUTES}])"):
        raise ResourceLimit("an element has too many attributes")
    return root


def _utf8(data: bytes) -> bytes:
    """Convert UTF-16 parts (OPC allows them) to UTF-8, so that byte searches see the same text as the parser."""
    if not data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data
    try:
        text = data.decode("utf-16")
    except UnicodeDecodeError:
        raise BrokenPart("a part is not readable text") from None
    if text.startswith("<?xml"):
        text = text[text.find("?>") + 2 :]
    return text.encode()


def to_transitional(data: bytes) -> bytes:
    """Return XML with the names of transitional OOXML instead of those of Strict OOXML."""
    if _STRICT not in data:
        return data
    return _STRICT_NAME.sub(
        lambda name: b"http://schemas.openxmlformats.org/%s/2006/%s" % (name[1], _RENAMED.get(name[2], name[2])), data
    )


def drop_external_type(data: bytes) -> bytes:
    """Return XML without a document type that only names an external one, which is never loaded."""
    return _EXTERNAL_TYPE.sub(rb"\1", data, count=1) if b"<!DOCTYPE" in data[:4096] else data


def tag_of(element: Element) -> str:
    """Return the qualified name of an element; empty for comments and instructions."""
    return element.tag if isinstance(element.tag, str) else ""


def val(element: Element | None, default: str | None = None) -> str | None:
    """Return the `w:val` of an element, or `default` when the element or the attribute is missing."""
    return default if element is None else element.get(W + "val", default)


def is_on(element: Element | None) -> bool | None:
    """Return the state of a toggle property; None when it is not stated."""
    if element is None:
        return None
    return (element.get(W + "val") or "true") not in ("0", "false", "off", "none")


def number(text: str | None, default: int = 0) -> int:
    """Return an integer attribute, limited to ±10^9; `default` when it is missing or not a number."""
    try:
        return max(-(10**9), min(10**9, int(float(text)))) if text else default
    except (ValueError, OverflowError):
        return default
