"""What a tree says beside its texts, reduced to what cannot name anybody: formats, languages, dates, engines.

These come from the file or from whoever ingested it and are not scanned, so only known shapes stay.
"""

import re
from dataclasses import replace

from models.cdom.flags import COMMENT, HIDDEN_TEXT, LOW_CONFIDENCE, is_pii_flag
from models.cdom.original import Format
from models.cdom.tree import Block, BlockProvenance, Metadata, Page, Source, Span, Tree, TreeProvenance, Warning

_TIME = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:\d\d)?)?")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z]{2,4})?")
_CODE = re.compile(r"[a-z]{1,24}(?:-[a-z]{1,24}){0,4}")
_VERSION = re.compile(r"\d{1,2}\.\d{1,2}\.\d{1,3}")
_HASH = re.compile(r"[0-9a-f]{64}")
_FLAGS = frozenset({HIDDEN_TEXT, LOW_CONFIDENCE, COMMENT})
_FORMATS = frozenset(Format)


def clean_facts(tree: Tree) -> Tree:
    """The tree's facts about itself and its pages; blocks are left alone."""
    return replace(
        tree,
        source=_clean_source(tree.source),
        metadata=Metadata(
            created=_only(_TIME, tree.metadata.created),
            modified=_only(_TIME, tree.metadata.modified),
            language=_only(_LANGUAGE, tree.metadata.language),
        ),
        pages=tuple(_clean_page(page) for page in tree.pages),
        warnings=tuple(Warning(code=_only(_CODE, w.code) or "other", page=w.page) for w in tree.warnings),
        provenance=TreeProvenance(
            service_version=_only(_VERSION, tree.provenance.service_version) or "",
            reader_version=tree.provenance.reader_version,
            options_hash=_only(_HASH, tree.provenance.options_hash) or "",
        ),
    )


def clean_block(block: Block) -> Block:
    """Without link targets, LaTeX, picture names and whatever else the block says beside its text."""
    return replace(
        block,
        spans=tuple(_bare(span) for span in block.spans),
        asset_ref=None,
        flags=tuple(flag for flag in block.flags if flag in _FLAGS or is_pii_flag(flag)),
        flag_spans=tuple(span for span in block.flag_spans if span.flag in _FLAGS or is_pii_flag(span.flag)),
        provenance=BlockProvenance(engine=_only(_CODE, block.provenance.engine) or "other"),
    )


def _bare(span: Span) -> Span:
    """How the stretch looks, not what else is said of it."""
    return replace(span, href=None, latex=None) if span.href is not None or span.latex is not None else span


def _clean_source(source: Source) -> Source:
    return Source(
        format=source.format if source.format in _FORMATS else "external",
        sha256=_only(_HASH, source.sha256) or "",
        bytes=source.bytes,
    )


def _clean_page(page: Page) -> Page:
    return replace(page, reason="", language=_only(_LANGUAGE, page.language))


def _only(shape: re.Pattern[str], value: str | None) -> str | None:
    return value if value is not None and shape.fullmatch(value) else None
