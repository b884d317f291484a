"""Small PDFs made in the test itself: text, rules, bars, pictures, links and form fields placed by hand."""

from typing import Any

from quire.models.cdom.original import ReadOptions
from quire.models.cdom.tree import Block, BlockType, Source, Tree
from quire.models.extract.formats.pdf.engine import pymupdf
from quire.models.extract.pipeline.assemble import assemble
from quire.models.extract.registry import open_document

LOREM = (
    "The quick brown fox jumps over the lazy dog while seven wizards quietly mix a batch of very cold jelly for "
    "the garden party that nobody in the village will ever forget because of the music and the light. "
)
SOURCE = Source(format="pdf", sha256="0" * 64, bytes=0)


class Paper:
    """A document under construction; coordinates are points from the top left, `y` is the baseline."""

    def __init__(self, width: float = 420, height: float = 600) -> None:
        self.width, self.height = width, height
        self.file = pymupdf.open()
        self.page: Any = None
        self.new_page()

    def new_page(self) -> "Paper":
        self.page = self.file.new_page(width=self.width, height=self.height)
        return self

    def text(self, x: float, y: float, text: str, size: float = 10, font: str = "helv", **look: Any) -> "Paper":
        self.page.insert_text((x, y), text, fontsize=size, fontname=font, **look)
        return self

    def lines(
        self, x: float, y: float, lines: list[str], size: float = 10, step: float = 12, font: str = "helv"
    ) -> float:
        """Lines below each other; the baseline after the last one."""
        for line in lines:
            self.text(x, y, line, size, font)
            y += step
        return y

    def prose(self, x: float, y: float, count: int, chars: int = 60, first: str = "") -> float:
        """`count` lines of running text, the last one short and closed."""
        words = (first + LOREM * (count + 1)).split()
        rows: list[str] = []
        while len(rows) < count:
            row = words.pop(0)
            while len(row) + len(words[0]) < chars:
                row += " " + words.pop(0)
            rows.append(row)
        rows[-1] = rows[-1][: chars // 2].rsplit(" ", 1)[0] + "."
        return self.lines(x, y, rows)

    def rule(self, x0: float, y0: float, x1: float, y1: float, width: float = 0.7) -> "Paper":
        self.page.draw_line((x0, y0), (x1, y1), width=width)
        return self

    def bar(self, x0: float, y0: float, x1: float, y1: float, color: tuple[float, float, float]) -> "Paper":
        self.page.draw_rect(pymupdf.Rect(x0, y0, x1, y1), color=None, fill=color)
        return self

    def picture(self, x0: float, y0: float, x1: float, y1: float) -> "Paper":
        pixels = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 20, 20), False)
        pixels.clear_with(120)
        self.page.insert_image(pymupdf.Rect(x0, y0, x1, y1), pixmap=pixels, keep_proportion=False)
        return self

    def save(self, **options: Any) -> bytes:
        return bytes(self.file.tobytes(**options))

    def read(self, **options: Any) -> Tree:
        return read_tree(self.save(), **options)


def read_tree(data: bytes, **options: Any) -> Tree:
    """All wanted pages of a PDF, assembled."""
    chosen = ReadOptions(**options)
    document = open_document(data, chosen)
    pages = [document.read_page(number).content for number in document.facts.page_numbers]
    document.close()
    return assemble(document.facts, pages, source=SOURCE, options=chosen)


def of_type(tree: Tree, kind: BlockType) -> list[Block]:
    return [block for block in tree.blocks if block.type is kind]


def texts(tree: Tree, kind: BlockType) -> list[str]:
    return [block.text for block in of_type(tree, kind)]
