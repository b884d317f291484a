"""Base of models that read crops: one ask for each region, and its answer back as a block of the region.

A crop whose answer is cut, loops or is empty keeps the text its region came with. Boxes are those of the regions.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from quire.actors.vlm.models.contract import Answer, AnswerEnd, Ask, BadAnswer, PageRegion, Sampling
from quire.actors.vlm.models.markdown import read_markdown
from quire.actors.vlm.models.pictures import crop, decode, fit_grid
from quire.actors.vlm.models.tables import make_rows_table, read_html_table, read_otsl
from quire.models.cdom.ports import PictureKind, PixelPage, RecognisedBlock
from quire.models.cdom.table import Table
from quire.models.cdom.tree import CHART, BlockType

_MATH_MARKS = re.compile(r"\A\s*(?:\$\$|\\\[|\\\(|\$)(.*?)(?:\$\$|\\\]|\\\)|\$)\s*\Z", re.DOTALL)
MAX_REGIONS = 300  # regions of one page, each an ask of its own
UNSURE = 0.5  # confidence of a region that keeps the text it came with
Prompts = Mapping[BlockType | PictureKind, str]


class CropModel:
    """Base of `VlmModel`s that read crops. Pictures of a kind without a prompt are not asked about."""

    name: str
    needs_regions = True
    engine_options: ClassVar[Mapping[str, Any]] = {}
    prompts: ClassVar[Prompts]
    """Prompt by the type of a block or the kind of a picture."""
    text_prompt: ClassVar[str]
    """Prompt of all other types."""
    text_sampling: ClassVar[Sampling]
    table_sampling: ClassVar[Sampling]
    grid: ClassVar[tuple[int, int, int]]
    """Pixels of a side that sides are multiples of, and the least and most pixels of a crop."""

    def ask(self, page: PixelPage, regions: Sequence[PageRegion]) -> list[Ask]:
        """Return one ask per region, with a prompt for its type."""
        image = decode(page)
        factor, least, most = self.grid
        asks = []
        for region in self._asked(regions):
            piece = fit_grid(crop(image, region.bbox, page), factor=factor, least=least, most=most)
            is_table = BlockType.TABLE in (region.type, _type_of(region))
            sampling = self.table_sampling if is_table else self.text_sampling
            asks.append(Ask(picture=piece, prompt=self._prompt(region), sampling=sampling))
        return asks

    def read(
        self, page: PixelPage, regions: Sequence[PageRegion], asks: Sequence[Ask], answers: Sequence[Answer]
    ) -> list[RecognisedBlock]:
        """Return one block per region.

        Raises:
            BadAnswer: The number of answers differs from the number of crops.
        """
        asked = self._asked(regions)
        if len(answers) != len(asked):
            raise BadAnswer("answers and crops differ in number")
        answered = {id(region): answer for region, answer in zip(asked, answers, strict=True)}
        return [_block(region, answered.get(id(region))) for region in regions[:MAX_REGIONS]]

    def _asked(self, regions: Sequence[PageRegion]) -> list[PageRegion]:
        return [
            region
            for region in regions[:MAX_REGIONS]
            if region.type is not BlockType.PICTURE or region.picture in self.prompts
        ]

    def _prompt(self, region: PageRegion) -> str:
        kind = region.picture or region.type
        return self.prompts.get(kind, self.text_prompt)


def _type_of(region: PageRegion) -> BlockType:
    """Return the type of the region's block: a seal is read as text."""
    return BlockType.PARAGRAPH if region.picture is PictureKind.SEAL else region.type


def _block(region: PageRegion, answer: Answer | None) -> RecognisedBlock:
    if answer is None:
        facts = CHART if region.picture is PictureKind.CHART else None
        return RecognisedBlock(type=region.type, bbox=region.bbox, text=region.text, picture=facts)
    kind = _type_of(region)
    if answer.ending is not AnswerEnd.STOP or not answer.text.strip():
        return _unread(region)
    if region.picture is PictureKind.CHART:
        table = _read_chart(answer.text)
        return RecognisedBlock(type=kind, bbox=region.bbox, table=table, picture=CHART) if table else _unread(region)
    if kind is BlockType.TABLE:
        table = read_otsl(answer.text) or read_html_table(answer.text)
        return _unread(region) if table is None else RecognisedBlock(type=kind, bbox=region.bbox, table=table)
    if kind is BlockType.FORMULA:
        marked = _MATH_MARKS.match(answer.text)
        return RecognisedBlock(type=kind, bbox=region.bbox, text=(marked[1] if marked else answer.text).strip())
    return _text_block(region, kind, answer.text)


def _unread(region: PageRegion) -> RecognisedBlock:
    """Return the region with the text it came with; a table whose cells are unknown is a paragraph."""
    kind = BlockType.PARAGRAPH if region.type is BlockType.TABLE else region.type
    facts = CHART if region.picture is PictureKind.CHART else None
    return RecognisedBlock(type=kind, bbox=region.bbox, text=region.text, picture=facts, confidence=UNSURE)


def _read_chart(text: str) -> Table | None:
    """Return the data of a chart: a line for each row, `|` between cells, the first line is the header."""
    table = read_otsl(text) or read_html_table(text)
    if table is not None:
        return table
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in text.splitlines() if "|" in line]
    return make_rows_table([row for row in rows if any(cell.strip(" :-") for cell in row)], header=True)


def _text_block(region: PageRegion, kind: BlockType, text: str) -> RecognisedBlock:
    parts = [part for part in read_markdown(text) if part.text.strip()]
    if len(parts) == 1 and parts[0].type is BlockType.LIST_ITEM is not kind:
        return RecognisedBlock(type=kind, bbox=region.bbox, text=text.strip())  # its number is part of the text
    if len(parts) == 1:
        return RecognisedBlock(type=kind, bbox=region.bbox, text=parts[0].text, spans=parts[0].spans)
    return RecognisedBlock(type=kind, bbox=region.bbox, text="\n".join(part.text for part in parts) or region.text)
