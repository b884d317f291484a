"""Words with digits in place of letters are flagged where a font's table of characters is wrong."""

import pytest

from quire.models.cdom.flags import GARBLED_TEXT
from quire.models.cdom.table import Cell, Table
from quire.models.cdom.tree import BlockType
from quire.models.extract.contract import PageBlock
from quire.models.extract.text_quality.miscoded import flag_miscoded

MISCODED = "Linie równoleg3e s1 bardzo u2yteczne, a ich d3ugo6ci mo2na zmierzyæ; uk3ad wska2e wszystkie war3o6ci."
CODES = "The pump uses M8x20 bolts, part ab12-7, the H2O sensor, file md5sum.txt and mail a1b@example.org."


def paragraph(text: str, kind: BlockType = BlockType.PARAGRAPH) -> PageBlock:
    return PageBlock(type=kind, text=text)


def test_words_with_digits_for_letters_are_flagged_at_their_place() -> None:
    clean, block = flag_miscoded([paragraph("Wszystko jest w porządku."), paragraph(MISCODED)])
    assert (clean.flags, block.flags) == ((), (GARBLED_TEXT,))
    assert [block.text[span.start : span.end] for span in block.flag_spans] == [
        "równoleg3e", "u2yteczne", "d3ugo6ci", "mo2na", "uk3ad", "wska2e", "war3o6ci",
    ]  # fmt: skip
    assert block.confidence == pytest.approx(0.5)


def test_words_in_cells_are_flagged_in_their_cell() -> None:
    table = Table(rows=1, cols=2, cells=(Cell(row=0, col=0, text="Nazwa"), Cell(row=0, col=1, text="równoleg3e")))
    _, block = flag_miscoded([paragraph(MISCODED), PageBlock(type=BlockType.TABLE, table=table)])
    assert [(span.cell, span.start, span.end) for span in block.flag_spans] == [(1, 0, 10)]


@pytest.mark.parametrize(
    "block",
    [paragraph(CODES * 3), paragraph(MISCODED, BlockType.CODE), paragraph("Only one odd3word here.")],
)
def test_codes_and_single_words_are_not_flagged(block: PageBlock) -> None:
    assert flag_miscoded([block]) == [block]
