"""Objects inside OpenDocument files: the content of a formula or chart in, a block with its values out."""

from models.cdom.table import Cell, Table
from models.cdom.tree import BlockType
from models.extract.formats.common.xml import Element
from models.extract.formats.flow.blocks import FlowBlock
from models.extract.formats.flow.mathml import mathml_to_latex
from models.extract.formats.opendocument.names import CHART, TABLE, TEXT, count

MAX_CELLS = 10_000
"""Values of one chart, as for those of Office."""


def read_object(content: Element | None) -> FlowBlock | None:
    """A formula as LaTeX, a chart as the table of its cached values; None for any other object."""
    if content is None or not isinstance(content.tag, str):
        return None
    if content.tag.endswith("}math") or content.tag == "math":
        text = mathml_to_latex(content)
        return FlowBlock(BlockType.FORMULA, text) if text else None
    chart = next(content.iter(CHART + "chart"), None)
    table = next(chart.iter(TABLE + "table"), None) if chart is not None else None
    values = _read_values(table) if table is not None else None
    return FlowBlock(BlockType.TABLE, table=values) if values is not None else None


def _read_values(table: Element) -> Table | None:
    rows: list[list[str]] = []
    for row in table.iter(TABLE + "table-row"):
        texts: list[str] = []
        for cell in row.iterfind(TABLE + "table-cell"):
            text = "\n".join("".join(line.itertext()) for line in cell.iterfind(TEXT + "p"))
            texts += [text.strip()] * min(count(cell.get(TABLE + "number-columns-repeated"), 100), 100)
        rows.append(texts)
        if sum(map(len, rows)) > MAX_CELLS:
            return None
    cols = max(map(len, rows), default=0)
    if not any(text for row in rows for text in row):
        return None
    cells = tuple(
        Cell(row=at, col=col, header=at == 0, text=text) for at, row in enumerate(rows) for col, text in enumerate(row)
    )
    return Table(rows=len(rows), cols=cols, cells=cells)


def chart_title(content: Element) -> str:
    """The title of a chart, as its text stands."""
    title = next(content.iter(CHART + "title"), None)
    return " ".join("".join(title.itertext()).split()) if title is not None else ""
