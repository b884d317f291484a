"""An article: its XML in, a flow file of one page out. No document type is loaded, no entity or include followed."""

import re
from html.entities import html5
from typing import Final, cast

from lxml import etree

from quire.models.cdom.errors import Malformed, ResourceLimit
from quire.models.cdom.original import Format, ReadOptions
from quire.models.cdom.tree import Metadata
from quire.models.extract.formats.common.html.page import path_maker
from quire.models.extract.formats.common.html.parse import decode
from quire.models.extract.formats.common.html.walk import HtmlWalker
from quire.models.extract.formats.common.parse_cache import keep, take
from quire.models.extract.formats.common.xml import Element
from quire.models.extract.formats.flow.blocks import FlowPage
from quire.models.extract.formats.flow.document import FlowDocument, FlowFile, open_flow

_SKIPPED: Final = frozenset(
    (
        "front-stub", "journal-meta", "contrib-group", "aff", "author-notes", "pub-date", "volume", "issue",
        "fpage", "lpage", "history", "permissions", "counts", "custom-meta-group", "article-id", "article-categories",
        "self-uri", "related-article", "object-id",
        "alt-title", "trans-title-group", "funding-group", "processing-meta",
        "elocation-id", "pub-id", "contrib-id", "institution-id", "supplement", "conference", "product", "isbn",
        "article-version", "pub-history", "kwd-group", "support-group", "long-desc", "alt-text",
    )
)  # fmt: skip
"""Elements that describe the article: metadata, not text."""
_AS_IN_HTML: Final = (
    "section", "ul", "ol", "li", "blockquote", "pre", "h2", "h3", "h4", "h5", "h6", "a", "dl", "dt", "dd", "p", "sup",
    "sub", "thead", "tbody", "tfoot", "tr", "table",
)  # fmt: skip
_RENAMED: Final = {
    **{name: name for name in _AS_IN_HTML},
    **dict.fromkeys(("abstract", "sec", "app", "ack", "notes", "glossary", "fn-group"), "section"),
    **dict.fromkeys(("boxed-text", "ref-list"), "section"),
    **dict.fromkeys(("attrib", "fn", "verse-line", "supplementary-material", "ref"), "p"),
    **dict.fromkeys(("speech", "table-wrap", "table-wrap-foot", "statement"), "div"),
    "italic": "i", "bold": "b", "monospace": "code", "break": "br", "disp-quote": "blockquote", "list-item": "li",
    "def-list": "dl", "term": "dt", "def": "dd", "preformat": "pre", "code": "pre", "speaker": "b", "underline": "u",
    "fig": "figure", "caption": "figcaption",
}  # fmt: skip
_BLOCKS: Final = frozenset(
    ("article", "front", "article-meta", "body", "back", "app-group", "def-item", "floats-group", "verse-group",
     "sub-article", "response", "article-body", "fig-group", "table-wrap-group", "title-group", "trans-abstract")
)  # fmt: skip
_ORDERED: Final = {"order": "1", "alpha-lower": "a", "alpha-upper": "A", "roman-lower": "i", "roman-upper": "I"}
_SECTIONS: Final = frozenset(("sec", "app", "abstract", "trans-abstract", "ack", "notes", "glossary", "ref-list",
                              "fn-group", "boxed-text"))  # fmt: skip
_HOLD_CODE: Final = frozenset(
    ("sec", "body", "app", "boxed-text", "disp-quote", "list-item", "def", "fig", "statement")
)
"""Elements in which code is a block, not words in a paragraph."""
_LINK: Final = "{http://www.w3.org/1999/xlink}href"
_BODY_OF_TEX: Final = re.compile(r"\\begin\{document\}(.*?)\\end\{document\}", re.DOTALL)
MAX_LEVEL: Final = 6
"""Heading levels of a tree."""


def to_html(article: Element) -> Element:
    """Return the article as one `div`; every element states its line in the file."""
    root = etree.Element("div")
    _Converter().convert(article, root, 1)
    return root


def local_name(node: Element) -> str:
    """Return the element's name without its namespace; empty for comments."""
    return etree.QName(node).localname if isinstance(node.tag, str) else ""


def plain_tex(text: str) -> str:
    """Return the formula in a TeX field, which may contain a whole document around it."""
    body = _BODY_OF_TEX.search(text)
    return " ".join((body.group(1) if body else text).split()).strip("$ ")


class _Converter:
    """Converts the article; `level` is that of the next section's heading."""

    def convert(self, node: Element, into: Element, level: int) -> None:
        """Convert the node's content into `into`."""
        _append_text(into, node.text)
        for child in node:
            if isinstance(child.tag, str):
                self._convert_child(child, into, level)
            _append_text(into, child.tail)

    def _convert_child(self, node: Element, into: Element, level: int) -> None:
        outside = node.getparent()
        name, around = local_name(node), local_name(outside) if outside is not None else ""
        if name in _SKIPPED:
            return
        if name == "article-title" and around in ("title-group", "document-meta"):
            self._add("h1", node, into, level)
        elif name == "subtitle" and around == "title-group":
            self._add("h2", node, into, level)
        elif name in ("title", "label") and around in _SECTIONS:
            self._convert_title(node, into, level)
        elif name in ("tex-math", "inline-formula", "disp-formula", "math"):
            self._convert_formula(node, into, level)
        elif name == "alternatives":
            self._choose_alternative(node, into, level)
        elif name == "code" and around not in _HOLD_CODE:
            self._add("code", node, into, level)
        else:
            self._convert_named(name, node, into, level)

    def _convert_named(self, name: str, node: Element, into: Element, level: int) -> None:
        """Convert elements with an HTML counterpart, and those without one."""
        match name:
            case "list":
                kind = _ORDERED.get(node.get("list-type", ""))
                self._add("ol" if kind else "ul", node, into, level).set("type", kind or "")
            case "ext-link" | "uri" | "email":
                converted = self._add("a", node, into, level)
                converted.set("href", node.get(_LINK) or ("" if name == "email" else "".join(node.itertext())))
            case "td" | "th":
                converted = self._add(name, node, into, level)
                for side in ("rowspan", "colspan"):
                    if node.get(side):
                        converted.set(side, node.get(side, "1"))
            case _ if name in _RENAMED:
                self._convert_renamed(name, node, into, level)
            case _:
                self._add("div" if name in _BLOCKS else "span", node, into, level)

    def _convert_renamed(self, name: str, node: Element, into: Element, level: int) -> None:
        deeper = level + (name in _SECTIONS)
        section = self._add(_RENAMED[name], node, into, deeper)
        if name in ("abstract", "ref-list", "ack") and not any(local_name(child) == "title" for child in node):
            title = etree.Element(f"h{min(deeper, MAX_LEVEL)}")
            title.text = {"abstract": "Abstract", "ref-list": "References", "ack": "Acknowledgments"}[name]
            section.insert(0, title)

    def _convert_title(self, node: Element, into: Element, level: int) -> None:
        """Convert a section's title; the number in a label before it is read separately."""
        if local_name(node) == "title":
            self._add(f"h{min(level, MAX_LEVEL)}", node, into, level)

    def _choose_alternative(self, node: Element, into: Element, level: int) -> None:
        """Convert the most readable of several forms: a table or a formula rather than a picture."""
        names = {local_name(child): child for child in reversed(node)}
        if "table" in names:
            self._convert_child(names["table"], into, level)
        elif "tex-math" in names or "math" in names:
            self._convert_formula(node, into, level)
        elif len(node):
            self.convert(node[0], etree.SubElement(into, "span"), level)

    def _convert_formula(self, node: Element, into: Element, level: int) -> None:
        """Convert TeX if the article states it, else its MathML, else its other content."""
        display = local_name(node) == "disp-formula"
        tex = next((inner for inner in node.iter() if local_name(inner) == "tex-math"), None)
        math = next((inner for inner in node.iter() if local_name(inner) == "math"), None)
        if tex is None and math is None:
            self.convert(node, etree.SubElement(into, "span"), level)
            return
        formula = etree.SubElement(into, "math", {"display": "block"} if display else {})
        formula.set("data-lines", _line(node))
        if tex is not None:
            note = etree.SubElement(formula, "annotation", {"encoding": "application/x-tex"})
            note.text = plain_tex("".join(tex.itertext()))
        elif math is not None:
            _copy_math(math, formula)

    def _add(self, tag: str, node: Element, into: Element, level: int) -> Element:
        converted = etree.SubElement(into, tag)
        converted.set("data-lines", _line(node))
        self.convert(node, converted, level)
        return converted


def _line(node: Element) -> str:
    return f"line {node.sourceline or 1}"


def _copy_math(node: Element, into: Element) -> None:
    for child in node:
        if isinstance(child.tag, str):
            copied = etree.SubElement(into, local_name(child))
            copied.text = child.text
            _copy_math(child, copied)


def _append_text(into: Element, text: str | None) -> None:
    """Append text at the end of an element."""
    if not text:
        return
    if len(into):
        into[-1].tail = (into[-1].tail or "") + text
    else:
        into.text = (into.text or "") + text


ENGINE: Final = "lxml"
MAX_CHARS: Final = 1000
"""Characters of one metadata value that are stored, as for other formats."""
_CACHE_KEY: Final = "jats"
_ENTITY: Final = re.compile(r"&([A-Za-z][A-Za-z0-9]{1,31});")
_OWN: Final = frozenset(("amp", "lt", "gt", "quot", "apos"))
"""Entities of XML itself, which the parser resolves."""
_DOCTYPE: Final = re.compile(r"<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>", re.DOTALL)
_DECLARATION: Final = re.compile(r"\A\s*<\?xml[^>]*\?>")
_INTERNAL: Final = re.compile(r"<!ENTITY", re.IGNORECASE)


def open_jats(data: bytes, options: ReadOptions) -> FlowDocument:
    """Open the article in `data`.

    Raises:
        ExtractError: The file is malformed, or exceeds a limit.
    """
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
    """Return the root of the article.

    Raises:
        Malformed: The text declares entities or is not XML.
        ResourceLimit: A limit of the parser is exceeded.
    """
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
    return keep(_CACHE_KEY, stated, root)


def parse_again(text: str) -> Element:
    """Return the root for the caller alone; a reader's parse of this text is reused."""
    cached = take(_CACHE_KEY, text)
    return parse_article(text) if cached is None else cast(Element, cached)


def _character(match: re.Match[str]) -> str:
    """Return a named character; an unknown name stays as it is written."""
    if match.group(1) in _OWN:
        return match.group()
    return html5.get(match.group(1) + ";", f"&amp;{match.group(1)};")


def _read_metadata(root: Element) -> Metadata:
    front = next((node for node in root.iter() if local_name(node) in ("article-meta", "front")), root)
    title = next((node for node in front.iter() if local_name(node) == "article-title"), None)
    names = [_person_name(node) for node in front.iter() if local_name(node) == "name" and _is_author(node)]
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
    contrib = next((ancestor for ancestor in node.iterancestors() if local_name(ancestor) == "contrib"), None)
    return contrib is not None and contrib.get("contrib-type", "author") == "author"


def _person_name(node: Element) -> str:
    named = {local_name(child): (child.text or "").strip() for child in node}
    return " ".join(part for part in (named.get("given-names"), named.get("surname")) if part)
