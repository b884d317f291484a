"""The part of a chunk that a fine-tune record states: without overlap, repeated headings and cut sentences."""

from collections.abc import Iterable, Iterator

from quire.models.cdom.chunk import Chunk
from quire.models.derive.chunks.passages import SENTENCE_END

LEAST_OVERLAP = 12
"""Characters from which an equal end and beginning of neighbours count as overlap."""
MOST_OVERLAP = 400
"""Characters that are compared: the 32 tokens of overlap are shorter."""
_CLOSED = (".", "!", "?", "…", ":", ";", "。", "！", "？", '"', "”", "»", ")")


def join_neighbours(
    chunks: Iterable[tuple[str, Chunk]],
) -> Iterator[tuple[str, Chunk, Chunk | None, Chunk | None]]:
    """Yield each document id and chunk with the chunks before and after it in the same document, if they are there."""
    before: tuple[str, Chunk] | None = None
    here: tuple[str, Chunk] | None = None
    for after in chunks:
        if here is not None:
            yield *here, _adjacent(before, here), _adjacent(here, after, last=True)
        before, here = here, after
    if here is not None:
        yield *here, _adjacent(before, here), None


def cut_overlap(chunk: Chunk, before: Chunk | None) -> str:
    """Return the chunk's text without the beginning that repeats the end of the chunk before it."""
    if before is None or not chunk.block_ids or chunk.block_ids[0] not in before.block_ids:
        return chunk.text
    end = before.text.rstrip()
    for length in range(min(len(chunk.text), len(end), MOST_OVERLAP), LEAST_OVERLAP - 1, -1):
        if end.endswith(chunk.text[:length]):
            return chunk.text[length:].lstrip()
    return chunk.text


def write_answer(chunk: Chunk, before: Chunk | None, after: Chunk | None) -> str:
    """Return the text below the chunk's heading in whole sentences; empty when the chunk has no heading or no text."""
    if not chunk.section_path:
        return ""
    text = _drop_headings(cut_overlap(chunk, before), chunk.section_path)
    if text and before is not None and before.section_path == chunk.section_path and text[0].islower():
        first = SENTENCE_END.search(text)
        text = text[first.end() :] if first else ""
    continued = after is not None and after.section_path == chunk.section_path
    if continued and after is not None and cut_overlap(after, chunk)[:1].islower() and not _is_closed(text):
        ends = [match.end() for match in SENTENCE_END.finditer(text)]
        text = text[: ends[-1]] if ends else ""
    return _drop_loose_end(text.strip())


def _adjacent(first: tuple[str, Chunk] | None, second: tuple[str, Chunk], *, last: bool = False) -> Chunk | None:
    """Return one of two neighbours, the second with `last`, or None unless they follow each other in one document."""
    if first is None or first[0] != second[0] or first[1].index + 1 != second[1].index:
        return None
    return second[1] if last else first[1]


def _drop_headings(text: str, section_path: tuple[str, ...]) -> str:
    """Remove lines at the beginning that only repeat headings of the section path."""
    headings = set(section_path)
    lines = text.split("\n")
    while lines and (not lines[0].strip() or " ".join(lines[0].strip("# ").split()) in headings):
        lines.pop(0)
    return "\n".join(lines)


def _drop_loose_end(text: str) -> str:
    """Remove last paragraphs that say nothing: a lead-in whose list or figure is elsewhere, a lone page number."""
    paragraphs = text.split("\n\n")
    while paragraphs and (paragraphs[-1].endswith((":", "：")) or (len(paragraphs) > 1 and paragraphs[-1].isdecimal())):
        paragraphs.pop()
    return "\n\n".join(paragraphs)


def _is_closed(text: str) -> bool:
    return text.rstrip().endswith(_CLOSED)
