"""Excel 5 to 2003 (.xls): bytes in, an `OpenDocument` out."""

from quire.models.rare_formats.xls.workbook import open_xls

__all__ = ["open_xls"]
