"""A workbook of Excel 5 to 2003: its stream in the compound file in, a flow file with a page per sheet out."""

from typing import Final

from quire.models.cdom.errors import Malformed
from quire.models.cdom.original import Format, ReadOptions
from quire.models.extract.formats.common.compound import CompoundFile, is_compound, read_summary
from quire.models.extract.formats.common.parse_cache import keep
from quire.models.extract.formats.flow.document import FlowDocument, FlowFile, open_flow
from quire.models.extract.formats.flow.sheet import Sheet, Workbook
from quire.models.extract.formats.flow.sheet_pages import make_pages
from quire.models.extract.formats.sheets.values import ValueWriter
from quire.models.rare_formats.xls.cells import XlsSheet
from quire.models.rare_formats.xls.globals import read_globals
from quire.models.rare_formats.xls.spreadsheet_xml import read_spreadsheet_xml

ENGINE: Final = "biff"
CACHE_KEY: Final = "biff"
"""Key of the parse cache for the stream and its globals."""
_OBJECTS: Final = "MBD"
"""Prefix of the names of storages with embedded objects."""
_STREAMS: Final = ("Workbook", "Book")
_WITH_CELLS: Final = frozenset({0, 1})
"""Kinds of sheets that have cells: worksheets and macro sheets."""


def open_xls(data: bytes, options: ReadOptions) -> FlowDocument:
    """Open the workbook in `data`.

    Raises:
        ExtractError: The file is malformed, encrypted or unsupported, or exceeds a limit.
    """
    return open_flow(lambda: _read(data, options.max_cells), options)


def _read(data: bytes, most: int) -> FlowFile:
    if not is_compound(data):
        return read_spreadsheet_xml(data, most)
    file = CompoundFile(data)
    path = next((stored for name in _STREAMS if (stored := file.find(name)) is not None), None)
    if path is None:
        raise Malformed("the file holds no workbook")
    stream = file.read(path)
    book = keep(CACHE_KEY, data, (stream, read_globals(stream)))[1]
    codes = book.codes()
    workbook = Workbook(most)
    for entry in book.sheets:
        sheet = Sheet(entry.name, visible=entry.visible)
        workbook.sheets.append(sheet)
        if entry.kind in _WITH_CELLS and entry.start < len(stream):
            values = ValueWriter(workbook, sheet, codes, epoch_1904=book.epoch_1904)
            XlsSheet(sheet, values, book).read(stream, entry.start)
        sheet.warnings = list(dict.fromkeys(sheet.warnings))
    macros = book.macros or any(path[0].startswith("_VBA_PROJECT") for path in file.paths)
    warnings = [*(("macros",) if macros else ()), *(("external-data",) if book.external else ())]
    if any(len(path) == 1 and path[0].upper().startswith(_OBJECTS) for path in file.storages):
        warnings.append("embedded-object")
    return FlowFile(
        format=Format.XLS,
        pages=make_pages(workbook),
        engine=ENGINE,
        reason="workbook",
        metadata=read_summary(file),
        warnings=tuple(warnings),
    )
