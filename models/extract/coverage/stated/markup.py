"""Web pages and books: the text between their tags."""

import posixpath
from typing import Final

from lxml import etree

from quire.models.extract.coverage.stated.text import NOT_SHOWN, StatedText, words_of
from quire.models.extract.formats.common.html.parse import decode, parse_again
from quire.models.extract.formats.common.opc import Package

_SILENT: Final = (
    "script",
    "style",
    "head",
    "template",
    "noscript",
    "iframe",
    "svg",
    "canvas",
    "datalist",
    "progress",
    "meter",
)
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
