"""Web pages (HTML, XHTML): bytes in, an `OpenDocument` out; the engine that other markup is read with."""

from models.extract.formats.common.html.page import open_html

__all__ = ["open_html"]
