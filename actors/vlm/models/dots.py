"""dots.mocr and dots.ocr: the page as one picture, answered with JSON.

Each element has its box in pixels of the picture sent, a category and a text. A cut answer keeps its whole elements.
Boxes outside the picture are clamped, impossible ones dropped.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from quire.actors.vlm.models.contract import Answer, AnswerEnd, Ask, BadAnswer, PageRegion, Sampling
from quire.actors.vlm.models.markdown import MAX_CHARS, read_markdown
from quire.actors.vlm.models.pictures import decode, fit_grid
from quire.actors.vlm.models.tables import read_html_table
from quire.models.cdom.geometry import Bbox
from quire.models.cdom.ports import PixelPage, RecognisedBlock
from quire.models.cdom.tree import BlockType
from quire.models.neural.doclaynet import DOCLAYNET

_FACTOR, _LEAST, _MOST = 28, 3136, 11_289_600
"""The grid and the areas of the model's own picture processor: sent in this size, it changes nothing any more."""
_SAMPLING = Sampling(temperature=0.1, top_p=1.0, max_tokens=24_000)
MAX_ELEMENTS = 5000  # elements of one page's answer
_DECODER = json.JSONDecoder(strict=False)
"""Accepts line breaks inside a string."""
_BEGIN = re.compile(r'\{\s*"(?:bbox|category)"')
_ESCAPE = re.compile(r'\\(["\\/bfnrt]|u[0-9a-fA-F]{4})?')
_LOST_ESCAPES = str.maketrans({"\f": "\\f", "\b": "\\b"})
"""No page holds a form feed or a backspace: they are what is left of `\\frac` and `\\beta`."""
PROMPT = """Please output the layout information from the PDF image, including each layout element's bbox, its \
category, and the corresponding text content within the bbox.

1. Bbox format: [x1, y1, x2, y2]

2. Layout Categories: The possible categories are ['Caption', 'Footnote', 'Formula', 'List-item', 'Page-footer', \
'Page-header', 'Picture', 'Section-header', 'Table', 'Text', 'Title'].

3. Text Extraction & Formatting Rules:
    - Picture: For the 'Picture' category, the text field should be omitted.
    - Formula: Format its text as LaTeX.
    - Table: Format its text as HTML.
    - All Others (Text, Title, etc.): Format their text as Markdown.

4. Constraints:
    - The output text must be the original text from the image, with no translation.
    - All layout elements must be sorted according to human reading order.

5. Final Output: The entire output must be a single JSON object.
"""
"""The model's own prompt for layout and text, to the letter: it was trained on it."""
MARK = "<|img|><|imgpad|><|endofimg|>"
"""Its client writes the picture's place into the text; without it vLLM adds a line break the model never saw."""


class Dots:
    """Implements `VlmModel`."""

    name = "dots"
    needs_regions = False
    engine_options: ClassVar[Mapping[str, Any]] = {"max_model_len": 32_768}  # of the 128k stated: a 24 GB card refuses

    def ask(self, page: PixelPage, regions: Sequence[PageRegion]) -> list[Ask]:
        """Return one ask for the whole page."""
        image = fit_grid(decode(page), factor=_FACTOR, least=_LEAST, most=_MOST)
        return [Ask(picture=image, prompt=PROMPT, sampling=_SAMPLING, mark=MARK)]

    def read(
        self, page: PixelPage, regions: Sequence[PageRegion], asks: Sequence[Ask], answers: Sequence[Answer]
    ) -> list[RecognisedBlock]:
        """Return the blocks of the answer in reading order, boxes in points.

        Raises:
            BadAnswer: The answer holds invalid JSON or no layout element.
        """
        scale = (page.width / asks[0].size[0], page.height / asks[0].size[1])
        elements, unreadable = _read_elements(answers[0].text)
        if unreadable and answers[0].ending is AnswerEnd.STOP:
            raise BadAnswer("elements with invalid JSON")  # their text would be missing unnoticed
        blocks = [block for element in elements for block in _blocks(element, asks[0].size, scale)]
        if not blocks and not _is_empty_page(answers[0].text):
            raise BadAnswer("the answer holds no layout element")
        return blocks


def _is_empty_page(text: str) -> bool:
    return text.strip().strip("`").removeprefix("json").strip() in ("[]", "{}")


def _read_elements(text: str) -> tuple[list[dict[str, Any]], int]:
    """Objects with a category, and how many began like one but could not be read (the end of a cut answer is one)."""
    text = text[:MAX_CHARS]
    begun = len(_BEGIN.findall(text))
    elements = list(_elements(text))
    if len(elements) < begun:  # LaTeX whose backslashes were not doubled
        repaired = list(_elements(_ESCAPE.sub(lambda match: match[0] if match[1] else "\\\\", text)))
        elements = max(elements, repaired, key=len)
    seen = {json.dumps(element): element for element in elements}  # a loop repeats an element to the letter
    return list(seen.values()), max(0, begun - len(elements))


def _elements(text: str) -> Iterator[dict[str, Any]]:
    """Elements of the text's whole JSON objects."""
    start, count = 0, 0
    while count < MAX_ELEMENTS and (start := text.find("{", start)) >= 0:
        try:
            value, start = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            start += 1
            continue
        count += 1
        yield from _flatten(value)


def _flatten(value: Any) -> Iterator[dict[str, Any]]:
    """Yield the element itself, or the elements of an object that wraps a list of them."""
    if not isinstance(value, dict):
        return
    if "category" in value:
        yield value
        return
    for inside in value.values():
        if isinstance(inside, list):
            yield from (item for item in inside if isinstance(item, dict) and "category" in item)


def _blocks(element: dict[str, Any], size: tuple[int, int], scale: tuple[float, float]) -> list[RecognisedBlock]:
    kind = DOCLAYNET.get(str(element["category"]))
    text = element.get("text")
    text = text.translate(_LOST_ESCAPES) if isinstance(text, str) else ""
    box = _box(element.get("bbox"), size, scale)
    if kind is None:
        return []
    if kind is BlockType.PICTURE:
        return [RecognisedBlock(type=kind, bbox=box)] if box else []
    if kind is BlockType.TABLE:
        table = read_html_table(text)
        return [RecognisedBlock(type=kind, bbox=box, table=table)] if table else _texts(text, BlockType.PARAGRAPH, box)
    if kind is BlockType.FORMULA:
        formula = text.strip().removeprefix("$$").removesuffix("$$").strip()
        return [RecognisedBlock(type=kind, bbox=box, text=formula)] if formula else []
    return _texts(text, kind, box)


def _texts(text: str, kind: BlockType, box: Bbox | None) -> list[RecognisedBlock]:
    """Return the element's Markdown as a block of its category; heading marks become its level, list marks go."""
    parts = read_markdown(text)
    if not parts:
        return []
    if len(parts) == 1 and parts[0].table is None:
        first = parts[0]
        level = first.level if kind is BlockType.HEADING or kind is first.type else None
        return [replace(first, type=kind, bbox=box, level=level)]
    if kind is BlockType.LIST_ITEM or any(part.table for part in parts):
        return [replace(part, bbox=box) for part in parts]
    return [RecognisedBlock(type=kind, bbox=box, text="\n".join(part.text for part in parts))]


def _box(value: Any, size: tuple[int, int], scale: tuple[float, float]) -> Bbox | None:
    """Convert pixels of the sent picture to points of the page; None for an invalid box."""
    if not isinstance(value, list) or len(value) != 4:
        return None
    if not all(isinstance(side, int | float) and not isinstance(side, bool) and abs(side) < 1e6 for side in value):
        return None
    x0, x1 = (min(max(side, 0), size[0]) for side in (value[0], value[2]))
    y0, y1 = (min(max(side, 0), size[1]) for side in (value[1], value[3]))
    if x1 <= x0 or y1 <= y0:
        return None
    return (x0 * scale[0], y0 * scale[1], x1 * scale[0], y1 * scale[1])
