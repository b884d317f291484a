"""Journal articles in XML (JATS, NLM): bytes in, an `OpenDocument` out."""

from models.extract.readers.jats.article import open_jats

__all__ = ["open_jats"]
