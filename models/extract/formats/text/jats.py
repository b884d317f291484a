"""An article: its XML in, a flow file of one page out. No document type is loaded, no entity or include followed."""

import re
from html.entities import html5
from typing import Final, cast

from lxml import etree

from models.cdom.errors import Malformed, ResourceLimit
from models.cdom.original import Format, ReadOptions
from models.cdom.tree import Metadata
from models.extract.formats.common.html.page import path_maker
from models.extract.formats.common.html.parse import decode
from models.extract.formats.common.html.walk import HtmlWalker
from models.extract.formats.common.parse_cache import keep, take
from models.extract.formats.common.xml import Element
from models.extract.formats.flow.blocks import FlowPage
from models.extract.formats.flow.document import FlowDocument, FlowFile, open_flow
from models.extract.formats.text.jats_markup import local_name, to_html

ENGINE: Final = "lxml"
MAX_CHARS: Final = 1000
"""Characters of one fact of the metadata that are kept, as for other formats."""
_KEPT: Final = "jats"
_ENTITY: Final = re.compile(r"&([A-Za-z][A-Za-z0-9]{1,31});")
_OWN: Final = frozenset(("amp", "lt", "gt", "quot", "apos"))
"""Entities of XML itself, which the parser knows."""
_DOCTYPE: Final = re.compile(r"<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>", re.DOTALL)
_DECLARATION: Final = re.compile(r"\A\s*<\?xml[^>]*\?>")
_INTERNAL: Final = re.compile(r"<!ENTITY", re.IGNORECASE)


def open_jats(data: bytes, options: ReadOptions) -> FlowDocument:
    """The article in `data`. Raises `ExtractError`: malformed, a limit passed."""
    return open_flow(lambda: _read(data), options)


def _read(data: bytes) -> FlowFile:
    root = parse_article(decode(data))
    page = FlowPage(blocks=HtmlWalker(path_maker("")).read(to_html(root)))
    return FlowFile(
        format=Format.JATS,
        pages=[page],
        engine=ENGINE,
        version=etree.__version__,
        reason="article",
        metadata=_read_metadata(root),
    )


def parse_article(text: str) -> Element:
    """The root of the article. Raises `Malformed` for XML that declares entities or is none, `ResourceLimit`."""
    stated, doctype = text, _DOCTYPE.search(text[:65_536])
    if doctype is not None:
        if _INTERNAL.search(doctype.group()):
            raise Malformed("the article declares entities of its own")
        text = text[: doctype.start()] + "\n" * doctype.group().count("\n") + text[doctype.end() :]
    text = _DECLARATION.sub("", _ENTITY.sub(_character, text))
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True,
                             remove_pis=True, recover=True)  # fmt: skip
    try:
        root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError as error:
        if "Excessive depth" in str(error) or "too long" in str(error):
            raise ResourceLimit("the article passes the limits of its XML") from None
        raise Malformed("the article is not readable XML") from None
    if root is None:
        raise Malformed("the article is not readable XML")
    return keep(_KEPT, stated, root)


def parse_again(text: str) -> Element:
    """The same for the caller alone: what the reader of this text has just parsed."""
    found = take(_KEPT, text)
    return parse_article(text) if found is None else cast(Element, found)


def _character(found: re.Match[str]) -> str:
    """A named character; one that nobody knows stays as it is written."""
    if found.group(1) in _OWN:
        return found.group()
    return html5.get(found.group(1) + ";", f"&amp;{found.group(1)};")


def _read_metadata(root: Element) -> Metadata:
    front = next((node for node in root.iter() if local_name(node) in ("article-meta", "front")), root)
    title = next((node for node in front.iter() if local_name(node) == "article-title"), None)
    names = [_person(node) for node in front.iter() if local_name(node) == "name" and _is_author(node)]
    date = next((node for node in front.iter() if local_name(node) == "pub-date"), None)
    facts = {local_name(child): (child.text or "").strip() for child in date} if date is not None else {}
    parts = [facts[name].zfill(2) for name in ("year", "month", "day") if facts.get(name, "").isdecimal()]
    return Metadata(
        title=(" ".join("".join(title.itertext()).split())[:MAX_CHARS] or None) if title is not None else None,
        author=", ".join(name for name in names if name)[:MAX_CHARS] or None,
        created="-".join(parts) or None,
        language=root.get("{http://www.w3.org/XML/1998/namespace}lang"),
    )


def _is_author(node: Element) -> bool:
    contrib = next((one for one in node.iterancestors() if local_name(one) == "contrib"), None)
    return contrib is not None and contrib.get("contrib-type", "author") == "author"


def _person(node: Element) -> str:
    named = {local_name(child): (child.text or "").strip() for child in node}
    return " ".join(part for part in (named.get("given-names"), named.get("surname")) if part)
