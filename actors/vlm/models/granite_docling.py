"""granite-docling: the page as one picture, answered in DocTags: types, boxes, lists, tables with their heads."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from quire.actors.vlm.models.contract import Answer, Ask, BadAnswer, PageRegion, Sampling
from quire.actors.vlm.models.doctags import read_doctags
from quire.actors.vlm.models.pictures import decode, fit_longest
from quire.models.cdom.ports import PixelPage, RecognisedBlock

_LONGEST = 2048
"""Pixels of the longest side of the model's own picture processor."""
PROMPT = "Convert this page to docling."
_SAMPLING = Sampling(max_tokens=8192, stop=("</doctag>", "<|end_of_text|>"), skip_special_tokens=False)


class GraniteDocling:
    """Implements `VlmModel`."""

    name = "granite-docling"
    needs_regions = False
    engine_options: ClassVar[Mapping[str, Any]] = {}

    def ask(self, page: PixelPage, regions: Sequence[PageRegion]) -> list[Ask]:
        """Return one ask for the whole page."""
        return [Ask(picture=fit_longest(decode(page), _LONGEST), prompt=PROMPT, sampling=_SAMPLING)]

    def read(
        self, page: PixelPage, regions: Sequence[PageRegion], asks: Sequence[Ask], answers: Sequence[Answer]
    ) -> list[RecognisedBlock]:
        """Return the blocks of the answer in reading order, boxes in points.

        Raises:
            BadAnswer: The answer has text but no element of DocTags.
        """
        text = answers[0].text
        blocks = read_doctags(text, page.width, page.height)
        if not blocks and text.replace("<doctag>", "").replace("</doctag>", "").strip():
            raise BadAnswer("no element in the answer")
        return blocks
