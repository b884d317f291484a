"""An Excel package: workbook, styles, shared strings and sheets by their relationships; a flow file out."""

from functools import cache, partial
from typing import Final

from lxml import etree

from quire.models.cdom.errors import ExtractError, Malformed, UnsupportedFormat
from quire.models.cdom.original import Format, ReadOptions
from quire.models.cdom.span import Span
from quire.models.extract.formats.common.opc import MAX_XML_BYTES, Package, Relation, read_metadata
from quire.models.extract.formats.common.xml import BrokenPart, Element, R
from quire.models.extract.formats.flow.document import FlowDocument, FlowFile, open_flow
from quire.models.extract.formats.flow.parts import PartPictures, read_part_bytes, read_rows
from quire.models.extract.formats.flow.sheet import Sheet, Workbook
from quire.models.extract.formats.flow.sheet_pages import make_pages
from quire.models.extract.formats.sheets.charts import FindCells, find_cells
from quire.models.extract.formats.sheets.xlsx.cells import (
    CellContext,
    S,
    read_cells,
    read_codes,
    read_fonts,
    read_rich,
    stream,
)
from quire.models.extract.formats.sheets.xlsx.objects import read_objects, relations_of

ENGINE: Final = "lxml"
MAX_SHEETS: Final = 2000
"""Sheets of a workbook that are read: each is a separate part."""
EMBEDDED_CELLS: Final = 1_000_000
"""Most cells of the sheets that a chart embeds."""
_KINDS: Final = frozenset({"worksheet", "xlMacrosheet", "xlIntlMacrosheet", "dialogsheet"})


def open_xlsx(data: bytes, options: ReadOptions) -> FlowDocument:
    """Open the workbook in `data`.

    Raises:
        ExtractError: The file is malformed, encrypted or unsupported, or exceeds a limit.
    """
    return open_flow(lambda: _XlsxFile(Package(data), options.max_cells).read(), options)


def find_embedded(package: Package, part: str) -> FindCells:
    """Return a search in the workbook that a chart's part embeds; it is opened on the first search."""

    @cache
    def load() -> Workbook:
        try:
            relations = package.relations(part).values()
            target = next((relation.target for relation in relations if relation.kind == "package"), "")
            if 0 < package.size(target) <= MAX_XML_BYTES:
                return _XlsxFile(Package(package.read(target)), EMBEDDED_CELLS).read_cells()
        except ExtractError:
            pass  # the chart then lacks the values that its part has no copy of
        return Workbook(0)

    return lambda formula: find_cells(load(), formula)


class _XlsxFile:
    """One Excel package on its way to pages."""

    def __init__(self, package: Package, most: int) -> None:
        self._package, self._most = package, most
        self._warnings: list[str] = list(package.warnings)
        self._parts: list[tuple[str, Sheet]] = []

    def read(self) -> FlowFile:
        """Return the flow file of the workbook."""
        workbook = self.read_cells()
        for part, sheet in self._parts:
            read_objects(self._package, part, sheet, sheet.warnings.append, partial(find_cells, workbook))
        core = next(
            (
                relation.target
                for relation in relations_of(self._package, "", self._warn).values()
                if relation.kind == "core-properties"
            ),
            "docProps/core.xml",
        )
        return FlowFile(
            format=Format.XLSX,
            pages=make_pages(workbook),
            engine=ENGINE,
            version=etree.__version__,
            reason="workbook",
            metadata=read_metadata(self._part(core), None),
            warnings=tuple(self._warnings),
            assets=PartPictures(self._package),
        )

    def read_cells(self) -> Workbook:
        """Return the workbook with the cells of its sheets."""
        part = self._find_workbook()
        root = self._package.xml(part)
        if root is None or root.tag != S + "workbook":
            raise UnsupportedFormat("the package holds no workbook")
        relations = relations_of(self._package, part, self._warn)
        named = {relation.kind: relation.target for relation in relations.values() if not relation.external}
        if "vbaProject" in named:
            self._warn("macros")
        if any(relation.kind in ("externalLink", "connections") for relation in relations.values()):
            self._warn("external-data")
        context = self._read_context(root, named)
        workbook = Workbook(self._most)
        for node in list(root.iterfind(f"{S}sheets/{S}sheet"))[:MAX_SHEETS]:
            workbook.sheets.append(self._read_sheet(node, relations.get(node.get(R + "id") or ""), workbook, context))
        return workbook

    def _warn(self, code: str) -> None:
        self._warnings.append(code)

    def _part(self, name: str) -> Element | None:
        try:
            return self._package.xml(name)
        except BrokenPart:
            self._warn("part-unreadable")
            return None

    def _find_workbook(self) -> str:
        relations = self._package.relations("")
        stated = next((relation.target for relation in relations.values() if relation.kind == "officeDocument"), None)
        for name in (stated, "xl/workbook.xml"):
            if name is not None and self._package.has(name):
                return name
        raise Malformed("the package names no workbook part")

    def _read_context(self, root: Element, named: dict[str, str]) -> CellContext:
        properties = root.find(S + "workbookPr")
        epoch = properties is not None and properties.get("date1904") in ("1", "true", "on")
        strings: list[str] = []
        spans: dict[int, tuple[Span, ...]] = {}
        name = named.get("sharedStrings", "xl/sharedStrings.xml")
        if self._package.has(name):
            try:
                for item in stream(read_part_bytes(self._package, name), (S + "si",)):
                    text, styled = read_rich(item)
                    if styled:
                        spans[len(strings)] = styled
                    strings.append(text)
            except BrokenPart:
                self._warn("part-unreadable")
        styles = self._part(named.get("styles", "xl/styles.xml"))
        return CellContext(strings, read_codes(styles), bool(epoch), spans, read_fonts(styles))

    def _read_sheet(self, node: Element, relation: Relation | None, workbook: Workbook, context: CellContext) -> Sheet:
        sheet = Sheet(node.get("name") or "", visible=node.get("state") not in ("hidden", "veryHidden"))
        if relation is None or relation.external or not self._package.has(relation.target):
            sheet.warnings.append("part-unreadable")
            return sheet
        if relation.kind == "xlMacrosheet" or relation.kind == "xlIntlMacrosheet":
            self._warn("macros")
        if relation.kind in _KINDS:
            try:
                part, is_cut = read_rows(self._package, relation.target, self._most)
                read_cells(part, sheet, workbook, context)
                if is_cut and not workbook.full:
                    workbook.leave_out(sheet, -1)
            except BrokenPart:
                sheet.warnings.append("part-unreadable")
        if sheet.links:
            targets = relations_of(self._package, relation.target, self._warn)
            sheet.link_cells({name: target.target for name, target in targets.items() if target.external})
        self._parts.append((relation.target, sheet))
        return sheet
