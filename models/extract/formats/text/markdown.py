"""Markdown (CommonMark with tables and strike-through): rendered and read as a page, with the lines of each block."""

import re
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

from models.cdom.errors import ResourceLimit
from models.cdom.original import Format, ReadOptions
from models.cdom.tree import Metadata
from models.extract.formats.common.html.page import read_markup
from models.extract.formats.flow.blocks import FlowPage
from models.extract.formats.flow.document import FlowDocument, FlowFile, open_flow
from models.extract.formats.sniffing.charset import decode_file
from models.extract.formats.text.labels import bound_labels, label_steps
from models.extract.formats.text.plain import read_paragraphs

ENGINE: Final = "markdown-it"
MAX_NESTING: Final = 100
"""Quotes and lists inside each other; CommonMark sets no bound, the walk of the page does."""
MAX_CHARS: Final = 20_000_000
"""Characters that are parsed: the parser's tokens take about fifty times as many bytes."""
_FRONT: Final = re.compile(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FIELD: Final = re.compile(r"^(title|author|date|lang|language)\s*:\s*[\"']?(.*?)[\"']?\s*$", re.MULTILINE)
_CONTAINERS: Final = frozenset(("blockquote_open", "bullet_list_open", "ordered_list_open"))


def make_parser() -> MarkdownIt:
    """The parser, with its bounds on nesting and on the search for labels."""
    parser = MarkdownIt("commonmark", {"html": True, "maxNesting": MAX_NESTING})
    return bound_labels(parser.enable(["table", "strikethrough"]))


_PARSER: Final = make_parser()


def open_markdown(data: bytes, options: ReadOptions) -> FlowDocument:
    """The text in `data`. Raises `ResourceLimit`."""
    return open_flow(lambda: _read(data), options)


def _read(data: bytes) -> FlowFile:
    text, _ = decode_file(data)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if len(text) > MAX_CHARS:
        raise ResourceLimit("the text is too long")
    front = _FRONT.match(text)
    metadata = Metadata()
    shift = 0
    if front is not None:
        metadata = _read_front(front.group(1))
        shift = front.group().count("\n")
        text = text[front.end() :]
    tokens = _PARSER.parse(text, label_steps(text))
    if any(token.level >= MAX_NESTING - 2 for token in tokens):
        page = FlowPage(blocks=read_paragraphs(text, 1 + shift), warnings=["nested-too-deep"])
        return FlowFile(format=Format.MARKDOWN, pages=[page], engine=ENGINE, reason="markdown", metadata=metadata)
    return read_markup(_render(tokens, shift), Format.MARKDOWN, engine=ENGINE, reason="markdown", metadata=metadata)


def _render(tokens: list[Token], shift: int) -> str:
    """The text as HTML whose blocks state their lines (counted from `shift`)."""
    for at, token in enumerate(tokens):
        if token.map is None or token.nesting < 0 or token.type in _CONTAINERS:
            continue
        shown = token
        if token.type == "list_item_open" and at + 1 < len(tokens) and tokens[at + 1].map is not None:
            shown = tokens[at + 1]
        token.attrSet("data-lines", _name_lines(shown, shift))
    return str(_PARSER.renderer.render(tokens, _PARSER.options, {}))


def _name_lines(token: Token, shift: int) -> str:
    first, last = (token.map or [0, 1])[0] + 1 + shift, (token.map or [0, 1])[1] + shift
    return f"line {first}" if first >= last else f"lines {first}-{last}"


def _read_front(block: str) -> Metadata:
    found: dict[str, Any] = {name: value for name, value in _FIELD.findall(block) if value}
    return Metadata(
        title=found.get("title"),
        author=found.get("author"),
        created=found.get("date"),
        language=found.get("lang") or found.get("language"),
    )
