"""Pages to a tree: pure, the same for every format and for any split of the pages over processes.

Gives blocks their ids and order, decides what only the whole document shows (running headers and footers, heading
levels, joins over pages). Knows no parser.
"""

from collections.abc import Sequence

from models.cdom.original import ReadOptions
from models.cdom.tree import (
    Block,
    BlockId,
    BlockProvenance,
    BlockType,
    Page,
    PageStatus,
    Source,
    Tree,
    TreeProvenance,
    Warning,
)
from models.extract.readers.contract import DocumentFacts, PageBlock, PageContent, failed_page

__all__ = ["assemble", "failed_page"]


def assemble(facts: DocumentFacts, pages: Sequence[PageContent], *, source: Source, options: ReadOptions) -> Tree:
    """The tree of a document from its pages, in page order."""
    pages = sorted(pages, key=lambda page: page.number)
    return Tree(
        source=source,
        metadata=facts.metadata,
        pages=tuple(_make_page(page) for page in pages),
        blocks=tuple(_make_blocks(pages)),
        warnings=tuple(_find_warnings(facts, pages)),
        provenance=TreeProvenance(options_hash=options.digest()),
    )


def _make_page(page: PageContent) -> Page:
    return Page(
        number=page.number,
        width=page.width,
        height=page.height,
        rotation=page.rotation,
        route=page.route,
        reason=page.reason,
        confidence=page.confidence,
        status=page.status,
    )


def _make_blocks(pages: Sequence[PageContent]) -> list[Block]:
    out: list[Block] = []
    for page in pages:
        first = len(out)
        provenance = BlockProvenance(engine=page.engine, model=page.model, version=page.version)
        for block in page.blocks:
            out.append(_make_block(block, len(out), first, page.number, provenance))
    return out


def _make_block(block: PageBlock, order: int, first: int, page: int, provenance: BlockProvenance) -> Block:
    return Block(
        id=BlockId(f"b{order}"),
        type=block.type,
        parent=None if block.parent is None else BlockId(f"b{first + block.parent}"),
        level=block.level or (1 if block.type is BlockType.HEADING else None),
        page=page,
        bbox=block.bbox,
        order=order,
        text=block.text,
        spans=block.spans,
        table=block.table,
        asset_ref=block.asset_ref,
        continues=None if block.continues is None else BlockId(f"b{first + block.continues}"),
        confidence=block.confidence,
        flags=block.flags,
        flag_spans=block.flag_spans,
        provenance=provenance,
    )


def _find_warnings(facts: DocumentFacts, pages: Sequence[PageContent]) -> list[Warning]:
    found = [Warning(code=code) for code in facts.warnings]
    for page in pages:
        found += [Warning(code=code, page=page.number) for code in page.warnings]
        if page.status is PageStatus.FAILED and page.error is not None:
            found.append(Warning(code=page.error.value, page=page.number))
    return found
