"""Word files and slide decks: the text elements of their parts."""

import re
from collections.abc import Iterable
from typing import Final

from lxml import etree

from models.cdom.coverage import Unseen
from models.extract.readers.docx.package.opc import Package
from models.extract.readers.docx.package.xml import MC, A, C, Element, M, W
from models.extract.readers.stated.text import NOT_SHOWN, REPEATED, StatedText

_STORY: Final = re.compile(r"(?:^|/)(document|footnotes|endnotes|comments)\d*\.xml$")
_RUNNING: Final = re.compile(r"(?:^|/)(header|footer)\d*\.xml$")
_CHART: Final = re.compile(r"/charts/chart[^/]*\.xml$")
_DIAGRAM: Final = re.compile(r"/diagrams/data\d*\.xml$")
_SLIDE: Final = re.compile(r"^ppt/slides/[^/]+\.xml$")
_NOTES: Final = re.compile(r"^ppt/(?:notesSlides|comments)/[^/]+\.xml$")
_SYMBOLS: Final = re.compile("[\ue000-\uf8ff]")
"""Letters of symbol fonts: the tree says what they show."""
_LEFT_OUT: Final = (W + "moveFrom", W + "del")


def state_docx(data: bytes) -> StatedText:
    """Raises `ExtractError` as the reader does."""
    package, stated = Package(data), StatedText()
    running: set[str] = set()
    for name in package.names():
        if "/glossary/" in name:
            continue
        if _STORY.search(name):
            _state_story(package.xml_again(name), stated)
        elif _RUNNING.search(name):
            text = _join(package.xml_again(name), W + "t")
            stated.allow(REPEATED if text in running else NOT_SHOWN, text)
            running.add(text)
        else:
            _state_drawn(package, name, stated)
    return stated


def _state_story(root: Element | None, stated: StatedText) -> None:
    if root is None:
        return
    for node in root.iter(MC + "Fallback"):
        stated.exclude(REPEATED, _join(node, W + "t", A + "t"))
    etree.strip_elements(root, MC + "Fallback", with_tail=False)
    for node in root.iter(*_LEFT_OUT):
        stated.exclude(Unseen.DELETED.value, _join(node, W + "t", W + "delText"))
    etree.strip_elements(root, *_LEFT_OUT, with_tail=False)
    for node in root.iter(W + "showingPlcHdr"):
        control = next(node.iterancestors(W + "sdt"), None)
        if control is not None:
            stated.allow(NOT_SHOWN, _join(control, W + "t"))
            etree.strip_elements(control, W + "t", with_tail=False)
    for text in _texts(root, W + "t"):
        symbols = _SYMBOLS.findall(text)
        stated.text.append(_SYMBOLS.sub("", text) if symbols else text)
        stated.formed += symbols
    stated.formed += _texts(root, M + "t")


def state_pptx(data: bytes) -> StatedText:
    """Raises `ExtractError` as the reader does."""
    package, stated = Package(data), StatedText()
    for name in package.names():
        if _SLIDE.search(name):
            root = package.xml_again(name)
            if root is not None:
                for node in root.iter(MC + "Fallback"):
                    stated.exclude(REPEATED, _join(node, A + "t"))
                etree.strip_elements(root, MC + "Fallback", with_tail=False)
                stated.text += _texts(root, A + "t")
                stated.formed += _texts(root, M + "t")
        elif _NOTES.search(name):
            root = package.xml_again(name)
            stated.allow(NOT_SHOWN, "".join(root.itertext("{*}t", "{*}text")) if root is not None else "")
        else:
            _state_drawn(package, name, stated)
    return stated


def _state_drawn(package: Package, name: str, stated: StatedText) -> None:
    """Charts and diagrams: their words must be there, their figures may be formatted."""
    if _CHART.search(name):
        root = package.xml_again(name)
        stated.formed += [*_texts(root, A + "t"), *_texts(root, C + "v")]
    elif _DIAGRAM.search(name):
        stated.allow(NOT_SHOWN, _join(package.xml_again(name), A + "t"))


def _join(root: Element | None, *tags: str) -> str:
    return "".join(_texts(root, *tags))


def _texts(root: Element | None, *tags: str) -> Iterable[str]:
    return [node.text for node in root.iter(*tags) if node.text] if root is not None else ()
