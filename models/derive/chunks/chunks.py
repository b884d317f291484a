"""Packs passages of a tree under their headings into chunks that an embedding model reads whole.

Equal tree, tokenizer and settings give equal chunks. The index and `GET …/chunks` call the same function, so their
ids agree. Document ids and vectors are added elsewhere.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from quire.models.cdom.chunk import Chunk, ChunkId, PageBox
from quire.models.cdom.geometry import Bbox, union_bbox
from quire.models.cdom.ports import Tokenizer
from quire.models.cdom.tree import Block, BlockType, Tree
from quire.models.cdom.visible import visible_blocks
from quire.models.derive.chunks.passages import SENTENCE_END, Passage, cut_passages, weigh

CHUNKER_VERSION = "3"
"""Increased with every change that can change a chunk. A published index stores the version that it was built with."""


class ChunkSettingsRefused(ValueError):
    """The budget is too small for the overlap or for any text."""

    code = "chunk-settings"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkSettings:
    """Token counts of chunks.

    The embedding model reads 256 tokens and adds two of them itself, hence 254. The overlap of 32 repeats a sentence or
    two after a cut. A section below 64 takes in its first subsections instead of becoming a separate chunk.
    """

    max_tokens: int = 254
    overlap_tokens: int = 32
    min_tokens: int = 64

    def __post_init__(self) -> None:
        if self.max_tokens < 16 or not 0 <= self.overlap_tokens <= self.max_tokens // 2:
            raise ChunkSettingsRefused(f"max_tokens {self.max_tokens}, overlap_tokens {self.overlap_tokens}")


@dataclass(frozen=True, slots=True)
class _Section:
    path: tuple[str, ...]
    level: int
    blocks: list[Block]


def chunk_tree(tree: Tree, tokenizer: Tokenizer, settings: ChunkSettings | None = None) -> list[Chunk]:
    """Return the chunks in reading order.

    Hidden text and running heads are left out. All other text is in exactly once, except for the overlap inside a
    section and the repeated header rows of a table.
    """
    languages = {page.number: page.language for page in tree.pages}
    chunks: list[Chunk] = []
    occurrences: Counter[str] = Counter()
    for path, passages in _packed(tree, tokenizer, settings or ChunkSettings()):
        language = languages.get(passages[0].blocks[0].page) or tree.metadata.language
        text = passages[0].text + "".join(passage.glue + passage.text for passage in passages[1:])
        occurrences[text] += 1
        place = (len(chunks), chunk_id(text, occurrences[text]))
        chunks.append(_chunk(place, text, path, passages, language, tokenizer))
    return chunks


def count_chunks(tree: Tree, tokenizer: Tokenizer, settings: ChunkSettings | None = None) -> int:
    """Return the number of chunks that `chunk_tree` makes, without making them."""
    return sum(1 for _ in _packed(tree, tokenizer, settings or ChunkSettings()))


def _sections(blocks: Iterable[Block]) -> Iterator[_Section]:
    """Yield runs of blocks under one heading, in reading order; the heading is the first block of its section."""
    stack: list[tuple[int, str]] = []
    section = _Section((), 0, [])
    for block in blocks:
        if block.type in (BlockType.TITLE, BlockType.HEADING):
            level = 0 if block.type is BlockType.TITLE else block.level or 1
            stack = [entry for entry in stack if entry[0] < level]
            stack.append((level, " ".join(block.text.split())))
            yield section
            section = _Section(tuple(text for _, text in stack if text), level, [])
        section.blocks.append(block)
    yield section


def _packed(
    tree: Tree, tokenizer: Tokenizer, settings: ChunkSettings
) -> Iterator[tuple[tuple[str, ...], list[Passage]]]:
    """Yield the section path and the passages of each chunk.

    A section joins an open chunk only when that chunk is short and was opened under a heading of higher rank.
    """
    tokenizer.count("\n".join(block.text for block in tree.blocks))  # fills the token count cache in one call
    path: tuple[str, ...] = ()
    level, current = 0, list[Passage]()
    for section in _sections(visible_blocks(tree)):
        if current and not (section.level > level and _size(current) < settings.min_tokens):
            yield path, current
            current = []
        path, level = (path, level) if current else (section.path, section.level)
        same_section = False
        for group in _groups(cut_passages(section.blocks, tokenizer, settings.max_tokens), settings.max_tokens):
            if current and _size(current) + _size(group) > settings.max_tokens:
                yield path, current
                path, level = section.path, section.level
                current = _lead_in(current[-1], group, tokenizer, settings) if same_section else []
            current.extend(group)
            same_section = True
    if current:
        yield path, current


def _size(passages: Sequence[Passage]) -> int:
    return sum([passage.tokens for passage in passages])


def _groups(passages: Iterable[Passage], budget: int) -> Iterator[list[Passage]]:
    """Yield passages that stay together while they fit: a heading with its text, a caption with its figure."""
    group: list[Passage] = []
    for passage in passages:
        together = passage.bound or (group and group[-1].blocks[-1].type in (BlockType.TITLE, BlockType.HEADING))
        if group and not (together and _size(group) + passage.tokens <= budget):
            yield group
            group = []
        group.append(passage)
    if group:
        yield group


def _lead_in(last: Passage, group: list[Passage], tokenizer: Tokenizer, settings: ChunkSettings) -> list[Passage]:
    """Return the beginning of a continued chunk: the header rows of its table, or the end of the previous passage."""
    first = group[0]
    text = first.header or ("" if last.blocks[-1].table else _tail(last.text, tokenizer, settings.overlap_tokens))
    tokens = weigh(text, tokenizer)
    if not text or tokens + _size(group) > settings.max_tokens:
        return []
    source = first if first.header else last
    return [Passage(text=text, tokens=tokens, blocks=source.blocks, boxes=source.boxes)]


def _tail(text: str, tokenizer: Tokenizer, tokens: int) -> str:
    """Return the last sentences of `text` within `tokens`, else its last words."""
    if 0 < tokenizer.count(text) <= tokens and text.isascii() and text[:1].isalnum():
        return text.strip()  # the first token begins where the text does
    places = list(tokenizer.offsets(text))
    if not tokens or not places:
        return ""
    start = places[max(0, len(places) - tokens)][0]
    cut = text[start:]
    sentence = SENTENCE_END.search(cut) if start else None
    if sentence and cut[sentence.end() :].strip():
        return cut[sentence.end() :].strip()
    word = 0 if start == 0 or text[start - 1].isspace() else cut.find(" ") + 1
    tail = cut[word:].strip()
    return tail if tail != text.strip() or start == 0 else ""


def _chunk(
    place: tuple[int, ChunkId],
    text: str,
    path: tuple[str, ...],
    passages: Sequence[Passage],
    language: str | None,
    tokenizer: Tokenizer,
) -> Chunk:
    index, chunk = place
    blocks = {block.id: block for passage in passages for block in passage.blocks}
    seen = {box.page for passage in passages for box in passage.boxes}
    pages = seen | {block.page for block in blocks.values() if not (seen and block.table and block.table.parts)}
    return Chunk(
        id=chunk,
        index=index,
        text=text,
        tokens=tokenizer.count(text),
        section_path=path,
        pages=(min(pages), max(pages)),
        block_ids=tuple(blocks),
        bboxes=_merged(box for passage in passages for box in passage.boxes),
        flags=tuple(sorted({flag for block in blocks.values() for flag in block.flags})),
        language=language,
    )


def chunk_id(text: str, occurrence: int) -> ChunkId:
    """Return an id from the text and, from its second occurrence on, its number in the document.

    An insertion or deletion elsewhere in the document leaves the id unchanged.
    """
    digest = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
    return ChunkId(f"c-{digest[:16]}" if occurrence == 1 else f"c-{digest[:16]}-{occurrence}")


def _merged(boxes: Iterable[PageBox]) -> tuple[PageBox, ...]:
    """Return each box once; boxes of consecutive table rows become one box."""
    merged: list[PageBox] = []
    for box in boxes:
        if box in merged[-1:]:
            continue
        if merged and merged[-1].page == box.page and _stacked(merged[-1].bbox, box.bbox):
            box = PageBox(page=box.page, bbox=union_bbox([merged.pop().bbox, box.bbox]))
        merged.append(box)
    return tuple(merged)


def _stacked(above: Bbox, below: Bbox) -> bool:
    """Return True when `below` begins where `above` ends and both are equally wide, as rows of one table."""
    return abs(above[0] - below[0]) < 1 and abs(above[2] - below[2]) < 1 and -1 < below[1] - above[3] < 2
