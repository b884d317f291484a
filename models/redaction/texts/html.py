"""A redacted web page: elements and attributes of an allow-list, text cleared of what is masked."""

from typing import Any

from lxml import etree
from lxml import html as lxml_html

from quire.models.cdom.tree import Tree
from quire.models.pii.kinds import Detector
from quire.models.pii.redact import Decisions
from quire.models.redaction.planning.errors import RedactionUnproven
from quire.models.redaction.planning.leaks import require_proof
from quire.models.redaction.planning.plan import RedactionPlan, Reread, plan_redaction
from quire.models.redaction.planning.spelled import local_name, mask_spelled, spell_mixed
from quire.models.redaction.texts.plain import decode_text

_BLOCKS = frozenset(
    (
        "p", "div", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "dl", "dt", "dd", "table", "thead", "tbody",
        "tfoot", "tr", "th", "td", "caption", "blockquote", "pre", "br", "hr", "article", "section", "main", "header",
        "footer", "nav", "aside", "figure", "figcaption", "details", "summary", "address", "title",
    )
)  # fmt: skip
_INLINE = frozenset(
    (
        "html", "head", "body", "span", "a", "em", "strong", "b", "i", "u", "s", "sub", "sup", "code", "kbd", "samp",
        "var", "small", "mark", "abbr", "time", "q", "cite", "del", "ins", "dfn", "label", "colgroup", "col", "wbr",
    )
)  # fmt: skip
_DROPPED = frozenset(
    (
        "script", "style", "noscript", "template", "iframe", "object", "embed", "svg", "math", "canvas", "video",
        "audio", "picture", "img", "map", "meta", "link", "base", "input", "textarea", "select", "option", "param",
        "source", "track", "applet", "frame", "frameset",
    )
)  # fmt: skip
"""With what stands inside; other unknown elements leave their text behind."""
_EMPTY = b"<html><body></body></html>"
"""The page of a body without any text, such as that of a mail that only carries attachments."""
_ATTRIBUTES = frozenset(("colspan", "rowspan", "lang", "dir", "start", "scope"))


def redact_html(data: bytes, tree: Tree, decisions: Decisions, detector: Detector, reread: Reread) -> bytes:
    """Redact a web page.

    Raises:
        PiiIncomplete: The PII scan of the tree is not complete.
        RedactionUnproven: A masked value may still be in the file.
    """
    plan = plan_redaction(tree, decisions)
    return require_proof(write_page(mask_page(_as_utf8(data, plan), plan, detector)), plan, reread)


def mask_page(data: bytes, plan: RedactionPlan, detector: Detector) -> Any:
    """Return the root of a page in UTF-8, cleaned and masked.

    Raises:
        RedactionUnproven: The page cannot be parsed.
    """
    try:
        parser = lxml_html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True)
        root: Any = lxml_html.document_fromstring(data if data.strip() else _EMPTY, parser=parser)
    except (etree.ParserError, ValueError) as error:
        raise RedactionUnproven(f"the page cannot be rewritten: {type(error).__name__}") from None
    _clean(root)
    mask_spelled(spell_mixed(root, _BLOCKS, ()), plan, detector)
    head = root.find("head")
    if head is None:
        head = etree.Element("head")
        root.insert(0, head)
    head.insert(0, etree.Element("meta", charset="utf-8"))
    return root


def page_text(data: bytes) -> str:
    """All that stands between the tags of a page in UTF-8. Raises `RedactionUnproven`."""
    try:
        parser = lxml_html.HTMLParser(encoding="utf-8", no_network=True)
        root: Any = lxml_html.document_fromstring(data if data.strip() else _EMPTY, parser=parser)
    except (etree.ParserError, ValueError) as error:
        raise RedactionUnproven(f"the page cannot be rewritten: {type(error).__name__}") from None
    return str(root.text_content())


def write_page(root: Any) -> bytes:
    """As a web page."""
    return bytes(b"<!DOCTYPE html>\n" + etree.tostring(root, encoding="utf-8", method="html"))


def _as_utf8(data: bytes, plan: RedactionPlan) -> bytes:
    """Decode the page; refuse a character set in which a masked value is not found."""
    try:
        return data.decode("utf-8").encode()
    except UnicodeDecodeError:
        return decode_text(data, plan).encode()


def _clean(root: Any) -> None:
    for element in list(root.iter()):
        name = local_name(element)
        if element.getparent() is None and name == "html":
            _clean_attributes(element)
        elif name in _DROPPED or not name or _is_hidden(element):
            _remove(element)
        elif name not in _BLOCKS and name not in _INLINE:
            element.drop_tag()
        else:
            _clean_attributes(element)


def _is_hidden(element: etree._Element) -> bool:
    style = "".join(str(element.get("style", "")).split()).casefold()
    return element.get("hidden") is not None or "display:none" in style or "visibility:hidden" in style


def _clean_attributes(element: etree._Element) -> None:
    for key in list(element.attrib):
        if str(key) not in _ATTRIBUTES:
            del element.attrib[key]


def _remove(element: Any) -> None:
    parent = element.getparent()
    if parent is not None:
        element.drop_tree()
