"""Turns the Markdown of models into blocks without boxes: headings, lists, tables, formulas, code, pictures.

markdown-it reads the structure. Formulas are set aside first, because their underscores and stars do not mark emphasis.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from quire.actors.vlm.models.tables import make_rows_table, read_html_table
from quire.models.cdom.geometry import Bbox
from quire.models.cdom.ports import RecognisedBlock
from quire.models.cdom.tree import BlockType, Span

MAX_CHARS = 80_000
"""Longer answers are not pages; the rest is dropped before parsing."""
_FENCE = re.compile(r"\A\s*```(?:markdown|md|html)?\s*\n(.*?)(?:\n```\s*)?\Z", re.DOTALL)
_DISPLAY = re.compile(r"\$\$(.+?)\$\$|\\\[(.+?)\\\]", re.DOTALL)
_INLINE = re.compile(r"(?<!\\)\$(?=\S)([^$\n]{1,400}?)(?<=\S)\$|\\\((.{1,400}?)\\\)")
_HTML_TABLE = re.compile(r"<table\b.*?(?:</table\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,200}>")
_KEEP = "\ue000{}\ue001"
_KEPT = re.compile("\ue000(\\d+)\ue001")
_FOOTNOTE = re.compile(r"\A\[\^([^\]\s]{1,20})\]:\s*")


@dataclass(frozen=True, slots=True)
class _Kept:
    """Something set aside: `block` says it stands alone."""

    text: str
    kind: BlockType | None


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": True, "maxNesting": 20}).enable("table").disable(["code", "reference"])


def read_markdown(text: str) -> list[RecognisedBlock]:
    """Blocks in the order written. Never raises for a text; bounded by its length."""
    text = text[:MAX_CHARS].translate({0xE000: None, 0xE001: None})
    fenced = _FENCE.match(text)
    kept: list[_Kept] = []
    body = _set_aside(fenced[1] if fenced else text, kept)
    tokens = _parser().parse(body)
    return [_restore(block, kept) for block in _walk(tokens, kept) if block.text.strip() or _has_substance(block)]


def _has_substance(block: RecognisedBlock) -> bool:
    return block.table is not None or block.type is BlockType.PICTURE


def _set_aside(text: str, kept: list[_Kept]) -> str:
    text = _HTML_TABLE.sub(lambda match: _keep(kept, match[0], BlockType.TABLE), text)
    text = _DISPLAY.sub(lambda match: _keep(kept, (match[1] or match[2]).strip(), BlockType.FORMULA), text)
    return _INLINE.sub(lambda match: _keep(kept, match[0], None), text)


def _keep(kept: list[_Kept], text: str, kind: BlockType | None) -> str:
    kept.append(_Kept(text, kind))
    mark = _KEEP.format(len(kept) - 1)
    return mark if kind is None else f"\n\n{mark}\n\n"


def _restore(block: RecognisedBlock, kept: Sequence[_Kept]) -> RecognisedBlock:
    """Formulas back in their places; spans move with the text."""
    if "\ue000" not in block.text:
        return block
    parts: list[str] = []
    shifts: list[tuple[int, int]] = []
    copied = 0
    for match in _KEPT.finditer(block.text):
        original = kept[int(match[1])].text
        parts += [block.text[copied : match.start()], original]
        shifts.append((match.end(), len(original) - len(match[0])))
        copied = match.end()
    parts.append(block.text[copied:])
    spans = tuple(replace(span, start=_move(span.start, shifts), end=_move(span.end, shifts)) for span in block.spans)
    return replace(block, text="".join(parts), spans=spans)


def _move(offset: int, shifts: list[tuple[int, int]]) -> int:
    return offset + sum(by for place, by in shifts if place <= offset)


def _walk(tokens: Sequence[Token], kept: Sequence[_Kept]) -> Iterator[RecognisedBlock]:
    depth, index = 0, 0
    while index < len(tokens):
        token = tokens[index]
        if token.type in ("bullet_list_open", "ordered_list_open"):
            depth += 1
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            depth -= 1
        elif token.type == "table_open":
            end = next(position for position in range(index, len(tokens)) if tokens[position].type == "table_close")
            yield from _rows(tokens[index:end], kept)
            index = end
        elif token.type in ("fence", "code_block"):
            yield RecognisedBlock(type=BlockType.CODE, text=token.content.rstrip("\n"))
        elif token.type == "html_block":
            yield RecognisedBlock(type=BlockType.PARAGRAPH, text=_TAG.sub("", token.content).strip())
        elif token.type == "inline":
            yield from _inline(token, tokens[max(0, index - 2) : index], depth, kept)
        index += 1


def _rows(tokens: Sequence[Token], kept: Sequence[_Kept]) -> Iterator[RecognisedBlock]:
    rows: list[list[str]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            text = _flatten(token)[0]
            rows[-1].append(_KEPT.sub(lambda match: kept[int(match[1])].text, text))
    table = make_rows_table(rows, header=True)
    if table is not None:
        yield RecognisedBlock(type=BlockType.TABLE, table=table)


def _inline(token: Token, before: Sequence[Token], depth: int, kept: Sequence[_Kept]) -> Iterator[RecognisedBlock]:
    """Yield the blocks of a run of text. `before` are the one or two tokens before it."""
    alone = _KEPT.fullmatch(token.content.strip())
    if alone and (block := _alone(kept[int(alone[1])])) is not None:
        yield block
        return
    pictures = [child for child in token.children or () if child.type == "image"]
    yield from (RecognisedBlock(type=BlockType.PICTURE, text=_caption(child.content)) for child in pictures)
    text, spans = _flatten(token)
    if not text.strip():
        return
    if before[-1].type == "heading_open":
        yield RecognisedBlock(type=BlockType.HEADING, text=text, spans=spans, level=int(before[-1].tag[1]))
    elif depth:
        label = f"{before[0].info}{before[0].markup} " if before[0].type == "list_item_open" and before[0].info else ""
        text, spans = label + text, tuple(_shift(span, len(label)) for span in spans)
        yield RecognisedBlock(type=BlockType.LIST_ITEM, text=text, spans=spans, level=depth)
    else:
        kind = BlockType.FOOTNOTE if _FOOTNOTE.match(text) else BlockType.PARAGRAPH
        yield RecognisedBlock(type=kind, text=text, spans=spans)


def _shift(span: Span, by: int) -> Span:
    return replace(span, start=span.start + by, end=span.end + by)


def _caption(alt: str) -> str:
    return "" if alt.strip().lower() in ("image", "img", "figure", "picture") else alt.strip()


def _alone(kept: _Kept) -> RecognisedBlock | None:
    if kept.kind is BlockType.TABLE:
        table = read_html_table(kept.text)
        return RecognisedBlock(type=BlockType.TABLE, table=table) if table else None
    return RecognisedBlock(type=BlockType.FORMULA, text=kept.text) if kept.kind is BlockType.FORMULA else None


def _flatten(token: Token) -> tuple[str, tuple[Span, ...]]:
    """Text without marks, and the styles as spans."""
    parts: list[str] = []
    spans: list[Span] = []
    open_at: list[tuple[str, int, str | None]] = []
    offset = 0
    for child in token.children or ():
        piece = _piece(child)
        if child.nesting == 1:
            href = child.attrGet("href")
            open_at.append((child.type.removesuffix("_open"), offset, str(href) if href else None))
        elif child.nesting == -1 and open_at:
            spans += _close(*open_at.pop(), offset)
        if child.type == "code_inline" and piece:
            spans.append(Span(start=offset, end=offset + len(piece), code=True))
        parts.append(piece)
        offset += len(piece)
    return "".join(parts), tuple(spans)


def _close(kind: str, start: int, href: str | None, end: int) -> list[Span]:
    if start == end:
        return []
    return [Span(start=start, end=end, bold=kind == "strong", italic=kind == "em", href=href)]


def _piece(child: Token) -> str:
    if child.type in ("softbreak", "hardbreak"):
        return " " if child.type == "softbreak" else "\n"
    if child.type == "html_inline":
        return "\n" if child.content.lower().startswith("<br") else ""
    return child.content if child.type in ("text", "code_inline") else ""


def spread(blocks: Sequence[RecognisedBlock], bbox: Bbox | None) -> list[RecognisedBlock]:
    """Return the same blocks, all with the box of the region; models that name a region do not locate its parts."""
    return [replace(block, bbox=bbox) for block in blocks]
