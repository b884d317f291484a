"""Word 97 to 2003 (.doc): bytes in, an `OpenDocument` out."""

from quire.models.extract.formats.word.doc.document import open_doc

__all__ = ["open_doc"]
