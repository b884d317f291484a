"""Articles in XML (JATS) and AsciiDoc: the words between their tags and signs."""

import re
from typing import Final

from models.extract.readers.docx.package.xml import Element
from models.extract.readers.jats.article import parse_again
from models.extract.readers.sniffing.charset import decode_again
from models.extract.readers.stated.text import NOT_SHOWN, REPEATED, StatedText, part_signs
from models.extract.readers.web.parse import decode

_SHOWN_OF_FRONT: Final = frozenset(("title-group", "abstract", "trans-abstract"))
_BESIDE: Final = frozenset(
    (
        "object-id", "pub-id", "long-desc", "alt-text", "permissions", "alt-title", "contrib-group", "aff",
        "author-notes", "front-stub", "related-article", "article-id", "custom-meta-group", "kwd-group", "fpage",
        "processing-meta", "supplement", "trans-title-group", "institution-id", "contrib-id", "lpage", "volume",
        "issue", "elocation-id", "conference", "product", "isbn", "pub-date",
    )
)  # fmt: skip
"""What describes an article or a part of it, and is in no text that people read."""
_FORMED: Final = frozenset(("tex-math", "math", "inline-formula", "disp-formula"))
_UNSPOKEN: Final = re.compile(
    r"(^////[^\n]*\n(?:(?!////)[^\n]*\n){0,2000}////[^\n]*|^//[^\n]*|^:!?[\w][\w-]*!?:[^\n]*|^\[[^\n]{0,500}\][ \t]*$"
    r"|^ifn?def::[^\n]*\n(?:(?!endif::)[^\n]*\n){1,500}endif::[^\n]*|^(?:ifdef|ifndef|ifeval|endif|include|toc)::[^\n]*|^(?:image|video|audio)::[^\[\n]{0,500}\[[^\n]{0,500}"
    r"|^(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION):|\[[.#%][\w.#%-]{0,80}\]"
    r"|\b(?:image|icon|anchor|indexterm2?):[^\s\[\]]{0,500}\[[^\[\]\n]{0,500}"
    r"|\[\[[^\[\]\n]{1,300}\]\]|<<[^<>\n]{1,300}>>|\{[\w-]{1,100}\}(?:[^\s\[\]]{0,500}\[)?|\((?:C|R|TM)\)|&#?\w{1,32};|<\d{1,4}>|(?<![^\s|])[\d.+*^<>]{0,12}[adehlmsv](?=\|)|^```[^\n]*"
    r"|\b(?:link|xref|mailto|kbd|btn|menu|stem|latexmath|asciimath|pass|footnote|footnoteref"
    r"):{1,2}[^\s\[\]]{0,500}\[|\b(?:https?|ftp|irc)://[^\s\[\]<>]{1,500}\[|\(\(\([^()\n]{0,300}\)\)\))",
    re.MULTILINE,
)
"""Comments, attributes, targets of links, macros: AsciiDoc that is not text, or that stands for other text."""
_HEADER: Final = re.compile(r"(?:(?://|:)[^\n]*\n|\n){0,200}= [^\n]+\n((?:[^\n]+\n){1,200})")
"""Author, revision and attributes below the title of a document."""


def state_jats(data: bytes) -> StatedText:
    """Raises `ExtractError` as the reader does."""
    stated = StatedText()
    _state_node(parse_again(decode(data)), stated, shown=True)
    return stated


def _name_of(node: Element) -> str:
    return node.tag.rpartition("}")[2] if isinstance(node.tag, str) else ""


def _state_node(root: Element, stated: StatedText, *, shown: bool) -> None:
    """Its text; that of nodes that are said in another form or not at all apart."""
    waiting: list[tuple[Element, bool]] = [(root, shown)]
    while waiting:
        node, said = waiting.pop()
        _say(stated, node.text, shown=said)
        own = _name_of(node)
        for child in node:
            name = _name_of(child)
            if name in _BESIDE or (name == "label" and own in ("sec", "app", "title-group", "abstract")):
                stated.allow(NOT_SHOWN, "".join(child.itertext()))
            elif name in _FORMED:
                stated.formed += list(child.itertext())
            elif name == "alternatives":
                stated.allow(REPEATED, "".join(child.itertext()))
            elif name:
                in_front = own in ("front", "article-meta", "article")
                waiting.append((child, _is_shown(name, said) if in_front else said))
            _say(stated, child.tail, shown=said)


def _is_shown(name: str, shown: bool) -> bool:
    """Of the front only titles and abstracts are text."""
    return shown if name in ("article", "body", "back", "floats-group", "sub-article", "response") else (
        name in _SHOWN_OF_FRONT)  # fmt: skip


def _say(stated: StatedText, text: str | None, *, shown: bool) -> None:
    if text and shown:
        stated.text.append(text)
    elif text:
        stated.allow(NOT_SHOWN, text)


def state_asciidoc(data: bytes) -> StatedText:
    """Letters and digits must be there; signs may be, and what is no text is left out."""
    text = decode_again(data).replace("\r\n", "\n")
    header = _HEADER.match(text)
    people = header[1] if header is not None else ""
    text = text.replace(people, "", 1)
    parts = _UNSPOKEN.split(text)
    letters, signs = part_signs("".join(parts[::2]))
    stated = StatedText(text=[letters], formed=[signs], signs_apart=True)
    stated.allow(NOT_SHOWN, "".join([people, *parts[1::2]]))
    return stated
