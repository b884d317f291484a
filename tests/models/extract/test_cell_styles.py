"""Cells of tables in PDFs keep the styles of their words, and Markdown writes them; tables and prices by seed."""

import random
import re

import pytest

from quire.models.cdom.table import Cell
from quire.models.export.markdown import tree_to_markdown
from quire.models.export.markdown_tables import TableStyle
from quire.models.extract.formats.pdf.engine import pymupdf
from tests.models.extract.formats.pdf.paper import Paper, read_tree

SEEDS = range(12)
NAMES = ("Rope", "Winch", "Brake lining", "Deck lamp", "Fuel filter", "Gate valve", "Anchor chain")
STYLES = {"helv": "", "hebo": "bold", "heit": "italic"}


def make_table(seed: int) -> tuple[Paper, dict[str, str]]:
    """A ruled table with a plain head, whose cells are regular, bold or italic, and their styles by text."""
    chance = random.Random(seed)
    paper = Paper(500, 400)
    columns, rows = chance.randint(3, 4), chance.randint(3, 6)
    edges = [40 + 105 * column for column in range(columns + 1)]
    styles: dict[str, str] = {}
    for row in range(rows + 1):
        y = 60 + 20 * row
        paper.rule(edges[0], y - 14, edges[-1], y - 14)
        for column in range(columns):
            font = "hebo" if row == 0 else chance.choice(tuple(STYLES))
            text = f"{chance.choice(NAMES)} {row}{column}" if column == 0 else f"{chance.randint(10, 99)}.{row}{column}"
            paper.text(edges[column] + 6, y, text if row else f"Head {column}", 9, font)
            styles |= {text: STYLES[font]} if row else {}
    for edge in edges:
        paper.rule(edge, 46, edge, 46 + 20 * (rows + 1))
    paper.rule(edges[0], 46 + 20 * (rows + 1), edges[-1], 46 + 20 * (rows + 1))
    paper.prose(40, 300, 4, 80)
    return paper, styles


def describe(cell: Cell) -> str:
    """The style of a cell that is styled as a whole."""
    whole = [span for span in cell.spans if (span.start, span.end) == (0, len(cell.text))]
    return "bold" if any(span.bold for span in whole) else "italic" if any(span.italic for span in whole) else ""


def test_cells_keep_the_styles_of_their_words() -> None:
    right = 0
    for seed in SEEDS:
        paper, styles = make_table(seed)
        cells = [cell for block in paper.read().blocks if block.table for cell in block.table.cells]
        found = {cell.text: describe(cell) for cell in cells if not cell.header}
        right += found == styles and not any(cell.spans for cell in cells if cell.header)
    assert right >= 0.9 * len(SEEDS)


def test_cell_in_html_has_bold_raised_and_struck_words_and_links() -> None:
    paper = Paper(500, 400)
    for index, edge in enumerate((40, 145, 250, 355)):
        paper.rule(edge, 46, edge, 126)
        paper.rule(40, 46 + 20 * index, 355, 46 + 20 * index)
    paper.rule(40, 126, 355, 126)
    for row, texts in enumerate((("Part", "Price", "Note"), ("Rope", "15", "see"), ("Winch", "old", "new"))):
        for column, text in enumerate(texts):
            paper.text(46 + 105 * column, 60 + 20 * row, text, 9, "hebo" if row == 0 or text == "Rope" else "helv")
            if text == "15":
                paper.text(151 + pymupdf.get_text_length(text, fontsize=9), 77, "th", 6)
    paper.rule(151, 98, 165, 98, 0.5)
    box = pymupdf.Rect(256, 70, 275, 82)
    paper.page.insert_link({"kind": pymupdf.LINK_URI, "from": box, "uri": "https://example.org/a"})
    paper.prose(40, 300, 4, 80)
    text = tree_to_markdown(paper.read(), tables=TableStyle.HTML)
    assert "<td><b>Rope</b></td><td>15<sup>th</sup></td>" in text
    assert '<a href="https://example.org/a"' in text
    assert "<del>old</del>" in text


def make_prices(seed: int, sign: str) -> tuple[bytes, list[str]]:
    """Lines with a price in an embedded font whose map states the sign of currency for the euro."""
    chance = random.Random(seed)
    file = pymupdf.open()
    page = file.new_page(width=400, height=300)
    writer = pymupdf.TextWriter(page.rect)
    font = pymupdf.Font(chance.choice(("helv", "hebo", "heit", "tiro", "tibo", "cour", "cobo")))
    size = chance.choice((7, 9, 12))
    texts = []
    for row in range(4):
        form = chance.choice(("Total {s} {a}", "{a}{s} due", "{s}{a}", "Price {a} {s} net"))
        texts.append(form.format(s=sign, a=f"{chance.randint(1, 999)}.{chance.randint(10, 99)}"))
        writer.append((40, 50 + 2 * size * row), texts[-1], font=font, fontsize=size)
    writer.write_text(page)
    file = pymupdf.open(stream=file.tobytes())
    for number in range(1, file.xref_length()):
        if file.xref_is_stream(number) and b"beginbf" in file.xref_stream(number):
            file.update_stream(number, re.sub(rb"(?i)<20ac>", b"<00a4>", file.xref_stream(number)))
    return bytes(file.tobytes()), texts


@pytest.mark.parametrize("sign", ["€", "¤"])
def test_sign_of_currency_is_the_sign_that_is_drawn(sign: str) -> None:
    right = 0
    for seed in SEEDS:
        data, texts = make_prices(seed, sign)
        shown = " ".join(" ".join(block.text.split()) for block in read_tree(data).blocks)
        right += all(text in shown for text in texts)
    assert right >= 0.9 * len(SEEDS)
