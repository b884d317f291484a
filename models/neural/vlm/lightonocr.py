"""LightOnOCR: the page as one picture without a prompt, answered in Markdown.

Only the -bbox variants give places of pictures (`![image](image_1.png)x1,y1,x2,y2`, thousandths of the page). Text
blocks come without boxes; grounding.py adds them when OCR lines are at hand.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from models.cdom.geometry import Bbox
from models.cdom.ports import PixelPage, RecognisedBlock
from models.cdom.tree import BlockType
from models.neural.vlm.contract import Answer, Ask, BadAnswer, PageRegion, Sampling
from models.neural.vlm.markdown import read_markdown
from models.neural.vlm.pictures import decode, fit_longest

_LONGEST = 1540
"""Pixels of the longest side the model was trained with."""
_SAMPLING = Sampling(temperature=0.2, top_p=0.9, max_tokens=6500)
_NUMBER = r"[ \t]*(\d{1,4})"
_PICTURE = re.compile(r"!\[[^\]\n]{0,200}\]\([^)\n]{0,200}\)" + ",".join([_NUMBER] * 4))


class LightOnOcr:
    """Implements `VlmModel`."""

    name = "lightonocr"
    needs_regions = False

    def ask(self, page: PixelPage, regions: Sequence[PageRegion]) -> list[Ask]:
        """Return one ask for the whole page."""
        image = fit_longest(decode(page), _LONGEST)
        return [Ask(picture=image, prompt="", sampling=_SAMPLING)]

    def read(
        self, page: PixelPage, regions: Sequence[PageRegion], asks: Sequence[Ask], answers: Sequence[Answer]
    ) -> list[RecognisedBlock]:
        """Return the blocks of the answer in reading order.

        Raises:
            BadAnswer: The answer has text but no block.
        """
        text = answers[0].text
        boxes = [_place(match, page) for match in _PICTURE.finditer(text)]
        blocks = read_markdown(_PICTURE.sub("\n\n![image](image.png)\n\n", text))
        if text.strip() and not blocks:
            raise BadAnswer("no block in the answer")
        return _give_boxes(blocks, boxes)


def _place(match: re.Match[str], page: PixelPage) -> Bbox | None:
    x0, y0, x1, y1 = (int(value) / 1000 for value in match.groups())
    if not (x0 < x1 <= 1 and y0 < y1 <= 1):
        return None
    return (x0 * page.width, y0 * page.height, x1 * page.width, y1 * page.height)


def _give_boxes(blocks: list[RecognisedBlock], boxes: list[Bbox | None]) -> list[RecognisedBlock]:
    """Assign boxes to pictures in order when their numbers match; otherwise leave the pictures without boxes."""
    pictures = sum(block.type is BlockType.PICTURE for block in blocks)
    if pictures != len(boxes):
        return blocks
    left = iter(boxes)
    return [replace(block, bbox=next(left)) if block.type is BlockType.PICTURE else block for block in blocks]
