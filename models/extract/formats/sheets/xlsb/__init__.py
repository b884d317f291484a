"""Binary Excel packages (.xlsb): bytes in, an `OpenDocument` out."""

from quire.models.extract.formats.sheets.xlsb.workbook import open_xlsb

__all__ = ["open_xlsb"]
