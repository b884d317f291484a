"""Tables, pictures, formulas and form fields in the reading order, each represented by a line without text."""

from collections.abc import Iterable

from quire.models.cdom.geometry import Bbox, union_bbox
from quire.models.cdom.tree import BlockType, PictureFacts
from quire.models.extract.contract import PageBlock
from quire.models.extract.layout.charts.tables import make_facts, make_table
from quire.models.extract.layout.figures.cell_styles import style_cells
from quire.models.extract.layout.figures.displays import DisplayedFormula
from quire.models.extract.layout.figures.forms import TICKED, UNTICKED, sort_rows, take_labels
from quire.models.extract.layout.figures.pictures import ChartText, Picture
from quire.models.extract.layout.lines.marks import Line, PageMarks, PrintedField
from quire.models.extract.layout.tables.scoring.find import FoundTable, make_drawn
from quire.models.extract.layout.text.blocks import clamp, confidence_of, join_lines, make_block

Float = FoundTable | Picture | ChartText | PrintedField | DisplayedFormula

_ROW = 4.0
"""Labels of a picture whose baselines share a stripe of this height (points) are read left to right."""


class Floats:
    """Placeholder lines and the floats they represent."""

    def __init__(self) -> None:
        self._items: dict[int, tuple[Line, Float]] = {}

    def add(self, item: Float) -> Line:
        """Add a float and return its placeholder line, with the float's box."""
        x0, y0, x1, y1 = item.box
        if isinstance(item, PrintedField) and item.label:
            x0, y0, x1, y1 = union_bbox([item.box, *(line.bbox for line in item.label)])
        if isinstance(item, PrintedField) and item.chosen:
            y1 = min(y1, y0 + 1)  # its first point places it, because its options stand in the rest
        stand_in = Line(x0, y0, x1, y1, y1, 10.0, "")
        self._items[id(stand_in)] = (stand_in, item)
        return stand_in

    @property
    def lines(self) -> Iterable[Line]:
        """Return the placeholder lines."""
        return (line for line, _ in self._items.values())

    def holds(self, line: Line) -> bool:
        """Return True for a placeholder line."""
        return id(line) in self._items

    def make_block(self, stand_in: Line, marks: PageMarks) -> PageBlock:
        """Return the block of the placeholder's float."""
        item = self._items[id(stand_in)][1]
        box = clamp(*item.box, marks)
        if isinstance(item, PrintedField):
            return _make_field(item, marks)
        if isinstance(item, FoundTable):
            return _make_table_block(item, marks)
        if isinstance(item, DisplayedFormula):
            printed = " ".join(line.text for line in item.lines)
            return PageBlock(type=BlockType.FORMULA, bbox=box, text=item.latex, printed=printed)
        if isinstance(item, ChartText):
            return make_block(item.kind, item.lines, marks)
        reference = f"p{marks.number}-" + "-".join(str(round(value)) for value in box)
        text, chart = _label_text(item.lines), item.chart
        if chart is None:
            facts = PictureFacts(kind="chart") if item.is_chart else None
            return PageBlock(type=BlockType.PICTURE, bbox=box, asset_ref=reference, text=text, picture=facts)
        return PageBlock(
            type=BlockType.PICTURE,
            bbox=box,
            asset_ref=reference,
            table=make_table(chart),
            picture=make_facts(chart),
            confidence=round(chart.confidence, 2),
            printed=text,
        )


def _make_field(item: PrintedField, marks: PageMarks) -> PageBlock:
    """Return the block of a field with its printed label, or with the name from the file."""
    label = join_lines(item.label, marks.divides)[0].replace("\t", " ") if item.label else item.name
    box = clamp(*union_bbox([item.box, *(line.bbox for line in item.label)]), marks)
    printed = " ".join([*(line.text for line in item.label), item.printed]).rstrip()
    confidence = confidence_of(item.label)
    if item.is_checked is None:
        text = f"{label.rstrip(' :：')}: {item.value or item.printed}".removeprefix(": ")
        return PageBlock(type=BlockType.KEY_VALUE, bbox=box, text=text, printed=printed, confidence=confidence)
    text = f"{item.sign or (TICKED if item.is_checked else UNTICKED)} {label}".rstrip()
    return PageBlock(type=BlockType.CHECKBOX, bbox=box, text=text, printed=printed, confidence=confidence)


def write_parts(upright: PageMarks, turned: object, mirror: object) -> tuple[PageBlock, ...]:
    """Return the framed rows of the page that may go on on other pages, as tables; none of a turned page."""
    if turned is not None or mirror is not None:
        return ()
    return tuple(_make_table_block(make_drawn(part, upright, upright.fills), upright) for part in upright.parts)


def _make_table_block(item: FoundTable, marks: PageMarks) -> PageBlock:
    return PageBlock(
        type=BlockType.TABLE,
        bbox=clamp(*item.box, marks),
        table=style_cells(item.table, item.lines, marks),
        confidence=confidence_of(item.lines),
        tagged=item.tagged,
        score=item.score,
        edges=item.edges,
        is_headed=item.is_headed,
    )


def take_field_lines(fields: list[PrintedField], lines: list[Line]) -> tuple[list[PrintedField], list[Line]]:
    """Return the fields, with a ticked or empty box for each option that a list box shows, and the lines outside them.

    Lines inside another field (by their middle) print its value and are recorded there; the first one of a cell with a
    label is the label.
    """
    kept: list[Line] = []
    options: list[PrintedField] = []
    held: dict[int, list[Line]] = {}
    for line in lines:
        owner = next((field for field in fields if _is_in(line, field.box)), None)
        if owner is None:
            kept.append(line)
        elif owner.chosen:
            options.append(PrintedField(line.bbox, owner.name, "", line.text in owner.chosen, label=[line]))
        elif line.recognised:
            held.setdefault(id(owner), []).append(line)
        else:
            owner.printed = f"{owner.printed} {line.text}".lstrip()
    for field in fields:
        rows = sort_rows(held.get(id(field), ()))
        if field.holds_label and rows:
            field.label = rows.pop(0)
        field.printed = " ".join([field.printed, *(line.text for row in rows for line in row)]).strip()
    free = [field for field in fields if field.is_free]
    return [*fields, *options], take_labels(free, kept) if free else kept


def _is_in(line: Line, box: Bbox) -> bool:
    return box[0] <= (line.x0 + line.x1) / 2 <= box[2] and box[1] <= (line.y0 + line.y1) / 2 <= box[3]


def _label_text(lines: list[Line]) -> str:
    """Return the labels of a picture, row by row."""
    rows = sorted(lines, key=lambda line: (round(line.base / _ROW), line.x0))
    return "\n".join(line.text for line in rows)
