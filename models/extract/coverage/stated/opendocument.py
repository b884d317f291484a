"""OpenDocument: the text of the body, and of the running heads that its styles hold."""

from typing import Final

from lxml import etree

from quire.models.cdom.coverage import Unseen
from quire.models.extract.coverage.stated.text import NOT_SHOWN, StatedText, words_of
from quire.models.extract.formats.common.xml import Element
from quire.models.extract.formats.opendocument.files import open_package

_OFFICE: Final = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_TEXT: Final = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_STYLE: Final = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_MATH: Final = "{http://www.w3.org/1998/Math/MathML}"
_BESIDE: Final = (
    _OFFICE + "annotation", _OFFICE + "forms", _OFFICE + "scripts", _TEXT + "ruby-text", _TEXT + "note-citation",
    _TEXT + "index-title-template",
    "{urn:oasis:names:tc:opendocument:xmlns:xmlns:svg-compatible:1.0}desc",
    "{urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0}desc",
    "{urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0}title",
    "{urn:oasis:names:tc:opendocument:xmlns:presentation:1.0}notes",
    "{http://purl.org/dc/elements/1.1/}creator", "{http://purl.org/dc/elements/1.1/}date",
)  # fmt: skip
"""Elements whose text is not part of the document's own text: it may be in the tree."""


def state_odf(data: bytes) -> StatedText:
    """Return the text of an OpenDocument file.

    Raises:
        ExtractError: The reader raises it for this file as well.
    """
    package, stated = open_package(data), StatedText()
    root = package.xml_again("content.xml")
    body = root.find(_OFFICE + "body") if root is not None else None
    if body is not None:
        _set_apart(body, stated)
        stated.text.append(words_of(body))
    styles = package.xml_again("styles.xml")
    if styles is not None:
        etree.strip_elements(styles, _OFFICE + "binary-data", with_tail=False)
    for node in styles.iter(_STYLE + "master-page") if styles is not None else ():
        stated.allow(NOT_SHOWN, words_of(node))
    for name in package.names():
        if name.endswith("/content.xml"):
            stated.formed.append(words_of(package.xml_again(name)))
    return stated


def _set_apart(body: Element, stated: StatedText) -> None:
    for node in body.iter(_TEXT + "tracked-changes"):
        stated.exclude(Unseen.DELETED.value, words_of(node))
    etree.strip_elements(body, _TEXT + "tracked-changes", with_tail=False)
    etree.strip_elements(body, _OFFICE + "binary-data", with_tail=False)
    for node in body.iter(_MATH + "math"):
        stated.formed.append(words_of(node))
    etree.strip_elements(body, _MATH + "math", with_tail=False)
    for node in body.iter(*_BESIDE):
        stated.allow(NOT_SHOWN, words_of(node))
    etree.strip_elements(body, *_BESIDE, with_tail=False)
