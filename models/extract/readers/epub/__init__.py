"""Electronic books (.epub): bytes in, an `OpenDocument` out."""

from models.extract.readers.epub.book import open_epub

__all__ = ["open_epub"]
