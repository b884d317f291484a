"""Word files (.docx, Strict and transitional): bytes in, an `OpenDocument` out."""

from models.extract.readers.docx.document import DocxDocument, open_docx

__all__ = ["DocxDocument", "open_docx"]
