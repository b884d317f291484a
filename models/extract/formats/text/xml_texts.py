"""FictionBook, DocBook, RSS and Atom as the HTML that their elements mean; the reader of pages reads it."""

import re
from collections.abc import Iterator
from html import escape
from typing import Final

from lxml import etree

from quire.models.cdom.errors import ExtractError
from quire.models.extract.formats.common.xml import Element, parse_xml
from quire.models.extract.formats.sniffing.texts import XML_TEXT

_PROLOG: Final = re.compile(r"\A\ufeff?\s*<\?xml[^<>]{0,200}\?>")
_TYPE: Final = re.compile(
    r"<!DOCTYPE\s+\w+\s+PUBLIC\s+[\"'][^\"'<>]*[\"'](?:\s+[\"'][^\"'<>]*[\"'])?\s*(?:\[\s*\]\s*)?>"
)
_TAGS: Final = {
    "p": "p", "v": "div", "stanza": "div", "poem": "blockquote", "epigraph": "blockquote", "cite": "blockquote",
    "text-author": "p", "date": "p", "subtitle": "h4", "strong": "strong", "emphasis": "em",
    "strikethrough": "s", "sub": "sub", "sup": "sup", "code": "code", "table": "table", "tr": "tr", "th": "th",
    "td": "td", "para": "p", "simpara": "p", "formalpara": "div", "abstract": "div", "blockquote": "blockquote",
    "note": "blockquote", "tip": "blockquote", "warning": "blockquote", "caution": "blockquote",
    "important": "blockquote", "itemizedlist": "ul", "simplelist": "ul", "orderedlist": "ol", "procedure": "ol",
    "listitem": "li", "member": "li", "step": "li", "variablelist": "dl", "varlistentry": "div", "term": "dt",
    "programlisting": "pre", "screen": "pre", "literallayout": "pre", "literal": "code", "command": "code",
    "filename": "code", "option": "code", "function": "code", "varname": "code", "subscript": "sub",
    "superscript": "sup", "quote": "q", "informaltable": "table", "thead": "thead", "tbody": "tbody",
    "tfoot": "tfoot", "row": "tr", "entry": "td", "figure": "figure", "mediaobject": "div", "author": "p",
    "authorgroup": "div", "pubdate": "p", "legalnotice": "div", "copyright": "p",
}  # fmt: skip
_PARTS: Final = frozenset(
    ("section", "chapter", "part", "preface", "appendix", "article", "sect1", "sect2", "sect3", "sect4", "sect5",
     "simplesect", "refsection", "glossary", "bibliography")
)  # fmt: skip
_SILENT: Final = frozenset(("binary", "indexterm", "imagedata", "stylesheet", "colspec", "remark"))
_HREF: Final = ("{http://www.w3.org/1999/xlink}href", "url")


def xml_as_html(text: str) -> str | None:
    """Return the HTML of a feed or a book; None for any other text, and for one that is not well-formed."""
    body = _PROLOG.sub("", text).lstrip("\ufeff \t\r\n")
    if not XML_TEXT.match(body):
        return None
    try:
        root = parse_xml(_TYPE.sub("", body, count=1).encode("utf-8", "replace"))
    except ExtractError:
        return None
    match _name(root):
        case "rss" | "RDF" | "feed":
            return _wrap("".join(_feed(root)))
        case "FictionBook":
            return _wrap(_book(root))
        case _:
            _rename(root, -(_name(root) in _PARTS))
            return _wrap(etree.tostring(root, encoding="unicode", method="html"))


def _wrap(body: str) -> str:
    return f"<html><body>{body}</body></html>"


def _name(node: Element) -> str:
    return etree.QName(node).localname if isinstance(node.tag, str) else ""


def _feed(root: Element) -> Iterator[str]:
    """Yield the parts of a feed: a heading for each entry, its date and author, its text and its link."""
    channel = next((node for node in root if _name(node) == "channel"), root)
    yield from _entry(channel, 1)
    for node in root.iter(etree.Element):
        if _name(node) in ("item", "entry"):
            yield from _entry(node, 2)


def _entry(node: Element, level: int) -> Iterator[str]:
    values: dict[str, Element] = {}
    for child in node:
        values.setdefault(_name(child), child)
    if (title := values.get("title")) is not None:
        yield f"<h{level}>{_markup(title)}</h{level}>"
    for name in ("pubDate", "date", "published", "updated", "author", "creator", "category"):
        words = " ".join(" ".join(values[name].itertext()).split()) if name in values else ""
        if words and not (name == "updated" and "published" in values):
            yield f"<p>{escape(words)}</p>"
    for name in ("subtitle", "description", "summary", "encoded", "content"):
        if name in values and not (name in ("description", "summary") and {"encoded", "content"} & set(values)):
            yield f"<div>{_markup(values[name])}</div>"
    link = values.get("link")
    href = (link.get("href") or link.text or "").strip() if link is not None else ""
    if href:
        yield f'<p><a href="{escape(href)}">{escape(href)}</a></p>'


def _markup(node: Element) -> str:
    """Return the content of an element that holds text, escaped HTML or XHTML."""
    if len(node):
        for child in node.iter(etree.Element):
            child.tag = _name(child)
        return escape(node.text or "") + "".join(etree.tostring(child, encoding="unicode") for child in node)
    words = node.text or ""
    return escape(words) if node.get("type") == "text" else words


def _book(root: Element) -> str:
    """Return a FictionBook: title and authors, then its bodies, notes last, with the pictures that it holds."""
    held = {
        node.get("id") or "": f"data:{node.get('content-type')};base64,{''.join((node.text or '').split())}"
        for node in root.iter("{*}binary")
    }
    info = next(root.iter("{*}title-info"), root)
    title = " ".join(" ".join(node.itertext()) for node in info.iter("{*}book-title"))
    authors = [" ".join(" ".join(node.itertext()).split()) for node in info.iter("{*}author")]
    out = f"<h1>{escape(' '.join(title.split()))}</h1>" + "".join(f"<p>{escape(author)}</p>" for author in authors)
    for body in root.iterfind("{*}body"):
        for image in list(body.iter("{*}image")):
            image.tag, source = "img", image.get(_HREF[0]) or ""
            image.set("src", held.get(source.removeprefix("#"), source))
        first = next(iter(body), None)
        if first is not None and " ".join("".join(first.itertext()).split()) == " ".join(title.split()):
            body.remove(first)
        _rename(body, 0)
        out += etree.tostring(body, encoding="unicode", method="html")
    return out


def _rename(node: Element, depth: int) -> None:
    """Give an element and those in it the names that HTML has for them; `depth` is that of the sections around it."""
    name = _name(node)
    if name in _PARTS:
        depth += 1
    for child in list(node):
        if _name(child) in _SILENT:
            child.text, child[:], child.tag = None, [], "span"  # what stands after it stays
        elif name in ("table", "informaltable") and _name(child) == "tgroup":
            node.extend(list(child))
            node.remove(child)
    for child in node:
        _rename(child, depth)
    node.tag = _tag_of(node, name, depth)
    for attribute in _HREF:
        if href := node.attrib.pop(attribute, None):
            node.set("href", href)


def _tag_of(node: Element, name: str, depth: int) -> str:
    if name == "title":
        outer = node.getparent()
        if outer is not None and _name(outer) in ("table", "figure"):
            return "caption" if _name(outer) == "table" else "figcaption"
        for line in node.iter("p"):
            line.tag, line.tail = "span", f" {line.tail or ''}"
        return f"h{min(depth + 1, 6)}"
    if name == "footnote":
        for line in node.iter("p"):
            line.tag = "span"
        node.text, node.tail = f" ({(node.text or '').strip()}", f"){node.tail or ''}"
        return "span"
    if name in ("a", "link", "ulink", "img"):
        return "img" if name == "img" else "a"
    if name == "emphasis" and node.get("role") in ("bold", "strong"):
        return "strong"
    if name == "listitem" and node.getparent() is not None and _name(node.getparent()) == "varlistentry":  # type: ignore[arg-type]
        return "dd"
    return _TAGS.get(name, "div" if name in _PARTS or (len(node) and not (node.text or "").strip()) else "span")
