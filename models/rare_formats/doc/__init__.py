"""Word 97 to 2003 (.doc): bytes in, an `OpenDocument` out."""

from quire.models.rare_formats.doc.document import open_doc

__all__ = ["open_doc"]
