"""A binary Excel package: workbook, styles, shared strings and sheets by their relationships; a flow file out."""

import struct
from collections.abc import Iterator
from functools import partial
from typing import Final

from quire.models.cdom.errors import Malformed, ResourceLimit
from quire.models.cdom.original import Format, ReadOptions
from quire.models.extract.formats.common.opc import MAX_XML_BYTES, Package, Relations, read_metadata
from quire.models.extract.formats.common.xml import BrokenPart
from quire.models.extract.formats.flow.document import FlowDocument, FlowFile, open_flow
from quire.models.extract.formats.flow.parts import PartPictures
from quire.models.extract.formats.flow.sheet import Place, Sheet, Workbook
from quire.models.extract.formats.flow.sheet_pages import make_pages
from quire.models.extract.formats.sheets.charts import find_cells
from quire.models.extract.formats.sheets.formats import BUILT_IN
from quire.models.extract.formats.sheets.values import ValueWriter
from quire.models.extract.formats.sheets.xlsx.objects import read_drawings, relations_of
from quire.models.rare_formats.xlsb.records import read_area, read_records, read_sheet, read_string

ENGINE: Final = "biff12"
MAX_SHEETS: Final = 2000
"""Sheets of one workbook, as for XLSX."""
_BUNDLE_SHEET, _WORKBOOK_PROPERTIES, _STRING = 156, 153, 19
"""Records, by their numbers in the format."""
_FORMAT, _BEGIN_STYLES, _END_STYLES, _STYLE = 44, 617, 618, 47
"""Records of the style sheet."""
_COMMENT, _COMMENT_TEXT = 635, 637
"""Records of comments."""


def open_xlsb(data: bytes, options: ReadOptions) -> FlowDocument:
    """Open the workbook in `data`.

    Raises:
        ExtractError: The file is malformed, or exceeds a limit.
    """
    return open_flow(lambda: _XlsbFile(Package(data), options.max_cells).read(), options)


class _XlsbFile:
    """One binary Excel package on its way to pages."""

    def __init__(self, package: Package, most: int) -> None:
        self._package, self._most = package, most
        self._warnings: list[str] = list(package.warnings)
        self._strings: list[str] = []
        self._codes: list[str] = []
        self._epoch_1904 = False

    def read(self) -> FlowFile:
        """Return the flow file of the workbook."""
        part = "xl/workbook.bin"
        relations = relations_of(self._package, part, self._warnings.append)
        named = {relation.kind: relation.target for relation in relations.values() if not relation.external}
        self._warnings += ["macros"] if "vbaProject" in named else []
        self._warnings += ["external-data"] if {"externalLink", "connections"} & set(named) else []
        self._strings = list(self._read_strings(named.get("sharedStrings", "xl/sharedStrings.bin")))
        self._codes = self._read_codes(named.get("styles", "xl/styles.bin"))
        workbook = Workbook(self._most)
        for record in self._list_sheets(part):
            workbook.sheets.append(self._read_sheet(record, relations, workbook))
        return FlowFile(
            format=Format.XLSB,
            pages=make_pages(workbook),
            engine=ENGINE,
            reason="workbook",
            metadata=read_metadata(self._package.xml("docProps/core.xml"), None),
            warnings=tuple(dict.fromkeys(self._warnings)),
            assets=PartPictures(self._package),
        )

    def _read_bytes(self, name: str) -> bytes:
        """Return a binary part; empty, with a warning, when it is broken.

        Raises:
            ResourceLimit: The part is too large.
        """
        if not self._package.has(name):
            return b""
        if self._package.size(name) > MAX_XML_BYTES:
            raise ResourceLimit("a part is too large")
        try:
            return self._package.read(name)
        except BrokenPart:
            self._warnings.append("part-unreadable")
            return b""

    def _list_sheets(self, part: str) -> list[bytes]:
        """Return the records that list the sheets.

        Raises:
            Malformed: The package holds no workbook.
        """
        if not self._package.has(part) or not self._package.size(part):
            raise Malformed("the package holds no workbook")
        records: list[bytes] = []
        for kind, record in read_records(self._read_bytes(part)):
            if kind == _WORKBOOK_PROPERTIES and record:
                self._epoch_1904 = bool(record[0] & 1)
            elif kind == _BUNDLE_SHEET and len(records) < MAX_SHEETS:
                records.append(record)
        return records

    def _read_strings(self, name: str) -> Iterator[str]:
        for kind, record in read_records(self._read_bytes(name)):
            if kind == _STRING and len(record) >= 5:
                yield read_string(record, 1)[0]

    def _read_codes(self, name: str) -> list[str]:
        formats, codes, inside = dict(BUILT_IN), list[str](), False
        for kind, record in read_records(self._read_bytes(name)):
            if kind == _FORMAT and len(record) >= 6:
                formats[struct.unpack_from("<H", record)[0]] = read_string(record, 2)[0]
            elif kind in (_BEGIN_STYLES, _END_STYLES):
                inside = kind == _BEGIN_STYLES
            elif kind == _STYLE and inside and len(record) >= 4:
                codes.append(formats.get(struct.unpack_from("<H", record, 2)[0], "General"))
        return codes

    def _read_sheet(self, record: bytes, relations: Relations, workbook: Workbook) -> Sheet:
        try:
            state = struct.unpack_from("<I", record)[0]
            key, name_start = read_string(record, 8)
            name, _ = read_string(record, name_start)
        except struct.error:
            return Sheet("", warnings=["part-unreadable"])
        sheet = Sheet(name, visible=state == 0)
        relation = relations.get(key)
        if relation is None or relation.external or not self._package.has(relation.target):
            sheet.warnings.append("part-unreadable")
            return sheet
        if relation.kind in ("worksheet", "xlMacrosheet", "dialogsheet"):
            values = ValueWriter(workbook, sheet, self._codes, epoch_1904=self._epoch_1904)
            read_sheet(self._read_bytes(relation.target), sheet, values, self._strings)
        self._read_comments(relation.target, sheet)
        known = Workbook(0, [*workbook.sheets, sheet])
        read_drawings(self._package, relation.target, sheet, sheet.warnings.append, partial(find_cells, known))
        sheet.warnings = list(dict.fromkeys(sheet.warnings))
        return sheet

    def _read_comments(self, part: str, sheet: Sheet) -> None:
        place: Place = (0, 0)
        for relation in relations_of(self._package, part, sheet.warnings.append).values():
            if relation.kind != "comments" or relation.external:
                continue
            for kind, record in read_records(self._read_bytes(relation.target)):
                if kind == _COMMENT and len(record) >= 20:
                    place = read_area(record, 4)[:2]
                elif kind == _COMMENT_TEXT and len(record) >= 5 and (text := read_string(record, 1)[0].strip()):
                    sheet.comments.append((place, text))
        sheet.comments.sort(key=lambda comment: comment[0])
