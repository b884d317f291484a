"""Articles in XML (JATS): the words between their tags."""

from typing import Final

from quire.models.extract.coverage.stated.text import NOT_SHOWN, REPEATED, StatedText, words_of
from quire.models.extract.formats.common.html.parse import decode
from quire.models.extract.formats.common.xml import Element
from quire.models.extract.formats.text.jats import parse_again

_SHOWN_OF_FRONT: Final = frozenset(("title-group", "abstract", "trans-abstract"))
_BESIDE: Final = frozenset(
    (
        "object-id", "pub-id", "long-desc", "alt-text", "permissions", "alt-title", "contrib-group", "aff",
        "author-notes", "front-stub", "related-article", "article-id", "custom-meta-group", "kwd-group", "fpage",
        "processing-meta", "supplement", "trans-title-group", "institution-id", "contrib-id", "lpage", "volume",
        "issue", "elocation-id", "conference", "product", "isbn", "pub-date",
    )
)  # fmt: skip
"""Elements that describe an article or a part of it and are not in its readable text."""
_PLAIN: Final = frozenset(("p", "xref", "italic", "bold", "sup", "sub", "td", "tr", "ref", "name", "surname", "year"))
"""Names of the most frequent elements, whose text continues the text around them."""
_FORMED: Final = frozenset(("tex-math", "math", "inline-formula", "disp-formula"))


def state_jats(data: bytes) -> StatedText:
    """Return the text of a JATS article.

    Raises:
        ExtractError: The reader raises it for this file as well.
    """
    stated = StatedText()
    _state_node(parse_again(decode(data)), stated, shown=True)
    return stated


def _state_node(root: Element, stated: StatedText, *, shown: bool) -> None:
    """Add the text of the element; sort out nodes that are shown in another form or not at all."""
    shown_texts, silent = stated.text, list[str]()
    waiting: list[tuple[Element, str, bool]] = [(root, _name_of(root), shown)]
    while waiting:
        node, own, shown = waiting.pop()
        texts = shown_texts if shown else silent
        in_front = own in ("front", "article-meta", "article")
        is_titled = own in ("sec", "app", "title-group", "abstract")
        texts.append(node.text or "")
        for child in node:
            name = child.tag if child.tag in _PLAIN else _name_of(child)
            if name in _BESIDE or (is_titled and name == "label"):
                silent.append(words_of(child))
            elif name in _FORMED:
                stated.formed.append(words_of(child))
            elif name == "alternatives":
                stated.allow(REPEATED, words_of(child))
            elif name:
                waiting.append((child, name, _is_shown(name, shown) if in_front else shown))
            if child.tail:
                texts.append(child.tail)
    stated.allow(NOT_SHOWN, "".join(silent))


def _name_of(node: Element) -> str:
    return node.tag.rpartition("}")[2] if isinstance(node.tag, str) else ""


def _is_shown(name: str, shown: bool) -> bool:
    """Return whether the element is shown; of the front matter only titles and abstracts are."""
    return shown if name in ("article", "body", "back", "floats-group", "sub-article", "response") else (
        name in _SHOWN_OF_FRONT)  # fmt: skip
