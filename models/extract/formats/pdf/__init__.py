"""PDF pages by MuPDF: bytes in, page contents and PNGs out. Decides nothing about the document as a whole."""

from models.extract.formats.pdf.document import PdfDocument, open_pdf

__all__ = ["PdfDocument", "open_pdf"]
