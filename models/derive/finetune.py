"""Writes chunks as fine-tune records in JSON lines, with filters, near-duplicate removal and a stable split.

Chunks are streamed: one is in memory at a time. The HTTP route and the bulk job of the cluster share this module.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Literal, assert_never

from quire.models.cdom.chunk import Chunk
from quire.models.derive.finetune_template import check_template, fill_template, needs_heading
from quire.models.derive.finetune_text import cut_overlap, join_neighbours, write_answer
from quire.models.derive.language import detect_language
from quire.models.derive.near_duplicates import NearDuplicates


class Style(StrEnum):
    """The form of a record."""

    COMPLETION = "completion"
    CHAT = "chat"
    INSTRUCTION = "instruction"
    RAW = "raw"


class Split(StrEnum):
    """Part of a corpus."""

    TRAIN = "train"
    VAL = "val"


class FinetuneRefused(ValueError):
    """An option that has no meaning."""

    code = "finetune-option"


class UnknownStyle(FinetuneRefused):
    """No record has that style."""

    code = "unknown-style"


class UnknownSplit(FinetuneRefused):
    """Neither train nor val."""

    code = "unknown-split"


@dataclass(frozen=True, slots=True, kw_only=True)
class FinetuneOptions:
    """Options of an export; None turns a filter off.

    `min_chars` and `max_chars` are inclusive, `language` is an ISO 639-1 code, `val_ratio` 0..1. `template` is the form
    of the records in place of `style` (`quire.models.derive.finetune_template`).
    """

    style: Style = Style.COMPLETION
    dedup: bool = False
    min_chars: int | None = None
    max_chars: int | None = None
    language: str | None = None
    split: Split | None = None
    val_ratio: float = 0.05
    template: str | None = None

    def __post_init__(self) -> None:
        if self.template is not None:
            check_template(self.template)
        if not 0.0 <= self.val_ratio <= 1.0:
            raise FinetuneRefused(f"val_ratio {self.val_ratio} is not between 0 and 1")


def parse_style(name: str) -> Style:
    """Parse the name of a style.

    Raises:
        UnknownStyle: No style has that name.
    """
    try:
        return Style(name)
    except ValueError:
        raise UnknownStyle(f"{name}: expected one of {', '.join(Style)}") from None


def parse_split(name: str) -> Split:
    """Parse the name of a split.

    Raises:
        UnknownSplit: No split has that name.
    """
    try:
        return Split(name)
    except ValueError:
        raise UnknownSplit(f"{name}: expected one of {', '.join(Split)}") from None


def export_lines(
    chunks: Iterable[tuple[str, Chunk]],
    options: FinetuneOptions,
    *,
    detect: Callable[[str], str | None] = detect_language,
    seen: Callable[[str], bool] | None = None,
) -> Iterator[str]:
    """Yield JSON lines, each ending in a newline, of the (document id, chunk) pairs that pass the filters."""
    for record in make_records(chunks, options, detect=detect, seen=seen):
        yield dump_line(record)


def make_records(
    chunks: Iterable[tuple[str, Chunk]],
    options: FinetuneOptions,
    *,
    detect: Callable[[str], str | None] = detect_language,
    seen: Callable[[str], bool] | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield records in the order of the chunks. The first of near-duplicates stays, in every split.

    Args:
        chunks: Pairs of a document's id and a chunk.
        options: The filters and the form.
        detect: Detects the language of a text.
        seen: Called once for each chunk that passes the filters, in order; says whether it repeats an earlier one.
            `NearDuplicates` by default, if `options.dedup`.
    """
    if seen is None and options.dedup:
        seen = NearDuplicates().seen
    for document_id, chunk, before, after in join_neighbours(chunks):
        if not passes(chunk, options, detect) or (seen is not None and seen(chunk.text)):
            continue
        if options.split is None or split_of(chunk.text, options.val_ratio) is options.split:
            if options.template is None:
                record = make_record(document_id, chunk, options.style, before=before, after=after)
            else:
                record = make_own_record(document_id, chunk, options.template, before=before, after=after)
            if record is not None:
                yield record


def passes(chunk: Chunk, options: FinetuneOptions, detect: Callable[[str], str | None]) -> bool:
    """Return True when the chunk's length and language match the options."""
    if options.min_chars is not None and len(chunk.text) < options.min_chars:
        return False
    if options.max_chars is not None and len(chunk.text) > options.max_chars:
        return False
    return options.language is None or (chunk.language or detect(chunk.text) or "")[:2] == options.language.lower()[:2]


def split_of(text: str, val_ratio: float) -> Split:
    """Return the split by a hash of the text, so that equal texts are in the same split in every export."""
    digest = hashlib.sha256(" ".join(text.split()).encode(errors="surrogatepass")).digest()
    return Split.VAL if int.from_bytes(digest[:8], "big") < val_ratio * 2**64 else Split.TRAIN


def make_record(
    document_id: str, chunk: Chunk, style: Style, *, before: Chunk | None = None, after: Chunk | None = None
) -> dict[str, Any] | None:
    """Return the record of a chunk in that style, or None if it has no heading or no text for a question and answer.

    Args:
        document_id: The id of the chunk's document.
        chunk: The chunk.
        style: The form of the record.
        before: The chunk before it in the same document.
        after: The chunk after it in the same document.
    """
    if style is Style.RAW:
        return {"document_id": document_id, **asdict(chunk)}
    text = cut_overlap(chunk, before) if style is Style.COMPLETION else write_answer(chunk, before, after)
    if not text:
        return None
    place = " > ".join(chunk.section_path)
    metadata = {"document": document_id, "pages": list(chunk.pages), "section": list(chunk.section_path)}
    return _style(style, place, text) | {"metadata": metadata}


def make_own_record(
    document_id: str, chunk: Chunk, template: str, *, before: Chunk | None = None, after: Chunk | None = None
) -> dict[str, Any] | None:
    """Return the record of a chunk in the caller's form; None without the heading that the template uses, or text.

    Raises:
        InvalidTemplate: The template cannot be filled with these values.
    """
    text = write_answer(chunk, before, after) if needs_heading(template) else cut_overlap(chunk, before)
    if not text:
        return None
    path = chunk.section_path
    values = {"text": text, "heading": path[-1] if path else "", "section": " > ".join(path)}
    record = fill_template(template, values | {"pages": list(chunk.pages), "document": document_id})
    metadata = {"document": document_id, "pages": list(chunk.pages), "section": list(path)}
    return {"metadata": metadata} | record


def _style(style: Literal[Style.COMPLETION, Style.CHAT, Style.INSTRUCTION], place: str, text: str) -> dict[str, Any]:
    match style:
        case Style.COMPLETION:
            return {"text": text}
        case Style.CHAT:
            question = {"role": "user", "content": f'What does the document say in the section "{place}"?'}
            return {"messages": [question, {"role": "assistant", "content": text}]}
        case Style.INSTRUCTION:
            return {"instruction": "Write the text of the section with this heading.", "input": place, "output": text}
        case _:
            assert_never(style)


LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def dump_line(record: dict[str, Any]) -> str:
    """Return ASCII JSON and a newline; lone surrogates become U+FFFD.

    ASCII has no U+2028, at which some readers split lines.
    """
    return json.dumps(_encodable(record), allow_nan=False, separators=(",", ":")) + "\n"


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return LONE_SURROGATE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_encodable(key): _encodable(entry) for key, entry in value.items()}
    return [_encodable(entry) for entry in value] if isinstance(value, list | tuple) else value
