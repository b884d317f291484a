"""Assembly of pages into a tree: pure, the same for every format and every split of the pages over processes.

Gives blocks their ids and order, and decides everything that needs the whole document. Knows no parser.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from quire.models.cdom.coverage import Coverage, PageCoverage
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
    point_links,
)
from quire.models.cdom.version import READER_VERSION
from quire.models.extract.contract import TAGS_IGNORED, DocumentFacts, PageBlock, PageContent, failed_page
from quire.models.extract.coverage.total import total_coverage
from quire.models.extract.document.confidence import Rating
from quire.models.extract.document.continued import LeftOut
from quire.models.extract.document.draft import Draft
from quire.models.extract.pipeline.passes import DOCUMENT_PASSES
from quire.models.extract.steps import Steps, read_in_steps

__all__ = ["assemble", "failed_page"]

TEXT_LOST = "text-lost"
"""Warning: characters that the page shows are in no block (see the coverage statement)."""

BY_TAGS = "+tags"
"""Suffix of the engine's name in a block's provenance: the type comes from the author's tags."""


@dataclass(slots=True)
class DocumentColumns:
    """A document while it is assembled.

    Attributes:
        drafts: Blocks on their way into the tree, in its order.
        gained: By page, how many more line-end hyphens it has than its blocks had.
        repeated: By page, repeated headers of continued tables.
        checked: The block of each draft with the checks of its table.
        rated: The confidence of each draft and its cells.
    """

    facts: DocumentFacts
    pages: list[PageContent]
    options: ReadOptions
    drafts: list[Draft] = field(default_factory=list)
    gained: Counter[int] = field(default_factory=Counter)
    has_flat_tags: bool = False
    repeated: LeftOut = field(default_factory=dict)
    has_all_pictures: bool = True
    checked: list[PageBlock] = field(default_factory=list)
    rated: list[Rating] = field(default_factory=list)
    blocks: tuple[Block, ...] = ()
    coverage: Coverage = field(init=False)

    @property
    def is_drawn(self) -> bool:
        """Whether the format has printed pages."""
        return self.facts.format in DRAWN_FORMATS

    @property
    def joins_tables(self) -> bool:
        """Whether tables that continue over printed pages are joined, as the options ask."""
        return self.is_drawn and self.options.table_parts is TableParts.JOINED


def assemble(facts: DocumentFacts, pages: Sequence[PageContent], *, source: Source, options: ReadOptions) -> Tree:
    """Return the tree of a document from its pages, in page order."""
    tree, steps = read_in_steps(partial(_assemble, facts, pages, source, options))
    if not steps.left_out:
        return tree
    return replace(tree, warnings=(*tree.warnings, *(Warning(code=code) for code in steps.warnings)))


def _assemble(
    facts: DocumentFacts, pages: Sequence[PageContent], source: Source, options: ReadOptions, steps: Steps
) -> Tree:
    document = DocumentColumns(facts, sorted(pages, key=lambda page: page.number), options)
    steps.run_passes(DOCUMENT_PASSES, document)
    ordered, coverage = document.pages, document.coverage
    return Tree(
        source=source,
        metadata=facts.metadata,
        pages=tuple(
            _make_page(page, stated, words=options.words) for page, stated in zip(ordered, coverage.pages, strict=True)
        ),
        blocks=document.blocks,
        warnings=(
            *_find_warnings(facts, ordered, has_all_pictures=document.has_all_pictures),
            *((Warning(code=TAGS_IGNORED),) if document.has_flat_tags else ()),
            *(Warning(code=TEXT_LOST, page=stated.number) for stated in coverage.pages if stated.characters.lost),
        ),
        provenance=TreeProvenance(reader_version=READER_VERSION, options_hash=options.digest()),
        coverage=coverage,
    )


def make_blocks(drafts: list[Draft], checked: list[PageBlock], rated: list[Rating]) -> tuple[Block, ...]:
    """Return the blocks of the tree with their ids and order; links inside the file name the id of their block."""
    blocks = tuple(map(_make_block, drafts, checked, rated, range(len(drafts))))
    targets: dict[str, str] = {}
    for draft, block in zip(drafts, blocks, strict=True):
        for name in draft.block.anchors:
            targets.setdefault(f"#{name}", f"#{block.id}")
    return tuple(point_links(block, targets) for block in blocks)


def count_coverage(
    facts: DocumentFacts, pages: list[PageContent], blocks: tuple[Block, ...], gained: Counter[int], repeated: LeftOut
) -> Coverage:
    """Return the coverage of the document."""
    is_damaged = DAMAGED in facts.warnings or any(DAMAGED in page.warnings for page in pages)
    return total_coverage(pages, blocks, gained, repeated, is_damaged=is_damaged)


def _make_page(page: PageContent, stated: PageCoverage, *, words: bool) -> Page:
    """Return the page, with its words if asked for; its share of lost characters lowers its confidence."""
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
        words=page.words if words else (),
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
        picture=block.picture,
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
