"""Objects of a worksheet: pictures, charts and text boxes over its cells, comments, stated tables."""

from collections.abc import Callable
from dataclasses import replace

from quire.models.extract.formats.common.opc import Package, Relations
from quire.models.extract.formats.common.xml import A, BrokenPart, C, Element, R, number
from quire.models.extract.formats.flow.sheet import Place, Sheet, SheetObject, parse_area, parse_place
from quire.models.extract.formats.sheets.charts import CX, FindCells, read_chart
from quire.models.extract.formats.sheets.xlsx.cells import THREADED, XDR, S, read_string

ReadPart = Callable[[str], Element | None]


def read_objects(package: Package, part: str, sheet: Sheet, warn: Callable[[str], None], find: FindCells) -> None:
    """Add the objects that the part's relationships lead to; leave out broken parts with a warning."""
    read = _make_part_reader(package, warn)
    by_kind = _targets(package, part, warn)
    for name in by_kind.get("table", []):
        _add_table(read(name), sheet)
    threaded = _read_threads([read(name) for name in by_kind.get("threadedComment", [])])
    for name in by_kind.get("comments", []):
        _add_comments(read(name), sheet, threaded)
    sheet.comments += [(place, text) for place, text in threaded.items() if place not in dict(sheet.comments)]
    sheet.comments.sort(key=lambda comment: comment[0])
    read_drawings(package, part, sheet, warn, find)


def read_drawings(package: Package, part: str, sheet: Sheet, warn: Callable[[str], None], find: FindCells) -> None:
    """Add the pictures, charts and text boxes over a sheet; `find` gives cells of the workbook."""
    read = _make_part_reader(package, warn)
    for name in _targets(package, part, warn).get("drawing", []):
        root = read(name)
        if root is not None:
            _add_drawing(root, relations_of(package, name, warn), read, sheet, warn, find)


def _make_part_reader(package: Package, warn: Callable[[str], None]) -> ReadPart:
    def read(name: str) -> Element | None:
        try:
            return package.xml(name)
        except BrokenPart:
            warn("part-unreadable")
            return None

    return read


def _targets(package: Package, part: str, warn: Callable[[str], None]) -> dict[str, list[str]]:
    """Return the parts that a part's relationships lead to, by kind."""
    by_kind: dict[str, list[str]] = {}
    for relation in relations_of(package, part, warn).values():
        if not relation.external:
            by_kind.setdefault(relation.kind, []).append(relation.target)
    return by_kind


def relations_of(package: Package, part: str, warn: Callable[[str], None]) -> Relations:
    """Return the relationships of a part; none, with a warning, when they are broken."""
    try:
        return package.relations(part)
    except BrokenPart:
        warn("part-unreadable")
        return {}


def _add_table(root: Element | None, sheet: Sheet) -> None:
    area = parse_area(root.get("ref", "")) if root is not None else None
    if root is not None and area is not None:
        sheet.filters.append(area)
        if number(root.get("headerRowCount"), 1) > 0:
            sheet.headers.append(area)


def _read_threads(roots: list[Element | None]) -> dict[Place, str]:
    """Return threaded comments by cell, one line per text."""
    threads: dict[Place, list[str]] = {}
    for root in roots:
        for node in root.iter(THREADED + "threadedComment") if root is not None else ():
            place = parse_place(node.get("ref", ""))
            text = (node.findtext(THREADED + "text") or "").strip()
            if place is not None and text:
                threads.setdefault(place, []).append(text)
    return {place: "\n".join(texts) for place, texts in threads.items()}


def _add_comments(root: Element | None, sheet: Sheet, threaded: dict[Place, str]) -> None:
    if root is None:
        return
    for node in root.iter(S + "comment"):
        place = parse_place(node.get("ref", ""))
        text = node.find(S + "text")
        if place is None or text is None:
            continue
        shown = threaded.get(place) or read_string(text).strip()
        if shown:
            sheet.comments.append((place, shown))


def _add_drawing(
    root: Element,
    relations: Relations,
    read: ReadPart,
    sheet: Sheet,
    warn: Callable[[str], None],
    find: FindCells,
) -> None:
    for anchor in root:
        if anchor.tag not in (XDR + "twoCellAnchor", XDR + "oneCellAnchor", XDR + "absoluteAnchor"):
            continue
        start = anchor.find(XDR + "from")
        place = (0, 0)
        if start is not None:
            place = (max(0, number(start.findtext(XDR + "row"))), max(0, number(start.findtext(XDR + "col"))))
        sheet.objects += _read_anchor(anchor, place, relations, read, warn, find)


def _read_anchor(
    anchor: Element,
    place: Place,
    relations: Relations,
    read: ReadPart,
    warn: Callable[[str], None],
    find: FindCells,
) -> list[SheetObject]:
    properties = next(anchor.iter(XDR + "cNvPr"), None)
    alt = (properties.get("descr") or "") if properties is not None else ""
    objects: list[SheetObject] = []
    for blip in anchor.iter(A + "blip"):
        relation = relations.get(blip.get(R + "embed") or blip.get(R + "link") or "")
        if relation is not None and relation.external:
            warn("external-image")
        inside = relation is not None and not relation.external
        objects.append(SheetObject(place, asset=relation.target if relation and inside else None, text=alt, drawn=True))
    for node in anchor.iter(C + "chart", CX + "chart"):
        relation = relations.get(node.get(R + "id") or "")
        root = read(relation.target) if relation is not None and not relation.external else None
        if root is not None:
            chart = read_chart(root, find, alt)
            objects.append(SheetObject(place, table=chart.table, picture=chart.picture, text=chart.text, drawn=True))
    for body in anchor.iter(XDR + "txBody"):
        lines = ["".join(text.text or "" for text in line.iter(A + "t")).strip() for line in body.iter(A + "p")]
        if text := "\n".join(line for line in lines if line):
            objects.append(SheetObject(place, text=text))
    if properties is not None and properties.get("hidden") in ("1", "true"):
        return [replace(item, hidden=True) for item in objects]
    return objects
