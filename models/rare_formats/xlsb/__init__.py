"""Binary Excel packages (.xlsb): bytes in, an `OpenDocument` out."""

from quire.models.rare_formats.xlsb.workbook import open_xlsb

__all__ = ["open_xlsb"]
