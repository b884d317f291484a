"""Fields of a tree other than its texts, reduced to values that cannot identify a person.

They come from the file or from the caller who ingested the tree and are not scanned, so only known forms are kept.
"""

import re
from collections.abc import Mapping
from dataclasses import replace

from quire.models.cdom.coverage import (
    LINE_END_HYPHEN,
    OVERPRINT,
    REPEATED_HEADER,
    REPLACED,
    CharacterCount,
    Coverage,
    Unseen,
)
from quire.models.cdom.flags import COMMENT, HIDDEN_TEXT, LOW_CONFIDENCE, is_pii_flag
from quire.models.cdom.original import Format
from quire.models.cdom.table import SHARE_SUM
from quire.models.cdom.tree import (
    ATTACHMENT,
    Block,
    BlockProvenance,
    Metadata,
    Page,
    PictureFacts,
    Source,
    Span,
    Tree,
    TreeProvenance,
    Warning,
)

_TIME = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:\d\d)?)?")
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[A-Z][a-z]{3})?(?:-(?:[A-Z]{2}|[a-z]{2}|\d{3}))?")  # en, pt-BR, zh-Hant-TW
_CHART_WORDS = frozenset(
    ("chart", "bar", "line", "area", "pie", "scatter", "combined", "linear", "log", "left", "right", "bottom", "top",
     "printed", "measured", "stored", "%")
)  # fmt: skip
_CODE = re.compile(r"[a-z]{1,24}(?:-[a-z]{1,24}){0,4}")
_VERSION = re.compile(r"\d{1,2}\.\d{1,2}\.\d{1,3}")
_HASH = re.compile(r"[0-9a-f]{64}")
_FLAGS = frozenset({HIDDEN_TEXT, LOW_CONFIDENCE, COMMENT})
_FORMATS = frozenset(Format)
_UNSEEN = frozenset(Unseen)
_EXCLUDED = frozenset({*Unseen, LINE_END_HYPHEN, OVERPRINT, REPEATED_HEADER, REPLACED})
_CHECKS = frozenset({"column-sum", "row-sum", "running-balance", SHARE_SUM, "date-order", "date"})


def clean_facts(tree: Tree, labels: Mapping[tuple[int, str], str]) -> Tree:
    """Return the tree with clean facts about itself and its pages; its blocks are not changed.

    Args:
        tree: Any tree.
        labels: Page number and text of a block -> the block's redacted text. A page label that is a block's text, such
            as the name of a sheet, becomes the redacted text; any other label is removed.
    """
    return replace(
        tree,
        source=_clean_source(tree.source),
        metadata=Metadata(
            created=_only(_TIME, tree.metadata.created),
            modified=_only(_TIME, tree.metadata.modified),
            language=_only(_LANGUAGE, tree.metadata.language),
        ),
        pages=tuple(_clean_page(page, labels) for page in tree.pages),
        warnings=tuple(Warning(code=_only(_CODE, w.code) or "other", page=w.page) for w in tree.warnings),
        provenance=TreeProvenance(
            service_version=_only(_VERSION, tree.provenance.service_version) or "",
            reader_version=tree.provenance.reader_version,
            options_hash=_only(_HASH, tree.provenance.options_hash) or "",
        ),
        coverage=None if tree.coverage is None else _clean_coverage(tree.coverage),
    )


def clean_block(block: Block) -> Block:
    """Return the block without link targets, LaTeX, names of pictures and files, and unknown values of other fields."""
    if (block.provenance.path or "").startswith(ATTACHMENT):
        block = replace(block, text="Attached file", spans=(), flag_spans=())
    table = block.table
    if table is not None:
        table = replace(
            table,
            checks=tuple(check for check in table.checks if check.kind in _CHECKS),
            cells=tuple(
                replace(
                    cell,
                    spans=tuple(map(_bare, cell.spans)),
                    origin=cell.origin if cell.origin in _CHART_WORDS else None,
                )
                if cell.spans or cell.origin
                else cell
                for cell in table.cells
            ),
        )
    return replace(
        block,
        table=table,
        picture=None if block.picture is None else _clean_picture(block.picture),
        unseen=block.unseen if block.unseen in _UNSEEN else None,
        spans=tuple(_bare(span) for span in block.spans),
        asset_ref=None,
        flags=tuple(flag for flag in block.flags if flag in _FLAGS or is_pii_flag(flag)),
        flag_spans=tuple(span for span in block.flag_spans if span.flag in _FLAGS or is_pii_flag(span.flag)),
        provenance=BlockProvenance(engine=_only(_CODE, block.provenance.engine) or "other"),
    )


def _clean_picture(picture: PictureFacts) -> PictureFacts:
    """Return the facts of a chart without its titles, whose words are in cells and captions too."""

    def known(word: str) -> str:
        return word if word in _CHART_WORDS else ""

    axes = tuple(
        replace(axis, title="", unit=known(axis.unit), scale=known(axis.scale), side=known(axis.side))
        for axis in picture.axes
    )
    return replace(picture, kind=known(picture.kind), chart=known(picture.chart), title="", axes=axes)


def _bare(span: Span) -> Span:
    """Return the span with its appearance only, without link, formula and language."""
    is_bare = span.href is None and span.latex is None and span.language is None
    return span if is_bare else replace(span, href=None, latex=None, language=None)


def _clean_source(source: Source) -> Source:
    return Source(
        format=source.format if source.format in _FORMATS else "external",
        sha256=_only(_HASH, source.sha256) or "",
        bytes=source.bytes,
    )


def _clean_page(page: Page, labels: Mapping[tuple[int, str], str]) -> Page:
    label = None if page.label is None else labels.get((page.number, page.label))
    return replace(page, label=label, reason="", words=(), language=_only(_LANGUAGE, page.language))


def _clean_coverage(coverage: Coverage) -> Coverage:
    pages = tuple(
        replace(
            page,
            characters=_clean_count(page.characters),
            excluded=tuple(
                place if place.reason in _EXCLUDED else replace(place, reason="other") for place in page.excluded
            ),
        )
        for page in coverage.pages
    )
    return replace(coverage, characters=_clean_count(coverage.characters), pages=pages)


def _clean_count(count: CharacterCount) -> CharacterCount:
    known = {reason: number for reason, number in count.excluded.items() if reason in _EXCLUDED}
    other = sum(count.excluded.values()) - sum(known.values())
    return replace(count, excluded={**known, **({"other": other} if other else {})})


def _only(shape: re.Pattern[str], value: str | None) -> str | None:
    return value if value is not None and shape.fullmatch(value) else None
