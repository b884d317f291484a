"""AsciiDoc: bytes in, an `OpenDocument` out. Nothing is included, fetched or run."""

from quire.models.rare_formats.asciidoc.document import open_asciidoc

__all__ = ["open_asciidoc"]
