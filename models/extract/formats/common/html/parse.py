"""HTML parsing: bytes or text in, an element tree out. Detects the encoding and limits the depth before parsing.

Nothing is ever fetched: no scripts, styles, frames, base addresses or document types.
"""

import codecs
import re
from typing import Final, cast

from lxml import etree
from lxml import html as lxml_html

from quire.models.cdom.errors import Malformed, ResourceLimit
from quire.models.extract.formats.common.parse_cache import keep, take
from quire.models.extract.formats.common.xml import Element
from quire.models.extract.formats.sniffing.charset import DecodedText, decode_mostly_utf8, decode_text
from quire.models.extract.formats.sniffing.guess import guess_markup

MAX_DEPTH: Final = 120
"""Nesting depth; deeper tags are dropped and their text stays. The walk uses a few calls per level."""
MAX_TAGS: Final = 2_000_000
"""Tags of a page: each is a node of a tree that must fit into a sandbox."""
_CACHE_KEY: Final = "html"
_CHARSET: Final = re.compile(rb"<meta[^>]{0,400}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.\-]+)", re.IGNORECASE)
_DECLARED: Final = re.compile(rb"^<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9_.\-]+)")
_TAG: Final = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9:_-]*)((?:[^<>\"']|\"[^\"]*\"|'[^']*')*)>")
_LAST_TAGS: Final = re.compile(r"</(?:body|html)\s*>", re.IGNORECASE)
"""Browsers add text after these tags to the body; the parser would drop it."""
_VOID: Final = frozenset(
    (
        "area",
        "base",
        "br",
        "col",
        "embed",
        "hr",
        "img",
        "input",
        "link",
        "meta",
        "param",
        "source",
        "track",
        "wbr",
        "p",
        "li",
        "td",
        "th",
        "tr",
        "dt",
        "dd",
        "option",
        "thead",
        "tbody",
        "tfoot",
        "colgroup",
        "body",
        "html",
        "head",
    )
)
"""Elements without content, or that the parser closes by itself."""
_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"),
)  # fmt: skip
_OUTSIDE_ASCII: Final = bytes(range(128, 256))
_ALIASES: Final = {"iso-8859-1": "cp1252", "latin-1": "cp1252", "latin1": "cp1252", "us-ascii": "cp1252",
                   "ascii": "cp1252", "gb2312": "gb18030", "gbk": "gb18030", "x-sjis": "cp932", "shift_jis": "cp932",
                   "ks_c_5601-1987": "cp949", "euc-kr": "cp949", "utf-16": "utf-8", "utf-7": "utf-8"}  # fmt: skip
"""Charsets as browsers read these names; a page that says UTF-16 in ASCII is not, and UTF-7 is never accepted."""


def decode(data: bytes, stated: str | None = None) -> str:
    """Return the text of HTML bytes: by byte order mark, stated or declared charset, UTF-8, else by a guess."""
    return decode_page(data, stated).text


def decode_page(data: bytes, stated: str | None = None) -> DecodedText:
    """Return the text of HTML bytes, its encoding, and whether the encoding is certain."""
    for bom, name in _BOMS:
        if data.startswith(bom):
            return DecodedText(data.decode(name, "replace"), name)
    declared = _DECLARED.match(data[:1024]) or _CHARSET.search(data[:4096])
    for charset in (stated, declared.group(1).decode() if declared else None):
        if charset and (text := decode_named(data, charset)) is not None and not _is_misnamed(data, text):
            return DecodedText(text, charset)
    if data.isascii() or b"\0" in data[:2048]:
        return decode_text(data)
    try:
        return DecodedText(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        if (mixed := decode_mostly_utf8(data)) is not None:
            return DecodedText(mixed, "utf-8", is_certain=False)
        name, is_certain = guess_markup(data)
        return DecodedText(data.decode(name, "replace"), name, is_certain)


def _is_misnamed(data: bytes, text: str) -> bool:
    """Return whether the bytes mostly do not decode in the charset that is stated for them."""
    errors = text.count("\ufffd")
    return errors > 0 and 3 * errors > len(data) - len(data.translate(None, _OUTSIDE_ASCII))


def decode_named(data: bytes, name: str) -> str | None:
    """Decode the bytes in a charset by the name that files use; None for an unknown charset."""
    name = name.strip().strip("\"'").lower()
    name = _ALIASES.get(name, name)
    try:
        if not codecs.lookup(name)._is_text_encoding:
            return None
        return data.decode(name, "replace")
    except (LookupError, UnicodeError, ValueError):
        return None


def parse_html(text: str) -> Element | None:
    """Return the root of a page, or None when it is empty.

    Raises:
        ResourceLimit: The page has too many tags.
    """
    if text.count("<") > MAX_TAGS:
        raise ResourceLimit(f"more than {MAX_TAGS} tags")
    stated, text = text, text.replace("\0", "")
    if text.startswith("<?xml"):
        text = text[text.find("?>") + 2 :]
    text = _LAST_TAGS.sub("", text)
    if not text.strip():
        return None
    parser = lxml_html.HTMLParser(
        encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True, huge_tree=True
    )
    try:
        root = etree.fromstring(_bound_depth(text).encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError:
        return None
    except ValueError:
        raise Malformed("the page is not readable HTML") from None
    return keep(_CACHE_KEY, stated, root)


def parse_again(text: str) -> Element | None:
    """Return the root for the caller alone, who may change it; a reader's parse of this text is reused."""
    cached = take(_CACHE_KEY, text)
    return parse_html(text) if cached is None else cast(Element, cached)


def _bound_depth(text: str) -> str:
    """Return the text without the tags that nest deeper than the limit."""
    depth, dropped, deepest = 0, 0, 0
    out: list[str] = []
    copied_to = 0
    for match in _TAG.finditer(text):
        name = match.group(2).lower()
        if name in _VOID or match.group(3).endswith("/"):
            continue
        if match.group(1):
            if dropped:
                dropped -= 1
                out.append(text[copied_to : match.start()])
                copied_to = match.end()
            else:
                depth = max(0, depth - 1)
        elif depth >= MAX_DEPTH:
            dropped += 1
            out.append(text[copied_to : match.start()] + " ")
            copied_to = match.end()
        else:
            depth += 1
            deepest = max(deepest, depth)
    return text if deepest < MAX_DEPTH and not out else "".join(out) + text[copied_to:]
