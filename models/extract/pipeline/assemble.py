"""Assembly of pages into a tree: pure, the same for every format and every split of the pages over processes.

Gives blocks their ids and order, and decides everything that needs the whole document. Knows no parser.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from quire.models.cdom.coverage import PageCoverage
from quire.models.cdom.original import DRAWN_FORMATS, ReadOptions, TableParts
from quire.models.cdom.tree import (
    DAMAGED,
    Block,
    BlockId,
    BlockProvenance,
    Page,
    PageStatus,
    Source,
    Tree,
    TreeProvenance,
    Warning,
)
from quire.models.cdom.version import READER_VERSION
from quire.models.extract.contract import TAGS_IGNORED, DocumentFacts, PageBlock, PageContent, failed_page
from quire.models.extract.coverage.total import total_coverage
from quire.models.extract.document.confidence import Rating, rate_blocks
from quire.models.extract.document.continued import LeftOut, join_tables
from quire.models.extract.document.draft import Draft, limit_pictures, make_drafts
from quire.models.extract.document.hyphens import settle_hyphens
from quire.models.extract.document.joins import link_joins
from quire.models.extract.document.levels import free_flat_levels, set_levels
from quire.models.extract.document.running_heads import free_running_rows, free_running_tables, mark_running
from quire.models.extract.document.table_checks import check_block
from quire.models.extract.steps import Steps, read_in_steps

__all__ = ["assemble", "failed_page"]

TEXT_LOST = "text-lost"
"""Warning: characters that the page shows are in no block (see the coverage statement)."""

BY_TAGS = "+tags"
"""Suffix of the engine's name in a block's provenance: the type comes from the author's tags."""


def assemble(facts: DocumentFacts, pages: Sequence[PageContent], *, source: Source, options: ReadOptions) -> Tree:
    """Return the tree of a document from its pages, in page order."""
    tree, steps = read_in_steps(partial(_assemble, facts, pages, source, options))
    if not steps.left_out:
        return tree
    return replace(tree, warnings=(*tree.warnings, *(Warning(code=code) for code in steps.warnings)))


def _assemble(
    facts: DocumentFacts, pages: Sequence[PageContent], source: Source, options: ReadOptions, steps: Steps
) -> Tree:
    ordered = sorted(pages, key=lambda page: page.number)
    drafts = make_drafts(ordered)
    if facts.format in DRAWN_FORMATS:
        steps.run("running-heads", None, free_running_tables, drafts)
        drafts = steps.run("running-heads", drafts, free_running_rows, drafts)
    gained = steps.run("hyphens", Counter[int](), settle_hyphens, drafts)
    steps.run("hyphens", None, mark_running, drafts)
    has_flat_tags = steps.run("levels", False, free_flat_levels, drafts)
    steps.run("levels", None, set_levels, drafts, ordered, facts.outline)
    steps.run("joins", None, link_joins, drafts)
    apart: tuple[list[Draft], LeftOut] = (drafts, {})
    drafts, repeated = steps.run("continued-tables", apart, _join_parts, facts, drafts, options)
    has_all_pictures = limit_pictures(drafts, options.max_assets)
    checked = steps.run_or("table-checks", _leave_unchecked, _check_blocks, drafts)
    rated = steps.run_or("confidence", _rate_plainly, rate_blocks, drafts, checked)
    blocks = tuple(map(_make_block, drafts, checked, rated, range(len(drafts))))
    is_damaged = DAMAGED in facts.warnings or any(DAMAGED in page.warnings for page in ordered)
    coverage = total_coverage(ordered, blocks, gained, repeated, is_damaged=is_damaged)
    return Tree(
        source=source,
        metadata=facts.metadata,
        pages=tuple(_make_page(page, stated) for page, stated in zip(ordered, coverage.pages, strict=True)),
        blocks=blocks,
        warnings=(
            *_find_warnings(facts, ordered, has_all_pictures=has_all_pictures),
            *((Warning(code=TAGS_IGNORED),) if has_flat_tags else ()),
            *(Warning(code=TEXT_LOST, page=stated.number) for stated in coverage.pages if stated.characters.lost),
        ),
        provenance=TreeProvenance(reader_version=READER_VERSION, options_hash=options.digest()),
        coverage=coverage,
    )


def _check_blocks(drafts: list[Draft]) -> list[PageBlock]:
    return [check_block(draft.block) for draft in drafts]


def _leave_unchecked(drafts: list[Draft]) -> list[PageBlock]:
    return [draft.block for draft in drafts]


def _rate_plainly(drafts: Sequence[Draft], blocks: Sequence[PageBlock]) -> list[Rating]:
    """Return the confidence that the pages state."""
    return [Rating(block.confidence, block.table) for block in blocks]


def _join_parts(facts: DocumentFacts, drafts: list[Draft], options: ReadOptions) -> tuple[list[Draft], LeftOut]:
    """Join tables that continue over printed pages, unless the options ask for separate parts."""
    if facts.format in DRAWN_FORMATS and options.table_parts is TableParts.JOINED:
        return join_tables(drafts)
    return drafts, {}


def _make_page(page: PageContent, stated: PageCoverage) -> Page:
    """Return the page; its share of lost characters lowers its confidence."""
    counts = stated.characters
    kept_share = 1 - counts.lost / counts.painted if counts.lost else 1.0
    return Page(
        number=page.number,
        label=page.label,
        width=page.width,
        height=page.height,
        rotation=page.rotation,
        route=page.route,
        reason=page.reason,
        confidence=round(page.confidence * kept_share, 3),
        status=page.status,
    )


def _make_block(draft: Draft, block: PageBlock, rating: Rating, order: int) -> Block:
    return Block(
        id=BlockId(f"b{order}"),
        type=draft.type,
        parent=_id_of(draft.parent),
        level=draft.level,
        page=draft.page.number,
        bbox=block.bbox,
        order=order,
        text=block.text,
        spans=block.spans,
        table=rating.table,
        asset_ref=block.asset_ref,
        continues=_id_of(draft.continues),
        confidence=rating.confidence,
        flags=block.flags,
        flag_spans=block.flag_spans,
        unseen=block.unseen,
        provenance=_make_provenance(draft),
    )


def _make_provenance(draft: Draft) -> BlockProvenance:
    """Return the reader of the block: the page's engine, or the recogniser of a part of it."""
    page, path = draft.page, draft.block.path
    reader = page.recogniser if draft.block.recognised and page.recogniser else page
    engine = reader.engine + (BY_TAGS if draft.block.tagged else "")
    return BlockProvenance(engine=engine, model=reader.model, version=reader.version, path=path)


def _id_of(order: int | None) -> BlockId | None:
    return None if order is None else BlockId(f"b{order}")


def _find_warnings(facts: DocumentFacts, pages: Sequence[PageContent], *, has_all_pictures: bool) -> list[Warning]:
    warnings = [Warning(code=code) for code in facts.warnings]
    if not has_all_pictures:
        warnings.append(Warning(code="pictures-left-out"))
    for page in pages:
        warnings += [Warning(code=code, page=page.number) for code in page.warnings]
        if page.status is PageStatus.FAILED and page.error is not None:
            warnings.append(Warning(code=page.error.value, page=page.number))
    return warnings
