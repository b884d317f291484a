"""Excel workbooks (.xlsx, .xlsm and templates): bytes in, an `OpenDocument` out."""

from quire.models.extract.formats.sheets.xlsx.workbook import open_xlsx

__all__ = ["open_xlsx"]
