"""Word files (.docx, Strict and transitional): bytes in, an `OpenDocument` out."""

from models.extract.readers.docx.document import open_docx

__all__ = ["open_docx"]
