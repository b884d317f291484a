"""The examples of docs/charts.md: generated charts, drawn as pictures, with the tables that are read from them.

`python -m tests.docs.chart_examples` writes the pictures and replaces the examples in the page.
"""

from pathlib import Path

import pymupdf

from quire.models.cdom.tree import BlockType
from quire.models.export.markdown import tree_to_markdown
from tests.golden.pages import read_page
from tests.models.extract.layout.chart_makers import STYLES, make_pdf, make_spec

PAGE = Path(__file__).resolve().parents[2] / "docs" / "charts.md"
PICTURES = PAGE.parent / "pictures"
EXAMPLES = (
    ("grouped", 6, "office", "Grouped bars, measured on the axis"),
    ("hbar", 2, "office-bare", "Bars without an axis, with printed values"),
    ("lines", 3, "web-slanted", "Lines with a legend"),
    ("donut", 1, "report", "A ring with printed shares"),
    ("combined", 2, "script-grid", "Bars and a line"),
)
"""Kind, seed and style of the generator, and the heading."""
START, END = "## Examples\n", "## What is not read\n"
_RESOLUTION = 110
"""Dots per inch of the pictures."""


def render_examples() -> str:
    """Return the section of the page."""
    styles = {style.name: style for style in STYLES}
    parts = [
        START,
        "A program draws these charts from known data (`python -m tests.docs.chart_examples`). The tables are what\n"
        "Quire reads from them.\n",
    ]
    for kind, seed, style, heading in EXAMPLES:
        tree = read_page(make_pdf(make_spec(kind, seed), styles[style]), 1)
        (chart,) = [block for block in tree.blocks if block.type is BlockType.PICTURE and block.table is not None]
        origins = sorted({cell.origin for cell in chart.table.cells if cell.origin} if chart.table else ())
        markdown = tree_to_markdown(tree)
        table = "\n".join(line for line in markdown.split("\n") if line.startswith("|"))
        parts.append(f"### {heading}\n\n![{heading}](pictures/chart-{kind}.png)\n\n{table}\n")
        parts.append(f"Values: {' and '.join(origins)}.\n")
    return "\n".join(parts) + "\n"


def replace_examples(page: str) -> str:
    """Return the page with its examples replaced by the generated ones."""
    start = page.index(START) if START in page else page.index(END)
    return page[:start] + render_examples() + page[page.index(END) :]


def draw_pictures() -> None:
    """Write the pictures."""
    styles = {style.name: style for style in STYLES}
    for kind, seed, style, _ in EXAMPLES:
        page = pymupdf.open(stream=make_pdf(make_spec(kind, seed), styles[style]))[0]
        page.get_pixmap(dpi=_RESOLUTION).save(PICTURES / f"chart-{kind}.png")


if __name__ == "__main__":
    draw_pictures()
    PAGE.write_text(replace_examples(PAGE.read_text()))
