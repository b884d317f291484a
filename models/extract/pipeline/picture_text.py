"""Recognised text of the pictures of a flowing document, as blocks below their pictures. Pure."""

from collections.abc import Mapping
from dataclasses import replace

from quire.models.cdom.coverage import PageCoverage, add_counts
from quire.models.cdom.ports import RecognisedPage
from quire.models.cdom.tree import FURNITURE, BlockType, Route
from quire.models.extract.contract import PICTURE_NUMBERS, AreaReader, PageBlock, PageContent
from quire.models.extract.coverage.total import count_written
from quire.models.extract.formats.flow.picture_text import fills_page
from quire.models.extract.pipeline.ocr_regions import AREAS_NOT_READ
from quire.models.extract.pipeline.recognised import apply_recognition

_SURE, _LEAST_CHARS = 0.7, 3
"""Least confidence and characters with which text of a picture within a page counts as text and not as a drawing."""


def add_picture_text(content: PageContent, words: Mapping[int, RecognisedPage]) -> PageContent:
    """Return the page with the text of its pictures below them.

    A picture that fills its page and was not read, or has ink of letters that was not read, leaves the page unjudged.
    """
    added: dict[int, list[PageBlock]] = {}
    coverage, warnings, reader = content.coverage, list(content.warnings), None
    for number, area in enumerate(content.areas, start=1):
        recognised = words.get(content.number + number * PICTURE_NUMBERS)
        is_whole = fills_page(content, area)
        if recognised is None:
            warnings.append(AREAS_NOT_READ)
            coverage = _add(coverage, None) if is_whole else coverage
            continue
        picture = PageContent(number=content.number, width=area.bbox[2], height=area.bbox[3])
        read = apply_recognition(picture, recognised)
        warnings += read.warnings
        reader = AreaReader(engine=read.engine, model=read.model, version=read.version)
        if is_whole or (read.confidence >= _SURE and count_written(read.blocks) >= _LEAST_CHARS):
            added[area.block] = _fit(read.blocks, content.blocks[area.block], is_whole=is_whole)
            coverage = _add(coverage, read.coverage, must_be_read=is_whole)
    blocks = _insert(content.blocks, added)
    return replace(
        content,
        route=Route.MIXED if added else content.route,
        blocks=blocks,
        coverage=coverage,
        written=count_written(blocks),
        warnings=tuple(dict.fromkeys(warnings)),
        recogniser=reader,
        areas=(),
    )


def _add(page: PageCoverage | None, read: PageCoverage | None, *, must_be_read: bool = True) -> PageCoverage | None:
    if page is None or read is None:
        return page and replace(page, judged=False)
    return replace(
        page,
        characters=add_counts((page.characters, read.characters)),
        excluded=(*page.excluded, *(replace(place, bbox=None) for place in read.excluded)),
        lost=(*page.lost, *(replace(place, bbox=None) for place in read.lost)),
        judged=page.judged and (read.judged or not must_be_read),
    )


def _fit(blocks: tuple[PageBlock, ...], picture: PageBlock, *, is_whole: bool) -> list[PageBlock]:
    """Return the blocks of a picture at the place of the picture; within a page it has no running heads."""
    return [
        replace(
            block,
            type=BlockType.PARAGRAPH if block.type in FURNITURE and not is_whole else block.type,
            bbox=picture.bbox,
            table=block.table and replace(
                block.table, cells=tuple(replace(cell, bbox=None) for cell in block.table.cells)
            ),
            edges=(),
            path=picture.path,
            recognised=True,
        )
        for block in blocks
    ]  # fmt: skip


def _insert(blocks: tuple[PageBlock, ...], added: Mapping[int, list[PageBlock]]) -> tuple[PageBlock, ...]:
    """Return the blocks with those of pictures after their pictures, whose children they are."""
    places: list[int] = []
    for index in range(len(blocks)):
        places.append(places[-1] + 1 + len(added.get(index - 1, ())) if index else 0)
    out: list[PageBlock] = []
    for index, block in enumerate(blocks):
        out.append(
            replace(
                block,
                parent=None if block.parent is None else places[block.parent],
                continues=None if block.continues is None else places[block.continues],
            )
        )
        first = len(out)
        out += [
            replace(
                child,
                parent=first - 1 if child.parent is None else first + child.parent,
                continues=None if child.continues is None else first + child.continues,
            )
            for child in added.get(index, ())
        ]
    return tuple(out)
