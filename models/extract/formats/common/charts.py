"""Charts and diagrams: a data part in, its title or texts and the plotted values as a table out."""

from typing import Final

from quire.models.cdom.table import Cell, Table
from quire.models.extract.formats.common.xml import A, C, Element, number

CX: Final = "{http://schemas.microsoft.com/office/drawing/2014/chartex}"
MAX_POINTS: Final = 10_000
"""Cells of the table that a chart becomes; a chart with more is a point cloud and not readable as a table."""
_NOISY_CHARS: Final = 17
"""Characters of a number as a double is written in full; longer ones end in rounding noise."""


def read_chart_text(root: Element) -> str:
    """Return the title of a chart, or the texts of a diagram, one per line."""
    if root.tag == CX + "chartSpace":
        return " ".join(value.text or "" for value in root.iterfind(f"{CX}chart/{CX}title//{CX}v")) or "\n".join(
            text.text or "" for text in root.iterfind(f"{CX}chart/{CX}title//{A}t")
        )
    title = root.find(f".//{C}title")
    source = title if title is not None else root
    if title is None and root.tag == C + "chartSpace":
        return ""
    paragraphs = ("".join(text.text or "" for text in node.iter(A + "t")) for node in source.iter(A + "p"))
    return "\n".join(line.strip() for line in paragraphs if line.strip())


def read_chart_table(root: Element) -> Table | None:
    """Return categories as rows and series as columns, with a header row; None when nothing is plotted."""
    if root.tag == CX + "chartSpace":
        return _read_new_table(root)
    series = list(root.iter(C + "ser"))
    columns = [_points(node.find(C + "val")) or _points(node.find(C + "yVal")) for node in series]
    labels = next(
        (texts for node in series if (texts := _points(node.find(C + "cat")) or _points(node.find(C + "xVal")))), {}
    )
    indexes = sorted({index for column in [*columns, labels] for index in column})
    if not any(columns) or len(indexes) * len(columns) > MAX_POINTS:
        return None
    rows = [["", *(_series_name(node) for node in series)]]
    rows += [[labels.get(index, ""), *(column.get(index, "") for column in columns)] for index in indexes]
    cells = tuple(
        Cell(row=row, col=col, header=row == 0, text=text)
        for row, texts in enumerate(rows)
        for col, text in enumerate(texts)
    )
    return Table(rows=len(rows), cols=len(series) + 1, cells=cells)


def _read_new_table(root: Element) -> Table | None:
    """Return the data of a chart of a kind since 2016 (waterfall, treemap, sunburst, funnel, histogram, box, map)."""
    data = {node.get("id", ""): node for node in root.iterfind(f"{CX}chartData/{CX}data")}
    labels: list[dict[int, str]] = []
    columns: list[tuple[str, dict[int, str]]] = []
    for series in root.iter(CX + "series"):
        stated = series.find(CX + "dataId")
        own = data.get(stated.get("val", "") if stated is not None else "")
        if own is None:
            continue
        name = " ".join(value.text or "" for value in series.iterfind(f"{CX}tx//{CX}v"))
        labels = labels or [_new_points(level) for level in reversed(list(own.iterfind(f"{CX}strDim/{CX}lvl")))]
        columns += [(name, _new_points(level)) for level in own.iterfind(f"{CX}numDim/{CX}lvl")]
    indexes = sorted({index for points in [*labels, *(points for _, points in columns)] for index in points})
    if not indexes or len(indexes) * (len(labels) + len(columns)) > MAX_POINTS:
        return None
    rows = [[*([""] * len(labels)), *(name for name, _ in columns)]]
    rows += [[points.get(index, "") for points in (*labels, *(points for _, points in columns))] for index in indexes]
    cells = tuple(
        Cell(row=row, col=col, header=row == 0, text=text)
        for row, texts in enumerate(rows)
        for col, text in enumerate(texts)
    )
    return Table(rows=len(rows), cols=len(rows[0]), cells=cells)


def _new_points(level: Element) -> dict[int, str]:
    return {number(point.get("idx")): _without_noise(point.text or "") for point in level.iterfind(CX + "pt")}


def _series_name(series: Element) -> str:
    name = series.find(f"{C}tx")
    return " ".join(_points(name).values()) if name is not None else ""


def _points(node: Element | None) -> dict[int, str]:
    """Return cached values by index."""
    points = node.iter(C + "pt") if node is not None else ()
    return {number(point.get("idx")): _without_noise(point.findtext(C + "v") or "") for point in points}


def _without_noise(text: str) -> str:
    """Return a cached value without the noise of binary fractions (4.4000000000000004)."""
    text = text.strip()
    if len(text) < _NOISY_CHARS:
        return text
    try:
        return format(float(text), ".15g")
    except ValueError:
        return text
