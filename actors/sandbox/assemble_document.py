"""From pages to a document's tree, with the rules for a document as a whole; runs in the child and in the parent."""

from collections.abc import Sequence

from quire.models.cdom.errors import ErrorCode, ExtractError, ResourceLimit
from quire.models.cdom.original import ReadOptions
from quire.models.cdom.tree import PageStatus, Source, Tree
from quire.models.extract.contract import DocumentFacts, PageContent
from quire.models.extract.formats.common.collector import without_collector
from quire.models.extract.pipeline.assemble import assemble
from quire.models.extract.registry import open_document


class NoGoodPage(ExtractError):
    """Not one page could be read; ends with the code of the first."""

    def __init__(self, code: ErrorCode) -> None:
        super().__init__("no page could be read")
        self.code = code


def read_again(data: bytes) -> Tree:
    """Read a produced file with our own reader; pages that need a recogniser stay empty."""
    options = ReadOptions()
    document = open_document(data, options)
    try:
        contents = [document.read_page(number).content for number in document.facts.page_numbers]
        source = Source(format=document.facts.format, sha256="", bytes=len(data))
        return assemble(document.facts, contents, source=source, options=options)
    finally:
        document.close()


def finish_tree(facts: DocumentFacts, contents: Sequence[PageContent], *, source: Source, options: ReadOptions) -> Tree:
    """Assemble the tree.

    Raises:
        NoGoodPage: Every page failed.
        ResourceLimit: The document has too much text.
    """
    if contents and all(content.status is PageStatus.FAILED for content in contents):
        raise NoGoodPage(contents[0].error or ErrorCode.INTERNAL)
    if sum(len(block.text) for content in contents for block in content.blocks) > options.max_text_chars:
        raise ResourceLimit("too much text")
    with without_collector():
        return assemble(facts, contents, source=source, options=options)
