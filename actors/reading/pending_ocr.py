"""A document whose remaining pages wait for a recogniser: no child is held, only pages and pixels. `finish` is pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from quire.actors.reading.page_spool import PixelStore
from quire.actors.sandbox.failures import describe_failure
from quire.models.cdom.errors import ErrorCode
from quire.models.cdom.original import Embedded, ReadOptions
from quire.models.cdom.ports import ReadOutcome, RecognisedPage
from quire.models.cdom.tree import Source, dump_tree
from quire.models.extract.contract import PICTURE_NUMBERS, DocumentFacts, PageContent, failed_page


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingOcr:
    """`pixels` are the pages to recognise, in page order; `contents` all pages as far as they were read.

    `embedded`: the files inside the document. `kept_pages`: those of its other pages.
    """

    facts: DocumentFacts
    contents: tuple[PageContent, ...]
    pixels: PixelStore
    assets: dict[str, bytes]
    source: Source
    options: ReadOptions
    embedded: tuple[Embedded, ...] = ()
    kept_pages: bytes = b""

    @property
    def can_do_without(self) -> bool:
        """True when every page that waits has a text layer that can stay: parts of it, or that of a scan."""
        waiting = {number % PICTURE_NUMBERS for number in self.pixels.numbers}
        return all(content.areas or content.layer for content in self.contents if content.number in waiting)

    def finish(self, recognised: Sequence[RecognisedPage]) -> ReadOutcome:
        """Return the document with the recognised pages; a waiting page without a recognition fails."""
        words = {page.number: page for page in recognised}
        waiting = self.pixels.numbers
        outcome = finish_outcome(
            self.facts,
            [_fill(content, words, waiting) for content in self.contents],
            assets=self.assets,
            source=self.source,
            options=self.options,
        )
        return replace(outcome, embedded=self.embedded, kept_pages=self.kept_pages)

    def give_up(self) -> ReadOutcome:
        """Finish without a recogniser: succeeds when recognition was needed only for parts of pages."""
        self.pixels.close()
        if self.can_do_without:
            return self.finish(())
        return ReadOutcome(error=ErrorCode.ML_UNAVAILABLE, detail=f"{len(self.pixels)} pages need a recogniser")


def _fill(content: PageContent, words: dict[int, RecognisedPage], waiting: frozenset[int]) -> PageContent:
    if content.number + PICTURE_NUMBERS in waiting:
        from quire.models.extract.pipeline.picture_text import add_picture_text

        return add_picture_text(content, words)
    if content.number not in waiting:
        return content
    from quire.models.extract.pipeline.ocr_regions import (
        leave_areas,  # with numpy and all layout: only where a page waits
    )
    from quire.models.extract.pipeline.recognised import apply_recognition, leave_layer

    recognised = words.get(content.number)
    if recognised:
        return apply_recognition(content, recognised)
    if content.layer:
        return leave_layer(content)
    return leave_areas(content) if content.areas else failed_page(content.number, ErrorCode.ML_UNAVAILABLE)


def finish_outcome(
    facts: DocumentFacts,
    contents: Sequence[PageContent],
    *,
    assets: dict[str, bytes],
    source: Source,
    options: ReadOptions,
) -> ReadOutcome:
    """Pages to an outcome; what assembly raises is an outcome too."""
    from quire.actors.sandbox.assemble_document import finish_tree  # with all layout: most trees are made in the child

    try:
        tree = finish_tree(facts, contents, source=source, options=options)
    except Exception as error:
        failure = describe_failure(error)
        return ReadOutcome(error=failure.code, detail=failure.detail)
    return ReadOutcome(tree=tree, tree_json=dump_tree(tree), assets=assets)
