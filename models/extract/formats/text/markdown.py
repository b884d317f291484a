"""Markdown (CommonMark with tables and strike-through): rendered and read as a page, with the lines of each block."""

import html
import re
from collections.abc import Mapping, MutableMapping
from types import SimpleNamespace
from typing import Any, Final

from lxml import html as lxml_html
from markdown_it import MarkdownIt, helpers
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from quire.models.cdom.errors import ResourceLimit
from quire.models.cdom.original import Format, ReadOptions
from quire.models.cdom.tree import BlockType, Metadata
from quire.models.extract.formats.common.html.page import read_markup
from quire.models.extract.formats.flow.blocks import FlowBlock, FlowPage, clean
from quire.models.extract.formats.flow.document import FlowDocument, FlowFile, open_flow
from quire.models.extract.formats.sniffing.charset import decode_file
from quire.models.extract.formats.text.known import notebook_markdown
from quire.models.extract.formats.text.plain import read_paragraphs

STEPS_PER_CHAR: Final = 4
"""Label search steps allowed per character of a text: a page full of links needs less than one."""
FREE_STEPS: Final = 200_000
"""Label search steps allowed for any text: about a fifth of a second."""
_LEFT: Final = "label_steps_left"
_CLOSER: Final = "last_closer"


def label_steps(text: str) -> dict[str, Any]:
    """Return the environment of one parse of `text`, with its limit of label search steps."""
    return {_LEFT: FREE_STEPS + STEPS_PER_CHAR * len(text)}


def bound_labels(parser: MarkdownIt) -> MarkdownIt:
    """Return the parser with a limited label search; it needs `label_steps` as its environment."""
    bounded: Any = SimpleNamespace(
        parseLinkLabel=find_label_end,
        parseLinkDestination=helpers.parseLinkDestination,
        parseLinkTitle=helpers.parseLinkTitle,
    )
    parser.helpers = bounded
    return parser


def find_label_end(state: StateInline, start: int, no_links: bool = False) -> int:
    """Return the end of the label that opens at `start`, or -1 without one (or, with `no_links`, with a link in it)."""
    if _last_closer(state) <= start:
        return -1
    before = state.pos
    end = _search_label_end(state, start + 1, no_links)
    state.pos = before
    return end


def _search_label_end(state: StateInline, start: int, no_links: bool) -> int:
    env: MutableMapping[str, Any] = state.env
    level = 1
    state.pos = start
    while state.pos < state.posMax:
        env[_LEFT] -= 1
        if env[_LEFT] < 0:
            return -1
        marker = state.src[state.pos]
        level -= marker == "]"
        if level == 0:
            return state.pos
        before = state.pos
        state.md.inline.skipToken(state)
        if marker == "[":
            if before == state.pos - 1:
                level += 1
            elif no_links:
                return -1
    return -1


def _last_closer(state: StateInline) -> int:
    """Return the position of the last `]` of a paragraph, which is cached."""
    known = state.env.get(_CLOSER)
    if known is None or known[0] is not state.src:
        known = state.env[_CLOSER] = (state.src, state.src.rfind("]"))
    return int(known[1])


ENGINE: Final = "markdown-it"
MAX_NESTING: Final = 100
"""Nesting depth of quotes and lists; CommonMark has no limit, the walk of the page does."""
MAX_CHARS: Final = 20_000_000
"""Characters that are parsed: the parser's tokens take about fifty times as many bytes."""
MAX_NOTES: Final = 10_000
"""Footnotes of one text."""
_NOTES: Final = "footnote_labels"
_NOTE_MARK: Final = re.compile(r"\[\^([^\]\s]{1,100})\]")
_NOTE: Final = re.compile(r" {0,3}\[\^([^\]\s]{1,100})\]:[ \t]*(.*)")
_TASK: Final = re.compile(r"\[([ xX])\][ \t]+")
_FRONT: Final = re.compile(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FIELD: Final = re.compile(r"^(title|author|date|lang|language)\s*:\s*[\"']?(.*?)[\"']?\s*$", re.MULTILINE)
_CONTAINERS: Final = frozenset(("blockquote_open", "bullet_list_open", "ordered_list_open"))


def _mark_note(state: StateInline, silent: bool) -> bool:
    """Render the mark of a footnote (`[^1]`) whose text is in the file as a superscript."""
    match = _NOTE_MARK.match(state.src, state.pos)
    if match is None or match.group(1) not in state.env.get(_NOTES, ()):
        return False
    if not silent:
        token = state.push("html_inline", "", 0)
        token.content = f"<sup>{html.escape(match.group(1))}</sup>"
    state.pos = match.end()
    return True


def _part_notes(text: str) -> tuple[str, dict[str, tuple[int, str]]]:
    """Return the text with emptied footnote lines, and the footnotes by label with their first line."""
    lines = text.split("\n")
    notes: dict[str, tuple[int, str]] = {}
    fence, label = "", ""
    for index, line in enumerate(lines):
        stripped = line.lstrip()
        if fence or stripped.startswith(("```", "~~~")):
            fence = "" if fence and stripped.startswith(fence) else fence or stripped[:3]
            label = ""
            continue
        match = _NOTE.match(line)
        if match is not None and len(notes) < MAX_NOTES:
            label = match.group(1)
            notes.setdefault(label, (index, ""))
            line = match.group(2)
        elif not label or (stripped and not line.startswith(("    ", "\t"))):
            label = ""
            continue
        first, note = notes[label]
        notes[label] = (first, f"{note}\n{line.strip()}" if note else line.strip())
        lines[index] = ""
    return "\n".join(lines), notes


def _make_notes(notes: Mapping[str, tuple[int, str]], shift: int) -> list[FlowBlock]:
    """Return footnotes as blocks without their markup."""
    blocks = []
    for label, (first, text) in notes.items():
        rendered = _PARSER.renderInline(text.strip(), label_steps(text))
        note = lxml_html.fromstring(f"<p>{rendered}</p>").text_content() if rendered.strip() else ""
        shown = clean(f"{label} {note}").strip()
        blocks.append(FlowBlock(BlockType.FOOTNOTE, shown, path=f"line {first + 1 + shift}"))
    return blocks


def make_parser() -> MarkdownIt:
    """Return the parser, with its limits on nesting and on the label search."""
    parser = MarkdownIt("commonmark", {"html": True, "maxNesting": MAX_NESTING})
    parser.inline.ruler.before("link", "footnote_mark", _mark_note)
    return bound_labels(parser.enable(["table", "strikethrough"]))


_PARSER: Final = make_parser()


def open_markdown(data: bytes, options: ReadOptions) -> FlowDocument:
    """Open the text in `data`.

    Raises:
        ResourceLimit: The text is too long.
    """
    return open_flow(lambda: _read(data), options)


def _read(data: bytes) -> FlowFile:
    decoded = decode_file(data)
    book = notebook_markdown(decoded.text)
    decoded = decoded if book is None else decoded._replace(text=book)
    text = decoded.text.replace("\r\n", "\n").replace("\r", "\n")
    if len(text) > MAX_CHARS:
        raise ResourceLimit("the text is too long")
    front = _FRONT.match(text)
    metadata = Metadata()
    shift = 0
    if front is not None:
        metadata = _read_front(front.group(1))
        shift = front.group().count("\n")
        text = text[front.end() :]
    text, notes = _part_notes(text) if "[^" in text else (text, {})
    tokens = _PARSER.parse(text, label_steps(text) | {_NOTES: notes.keys()})
    if any(token.level >= MAX_NESTING - 2 for token in tokens):
        page = FlowPage(blocks=read_paragraphs(text, 1 + shift), warnings=["nested-too-deep"])
        page.notes += _make_notes(notes, shift)
        return FlowFile(format=Format.MARKDOWN, pages=[page], engine=ENGINE, reason="markdown", metadata=metadata)
    file = read_markup(
        _render(tokens, shift),
        Format.MARKDOWN,
        engine=ENGINE,
        reason="markdown",
        metadata=metadata,
        warnings=decoded.warnings,
    )
    file.pages[-1].notes += _make_notes(notes, shift)
    return file


def _render(tokens: list[Token], shift: int) -> str:
    """Return the text as HTML whose blocks state their lines (counted from `shift`)."""
    for index, token in enumerate(tokens):
        if token.map is None or token.nesting < 0 or token.type in _CONTAINERS:
            continue
        shown = token
        if token.type == "list_item_open" and index + 1 < len(tokens) and tokens[index + 1].map is not None:
            shown = tokens[index + 1]
        token.attrSet("data-lines", _name_lines(shown, shift))
        if token.type == "list_item_open" and index + 2 < len(tokens) and tokens[index + 2].type == "inline":
            _check_task(tokens[index + 2])
    return str(_PARSER.renderer.render(tokens, _PARSER.options, {}))


def _check_task(inline: Token) -> None:
    """Replace the `[ ]` or `[x]` at the start of a task by a box character."""
    first = inline.children[0] if inline.children else None
    if first is not None and first.type == "text" and (match := _TASK.match(first.content)) is not None:
        first.content = ("☐ " if match.group(1) == " " else "☑ ") + first.content[match.end() :]


def _name_lines(token: Token, shift: int) -> str:
    first, last = (token.map or [0, 1])[0] + 1 + shift, (token.map or [0, 1])[1] + shift
    return f"line {first}" if first >= last else f"lines {first}-{last}"


def _read_front(block: str) -> Metadata:
    fields: dict[str, Any] = {name: value for name, value in _FIELD.findall(block) if value}
    return Metadata(
        title=fields.get("title"),
        author=fields.get("author"),
        created=fields.get("date"),
        language=fields.get("lang") or fields.get("language"),
    )
