"""PaddleOCR-VL: crops of blocks that a layout found first, one prompt per kind; texts, OTSL tables, LaTeX come back.

A crop whose answer is cut, loops or is empty keeps the text its region came with. Boxes are those of the regions.
"""

import re
from collections.abc import Sequence

from models.cdom.ports import PixelPage, RecognisedBlock
from models.cdom.tree import BlockType
from models.neural.vlm.contract import Answer, AnswerEnd, Ask, BadAnswer, PageRegion, Sampling
from models.neural.vlm.markdown import read_markdown
from models.neural.vlm.pictures import crop, decode, fit_grid
from models.neural.vlm.tables import read_html_table, read_otsl

_FACTOR, _LEAST, _MOST = 28, 147_384, 2_822_400
"""The grid and the areas of the model's own picture processor."""
_TEXT = Sampling(max_tokens=2048)
_TABLE = Sampling(max_tokens=8192)
PROMPTS = {BlockType.TABLE: "Table Recognition:", BlockType.FORMULA: "Formula Recognition:"}
_OTHERWISE = "OCR:"
_MATH_MARKS = re.compile(r"\A\s*(?:\$\$|\\\[|\$)(.*?)(?:\$\$|\\\]|\$)\s*\Z", re.DOTALL)
MAX_REGIONS = 300  # regions of one page, each an ask of its own


class PaddleOcrVl:
    """Implements `VlmModel`. Pictures are not asked about."""

    name = "paddleocr-vl"
    needs_regions = True

    def ask(self, page: PixelPage, regions: Sequence[PageRegion]) -> list[Ask]:
        """Return one ask per region, with a prompt for its type."""
        image = decode(page)
        asks = []
        for region in _cropped_regions(regions):
            piece = fit_grid(crop(image, region.bbox, page), factor=_FACTOR, least=_LEAST, most=_MOST)
            sampling = _TABLE if region.type is BlockType.TABLE else _TEXT
            prompt = PROMPTS.get(region.type, _OTHERWISE)
            asks.append(Ask(picture=piece, prompt=prompt, sampling=sampling))
        return asks

    def read(
        self, page: PixelPage, regions: Sequence[PageRegion], asks: Sequence[Ask], answers: Sequence[Answer]
    ) -> list[RecognisedBlock]:
        """Return one block per region.

        Raises:
            BadAnswer: The number of answers differs from the number of crops.
        """
        if len(answers) != len(_cropped_regions(regions)):
            raise BadAnswer("answers and crops differ in number")
        blocks, left = [], iter(answers)
        for region in regions[:MAX_REGIONS]:
            answer = None if region.type is BlockType.PICTURE else next(left)
            blocks.append(_block(region, answer))
        return blocks


def _cropped_regions(regions: Sequence[PageRegion]) -> list[PageRegion]:
    return [region for region in regions[:MAX_REGIONS] if region.type is not BlockType.PICTURE]


def _block(region: PageRegion, answer: Answer | None) -> RecognisedBlock:
    kept = RecognisedBlock(type=region.type, bbox=region.bbox, text=region.text)
    if answer is None:
        return kept
    if answer.ending is not AnswerEnd.STOP or not answer.text.strip():
        return RecognisedBlock(type=_textual(region.type), bbox=region.bbox, text=region.text, confidence=0.5)
    if region.type is BlockType.TABLE:
        table = read_otsl(answer.text) or read_html_table(answer.text)
        if table is not None:
            return RecognisedBlock(type=BlockType.TABLE, bbox=region.bbox, table=table)
        return RecognisedBlock(type=BlockType.PARAGRAPH, bbox=region.bbox, text=region.text, confidence=0.5)
    if region.type is BlockType.FORMULA:
        marked = _MATH_MARKS.match(answer.text)
        return RecognisedBlock(type=region.type, bbox=region.bbox, text=(marked[1] if marked else answer.text).strip())
    return _text_block(region, answer.text)


def _text_block(region: PageRegion, text: str) -> RecognisedBlock:
    parts = [part for part in read_markdown(text) if part.text.strip()]
    if len(parts) == 1:
        return RecognisedBlock(type=region.type, bbox=region.bbox, text=parts[0].text, spans=parts[0].spans)
    return RecognisedBlock(
        type=region.type, bbox=region.bbox, text="\n".join(part.text for part in parts) or region.text
    )


def _textual(kind: BlockType) -> BlockType:
    """Return the paragraph type for a table whose cells are unknown, and any other type unchanged."""
    return BlockType.PARAGRAPH if kind is BlockType.TABLE else kind
