"""The elements of an article as those of a web page, so that both are read alike. Elements in, elements out."""

import re
from typing import Final

from lxml import etree

from models.extract.formats.common.xml import Element

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
"""What describes the article and is metadata, not its text."""
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
"""Where code is a block, not words in a paragraph."""
_LINK: Final = "{http://www.w3.org/1999/xlink}href"
_BODY_OF_TEX: Final = re.compile(r"\\begin\{document\}(.*?)\\end\{document\}", re.DOTALL)
MAX_LEVEL: Final = 6
"""Levels of headings a tree has."""


def to_html(article: Element) -> Element:
    """The article as one `div`; every element states the line where it stands in the file."""
    root = etree.Element("div")
    _Converter().convert(article, root, 1)
    return root


def local_name(node: Element) -> str:
    return etree.QName(node).localname if isinstance(node.tag, str) else ""


def plain_tex(text: str) -> str:
    """The formula in a TeX field that may hold a whole document around it."""
    found = _BODY_OF_TEX.search(text)
    return " ".join((found.group(1) if found else text).split()).strip("$ ")


class _Converter:
    """Walks the article; `level` is that of the next section's heading."""

    def convert(self, node: Element, into: Element, level: int) -> None:
        """The node's content inside `into`."""
        _say(into, node.text)
        for child in node:
            if isinstance(child.tag, str):
                self._child(child, into, level)
            _say(into, child.tail)

    def _child(self, node: Element, into: Element, level: int) -> None:
        outside = node.getparent()
        name, around = local_name(node), local_name(outside) if outside is not None else ""
        if name in _SKIPPED:
            return
        if name == "article-title" and around in ("title-group", "document-meta"):
            self._add("h1", node, into, level)
        elif name == "subtitle" and around == "title-group":
            self._add("h2", node, into, level)
        elif name in ("title", "label") and around in _SECTIONS:
            self._heading(node, into, level)
        elif name in ("tex-math", "inline-formula", "disp-formula", "math"):
            self._formula(node, into, level)
        elif name == "alternatives":
            self._choose(node, into, level)
        elif name == "code" and around not in _HOLD_CODE:
            self._add("code", node, into, level)
        else:
            self._named(name, node, into, level)

    def _named(self, name: str, node: Element, into: Element, level: int) -> None:
        """Elements that have a like in HTML, and those that have none."""
        match name:
            case "list":
                kind = _ORDERED.get(node.get("list-type", ""))
                self._add("ol" if kind else "ul", node, into, level).set("type", kind or "")
            case "ext-link" | "uri" | "email":
                made = self._add("a", node, into, level)
                made.set("href", node.get(_LINK) or ("" if name == "email" else "".join(node.itertext())))
            case "td" | "th":
                made = self._add(name, node, into, level)
                for side in ("rowspan", "colspan"):
                    if node.get(side):
                        made.set(side, node.get(side, "1"))
            case _ if name in _RENAMED:
                self._renamed(name, node, into, level)
            case _:
                self._add("div" if name in _BLOCKS else "span", node, into, level)

    def _renamed(self, name: str, node: Element, into: Element, level: int) -> None:
        deeper = level + (name in _SECTIONS)
        made = self._add(_RENAMED[name], node, into, deeper)
        if name in ("abstract", "ref-list", "ack") and not any(local_name(child) == "title" for child in node):
            title = etree.Element(f"h{min(deeper, MAX_LEVEL)}")
            title.text = {"abstract": "Abstract", "ref-list": "References", "ack": "Acknowledgments"}[name]
            made.insert(0, title)

    def _heading(self, node: Element, into: Element, level: int) -> None:
        """A section's title; its number, which stands in a label before it, is left to the reader of the page."""
        if local_name(node) == "title":
            self._add(f"h{min(level, MAX_LEVEL)}", node, into, level)

    def _choose(self, node: Element, into: Element, level: int) -> None:
        """Of several forms of one thing the one that can be read: a table or a formula before a picture."""
        names = {local_name(child): child for child in reversed(node)}
        if "table" in names:
            self._child(names["table"], into, level)
        elif "tex-math" in names or "math" in names:
            self._formula(node, into, level)
        elif len(node):
            self.convert(node[0], etree.SubElement(into, "span"), level)

    def _formula(self, node: Element, into: Element, level: int) -> None:
        """TeX where the article states it, else its MathML, else what else stands there."""
        display = local_name(node) == "disp-formula"
        tex = next((one for one in node.iter() if local_name(one) == "tex-math"), None)
        math = next((one for one in node.iter() if local_name(one) == "math"), None)
        if tex is None and math is None:
            self.convert(node, etree.SubElement(into, "span"), level)
            return
        made = etree.SubElement(into, "math", {"display": "block"} if display else {})
        made.set("data-lines", _line(node))
        if tex is not None:
            note = etree.SubElement(made, "annotation", {"encoding": "application/x-tex"})
            note.text = plain_tex("".join(tex.itertext()))
        elif math is not None:
            _copy_math(math, made)

    def _add(self, tag: str, node: Element, into: Element, level: int) -> Element:
        made = etree.SubElement(into, tag)
        made.set("data-lines", _line(node))
        self.convert(node, made, level)
        return made


def _line(node: Element) -> str:
    return f"line {node.sourceline or 1}"


def _copy_math(node: Element, into: Element) -> None:
    for child in node:
        if isinstance(child.tag, str):
            made = etree.SubElement(into, local_name(child))
            made.text = child.text
            _copy_math(child, made)


def _say(into: Element, text: str | None) -> None:
    """Adds text at the end of an element."""
    if not text:
        return
    if len(into):
        into[-1].tail = (into[-1].tail or "") + text
    else:
        into.text = (into.text or "") + text
