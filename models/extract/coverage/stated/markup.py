"""Web pages and books: the text between their tags."""

import posixpath
from typing import Final, cast

from lxml import etree

from quire.models.extract.coverage.stated.text import NOT_SHOWN, StatedText, words_of
from quire.models.extract.formats.common.html.parse import decode, parse_again
from quire.models.extract.formats.common.opc import Package
from quire.models.extract.formats.common.parse_cache import take
from quire.models.extract.formats.common.xml import Element, parse_xml
from quire.models.rare_formats.svg import CACHE_KEY as SVG_CACHE_KEY

_SILENT: Final = ("script", "style", "head", "template", "noscript", "object", "iframe", "svg", "canvas", "datalist")
"""Elements whose text a browser with scripts does not show, or replaces."""
_FORMED: Final = ("math", "rt", "rp", "option", "textarea", "button", "audio", "video")
"""Elements whose text the tree may have in another form."""
_PAGES: Final = (".xhtml", ".html", ".htm", ".xml")


def state_html(data: bytes) -> StatedText:
    """Return the text of a web page.

    Raises:
        ExtractError: The reader raises it for this file as well.
    """
    return state_markup(decode(data))


def state_markup(text: str) -> StatedText:
    """Return the text of a page's decoded markup."""
    root, stated = parse_again(text), StatedText()
    if root is None:
        return stated
    stated.text += [words_of(text) for node in root.iter("svg") for text in node.iter("text")]
    for node in root.iter(*_SILENT):
        if node.tag not in ("script", "style", "head"):
            stated.allow(NOT_SHOWN, words_of(node))
    etree.strip_elements(root, *_SILENT, with_tail=False)
    stated.formed += map(words_of, root.iter(*_FORMED))
    etree.strip_elements(root, *_FORMED, with_tail=False)
    stated.text.append(words_of(root))
    return stated


def state_epub(data: bytes) -> StatedText:
    """Return the text of the pages that the spine names; other pages of the book may be missing."""
    package, stated = Package(data), StatedText()
    spine = _read_spine(package)
    for name in package.names():
        if name in spine:
            stated.add(state_markup(decode(package.read(name))))
    return stated


def _read_spine(package: Package) -> set[str]:
    part = next((name for name in package.names() if name.endswith(".opf")), None)
    root = package.xml_again(part) if part is not None else None
    if root is None or part is None:
        return set()
    folder = posixpath.dirname(part)
    used = {node.get("idref", "") for node in root.iter("{*}itemref")}
    return {
        posixpath.normpath(posixpath.join(folder, node.get("href", "")))
        for node in root.iter("{*}item")
        if node.get("id", "") in used and node.get("href", "").endswith(_PAGES)
    }


def state_svg(data: bytes) -> StatedText:
    """Return the texts of a drawing; titles and descriptions may be missing.

    Raises:
        ExtractError: The reader raises it for this file as well.
    """
    root = cast(Element | None, take(SVG_CACHE_KEY, data))
    root, stated = parse_xml(data) if root is None else root, StatedText()
    stated.other[NOT_SHOWN] = [words_of(node) for node in root.iter("{*}title", "{*}desc")]
    etree.strip_elements(root, "{*}title", "{*}desc", "{*}style", "{*}script", with_tail=False)
    stated.text += [words_of(node) for node in root.iter("{*}text", "{*}foreignObject")]
    return stated
