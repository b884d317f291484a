"""DocLayNet's classes of page elements, which detectors and page models are trained on, as types of blocks."""

from collections.abc import Mapping
from typing import Final

from quire.models.cdom.tree import BlockType

DOCLAYNET: Final[Mapping[str, BlockType]] = {
    "Caption": BlockType.CAPTION,
    "Footnote": BlockType.FOOTNOTE,
    "Formula": BlockType.FORMULA,
    "List-item": BlockType.LIST_ITEM,
    "Page-footer": BlockType.PAGE_FOOTER,
    "Page-header": BlockType.PAGE_HEADER,
    "Picture": BlockType.PICTURE,
    "Section-header": BlockType.HEADING,
    "Table": BlockType.TABLE,
    "Text": BlockType.PARAGRAPH,
    "Title": BlockType.TITLE,
}
"""In the order in which the installed detector numbers them."""
