"""A page as pixels, and what tests ask of blocks."""

import io

from PIL import Image

from quire.models.cdom.ports import PixelPage, RecognisedBlock


def make_page(width: int = 850, height: int = 1100) -> PixelPage:
    """A white Letter page at 100 dpi."""
    buffer = io.BytesIO()
    Image.new("RGB", (width, height), "white").save(buffer, "PNG")
    return PixelPage(number=1, image=buffer.getvalue(), width=612.0, height=792.0)


def outline(blocks: list[RecognisedBlock]) -> list[tuple[str, str]]:
    return [(block.type.value, block.text) for block in blocks]


def cells(block: RecognisedBlock) -> list[tuple[int, int, int, int, str]]:
    assert block.table is not None
    return [(cell.row, cell.col, cell.row_span, cell.col_span, cell.text) for cell in block.table.cells]
