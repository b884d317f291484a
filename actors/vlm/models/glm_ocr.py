"""GLM-OCR: crops of blocks that a layout found first, one prompt per kind; Markdown, HTML tables, LaTeX come back."""

from typing import ClassVar

from quire.actors.vlm.models.contract import Sampling
from quire.actors.vlm.models.crops import CropModel, Prompts
from quire.models.cdom.ports import PictureKind
from quire.models.cdom.tree import BlockType

_SAMPLING = Sampling(max_tokens=8192, repetition_penalty=1.1, stop=("<|user|>", "<|endoftext|>"))


class GlmOcr(CropModel):
    """Implements `VlmModel`. Charts have no prompt of the makers; seals are read as text."""

    name = "glm-ocr"
    prompts: ClassVar[Prompts] = {
        BlockType.TABLE: "Table Recognition:",
        BlockType.FORMULA: "Formula Recognition:",
        PictureKind.SEAL: "Text Recognition:",
    }
    text_prompt = "Text Recognition:"
    text_sampling = _SAMPLING
    table_sampling = _SAMPLING
    grid = (28, 12_544, 71_372_800)
