"""PaddleOCR-VL: crops of blocks that a layout found first, one prompt per kind; texts, OTSL tables, LaTeX come back.

Charts come back as rows of cells with `|` between them, seals as lines of text.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from quire.actors.vlm.models.contract import Sampling
from quire.actors.vlm.models.crops import CropModel, Prompts
from quire.models.cdom.ports import PictureKind
from quire.models.cdom.tree import BlockType


class PaddleOcrVl(CropModel):
    """Implements `VlmModel`."""

    name = "paddleocr-vl"
    prompts: ClassVar[Prompts] = {
        BlockType.TABLE: "Table Recognition:",
        BlockType.FORMULA: "Formula Recognition:",
        PictureKind.CHART: "Chart Recognition:",
        PictureKind.SEAL: "Seal Recognition:",
    }
    text_prompt = "OCR:"
    text_sampling = Sampling(max_tokens=2048)
    table_sampling = Sampling(max_tokens=8192)
    grid = (28, 147_384, 2_822_400)
    engine_options: ClassVar[Mapping[str, Any]] = {"max_num_batched_tokens": 16_384}
