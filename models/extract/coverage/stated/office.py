"""Word files and slide decks: the text elements of their parts."""

import re
from typing import Final

from lxml import etree

from models.cdom.coverage import Unseen
from models.extract.coverage.stated.text import NOT_SHOWN, REPEATED, StatedText
from models.extract.formats.common.opc import Package
from models.extract.formats.common.xml import MC, A, C, Element, M, W

_PART: Final = re.compile(
    r"(?P<story>document|footnotes|endnotes|comments)\d*\.xml$|(?P<running>header|footer)\d*\.xml$"
    r"|(?P<chart>chart)[^/]*\.xml$|(?P<diagram>data)\d*\.xml$"
)
"""What a part is, by the last word of its name."""
_SLIDES: Final = "ppt/slides/"
_NOTES: Final = ("ppt/notesSlides/", "ppt/comments/")
_NAMESPACES: Final = {"w": W[1:-1], "a": A[1:-1], "m": M[1:-1], "c": C[1:-1]}
_SYMBOLS: Final = re.compile("[\ue000-\uf8ff]")
"""Letters of symbol fonts: the tree says what they show."""
_LEFT_OUT: Final = (W + "moveFrom", W + "del")


def _text_in(tag: str) -> etree.XPath:
    """Finds the text of the elements of that name inside an element."""
    return etree.XPath(f"descendant::{tag}/text()", namespaces=_NAMESPACES, smart_strings=False)


_WORDS, _DRAWN, _MATH, _DELETED, _VALUES = map(_text_in, ("w:t", "a:t", "m:t", "w:delText", "c:v"))


def state_docx(data: bytes) -> StatedText:
    """Raises `ExtractError` as the reader does."""
    package, stated = Package(data), StatedText()
    running: set[str] = set()
    for name in package.names():
        match _kind_of(name):
            case "story":
                _state_story(package.xml_again(name), stated)
            case "running":
                text = "".join(_find(package.xml_again(name), _WORDS))
                stated.allow(REPEATED if text in running else NOT_SHOWN, text)
                running.add(text)
            case kind:
                _state_drawn(package, name, kind, stated)
    return stated


def _kind_of(name: str) -> str | None:
    """Parts of the glossary are none of the document's; charts and diagrams stand in folders of theirs."""
    folder, _, base = name.rpartition("/")
    found = _PART.match(base)
    if found is None or "/glossary" in folder:
        return None
    kind = found.lastgroup
    return None if (kind == "chart" and not folder.endswith("/charts")) or (
        kind == "diagram" and not folder.endswith("/diagrams")) else kind  # fmt: skip


def _state_story(root: Element | None, stated: StatedText) -> None:
    if root is None:
        return
    _leave_out_fallbacks(root, stated, _WORDS, _DRAWN)
    for node in root.iter(*_LEFT_OUT):
        stated.exclude(Unseen.DELETED.value, "".join(_find(node, _WORDS, _DELETED)))
    etree.strip_elements(root, *_LEFT_OUT, with_tail=False)
    for node in root.iter(W + "showingPlcHdr"):
        control = next(node.iterancestors(W + "sdt"), None)
        if control is not None:
            stated.allow(NOT_SHOWN, "".join(_find(control, _WORDS)))
            etree.strip_elements(control, W + "t", with_tail=False)
    _say(root, _WORDS, stated)


def _say(root: Element, words: etree.XPath, stated: StatedText) -> None:
    text = "".join(_find(root, words))
    symbols = _SYMBOLS.findall(text)
    stated.text.append(_SYMBOLS.sub("", text) if symbols else text)
    stated.formed += [*symbols, *_find(root, _MATH)]


def _leave_out_fallbacks(root: Element, stated: StatedText, *kinds: etree.XPath) -> None:
    """What is there for programs that do not know the rest."""
    for node in root.iter(MC + "Fallback"):
        stated.exclude(REPEATED, "".join(_find(node, *kinds)))
    etree.strip_elements(root, MC + "Fallback", with_tail=False)


def state_pptx(data: bytes) -> StatedText:
    """Raises `ExtractError` as the reader does."""
    package, stated = Package(data), StatedText()
    for name in package.names():
        if not name.endswith(".xml"):
            continue
        if name.startswith(_SLIDES) and "/" not in name[len(_SLIDES) :]:
            if (root := package.xml_again(name)) is not None:
                _leave_out_fallbacks(root, stated, _DRAWN)
                _say(root, _DRAWN, stated)
        elif name.startswith(_NOTES) and name.count("/") == 2:
            root = package.xml_again(name)
            stated.allow(NOT_SHOWN, "".join(root.itertext("{*}t", "{*}text")) if root is not None else "")
        else:
            _state_drawn(package, name, _kind_of(name), stated)
    return stated


def _state_drawn(package: Package, name: str, kind: str | None, stated: StatedText) -> None:
    """Charts and diagrams: their words must be there, their figures may be formatted."""
    if kind == "chart":
        stated.formed += _find(package.xml_again(name), _DRAWN, _VALUES)
    elif kind == "diagram":
        stated.allow(NOT_SHOWN, "".join(_find(package.xml_again(name), _DRAWN)))


def _find(root: Element | None, *kinds: etree.XPath) -> list[str]:
    return [text for kind in kinds for text in kind(root)] if root is not None else []
