"""LightOnOCR 3: the page as one picture with the word `grounding`, answered with Markdown blocks and their boxes.

A marker `![label](x1,y1,x2,y2)` stands before each block, in thousandths of the page; its text runs to the next marker.
`label+` continues the block before, for example in the next column. An answer without markers is plain Markdown.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from quire.actors.vlm.models.contract import Answer, Ask, BadAnswer, PageRegion, Sampling
from quire.actors.vlm.models.markdown import MAX_CHARS, read_markdown
from quire.actors.vlm.models.pictures import decode, fit_longest
from quire.models.cdom.geometry import Bbox, union_bbox
from quire.models.cdom.ports import PixelPage, RecognisedBlock
from quire.models.cdom.tree import CHART, BlockType

_LONGEST = 1540
"""Pixels of the longest side the model was trained with."""
_SAMPLING = Sampling(temperature=0.2, top_p=1.0, max_tokens=12_000)
PROMPT = "grounding"
_NUMBER = r"\s*(\d{1,4})\s*"
_MARKER = re.compile(r"!\[([A-Za-z_][\w-]{0,40})(\+?)\]\(" + ",".join([_NUMBER] * 4) + r"\)[ \t]*")
_TYPES = {
    "title": BlockType.TITLE,
    "section": BlockType.HEADING,
    "list": BlockType.LIST_ITEM,
    "caption": BlockType.CAPTION,
    "footnote": BlockType.FOOTNOTE,
    "header": BlockType.PAGE_HEADER,
    "footer": BlockType.PAGE_FOOTER,
    "page_number": BlockType.PAGE_FOOTER,
    "table": BlockType.TABLE,
    "chart": BlockType.TABLE,
    "formula": BlockType.FORMULA,
    "code": BlockType.CODE,
    "image": BlockType.PICTURE,
}
"""Block types of the labels; `text`, `aside_text` and labels of later checkpoints are paragraphs."""


class LightOnOcr:
    """Implements `VlmModel`."""

    name = "lightonocr"
    needs_regions = False
    engine_options: ClassVar[Mapping[str, Any]] = {}

    def ask(self, page: PixelPage, regions: Sequence[PageRegion]) -> list[Ask]:
        """Return one ask for the whole page."""
        image = fit_longest(decode(page), _LONGEST)
        return [Ask(picture=image, prompt=PROMPT, sampling=_SAMPLING, template_arguments=(("enable_thinking", False),))]

    def read(
        self, page: PixelPage, regions: Sequence[PageRegion], asks: Sequence[Ask], answers: Sequence[Answer]
    ) -> list[RecognisedBlock]:
        """Return the blocks of the answer in reading order.

        Raises:
            BadAnswer: The answer has text but no block.
        """
        text = answers[0].text[:MAX_CHARS]
        markers = list(_MARKER.finditer(text))
        blocks = read_markdown(text[: markers[0].start()] if markers else text)
        for index, marker in enumerate(markers):
            end = markers[index + 1].start() if index + 1 < len(markers) else len(text)
            parts = _read_block(marker[1], text[marker.end() : end].strip(), _place(marker, page))
            if marker[2] and blocks and len(parts) == 1 and _continues(blocks[-1], parts[0]):
                blocks[-1] = _join(blocks[-1], parts[0])
            else:
                blocks += parts
        if text.strip() and not blocks:
            raise BadAnswer("no block in the answer")
        return blocks


def _place(marker: re.Match[str], page: PixelPage) -> Bbox | None:
    x0, y0, x1, y1 = (int(value) / 1000 for value in marker.groups()[2:])
    if not (x0 < x1 <= 1 and y0 < y1 <= 1):
        return None
    return (x0 * page.width, y0 * page.height, x1 * page.width, y1 * page.height)


def _read_block(label: str, text: str, bbox: Bbox | None) -> list[RecognisedBlock]:
    """Return the blocks of one marker; the parts of a list or of a block with a table stay apart."""
    kind = _TYPES.get(label, BlockType.PARAGRAPH)
    if kind is BlockType.PICTURE:
        return [RecognisedBlock(type=kind, text=" ".join(text.split()), bbox=bbox)]
    parts = [replace(part, bbox=bbox) for part in read_markdown(text)]
    if label == "chart":
        return [replace(part, type=BlockType.PICTURE, picture=CHART) if part.table else part for part in parts]
    if not parts or kind in (BlockType.TABLE, BlockType.LIST_ITEM) or any(part.table for part in parts):
        return parts
    if kind is BlockType.FORMULA:
        return [RecognisedBlock(type=kind, bbox=bbox, text="\n".join(part.text for part in parts).strip("$ \n"))]
    if len(parts) == 1:
        return [_retype(parts[0], kind)]
    if kind is BlockType.PARAGRAPH:
        return parts
    return [RecognisedBlock(type=kind, bbox=bbox, text="\n".join(part.text for part in parts))]


def _retype(part: RecognisedBlock, kind: BlockType) -> RecognisedBlock:
    """Return the block with the type of its label; the heading mark of its text says which titles are headings."""
    if part.type is BlockType.HEADING and (kind is not BlockType.TITLE or part.level != 1):
        return part if kind in (BlockType.TITLE, BlockType.HEADING, BlockType.PARAGRAPH) else replace(part, type=kind)
    return replace(part, type=part.type if kind is BlockType.PARAGRAPH else kind, level=None)


def _continues(before: RecognisedBlock, part: RecognisedBlock) -> bool:
    return before.type is part.type and before.table is None and part.table is None


def _join(before: RecognisedBlock, part: RecognisedBlock) -> RecognisedBlock:
    """Return one block of both texts, as the maker's own Markdown has them."""
    shift = len(before.text) + 1
    moved = tuple(replace(span, start=span.start + shift, end=span.end + shift) for span in part.spans)
    boxes = [bbox for bbox in (before.bbox, part.bbox) if bbox is not None]
    return replace(
        before,
        text=f"{before.text} {part.text}",
        spans=before.spans + moved,
        bbox=union_bbox(boxes) if boxes else None,
    )
