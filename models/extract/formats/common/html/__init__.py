"""Web pages (HTML, XHTML): bytes in, an `OpenDocument` out; other markup formats use the same engine."""

from quire.models.extract.formats.common.html.page import open_html

__all__ = ["open_html"]
