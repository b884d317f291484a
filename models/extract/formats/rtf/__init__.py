"""Rich Text Format (.rtf): bytes in, an `OpenDocument` out."""

from quire.models.extract.formats.rtf.document import open_rtf

__all__ = ["open_rtf"]
